"""cost.py -- measures the numbers behind gen/cost.py and writes them into gen/cost_table.py:
on every microcontroller, unless --target says which.

    python3 ports/cost.py [--target NAME]... [-j N]      measures, writes the table, says how far the formula is off

Models of many shapes are trained on random numbers and exported; each function that computes scores is run by several of
them. Code is what a linker keeps at -Os, the stack is painted, cycles at -O2 are fitted by least squares of relative errors.
`make footprint` holds the table against models that were not used here. Prototypes in floats stop early where a distance is
large enough already, so that their cycles depend on the data: the formula is within a third there, elsewhere within some percent.
"""
from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import footprint
import models
import stack
from targets import BUILD, ROOT, TARGETS, Problem, Target, build_counters, chosen

sys.path.insert(0, ROOT)
from gen import cli, cost, model as models_of_gen, quant  # noqa: E402

GROUP = 12  # models in one program


# ---- models of many shapes ----

def random_rows(seed: int, d: int, n: int, classes: int, whole: bool, apart: int = 0) -> str:
    """Rows without any order in them, so that nearly all of them become support vectors; classes from the third on may lie
    apart, by so many deviations and more."""
    rng, lines = random.Random(seed), []
    for i in range(n):
        away = apart * max(0, i % classes - 1)
        values = [rng.randint(-900, 900) + 500 * away for _ in range(d)] if whole else [f"{rng.gauss(away, 1):.5f}" for _ in range(d)]
        lines.append(",".join(map(str, values)) + f",c{i % classes}")
    return "\n".join(lines) + "\n"


# d, rows, classes, whole numbers, scheme
SHAPES = ((2, 12, 2, False, ""), (5, 22, 2, False, ""), (10, 40, 2, False, ""), (30, 90, 2, False, ""),
          (61, 16, 2, False, ""), (7, 30, 2, True, ""), (16, 60, 2, True, ""), (6, 30, 3, False, "one-one"),
          (9, 40, 5, False, "one-one"), (12, 32, 4, False, "one-rest"), (20, 24, 3, True, "one-one"), (15, 36, 4, False, "one-one"),
          (25, 21, 3, False, "one-rest"), (3, 40, 2, False, ""), (44, 30, 2, False, ""))
FEW = SHAPES[1:6] + SHAPES[7:10] + SHAPES[11:13]
KERNELS = {"linear": ("--kernel linear", SHAPES), "rbf": ("--kernel rbf", SHAPES),
           "poly2": ("--kernel poly --degree 2 --coef0 1", SHAPES), "poly3": ("--kernel poly --degree 3 --coef0 1", FEW[:5]),
           "upoly": ("--kernel unit-poly", FEW), "uexp": ("--kernel unit-exp", FEW)}
PROTOTYPES = ((2, 1, 0, False), (5, 4, 0, False), (13, 8, 0, False), (30, 3, 2, False), (8, 1, 5, False), (16, 2, 3, True),
              (40, 1, 2, False), (6, 6, 1, True), (10, 2, 0, True), (23, 2, 4, False), (3, 5, 0, False))  # d, models a class, tangents, whole numbers


def specifications() -> dict[str, tuple[str, str]]:
    """Data and options of each model, by name."""
    found = {}
    for kernel, (options, shapes) in KERNELS.items():
        for i, (d, n, classes, whole, scheme) in enumerate(shapes):
            more = f" --scheme {scheme}" if scheme else ""
            found[f"cost_{kernel}_{i}"] = random_rows(i, d, n, classes, whole), f"--method svm {options}{more}"
    for i, (d, n, classes, whole, scheme) in enumerate(SHAPES):  # machines of very different weights, which have scales
        if classes > 2:
            found[f"cost_linear_scaled_{i}"] = random_rows(i, d, n, classes, whole, 20), f"--method svm --kernel linear --scheme {scheme}"
    for i, (d, n, classes, whole, _) in enumerate(SHAPES):
        if d <= 30:
            options = f"--method compact --kernel hinge --vectors {n} --iterations 3 --noise 0.1"
            found[f"cost_hinge_{i}"] = random_rows(i, d, max(60, n), classes, whole), options
    for i, (d, count, tangents, whole) in enumerate(PROTOTYPES):
        method = f"tvq --models {count} --tangents {tangents} --iterations 3" if tangents else f"lvq --models {count} --iterations 3"
        found[f"cost_proto_{i}"] = random_rows(50 + i, d, 12 * count * 3, 2 + i % 2, whole), f"--method {method}"
    for i, (kernel, rows) in enumerate((("linear", 180), ("rbf", 180), ("poly --degree 2 --coef0 1", 180), ("linear", 240),
                                        ("rbf --gamma 0.1", 240), ("poly --degree 2 --coef0 1", 240))):
        found[f"cost_list_{i}"] = models.strips(90 + i, rows), f"--method seco --cheap --kernel {kernel}"
    return found


