"""Prototypes: trained, validated, exported in every number format with the same bits, and all that can be wrong with them."""
import os
import random
import subprocess
import tempfile
import unittest

import sets
import test_export
from firmware import ALONE, ROOT, WARN, Firmware
from gen import export, kinds, model, native, quant
from test_cli import CommandLine

METHODS = ("tvq", "hss", "lvq", "td", "nn")


def digits(n=200, seed=4, size=5):
    """Whole numbers: three kinds of strokes in a small image, each anywhere and of any strength."""
    rng, x, y = random.Random(seed), [], []
    for i in range(n):
        at, ink = rng.uniform(0.5, size - 1.5), rng.uniform(8, 16)
        stroke = (lambda r, c: c - at, lambda r, c: r - at, lambda r, c: 0.7 * (r - c + 2 * at - size + 1))[i % 3]
        x.append([max(0, min(16, round(ink - 9 * abs(stroke(r, c)) + rng.gauss(0, 2.5))))
                  for r in range(size) for c in range(size)])
        y.append(i % 3)
    return x, y


class Prototypes(CommandLine):
    def setUp(self):
        super().setUp()
        self.digits = self.write("digits.csv", sets.csv(*digits(), names=["bar", "line", "slash"]))
        self.other = self.write("other.csv", sets.csv(*digits(90, 5), names=["bar", "line", "slash"]))

    def test_all_methods_tell_errors_margins_and_rejection(self):
        for method in METHODS:
            with self.subTest(method=method):
                found = self.json("train", self.digits, "--method", method, "--scale", "none", "--test", self.other)
                self.assertLess(found["test_error"], 0.1)
                self.assertEqual((found["method"], found["n"], found["classes"], found["status"]), (method, 200, 3, "ok"))
                self.assertEqual(found["support"], found["prototypes"] * (1 + found["tangents"]))
                self.assertEqual(found["tangents"], 0 if method in ("lvq", "nn") else 5)
                for part in ("_train", "_test"):
                    self.check_curves(found, part)
                self.assertLessEqual(found["arena_bytes"], found["arena_bound"])
                if method == "tvq":
                    self.assertTrue(0 <= found["uneven"] <= 1 and found["theta_mistakes"] >= 0)

    def check_curves(self, found, part):
        at, share, reject_at, rejected, error = (found[name + part] for name in
                                                 ("margin_at", "margin_share", "reject_at", "reject_share", "reject_error"))
        self.assertEqual((at[0], at[-1], reject_at[0], reject_at[-1]), (-1, 1, 0, 1))
        for rising in (at, share, reject_at, rejected, error[::-1]):
            self.assertEqual(rising, sorted(rising))
        self.assertEqual((share[0], rejected[0]), (0, 0))
        self.assertEqual(error[0], found[part[1:] + "_error"])
        self.assertAlmostEqual(share[at.index(0)], error[0], delta=0.02)  # margins below 0 are errors
        self.assertTrue(all(0 <= e <= 1 - r + 1e-12 for e, r in zip(error, rejected)))

    def test_several_starts_keep_the_best(self):
        """The best of the seeds from --seed on, by the objective; a stop or a single start changes nothing."""
        for method in ("tvq", "hss", "lvq"):
            words = ("train", self.digits, "--method", method, "--models", "3")
            words += () if method == "lvq" else ("--tangents", "0")
            with self.subTest(method=method):
                alone = [self.json(*words, "--seed", str(seed)) for seed in range(1, 6)]
                best = max(found["objective"] for found in alone)
                together = self.json(*words, "--seed", "1", "--starts", "5")
                self.assertEqual(together["objective"], best)
                self.assertIn(together["margin_mean"], [found["margin_mean"] for found in alone if found["objective"] == best])
                self.assertEqual(self.json(*words, "--seed", "1", "--starts", "1")["objective"], alone[0]["objective"])
                if method != "lvq":
                    self.assertGreater(len({found["objective"] for found in alone}), 1)  # starts do differ

    def test_tvq_raises_small_margins(self):
        """Against its start it makes fewer mistakes on what it is trained on, and re-weighting leaves fewer small margins."""
        runs = {method: self.json("train", self.many, "--method", *method.split(), "--tangents", 1, "--iterations", 200)
                if "tvq" in method else self.json("train", self.many, "--method", method, "--tangents", 1)
                for method in ("hss", "tvq", "tvq --plain")}
        at = [round(v, 3) for v in runs["tvq"]["margin_at_train"]].index(0.2)
        below = {method: run["margin_share_train"][at] for method, run in runs.items()}
        self.assertLess(below["tvq"], below["tvq --plain"])
        self.assertLess(below["tvq"], below["hss"])
        self.assertLessEqual(runs["tvq"]["train_error"], runs["hss"]["train_error"])

    def test_cv_and_tune(self):
        found = self.json("cv", self.digits, "--method", "tvq", "--tangents", 2, "--folds", 4)
        self.assertEqual(len(found["fold_errors"]), 4)
        self.assertLess(found["error_mean"], 0.1)
        found = self.json("tune", self.digits, "--method", "tvq", "--grid", "tangents=0,2", "--grid", "theta=0.1,0.3", "--folds", 3,
                          "--save", self.path("best.mgn"))
        self.assertEqual(len(found["results"]), 4)
        self.assertEqual(found["error_mean"], min(row["error_mean"] for row in found["results"]))
        self.assertEqual(self.json("info", self.path("best.mgn"))["kind"], "prototypes")

    def test_the_seed_decides_what_is_random(self):
        for more in (("tvq", "--models", 2), ("tvq", "--start", "random"), ("tvq", "--validation", 0.3), ("lvq", "--models", 3),
                     ("hss", "--models", 2)):
            runs = [self.json("train", self.digits, "--method", *more, "--seed", seed) for seed in (1, 1, 2)]
            values = [[run[key] for key in ("objective", "margin_mean", "margin_min", "margin_share_train")] for run in runs]
            self.assertEqual(values[0], values[1], more)
            self.assertNotEqual(values[0], values[2], more)
        runs = [self.json("train", self.digits, "--method", "tvq", "--rate", 1, "--seed", seed)["objective"] for seed in (1, 2)]
        self.assertEqual(*runs)  # one model a class from hss, steps over all rows: nothing is random

    def test_predict_says_label_and_margin(self):
        saved = self.path("m.mgn")
        for method in METHODS:
            self.ok("train", self.digits, "--method", method, "--save", saved)
            lines = self.ok("predict", saved, self.other).splitlines()
            self.assertEqual(len(lines), 90)
            found = self.json("predict", saved, self.other)
            self.assertEqual([line.split(",")[0] for line in lines], found["labels"])
            self.assertLessEqual(set(found["labels"]), {"bar", "line", "slash"})
            self.assertTrue(all(-1e-6 <= score <= 1 for score in found["scores"]), method)

    def test_rejection_leaves_fewer_errors(self):
        saved = self.path("m.mgn")
        self.ok("train", self.digits, "--method", "hss", "--tangents", 1, "--save", saved, "--reject", 0.3)
        found = self.json("predict", saved, self.other)
        curve = self.json("train", self.digits, "--method", "hss", "--tangents", 1, "--test", self.other)
        at = [round(v, 3) for v in curve["reject_at_test"]].index(0.3)
        self.assertAlmostEqual(found["labels"].count(None) / 90, curve["reject_share_test"][at], delta=0.02)

    def test_options_that_are_wrong(self):
        for words, more in (
                ("--tangents: must be between 0 and 32: '33'", ("tvq", "--tangents", 33)),
                ("--tangents: not a whole number: '1.5'", ("hss", "--tangents", 1.5)),
                ("--theta: must be between -0.999 and 1: '1.5'", ("tvq", "--theta", 1.5)),
                ("--models: must be between 1 and 1000: '0'", ("lvq", "--models", 0)),
                ("--rate: must be greater than 0: '-1'", ("tvq", "--rate", -1)),
                ("--start: must be one of hss, clusters, centroids, random: 'best'", ("tvq", "--start", "best")),
                ("--theta is an option of tvq, not of nn", ("nn", "--theta", 0.1)),
                ("--tangents is an option of tvq, hss, td, oneclass, not of lvq", ("lvq", "--tangents", 3)),
                ("not of tvq", ("tvq", "--kernel", "rbf")),
                ("--neighbours: must be between 1 and 15: '17'", ("nn", "--neighbours", 17)),
                ("--validation: must be between 0 and 0.9: '1'", ("tvq", "--validation", 1))):
            with self.subTest(more=more):
                self.fails(2, words, "train", self.digits, "--method", *more)

    def test_data_that_is_wrong(self):
        one = self.write("one.csv", "1,2,a\n2,3,a\n3,1,a\n")
        bad = self.write("bad.csv", "1,2,a\n2,nan,b\n3,1,a\n4,4,b\n")
        large = self.write("large.csv", "1e200,2,a\n-1e200,3,b\n3,1,a\n4,4,b\n")
        for method in METHODS:
            self.fails(1, "one.csv: only one class", "train", one, "--method", method)
            self.fails(1, "bad.csv:2: column 2", "train", bad, "--method", method)
            self.fails(1, "large.csv: ", "train", large, "--method", method, "--scale", "none")

    def test_more_tangents_than_there_is_room_for(self):
        """As many as features less one, with a note; a class of few samples goes without, and works."""
        code, _, err = self.gen("train", self.two, "--method", "tvq", "--tangents", 20)
        self.assertEqual(code, 0, err)
        self.assertIn("note: 20 tangents were asked for", err)
        self.assertEqual(self.json("train", self.two, "--method", "tvq", "--tangents", 20)["tangents"], 3)
        few = self.write("few.csv", "".join(f"{i},{i * i % 7},{i % 3},{'b' if i == 9 else 'a'}\n" for i in range(10)))
        for method in METHODS:
            found = self.json("train", few, "--method", method, "--save", self.path("few.mgn"))
            self.assertEqual(found["classes"], 2)
            self.ok("predict", self.path("few.mgn"), few)
        same = self.write("same.csv", "1,2,a\n1,2,a\n3,4,b\n3,4,b\n")
        for method in METHODS:
            self.assertEqual(self.json("train", same, "--method", method, "--scale", "none")["train_error"], 0)
        both = self.write("both.csv", "1,2,a\n1,2,b\n" * 3)  # the same sample in both classes
        for method in METHODS:
            self.assertEqual(self.json("train", both, "--method", method, "--save", self.path("both.mgn"))["train_error"], 0.5)
            for form in ("q15", "q7"):  # nothing varies: no scale at all
                self.ok("export", self.path("both.mgn"), "--format", form, "-o", self.path("both.h"))


