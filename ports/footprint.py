"""footprint.py -- bytes, stack and instructions of the predictors on every target: `make footprint`.

    python3 ports/footprint.py [--target NAME]... [--predictor linear|rbf|poly]... [--format f32|q15|q7]... [--readme]

Programs stay in build/ports/TARGET/: `arm-none-eabi-objdump -d build/ports/cortex-m4f/footprint-O2.elf`. With
--readme the tables in README.md and in the READMEs of ports/ are written anew.
"""
from __future__ import annotations

import argparse
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import models
import stack
from targets import BUILD, ROOT, TARGETS, Problem, Target, build_counters, call, chosen

sys.path.insert(0, ROOT)
from gen import cost, data, model, native, quant  # noqa: E402

PREDICTORS = ("linear", "rbf", "poly")
SHAPE = {"linear": 30, "rbf": 99 * 30, "poly": 99 * 30}  # features, or vectors times features
LEVELS = ("-Os", "-O2")


@dataclass
class Row:
    """What one predictor takes on one target."""
    target: str
    predictor: str
    format: str
    code: int = 0      # bytes of the library's functions and constants at -Os
    helpers: int = 0   # bytes of the compiler's own: soft float, long multiplications
    model: int = 0     # bytes of tables and struct
    ram: int = 0       # .data and .bss of library and model
    stack: int = 0     # most bytes, of the levels and inputs
    bound: int = 0     # what stack.py says that it is at most; 0: not known
    counts: dict[str, int] = field(default_factory=dict)  # instructions or cycles by level, the worst of the inputs
    problem: str = ""

    @property
    def name(self) -> str:
        return f"{self.target} {self.predictor} {self.format}"

    @property
    def count(self) -> int:
        return self.counts.get("-O2", 0)

    @property
    def each(self) -> float:
        """Of a vector and feature, all that happens between vectors included."""
        return self.count / SHAPE[self.predictor]


# ---- measuring ----

def parts(map_file: str) -> dict[str, dict[str, int]]:
    """Bytes of each object by section, after what is not used was dropped; all objects of libraries are `helpers`."""
    with open(os.path.join(ROOT, map_file), encoding="utf-8") as file:
        text = file.read().split("Linker script and memory map", 1)[1]
    found: dict[str, dict[str, int]] = {}
    for section, size, path in re.findall(r"^ (\.[\w.$-]+)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+) (\S+)$", text, re.M):
        owner = "helpers" if ".a(" in path or "start-memory" in path else os.path.basename(path)
        kind = re.match(r"\.(text|rodata|data|bss|progmem|srodata|sdata|sbss)", section)
        if kind:
            sizes = found.setdefault(owner, {})
            sizes[kind.group(1)] = sizes.get(kind.group(1), 0) + int(size, 16)
    return found


def helpers(map_file: str) -> dict[str, int]:
    """Bytes of code and constants of each object of the compiler's libraries in a program, by its name."""
    with open(os.path.join(ROOT, map_file), encoding="utf-8") as file:
        text = file.read().split("Linker script and memory map", 1)[1]
    found: dict[str, int] = {}
    for size, path in re.findall(r"^ \.(?:text|rodata|srodata|progmem)[\w.$-]*\s+0x[0-9a-f]+\s+(0x[0-9a-f]+) (\S+)$", text, re.M):
        if (".a(" in path or "start-memory" in path) and int(size, 16):
            name = re.sub(r".*\(|\)$", "", os.path.basename(path)).removesuffix(".o").strip("_")
            found[name] = found.get(name, 0) + int(size, 16)
    return found


def total(sizes: dict[str, int], *kinds: str) -> int:
    return sum(sizes.get(kind, 0) for kind in kinds)


def function_of(predictor: str, form: str) -> str:
    """What the exported models, which have one machine, call."""
    if form == "f32" or predictor == "linear":
        return f"margin_{predictor}_scores{'' if form == 'f32' else '_' + form}"
    return f"margin_{predictor}_score_{form}"


