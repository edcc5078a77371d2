"""The command line: results, JSON, words, exit codes, and files that appear whole or not at all."""
import contextlib
import io
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import sets
from gen import cli, methods, options, progress

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEYS = ("method status n d classes objective iterations converged seconds arena_bytes arena_bound support bias train_error "
        "test_error train_error_pos train_error_neg test_error_pos test_error_neg margin_min margin_mean").split()


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.two = self.write("two.csv", sets.csv(*sets.gauss(), names="ab"))
        self.ring = self.write("ring.csv", sets.csv(*sets.ring(), names=["in", "out"]))
        self.many = self.write("many.csv", sets.csv(*sets.gauss(classes=4, gap=3)))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content)
        return self.path(name)

    def gen(self, *arguments):
        """Exit code, standard output, standard error."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as err:
            try:
                code = cli.main([str(a) for a in arguments])
            except SystemExit as end:  # --help
                code = end.code
        return code, out.buffer.getvalue().decode("utf-8"), err.getvalue()

    def ok(self, *arguments):
        code, out, err = self.gen(*arguments)
        self.assertEqual(code, 0, err)
        self.assertNotIn("Traceback", err)
        return out

    def json(self, *arguments):
        """The JSON object, which is all that is on standard output."""
        out = self.ok(*arguments, "--json", "-")
        self.assertEqual(out.count("\n"), 1)
        return json.loads(out)

    def fails(self, code, words, *arguments):
        """One line on standard error (after notes and what was read), nothing on standard output."""
        found, out, err = self.gen(*arguments)
        self.assertEqual((found, out), (code, ""), err)
        last = err.splitlines()[-1].replace(self.folder + "/", "")
        self.assertTrue(last.startswith("gen: "), err)
        self.assertIn(words, last)

    def spawn(self, *arguments, **more):
        command = [sys.executable, "-m", "gen", *map(str, arguments)]
        # A shell starts background jobs, such as this test, with SIGINT ignored, which children inherit.
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)


class Train(CommandLine):
    def test_every_method_and_kernel_gives_all_keys(self):
        for method, entry in methods.METHODS.items():
            if entry.targets in ("numbers", "normal"):  # test_numbers.py has them
                continue
            for kernel in entry.kernels if entry.takes("kernel") else (None,):
                with self.subTest(method=method, kernel=kernel):
                    choice = ("--kernel", kernel) if kernel else ()
                    found = self.json("train", self.two, "--method", method, *choice, "--test", self.two)
                    self.assertEqual([key for key in KEYS if key not in found], [])
                    self.assertEqual((found["method"], found["n"], found["d"], found["classes"]), (method, 120, 4, 2))
                    self.assertEqual(found["train_error"], found["test_error"])
                    self.assertLess(found["train_error"], 0.2)
                    self.assertLessEqual(found["margin_min"], found["margin_mean"])
                    self.assertEqual("w" in found, kernel == "linear" and method != "seco")
                    self.assertLessEqual(found["arena_bytes"], found["arena_bound"])

    def test_error_rates_are_those_of_the_classes(self):
        found = self.json("train", self.ring, "--method", "svm", "--kernel", "rbf", "--C", "1")
        with open(self.ring, encoding="utf-8") as file:
            labels = [line.strip().split(",")[-1] for line in file]
        share = labels.count("out") / len(labels)
        self.assertAlmostEqual(found["train_error"], found["train_error_pos"] * share + found["train_error_neg"] * (1 - share))
        self.assertEqual((found["test_error"], found["test_error_pos"]), (None, None))
        other = self.json("train", self.ring, "--method", "svm", "--kernel", "rbf", "--C", "1", "--positive", "in")
        self.assertEqual(other["labels"], ["out", "in"])
        self.assertAlmostEqual(other["train_error_neg"], found["train_error_pos"])

    def test_what_a_method_tells_is_in_the_json(self):
        found = self.json("train", self.two, "--method", "kmomd")
        self.assertTrue(0 < found["entropy"] <= 1 and found["game_value"] > 0)
        self.assertEqual(sorted(found["margin_quantiles"]), found["margin_quantiles"])
        self.assertLessEqual(found["margin_min"], found["margin_quantiles"][0])
        self.assertTrue(0 < self.json("cv", self.ring, "--method", "svm", "--kernel", "rbf")["nu"] < 1)

    def test_a_refusal_is_an_answer(self):
        """No hard margin: the JSON says so, no model is written, the exit code is 1."""
        path = self.write("overlap.csv", "1,a\n3,a\n2,b\n4,b\n" * 5)
        for method in (("svm", "--C", "inf"), ("kmomd", "--lambda", "0")):
            for command in ("train", "cv"):
                files = ("--save", self.path("no.mgn"), "-o", self.path("no.h")) if command == "train" else ("--folds", "2")
                code, out, err = self.gen(command, path, "--method", *method, *files, "--json", "-")
                self.assertEqual(code, 1, err)
                self.assertIn("overlap.csv: the classes overlap: no hard margin exists", err)
                found = json.loads(out)
                self.assertEqual((found["status"], found["method"], found["n"]), ("not separable", method[0], 20))
                self.assertEqual([name for name in ("no.mgn", "no.h") if os.path.exists(self.path(name))], [])

    def test_many_classes(self):
        for scheme in options.SCHEMES:
            found = self.json("train", self.many, "--method", "svm", "--scheme", scheme)
            self.assertEqual((found["classes"], found["train_error_pos"]), (4, None))
            self.assertEqual(len(found["bias"]), 6 if scheme == "one-one" else 4)
            self.assertEqual([len(row) for row in found["w"]], [4] * len(found["bias"]))

    def test_weights_are_those_of_the_scaled_space(self):
        """By hand: x = 10, 20 scales to -1, 1; the widest margin has w = 1, b = 0."""
        path = self.write("hand.csv", "10,a\n20,b\n")
        found = self.json("train", path, "--method", "svm", "--C", "inf", "--tol", "1e-9")
        self.assertAlmostEqual(found["w"][0], 1, places=6)
        self.assertAlmostEqual(found["bias"], 0, places=6)
        self.assertAlmostEqual(found["objective"], -0.5, places=6)  # 1/2 |w|^2 - 2 * 1/2
        none = self.json("train", path, "--method", "svm", "--C", "inf", "--scale", "none")
        self.assertAlmostEqual(none["w"][0], 0.2, places=5)
        minmax = self.json("train", path, "--method", "svm", "--C", "inf", "--scale", "minmax")
        self.assertAlmostEqual(minmax["w"][0], 2, places=5)

    def test_mam_by_hand(self):
        """x = -3, -1 | 1, 3 of mean 0 and deviation sqrt(5): the mean margin is 2 / sqrt(5)."""
        path = self.write("hand.csv", "-3,a\n-1,a\n1,b\n3,b\n")
        found = self.json("train", path, "--method", "mam")
        self.assertAlmostEqual(found["objective"], 2 / 5 ** 0.5, places=12)
        self.assertAlmostEqual(found["w"][0], 1, places=12)
        moved = self.write("moved.csv", "-3,a\n-1,a\n0,a\n8,b\n")
        found = self.json("train", moved, "--method", "mam", "--scale", "none", "--intercept", "--balanced")
        self.assertAlmostEqual(-found["bias"] / found["w"][0], (-4 / 3 + 8) / 2, places=12)

    def test_words_go_to_standard_error(self):
        code, out, err = self.gen("train", self.two, "--method", "svm")
        self.assertEqual((code, out), (0, ""))
        self.assertIn("120 rows, 4 features, classes a (60), b (60)", err)
        self.assertIn("training error", err)
        self.assertIn("note: --gamma has no effect", self.gen("train", self.two, "--method", "svm", "--gamma", "1")[2])

    def test_json_into_a_file(self):
        self.assertEqual(self.ok("train", self.two, "--method", "svm", "--json", self.path("out.json")), "")
        with open(self.path("out.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["method"], "svm")
        self.assertEqual(sorted(os.listdir(self.folder)), ["many.csv", "out.json", "ring.csv", "two.csv"])

    def test_same_input_same_output(self):
        results = [self.json("train", self.ring, "--method", "kmomd", "--kernel", "rbf", "--cache-mb", mb)
                   for mb in (0.001, 64, 64)]
        for result in results:
            for key in ("seconds", "cpu_seconds", "arena_bytes", "arena_bound", "options"):
                result.pop(key)
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[1], results[2])


class Wrong(CommandLine):
    def test_usage_is_exit_code_2(self):
        for words, arguments in (
                ("COMMAND", []), ("invalid choice: 'frobnicate'", ["frobnicate"]),
                ("--method", ["train", self.two]), ("invalid choice: 'magic'", ["train", self.two, "--method", "magic"]),
                ("--C: must be greater than 0: '-1'", ["train", self.two, "--method", "svm", "--C", "-1"]),
                ("--C: not a number: 'x'", ["train", self.two, "--method", "svm", "--C", "x"]),
                ("--lambda: must be between 0 and 1", ["train", self.two, "--method", "kmomd", "--lambda", "2"]),
                ("--lambda is an option of kmomd, oneclass, not of svm", ["train", self.two, "--method", "svm", "--lambda", "1"]),
                ("--kernel: must be one of linear, poly", ["train", self.two, "--method", "svm", "--kernel", "sigmoid"]),
                ("--degree: not a whole number", ["train", self.two, "--method", "svm", "--degree", "1.5"]),
                ("unrecognized arguments: --frob", ["train", self.two, "--method", "svm", "--frob"]),
                ("--folds: must be between 2", ["cv", self.two, "--method", "svm", "--folds", "1"]),
                ("a grid is name=value", ["tune", self.two, "--method", "svm", "--grid", "C"]),
                ("no option 'D' to make a grid of", ["tune", self.two, "--method", "svm", "--grid", "D=1"]),
                ("grid of C: not a number: 'x'", ["tune", self.two, "--method", "svm", "--grid", "C=1,x"]),
                ("one or the other", ["tune", self.two, "--method", "svm", "--C", "1", "--grid", "C=1,2"]),
                ("not of svm", ["tune", self.two, "--method", "svm", "--grid", "lambda=0.1,0.2"])):
            with self.subTest(arguments=arguments):
                self.fails(2, words, *arguments)

    def test_a_defect_of_gen_is_one_line_too(self):
        with mock.patch.dict(os.environ), mock.patch("gen.commands.info", side_effect=KeyError("x")):
            os.environ.pop("MARGIN_GEN_DEBUG", None)
            self.fails(1, "internal error: KeyError: 'x'", "info", "m.mgn")

    def test_failures_are_exit_code_1_and_name_the_place(self):
        bad = self.write("bad.csv", "1,2,a\n3,abc,b\n")
        for words, arguments in (
                ("gen: bad.csv:2: column 2: not a number: 'abc'", ["train", bad, "--method", "svm"]),
                ("none.csv: cannot read: No such file or directory", ["train", self.path("none.csv"), "--method", "svm"]),
                ("bad.csv:2: column 2", ["train", self.two, "--method", "svm", "--test", bad]),
                ("only one class", ["train", self.write("one.csv", "1,a\n2,a\n"), "--method", "svm"]),
                ("many.csv:1: column 5: unknown label '0'", ["train", self.two, "--method", "svm", "--test", self.many]),
                ("no such folder", ["train", self.two, "--method", "svm", "--json", self.path("no/x.json")]),
                ("Is a directory", ["train", self.two, "--method", "svm", "--json", self.folder]),
                ("ring.csv: the classes overlap", ["train", self.ring, "--method", "svm", "--C", "inf"]),
                ("far.csv: numbers of the model leave the range of float",
                 ["train", self.write("far.csv", "1e300,a\n2e300,a\n4e300,b\n3e300,b\n"), "--method", "svm", "--kernel", "rbf"]),
                ("has only one row", ["cv", self.write("few.csv", "1,a\n2,a\n3,b\n"), "--method", "svm"]),
                ("300 folds of 120 rows", ["cv", self.two, "--method", "svm", "--folds", "300"])):
            with self.subTest(arguments=arguments):
                self.fails(1, words, *arguments)

    def test_ctrl_c_and_terminate_leave_nothing_behind(self):
        big = self.write("big.csv", sets.csv(*sets.gauss(n=6000, d=30, gap=0.1, seed=7)))
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            run = self.spawn("train", big, "--method", "svm", "--kernel", "rbf", "--C", "1000", "--gamma", "0.001",
                             "--tol", "1e-12", "--json", self.path("out.json"))
            line = run.stderr.readline()
            self.assertIn("6000 rows", line)
            time.sleep(0.5)
            run.send_signal(number)
            out, err = run.communicate(timeout=60)
            self.assertEqual((run.returncode, out), (code, ""), err)
            self.assertNotIn("Traceback", err)
            self.assertNotIn("out.json", os.listdir(self.folder))

    def test_tune_draws_a_bar_on_a_terminal_and_ctrl_c_ends_it(self):
        big = self.write("big.csv", sets.csv(*sets.gauss(n=2000, d=20, gap=0.1, seed=7)))
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "gen", "tune", big, "--method", "svm", "--kernel", "rbf", "--tol", "1e-12", "--save",
                   self.path("out.mgn"), "--json", self.path("out.json")]
        run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(theirs)
        seen, end = b"", time.monotonic() + 100
        while b" %  trainings" not in seen and time.monotonic() < end:
            seen += os.read(ours, 4096)
        self.assertRegex(seen.decode(), r"\r\[#* *\] +\d+ %  trainings \d+ of 150")
        run.send_signal(signal.SIGINT)
        while True:
            try:
                seen += os.read(ours, 4096)
            except OSError:  # the terminal is gone: so is the program
                break
        self.assertEqual((run.wait(60), run.communicate()[0]), (130, b""))
        os.close(ours)
        self.assertTrue(seen.decode().endswith("gen: interrupted\r\n"), seen[-200:])
        self.assertNotIn("Traceback", seen.decode())
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("out")], ["out.mgn.search"])

    def test_both_cores_work(self):
        """Two jobs that wait for each other can only end side by side."""
        meet = threading.Barrier(2)
        found = progress.run([lambda: meet.wait(60), lambda: meet.wait(60)], lambda: (0.0, ""), lambda: None, workers=2)
        self.assertEqual(sorted(found), [0, 1])
        self.assertEqual(progress.cores(), len(os.sched_getaffinity(0)))

    def test_a_reader_that_goes_away_is_no_traceback(self):
        run = self.spawn("train", self.two, "--method", "svm", "--json", "-")
        run.stdout.close()
        self.assertNotIn("Traceback", run.stderr.read())
        run.stderr.close()
        self.assertIn(run.wait(), (0, 141))


class Validate(CommandLine):
    def test_cv_keys_and_pooled_errors(self):
        found = self.json("cv", self.two, "--method", "svm", "--folds", "4", "--repeats", "3")
        self.assertEqual([key for key in KEYS + ["error_mean", "error_sd", "folds"] if key not in found], [])
        self.assertEqual((found["folds"], found["repeats"], len(found["fold_errors"])), (4, 3, 12))
        self.assertAlmostEqual(found["error_mean"], sum(found["fold_errors"]) / 12)
        self.assertAlmostEqual(found["test_error"], found["error_mean"])  # folds of equal size
        again = self.json("cv", self.two, "--method", "svm", "--folds", "4", "--repeats", "3")
        self.assertEqual(found["fold_errors"], again["fold_errors"])
        other = self.json("cv", self.ring, "--method", "svm", "--kernel", "rbf", "--seed", "2")
        self.assertNotEqual(self.json("cv", self.ring, "--method", "svm", "--kernel", "rbf")["fold_errors"], other["fold_errors"])

    def test_leaving_one_out_is_leaving_each_out(self):
        """By hand: 0, 1 | 10, 11 with the middle as threshold, all right."""
        path = self.write("hand.csv", "0,a\n1,a\n10,b\n11,b\n")
        found = self.json("cv", path, "--method", "svm", "--C", "inf", "--folds", "2")
        self.assertEqual((found["error_mean"], found["error_sd"]), (0, 0))

    def test_tune_finds_the_kernel_and_trains_with_it(self):
        found = self.json("tune", self.ring, "--method", "svm", "--grid", "kernel=linear,rbf", "--grid", "C=1,100")
        self.assertEqual(found["best"]["kernel"], "rbf")
        self.assertEqual(len(found["results"]), 4)
        self.assertEqual(found["error_mean"], min(row["error_mean"] for row in found["results"]))
        self.assertEqual([key for key in KEYS if key not in found], [])

    def test_tune_defaults_and_fixed_options(self):
        found = self.json("tune", self.two, "--method", "svm", "--folds", "3")
        self.assertEqual([row["options"]["C"] for row in found["results"]], [0.01, 0.1, 1, 10, 100, 1000])
        found = self.json("tune", self.ring, "--method", "kmomd", "--kernel", "rbf", "--lambda", "0.5", "--folds", "3")
        self.assertEqual({row["options"]["lambda"] for row in found["results"]}, {0.5})
        self.assertEqual(len(found["results"]), 5)

    def test_a_choice_that_fails_does_not_end_tuning(self):
        found = self.json("tune", self.ring, "--method", "svm", "--grid", "C=1,inf", "--folds", "3")
        self.assertEqual(found["best"]["C"], 1)
        self.assertIn("overlap", found["results"][1]["status"])


if __name__ == "__main__":
    unittest.main()
