"""Headers that stand alone (export --alone) on the emulated machines, the same bits as on the host for every kind and format;
other languages and levels of optimisation on the host. Writes how long they are, and their bytes on an ATmega328P."""
import os
import sys
import tempfile
import unittest

import sets
import test_alone
import test_export
import test_proto
import test_seco
from gen import alone, model, quant, wheel
from test_project import gen

ROOT = str(wheel.ROOT)
sys.path.append(os.path.join(ROOT, "ports"))
import targets  # noqa: E402: of ports/
from test_cmake import run  # noqa: E402

# One part of a program for each model: its self-test, and a hash of its scores on random inputs.
PART = """#include "%(name)s.h"
static uint32_t %(name)s_hash(void)
{
    uint32_t seed = 1, hash = 2166136261u;
    for (int i = 0; i < 24; i++) {
        %(x)s x[%(upper)s_FEATURES];
        %(s)s scores[%(upper)s_MACHINES];
        for (size_t k = 0; k < %(upper)s_FEATURES; k++) {
            seed = seed * 1664525u + 1013904223u;
            x[k] = %(value)s;
        }
        %(name)s_scores(x, scores);
        for (size_t j = 0; j < %(upper)s_MACHINES; j++) {
            union { %(s)s score; uint32_t word; } bits;
            bits.score = scores[j];
            hash = (hash ^ bits.word) * 16777619u;
        }
        hash = (hash ^ %(name)s_classify(x)) * 16777619u;
%(more)s    }
    return hash;
}
"""
CHANCES = """        %(p)s p[%(upper)s_CLASSES];
        %(name)s_probabilities(x, p);
        for (size_t c = 0; c < %(upper)s_CLASSES; c++) {
            union { %(p)s chance; uint32_t word; } bits = {0};
            bits.chance = p[c];
            hash = (hash ^ bits.%(word)s) * 16777619u;
        }
"""
VALUE = """        union { float value; uint32_t word; } told;
        told.value = (float)%(name)s_value(x);
        hash = (hash ^ told.word) * 16777619u;
"""
MAIN = """#include "port.h"
%(parts)s
int port_main(void)
{
%(calls)s    return 0;
}
"""
CALL = """    port_put_text("%(name)s ");
    port_put_number((uint32_t)%(name)s_selftest());
    port_put(' ');
    port_put_hex(%(name)s_hash());
    port_put('\\n');
"""


def commanded(folder, name, targets, *arguments):
    """A model as the command makes it, of labels that are no classes."""
    x, _ = sets.gauss(40, 3, 2, 7)
    data, saved = os.path.join(folder, f"{name}.csv"), os.path.join(folder, f"{name}.mgn")
    with open(data, "w", encoding="ascii") as file:
        file.write("".join(f"{','.join(map(repr, row))},{targets(row)}\n" for row in x))
    code, words = gen("train", data, "--method", *arguments, "--save", saved)
    assert code == 0, words
    return model.load(saved)


def representatives(folder):
    """A model for each piece of code, small enough for an AVR: names and models."""
    level = lambda row: min(2, max(0, round(sum(row) / 2 + 1)))
    two, three = sets.gauss(60, 4, 2, 3), sets.gauss(60, 4, 3, 4, 2)
    strips = test_seco.strips(120)
    made = {"linear": (*two, "svm", {}), "pairs": (*three, "svm", {"kernel": "rbf"}),
            "rbf": (*two, "svm", {"kernel": "rbf"}), "poly": (*three, "svm", {"kernel": "poly", "scheme": "one-rest"}),
            "unit_poly": (*two, "svm", {"kernel": "unit-poly", "a": 2.5}), "unit_exp": (*two, "svm", {"kernel": "unit-exp"}),
            "list": (*strips[:2], "seco", {"kernel": "rbf", "cheap": True}), "codebook": (*three, "lvq", {"models": 2}),
            "tangents": (*test_proto.digits(60, size=4), "tvq", {"tangents": 1}), "hinge": (*three, "compact", {"vectors": 6})}
    calibrated = {"chances": (*two, "svm", {"kernel": "rbf"}), "coupled": (*three, "svm", {}), "projected": (
        *three, "compact", {"vectors": 6, "rank": 2}), "picked": (*three, "compact", {"vectors": 6, "features": 2})}
    return {**{name: test_export.trained(folder, *of) for name, of in made.items()},
            **{name: test_export.trained(folder, *of, calibrate=True) for name, of in calibrated.items()},
            "number": commanded(folder, "number", lambda row: 3 * row[0] - row[1] * row[2], "svr", "--kernel", "rbf"),
            "one": commanded(folder, "one", lambda row: "normal", "oneclass", "--kernel", "rbf"),
            "ordinal": commanded(folder, "ordinal", level, "omam", "--calibrate"),
            "normalised": commanded(folder, "normalised", level, "omam", "--kernel", "rbf", "--normalised")}


