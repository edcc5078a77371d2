"""cost.py -- measures the numbers behind gen/cost.py and writes them into gen/cost_table.py:
on every microcontroller, unless --target says which.

    python3 ports/cost.py [--target NAME]... [-j N]      measures, writes the table, says how far the formula is off
    python3 ports/cost.py --check [--readme]             holds the table against other models: part of `make footprint`

Models of many shapes are trained on random numbers and exported; each function that computes scores is run by several of
them. Code is what a linker keeps at -Os, the stack is painted, cycles at -O2 are fitted by least squares of relative errors.
Where predictors may end early the models are such that they never do (worst.py), so that the cycles are those of the longest
way. --check measures models of other shapes, one of each function at least, and fails where cycles, code, helpers, model or stack
are off by more than 5 % (of the stack 16 bytes), where the flash of a whole program is off by more than 5 % and 64 bytes, or where a model as it was trained takes more cycles than it may at most.
"""
from __future__ import annotations

import argparse
import contextlib
import io
import operator
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import footprint
import models
import stack
import worst as worst_of
from targets import BUILD, ROOT, TARGETS, Problem, Target, build_counters, chosen

sys.path.insert(0, ROOT)
from gen import cli, cost, emit, export, model as models_of_gen, quant  # noqa: E402

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
SCALED = ((13, 40, 4, False, "one-one"), (14, 30, 3, False, "one-one"), (8, 40, 4, False, "one-one"), (18, 30, 3, False, "one-one"),
          (11, 60, 5, False, "one-one"), (5, 30, 3, False, "one-one"), (22, 40, 4, False, "one-rest"))
HINGES = ((11, 20, 3, False, ""), (8, 44, 5, False, ""), (10, 36, 4, False, ""), (19, 21, 2, False, ""), (12, 35, 2, False, ""),
          (24, 18, 2, False, ""), (9, 13, 2, False, ""), (27, 46, 2, False, ""), (14, 31, 2, False, ""), (22, 27, 2, False, ""),
          (13, 26, 3, False, ""), (20, 15, 4, False, ""))  # numbers of vectors that do not fill blocks of four as well
FEW = SHAPES[1:6] + SHAPES[7:10] + SHAPES[11:13]
KERNELS = {"linear": ("--kernel linear", SHAPES), "rbf": ("--kernel rbf", SHAPES),
           "poly2": ("--kernel poly --degree 2 --coef0 1", SHAPES), "poly3": ("--kernel poly --degree 3 --coef0 1", FEW[:5]),
           "upoly": ("--kernel unit-poly", FEW), "uexp": ("--kernel unit-exp", FEW)}
PROTOTYPES = ((2, 1, 0, False), (5, 4, 0, False), (13, 8, 0, False), (30, 3, 2, False), (8, 1, 5, False), (16, 2, 3, True),
              (40, 1, 2, False), (6, 6, 1, True), (10, 2, 0, True), (23, 2, 4, False), (3, 5, 0, False), (33, 4, 0, False),
              (18, 3, 6, False), (35, 2, 1, False), (12, 4, 8, False))  # d, models a class, tangents, whole numbers

LIST = "--method seco --cheap --greedy --min-left 4 --easy 1e-6 --scale none"
POLY = "poly --degree 2 --coef0 1"
LISTS = (("linear", 120, 3, 0), ("linear", 120, 4, 2), ("linear", 120, 5, 5), ("linear", 150, 6, 1), ("linear", 120, 5, 12),
         ("linear", 120, 4, 23), ("rbf --gamma 0.5", 60, 3, 0), ("rbf --gamma 0.1", 60, 4, 1), ("rbf --gamma 0.02", 75, 5, 5),
         ("rbf --gamma 0.05", 48, 4, 10), ("rbf --gamma 0.05", 90, 6, 2), (POLY, 60, 3, 0), (POLY, 80, 5, 1), (POLY, 90, 6, 5),
         (POLY, 48, 6, 10), (POLY, 60, 4, 2), (POLY, 100, 5, 3), (POLY, 64, 4, 8), ("rbf --gamma 0.1", 40, 4, 4))  # kernel, rows, bands, further features


