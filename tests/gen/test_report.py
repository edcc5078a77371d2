"""The report page, without a browser: its numbers are those of `gen predict`, its text is escaped, its failures are one line.
What moves in it is tested in tests/browser."""
import csv
import html.parser
import json
import os
import random
import re
import unittest
from unittest import mock

import sets
from gen import measure, page, svg, wasm
from test_cli import CommandLine

NASTY = ["<script>alert(1)</script>", "a \"quoted\" & 'b'", "שלום", "</script><img src=x onerror=alert(2)>"]
VOID = {"meta", "link", "input", "img"}


class Checker(html.parser.HTMLParser):
    """Counts elements; every element must be closed by its own end."""

    def __init__(self):
        super().__init__()
        self.open, self.count, self.text, self.wrong = [], {}, [], []

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.wrong += [f"{name} of {tag}" for name, _ in attributes if name.startswith("on") and name != "onsubmit"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"end of {tag}")

    def handle_data(self, text):
        self.text.append(text)


class Report(CommandLine):
    def page(self, data, *training, test=None, more=(), command="train"):
        """The text of the page of a model, and the facts in it."""
        self.ok(command, data, *training, "--save", self.path("m.mgn"))
        self.ok("report", self.path("m.mgn"), "--data", data, *(["--test", test] if test else []), *more, "-o", self.path("r.html"))
        with open(self.path("r.html"), encoding="utf-8") as file:
            text = file.read()
        return text, self.facts(text)

    @staticmethod
    def facts(text):
        return json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', text, re.S)[1])

    def well_formed(self, text):
        checker = Checker()
        checker.feed(text)
        checker.close()
        self.assertEqual((checker.open, checker.wrong), ([], []))
        return checker

    def nasty(self):
        """Labels and names of features with markup in them."""
        x, y = sets.gauss(160, 3, 4, gap=2)
        with open(self.path("nasty.csv"), "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(["<b>x</b>", 'y"&', "ש", "label"])
            out.writerows([*row, NASTY[k]] for row, k in zip(x, y))
        return self.path("nasty.csv")

    def test_the_numbers_are_those_of_predict(self):
        test = self.write("test.csv", sets.csv(*sets.ring(90, 5), names=["in", "out"]))
        text, facts = self.page(self.ring, "--method", "svm", "--kernel", "rbf", test=test)
        predicted = self.json("predict", self.path("m.mgn"), test)
        with open(test, encoding="utf-8") as file:
            truth = [row[-1] for row in csv.reader(file)]
        table = [[0, 0, 0], [0, 0, 0]]
        for true, label in zip(truth, predicted["labels"]):
            table[["in", "out"].index(true)][["in", "out"].index(label)] += 1
        self.assertEqual((facts["n"], facts["confusion"], facts["error"]), (90, table, predicted["error"]))
        self.assertEqual(facts["curve"]["wrong"][0], round(90 * predicted["error"]))
        self.well_formed(text)

    def test_each_threshold_rejects_what_a_model_with_that_threshold_rejects(self):
        for data, training in ((self.ring, ("svm", "--kernel", "rbf")), (self.many, ("svm",)), (self.many, ("lvq", "--models", "2"))):
            _, facts = self.page(data, "--method", *training)
            curve = facts["curve"]
            for i in (1, len(curve["thresholds"]) // 2, len(curve["thresholds"]) - 1):
                self.ok("train", data, "--method", *training, "--reject", repr(curve["thresholds"][i]), "--save", self.path("q.mgn"))
                found = self.json("predict", self.path("q.mgn"), data)
                rejected = found["labels"].count(None)
                self.assertEqual(curve["rejected"][i], rejected, (training, i))
                kept = curve["n"] - rejected
                self.assertEqual(curve["wrong"][i] / kept if kept else None, found["error"], (training, i))

    def test_every_kind_of_model_has_a_page_with_its_figures(self):
        numbers = self.write("order.csv", sets.csv(*sets.gauss(120, 3, 4)))
        cases = (("mam", self.many, (), ("Confusion", "Importance", "leading directions")),
                 ("svm", self.two, ("--calibrate",), ("Calibration",)),
                 ("kmomd", self.two, ("--grid", "lambda=0.1,0.5,0.9"), ("Error against lambda",)),
                 ("rates", self.two, ("--eta-pos", "0.9", "--eta-neg", "0.9"), ("bounds that can be had", "asked for")),
                 ("seco", self.ring, ("--kernel", "linear", "--cheap", "--most-cuts", "2", "--greedy", "--min-left", "8"), ("The list of cuts", "if", "> 0")),
                 ("omam", numbers, (), ("Thresholds",)), ("tvq", self.many, ("--tangents", "1"), ("Decision regions",)))
        for method, data, more, words in cases:
            with self.subTest(method):
                command = "tune" if "--grid" in more else "train"
                text, facts = self.page(data, "--method", method, *more, command=command)
                shown = " ".join(self.well_formed(text).text)
                for word in (*words, "How it was made", f"--method {method}"):
                    self.assertIn(word, shown)
                self.assertLess(len(text), 400_000)
                self.has_forms(facts)

    def has_forms(self, facts):
        """Three formats to ask, where a page can be given them; `make browser` installs what that needs."""
        self.assertEqual([form["name"] for form in facts.get("forms", [])], [] if wasm.missing() else ["q15", "f32", "q7"])

    def test_texts_of_the_data_are_escaped_everywhere(self):
        text, facts = self.page(self.nasty(), "--method", "svm")
        checker = self.well_formed(text)
        self.assertEqual(facts["labels"], sorted(NASTY))
        self.assertEqual((checker.count["script"], checker.count.get("img"), checker.count.get("b")), (2, None, None))
        shown = " ".join(checker.text)
        for label in NASTY:
            self.assertIn(label, shown)
        self.assertIn("<b>x</b>", shown)

    def test_the_command_in_the_page_makes_the_same_model(self):
        for training in (("svm", "--kernel", "rbf", "--gamma", "0.1", "--C", "3.7", "--reject", "0.25"),
                         ("svm", "--positive", "in"), ("tvq", "--tangents", "1", "--seed", "7")):
            text, _ = self.page(self.ring, "--method", *training)
            command = re.search(r"<pre>python3 -m gen (.*?)</pre>", text)[1].replace("&#x27;", "").split()
            with open(self.path("m.mgn"), "rb") as file:
                first = file.read()
            os.unlink(self.path("m.mgn"))
            command[-1] = self.path("m.mgn")
            self.ok(*command)
            with open(self.path("m.mgn"), "rb") as file:
                self.assertEqual(file.read(), first, training)

    def test_the_same_input_gives_the_same_page(self):
        self.assertEqual(self.page(self.many, "--method", "mam")[0], self.page(self.many, "--method", "mam")[0])

    def test_one_feature_and_one_row_are_enough(self):
        rng = random.Random(4)
        x = [[rng.gauss(k, 0.4)] for k in (0, 1) * 30]
        one = self.write("one.csv", sets.csv(x, [0, 1] * 30))
        row = self.write("row.csv", "0.2,0\n")
        text, facts = self.page(one, "--method", "svm", test=row, more=("--flash", "100"))
        self.assertEqual(facts["n"], 1)
        self.assertIn("Along the feature", text)
        self.well_formed(text)

    def test_gen_fit_writes_the_page_of_its_choice(self):
        found = self.json("fit", self.two, "--time", "5", "--flash", "2K", "--report", self.path("r.html"), "-o", self.path("fit.h"))
        with open(self.path("r.html"), encoding="utf-8") as file:
            text = file.read()
        shown = " ".join(self.well_formed(text).text)
        self.assertIn(found["command"], shown)
        self.assertIn("What gen fit tried", shown)
        tried = [one for one in found["candidates"] if one["method"] == found["method"] and one["error_mean"] is not None
                 and one["options"].get("kernel") == found["options"].get("kernel")]
        for name in ("C", "gamma", "lambda", "vectors"):
            values = {one["options"][name] for one in tried if name in one["options"]}
            self.assertEqual(f"Error against {name}" in shown, len(values) > 2, name)

    def test_many_classes_features_and_rows_stay_small(self):
        rng = random.Random(5)
        centre = [[rng.gauss(0, 3) for _ in range(6)] for _ in range(50)]
        cases = {"fifty classes": ([[rng.gauss(c, 1) for c in centre[i % 50]] for i in range(1000)], [i % 50 for i in range(1000)]),
                 "300 features": ([[rng.gauss(k, 2) for _ in range(300)] for k in (0, 1) * 80], [0, 1] * 80),
                 "100,000 rows": ([[rng.gauss(k, 1), 0.5] for k in (0, 1) * 50_000], [0, 1] * 50_000)}
        for name, (x, y) in cases.items():
            with self.subTest(name):
                text, facts = self.page(self.write("big.csv", sets.csv(x, y)), "--method", "mam")
                self.well_formed(text)
                self.assertLess(len(text.encode()), 2_000_000)
                self.assertEqual((facts["n"], sum(map(sum, facts["confusion"]))), (len(y), len(y)))
                self.assertEqual(facts["error"], self.json("predict", self.path("m.mgn"), self.path("big.csv"))["error"])

    def test_without_a_compiler_the_page_says_how_to_get_it(self):
        with mock.patch.object(wasm, "missing", lambda: ["wasm-ld"]):
            text, facts = self.page(self.two, "--method", "svm")
        self.assertNotIn("wasm", facts)
        self.assertIn("apt-get install clang lld", text)
        self.well_formed(text)

    def test_failures_are_one_line_and_leave_no_file(self):
        self.ok("train", self.two, "--method", "svm", "--save", self.path("m.mgn"))
        strange = self.write("strange.csv", "1,2,3,4,z\n")
        bare = self.write("bare.csv", "1,2,3,4\n")
        for arguments, code, words in (
                (("--data", strange), 1, "strange.csv:1: column 5: unknown label"), (("--data", bare), 1, "bare.csv: no labels"),
                (("--data", self.path("none.csv")), 1, "none.csv"), ((), 2, "--data"),
                (("--data", self.two, "--test", self.many), 1, "many.csv:1: column 5: unknown label '0'")):
            found, _, err = self.gen("report", self.path("m.mgn"), *arguments, "-o", self.path("r.html"))
            self.assertEqual((found, err.count("\n")), (code, 1), err)
            self.assertIn(words, err)
            self.assertFalse(os.path.exists(self.path("r.html")))
        self.assertEqual(self.gen("report", self.path("m.mgn"), "--data", self.two, "-o", self.path("no/r.html"))[0], 1)

    def numbers(self, name, seed, rows=90):
        rng = random.Random(seed)
        x = [[rng.uniform(-2, 2), rng.gauss(5, 1), 0.5] for _ in range(rows)]
        return self.write(name, "flow,temp <b>,same,price\n" + "".join(
            f"{a!r},{b!r},{c!r},{30 + 4 * a + b * b / 5 + rng.gauss(0, 0.5)!r}\n" for a, b, c in x))

    def test_numbers_have_a_page_with_the_errors_of_predict(self):
        data, test = self.numbers("numbers.csv", 1), self.numbers("more.csv", 2, 60)
        for training in (("svr",), ("svr", "--kernel", "rbf", "--outside", "0.1"), ("lssvm", "--targets", "numbers", "--kernel", "rbf")):
            with self.subTest(training):
                text, facts = self.page(data, "--method", *training, test=test)
                shown = " ".join(self.well_formed(text).text)
                found = self.json("predict", self.path("m.mgn"), test)
                want = found["rmse"] if training[0] == "svr" else (1 - found["kendall_tau"]) / 2
                self.assertEqual(facts["n"], 60)
                self.assertAlmostEqual(facts["loss"], want, 12)
                if not wasm.missing():
                    self.assertEqual(facts["rows"]["answers"], [found["scores"][i - 1] for i in facts["rows"]["numbers"]])
                for word in ("Importance", "Surface", "Number formats", "Time of one answer", "temp <b>", f"--method {training[0]}",
                             "Answers against targets" if training[0] == "svr" else "Scores against targets"):
                    self.assertIn(word, shown)
                self.assertEqual("promised" in shown, "--outside" in training)
                self.has_forms(facts)
                self.assertLess(len(text), 400_000)
        one = self.write("line.csv", "".join(f"{i / 10!r},{i * i!r}\n" for i in range(40)))
        self.assertIn("Along the feature", self.page(one, "--method", "svr", "--kernel", "rbf", "--squares")[0])

    def test_what_tune_and_fit_tried_is_drawn(self):
        text, _ = self.page(self.numbers("tuned.csv", 3), "--method", "svr", "--grid", "C=1,10,100", command="tune")
        self.assertIn("R² against C", text)
        order = self.write("order.csv", sets.csv(*sets.gauss(120, 3, 4)))
        text, _ = self.page(order, "--method", "omam", "--kernel", "rbf", "--grid", "gamma=0.1,0.3,1", command="tune")
        self.assertIn("tau against gamma", text.replace("&#x27;", "'"))

    def test_one_class_has_a_page_with_labels_and_without(self):
        rng = random.Random(6)
        row = lambda far: f"{rng.gauss(far, 1)!r},{rng.gauss(0, 1)!r}"
        normal = self.write("normal.csv", "".join(row(0) + "\n" for _ in range(120)))
        mixed = self.write("mixed.csv", "".join(f"{row(0)},normal\n" for _ in range(50)) + "".join(f"{row(8)},odd\n" for _ in range(20)))
        self.ok("train", normal, "--method", "oneclass", "--kernel", "rbf", "--label", "none", "--save", self.path("m.mgn"))
        for test, counts in ((None, None), (mixed, (50, 20))):
            self.ok("report", self.path("m.mgn"), "--data", normal, *(["--test", test] if test else []), "-o", self.path("r.html"))
            with open(self.path("r.html"), encoding="utf-8") as file:
                text = file.read()
            facts, shown = self.facts(text), " ".join(self.well_formed(text).text)
            self.assertIn("false alarms", shown)
            self.assertIn("Alarms", shown)
            self.assertEqual("anomalies found" in shown, test is not None)
            if test:
                labels = self.json("predict", self.path("m.mgn"), test)["labels"]
                self.assertEqual(facts["confusion"][1][0], labels[:50].count("anomaly"))
                self.assertEqual(facts["confusion"][0][0], labels[50:].count("anomaly"))
            else:
                self.assertEqual(sum(facts["confusion"][1]), 120)


class Parts(unittest.TestCase):
    def test_an_interval_holds_the_share_that_it_was_made_from(self):
        for n in (1, 7, 1000):
            for wrong in (0, n // 2, n):
                low, high = measure.wilson(wrong, n)
                self.assertTrue(0 <= low <= wrong / n + 1e-12 and wrong / n - 1e-12 <= high <= 1)
                self.assertEqual((low == 0, high == 1), (wrong == 0, wrong == n))

    @staticmethod
    def corners(piece):
        """The corners of a closed path of M, H, V and l."""
        x, y = 0.0, 0.0
        for command, numbers in re.findall(r"([MHVl])([-\d. ]+)", "M" + piece):
            values = list(map(float, numbers.split()))
            x, y = {"M": lambda a, b: (a, b), "l": lambda a, b: (x + a, y + b), "H": lambda a: (a, y), "V": lambda a: (x, a)}[command](*values)
            yield x, y

    def test_areas_are_exact(self):
        """Where a plane is above a level: a part of the square that is known, by the shoelace formula."""
        for slope, level, want in (((1, 0), 1.5, 4.5), ((0, 1), 0.75, 6.75), ((1, 1), 3.0, 4.5), ((1, 1), 0.0, 9.0), ((1, 0), 4.0, 0.0)):
            field = [[float(slope[0] * x + slope[1] * y) for x in range(4)] for y in range(4)]
            total = 0.0
            for piece in svg.area(field, level, lambda x, y: (100 * x, 100 * y)).split("M")[1:]:
                points = list(self.corners(piece))
                total += abs(sum(a * d - b * c for (a, b), (c, d) in zip(points, points[1:] + points[:1]))) / 2
            self.assertAlmostEqual(total, want * 100 * 100, 3)

    def test_nothing_ends_the_element_of_the_facts(self):
        text = page.as_script({"a": "</script><!--\u2028", "b": float("nan")})
        self.assertNotIn("<", text)
        self.assertEqual(json.loads(text), {"a": "</script><!--\u2028", "b": None})


if __name__ == "__main__":
    unittest.main()
