"""table_fit.py -- `gen fit` beside what scikit-learn finds, on rows that neither has seen.

    /usr/bin/python3 tests/bench/table_fit.py DATADIR [--seconds N] [--anew fit|peers|all] [--write] [NAME]...

Each set is divided once, seven tenths for training; sets with many rows are thinned, for all programs alike. First without a
budget: beside GridSearchCV over SVC rbf, SVC linear, RandomForest(100) and KNN, of which the one counts that has the least
cross-validated error. Then within 2 KB of tables: beside a forest of at most 512 nodes (4 bytes each) and a net of one hidden
layer with one byte a weight, their sizes chosen by cross-validation; both are trained and tested in floats, which is in their
favour. Losses are shown.
So that a busy machine measures the same, a search tries all that it has planned for so many seconds (--finish); what it takes is
told in core seconds, which must not be more than two cores have in that time.
What is known is kept in tests/bench/fit.json with the version that it is about: a stopped run goes on, and --anew measures
again. tests/bench/FIT.md is written from that file after each set; --write does nothing else. Exit code 1 if the means are
short of the marks: at most one point behind the best of scikit-learn, ahead of forest and net at 2 KB.
"""
import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
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
SEED = 1
MARK = 0.01    # by which the mean error may be behind
PARTS = ("fit", "fit 2K", "large", "small")
KEPT, PAGE = (os.path.join(ROOT, "tests", "bench", name) for name in ("fit.json", "FIT.md"))
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
    """`gen fit` as a user runs it, to the end of its plan: what its JSON says, without the candidates, and its core seconds."""
    out, began = os.path.join(folder, "fit.json"), core_seconds()
    command = [sys.executable, "-m", "gen", "fit", os.path.join(folder, "train.csv"), "--test", os.path.join(folder, "test.csv"), "--time",
               f"{seconds:g}", "--finish", "--json", out, "-o", os.path.join(folder, "model.h"), "--quiet", *more]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ran.stderr}")
    with open(out, encoding="utf-8") as file:
        found = json.load(file)
    kept = ("method", "options", "format", "bytes", "error_mean", "error_se", "test_error", "majority_error", "linear_error")
    return {**{name: found[name] for name in kept}, "core_seconds": round(core_seconds() - began, 1), "version": version()}


def core_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def version():
    """The commit that is measured, with a + where the library or gen differ from it."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    changed = git("diff", "--quiet", "HEAD", "--", "margin.h", "margin_impl.h", "gen").returncode
    return (git("rev-parse", "--short", "HEAD").stdout.strip() or "unknown") + ("+" if changed else "")


# ---- what is known ----

def load_known():
    if os.path.exists(KEPT):
        with open(KEPT, encoding="utf-8") as file:
            return json.load(file)
    return {}


def keep(known):
    with open(KEPT + ".new", "w", encoding="utf-8") as file:
        json.dump(known, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(KEPT + ".new", KEPT)


def divided(folder, name):
    """Training and test rows; None where the set is missing."""
    found = load(folder, name)
    if found is None:
        return None
    x, test_x, y, test_y = train_test_split(*found, test_size=0.3, random_state=SEED, stratify=found[1])
    if len(y) > MOST_TRAIN:
        x, _, y, _ = train_test_split(x, y, train_size=MOST_TRAIN, random_state=SEED, stratify=y)
    return x, y, test_x[:MOST_TEST], test_y[:MOST_TEST]


def measure(args, known, name):
    """Measures what is not known of a set, and keeps each part when it is done."""
    rows = divided(args.data, name)
    if rows is None:
        return
    entry = known.setdefault(name, {})
    for part in (part for part in PARTS if args.anew == "all" or args.anew == "fit" and "fit" in part or args.anew == "peers" and "fit" not in part):
        entry.pop(part, None)
    x, y, test_x, test_y = rows
    entry.update(seed=SEED, rows=len(y), test=len(test_y), features=x.shape[1], classes=len(set(y)))
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "train.csv"), x, y)
        write(os.path.join(folder, "test.csv"), test_x, test_y)
        works = {"fit": lambda: fit(folder, args.seconds), "fit 2K": lambda: fit(folder, args.seconds, "--flash", str(FLASH)),
                 "large": lambda: large_peers(*rows), "small": lambda: small_peers(*rows)}
        for part in PARTS:
            if part not in entry:
                entry[part] = works[part]()
                keep(known)


# ---- the page ----

def points(rate):
    return f"{100 * rate:.1f}"


def words_of(found):
    kernel = found["options"].get("kernel", "")
    return f"{found['method']}{' ' + kernel if kernel else ''} {found['format']}"


HEAD = """# `gen fit` beside scikit-learn