def specifications() -> dict[str, tuple[str, str]]:
    """Data and options of each model, by name."""
    found = {}
    for kernel, (options, shapes) in KERNELS.items():
        for i, (d, n, classes, whole, scheme) in enumerate(shapes):
            more = f" --scheme {scheme}" if scheme else ""
            found[f"cost_{kernel}_{i}"] = random_rows(i, d, n, classes, whole), f"--method svm {options}{more}"
    for i, (d, n, classes, whole, scheme) in enumerate(SHAPES + SCALED):  # machines of very different weights, which have scales
        if classes > 2:
            options = f"--method svm --kernel linear --scheme {scheme}"
            found[f"cost_linear_scaled_{i}"] = random_rows(i, d, n, classes, whole, 20), options
    for i, (d, n, classes, whole, _) in enumerate(SHAPES + HINGES):
        if d <= 30:
            options = f"--method compact --kernel hinge --vectors {n} --iterations 3 --noise 0.1"
            found[f"cost_hinge_{i}"] = random_rows(i, d, max(60, n), classes, whole), options
    for i, (d, count, tangents, whole) in enumerate(PROTOTYPES):
        method = f"tvq --models {count} --tangents {tangents} --iterations 3" if tangents else f"lvq --models {count} --iterations 3"
        found[f"cost_proto_{i}"] = random_rows(50 + i, d, 12 * count * 3, 2 + i % 2, whole), f"--method {method}"
    for i, (kernel, rows, bands, more) in enumerate(LISTS):
        found[f"cost_list_{i}"] = models.bands(90 + i, rows, bands, more), f"{LIST} --kernel {kernel}"
    return found


# For --check: other shapes and other numbers.
HELD = {"linear": ("13,40,2", "--method svm"), "linear, 5 classes": ("11,90,5", "--method svm --scheme one-one"),
        "linear with scales": ("10,40,4", "--method svm --scheme one-one"),
        "rbf": ("21,46,2", "--method svm --kernel rbf"), "rbf, 4 classes": ("8,38,4", "--method svm --kernel rbf --scheme one-one"),
        "poly": ("19,50,2", f"--method svm --kernel {POLY}"), "poly, 3 classes": ("14,33,3", f"--method svm --kernel {POLY} --scheme one-rest"),
        "unit-poly": ("10,41,2", "--method svm --kernel unit-poly"), "unit-exp, 3 classes": ("7,36,3", "--method svm --kernel unit-exp"),
        "hinge": ("17,60,2", "--method compact --vectors 22 --iterations 3 --noise 0.1"),
        "hinge, 4 classes": ("9,80,4", "--method compact --vectors 28 --iterations 3 --noise 0.1"),
        "prototypes": ("21,90,3", "--method lvq --models 6 --iterations 3"),
        "tangents": ("27,60,2", "--method tvq --models 3 --tangents 3 --iterations 3"),
        "one class, plane": ("12,60,1", "--method oneclass --nu 0.6 --normal c0"),
        "one class, sphere": ("18,40,1", "--method oneclass --form sphere --kernel linear --normal c0"),
        "one class, prototypes": ("15,60,1", "--method oneclass --form prototypes --models 3 --tangents 3 --normal c0"),
        "numbers, linear": ("23,60,90", "--method svr --squares"), "numbers, rbf": ("11,44,90", "--method svr --kernel rbf"),
        "numbers, nu": ("9,60,90", f"--method svr --nu 0.7 --kernel {POLY}"),
        "nu-svm": ("16,52,2", "--method svm --nu 0.3 --kernel rbf")}
HELD_LISTS = {"list of linear cuts": ("linear", 150, 5, 8), "list, rbf": ("rbf --gamma 0.05", 60, 4, 5), "list, poly": (POLY, 72, 5, 7)}


