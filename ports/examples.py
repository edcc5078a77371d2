"""examples.py -- the examples that learn on a device, on two of them: part of `make ports`.

    python3 ports/examples.py [--update]

Builds examples/NAME/main.c for an ATmega328P (simavr) and a Cortex-M0 (QEMU), and compares what it prints with
expected-TARGET.txt beside it; --update writes these files. The host's expected.txt is compared by `make test`. The last
line is `N passed, N failed`.
"""
from __future__ import annotations

import os
import sys

from targets import ROOT, TARGETS, Problem, build_counters, chosen

EXAMPLES = ("13_button", "14_first_minute")
NAMES = ["atmega328p", "cortex-m0"]


def printed(target, example: str) -> str:
    flags = ["-Os", "-DPORT", "-DPORT_MODELS_IN_RAM"]
    objects = [target.compile(f"examples/{example}/main.c", f"example-{example}", flags), *target.start(["-Os"])]
    ran = target.execute(target.program(objects, f"example-{example}"))
    return ran.text if ran.code == 0 else f"exit code {ran.code}\n{ran.text}"


def main() -> int:
    failed, passed = 0, 0
    build_counters()
    for target in chosen(NAMES, TARGETS):
        for example in EXAMPLES:
            path = os.path.join(ROOT, "examples", example, f"expected-{target.name}.txt")
            try:
                text = printed(target, example)
            except Problem as problem:
                text = f"{problem}\n"
            if "--update" in sys.argv:
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
            with open(path, encoding="ascii") as file:
                good = file.read() == text
            if not good:
                print(f"FAILED: {example} on {target.name}\n{text}")
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
