"""stack.py -- the most stack that any call of each public function of PART I takes, on microcontrollers.

    python3 ports/stack.py [--target NAME]... [--write | --check]
        prints a table; --write: gen/cost_table.py and ports/README.md; --check: fails where ports/README.md promises less

The compiler says how large the frame of each function of the library is; the linked program says which functions each one
calls, the compiler's helpers included, and how much those push. The deepest path is the answer: no input needs more. That
needs no recursion, frames of a fixed size, and calls through pointers to known functions only, which is checked. On AVR
the return address is counted; -Os and -O2 are both looked at. `make footprint` holds it against the stacks that it paints.
"""
from __future__ import annotations

import argparse
import bisect
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import models
from targets import ROOT, TARGETS, Problem, Target, call, chosen

DEVICES = ("cortex-m", "riscv", "avr")
SHOWN = ("cortex-m0", "cortex-m4f", "rv32imc", "atmega328p")  # columns of the table in ports/README.md
LEVELS = ("-Os", "-O2")
POINTER, AIMS = "mgn_visit", "mgn_visit_"  # the one type of pointers to functions in PART I, and how all that they point to begin


# ---- one program ----

def frames_of(target: Target, library: str) -> dict[str, int]:
    """Bytes of the frame of each function of the library, by the compiler."""
    found: dict[str, int] = {}
    with open(os.path.join(ROOT, library[:-2] + ".su"), encoding="utf-8") as file:
        for name, size, kind in re.findall(r"^\S+:\d+:\d+:(\S+)\t(\d+)\t(\S+)$", file.read(), re.M):
            if kind != "static":
                raise Problem(f"{target.name}: the frame of {name} has no fixed size")
            found[name] = max(found.get(name, 0), int(size))
    return found


def registers(text: str) -> int:
    """How many registers a list names.

    >>> registers("{r4, r5, r6, lr}"), registers("{d8-d15}"), registers("sp!, {r4-r7, lr}")
    (4, 8, 5)
    """
    count = 0
    for word in re.search(r"{(.*)}", text).group(1).split(","):
        ends = [int(re.sub(r"\D", "", end) or 0) for end in word.split("-")]
        count += ends[-1] - ends[0] + 1
    return count


def pushed(code: str, words: str) -> int:
    """Bytes that one instruction takes from the stack, in the compiler's helpers."""
    if code in ("push", "push.w", "stmdb", "stmfd", "vpush", "vstmdb") and "{" in words:
        if not code.startswith("v") and "sp" not in words.split("{")[0] and not code.startswith("push"):
            return 0
        return registers(words) * (8 if "{d" in words else 4)
    if code == "push":
        return 1
    moved = re.fullmatch(r"sp, (?:sp, )?#(\d+).*", words) if code.startswith("sub") else \
        re.fullmatch(r"sp,sp,-(\d+)", words) if code in ("addi", "add", "c.addi16sp") else \
        re.fullmatch(r"\w+, \[sp, #-(\d+)\]!", words) if code.startswith("str") else None
    return int(moved.group(1)) if moved else 0