def held() -> dict[str, tuple[str, str]]:
    """Data and options of the models of --check, by what they are called in its table."""
    found = {}
    for seed, (words, (shape, options)) in enumerate(HELD.items(), 300):
        d, n, classes = map(int, shape.split(","))
        rows = random_rows(seed, d, n, classes, False, 20 if "scales" in words else 0)
        found[words] = rows.replace(",c", ",") if "numbers" in words else rows, options
    for seed, (words, (kernel, rows, bands, more)) in enumerate(HELD_LISTS.items(), 400):
        found[words] = models.bands(seed, rows, bands, more), f"{LIST} --kernel {kernel}"
    return found


@dataclass
class Made:
    """An exported model, its shape, and what was measured of it."""
    name: str
    shape: cost.Shape


def make(name: str, data: str, options: str, longest: bool = True) -> list[Made]:
    """build/ports/models/NAME_FORMAT.h for each format; with `longest` a model without short ways."""
    base, found = f"{models.FOLDER}/{name}", []
    models.put(f"{base}.csv", data)
    quiet(["train", f"{base}.csv", *options.split(), "--save", f"{base}.mgn"])
    whole = models_of_gen.load(os.path.join(ROOT, f"{base}.mgn"))
    whole = worst_of.without_short_ways(whole) if longest else whole
    with open(os.path.join(ROOT, f"{base}.mgn"), "wb") as file:
        file.write(whole.image)
    for form in models.FORMATS:
        new, old = f"{models.FOLDER}/new/{name}_{form}.h", f"{base}_{form}.h"
        quiet(["export", f"{base}.mgn", "--format", form, "--force", "-o", new])
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
    """Stack and counts of all models of a target at -O2; at -Os the stack of two models of each way through a function."""
    rows = {one.name: footprint.Row(target.name, one.shape.function, "") for one in made}
    few: dict[str, list[str]] = {}
    for one in made:
        few.setdefault(f"{one.shape.key} {one.shape.stage} {one.shape.deep}", []).append(one.name)
    size = 1 if target.family == "avr" else GROUP
    target.start(["-Os"])
    for level in footprint.LEVELS:
        target.compile("ports/common/library.c", f"predict{level}", [level, "-DMARGIN_PREDICT_ONLY"])
        names = list(rows) if level == "-O2" else [name for group in few.values() for name in group[:2]]
        for group in (names[i:i + size] for i in range(0, len(names), size)):
            elf = footprint.build(target, level, group, f"cost-{group[0]}", together=True)
            footprint.run(target, elf, {name: rows[name] for name in group}, level)
    return rows


# ---- fitting ----

def fit_weights(rows: list[tuple[tuple[float, ...], int]]) -> list[float]:
    """The weights that make the relative errors of sum(weight * term) least, in squares, by coordinate descent. None is negative: terms
    that grow together share what they cost and do not play against each other in shapes that nobody has measured."""
    scaled = [[t / count for t in terms] for terms, count in rows]
    width = len(scaled[0])
    size = [max(max(row[j] for row in scaled), 1e-12) for j in range(width)]
    unit = [[v / s for v, s in zip(row, size)] for row in scaled]
    a = [[sum(row[i] * row[j] for row in unit) for j in range(width)] for i in range(width)]
    b = [sum(row[i] for row in unit) for i in range(width)]
    found = [0.0] * width
    for _ in range(3000):
        before = list(found)
        for i in (i for i in range(width) if a[i][i] > 0):
            found[i] = max(0.0, found[i] + (b[i] - sum(map(operator.mul, a[i], found))) / a[i][i])
        if max(abs(x - y) for x, y in zip(found, before)) < 1e-8:
            break
    return [float(f"{w / s:.6g}") for w, s in zip(found, size)]


