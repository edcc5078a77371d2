"""coverage.py PERCENT BUILD...: which branches of both headers the coverage builds took, all builds together, by section.

Exit code 1 below PERCENT. gcovr reads the counts of each build; it cannot merge builds in which a switch has put a
function on another line, so that is done here.
"""
import json
import re
import subprocess
import sys
from collections import defaultdict

GCOVR = ["gcovr", "--root", ".", "--filter", r"margin(_impl)?\.h", "--exclude-unreachable-branches"]


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


def main(percent, builds):
    rows = defaultdict(lambda: [0, 0, []])  # section: branches, branches taken, lines with one not taken
    marks = {header: sections(header) for header in ("margin.h", "margin_impl.h")}
    for (file, line), counts in sorted(branches(builds).items()):
        if counts:
            row = rows[marks[file][line]]
            row[0] += len(counts)
            row[1] += sum(count > 0 for count in counts)
            row[2] += [str(line)] if 0 in counts else []
    rows["all"] = [sum(row[0] for row in rows.values()), sum(row[1] for row in rows.values()), []]
    print("section      branches    taken           lines with a branch not taken")
    for mark, (count, taken, missing) in rows.items():
        print(f"{mark:12} {count:8} {taken:8} {100 * taken / max(count, 1):7.1f}%  {' '.join(missing)}")
    count, taken, _ = rows["all"]
    return 0 if count and 100 * taken >= percent * count else 1


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