Written by `make bench-fit` from tests/bench/fit.json (table_fit.py tells how): errors in % on rows that neither side has seen, `fit` with
--time {seconds:g}. "best" is the one of scikit-learn's four grid searches with the least cross-validated error. **Bold**: `fit` is more than
a point behind it or, at 2 KB, behind the better of forest and net. The clock has no say: each search tries all that is planned for two
cores and that time (--finish), however busy the machine is, and "core seconds" is what it took, without a budget and at 2 KB.
"version" is the commit that was measured.

| set | rows | classes | fit | best | rbf | linear | forest | knn | fit 2 KB | forest 2 KB | net 2 KB | fit's models | core seconds | version |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def bold(text, lost):
    return f"**{text}**" if lost else text


def line_of(name, entry):
    one, two, large, small = (entry[part] for part in PARTS)
    cells = [name, entry["rows"], entry["classes"], bold(points(one["test_error"]), one["test_error"] > large["best"] + MARK),
             *(points(large[peer]) for peer in ("best", "rbf", "linear", "forest", "knn")),
             bold(points(two["test_error"]), two["test_error"] > min(small.values())), points(small["forest"]), points(small["net"]),
             f"{words_of(one)}, {one['bytes']} bytes; {words_of(two)}, {two['bytes']} bytes",
             f"{one['core_seconds']:.0f}, {two['core_seconds']:.0f}", ", ".join(dict.fromkeys((one["version"], two["version"])))]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def judged(whole, seconds):
    """Means, losses and the marks that are missed, as lines."""
    columns = {"fit": ("fit", "test_error"), "best": ("large", "best"), "fit 2K": ("fit 2K", "test_error"), "forest": ("small", "forest"),
               "net": ("small", "net")}
    values = {word: {name: entry[part][key] for name, entry in whole.items()} for word, (part, key) in columns.items()}
    mean = {word: float(np.mean(list(found.values()))) for word, found in values.items()}
    lines = [f"Mean of {len(whole)} sets: fit {points(mean['fit'])}, best of scikit-learn {points(mean['best'])}; at 2 KB fit "
             f"{points(mean['fit 2K'])}, forest {points(mean['forest'])}, net {points(mean['net'])}."]
    for words, ours, theirs in (("the best of scikit-learn", "fit", "best"), ("a forest of 2 KB", "fit 2K", "forest"),
                                ("a net of 2 KB", "fit 2K", "net")):
        gaps = sorted(((values[ours][name] - values[theirs][name], name) for name in whole), reverse=True)
        lost = [f"{name} by {points(gap)}" for gap, name in gaps if gap > 1e-9]
        lines.append(f"fit loses to {words} on {len(lost)} of {len(whole)}: {', '.join(lost) or 'none'}.")
    versions = {}
    for name, entry in whole.items():
        for part in PARTS[:2]:
            versions.setdefault(entry[part]["version"], {})[name] = None
    if len(versions) > 1:
        told = "; ".join(f"{version}: {', '.join(names)}" for version, names in versions.items())
        lines.append(f"Not all searches are of one version of gen: {told}.")
    longest = max(entry[part]["core_seconds"] for entry in whole.values() for part in PARTS[:2])
    marks = ((mean["fit"] <= mean["best"] + MARK, "more than one point behind scikit-learn on the mean"),
             (mean["fit 2K"] < mean["forest"], "not ahead of a forest of 2 KB on the mean"),
             (mean["fit 2K"] < mean["net"], "not ahead of a net of 2 KB on the mean"),
             (longest <= 2 * seconds, f"a search took {longest:.0f} core seconds: more than two cores have in {seconds:g} s"))
    return lines, [words for kept, words in marks if not kept]


def put_page(known, seconds):
    """FIT.md; the marks that are missed."""
    whole = {name: known[name] for name in (*SETS, *(name for name in known if name not in SETS))
             if name in known and all(part in known[name] for part in PARTS)}
    if not whole:
        return ["no set has been measured"]
    lines, short = judged(whole, seconds)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(HEAD.format(seconds=seconds) + "".join(line_of(name, entry) for name, entry in whole.items()))
        file.write("\n" + "\n".join([*lines, *(f"SHORT: {words}." for words in short)]) + "\n")
    return short


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--anew", choices=("fit", "peers", "all"))
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore")
    known = load_known()
    short = put_page(known, args.seconds)
    for name in () if args.write else args.names or SETS:
        measure(args, known, name)
        short = put_page(known, args.seconds)
        if name in known:
            print(line_of(name, known[name]), end="", flush=True)
    with open(PAGE, encoding="utf-8") as file:
        print(file.read())
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