def table_of(target: Target, made: list[Made], rows: dict[str, footprint.Row]) -> dict:
    """The entry of a target in gen/cost_table.py."""
    by_key: dict[str, list[Made]] = {}
    for one in made:
        by_key.setdefault(one.shape.key, []).append(one)
    functions = {}
    for key, group in sorted(by_key.items()):
        counted = [(cost.terms(one.shape), rows[one.name].count) for one in group]
        ways = {deep: [rows[one.name].stack for one in group if one.shape.deep == deep and not one.shape.stage] for deep in (False, True)}
        functions[key] = {"function": group[0].shape.function, "stack": max(ways[False] or ways[True]),
                          **({"stack_deep": max(ways[True])} if ways[True] else {}),
                          "cycles": fit_weights(counted) if target.unit else None}
    structs = {one.shape.struct: rows[one.name].model - one.shape.tables for one in made}
    entry = {"unit": target.unit or None, "pointer": 2 if target.family == "avr" else 8 if target.name in ("aarch64", "s390x")
             else 4, "struct_in_ram": target.family == "avr", "structs": structs, "functions": functions,
             "stacks": stack.predictors(stack.bounds(target))}
    put_code(target, entry)
    return entry


AROUND = {"decide": "margin_decide", "decide q": "margin_decide_q", "input": "margin_input_q", "stage": "margin_prepare_q"}


# The inline functions of a header: a call of the function that computes scores, and one that makes integers of real values.
SIGNATURE = "(const int16_t *x, const margin_real *raw)"
CALLS = {"call": ("static const margin_linear_q model;",
                  ["    int32_t scores[1];", "    (void)raw;", "    margin_linear_scores_q7(&model, x, scores);", "    return scores[0] > 0 ? 1 : 0;"]),
         "call input": ("static const margin_real offset[9], factor[9];",
                        ["    int16_t made[9];", "    const margin_scaling input = {offset, factor, 9};", "    (void)x;",
                         "    margin_input_q(&input, raw, made);", "    return (uint16_t)made[0];"])}


def put_code(target: Target, entry: dict) -> None:
    """Bytes of code of each function of a table and of what stands around it, and which of the compiler's helpers they use: two
    functions that use the same ones share them. Nothing is run for this: a compiler and a linker are enough."""
    functions, objects = entry["functions"], {}
    functions.update({key: {"function": function} for key, function in AROUND.items()})
    words, text = sorted({*emit.ELECT.values(), *emit.ELECT_Q.values()}), ['#include "margin.h"']
    for word in words:  # the lines of an exported header
        scores = "margin_real" if "f32" in word else "int32_t"
        functions[f"elect {word}"] = {"function": f"elect_{named(word)}"}
        text += [f"uint16_t elect_{named(word)}(const {scores} *scores);", f"uint16_t elect_{named(word)}(const {scores} *scores)", "{",
                 "    uint16_t best = 0, c = 0;", *export.elect(word, "5"), "    (void)c;", "    return best;", "}"]
    for key, (head, lines) in CALLS.items():  # and those that call functions of the library
        functions[key] = {"function": key.replace(" ", "_")}
        text += [head, f"uint16_t {key.replace(' ', '_')}{SIGNATURE};", f"uint16_t {key.replace(' ', '_')}{SIGNATURE}", "{", *lines, "}"]
    models.put(f"{target.folder}/elect.c", "\n".join(text) + "\n")
    target.compile(f"{target.folder}/elect.c", "elect-Os", ["-Os"])
    for key, found in functions.items():
        name = found["function"]
        if key in CALLS:
            found = footprint.parts(footprint.link_only(target, [f"{target.folder}/{part}-Os.o" for part in ("elect", "predict")], name))
            functions[key] = {"function": name, "code": footprint.total(found["elect-Os.o"], "text"), "helpers": 0, "uses": ""}
            continue
        library = f"{target.folder}/{'elect' if key.startswith('elect') else 'predict'}-Os.o"
        used = footprint.helpers(footprint.link_only(target, [library], name))
        code, helpers = footprint.code_of(target, library, name)
        assert helpers == sum(used.values()), (target.name, key, helpers, used)
        objects.update(used)
        functions[key] = {**found, "code": code, "helpers": helpers, "uses": " ".join(sorted(used))}
    for key, found in functions.items():  # some have parts in common with what makes a class of many scores
        decide = functions["decide" if "f32" in key else "decide q"]
        if "cycles" in found:
            both = footprint.parts(footprint.link_only(target, [f"{target.folder}/predict-Os.o"], found["function"], decide["function"]))
            found["shared"] = found["code"] + decide["code"] - footprint.total(both["predict-Os.o"], "text", "rodata", "srodata", "progmem")
    entry["objects"], entry["functions"] = dict(sorted(objects.items())), dict(sorted(functions.items()))


