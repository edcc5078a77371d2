"""footprint.py -- bytes, stack and instructions of the predictors on every target: `make footprint`.

    python3 ports/footprint.py [--target NAME]... [--predictor linear|rbf|poly]... [--format f32|q15|q7]... [--markdown FILE]

Programs stay in build/ports/TARGET/: `arm-none-eabi-objdump -d build/ports/cortex-m4f/rbf_q15-O2.elf`.
"""
from __future__ import annotations

import argparse
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import models
from targets import ROOT, TARGETS, Problem, Target, build_counters, call, chosen

PREDICTORS = ("linear", "rbf", "poly")
SHAPE = {"linear": 30, "rbf": 99 * 30, "poly": 99 * 30}  # products of a feature that a prediction makes


@dataclass
class Row:
    target: str
    predictor: str
    format: str
    code: int = 0      # bytes of the library's functions at -Os
    helpers: int = 0   # bytes of the compiler's own: soft float, division
    model: int = 0     # bytes of tables and struct
    ram: int = 0       # .data and .bss of library and model
    stack: int = 0     # worst of -Os and -O2
    count: int = 0     # instructions or cycles at -O2, 0: not counted
    problem: str = ""

    @property
    def each(self) -> float:
        return self.count / SHAPE[self.predictor]


def parts(map_file: str) -> dict[str, dict[str, int]]:
    """Bytes of each object (or of the compiler's library) by section, after what is not used was dropped."""
    with open(os.path.join(ROOT, map_file), encoding="utf-8") as file:
        text = file.read().split("Linker script and memory map", 1)[1]
    found: dict[str, dict[str, int]] = {}
    for section, size, path in re.findall(r"^ (\.[\w.$-]+)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+) (\S+)$", text, re.M):
        owner = "helpers" if ".a(" in path or "start-memory" in path else os.path.basename(path)
        kind = re.match(r"\.(text|rodata|data|bss|progmem|srodata|sdata|sbss|vectors|init)", section)
        if kind:
            sizes = found.setdefault(owner, {})
            sizes[kind.group(1)] = sizes.get(kind.group(1), 0) + int(size, 16)
    return found


def total(sizes: dict[str, int], *kinds: str) -> int:
    return sum(sizes.get(kind, 0) for kind in kinds)


def function_of(predictor: str, form: str) -> str:
    if form == "f32":
        return "margin_linear_scores" if predictor == "linear" else "margin_expansion_scores"
    return f"margin_{predictor}_{form}_scores"


def code_of(target: Target, library: str, function: str) -> tuple[int, int]:
    """Bytes of code and constants that a predictor brings into a program: the library's, and the compiler's helpers."""
    objects = [library] + ([f"{target.folder}/start-memory.o"] if target.memory else [])
    out = f"{target.folder}/only_{function}"
    if target.family == "wasm":
        call([*target.cc, *target.link, *objects, f"-Wl,--export={function}", "-o", out])
        return int(re.search(r"CODE +([0-9a-f]+)", call(["llvm-objdump", "-h", out]).stdout).group(1), 16), 0
    call([*target.cc, "-nostartfiles", "-nostdlib", "-Wl,--gc-sections", "-static", f"-Wl,-e,{function}", *objects,
          *(["-lgcc", "-lm", "-lc"] if target.family == "avr" else target.libraries), f"-Wl,-Map={out}.map", "-o", out])
    found = parts(f"{out}.map")
    sizes = [total(found.get(owner, {}), "text", "rodata", "srodata", "progmem")
             for owner in (os.path.basename(library), "helpers")]
    return sizes[0], sizes[1]


def ram_of(target: Target, elf: str, library: str, model: str) -> int:
    """On AVR constants that are not in PROGMEM take RAM too: the structs of models."""
    kinds = ["data", "bss", "sdata", "sbss"] + (["rodata"] if target.family == "avr" else [])
    if target.family == "wasm":
        return 0  # wasm-ld's map has another form; `make symbols` sees that the library has no such data
    found = parts(elf + ".map")
    return sum(total(found.get(os.path.basename(name), {}), *kinds) for name in (library, model))


