"""The report in a browser: it opens without a message, its form has the bits of `gen predict`, its reject line moves."""
import contextlib
import csv
import io
import json
import os
import random
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [ROOT, HERE, os.path.join(ROOT, "tests", "gen")]

import sets  # noqa: E402
from browser import Browser  # noqa: E402
from gen import cli  # noqa: E402

NASTY = ["<script>document.title='bad'</script>", "a \"quoted\" & 'b'", "שלום", "</script><img src=x onerror=\"document.title='bad'\">"]


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def gen(self, *arguments):
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
            self.assertEqual(cli.main([str(a) for a in arguments]), 0)

    def csv(self, name, x, y, names=None, header=None):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            if header:
                out.writerow(header)
            out.writerows([*map(repr, row), names[k] if names else k] for row, k in zip(x, y))
        return self.path(name)

    def predicted(self, data, form):
        self.gen("predict", self.path("m.mgn"), data, "--format", form, "--json", self.path("p.json"))
        with open(self.path("p.json"), encoding="utf-8") as file:
            return json.load(file)

    def page(self, data, *training, test=None):
        self.gen("train", data, *training, "--save", self.path("m.mgn"))
        self.gen("report", self.path("m.mgn"), "--data", data, *(["--test", test] if test else []), "-o", self.path("r.html"))
        return self.path("r.html")

    def check_form(self, data, *training):
        """The form of the page, asked for 100 rows of a file, gives what `gen predict` gives, to the bit."""
        self.browser.open(self.page(data, *training))
        self.assertEqual(self.browser.messages(), [])
        found = self.browser.run("""const r = window.marginReport, out = [];
            for (let i = 0; i < 100; i++) out.push([r.facts.rows.numbers[i], r.ask(r.row(i))]); return out;""")
        self.assertEqual(len(found), 100)
        for form in ("q15", "f32", "q7"):
            want = self.predicted(data, form)
            labels = self.browser.run("return window.marginReport.facts.labels")
            for number, answers in found:
                answer = next(a for a in answers if a["format"] == form)
                self.assertEqual(labels[answer["class"]] if answer["class"] < len(labels) else None, want["labels"][number - 1])
                self.assertEqual(answer["score"], want["scores"][number - 1])
                if "probabilities" in want:
                    self.assertIn(answer["probability"], want["probabilities"][number - 1])
                    if answer["class"] < len(labels):
                        self.assertEqual(answer["probability"], want["probabilities"][number - 1][answer["class"]])
                if "values" in want:  # told in double there, in the float of the device here
                    self.assertAlmostEqual(answer["value"] / want["values"][number - 1], 1, 6)

    def test_the_form_has_the_bits_of_predict(self):
        two = self.csv("two.csv", *sets.ring(150), names=["in", "out"])
        many = self.csv("many.csv", *sets.gauss(150, 5, 4, gap=3), names=NASTY)
        whole = self.csv("whole.csv", [[round(100 * v) for v in row] for row in sets.gauss(150, 4, 3, gap=3)[0]], [0, 1, 2] * 50)
        self.check_form(two, "--method", "svm", "--kernel", "rbf", "--calibrate", "--reject", "0.5")
        self.check_form(many, "--method", "svm", "--kernel", "poly", "--coef0", "1")
        self.check_form(whole, "--method", "tvq", "--tangents", "1")
        self.check_form(whole, "--method", "omam")
        self.check_form(two, "--method", "seco", "--kernel", "rbf", "--cheap", "--greedy", "--most-cuts", "2", "--min-left", "8", "--calibrate")

    def test_the_form_has_the_bits_of_predict_for_newer_kinds(self):
        many = self.csv("many.csv", *sets.gauss(150, 5, 4, gap=3))
        two = self.csv("two.csv", *sets.ring(150), names=["in", "out"])
        whole = self.csv("order.csv", [[round(100 * v) for v in row] for row in sets.gauss(150, 4, 3, gap=3)[0]], [0, 1, 2] * 50)
        numbers = self.csv("numbers.csv", sets.gauss(150, 3)[0], [9 + a * b for a, b, _ in sets.gauss(150, 3)[0]])
        self.check_form(many, "--method", "compact", "--vectors", "6", "--calibrate")
        self.check_form(many, "--method", "compact", "--vectors", "6", "--rank", "2", "--kernel", "rbf")
        self.check_form(two, "--method", "oneclass", "--kernel", "rbf", "--normal", "in")
        self.check_form(whole, "--method", "omam", "--kernel", "rbf", "--normalised", "--calibrate")
        self.check_form(numbers, "--method", "svr", "--kernel", "rbf")
        self.check_form(numbers, "--method", "lssvm", "--targets", "numbers")

    def test_typing_and_clicking_ask_the_model(self):
        self.browser.open(self.page(self.csv("t.csv", *sets.ring(150), names=["in", "out"]), "--method", "svm", "--kernel", "rbf"))
        run, driver = self.browser.run, self.browser.driver
        fields = driver.find_elements("css selector", ".fields input")
        for value, label in (("0", "in"), ("3", "out")):
            for field in fields:
                field.clear()
                field.send_keys(value)
            self.assertEqual(run("return document.getElementById('answer').textContent"), label)
        fields[0].clear()
        fields[0].send_keys("abc")
        self.assertIn("not a number", run("return document.getElementById('answer').textContent"))
        self.assertEqual(fields[0].get_attribute("aria-invalid"), "true")
        driver.find_elements("css selector", "#row-list button")[5].click()
        self.assertEqual(fields[0].get_attribute("aria-invalid"), "false")
        values = run("return [...document.querySelectorAll('.fields input')].map((f) => Math.fround(f.value))")
        self.assertEqual(values, run("return window.marginReport.row(5)"))
        self.assertEqual(self.browser.messages(), [])

    def test_the_reject_line_shows_what_a_rejecting_model_does(self):
        data = self.csv("r.csv", *sets.ring(150), names=["in", "out"])
        test = self.csv("rt.csv", *sets.ring(120, 9), names=["in", "out"])
        page = self.page(data, "--method", "svm", "--kernel", "rbf", test=test)
        self.browser.open(page)
        read = "return {...document.getElementById('reject').dataset}"
        self.assertEqual(self.browser.run(read)["rejection"], "0")
        for share in (0.3, 0.7):  # by the slider, as a keyboard moves it, and by dragging the line
            self.browser.run("const s = document.getElementById('reject'); s.value = Math.round(s.max * arguments[0]);"
                             "s.dispatchEvent(new Event('input'))", share)
            self.check_rejection(self.browser.run(read), data, test)
        before = self.browser.run(read)
        self.browser.run("""const f = document.getElementById('margins'), b = f.getBoundingClientRect();
            f.setPointerCapture = () => {}; f.hasPointerCapture = () => true;
            for (const [type, x] of [["pointerdown", 0.6], ["pointermove", 0.63]])
              f.dispatchEvent(new PointerEvent(type, {clientX: b.left + x * b.width, clientY: b.top + 40, pointerId: 1, bubbles: true}));""")
        after = self.browser.run(read)
        self.assertNotEqual(before["threshold"], after["threshold"])
        self.check_rejection(after, data, test)

    def check_rejection(self, shown, data, test):
        self.gen("train", data, "--method", "svm", "--kernel", "rbf", "--reject", shown["threshold"], "--save", self.path("m.mgn"))
        want = self.predicted(test, "f32")
        self.assertEqual(float(shown["rejection"]), want["labels"].count(None) / want["n"])
        self.assertEqual(float(shown["error"]), want["error"] or 0.0)

    def test_the_page_looks_right_at_any_width_and_scheme(self):
        rng = random.Random(3)
        many = self.csv("looks.csv", *sets.gauss(200, 5, 4, gap=2), names=NASTY, header=["<b>x</b>", 'y"&', "ש", "speed", "a" * 60, "label"])
        self.browser.check_looks(self, self.page(many, "--method", "svm", "--kernel", "rbf", "--calibrate"), "report-many")
        self.assertNotEqual(self.browser.driver.title, "bad")
        two = self.csv("looks2.csv", *sets.ring(300), names=["in", "out"])
        test = self.csv("looks3.csv", *sets.ring(100, 9), names=["in", "out"])
        self.browser.check_looks(self, self.page(two, "--method", "svm", "--kernel", "rbf", test=test), "report-two")
        rows = [[rng.gauss(k, 1) for _ in range(40)] for k in range(50) for _ in range(8)]
        fifty = self.csv("fifty.csv", rows, [k for k in range(50) for _ in range(8)])
        self.browser.check_looks(self, self.page(fifty, "--method", "mam"), "report-fifty")
        numbers = self.csv("numbers.csv", sets.gauss(150, 3)[0], [9 + a * b for a, b, _ in sets.gauss(150, 3)[0]], header=["flow", "a b", "c", "y"])
        self.browser.check_looks(self, self.page(numbers, "--method", "svr", "--kernel", "rbf", "--outside", "0.1"), "report-numbers")

    def test_it_asks_for_nothing_but_itself(self):
        self.browser.open(self.page(self.csv("n.csv", *sets.ring(150), names=["in", "out"]), "--method", "svm"))
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map((e) => e.name)"), [])
        with open(self.path("r.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("http://", text.replace("http://www.w3.org/2000/svg", ""))
        self.assertNotIn("https://", text)


if __name__ == "__main__":
    unittest.main()
