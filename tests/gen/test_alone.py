"""Headers that need nothing else (export --alone): the same bits as the library for every kind, kernel, scheme and format, no
warning in any language, and no symbol but their own."""
import os
import re
import subprocess
import tempfile
import unittest

import firmware
import sets
import test_export
import test_proto
import test_seco
from gen import alone, export, model, native, options, quant
from test_export import bits, inputs, whole_inputs
from test_project import gen

WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wdouble-promotion", "-Wshadow", "-Wcast-align",
        "-Wvla", "-Wundef", "-Werror"]
LIBSVM = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 6
rho 0.1 -0.2 0.3
label 1 2 3
nr_sv 2 2 2
SV
0.7 0.5 1:0.5 2:1
0.3 0.6 1:-0.5 2:0.25 3:1
-0.4 0.2 1:1 3:-1
-0.6 0.9 2:1.5
-0.3 -0.1 1:0.1 2:0.2 3:0.3
-0.8 -1 1:-1 2:-1 3:-1
"""


def ordinals(folder):
    """Classes in order, linear and by a kernel, and a ranker of numbers."""
    x, _ = sets.gauss(90, 3, 2, 5)
    steps = [sum(row) for row in x]
    names = {"levels": [min(3, max(0, round(s / 2 + 2))) for s in steps], "numbers": steps}
    found = []
    for name, method, kernel in (("levels", "omam", "linear"), ("levels", "lssvm", "rbf"), ("numbers", "lssvm", "poly")):
        data, saved = os.path.join(folder, f"{name}.csv"), os.path.join(folder, "ordinal.mgn")
        with open(data, "w", encoding="utf-8") as file:
            file.write("".join(f"{','.join(map(repr, row))},{y}\n" for row, y in zip(x, names[name])))
        code, words = gen("train", data, "--method", method, "--kernel", kernel, "--save", saved)
        assert code == 0, words
        found.append(model.load(saved))
    return found


def newer(folder):
    """Numbers, one class, and ranks whose scores are divided by the sum of kernel values: by the command that makes them."""
    x, y = sets.gauss(90, 3, 2, 7)
    targets = {"numbers": [3 * a - b * c for a, b, c in x], "levels": [min(2, max(0, round(sum(row) / 2 + 1))) for row in x], "states": y}
    found = []
    for name, arguments in (("numbers", ("svr",)), ("numbers", ("svr", "--kernel", "rbf", "--outside", "0.2")),
                            ("numbers", ("svr", "--kernel", "poly", "--squares")), ("states", ("oneclass", "--kernel", "rbf", "--normal", "1")),
                            ("states", ("oneclass", "--normal", "0", "--scale", "minmax")),
                            ("levels", ("omam", "--kernel", "rbf", "--normalised")),
                            ("levels", ("omam", "--kernel", "rbf", "--normalised", "--calibrate", "--coverage", "0.8"))):
        data, saved = os.path.join(folder, "newer.csv"), os.path.join(folder, "newer.mgn")
        with open(data, "w", encoding="utf-8") as file:
            file.write("".join(f"{','.join(map(repr, row))},{y}\n" for row, y in zip(x, targets[name])))
        code, words = gen("train", data, "--method", *arguments, "--save", saved)
        assert code == 0, words
        found.append(model.load(saved))
    return found


def imported(folder):
    """Votes by LIBSVM's rule."""
    text, saved = os.path.join(folder, "libsvm.model"), os.path.join(folder, "libsvm.mgn")
    with open(text, "w", encoding="ascii") as file:
        file.write(LIBSVM)
    code, words = gen("import", text, "--save", saved)
    assert code == 0, words
    return [model.load(saved)]


def kernels(folder):
    """Parameters that change the code: powers that are not whole, unit-exp with its limit and on both sides of 1."""
    found = []
    for kernel, a in (("unit-poly", 2.5), ("unit-poly", 0.7), ("unit-poly", 300.0), ("unit-exp", 1.0), ("unit-exp", 0.3),
                      ("unit-exp", 20.0)):
        x, y = sets.gauss(60, 5, 3, 4, 2)
        found.append(test_export.trained(folder, x, y, "svm", {"kernel": kernel, "a": a}, None, 0.02, calibrate=a == 2.5))
    x, y = sets.gauss(60, 3, 2, 6)
    found.append(test_export.trained(folder, x, y, "svm", {"kernel": "poly", "degree": 5}, calibrate=True))
    return found