class Program:
    """The functions of a linked program: what each calls, and what it pushes itself. Labels inside of the compiler's helpers
    look like functions that jump to each other: all that are so connected are one function."""
    ENDS = re.compile(r"bx|b|b\.n|b\.w|ret|reti|j|jr|jmp|rjmp|ijmp|\.word|\.short|udf|nop")
    JUMPS = re.compile(r"b(?!lx?$)|cb|j(?!al)|rjmp|tail")
    CALLS = re.compile(r"blx?$|jal|r?call")

    def __init__(self, target: Target, elf: str, own: dict[str, int]):
        self.back = 0 if target.family != "avr" else 3 if target.flash > 128 * 1024 else 2  # bytes of a return address on the stack
        self.own, self.same = own, {}  # frames of the library's functions; label -> another one of the same helper
        self.calls: dict[str, set[str]] = {}
        self.pushes: dict[str, int] = {}
        self.pointers: set[str] = set()  # functions that call what a register points to
        lines = re.findall(r"^([0-9a-f]+) (.{7}) \.text\S*\t[0-9a-f]+ (?:\.hidden )?(\w[\w.]*)$",
                           call([f"{target.tools}objdump", "-t", elf]).stdout, re.M)
        self.tables = {name for _, flags, name in lines if "O" in flags}  # on AVR constants stand among the code
        named = {int(place, 16) & ~target.thumb: name for place, _, name in sorted(lines, key=lambda s: self.frame(s[2]) is not None)}
        self.places = sorted(named.items())
        for name in named.values():
            self.calls[name], self.pushes[name] = set(), 0
        name, last, text = "", "ret", call([f"{target.tools}objdump", "-d", "--no-show-raw-insn", elf]).stdout
        for place, code, words in re.findall(r"^ +([0-9a-f]+):\t(\S+) *\t?(.*)$", text, re.M):
            before, (name, _) = name, self.at(int(place, 16))
            if name in self.tables:
                continue
            if before not in ("", name) and self.frame(before) is None and not self.ENDS.fullmatch(last):
                self.jump(before, name)  # a helper that goes on in the next one
            self.take(name, code, words)
            last = code if "pc}" not in words else "ret"

    def at(self, place: int) -> tuple[str, int]:
        """The function at an address, and how far behind its beginning that is."""
        begin, name = self.places[bisect.bisect_right(self.places, (place, "\x7f")) - 1]
        return name, place - begin

    def frame(self, name: str) -> int | None:
        """Of a function of the library, also where the compiler has made a special one of it."""
        return self.own.get(name.split(".")[0])

    def jump(self, name: str, aim: str) -> None:
        if self.frame(name) is None and self.frame(aim) is None:
            self.same[self.first(aim)] = self.first(name)
        elif name != aim:
            self.calls[name].add(aim)

    def first(self, name: str) -> str:
        """The label that stands for all of its helper."""
        while self.same.get(name, name) != name:
            name = self.same[name]
        return name

    def take(self, name: str, code: str, words: str) -> None:
        found = re.search(r"\b(?:0x)?([0-9a-f]+) <", words)
        aim, offset = self.at(int(found.group(1), 16)) if found else ("", 0)
        if aim and (self.JUMPS.match(code) or aim == name and offset):  # on a Cortex-M0 a far jump inside is a bl
            self.jump(name, aim)
        elif aim and self.CALLS.match(code):
            self.calls[name].add(aim)
        elif self.CALLS.match(code) or code in ("icall", "eicall"):
            self.pointers.add(name)
        self.pushes[name] += pushed(code, words)

    def merged(self) -> tuple[dict[str, set[str]], dict[str, int]]:
        """Calls and frames with one name for each helper."""
        calls: dict[str, set[str]] = {}
        frames: dict[str, int] = {}
        for name, aims in self.calls.items():
            one, aims = self.first(name), set(map(self.first, aims))
            if self.frame(name) is not None:
                frames[one] = self.frame(name)
            else:  # helpers call parts of themselves, but do not recur
                frames[one] = frames.get(one, self.back) + self.pushes[name] + self.back * (one in aims)
                aims.discard(one)
            calls.setdefault(one, set()).update(aims)
        return calls, frames


