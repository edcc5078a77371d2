"""project.py -- a whole project around a model, ready to compile: for Arduino, PlatformIO, ESP-IDF, Zephyr and CMake.

Each has the model, the two headers and a main program with one function to fill in, read_sensors(). Until that is done it
answers for a row of the training data. The program prints the self-test, then class and scores.
"""
from __future__ import annotations

import os
import re
from typing import Callable

from . import build, emit, export, output
from .cspell import c_comment, c_int, c_real
from .emit import Body
from .errors import Failure, Usage
from .model import Model
from .quant import Quantised

HEADERS = ("margin.h", "margin_impl.h")


def library(*names: str) -> dict[str, bytes]:
    """Files of the library, from the package or the repository."""
    return {name: (build.INCLUDE / name).read_bytes() for name in (*HEADERS, *names)}


# ---- the program ----

def sensors(model: Model, body: Body, row: list[float], name: str) -> str:
    """The function to fill in. It gives raw values; integer models of real values convert them."""
    kind = "margin_real" if body.convert else body.input
    names = [c_comment(str(n)) for n in model.notes.get("names", ())]
    what = f": {', '.join(names)}" if names else ""
    spell = c_real if kind == "margin_real" else (lambda v: c_int(int(v), "int16_t"))
    lines = "".join(f"    x[{k}] = {spell(v)};{f' /* {names[k]} */' if len(names) == len(row) else ''}\n"
                    for k, v in enumerate(row))
    return (f"/* FILL IN: the {len(row)} raw values that the model takes{what}. For now a row of the training data. */\n"
            f"static void read_sensors({kind} *x)\n{{\n{lines}}}\n")


def fractions(model: Model, body: Body) -> bool:
    """Whether the program prints numbers that are not whole."""
    return model.numbers or body.score == "margin_real"


def answer(model: Model, body: Body, name: str, put: Callable[[str, str], str]) -> str:
    """The body of a function that reads, answers and prints. `put` spells how a format and a value are printed."""
    upper, real = name.upper(), fractions(model, body)
    raw = [f"    margin_real raw[{upper}_FEATURES];", f"    int16_t x[{upper}_FEATURES];"] if body.convert else \
        [f"    {body.input} x[{upper}_FEATURES];"]
    read = ["    read_sensors(raw);", f"    {name}_input(raw, x);"] if body.convert else ["    read_sensors(x);"]
    if model.numbers:  # the answer itself, in units of the target
        return "\n".join([*raw, *read, "    " + put("%s:", f"{name}_labels[0]"), "    " + put(" %ld", f"thousandths({name}_value(x))"),
                          "    " + put(" / 1000\\n", "")])
    score = "thousandths(scores[j])" if real else "(long)scores[j]"
    return "\n".join([
        *raw, f"    {body.score} scores[{upper}_MACHINES];", "    uint16_t label;", "    int j;", *read,
        f"    {name}_scores(x, scores);", f"    label = {name}_classify(x);",
        "    " + put("%s:", f'label < {upper}_CLASSES ? {name}_labels[label] : "no class"'),
        f"    for (j = 0; j < {upper}_MACHINES; j++) {{", "        " + put(" %ld", score), "    }",
        "    " + put(" / 1000\\n" if real else "\\n", "")])


THOUSANDTHS = """/* A number as a whole one, for machines that do not print floats. */
static long thousandths(margin_real number)
{
    return number > -2000000 && number < 2000000 ? (long)(number * 1000) : number > 0 ? 2000000000 : -2000000000;
}

"""


def printed(function: str) -> Callable[[str, str], str]:
    """
    >>> printed("printf")("%d\\\\n", "3"), printed("printk")("end", "")
    ('printf("%d\\\\n", 3);', 'printk("end");')
    """
    return lambda form, value: f'{function}("{form}", {value});' if value else f'{function}("{form}");'


