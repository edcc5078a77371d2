"""registers.py OBJDUMP OBJECT FUNCTION...: the inner loops that multiply floats must not touch the stack.

An inner loop is what lies between a branch backwards and its target, with no such pair inside; a function without
one that multiplies is an error too. For Thumb code: accumulators that do not fit the registers show as [sp].
"""
import re
import subprocess
import sys

LINE = re.compile(r"^\s*([0-9a-f]+):\t[0-9a-f ]+\t(.*)$")
BRANCH = re.compile(r"^b(?:n?e|[cl][sce]|h[si]|l[tos]|g[te]|mi|pl)?(?:\.[nw])?\s+([0-9a-f]+)\b")


def inner_loops(code):
    """[(first, last)] address pairs of the innermost backward branches of {address: instruction}."""
    loops = []
    for at, text in code.items():
        branch = BRANCH.match(text)
        if branch and int(branch.group(1), 16) < at:
            loops.append((int(branch.group(1), 16), at))
    return [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]


def spills(code):
    """Number of inner loops that multiply, and the instructions in them that use the stack."""
    loops, found = 0, []
    for first, last in inner_loops(code):
        body = [text for at, text in code.items() if first <= at <= last]
        if any(re.match(r"v(mul|mla|fma|nmul)\.f", text) for text in body):
            loops += 1
            found += [text for text in body if re.search(r"\bsp\b", text) or text.startswith("bl")]
    return loops, found


def main(objdump, binary, functions):
    bad = 0
    for name in functions:
        text = subprocess.run([objdump, "-d", f"--disassemble={name}", binary], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        code = {int(m.group(1), 16): m.group(2) for m in map(LINE.match, text.splitlines()) if m}
        loops, found = spills(code)
        print(f"{name}: {loops} inner loops that multiply, {len(found)} accesses to the stack in them", *found, sep="\n  ")
        bad |= loops == 0 or found != []
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
