"""Tests of `gen fit`: the pick and its command, budgets, stops and --resume, failures, advice about data."""
import argparse
import contextlib
import dataclasses
import json
import math
import os
import pty
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import sets
from gen import advice, cli, cost, fit, groups, manual, methods, output, search, state, train, trial, tries, workers
from gen.errors import Failure
from gen.options import COMMON
from test_cli import ROOT, CommandLine

# Few enough to be quick, and one of each: linear, with a kernel, prototypes.
SMALL = [tries.Try("svm", lambda facts: [{"C": 1.0, "tol": 1e-3}], tries.linear_seconds, word="linear", simple=True),
         tries.Try("svm", lambda facts: [{"kernel": "rbf", "gamma": 0.5, "C": c, "tol": 1e-3} for c in (1.0, 10.0)],
                   tries.kernel_seconds, word="kernels"),
         tries.Try("lvq", lambda facts: [{"models": 4}], tries.proto_seconds, word="prototypes")]


class Fit(CommandLine):
    TRIES = SMALL

    def setUp(self):
        """Few methods and two rounds."""
        super().setUp()
        for patch in (mock.patch("gen.tries.TRIES", self.TRIES), mock.patch("gen.search.REPEATS", 2)):
            patch.start()
            self.addCleanup(patch.stop)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


class Pick(Fit):
    def test_the_command_gives_the_same_header_to_the_bit(self):
        for more in ((), ("--flash", "300"), ("--flash", "1K", "--target", "cortex-m4f", "--seed", "7")):
            with self.subTest(more=more):
                found = self.json("fit", self.ring, *more, "-o", self.path("m.h"), "--save", self.path("m.mgn"))
                header, model = self.read("m.h"), self.read("m.mgn")
                words = shlex.split(found["command"])
                self.assertEqual(words[:4], ["python3", "-m", "gen", "train"])
                os.unlink(self.path("m.h"))
                self.ok(*words[3:])
                self.assertEqual(self.read("m.h"), header)
                self.assertEqual(self.read("m.mgn"), model)

    def test_the_json_has_its_keys_and_all_candidates(self):
        keys = "method options format bytes ram cycles error_mean error_sd test_error command".split()
        found = self.json("fit", self.ring, "--test", self.ring, "-o", self.path("m.h"))
        self.assertEqual([key for key in [*keys, "candidates"] if key not in found], [])
        self.assertEqual([key for one in found["candidates"] for key in keys if key not in one], [])
        self.assertEqual({one["format"] for one in found["candidates"]}, {"f32", "q15", "q7"})
        self.assertIsInstance(found["test_error"], float)
        self.assertTrue(found["complete"])
        self.assertLess(found["error_mean"], found["majority_error"])
        self.assertEqual(found["method"], "svm")
        self.assertEqual(found["options"]["kernel"], "rbf")  # no plane tells a disc from a ring

    def test_the_pick_is_the_smallest_within_one_standard_error(self):
        found = self.json("fit", self.ring, "-o", self.path("m.h"))
        folds = max(one.get("folds", 0) for one in found["candidates"])
        last = [one for one in found["candidates"] if one.get("folds") == folds]
        best = min(last, key=lambda one: one["error_mean"])
        good = [one for one in last if one["error_mean"] <= best["error_mean"] + best["error_se"]]
        self.assertEqual(found["error_mean"], min(good, key=lambda one: (one["bytes"], one["cycles"]))["error_mean"])

    def test_budgets_are_kept(self):
        for budget, key in ((("--flash", "200"), "bytes"), (("--flash", "2900", "--target", "cortex-m0"), "flash"),
                            (("--cycles", "3000", "--target", "cortex-m4f"), "cycles"), (("--ram", "128", "--target", "cortex-m4f"), "ram")):
            with self.subTest(budget=budget):
                found = self.json("fit", self.ring, *budget, "-o", self.path("m.h"))
                self.assertLessEqual(found[key], int(budget[1]))
                table = int(re.search(rb"TABLE_BYTES (\d+)", self.read("m.h"))[1])
                self.assertEqual(found["bytes"], table)

    def test_many_classes_share_vectors_where_no_linear_model_fits(self):
        many = self.write("many.csv", sets.csv(*sets.gauss(n=96, d=40, classes=8)))
        learned = tries.Try("compact", lambda facts: [{"vectors": 4, "iterations": 20}], tries.compact_seconds, word="learned vectors", slow=True)
        with mock.patch("gen.tries.TRIES", [*SMALL, learned]):
            found = self.json("fit", many, "--flash", "300", "-o", self.path("m.h"))
        self.assertEqual(found["method"], "compact")
        self.assertLessEqual(found["bytes"], 300)
        self.assertIsNone(found["linear_error"])

    def test_it_says_what_a_newcomer_needs(self):
        code, out, err = self.gen("fit", self.ring, "--test", self.ring, "--target", "cortex-m0", "--inputs", "integers", "-o", self.path("m.h"))
        self.assertEqual((code, out), (0, ""), err)
        wrong = re.search(r"error on .*: ([\d.]+) % \((\d+) of 160 rows\)", err)
        self.assertAlmostEqual(float(wrong[1]), 100 * int(wrong[2]) / 160, 2)
        for words in ("m_input() of the header makes them", "160 rows, 2 features", "the best for each size", "<- picked", "always answering", "a plain linear model",
                      "the same model again", "written; include it"):
            self.assertIn(words, err)
        self.assertEqual(self.gen("fit", self.ring, "-o", self.path("m.h"), "--quiet"), (0, "", ""))

    def test_rates_are_kept_or_refused(self):
        found = self.json("fit", self.ring, "--max-missed", "0.2", "-o", self.path("m.h"))
        self.assertLessEqual(found["missed"], 0.2)
        os.unlink(self.path("m.h"))
        mixed = self.write("mixed.csv", sets.csv(*sets.gauss(n=80, gap=0.0)))
        self.fails(1, "no model keeps these rates: the nearest", "fit", mixed, "--max-missed", "0.01", "--max-false-alarms", "0.01",
                   "-o", self.path("m.h"))
        self.fails(1, "are for two classes", "fit", self.many, "--max-missed", "0.1")
        self.assertNotIn("m.h", os.listdir(self.folder))

    def test_classes_in_order_and_groups_are_in_the_command(self):
        x, y = sets.gauss(n=90, classes=3)
        lines = [f"p{i // 6}," + ",".join(map(repr, row)) + "," + ("low", "mid", "high")[c] for i, (row, c) in enumerate(zip(x, y))]
        path = self.write("people.csv", "who,a,b,c,d,level\n" + "\n".join(lines) + "\n")
        found = self.json("fit", path, "--group", "who", "--order", "low,mid,high", "-o", self.path("m.h"))
        self.assertEqual((found["d"], found["labels"]), (4, ["low", "mid", "high"]))
        header = self.read("m.h")
        self.ok(*shlex.split(found["command"])[3:])
        self.assertEqual(self.read("m.h"), header)


