"""Exported headers: the same bits as gen predicts, in C and C++, on ordinary, extreme and absurd inputs."""
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest

import sets
from firmware import ROOT, Firmware, has
from gen import export, model, native, options, quant, train
from gen.cspell import to_single
from gen.data import read
from test_cli import CommandLine


def trained(folder, x, y, method, chosen, names=None, reject=0.0):
    """A model for the device, as `gen train` makes it."""
    path = os.path.join(folder, "data.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(sets.csv(x, y, names))
    problem = train.problem_of(read(path), None)
    fitted = train.fit(problem, method, chosen)
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


class Bits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.models = folder.name, []
        two, ring, many = sets.gauss(), sets.ring(), sets.gauss(n=200, classes=4, gap=2, d=5)
        for kernel in options.KERNELS:
            cls.models.append(trained(cls.folder, *(two if kernel == "linear" else ring), "svm", {"kernel": kernel}))
            for scheme in options.SCHEMES:
                chosen = {"kernel": kernel, "scheme": scheme, "scale": "minmax" if kernel == "poly" else "none"}
                cls.models.append(trained(cls.folder, *many, "kmomd", chosen, ["a", "b b", 'c"', "\\d?*/"]))
        for chosen in ({}, {"kernel": "rbf", "gamma": 2.0}):  # closed form, many vectors; and models that reject
            cls.models.append(trained(cls.folder, *ring, "mam", chosen, reject=0.1))
            cls.models.append(trained(cls.folder, *many, "mam", chosen, reject=0.1))
        cls.headers = [(f"model_{i}", export.header(m, f"model_{i}"), "margin_real", "margin_real")
                       for i, m in enumerate(cls.models)]

    def compare(self, compiler, flags, count):
        firmware = Firmware(self.folder, self.headers, compiler, flags)
        for i, m in enumerate(self.models):
            shape = m.machine.shape
            rows = inputs(shape.d, count, i)
            expected = [bits(scores) for scores in m.machine.scores(rows)]
            found = firmware.run(i, rows, shape.machines)
            self.assertEqual([bits(scores) for _, scores in found], expected, (i, compiler, flags))
            flat = native.array("d", (v for row in rows for v in row))
            data = native.Data("", len(rows), shape.d, native.ctypes.cast(native.address(flat), native.ctypes.POINTER(
                native.DOUBLE)), None, None, owner=flat)
            self.assertEqual([label for label, _ in found], list(m.machine.predict(native.Rows(data, None, 0))[0]), i)

    def test_c99(self):
        self.compare(("cc", "-std=c99"), ("-O2",), 2000)

    def test_other_compilers_and_levels(self):
        compilers = [("g++", "-x", "c++", "-std=c++11")] if has("g++") else []
        compilers += [("clang", "-std=c99")] if has("clang") else []
        for compiler in compilers:
            self.compare(compiler, ("-O0",), 100)
        self.compare(("cc", "-std=c99"), ("-O3", "-march=native"), 100)
        self.compare(("cc", "-std=c99"), ("-Os",), 100)

    def test_another_model_format_is_refused(self):
        path = os.path.join(self.folder, "refused.c")
        with open(os.path.join(self.folder, "model_0.h"), "w", encoding="ascii") as file:
            file.write(self.headers[0][1].replace("MARGIN_MODEL_FORMAT != 1", "MARGIN_MODEL_FORMAT != 2"))
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
        bare = [model.from_image(native_image(m), "bare") for m in self.models[:4]]
        self.assertEqual(bare[1].labels, ["0", "1", "2", "3"])
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
            firmware.run(0, [[0.0] * 4], 1)
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


class IntegerBits(unittest.TestCase):
    """q15 and q7: the same integers from firmware as from gen, on any input whatever."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.models, cls.headers = folder.name, [], []
        for x, y in (sets.ring(), sets.gauss(n=200, classes=4, gap=2, d=5)):
            counts = [[round(100 * v) for v in row] for row in x]  # as a converter would have them
            for kernel in ("linear", "rbf"):
                for rows, scale in ((x, "none"), (counts, "standard")):
                    chosen = {"kernel": kernel, "gamma": 0.5, "scale": scale}
                    m = trained(cls.folder, rows, y, "svm", chosen, reject=0.05)
                    for form in ("q15", "q7"):
                        cls.models.append((m, quant.Quantised(m, form)))
        for i, (m, q) in enumerate(cls.models):
            cls.headers.append((f"model_{i}", export.header(m, f"model_{i}", q), "int16_t", "int32_t"))

    def test_firmware_agrees_to_the_bit(self):
        for compiler, flags, count in ((("cc", "-std=c99"), ("-O2",), 1000), (("cc", "-std=c99"), ("-O0",), 100),
                                       (("g++", "-x", "c++", "-std=c++11"), ("-O1",), 100)):
            if not has(compiler[0]):
                continue
            firmware = Firmware(self.folder, self.headers, compiler, flags)
            for i, (m, q) in enumerate(self.models):
                rows = whole_inputs(m.machine.shape.d, count, i)
                flat = native.array("h", (v for row in rows for v in row))
                expected = list(zip(q.predict(flat)[0], q.scores(flat)))
                self.assertEqual(firmware.run(i, rows, m.machine.shape.machines, "h", "i"), expected, (i, q.form, compiler))

    def test_raw_values_become_the_same_integers(self):
        firmware = Firmware(self.folder, self.headers)
        converted = 0
        for i, (m, q) in enumerate(self.models):
            if q.whole:
                self.assertIsNone(q.input_scaling())
                continue
            rows = inputs(m.machine.shape.d, 500, i)
            d, found = m.machine.shape.d, q.inputs(quant.rows_of(rows))
            self.assertEqual(firmware.convert(i, rows), [list(found[k:k + d]) for k in range(0, len(found), d)])
            converted += 1
        self.assertEqual(converted, 8)

    def test_integers_say_what_floats_say(self):
        for m, q in self.models:
            rows = quant.rows_of(m.sample())
            floats, integers = m.machine.predict(rows)[0], q.predict(q.inputs(rows))[0]
            differ = sum(a != b for a, b in zip(floats, integers))
            self.assertLessEqual(differ, 3 if q.form == "q7" else 1, q.form)
            self.assertEqual(q.report.rows, 66)


class Command(CommandLine):
    def test_integer_formats(self):
        model_file = self.path("m.mgn")
        self.ok("train", self.ring, "--method", "svm", "--kernel", "rbf", "--calibrate", "--save", model_file, "--format",
                "q15", "-o", self.path("a.h"))
        for form in ("q15", "q7"):
            code, _, err = self.gen("export", model_file, "--format", form, "-o", self.path("b.h"), "--data", self.ring)
            self.assertEqual(code, 0, err)
            self.assertIn(f"{form} beside float, on 160 rows: ", err)
            found = self.json("predict", model_file, self.ring, "--format", form)
            self.assertTrue(all(isinstance(score, int) for score in found["scores"]))
            plain = self.json("predict", model_file, self.ring)
            self.assertLessEqual(sum(a != b for a, b in zip(found["labels"], plain["labels"])), 3)
            for score, real in zip(found["scores"], plain["scores"]):
                self.assertLess(abs(score * found["unit"] - real), 0.1)
            self.assertTrue(all(abs(a - b) < 0.05 for a, b in zip(found["probabilities"], plain["probabilities"])))
        self.ok("export", model_file, "--format", "q15", "-o", self.path("b.h"), "--data", self.ring, "--name", "a")
        with open(self.path("a.h"), encoding="ascii") as a, open(self.path("b.h"), encoding="ascii") as b:
            self.assertEqual(a.read(), b.read())

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
                                            self.ring, *more)
                    self.assertEqual(code, 0, err)
                    self.assertLessEqual(self.table_bytes("few.h"), budget)
                    self.assertIn("labels change", err)
                    self.assertIn("error before", err)
                    self.assertIn("error after", err)
        self.assertIn("compressed from 160 vectors", open(self.path("few.h"), encoding="ascii").read())
        self.ok("export", model_file, "-o", self.path("few.h"), "--flash", whole // 10)  # by the notes alone

    def test_train_within_a_budget(self):
        found = self.json("train", self.ring, "--method", "svm", "--kernel", "rbf", "-o", self.path("few.h"), "--flash", 200)
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
