"""The playground in a browser: drawing, training, options, loading and downloading work, and the header that it downloads
has the bytes that gen writes for the same data."""
import contextlib
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [ROOT, HERE, os.path.join(ROOT, "tests", "gen")]

import sets  # noqa: E402
from browser import PATIENCE, Browser  # noqa: E402
from gen import cli  # noqa: E402

PAGE = os.path.join(ROOT, "build", "playground", "index.html")


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.browser = Browser(cls.temporary.name)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.open(PAGE)
        self.run_ = self.browser.run

    def tearDown(self):
        self.assertEqual(self.browser.messages(), [])

    def settled(self):
        """Waits until what was drawn or changed has been trained."""
        self.browser.wait("the playground still trains", "return window.marginPlayground.idle()")

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def gen_header(self, command, data):
        """What gen writes when it is called as the page says."""
        words = command.replace("data.csv", data).replace("model.h", self.path("gen/model.h")).split()
        os.makedirs(self.path("gen"), exist_ok=True)
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(cli.main(words[3:]), 0)
        with open(self.path("gen/model.h"), encoding="ascii") as file:
            return file.read()

    def choose(self, method, **options):
        self.run_("""const s = window.marginPlayground.state; s.method = arguments[0]; s.options = arguments[1];
            document.getElementById("method").value = arguments[0]; window.marginPlayground.train();""", method, options)
        self.assertTrue(self.run_("return window.marginPlayground.state.result !== null"),
                        self.run_("return document.getElementById('words').textContent"))

    def same_headers(self, data):
        """The page and gen write the same bytes in all three formats."""
        for form in ("f32", "q15", "q7"):
            command = self.run_("const f = document.getElementById('format'); f.value = arguments[0];"
                                "f.dispatchEvent(new Event('change')); return document.getElementById('command').textContent", form)
            self.assertEqual(self.run_("return window.marginPlayground.header(arguments[0])", form), self.gen_header(command, data), command)

    def load(self, name, x, y, names=None, header=None):
        text = sets.csv(x, y, names, header)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        self.run_("window.marginPlayground.loaded(arguments[0], arguments[1])", name, text)
        return self.path(name)

    def save_data(self):
        with open(self.path("drawn.csv"), "w", encoding="utf-8") as file:
            file.write(self.run_("return window.marginPlayground.csvText()"))
        return self.path("drawn.csv")

    def test_the_five_ideas_train_and_their_headers_are_those_of_gen(self):
        for idea in (-1, 0, 1, 2, 3, 4):
            self.run_("window.marginPlayground.use(arguments[0])", idea)
            self.browser.shot(f"playground-idea-{idea + 1}")
            self.assertTrue(self.run_("return window.marginPlayground.state.result !== null"), idea)
            self.same_headers(self.save_data())

    def test_headers_of_a_file_are_those_of_gen(self):
        many = self.load("many.csv", *sets.gauss(120, 3, 4, gap=3), names=["ab", "é", "q'x", "z"],
                         header="speed,größe,x*/y,label")
        for method, options in (("svm", {"kernel": "rbf", "gamma": "0.3", "C": "12.5"}), ("svm", {"kernel": "poly", "gamma": "1", "C": "1"}),
                                ("mam", {"kernel": "linear", "balanced": True}), ("kmomd", {"lambda": "0.33", "kernel": "rbf", "gamma": "0.5"}),
                                ("lvq", {"models": "2"}), ("nn", {"neighbours": "3"}), ("hss", {"models": "1", "tangents": "1"})):
            self.choose(method, **options)
            self.same_headers(many)
        whole = self.load("whole.csv", [[round(40 * v) for v in row] for row in sets.gauss(90, 2, 3)[0]], [0, 1, 2] * 30)
        for method, options in (("svm", {"kernel": "rbf", "gamma": "1", "C": "1"}), ("omam", {"kernel": "linear"}), ("lssvm", {"kernel": "linear"})):
            self.choose(method, **options)
            self.same_headers(whole)
        two = self.load("two.csv", *sets.gauss(120, 2, 2))
        for method, options in (("rates", {"eta-pos": "0.9", "eta-neg": "0.85"}), ("seco", {"most-cuts": "2", "min-left": "8", "greedy": True, "cheap": True}),
                                ("tvq", {"models": "2", "tangents": "1", "theta": "0.1"})):
            self.choose(method, **options)
            self.same_headers(two)

    def test_drawing_with_the_pointer_and_the_keyboard_trains(self):
        driver = self.browser.driver
        self.run_("document.getElementById('clear').click()")
        self.assertIn("two classes", self.run_("return document.getElementById('words').textContent"))
        for index, places in ((0, ((0.2, 0.3), (0.25, 0.5), (0.3, 0.35))), (1, ((0.7, 0.6), (0.8, 0.5), (0.75, 0.7)))):
            self.run_("document.querySelectorAll('#classes input')[arguments[0]].click()", index)
            for x, y in places:
                self.run_("""const c = document.getElementById('canvas'), b = c.getBoundingClientRect(); c.setPointerCapture = () => {};
                    c.dispatchEvent(new PointerEvent('pointerdown', {clientX: b.left + arguments[0] * b.width,
                    clientY: b.top + arguments[1] * b.height, pointerId: 1, bubbles: true}))""", x, y)
        self.settled()
        self.assertEqual(self.run_("return window.marginPlayground.state.points.length"), 6)
        self.assertEqual(self.run_("return window.marginPlayground.state.points[0].x"), [-0.6, 0.4])
        self.assertTrue(self.run_("return window.marginPlayground.state.result !== null"))
        canvas = driver.find_element("id", "canvas")
        self.run_("document.getElementById('canvas').focus()")
        canvas.send_keys("\ue014\ue014\ue013")  # right, right, up
        canvas.send_keys("\ue007")  # Enter
        self.settled()
        self.assertEqual(self.run_("const p = window.marginPlayground.state.points; return [p.length, p[6].x]"), [7, [0.1, 0.05]])
        canvas.send_keys("\ue017")  # Delete takes the nearest away
        self.settled()
        self.assertEqual(self.run_("return window.marginPlayground.state.points.length"), 6)
        driver.find_element("id", "undo").click()
        self.assertEqual(self.run_("return window.marginPlayground.state.points.length"), 5)

    def test_moving_lambda_changes_the_model(self):
        self.run_("window.marginPlayground.use(0)")
        seen = []
        for value in ("0.01", "0.5", "1"):
            self.run_("""const s = document.getElementById('o-lambda'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))""", value)
            self.settled()
            self.assertIn(f"--lambda {value}", self.run_("return document.getElementById('command').textContent"))
            seen.append(self.run_("return window.marginPlayground.state.result.found.model.machine.array('w')"))
        self.assertEqual(len({tuple(w) for w in seen}), 3)

    def test_the_download_is_a_file_with_the_bytes_of_gen_and_compiles(self):
        driver = self.browser.driver
        self.run_("const f = document.getElementById('format'); f.value = 'q15'; f.dispatchEvent(new Event('change'))")
        command = self.run_("return document.getElementById('command').textContent")
        for name, button in (("data.csv", "save-data"), ("model.h", "save-header")):
            driver.find_element("id", button).click()
            until = time.monotonic() + PATIENCE
            while not os.path.exists(self.path(name)):  # chromium gives it its name when it is whole
                self.assertLess(time.monotonic(), until, f"{name} does not arrive")
                time.sleep(0.05)
        with open(self.path("model.h"), encoding="ascii") as file:
            text = file.read()
        self.assertEqual(text, self.gen_header(command, self.path("data.csv")))
        with open(self.path("data.csv"), encoding="utf-8") as file:
            self.assertEqual(len(list(csv.reader(file))), 121)
        with open(self.path("use.c"), "w", encoding="ascii") as file:
            file.write('#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n#include "margin.h"\n#include "model.h"\n'
                       "int main(void)\n{\n    return model_selftest();\n}\n")
        program = self.path("use")
        subprocess.run(["cc", "-std=c99", "-O1", "-ffp-contract=off", "-I" + ROOT, "-I" + self.temporary.name, self.path("use.c"), "-o", program], check=True)
        self.assertEqual(subprocess.run([program]).returncode, 0)

    def set_flash(self, value):
        self.run_("const f = document.getElementById('flash'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", value)

    def test_a_budget_of_flash_gives_the_header_of_gen(self):
        many = self.load("many.csv", *sets.gauss(120, 3, 4, gap=3))
        self.choose("svm", kernel="rbf", gamma="0.3", C="12.5")
        try:
            for form in ("any", "q15", "q7", "f32"):
                self.set_flash("700")
                command = self.run_("const f = document.getElementById('format'); f.value = arguments[0];"
                                    "f.dispatchEvent(new Event('change')); return document.getElementById('command').textContent", form)
                self.assertIn("--flash 700", command)
                self.assertIn("bytes of tables", self.run_("return document.getElementById('budget').textContent"), form)
                self.assertEqual(self.run_("return window.marginPlayground.header(arguments[0])", form), self.gen_header(command, many), command)
            two = self.load("two.csv", *sets.gauss(200, 2, 2))  # two classes: vectors move
            self.choose("svm", kernel="rbf", gamma="1", C="1")
            for form in ("q15", "q7"):
                self.set_flash("120")
                command = self.run_("const f = document.getElementById('format'); f.value = arguments[0];"
                                    "f.dispatchEvent(new Event('change')); return document.getElementById('command').textContent", form)
                self.assertEqual(self.run_("return window.marginPlayground.header(arguments[0])", form), self.gen_header(command, two), command)
            self.set_flash("20")
            self.assertIn("needs at least", self.run_("return document.getElementById('budget').textContent"))
            self.assertTrue(self.run_("return document.getElementById('save-header').disabled"))
        finally:
            self.set_flash("")
        self.assertFalse(self.run_("return document.getElementById('save-header').disabled"))

    def test_what_cannot_be_done_is_said_in_words(self):
        words = "return document.getElementById('words').textContent"
        for text, part in (("a,b\n1\n", "columns"), ("1,2,a\n3,x,b\n", "Row 2, column 2: not a number: x"), ("", "no rows")):
            self.run_("window.marginPlayground.loaded('f.csv', arguments[0])", text)
            self.assertIn(part, self.run_(words))
        self.run_("window.marginPlayground.use(3)")
        self.run_("const s = window.marginPlayground.state; s.options['eta-pos'] = '0.02'; s.options['eta-neg'] = '0.02'; window.marginPlayground.train()")
        self.assertIn("cannot be had", self.run_(words))
        self.assertTrue(self.run_("return document.getElementById('save-header').disabled"))

    def test_the_page_is_one_small_file_and_looks_right(self):
        self.assertLess(os.path.getsize(PAGE), 1_000_000)
        with open(PAGE, encoding="utf-8") as file:
            self.assertFalse(re.findall(r"https?://(?!www\.w3\.org/2000/svg)", file.read()))
        self.assertEqual(self.run_("return performance.getEntriesByType('resource').map((e) => e.name)"), [])
        self.browser.check_looks(self, PAGE, "playground")


if __name__ == "__main__":
    unittest.main()
