"""Arduino: the zip of `make dist`, unpacked as a library, its examples built for Uno and Mega by arduino-builder and
Debian's core, and run in simavr until the self-test has answered. Prints what they take."""
import os
import re
import select
import subprocess
import tempfile
import time
import unittest
import zipfile

from gen import dist, wheel
from test_cmake import run

BOARDS = {"uno": "atmega328p", "mega:cpu=atmega2560": "atmega2560"}
# Debian's WString.cpp wants DECIMAL_DIG, which the float.h of its avr-gcc has for C alone.
PREFERENCES = ("runtime.tools.avr-gcc.path=/usr", "compiler.cpp.extra_flags=-DDECIMAL_DIG=__DECIMAL_DIG__")
SHARE = "/usr/share"


def first_lines(command, count, seconds=60):
    """What a program prints in its first lines; then it is ended."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text, end = b"", time.monotonic() + seconds
    try:
        while text.count(b"\n") < count and time.monotonic() < end and process.poll() is None:
            if select.select([process.stdout], [], [], 1)[0]:
                text += os.read(process.stdout.fileno(), 4096)
    finally:
        process.kill()
        process.communicate()
    plain = re.sub(r"\x1b\[\d*m", "", text.decode("ascii", "replace")).replace("..\n", "\n")
    return [line.strip() for line in plain.splitlines() if line.strip()]


class Arduino(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.libraries = os.path.join(cls.folder, "libraries")
        dist.products(wheel.Path(cls.folder, "dist"))
        with zipfile.ZipFile(os.path.join(cls.folder, "dist", f"margin-{wheel.version()}.zip")) as archive:
            archive.extractall(cls.libraries)
        cls.examples = os.path.join(cls.libraries, "margin", "examples")

    def build(self, sketch, board):
        """The program of a sketch, and the bytes of flash and RAM that the builder tells; no warning is about margin."""
        out = os.path.join(self.folder, f"{os.path.basename(sketch)}-{board.split(':')[0]}")
        os.mkdir(out)
        said = run("arduino-builder", "-compile", "-hardware", f"{SHARE}/arduino/hardware", "-hardware",
                   f"{SHARE}/arduino-builder", "-tools", f"{SHARE}/arduino-builder", "-tools", "/usr/bin",
                   *(f"-prefs={preference}" for preference in PREFERENCES), "-libraries", self.libraries, "-fqbn",
                   f"arduino:avr:{board}", "-build-path", out, "-warnings", "all",
                   os.path.join(sketch, os.path.basename(sketch) + ".ino"))
        for line in said.splitlines():
            self.assertFalse("warning" in line and "/cores/arduino/" not in line, said)
        sizes = re.search(r"Sketch uses (\d+) bytes.*?Global variables use (\d+) bytes", said, re.S)
        return os.path.join(out, os.path.basename(sketch) + ".ino.elf"), *map(int, sizes.groups())

    def test_the_examples_run_on_both_boards_and_pass_their_self_test(self):
        sketches = sorted(os.listdir(self.examples))
        self.assertGreaterEqual(len(sketches), 2)
        rows = [("sketch", "board", "flash", "RAM")]
        for sketch in sketches:
            answers = set()
            for board, processor in BOARDS.items():
                program, flash, ram = self.build(os.path.join(self.examples, sketch), board)
                lines = first_lines(["simavr", "-m", processor, "-f", "16000000", program], 3)
                said = [line for line in lines if "Loaded" not in line]
                self.assertEqual(said[0], "self-test 0", lines)
                self.assertRegex(said[1], r"^(worn|healthy)( -?\d+\.\d{4})?$")
                answers.add(said[1])
                rows.append((sketch, board.split(":")[0], str(flash), str(ram)))
                self.assertLess(flash, 8000)
                self.assertLess(ram, 300)  # the tables are not among it
            self.assertEqual(len(answers), 1, "the boards do not agree")
        # unittest keeps what is printed to itself: the table goes beside the products
        table = "".join(f"{a:24}{b:8}{c:>8}{d:>8}\n" for a, b, c, d in rows)
        os.makedirs("build/dist-check", exist_ok=True)
        with open("build/dist-check/arduino.txt", "w", encoding="ascii") as file:
            file.write(table)

    def test_a_sketch_needs_no_define_and_three_lines(self):
        place = os.path.join(self.folder, "three")
        os.mkdir(place)
        with open(os.path.join(place, "three.ino"), "w", encoding="ascii") as file:
            file.write('#include "motor.h"\nvoid setup() {}\nvoid loop() {\n    int16_t x[4] = {1, 2, 3, (int16_t)analogRead(A0)};\n'
                       "    digitalWrite(13, motor_classify(x));\n}\n")
        with open(os.path.join(place, "motor.h"), "wb") as file:
            file.write(dist.read("examples/06_arduino_motor/motor.h"))
        program, _, ram = self.build(place, "uno")
        names = run("avr-nm", program)
        self.assertRegex(names, r"(?m)^0000\w+ [tT] \w*motor_vectors")  # in flash, below the code; data would be at 0080....
        self.assertLess(ram, 120)


if __name__ == "__main__":
    unittest.main()