def prototypes(folder):
    found = []
    for i, (method, chosen) in enumerate((
            ("tvq", {"tangents": 2}), ("tvq", {"tangents": 0, "models": 2}), ("hss", {"tangents": 3, "scale": "none"}),
            ("lvq", {"models": 3, "scale": "none"}), ("nn", {"scale": "none"}), ("nn", {"neighbours": 3, "budget": 40}))):
        x, y = test_proto.digits(90) if i % 2 == 0 else sets.gauss(90, 6, 4, i, 2)
        found.append(test_export.trained(folder, x, y, method, chosen, None, 0.1 * (i % 3 == 0), calibrate=i < 2))
    x, y = sets.gauss(60, 6, 2, 3, 2)
    return found + [test_export.trained(folder, x, y, "lvq", {"models": 2}, calibrate=True)]


def lists(folder):
    x, y, names = test_seco.strips()
    return [test_export.trained(folder, x, y, "seco", {"kernel": kernel, "cheap": True, **(
        {"a": 1.0} if kernel == "unit-poly" else {})}, names, 0.01, calibrate=kernel == "rbf") for kernel in options.KERNELS[:5]]


def compact(folder):
    """Learned vectors, hinge units and rbf, two classes and more."""
    return [test_export.trained(folder, *sets.gauss(80, 4, classes, 8, 2), "compact", {"vectors": 6, "kernel": kernel, **rank}, None,
                                0.02 * (classes > 2), calibrate=kernel == "hinge")
            for classes in (2, 3) for kernel in ("hinge", "rbf") for rank in ({}, {"rank": 2}, *([{"features": 3}] if kernel == "hinge" else []))]


def every_model(folder):
    return [*test_export.models(folder), *kernels(folder), *prototypes(folder), *lists(folder), *ordinals(folder),
            *imported(folder), *compact(folder), *newer(folder)]


class Alone(firmware.Firmware):
    """A program with headers that stand alone: (name, text, input type, score type)."""

    def __init__(self, folder, models, compiler=("cc", "-std=c99"), flags=("-O0",)):
        self.folder, self.models = tempfile.mkdtemp(dir=folder), models
        cases = [(i, name, x, s) for i, (name, _, x, s) in enumerate(models)]
        parts = {
            "includes": "\n".join(f'#include "{name}.h"' for name, *_ in models),
            "runs": "\n".join(f"    case {i}: {name}_scores((const {x} *)x, ({s} *)scores); "
                              f"return {name}_classify((const {x} *)x);" for i, name, x, s in cases),
            "chances": firmware.chances(cases, models),
            "converts": "\n".join(f"    case {i}: {name}_input(raw, (int16_t *)x); return 1;"
                                  for i, name, *_ in cases if f"{name}_input(" in models[i][1]),
            "tests": "\n".join(f"    case {i}: return {name}_selftest();" for i, name, *_ in cases)}
        for name, text, *_ in models:
            self.write(name + ".h", text)
        device = re.sub(r'(?s)^.*?#include "margin.h"\n', "", firmware.DEVICE) % parts
        device, host = self.write("device.c", device), self.write("host.c", firmware.HOST)
        self.program = os.path.join(self.folder, "firmware")
        subprocess.run([*compiler, *flags, *WARN, "-ffreestanding", "-I" + self.folder, "-c", device, "-o",
                        self.program + ".o"], check=True)
        subprocess.run(["cc", "-O0", host, self.program + ".o", "-o", self.program], check=True)


def code_lines(text):
    """Lines of C that are not empty, without the numbers of tables."""
    code = re.sub(r"(?ms)^static const [^;]*?\};\n|^/\* In C\+\+: .*?^#endif\n", "", text)
    return len([line for line in code.splitlines() if line.strip()])


