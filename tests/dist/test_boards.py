"""Zephyr and ESP-IDF: their files for margin, run by CMake against stand-ins that record the calls, then compiled with what
was recorded for the processors of such boards. Kconfig is read by kconfiglib, YAML by PyYAML."""
import os
import re
import sys
import tempfile
import unittest

from gen import dist, wheel
from test_cmake import run

ROOT = str(wheel.ROOT)
# Debian's packages, which a Python of another origin does not see.
DEBIAN = "/usr/lib/python3/dist-packages"
RECORD = """cmake_minimum_required(VERSION 3.15)
project(stand_in LANGUAGES NONE)
function(record)
  string(REPLACE ";" "\\n" line "${ARGN}")
  file(APPEND "${CMAKE_BINARY_DIR}/calls" "${line}\\n--\\n")
endfunction()
"""
ZEPHYR = RECORD + """
foreach(name zephyr_include_directories zephyr_compile_definitions zephyr_library zephyr_library_sources
        zephyr_library_compile_options)
  cmake_language(EVAL CODE "
    function(${name})
      record(${name} \\${ARGN})
    endfunction()")
endforeach()
%(config)s
add_subdirectory("%(source)s" margin)
"""
IDF = RECORD + """
set(ESP_PLATFORM 1)
set(COMPONENT_LIB margin_component)
function(idf_component_register)
  record(idf_component_register ${ARGN})
  add_library(margin_component INTERFACE)
endfunction()
add_subdirectory("%(source)s" margin)
get_target_property(options margin_component INTERFACE_COMPILE_OPTIONS)
record(options ${options})
"""
COMPILERS = {"rv32imc": ["riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32"], "xtensa": ["xtensa-lx106-elf-gcc"]}


def debian(name):
    """A module of Debian's Python packages."""
    try:
        return __import__(name)
    except ImportError:
        sys.path.append(DEBIAN)
        return __import__(name)


