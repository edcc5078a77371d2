"""MicroPython: the module of examples/11_micropython against the few declarations that it takes; its functions are called as the
interpreter would."""
import os
import subprocess
import tempfile
import unittest

from gen import wheel
from test_cmake import run

ROOT = str(wheel.ROOT)
MAIN = """
int main(int argc, char **argv)
{
    const int count = argc - 1;
    struct stand_in numbers[8] = {{0, 0, 0, 0}}, list = {0, 0, 0, 0};
    mp_obj_t items[8];
    for (int i = 0; i < count && i < 8; i++) {
        numbers[i].number = atol(argv[i + 1]);
        items[i] = &numbers[i];
    }
    list.items = items;
    list.count = (size_t)count;
    printf("%ld ", stand_in_find(&bearing_module, "selftest")->call0()->number);
    printf("%s ", stand_in_find(&bearing_module, "classify")->call1(&list)->text);
    printf("%ld\\n", stand_in_find(&bearing_module, "score")->call1(&list)->number);
    return 0;
}
"""


class MicroPython(unittest.TestCase):
    def test_the_module_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "py"))
            for name, text in (("py/obj.h", f'#include "{ROOT}/tests/dist/micropython.h"\n'), ("py/runtime.h", ""),
                               ("main.c", f'#include "{ROOT}/examples/11_micropython/bearing.c"\n{MAIN}')):
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            program = os.path.join(folder, "main")
            run("cc", "-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + folder, "-I" + ROOT,
                "-I" + os.path.join(ROOT, "examples", "06_arduino_motor"), os.path.join(folder, "main.c"), "-o", program)
            self.assertRegex(run(program, "1516", "2880", "2441", "3595"), r"^0 worn [1-9]\d*\n$")
            self.assertEqual(run(program, "1", "2", "3"), "0 ValueError: length\n")
            self.assertEqual(run(program, "1", "2", "3", "40000"), "0 ValueError: 16 bits\n")

    def test_make_and_cmake_name_files_that_are_there(self):
        place = os.path.join(ROOT, "examples", "11_micropython")
        text = "project(x LANGUAGES C)\nadd_library(usermod INTERFACE)\ninclude(micropython.cmake)\n" \
            'add_library(x OBJECT $<TARGET_PROPERTY:usermod_bearing,INTERFACE_SOURCES>)\nmessage("done")\n'
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="ascii") as file:
                file.write("cmake_minimum_required(VERSION 3.15)\n" + text.replace("micropython.cmake", f"{place}/micropython.cmake"))
            self.assertIn("done", run("cmake", "-S", folder, "-B", os.path.join(folder, "build")))
            made = subprocess.run(["make", "-s", "-f", "-", "show"], input=f"USERMOD_DIR = {place}\ninclude {place}/micropython.mk\n"
                                  "show:\n\t@ls $(SRC_USERMOD) $(patsubst -I%,%,$(CFLAGS_USERMOD)) >/dev/null && echo there\n",
                                  capture_output=True, text=True)
            self.assertEqual(made.stdout, "there\n", made.stderr)


if __name__ == "__main__":
    unittest.main()
