"""Model files: saved, looked at, applied, imported, and refused when damaged."""
import json
import os
import pickle
import unittest

import sets
from gen import exchange, from_libsvm
from test_cli import CommandLine
from test_import import BINARY, THREE, X2, X3, Matrix, libsvm


class LinearSVC:
    """What a pickle of a fitted LinearSVC holds; at module level, so that pickle finds it."""
    classes_, coef_, intercept_ = ["no", "yes"], Matrix([[2.0, -3.0]]), Matrix([0.5])


class Saved(CommandLine):
    def setUp(self):
        super().setUp()
        self.model = self.path("m.mgn")
        self.trained = self.json("train", self.ring, "--method", "svm", "--kernel", "rbf", "--save", self.model)

    def predictions(self, *arguments):
        return [line.rsplit(",", 1) for line in self.ok("predict", *arguments).splitlines()]

    def test_predictions_repeat_the_training_error(self):
        with open(self.ring, encoding="utf-8") as file:
            truth = [line.strip().split(",")[-1] for line in file]
        found = self.predictions(self.model, self.ring)
        self.assertEqual(sum(a != b for (a, _), b in zip(found, truth)) / len(truth), self.trained["train_error"])
        self.assertTrue(all((label == "out") == (float(score) > 0) for label, score in found))
        both = self.json("predict", self.model, self.ring)
        self.assertEqual(both["labels"], [label for label, _ in found])
        self.assertEqual([f"{s:.9g}" for s in both["scores"]], [score for _, score in found])
        self.assertEqual(both["error"], self.trained["train_error"])

    def test_rows_without_labels(self):
        with open(self.ring, encoding="utf-8") as file:
            bare = self.write("bare.csv", "x,y\n" + "".join(line.rsplit(",", 1)[0] + "\n" for line in file))
        self.assertEqual(self.predictions(self.model, bare), self.predictions(self.model, self.ring))
        self.assertNotIn("error", self.json("predict", self.model, bare))

    def test_rows_with_labels_that_the_model_does_not_know(self):
        path = self.write("strange.csv", "0,0,what\n3,3,ever\n")
        self.assertEqual([label for label, _ in self.predictions(self.model, path)], ["in", "out"])

    def test_json_into_a_file_beside_the_lines(self):
        out = self.ok("predict", self.model, self.ring, "--json", self.path("p.json"))
        with open(self.path("p.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["labels"]), out.count("\n"))

    def test_labels_that_need_quotes(self):
        data = self.write("q.csv", '0,"a,b"\n1,"a,b"\n5,"say ""x"""\n6,"say ""x"""\n')
        self.ok("train", data, "--method", "svm", "--save", self.path("q.mgn"))
        lines = self.ok("predict", self.path("q.mgn"), data).splitlines()
        self.assertTrue(lines[0].startswith('"a,b",-') and lines[3].startswith('"say ""x""",'), lines)

    def test_info_tells_what_it_is(self):
        words = self.ok("info", self.model)
        for part in ("rbf kernel", "2 features", "classes   in, out", "svm, rbf kernel", "160 rows", "training error"):
            self.assertIn(part, words)
        found = self.json("info", self.model)
        self.assertEqual((found["d"], found["classes"], found["kernel"], found["notes"]["n"]), (2, 2, "rbf", 160))
        self.assertEqual(found["image_bytes"], os.path.getsize(self.model))

    def test_the_same_training_gives_the_same_bytes(self):
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--save", self.path("again.mgn"))
        with open(self.model, "rb") as a, open(self.path("again.mgn"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_many_classes(self):
        for scheme in ("one-one", "one-rest"):
            trained = self.json("train", self.many, "--method", "kmomd", "--scheme", scheme, "--save", self.model)
            self.assertEqual(self.json("predict", self.model, self.many)["error"], trained["train_error"])

    def test_calibrated_probabilities(self):
        """Sure rows are right more often than unsure ones, and the positive score goes with more than a half."""
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--calibrate", "--save", self.model)
        found = self.json("predict", self.model, self.ring)
        for row in found["probabilities"]:
            self.assertAlmostEqual(sum(row), 1, 6)
        order = sorted(range(160), key=lambda i: abs(found["scores"][i]))
        half = [sum(max(found["probabilities"][i]) for i in part) for part in (order[:80], order[80:])]
        self.assertLess(half[0], half[1])
        self.assertLess(found["log_loss"], 0.5)
        self.assertNotIn("probabilities", self.json("predict", self.model_of("svm", "--kernel", "rbf"), self.ring))
        self.ok("train", self.many, "--method", "svm", "--calibrate", "--save", self.model)
        found = self.json("predict", self.model, self.many)
        self.assertTrue(all(len(row) == 4 for row in found["probabilities"]))
        self.assertGreater(min(map(max, found["probabilities"])), 0.25)

    def test_prediction_sets(self):
        """As large as the coverage asks, in words, in the lines and in the JSON; only of calibrated models."""
        trained = self.json("train", self.many, "--method", "svm", "--calibrate", "--coverage", "0.8", "--save", self.model)
        self.assertTrue(0.6 < trained["coverage"] <= 1 and trained["brier"] < 1 and trained["log_loss"] < 1.5, trained)
        sizes = []
        for coverage in ("0.3", "0.8", "0.99"):
            found = self.json("predict", self.model, self.many, "--coverage", coverage)
            sizes.append(found["set_size"])
            self.assertEqual(found["set_size"], sum(map(len, found["sets"])) / len(found["sets"]))
        self.assertEqual(sizes, sorted(sizes))
        self.assertLess(sizes[0], sizes[2])
        lines = self.ok("predict", self.model, self.many, "--coverage", "0.99").splitlines()
        self.assertEqual([line.split(",")[2] for line in lines], [" ".join(names) for names in found["sets"]])
        self.fails(1, "--calibrate", "predict", self.model_of("svm"), self.ring, "--coverage", "0.9")
        self.fails(2, "less than 1", "predict", self.model, self.many, "--coverage", "1")
        checked = self.json("cv", self.many, "--method", "svm", "--calibrate")
        self.assertTrue(0 < checked["brier"] < 1 and 0 < checked["log_loss"] < 1.5 and 0.8 < checked["coverage"] <= 1, checked)

    def model_of(self, method, *more):
        self.ok("train", self.ring, "--method", method, *more, "--save", self.path("other.mgn"))
        return self.path("other.mgn")

    def test_unclear_rows_are_rejected(self):
        plain = self.json("predict", self.model, self.ring)
        clear = self.json("predict", self.model_of("svm", "--kernel", "rbf", "--reject", "0.5"), self.ring)
        self.assertEqual(plain["scores"], clear["scores"])
        for score, label, kept in zip(plain["scores"], plain["labels"], clear["labels"]):
            self.assertEqual(kept, label if abs(score) >= 0.5 else None)
        self.assertIn(None, clear["labels"])
        self.assertIn("?,", self.ok("predict", self.path("other.mgn"), self.ring))
        self.assertLess(clear["error"], plain["error"])

    def test_tune_saves_the_best(self):
        found = self.json("tune", self.ring, "--method", "svm", "--grid", "kernel=linear,rbf", "--folds", "3",
                          "--save", self.path("t.mgn"))
        self.assertEqual(self.json("info", self.path("t.mgn"))["notes"]["options"], found["best"])

    def test_damaged_files_are_refused_in_one_line(self):
        with open(self.model, "rb") as file:
            good = bytearray(file.read())
        bad = self.path("bad.mgn")
        for name, content in (("empty", b""), ("short", good[:100]), ("text", b"1,2,3\n" * 50),
                              ("bit", good[:200] + bytes([good[200] ^ 4]) + good[201:])):
            with self.subTest(name=name):
                with open(bad, "wb") as file:
                    file.write(content)
                self.fails(1, "gen: bad.mgn: ", "info", bad)
                self.fails(1, "gen: bad.mgn: ", "predict", bad, self.ring)
        self.fails(1, "cannot read: No such file", "info", self.path("none.mgn"))
        self.fails(1, "two.csv: 4 features where 2 are expected", "predict", self.model, self.two)
        self.fails(1, "--save|no such folder".split("|")[1], "train", self.two, "--method", "svm", "--save", self.path("no/m"))


class Imported(CommandLine):
    def check(self, text, x, name="m.model", *more):
        model, data = self.write(name, text), self.write("x.csv", sets.csv(x, [0] * len(x)))
        self.ok("import", model, "--save", self.path("m.mgn"), *more)
        return self.json("predict", self.path("m.mgn"), data)["labels"]

    def test_libsvm_and_json(self):
        for text, x in ((BINARY, X3), (THREE, X2)):
            expected = [label for label, _ in libsvm(text, x)]
            self.assertEqual(self.check(text, x), expected)
            self.assertEqual(self.check(text, x, "m.model", "--from", "libsvm"), expected)
            self.assertEqual(self.check(exchange.to_json(from_libsvm.read_model(text, "m")), x, "m.json"), expected)
        self.assertIn("LIBSVM", self.ok("info", self.path("m.mgn")) + self.gen("info", self.path("m.mgn"))[1])

    def test_range_file(self):
        """By hand: the ranges 0 .. 2 onto -1 .. 1 take x - 1 into the model."""
        ranges = self.write("m.range", "x\n-1 1\n1 0 2\n2 0 2\n3 0 2\n")
        moved = [[v + 1 for v in row] for row in X3]
        self.assertEqual(self.check(BINARY, moved, "m.model", "--range", ranges), [label for label, _ in libsvm(BINARY, X3)])

    def test_pickles_only_when_asked_for(self):
        path = self.path("e.pkl")
        with open(path, "wb") as file:
            pickle.dump(LinearSVC(), file)
        self.fails(1, "for a pickle say --from sklearn", "import", path, "--save", self.path("m.mgn"))
        code, _, err = self.gen("import", path, "--from", "sklearn", "--save", self.path("m.mgn"))
        self.assertEqual(code, 0, err)
        self.assertIn("loading it runs code of whoever made it", err)
        data = self.write("x.csv", "1,0\n0,1\n")
        self.assertEqual(self.json("predict", self.path("m.mgn"), data)["labels"], ["yes", "no"])

    def test_failures(self):
        with open(self.path("bad.pkl"), "wb") as file:
            file.write(b"\x80\x04garbage")
        for words, arguments in (
                ("bad.pkl: cannot load the estimator", [self.path("bad.pkl"), "--from", "sklearn"]),
                ("two.csv: neither a LIBSVM model nor JSON", [self.two]),
                ("two.csv: the file ends early", [self.two, "--from", "libsvm"]),
                ("b.model: kernel_type sigmoid", [self.write("b.model", BINARY.replace("rbf", "sigmoid"))]),
                ("b.json: not a classifier in exchange form", [self.write("b.json", "{}")])):
            with self.subTest(words=words):
                self.fails(1, words, "import", *arguments, "--save", self.path("m.mgn"))
        self.assertFalse(os.path.exists(self.path("m.mgn")))
        self.fails(2, "--save", "import", self.two)


if __name__ == "__main__":
    unittest.main()
