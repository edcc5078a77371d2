"""Methods of targets in order: numbers and classes, tau, thresholds, the files that come of them."""
import math
import os
import random
import subprocess
import unittest

from firmware import ALONE
from gen import native
from test_cli import ROOT, CommandLine as Base


def rows_of(count: int, seed: int = 1) -> list[tuple[list[float], float]]:
    """Three features and a target that follows the first two."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        x = [draw.gauss(0, 1) for _ in range(3)]
        rows.append((x, (x[0] - 2 * x[1]) ** 3 + 0.3 * draw.gauss(0, 1)))
    return rows


def naive_tau(a, b) -> float:
    sign = lambda v: (v > 0) - (v < 0)
    pairs = [(sign(a[i] - a[j]), sign(b[i] - b[j])) for i in range(len(a)) for j in range(i)]
    return sum(s * t for s, t in pairs) / math.sqrt(sum(s * s for s, _ in pairs) * sum(t * t for _, t in pairs))


class Ordinal(unittest.TestCase):
    path, write, gen, ok, json, fails = Base.path, Base.write, Base.gen, Base.ok, Base.json, Base.fails

    def setUp(self):
        Base.setUp(self)
        rows = rows_of(120)
        words = ("cold", "mild", "warm", "hot")
        level = [sum(t > edge for edge in (-4, 0, 4)) for _, t in rows]
        text = lambda labels: "".join(",".join(map(repr, x)) + f",{label}\n" for (x, _), label in zip(rows, labels))
        self.rows, self.level = rows, level
        self.numbers = self.write("numbers.csv", text([t for _, t in rows]))
        self.levels = self.write("levels.csv", text(level))
        self.words = self.write("words.csv", text([words[c] for c in level]))

    def test_numbers_are_ranked(self):
        for method, kernel in (("omam", "linear"), ("omam", "rbf"), ("lssvm", "linear"), ("lssvm", "rbf")):
            with self.subTest(method=method, kernel=kernel):
                found = self.json("train", self.numbers, "--method", method, "--kernel", kernel, "--test", self.numbers,
                                  "--save", self.path("m.mgn"))
                self.assertGreater(found["kendall_tau_train"], 0.7)
                self.assertEqual(found["kendall_tau_train"], found["kendall_tau_test"])
                self.assertEqual(found["classes"], 1)
                self.assertIsNone(found["train_error"])
                answers = self.json("predict", self.path("m.mgn"), self.numbers)
                tau = naive_tau(answers["scores"], [t for _, t in self.rows])
                self.assertAlmostEqual(answers["kendall_tau"], tau, delta=1e-12)
                self.assertAlmostEqual(tau, found["kendall_tau_train"], delta=1e-3)

    def test_few_numbers_are_classes_in_order(self):
        found = self.json("train", self.levels, "--method", "lssvm", "--save", self.path("m.mgn"))
        self.assertEqual((found["classes"], found["labels"]), (4, ["0", "1", "2", "3"]))
        self.assertEqual(found["thresholds"], sorted(found["thresholds"]))
        self.assertEqual((len(found["thresholds"]), len(found["w"]), len(found["bias"])), (3, 3, 3))
        self.assertLess(found["absolute_error_train"], 0.3)
        answers = self.json("predict", self.path("m.mgn"), self.levels)
        self.assertAlmostEqual(answers["error"], found["train_error"], delta=0.01)
        off = sum(abs(int(label) - level) for label, level in zip(answers["labels"], self.level)) / len(self.level)
        self.assertAlmostEqual(off, found["absolute_error_train"], delta=0.02)
        self.ok("export", self.path("m.mgn"), "-o", self.path("m.h"))
        with open(self.path("m.h"), encoding="ascii") as file:
            self.assertIn("in order: 0 = 0, 1 = 1", file.read())

    def test_numbers_or_classes_can_be_insisted_on(self):
        self.assertEqual(self.json("train", self.levels, "--method", "omam", "--targets", "numbers")["classes"], 1)
        code, _, err = self.gen("train", self.numbers, "--method", "omam", "--targets", "classes")
        self.assertEqual(code, 1, err)
        self.fails(1, "not a number: 'cold'", "train", self.words, "--method", "omam", "--targets", "numbers")

    def test_text_needs_an_order(self):
        self.fails(1, "say their order, --order", "train", self.words, "--method", "omam")
        found = self.json("train", self.words, "--method", "omam", "--order", "cold,mild,warm,hot")
        same = self.json("train", self.levels, "--method", "omam")
        self.assertEqual(found["labels"], ["cold", "mild", "warm", "hot"])
        for key in ("w", "bias", "kendall_tau_train", "train_error"):
            self.assertEqual(found[key], same[key])
        other = self.json("train", self.words, "--method", "omam", "--order", "hot,warm,mild,cold")
        self.assertAlmostEqual(other["kendall_tau_train"], same["kendall_tau_train"], delta=1e-12)
        self.assertAlmostEqual(other["w"][0], -same["w"][0], delta=1e-12)
        wide = self.json("train", self.words, "--method", "omam", "--order", "icy,cold,mild,warm,hot,boiling")
        self.assertEqual((wide["classes"], wide["train_error"]), (6, same["train_error"]))
        self.fails(1, "unknown label", "train", self.words, "--method", "omam", "--order", "cold,mild,warm")
        self.fails(2, "each once", "train", self.words, "--method", "omam", "--order", "cold,cold")
        self.fails(2, "--order, not --positive", "train", self.words, "--method", "omam", "--positive", "hot")
        self.fails(2, "--order is for", "train", self.words, "--method", "svm", "--order", "cold,mild,warm,hot")

    def test_cv_and_tune_go_by_tau(self):
        found = self.json("cv", self.levels, "--method", "lssvm", "--kernel", "rbf", "--repeats", "2")
        self.assertEqual(len(found["fold_kendall_tau"]), 10)
        self.assertAlmostEqual(sum(found["fold_kendall_tau"]) / 10, found["kendall_tau_test"], delta=1e-12)
        self.assertGreater(found["kendall_tau_sd"], 0)
        self.assertIsNotNone(found["error_mean"])
        found = self.json("cv", self.numbers, "--method", "omam")
        self.assertIsNone(found["error_mean"])
        tuned = self.json("tune", self.numbers, "--method", "omam", "--kernel", "rbf", "--grid", "gamma=0.01,0.1,3")
        best = max(tuned["results"], key=lambda row: row["kendall_tau_test"])
        self.assertEqual(tuned["best"], best["options"])

    def test_normalised_machines_tell_classes_in_all_formats(self):
        saved, words = self.path("n.mgn"), ("--method", "omam", "--kernel", "rbf", "--normalised")
        found = self.json("train", self.levels, *words, "--test", self.levels, "--save", saved)
        self.assertNotIn("thresholds", found)
        self.assertGreater(found["kendall_tau_test"], 0.7)
        answers = self.json("predict", saved, self.levels)["labels"]
        self.assertAlmostEqual(found["kendall_tau_test"], naive_tau(list(map(float, answers)), self.level), 12)
        for form in ("q15", "q7"):
            same = self.json("predict", saved, self.levels, "--format", form)["labels"]
            self.assertLess(sum(a != b for a, b in zip(answers, same)), 6, form)
        self.fails(2, "may be negative: take --kernel rbf", "train", self.levels, "--method", "omam", "--normalised")
        tried = self.json("tune", self.levels, "--method", "omam", "--kernel", "rbf")["results"]
        self.assertEqual({row["options"]["normalised"] for row in tried}, {False, True})

    def test_normalised_machines_rank_numbers_in_all_formats(self):
        """tau of the mean rank; a header says in C what `predict` says; tune tries both."""
        saved = self.path("n.mgn")
        found = self.json("train", self.numbers, "--method", "omam", "--kernel", "rbf", "--normalised", "--test", self.numbers, "--save", saved)
        self.assertEqual(found["labels"], ["low", "middle", "high"])
        plain = self.json("predict", saved, self.numbers)
        self.assertAlmostEqual(plain["kendall_tau"], found["kendall_tau_test"], delta=1e-3)
        self.assertAlmostEqual(plain["kendall_tau"], naive_tau(plain["scores"], [t for _, t in self.rows]), 9)
        self.assertTrue(all((label == "low") == (rank <= -1 / 3) for label, rank in zip(plain["labels"], plain["scores"]) if abs(abs(rank) - 1 / 3) > 1e-5))
        for form, within in (("f32", 1e-6), ("q15", 0.005), ("q7", 0.05)):
            told = self.json("predict", saved, self.numbers, "--format", form)
            self.assertAlmostEqual(told["kendall_tau"], plain["kendall_tau"], delta=within, msg=form)
            self.assertLess(max(abs(a - b) for a, b in zip(told["values"], plain["values"])), within, form)
            for alone in ((), ("--alone",)):
                for said, want in zip(self.ranks_of_header(saved, form, *alone), told["scores"][:20]):
                    self.assertAlmostEqual(said, want, delta=1e-6 if form == "f32" else 0, msg=(form, alone))
        tried = self.json("tune", self.numbers, "--method", "omam", "--kernel", "rbf", "--folds", "3")["results"]
        self.assertEqual({row["options"]["normalised"] for row in tried}, {False, True})
        self.fails(1, "told by gen predict", "report", saved, "--data", self.numbers, "-o", self.path("n.html"))

    def ranks_of_header(self, saved, form, *more):
        """What NAME_rank of an exported header says to the first rows."""
        self.ok("export", saved, "--format", form, "-o", self.path("level.h"), *more)
        with open(self.numbers, encoding="utf-8") as file:
            rows = [line.rsplit(",", 1)[0] for line in file.read().split()][:20]
        d = rows[0].count(",") + 1
        head = "" if more else '#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n#include "margin.h"\n'
        text = "#include <stdio.h>\n" + head + '#include "level.h"\nint main(void)\n{\n    static const float raw[20][' + str(d) + "] = {" + ", ".join(
            "{" + ", ".join(f"(float){v}" for v in row.split(",")) + "}" for row in rows) + "};\n    for (int i = 0; i < 20; i++) {\n"
        text += '        printf("%.9g\\n", (double)level_rank(raw[i]));\n    }\n' if form == "f32" else \
            f'        int16_t x[{d}];\n        level_input(raw[i], x);\n        printf("%ld\\n", (long)level_rank(x));\n    }}\n'
        source, program = self.write("ranks.c", text + "    return level_selftest();\n}\n"), self.path("ranks")
        subprocess.run(["cc", *ALONE, "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", ROOT, source, "-o", program], check=True)
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(len(said), 20)
        return [float(v) if form == "f32" else int(v) for v in said]

    def test_c_is_chosen_by_leaving_one_out(self):
        found = self.json("train", self.numbers, "--method", "lssvm", "--kernel", "rbf")
        given = self.json("train", self.numbers, "--method", "lssvm", "--kernel", "rbf", "--C", repr(found["C"]))
        self.assertEqual(given["objective"], found["objective"])
        self.assertGreater(found["loo"], 0)
        self.assertIsNone(given["loo"])

    def test_bad_targets(self):
        same = self.write("same.csv", "1,2,7\n2,1,7\n3,3,7\n")
        one = self.write("one.csv", "1,2,7\n")
        nan = self.write("nan.csv", "1.5,2,7\n2,1,nan\n3,3,9\n")
        for method in ("omam", "lssvm"):
            self.fails(1, "there is no order", "train", same, "--method", method, "--targets", "numbers")
            self.fails(1, "only one class", "train", same, "--method", method)
            self.fails(1, "there is no order", "train", one, "--method", method, "--targets", "numbers")
            self.fails(1, "nan.csv:2: column 3: not a finite number: 'nan'", "train", nan, "--method", method)
            two = self.write("two-targets.csv", "1,2,7\n2,1,9\n3,3,9\n0,1,7\n")
            self.assertEqual(self.json("train", two, "--method", method)["classes"], 2)

    def test_headers_run_and_compare(self):
        for form in ("f32", "q15", "q7"):
            for source, method, kernel in ((self.levels, "omam", "linear"), (self.levels, "lssvm", "rbf"),
                                           (self.numbers, "lssvm", "linear")):
                with self.subTest(form=form, kernel=kernel, method=method):
                    self.ok("train", source, "--method", method, "--kernel", kernel, "--format", form, "-o",
                            self.path("m.h"))
                    kind = "margin_real" if form == "f32" else "int16_t"
                    firmware_run(self, kind)


def firmware_run(test, kind: str) -> None:
    """Compiles a program around m.h, silently, and runs it: self-test, classes and comparisons agree."""
    test.write("main.c", f"""
