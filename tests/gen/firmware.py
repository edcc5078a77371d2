"""firmware.py -- compiles exported headers as firmware would, and runs them on the host."""
import os
import shutil
import struct
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARN = ("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wdouble-promotion -Wshadow -Wcast-align -Wvla -Wundef "
        "-Werror").split()
# Of one file with the whole program in it: the library is static, so that what the program does not need is not compiled.
ALONE = ("-std=c99", "-O1", "-DMARGIN_STATIC")
# The device's side: no libc. One function for each model.
DEVICE = """#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"
%(includes)s
#ifdef __cplusplus
extern "C" {
#endif
uint16_t run(int model, const void *x, void *scores);
float chance(int model, const void *x, const void *scores);
int selftest(int model);
int convert(int model, const float *raw, void *x);
/* The probability of a class, of the next one with each call; -1 of models without. -2 where the set has other classes than
 * those of at least as large a probability as its least. */
float chance(int model, const void *x, const void *scores)
{
    static unsigned calls;
    (void)calls;
    (void)scores;
    switch (model) {
%(chances)s
    default: (void)x; return -1.0f;
    }
}
/* Inputs of an integer model out of raw values; 0: the model takes raw values as they are. */
int convert(int model, const float *raw, void *x)
{
    switch (model) {
%(converts)s
    default: (void)raw; (void)x; return 0;
    }
}
uint16_t run(int model, const void *x, void *scores)
{
    switch (model) {
%(runs)s
    default: return 0;
    }
}
int selftest(int model)
{
    switch (model) {
%(tests)s
    default: return -1;
    }
}
#ifdef __cplusplus
}
#endif
"""
# The host's side: rows in, class and scores out, all as raw bytes.
HOST = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
uint16_t run(int model, const void *x, void *scores);
float chance(int model, const void *x, const void *scores);
int selftest(int model);
int convert(int model, const float *raw, void *x);
int main(int argc, char **argv)
{
    static uint32_t x[4096], scores[4096], raw[4096];
    const int model = atoi(argv[1]);
    const size_t row = (size_t)atoi(argv[2]), out = (size_t)atoi(argv[3]);
    if (selftest(model) != 0) {
        return 3;
    }
    if (argc > 4) { /* raw values in, inputs of the model out */
        while (fread(raw, row, 1, stdin) == 1 && convert(model, (const float *)raw, x)) {
            fwrite(x, out, 1, stdout);
        }
        return 0;
    }
    while (fread(x, row, 1, stdin) == 1) {
        const uint16_t label = run(model, x, scores);
        fwrite(&label, 2, 1, stdout);
        fwrite(scores, out, 1, stdout);
        const float p = chance(model, x, scores);
        fwrite(&p, 4, 1, stdout);
    }
    return 0;
}
"""


def vote(text):
    """Where a model has its vote."""
    return "pool.vote" if "_model.pool.vote" in text else "vote"


CHANCE = """    case %(i)d: {
        uint16_t set[%(upper)s_CLASSES];
        %(chance)s p[%(upper)s_CLASSES], least = 32767;
        size_t in = %(name)s_set((const %(x)s *)x, set), count = 0, c;
        %(name)s_probabilities((const %(x)s *)x, p);
        for (c = 0; c < in; c++) { least = p[set[c]] < least ? p[set[c]] : least; }
        for (c = 0; c < %(upper)s_CLASSES; c++) { count += p[c] >= least; }
        return count == in ? (float)p[calls++ %% %(upper)s_CLASSES] : -2.0f;
    }"""


def chances(cases, models):
    """The cases of models that have probabilities."""
    return "\n".join(CHANCE % {"i": i, "name": name, "upper": name.upper(), "x": x, "chance": "uint16_t" if s == "int32_t" else "float"}
                     for i, name, x, s in cases if f"{name}_probabilities(" in models[i][1])


def in_turn(rows):
    """Of the probabilities of all classes of each row those that a program of these tells."""
    return [row[i % len(row)] for i, row in enumerate(rows)]


class Firmware:
    """A program with several exported models: (name, header text, C type of the inputs, C type of the scores)."""

    def __init__(self, folder, models, compiler=("cc", "-std=c99"), flags=("-O1", "-DMARGIN_STATIC")):
        folder = tempfile.mkdtemp(dir=folder)
        self.folder, self.models = folder, models
        cases = [(i, name, x, s) for i, (name, _, x, s) in enumerate(models)]
        parts = {
            "includes": "\n".join(f'#include "{name}.h"' for name, *_ in models),
            "runs": "\n".join(f"    case {i}: {name}_scores((const {x} *)x, ({s} *)scores); "
                              f"return {name}_classify((const {x} *)x);" for i, name, x, s in cases),
            "chances": chances(cases, models),
            "converts": "\n".join(f"    case {i}: {name}_input(raw, (int16_t *)x); return 1;"
                                  for i, name, *_ in cases if f"{name}_input(" in models[i][1]),
            "tests": "\n".join(f"    case {i}: return {name}_selftest();" for i, name, *_ in cases)}
        for name, text, *_ in models:
            self.write(name + ".h", text)
        device, host = self.write("device.c", DEVICE % parts), self.write("host.c", HOST)
        self.program = os.path.join(folder, "firmware")
        subprocess.run([*compiler, *flags, *WARN, "-ffreestanding", "-I" + ROOT, "-I" + folder, "-c",
                        device, "-o", self.program + ".o"], check=True)
        subprocess.run(["cc", "-O1", host, self.program + ".o", "-o", self.program], check=True)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def run(self, model, rows, machines, code="f", out="f"):
        """(class, scores, probability) of each row; the self-test of the model has run before."""
        raw = b"".join(struct.pack(f"<{len(row)}{code}", *row) for row in rows)
        width, wide = struct.calcsize(f"<{len(rows[0])}{code}"), struct.calcsize(f"<{machines}{out}")
        found = subprocess.run([self.program, str(model), str(width), str(wide)], input=raw, capture_output=True, check=True)
        size = 6 + wide
        if len(found.stdout) != size * len(rows):
            raise AssertionError("the firmware did not answer every row")
        rows = struct.iter_unpack(f"<H{machines}{out}f", found.stdout)
        return [(row[0], list(row[1:-1]), row[-1]) for row in rows]

    def convert(self, model, rows):
        """Raw values as inputs of an integer model."""
        d = len(rows[0])
        raw = b"".join(struct.pack(f"<{d}f", *row) for row in rows)
        command = [self.program, str(model), str(4 * d), str(2 * d), "convert"]
        found = subprocess.run(command, input=raw, capture_output=True, check=True).stdout
        return [list(struct.unpack_from(f"<{d}h", found, 2 * d * i)) for i in range(len(rows))]


def has(command):
    return shutil.which(command) is not None
