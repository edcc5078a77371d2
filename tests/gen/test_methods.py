"""A page a method under gen/methods: every method has one, its options are those of methods.py, its example can be typed.
`python3 tests/gen/test_methods.py --update` writes the options anew."""
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, ROOT]
from gen import cli, manual
from gen.methods import METHODS

FOLDER = os.path.join(ROOT, "gen", "methods")
BEGIN, END = "<!-- options -->", "<!-- /options -->"


def path(method):
    return os.path.join(FOLDER, method + ".md")


def read(method):
    with open(path(method), encoding="utf-8") as file:
        return file.read()


def with_options(method, text):
    """The page with the options of the method between its marks."""
    rows = [f"| `--{option.name}` | {manual.about(method, option.help)} |" for option in METHODS[method].options]
    lines = [BEGIN, *(["", "| option | meaning |", "|---|---|", *rows, ""] if rows else ["", "It has none of its own.", ""]),
             f"`python3 -m gen train --method {method} --help` lists those that it shares with others too.", "", END]
    before, rest = text.split(BEGIN)
    return before + "\n".join(lines) + rest.split(END)[1]


def done(line):
    """The exit code of a line of an example: commands of gen run in this process."""
    if not line.startswith("python3 -m gen "):
        return subprocess.run(["sh", "-c", line]).returncode
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        return cli.main(shlex.split(line)[3:]) or 0


class Pages(unittest.TestCase):
    def test_every_method_has_a_page_and_every_page_a_method(self):
        self.assertEqual(sorted(METHODS), sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".md")))

    def test_options_are_those_of_the_method(self):
        for method in METHODS:
            with self.subTest(method):
                self.assertEqual(read(method), with_options(method, read(method)), "run this file with --update")

    def test_links_lead_somewhere_and_examples_can_be_parsed(self):
        for method in METHODS:
            with self.subTest(method):
                text = read(method)
                for target in re.findall(r"\]\(([^)#]+)\)", text):
                    self.assertTrue(os.path.exists(os.path.join(FOLDER, target)), target)
                words = shlex.split(re.findall(r"(?m)^    python3 -m gen (.*)$", text)[-1])
                self.assertEqual(cli.parse(words).method, method)

    def test_examples_that_make_their_data_work_as_they_stand(self):
        made = [method for method in METHODS if "    python3 -m gen example motor.csv" in read(method)]
        self.assertEqual(len(made), len(METHODS))
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for method in made:
                for line in re.findall(r"(?m)^    (?! )(.+)$", read(method).split("## Example")[1]):
                    with self.subTest(method, line=line):
                        self.assertEqual(done(line), 0)


if __name__ == "__main__":
    if "--update" in sys.argv:
        for name in METHODS:
            whole = with_options(name, read(name))
            with open(path(name), "w", encoding="utf-8") as page:
                page.write(whole)
    else:
        unittest.main()
