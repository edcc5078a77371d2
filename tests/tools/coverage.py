"""coverage.py [--write] BUILD...: which branches of both headers the coverage builds took, all builds together, by section.

A branch that is not taken must be named in tests/tools/unreached.txt with a reason, or be one of so many that its function has
in tests/tools/untaken.txt, where those without a reason are counted. Any other is printed, in the form of the former, and the exit
code is 1. --write counts anew. gcov reads the counts of each object.
"""
import bisect
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from mutate import functions_of

HEADERS = ("margin.h", "margin_impl.h")
UNREACHED, UNTAKEN = Path("tests/tools/unreached.txt"), Path("tests/tools/untaken.txt")


def branches(builds):
    """{(header, line, function): [times taken, for each branch]}, summed over the builds and over the files that hold the
    implementation. Lines of braces alone have branches of the compiler's own, which are left out."""
    taken, bare = defaultdict(list), {}
    for header in HEADERS:
        lines = Path(header).read_text(encoding="utf-8").splitlines()
        bare[header] = {number for number, line in enumerate(lines, 1) if re.fullmatch(r"[\s{};]*(/\*.*\*/)?\s*", line)}
    for counts in sorted(path for build in builds for path in Path(build).glob("*.gcda")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(counts)], check=True, stdout=subprocess.PIPE)
        for file in json.loads(done.stdout)["files"]:
            header = os.path.basename(file["file"])
            for line in file["lines"] if header in HEADERS else []:
                number, new = line["line_number"], [branch["count"] for branch in line["branches"]]
                if new and number not in bare[header]:
                    sums = taken[header, number, line.get("function_name")]
                    sums.extend([0] * (len(new) - len(sums)))
                    for i, count in enumerate(new):
                        sums[i] += count
    return taken


def sections(header):
    """The mark of the section that each line of a header belongs to."""
    marks, mark = [""], ""
    with open(header, encoding="utf-8") as text:
        for line in text:
            banner = re.match(r"/\* ---- >>(\w+) ", line)
            mark = banner.group(1) if banner else mark
            marks.append(mark)
    return marks


class Places:
    """The function of each line of a header, and its words."""

    def __init__(self, header):
        text = Path(header).read_text(encoding="utf-8")
        self.lines = text.splitlines()
        functions = functions_of(text)
        self.names = [function.name for function in functions]
        self.starts = [text.count("\n", 0, function.start) + 1 for function in functions]
        self.ends = [text.count("\n", 0, function.end) + 1 for function in functions]

    def __getitem__(self, line):
        at = bisect.bisect(self.starts, line) - 1
        name = self.names[at] if at >= 0 and line <= self.ends[at] else "-"
        return name, " ".join(self.lines[line - 1].split())


def allowed(kind):
    """{(function, line): so many} of the blocks of unreached.txt that begin with `kind`. A block has three lines or more: `kind function
    count`, the line with its blanks as one, and the reason."""
    found = {}
    for block in re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", UNREACHED.read_text(encoding="utf-8"), flags=re.M).strip()):
        if block:
            head, line, *reason = block.splitlines()
            what, name, count = head.split()
            if not reason:
                sys.exit(f"{UNREACHED}: {head}: no reason")
            if what == kind:
                found[name, line.strip()] = int(count)
    return found


def counted(kind):
    """{function: so many} of the lines of untaken.txt that begin with `kind`."""
    lines = (line.split() for line in UNTAKEN.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {name: int(count) for what, name, count in lines if what == kind}


def count_anew(kind, open_):
    """Writes {function: {line: so many}} to untaken.txt in place of the lines of `kind`."""
    lines = UNTAKEN.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not line.startswith(f"{kind} ")]
    lines += [f"{kind} {name} {sum(of.values())}" for name, of in sorted(open_.items())]
    UNTAKEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


def judge(kind, missing, write):
    """Tells what of {(header, line): count} has neither a reason nor is counted, and which reasons are no longer needed. Returns how many
    have no reason, and how many of these are not counted either."""
    places, known = {header: Places(header) for header in HEADERS}, allowed(kind)
    seen, open_ = defaultdict(int), defaultdict(dict)
    for (header, line), count in missing.items():
        seen[places[header][line]] += count
    for (name, line), count in sorted(seen.items()):
        if count > known.get((name, line), 0):
            open_[name][line] = count - known.get((name, line), 0)
    for name, line in known:
        if (name, line) not in seen:
            print(f"{UNREACHED}: no longer needed: {kind} {name}: {line}")
    if write:
        count_anew(kind, open_)
    new, had = 0, counted(kind)
    for name, of in open_.items():
        if sum(of.values()) > had.get(name, 0):
            new += sum(of.values()) - had.get(name, 0)
            print(f"{sum(of.values())} in {name}, {had.get(name, 0)} in {UNTAKEN}:\n",
                  *(f"{kind} {name} {count}\n{line}\n" for line, count in of.items()), sep="\n")
    return sum(sum(of.values()) for of in open_.values()), new


def report(rows, kind, missing, columns, words, write):
    """Prints how many of each section there are and are reached, and returns the exit code."""
    rows["all"] = [sum(row[0] for row in rows.values()), sum(row[1] for row in rows.values())]
    open_, new = judge(kind, missing, write)
    print(f"section      {columns}")
    for mark, (count, reached) in rows.items():
        print(f"{mark:12} {count:8} {reached:8} {100 * reached / max(count, 1):7.1f}%")
    count, reached = rows["all"]
    print(f"{count - reached} {words}: {count - reached - open_} with a reason, {open_ - new} counted without one, {new} new")
    return 0 if count and new == 0 else 1


def main(write, builds):
    rows = defaultdict(lambda: [0, 0])  # section: branches, branches taken
    marks, missing = {header: sections(header) for header in HEADERS}, defaultdict(int)
    for (header, line, _), counts in sorted(branches(builds).items()):
        row = rows[marks[header][line]]
        row[0] += len(counts)
        row[1] += sum(count > 0 for count in counts)
        missing[header, line] += counts.count(0)
    missing = {place: count for place, count in missing.items() if count}
    return report(rows, "branch", missing, "branches    taken", "not taken", write)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv, [name for name in sys.argv[1:] if name != "--write"]))