class Others(Fit):
    """Labels that are numbers to be met, and one class."""
    TRIES = SMALL + [dataclasses.replace(one, points=lambda facts, points=one.points: points(facts)[:2]) for one in tries.TRIES
                     if one.about != "classes"]

    def numbers(self, name, n, seed):
        rng = random.Random(seed)
        rows = [[rng.uniform(-2, 2) for _ in range(3)] for _ in range(n)]
        lines = [",".join(map(repr, row)) + f",{10 * math.sin(row[0]) * row[1] + rng.gauss(0, 0.3):.3f}" for row in rows]
        return self.write(name, "\n".join(lines) + "\n")

    def machine(self, name, n, seed):
        """Normal rows around the origin, a tenth of others far away, of two kinds."""
        rng, lines = random.Random(seed), []
        for i in range(n):
            row = [rng.gauss(0, 1) + (5 if i % 10 == 9 and j == i // 10 % 3 else 0) for j in range(3)]
            lines.append(",".join(map(repr, row)) + "," + (("burnt", "loose")[i // 10 % 2] if i % 10 == 9 else "fine"))
        return self.write(name, "\n".join(lines) + "\n")

    def again(self, found):
        """The command of a result gives the same header."""
        header = self.read("m.h")
        os.unlink(self.path("m.h"))
        self.ok(*shlex.split(found["command"])[3:])
        self.assertEqual(self.read("m.h"), header)

    def test_numbers_are_met(self):
        train, test = self.numbers("n.csv", 90, 1), self.numbers("t.csv", 200, 2)
        for more in (("--flash", "900", "--seed", "3"), ("--target", "cortex-m4f", "--flash", "4K")):
            with self.subTest(more=more):
                _, _, err = self.gen("fit", train, "--test", test, *more, "-o", self.path("m.h"), "--json", self.path("m.json"))
                found = json.loads(self.read("m.json"))
                self.assertEqual((found["method"], found["majority_error"]), ("svr", 1.0))
                self.assertGreater(found["r2"], 0.5)
                self.assertGreater(found["r2_test"], 0.5)
                self.assertGreater(found["linear_error"], 0.8)  # sin(a) b has no slope
                self.assertAlmostEqual(found["r2"], 1 - found["error_mean"])
                self.again(found)
                for words in ("labels are numbers from", "root mean square error", "always answering the mean leaves 100 %"):
                    self.assertIn(words, err)

    def test_what_labels_are_is_said_or_asked_for(self):
        x, _ = sets.gauss(n=60)
        count = self.write("count.csv", "".join(",".join(map(repr, row)) + f",{i}\n" for i, row in enumerate(x)))
        self.fails(1, "--targets numbers meets numbers", "fit", count, "-o", self.path("m.h"))
        self.assertEqual(self.json("fit", count, "--targets", "numbers", "-o", self.path("m.h"))["method"], "svr")
        half = self.write("half.csv", "".join(",".join(map(repr, row)) + f",{i % 2}.5\n" for i, row in enumerate(x)))
        self.assertEqual(self.json("fit", half, "-o", self.path("m.h"))["labels"], ["0.5", "1.5"])
        same = self.write("same.csv", "".join(",".join(map(repr, row)) + ",7.5\n" for row in x))
        self.fails(1, "all labels are the same number", "fit", same, "--targets", "numbers")
        self.fails(1, "these labels are numbers", "fit", count, "--targets", "numbers", "--max-missed", "0.1")
        self.ok("fit", count, "--targets", "numbers", "--time", "5", "--report", self.path("r.html"))
        with open(self.path("r.html"), encoding="utf-8") as file:
            self.assertIn("share of the variance not explained", file.read())
        self.fails(2, "--positive has no meaning", "fit", count, "--targets", "numbers", "--positive", "1")

    def test_one_class_detects_and_keeps_its_rate(self):
        train, test = self.machine("n.csv", 300, 1), self.machine("t.csv", 600, 2)
        for more in ((), ("--flash", "300", "--max-false-alarms", "0.1")):
            with self.subTest(more=more):
                found = self.json("fit", train, "--normal", "fine", "--test", test, *more, "-o", self.path("m.h"))
                self.assertEqual((found["method"], found["labels"]), ("oneclass", ["anomaly", "fine"]))
                self.assertGreater(found["detection_rate_test"], 0.85)
                self.assertLess(found["false_alarm_rate_test"], 0.2)
                self.assertLess(found["false_alarms"], 0.17)
                self.again(found)
        _, _, err = self.gen("fit", train, "--normal", "fine", "-o", self.path("m.h"))
        self.assertIn("of the anomalies are detected", err)
        self.fails(1, "no row has the label 'good'", "fit", train, "--normal", "good")
        self.fails(1, "cannot be promised", "fit", train, "--normal", "fine", "--max-missed", "0.1")
        alone = self.write("alone.csv", "1,2,fine\n2,1,fine\n" * 10)
        self.fails(1, "all rows are 'fine'", "fit", alone, "--normal", "fine")


class Stops(Fit):
    def test_threads_and_resume_give_the_same_bytes(self):
        self.ok("fit", self.ring, "--flash", "400", "--threads", "1", "--finish", "-o", self.path("a.h"), "--name", "m")
        self.ok("fit", self.ring, "--flash", "400", "--threads", "3", "--finish", "-o", self.path("b.h"), "--name", "m")
        self.assertEqual(self.read("a.h"), self.read("b.h"))
        real, came = fit.View.arrived, []

        def arrived(view, *words):
            came.append(words)
            real(view, *words)

        def look(view):
            if len(came) > 14:
                raise workers.Stopped

        with mock.patch("gen.fit.View.look", look), mock.patch("gen.fit.View.arrived", arrived):
            code, _, err = self.gen("fit", self.ring, "--flash", "400", "-o", self.path("c.h"), "--name", "m")
        self.assertEqual(code, 0, err)
        self.assertIn("with --resume goes on", err)
        self.assertIn("c.h.search", os.listdir(self.folder))
        known = self.read("c.h.search")
        with open(self.path("c.h.search"), "wb") as file:
            file.write(known[:-20])  # the last line of a process that was killed
        code, _, err = self.gen("fit", self.ring, "--flash", "400", "-o", self.path("c.h"), "--name", "m", "--resume", "--finish")
        self.assertEqual(code, 0, err)
        self.assertRegex(err, r"\d+ trainings are known from before")
        self.assertEqual(self.read("c.h"), self.read("a.h"))
        self.assertNotIn("c.h.search", os.listdir(self.folder))

    def test_a_state_of_another_search_is_refused(self):
        with open(self.path("m.h.search"), "w", encoding="ascii") as file:
            file.write('{"search": "other"}\n')
        self.fails(1, "m.h.search: this search was about other data", "fit", self.ring, "-o", self.path("m.h"), "--resume")
        with open(self.path("m.h.search"), "w", encoding="ascii") as file:
            file.write("nonsense\n")
        self.fails(1, "m.h.search: not the state of a search", "fit", self.ring, "-o", self.path("m.h"), "--resume")
        self.assertEqual(self.read("m.h.search"), b"nonsense\n")
        self.fails(2, "--resume", "fit", self.ring, "--resume")

    def test_where_nothing_fits_nothing_is_tried_again(self):
        nine = self.write("nine.csv", sets.csv(*sets.gauss(n=180, d=6, classes=9, gap=3.0, seed=2)))
        code, _, err = self.gen("fit", nine, "--flash", "70", "-o", self.path("m.h"))
        self.assertEqual(code, 1)
        self.assertIn("no model fits: the smallest that was tried", err)
        self.assertNotIn("the best again", err)

    def test_a_part_that_was_cut_short_goes_on_with_the_time_that_others_leave(self):
        real, cut = search.Search.measure, []

        def measure(this, phase, *more):
            if phase == "prototypes" and not cut:
                cut.append(phase)
                raise fit.Late
            real(this, phase, *more)

        with mock.patch("gen.search.Search.measure", measure):
            found = self.json("fit", self.ring, "-o", self.path("m.h"))
        self.assertEqual(cut, ["prototypes"])
        self.assertTrue(found["complete"])
        self.assertIn("lvq", {one["method"] for one in found["candidates"]})

    def test_drafts_stand_for_models_that_there_was_no_time_to_test(self):
        real = search.Search.settle

        def settle(this, finals):
            real(this, finals)
            raise workers.Stopped

        with mock.patch("gen.search.Search.settle", settle):
            code, _, err = self.gen("fit", self.ring, "--flash", "300", "-o", self.path("m.h"))
        self.assertEqual(code, 0, err)
        self.assertIn("picked: svm, rbf kernel", err)  # which no linear model comes near
        self.assertIn("there was no time to test them in their number format", err)
        self.assertIn("m.h", os.listdir(self.folder))

    def test_a_time_that_is_too_short_is_said(self):
        self.fails(1, "--time is too short", "fit", self.ring, "--time", "0.0001", "-o", self.path("m.h"))
        self.assertNotIn("m.h", os.listdir(self.folder))
        found = self.json("fit", self.ring, "--time", "0.0001", "--finish", "-o", self.path("m.h"))
        self.assertEqual((found["complete"], found["stopped"]), (True, None))
        self.assertIn("m.h", os.listdir(self.folder))
        self.assertNotIn("m.h.search", os.listdir(self.folder))

    def test_ctrl_c_keeps_the_best_so_far(self):
        run = self.spawn("fit", self.ring, "-o", self.path("m.h"), "--json", self.path("m.json"))
        said = ""
        while "linear models: best so far" not in said:
            line = run.stderr.readline()
            self.assertTrue(line, said)
            said += line
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=100)
        self.assertEqual((run.returncode, out), (0, ""), said + err)
        self.assertIn("stopped by Ctrl-C", err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual((found["complete"], found["stopped"]), (False, "stopped by Ctrl-C"))
        self.assertTrue({"m.h", "m.h.search"} <= set(os.listdir(self.folder)))


    def test_tune_goes_on_where_it_stopped(self):
        grid = ("tune", self.ring, "--method", "svm", "--kernel", "rbf", "--grid", "C=0.1,1,10", "--folds", "4")
        self.ok(*grid, "--save", self.path("a.mgn"), "--threads", "1")
        from gen import commands
        real = commands.Counting.look

        def look(counting):
            real(counting)
            if counting.done >= 5:
                raise KeyboardInterrupt

        with mock.patch("gen.commands.Counting.look", look):
            code, _, err = self.gen(*grid, "--save", self.path("b.mgn"), "--threads", "1")
        self.assertEqual(code, 130, err)
        self.assertIn("the same command with --resume goes on from here", err)
        self.assertNotIn("b.mgn", os.listdir(self.folder))
        code, _, err = self.gen(*grid, "--save", self.path("b.mgn"), "--resume")
        self.assertEqual(code, 0, err)
        self.assertRegex(err, r"\d+ of 12 trainings are known from before")
        self.assertEqual(self.read("a.mgn"), self.read("b.mgn"))
        self.assertNotIn("b.mgn.search", os.listdir(self.folder))
        self.fails(2, "--resume", *grid, "--resume")


class Inputs(Fit):
    def test_real_values_need_code_that_is_counted_or_said_not_to_be(self):
        found, err = {}, {}
        for how in ("auto", "real", "integers"):
            code, _, err[how] = self.gen("fit", self.ring, "--target", "cortex-m0", "--flash", "4K", "--inputs", how, "--json", self.path("f.json"),
                                         "-o", self.path("m.h"))
            self.assertEqual(code, 0, err[how])
            with open(self.path("f.json"), encoding="utf-8") as file:
                found[how] = json.load(file)
        self.assertEqual(found["auto"]["flash"], found["real"]["flash"])
        self.assertLess(found["integers"]["flash"] + 2000, found["real"]["flash"])  # soft floating point
        self.assertEqual((found["real"]["inputs"], found["integers"]["inputs"]), ("raw", "integers"))
        self.assertIn("which are counted", err["real"])
        self.assertIn("(as --inputs integers asks for): your program must pass integers", err["integers"])
        self.assertIn("it takes 16-bit integers", err["integers"])
        code, _, said = self.gen("fit", self.ring, "--target", "cortex-m0", "--flash", "1K", "-o", self.path("m.h"))
        self.assertEqual(code, 0, said)
        self.assertIn("--flash 1024 has no room for that", said)
        self.fails(1, "--inputs integers does not count the code", "fit", self.ring, "--target", "cortex-m0", "--flash", "1K", "--inputs", "real",
                   "-o", self.path("m.h"))


class Wrong(Fit):
    def test_one_clear_line_and_no_file(self):
        one = self.write("one.csv", "1,a\n2,a\n3,a\n" * 5)
        unlike = self.write("unlike.csv", "".join(f"{i},{i + 1},label{i}\n" for i in range(30)))
        few = self.write("few.csv", "1,a\n2,b\n3,a\n4,b\n")
        lonely = self.write("lonely.csv", "1,a\n" * 20 + "2,b\n")
        still = self.write("still.csv", "1,5,a\n1,5,b\n" * 20)
        people = self.write("people.csv", "1,anna,a\n2,anna,b\n3,bert,a\n4,bert,b\n" * 5)
        for code, words, arguments in (
                (1, "no model fits: the smallest that was tried", [self.ring, "--flash", "3"]),
                (1, "no model fits: the smallest that was tried", [self.ring, "--cycles", "5"]),
                (1, "no model fits: the smallest that was tried", [self.ring, "--ram", "8"]),
                (2, "--flash: not a number of bytes, as 2048 or 2K: '0'", [self.ring, "--flash", "0"]),
                (2, "--flash: not a number of bytes, as 2048 or 2K: '2X'", [self.ring, "--flash", "2X"]),
                (2, "--time: must be greater than 0", [self.ring, "--time", "-1"]),
                (2, "no target 'cortex-m00' (did you mean 'cortex-m0'?)", [self.ring, "--target", "cortex-m00"]),
                (2, "--max-missed: must be between 0 and 1", [self.ring, "--max-missed", "2"]),
                (2, "--workers x: it must be dask://HOST:PORT", [self.ring, "--workers", "x"]),
                (2, "give it a file, not standard input", ["-"]),
                (1, "only one class: 'a'", [one]), (1, "different labels in", [unlike]),
                (1, "4 rows are too few", [few]), (1, "class 'b' has 1 row", [lonely]),
                (1, "no column ever changes", [still]), (1, "not a number: 'anna': features are numbers. Make a column of 0 and 1", [people]),
                (2, "--label none: fit learns from labels", [self.ring, "--label", "none"]),
                (1, "no column named 'who'", [self.ring, "--group", "who"]),
                (1, "No such file", [self.path("none.csv")])):
            with self.subTest(arguments=arguments):
                self.fails(code, words, "fit", *arguments, "-o", self.path("m.h"))
                self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("m.h")], [])

    def test_a_file_that_grows_is_refused(self):
        path = self.write("log.csv", sets.csv(*sets.ring()))
        real = groups.read

        def read(*words):
            found = real(*words)
            with open(path, "a", encoding="ascii") as file:
                file.write("1,2,0\n")
            return found

        with mock.patch("gen.groups.read", read):
            self.fails(1, "log.csv: the file changed while it was read", "fit", path, "-o", self.path("m.h"))
        real_run = search.Search.run

        def run(this):
            real_run(this)
            with open(path, "a", encoding="ascii") as file:
                file.write("1,2,0\n")

        with mock.patch("gen.search.Search.run", run):
            self.fails(1, "log.csv: the file changed during the search", "fit", path, "-o", self.path("m.h"))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("m.h")], [])


class Parts(unittest.TestCase):
    def test_the_plan_does_not_depend_on_the_clock_but_on_the_data(self):
        small, entries = search.make_plan(tries.Facts(300, 10, 2), 60)
        self.assertEqual((small.cap, small.last_cap, small.left_out), (None, None, ()))
        self.assertEqual({entry.method for entry in entries} >= {"svm", "kmomd", "mam", "lvq", "nn", "seco"}, True)
        large, entries = search.make_plan(tries.Facts(50000, 50, 2), 60)
        self.assertLess(large.cap, 50000)
        self.assertTrue(large.left_out)
        self.assertTrue(any(entry.method == "svm" for entry in entries))
        self.assertGreaterEqual(search.make_plan(tries.Facts(50000, 50, 2), 6000)[0].cap or 50000, large.cap)

    def test_a_plan_keeps_within_its_time_by_its_own_estimates(self):
        for n, d, k in ((30, 4, 2), (150, 60, 2), (1200, 3, 2), (700, 24, 5), (3000, 180, 3), (14000, 16, 26), (60000, 9, 7), (9000, 256, 10)):
            for flash, seconds in ((None, 60), (2048, 60), (512, 10)):
                with self.subTest(n=n, d=d, k=k, flash=flash, seconds=seconds):
                    facts = tries.Facts(n, d, k, flash=flash, limited=flash is not None)
                    plan, entries = search.make_plan(facts, seconds)
                    rich = [entry for entry in tries.suited(facts) if not entry.simple and entry.points(facts)]  # none where nothing has room
                    first = sum(search.first_seconds(entry, facts, plan.cap or n) for entry in entries)
                    self.assertLess(first + 0.4 * plan.work, 2 * seconds)  # near the best a tenth, the last round three tenths at most
                    self.assertLess(max(search.once(facts, one) for entry in entries if not entry.simple
                                        for one in search.choices_of(entry, facts)) if rich else 0.0,
                                    0.2 * plan.work)
                    self.assertEqual(any(not entry.simple for entry in entries), bool(rich))

    def test_a_slow_part_of_the_search_does_not_cost_the_others_their_time(self):
        clock = mock.Mock(return_value=0.0)
        with mock.patch("gen.fit.time.monotonic", clock):
            view = fit.View(100.0, True)
            with view.until(0.6, 0.25) as within:
                clock.return_value = 15.5  # a quarter of the 60 seconds is over
                view.look()
            self.assertFalse(within.kept)
            with view.until(0.6, 0.5) as within:
                clock.return_value = 37.0  # half of the 44.5 that are left is not
                view.look()
            self.assertTrue(within.kept)

    def test_learned_vectors_have_a_shape_that_fits_and_nothing_is_tried_that_cannot_fit(self):
        facts = tries.Facts(7291, 256, 10, flash=2048, limited=True)
        _, entries = search.make_plan(facts, 40)
        self.assertEqual({entry.method for entry in entries} & {"lvq", "tvq", "hss", "nn"}, set())  # ten vectors need 2560 bytes
        self.assertTrue(any(point.get("features") for entry in entries if entry.method == "compact" for point in entry.points(facts)))
        self.assertTrue(any(entry.method == "compact" for entry in search.make_plan(tries.Facts(1078, 64, 10, flash=1300, limited=True), 20)[1]))

    def test_few_rows_are_said_to_tell_little(self):
        """Of 40 rows and an error of 15 % the standard error is the root of 0.15 * 0.85 / 40: 5.6 points, however often they are divided."""
        for n, words in ((40, "40 rows alone tell an error of 15 % only to within about 6 points"), (4000, "")):
            this = SimpleNamespace(facts=tries.Facts(n, 2, 2), ground=SimpleNamespace(n=n))
            lines = fit.about_pick(this, SimpleNamespace(error=0.15), {"test_error": None}, None, 0)
            self.assertEqual(len(lines), bool(words))
            self.assertIn(words, "".join(lines))

    def test_a_step_down_is_the_best_that_is_smaller_and_a_step_up_is_better(self):
        """A quicker model has its place in the table, but is no step down if a smaller one makes fewer errors."""
        found = [SimpleNamespace(size=size, error=error) for size, error in ((100, 0.04), (150, 0.06), (200, 0.02), (210, 0.0199), (400, 0.01))]
        this = SimpleNamespace(frontier=lambda found: found, price=lambda one: (one.size, 0))
        self.assertEqual([one.size for one in fit.steps(this, found, found[2])], [400, 100])
        self.assertEqual(fit.steps(this, found[2:3], found[2]), (None, None))

    def test_more_time_has_no_fewer_learned_vectors(self):
        for n, d, k, flash in ((1257, 64, 10, 1200), (2142, 12, 2, 1500), (700, 8, 3, 1290)):
            most = []
            for seconds in (10, 30, 60, 200):
                _, entries = search.make_plan(tries.Facts(n, d, k, flash=flash, limited=True), seconds)
                found = [point for entry in entries if entry.method == "compact" for point in entry.points(None)]
                most.append(max(point["vectors"] for point in found))
            self.assertEqual(most, sorted(most))
            self.assertGreater(most[1], flash / (d + d % 2 + 2 + k) / 2)  # half a minute is enough to use the budget

    def test_many_features_are_picked_from_and_the_models_fit_the_chip(self):
        x, y = sets.gauss(n=400, d=60, seed=5)
        found = problem(x, y)
        arguments = argparse.Namespace(flash=2048, target="cortex-m0", inputs="auto", order=None, max_missed=None, max_false_alarms=None)
        facts = fit.facts_of(arguments, found, True)
        points = [point for point in tries.learned(facts) if "features" in point]
        self.assertGreater(len({point["features"] for point in points}), 1)
        ground = trial.ground_of(found, None, 5, 1, trial.Budget(2048, None, None, "cortex-m0", True))
        for point in points[:3]:
            result = trial.run(ground, trial.Trial("compact", tuple({**point, "iterations": 2}.items()), (trial.Form("q7"),), None, 0, 0))
            self.assertNotIn("failed", result["forms"]["q7"])
            self.assertGreater(ground.budget.price(cost.Shape(**result["forms"]["q7"]["shape"])).flash, 1900)

    def test_the_first_rounds_have_as_many_rows_as_is_said(self):
        x, y = sets.gauss(n=560, d=2, classes=2, seed=6)
        y[:2] = ["rare", "rare"]
        ground = trial.ground_of(problem(x, y), None, 5, 1, trial.Budget())
        classes = memoryview(ground.y).cast("H")
        for cap in (420, 300, 100, 57):
            rows = ground.subset(cap)
            self.assertTrue(0.85 * cap < len(rows) <= cap + 2, (cap, len(rows)))
            self.assertEqual({classes[i] for i in rows}, {0, 1, 2})

    def test_every_method_that_suits_some_data_can_be_tried(self):
        facts = [tries.Facts(300, 10, 2), tries.Facts(300, 10, 3, ordered=True), tries.Facts(300, 10, 2, missed=0.1)]
        found = {entry.method for one in facts for entry in tries.suited(one)}
        self.assertEqual(found & set(methods.METHODS), found)
        for one in facts:
            for entry in tries.suited(one):
                for point in entry.points(one):
                    methods.check(entry.method, point)  # refuses what the method does not take
                    self.assertGreater(entry.seconds(one, point), 0)

    def test_groups_stay_together_and_classes_are_spread(self):
        who = [i // 4 for i in range(120)]
        classes = [i % 2 for i in range(120)]
        folds = trial.group_folds(who, classes, 5, 1)
        for group in set(who):
            self.assertEqual(len({fold for fold, g in zip(folds, who) if g == group}), 1)
        self.assertEqual([folds.count(f) for f in range(5)], [24] * 5)
        self.assertNotEqual(folds, trial.group_folds(who, classes, 5, 2))


def problem(rows, labels, names=None):
    """A problem out of lists."""
    text = "".join(",".join(map(repr, row)) + f",{label}\n" for row, label in zip(rows, labels))
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write((",".join([*names, "label"]) + "\n" if names else "") + text)
        file.flush()
        from gen import data
        return train.problem_of(data.read(file.name), None)


class Advice(unittest.TestCase):
    def setUp(self):
        self.x, self.y = sets.gauss(n=120, d=4, gap=0.4, seed=3)

    def lines(self, x, y, **more):
        return "\n".join(advice.about_data(problem(x, y), **more))

    def test_nothing_is_said_about_good_data(self):
        self.assertEqual(self.lines(self.x, self.y), "")

    def test_few_and_rare_classes(self):
        y = [2 if i < 4 else c for i, c in enumerate(self.y)]
        self.assertIn("few rows of '2' (4)", self.lines(self.x, y))
        x, y = sets.gauss(n=1200, d=4, gap=0.4, seed=3)
        rare = [(row, c) for i, (row, c) in enumerate(zip(x, y)) if c == 0 or i % 60 == 1]
        self.assertIn("rare classes: '1'", self.lines([row for row, _ in rare], [c for _, c in rare]))

    def test_columns(self):
        self.assertIn("columns that never change: 5", self.lines([[*row, 7.0] for row in self.x], self.y))
        self.assertIn("5 is the same as 2", self.lines([[*row, row[1]] for row in self.x], self.y))
        self.assertIn("column 5 alone tells the classes apart", self.lines([[*row, c + 0.1 * row[0] / 100] for row, c in zip(self.x, self.y)], self.y))
        many = [i % 3 for i in range(120)]
        self.assertIn("column 5 alone", self.lines([[*row, float(c)] for row, c in zip(self.x, many)], many))

    def test_copies_and_leakage(self):
        self.assertIn("12 of 132 rows occur more than once", self.lines(self.x + self.x[:12], self.y + self.y[:12]))
        test = problem(self.x[:30] + [[9.0, 9.0, 9.0, 9.0]], self.y[:30] + [1]).rows
        self.assertIn("30 of 31 test rows are in the training data as well", self.lines(self.x, self.y, test=test))

    def test_rows_in_order_of_time(self):
        x = [[v + 10 * (i // 30 % 3) for v in row] for i, row in enumerate(self.x)]
        self.assertIn("--group COLUMN keeps them together", self.lines(x, self.y))
        self.assertEqual(self.lines(x, self.y, groups=[i // 30 for i in range(120)]), "")

    def test_a_class_that_the_model_does_not_know_is_no_row_of_wrong_labels(self):
        rng = random.Random(4)
        rows = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(400)]
        found = problem(rows, [int(i % 50 == 0) for i in range(400)])  # eight rows of a class that nothing tells from the other
        ground = trial.ground_of(found, None, 5, 1, trial.Budget())
        view = mock.Mock(look=lambda: None)
        self.assertEqual(advice.about_labels(found, ground, search.plain_linear(tries.Facts(400, 2, 2)), view), [])

    def test_wrong_labels_are_found(self):
        x, y = sets.gauss(n=200, d=4, gap=6.0, seed=5)
        y[17], y[91] = 1 - y[17], 1 - y[91]
        found = problem(x, y)
        ground = trial.ground_of(found, None, 5, 1, trial.Budget())
        view = mock.Mock()
        line, = advice.about_labels(found, ground, search.plain_linear(tries.Facts(200, 4, 2)), view)
        self.assertRegex(line, r"^2 rows look as if they had a wrong label.*number (18, 92|92, 18),")
        self.assertTrue(view.look.called)

    def test_rows_of_classes_that_overlap_are_no_wrong_labels(self):
        for seed, gap in ((1, 0.7), (2, 0.4), (5, 0.4), (6, 0.4)):
            found = problem(*sets.gauss(n=240, d=3, classes=2, gap=gap, seed=seed))
            ground = trial.ground_of(found, None, 5, 1, trial.Budget())
            self.assertEqual(advice.about_labels(found, ground, search.plain_linear(tries.Facts(240, 3, 2)), mock.Mock()), [])


def shape_of(key):
    """Some shape of this entry of the table."""
    kind, form = key.split()[0], next(word for word in key.split() if word in ("f32", "q15", "q7"))
    ending, machines = "" if form == "f32" else "_q", 3 if key.endswith("several") else 1
    if kind == "scaled":
        return cost.Shape(f"margin_scaled_scores_{form}", "", "margin_linear_q", form, 0, 0, 5, 3)
    if kind in ("linear", "proto"):
        return cost.Shape("", "", f"margin_{kind}{ending}", form, 0, 0 if kind == "linear" else 6, 5, 2)
    if kind == "list":
        n = 0 if "linear" in key and ending else 8
        return cost.Shape("", key.split()[1], f"margin_list{ending}", form, 0, n, 5, 1, 2, reach=(4, 8) if n else ())
    return cost.Shape("", kind, f"margin_expansion{ending}", form, 0, 8, 5, machines, machines)


class Costs(CommandLine):
    def test_bytes_are_those_of_the_header_and_grow_with_vectors(self):
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--save", self.path("m.mgn"))
        from gen import model
        found = model.load(self.path("m.mgn"))
        for form in ("f32", "q15", "q7"):
            self.ok("export", self.path("m.mgn"), "--format", form, "-o", self.path("m.h"))
            with open(self.path("m.h"), encoding="ascii") as file:
                table = int(re.search(r"TABLE_BYTES (\d+)", file.read())[1])
            for target in cost.targets():
                price = cost.cost(found, target, form)
                self.assertEqual(price.tables, table)
                self.assertGreater(price.flash, table)
                shape = cost.shape_of(found, form)
                more = cost.estimate(cost.Shape(**{**vars(shape), "n": 2 * shape.n}), target)
                if price.cycles is not None:
                    self.assertGreater(more.cycles, 1.5 * price.cycles)

    def test_every_weight_has_its_term_and_none_is_negative(self):
        """A table that was measured for other terms than those of cost.py would give any number."""
        for target, table in cost.targets().items():
            for key, entry in table["functions"].items():
                if entry.get("cycles") is None:
                    continue
                with self.subTest(target=target, key=key):
                    shape = shape_of(key)
                    self.assertEqual(shape.key, key)
                    self.assertEqual(len(entry["cycles"]), len(cost.terms(shape)))
                    self.assertGreaterEqual(min(entry["cycles"]), 0)

    def test_helpers_that_two_functions_share_are_counted_once_and_all_others_too(self):
        table = cost.targets()["cortex-m0"]
        linear = cost.Shape("margin_linear_scores", "", "margin_linear", "f32", 60, 0, 4, 3)
        plain, chosen = (cost.estimate(dataclasses.replace(linear, elect=word), "cortex-m0") for word in ("", "rest f32"))
        self.assertLess(chosen.flash + 1500, plain.flash)  # three machines and a comparison a class need no division
        self.assertGreater(plain.helpers, max(table["functions"][key]["helpers"] for key in ("linear f32", "decide")))
        self.assertLess(plain.helpers, sum(table["functions"][key]["helpers"] for key in ("linear f32", "decide")))
        for name, entry in cost.targets().items():
            for key, part in entry["functions"].items():
                self.assertEqual(part["helpers"], sum(entry["objects"][word] for word in part["uses"].split()), (name, key))

    def test_integers_are_cheaper_without_a_floating_point_unit(self):
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--save", self.path("m.mgn"))
        from gen import model
        found = model.load(self.path("m.mgn"))
        self.assertLess(10 * cost.cost(found, "cortex-m0", "q7").cycles, cost.cost(found, "cortex-m0", "f32").cycles)


class Words(CommandLine):
    def test_help_is_short_and_about_one_method(self):
        short = self.gen("train", "--help")[1].splitlines()
        self.assertLess(len(short), 50)
        for name, method in methods.METHODS.items():
            text = self.gen("train", "--method", name, "--help")[1]
            self.assertEqual([option.name for option in method.options if f"  --{option.name}" not in text], [])
            for option in method.options:
                self.assertTrue(option.help[0].isupper() and option.help.endswith("."), option.help)
        shown = self.gen("train", "--method", "svm", "--help")[1]
        self.assertNotIn("--lambda", shown)
        self.assertIn("inf asks for a hard margin", shown)
        self.assertNotIn("lssvm:", shown)
        self.assertIn("The default is rbf.", self.gen("train", "--method", "oneclass", "--help")[1])
        self.assertIn("The default is rbf.", self.gen("train", "--method", "seco", "--help")[1])
        self.assertIn("The default is hinge.", self.gen("train", "--method", "compact", "--help")[1])
        self.fails(2, "no method 'smv' (did you mean 'svm'?); there are mam,", "train", "--method", "smv", "--help")

    def test_help_of_fit_begins_with_an_example_and_has_all_its_options(self):
        text = self.gen("fit", "--help")[1]
        self.assertEqual(text.splitlines()[0], "usage: gen fit DATA [options]")
        self.assertIn("python3 -m gen fit data.csv --flash 2K", text)
        known = cli.commands_by_name()["fit"]._option_string_actions
        self.assertEqual([word for word in known if word not in ("-h", "--help") and f"\n  {word}" not in text], [])

    def test_help_of_a_method_says_nothing_about_others(self):
        for name, method in methods.METHODS.items():
            shown = [option for option in (*method.options, *COMMON) if method.takes(option.name) and option.name not in ("kernel", "start")]
            text = " ".join(manual.about(name, option.help) for option in shown)
            others = [other for other in (*methods.METHODS, "others") if other not in (name, "rates")]
            self.assertEqual([other for other in others if re.search(rf"\b{other}\b", text)], [], f"{name}: {text}")
        self.assertNotIn("--normal", self.gen("train", "--method", "svm", "--help")[1])  # which it refuses
        self.assertNotIn("--order", self.gen("train", "--method", "svm", "--help")[1])
        self.assertIn("--normal", self.gen("train", "--method", "oneclass", "--help")[1])
        self.assertIn("--order", self.gen("train", "--method", "omam", "--help")[1])
        self.assertNotIn("- is standard input", self.gen("fit", "--help")[1])  # which it refuses too

    def test_misspelt_words_get_a_suggestion(self):
        for words, arguments in (("did you mean 'svm'?", ["train", self.two, "--method", "smv"]),
                                 ("did you mean 'svm' or 'svr'?", ["train", self.two, "--method", "svn"]),
                                 ("did you mean 'train'?", ["trian"]),
                                 ("did you mean '--kernel'?", ["train", self.two, "--method", "svm", "--kernal", "rbf"]),
                                 ("unrecognized arguments: --methd (did you mean '--method'?)", ["train", self.two, "--methd", "svm"]),
                                 ("unrecognized arguments: --flahs (did you mean '--flash'?)", ["fit", "--flahs", "2K"]),
                                 ("did you mean 'rbf'?", ["train", self.two, "--method", "svm", "--kernel", "rfb"]),
                                 ("did you mean '--flash'?", ["fit", self.two, "--flsh", "2K"])):
            self.fails(2, words, *arguments)

    def test_without_arguments_there_are_examples_that_work(self):
        code, _, err = self.gen()
        self.assertEqual(code, 2)
        lines = [line.split("#")[0].split()[3:] for line in err.splitlines() if line.startswith("  python3 -m gen")]
        self.assertEqual([line[0] for line in lines], ["example", "fit", "train"])
        inside = contextlib.chdir(self.folder) if hasattr(contextlib, "chdir") else here(self.folder)
        with mock.patch("gen.tries.TRIES", SMALL), mock.patch("gen.search.REPEATS", 2), inside:
            for line in lines:
                self.assertEqual(self.gen(*line)[0], 0)

    TYPED = {"gen fi": "gen fit ", "gen train --meth": "gen train --method ", "margin-gen train --method km": "margin-gen train --method kmomd ",
             "gen fit rows": "gen fit rows.csv ", "gen fit rows.csv --target cortex-m4": "gen fit rows.csv --target cortex-m4f ",
             "gen train --method=km": "gen train --method=kmomd ", "gen completion z": "gen completion zsh ",
             "gen train rows.csv --method svm --C-p": "gen train rows.csv --method svm --C-pos ",
             "gen train rows.csv --method svm --la": "gen train rows.csv --method svm --label ",  # not --lambda, which svm does not take
             "gen train rows.csv --method=kmomd --lam": "gen train rows.csv --method=kmomd --lambda "}

    def test_bash_completes_what_is_typed(self):
        show = "show() { printf '%s\\n' \"$READLINE_LINE\" >>typed; READLINE_LINE=; }; bind -x '\"\\C-xs\": show'\n"
        self.assertEqual(self.typed("bash", ["bash", "--norc", "-i"], show), self.TYPED)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh: install zsh")
    def test_zsh_completes_what_is_typed(self):
        show = "show() { print -r -- $BUFFER >>typed; BUFFER= }; zle -N show; bindkey '^Xs' show\n"
        self.assertEqual(self.typed("zsh", ["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -d dump\n", show), self.TYPED)
        os.mkdir(self.path("functions"))
        os.rename(self.path("script"), self.path("functions/_margin_gen"))
        once = self.typed("zsh", ["zsh", "-f", "-i"], "fpath=(functions $fpath); autoload -Uz compinit; compinit -u -d dump2\n: >script\n", show)
        self.assertEqual(once, self.TYPED)  # as a file of $fpath, from the first key on

    def typed(self, shell, command, *set_up):
        """What a shell on a terminal makes of a line and the tabulator key. The last of `set_up` binds Ctrl-X s, which writes the line
        to the file `typed`."""
        self.write("rows.csv", "1,2\n")
        self.write("script", self.gen("completion", shell)[1])
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path("typed"))
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe(command[0], command, {**os.environ, "TERM": "vt100", "HOME": self.folder})
        reader = threading.Thread(target=drain, args=(terminal,), daemon=True)
        reader.start()
        try:
            os.write(terminal, "".join([*set_up[:-1], "source ./script\n", set_up[-1], "echo ready >typed\n"]).encode())
            found = self.lines_of("typed", 1)
            for i, line in enumerate(self.TYPED):
                os.write(terminal, f"{line}\t\x18s".encode())
                found = self.lines_of("typed", i + 2)
            return dict(zip(self.TYPED, found[1:]))
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            reader.join()
            os.close(terminal)

    def lines_of(self, name, count):
        """The lines of a file once it has so many."""
        end, found = time.monotonic() + 60, []
        while len(found) < count and time.monotonic() < end:
            time.sleep(0.02)
            with contextlib.suppress(FileNotFoundError), open(self.path(name), encoding="utf-8") as file:
                found = file.read().split("\n")[:-1]
        self.assertEqual(len(found), count, found)
        return found

    def test_mam_holds_up_by_default_and_a_hint_is_given_near_a_majority_vote(self):
        x, y = sets.gauss(n=300, d=4, classes=4, gap=2.0, seed=11)
        uneven = [(row, c) for i, (row, c) in enumerate(zip(x, y)) if c != 3 or i % 3 == 0]
        path = self.write("uneven.csv", sets.csv([row for row, _ in uneven], [c for _, c in uneven]))
        best = self.json("cv", path, "--method", "svm")["error_mean"]
        for kernel in ("linear", "rbf"):
            self.assertLess(self.json("cv", path, "--method", "mam", "--kernel", kernel)["error_mean"], best + 0.1)
        plain = self.json("train", self.two, "--method", "mam", "--no-intercept", "--no-balanced")
        self.assertEqual(plain["bias"], 0)
        mixed = self.write("mixed.csv", sets.csv(*sets.gauss(n=80, gap=0.0)))
        self.assertIn("note: always answering", self.gen("cv", mixed, "--method", "svm")[2])
        self.assertNotIn("note: always answering", self.gen("cv", path, "--method", "svm")[2])


def drain(terminal):
    """Reads what a shell writes, until it ends."""
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass


@contextlib.contextmanager
def here(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    unittest.main()
