"""Simulators of npm: the sketch of an Uno in avr8js, the program of a Pico in rp2040js; both pass their self-test."""
import os
import tempfile
import unittest

import test_arduino
from gen import wheel
from test_cmake import run

ROOT = str(wheel.ROOT)


def simulated(simulator, program, lines):
    return run("node", os.path.join(ROOT, "tests", "dist", "simulate.mjs"), simulator, program, str(lines), cwd=ROOT).split()


class Simulators(unittest.TestCase):
    build = test_arduino.Arduino.build
    setUpClass = test_arduino.Arduino.__dict__["setUpClass"]

    def test_uno(self):
        sketch = os.path.join(self.examples, "06_arduino_motor")
        program, *_ = self.build(sketch, "uno")
        words = simulated("avr8js", program.replace(".elf", ".hex"), 2)
        self.assertEqual(words[:2], ["self-test", "0"])
        self.assertIn(words[2], ("healthy", "worn"))

    def test_pico(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "pico"))
            with open(os.path.join(folder, "pico", "stdlib.h"), "w", encoding="ascii") as file:
                file.write("#include <stdint.h>\nvoid stdio_init_all(void);\nvoid sleep_ms(uint32_t ms);\n")
            with open(os.path.join(folder, "stdio.h"), "w", encoding="ascii") as file:
                file.write("int puts(const char *text);\n")
            elf, image = os.path.join(folder, "pico.elf"), os.path.join(folder, "pico.bin")
            run("arm-none-eabi-gcc", "-std=c99", "-mthumb", "-mcpu=cortex-m0plus", "-O2", "-ffreestanding", "-ffunction-sections", "-Wall",
                "-Wextra", "-Werror", "-nostdlib", "-nostartfiles", "-Wl,--gc-sections", "-I" + folder, "-I" + ROOT,
                "-I" + os.path.join(ROOT, "examples", "06_arduino_motor"),
                "-Wl,-T," + os.path.join(ROOT, "ports", "cortex-m", "cortex-m.ld"), "-Wl,--defsym=PORT_FLASH=0x10000000",
                "-Wl,--defsym=PORT_FLASH_SIZE=0x200000", "-Wl,--defsym=PORT_RAM=0x20000000", "-Wl,--defsym=PORT_RAM_SIZE=0x40000",
                os.path.join(ROOT, "examples", "10_pico", "main.c"), os.path.join(ROOT, "tests", "dist", "pico_sdk.c"),
                os.path.join(ROOT, "ports", "common", "memory.c"), "-I" + os.path.join(ROOT, "ports", "common"), "-lgcc", "-o", elf)
            run("arm-none-eabi-objcopy", "-O", "binary", elf, image)
            self.assertEqual(simulated("rp2040js", image, 2), ["self-test", "0", "worn"])


if __name__ == "__main__":
    unittest.main()