def worst(made: list[Made], rows: dict[str, footprint.Row], table: dict) -> list[tuple[float, str]]:
    """By how much the formula is off, for each model it was fitted to, the worst first."""
    found = []
    for one in made:
        if rows[one.name].count:
            cycles = cost.cycles_of(one.shape, table)
            found.append((abs(cycles / rows[one.name].count - 1), f"{one.name}: {cycles:,} for {rows[one.name].count:,}"))
    return sorted(found, reverse=True)


# ---- the table against other models ----

CHECKED = ("cycles", "code", "helpers", "model", "stack")
SMALL = 64  # bytes that an answer's own function may take beside what is told of a model, or that functions share


def flash_of(target: Target, one: Made) -> int:
    """Bytes that a whole program grows by: what it takes to link a function that gives the answer of a model to raw values."""
    with open(os.path.join(ROOT, models.FOLDER, f"{one.name}.h"), encoding="utf-8") as file:
        header = file.read()
    number, convert = f"{one.name}_value(" in header, one.shape.convert
    given = "margin_real" if one.shape.real or convert else "int16_t"
    score = "margin_real" if one.shape.real else "int32_t"
    text = [f'#include "{one.name}.h"', f"uint16_t answer(const {given} *raw, {score} *out);", f"uint16_t answer(const {given} *raw, {score} *out)",
            "{", *([f"    int16_t x[{one.shape.d}];", f"    {one.name}_input(raw, x);"] if convert else []),
            *([f"    {one.name}_scores({'x' if convert else 'raw'}, out);", "    return 0;"] if number else
              ["    (void)out;", f"    return {one.name}_classify({'x' if convert else 'raw'});"]), "}"]
    models.put(f"{target.folder}/answer_{one.name}.c", "\n".join(text) + "\n")
    library = f"{target.folder}/predict-Os.o"
    own = target.compile(f"{target.folder}/answer_{one.name}.c", f"answer_{one.name}", ["-Os"])
    found = footprint.parts(footprint.link_only(target, [library, own], "answer"))
    return sum(footprint.total(sizes, "text", "rodata", "srodata", "progmem") for sizes in found.values())


def check_target(target: Target, made: dict[str, list[Made]], usual: dict[str, list[Made]]) -> tuple[list[tuple], int]:
    """A line a function: its percents off in the three formats, and how long the model as it was trained takes of that; how many are
    too far off."""
    rows = measure(target, [one for part in (made, usual) for group in part.values() for one in group])
    library, lines, failed, codes = f"{target.folder}/predict-Os.o", [], 0, {}
    for words, group in made.items():
        cells = {part: [] for part in (*CHECKED, "flash", "usual")}
        for one, plain in zip(group, usual[words]):
            row, most = rows[one.name], cost.estimate(one.shape, target.name).cycles_most
            name = one.shape.function
            codes[name] = codes.get(name) or footprint.code_of(target, library, name)
            row.code, row.helpers = codes[name]
            for part, (share, near) in footprint.compared(row, one.shape).items():
                if part in CHECKED:
                    failed += not near
                    cells[part].append(f"{100 * share:+.1f}{'' if near else ' FAR'}")
            told, whole = cost.estimate(one.shape, target.name).flash, flash_of(target, one)
            far = abs(told - whole) > max(SMALL, footprint.NEAR * whole)
            failed += far
            cells["flash"].append(f"{100 * (told / whole - 1):+.1f}{' FAR' if far else ''}")
            over = target.unit and rows[plain.name].count > cost.estimate(plain.shape, target.name).cycles_most or row.count > (most or 0) > 0
            failed += bool(over)
            cells["usual"].append(f"{100 * rows[plain.name].count / max(1, row.count):.0f}{' OVER' if over else ''}")
        lines.append((target.name, words, *(" / ".join(cells[part]) for part in (*CHECKED, "flash", "usual"))))
    return lines, failed


