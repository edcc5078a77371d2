"""Decision lists: from the strips that no plane separates to firmware, with the same bits."""
import os
import random
import sys
import unittest
from array import array

import test_cli
import test_export
from firmware import Firmware

from gen import export, kinds, model, quant


def strips(n=240, seed=3):
    """Class 1 between two strips of class 0, and the names of the classes."""
    rng = random.Random(seed)
    x = [[rng.uniform(-1, 1), rng.uniform(-0.25, 0.25) + 0.7 * (i % 3 - 1)] for i in range(n)]
    return x, [int(i % 3 == 1) for i in range(n)], ("rim", "mid")


class Lists(test_cli.CommandLine):
    def setUp(self):
        super().setUp()
        x, y, names = strips()
        self.strips = self.write("strips.csv", test_cli.sets.csv(x, y, names))

    def test_train_says_what_each_cut_does(self):
        saved = self.path("list.mgn")
        words = ("train", self.strips, "--method", "seco", "--kernel", "linear", "--cheap", "--positive", "mid")
        code, out, err = self.gen(*words, "--save", saved)
        self.assertEqual(code, 0, err)
        self.assertIn("cut 1: for the negative class, covers", err)
        found = self.json(*words, "--test", self.strips)
        self.assertEqual(found["cuts"], len(found["cut_sign"]))
        self.assertGreaterEqual(found["cuts"], 1)
        self.assertLess(found["train_error"], 0.02)
        self.assertEqual(len(found["nested_cv_error"]), found["cuts"] + 2)
        self.assertLess(found["nested_cv_error"][found["cuts"]], 0.1 * found["nested_cv_error"][0])
        self.assertGreater(found["plain_cv_error"], 0.25)
        self.assertAlmostEqual(sum(found["decided_train"]), 1)
        self.assertEqual(found["fraction_cut_train"], found["fraction_cut_test"])
        self.assertAlmostEqual(found["train_error"], found["fraction_cut_train"] * found["error_cut_train"] +
                               found["fraction_left_train"] * found["error_left_train"])
        self.assertGreater(found["c0"], 0)
        self.assertIn("list of", self.ok("info", saved))
        self.assertEqual(len(self.ok("predict", saved, self.strips).splitlines()), 240)

    def test_bounds_for_c_are_those_of_svm(self):
        list_, plain = (self.json("train", self.strips, "--method", *words, "--kernel", "linear") for words in (("seco",), ("svm", "--bounds")))
        self.assertAlmostEqual(list_["c0"], plain["c0"])
        self.assertEqual((list_["c1"], plain["c1"]), (0, 0))  # no plane parts the strips
        self.assertNotIn("c0", self.json("train", self.strips, "--method", "svm"))

    def test_cv_gives_the_decomposition(self):
        found = self.json("cv", self.strips, "--method", "seco", "--cheap", "--folds", "3", "--kernel", "poly", "--degree", "1",
                          "--coef0", "1")
        self.assertLess(found["error_mean"], 0.05)
        self.assertTrue(0.2 < found["fraction_cut_test"] < 0.8)

    def test_more_than_two_classes_are_refused(self):
        for method in ("seco", "rates"):
            for words in ("two classes, and there are more", "take svm or kmomd (--scheme one-rest)"):
                self.fails(1, words, "train", self.many, "--method", method)

    def test_bad_and_poor_data_is_told_apart(self):
        lines = [line for line in open(self.strips, encoding="utf-8").read().splitlines() if line[-1:] in "md"]
        one, few = self.write("one.csv", "1,2,a\n3,4,a\n"), self.write("few.csv", "\n".join(lines[:60]) + "\n")
        both = self.write("both.csv", "".join(f"{i % 40},{i % 7},{'ab'[i // 120]}\n" * 2 for i in range(240)))
        self.fails(1, "only one class", "train", one, "--method", "seco")
        self.fails(1, "not finite", "train", self.write("nan.csv", "1,nan,a\n3,4,b\n"), "--method", "seco")
        for path, words, reason in ((few, (), "too few samples of a class are left"),
                                    (self.strips, ("--min-coverage", "0.95"), "no candidate covers enough"),
                                    (both, (), "")):
            code, _, err = self.gen("train", path, "--method", "seco", "--kernel", "linear", *words)
            self.assertEqual(code, 0, err)
            self.assertIn("note: no cut was found that lowers the error: the list is one ordinary machine" if reason else "then one machine", err)
            self.assertIn(reason, err)
            self.assertNotIn("not converged: no cut", err)

    def test_the_default_kernel_is_rbf_which_is_better_where_no_list_of_planes_is(self):
        saved = self.path("list.mgn"), self.path("rbf.mgn")
        for path, words in zip(saved, ((), ("--kernel", "rbf", "--gamma", "0.5"))):
            self.ok("train", self.ring, "--method", "seco", *words, "--save", path)
        answers = [self.ok("predict", path, self.ring) for path in saved]
        self.assertEqual(*answers)
        self.assertIn("rbf kernel", self.gen("train", self.ring, "--method", "seco")[2])
        plain = self.json("cv", self.ring, "--method", "seco", "--kernel", "linear")["error_mean"]
        self.assertLess(self.json("cv", self.ring, "--method", "seco")["error_mean"], 0.5 * plain)

    def test_options_of_others_are_refused(self):
        self.fails(2, "--scheme", "train", self.strips, "--method", "seco", "--scheme", "one-rest")


