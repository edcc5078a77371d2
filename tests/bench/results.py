"""results.py -- what a bench prints, kept in the repository: one section a table in RESULTS.md. With the word --write in ARGS a bench
keeps what it prints, `make bench-sklearn ARGS=--write`; other sections stay as they are."""
import contextlib
import io
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md")
HEAD = "# Results\n\nEvery section is what a bench printed when it was last run with `ARGS=--write`.\n"


class Both(io.TextIOBase):
    """Text that goes to two places."""

    def __init__(self, screen):
        self.screen, self.text = screen, []

    def write(self, text):
        self.text.append(text)
        return self.screen.write(text)

    def flush(self):
        self.screen.flush()


def replaced(page, name, command, text):
    """A page with a section put in place of the one of the same name, or in its place by the alphabet.

    >>> replaced("# R\\n\\n## b\\n\\nold\\n", "a", "make a", "1\\n")
    '# R\\n\\n## a\\n\\n`make a`\\n\\n    1\\n\\n## b\\n\\nold\\n'
    >>> replaced("# R\\n\\n## b\\n\\nold\\n", "b", "make b", "2")
    '# R\\n\\n## b\\n\\n`make b`\\n\\n    2\\n'
    """
    head, *parts = re.split(r"^(?=## )", page, flags=re.M)
    sections = {part.split("\n")[0][3:]: part.rstrip("\n") for part in parts}
    sections[name] = f"## {name}\n\n`{command}`\n\n" + "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))
    return head.rstrip("\n") + "".join(f"\n\n{sections[key]}" for key in sorted(sections)) + "\n"


@contextlib.contextmanager
def kept(name, command):
    """What is printed within goes to the section as well, if --write was among the arguments."""
    if "--write" not in sys.argv:
        yield
        return
    both = Both(sys.stdout)
    with contextlib.redirect_stdout(both):
        yield
    page = open(PATH, encoding="utf-8").read() if os.path.exists(PATH) else HEAD
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(replaced(page, name, command, "".join(both.text)))
