"""export.py -- a model as a C header: constant arrays, functions of its own, and a test of itself for the device."""
from __future__ import annotations

import textwrap

from . import emit, kinds, methods, native
from .compress import Cost
from .cost import shape_of, worst_words
from .cspell import c_comment, c_int, c_real, c_table, c_text, identifier
from .emit import Body
from .model import Model
from .output import percent
from .quant import Quantised, rows_of

FORMAT = 5  # MARGIN_MODEL_FORMAT of the margin.h that goes with this


def paragraph(head: str, text: str) -> list[str]:
    """Lines of a comment: a word in front, the text beside it.

    >>> paragraph("size", "124 bytes")
    [' * size      124 bytes']
    """
    lines = textwrap.wrap(c_comment(text), 86, break_on_hyphens=False) or [""]
    return [f" * {head if i == 0 else '':<9} {line}".rstrip() for i, line in enumerate(lines)]


def training_words(notes: dict) -> str:
    if "method" in notes:
        scale = notes.get("options", {}).get("scale", "standard")
        return f"{methods.describe(notes['method'], notes.get('options', {}))}, {scale} scaling; {notes.get('n')} rows"
    return notes.get("origin", "not known")


def error_words(notes: dict) -> str:
    """
    >>> error_words({"train_error": 0.01, "train_error_pos": 0.02, "error_mean": 0.03, "error_sd": 0.004})
    'training 1 % (positive class 2 %); cross-validation 3 % +- 0.4 %'
    """
    parts = []
    for key, words in (("train_error", "training"), ("test_error", "test")):
        if key in notes:
            classes = [f"{word} class {percent(notes[f'{key}_{sign}'])}"
                       for sign, word in (("pos", "positive"), ("neg", "negative")) if f"{key}_{sign}" in notes]
            parts.append(f"{words} {percent(notes[key])}" + (f" ({', '.join(classes)})" if classes else ""))
    if "error_mean" in notes:
        parts.append(f"cross-validation {percent(notes['error_mean'])} +- {percent(notes.get('error_sd'))}")
    parts += [f"Kendall's tau {words} {notes[key]:.4g}" for key, words in (
        ("kendall_tau_train", "training"), ("kendall_tau_test", "test")) if notes.get(key) is not None]
    parts += [f"root mean square error {words} {notes[key]:.4g}" for key, words in (("rmse_train", "training"), ("rmse_test", "test"))
              if notes.get(key) is not None]
    if notes.get("half_width") is not None:
        parts.append(f"{percent(1 - notes.get('outside_promised', 0))} of answers within {notes['half_width']:.4g} of the target")
    if notes.get("false_alarm_rate_promised") is not None:
        parts.append(f"false alarms promised {percent(notes['false_alarm_rate_promised'])}")
    return "; ".join(parts) or "not known"


def value(model: Model, body: Body, name: str, unit: float | None) -> list[str]:
    """Regression: the answer in units of the target, and half the width of its interval where that is known."""
    half, upper = model.notes.get("half_width"), name.upper()
    times = "" if unit is None else f" * {upper}_UNIT"
    return [*([f"#define {upper}_UNIT {c_real(unit)} /* of scores: times this they are in units of the target */"] if unit else []),
            *([f"#define {upper}_HALF_WIDTH {c_real(half)} /* the target is within this of the value, but for "
               f"{percent(model.notes.get('outside_promised', 0))} */"] if half is not None else []),
            "/* The number that is answered to x, in units of the target. */",
            f"static inline {'float' if unit else body.score} {name}_value(const {body.input} *x)", "{",
            f"    {body.score} score;", f"    {name}_scores(x, &score);",
            f"    return {'(float)' if unit else ''}score{times};", "}"]


def rank(body: Body, name: str) -> list[str]:
    """Numbers by their mean rank: see margin_omam_train for the formula."""
    whole = body.score != "margin_real"
    kind, unit = ("int32_t", ", in 2^-15") if whole else ("margin_real", "")
    lines = [f"    const int64_t mass = 2 * (int64_t)scores[1] - scores[2];",
             "    return mass > 0 ? (int32_t)((int64_t)scores[2] * 32768 / (3 * mass)) : 0;"] if whole else \
            ["    const margin_real mass = 2 * scores[1] - scores[2];", "    return mass > 0 ? scores[2] / (3 * mass) : 0;"]
    return [f"/* The mean rank of the samples around x, from -1 to 1{unit}: it orders inputs. */",
            f"static inline {kind} {name}_rank(const {body.input} *x)", "{", f"    {body.score} scores[{name.upper()}_MACHINES];",
            f"    {name}_scores(x, scores);", *lines, "}"]