def link_only(target: Target, objects: list[str], function: str, other: str = "") -> str:
    """Links what a function needs, or two functions, and nothing else; the map file of that."""
    out = f"{target.folder}/only_{function}"
    objects = objects + ([f"{target.folder}/start-memory.o"] if target.memory else [])
    call([*target.cc, "-nostartfiles", "-nostdlib", "-Wl,--gc-sections", "-static", f"-Wl,-e,{function}", *([f"-Wl,-u,{other}"] if other else []),
          *objects, *(["-lgcc", "-lm", "-lc"] if target.family == "avr" else target.libraries), f"-Wl,-Map={out}.map", "-o", out])
    return f"{out}.map"


def code_of(target: Target, library: str, function: str) -> tuple[int, int]:
    """Bytes of code and constants that a predictor brings into a program: the library's, and the compiler's helpers."""
    if target.family == "wasm":
        out = f"{target.folder}/only_{function}"
        call([*target.cc, *target.link, library, *([f"{target.folder}/start-memory.o"] if target.memory else []), f"-Wl,--export={function}",
              "-o", out])
        return int(re.search(r"CODE +([0-9a-f]+)", call(["llvm-objdump", "-h", out]).stdout).group(1), 16), 0
    found = parts(link_only(target, [library], function))
    own, helpers = (total(found.get(owner, {}), "text", "rodata", "srodata", "progmem")
                    for owner in (os.path.basename(library), "helpers"))
    return own, helpers


def ram_of(target: Target, elf: str, library: str, model: str) -> int:
    """On AVR constants that are not in PROGMEM take RAM too: the structs of models."""
    kinds = ["data", "bss", "sdata", "sbss"] + (["rodata"] if target.family == "avr" else [])
    if target.family == "wasm":
        return 0  # wasm-ld's map has another form; `make cross` sees that the library has no such data
    found = parts(elf + ".map")
    return sum(total(found.get(os.path.basename(name), {}), *kinds) for name in (library, model))


def defines(name: str) -> dict[str, str]:
    """What ports/common/model.c wants to know about a model."""
    member, kind = ("real", "float") if name.endswith("f32") else ("integer", "int16_t")
    return {"MODEL": name, "MODEL_UPPER": name.upper(), "MODEL_HEADER": f'"{name}.h"', "MODEL_MEMBER": member, "MODEL_TYPE": kind}


def compile_models(target: Target, level: str, names: list[str], tag: str, together: bool) -> list[str]:
    """An object a model or, which is faster, one of all."""
    if not together:
        return [target.compile("ports/common/model.c", f"{name}{level}", [level, *(f"-D{k}={v}" for k, v in defines(name).items())])
                for name in names]
    lines = []
    for name in names:
        lines += [f"#define {key} {value}" for key, value in defines(name).items()] + ['#include "model.c"'] + \
            [f"#undef {key}" for key in defines(name)]
    os.makedirs(os.path.join(ROOT, target.folder), exist_ok=True)
    models.put(f"{target.folder}/models-{tag}.c", "\n".join(lines) + "\n")
    return [target.compile(f"{target.folder}/models-{tag}.c", f"models-{tag}{level}", [level])]


def build(target: Target, level: str, names: list[str], tag: str, together: bool = False) -> str:
    """A program that measures the models of these names."""
    start = ["start", "report", "stack", "mark"] + (["memory"] if target.memory else [])
    objects = [f"{target.folder}/start-{part}.o" for part in start] + [f"{target.folder}/predict{level}.o"]
    objects += compile_models(target, level, names, tag, together)
    models_list = "-DMODELS=" + " ".join(f"X({name})" for name in names)
    objects.append(target.compile("ports/common/footprint.c", f"footprint-{tag}{level}", [level, models_list]))
    objects.append(target.compile("ports/common/nothing.c", f"nothing{level}", [level]))
    return target.program(objects, f"{tag}{level}")


def run(target: Target, elf: str, rows: dict[str, Row], level: str) -> None:
    """Runs a program and fills in the rows of its models; what is counted must be the same in a second run."""
    ran = target.execute(elf, count=True)
    said = re.findall(r"^(\w+) stack (\d+) model (\d+) selftest 0$", ran.text, re.M)
    if ran.code or [name for name, *_ in said] != list(rows):
        raise Problem(f"{elf}: exit code {ran.code}: {ran.text}")
    again = target.execute(elf, count=True).counts if target.unit else ran.counts
    if again != ran.counts or target.unit and len(ran.counts) != 8 * len(rows):
        raise Problem(f"{elf}: two runs counted {ran.counts} and {again}")
    for i, (name, stack, model) in enumerate(said):
        row, counts = rows[name], ran.counts[8 * i:8 * i + 8]
        row.stack, row.model = max(row.stack, int(stack)), int(model)
        if counts:
            row.counts[level] = max(of - nothing for nothing, of in zip(counts[0::2], counts[1::2]))


