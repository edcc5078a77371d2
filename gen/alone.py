"""alone.py -- a model as one header that needs nothing else: its tables, and of the predictors the code that it needs.

The code is put together from the pieces in alone.c, for people who review every line that goes into a product. It computes
the same bits as the library, in plain loops, and has the same functions and the same self-test as export.py gives a model.
"""
from __future__ import annotations

import ctypes
import functools
import re

from . import export, native
from .build import HERE
from .compress import Cost
from .cspell import c_int, c_real, c_table
from .emit import BYTES, KERNEL_WORDS, Body
from .errors import Failure
from .kinds import kind_of
from .model import Model
from .quant import Quantised

SCHEMES = ("binary", "pairs", "rest", "votes", "ordinal", "nearest")  # in the order of margin.h
READS = {"F32": ("float", "pgm_read_float(p)"), "I32": ("int32_t", "((int32_t)pgm_read_dword(p))"),
         "U32": ("uint32_t", "pgm_read_dword(p)"), "I16": ("int16_t", "((int16_t)pgm_read_word(p))"),
         "U16": ("uint16_t", "pgm_read_word(p)"), "I8": ("int8_t", "((int8_t)pgm_read_byte(p))"),
         "U8": ("uint8_t", "pgm_read_byte(p)")}


@functools.cache
def pieces() -> dict[str, str]:
    """The pieces of alone.c by the names in their banners."""
    text = (HERE / "alone.c").read_text(encoding="ascii")
    parts = re.split(r"^/\* ---- (.*) ---- \*/\n", text, flags=re.M)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2])))


# ---- what a model needs ----

class Plan:
    """Pieces, constants and tables of a model, in their order."""

    def __init__(self, machine, name: str, quantised: Quantised | None):
        self.n, self.parts = (quantised or machine).numbers, (quantised or machine).parts
        self.form, self.name = quantised.form if quantised else "f32", name
        self.letter = "f32" if quantised is None else "q"
        self.chosen: list[str] = []
        self.behind: set[str] = set()  # pieces of a pool behind a projection
        self.plain = False  # the kernel needs to know nothing of an input but its dot products
        self.constants: dict[str, str] = {}
        self.tables: list[tuple[str, str, list[str]]] = []  # name, type, items
        self.scheme = SCHEMES[self.n["scheme"]]
        self.machines = self.n["machines"]

    def take(self, *names: str) -> None:
        """Pieces of this number format, or of any."""
        self.chosen += [f"{self.letter} {name}" if f"{self.letter} {name}" in pieces() else name for name in names]

    def table(self, name: str, items: list | None = None, kind: str | None = None, called: str | None = None) -> None:
        kind = (kind or self.parts.kind(name)).replace("margin_real", "float")
        items = self.parts.array(name) if items is None else items
        self.tables.append((called or name, kind, [c_real(v) if kind == "float" else c_int(v, kind) for v in items]))

    def constant(self, **values) -> None:
        for name, value in values.items():
            self.constants[name] = c_real(value) if isinstance(value, float) else value if isinstance(value, str) else \
                c_int(value, "int32_t" if value < 2**31 else "uint32_t")

    @property
    def bytes(self) -> int:
        return sum(BYTES[kind if kind != "float" else "margin_real"] * len(items) for _, kind, items in self.tables)