def program(model: Model, body: Body, row: list[float], name: str, *, includes: str, put: str, entry: str, each: str) -> str:
    """A main program in C. `entry` and `each` are the texts of the functions around the work."""
    return (f"/* main.c -- reads sensors and says what the model {name}.h makes of them. Yours from here on. */\n{includes}\n"
            f'#include "{name}.h"\n\n{sensors(model, body, row, name)}\n'
            f"{THOUSANDTHS if fractions(model, body) else ''}"
            f"static void classify(void)\n{{\n{answer(model, body, name, printed(put))}\n}}\n\n"
            f"{entry}\n{{\n    /* 0: this machine computes the same as the one that made the model. */\n"
            f"    {printed(put)('self-test %d' + NEWLINE, f'{name}_selftest()')}\n{each}}}\n")


NEWLINE = "\\n"  # as it stands in C
IMPLEMENTATION = "#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n"


# ---- the projects ----

def cmake(model: Model, body: Body, row: list[float], name: str, header: bytes, folder: str) -> dict[str, bytes]:
    main = program(model, body, row, name, includes="#include <stdio.h>\n" + IMPLEMENTATION, put="printf",
                   entry="int main(void)", each="    classify();\n    return 0;\n")
    lists = (f"cmake_minimum_required(VERSION 3.15)\nproject({name} LANGUAGES C)\nset(CMAKE_C_STANDARD 99)\n"
             f"if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
             f"add_subdirectory(margin)\nadd_executable(firmware main.c)\n"
             "target_link_libraries(firmware PRIVATE margin::margin)\n")
    return {"CMakeLists.txt": lists.encode(), "main.c": main.encode(), f"{name}.h": header,
            **{f"margin/{path}": content for path, content in library("CMakeLists.txt").items()}}


def esp_idf(model: Model, body: Body, row: list[float], name: str, header: bytes, folder: str) -> dict[str, bytes]:
    main = program(model, body, row, name, put="printf", entry="void app_main(void)",
                   includes='#include <stdio.h>\n#include "freertos/FreeRTOS.h"\n#include "freertos/task.h"\n' + IMPLEMENTATION,
                   each="    for (;;) {\n        classify();\n        vTaskDelay(pdMS_TO_TICKS(1000));\n    }\n")
    top = ("cmake_minimum_required(VERSION 3.16)\ninclude($ENV{IDF_PATH}/tools/cmake/project.cmake)\n"
           f"project({name})\n")
    return {"CMakeLists.txt": top.encode(), "main/main.c": main.encode(), f"main/{name}.h": header,
            "main/CMakeLists.txt": b'idf_component_register(SRCS "main.c" INCLUDE_DIRS "." REQUIRES margin)\n',
            **{f"components/margin/{path}": content
               for path, content in library("CMakeLists.txt", "idf_component.yml").items()}}


def zephyr(model: Model, body: Body, row: list[float], name: str, header: bytes, folder: str) -> dict[str, bytes]:
    main = program(model, body, row, name, includes="#include <zephyr/kernel.h>\n#include <zephyr/sys/printk.h>\n", put="printk",
                   entry="int main(void)", each="    for (;;) {\n        classify();\n        k_msleep(1000);\n    }\n    return 0;\n")
    top = ("cmake_minimum_required(VERSION 3.20)\nlist(APPEND ZEPHYR_EXTRA_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/modules/margin)\n"
           f"find_package(Zephyr REQUIRED HINTS $ENV{{ZEPHYR_BASE}})\nproject({name})\ntarget_sources(app PRIVATE src/main.c)\n")
    module = library(*(f"zephyr/{part}" for part in ("module.yml", "CMakeLists.txt", "Kconfig", "margin.c")))
    return {"CMakeLists.txt": top.encode(), "prj.conf": b"CONFIG_MARGIN=y\n", "src/main.c": main.encode(), f"src/{name}.h": header,
            **{f"modules/margin/{path}": content for path, content in module.items()}}