@dataclass
class Made:
    """An exported model, its shape, and what was measured of it."""
    name: str
    shape: cost.Shape


def make(name: str, data: str, options: str) -> list[Made]:
    """build/ports/models/NAME_FORMAT.h for each format; a format that a kind does not have is left out."""
    base, found = f"{models.FOLDER}/{name}", []
    models.put(f"{base}.csv", data)
    quiet(["train", f"{base}.csv", *options.split(), "--save", f"{base}.mgn"])
    whole = models_of_gen.load(os.path.join(ROOT, f"{base}.mgn"))
    for form in models.FORMATS:
        new, old = f"{models.FOLDER}/new/{name}_{form}.h", f"{base}_{form}.h"
        quiet(["export", f"{base}.mgn", "--format", form, "-o", new])
        models.replace_changed(new, old)
        found.append(Made(f"{name}_{form}", cost.shape_of(whole, form)))
    return found


def quiet(words: list[str]) -> None:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = cli.main(words)
    if code:
        raise Problem(f"gen {' '.join(words)}: {said.getvalue()}")


# ---- measuring ----

def measure(target: Target, made: list[Made]) -> dict[str, footprint.Row]:
    """Stack and counts of all models of a target at -O2; at -Os the stack of two models of each function."""
    rows = {one.name: footprint.Row(target.name, one.shape.function, "") for one in made}
    few: dict[str, list[str]] = {}
    for one in made:
        few.setdefault(f"{one.shape.key} {one.shape.stage}", []).append(one.name)
    size = 1 if target.family == "avr" else GROUP
    target.start(["-Os"])
    for level in footprint.LEVELS:
        target.compile("ports/common/library.c", f"predict{level}", [level, "-DMARGIN_PREDICT_ONLY"])
        names = list(rows) if level == "-O2" else [name for group in few.values() for name in group[:2]]
        for group in (names[i:i + size] for i in range(0, len(names), size)):
            elf = footprint.build(target, level, group, f"cost-{group[0]}")
            footprint.run(target, elf, {name: rows[name] for name in group}, level)
    return rows


# ---- fitting ----