def natural(values: list, rows: int, d: int, form: str) -> list:
    """Vectors in blocks of four, as margin.h stores them in integers, row by row instead. Those that fill no block are rows.

    >>> natural([1, 2, 3, 4, 5, 6, 7, 8], 4, 2, "q15"), natural([1, 3, 2, 4, 5, 7, 6, 8], 4, 2, "q7")
    ([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8])
    >>> natural([1, 3, 2, 4, 5, 7, 6, 8, 9, 10], 5, 2, "q7")
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    wide, full = d + d % 2, len(values) // (d + d % 2) // 4 * 4

    def place(v: int, k: int) -> int:
        if v >= full:
            return v * wide + k
        block = v // 4 * 4 * wide + k // 2 * 8
        return block + (v % 4 * 2 + k % 2 if form == "q15" else v % 4 // 2 * 4 + k % 2 * 2 + v % 2)
    return [values[place(v, k)] for v in range(rows) for k in range(d)]


def votes(plan: Plan) -> None:
    """From scores to a class, and to its probability."""
    n, binary, nearest = plan.n, plan.scheme == "binary", plan.scheme == "nearest"
    reject = " reject" if n["reject"] else ""
    word = "pairs" if plan.scheme == "votes" else plan.scheme
    calibrated = n["slope"] != 0
    if nearest and n["classes"] == 1:
        plan.constant(REJECT=n["reject"])
        plan.take("classify near")
        return
    if not binary:
        if reject or word == "pairs" or calibrated and word in ("rest", "nearest"):
            plan.take(f"favour {word}")
        if reject:
            plan.take("margin nearest" if plan.letter == "q" and nearest else "margin")
        plan.take(f"elect {plan.scheme}")
    if plan.letter == "f32" and (calibrated or not binary):
        plan.take("known")
    if reject:
        plan.constant(REJECT=n["reject"])
    kind = "binary" if binary else "nearest" if nearest and plan.letter == "f32" else ""
    plan.take(f"classify {kind}{reject}".replace("  ", " ").strip())
    if calibrated:
        probabilities(plan)
    if plan.scheme == "ordinal":
        plan.take("compare")


def probabilities(plan: Plan) -> None:
    """The probabilities of all classes, and sets of them."""
    n, shares = plan.n, "classes" if plan.scheme in ("rest", "nearest") else "pairs" if needs_pair(plan) else "order"
    plan.constant(SLOPE=n["slope"], INCLUDE=n["include"])
    if plan.letter == "f32":
        plan.take("bits", "exp core", "exp")
    else:
        plan.constant(SCORE_DOWN=n["down"])
        plan.take("mantissa", "line")
    if shares == "order":
        plan.constant(SHIFT=n["shift"])
        curve = bool(plan.parts.array("curve"))
        if curve:
            plan.table("curve")
        plan.take("sigmoid", "odds curve" if curve else "odds")
    if plan.letter == "f32" or shares != "order":
        plan.take("shares")
    if shares == "pairs":
        plan.take("sigmoid", "couple")
    plan.take(f"probabilities {shares}", "set")


def needs_pair(plan: Plan) -> bool:
    return plan.scheme in ("pairs", "votes")


# ---- floats ----

def kernel(plan: Plan) -> None:
    n, kind = plan.n, KERNEL_WORDS[plan.n["kernel"]].replace("_", "-")
    if kind in ("rbf", "unit-poly", "unit-exp", "hinge"):  # lengths, or thresholds
        plan.table("norms")
    if kind in ("rbf", "unit-poly", "unit-exp"):
        plan.take("bits")
    whole = kind == "unit-poly" and n["a"] <= 255 and n["a"] == int(n["a"])
    if kind == "rbf" or kind == "unit-exp" and n["a"] != 1 or kind == "unit-poly" and not whole:
        plan.take("exp core", "exp")
    if kind.startswith("unit"):
        plan.take("sqrt", "half cosine")
    if kind == "poly":
        plan.take("power")
        plan.constant(GAMMA=n["gamma"], COEF0=n["coef0"], DEGREE=f"{n['degree']}u")
    elif kind == "rbf":
        plan.constant(GAMMA=n["gamma"])
    elif whole:
        plan.take("power")
        plan.constant(A=f"{int(n['a'])}u")
        kind += " whole"
    elif kind == "unit-poly":
        plan.take("pow")
        plan.constant(A=n["a"])
    elif kind == "unit-exp" and n["a"] == 1:
        kind += " one"
    elif kind == "unit-exp":
        plan.take("expm1")
        out = (native.DOUBLE * 2)()
        native.device().gen_unit_exp(native.DOUBLE(n["a"]), out)
        plan.constant(LN_A=out[0], A_LESS_1=out[1])
    plan.take(f"kernel {kind}")
    plan.plain = kind in ("linear", "poly", "hinge")  # of no length
    if not plan.plain:
        plan.take("length")


def scaling(plan: Plan) -> None:
    scaled = bool(plan.parts.array("offset"))
    if scaled:
        plan.table("offset")
        plan.table("factor")
    plan.take("input scaled" if scaled else "input raw")


def linear(plan: Plan) -> None:
    plan.table("w")
    plan.table("bias")
    plan.take("scores linear")


def expansion(plan: Plan) -> None:
    plan.table("vectors")
    plan.table("coef")
    plan.table("bias")
    plan.constant(VECTORS=f"{plan.n['n']}u")
    if needs_pair(plan):
        plan.table("class_end")
    scaling(plan)
    kernel(plan)
    plan.take("pool", {"binary": "scores one", "ordinal": "scores ordinal", "rest": "scores rest"}.get(plan.scheme, "scores pairs"))


def behind(plan: Plan, pool, *pieces_before: str) -> None:
    """A pool behind a projection: its pieces see the numbers of the projection in the place of features."""
    picks = plan.n["picks"]
    for name in ("picked",) if picks else ("front", "front_bias"):
        plan.table(name)
    plan.constant(RANK=f"{plan.n['pool_d']}u")
    before = len(plan.chosen)
    pool(plan)
    plan.behind = set(plan.chosen[before:])
    plan.take(*(("pick",) if picks else (*pieces_before, "project")), "scores projected")


def projected(plan: Plan) -> None:
    behind(plan, expansion)


def decision_list(plan: Plan) -> None:
    for name in ("vectors", "coef", "bias", "reach", "target"):
        plan.table(name)
    plan.constant(CUTS=f"{plan.n['width']}u")
    scaling(plan)
    kernel(plan)
    plan.take("pool", "scores list")


def prototypes(plan: Plan) -> None:
    plan.table("vectors")
    plan.table("class_end")
    scaling(plan)
    tangents, nth = plan.n["tangents"], plan.n["nth"]
    if tangents:
        plan.constant(TANGENTS=f"{tangents}u")
    plan.take("distance tangents" if tangents else "distance")
    nearest(plan, nth)


def nearest(plan: Plan, nth: int) -> None:
    if nth > 1:
        plan.constant(NTH=nth)
    plan.take("scores nth" if nth > 1 else "scores nearest")


# ---- integers ----

def used(plan: Plan) -> list[int]:
    """The vectors that have a coefficient: the others fill up blocks of four."""
    width, coef = plan.n["width"], plan.parts.array("coef")
    return [v for v in range(plan.n["n"]) if any(coef[v * width:(v + 1) * width])]


def pool_q(plan: Plan, ends: str | None) -> None:
    """Vectors, coefficients and norms of a pool, without those that fill up; `ends` counts vectors."""
    n, d, width = plan.n, plan.n.get("pool_d", plan.n["d"]), plan.n["width"]
    kept, vectors = used(plan), natural(plan.parts.array("vectors"), n["n"], d, plan.form)
    coef, norms = plan.parts.array("coef"), plan.parts.array("norms")
    plan.table("vectors", [value for v in kept for value in vectors[v * d:(v + 1) * d]])
    plan.table("coef", [value for v in kept for value in coef[v * width:(v + 1) * width]])
    plan.table("bias")
    if plan.parts.array("scales"):
        plan.table("scales")
        plan.take("scale signed")
    if norms:
        plan.table("norms", [norms[v] for v in kept])
    if plan.parts.array("steps"):
        plan.table("steps", [plan.parts.array("steps")[v] for v in kept])
    if ends:
        plan.table(ends, [sum(v < end for v in kept) for end in plan.parts.array(ends)])
    plan.constant(VECTORS=f"{len(kept)}u")


def kernel_q(plan: Plan) -> None:
    n, kind = plan.n, KERNEL_WORDS[plan.n["kernel"]].replace("_", "-")
    plan.constant(UP=n["up"], DOWN=f"{n['kernel_down']}u")
    plan.take("value")
    if kind == "hinge":
        plan.constant(NORM_SHIFT=n["kernel_shift"])
        plan.plain = True
        plan.take("dot", "kernel hinge")
        return
    plan.constant(GAIN=f"{n['gain']}u")
    if kind == "poly":
        plan.constant(BASE_SHIFT=n["kernel_shift"], ADD=n["add"], DEGREE=n["power"])
        plan.plain = True
        plan.take("scale signed", "dot", "kernel poly", "add poly")
        return
    plan.constant(CUT=f"UINT32_C({n['cut']})", NORM_SHIFT=n["kernel_shift"])
    plan.take("scale", "mantissa", "exp", "dot")
    if kind == "rbf":
        plan.constant(REACH=f"UINT32_C({n['reach']})", **({"STEP": f"{n['step']}u"} if n["step"] else {}))
        plan.take("norm", "kernel rbf")
    else:
        plan.take("scale signed", "kernel unit",
                  "kernel unit-poly" if kind == "unit-poly" else f"kernel unit-exp {'below' if n['power'] else 'above'}")


def linear_q(plan: Plan) -> None:
    plan.table("w")
    plan.table("bias")
    if plan.parts.array("scales"):
        plan.table("scales")
        plan.take("scale signed")
    plan.take("row", "scores linear")


def expansion_q(plan: Plan) -> None:
    pool_q(plan, "class_end" if needs_pair(plan) else None)
    kernel_q(plan)
    plan.take({"binary": "scores one", "ordinal": "scores one", "rest": "scores rest"}.get(plan.scheme, "scores pairs"))


def projected_q(plan: Plan) -> None:
    if not plan.n["picks"]:
        plan.table("front_scales")
        plan.constant(FRONT_DOWN=plan.n["front_down"])
    behind(plan, expansion_q, "scale signed")


def list_q(plan: Plan) -> None:
    if plan.n["n"] == 0:  # cuts of a linear kernel
        plan.table("vectors", called="w")
        plan.table("bias")
        plan.take("row", "scores list linear")
    else:
        pool_q(plan, "reach")
        kernel_q(plan)
        plan.take("scores list")
    plan.table("target")
    plan.constant(CUTS=f"{plan.n['width']}u")


def prototypes_q(plan: Plan) -> None:
    n = plan.n
    rows = n["n"] * (1 + n["tangents"])
    plan.table("vectors", natural(plan.parts.array("vectors"), rows, n["d"], plan.form))
    plan.table("constants")
    plan.table("class_end")
    plan.constant(REACH=f"UINT32_C({n['reach']})", UP=n["up"], LEFT=n["left"])
    plan.take("dot", "norm")
    if n["tangents"]:
        plan.table("gains")
        plan.table("downs")
        plan.constant(TANGENTS=f"{n['tangents']}u")
        plan.take("scale")
    plan.take("distance tangents" if n["tangents"] else "distance")
    nearest(plan, n["nth"])


FLOATS = {1: linear, 2: expansion, 3: prototypes, 4: decision_list, 5: projected}
INTEGERS = {1: linear_q, 2: expansion_q, 3: prototypes_q, 4: list_q, 5: projected_q}


# ---- the text ----

def planned(model: Model, name: str, quantised: Quantised | None, body: Body) -> Plan:
    n = (quantised or model.machine).numbers
    makers = INTEGERS if quantised else FLOATS
    if n["kind"] not in makers or n["scheme"] >= len(SCHEMES) or n.get("kernel", 0) >= len(KERNEL_WORDS):
        raise Failure(f"--alone: there is no code for {kind_of(model.machine).words(model.machine.numbers)} yet", model.path)
    plan = Plan(model.machine, name, quantised)
    plan.take("guard")
    if needs_pair(plan):
        plan.take("pair")
    if body.stage:
        for part in ("offset", "factor", "shift"):
            plan.table(f"stage_{part}")
        plan.take("stage")
    makers[n["kind"]](plan)
    if quantised and body.stage:
        plan.take("scores staged")
    votes(plan)
    if body.convert:
        for part, values in zip(("offset", "factor"), body.convert):
            plan.table(f"input_{part}", list(values), "float")
        plan.take("input")
    plan.take("selftest")
    return plan


def specialised(text: str, plan: Plan, body: Body) -> str:
    """Pieces with the types of this model and its name."""
    real, narrow = plan.letter == "f32", any(table == "coef" and kind == "int8_t" for table, kind, _ in plan.tables)
    if any(table == "scales" for table, *_ in plan.tables):
        text = re.sub(r"MODEL_SCALED\(([^()]*)\)", r"model_scale_signed(\1, MODEL_READ_U16(model_scales + j))", text)
    if any(table == "steps" for table, *_ in plan.tables):
        text = text.replace("MODEL_STEP", "MODEL_READ_U16(model_steps + v)")
    for word, value in (("MODEL_READ_COEF", "MODEL_READ_I8" if narrow else "MODEL_READ_I16"), ("MODEL_SCALED(sum)", "sum"),
                        ("MODEL_SCALED(scores[j])", "scores[j]"),
                        ("MODEL_READ_INPUT", "MODEL_READ_F32" if real else "MODEL_READ_I16"),
                        ("MODEL_READ_SCORE", "MODEL_READ_F32" if real else "MODEL_READ_I32"),
                        ("MODEL_READ_VECTOR", "MODEL_READ_I8" if plan.form == "q7" else "MODEL_READ_I16"),
                        (" MODEL_AND_NEAR", " && scores[winner] < FLT_MAX" if plan.scheme == "nearest" else ""),
                        ("MODEL_CHANCE ", "float " if real else "uint16_t "),
                        ("MODEL_INPUT ", "float " if real else "int16_t "), ("MODEL_SCORE ", "float " if real else "int32_t "),
                        ("MODEL_ROW(j)", "0u" if plan.scheme == "ordinal" else "j")):
        text = text.replace(word, value)
    text = text.replace("model_w + 0u * MODEL_FEATURES", "model_w").replace("model.h", f"{plan.name}.h")
    return re.sub(r"\bMODEL_", plan.name.upper() + "_", re.sub(r"\bmodel_", plan.name + "_", text))


# Where the kernel needs to know nothing of an input: what the pieces say about that is left out.
PLAIN = (("    const float nx = model_norm(x);\n", ""), ("float nx, ", ""), (", nx, v)", ", v)"), ("    (void)nx;\n", ""),
         ("; nx = |x|^2. */", ". */"), ("    model_input_q in;\n", ""), ("const model_input_q *in, ", ""), ("    (void)in;\n", ""),
         ("model_kernel(x, &in, v)", "model_kernel(x, v)"), ("    const size_t n = model_measure(x, &in) ? MODEL_VECTORS : 0;\n", ""),
         ("v < n; v++", "v < MODEL_VECTORS; v++"), ("    const int near = model_measure(x, &in);\n", ""), ("; near && v <", "; v <"))


def piece_text(name: str, plan: Plan) -> str:
    """A piece of alone.c as this model needs it; of a pool behind a projection, for the numbers of that."""
    text = pieces()[name]
    if name in plan.behind:
        for old, new in (("MODEL_FEATURES", "MODEL_RANK"), ("model_scaled(x, k)", "x[k]"), ("model_raw_scores", "model_pool_scores"),
                         ("model_scores", "model_pool_scores")):
            text = text.replace(old, new)
    for old, new in PLAIN if plan.plain else ():
        text = text.replace(old, new)
    if "q add poly" not in plan.chosen:  # sums of such a model fit: nothing to limit
        text = re.sub(r"(\S+) =\s+model_add\(\1, (.*)\);", r"\1 += \2;", text)
    if "q scores staged" not in plan.chosen:  # the input goes in as it is
        text = text.replace("model_raw_scores", "model_scores")
    return text


def exponentials(chosen: list[str]) -> list[str]:
    """Powers share the core of the exponential; without them it is one function."""
    if "f32 pow" in chosen:
        return chosen
    return ["f32 exp alone" if name == "f32 exp" else name for name in chosen if name != "f32 exp core"]


def reading(text: str, upper: str) -> list[str]:
    """How tables are read: on an AVR from flash."""
    kinds = [kind for kind in READS if f"{upper}_READ_{kind}(" in text]
    return ["/* Tables stay in flash. On an AVR it takes these macros to place them there, and to read them. */", "#ifdef __AVR__",
            "#include <avr/pgmspace.h>", f"#define {upper}_FLASH PROGMEM",
            *(f"#define {upper}_READ_{kind}(p) {READS[kind][1]}" for kind in kinds), "#else", f"#define {upper}_FLASH",
            *(f"#define {upper}_READ_{kind}(p) (*(p))" for kind in kinds), "#endif"]


def header(model: Model, name: str, quantised: Quantised | None = None, cost: Cost | None = None) -> str:
    """The text of NAME.h, which includes nothing but headers of the compiler."""
    body, shape, upper = export.noted_body(model, quantised, cost), model.machine.shape, name.upper()
    plan, (rows, scores) = planned(model, name, quantised, body), export.tests(model, quantised)
    size, unit = plan.bytes, quantised.report.unit if quantised else None
    plan.constant(TESTS=f"{len(rows)}u")
    kinds = ("float", "float") if quantised is None else ("int16_t", "int32_t")
    plan.table("test_x", [int(v) if quantised else v for row in rows for v in row], kinds[0])
    plan.table("test_scores", [v for row in scores for v in row], kinds[1])
    taken = exponentials(list(dict.fromkeys(plan.chosen)))
    ends = ["f32 end"] if quantised is None else []
    code = [specialised(piece_text(piece, plan), plan, body) for piece in taken]
    guard, code = code[0], code[1:]
    flat = "\n".join(code)
    constants = [f"#define {upper}_FEATURES {shape.d}u", f"#define {upper}_CLASSES {shape.classes}u",
                 f"#define {upper}_MACHINES {shape.machines}u", f"#define {upper}_TABLE_BYTES {size}u",
                 f"#define {upper}_REJECTED ((uint16_t)65535) /* the answer where no class is clear */",
                 *(f"#define {upper}_{key} {value}" for key, value in plan.constants.items())]
    # c_table fills in the number of items; names of tables come from the model's.
    tables = [c_table(f"static const {kind} {name}_{table}[%d] {upper}_FLASH", items) for table, kind, items in plan.tables]
    includes = ["#include <float.h>"] * (quantised is None) + ["#include <stddef.h>", "#include <stdint.h>"]
    blocks = ["\n".join(export.top(model, body, name, size, "all in this file")).replace("MARGIN_REJECTED", f"{upper}_REJECTED"),
              "\n".join([f"#ifndef {upper}_H", f"#define {upper}_H", "", *includes]), guard, "\n".join(constants),
              "\n".join(reading(flat, upper)), *tables, *export.labels(model, name), *code,
              *(specialised(pieces()[piece], plan, body) for piece in ends),
              *(["\n".join(export.value(model, body, name, unit) if model.numbers else export.rank(body, name))] if model.numbers or model.ranks else []),
              "\n".join(export.cxx(model, body, name, unit)), "#endif"]
    return "\n\n".join(blocks).replace("margin_real", "float") + "\n"
