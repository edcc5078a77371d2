"""table_compact.py -- error against bytes: `gen --method compact` beside int8 nets, forests and boosted trees.

    /usr/bin/python3 tests/bench/table_compact.py DATADIR [--seeds 3] [--bytes 512,1024,...] [--minutes M] [--quick] [NAME]...

Each set is divided for training and test, letter and USPS as everybody divides them, all others seven tenths to three by a
seed; the figures are means over the seeds, ten instead of three where test rows are so few that one of them counts a point.
Every side gets so many bytes of tables: a net of one hidden layer one byte a weight and four a bias, and its weights are
rounded to int8 before it is tested; a node of a tree five bytes; our models what the header says in q7. Settings are chosen
on training rows only, by cross-validation: of compact `gen train --flash` chooses all by itself, units, scaling, their
number, projections and features included, on rows that it holds out (gen/shapes.py); of svm C and gamma, of tvq and lvq
nothing, of nets alpha and the rate of learning and of boosted trees the leaves of a tree, both at 2 KB, of forests their
number. Nets learn for 200 to 1000 passes, more where rows are few, as compact does. A cell without a model that fits is
empty. Of our methods at 4 KB there are the instructions of an answer on M0 and M4F too, where compilers and QEMU are
installed. Losses are shown.
All cells take hours. Each is kept in tests/bench/compact.json when it is done, with the version that it was made from: of
ours a hash of what the method answers when it has learned a small set (compact: one of three, as its
number of rows decides how it chooses its settings), of others that of scikit-learn. A run measures what
is missing or made from another version, the cells that tell most first, until all is there or M minutes are over; then it
writes tests/bench/COMPACT.md and the table of the README. --quick is one seed at 1, 4 and 16 KB of the small sets.
Exit code 1 if compact is behind the best of net, forest and boosted trees in more than one of five cells, or by more than
one point in any, or misses a mark: letter 96 % in 12 KB and 93.5 % in 4 KB, USPS 95 % in 12 KB, digits8x8 96.5 % in 2.7 KB;
or if compact in q7 makes on a set, in the mean of its cells, 0.3 points more errors than in floats.
"""
import argparse
import atexit
import functools
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
import sklearn  # noqa: E402
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.model_selection import cross_val_score, train_test_split  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OFFICIAL = {"letter": 16000, "usps": 7291}
SETS = ("letter", "usps", "digits8x8", "image", "arduino_gestures_feat", "wdbc", "magic_gamma", "rings", "mixture")
CHEAP = ("wdbc", "arduino_gestures_feat", "rings", "mixture", "digits8x8", "image")
ORDER = (*CHEAP, "usps", "letter", "magic_gamma")  # in which sets are measured
TINY = ("wdbc", "arduino_gestures_feat")  # 171 and 80 test rows, less than 1000 training rows
LARGE = ("letter", "magic_gamma")  # 8000 training rows and more
BYTES = (512, 1024, 2048, 4096, 8192, 16384)
TELLING = (1024, 4096, 512, 2048, 16384, 8192)  # in which budgets are
MARKS = (("letter", 12288, 0.04), ("letter", 4096, 0.065), ("usps", 12288, 0.05), ("digits8x8", 2764, 0.035))
MIDDLE = 2048  # bytes at which options are chosen that serve all budgets
WORSE = 0.003  # by which q7 may be behind floats on a set
TIE = 1e-9   # errors that differ by less are equal
MOST = 4000  # rows that settings are chosen on, and that boosted trees and reduced svm are trained on
QUICK = ("digits8x8", "arduino_gestures_feat", "wdbc", "rings", "mixture")
KEPT, PAGE, README = (os.path.join(ROOT, name) for name in ("tests/bench/compact.json", "tests/bench/COMPACT.md", "README.md"))
PRINTS = {"compact": [f"--method compact --vectors 12 {more}" for more in ("", "--iterations 40 --kernel rbf", "--iterations 40 --rank 2",
                                                                           "--iterations 40 --features 4")],  # see version()
          "rbf": ["--method svm --kernel rbf --C 10 --scheme one-rest"], "tvq": ["--method tvq --models 2 --tangents 2"],
          "lvq": ["--method lvq --models 4"], "linear": ["--method svm --kernel linear --C 1 --scheme one-rest"]}