def measure(target: Target, predictor: str, form: str) -> Row:
    row, upper = Row(target.name, predictor, form), f"wdbc_{predictor}_{form}".upper()
    defines = [f"-DMODEL=wdbc_{predictor}_{form}", f"-DMODEL_UPPER={upper}",
               f'-DMODEL_HEADER="wdbc_{predictor}_{form}.h"'] + (["-DMODEL_INTEGER"] if form != "f32" else [])
    for level in ("-Os", "-O2"):
        flags, tag = [level, *defines], f"{predictor}_{form}{level}"
        objects = [target.compile(f"ports/common/{name}.c", f"{name}-{tag}", flags) for name in ("model", "footprint", "nothing")]
        library = f"{target.folder}/predict{level}.o"
        starts = [f"{target.folder}/start-{name}.o" for name in start_names(target)]
        elf = target.program([*starts, *objects, library], tag)
        ran = target.execute(elf, count=True)
        said = re.search(r"stack (\d+) model (\d+) selftest (\d+)", ran.text)
        if ran.code or not said:
            raise Problem(f"{target.name} {tag}: exit code {ran.code}: {ran.text}")
        row.stack, row.model = max(row.stack, int(said.group(1))), int(said.group(2))
        if level == "-Os":
            row.code, row.helpers = code_of(target, library, function_of(predictor, form))
            row.ram = ram_of(target, elf, library, objects[0])
        elif target.unit:
            again = target.execute(elf, count=True)
            if again.counts != ran.counts or len(ran.counts) != 8:
                raise Problem(f"{target.name} {tag}: two runs counted {ran.counts} and {again.counts}")
            row.count = max(of - nothing for nothing, of in zip(ran.counts[0::2], ran.counts[1::2]))
    return row


def start_names(target: Target) -> list[str]:
    return ["start", "report", "stack", "mark"] + (["memory"] if target.memory else [])


def prepare(target: Target) -> None:
    target.start(["-Os"])
    for level in ("-Os", "-O2"):
        target.compile("ports/common/library.c", f"predict{level}", [level, "-DMARGIN_PREDICT_ONLY"])


def measured(job: tuple[Target, str, str]) -> Row:
    try:
        return measure(*job)
    except Problem as problem:
        return Row(job[0].name, job[1], job[2], problem=str(problem))


HEAD = ("target", "predictor", "format", "code", "helpers", "model", "RAM", "stack", "count", "each")


def cells(row: Row) -> tuple[str, ...]:
    if row.problem:
        return (row.target, row.predictor, row.format, *["-"] * 7)
    count = (f"{row.count:,}", f"{row.each:.2f}") if row.count else ("-", "-")
    return (row.target, row.predictor, row.format, *map(str, (row.code, row.helpers, row.model, row.ram, row.stack)), *count)


def show(rows: list[Row]) -> None:
    table = [HEAD, *map(cells, rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    for line in table:
        print("  ".join(cell.ljust(w) if i < 3 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip())
    for row in rows:
        if row.problem:
            print(f"{row.target} {row.predictor} {row.format}: {row.problem.strip().splitlines()[-1]}", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description="Bytes, stack and instructions of the predictors on every target.")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--predictor", action="append", choices=PREDICTORS)
    parser.add_argument("--format", action="append", choices=models.FORMATS)
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="targets at a time")
    args = parser.parse_args()
    os.chdir(ROOT)
    began = time.time()
    targets = chosen(args.target, TARGETS)
    build_counters()
    models.build(models.WDBC)
    with ThreadPoolExecutor(args.j) as pool:
        list(pool.map(prepare, targets))
        jobs = [(t, p, f) for t in targets for p in args.predictor or PREDICTORS for f in args.format or models.FORMATS]
        rows = list(pool.map(measured, jobs))
    show(rows)
    print(f"{time.time() - began:.0f} s")
    return 1 if any(row.problem for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"footprint: {problem}")