def find_program(folder, models):
    """Prints label, classes and distances that NAME_find gives for rows of int16_t or float on standard input."""
    cases = "\n".join(f"    case {i}: while (fread(x, {d} * sizeof ({kind}), 1, stdin) == 1) {{ {found} f; "
                      f"{name}_find((const {kind} *)x, &f); printf(\"%d %d %d %d\\n\", f.label, f.nearest, f.second, "
                      f"{name}_classify((const {kind} *)x)); }} break;"
                      for i, (name, _, kind, found, d) in enumerate(models))
    source = os.path.join(folder, "find.c")
    for name, text, *_ in models:
        with open(os.path.join(folder, name + ".h"), "w", encoding="ascii") as file:
            file.write(text)
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\n#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n"
                   '#include "margin.h"\n' + "".join(f'#include "{name}.h"\n' for name, *_ in models) +
                   "int main(int argc, char **argv)\n{\n    static float x[256];\n    switch (argc > 1 ? atoi(argv[1]) : 0) {\n" +
                   cases + "\n    default: break;\n    }\n    return 0;\n}\n")
    program = os.path.join(folder, "find")
    subprocess.run(["cc", *ALONE, *WARN, "-I" + ROOT, "-I" + folder, source, "-o", program], check=True)
    return program


class Bits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.models = folder.name, []
        for i, (method, chosen) in enumerate((
                ("tvq", {"tangents": 2}), ("tvq", {"tangents": 0, "models": 2}), ("hss", {"tangents": 3, "scale": "none"}),
                ("lvq", {"models": 3, "scale": "none"}), ("lvq", {"models": 2, "olvq1": True}), ("td", {"tangents": 1}),
                ("nn", {"scale": "none"}), ("nn", {"neighbours": 3, "budget": 40}))):
            x, y = digits(90) if i % 2 == 0 else sets.gauss(90, 6, 4, i, 2)
            cls.models.append(test_export.trained(folder.name, x, y, method, chosen, None, 0.1 * (i % 3 == 0), calibrate=i == 1))
        cls.headers = [(f"proto_{i}", export.header(m, f"proto_{i}"), "margin_real", "margin_real")
                       for i, m in enumerate(cls.models)]
        cls.integers = [(m, quant.Quantised(m, form)) for m in cls.models for form in ("q15", "q7")]
        cls.whole = [(f"whole_{i}", export.header(m, f"whole_{i}", q), "int16_t", "int32_t")
                     for i, (m, q) in enumerate(cls.integers)]

    def test_firmware_has_the_bits_of_gen(self):
        for way in ((("cc", "-std=c99"), ("-O1",)), (("g++", "-x", "c++", "-std=c++11"), ("-Os", "-DMARGIN_STATIC"))):
            firmware = Firmware(self.folder, self.headers + self.whole, *way)
            for i, m in enumerate(self.models):
                shape = m.machine.shape
                rows = test_export.inputs(shape.d, 100, i)
                found = firmware.run(i, rows, shape.machines)
                self.assertEqual([test_export.bits(scores) for _, scores, _ in found],
                                 [test_export.bits(scores) for scores in m.machine.scores(rows)], i)
            for i, (m, q) in enumerate(self.integers):
                rows = test_export.whole_inputs(m.machine.shape.d, 100, i)
                flat = native.array("h", (v for row in rows for v in row))
                found = firmware.run(len(self.models) + i, rows, m.machine.shape.machines, "h", "i")
                self.assertEqual([(label, scores) for label, scores, _ in found],
                                 list(zip(q.predict(flat)[0], q.scores(flat))), (i, q.form))

    def test_integers_say_what_floats_say(self):
        for m, q in self.integers:
            self.assertEqual(kinds.kind_of(m.machine).word, "prototypes")
            self.assertLessEqual(q.report.disagree, 0.06 * q.report.rows if q.form == "q7" else 1, (q.form, m.notes["options"]))

    def test_find_says_what_classify_says(self):
        models = [(name, text, "float", "margin_proto_found", m.machine.shape.d)
                  for (name, text, *_), m in zip(self.headers, self.models)]
        models += [(name, text, "int16_t", "margin_proto_found_q", m.machine.shape.d)
                   for (name, text, *_), (m, _) in zip(self.whole, self.integers)]
        program = find_program(self.folder, models)
        for i, (name, _, kind, _, d) in enumerate(models):
            rows = test_export.whole_inputs(d, 60, i)
            raw = native.array("f" if kind == "float" else "h", (v for row in rows for v in row)).tobytes()
            lines = subprocess.run([program, str(i)], input=raw, capture_output=True, check=True).stdout.split(b"\n")[:-1]
            self.assertEqual(len(lines), len(rows))
            for label, nearest, second, answer in (map(int, line.split()) for line in lines):
                self.assertEqual(label, answer, name)
                self.assertNotEqual(nearest, second)
                self.assertIn(label, (nearest, 0xFFFF))

    def test_images_are_read_as_they_were_written(self):
        for m in self.models:
            path = os.path.join(self.folder, "proto.mgn")
            with open(path, "wb") as file:
                file.write(m.image)
            again = model.load(path)
            for name in ("vectors", "exits", "class_end"):
                self.assertEqual(again.machine.array(name), m.machine.array(name))
            self.assertEqual(export.header(again, "x"), export.header(m, "x"))


if __name__ == "__main__":
    unittest.main()