class Bits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.models = folder.name, every_model(folder.name)
        cls.integers = [(m, quant.Quantised(m, form, None if m.sample() else quant.rows_of([[1.0, -1.0, 0.5], [-1.0, 1.0, 0.0]])))
                        for m in cls.models for form in ("q15", "q7")]
        cls.all = [(f"real_{i}", alone.header(m, f"real_{i}"), "float", "float") for i, m in enumerate(cls.models)]
        cls.all += [(f"whole_{i}", alone.header(m, f"whole_{i}", q), "int16_t", "int32_t")
                    for i, (m, q) in enumerate(cls.integers)]

    def compare(self, program, count):
        for i, m in enumerate(self.models):
            rows = inputs(m.machine.shape.d, count, i)
            found, table = program.run(i, rows, m.machine.shape.machines), quant.rows_of(rows)
            self.assertEqual([bits(scores) for _, scores, _ in found], [bits(s) for s in m.machine.scores(rows)], self.all[i][1][:99])
            self.assertEqual([label for label, *_ in found], list(m.machine.predict(table)[0]), self.all[i][1][:99])
            chances = firmware.in_turn(m.machine.probabilities(table)) if m.machine.calibrated else [-1.0] * len(rows)
            self.assertEqual(bits(p for *_, p in found), bits(chances), self.all[i][1][:99])
        for i, (m, q) in enumerate(self.integers):
            rows, at = whole_inputs(m.machine.shape.d, count, i), len(self.models) + i
            flat = native.array("h", (v for row in rows for v in row))
            found = program.run(at, rows, m.machine.shape.machines, "h", "i")
            labels, _, chances = q.predict(flat)
            self.assertEqual([(label, scores) for label, scores, _ in found], list(zip(labels, q.scores(flat))), self.all[at][1][:99])
            chances = [float(p) for p in firmware.in_turn(chances)] if m.machine.calibrated else [-1.0] * len(rows)
            self.assertEqual([p for *_, p in found], chances, self.all[at][1][:99])
            if not q.whole:
                raw, d = inputs(m.machine.shape.d, 30, i), m.machine.shape.d
                made = q.inputs(quant.rows_of(raw))
                self.assertEqual(program.convert(at, raw), [list(made[k:k + d]) for k in range(0, len(made), d)])

    def test_all_models_have_the_bits_of_the_library(self):
        self.compare(Alone(self.folder, self.all), 60)

    def test_no_symbol_but_their_own(self):
        wanted = ("real_0", "real_10", "real_35", "whole_4", "whole_24", "whole_60", "whole_78")
        for name, text, x, s in (one for one in self.all if one[0] in wanted):
            source = os.path.join(self.folder, "symbols.c")
            with open(os.path.join(self.folder, name + ".h"), "w", encoding="ascii") as file:
                file.write(text)
            with open(source, "w", encoding="ascii") as file:
                file.write(f'#include "{name}.h"\nint answer(const {x} *x);\nint answer(const {x} *x)\n{{\n    return {name}_classify(x) + '
                           f"{name}_selftest();\n}}\n")
            subprocess.run(["cc", "-std=c99", "-Os", "-ffreestanding", "-fno-stack-protector", *WARN, "-c", source, "-o",
                            source + ".o"], check=True)
            names = subprocess.run(["nm", source + ".o"], capture_output=True, text=True, check=True).stdout
            for line in names.splitlines():
                kind, symbol = line.split()[-2:]
                self.assertTrue(symbol.startswith((name, ".LC")) or symbol in ("answer", "memset", "memcpy"), line)
                self.assertIn(kind, "TtRrU", line)  # no data that is written
            self.assertEqual(set(re.findall(r"#include (\S+)", text)), {"<stddef.h>", "<stdint.h>", "<avr/pgmspace.h>"} | (
                {"<float.h>"} if x == "float" else set()))
            self.assertNotRegex(text, r"margin\.h|margin_[a-z]|mgn_")

    def test_they_are_short_and_have_the_functions_of_others(self):
        counts = []
        for (name, text, *_), (m, q) in zip(self.all, [(m, None) for m in self.models] + self.integers):
            counts.append(code_lines(text))
            usual = export.header(m, name, q)
            functions = set(re.findall(rf"\b({name}_\w+)\(", usual)) - {f"{name}_find"}
            self.assertLessEqual(functions, set(re.findall(rf"\b({name}_\w+)\(", text)))
        # With what reads tables on an AVR, the comment at the top and the self-test. Powers that are not whole, and probabilities
        # of pairs of classes, are what is long.
        short = [count for count, (m, q) in zip(counts, [(m, None) for m in self.models] + self.integers)
                 if not m.machine.calibrated and not (q is None and "unit-poly" in export.training_words(m.notes))]
        self.assertGreaterEqual(min(counts), 60)
        self.assertLessEqual(max(short), 250)
        self.assertLessEqual(sorted(counts)[len(counts) // 2], 210)
        self.assertLessEqual(max(counts), 390)

    def test_the_same_model_gives_the_same_text(self):
        self.assertEqual(alone.header(self.models[7], "x"), alone.header(self.models[7], "x"))

    def test_tables_are_not_larger_than_those_for_the_library(self):
        for (name, text, *_), (m, q) in zip(self.all, [(m, None) for m in self.models] + self.integers):
            own = int(re.search(r"_TABLE_BYTES (\d+)", text)[1])
            with_input = 8 * m.machine.shape.d if q and q.input_scaling() else 0
            self.assertLessEqual(own - with_input, export.noted_body(m, q, None).bytes, name)


CXX = """#include <array>
%(include)s
#include "gate.h"
int main()
{
    std::array<%(x)s, %(d)d> x = {{%(row)s}};
    const %(x)s plain[Gate::features] = {%(row)s};
    std::array<%(s)s, Gate::machines> scores;
    Gate::scores(x, scores);
    return Gate::selftest() == 0 && Gate::classify(x) == gate_classify(plain) && Gate::classify(plain) == %(label)d &&
                   Gate::label(%(label)d) == gate_labels[%(label)d] ? 0 : 1;
}
"""


class Cxx(unittest.TestCase):
    def test_the_class_takes_arrays_and_checks_their_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            x, y = sets.gauss(60, 3, 3, 4, 2)
            m = test_export.trained(folder, x, y, "svm", {"kernel": "rbf"})
            for form in (None, "q15"):
                q = quant.Quantised(m, form) if form else None
                row = [int(v) for v in q.inputs(quant.rows_of([x[0]]))] if q else x[0]
                label = (q.predict(native.array("h", row))[0] if q else m.machine.predict(quant.rows_of([x[0]]))[0])[0]
                for make, real, include in ((export, "margin_real", '#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY'
                                             '\n#include "margin.h"'), (alone, "float", "")):
                    words = {"include": include, "d": 3, "x": "int16_t" if q else real, "s": "int32_t" if q else real,
                             "row": ", ".join(map(str, row) if q else (f"{v!r}f" for v in row)), "label": label}
                    with open(os.path.join(folder, "gate.h"), "w", encoding="ascii") as file:
                        file.write(make.header(m, "gate", q))
                    self.assertEqual(self.compile(folder, CXX % words), "")
                    self.assertEqual(subprocess.run([os.path.join(folder, "main")]).returncode, 0)
                    self.assertIn("Gate takes GATE_FEATURES values", self.compile(folder, CXX % {**words, "d": 4}))

    def test_the_class_tells_probabilities_and_values(self):
        """The same as the functions of C."""
        check = """#include <array>
%(include)s
#include "gate.h"
int main()
{
    const std::array<%(x)s, 3> x = {{%(row)s}};
    %(p)s
    return %(same)s ? 0 : 1;
}
"""
        with tempfile.TemporaryDirectory() as folder:
            x, y = sets.gauss(60, 3, 3, 4, 2)
            chances, (value, *_) = test_export.trained(folder, x, y, "svm", {"kernel": "rbf"}, calibrate=True), newer(folder)
            for m, form, make in ((m, form, make) for m in (chances, value) for form in (None, "q15") for make in (export, alone)):
                q, real = quant.Quantised(m, form) if form else None, "margin_real" if make is export else "float"
                chance = "uint16_t" if q else real
                words = {"include": "#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY" if make is export else "",
                         "x": "int16_t" if q else real, "p": "", "same": "Gate::value(x) == gate_value(x.data()) && Gate::value(x) != 0",
                         "row": ", ".join(map(str, q.inputs(quant.rows_of([x[0]]))) if q else (f"{v!r}f" for v in x[0]))}
                if m is chances:
                    words.update(p=f"std::array<{chance}, Gate::classes> p;\n    {chance} own[3];\n    Gate::probabilities(x, p);\n"
                                 "    gate_probabilities(x.data(), own);", same="p[0] == own[0] && p[1] == own[1] && p[2] == own[2] && p[0] > 0")
                with open(os.path.join(folder, "gate.h"), "w", encoding="ascii") as file:
                    file.write(make.header(m, "gate", q))
                self.assertEqual(self.compile(folder, check % words), "")
                self.assertEqual(subprocess.run([os.path.join(folder, "main")]).returncode, 0, words)

    def compile(self, folder, text):
        with open(os.path.join(folder, "main.cpp"), "w", encoding="ascii") as file:
            file.write(text)
        return subprocess.run(["g++", *firmware.ALONE[1:], "-std=c++11", *WARN, "-I" + firmware.ROOT, "-I" + folder, os.path.join(folder, "main.cpp"),
                               "-o", os.path.join(folder, "main")], capture_output=True, text=True).stderr


if __name__ == "__main__":
    unittest.main()
