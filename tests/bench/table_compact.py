"""table_compact.py -- error against bytes: `gen --method compact` beside int8 nets, forests and boosted trees.

    /usr/bin/python3 tests/bench/table_compact.py DATADIR [--seeds 3] [--bytes 512,1024,...] [--quick] [--cycles] [NAME]...
    /usr/bin/python3 tests/bench/table_compact.py DATADIR --write tests/bench/COMPACT.md

Each set is divided for training and test, letter and USPS as everybody divides them, all others seven tenths to three by a
seed; the figures are means over the seeds. Every side gets so many bytes of tables: a net of one hidden layer one byte a weight
and four a bias, and its weights are rounded to int8 before it is tested; a node of a tree five bytes; our models what the
header says in q7. Settings are chosen on training rows only, by cross-validation or, of compact, by the error on training rows
that its training holds out: of compact units and scaling, once for a set, and from 48 features on at each budget whether there
is a projection (decay and noise it finds by itself), of svm C and gamma, of tvq its tangents, of lvq nothing, of nets alpha and
of boosted trees the leaves of a tree, both at 2 KB, of forests their number. A cell without a model that fits is empty. With
--cycles instructions of an answer at 4 KB on M0 and M4F. Losses are shown.
All cells take many hours. Each is kept in build/bench-compact.json when it is done, so that a run goes on where the last one
ended; --quick is one seed at 1, 4 and 16 KB of the small sets, and --write makes a page of the cells that there are.
Exit code 1 if compact is behind the best of net, forest and boosted trees in more than one of five cells, or by more than
one point in any, or misses a mark: letter 96 % in 12 KB and 93.5 % in 4 KB, USPS 95 % in 12 KB, digits8x8 96.5 % in 2.7 KB;
or if compact in q7 makes on a set, in the mean of its cells, 0.3 points more errors than in floats.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.model_selection import cross_val_score, train_test_split  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OFFICIAL = {"letter": 16000, "usps": 7291}
SETS = ("letter", "usps", "digits8x8", "image", "arduino_gestures_feat", "wdbc", "magic_gamma", "rings", "mixture")
BYTES = (512, 1024, 2048, 4096, 8192, 16384)
MARKS = (("letter", 12288, 0.04), ("letter", 4096, 0.065), ("usps", 12288, 0.05), ("digits8x8", 2764, 0.035))
MIDDLE = 2048  # bytes at which options are chosen that serve all budgets
WORSE = 0.003  # by which q7 may be behind floats on a set
TIE = 1e-9   # errors that differ by less are equal
MOST = 4000  # rows that settings are chosen on, and that boosted trees and reduced svm are trained on
QUICK = ("digits8x8", "arduino_gestures_feat", "wdbc", "rings", "mixture")
KEPT = os.path.join(ROOT, "build/bench-compact.json")
FOLDER = tempfile.mkdtemp(prefix="table-compact-")


# ---- data ----

def generated(name, seed):
    """rings: five classes, each between two circles, in a plane of eight dimensions; mixture: four classes of six clouds."""
    rng = np.random.default_rng(seed + 100)
    n = 4000
    y = np.arange(n) % (5 if name == "rings" else 4)
    if name == "rings":
        angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + y + rng.normal(0, 0.28, n)
        plane = np.linalg.qr(np.random.default_rng(7).normal(size=(8, 2)))[0]
        x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1) @ plane.T + rng.normal(0, 0.15, (n, 8))
    else:
        centres = np.random.default_rng(8).normal(0, 1.6, (4, 6, 12))
        x = centres[y, rng.integers(0, 6, n)] + rng.normal(0, 1, (n, 12))
    return x, np.array([f"c{c}" for c in y])


def load(folder, name):
    for path, opened in ((f"{name}.csv", open), (f"{name}.csv.gz", gzip.open)):
        path = os.path.join(folder, path)
        if os.path.exists(path):
            with opened(path, "rt") as file:
                rows = [line.strip().split(",") for line in file if line.strip()]
            if not rows[0][0].replace(".", "").replace("-", "").isdigit():
                rows = rows[1:]
            return np.array([[float(v) for v in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])
    return None


def divided(folder, name, seed):
    """Training and test rows; None where the set is missing."""
    found = generated(name, seed) if name in ("rings", "mixture") else load(folder, name)
    if found is None:
        return None
    x, y = found
    if name in OFFICIAL:
        return x[:OFFICIAL[name]], x[OFFICIAL[name]:], y[:OFFICIAL[name]], y[OFFICIAL[name]:]
    return train_test_split(x, y, train_size=0.7, random_state=seed, stratify=y)


def some(x, y, most=MOST):
    return (x, y) if len(y) <= most else train_test_split(x, y, train_size=most, random_state=1, stratify=y)[::2]


def put(name, x, y):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(",".join([*(f"{v:.9g}" for v in row), label]) + "\n" for row, label in zip(x, y))
    return path


# ---- ours ----

def gen(*words):
    """The JSON of a run; None if it refused."""
    run = subprocess.run([sys.executable, "-m", "gen", *map(str, words), "--json", "-"], cwd=ROOT, capture_output=True, text=True)
    if run.returncode == 1:
        return None
    if run.returncode:
        raise SystemExit(f"gen {' '.join(map(str, words))}: {run.stderr}")
    return json.loads(run.stdout)


def tested(model, files, most):
    """Errors of a saved model in q7 and in floats; None if it does not fit."""
    header, small = os.path.join(FOLDER, "m.h"), os.path.join(FOLDER, "small.mgn")
    found = gen("export", model, "--format", "q7", "--flash", most, "--force", "--data", files[0], "-o", header, "--name", "m",
                "--save", small)
    if found is None:
        return None
    return [gen("predict", small, files[1], *words)["error"] for words in (("--format", "q7", "--scale-data", files[0]), ())]


class Ours:
    """Our methods on one division of one set."""

    def __init__(self, split, seed):
        self.seed, (x, self.other, y, self.truth) = seed, split
        self.d, self.k, self.rows = x.shape[1], len(set(y)), len(y)
        self.whole = bool((x == np.round(x)).all() and abs(x).max() < 32768)
        self.files = put(f"train{seed}.csv", x, y), put(f"test{seed}.csv", self.other, self.truth)
        self.few = put(f"few{seed}.csv", *some(x, y))
        self.model = os.path.join(FOLDER, "m.mgn")
        self.settings = {}

    def tuned(self, key, method, *grids):
        """The options with the least cross-validated error, found once."""
        if key not in self.settings:
            found = gen("tune", self.few, "--method", method, *(w for grid in grids for w in ("--grid", grid)), "--folds", 3)
            self.settings[key] = [w for name, value in found["best"].items()
                                  for w in ((f"--{name}",) if value is True else (f"--{name}", value)) if value is not False]
        return self.settings[key]

    def run(self, most, method, *options):
        if gen("train", self.files[0], "--method", method, "--seed", self.seed, *options, "--save", self.model) is None:
            return None
        errors = tested(self.model, self.files, most)
        self.in_floats = errors and errors[1]
        return errors and errors[0]

    def least(self, shapes):
        """The options with the least error on the rows that their training holds out; None if there are none."""
        def held(shape):
            return gen("train", self.few, "--method", "compact", "--seed", self.seed, *shape, "--save", self.model).get("error_held", 1)
        shapes = [shape for shape in shapes if shape]
        return min(shapes, key=held) if len(shapes) > 1 else shapes[0] if shapes else None

    def compact(self, most):
        wide = self.d >= 48
        if "compact" not in self.settings:
            kinds = (("hinge", "standard"), ("hinge", "none"), *(() if wide else (("rbf", "standard"),)))
            by_shape = {self.shape(4 * MIDDLE if wide else MIDDLE, 12 if wide else 0, *kind): kind for kind in kinds}
            self.settings["compact"] = by_shape[self.least(by_shape)]
        shape = self.least([self.shape(most, rank, *self.settings["compact"]) for rank in ((0, 4, 12) if wide else (0,))])
        return self.run(most, "compact", *shape) if shape else None

    def shape(self, most, rank, kernel, scale):
        """Options of as many vectors as fit, with or without a projection; None if none does."""
        width, wide = 1 if self.k == 2 else self.k, rank or self.d
        fixed = 6 * width + rank * (self.d + 6) + (7 * self.d if self.whole and scale != "none" else 0)
        vectors = min((most - fixed) // (wide + wide % 2 + 2 + width) // 4 * 4, self.rows, 1024)
        return None if vectors < 4 else ("--vectors", vectors, "--scale", scale, "--kernel", kernel,
                                         *(("--rank", rank) if rank else ()))

    def linear(self, most):
        return self.run(most, "svm", *self.tuned("linear", "svm", "kernel=linear", "C=0.1,1,10"), "--scheme", "one-rest")

    def rbf(self, most):
        best = self.tuned("rbf", "svm", "kernel=rbf", "C=1,10,100",
                          "gamma=" + ",".join(f"{g / self.d:.4g}" for g in (0.25, 1, 4)))
        kept, self.files = self.files, (self.few, self.files[1])
        try:
            return self.run(most, "svm", *best, *(() if self.k == 2 else ("--scheme", "one-rest")))
        finally:
            self.files = kept

    def tvq(self, most):
        rows = most // (self.k * (self.d + 8))
        if rows < 1:
            return None
        models, tangents = max(1, rows // 6), min(rows // max(1, rows // 6) - 1, self.d - 1, 12)
        return self.run(most, "tvq", "--models", models, "--tangents", tangents, "--iterations", 200)

    def lvq(self, most):
        models = min(most // (self.k * (self.d + self.d % 2 + 6)), len(self.truth) // self.k)
        return self.run(most, "lvq", "--models", models) if models >= 1 else None


# ---- others ----

def scaled(x, other):
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation == 0] = 1
    return (x - mean) / deviation, (other - mean) / deviation


def best_of(makers, x, y):
    """The maker with the least cross-validated error on some rows."""
    few = some(x, y, 2000)
    return max(makers, key=lambda make: cross_val_score(make(), *few, cv=3).mean()) if len(makers) > 1 else makers[0]


CHOSEN = {}       # alpha of nets and leaves of boosted trees, by method, set and seed


def chosen(key, values, maker, x, y):
    """The option with the least cross-validated error of models in the middle of the budgets, found once for a set and a seed."""
    if key not in CHOSEN:
        CHOSEN[key] = max(values, key=lambda value: cross_val_score(maker(value), *some(x, y, 2000), cv=3).mean())
    return CHOSEN[key]


def net(split, most, seed):
    """One hidden layer with as many units as fit, in int8."""
    x, other, y, truth = split
    x, other = scaled(x, other)
    d, outs = x.shape[1], 1 if len(set(y)) == 2 else len(set(y))

    def units(budget):
        return (budget - 4 * outs) // (d + outs + 4)

    def maker(alpha, hidden=max(1, units(MIDDLE))):
        return MLPClassifier((hidden,), alpha=alpha, max_iter=200, random_state=seed)
    if units(most) < 1:
        return None
    fitted = maker(chosen(("net", x.shape, x[0].tobytes()), (1e-4, 1e-2, 1), maker, x, y), units(most)).fit(x, y)
    for weights in fitted.coefs_:
        step = np.abs(weights).max() / 127
        weights[:] = np.round(weights / step) * step
    return 1 - fitted.score(other, truth)


def forest(split, most, seed):
    x, other, y, truth = split
    makers = [lambda t=t: RandomForestClassifier(t, max_leaf_nodes=max(2, most // 5 // t // 2), random_state=seed)
              for t in (1, 3, 10, 30) if most // 5 // t >= 5]
    return 1 - best_of(makers, x, y)().fit(x, y).score(other, truth)


def boosted(split, most, seed):
    x, other, y, truth = split
    outs = 1 if len(set(y)) == 2 else len(set(y))

    def rounds(budget, leaves):
        return min(budget // 5 // (2 * leaves - 1) // outs, 300)

    def maker(leaves, budget=MIDDLE):
        n = max(1, rounds(budget, leaves))
        return GradientBoostingClassifier(n_estimators=n, max_leaf_nodes=leaves, max_depth=None, learning_rate=0.3 if n < 30 else 0.1,
                                          random_state=seed)
    leaves = chosen(("boosted", x.shape, x[0].tobytes()), (2, 4, 8), maker, x, y)
    while leaves > 2 and rounds(most, leaves) < 1:
        leaves //= 2
    return None if rounds(most, leaves) < 1 else 1 - maker(leaves, most).fit(*some(x, y)).score(other, truth)


# ---- the table ----

OURS, OTHERS = ("compact", "rbf", "tvq", "lvq", "linear"), {"net": net, "forest": forest, "boosted": boosted}


class Kept:
    """Errors of finished cells, in a file; a cell is a set, a seed, a method and a number of bytes."""

    def __init__(self):
        self.cells, self.ours = {}, {}
        if os.path.exists(KEPT):
            with open(KEPT, encoding="ascii") as file:
                self.cells = json.load(file)

    def error(self, folder, name, seed, method, most):
        key = f"{name} {seed} {method} {most}"
        if key not in self.cells:
            if (name, seed) not in self.ours:
                split = divided(folder, name, seed)
                self.ours = {**{k: v for k, v in self.ours.items() if k[0] == name}, (name, seed): (split, Ours(split, seed))}
            split, ours = self.ours[name, seed]
            self.cells[key] = OTHERS[method](split, most, seed) if method in OTHERS else getattr(ours, method)(most)
            if method == "compact" and self.cells[key] is not None:
                self.cells[f"{name} {seed} floats {most}"] = ours.in_floats
            os.makedirs(os.path.dirname(KEPT), exist_ok=True)
            with open(KEPT + ".new", "w", encoding="ascii") as file:
                json.dump(self.cells, file, indent=0)
            os.replace(KEPT + ".new", KEPT)
        return self.cells[key]

    def mean(self, name, method, most):
        """The mean over the seeds that were run, and how many they are; None for an error where no model fits."""
        errors = [self.cells[key] for key in (f"{name} {seed} {method} {most}" for seed in range(1, 100)) if key in self.cells]
        return (None if not errors or None in errors else sum(errors) / len(errors)), len(errors)


def rounding(kept, name):
    """By how much q7 is behind floats in the mean of all cells of a set, and in the worst one; None if there are none."""
    apart = [error - kept.cells[key.replace(" compact ", " floats ")] for key, error in kept.cells.items()
             if key.startswith(f"{name} ") and " compact " in key and error is not None and key.replace(" compact ", " floats ") in kept.cells]
    return (sum(apart) / len(apart), max(apart)) if apart else None


def cells(kept, folder, name, most, seeds, methods):
    """Mean errors by method."""
    for seed in range(1, seeds + 1):
        for method in methods:
            kept.error(folder, name, seed, method, most)
    return {method: kept.mean(name, method, most)[0] for method in methods}


def page(kept):
    """All cells that were run, as Markdown."""
    methods = (*OURS, *OTHERS)
    lines = ["# Error against bytes", "", "Written by `make bench-compact` (table_compact.py tells how): test error in % within so "
             "many bytes of tables, our models in q7. A number in brackets counts the seeds where there are fewer than three; `-`: no "
             "model fits; `not run`: nobody has waited for it yet. **Bold**: compact is behind the best of net, forest and boosted "
             "trees."]
    ahead = count = 0
    worst = 0.0
    for name in SETS:
        lines += ["", f"## {name}", "", "| bytes | " + " | ".join(methods) + " |", "|" + "---|" * (1 + len(methods))]
        for most in BYTES:
            row = {method: kept.mean(name, method, most) for method in methods}
            rivals = [row[m][0] for m in OTHERS if row[m][0] is not None]
            behind = row["compact"][0] is not None and len(rivals) == len(OTHERS) and row["compact"][0] > min(rivals) + TIE
            if row["compact"][0] is not None and len(rivals) == len(OTHERS):
                count, ahead, worst = count + 1, ahead + (not behind), max(worst, row["compact"][0] - min(rivals))
            words = {m: "not run" if not n else "-" if e is None else f"{100 * e:.2f}" + (f" ({n})" if n < 3 else "")
                     for m, (e, n) in row.items()}
            words["compact"] = f"**{words['compact']}**" if behind else words["compact"]
            lines.append(f"| {most} | " + " | ".join(words[m] for m in methods) + " |")
        behind = rounding(kept, name)
        if behind:
            lines += ["", f"compact in q7 beside floats: {100 * behind[0]:+.2f} points in the mean of all cells, {100 * behind[1]:+.2f} in the worst."]
    lines += ["", f"compact is at least as good as the best of net, forest and boosted trees in {ahead} of {count} cells that all of "
              f"them have, at worst {100 * worst:.2f} points behind."]
    return "\n".join(lines) + "\n"


def cycles(folder, name):
    """Instructions of an answer of compact at 4 KB."""
    sys.path[:0] = [os.path.join(ROOT, "ports"), os.path.join(ROOT, "tests/bench")]
    import table_gen
    import table_proto
    ours = Ours(divided(folder, name, 1), 1)
    ours.compact(4096)
    table_gen.FOLDER = FOLDER
    return [round(table_proto.measure("m.h", "-O2", name=target)[2]) for target in ("cortex-m0", "cortex-m4f")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--bytes", default=",".join(map(str, BYTES)))
    parser.add_argument("--methods", default=",".join((*OURS, *OTHERS)))
    parser.add_argument("--cycles", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", metavar="FILE")
    args = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    kept = Kept()
    if args.write:
        with open(args.write, "w", encoding="ascii") as file:
            file.write(page(kept))
        return
    if args.quick:
        args.names, args.seeds, args.bytes = QUICK, 1, "1024,4096,16384"
    budgets, methods = tuple(map(int, args.bytes.split(","))), args.methods.split(",")
    ahead, count, worst, bad = 0, 0, 0.0, []
    there = [name for name in args.names if name in ("rings", "mixture") or load(args.folder, name) is not None]
    for name in (name for name in args.names if name not in there):
        print(f"{name}: not in {args.folder}, left out")
    for name in there:
        print(f"\n{name}: error in % within so many bytes", flush=True)
        print(f"  {'bytes':>8} " + " ".join(f"{method:>8}" for method in methods))
        for most in budgets:
            found = cells(kept, args.folder, name, most, args.seeds, methods)
            line = [found[method] for method in methods]
            print(f"  {most:8} " + " ".join(f"{'-':>8}" if e is None else f"{100 * e:8.2f}" for e in line), flush=True)
            rivals = [found[m] for m in OTHERS if m in methods and found[m] is not None]
            mine = found.get("compact")
            if mine is not None and rivals:
                count, ahead, worst = count + 1, ahead + (mine <= min(rivals) + TIE), max(worst, mine - min(rivals))
        if args.cycles:
            print("  instructions of compact at 4 KB on M0 and M4F: {} {}".format(*cycles(args.folder, name)), flush=True)
    for name, found in ((name, rounding(kept, name)) for name in there):
        if found:
            bad += [] if found[0] <= WORSE else [name]
            print(f"{'kept  ' if found[0] <= WORSE else 'MISSED'} {name} in q7 beside floats: {100 * found[0]:+.2f} points in the mean, "
                  f"{100 * found[1]:+.2f} in the worst cell")
    for name, most, error in MARKS:
        if name in there and "compact" in methods:
            found = cells(kept, args.folder, name, most, args.seeds, ("compact",))["compact"]
            bad += [] if found <= error else [name]
            print(f"{'kept  ' if found <= error else 'MISSED'} {name} in {most} bytes: {100 * found:.2f} %, at most {100 * error:g} %")
    if count:
        print(f"compact at least as good as the best of nets, forests and boosted trees in {ahead} of {count} cells, "
              f"at worst {100 * worst:.2f} points behind")
        bad += ["cells"] if 5 * ahead < 4 * count or worst > 0.01 else []
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
