"""table_fit.py -- `gen fit` beside what scikit-learn finds, on rows that neither has seen.

    /usr/bin/python3 tests/bench/table_fit.py DATADIR [--seconds N] [NAME]...

Each set is divided once, seven tenths for training; sets with many rows are thinned, for all programs alike. First without a
budget: beside GridSearchCV over SVC rbf, SVC linear, RandomForest(100) and KNN, of which the one counts that has the least
cross-validated error. Then within 2 KB of tables: beside a forest of at most 512 nodes (4 bytes each) and a net of one hidden
layer with one byte a weight, their sizes chosen by cross-validation; both are trained and tested in floats, which is in their
favour. Losses are shown. What is known of a set is kept in build/bench-fit: a stopped run goes on, and --anew begins again. Exit code 1 if the means are short of the marks: at most one point behind the best of scikit-learn,
ahead of forest and net at 2 KB.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETS = ("pima", "heart_statlog", "wdbc", "ionosphere", "sonar", "german", "thyroid", "parkinsons", "banana", "ripley", "titanic",
        "arduino_gestures_feat", "digits8x8", "image")
MOST_TRAIN, MOST_TEST = 1200, 4000
FLASH, NODE = 2048, 4
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)


def load(folder, name):
    """Rows and labels as text; None where the set is missing."""
    for path, opened in ((f"{name}.csv", open), (f"{name}.csv.gz", gzip.open)):
        path = os.path.join(folder, path)
        if os.path.exists(path):
            with opened(path, "rt") as file:
                rows = [line.strip().split(",") for line in file if line.strip()]
            if not all(is_number(v) for v in rows[0][:-1]):
                rows = rows[1:]
            return np.array([[float(v) for v in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])
    print(f"  {name}: not in {folder}, left out")
    return None


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def write(path, x, y):
    with open(path, "w", encoding="utf-8") as file:
        for row, label in zip(x, y):
            file.write(",".join(map(repr, map(float, row))) + f",{label}\n")


def search(model, grid, x, y):
    """The cross-validated error and the fitted estimator."""
    found = GridSearchCV(make_pipeline(StandardScaler(), model), grid, cv=FOLDS, n_jobs=1).fit(x, y)
    return 1 - found.best_score_, found


def large_peers(x, y, test_x, test_y):
    """Test error of each grid search, and of the one with the least cross-validated error."""
    d = x.shape[1]
    grids = {"rbf": (SVC(), {"svc__C": [0.1, 1, 10, 100, 1000], "svc__gamma": [g / d for g in (0.06, 0.25, 1, 4, 16)]}),
             "linear": (SVC(kernel="linear", max_iter=200000), {"svc__C": [0.01, 0.1, 1, 10]}),
             "forest": (RandomForestClassifier(100, random_state=1), {"randomforestclassifier__max_features": ["sqrt", 0.5]}),
             "knn": (KNeighborsClassifier(), {"kneighborsclassifier__n_neighbors": [1, 3, 5, 7, 11, 15, 21]})}
    errors, cv = {}, {}
    for name, (model, grid) in grids.items():
        cv[name], found = search(model, grid, x, y)
        errors[name] = float(np.mean(found.predict(test_x) != test_y))
    errors["best"] = errors[min(cv, key=cv.get)]
    return errors


def small_peers(x, y, test_x, test_y):
    """Test errors of a forest and of a net within the budget; sizes are chosen by cross-validation."""
    d, k = x.shape[1], len(set(y))
    best = None
    for trees in (1, 3, 5, 10, 20):
        leaves = max(2, FLASH // NODE // trees // 2)  # a tree of n leaves has n - 1 more nodes
        cv, found = search(RandomForestClassifier(trees, max_leaf_nodes=leaves, random_state=1), {}, x, y)
        nodes = sum(tree.tree_.node_count for tree in found.best_estimator_[-1].estimators_)
        if nodes * NODE <= FLASH and (best is None or cv < best[0]):
            best = cv, float(np.mean(found.predict(test_x) != test_y))
    outputs = 1 if k == 2 else k
    most = (FLASH - 4 * outputs) // (d + 4 + outputs)
    sizes = sorted({max(1, most // part) for part in (1, 2, 4)})
    grid = {"mlpclassifier__hidden_layer_sizes": [(size,) for size in sizes], "mlpclassifier__alpha": [1e-4, 1e-1]}
    _, net = search(MLPClassifier(max_iter=300, random_state=1), grid, x, y)
    return {"forest": best[1], "net": float(np.mean(net.predict(test_x) != test_y))}


def fit(folder, seconds, *more):
    """`gen fit` as a user runs it: its JSON and the seconds it took."""
    out, began = os.path.join(folder, "fit.json"), time.time()
    command = [sys.executable, "-m", "gen", "fit", os.path.join(folder, "train.csv"), "--test", os.path.join(folder, "test.csv"), "--time",
               str(seconds), "--json", out, "-o", os.path.join(folder, "model.h"), *more]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ran.stderr}")
    with open(out, encoding="utf-8") as file:
        return json.load(file), time.time() - began


def measured(args, x, y, test_x, test_y):
    """All that is wanted of a set: both runs of fit with their seconds, the large and the small peers."""
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "train.csv"), x, y)
        write(os.path.join(folder, "test.csv"), test_x, test_y)
        runs = [fit(folder, args.seconds), fit(folder, args.seconds, "--flash", str(FLASH))]
    kept = [({key: value for key, value in run.items() if key != "candidates"}, took) for run, took in runs]
    return [*kept, large_peers(x, y, test_x, test_y), small_peers(x, y, test_x, test_y)]


def known(name, args, work):
    """What a file of an earlier run says, or else what `work` finds, which is kept."""
    path = os.path.join(ROOT, "build", "bench-fit", f"{name}-{args.seconds:g}.json")
    if not args.anew and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    found = work()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(path + ".new", path)
    return found


def points(rate):
    return f"{100 * rate:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--anew", action="store_true")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    print(f"errors in percent on rows that were left out; fit with --time {args.seconds:g}")
    print(f"{'set':<22} {'rows':>5} {'test':>5} |  fit  best   rbf linear forest   knn | fit2K forest2K net2K | bytes  fit's models")
    rows = []
    for name in args.names or SETS:
        found = load(args.data, name)
        if found is None:
            continue
        x, test_x, y, test_y = train_test_split(*found, test_size=0.3, random_state=1, stratify=found[1])
        if len(y) > MOST_TRAIN:
            x, _, y, _ = train_test_split(x, y, train_size=MOST_TRAIN, random_state=1, stratify=y)
        test_x, test_y = test_x[:MOST_TEST], test_y[:MOST_TEST]
        (whole, took), (small, took_small), peers, tiny = known(name, args, lambda: measured(args, x, y, test_x, test_y))
        rows.append((name, whole["test_error"], peers["best"], small["test_error"], tiny["forest"], tiny["net"]))
        print(f"{name:<22} {len(y):>5} {len(test_y):>5} | {points(whole['test_error']):>4} {points(peers['best']):>5} {points(peers['rbf']):>5} "
              f"{points(peers['linear']):>6} {points(peers['forest']):>6} {points(peers['knn']):>5} | {points(small['test_error']):>5} "
              f"{points(tiny['forest']):>8} {points(tiny['net']):>5} | {small['bytes']:>5}  {whole['method']} {whole['options'].get('kernel', '')} "
              f"{whole['format']}, {small['method']} {small['options'].get('kernel', '')} {small['format']} ({took:.0f} s, {took_small:.0f} s)", flush=True)
    if not rows:
        raise SystemExit("no data")
    mean = [float(np.mean([row[i] for row in rows])) for i in range(1, 6)]
    print(f"{'mean of ' + str(len(rows)):<34} | {points(mean[0]):>4} {points(mean[1]):>5}{'':>26} | {points(mean[2]):>5} {points(mean[3]):>8} {points(mean[4]):>5}")
    for word, a, b in (("the best of scikit-learn", 1, 2), ("a forest of 2 KB", 3, 4), ("a net of 2 KB", 3, 5)):
        lost = sorted(((row[a] - row[b], row[0]) for row in rows if row[a] > row[b]), reverse=True)
        print(f"fit loses to {word} on {len(lost)} of {len(rows)}: " + (", ".join(f"{name} by {points(gap)}" for gap, name in lost) or "none"))
    short = [words for kept, words in ((mean[0] <= mean[1] + 0.01, "more than one point behind scikit-learn on the mean"),
                                       (mean[2] < mean[3], "not ahead of a forest of 2 KB on the mean"),
                                       (mean[2] < mean[4], "not ahead of a net of 2 KB on the mean")) if not kept]
    for words in short:
        print(f"SHORT  {words}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