def top(model: Model, body: Body, name: str, size: int, needs: str, worst: list | None = None) -> list[str]:
    """The comment at the top. `size` is that of the tables, `needs` what the header is for or needs, `worst` what a call
    takes at most, as heads and texts."""
    shape, notes = model.machine.shape, model.notes
    kind = kinds.describe(model.machine)
    inputs = f"{shape.d} raw values ({body.input})" if not body.convert else \
        f"{shape.d} int16_t, made of raw values by {name}_input or in the same way"
    if "names" in notes:
        inputs += ": " + ", ".join(map(str, notes["names"]))
    classes = ", ".join(f"{i} = {label}" for i, label in enumerate(model.labels))
    if shape.ordinal:
        classes = f"in order: {classes}" if shape.classes > 1 else f"none: {name}_value(x) is a number in units of the target" \
            if model.numbers else "none: the score orders inputs"
    if model.ranks:
        classes = f"levels of the mean rank, which is {name}_rank(x): {classes}"
    lines = [f"/* {name}.h -- {kind}, {needs}. Written by the generator: do not edit, export it again.", " *"]
    for head, text in (("trained", training_words(notes)), ("errors", error_words(notes)), ("inputs", inputs),
                       ("classes", classes), ("size", f"{size} bytes of tables that the predictor reads, number format {body.format}"),
                       *(worst or []), ("image", f"sha256 {model.sha256}"), *(("note", note) for note in body.notes)):
        lines += paragraph(head, text)
    answer = f"{name}_value(x) is the number that the model answers to x, in units of the target." if model.numbers else \
        f"{name}_classify(x) is the class c of x, or MARGIN_REJECTED; {name}_labels[c] is the name of a class."
    use = (f"{answer} {name}_selftest() is 0 when this machine computes the same bits as the one that wrote this file.")
    return [*lines, " *", *paragraph("USE", use), " */"]


def guard(name: str) -> list[str]:
    upper = name.upper()
    words = f"{name}.h needs model format {FORMAT}: export it again with the generator of this margin.h"
    return [f"#ifndef {upper}_H", f"#define {upper}_H", "", "#ifndef MARGIN_H", '#include "margin.h"', "#endif", "",
            f"#if !defined(MARGIN_MODEL_FORMAT) || MARGIN_MODEL_FORMAT != {FORMAT}", f'#error "{words}"', "#endif"]


def single_precision(name: str) -> list[str]:
    return ["#ifdef MARGIN_REAL_DOUBLE", f'#error "{name}.h is a model in float: compile without MARGIN_REAL_DOUBLE"',
            "#endif"]


def constants(model: Model, body: Body, name: str) -> list[str]:
    shape, upper = model.machine.shape, name.upper()
    return [f"#define {upper}_FEATURES {shape.d}", f"#define {upper}_CLASSES {shape.classes}",
            f"#define {upper}_MACHINES {shape.machines}", f"#define {upper}_TABLE_BYTES {body.bytes}",
            *([f"#define {upper}_RANK {model.machine.numbers['pool_d']}"] if body.project else [])]


def tables(body: Body, name: str) -> list[str]:
    align = {True: " MARGIN_WORD_ALIGNED", False: ""}
    return [c_table(f"static const {t.kind} {name}_{t.name}[%d]{align[t.aligned]} MARGIN_FLASH", t.items)
            for t in body.tables if t.values]


def spell_fields(fields: list, names: dict[str, str]) -> str:
    """
    >>> spell_fields(["{w}", ["{bias}", "2"], "{3}"], {"w": "gate_w", "bias": "0"})
    'gate_w, {0, 2}, {3}'
    """
    return ", ".join(f"{{{spell_fields(field, names)}}}" if isinstance(field, list) else
                     names.get(field[1:-1], field) if field[:1] == "{" else field for field in fields)


def struct(body: Body, name: str) -> list[str]:
    names = {t.name: f"{name}_{t.name}" if t.values else "0" for t in body.tables}
    names["stage"] = f"&{name}_stage" if body.stage else "0"
    stage = [f"static const margin_stage_q {name}_stage = {{{name}_stage_offset, {name}_stage_factor, "
             f"{name}_stage_shift}};", ""] if body.stage else []
    lines = textwrap.wrap(spell_fields(body.fields, names), 94, break_long_words=False, break_on_hyphens=False)
    return [*stage, f"static const {body.struct} {name}_model = {{", *("    " + line for line in lines), "};"]


def labels(model: Model, name: str) -> list[str]:
    return [c_table(f"static const char *const {name}_labels[%d]", [c_text(label) for label in model.labels])]


