"""mutate.py [-n N] [--seed S] [--section MARK]... [--again] [--write]: plants faults in margin_impl.h and counts which the tests find.

A fault is a changed comparison, constant, arithmetic or logic operator, or a deleted statement, in a function that is
compiled. Faults are spread over the sections by the square root of the number of places in each, so that small sections
are not missed. The same seed gives the same faults for the same header.

All faults are compiled into one test program: a function with a fault stands beside the right one, and the environment
variable MUTANT says which fault is awake. A first run without any says which tests come to which faults, and how long they take.
Faults whose machine code is that of the right function are equivalent, and so are those that tests/tools/equivalent.txt names
with a reason: they are not run. Each other fault is run through the tests that come to it, the shortest first, in float and then
for a few seconds in double, up to CAP seconds; a failed test, a crash, or three times the usual processor time finds it. Random
problems of the tests are a quarter of the usual number (tests/trials.h).

The verdicts are kept in build/mutate/run.json. --again takes over what the last run found, over the same header, and
runs the other faults: after new tests, or new lines in equivalent.txt. With --write the table of all of them goes to tests/tools/mutants.md,
each survivor with its reason, which is in tests/tools/survivors.txt.
Exit code 1: less than --goal percent of the faults that are no equivalents were found.
"""
import argparse
import bisect
import concurrent.futures
import hashlib
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutate"
LAST = WORK / "run.json"
TABLE, EQUIVALENT, SURVIVORS = (ROOT / "tests/tools" / name for name in ("mutants.md", "equivalent.txt", "survivors.txt"))
KINDS = {"float": [], "double": ["-DMARGIN_REAL_DOUBLE"]}
FLAGS = ["-std=c99", "-O1", "-w", "-ffp-contract=off", "-DTEST_SHARE=4"]
SAME = "the same machine code"
CAP, DOUBLE_CAP = 30.0, 10.0  # seconds of processor time for the tests of one fault, in all and in double
SWAPS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
         "+": ["-"], "-": ["+"], "*": ["/", "+"], "/": ["*"], "%": ["*"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
         "&&": ["||"], "||": ["&&"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "<<=": [">>="], ">>=": ["<<="],
         "|=": ["&="], "&=": ["|="]}
GROUP = {**dict.fromkeys(["<", "<=", ">", ">=", "==", "!="], "comparison"), **dict.fromkeys(["&&", "||", "!"], "logic")}
TOKEN = re.compile(r"""(?P<space>\s+)|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][-+]|[\w.])*)|
                       (?P<op>->|\+\+|--|<<=|>>=|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|<<|>>|.)""", re.X | re.S)


# ---- the header as functions ----

def blanked(text: str) -> str:
    """The text with comments, strings and preprocessor lines as blanks, so that places stay the same."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", blank, text, flags=re.M)


@dataclass
class Function:
    name: str
    section: str
    start: int      # of the signature
    body: int       # of the opening brace
    end: int        # past the closing brace
    returns: bool
    arguments: list[str]


def functions_of(text: str) -> list[Function]:
    """The functions of the header: each begins in the first column, and the next brace there closes it."""
    bare, found = blanked(text), []
    marks = [(m.start(), m[1]) for m in re.finditer(r"^/\* ---- >>(\w+) ----", text, re.M)]
    for match in re.finditer(r"^((?:[A-Za-z][^;{}#]*?))(\w+)\(([^{};]*)\) \{\n(.*?)^\}", bare, re.M | re.S):
        head, name, parameters = match[1], match[2], match[3]
        words = head.split()
        if "typedef" in words or "=" in head or name in ("defined",) or "\n\n" in match[0].split("{")[0]:
            continue
        if "#" in text[match.start():match.start(4)]:
            continue  # a signature with alternatives
        arguments = []
        for one in re.split(r",(?![^()]*\))", parameters):
            pointer = re.search(r"\(\*\s*(?:const\s+)?(\w+)\)", one)
            plain = re.search(r"(\w+)\s*(?:\[[^\]]*\])*\s*$", one)
            arguments.append((pointer or plain)[1])
        section = marks[bisect.bisect([at for at, _ in marks], match.start()) - 1][1] if marks else "all"
        found.append(Function(name, section, match.start(), match.start(4) - 2, match.end(),
                              not re.search(r"\bvoid\s*$", head), [] if parameters.strip() == "void" else arguments))
    return found


# ---- faults ----

@dataclass
class Fault:
    function: Function
    kind: str
    at: int
    to: int
    instead: str
    number: int = 0
    verdict: str = ""
    by: str = ""
    lines: tuple = field(default=("", ""))


def statements(bare: str, function: Function):
    """(start, end) of statements that are an assignment or a call: all that can be deleted."""
    for match in re.finditer(r"(?<=[;{}])(\s*)((?:\(void\)\s*)?[A-Za-z_*(+-][^;{}]*;)", bare[function.body:function.end]):
        words = match[2]
        if re.match(r"(return|const|static|typedef|goto|else|if|for|while|do|switch|case|default|struct|union|unsigned|int|uint\w*|"
                    r"int\w+_t|size_t|bool|double|float|margin_\w+|mgn_\w+)\b(?!\s*[\[(.]|->)", words) or words.startswith("(void)") \
                or re.match(r"\w+\s+\**\w+\s*[=;\[,]", words) or "MARGIN_ASSERT" in words \
                or re.match(r"[A-Z]\w+\(", words) or re.search(r"\b(return|case|default)\b", words):
            continue
        before = bare[function.body:function.body + match.start(2)]
        if before.count("(") > before.count(")"):
            continue  # the condition of a loop
        yield function.body + match.start(2), function.body + match.end(2)


def number_faults(word: str):
    if re.fullmatch(r"\d+[uUlL]*", word):
        value, suffix = re.match(r"(\d+)(\w*)", word).groups()
        return [f"{int(value) + 1}{suffix}", f"{int(value) - 1}{suffix}"] if value != "0" else [f"1{suffix}"]
    if re.fullmatch(r"[\d.]+(?:[eE][-+]?\d+)?[fF]?", word):
        return [f"(2 * {word})"]
    return []


def faults_of(text: str, functions: list[Function]) -> list[Fault]:
    bare, found = blanked(text), []
    for function in functions:
        asserted = [m.span() for m in re.finditer(r"MARGIN_ASSERT\([^;]*;", bare[function.body:function.end])]
        previous, at = "", function.body + 2
        while at < function.end - 1:
            match = TOKEN.match(bare, at)
            word, start, at = match[0], at, match.end()
            if match.lastgroup == "space":
                continue
            inside = any(a <= start - function.body < b for a, b in asserted)
            binary = re.fullmatch(r"[\w.]+|[)\]]", previous) and previous not in ("return", "case", "sizeof")
            if not inside:
                if match.lastgroup == "number":
                    found += [Fault(function, "constant", start, at, new) for new in number_faults(word)]
                elif word in SWAPS and (binary or word not in "-+*&"):
                    cast = word in "*&-+" and previous == ")" and re.search(r"\(\s*(const\s+)?\w+\s*\**\)\s*$", bare[function.body:start])
                    declared = word == "*" and re.match(r"\**\s*\w+\s*[,;=)\[]", bare[at:]) and re.search(
                        r"(?:^|[;{}(,])\s*(?:const\s+|static\s+)*\w+\s+$", bare[function.body:start] + " ")
                    if not cast and not declared:
                        found += [Fault(function, GROUP.get(word, "arithmetic"), start, at, new) for new in SWAPS[word]]
                elif word == "!" and bare[at] != "=":
                    found.append(Fault(function, "logic", start, at, ""))
                elif word == "if" and bare[at:].lstrip().startswith("("):
                    found.append(Fault(function, "logic", at, at + bare[at:].index("(") + 1, " (!"))
            previous = word
        found += [Fault(function, "deleted", a, b, ";") for a, b in statements(bare, function)]
    for fault in found:
        if fault.instead == " (!":  # negate the whole condition
            depth, end = 1, fault.to
            while depth:
                depth += {"(": 1, ")": -1}.get(bare[end], 0)
                end += 1
            fault.instead, fault.to = f" (!({text[fault.to:end - 1]}))", end
    return found


def lines_of(text: str, fault: Fault) -> tuple[str, str]:
    """The line of a fault, before and after it."""
    near = text.rfind("\n", 0, fault.at) + 1, text.find("\n", fault.to)
    after = text[near[0]:fault.at] + fault.instead + text[fault.to:near[1]]
    return " ".join(text[near[0]:near[1]].split()), " ".join(after.split())


def choose(faults: list[Fault], count: int, rng: random.Random) -> list[Fault]:
    """In random order: first as many of each section as it should have, then the rest as spares."""
    sections: dict[str, list[Fault]] = {}
    for fault in faults:
        sections.setdefault(fault.function.section, []).append(fault)
    total = sum(math.sqrt(len(of)) for of in sections.values())
    first, spare = [], []
    for name, of in sorted(sections.items()):
        groups: dict[str, list[Fault]] = {}
        for fault in of:
            groups.setdefault(fault.kind, []).append(fault)
        for group in groups.values():
            rng.shuffle(group)
        order = []  # kinds in turn, so that constants do not crowd out the others
        turns = rng.sample(sorted(groups), len(groups))
        while groups:
            order += [groups[kind].pop() for kind in turns if kind in groups]
            groups = {kind: group for kind, group in groups.items() if group}
        share = max(1, round(count * math.sqrt(len(of)) / total))
        first += order[:share]
        spare += order[share:share + 20]
    rng.shuffle(first)
    rng.shuffle(spare)
    return first + spare


# ---- the test program ----

def variant(text: str, fault: Fault, suffix: str, body: str) -> str:
    f = fault.function
    head = re.sub(r"\b(MARGIN_API|static|inline|extern)\b", "", text[f.start:f.body])
    head = re.sub(rf"\b{f.name}\(", f"{f.name}{suffix}(", head)
    return f"static {head}{body}\n\n"


def mutated_body(text: str, fault: Fault) -> str:
    f = fault.function
    return text[f.body:fault.at] + mark(fault) + fault.instead + text[fault.to:f.end]


def planted(text: str, faults: list[Fault]) -> str:
    """The header with the faults beside the right functions."""
    pieces, at = [], 0
    for function in sorted({id(f.function): f.function for f in faults}.values(), key=lambda f: f.start):
        own = [fault for fault in faults if fault.function is function]
        pieces.append(text[at:function.start])
        pieces += [variant(text, fault, f"_fault{fault.number}", mutated_body(text, fault)) for fault in own]
        pieces.append(text[function.start:function.body] + "{\n")
        for fault in own:
            pieces.append(f"mgn_reached[{fault.number}] = 1;\n")
        for fault in own:
            call = f"{function.name}_fault{fault.number}({', '.join(function.arguments)})"
            pieces.append(f"if (mgn_mutant == {fault.number}) {{ " + (f"return {call};" if function.returns else f"{call}; return;") + " }\n")
        at = function.body + 2
    return "".join(pieces) + text[at:]


def compiler(kind: str, source: Path, output: Path | None, include: Path, *more: str) -> subprocess.CompletedProcess:
    command = ["gcc", *FLAGS, *KINDS[kind], *more, f"-I{include}", f"-I{ROOT}", f"-I{ROOT / 'tests'}", f"-I{ROOT / 'build'}",
               str(source), *(["-o", str(output)] if output else [])]
    return subprocess.run(command, capture_output=True, text=True)


def put_headers(folder: Path, impl: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "margin.h", folder / "margin.h")
    (folder / "margin_impl.h").write_text("extern int mgn_mutant;\nextern char mgn_reached[];\n" + impl)


def compiled_faults(text: str, faults: list[Fault], count: int) -> list[Fault]:
    """The first so many of the faults that the preprocessor leaves in and that the compiler accepts, in float or double."""
    chosen, trying, spare = [], faults[:count], faults[count:]
    while trying:
        for i, fault in enumerate(trying):
            fault.number = i + 1
        put_headers(WORK / "try", planted(text, trying))
        good = set()
        (WORK / "try/tu.c").write_text('#define MARGIN_IMPLEMENTATION\n#include "margin.h"\n')
        for kind in KINDS:
            seen = compiler(kind, WORK / "try/tu.c", None, WORK / "try", "-E", "-P", "-C").stdout
            errors = compiler(kind, WORK / "try/tu.c", None, WORK / "try", "-fsyntax-only", "-fmax-errors=0").stderr
            wrong = set(re.findall(r"In function [‘'`]\w+_fault(\d+)[’']", errors))
            for fault in trying:
                defined = seen.find(f"{fault.function.name}_fault{fault.number}(")
                if defined < 0 or str(fault.number) in wrong:
                    continue
                if mark(fault) in seen[defined:seen.find("\n}", defined)]:  # the place is one that is compiled
                    good.add(fault.number)
        chosen += [fault for fault in trying if fault.number in good]
        need = count - len(chosen)
        trying, spare = spare[:need], spare[need:]
    for i, fault in enumerate(chosen):
        fault.number = i + 1
    return chosen


def mark(fault: Fault) -> str:
    """A comment at the place of a fault."""
    return f"/*{fault.number}*/"


# Around every test: only those of the file TESTS are run, the first that fails ends the program, and REACHED gets for each
# test its number, its name, its processor time and the faults it has come to.
HOOKS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int mgn_mutant;
char mgn_reached[1 << 12];
static char wanted[1 << 14];
static FILE *out;
static int number;
static clock_t begun;
int __real_greatest_test_pre(const char *name);
void __real_greatest_test_post(const char *name, int res);
__attribute__((constructor)) static void wake(void) {
    const char *which = getenv("MUTANT"), *tests = getenv("TESTS"), *reached = getenv("REACHED");
    mgn_mutant = which == NULL ? 0 : atoi(which);
    memset(wanted, tests == NULL, sizeof wanted);
    if (tests != NULL) {
        FILE *file = fopen(tests, "r");
        int one;
        if (file == NULL) { abort(); }
        while (fscanf(file, "%d", &one) == 1) { wanted[one] = 1; }
        fclose(file);
    }
    out = reached == NULL ? NULL : fopen(reached, "w");
}
int __wrap_greatest_test_pre(const char *name) {
    number++;
    memset(mgn_reached, 0, sizeof mgn_reached);
    begun = clock();
    return wanted[number] && __real_greatest_test_pre(name);
}
void __wrap_greatest_test_post(const char *name, int res) {
    if (res < 0) { _Exit(1); }
    if (out != NULL) {
        fprintf(out, "%d %s %f", number, name, (double)(clock() - begun) / CLOCKS_PER_SEC);
        for (int i = 0; i < 1 << 12; i++) { if (mgn_reached[i]) { fprintf(out, " %d", i); } }
        fprintf(out, "\n");
        fflush(out);
    }
    __real_greatest_test_post(name, res);
}
"""


def build(kind: str, text: str, faults: list[Fault]) -> Path:
    """The test program with all faults asleep in it."""
    folder = WORK / kind
    put_headers(folder / "include", planted(text, faults))
    (folder / "mutant.c").write_text(HOOKS)
    sources = sorted((ROOT / "tests").glob("*.c")) + [folder / "mutant.c"]
    shared = b"".join(path.read_bytes() for path in [ROOT / "margin.h", *sorted((ROOT / "tests").glob("*.h")), *sorted((ROOT / "tests").glob("*.inc"))])

    def one(source):
        text = source.read_bytes()
        if b"MARGIN_IMPLEMENTATION" in text:
            target = folder / (source.stem + ".o")
        else:  # has nothing of the faults in it: kept for the next time
            target = folder / f"{source.stem}-{hashlib.sha256(text + shared + repr(FLAGS).encode()).hexdigest()[:16]}.o"
            if target.exists():
                return target
        level = "-O1" if source.name == "margin_tu.c" else "-O0"  # nearly all time is spent in the former
        done = compiler(kind, source, target.with_suffix(".new"), folder / "include", level, "-c")
        if done.returncode:
            sys.exit(f"mutate: {source.name} does not compile:\n{done.stderr[:2000]}")
        return target.with_suffix(".new").rename(target)
    with concurrent.futures.ThreadPoolExecutor(cores()) as pool:
        objects = list(pool.map(one, sources))
    program = folder / "tests"
    done = subprocess.run(["gcc", *map(str, objects), "-lm", "-Wl,--wrap=greatest_test_pre,--wrap=greatest_test_post", "-o", str(program)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mutate: {done.stderr[:2000]}")
    return program


def cores() -> int:
    return len(os.sched_getaffinity(0))


def run(program: Path, number: int, limit: float, tests: list[int] | None = None, reached: Path | None = None) -> tuple[bool, float]:
    """Whether the tests pass with a fault awake, and the processor time they took."""
    environment = {**os.environ, "MUTANT": str(number)}
    if tests is not None:
        chosen = WORK / f"tests-{number}"
        chosen.write_text("\n".join(map(str, tests)))
        environment["TESTS"] = str(chosen)
    if reached:
        environment["REACHED"] = str(reached)

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen([str(program)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=WORK, env=environment, preexec_fn=bound)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return status == 0, usage.ru_utime + usage.ru_stime


# ---- equivalents ----

def assembly(kind: str, folder: Path) -> dict[str, str]:
    """The machine code of each function, with constants in it and labels of its own numbered from the first."""
    (folder / "tu.c").write_text('#define MARGIN_IMPLEMENTATION\n#include "margin.h"\n')
    done = compiler(kind, folder / "tu.c", folder / "tu.s", folder, "-O2", "-S", "-fno-ipa-icf", "-fno-toplevel-reorder",
                    "-fkeep-static-functions", "-fno-inline-functions-called-once", "-fno-ipa-sra", "-fno-ipa-cp", "-fno-ipa-ra")
    if done.returncode:
        return {}
    found, text = {}, (folder / "tu.s").read_text()
    constants = {name: " ".join(value.split()) for name, value in re.findall(r"^(\.LC\d+):\n((?:\t\.[a-z]+\t.*\n)+)", text, re.M)}
    for name, body in re.findall(r"^(\w+):\n(.*?)^\t\.size\t\1,", text, re.M | re.S):
        labels = dict(constants)  # a constant is its value
        body = re.sub(r"\.L\w+", lambda m: labels.setdefault(m[0], f".L{len(labels)}"), body)
        found[name] = re.sub(r"_(fault|right)(\d+)\b", "", body)
    return found


def same_code(text: str, survivors: list[Fault]) -> None:
    """Marks faults that the optimising compiler sees no difference in, in float and in double."""
    pieces, at = [], 0
    for fault in sorted(survivors, key=lambda f: f.function.start):
        f = fault.function
        if f.start > at:
            pieces.append(text[at:f.start])
            at = f.start
        for suffix, body in (("right", text[f.body:f.end]), ("fault", mutated_body(text, fault))):
            pieces.append("__attribute__((noinline)) " + variant(text, fault, f"_{suffix}{fault.number}", body))
    put_headers(WORK / "same", "".join(pieces) + text[at:])
    codes = [assembly(kind, WORK / "same") for kind in KINDS]
    for fault in survivors:
        name = fault.function.name
        pairs = [(code.get(f"{name}_right{fault.number}"), code.get(f"{name}_fault{fault.number}")) for code in codes]
        pairs = [pair for pair in pairs if pair != (None, None)]
        if pairs and all(right == wrong for right, wrong in pairs):
            fault.verdict, fault.by = "equivalent", SAME


def reasons_of(path: Path) -> dict[tuple[str, str, str], str]:
    """function, line before, line after: reason. Blocks of four lines, with blank lines between them."""
    found = {}
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.M)
    for block in re.split(r"\n\s*\n", text.strip()):
        if block:
            name, before, after, *reason = block.splitlines()
            found[name.strip(), before.strip(), after.strip()] = " ".join(reason)
    return found


# ---- all of it ----

@dataclass
class Test:
    kind: str
    number: int
    seconds: float
    reaches: set[int]


def measure(programs: dict[str, Path]) -> list[Test]:
    """Every test of every program: its processor time without a fault, and the numbers of the faults that it comes to."""
    def one(kind):
        reached, found = WORK / f"reached-{kind}", []
        if not run(programs[kind], 0, 1800, reached=reached)[0]:
            sys.exit(f"mutate: the tests fail in {kind} without any fault, after {reached.read_text().splitlines()[-1].split()[1]}")
        for line in reached.read_text().splitlines():
            number, _, seconds, *reaches = line.split()
            found.append(Test(kind, int(number), float(seconds), set(map(int, reaches))))
        return found
    with concurrent.futures.ThreadPoolExecutor(cores()) as pool:
        return [test for found in pool.map(one, programs) for test in found]


def batches(tests: list[Test]) -> list[list[Test]]:
    """The tests in groups, each some four times as long as the one before; the shortest tests first."""
    found, size, seconds = [[]], 0.3, 0.0
    for test in sorted(tests, key=lambda test: test.seconds):
        if found[-1] and seconds + test.seconds > size:
            found.append([])
            size, seconds = 4 * size, 0.0
        found[-1].append(test)
        seconds += test.seconds
    return [batch for batch in found if batch]


def try_fault(fault: Fault, programs: dict[str, Path], tests: list[Test]) -> None:
    reaching = [test for test in tests if fault.number in test.reaches]
    fault.verdict, fault.by = "survived", "" if reaching else "no test comes to it"
    spent = dict.fromkeys(KINDS, 0.0)
    for kind in KINDS:
        for batch in batches([test for test in reaching if test.kind == kind]):
            if spent[kind] > (CAP if spent["float"] == 0.0 or kind == "float" else DOUBLE_CAP):
                break
            usual = sum(test.seconds for test in batch)
            passed, seconds = run(programs[kind], fault.number, 3 * usual + 1, [test.number for test in batch])
            spent[kind] += seconds
            if not passed:
                fault.verdict, fault.by = "killed", f"in {kind} after {spent['float'] + spent['double']:.1f} s"
                return


def table(faults: list[Fault]) -> list[str]:
    rows = ["| section | faults | found | equivalent | survived |", "|---|---|---|---|---|"]
    names = sorted({fault.function.section for fault in faults})
    for name in [*names, "all"]:
        of = [fault for fault in faults if name in ("all", fault.function.section)]
        rows.append(f"| {name} | {len(of)} | " + " | ".join(str(sum(f.verdict == v for f in of)) for v in ("killed", "equivalent", "survived")) + " |")
    return rows


def share(faults: list[Fault]) -> float:
    real = [fault for fault in faults if fault.verdict != "equivalent"]
    return 100 * sum(fault.verdict == "killed" for fault in real) / len(real) if real else 100.0


def interval(found: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's formula, in percent."""
    z, p = 1.96, found / of
    middle, half = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return tuple(100 * (middle + side * half) / (1 + z * z / of) for side in (-1, 1))


def tree() -> str:
    """The commit of the tree, and whether the header is that of the commit."""
    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    commit = git("rev-parse", "--short", "HEAD").stdout.strip()
    return commit + (" with changes" if git("diff", "--quiet", "HEAD", "--", "margin_impl.h", "margin.h").returncode else "")


def known_verdicts(text: str) -> dict[tuple[str, str, str], tuple[str, str]]:
    """What the last run found, by function, line before and line after."""
    last = json.loads(LAST.read_text())
    if last["header"] != hashlib.sha256(text.encode()).hexdigest():
        sys.exit("mutate: margin_impl.h is not that of the last run: not --again")
    return {tuple(key): (verdict, by) for *key, verdict, by in last["faults"] if verdict != "survived"}


def keep(text: str, faults: list[Fault], again: bool) -> None:
    """The verdicts, and how many faults were found before any test was added for one of them."""
    first = json.loads(LAST.read_text())["first"] if again else sum(fault.verdict == "killed" for fault in faults)
    LAST.write_text(json.dumps({"header": hashlib.sha256(text.encode()).hexdigest(), "first": first,
                                "faults": [(f.function.name, *f.lines, f.verdict, f.by) for f in faults]}))


def write_table(faults: list[Fault], arguments) -> None:
    real = [fault for fault in faults if fault.verdict != "equivalent"]
    killed = sum(fault.verdict == "killed" for fault in real)
    first = json.loads(LAST.read_text())["first"]
    low, high = interval(first, len(real))
    named = [fault for fault in faults if fault.verdict == "equivalent" and fault.by != SAME]
    scope = "".join(f" --section {name}" for name in arguments.section or [])
    lines = ["# Planted faults", "", f"Made by `python3 tests/tools/mutate.py -n {arguments.n} --seed {arguments.seed}{scope} --write`; those that "
             "survived at first were run again after", f"tests were added. The header is that of commit {tree()}.", "",
             f"{killed} of the {len(real)} faults that are no equivalents are found: {share(faults):.1f} %. The tests as they stood before found "
             f"{first}: {100 * first / len(real):.1f} %", f"(95 % interval {low:.1f} to {high:.1f} %), which is what to expect of other faults. "
             f"Equivalents: {len(faults) - len(real)}, {len(faults) - len(real) - len(named)} by the same machine code,",
             f"{len(named)} named in equivalent.txt with a reason.", "", *table(faults), "", "Those that survive, each with its reason:", ""]
    reasons = reasons_of(SURVIVORS)
    for f in faults:
        if f.verdict == "survived":
            lines.append(f"- {f.function.section} `{f.function.name}`: `{f.lines[0]}` became `{f.lines[1]}`.\n  "
                         + reasons.get((f.function.name, *f.lines), "No reason is known."))
    TABLE.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Plants faults in margin_impl.h and counts which the tests find.")
    parser.add_argument("-n", type=int, default=40, help="faults (default 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--section", action="append", help="only in this section; may be given several times")
    parser.add_argument("--goal", type=float, default=95.0, help="percent that must be found")
    parser.add_argument("--again", action="store_true", help="only the faults that the last run did not find")
    parser.add_argument("--write", action="store_true", help="keep the table in tests/tools/mutants.md")
    arguments = parser.parse_args()
    text, begun = (ROOT / "margin_impl.h").read_text(), time.monotonic()
    functions = functions_of(text)
    faults = [f for f in faults_of(text, functions) if not arguments.section or f.function.section in arguments.section]
    print(f"{len(functions)} functions, {len(faults)} places; {arguments.n} faults by seed {arguments.seed}", flush=True)
    faults = compiled_faults(text, choose(faults, arguments.n, random.Random(arguments.seed)), arguments.n)
    for fault in faults:
        fault.lines = lines_of(text, fault)
    known = known_verdicts(text) if arguments.again else {}
    for fault in faults:
        fault.verdict, fault.by = known.get((fault.function.name, *fault.lines), ("", ""))
    same_code(text, [fault for fault in faults if not fault.verdict])
    reasons = reasons_of(EQUIVALENT)
    for fault in faults:
        reason = reasons.get((fault.function.name, *fault.lines))
        if reason is not None:
            fault.verdict, fault.by = "equivalent", reason
    running = [fault for fault in faults if not fault.verdict]
    if running:
        programs = {kind: build(kind, text, running) for kind in KINDS}
        tests = measure(programs)
        print(*(f"{kind}: {sum(test.seconds for test in tests if test.kind == kind):.0f} s of tests" for kind in KINDS), sep=", ", flush=True)
        with concurrent.futures.ThreadPoolExecutor(cores()) as pool:
            for fault, _ in zip(running, pool.map(lambda f: try_fault(f, programs, tests), running)):
                print(f"{fault.verdict} {fault.by}: {fault.function.section} {fault.function.name}: {fault.lines[0]}  ->  {fault.lines[1]}", flush=True)
    keep(text, faults, arguments.again)
    for verdict in ("equivalent", "survived"):
        for fault in faults:
            if fault.verdict == verdict:
                print(f"{verdict} in {fault.function.section}: {fault.function.name}: {fault.lines[0]}  ->  {fault.lines[1]}: {fault.by}")
    print("\n".join(table(faults)))
    found = share(faults)
    print(f"{found:.1f} % of the faults that are no equivalents found, {(time.monotonic() - begun) / 60:.0f} minutes")
    if arguments.write:
        write_table(faults, arguments)
    return 0 if found >= arguments.goal else 1


if __name__ == "__main__":
    sys.exit(main())