#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"
#include "m.h"
int main(void)
{{
    const {kind} *a = m_test_x, *b = m_test_x + M_FEATURES;
    const int order = m_compare(a, b);
    if (m_selftest() != 0 || m_compare(b, a) != -order || m_compare(a, a) != 0) {{
        return 1;
    }}
    return order > 0 && m_classify(a) < m_classify(b) ? 2 : 0;
}}
""")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = ["gcc", *ALONE, "-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-function", "-Werror",
               f"-I{root}", f"-I{test.folder}", test.path("main.c"), "-o", test.path("main")]
    made = subprocess.run(command, capture_output=True, text=True)
    test.assertEqual((made.returncode, made.stderr), (0, ""))
    test.assertEqual(subprocess.run([test.path("main")]).returncode, 0)


class Tau(unittest.TestCase):
    def test_native_tau_is_that_of_the_pairs(self):
        draw = random.Random(3)
        for n in (2, 5, 40):
            a, b = [draw.randrange(6) + 0.0 for _ in range(n)], [draw.random() for _ in range(n)]
            a[0], a[1] = 1.0, 2.0
            self.assertAlmostEqual(native.kendall(a, b), naive_tau(a, b), delta=1e-14)
        self.assertIsNone(native.kendall([1.0, 1.0], [1.0, 2.0]))


if __name__ == "__main__":
    unittest.main()