COMMITTEE = "--method compact --vectors 32 --iterations 10"  # which small sets do without
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
        self.d, self.k = x.shape[1], len(set(y))
        self.files = put(f"train{seed}.csv", x, y), put(f"test{seed}.csv", self.other, self.truth)
        self.few = put(f"few{seed}.csv", *some(x, y))
        self.model = os.path.join(FOLDER, "m.mgn")
        self.settings, self.in_floats, self.shape = {}, None, None

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
        self.in_floats, self.shape = errors and errors[1], " ".join(map(str, options))
        return errors and errors[0]

    def compact(self, most):
        """As a user would do it: one command, which chooses by itself what to do with the bytes."""
        words = ("train", self.files[0], "--method", "compact", "--seed", self.seed, "--flash", most, "--format", "q7", "--force")
        found = gen(*words, "-o", os.path.join(FOLDER, "m.h"), "--name", "m", "--save", self.model)
        self.shape = found and " ".join(f"--{name} {value}" for name, value in found["options"].items())
        if found is None:
            return None
        errors = [gen("predict", self.model, self.files[1], *more)["error"] for more in (("--format", "q7", "--scale-data", self.files[0]), ())]
        self.in_floats = errors[1]
        return errors[0]

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
        return self.first(most // (self.k * (self.d + 8)), lambda rows: self.run(
            most, "tvq", "--models", max(1, rows // 6), "--tangents", min(rows // max(1, rows // 6) - 1, self.d - 1, 12), "--iterations", 200))

    def lvq(self, most):
        models = min(most // (self.k * (self.d + self.d % 2 + 6)), len(self.truth) // self.k)
        return self.first(models, lambda models: self.run(most, "lvq", "--models", models))

    @staticmethod
    def first(count, run):
        """The error of the largest model that fits: vectors are stored in fours, so that one or two less may be needed."""
        return next((error for error in map(run, range(count, max(0, count - 3), -1)) if error is not None), None)


# ---- others ----

def scaled(x, other):
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation == 0] = 1
    return (x - mean) / deviation, (other - mean) / deviation


def best_of(makers, x, y):
    """The maker with the least cross-validated error on some rows."""
    few = some(x, y, 2000)
    return max(makers, key=lambda make: cross_val_score(make(), *few, cv=3).mean()) if len(makers) > 1 else makers[0]


def by_folds(values, maker, x, y):
    """The option with the least cross-validated error."""
    return max(values, key=lambda value: cross_val_score(maker(value), *some(x, y, 2000), cv=3).mean())


def net(split, most, seed, setting):
    """One hidden layer with as many units as fit, in int8."""
    x, other, y, truth = split
    x, other = scaled(x, other)
    d, outs = x.shape[1], 1 if len(set(y)) == 2 else len(set(y))

    def units(budget):
        return (budget - 4 * outs) // (d + outs + 4)

    def maker(options, hidden=max(1, units(MIDDLE))):
        return MLPClassifier((hidden,), alpha=options[0], learning_rate_init=options[1], random_state=seed,
                             max_iter=min(1000, max(200, 2000000 // len(y))))
    if units(most) < 1:
        return None
    options = setting(lambda: by_folds([(alpha, rate) for alpha in (1e-4, 1e-2, 1) for rate in (1e-3, 1e-2)], maker, x, y))
    fitted = maker(options, units(most)).fit(x, y)
    for weights in fitted.coefs_:
        step = np.abs(weights).max() / 127
        weights[:] = np.round(weights / step) * step
    return 1 - fitted.score(other, truth)


def forest(split, most, seed, _):
    x, other, y, truth = split
    makers = [lambda t=t: RandomForestClassifier(t, max_leaf_nodes=max(2, most // 5 // t // 2), random_state=seed)
              for t in (1, 3, 10, 30) if most // 5 // t >= 5]
    return 1 - best_of(makers, x, y)().fit(x, y).score(other, truth)


def boosted(split, most, seed, setting):
    x, other, y, truth = split
    outs = 1 if len(set(y)) == 2 else len(set(y))

    def rounds(budget, leaves):
        return min(budget // 5 // (2 * leaves - 1) // outs, 300)

    def maker(leaves, budget=MIDDLE):
        n = max(1, rounds(budget, leaves))
        return GradientBoostingClassifier(n_estimators=n, max_leaf_nodes=leaves, max_depth=None, learning_rate=0.3 if n < 30 else 0.1,
                                          random_state=seed)
    leaves = setting(lambda: by_folds((2, 4, 8), maker, x, y))
    while leaves > 2 and rounds(most, leaves) < 1:
        leaves //= 2
    return None if rounds(most, leaves) < 1 else 1 - maker(leaves, most).fit(*some(x, y)).score(other, truth)


# ---- the table ----

OURS, OTHERS = ("compact", "rbf", "tvq", "lvq", "linear"), {"net": net, "forest": forest, "boosted": boosted}


def version(method, name):
    """What a cell of a method and a set is made from: of ours a hash of what it answers in q7 when it has learned a small set. compact
    chooses its settings in three ways, for less than 1000 rows, for 8000 and more and between: there the set is of the same kind."""
    if method in OTHERS:
        return f"scikit-learn {sklearn.__version__}" + (", two rates" if method == "net" else "")
    return fingerprint(method, 300 if method != "compact" or name in TINY else 8200 if name in LARGE else 1200)


@functools.cache
def fingerprint(method, rows):
    x, y = (np.concatenate([part] * 3)[:rows] for part in generated("rings", 0))
    data, saved, small = put("version.csv", x, y), os.path.join(FOLDER, "version.mgn"), os.path.join(FOLDER, "version_q7.mgn")
    answers = []
    for options in PRINTS[method] + ([COMMITTEE] if method == "compact" and rows >= 1000 else []):
        gen("train", data, *options.split(), "--seed", 1, "--save", saved)
        gen("export", saved, "--format", "q7", "--flash", 1000, "--force", "--data", data, "-o", os.path.join(FOLDER, "version.h"),
            "--save", small)
        found = gen("predict", small, data, "--format", "q7", "--scale-data", data)
        answers += found["labels"] + found["scores"]
    return hashlib.sha256(json.dumps(answers).encode("ascii")).hexdigest()[:8]


class Kept:
    """Finished cells, in a file: "set seed method bytes" has the error, the version it was made from, and of ours the error in
    floats, the options and, of the first seed at 4 KB, instructions."""

    def __init__(self):
        self.cells, self.at = {}, None
        if os.path.exists(KEPT):
            with open(KEPT, encoding="ascii") as file:
                self.cells = json.load(file)

    def put(self, key, *values):
        self.cells[key] = values
        with open(KEPT + ".new", "w", encoding="ascii") as file:
            file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(self.cells.items())) + "\n}\n")
        os.replace(KEPT + ".new", KEPT)

    def current(self, key):
        return key in self.cells and self.cells[key][1] == version(key.split()[2], key.split()[0])

    def measure(self, folder, name, seed, method, most):
        """Whether there was something to measure."""
        key, made = f"{name} {seed} {method} {most}", version(method, name)
        if self.current(key):
            return False
        if self.at is None or self.at[0] != (name, seed):
            split = divided(folder, name, seed)
            self.at = (name, seed), split, Ours(split, seed)
        _, split, ours = self.at

        def setting(find):
            return self.setting(f"{name} {seed} {method} setting", made, find)
        if method in OTHERS:
            self.put(key, OTHERS[method](split, most, seed, setting), made)
        else:
            error = getattr(ours, method)(most)
            counted = instructions() if most == 4096 and seed == 1 and error is not None else ()
            self.put(key, error, made, *((ours.in_floats, ours.shape) if error is not None else ()), *counted)
        return True

    def setting(self, key, made, find):
        """An option that serves all budgets, found once for a set and a seed."""
        if not self.current(key):
            self.put(key, find(), made)
        return self.cells[key][0]

    def of(self, name, method, most):
        """The cells by seed: those of this version, or, if there are none, of earlier ones."""
        found = {seed: f"{name} {seed} {method} {most}" for seed in range(1, 100)}
        found = {seed: key for seed, key in found.items() if key in self.cells}
        now = {seed: key for seed, key in found.items() if self.current(key)}
        return {seed: self.cells[key] for seed, key in (now or found).items()}

    def mean(self, name, method, most):
        """The mean error over the seeds that were run, None where no model fits, and how many they are."""
        errors = [cell[0] for cell in self.of(name, method, most).values()]
        return (None if not errors or None in errors else sum(errors) / len(errors)), len(errors)

    def word(self, name, method, most):
        """The cell of a table."""
        error, seeds = self.mean(name, method, most)
        old = any(cell[1] != version(method, name) for cell in self.of(name, method, most).values())
        return "not run" if not seeds else "-" if error is None else \
            f"{100 * error:.2f}" + ("*" if old else "") + (f" ({seeds})" if seeds < 3 else "")

    def behind(self, name, most):
        """By how much compact is behind the best of the others, on the seeds that all of them have, and how many these are; all rows
        count as wrong where no model of compact fits. None if there are no such seeds, or nothing fits."""
        found = {method: self.of(name, method, most) for method in ("compact", *OTHERS)}
        seeds = set.intersection(*(set(cells) for cells in found.values()))
        errors = {method: [cells[seed][0] for seed in seeds] for method, cells in found.items()}
        means = {method: sum(of) / len(of) for method, of in errors.items() if of and None not in of}
        rivals = [means[method] for method in OTHERS if method in means]
        return (means.get("compact", 1) - min(rivals), len(seeds)) if rivals else None


def instructions():
    """Of an answer of the header that was exported last, on M0 and M4F; nothing where the tools are missing."""
    sys.path[:0] = [os.path.join(ROOT, "ports"), os.path.join(ROOT, "tests/bench")]
    if not all(map(shutil.which, ("arm-none-eabi-gcc", "qemu-system-arm"))) or not os.path.exists("/usr/include/simavr/sim_avr.h"):
        return ()
    import table_gen
    import table_proto
    import targets
    targets.build_counters()
    table_gen.FOLDER = FOLDER
    return [round(table_proto.measure("m.h", "-O2", name=chip)[2]) for chip in ("cortex-m0", "cortex-m4f")]


# ---- what they say ----

def rounding(kept, name):
    """By how much q7 is behind floats in the mean of all cells of a set, and in the worst one; None if there are none."""
    apart = [cell[0] - cell[2] for most in (*BYTES, *(most for _, most, _ in MARKS))
             for cell in kept.of(name, "compact", most).values() if cell[0] is not None]
    return (sum(apart) / len(apart), max(apart)) if apart else None


def verdict(kept):
    """How compact stands in the cells that all sides have: how many these are, how many with three seeds, in how many it is not
    behind, and the worst."""
    found = [b for b in (kept.behind(name, most) for name in SETS for most in BYTES) if b is not None]
    return len(found), sum(seeds >= 3 for _, seeds in found), sum(apart <= TIE for apart, _ in found), max([0, *(a for a, _ in found)])


def sentence(kept):
    count, three, ahead, worst = verdict(kept)
    old = sum(any(cell[1] != version("compact", name) for cell in kept.of(name, "compact", most).values())
              for name in SETS for most in BYTES if kept.behind(name, most) is not None)
    return (f"compact is at least as good as the best of net, forest and boosted trees in {ahead} of {count} cells that all of "
            f"them have on the same seeds ({three} of these on three or more; {old} are of an earlier version of compact), at worst "
            f"{100 * worst:.2f} points behind.")


def marks(kept):
    """A line for each mark of compact, and whether it is kept; None where it was not run."""
    for name, most, limit in MARKS:
        error, _ = kept.mean(name, "compact", most)
        good = None if error is None else error <= limit
        word = "not run" if good is None else f"{kept.word(name, 'compact', most)}, {'kept' if good else 'MISSED'}"
        yield f"{name} in {most} bytes, at most {100 * limit:g} %: {word}", good
    for name in SETS:
        found = rounding(kept, name)
        good = None if found is None else found[0] <= WORSE
        word = "not run" if good is None else f"{100 * found[0]:+.2f} points in the mean of all cells, {100 * found[1]:+.2f} in the " \
                                              f"worst, {'kept' if good else 'MISSED'}"
        yield f"{name} in q7 beside floats, at most {100 * WORSE:g} points: {word}", good


def line(kept, name, most, methods):
    behind = kept.behind(name, most)
    words = {method: kept.word(name, method, most) for method in methods}
    words["compact"] = f"**{words['compact']}**" if behind and behind[0] > TIE else words["compact"]
    return " | ".join(words[method] for method in methods)


def page(kept):
    """All cells that were run, as Markdown."""
    methods = (*OURS, *OTHERS)
    compact = (version("compact", name) for name in (TINY[0], "image", LARGE[0]))
    versions = ", ".join(["compact " + " / ".join(compact), *(f"{method} {version(method, '')}" for method in (*OURS[1:], "net"))])
    lines = ["# Error against bytes", "",
             "Written by `make bench-compact` (table_compact.py tells how) from the cells of compact.json: test error in % within so many "
             "bytes of tables, our models in q7. A number in brackets counts the seeds where there are fewer than three; `-`: no model "
             "fits; `not run`: nobody has waited for it yet; `*`: made by an earlier version of the method. **Bold**: compact is behind "
             f"the best of net, forest and boosted trees on the seeds that all have. Versions: {versions}, forest and boosted as net.",
             "", sentence(kept), "", *(f"- {word}" for word, _ in marks(kept))]
    for name in SETS:
        lines += ["", f"## {name}", "", "| bytes | " + " | ".join(methods) + " |", "|" + "---|" * (1 + len(methods)),
                  *(f"| {most} | {line(kept, name, most, methods)} |" for most in BYTES)]
        counted = {method: cell[4:6] for method in OURS for cell in kept.of(name, method, 4096).values() if len(cell) > 4}
        if counted:
            lines += ["", "Instructions of an answer at 4 KB, on M0 and on M4F: " +
                      "; ".join(f"{method} {m0}, {m4f}" for method, (m0, m4f) in counted.items()) + "."]
    return "\n".join(lines) + "\n"


def block(kept):
    """The part of the README between its marks."""
    words, methods = sentence(kept), ("compact", *OTHERS)
    words = f"{words[0].upper()}{words[1:]} A number in brackets counts the seeds where there are fewer than three; `*`: made by an " \
            "earlier version; **bold**: compact is behind on the seeds that all have."
    return "\n".join([textwrap.fill(words, 125), "",
                      "| test error in %, q7 | bytes | compact | int8 net | forest | boosted trees |", "|---|---|---|---|---|---|",
                      *(f"| {name} | {most} | {line(kept, name, most, methods)} |" for name in SETS for most in (1024, 4096, 16384)
                        if kept.behind(name, most))])


def write(kept):
    with open(PAGE, "w", encoding="ascii") as file:
        file.write(page(kept))
    with open(README, encoding="utf-8") as file:
        before, rest = file.read().split("<!-- compact -->\n", 1)
    with open(README, "w", encoding="utf-8") as file:
        file.write(f"{before}<!-- compact -->\n{block(kept)}\n<!-- /compact -->{rest.split('<!-- /compact -->', 1)[1]}")


# ---- the run ----

def jobs(names, seeds, budgets, methods):
    """Cells in the order in which they are worth waiting for: name, seed, method, bytes."""
    def divisions(name, part):
        return range(2, 11) if part is more and seeds >= 3 and name in TINY else part
    names = [name for name in ORDER if name in names]
    budgets = sorted(budgets, key=lambda most: TELLING.index(most) if most in TELLING else len(TELLING))
    first, rest = ([m for m in group if m in methods] for group in (("compact", *OTHERS), ("lvq", "linear", "tvq", "rbf")))
    cheap, more = [name for name in names if name in CHEAP], range(2, seeds + 1)
    marked = [(name, most) for name, most, _ in MARKS if name in names and "compact" in first]
    for part in ((first, (1,), names, budgets[:2]), (first, (1,), cheap, budgets[2:]), (first, more, cheap, budgets),
                 (first, (1,), names, budgets[2:]), (rest, (1,), names, budgets), (first + rest, more, names, budgets)):
        for name, seed in ((name, seed) for name in part[2] for seed in divisions(name, part[1])):
            yield from ((name, seed, method, most) for most in part[3] for method in part[0])
            yield from ((name, seed, "compact", most) for of, most in marked if of == name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--bytes", default=",".join(map(str, BYTES)))
    parser.add_argument("--methods", default=",".join((*OURS, *OTHERS)))
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    if args.quick:
        args.names, args.seeds, args.bytes = QUICK, 1, "1024,4096,16384"
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
    kept, end = Kept(), time.monotonic() + 60 * args.minutes
    there = [name for name in args.names if name in ("rings", "mixture") or load(args.folder, name) is not None]
    for name in (name for name in args.names if name not in there):
        print(f"{name}: not in {args.folder}, left out")
    for job in jobs(there, args.seeds, tuple(map(int, args.bytes.split(","))), args.methods.split(",")):
        if time.monotonic() >= end:
            break
        started = time.monotonic()
        if kept.measure(args.folder, *job):
            print(*job, kept.cells["{} {} {} {}".format(*job)], f"{time.monotonic() - started:.1f} s", flush=True)
    write(kept)
    for word, _ in marks(kept):
        print(word)
    print(sentence(kept))
    count, _, ahead, worst = verdict(kept)
    sys.exit(1 if 5 * ahead < 4 * count or worst > 0.01 or any(good is False for _, good in marks(kept)) else 0)


if __name__ == "__main__":
    main()
