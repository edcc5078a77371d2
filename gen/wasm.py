"""wasm.py -- exported headers as WebAssembly, so that a page computes what the chip will compute, with the same integers."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .build import INCLUDE
from .errors import Failure

HOW = "apt-get install clang lld"
FLAGS = ("--target=wasm32", "-std=c99", "-O2", "-ffp-contract=off", "-ffreestanding", "-fno-builtin", "-nostdlib",
         "-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=65536")

# memcpy and memset are all that compilers call for by themselves.
START = """#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#define MARGIN_STATIC
#include "margin.h"
#define PAGE_EXPORT(name) __attribute__((export_name(#name))) name
void *memcpy(void *to, const void *from, size_t count);
void *memcpy(void *to, const void *from, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}
void *memset(void *to, int value, size_t count);
void *memset(void *to, int value, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        ((unsigned char *)to)[i] = (unsigned char)value;
    }
    return to;
}
static float raw[%(features)d];
float *PAGE_EXPORT(page_raw)(void)
{
    return raw;
}
"""

# One model: page_NAME_run() answers the raw values in `raw`; the other functions tell about that answer. The score is the
# one that `gen predict` prints.
MODEL = """
#include "%(name)s.h"
static %(input)s x_%(name)s[%(features)d];
static %(score)s scores_%(name)s[%(machines)d];
unsigned PAGE_EXPORT(page_%(name)s_run)(void)
{
%(convert)s
    %(name)s_scores(x_%(name)s, scores_%(name)s);
    return %(name)s_classify(x_%(name)s);
}
void *PAGE_EXPORT(page_%(name)s_inputs)(void)
{
    return x_%(name)s;
}
void *PAGE_EXPORT(page_%(name)s_scores)(void)
{
    return scores_%(name)s;
}
unsigned PAGE_EXPORT(page_%(name)s_elected)(void)
{
    return margin_elect%(q)s(%(vote)s.scheme, %(vote)s.classes, scores_%(name)s);
}
double PAGE_EXPORT(page_%(name)s_margin)(void)
{
    return (double)margin_margin%(q)s(%(vote)s.scheme, %(vote)s.classes, scores_%(name)s, page_%(name)s_elected());
}
double PAGE_EXPORT(page_%(name)s_score)(void)
{
    const unsigned scheme = %(vote)s.scheme;
    return scheme == MARGIN_SCHEME_BINARY || scheme == MARGIN_SCHEME_ORDINAL ? (double)scores_%(name)s[0]
                                                                             : page_%(name)s_margin();
}
double PAGE_EXPORT(page_%(name)s_value)(void)
{
    return (double)%(value)s;
}
double PAGE_EXPORT(page_%(name)s_probability)(void)
{
%(room)s    return %(probability)s;
}
int PAGE_EXPORT(page_%(name)s_selftest)(void)
{
    return %(name)s_selftest();
}
"""


def missing() -> list[str]:
    """The programs that are needed and not there."""
    return [program for program in ("clang", "wasm-ld") if shutil.which(program) is None]


def glue(headers: dict[str, str], features: int) -> str:
    """C that lets a page ask the models of some headers, by name, for raw values."""
    parts = [START % {"features": features}]
    for name, text in headers.items():
        q = "_q" if re.search(rf"void {name}_scores\(const int16_t", text) else ""
        each = f"for (int j = 0; j < {features}; j++) {{"
        convert = f"    {name}_input(raw, x_{name});" if f"{name}_input(" in text else \
            f"    {each}\n        x_{name}[j] = ({'int16_t' if q else 'float'})raw[j];\n    }}"
        if q and f"{name}_input(" not in text:  # whole numbers go in as they are, but must fit
            convert = f"    margin_input_q(&(const margin_scaling){{0, 0, {features}}}, raw, x_{name});"
        chance = f"({name}_probabilities(x_{name}, p), (double)p[page_{name}_elected()]{' / 32768.0' if q else ''})"
        vote = re.search(rf"&{name}_model\.([a-z.]*vote)\b", text)
        parts.append(MODEL % {
            "name": name, "input": "int16_t" if q else "float", "score": "int32_t" if q else "float",
            "features": features, "machines": int(re.search(rf"#define {name.upper()}_MACHINES (\d+)", text)[1]),
            "convert": convert, "q": q, "vote": f"{name}_model.{vote[1] if vote else vote_of(text, name)}",
            "value": f"{name}_value(x_{name})" if f"{name}_value(" in text else f"scores_{name}[0]",
            "room": f"    {'uint16_t' if q else 'float'} p[{name.upper()}_CLASSES];\n" if f"{name}_probabilities(" in text else "",
            "probability": chance if f"{name}_probabilities(" in text else "-1.0"})
    return "".join(parts)


def vote_of(text: str, name: str) -> str:
    """Where the struct of a model has its vote, if no function of the header says so."""
    return "pool.vote" if re.search(rf"static const margin_(list|projected)(_q)? {name}_model", text) else "vote"


def compile_headers(headers: dict[str, str], features: int) -> bytes:
    """The module; a Failure tells why there is none."""
    lacking = missing()
    if lacking:
        raise Failure(f"no {' and no '.join(lacking)}: {HOW}")
    with tempfile.TemporaryDirectory(prefix="margin-wasm-") as folder:
        for name, text in headers.items():
            Path(folder, f"{name}.h").write_text(text, encoding="ascii")
        source, module = os.path.join(folder, "page.c"), os.path.join(folder, "page.wasm")
        Path(source).write_text(glue(headers, features), encoding="ascii")
        command = ["clang", *FLAGS, f"-I{INCLUDE}", f"-I{folder}", source, "-o", module]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode:
            first = next((line for line in run.stderr.splitlines() if "error" in line), run.stderr.strip()[:200])
            raise Failure(f"clang does not make WebAssembly of the header: {first.replace(folder + os.sep, '')}")
        return Path(module).read_bytes()