class Ports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = os.path.join(ROOT, "build", "dist-check", "alone")
        os.makedirs(cls.place, exist_ok=True)
        cls.parts = {}
        with tempfile.TemporaryDirectory() as folder:
            for word, model in representatives(folder).items():
                for form in ("f32", "q15", "q7"):
                    name = f"{word}_{form}"
                    quantised = quant.Quantised(model, form) if form != "f32" else None
                    text = alone.header(model, name, quantised)
                    cls.parts[name] = cls.part(name, form == "f32", text)
        targets.build_counters()

    @classmethod
    def part(cls, name, real, text):
        with open(os.path.join(cls.place, name + ".h"), "w", encoding="ascii") as file:
            file.write(text)
        value = "(float)(int16_t)(seed >> 16) / 4096.0f" if real else "(int16_t)(seed >> 16)"
        words = {"name": name, "upper": name.upper(), "value": value, "x": "float" if real else "int16_t", "s": "float" if real else
                 "int32_t", "p": "float" if real else "uint16_t", "word": "word" if real else "chance"}
        words["more"] = (CHANCES if f"{name}_probabilities(" in text else "") % words + (VALUE if f"{name}_value(" in text else "") % words
        return PART % words, CALL % words, test_alone.code_lines(text), int(text.split("_TABLE_BYTES ")[1].split("u")[0])

    def run_on(self, target, names):
        """What a program with these models prints: name, self-test and hash of each."""
        path = f"build/dist-check/alone/{target.name}-{names[0]}.c"
        with open(os.path.join(ROOT, path), "w", encoding="ascii") as file:
            file.write(MAIN % {"parts": "".join(self.parts[name][0] for name in names),
                               "calls": "".join(self.parts[name][1] for name in names)})
        flags = [target.optimise, "-Ibuild/dist-check/alone", "-Wno-unused-function"]
        own = target.compile(path, f"alone-{names[0]}", flags)
        ran = target.execute(target.program([*target.start([target.optimise]), own], f"alone-{names[0]}"))
        self.assertEqual(ran.code, 0, ran.text)
        return [line for line in ran.text.splitlines() if line.split(" ")[0] in names], own

    def test_all_machines_have_the_bits_of_the_host(self):
        names = list(self.parts)
        expected, _ = self.run_on(targets.HOSTS[0], names)
        self.assertEqual([line.split()[:2] for line in expected], [[name, "0"] for name in names])
        rows = [f"{'header':16}{'lines':>6}{'tables':>8}{'code on an ATmega328P':>24}"]
        for target in targets.TARGETS:
            if target.family != "avr":
                self.assertEqual(self.run_on(target, names)[0], expected, target.name)
                continue
            for name, line in zip(names, expected):
                found, program = self.run_on(target, [name])
                self.assertEqual(found, [line], target.name)
                if target.name != "atmega328p":
                    continue
                text = sum(int(row.split()[1]) for row in run("avr-size", "-A", os.path.join(ROOT, program)).splitlines()
                           if row.startswith(".text"))
                rows.append(f"{name:16}{self.parts[name][2]:6}{self.parts[name][3]:8}{text:24}")
        with open(os.path.join(ROOT, "build", "dist-check", "alone.txt"), "w", encoding="ascii") as file:
            file.write("\n".join(rows) + "\n")


class Compilers(unittest.TestCase):
    """All models of test_alone in other languages and levels: a compiler that may fuse by its own default included."""

    def test_other_compilers_give_the_same_bits(self):
        test_alone.Bits.setUpClass()
        self.addCleanup(test_alone.Bits.doClassCleanups)
        bits = test_alone.Bits()
        for compiler, flags, count in ((("cc", "-std=gnu11"), ("-O3", "-march=native"), 40), (("g++", "-x", "c++", "-std=c++17"), ("-O0",), 20),
                                       (("clang", "-std=c11"), ("-Os",), 20)):
            with self.subTest(compiler=compiler):
                bits.compare(test_alone.Alone(bits.folder, bits.all, compiler, flags), count)


if __name__ == "__main__":
    unittest.main()