def functions(model: Model, body: Body, name: str) -> list[str]:
    shape, upper = model.machine.shape, name.upper()
    what = f"Scores of all {shape.machines} machines" if shape.machines > 1 else "The score of x, positive for class 1"
    if shape.ordinal:
        what = "The score of x, which orders inputs" if shape.machines == 1 else \
            f"The score of x above each of {shape.machines} thresholds: the first one orders inputs"
    only = "_score_" in body.scores
    staged = f"margin_prepare_q(&{name}_stage, {upper}_FEATURES, x, work)"
    taken, model_of = staged if body.stage else "x", f"&{name}_model"
    project = []
    if body.project:
        project = [f"    {body.project}(&{name}_model, {taken}, z);"]
        taken, model_of = "z", f"&{name}_model.pool"
    lines = [f"/* {what}. */", f"static inline void {name}_scores(const {body.input} *x, {body.score} *scores)", "{",
              *([f"    int16_t work[{upper}_FEATURES];"] if body.stage else []),
              *([f"    {body.input} z[{upper}_RANK];"] if body.project else []), *project,
              f"    {'*scores = ' if only else ''}{body.scores}({model_of}, {taken}"
              f"{'' if only else ', scores'});", "}", ""]
    if shape.near:
        lines[0] = f"/* The squared distance of x from what is normal, which has at most {body.reject}. */"
    rejected = "" if shape.near else ", or MARGIN_REJECTED where it is not clear" if body.reject else \
        ", or MARGIN_REJECTED where the scores are not numbers" if body.format == "f32" else ""
    lines += [f"/* The class of x, 0 .. {shape.classes - 1}{rejected}. */",
              f"static inline uint16_t {name}_classify(const {body.input} *x)", "{",
              f"    {body.score} scores[{upper}_MACHINES];", *(["    uint16_t best = 0, c;"] if body.elect and not shape.binary else []), f"    {name}_scores(x, scores);"]
    q = "" if body.format == "f32" else "_q"
    if shape.binary and body.reject:
        lines += [f"    if (!(scores[0] >= {body.reject} || -scores[0] >= {body.reject})) {{",
                  "        return MARGIN_REJECTED;", "    }"]
    winner = f"margin_decide{q}(&{name}_model.{body.vote}, scores)"
    if body.elect and not shape.binary:
        lines += elect(body.elect, f"{upper}_CLASSES")
        winner = "best"
    if shape.near:
        winner = f"scores[0] <= {body.reject} ? 1 : 0"
    if shape.binary:  # what is neither is not a number
        winner = "scores[0] > 0 ? 1 : 0" if q or body.reject else elect("two f32", "2")[0].split(" = ")[1].rstrip(";")
    lines += [f"    return {winner};", "}"]
    if body.find and not shape.near:
        function, found = body.find
        room = [f"    {body.score} scores[{upper}_MACHINES];"] if q else []
        lines += ["", "/* The nearest class and the next, their distances and how clear the answer is: see margin.h. */",
                  f"static inline void {name}_find(const {body.input} *x, {found} *found)", "{",
                  *([f"    int16_t work[{upper}_FEATURES];"] if body.stage else []), *room,
                  f"    {function}(&{name}_model, {staged if body.stage else 'x'}, {'scores, ' if q else ''}found);", "}"]
    if shape.ordinal:
        lines += ["", "/* -1, 0 or 1: x is below, equal to or above z. */",
                  f"static inline int {name}_compare(const {body.input} *x, const {body.input} *z)", "{",
                  f"    {body.score} of_x[{upper}_MACHINES], of_z[{upper}_MACHINES];", f"    {name}_scores(x, of_x);",
                  f"    {name}_scores(z, of_z);",
                  "    return (of_x[0] > of_z[0] ? 1 : 0) - (of_x[0] < of_z[0] ? 1 : 0);", "}"]
    if model.machine.calibrated:
        kind, unit = ("uint16_t", ", in 2^-15") if q else ("margin_real", "")
        lines += ["", f"/* The probabilities of all classes of x{unit}, calibrated by cross-validation. */",
                  f"static inline void {name}_probabilities(const {body.input} *x, {kind} *p)", "{",
                  f"    {body.score} scores[{upper}_MACHINES];", f"    {name}_scores(x, scores);",
                  f"    margin_probabilities{q}(&{name}_model.{body.vote}, scores, p);", "}", "",
                  "/* The prediction set of x: the classes that are probable enough, in `members`; returns how many, which can be",
                  " * none. Sets hold the true class as often as was asked for at calibration. */",
                  f"static inline size_t {name}_set(const {body.input} *x, uint16_t *members)", "{",
                  f"    {kind} p[{upper}_CLASSES];", "    size_t count = 0;", f"    {name}_probabilities(x, p);",
                  f"    for (size_t c = 0; c < {upper}_CLASSES; c++) {{",
                  f"        if (p[c] >= {name}_model.{body.vote}.include) {{", "            members[count++] = (uint16_t)c;", "        }",
                  "    }", "    return count;", "}"]
    return lines + (conversion(body, name) if body.convert else [])


