"""table_defaults.py -- each method of gen as it is out of the box, beside the best of its own options.

    /usr/bin/python3 tests/bench/table_defaults.py DATADIR [--anew] [--write] [METHOD]...

Cross-validated errors (5 folds, the same for all) on sets of two classes and of many, some of them in raw units, thinned to at
most 400 rows: a method without any option but its kernel, and the best point of a grid, which counts the default itself among
its points. The best is chosen by the very errors that are shown, which is in its favour. What is known is kept in
tests/bench/defaults.json, so that a stopped run goes on; tests/bench/DEFAULTS.md is written from it. Exit code 1 if the default
of a method is behind its best by more than 4 points on the mean of the sets, or by more than 12 on any.
"""
import argparse
import json
import os
import random
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.dirname(os.path.abspath(__file__))]
from gen import cli, methods, options  # noqa: E402
from table_fit import load, version, write  # noqa: E402

SETS = ("wdbc", "heart_statlog", "sonar", "ionosphere", "parkinsons", "ripley", "thyroid", "arduino_gestures_feat", "digits8x8")
MOST = 400
MEAN, WORST = 0.04, 0.12  # by which a default may be behind
KEPT, PAGE = (os.path.join(ROOT, "tests", "bench", name) for name in ("defaults.json", "DEFAULTS.md"))
WIDTHS = (0.06, 0.25, 1, 4)  # gamma times the number of features
POLY = [("degree", (2, 3)), ("coef0", (0.0, 1.0))]
GRIDS = {  # name: method, what is always given, grid by the number of features
    "mam": ("mam", {}, lambda d: [("balanced", (False, True)), ("intercept", (False, True))]),
    "mam poly": ("mam", {"kernel": "poly"}, lambda d: POLY),
    "mam rbf": ("mam", {"kernel": "rbf"}, lambda d: [("gamma", tuple(w / d for w in WIDTHS))]),
    "kmomd": ("kmomd", {}, lambda d: [("lambda", (0.9, 0.3, 0.1, 0.03, 0.01))]),
    "kmomd poly": ("kmomd", {"kernel": "poly"}, lambda d: [*POLY, ("lambda", (0.3, 0.03))]),
    "kmomd rbf": ("kmomd", {"kernel": "rbf"}, lambda d: [("gamma", tuple(w / d for w in WIDTHS)), ("lambda", (0.3, 0.03))]),
    "svm": ("svm", {}, lambda d: [("C", (0.01, 0.1, 1.0, 10.0))]),
    "svm poly": ("svm", {"kernel": "poly"}, lambda d: [*POLY, ("C", (0.1, 1.0, 10.0))]),
    "svm rbf": ("svm", {"kernel": "rbf"}, lambda d: [("gamma", tuple(w / d for w in WIDTHS)), ("C", (1.0, 10.0, 100.0))]),
    "tvq": ("tvq", {}, lambda d: [("models", (1, 2, 4)), ("tangents", tuple(t for t in (0, 2, 5) if t < d))]),
    "hss": ("hss", {}, lambda d: [("models", (1, 2, 4)), ("tangents", tuple(t for t in (0, 2, 5) if t < d))]),
    "td": ("td", {}, lambda d: [("tangents", tuple(t for t in (1, 2, 5) if t < d))]),
    "lvq": ("lvq", {}, lambda d: [("models", (1, 4, 8, 16))]),
    "nn": ("nn", {}, lambda d: [("neighbours", (1, 3, 5, 9))]),
    "compact": ("compact", {}, lambda d: [("vectors", (16, 64)), ("kernel", ("hinge", "rbf"))]),
    "seco": ("seco", {}, lambda d: [("most-cuts", (1, 15)), ("kernel", ("linear", "rbf"))]),
    "seco rbf": ("seco", {"kernel": "rbf"}, lambda d: [("gamma", tuple(w / d for w in WIDTHS))]),
    "rates": ("rates", {}, lambda d: [("eta-pos", (0.9, 0.5, 0.3)), ("eta-neg", (0.9, 0.5, 0.3))]),
}