def solve(a: list[list[float]], b: list[float]) -> list[float]:
    """Gauss elimination with pivoting."""
    n = len(b)
    a = [[*row, right] for row, right in zip(a, b)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for r in range(i + 1, n):
            factor = a[r][i] / a[i][i]
            a[r] = [v - factor * w for v, w in zip(a[r], a[i])]
    out = [0.0] * n
    for i in reversed(range(n)):
        out[i] = (a[i][n] - sum(a[i][j] * out[j] for j in range(i + 1, n))) / a[i][i]
    return out


def fit_weights(rows: list[tuple[tuple[float, ...], int]]) -> list[float]:
    """The weights that make the relative errors of sum(weight * term) least, in squares. A term that never differs from
    others gets its share by a ridge that is too small to matter otherwise."""
    scaled = [[t / count for t in terms] for terms, count in rows]
    width = len(scaled[0])
    size = [max(max(abs(row[j]) for row in scaled), 1e-12) for j in range(width)]
    unit = [[v / s for v, s in zip(row, size)] for row in scaled]
    a = [[sum(row[i] * row[j] for row in unit) + (1e-9 if i == j else 0) for j in range(width)] for i in range(width)]
    found = solve(a, [sum(row[i] for row in unit) for i in range(width)])
    return [float(f"{w / s:.6g}") for w, s in zip(found, size)]


def table_of(target: Target, made: list[Made], rows: dict[str, footprint.Row]) -> dict:
    """The entry of a target in gen/cost_table.py."""
    by_key: dict[str, list[Made]] = {}
    for one in made:
        by_key.setdefault(one.shape.key, []).append(one)
    library, functions = f"{target.folder}/predict-Os.o", {}
    for key, group in sorted(by_key.items()):
        code, helpers = footprint.code_of(target, library, group[0].shape.function)
        counted = [(cost.terms(one.shape), rows[one.name].count) for one in group]
        plain = [one for one in group if not one.shape.stage] or group
        functions[key] = {"code": code, "helpers": helpers, "stack": max(rows[one.name].stack for one in plain),
                               "cycles": fit_weights(counted) if target.unit else None}
    for key, function in (("decide", "margin_decide"), ("decide q", "margin_decide_q"), ("input", "margin_input_q")):
        code, helpers = footprint.code_of(target, library, function)
        functions[key] = {"code": code, "helpers": helpers}
    structs = {one.shape.struct: rows[one.name].model - one.shape.tables for one in made}
    return {"unit": target.unit or None, "pointer": 2 if target.family == "avr" else 8 if target.name in ("aarch64", "s390x")
            else 4, "struct_in_ram": target.family == "avr", "structs": structs, "functions": functions,
            "stacks": stack.predictors(stack.bounds(target))}


def worst(made: list[Made], rows: dict[str, footprint.Row], table: dict) -> list[tuple[float, str]]:
    """By how much the formula is off, for each model it was fitted to, the worst first."""
    found = []
    for one in made:
        if rows[one.name].count:
            cycles = cost.cycles_of(one.shape, table)
            found.append((abs(cycles / rows[one.name].count - 1), f"{one.name}: {cycles:,} for {rows[one.name].count:,}"))
    return sorted(found, reverse=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the numbers behind gen/cost.py on the emulated targets.")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="targets at a time")
    parser.add_argument("--only", action="append", help="models whose names start so: cost_rbf, cost_proto, ...; the rest of the table stays")
    parser.add_argument("--show", type=int, default=3, help="how many of the worst estimates to show")
    args = parser.parse_args()
    os.chdir(ROOT)
    build_counters()
    os.makedirs(f"{models.FOLDER}/new", exist_ok=True)
    made = [one for name, (data, options) in specifications().items()
            if args.only is None or name.startswith(tuple(args.only)) for one in make(name, data, options)]
    targets = chosen(args.target, TARGETS if args.target else [t for t in TARGETS if t.family in footprint.DEVICES])
    failed = 0
    with ThreadPoolExecutor(args.j) as pool:
        jobs = {target.name: pool.submit(measure, target, made) for target in targets}
        for target in targets:
            try:
                rows = jobs[target.name].result()
            except Problem as problem:
                print(f"FAILED  {target.name}: {problem}")
                failed += 1
                continue
            put_target(target, made, rows, args.show)
    print(f"{len(targets) - failed} passed, {failed} failed")
    return 1 if failed else 0


def put_target(target: Target, made: list[Made], rows: dict[str, footprint.Row], show: int) -> None:
    """Writes what was found about a target into the table, and says how far the formula is off."""
    known = models.known_costs()
    entry = table_of(target, made, rows)
    old = known.get(target.name, {"functions": {}, "structs": {}})
    known[target.name] = {**entry, "structs": {**old["structs"], **entry["structs"]},
                          "functions": dict(sorted({**old["functions"], **entry["functions"]}.items()))}
    for share, words in worst(made, rows, entry)[:show]:
        print(f"{target.name}: off by {100 * share:.1f} %: {words}")
    models.put_costs(known)
    print(f"{models.COSTS}: {target.name}, {len(made)} models", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"cost: {problem}")
