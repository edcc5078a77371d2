"""suite.py -- the same suite on every target, bit for bit: `make ports`.

    python3 ports/suite.py [--target NAME]... [--test NAME]...

Builds ports/common/suite*.c for each target and for the host, runs them, and compares the hash of every test with the
host's; with --target only one build of the host is there, gcc -O2. The last line is `N passed, N failed`; a cell that
differs fails, unless the platform is known to be at fault.
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
from targets import HOSTS, OTHER_LEVELS, PROCESSES, ROOT, TARGETS, Problem, Target, TooLarge, build_counters, chosen

PARTS = ("suite_math", "suite_linalg", "suite_models", "suite_training", "suite_solvers", "suite_integers",
         "suite_images")
PREDICT = ("suite_models", "suite_integers")
FLASH = "model_"  # tests whose models are in flash; all others have theirs in RAM
SHORT = {"cortex-m0": "M0", "cortex-m3": "M3", "cortex-m4f": "M4F", "cortex-m7": "M7", "cortex-m33": "M33",
         "cortex-m55": "M55", "cortex-m0-O2": "M0-2", "cortex-m3-Os": "M3-s", "cortex-m4f-Os": "M4F-s", "rv32imc": "RV32", "rv32imafc": "RV32F", "atmega328p": "328P", "atmega2560": "2560",
         "wasm32": "wasm", "aarch64": "arm64", "armv7": "arm32", "host-gcc": "gcc", "host-gcc-O0": "gcc0", "host-clang": "clang",
         "host-clang-O0": "clang0"}


@dataclass
class Cell:
    """How one test went on one target."""
    hash: str = ""
    said: str = ""   # why it failed by itself
    large: str = ""  # why it cannot be there


def tests() -> dict[str, str]:
    """Names of all tests and the text of their bytes, in the order of the list."""
    with open(os.path.join(ROOT, "ports/common/suite.h"), encoding="utf-8") as file:
        return dict(re.findall(r"^(?:    |#define \w+\(X\) )X\((\w+), (.*)\)\s*\\?$", file.read(), re.M))


def read(text: str) -> tuple[dict[str, Cell], str]:
    """Cells and the line about the stack."""
    cells = {name: Cell(hash_, said.strip()) for name, hash_, said in re.findall(r"^(\w+) ([0-9a-f]{8})( \w+)?$", text, re.M)}
    stack = re.search(r"^stack (\d+) of (\d+)$", text, re.M)
    return cells, f"{stack.group(1)} of {stack.group(2)}" if stack else ""


class Suite:
    """The suite on one target."""

    def __init__(self, target: Target):
        self.target, self.cells, self.problem, self.stack, self.size = target, {}, "", "", 0

    def run(self, names: list[str]) -> "Suite":
        try:
            if self.target.family == "avr":
                self.run_each(names)
            else:
                self.run_all(names)
        except Problem as problem:
            self.problem = str(problem)
        return self

    def compile(self, flavour: str, flags: list[str], parts: tuple[str, ...]) -> list[str]:
        flags = [self.target.optimise, *flags]
        # The library with the compiler's own defaults, as build systems of boards call it: gcc then fuses products and sums
        # wherever a source allows it. The suite's own arithmetic is that of -std=c99, where it never does.
        library = self.target.compile("ports/common/library.c", f"library{flavour}", [*flags, "-std=gnu11"])
        return [library] + [self.target.compile(f"ports/common/{part}.c", f"{part}{flavour}", flags) for part in parts]

    def run_all(self, names: list[str]) -> None:
        target = self.target
        start = target.start([target.optimise])
        if target.predict:
            main = target.compile("ports/common/suite.c", "suite", [target.optimise, "-DSUITE_PREDICT"])
            self.run_program([main, *self.compile("", ["-DMARGIN_PREDICT_ONLY"], PREDICT), *start], "suite")
            return
        objects = self.compile("", [], PARTS) + start
        try:
            self.run_program([target.compile("ports/common/suite.c", "suite", [target.optimise]), *objects], "suite")
        except TooLarge:  # in two programs
            for half in ("PREDICT", "REST"):
                main = target.compile("ports/common/suite.c", f"suite-{half}", [target.optimise, f"-DSUITE_{half}"])
                self.run_program([main, *objects], f"suite-{half}")

    def run_program(self, objects: list[str], name: str) -> None:
        ran = self.target.execute(self.target.program(objects, name))
        cells, stack = read(ran.text)
        self.cells |= cells
        if stack and int(stack.split()[0]) > int((self.stack or "0").split()[0]):
            self.stack = stack
        if ran.code and not any(cell.said for cell in cells.values()) or not stack:
            self.problem = f"exit code {ran.code}: {ran.text[-300:]}"

    def run_each(self, names: list[str]) -> None:
        """One program a test: an AVR holds no more."""
        target, most = self.target, 0
        start = target.start([target.optimise])
        kinds = {False: start + self.compile("-ram", ["-DPORT_MODELS_IN_RAM", "-mcall-prologues"], tuple(p for p in PARTS if p != "suite_models")),
                 True: start + self.compile("-flash", ["-DMARGIN_PREDICT_ONLY"], ("suite_models",))}
        room = tests()
        for name in names:
            only = [f"-DSUITE_ONLY={name}", f"-DSUITE_BYTES={room[name]}", "-DPORT_MODELS_IN_RAM", target.optimise]
            main = target.compile("ports/common/suite.c", f"suite-{name}", only)
            try:
                elf = target.program([main, *kinds[name.startswith(FLASH)]], f"suite-{name}")
            except TooLarge as problem:
                self.cells[name] = Cell(large=str(problem))
                continue
            ran = target.execute(elf)
            cells, stack = read(ran.text)
            self.cells |= cells
            if stack and int(stack.split()[0]) > most:
                most, self.stack = int(stack.split()[0]), stack
            if name not in cells or ran.code and not cells[name].said:
                self.cells[name] = Cell(said=f"exit code {ran.code}, stack {stack or 'lost'}")


def verdict(target: Target, name: str, cell: Cell | None, expected: str) -> str:
    """The word in the table; those in capitals are failures."""
    if target.predict and not (name.startswith(FLASH) or name == "integer_models"):
        return "-"
    if cell is None:
        return "NONE"
    if cell.large:
        return "large"
    if cell.said:
        return "FAIL"
    if cell.hash == expected:
        return "="
    return "known" if name in target.known else "DIFF"


def table(suites: list[Suite], names: list[str]) -> tuple[list[list[str]], list[str]]:
    """Head and rows, and what there is to say about single cells."""
    expected = {name: suites[0].cells.get(name, Cell()).hash for name in names}
    rows, remarks, large = [["test", *(SHORT.get(s.target.name, s.target.name) for s in suites)]], [], {}
    for name in names:
        words = [verdict(s.target, name, s.cells.get(name), expected[name]) for s in suites]
        rows.append([name, *words])
        for suite, word in zip(suites, words):
            cell = suite.cells.get(name, Cell())
            if word == "known":
                remarks.append(f"known    {suite.target.name} {name}: {suite.target.known[name]}")
            elif word == "large":
                large.setdefault(suite.target.name, []).append(f"{name} ({cell.large})")
            elif word not in ("=", "-"):
                remarks.append(f"{word:8} {suite.target.name} {name}: {cell.said or cell.hash or 'not run'}, host {expected[name]}")
    remarks += [f"large    {target}: {', '.join(what)}" for target, what in large.items()]
    remarks += [f"FAILED   {s.target.name}: {s.problem}" for s in suites if s.problem]
    return rows, remarks


def show(rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description="The same suite on every target, bit for bit.")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--test", action="append", default=[])
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="targets at a time")
    args = parser.parse_args()
    os.chdir(ROOT)
    began, names = time.time(), [name for name in tests() if not args.test or name in args.test]
    targets = [*(HOSTS[:1] if args.target else HOSTS), *chosen(args.target, TARGETS + OTHER_LEVELS + PROCESSES)]
    build_counters()
    models.build(models.SUITE | models.WDBC)
    with ThreadPoolExecutor(args.j) as pool:
        suites = list(pool.map(lambda target: Suite(target).run(names), targets))
    rows, remarks = table(suites, names)
    show(rows)
    print(*remarks, sep="\n")
    for suite in suites:
        print(f"{suite.target.name}: most stack {suite.stack or 'unknown'} bytes")
    words = [word for row in rows[1:] for word in row[1:]]
    failed = sum(word.isupper() for word in words) + sum(bool(s.problem) for s in suites)
    print(f"{len(names)} tests, {len(targets)} targets, {words.count('known')} known defects, {words.count('large')} too large; "
          f"{time.time() - began:.0f} s")
    print(f"{words.count('=')} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"ports: {problem}")
