"""Projects around a model (export --as): whole or not at all, and their programs compile. Their toolchains run them in
tests/dist."""
import contextlib
import io
import os
import subprocess
import tempfile
import unittest

import sets
from firmware import ALONE
from gen import cli, project

WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Headers of ESP-IDF and Zephyr, as far as the programs take them.
STAND_INS = {"freertos/FreeRTOS.h": "#define pdMS_TO_TICKS(ms) (ms)\nvoid app_main(void);\n",
             "freertos/task.h": "void vTaskDelay(unsigned ticks);\n",
             "zephyr/kernel.h": "int k_msleep(int ms);\n",
             "zephyr/sys/printk.h": "void printk(const char *format, ...);\n"}

# The part of Arduino.h that sketches take.
ARDUINO = """#include <stdint.h>
#define F(text) text
struct Stream {
    void begin(long) {}
    template <typename T> void print(T) {}
    template <typename T> void println(T) {}
    void println() {}
};
static Stream Serial;
static inline void delay(int) {}
void setup();
void loop();
"""


def gen(*arguments):
    """Exit code and the words of a run of the command line."""
    words = io.StringIO()
    with contextlib.redirect_stderr(words):
        code = cli.main([str(argument) for argument in arguments])
    return code, words.getvalue()


class Project(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        data = cls.path("data.csv")
        with open(data, "w", encoding="utf-8") as file:
            file.write(sets.csv(*sets.gauss()))
        cls.model = cls.path("gate.mgn")
        assert gen("train", data, "--method", "svm", "--kernel", "rbf", "--save", cls.model)[0] == 0

    @classmethod
    def path(cls, *parts):
        return os.path.join(cls.folder, *parts)

    def make(self, toolchain, *options):
        place = os.path.join(tempfile.mkdtemp(dir=self.folder), "Try")
        code, words = gen("export", self.model, "--as", toolchain, place, *options)
        self.assertEqual(code, 0, words)
        self.assertIn("read_sensors()", words)
        return place

    def test_every_toolchain_gets_model_headers_and_main(self):
        for toolchain, main in (("arduino", "Try.ino"), ("platformio", "src/main.cpp"), ("esp-idf", "main/main.c"),
                                ("zephyr", "src/main.c"), ("cmake", "main.c")):
            place = self.make(toolchain)
            names = [name for _, _, files in os.walk(place) for name in files]
            for name in ("gate.h", "margin.h", "margin_impl.h"):
                self.assertEqual(names.count(name), 1, f"{toolchain} {name}")
            with open(os.path.join(place, main), encoding="ascii") as file:
                text = file.read()
            for needed in ("read_sensors(", "gate_classify(", "gate_scores(", "gate_selftest()", '#include "gate.h"'):
                self.assertIn(needed, text)
            self.assertNotIn(".gen-", " ".join(os.listdir(os.path.dirname(place))))
            self.assertEqual(os.stat(place).st_mode & 0o700, 0o700)

    def test_the_program_of_cmake_runs_in_every_format(self):
        answers = set()
        for form in ("f32", "q15", "q7"):
            place = self.make("cmake", "--format", form)
            program = os.path.join(place, "program")
            subprocess.run(["cc", *ALONE, *WARN, "-I" + os.path.join(place, "margin"),
                            os.path.join(place, "main.c"), "-o", program], check=True)
            said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
            self.assertRegex(said, r"^self-test 0\n\S+:( -?\d+)+( / 1000)?\n$")
            answers.add(said.splitlines()[1].split(":")[0])
        self.assertEqual(len(answers), 1)

    def test_every_kind_of_model_has_programs_that_answer(self):
        """The program of CMake runs; a sketch, in the next format, compiles."""
        x, y = sets.gauss(60, 3, 3, 4, 2)
        labels = {"classes": y, "numbers": [a - b * c for a, b, c in x], "states": [k > 0 for k in y]}
        for name, values in labels.items():
            with open(self.path(f"{name}.csv"), "w", encoding="utf-8") as file:
                file.write("".join(f"{','.join(map(repr, row))},{int(v) if name != 'numbers' else v}\n" for row, v in zip(x, values)))
        with open(self.path("Arduino.h"), "w", encoding="ascii") as file:
            file.write(ARDUINO)
        forms = ("f32", "q15", "q7")
        for i, (name, arguments, said) in enumerate((
                ("numbers", ("svr", "--kernel", "rbf"), r"value: -?\d+ / 1000"), ("numbers", ("svr",), r"value: -?\d+ / 1000"),
                ("states", ("oneclass", "--kernel", "rbf", "--normal", "1"), r"(1|anomaly): -?\d+"),
                ("classes", ("omam", "--kernel", "rbf", "--normalised"), r"[012]:( -?\d+)+"), ("states", ("seco", "--kernel", "linear"), r"[01]: -?\d+"),
                ("classes", ("tvq", "--calibrate"), r"[012]:( -?\d+)+"), ("classes", ("nn",), r"[012]:( -?\d+)+"),
                ("classes", ("compact", "--vectors", "4", "--rank", "2"), r"[012]:( -?\d+)+"))):
            code, words = gen("train", self.path(f"{name}.csv"), "--method", *arguments, "--save", self.model.replace("gate", "kind"))
            self.assertEqual(code, 0, words)
            place = tempfile.mkdtemp(dir=self.folder)
            for toolchain, form in (("cmake", forms[i % 3]), ("arduino", forms[(i + 1) % 3])):
                code, words = gen("export", self.path("kind.mgn"), "--as", toolchain, os.path.join(place, toolchain), "--format", form, "--force")
                self.assertEqual(code, 0, words)
            program = os.path.join(place, "program")
            subprocess.run(["cc", *ALONE, *WARN, "-I" + os.path.join(place, "cmake", "margin"),
                            os.path.join(place, "cmake", "main.c"), "-o", program], check=True)
            self.assertRegex(subprocess.run([program], capture_output=True, text=True, check=True).stdout, rf"^self-test 0\n{said}( / 1000)?\n$")
            subprocess.run(["g++", "-std=c++11", *WARN, "-I" + self.folder, "-I" + os.path.join(place, "arduino"), "-fsyntax-only", "-x", "c++",
                            os.path.join(place, "arduino", "arduino.ino")], check=True)

    def test_the_programs_of_esp_idf_and_zephyr_compile(self):
        for name, text in STAND_INS.items():
            os.makedirs(os.path.dirname(self.path("stand-ins", name)), exist_ok=True)
            with open(self.path("stand-ins", name), "w", encoding="ascii") as file:
                file.write(text)
        for toolchain, main, library in (("esp-idf", "main/main.c", "components/margin"), ("zephyr", "src/main.c", "modules/margin")):
            place = self.make(toolchain, "--format", "q15")
            subprocess.run(["cc", "-std=c99", *WARN, "-I" + self.path("stand-ins"), "-I" + os.path.join(place, library),
                            "-fsyntax-only", os.path.join(place, main)], check=True)

    def test_names_keep_clear_of_the_toolchains(self):
        place = self.make("arduino", "--name", "valve")
        self.assertIn("valve.h", os.listdir(place))
        self.assertEqual(project.name_for("Arduino.mgn"), "model_Arduino")

    def refused(self, code, text, *options):
        before = sorted(os.listdir(self.folder))
        found, words = gen("export", self.model, *options)
        self.assertEqual((found, words.count("\n")), (code, 1), words)
        self.assertIn(text, words)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_refusals_write_nothing(self):
        full, file = self.path("full"), self.path("a file")
        os.makedirs(os.path.join(full, "kept"), exist_ok=True)
        with open(file, "w", encoding="ascii"):
            pass
        self.refused(1, "not empty", "--as", "cmake", full)
        self.refused(1, "it is a file", "--as", "cmake", file)
        self.refused(1, "no such folder", "--as", "cmake", self.path("none", "below"))
        self.refused(2, "not one of arduino, platformio, esp-idf, zephyr, cmake", "--as", "mbed", self.path("new"))
        self.refused(2, "one or the other", "--as", "cmake", self.path("new"), "-o", self.path("x.h"))
        self.refused(2, "one or the other", "--as", "cmake", self.path("new"), "--alone")
        self.refused(2, "the folder gives the sketch its name", "--as", "arduino", self.path("my sketch"))
        self.refused(2, "where to?")

    def test_an_empty_folder_is_filled(self):
        place = self.path("empty")
        os.mkdir(place)
        self.assertEqual(gen("export", self.model, "--as", "zephyr", place)[0], 0)
        self.assertIn("prj.conf", os.listdir(place))

    def test_the_same_model_gives_the_same_project(self):
        texts = []
        for _ in range(2):
            place = self.make("esp-idf")
            texts.append({})
            for folder, _, files in os.walk(place):
                for name in files:
                    with open(os.path.join(folder, name), "rb") as file:
                        texts[-1][os.path.relpath(os.path.join(folder, name), place)] = file.read()
        self.assertEqual(*texts)


if __name__ == "__main__":
    unittest.main()