def deepest(calls: dict[str, set[str]], frames: dict[str, int]) -> dict[str, int]:
    """The most stack below each function, its own frame included.

    >>> deepest({"a": {"b", "c"}, "b": {"c"}, "c": set()}, {"a": 8, "b": 4, "c": 16})["a"]
    28
    """
    found: dict[str, int] = {}

    def visit(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise Problem(f"{' -> '.join(above)} -> {name}: recursion")
        if name not in found:
            found[name] = frames[name] + max((visit(other, (*above, name)) for other in sorted(calls[name])), default=0)
        return found[name]

    for name in calls:
        visit(name, ())
    return found


def check_pointers() -> None:
    """All pointers to functions in PART I are of the one type that is known here."""
    with open(os.path.join(ROOT, "margin_impl.h"), encoding="utf-8") as file:
        part = file.read().split("PART II")[-2]
    found = re.findall(r"\(\*(\w+)\)\(", part)
    if found != [POINTER]:
        raise Problem(f"margin_impl.h: pointers to functions in PART I: {', '.join(found)}; known is {POINTER}")


def bounds(target: Target) -> dict[str, int]:
    """The most stack of each public function on a target, at any level."""
    found: dict[str, int] = {}
    for level in LEVELS:
        library = target.compile("ports/common/library.c", f"stack{level}", [level, "-DMARGIN_PREDICT_ONLY", "-fstack-usage"])
        objects = [library] + ([target.compile("ports/common/memory.c", "stack-memory", ["-Os"])] if target.memory else [])
        elf = f"{target.folder}/stack{level}.elf"
        libraries = ["-lgcc", "-lm", "-lc"] if target.family == "avr" else target.libraries
        call([*target.cc, "-nostartfiles", "-nostdlib", "-static", "-Wl,-e,0", *objects, *libraries, "-o", elf])
        public = re.findall(r"^[0-9a-f]+ T (margin_\w+)$", call([f"{target.tools}nm", library]).stdout, re.M)
        program = Program(target, elf, frames_of(target, library))
        for name in (name for name in program.pointers if program.frame(name) is not None):
            program.calls[name] |= {aim for aim in program.calls if aim.startswith(AIMS)}
        deep = deepest(*program.merged())
        for name in public:
            found[name] = max(found.get(name, 0), deep[name])
    return found


# ---- tables ----

def predictors(found: dict[str, int]) -> dict[str, int]:
    """Those functions that exported headers call."""
    return {name: most for name, most in found.items() if re.search(r"_(scores?|ask|find|decide|prepare|project|pick)(_q|_q15|_q7)?$", name)}


def markdown(table: dict[str, dict[str, int]]) -> str:
    """One line for all functions with the same numbers."""
    rows: dict[tuple[int, ...], list[str]] = {}
    for name in table[SHOWN[0]]:
        rows.setdefault(tuple(table[target][name] for target in SHOWN), []).append(name)
    lines = ["| " + " | ".join(("function", *SHOWN)) + " |", "|" + "---|" * (1 + len(SHOWN))]
    for numbers, names in rows.items():
        lines.append(f"| {', '.join(f'`{name[7:]}`' for name in names)} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines) + "\n"


def show(table: dict[str, dict[str, int]]) -> None:
    names = next(iter(table.values()))
    wide = max(map(len, names))
    print(" " * wide, *table)
    for name in names:
        print(name.ljust(wide), *(f"{table[target][name]:>{len(target)}}" for target in table))


def promised() -> dict[tuple[str, str], int]:
    """The table in ports/README.md: of each function and target, the most stack."""
    with open("ports/README.md", encoding="utf-8") as file:
        lines = file.read().split("<!-- stack -->")[1].split("<!-- /stack -->")[0].strip().split("\n")
    targets = lines[0].strip("| ").split(" | ")[1:]
    found = {}
    for line in lines[2:]:
        names, *numbers = line.strip("| ").split(" | ")
        found.update({(f"margin_{name}", target): int(most) for name in re.findall(r"`(\w+)`", names) for target, most in zip(targets, numbers)})
    return found


def check(table: dict[str, dict[str, int]]) -> int:
    """Whether every function keeps to the table in ports/README.md; what does not is printed."""
    known = promised()
    cells = [(name, target, most) for target in table if target in SHOWN for name, most in table[target].items()]
    broken = [(name, target, most) for name, target, most in cells if most > known.get((name, target), -1)]
    for name, target, most in broken:
        print(f"{name} on {target}: {most} bytes, ports/README.md says {known.get((name, target), 'nothing')}")
    print(f"{len(cells) - len(broken)} passed, {len(broken)} failed")
    return 1 if broken or not cells else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="The most stack of each public function of PART I.")
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--write", action="store_true", help=f"write {models.COSTS} and the table in ports/README.md")
    parser.add_argument("--check", action="store_true", help="fail where a function takes more than ports/README.md says")
    args = parser.parse_args()
    os.chdir(ROOT)
    check_pointers()
    targets = chosen(args.target, [target for target in TARGETS if target.family in DEVICES])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        table = dict(zip((target.name for target in targets), pool.map(bounds, targets)))
    if args.check:
        return check(table)
    show(table)
    if args.write and not args.target:
        known = models.known_costs()
        models.put_costs({name: {**entry, "stacks": predictors(table.get(name, {}))} for name, entry in known.items()})
        models.put_between("ports/README.md", "stack", markdown(table))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"stack: {problem}")