class ListBits(unittest.TestCase):
    def test_firmware_has_the_bits_of_gen(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for kernel in ("linear", "poly", "rbf", "unit-poly", "unit-exp"):
                x, y, names = strips()
                chosen = {"kernel": kernel, "cheap": True, **({"a": 1.0} if kernel == "unit-poly" else {})}
                found.append(test_export.trained(folder, x, y, "seco", chosen, names, 0.01, calibrate=kernel == "rbf"))
                self.assertEqual(kinds.kind_of(found[-1].machine).word, "list")
            headers = [(f"list_{i}", export.header(m, f"list_{i}"), "margin_real", "margin_real") for i, m in enumerate(found)]
            for way in ((("cc", "-std=c99"), ("-O1", "-DMARGIN_STATIC")), (("g++", "-x", "c++", "-std=c++11"), ("-O1", "-DMARGIN_STATIC"))):
                firmware = Firmware(folder, headers, *way)
                for i, m in enumerate(found):
                    rows = test_export.inputs(2, 300, i)
                    got = firmware.run(i, rows, 1)
                    self.assertEqual([test_export.bits(scores) for _, scores, _ in got],
                                     [test_export.bits(scores) for scores in m.machine.scores(rows)], i)

    def test_integer_firmware_has_the_bits_of_gen(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for kernel in ("linear", "poly", "rbf", "unit-poly", "unit-exp"):
                x, y, names = strips()
                x = [[round(400 * v) for v in row] for row in x] if kernel == "rbf" else x
                chosen = {"kernel": kernel, "cheap": True, **({"a": 1.0} if kernel == "unit-poly" else {})}
                m = test_export.trained(folder, x, y, "seco", chosen, names, 0.01, calibrate=kernel == "linear")
                found += [(m, quant.Quantised(m, form)) for form in ("q15", "q7")]
            self.assertEqual([q.numbers["kind"] for _, q in found], [4] * 10)
            for _, q in found[:8]:  # coefficients of unit-exp are 40 times the scores in these two features
                self.assertLess(q.report.mean, (0.005 if q.form == "q15" else 0.06) * q.report.scale)
                self.assertLessEqual(q.report.disagree, 0.02 * q.report.rows)
            headers = [(f"list_{i}", export.header(m, f"list_{i}", q), "int16_t", "int32_t") for i, (m, q) in enumerate(found)]
            for way in ((("cc", "-std=c99"), ("-O1", "-DMARGIN_STATIC")), (("g++", "-x", "c++", "-std=c++11"), ("-Os", "-DMARGIN_STATIC"))):
                firmware = Firmware(folder, headers, *way)
                for i, (_, q) in enumerate(found):
                    rng = random.Random(i)
                    rows = [[rng.choice((-32768, 32767, rng.randint(-32768, 32767), rng.randint(-9000, 9000)))
                             for _ in range(2)] for _ in range(400)]
                    inputs = array("h", [v for row in rows for v in row])
                    labels, scores, _, _ = q.answer(inputs)
                    got = firmware.run(i, rows, 1, "h", "i")
                    self.assertEqual([(label, score) for label, (score,), _ in got], list(zip(labels, scores)), i)

    def test_images_are_read_as_they_were_written(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            m = test_export.trained(folder, *strips()[:2], "seco", {"kernel": "poly", "cheap": True}, ("rim", "mid"), 0)
            path = os.path.join(folder, "list.mgn")
            with open(path, "wb") as file:
                file.write(m.image)
            self.assertEqual(model.load(path).machine.array("coef"), m.machine.array("coef"))


if __name__ == "__main__":
    sys.exit(unittest.main())
