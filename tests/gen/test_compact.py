"""Learned vectors: trained, exported in every number format with the same bits, and what is refused. And what no export may
do: ruin a model without saying so."""
import cmath
import os
import random

import sets
from firmware import Firmware
from test_cli import CommandLine


def spirals(n=300, seed=3):
    """Whole numbers: three classes on the arms of a spiral, which no line tells apart."""
    rng, x, y = random.Random(seed), [], []
    for i in range(n):
        along = rng.uniform(0.5, 2.0)
        turn = 2.094 * (i % 3) + 2.4 * along
        at = cmath.rect(along, turn)
        x.append([round(1000 * (at.real + rng.gauss(0, 0.08))), round(1000 * (at.imag + rng.gauss(0, 0.08))), 7])
        y.append(i % 3)
    return x, y


def heavy(n=400, seed=5):
    """Two classes of 57 features with long tails, as counts of words have them: a few values are forty times the others."""
    rng, features, x, y = random.Random(seed), random.Random(99), [], []
    rate, size, speaks = ([draw() for _ in range(57)] for draw in (
        lambda: features.uniform(0.05, 0.6), lambda: features.gauss(-1, 1), lambda: features.random() < 0.5))
    for _ in range(n):
        y.append(int(rng.random() < 0.4))
        x.append([round(rng.lognormvariate(size[k] + 3 * (k > 53), 1.4), 3) if rng.random() < rate[k] * (
            1.6 if speaks[k] == y[-1] else 0.6) else 0.0 for k in range(57)])
    return x, y