def elect(word: str, classes: str) -> list[str]:
    """Lines that set `best`, which is 0, to the class that the scores favour, as margin_decide has it: where that takes one comparison
    a class, they are a tenth of the code of a function that knows all schemes."""
    if word == "two f32":
        return ["    best = scores[0] > 0 ? 1 : scores[0] <= 0 ? 0 : MARGIN_REJECTED;"]
    if word == "order":
        return [f"    for (c = 0; c + 1 < {classes} && scores[c] > 0; c++) {{", "        best++;", "    }"]
    sign, first = "<" if word == "nearest" else ">", 0 if word == "rest f32" else 1
    unknown = ["        } else if (!(scores[best] >= scores[c])) {", "            return MARGIN_REJECTED;"] if word == "rest f32" else []
    return [f"    for (c = {first}; c < {classes}; c++) {{", f"        if (scores[c] {sign} scores[best]) {{", "            best = c;", *unknown,
            "        }", "    }"]


def conversion(body: Body, name: str) -> list[str]:
    """For boards that have floats: raw values to the integers that the model takes."""
    upper, (offset, factor) = name.upper(), body.convert
    return ["", f"/* The inputs of {name}_classify out of raw values: (raw - offset) * factor, rounded and limited. */",
            c_table(f"static const margin_real {name}_input_offset[%d] MARGIN_FLASH", [c_real(v) for v in offset]),
            c_table(f"static const margin_real {name}_input_factor[%d] MARGIN_FLASH", [c_real(v) for v in factor]),
            f"static inline void {name}_input(const margin_real *raw, int16_t *x)", "{",
            f"    const margin_scaling input = {{{name}_input_offset, {name}_input_factor, {upper}_FEATURES}};",
            "    margin_input_q(&input, raw, x);", "}"]


def selftest(model: Model, body: Body, name: str, rows: list, scores: list) -> list[str]:
    """Inputs with the scores that this machine found, compared as numbers: equal bits, but for the sign of a zero."""
    upper, d, m = name.upper(), model.machine.shape.d, model.machine.shape.machines
    spell = c_real if body.score == "margin_real" else c_int
    enter = c_real if body.input == "margin_real" else (lambda v: c_int(int(v), "int16_t"))
    return [c_table(f"static const {body.input} {name}_test_x[{len(rows)} * {upper}_FEATURES] MARGIN_FLASH",
                    [enter(v) for row in rows for v in row]),
            c_table(f"static const {body.score} {name}_test_scores[{len(rows)} * {upper}_MACHINES] MARGIN_FLASH",
                    [spell(v) for row in scores for v in row]), "",
            f"/* 0: all {len(rows)} inputs give exactly the scores of the machine that made this file; else the number",
            " * of the first that does not, from 1. */",
            f"static inline int {name}_selftest(void)", "{",
            f"    {body.input} x[{upper}_FEATURES];", f"    {body.score} scores[{upper}_MACHINES];",
            "    int i, j;",
            f"    for (i = 0; i < {len(rows)}; i++) {{",
            f"        for (j = 0; j < {d}; j++) {{",
            f"            x[j] = MARGIN_LOAD({body.input}, {name}_test_x + i * {d} + j);",
            "        }",
            f"        {name}_scores(x, scores);",
            f"        for (j = 0; j < {m}; j++) {{",
            f"            const {body.score} expected = MARGIN_LOAD({body.score}, {name}_test_scores + i * {m} + j);",
            "            if (!(scores[j] <= expected && scores[j] >= expected)) {",
            "                return i + 1;",
            "            }",
            "        }",
            "    }",
            "    return 0;",
            "}"]