def measure(target: Target, wanted: list[tuple[str, str]]) -> list[Row]:
    """All predictors of a target: in one program, on AVR in one program each."""
    rows = {f"wdbc_{predictor}_{form}": Row(target.name, predictor, form) for predictor, form in wanted}
    groups = [[name] for name in rows] if target.family == "avr" else [list(rows)]
    try:
        target.start(["-Os"])
        for level in LEVELS:
            library = target.compile("ports/common/library.c", f"predict{level}", [level, "-DMARGIN_PREDICT_ONLY"])
            for names in groups:
                elf = build(target, level, names, names[0] if len(groups) > 1 else "footprint")
                run(target, elf, {name: rows[name] for name in names}, level)
                for name in names if level == "-Os" else []:
                    row = rows[name]
                    row.code, row.helpers = code_of(target, library, function_of(row.predictor, row.format))
                    row.ram = ram_of(target, elf, library, f"{name}{level}.o")
        bounds = stack.bounds(target) if target.family in DEVICES else {}
        for row in rows.values():
            row.bound = bounds.get(function_of(row.predictor, row.format), 0)
    except Problem as problem:
        for row in rows.values():
            row.problem = str(problem)
    return list(rows.values())


# ---- what must not be exceeded ----

BUDGETS = [("cortex-m4f", "linear", "f32", "code", 160), ("cortex-m0", "linear", "f32", "code", 200),
           ("cortex-m0", "linear", "q15", "code", 80), ("cortex-m0", "rbf", "q15", "code", 500),
           ("cortex-m4f", "rbf", "f32", "each", 5.0), ("cortex-m4f", "rbf", "q15", "each", 2.0),
           ("cortex-m0", "rbf", "q15", "each", 7.0), ("atmega328p", "rbf", "q7", "count", 130000)]
DEVICES = ("cortex-m", "riscv", "avr")  # families whose RAM and stack are budgeted
STACK_MOST = 64                          # of integer predictors
STACK_KNOWN = 144  # of kernels as yet: the loop over four vectors takes every register, and what is not in them is here


def budgets(rows: list[Row]) -> tuple[list[str], int]:
    """A line for each budget, and how many are exceeded that were kept before."""
    lines, failed, families = [], 0, {target.name: target.family for target in TARGETS}
    checks = [(row, what, getattr(row, what), most, False)
              for target, predictor, form, what, most in BUDGETS for row in rows
              if (row.target, row.predictor, row.format) == (target, predictor, form)]
    for row in rows:
        if families[row.target] in DEVICES and row.format != "f32":
            checks.append((row, "stack", row.stack, STACK_MOST, row.predictor != "linear" and row.stack <= STACK_KNOWN))
        if families[row.target] in DEVICES and families[row.target] != "avr":
            checks.append((row, "ram", row.ram, 0, False))
    keeps = {"avr": 4, "riscv": 16}  # bytes of two registers; frames of RISC-V are multiples of 16
    for row in rows:  # what calls the library, an inline function of the header, may keep two registers itself
        if row.bound:
            checks.append((row, "stack", row.stack, row.bound + keeps.get(families[row.target], 8), False))
    for row, what, value, most, known in checks:
        if row.problem:
            continue
        failed += value > most and not known
        if what not in ("stack", "ram") or value > most:
            word = "kept" if value <= most else "over" if known else "OVER"
            lines.append(f"{word}  {row.name} {what}: {value:,.6g} of {most:,}")
    return lines, failed


# ---- tables ----

HEAD = ("target", "predictor", "format", "code", "helpers", "model", "RAM", "stack", "at most", "count", "each")


def cells(row: Row) -> tuple[str, ...]:
    if row.problem:
        return (row.target, row.predictor, row.format, *["-"] * 8)
    count = (f"{row.count:,}", f"{row.each:.2f}") if row.count else ("-", "-")
    sizes = map(str, (row.code, row.helpers, row.model, row.ram, row.stack, row.bound or "-"))
    return (row.target, row.predictor, row.format, *sizes, *count)


