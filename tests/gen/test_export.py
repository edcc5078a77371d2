"""Exported headers: the same bits as gen predicts, in C and C++, on ordinary, extreme and absurd inputs."""
import math
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest
from array import array
from concurrent.futures import ThreadPoolExecutor

import sets
from firmware import ALONE, ROOT, Firmware, has, in_turn
from gen import compress, exchange, export, model, native, options, quant, train
from gen.cost import targets
from gen.cspell import to_single
from gen.data import read
from test_cli import CommandLine


def trained(folder, x, y, method, chosen, names=None, reject=0.0, calibrate=False):
    """A model for the device, as `gen train` makes it."""
    path = os.path.join(folder, "data.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(sets.csv(x, y, names))
    problem = train.problem_of(read(path), None)
    fitted = train.fit(problem, method, chosen)
    if calibrate:
        train.calibrate(problem, method, chosen, fitted.machine, native.folds(problem.rows, 3, 1), 1)
    fitted.machine.set_reject(reject)
    notes = {"labels": problem.names, "method": method, "options": chosen, **model.sample_notes(problem.rows)}
    return model.make(fitted.machine, notes)


def inputs(d, count, seed):
    """Rows of floats: near the data, far away, zeros of both signs, subnormal, enormous."""
    rng = random.Random(seed)
    special = [0.0, -0.0, 1e-45, -1e-40, 1.0, 1e10, -1e18, 3.4028234663852886e38, -3.4028234663852886e38, 1e30]
    rows = [[rng.gauss(0, 2) for _ in range(d)] for _ in range(count)]
    rows += [[rng.gauss(0, 100) for _ in range(d)] for _ in range(count // 4)]
    rows += [[rng.choice(special) if rng.random() < 0.3 else rng.gauss(0, 1) for _ in range(d)] for _ in range(count // 4)]
    rows += [[value] * d for value in special]
    return [[to_single(v) for v in row] for row in rows]


def bits(values):
    return ["nan" if math.isnan(v) else struct.pack("<f", v).hex() for v in values]


def models(folder):
    """Every kernel with 2, 3 and 5 classes by both schemes: real values and whole numbers, with and without rejection and
    probabilities. (model, integer form or None)."""
    found = []
    for number, kernel in enumerate(k for k in options.KERNELS if k != "hinge"):
        for classes, scheme in ((2, "one-one"), (3, "one-one"), (3, "one-rest"), (5, "one-one"), (5, "one-rest")):
            odd = (number + classes) % 2
            x, y = sets.ring(n=80) if classes == 2 and kernel != "linear" else sets.gauss(60, 5, classes, number + 1, 2)
            if odd:  # as a converter would have them
                x = [[round(100 * v) for v in row] for row in x]
            chosen = {"kernel": kernel, "scheme": scheme, "scale": "standard" if odd else ("minmax", "none")[number % 2]}
            names = ["a", "b b", 'c"', "\\d?*/", "e"][:classes]
            method = ("svm", "kmomd", "mam")[(number + classes) % 3]
            found.append(trained(folder, x, y, method, chosen, names, 0.05 * odd, calibrate=number % 2 == 0))
    return found


class Elections(unittest.TestCase):
    """Where one comparison a class is enough, a header does not call the function that knows all schemes."""

    LINES = """#define MARGIN_IMPLEMENTATION
#include "margin.h"
%s
int main(void)
{
    static const margin_real real[] = {0.0f, 1.0f, -1.0f, 1.0f, 3e38f, -3e38f, 0.0f / -1.0f, %s};
    static const int32_t whole[] = {0, 1, -1, 1, INT32_MAX, -INT32_MAX, 7, 2};
    const margin_vote rest = {4, MARGIN_SCHEME_ONE_REST, 0, 0, 0, 0, 0};
    uint32_t i, j, wrong = 0;
    for (i = 0; i < 4096; i++) {
        margin_real scores[4];
        int32_t scores_q[4];
        for (j = 0; j < 4; j++) {
            scores[j] = real[i >> 3 * j & 7];
            scores_q[j] = whole[i >> 3 * j & 7];
        }
        wrong += elect_rest_f32(scores) != margin_decide(&rest, scores);
        wrong += elect_rest(scores_q) != margin_elect_q(MARGIN_SCHEME_ONE_REST, 4, scores_q);
        wrong += elect_nearest(scores_q) != margin_elect_q(MARGIN_SCHEME_NEAREST, 4, scores_q);
        wrong += elect_order(scores_q) != margin_elect_q(MARGIN_SCHEME_ORDINAL, 4, scores_q);
    }
    return wrong ? 1 : 0;
}
"""

    def test_the_lines_of_a_header_choose_as_the_library_does(self):
        functions = []
        for word, kind in (("rest f32", "margin_real"), ("rest", "int32_t"), ("nearest", "int32_t"), ("order", "int32_t")):
            functions += [f"static uint16_t elect_{word.replace(' ', '_')}(const {kind} *scores)", "{", "    uint16_t best = 0, c;",
                          *export.elect(word, "4"), "    return best;", "}"]
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "elect.c"), os.path.join(folder, "elect")
            with open(source, "w", encoding="utf-8") as file:
                file.write(self.LINES % ("\n".join(functions), "(margin_real)(0.0 * (1e308 * 10))"))
            subprocess.run(["cc", *ALONE, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-overflow", "-Werror", "-DMARGIN_PREDICT_ONLY", "-I", ROOT, source, "-o",
                            program], check=True)
            self.assertEqual(subprocess.run([program]).returncode, 0)

    def test_headers_of_one_machine_a_class_do_without_the_library_s_function(self):
        with tempfile.TemporaryDirectory() as folder:
            x, y = sets.gauss(60, 4, 3, 1, 2)
            for scheme, reject, calls in (("one-rest", 0.0, False), ("one-rest", 0.1, True), ("one-one", 0.0, True)):
                found = trained(folder, x, y, "svm", {"kernel": "linear", "scheme": scheme}, reject=reject)
                for form in ("f32", "q15", "q7"):
                    text = export.header(found, "gate", quant.Quantised(found, form) if form != "f32" else None)
                    self.assertEqual("margin_decide" in text, calls, (scheme, reject, form))

    def test_a_machine_that_always_answers_alike_costs_the_others_no_bits(self):
        rng, d, names = random.Random(3), 16, ["a", "b", "c"]
        x = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(200)]
        weights = array("d", [rng.gauss(0, 0.3) * (1e-5 if j == 2 else 1) for j in range(3) for _ in range(d)])
        made = native.make(exchange.Classifier(names, "one-rest", d, array("d", [-1.2, -0.8, -1.0]), weights=weights))
        for form in ("q15", "q7"):
            report = quant.Quantised(model.make(made, {"labels": names}), form, quant.rows_of(x)).report
            self.assertLess(report.mean, 0.003 * report.scale, form)
            self.assertLess(report.disagree, 3, form)


class Bits(unittest.TestCase):
    """All formats: the same bits from firmware as from gen, on any input whatever."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.models = folder.name, models(folder.name)
        cls.headers = [(f"model_{i}", export.header(m, f"model_{i}"), "margin_real", "margin_real")
                       for i, m in enumerate(cls.models)]
        cls.integers = [(m, quant.Quantised(m, form)) for m in cls.models for form in ("q15", "q7")]
        cls.all = cls.headers + [(f"whole_{i}", export.header(m, f"whole_{i}", q), "int16_t", "int32_t")
                                 for i, (m, q) in enumerate(cls.integers)]

    CHIPS = {"cortex-m0": "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb", "cortex-m4f": "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard",
             "rv32imc": "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32", "atmega328p": "avr-gcc -mmcu=atmega328p"}

    def frames(self, chip, level, models):
        """Bytes of stack that the functions of each header take for themselves, by the compiler."""
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for name, text, kind, _ in models:
                with open(os.path.join(folder, f"{name}.h"), "w", encoding="utf-8") as file:
                    file.write(text)
                lines += [f'#include "{name}.h"', f"uint16_t {name}_call(const {kind} *x);",
                          f"uint16_t {name}_call(const {kind} *x) {{ return {name}_classify(x); }}"]
            with open(os.path.join(folder, "all.c"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            subprocess.run([*self.CHIPS[chip].split(), "-std=c99", "-ffreestanding", level, "-I", ROOT, "-fstack-usage", "-c", "all.c", "-o", "all.o"],
                           cwd=folder, check=True)
            with open(os.path.join(folder, "all.su"), encoding="utf-8") as file:
                found = re.findall(r":(\w+)\t(\d+)\tstatic$", file.read(), re.M)
        self.assertLessEqual({f"{name}_call" for name, *_ in models}, {function for function, _ in found})
        return {name: sum(int(size) for function, size in found if function.startswith(f"{name}_")) for name, *_ in models}

    def test_headers_state_no_less_stack_than_a_prediction_takes(self):
        models = self.all[::2]
        for chip, compiler in self.CHIPS.items():
            if not has(compiler.split()[0]):
                continue
            deepest = targets()[chip]["stacks"]
            for level in ("-Os", "-O2"):
                frames = self.frames(chip, level, models)
                for name, text, *_ in models:
                    told = int(re.search(rf"\b(\d+) on {chip}\b", " ".join(text[text.index(" * stack "):].split(" * cycles ")[0].replace("\n *", "").split()))[1])
                    called = max(deepest[word] for word in re.findall(r"\b(margin_\w+)\(", text) if word in deepest)
                    self.assertGreaterEqual(told, frames[name] + called, (name, chip, level))

    def compare_floats(self, firmware, count):
        for i, m in enumerate(self.models):
            shape = m.machine.shape
            rows = inputs(shape.d, count, i)
            table = quant.rows_of(rows)
            found = firmware.run(i, rows, shape.machines)
            expected = [bits(scores) for scores in m.machine.scores(rows)]
            self.assertEqual([bits(scores) for _, scores, _ in found], expected, i)
            self.assertEqual([label for label, *_ in found], list(m.machine.predict(table)[0]), i)
            chances = in_turn(m.machine.probabilities(table)) if m.machine.calibrated else [-1.0] * len(rows)
            self.assertEqual(bits(p for *_, p in found), bits(chances), i)

    def compare_integers(self, firmware, count):
        for i, (m, q) in enumerate(self.integers):
            rows = whole_inputs(m.machine.shape.d, count, i)
            labels, _, chances = q.predict(native.array("h", (v for row in rows for v in row)))
            scores = q.scores(native.array("h", (v for row in rows for v in row)))
            found = firmware.run(len(self.models) + i, rows, m.machine.shape.machines, "h", "i")
            self.assertEqual([(label, score) for label, score, _ in found], list(zip(labels, scores)), (i, q.form))
            chances = [float(p) for p in in_turn(chances)] if m.machine.calibrated else [-1.0] * len(rows)
            self.assertEqual([p for *_, p in found], chances, (i, q.form))

    def compare_inputs(self, firmware, count):
        """Raw values, out of range too, become the same integers."""
        converted = 0
        for i, (m, q) in enumerate(self.integers):
            if q.whole:
                self.assertIsNone(q.input_scaling())
                continue
            rows, d = inputs(m.machine.shape.d, count, i), m.machine.shape.d
            found = q.inputs(quant.rows_of(rows))
            self.assertEqual((min(found), max(found)), (-32768, 32767))  # limited, not wrapped
            self.assertEqual(firmware.convert(len(self.models) + i, rows), [list(found[k:k + d]) for k in range(0, len(found), d)])
            converted += 1
        self.assertGreater(converted, 10)

    def test_c99(self):
        firmware = Firmware(self.folder, self.all)
        self.compare_floats(firmware, 2000)
        self.compare_integers(firmware, 1000)
        self.compare_inputs(firmware, 500)

    def test_other_compilers_and_levels(self):
        ways = (("g++", "-x", "c++", "-std=c++11"), ("-O1", "-DMARGIN_STATIC")), (("clang", "-std=c99"), ("-Os", "-DMARGIN_STATIC"))  # `make bits` has all levels
        with ThreadPoolExecutor() as pool:
            made = [pool.submit(Firmware, self.folder, self.all, *way) for way in ways if has(way[0][0])]
        for firmware in (one.result() for one in made):
            self.compare_floats(firmware, 60)
            self.compare_integers(firmware, 30)

    def test_integers_say_what_floats_say(self):
        for m, q in self.integers:
            rows = quant.noted_rows(m)
            self.assertLessEqual(q.report.disagree, rows.n * (0.06 if q.form == "q7" else 0.01), (q.form, m.notes["options"]))
            self.assertEqual((q.report.rows, rows.n), (rows.n, len(m.sample())))

    def test_another_model_format_is_refused(self):
        path = os.path.join(self.folder, "refused.c")
        with open(os.path.join(self.folder, "model_0.h"), "w", encoding="ascii") as file:
            file.write(self.headers[0][1].replace("MARGIN_MODEL_FORMAT != 5", "MARGIN_MODEL_FORMAT != 3"))
        for flags, words in (([], "export it again"), (["-DMARGIN_REAL_DOUBLE"], "a model in float")):
            with open(path, "w", encoding="ascii") as file:
                file.write('#include "model_0.h"\n')
            run = subprocess.run(["cc", "-fsyntax-only", "-I" + ROOT, *flags, path], capture_output=True, text=True)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(words, run.stderr)

    def test_the_text_depends_on_the_model_alone(self):
        for m, (name, text, *_) in zip(self.models, self.headers):
            again = model.from_image(m.image, "elsewhere")
            self.assertEqual(export.header(again, name), text)
            self.assertNotIn(self.folder, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_models_without_notes_have_a_selftest_too(self):
        bare = [model.from_image(native_image(m), "bare") for m in self.models[3:9]]
        self.assertEqual(bare[0].labels, ["0", "1", "2", "3", "4"])
        headers = [(f"bare_{i}", export.header(m, f"bare_{i}"), "margin_real", "margin_real") for i, m in enumerate(bare)]
        firmware = Firmware(self.folder, headers)
        for i, m in enumerate(bare):
            firmware.run(i, inputs(m.machine.shape.d, 10, 1), m.machine.shape.machines)  # fails if the self-test does

    def test_a_wrong_table_fails_the_selftest(self):
        name, text, *types = self.headers[0]
        start = text.index("_w[") + text[text.index("_w["):].index("{") + 6
        broken = text[:start] + "1.5f, " + text[text.index(",", start) + 2:]
        firmware = Firmware(self.folder, [(name, broken, *types)])
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            firmware.run(0, [[0.0] * 5], 1)
        self.assertEqual(caught.exception.returncode, 3)


def native_image(m):
    """The image without its notes."""
    size = len(m.image) - len(model.write_notes(m.notes))
    head = bytearray(m.image[:size])
    head[8:12], head[56:60] = size.to_bytes(4, "little"), bytes(4)
    import zlib
    head[12:16] = zlib.crc32(bytes(head[:12] + head[16:])).to_bytes(4, "little")
    return bytes(head)


def whole_inputs(d, count, seed):
    """Rows of 16 bits: small, anywhere, and the ends of the range."""
    rng = random.Random(seed)
    ends = [-32768, 32767, 0, -1, 1, 32766, -32767]
    rows = [[rng.randint(-40, 40) for _ in range(d)] for _ in range(count)]
    rows += [[rng.randint(-32768, 32767) for _ in range(d)] for _ in range(count)]
    rows += [[rng.choice(ends) for _ in range(d)] for _ in range(count)]
    return rows + [[value] * d for value in ends]


class Command(CommandLine):
    def test_integer_formats(self):
        model_file = self.path("m.mgn")
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--calibrate", "--save", model_file, "--format",
                "q15", "-o", self.path("a.h"))
        for form in ("q15", "q7"):
            code, _, err = self.gen("export", model_file, "--format", form, "-o", self.path("b.h"), "--data", self.ring)
            self.assertEqual(code, 0, err)
            self.assertIn("beside the whole model in f32, on 160 rows: ", err)
            found = self.json("predict", model_file, self.ring, "--format", form)
            self.assertTrue(all(isinstance(score, int) for score in found["scores"]))
            plain = self.json("predict", model_file, self.ring)
            self.assertLessEqual(sum(a != b for a, b in zip(found["labels"], plain["labels"])), 3)
            for score, real in zip(found["scores"], plain["scores"]):
                self.assertLess(abs(score * found["unit"] - real), 0.1)
            for ours, theirs in zip(found["probabilities"], plain["probabilities"]):
                self.assertEqual(sum(ours), 1)
                self.assertTrue(all(abs(a - b) < 0.05 for a, b in zip(ours, theirs)))
        self.ok("export", model_file, "--format", "q15", "-o", self.path("b.h"), "--data", self.ring, "--name", "a")
        with open(self.path("a.h"), encoding="ascii") as a, open(self.path("b.h"), encoding="ascii") as b:
            self.assertEqual(a.read(), b.read())

    def test_predict_repeats_what_a_header_says(self):
        """Trained, exported and saved at once, within a budget or not: the saved model predicts the header's scores."""
        for more in (("--format", "q15"), ("--format", "q7", "--flash", "150"), ("--format", "f32", "--flash", "200")):
            with self.subTest(more=more):
                found = self.json("train", self.ring, "--method", "kmomd", "--kernel", "rbf", "--save", self.path("m.mgn"),
                                  "-o", self.path("gate.h"), "--force", *more)
                form = found["header"]["format"]
                answers = self.json("predict", self.path("m.mgn"), self.ring, "--format", form)
                with open(self.path("gate.h"), encoding="ascii") as file:
                    text = file.read()
                kinds = ("margin_real", "margin_real", "f", "f") if form == "f32" else ("int16_t", "int32_t", "h", "i")
                firmware = Firmware(self.folder, [("gate", text, *kinds[:2])])
                with open(self.ring, encoding="utf-8") as file:
                    rows = [list(map(float, line.split(",")[:2])) for line in file]
                rows = rows if form == "f32" else firmware.convert(0, rows)
                found = firmware.run(0, rows, 1, *kinds[2:])
                self.assertEqual([scores[0] for _, scores, _ in found], answers["scores"])
                self.assertEqual([("in", "out")[label] for label, *_ in found], answers["labels"])

    def test_export_saves_the_model_of_the_header(self):
        self.ok("train", self.ring, "--method", "kmomd", "--kernel", "rbf", "--save", self.path("m.mgn"))
        found = self.json("export", self.path("m.mgn"), "--flash", "300", "--format", "f32", "-o", self.path("x.h"), "--test",
                          self.ring, "--force", "--save", self.path("few.mgn"))
        self.assertEqual(self.json("info", self.path("few.mgn"))["vectors"], found["vectors"])
        self.assertLessEqual(found["bytes"], 300)
        self.assertEqual(found["cost"]["rows"], 160)
        self.assertEqual(self.json("predict", self.path("few.mgn"), self.ring)["error"], found["cost"]["error_after"])

    def test_expansions_of_the_linear_kernel_become_weights(self):
        m = trained(self.folder, *sets.gauss(d=3, classes=3, n=60), "svm", {"scale": "minmax"}, reject=0.25)
        vectors = [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0], [4.0, 0.0, 1.0]]
        linear = model.make(native.make(exchange.Classifier(
            m.labels, "one-one", 3, native.array("d", [0.5, -1, 2]), kernel={"kind": "rbf", "gamma": 1.0, "degree": 0, "coef0": 0},
            vectors=exchange.flat(vectors), class_sizes=[1, 1, 1], coef=exchange.flat([[1, -2], [3, 0.5], [-1, 2]]))), m.notes)
        linear.machine.numbers["kernel"] = 0  # no trainer makes such a model, C programs may
        folded = compress.folded(linear)
        self.assertTrue(folded.machine.shape.linear)
        x = [0.25, -3.0, 2.0]
        dot = [sum(a * b for a, b in zip(v, x)) for v in vectors]
        by_hand = [dot[0] + 3 * dot[1] + 0.5, -2 * dot[0] - dot[2] - 1, 0.5 * dot[1] + 2 * dot[2] + 2]
        self.assertEqual(folded.machine.scores([x]), [by_hand])

    def test_a_fit_from_chosen_vectors_is_that_from_all(self):
        """Coefficients fitted for some error of kernel values do not ask where the vectors were chosen: least squares to a
        function of their span is least squares to what that is the best fit of."""
        m = trained(self.folder, *sets.gauss(d=3, classes=3, n=90), "svm", {"kernel": "rbf", "C": 10.0, "scheme": "one-rest"})
        rows = quant.noted_rows(m)
        few = compress.fewer(m, 12, 0.0, rows)
        for noise in (1e-4, 1e-2):
            once, twice = (compress.fewer(start, 12, noise, rows).machine for start in (m, few))
            self.assertEqual(list(once.array("vectors")), list(twice.array("vectors")))
            for a, b in zip(once.array("coef"), twice.array("coef")):
                self.assertAlmostEqual(a, b, delta=1e-6 * (1 + abs(a)))

    def table_bytes(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return int(file.read().split("_TABLE_BYTES ")[1].split()[0])

    def test_a_budget_of_flash(self):
        """A tenth of the tables: within the budget, few labels change, and what was tried is said."""
        model_file = self.path("m.mgn")
        self.ok("train", self.ring, "--method", "kmomd", "--kernel", "rbf", "--lambda", "0.9", "--save", model_file, "-o",
                self.path("all.h"))
        whole = self.table_bytes("all.h")
        for budget in (whole, whole // 2, whole // 10):
            for form in (None, "f32", "q15", "q7"):
                with self.subTest(budget=budget, form=form):
                    more = ["--format", form] if form else []
                    code, _, err = self.gen("export", model_file, "-o", self.path("few.h"), "--flash", budget, "--data",
                                            self.ring, "--force", *more)
                    self.assertEqual(code, 0, err)
                    self.assertLessEqual(self.table_bytes("few.h"), budget)
                    self.assertIn("labels change", err)
                    self.assertRegex(err, r"; error [0-9.]+ %, before [0-9.]+ %")
        self.assertIn("compressed from 160 vectors", open(self.path("few.h"), encoding="ascii").read())
        self.ok("export", model_file, "-o", self.path("few.h"), "--flash", whole // 10, "--force")  # by the notes alone

    def test_a_budget_is_kept_where_fitted_coefficients_need_a_table_more(self):
        """Which tables an integer model has depends on its coefficients: with fewer vectors there can be one more."""
        rng, lines = random.Random(15), []
        for i in range(84):
            values = (f"{rng.gauss(i % 3 * (1 + j % 2), 0.4 + 0.2 * j):.1f}" for j in range(4))
            lines.append(",".join(values) + f",{i % 3}\n")
        path = self.write("order.csv", "".join(lines))
        self.ok("train", path, "--method", "lssvm", "--kernel", "rbf", "--gamma", "0.02", "--targets", "classes", "--save", self.path("m.mgn"))
        for budget in (200, 220, 340):
            with self.subTest(budget=budget):
                self.ok("export", self.path("m.mgn"), "--format", "q7", "--flash", budget, "--data", path, "--force", "-o", self.path("few.h"))
                self.assertLessEqual(self.table_bytes("few.h"), budget)

    def test_train_within_a_budget(self):
        found = self.json("train", self.ring, "--method", "svm", "--kernel", "rbf", "-o", self.path("few.h"), "--flash", 200,
                          "--force")
        self.assertLess(found["train_error"], 0.2)
        self.assertLessEqual(self.table_bytes("few.h"), 200)

    def test_budgets_that_cannot_be_kept(self):
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--save", self.path("m.mgn"))
        self.fails(1, "no model within 20 bytes: f32 needs at least 44 bytes; q15 needs at least", "export",
                   self.path("m.mgn"), "-o", self.path("x.h"), "--flash", 20)
        self.ok("train", self.two, "--method", "svm", "--save", self.path("l.mgn"))
        self.fails(1, "f32 needs 20 bytes, and a linear model has nothing to leave out", "export", self.path("l.mgn"), "-o",
                   self.path("x.h"), "--flash", 4)
        self.fails(2, "--flash is about the header: -o is missing", "train", self.two, "--method", "svm", "--flash", 100)
        self.assertFalse(os.path.exists(self.path("x.h")))

    def test_models_that_know_no_data_want_some(self):
        path = self.write("m.json", '{"margin-exchange": 1, "labels": ["a", "b"], "scheme": "binary", "weights": [[1, 2]], '
                                    '"bias": [0]}')
        self.ok("import", path, "--save", self.path("m.mgn"))
        self.fails(1, "q15 needs data to choose its scales by: --data", "export", self.path("m.mgn"), "--format", "q15", "-o",
                   self.path("x.h"))
        self.ok("export", self.path("m.mgn"), "--format", "q15", "-o", self.path("x.h"), "--data", self.ring)

    def test_train_and_export_write_the_same_header(self):
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "-o", self.path("gate.h"), "--save", self.path("m.mgn"))
        self.ok("export", self.path("m.mgn"), "-o", self.path("again.h"), "--name", "gate")
        with open(self.path("gate.h"), encoding="ascii") as a, open(self.path("again.h"), encoding="ascii") as b:
            text = a.read()
            self.assertEqual(text, b.read())
        for part in ("gate_classify", "svm, rbf kernel", "training ", "sha256", "0 = in, 1 = out", "160 rows"):
            self.assertIn(part, text)

    def test_failures(self):
        self.ok("train", self.two, "--method", "svm", "--save", self.path("m.mgn"))
        self.fails(2, "--name 2x: not a name", "export", self.path("m.mgn"), "-o", self.path("x.h"), "--name", "2x")
        self.fails(2, "-o", "export", self.path("m.mgn"))
        self.fails(1, "no such folder", "export", self.path("m.mgn"), "-o", self.path("no/x.h"))
        self.fails(1, "none.mgn: cannot read", "export", self.path("none.mgn"), "-o", self.path("x.h"))
        self.assertFalse(os.path.exists(self.path("x.h")))


if __name__ == "__main__":
    unittest.main()
