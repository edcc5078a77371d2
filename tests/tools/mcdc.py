"""mcdc.py [--write] PROGRAM: runs a test program that clang-19 built with -fcoverage-mcdc, and tells for PART I of both headers how
many conditions were seen to decide alone: modified condition / decision coverage (MC/DC). Those that were not
must have a reason or be counted, as in coverage.py. Only the suites that come to PART I by more than training are run.
"""
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from coverage import HEADERS, report, sections

SUITES = ("core", "math", "kernel", "scheme", "quant", "image", "refusals", "calibrate", "metrics", "proto", "mam", "ordinal", "sweeps", "seco", "oneclass", "compact", "inside")


def part_one(header):
    """The last line of PART I."""
    for number, line in enumerate(Path(header).read_text(encoding="utf-8").splitlines(), 1):
        if line == " * PART II TRAIN":
            return number
    sys.exit(f"mcdc: no PART II in {header}")


def records(program):
    """{(header, line, column): [for each condition, whether it has decided alone]}, all copies of a decision together."""
    merged, raws = program + ".profdata", []
    for suite in SUITES:
        raws.append(f"{program}-{suite}.profraw")
        run = subprocess.run([program, "-s", suite + "_suite"], env={**os.environ, "LLVM_PROFILE_FILE": raws[-1]}, stdout=subprocess.PIPE, text=True,
                             check=False)
        print(f"{suite}: {run.stdout.strip().splitlines()[-1]}", flush=True)
        if run.returncode:
            sys.exit("mcdc: the tests fail")
    subprocess.run(["llvm-profdata-19", "merge", *raws, "-o", merged], check=True)
    done = subprocess.run(["llvm-cov-19", "export", program, f"-instr-profile={merged}", *HEADERS], check=True, stdout=subprocess.PIPE)
    found = defaultdict(list)
    for function in json.loads(done.stdout)["data"][0]["functions"]:
        for record in function.get("mcdc_records", []):
            line, column, conditions, name = record[0], record[1], record[-1], function["filenames"][record[4]]
            if os.path.basename(name) not in HEADERS:
                continue
            decided = found[os.path.basename(name), line, column]
            decided.extend([False] * (len(conditions) - len(decided)))
            for i, alone in enumerate(conditions):
                decided[i] = decided[i] or alone
    return found


def main(write, program):
    ends = {header: part_one(header) for header in HEADERS}
    marks = {header: sections(header) for header in HEADERS}
    rows, missing = defaultdict(lambda: [0, 0]), defaultdict(int)
    for (header, line, _), decided in sorted(records(program).items()):
        if line < ends[header]:
            row = rows[marks[header][line]]
            row[0] += len(decided)
            row[1] += sum(decided)
            missing[header, line] += len(decided) - sum(decided)
    missing = {place: count for place, count in missing.items() if count}
    return report(rows, "condition", missing, "conditions  alone", "never decided alone", write)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv, sys.argv[-1]))