def named(words: str) -> str:
    """
    >>> named("rbf, 4 classes")
    'rbf_4_classes'
    """
    return words.replace(",", "").replace("-", "_").replace(" ", "_")


def check(targets: list[Target], workers: int, readme: bool) -> int:
    made = {words: make(f"held_{named(words)}", *what) for words, what in held().items()}
    usual = {words: make(f"usual_{named(words)}", *what, longest=False) for words, what in held().items()}
    known, failed, lines = cost.targets(), 0, []
    with ThreadPoolExecutor(workers) as pool:
        for found, far in pool.map(lambda target: check_target(target, made, usual), [t for t in targets if t.name in known]):
            lines, failed = lines + found, failed + far
    table = [("target", "predictor", *CHECKED, "flash", "usual"), *lines]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    print("by how many percent the formula of gen/cost.py is off for models that it was not made of, in f32 / q15 / q7; flash: of a whole "
          "program with one answer; usual: cycles of the same model as it was trained, in percent of the longest way")
    for line in table:
        print("  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths)).rstrip())
    for target in targets:
        if target.name not in known:
            print(f"FAILED  {target.name} has no entry in {models.COSTS}: python3 ports/cost.py --target {target.name}")
            failed += 1
    if readme:
        rows = ["| " + " | ".join(line) + " |" for line in table]
        models.put_between("ports/README.md", "formula", "\n".join([rows[0], "|" + "---|" * len(table[0]), *rows[1:]]) + "\n")
    cells = len(lines) * len(models.FORMATS) * (len(CHECKED) + 2)
    print(f"{cells - failed} passed, {failed} failed")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the numbers behind gen/cost.py on the emulated targets.")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="targets at a time")
    parser.add_argument("--only", action="append", help="models whose names start so: cost_rbf, cost_proto, ...; the rest of the table stays")
    parser.add_argument("--code", action="store_true", help="measure the bytes of code anew, and leave the rest of the table as it is")
    parser.add_argument("--show", type=int, default=3, help="how many of the worst estimates to show")
    parser.add_argument("--check", action="store_true", help="measure other models, compare, and leave the table as it is")
    parser.add_argument("--readme", action="store_true", help="with --check: write what was found into ports/README.md")
    args = parser.parse_args()
    os.chdir(ROOT)
    build_counters()
    os.makedirs(f"{models.FOLDER}/new", exist_ok=True)
    targets = chosen(args.target, TARGETS if args.target else [t for t in TARGETS if t.family in footprint.DEVICES])
    if args.code:
        return write_code(targets)
    return check(targets, args.j, args.readme) if args.check else write_table(targets, args)


def write_code(targets: list[Target]) -> int:
    """The bytes of code anew, and the rest of the table as it is."""
    known = models.known_costs()
    for target in (target for target in targets if target.name in known):
        target.start(["-Os"])
        target.compile("ports/common/library.c", "predict-Os", ["-Os", "-DMARGIN_PREDICT_ONLY"])
        entry = known[target.name]
        put_code(target, entry)
        print(f"{models.COSTS}: {target.name}, {len(entry['functions'])} functions, {len(entry['objects'])} helpers", flush=True)
    models.put_costs(known)
    return 0


def write_table(targets: list[Target], args: argparse.Namespace) -> int:
    made = [one for name, (data, options) in specifications().items()
            if args.only is None or name.startswith(tuple(args.only)) for one in make(name, data, options)]
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
    old = {"functions": {}, "structs": {}, "objects": {}, **known.get(target.name, {})}
    known[target.name] = {**entry, "structs": {**old["structs"], **entry["structs"]}, "objects": {**old["objects"], **entry["objects"]},
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