def show(rows: list[Row]) -> None:
    table = [HEAD, *map(cells, rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    for line in table:
        print("  ".join(f"{cell:{'<' if i < 3 else '>'}{w}}" for i, (cell, w) in enumerate(zip(line, widths))).rstrip())


MARKDOWN_HEAD = ("target", "predictor", "code", "helpers", "RAM", "stack", "at most", "instructions", "per vector and feature")


# Other programs with an rbf model of the same size, 99 vectors x 30 features, that scikit-learn trained on the Wisconsin
# breast cancer data: arm-none-eabi-gcc 12 -Os with newlib-nano, instructions under QEMU. Flash is what model and code add
# to an empty program. Name, flash and instructions on an M4F, instructions on an M0, RAM, stack.
PEERS = [("a plain loop in C with `expf`", 13176, 25974, 1069230, "104", 64),
         ("CMSIS-DSP `arm_svm_rbf_predict_f32`", 13228, 26780, 1070234, "104", 64),
         ("micromlgen", 32124, 706098, 2354148, "104", 656),
         ("m2cgen", 176364, 764148, 2221296, "104", 1648),
         ("sklearn-porter", 28684, 916858, 2584978, "24672", 544),
         ("LIBSVM itself", 58020, 804756, 2293990, "heap", 728)]
PEERS_HEAD = ("rbf, 99 vectors x 30 features, -Os", "flash on M4F", "instructions on M4F", "instructions on M0", "RAM", "stack")


def peers(rows: list[Row]) -> str:
    """The library beside other programs, all at -Os."""
    lines = ["| " + " | ".join(PEERS_HEAD) + " |", "|" + "---|" * len(PEERS_HEAD)]
    found = {(row.target, row.format): row for row in rows if row.predictor == "rbf"}
    own = []
    for form in models.FORMATS:
        m4, m0 = found["cortex-m4f", form], found["cortex-m0", form]
        own.append((f"margin, {form}", m4.code + m4.helpers + m4.model, m4.counts["-Os"], m0.counts["-Os"], str(m4.ram), m4.stack))
    for name, flash, on_m4, on_m0, ram, stack in PEERS + own:
        lines.append(f"| {name} | {flash:,} | {on_m4:,} | {on_m0:,} | {ram} | {stack} |")
    return "\n".join(lines) + "\n"




def markdown(rows: list[Row]) -> str:
    """One line a target and predictor, with the three number formats side by side."""
    lines = ["| " + " | ".join(MARKDOWN_HEAD) + " |", "|" + "---|" * len(MARKDOWN_HEAD)]
    found = {(row.target, row.predictor, row.format): row for row in rows}
    for target, predictor in dict.fromkeys((row.target, row.predictor) for row in rows):
        three = [cells(found[target, predictor, form]) for form in models.FORMATS]
        columns = [" / ".join(cell[i] for cell in three) for i in (3, 4, 6, 7, 8, 9, 10)]
        lines.append(f"| {target} | {predictor} | " + " | ".join("-" if set(c) <= set("- /") else c for c in columns) + " |")
    return "\n".join(lines) + "\n"


def put_into_readmes(rows: list[Row]) -> None:
    """All rows into ports/README.md, those of a family into the README of its folder, the comparison into README.md."""
    models.put_between("ports/README.md", "footprint", markdown(rows))
    models.put_between("README.md", "peers", peers(rows))
    for family in dict.fromkeys(target.family for target in TARGETS):
        names = [target.name for target in TARGETS if target.family == family]
        models.put_between(f"ports/{family}/README.md", "footprint", markdown([row for row in rows if row.target in names]))


# ---- the formula of gen/cost.py ----

NEAR = 0.05  # how far it may be off
STACK_NEAR = 16  # of a stack so many bytes: frames of RISC-V are multiples of it, and what nothing was written to is not seen
PARTS = ("cycles", "code", "helpers", "model", "RAM", "stack")


def shape_of(row: Row):
    """The shape of the model that a row was measured with, as gen/cost.py sees it."""
    base = os.path.join(ROOT, models.FOLDER, f"wdbc_{row.predictor}")
    found = model.load(f"{base}.mgn")
    if row.format == "f32":
        return cost.shape_of(found)
    rows = data.read(f"{base}.csv", features=found.machine.shape.d)
    return cost.shape_of(found, row.format, quant.Quantised(found, row.format, native.Rows(rows, None, len(found.labels))))


def compared(row: Row, shape: cost.Shape) -> dict[str, tuple[float, bool]]:
    """By which share gen/cost.py is off in each part of what a row has measured, and whether that is near enough. Stack that is told is
    that of the deepest way through a function, which the inputs of a row need not take: it must not be less."""
    entry, price = cost.targets()[row.target]["functions"][shape.key], cost.estimate(shape, row.target)
    told = (price.cycles or 0, entry["code"], entry["helpers"], price.tables + price.struct, price.ram, cost.stack_of(shape, entry))
    found = {}
    for part, said, value in zip(PARTS, told, (row.count, row.code, row.helpers, row.model, row.ram, row.stack)):
        off = said - value
        found[part] = off / value if value else float(off != 0), abs(off) <= NEAR * value or part == "stack" and off >= -STACK_NEAR
    return found


def formula(rows: list[Row]) -> tuple[list[str], int]:
    """What gen/cost.py says beside what was measured: a line a target and predictor, and how many are too far off."""
    lines, failed, shapes = [], 0, {(row.predictor, row.format): shape_of(row) for row in rows if not row.problem}
    for target, predictor in dict.fromkeys((row.target, row.predictor) for row in rows if not row.problem):
        if target not in cost.targets():  # no microcontroller, or not measured yet
            lines.append(f"{target:<12} {predictor:<7} has no entry in gen/cost_table.py: python3 ports/cost.py --target {target}")
            continue
        cells = {part: [] for part in PARTS}
        for row in (row for row in rows if (row.target, row.predictor) == (target, predictor)):
            shape = shapes[predictor, row.format]
            if row.count > (cost.estimate(shape, target).cycles_most or 0):
                lines.append(f"{row.name}: {row.count} instructions, at most {cost.estimate(shape, target).cycles_most} by the formula: FAR")
                failed += 1
            for part, (share, near) in compared(row, shape).items():
                failed += not near
                cells[part].append(f"{100 * share:+.1f}{'' if near else ' FAR'}")
        lines.append(f"{target:<12} {predictor:<7} " + "  ".join(f"{part} {' / '.join(cells[part])}" for part in PARTS))
    return lines, failed


def main() -> int:
    parser = argparse.ArgumentParser(description="Bytes, stack and instructions of the predictors on every target.")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--predictor", action="append", choices=PREDICTORS)
    parser.add_argument("--format", action="append", choices=models.FORMATS)
    parser.add_argument("--readme", action="store_true", help="write the tables into README.md and ports/*/README.md")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="targets at a time")
    args = parser.parse_args()
    os.chdir(ROOT)
    began, targets = time.time(), chosen(args.target, TARGETS)
    build_counters()
    models.build(models.WDBC)
    with ThreadPoolExecutor(args.j) as pool:
        wanted = [(p, f) for p in args.predictor or PREDICTORS for f in args.format or models.FORMATS]
        rows = [row for part in pool.map(lambda target: measure(target, wanted), targets) for row in part]
    show(rows)
    lines, failed = budgets(rows)
    print("count: instructions of one prediction at -O2, AVR: cycles; each: of a vector and feature; code at -Os", *lines, sep="\n")
    print("by how many percent the formula of gen/cost.py is off, in f32 / q15 / q7:")
    words, far = formula(rows)
    print(*words, f"{far} of {len(PARTS) * len(rows)} are off by more than {100 * NEAR:.0f} %", sep="\n")
    failed += far
    for problem in dict.fromkeys(row.problem for row in rows if row.problem):
        print(f"FAILED  {problem}")
    failed += sum(bool(row.problem) for row in rows)
    if len(rows) == len(TARGETS) * len(PREDICTORS) * len(models.FORMATS) and not any(row.problem for row in rows):
        models.put(f"{BUILD}/footprint.md", markdown(rows))
        if args.readme:
            put_into_readmes(rows)
    print(f"{time.time() - began:.0f} s; every count twice, the same both times")
    print(f"{max(0, len(rows) - failed)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"footprint: {problem}")