def class_name(name: str) -> str:
    """The name of the class in C++.

    >>> class_name("gate_rbf"), class_name("model")
    ('GateRbf', 'Model')
    """
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def cxx(model: Model, body: Body, name: str, unit: float | None) -> list[str]:
    """A class for C++ around the functions. Any array type with a size that is known will do: std::array is not named, since
    small targets have no <array>. Nothing of it is left at run time."""
    upper, own, x, q = name.upper(), class_name(name), body.input, body.format != "f32"
    array, check = "template <typename X, template <typename, size_t> class Array, size_t N>", \
        f'static_assert(N == features, "{own} takes {upper}_FEATURES values");'
    fills = [("scores", body.score, "machines", f"{upper}_MACHINES scores")]
    if model.machine.calibrated:
        fills.append(("probabilities", "uint16_t" if q else body.score, "classes", f"{upper}_CLASSES probabilities"))
    lines = ["/* In C++: the same, for std::array and arrays, whose sizes the compiler checks. */",
             "#if defined(__cplusplus) && __cplusplus >= 201103L", f"struct {own} {{",
             f"    static constexpr size_t features = {upper}_FEATURES, classes = {upper}_CLASSES, machines = {upper}_MACHINES;",
             f"    template <typename X> static uint16_t classify(const X &x) {{ return {name}_classify(in(x)); }}"]
    if model.numbers:
        kind = "float" if unit else body.score
        lines.append(f"    template <typename X> static {kind} value(const X &x) {{ return {name}_value(in(x)); }}")
    for verb, kind, size, words in fills:
        lines += [f"    {array}", f"    static void {verb}(const X &x, Array<{kind}, N> &out) {{",
                  f'        static_assert(N == {size}, "{own} gives {words}");', f"        {name}_{verb}(in(x), out.data());", "    }"]
    return [*lines, f'    static const char *label(uint16_t c) {{ return c < classes ? {name}_labels[c] : "no class"; }}',
            f"    static int selftest() {{ return {name}_selftest(); }}", "private:",
            f"    template <size_t N> static const {x} *in(const {x} (&x)[N]) {{", f"        {check}", "        return x;", "    }",
            "    template <template <typename, size_t> class Array, size_t N>", f"    static const {x} *in(const Array<{x}, N> &x) {{",
            f"        {check}", "        return x.data();", "    }", "};", "#endif"]


def noted_body(model: Model, quantised: Quantised | None, cost: Cost | None) -> Body:
    """The body of a model, with notes on what became of it."""
    body = emit.integer_body(quantised) if quantised else emit.body_of(model.machine)
    if "compressed_from" in model.notes:
        body.notes.append(f"compressed from {model.notes['compressed_from']} vectors; the errors above are from before")
    if cost is not None:
        body.notes.append(f"beside the whole model in f32, on {cost.rows} rows: {cost.words()}")
    return body


def header(model: Model, name: str, quantised: Quantised | None = None, cost: Cost | None = None) -> str:
    """The text of NAME.h; a pure function of the model, and of what it costs beside another one if that is told."""
    body, unit = noted_body(model, quantised, cost), quantised.report.unit if quantised else None
    rows, scores = tests(model, quantised)
    worst = worst_words(shape_of(model, body.format, quantised, body))
    blocks = [top(model, body, name, body.bytes, "for margin.h", worst), guard(name), single_precision(name) if body.score == "margin_real" else [],
              constants(model, body, name), *([block] for block in tables(body, name)), struct(body, name),
              labels(model, name), functions(model, body, name),
              value(model, body, name, unit) if model.numbers else rank(body, name) if model.ranks else [], selftest(model, body, name, rows, scores),
              cxx(model, body, name, unit),
              ["#endif"]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def tests(model: Model, quantised: Quantised | None) -> tuple[list, list]:
    """Inputs of the self-test, and their scores."""
    rows = test_rows(model)
    if quantised is None:
        scores = model.machine.scores(rows)
        native.check_scores([score for row in scores for score in row], model.path)
        return rows, scores
    d, inputs = model.machine.shape.d, quantised.inputs(rows_of(rows))
    return [list(inputs[i:i + d]) for i in range(0, len(inputs), d)], quantised.scores(inputs)


TESTS = 4


def test_rows(model: Model) -> list[list[float]]:
    """Inputs for the self-test: rows of the training data from the notes, else the vectors, else simple numbers."""
    machine, d = model.machine, model.machine.shape.d
    noted = model.sample()
    if noted:
        return noted[:TESTS]
    own = kinds.kind_of(machine).rows(machine)
    if own:
        return own[::max(len(own) // TESTS, 1)][:TESTS]
    return [[0.0] * d, [1.0] * d, [(-1.0) ** i for i in range(d)], [0.25 * i for i in range(d)]]


def name_of(path: str) -> str:
    """The prefix for a file: its name without the ending.

    >>> name_of("build/my-gate.h"), name_of("model.h")
    ('my_gate', 'model')
    """
    return identifier(path.replace("\\\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0])