class Boards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def calls(self, text):
        """The calls that the CMake files make: lists of a name and its arguments."""
        with open(os.path.join(self.folder, "CMakeLists.txt"), "w", encoding="ascii") as file:
            file.write(text)
        build = os.path.join(self.folder, "build")
        run("cmake", "-S", self.folder, "-B", build)
        with open(os.path.join(build, "calls"), encoding="utf-8") as file:
            found = [call.strip().splitlines() for call in file.read().split("--\n")[:-1]]
        os.remove(os.path.join(build, "calls"))
        return found

    def compile_for(self, target, source, *flags):
        out = os.path.join(self.folder, f"{target}.o")
        level = "-Os" if "-DMARGIN_PREDICT_ONLY" in flags else "-O0"  # trainers take long; `make cross` has them optimised
        run(*COMPILERS[target], "-ffreestanding", level, "-Wall", "-Wextra", "-Werror", *flags, "-c", source, "-o", out)
        names = run(COMPILERS[target][0].replace("gcc", "nm"), out)
        self.assertIn(" T margin_linear_scores", names)
        return names

    def zephyr(self, values):
        config = "\n".join(f"set({name} {value})" for name, value in values.items())
        return self.calls(ZEPHYR % {"config": config, "source": os.path.join(ROOT, "zephyr")})

    def kconfig(self, **chosen):
        """The values of all symbols, as CMake sees them, after those of prj.conf."""
        kconfiglib = debian("kconfiglib")
        top, conf = (os.path.join(self.folder, name) for name in ("Kconfig", "prj.conf"))
        with open(top, "w", encoding="ascii") as file:
            file.write(f'source "{ROOT}/zephyr/Kconfig"\n')
        with open(conf, "w", encoding="ascii") as file:
            file.writelines(f"CONFIG_{name}={value}\n" for name, value in chosen.items())
        found = kconfiglib.Kconfig(top, warn_to_stderr=False)
        found.load_config(conf)
        self.assertEqual(found.warnings, [])
        return {f"CONFIG_{symbol.name}": symbol.str_value for symbol in found.unique_defined_syms
                if symbol.str_value not in ("n", "")}

    def test_zephyr_without_margin_does_nothing(self):
        values = self.kconfig()
        self.assertNotIn("CONFIG_MARGIN", values)
        with self.assertRaises(FileNotFoundError):
            self.zephyr(values)

    def test_zephyr_compiles_the_library_once_with_the_switches_chosen(self):
        for chosen, expected in (({}, {"MARGIN_PREDICT_ONLY", "MARGIN_ALIGN=8"}),
                                 ({"MARGIN_PREDICT_ONLY": "n", "MARGIN_ALIGN": "4", "MARGIN_NO_ASM": "y"},
                                  {"MARGIN_NO_ASM", "MARGIN_ALIGN=4", "MARGIN_CACHE_BYTES=65536"})):
            calls = self.zephyr(self.kconfig(MARGIN="y", **chosen))
            by_name = {}
            for name, *values in calls:
                by_name.setdefault(name, []).extend(values)
            self.assertEqual(set(by_name["zephyr_compile_definitions"]), expected)
            self.assertEqual(by_name["zephyr_include_directories"], [".."])
            self.assertEqual(by_name["zephyr_library_sources"], ["margin.c"])
            self.assertEqual([name for name, *_ in calls].count("zephyr_library"), 1)
            flags = [f"-D{value}" for value in sorted(expected)] + ["-I" + ROOT, *by_name["zephyr_library_compile_options"]]
            for target in COMPILERS:
                names = self.compile_for(target, os.path.join(ROOT, "zephyr", "margin.c"), *flags)
                self.assertEqual(" T margin_svm_train" in names, "MARGIN_PREDICT_ONLY" not in expected)

    def test_kconfig_names_switches_of_the_header(self):
        with open(os.path.join(ROOT, "zephyr", "Kconfig"), encoding="ascii") as file:
            symbols = set(re.findall(r"^config (MARGIN_\w+)", file.read(), re.M))
        with open(os.path.join(ROOT, "margin.h"), encoding="utf-8") as file:
            switches = set(re.findall(r"^ \* (MARGIN_\w+)", file.read(), re.M))
        self.assertGreater(len(symbols), 3)
        self.assertLessEqual(symbols, switches)

    def test_zephyr_module_file(self):
        yaml = debian("yaml")
        module = yaml.safe_load(dist.read("zephyr/module.yml"))
        self.assertEqual(module, {"name": "margin", "build": {"cmake": "zephyr", "kconfig": "zephyr/Kconfig"}})
        for path in ("CMakeLists.txt", "Kconfig"):
            self.assertTrue(os.path.exists(os.path.join(ROOT, "zephyr", path)))

    def test_esp_idf_component(self):
        calls = self.calls(IDF % {"source": ROOT})
        self.assertEqual(calls, [["idf_component_register", "INCLUDE_DIRS", "."], ["options", "-ffp-contract=off"]])
        for target in COMPILERS:
            self.compile_for(target, os.path.join(ROOT, "zephyr", "margin.c"), "-I" + ROOT, "-DMARGIN_PREDICT_ONLY",
                             *calls[1][1:])

    def test_esp_idf_manifest(self):
        yaml, jsonschema = debian("yaml"), debian("jsonschema")
        manifest = yaml.safe_load(dist.read("idf_component.yml"))
        text, texts = {"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string"}, "minItems": 1}
        jsonschema.validate(manifest, {  # the fields of the registry's manifest that margin has, as its documentation says
            "type": "object", "additionalProperties": False, "required": ["version", "description", "url", "license"],
            "properties": {"version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}, "description": text, "license": text,
                           "url": {"type": "string", "format": "uri"}, "maintainers": texts,
                           "tags": {**texts, "items": {"type": "string", "pattern": "^[A-Za-z0-9_-]{3,32}$"}},
                           "files": {"type": "object", "additionalProperties": False,
                                     "properties": {"include": texts, "exclude": texts}}}})
        kept = set(dist.files("examples", "gen", "tests", "ports", "zephyr"))
        for pattern in manifest["files"]["exclude"]:
            folder = pattern.split("/")[0]
            self.assertTrue(any(path.startswith(folder + "/") for path in kept), pattern)


if __name__ == "__main__":
    unittest.main()
