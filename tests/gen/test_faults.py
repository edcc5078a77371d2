"""What goes wrong around gen: no compiler, a full disk, a closed terminal, a signal, files that name each other. Nothing is
lost, nothing is half written, and one line says why."""
import ast
import contextlib
import io
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import sets
from gen import cli, interrupt, output
from gen.errors import Failure, Usage
from test_import import BINARY

ROOT = Path(__file__).resolve().parents[2]


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made = Path(folder.name) / "m.mgn"
        data = Path(folder.name) / "t.csv"
        data.write_text(sets.csv(*sets.gauss(n=24, d=3), names="ab"))
        with contextlib.redirect_stderr(io.StringIO()):
            assert cli.main(["train", str(data), "--method", "svm", "--save", str(cls.made)]) == 0
        cls.image = cls.made.read_bytes()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.put("t.csv", sets.csv(*sets.gauss(n=24, d=3), names="ab"))
        self.model = self.folder / "m.mgn"
        self.model.write_bytes(self.image)

    def put(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def contents(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def gen(self, *words):
        """Exit code and standard error of a run in this process."""
        with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
            code = cli.main([str(word) for word in words])
        return code, err.getvalue()

    def refused(self, code, words, *arguments):
        """The exit code, one last line with these words, and every file as before."""
        before = self.contents()
        found, err = self.gen(*arguments)
        self.assertEqual(found, code, err)
        self.assertRegex(err.splitlines()[-1], f"^gen: .*{words}")
        self.assertEqual(self.contents(), before)

    def process(self, *words, **more):
        """A run in a process of its own."""
        environment = {**os.environ, **more.pop("env", {})}
        environment.pop("MARGIN_GEN_DEBUG", None)
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.Popen([sys.executable, "-m", "gen", *map(str, words)], cwd=ROOT, env=environment,
                                stderr=subprocess.PIPE, **more)

    def one_line(self, run, code, line):
        err = run.communicate(timeout=300)[1].decode()
        self.assertEqual((run.returncode, err), (code, line + "\n"))


class Surroundings(Faults):
    def test_no_compiler_is_one_line_and_no_traceback(self):
        run = self.process("train", self.data, "--method", "svm", env={"PATH": str(self.folder), "CC": ""})
        self.one_line(run, 1, "gen: no C compiler found: install gcc or clang, or name one in CC")

    def test_a_compiler_that_does_not_run_is_one_line(self):
        bad = self.put("cc", "#!/no/such/interpreter\n")
        bad.chmod(0o755)
        err = self.process("train", self.data, "--method", "svm", env={"CC": str(bad)}).communicate()[1].decode()
        self.assertRegex(err, r"\Agen: the C compiler does not run: .*\n\Z")

    def test_no_home_and_a_home_that_cannot_be_written(self):
        for home in (None, "/proc/nowhere"):
            environment = {key: value for key, value in os.environ.items() if key not in ("XDG_CACHE_HOME", "HOME")}
            environment.update({"HOME": home} if home else {}, TMPDIR=str(self.folder))
            code = "from gen.build import Build, cache_folder; Build('reader.c').load(); print(cache_folder())"
            with self.subTest(home=home):
                run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                if home:
                    self.assertEqual(run.stdout.strip(), str(self.folder / f"margin-gen-{os.getuid()}"))

    def test_a_cache_on_a_full_disk_is_one_line_and_leaves_nothing(self):
        run = self.process("info", self.model, env={"XDG_CACHE_HOME": str(self.folder / "cache")},
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        err = run.communicate(timeout=300)[1].decode()
        self.assertEqual(run.returncode, 1)
        self.assertRegex(err, r"\Agen: .*\n\Z")
        self.assertEqual(list((self.folder / "cache" / "margin-gen").iterdir()), [])

    def test_full_standard_output(self):
        for words in (("predict", self.model, self.data), ("info", self.model), ("info", self.model, "--json", "-"),
                      ("train", self.data, "--method", "svm", "--json", "-", "--save", self.folder / "x.mgn"), ("--help",)):
            with self.subTest(words=words[:1]), open("/dev/full", "w") as full:
                run = self.process(*words, stdout=full)
                err = run.communicate(timeout=300)[1].decode()
                self.assertEqual((run.returncode, err.splitlines()[-1]),
                                 (1, "gen: standard output: cannot write: No space left on device"))
                self.assertNotIn("Traceback", err)
        self.assertFalse((self.folder / "x.mgn").exists())

    def test_closed_standard_output(self):
        run = self.process("predict", self.model, self.data, stdout=None, preexec_fn=lambda: os.close(1))
        self.assertIn("gen: standard output: cannot write: it is closed", run.communicate()[1].decode())
        self.assertEqual(run.returncode, 1)
        run = self.process("train", self.data, "--method", "svm", "--save", self.folder / "x.mgn", stdout=None,
                           preexec_fn=lambda: os.close(1))
        run.communicate()
        self.assertEqual(run.returncode, 0)
        self.assertEqual((self.folder / "x.mgn").read_bytes(), self.image)

    def test_words_that_nobody_can_read_change_nothing(self):
        for close in (lambda: os.close(2), lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 2)):
            run = self.process("train", self.data, "--method", "svm", "--json", "-", preexec_fn=close)
            out, err = run.communicate()
            self.assertEqual((run.returncode, err), (0, b""))
            self.assertEqual(json.loads(out)["method"], "svm")

    def test_labels_do_not_control_the_terminal(self):
        esc = self.put("esc.csv", sets.csv(*sets.gauss(n=24, d=3), names=["a\x1b[2Jb", "\u202ec\x07"]))
        code, err = self.gen("train", esc, "--method", "svm", "--save", self.folder / "esc.mgn")
        self.assertEqual(code, 0)
        self.assertTrue(err.replace("\n", "").isprintable(), err)
        self.assertIn(r"a\x1b[2Jb", err)
        for words, shown in ((("info", self.folder / "esc.mgn"), rb"a\x1b[2Jb"),
                             (("predict", self.folder / "esc.mgn", esc), rb"\u202ec\x07")):
            main, side = pty.openpty()
            run = self.process(*words, stdout=side)
            os.close(side)
            run.communicate()
            told = os.read(main, 1 << 16)
            os.close(main)
            self.assertIn(shown, told)
            self.assertNotIn(b"\x1b", told)
            self.assertNotIn(b"\x07", told)
        out = self.process("predict", self.folder / "esc.mgn", esc).communicate()[0]  # a file keeps the labels as they are
        self.assertIn(b"\x1b", out)


class Outputs(Faults):
    def test_what_is_read_is_not_written(self):
        link = self.folder / "link.csv"
        link.symlink_to(self.data)
        hard = self.folder / "hard.mgn"
        os.link(self.model, hard)
        for words in (("train", self.data, "--method", "svm", "--save", self.data),
                      ("train", self.data, "--method", "svm", "--json", link),
                      ("train", self.data, "--method", "svm", "-o", self.folder / "." / "t.csv"),
                      ("train", self.data, "--method", "svm", "--test", link, "--save", link),
                      ("export", self.model, "-o", self.model), ("export", self.model, "-o", hard),
                      ("export", self.model, "-o", self.folder / "x.h", "--save", self.model),
                      ("export", self.model, "-o", self.folder / "x.h", "--data", self.data, "--json", self.data),
                      ("predict", self.model, self.data, "--json", self.data), ("info", self.model, "--json", self.model),
                      ("cv", self.data, "--method", "svm", "--json", self.data),
                      ("tune", self.data, "--method", "svm", "--save", self.data),
                      ("import", self.put("b.model", BINARY), "--save", self.folder / "b.model")):
            with self.subTest(words=words):
                self.refused(2, "this file is read, and would be lost; choose another name", *words)

    def test_no_file_is_written_twice(self):
        q = self.folder / "q"
        train = ("train", self.data, "--method", "svm")
        self.refused(2, "-o writes this file already", *train, "--save", q, "--json", q, "-o", q)
        self.refused(2, "--save writes this file already", *train, "--save", q, "--json", self.folder / ".." / self.folder.name / "q")
        self.refused(2, "only one of them can go to standard output", *train, "--save", "-", "--json", "-")
        code, err = self.gen(*train, "--save", "/dev/null", "--json", "/dev/null")
        self.assertEqual(code, 0, err)

    def test_files_of_a_run_appear_together_or_not_at_all(self):
        """The header is refused by the disk after the model was written: neither appears, and the old model stays."""
        (self.folder / "old.mgn").write_bytes(b"before")
        words = ("train", self.data, "--method", "svm", "--save", self.folder / "old.mgn", "-o", self.folder / "x.h",
                 "--json", self.folder / "x.json")
        before = self.contents()
        limit = len(self.image) + 100
        run = self.process(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        err = run.communicate(timeout=300)[1].decode()
        self.assertEqual((run.returncode, err.splitlines()[-1]), (1, f"gen: {self.folder}/x.h: cannot write: File too large"))
        self.assertEqual(self.contents(), before)
        self.assertEqual(self.gen(*words)[0], 0)
        self.assertEqual(sorted(set(self.contents()) - set(before)), ["x.h", "x.json"])

    def test_a_file_that_cannot_take_its_place_takes_the_others_back(self):
        names = [self.folder / name for name in ("one", "two", "three")]
        names[0].write_bytes(b"before")
        before, replace = self.contents(), os.replace
        for links in (True, False):
            def refuse(source, target):
                if str(target) == str(names[2]):
                    raise PermissionError(13, "Permission denied")
                replace(source, target)

            with self.subTest(links=links), mock.patch("os.replace", refuse), \
                    mock.patch("os.link", os.link if links else mock.Mock(side_effect=PermissionError(1, "no links here"))):
                if not links:
                    names[1].write_bytes(b"too")
                    before = self.contents()
                with self.assertRaisesRegex(Failure, "three: cannot write: Permission denied"), output.together():
                    for name in names:
                        output.write_file(str(name), b"after")
                self.assertEqual(self.contents(), before)
        with output.together():
            for name in names:
                output.write_file(str(name), b"after")
            self.assertEqual({path: path.read_bytes() for path in names[:1]}, {names[0]: b"before"})
        self.assertEqual([name.read_bytes() for name in names], [b"after"] * 3)
        self.assertEqual(interrupt.unfinished, set())

    def test_killed_in_the_middle_of_writing(self):
        """Not even SIGKILL leaves half a file under its name."""
        self.put("out.mgn", "before")
        code = ("import os, signal; from gen import output; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL); "
                f"output.write_file({str(self.folder / 'out.mgn')!r}, b'x' * 100000)")
        run = subprocess.run([sys.executable, "-c", code], cwd=ROOT)
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.assertEqual((self.folder / "out.mgn").read_text(), "before")

    def test_a_signal_between_two_files_waits_for_the_second(self):
        one, two = self.folder / "one", self.folder / "two"
        replace = os.replace

        def interrupting(source, target):
            replace(source, target)
            interrupt.on_signal(signal.SIGTERM, None)

        with self.assertRaises(interrupt.Terminated), mock.patch("os.replace", interrupting), output.together():
            output.write_file(str(one), b"1")
            output.write_file(str(two), b"2")
        self.assertEqual((one.read_bytes(), two.read_bytes()), (b"1", b"2"))

    def test_an_empty_name(self):
        with self.assertRaisesRegex(Usage, "--json: no file name"):
            output.check_apart([], {"--json": ""})


class Signals(Faults):
    SPIN = """
import os, sys, threading
from gen import build, cli, commands, interrupt, output, progress
interrupt.TIDY = 1.0  # nothing ends native code here, so that the whole of it is waited for
spin = build.Build({source!r}).load().spin
def stuck(arguments):
    output.write_file({target!r}, b"x")
    print("ready", flush=True)
    {call}
commands.info = stuck
sys.exit(cli.main(["info", "x"]))
"""

    def stuck(self, call, number):
        """Exit code and words of gen that is stuck in a call when a signal comes; it sends number 0 itself."""
        source = self.put("spin.c", "#include <unistd.h>\nvoid spin(void);\nvoid spin(void)\n{\n    while (1) {\n        sleep(1);\n    }\n}\n")
        code = self.SPIN.format(source=str(source), target=str(self.folder / "out"), call=call)
        # A shell starts background jobs with SIGINT ignored, which children inherit.
        run = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(run.kill)
        self.assertEqual(run.stdout.readline(), "ready\n")
        if number:
            run.send_signal(number)
        err = run.communicate(timeout=120)[1]
        self.assertEqual(sorted(self.contents()), ["m.mgn", "spin.c", "t.csv"])  # nothing unfinished stays
        return run.returncode, err

    def test_native_code_that_does_not_end(self):
        """In the main thread, which then cannot notice anything itself."""
        self.assertEqual(self.stuck("spin()", signal.SIGTERM), (143, ""))
        self.assertEqual(self.stuck("spin()", signal.SIGINT), (130, "gen: interrupted\n"))

    def test_native_code_in_a_thread_that_does_not_end(self):
        call = 'progress.run([spin], lambda: (0.0, ""), lambda: None)'
        self.assertEqual(self.stuck(call, signal.SIGTERM)[0], 143)

    def test_a_signal_while_a_thread_starts(self):
        """Python then forgets the thread, but waits for it when it ends."""
        call = ('start = threading.Thread.start; '
                'threading.Thread.start = lambda thread: (start(thread), os.kill(os.getpid(), 15)); '
                'progress.run([spin], lambda: (0.0, ""), lambda: None)')
        self.assertEqual(self.stuck(call, 0)[0], 143)


class Numbers(Faults):
    def test_a_model_that_overflows_float_is_not_saved(self):
        big = self.put("big.csv", sets.csv([[1e6 * v for v in row] for row in sets.gauss(n=24, d=3)[0]], [i % 2 for i in range(24)]))
        words = ("train", big, "--method", "svm", "--kernel", "poly", "--degree", "4", "--scale", "none", "--max-iter", "2000")
        for more in (("--save", self.folder / "x.mgn"), ("-o", self.folder / "x.h"), ("--json", self.folder / "x.json")):
            with self.subTest(more=more[0]):
                self.refused(1, "big.csv: 24 of 24 scores leave the range of float, which devices compute in; "
                             r"scale the data \(--scale standard\) or change its units", *words, *more)

    def test_a_score_that_is_no_number_is_counted(self):
        from gen import native
        for scores in ([1.0, float("nan")], [float("nan"), 1.0], [float("inf"), 1.0]):
            with self.assertRaisesRegex(Failure, "^x: 1 of 2 scores leave the range"):
                native.check_scores(scores, "x")
        native.check_scores([1.0, -2.0], "x")

    def test_an_imported_model_that_overflows_float_is_refused(self):
        text = json.dumps({"margin-exchange": 1, "labels": ["a", "b"], "scheme": "binary", "bias": [0.5], "class_sizes": [1, 1],
                           "kernel": {"kind": "poly", "gamma": 1, "degree": 4, "coef0": 0}, "vectors": [[1e6, 2e6], [3e6, 4e6]],
                           "coef": [[1], [-1]]})
        self.refused(1, "scores leave the range of float", "import", self.put("x.json", text), "--save", self.folder / "x.mgn")


class Imports(Faults):
    def test_numbers_that_make_no_sense(self):
        for before, after, words in (
                ("3:-2", "3" * 23 + ":-2", "not index:value with ascending indices from 1"),
                ("3:-2", "3" * 5000 + ":-2", "not index:value with ascending indices from 1"),
                ("3:-2", "999999999999:0.5", "vectors of 999999999999 features are too many"),
                ("3:-2", "3:1_0", "not a number: '1_0'"),
                ("nr_sv 1 2", "nr_sv -1 4", "nr_sv: a number of things must be whole and not negative"),
                ("nr_sv 1 2", "nr_sv 1.5 1.5", "nr_sv: a number of things must be whole and not negative"),
                ("total_sv 3\nrho 0.25\nlabel 1 -1\nnr_sv 1 2", "total_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1",
                 "more vectors than the 2 of total_sv"),
                ("nr_class 2", "nr_class 2.5", "nr_class: a number of things must be whole"),
                ("nr_class 2", "nr_class 1e300", "label: 2 values for 1")):
            self.assertIn(before, BINARY)
            with self.subTest(after=after[:40]):
                self.refused(1, words, "import", self.put("x.model", BINARY.replace(before, after)), "--save", self.folder / "x.mgn")

    def test_ranges_that_overflow(self):
        model = self.put("x.model", BINARY)
        for line, words in (("1 -1e308 1e308", "this scaling leaves the range of numbers"),
                            ("1 0 1e-320", "this scaling leaves the range of numbers"),
                            ("1 1e308 1.1e308", "this scaling leaves the range|range of float")):
            with self.subTest(line=line):
                self.refused(1, words, "import", model, "--range", self.put("r", f"x\n-1 1\n{line}\n"), "--save", self.folder / "x.mgn")

    def test_json_that_makes_no_sense(self):
        plain = {"margin-exchange": 1, "labels": ["a", "b"], "scheme": "binary", "kernel": {"kind": "rbf", "gamma": 1}, "bias": [0.5],
                 "class_sizes": [1, 1], "vectors": [[1, 2], [3, 4]], "coef": [[1], [-1]]}
        for change, words in (({"labels": ["a", "\ud800"]}, "is not text: it has half a character"),
                              ({"origin": "\ud800"}, "is not text: it has half a character"),
                              ({"class_sizes": [3, -1]}, "class_sizes do not fit"),
                              ({"class_sizes": [1.5, 0.5]}, "class_sizes are not whole numbers"),
                              ({"vectors": [[1, 2, 3], [4]]}, "rows of different lengths"),
                              ({"labels": [str(i) for i in range(70000)], "scheme": "votes"}, "70000 labels")):
            with self.subTest(change=str(change)[:60]):
                self.refused(1, words, "import", self.put("x.json", json.dumps({**plain, **change})), "--save", self.folder / "x.mgn")

    def test_a_header_is_not_named_like_the_library(self):
        for name in ("margin", "Margin", "mgn", "MARGIN_x"):
            self.refused(2, f"--name {name}: not a name for C", "export", self.model, "-o", self.folder / "x.h", "--name", name)
        self.assertEqual(self.gen("export", self.model, "-o", self.folder / "margin.h")[0], 0)
        self.assertIn("#ifndef MODEL_MARGIN_H", (self.folder / "margin.h").read_text())

    def test_values_that_an_arff_file_does_not_declare(self):
        head = "@relation r\n@attribute a real\n@attribute b {0,1}\n@attribute class {low,high}\n@data\n% a comment\n"
        rows = "1,0,low\n2,1,high\n1.5,0,low\n2.5,1.0,high\n"
        train = ("train", self.folder / "x.arff", "--method", "mam")
        self.put("x.arff", head + rows)
        self.assertEqual(self.gen(*train)[0], 0)
        self.put("x.arff", head + rows + "2,1,hihg\n")
        self.refused(1, r"x.arff:11: column 3: 'hihg' is not one of the values that 'class' declares", *train)
        self.put("x.arff", head + rows + "\n2,2,high\n")
        self.refused(1, r"x.arff:12: column 2: '2' is not one of the values that 'b' declares", *train)
        self.put("x.arff", head + "{0 1, 2 low}\n{0 2, 1 1, 2 high}\n{0 3}\n{0 4, 1 7, 2 high}\n")
        self.refused(1, r"x.arff:10: column 2: '7' is not one of the values that 'b' declares", *train)
        self.put("x.arff", "@relation r\n@attribute class {low,high}\n@data\nlow\nhigh\n")  # NULL + 0 in reader.c once
        self.refused(1, "no features: there is only a label", *train)


class Promises(unittest.TestCase):
    """SECURITY.md: every promise names a check, and every check is there."""

    def test_the_checks_that_are_named_exist(self):
        text, makefile = (ROOT / "SECURITY.md").read_text(), (ROOT / "Makefile").read_text()
        rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
        self.assertGreater(len(rows), 10)
        for row in rows:
            with self.subTest(row=row[:60]):
                commands = re.findall(r"`([^`]+)`", row.split("|")[2])
                self.assertTrue(any(command.startswith(("make ", "python3 ", "tests/")) for command in commands))
                for command in commands:
                    if command.startswith("make "):
                        self.assertRegex(makefile, rf"(?m)^{command.split()[1]}:")
                    elif command.startswith("tests/"):
                        self.assertTrue((ROOT / command).exists(), command)
                    elif command.startswith("python3 tests/gen/run.py "):
                        for name in command.split()[2:]:
                            self.assertTrue((ROOT / f"tests/gen/test_{name}.py").exists(), name)

    def test_no_shell(self):
        for path in sorted((ROOT / "gen").glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.keyword):
                    self.assertNotEqual(node.arg, "shell", path)
                if isinstance(node, ast.Attribute):
                    self.assertNotIn((getattr(node.value, "id", ""), node.attr),
                                     {("os", "system"), ("os", "popen"), ("subprocess", "getoutput")}, path)


if __name__ == "__main__":
    unittest.main()