def words_of(chosen):
    found = []
    for name, value in chosen.items():
        if isinstance(value, bool):
            found += [f"--{name}"] if value else [f"--no-{name}"] if methods.OPTIONS[name].off else []
        else:
            found += [f"--{name}", str(value)]
    return found


def error(path, folder, method, chosen):
    """The cross-validated error; None where the method refuses."""
    out = os.path.join(folder, "cv.json")
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        kept, sys.stderr = sys.stderr, nothing
        try:
            code = cli.main(["cv", path, "--method", method, *words_of(chosen), "--json", out, "--quiet"])
        finally:
            sys.stderr = kept
    if code:
        return None
    with open(out, encoding="utf-8") as file:
        return json.load(file)["error_mean"]


def thinned(x, y):
    """At most so many rows, of each class in proportion."""
    order = list(range(len(y)))
    random.Random(1).shuffle(order)
    chosen = []
    for label in sorted(set(y)):
        rows = [i for i in order if y[i] == label]
        chosen += rows[:max(2, round(len(rows) * min(1, MOST / len(y))))]
    random.Random(2).shuffle(chosen)
    return x[chosen], y[chosen]


def measure(args, known, name, wanted):
    found = load(args.data, name)
    if found is None:
        return
    x, y = thinned(*found)
    entry = known.setdefault(name, {"rows": len(y), "features": x.shape[1], "classes": len(set(y)), "methods": {}})["methods"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.csv")
        write(path, x, y)
        for word in wanted:
            if word in entry and not args.anew:
                continue
            method, always, grid = GRIDS[word]
            errors = [(error(path, folder, method, {**always, **point}), repr(point)) for point in ({}, *options.points(grid(x.shape[1])))]
            if errors[0][0] is None:
                entry[word] = None  # two classes only
            else:
                best = min(one for one in errors if one[0] is not None)
                entry[word] = {"default": errors[0][0], "best": best[0], "point": best[1], "version": version()}
            with open(KEPT, "w", encoding="utf-8") as file:
                json.dump(known, file, indent=1, sort_keys=True)
                file.write("\n")


def put_page(known):
    """DEFAULTS.md; the marks that are missed."""
    sets = [name for name in SETS if name in known]
    lines = ["# Methods out of the box", "",
             "Written by `make bench-defaults` from tests/bench/defaults.json (table_defaults.py tells how): cross-validated error in % with "
             "default options, and in brackets of the best of a grid of options, which was chosen by these errors.", "",
             "| method | " + " | ".join(f"{name} ({known[name]['classes']})" for name in sets) + " | behind, mean | most |",
             "|---|" + "---|" * (len(sets) + 2)]
    short = []
    for word in GRIDS:
        found = {name: known[name]["methods"].get(word) for name in sets}
        gaps = {name: one["default"] - one["best"] for name, one in found.items() if one}
        if not gaps:
            continue
        mean, (most, where) = float(np.mean(list(gaps.values()))), max((gap, name) for name, gap in gaps.items())
        cells = [f"{100 * one['default']:.1f} ({100 * one['best']:.1f})" if one else "-" for one in found.values()]
        lines.append(f"| {word} | " + " | ".join(cells) + f" | {100 * mean:.1f} | {100 * most:.1f} |")
        if mean > MEAN or most > WORST:
            short.append(f"{word} is {100 * mean:.1f} points behind its best options on the mean, {100 * most:.1f} on {where}")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "", *(f"SHORT: {words}." for words in short)]).rstrip() + "\n")
    return short


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_intermixed_args()
    known = {}
    if os.path.exists(KEPT):
        with open(KEPT, encoding="utf-8") as file:
            known = json.load(file)
    for name in () if args.write else SETS:
        measure(args, known, name, args.methods or GRIDS)
        put_page(known)
    short = put_page(known)
    with open(PAGE, encoding="utf-8") as file:
        print(file.read())
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