def sketch(model: Model, body: Body, row: list[float], name: str) -> str:
    """A main program for Arduino, in C++."""
    work = answer(model, body, name, lambda form, value: {
        "%s:": f"Serial.print({value});\n    Serial.print(':');", " %ld": f"Serial.print(' ');\n        Serial.print({value});",
        " / 1000\\n": 'Serial.println(F(" / 1000"));', "\\n": "Serial.println();"}[form])
    return (f"/* Reads sensors and says what the model {name}.h makes of them. Yours from here on. */\n"
            f'#include <Arduino.h>\n#include "{name}.h"\n\n{sensors(model, body, row, name)}\n'
            f"{THOUSANDTHS if fractions(model, body) else ''}"
            f"void setup()\n{{\n    Serial.begin(115200);\n    Serial.print(F(\"self-test \"));\n"
            f"    Serial.println({name}_selftest()); /* 0: this board computes the same as the machine that made the model */\n}}\n\n"
            f"void loop()\n{{\n{work}\n    delay(1000);\n}}\n")


def arduino(model: Model, body: Body, row: list[float], name: str, header: bytes, folder: str) -> dict[str, bytes]:
    own = os.path.basename(os.path.realpath(folder))
    return {f"{own}.ino": sketch(model, body, row, name).encode(), f"{name}.h": header, **library()}


def platformio(model: Model, body: Body, row: list[float], name: str, header: bytes, folder: str) -> dict[str, bytes]:
    ini = ("; pio run -e uno; any other board with the Arduino framework does as well\n"
           "[env:uno]\nplatform = atmelavr\nboard = uno\nframework = arduino\nmonitor_speed = 115200\n\n"
           "[env:pico]\nplatform = raspberrypi\nboard = pico\nframework = arduino\nmonitor_speed = 115200\n")
    return {"platformio.ini": ini.encode(), "src/main.cpp": sketch(model, body, row, name).encode(), f"include/{name}.h": header,
            **{f"lib/margin/{path}": content for path, content in library("library.json").items()}}


TOOLCHAINS = {"arduino": arduino, "platformio": platformio, "esp-idf": esp_idf, "zephyr": zephyr, "cmake": cmake}


# ---- the folder ----

def name_for(path: str) -> str:
    """The name of a model in a project: that of its file, unless it is that of a header of the toolchains.

    >>> name_for("build/gate.mgn"), name_for("Arduino"), name_for("zephyr.mgn")
    ('gate', 'model_Arduino', 'model_zephyr')
    """
    name = export.name_of(path)
    return f"model_{name}" if name.lower() in ("arduino", "margin", "main", "zephyr", "platformio") else name


def check(toolchain: str, folder: str) -> None:
    """Fails before long work rather than after it."""
    if toolchain not in TOOLCHAINS:
        raise Usage(f"--as {toolchain}: not one of {', '.join(TOOLCHAINS)}")
    own = os.path.basename(os.path.realpath(folder))
    if toolchain == "arduino" and not re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}", own):
        raise Usage(f"--as arduino {folder}: the folder gives the sketch its name: letters, digits, _ . - and no blank")
    if os.path.isdir(folder):
        if os.listdir(folder):
            raise Failure("cannot write: the folder is not empty", folder)
    elif os.path.exists(folder):
        raise Failure("cannot write: it is a file", folder)
    above = os.path.dirname(os.path.realpath(folder))
    if not os.path.isdir(above):
        raise Failure("cannot write: there is no such folder above it", folder)
    if not os.access(above, os.W_OK):
        raise Failure("cannot write: Permission denied", folder)


def write(toolchain: str, folder: str, model: Model, quantised: Quantised | None, name: str, header: bytes) -> list[str]:
    """Writes the project: it is there as a whole, or not at all. Returns its files."""
    body = emit.integer_body(quantised) if quantised else emit.body_of(model.machine)
    files = TOOLCHAINS[toolchain](model, body, export.test_rows(model)[0], name, header, folder)
    output.write_folder(folder, files)
    return sorted(files)
