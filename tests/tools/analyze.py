"""analyze.py TOOL...: static analysers over both headers, in those of the builds float, double and predictors alone in which
they may find something new.

Each sees the headers and, behind them, the defects of seeded_bugs.h. It passes if it finds those defects that name it and
says nothing else: an analyser that gives up early, or does not look into headers, is silent too.

    gcc             warnings beyond those that every build has
    gcc-O0, gcc-O2  -fanalyzer. Its time, and clang's, explodes with the depth of calls. So clang sees the predictors
    clang-analyzer  as a whole; and gcc -O0 and clang all functions, gcc -O2 those of the predictors, piece by piece, a
                    section or some 300 lines of it, the functions of all other pieces (but the arena's) declared only
    clang           -Weverything
    clang-tidy      the checks of .clang-tidy
    cppcheck
    length          no function has more than 60 lines
    misra           MISRA C:2012 of the predictors by cppcheck's addon, against the deviations in misra.md
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

BUILD = "build/analyze"
BUGS = "tests/tools/seeded_bugs.h"
RECORD = "tests/tools/misra.md"
SWITCHES = {"float": "-UMARGIN_REAL_DOUBLE", "double": "-DMARGIN_REAL_DOUBLE", "predict": "-DMARGIN_PREDICT_ONLY"}
BASIC = ["platform", "status", "arena"]  # sections whose functions are seen with every other section
LONGEST = 60
PIECE = 300  # lines
SECONDS = 300  # of CPU, for one run; gcc's analyser takes some 5 for a piece
# Builds in which an analyser sees the headers as a whole, and that in which it sees them piece by piece. What another one
# would add is little: float and double differ in a few constants, and without trainers there is less of the same.
WHOLE = {"gcc": ["float"], "clang": ["float", "double", "predict"], "clang-analyzer": ["predict"],
         "clang-tidy": ["float", "predict"], "cppcheck": ["double", "predict"]}
PIECES = {"gcc-O0": "float", "gcc-O2": "predict", "clang-analyzer": "double"}
DEEP = {"gcc-O0", "gcc-O2", "clang-analyzer"}

# What the library asserts, and the tests check in all their runs, analysers may take for true.
ASSERT = "-DMARGIN_ASSERT(x)=do { if (!(x)) { __builtin_unreachable(); } } while (0)"
COMPILE = ["-std=c99", "-I.", "-ffreestanding", "-Dalways_inline=", ASSERT, "-c", "-o", "/dev/null"]
MORE = ["-Wall", "-Wextra", "-Wpedantic", "-Wcast-align=strict", "-Wcast-qual", "-Wduplicated-branches", "-Wduplicated-cond",
        "-Wlogical-op", "-Wmissing-prototypes", "-Wnull-dereference", "-Wredundant-decls", "-Wswitch-default",
        "-Wswitch-enum", "-Wwrite-strings"]
COMMANDS = {
    "gcc": ["gcc", "-O2", *MORE, *COMPILE],
    "gcc-O0": ["gcc", "-O0", "-fanalyzer", "-fkeep-static-functions", *COMPILE],
    "gcc-O2": ["gcc", "-O2", "-fanalyzer", "-fkeep-static-functions", *COMPILE],
    # Padding is no defect; comparing floats for equality is meant where it is done (special values, ties); a cast says what
    # it does before a call as well as before a variable; the language is C99, in which a name is declared where it gets its value.
    "clang": ["clang", "-fsyntax-only", "-Weverything", "-Wno-padded", "-Wno-float-equal", "-Wno-bad-function-cast", "-Wno-declaration-after-statement",
              *COMPILE[:-3]],
    "clang-analyzer": ["clang", "--analyze", "--analyzer-output", "text", *COMPILE[:-2]],
    "clang-tidy": ["clang-tidy", "--quiet", "--checks=-clang-analyzer-*", "FILE", "--", *COMPILE],
    # Wrong about code like ours: knownConditionTrueFalse forgets that neither x < 0 nor x >= 0 holds for NaN and takes
    # n < 16 ? n : 16 for 0; variableScope does not see that a value lives on in the next turn of a loop;
    # useStandardLibrary wants memset, which a freestanding library has not.
    # cppcheck knows no predefined macros: without these it meets an #error in margin.h and looks no further.
    "cppcheck": ["cppcheck", "--quiet", "--language=c", "--std=c99", "--enable=warning,style,performance,portability",
                 "--inconclusive", "--suppress=knownConditionTrueFalse", "--suppress=variableScope",
                 "--suppress=useStandardLibrary", "-DFLT_MANT_DIG=24",
                 "-DDBL_MANT_DIG=53", "-DSIZE_MAX=18446744073709551615ul", "-DUINT32_MAX=4294967295u",
                 "-I.", "--template={file}:{line}: warning: {message} [{id}]"],
}
COMMANDS["misra"] = [a for a in COMMANDS["cppcheck"] if not a.startswith("--enable")] + [f"--addon={BUILD}/misra.json"]
# cppcheck shows one of several messages of the same words in a line: a file of texts, of any rule, gives each rule words of its own.
RULE_TEXTS = "Appendix A Summary of guidelines\nRule 1.1 Required\nThe program is C.\n"


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read().split("\n")


def functions(lines):
    """(section, line of '{', line of '}') of each function, from 0: outside of functions only their heads end so, and
    clang-format puts the brace at their ends in column 0. A section's trainers, which MARGIN_PREDICT_ONLY leaves out, are a
    section of their own: quant.train."""
    section, brace = "", None
    for i, line in enumerate(lines):
        banner = re.match(r"/\* ---- >>(\w+) ", line)
        if banner:
            section = banner.group(1)
        elif line.startswith("#ifndef MARGIN_PREDICT_ONLY"):
            section += ".train"
        elif line.startswith("#endif /* MARGIN_PREDICT_ONLY"):
            section = section.split(".")[0]
        if line.endswith(") {") and brace is None and not line.startswith((" *", "#")):
            brace = i
        elif line == "}" and brace is not None:
            yield section, brace, i
            brace = None


# A plan takes all its blocks and then looks at mem->failed once. gcc follows that; clang believes in blocks that are null
# without a failure, so it gets these instead of the arena's functions, and gcc and the arena sweeps look after failures.
BLOCK = "void *mgn_block(size_t count, size_t bytes);"
BLOCK_BODY = "{ void *p = mgn_block(count, bytes); (void)mem; if (p == NULL) { __builtin_unreachable(); } return p; }"


def pieces(lines):
    """{line of '{': name of the piece} of all functions. A piece is a section, or some of its functions in a row."""
    names, lengths = {}, collections.Counter()
    for section, brace, end in functions(lines):
        names[brace] = f"{section}-{lengths[section] // PIECE + 1}"
        lengths[section] += end - brace
    if len(names) < 1000:
        sys.exit(f"analyze: {len(names)} functions found in margin_impl.h: has its format changed?")
    return names


def write_source(tool, only=None):
    """The headers and the seeded bugs as one file (clang does not analyse functions of headers): all, or with the bodies of
    one piece and of the basic sections alone."""
    public, lines = "\n".join(read("margin.h")), read("margin_impl.h")
    names = pieces(lines)
    for section, brace, end in functions(read("margin_impl.h")):
        body = None
        if section == "arena" and tool == "clang-analyzer":
            body = BLOCK_BODY if lines[brace].startswith("MARGIN_API void *margin_arena_") else ";"
        elif only and names[brace] != only and section not in BASIC:
            body = ";"
        if body:
            lines[brace:end + 1] = [lines[brace][:-2] + body] + [""] * (end - brace)
    path = f"{BUILD}/{tool}-{only or 'all'}.c"
    public = public.split("/* Outside the guard")[0] + BLOCK
    parts = [("margin.h", public), ("margin_impl.h", "\n".join(lines)),
             (BUGS, "\n".join(read(BUGS)))]
    with open(path, "w", encoding="utf-8") as out:
        for name, text in parts:
            out.write(f'#line 1 "{name}"\n{text}\n')
    return path


def run(tool, switch, path):
    """The findings of one run: {(file, line): text}."""
    command = list(COMMANDS[tool])
    if "FILE" in command:
        command[command.index("FILE")] = path
    else:
        command.append(path)
    done = subprocess.run(["prlimit", f"--cpu={SECONDS}", *command, SWITCHES[switch]], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    found = {}
    for line in done.stdout.decode(errors="replace").split("\n"):
        # Without a check's name at its end: `used but never defined`, of functions that are only declared here.
        match = re.match(r"(?:.*/)?([\w./]+\.[ch]):(\d+):.*(?:warning|error): .*", line)
        if match and (line.endswith("]") or "error:" in line):
            found.setdefault((os.path.basename(match.group(1)), int(match.group(2))), line)
    return found


def seeded(tool, switch):
    """The lines of the bugs that name the tool, or the tool in this build."""
    names = {tool, f"{tool}:{switch}"}
    return {i + 1 for i, line in enumerate(read(BUGS)) if "/* BUG:" in line and names & set(line.split("/* BUG:")[1].split())}


def check(tool, switch, only=None):
    start = time.time()
    path = f"{BUILD}/include.c"
    if tool in DEEP:
        path = write_source(tool, only)
    found = run(tool, switch, path)
    bugs = {line for name, line in found if name == os.path.basename(BUGS)}
    wrong = [text for (name, _), text in sorted(found.items()) if name != os.path.basename(BUGS)]
    wrong += [f"{BUGS}:{line}: not found" for line in sorted(seeded(tool, switch) - bugs)]
    if not seeded(tool, switch):
        wrong.append(f"{BUGS} has no bug for {tool}")
    print(f"{'FAILED' if wrong else 'passed'}: {tool} {switch} {only or ''} ({time.time() - start:.0f} s)", *wrong, sep="\n    ", flush=True)
    return not wrong


def check_length(*_):
    good = True
    for name in ("margin.h", "margin_impl.h"):
        for section, brace, end in functions(read(name)):
            if end - brace - 1 > LONGEST:
                print(f"{name}:{brace + 1}: a function of {end - brace - 1} lines ({section})")
                good = False
    return good


def deviations():
    """{rule: most findings} of the deviation record."""
    return {rule: int(most) for rule, most in re.findall(r"^\| ([0-9.]+) [^|]*\| (\d+) \|", "\n".join(read(RECORD)), re.M)}


def misra(*_):
    """The predict part against the deviation record: nothing that is not in it, and the seeded defect is found."""
    with open(f"{BUILD}/misra.txt", "w", encoding="utf-8") as out:
        out.write(RULE_TEXTS)
    with open(f"{BUILD}/misra.json", "w", encoding="utf-8") as out:
        json.dump({"script": "misra.py", "args": [f"--rule-texts={BUILD}/misra.txt"]}, out)
    command = COMMANDS["misra"] + [SWITCHES["predict"], f"{BUILD}/include.c"]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout.decode()
    found = re.findall(r"^(?:.*/)?([\w.]+):(\d+): .*misra-c2012-([0-9.]+)\]", text, re.M)
    own = [(name, line, rule) for name, line, rule in found if name != os.path.basename(BUGS)]
    rules, allowed = collections.Counter(rule for _, _, rule in own), deviations()
    wrong = []
    for rule in sorted(rules, key=lambda r: [int(n) for n in r.split(".")]):
        if rules[rule] > allowed.get(rule, 0):
            places = ", ".join(f"{name}:{line}" for name, line, at in own if at == rule)
            wrong.append(f"rule {rule}: {rules[rule]} findings, {RECORD} has {allowed.get(rule, 0)}: {places[:600]}")
    # The seeded line breaks another rule before 15.1.
    lines = {int(line) for name, line, rule in found if name == os.path.basename(BUGS) and rule == "15.1"}
    wrong += [f"{BUGS}:{line}: not found" for line in sorted(seeded("misra", "predict") - lines)]
    print(f"{'FAILED' if wrong else 'passed'}: misra, {len(own)} findings of {len(rules)} rules, all in {RECORD}" if not wrong else
          "FAILED: misra", *wrong, sep="\n    ", flush=True)
    return not wrong


def jobs(tool):
    """The function and the arguments of each piece of work of a tool."""
    if tool == "length":
        return [(check_length,)]
    if tool == "misra":
        return [(misra,)]
    names = dict.fromkeys(pieces(read("margin_impl.h")).values()) if tool in PIECES else []
    if PIECES.get(tool) == "predict":
        names = [name for name in names if ".train" not in name]
    return [(check, tool, switch) for switch in WHOLE.get(tool, [])] + [(check, tool, PIECES[tool], name) for name in names]


def main(tools):
    os.makedirs(BUILD, exist_ok=True)
    with open(f"{BUILD}/include.c", "w", encoding="utf-8") as out:
        out.write(f'#define MARGIN_IMPLEMENTATION\n#include "margin.h"\n#include "{BUGS}"\n')
    work = [job for tool in tools for job in jobs(tool)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        good = sum(pool.map(lambda job: job[0](*job[1:]), work))
    print("clean: nothing found but the seeded defects" if good == len(work) else "not clean")
    print(f"{good} passed, {len(work) - good} failed")
    return 0 if good == len(work) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [*COMMANDS, "length"]))
