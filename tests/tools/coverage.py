"""coverage.py PERCENT BUILD...: which branches of both headers the coverage builds took, all builds together, by section.

Exit code 1 where less than PERCENT are taken, or named in tests/tools/unreached.txt with a reason. What is neither is printed, in the
form of that file. gcovr reads the counts of each build; it cannot merge builds in which a switch has put a function on another
line, so that is done here.
"""
import bisect
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from mutate import functions_of

GCOVR = ["gcovr", "--root", ".", "--filter", r"margin(_impl)?\.h", "--exclude-unreachable-branches"]
HEADERS = ("margin.h", "margin_impl.h")
UNREACHED = Path("tests/tools/unreached.txt")


def branches(builds):
    """{(file, line): [times taken, for each branch of the line]}, summed over the builds."""
    taken = defaultdict(list)
    for build in builds:
        report = json.loads(subprocess.run(GCOVR + [build, "--json"], check=True, stdout=subprocess.PIPE).stdout)
        for file in report["files"]:
            for line in file["lines"]:
                counts = taken[file["file"], line["line_number"]]
                new = [branch["count"] for branch in line["branches"]]
                counts.extend([0] * (len(new) - len(counts)))
                for i, count in enumerate(new):
                    counts[i] += count
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


def judge(kind, missing):
    """Tells what of {(header, line): count} is not allowed, and what is allowed but no longer missing. Returns how many are not allowed."""
    places, known = {header: Places(header) for header in HEADERS}, allowed(kind)
    seen, bad = defaultdict(int), 0
    for (header, line), count in sorted(missing.items()):
        seen[places[header][line]] += count
    for place, count in sorted(seen.items()):
        if count > known.get(place, 0):
            bad += count - known.get(place, 0)
            print(f"not in {UNREACHED}:\n\n{kind} {place[0]} {count}\n{place[1]}\n")
    for place in known:
        if place not in seen:
            print(f"{UNREACHED}: no longer needed: {kind} {place[0]}: {place[1]}")
    return bad


def report(rows, kind, missing, columns, words, percent):
    """Prints how many of each section there are and are reached, and returns the exit code: 0 if what is neither reached nor
    has a reason is at most what `percent` leaves."""
    rows["all"] = [sum(row[0] for row in rows.values()), sum(row[1] for row in rows.values())]
    bad = judge(kind, missing)
    print(f"section      {columns}")
    for mark, (count, reached) in rows.items():
        print(f"{mark:12} {count:8} {reached:8} {100 * reached / max(count, 1):7.1f}%")
    count, reached = rows["all"]
    print(f"{count - reached} {words}, {bad} of them without a reason in {UNREACHED}")
    return 0 if count and 100 * (count - bad) >= percent * count else 1


def main(percent, builds):
    rows = defaultdict(lambda: [0, 0])  # section: branches, branches taken
    marks, missing = {header: sections(header) for header in HEADERS}, {}
    for (file, line), counts in sorted(branches(builds).items()):
        if counts:
            row = rows[marks[file][line]]
            row[0] += len(counts)
            row[1] += sum(count > 0 for count in counts)
            if 0 in counts:
                missing[file, line] = counts.count(0)
    return report(rows, "branch", missing, "branches    taken", "not taken", percent)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
