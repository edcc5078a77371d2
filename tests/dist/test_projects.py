"""Projects that gen writes around a model (export --as), in their toolchains: built as they stand, and run where there is an
emulator. PlatformIO and ESP-IDF are in no package: their programs are compiled by the compilers that they would call."""
import os
import shutil
import tempfile
import unittest

import sets
import test_arduino
from test_arduino import BOARDS, first_lines
from test_boards import COMPILERS
from test_cmake import run
from test_project import STAND_INS, gen


class Projects(unittest.TestCase):
    build = test_arduino.Arduino.build

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.libraries = os.path.join(cls.folder, "no libraries")
        os.mkdir(cls.libraries)
        data, cls.model = (os.path.join(cls.folder, name) for name in ("data.csv", "gate.mgn"))
        with open(data, "w", encoding="utf-8") as file:
            file.write(sets.csv(*sets.gauss()))
        assert gen("train", data, "--method", "svm", "--kernel", "rbf", "--save", cls.model)[0] == 0
        for name, text in STAND_INS.items():
            place = os.path.join(cls.folder, "stand-ins", name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="ascii") as file:
                file.write(text)

    def make(self, toolchain, form):
        place = os.path.join(self.folder, f"{toolchain}_{form}")
        code, words = gen("export", self.model, "--format", form, "--as", toolchain, place)
        self.assertEqual(code, 0, words)
        return place

    def runs_on_an_uno(self, place):
        program, flash, ram = self.build(place, "uno")
        lines = [line for line in first_lines(["simavr", "-m", BOARDS["uno"], "-f", "16000000", program], 3) if "Loaded" not in line]
        self.assertEqual(lines[0], "self-test 0")
        self.assertRegex(lines[1], r"^\S+:( -?\d+)+( / 1000)?$")
        self.assertLess(ram, 400)
        return lines[1]

    def test_arduino(self):
        for form in ("f32", "q7"):
            self.runs_on_an_uno(self.make("arduino", form))

    def test_the_program_of_platformio_is_a_sketch_beside_its_library(self):
        place = self.make("platformio", "q15")
        flat = os.path.join(self.folder, "flat")
        os.mkdir(flat)
        for name in ("src/main.cpp", "include/gate.h", "lib/margin/margin.h", "lib/margin/margin_impl.h"):
            shutil.copy(os.path.join(place, name), flat)
        os.rename(os.path.join(flat, "main.cpp"), os.path.join(flat, "flat.ino"))
        self.runs_on_an_uno(flat)

    def test_cmake(self):
        said = set()
        for form in ("f32", "q15"):
            place = self.make("cmake", form)
            run("cmake", "-S", place, "-B", os.path.join(place, "build"))
            run("cmake", "--build", os.path.join(place, "build"))
            said.add(run(os.path.join(place, "build", "firmware")).splitlines()[0])
        self.assertEqual(said, {"self-test 0"})

    def test_esp_idf_and_zephyr_for_their_processors(self):
        for toolchain, main, library in (("esp-idf", "main/main.c", "components/margin"), ("zephyr", "src/main.c", "modules/margin")):
            for form, targets in (("f32", ["rv32imc"]), ("q7", ["xtensa"])):
                place = self.make(toolchain, form)
                for target, compiler in ((target, COMPILERS[target]) for target in targets):
                    out = os.path.join(self.folder, "main.o")
                    with open(os.path.join(self.folder, "stand-ins", "stdio.h"), "w", encoding="ascii") as file:
                        file.write("int printf(const char *format, ...);\n")
                    run(*compiler, "-std=gnu17", "-Os", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fdata-sections",
                        "-I" + os.path.join(self.folder, "stand-ins"), "-I" + os.path.join(place, library), "-c",
                        os.path.join(place, main), "-o", out)
                    names = run(compiler[0].replace("gcc", "nm"), out)
                    self.assertRegex(names, r" T (app_main|main)\n", target)


if __name__ == "__main__":
    unittest.main()