class Compact(CommandLine):
    def setUp(self):
        super().setUp()
        self.arms = self.write("arms.csv", sets.csv(*spirals(), names=["a", "b", "c"]))
        self.other = self.write("other.csv", sets.csv(*spirals(150, 4), names=["a", "b", "c"]))

    def test_few_vectors_learn_what_no_line_tells_apart(self):
        linear = self.json("train", self.arms, "--method", "svm", "--test", self.other)
        for kernel, most in (("hinge", 0.1), ("rbf", 0.1)):
            with self.subTest(kernel=kernel):
                found = self.json("train", self.arms, "--method", "compact", "--vectors", 24, "--kernel", kernel, "--test",
                                  self.other)
                self.assertLess(found["test_error"], most)
                self.assertLess(found["test_error"], linear["test_error"])
                self.assertEqual((found["vectors"], found["support"], found["status"]), (24, 24, "ok"))
                self.assertIn(found["noise"], (0, 0.05, 0.1, 0.2, 0.4, 0.7, 1))

    def test_a_seed_and_noise_of_one_s_own(self):
        run = ["train", self.arms, "--method", "compact", "--vectors", 8, "--iterations", 20, "--noise", 0, "--json", "-"]
        first, again, other = (self.json(*run[:-2], "--seed", seed) for seed in (3, 3, 4))
        self.assertEqual(first["objective"], again["objective"])
        self.assertNotEqual(first["objective"], other["objective"])
        self.assertEqual(first["noise"], 0)

    def test_headers_have_the_bits_of_predict(self):
        text = self.headers_as_predicted()
        self.assertIn("static const int8_t m_coef[42]", text)
        self.assertNotIn("m_scales", text)

    def test_headers_of_a_projection_have_the_bits_of_predict(self):
        text = self.headers_as_predicted("--rank", 2)
        self.assertIn("static const int8_t m_front[6]", text)
        self.assertIn("projection of 3 features to 2 numbers, hinge kernel, 14 vectors", self.ok("info", self.path("m.mgn")))

    def test_headers_of_picked_features_have_the_bits_of_predict(self):
        text = self.headers_as_predicted("--features", 2, "--scale", "none")
        self.assertIn("static const uint8_t m_picked[1]", text)
        self.assertIn("margin_pick_q(&m_model, x, z);", text)
        self.assertIn("2 of 3 features, hinge kernel, 14 vectors", self.ok("info", self.path("m.mgn")))

    def test_a_budget_alone_is_used_as_rows_held_out_say(self):
        """Many features of noise beside two that tell: with all of them, two vectors would fit."""
        rng = random.Random(2)
        y = [i % 2 for i in range(60)]
        wide = self.write("wide.csv", sets.csv([[*(rng.gauss(0, 1) for _ in range(40)), rng.gauss(3 * c, 1), rng.gauss(-3 * c, 1)]
                                                for c in y], y, names=["a", "b"]))
        found = self.json("train", wide, "--method", "compact", "--flash", 110, "-o", self.path("m.h"))
        self.assertEqual((found["header"]["format"], found["options"]["vectors"]), ("q7", found["header"]["vectors"]))
        self.assertLessEqual(found["header"]["bytes"], 110)
        self.assertLessEqual(found["options"]["features"], 8)
        self.assertLess(found["train_error"], 0.1)

    def test_features_of_one_unit_are_left_as_they_are(self):
        """Two pixels that tell beside ten that are almost always dark; in other units the features are scaled."""
        rng = random.Random(3)
        y = [i % 2 for i in range(120)]
        pixels = [[*(float(rng.random() < 0.02) for _ in range(10)), rng.gauss(c, 0.4), rng.gauss(1 - c, 0.4)] for c in y]
        for name, factor, scale in (("pixels", 1, "none"), ("units", 100, None)):
            with self.subTest(name=name):
                rows = [[*row[:-1], factor * row[-1]] for row in pixels]
                data = self.write(f"{name}.csv", sets.csv(rows, y, names=["a", "b"]))
                found = self.json("train", data, "--method", "compact", "--flash", 200, "--iterations", 30, "-o", self.path("m.h"))
                self.assertEqual(found["options"].get("scale"), scale)

    def test_a_budget_is_used_whatever_the_user_has_settled(self):
        """A decay, or a decay and a noise of one's own leave validation less or nothing to choose: the shapes are compared still. Where
        rows are too few to hold some out, nothing is said about such rows."""
        for settled in (("--decay", 0.03), ("--decay", 0.03, "--noise", 0.05)):
            with self.subTest(settled=settled):
                code, _, words = self.gen("train", self.arms, "--method", "compact", "--flash", 300, "--iterations", 30, *settled, "-o",
                                          self.path("m.h"))
                self.assertEqual(code, 0, words)
                self.assertIn("rows held out: ", words)
                self.assertNotIn("100 % (", words)
        few = self.write("few.csv", sets.csv(*spirals(12), names=["a", "b", "c"]))
        code, _, words = self.gen("train", few, "--method", "compact", "--flash", 300, "-o", self.path("m.h"))
        self.assertEqual(code, 0, words)
        self.assertNotIn("held out", words)

    def headers_as_predicted(self, *more):
        """Headers in all number formats answer as predict does, and q7 as f32; the text of the last of them."""
        self.ok("train", self.arms, "--method", "compact", "--vectors", 14, "--iterations", 60, "--save", self.path("m.mgn"), *more)
        errors = {}
        for form in ("f32", "q15", "q7"):
            with self.subTest(form=form):
                self.ok("export", self.path("m.mgn"), "--format", form, "--data", self.arms, "-o", self.path("m.h"))
                answers = self.json("predict", self.path("m.mgn"), self.other, "--format", form, "--scale-data", self.arms)
                errors[form] = answers["error"]
                with open(self.path("m.h"), encoding="ascii") as file:
                    text = file.read()
                kinds = ("margin_real", "margin_real", "f", "f") if form == "f32" else ("int16_t", "int32_t", "h", "i")
                firmware = Firmware(self.folder, [("m", text, *kinds[:2])])
                with open(self.other, encoding="utf-8") as file:
                    rows = [list(map(float, line.split(",")[:3])) for line in file]
                found = firmware.run(0, rows if form == "f32" else [list(map(int, row)) for row in rows], 3, *kinds[2:])
                self.assertEqual([("a", "b", "c")[label] for label, *_ in found], answers["labels"])
        self.assertLess(abs(errors["q7"] - errors["f32"]), 0.02)
        return text

    def test_refusals_are_one_line_and_write_nothing(self):
        save = ("--save", self.path("x.mgn"))
        self.fails(1, "the rank of a projection must be less than the number of features", "train", self.arms, "--method", "compact",
                   "--rank", 3, *save)
        self.fails(2, "--rank: must be between 1 and 64", "train", self.arms, "--method", "compact", "--rank", 65, *save)
        self.fails(2, "--rank is an option of compact, not of svm", "train", self.arms, "--method", "svm", "--rank", 2, *save)
        self.fails(1, "more vectors are asked for than there are samples", "train", self.arms, "--method", "compact", "--vectors",
                   400, *save)
        self.fails(2, "--features and --rank are two ways to make vectors short: give one of them", "train", self.arms, "--method", "compact",
                   "--features", 2, "--rank", 2, *save)
        self.fails(2, "--features picks features for hinge units: take --kernel hinge", "train", self.arms, "--method", "compact",
                   "--features", 2, "--kernel", "rbf", *save)
        self.fails(2, "--kernel poly is not one of hinge, rbf, which compact takes", "train", self.arms, "--method", "compact",
                   "--kernel", "poly", *save)
        self.fails(2, "--kernel hinge is not one of linear", "train", self.arms, "--method", "svm", "--kernel", "hinge", *save)
        self.fails(2, "--gamma is an option of", "train", self.arms, "--method", "compact", "--gamma", "1", *save)
        self.fails(1, "no model of learned vectors within 12 bytes: 21 are the least in q7", "train", self.arms, "--method", "compact",
                   "--flash", 12, "--scale", "none", "-o", self.path("x.h"), *save)
        self.assertFalse(os.path.exists(self.path("x.mgn")) or os.path.exists(self.path("x.h")))
        self.ok("train", self.arms, "--method", "compact", "--vectors", 12, "--iterations", 20, "--save", self.path("m.mgn"))
        self.fails(1, "q7 needs 141 bytes, and learned vectors cannot be left out: train again with --vectors 9", "export",
                   self.path("m.mgn"), "--format", "q7", "--flash", 120, "-o", self.path("x.h"))
        self.assertFalse(os.path.exists(self.path("x.h")))

    def test_one_feature_many_classes_and_constant_columns(self):
        """Odd data is learned: no feature to spare, more classes than features and vectors, columns that say nothing."""
        rng = random.Random(1)
        one = [[rng.gauss(3 * (i % 2), 1)] for i in range(60)]
        grid = [[rng.gauss(i % 50 % 10, 0.05), rng.gauss(i % 50 // 10, 0.05)] for i in range(300)]
        constant = [[7, *row, 0] for row in one]
        for name, x, k, most in (("one", one, 2, 0.2), ("grid", grid, 50, 0.1), ("constant", constant, 2, 0.2)):
            with self.subTest(name):
                data = self.write(f"{name}.csv", sets.csv(x, [i % k for i in range(len(x))], names=[f"c{c:02}" for c in range(k)]))
                found = self.json("train", data, "--method", "compact", "--vectors", 12, "--noise", 0.05, "--decay", 0.03, "--save",
                                  self.path("odd.mgn"))
                self.assertEqual(found["classes"], k)
                self.ok("export", self.path("odd.mgn"), "--format", "q7", "--data", data, "-o", self.path("odd.h"))
                real, small = (self.json("predict", self.path("odd.mgn"), data, *form)["error"]
                               for form in ((), ("--format", "q7", "--scale-data", data)))
                self.assertLess(real, most)
                self.assertLess(abs(small - real), 0.02)

    def test_a_budget_below_any_model_is_one_line(self):
        self.fails(1, "no model within 10 bytes: q7 needs at least", "train", self.arms, "--method", "compact", "--vectors", 8, "--iterations",
                   20, "--format", "q7", "--flash", 10, "-o", self.path("x.h"), "--save", self.path("x.mgn"))
        flat = self.write("flat.csv", sets.csv([[7, 0]] * 60, [i % 2 for i in range(60)], names=["a", "b"]))
        for budget in (("--vectors", 8), ("--flash", 512)):
            self.fails(1, "no column ever changes: there is nothing to learn from", "train", flat, "--method", "compact", *budget, "--format",
                       "q7", "-o", self.path("x.h"))
        self.assertFalse(os.path.exists(self.path("x.h")))


class NothingIsRuined(CommandLine):
    def setUp(self):
        super().setUp()
        self.heavy = self.write("heavy.csv", sets.csv(*heavy(), names=["few", "many"]))
        self.ok("train", self.heavy, "--method", "svm", "--kernel", "rbf", "--C", 1000, "--save", self.path("m.mgn"))

    def test_a_budget_that_costs_too_much_is_refused_without_force(self):
        run = ("export", self.path("m.mgn"), "--flash", 400, "--data", self.heavy, "-o", self.path("x.h"))
        self.fails(1, "nothing is written. more --flash, or train with --method compact, which learns few vectors; --force writes it", *run)
        self.assertFalse(os.path.exists(self.path("x.h")))
        found = self.json(*run, "--force")
        self.assertGreater(found["cost"]["error_after"] - found["cost"]["error_before"], 0.03)
        self.assertEqual(found["cost"]["rows"], 400)

    def test_vectors_of_a_reduced_machine_move(self):
        train, other = (self.write(f"ring{seed}.csv", sets.csv(*sets.ring(300, seed), names=["in", "out"])) for seed in (2, 3))
        self.ok("train", train, "--method", "svm", "--kernel", "rbf", "--C", 10, "--save", self.path("r.mgn"))
        found = self.json("export", self.path("r.mgn"), "--format", "q7", "--flash", 60, "--data", train, "--test", other, "-o",
                          self.path("r.h"))
        self.assertLess(found["vectors"], 10)
        self.assertLess(found["cost"]["error_after"] - found["cost"]["error_before"], 0.03)

    def test_outliers_do_not_ruin_q7(self):
        other = self.write("other.csv", sets.csv(*heavy(seed=6), names=["few", "many"]))
        for method in (("svm", "--C", 100), ("kmomd", "--lambda", 0.03)):
            with self.subTest(method=method):
                self.ok("train", self.heavy, "--method", *method, "--kernel", "rbf", "--save", self.path("h.mgn"))
                real, small = (self.json("predict", self.path("h.mgn"), other, *form)["error"] for form in (
                    (), ("--format", "q7", "--scale-data", self.heavy)))
                self.assertLess(small - real, 0.02)
        self.ok("export", self.path("h.mgn"), "--format", "q7", "--data", self.heavy, "-o", self.path("h.h"))
        with open(self.path("h.h"), encoding="ascii") as file:
            self.assertIn("static const uint16_t h_steps[", file.read())

    def test_predict_answers_by_the_coefficients_that_export_fits_anew(self):
        x, y = heavy()
        wrong = self.write("wrong.csv", sets.csv(x, [1 - c if i % 7 == 0 else c for i, c in enumerate(y)], names=["few", "many"]))
        self.ok("train", wrong, "--method", "svm", "--kernel", "rbf", "--C", 1000, "--gamma", 0.002, "--save", self.path("w.mgn"))
        header = self.json("export", self.path("w.mgn"), "--format", "q7", "--data", wrong, "-o", self.path("w.h"), "--force", "--save",
                           self.path("fitted.mgn"))
        kept, whole = (self.json("predict", self.path(name), wrong, "--format", "q7", "--scale-data", wrong)
                       for name in ("fitted.mgn", "w.mgn"))
        self.assertIn("compressed_from", self.json("info", self.path("fitted.mgn"))["notes"])
        self.assertEqual(whole["scores"], kept["scores"])
        self.assertEqual(whole["error"], header["cost"]["error_after"])

    def test_notes_keep_enough_rows_to_judge_by(self):
        wide = self.write("wide.csv", sets.csv(*sets.gauss(n=150, d=200), names=["a", "b"]))
        self.ok("train", wide, "--method", "svm", "--kernel", "rbf", "--save", self.path("w.mgn"))
        _, _, err = self.gen("export", self.path("w.mgn"), "--format", "q7", "-o", self.path("w.h"))
        self.assertIn("on 64 rows", err)
