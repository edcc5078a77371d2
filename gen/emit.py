"""emit.py -- the arrays and the struct of a model as C text: what differs between kinds and number formats."""
from __future__ import annotations

from dataclasses import dataclass, field

from .cspell import c_int, c_real
from .native import Machine
from .quant import Quantised

KERNEL_NAMES = ("MARGIN_KERNEL_LINEAR", "MARGIN_KERNEL_POLY", "MARGIN_KERNEL_RBF", "MARGIN_KERNEL_UNIT_POLY",
                "MARGIN_KERNEL_UNIT_EXP")
SCHEME_NAMES = ("MARGIN_SCHEME_BINARY", "MARGIN_SCHEME_ONE_ONE", "MARGIN_SCHEME_ONE_REST", "MARGIN_SCHEME_VOTES")
BYTES = {"margin_real": 4, "int32_t": 4, "uint32_t": 4, "int16_t": 2, "uint16_t": 2, "int8_t": 1, "uint8_t": 1}


@dataclass
class Table:
    """One constant array. An empty one is a null pointer."""
    name: str
    kind: str
    items: list[str]
    aligned: bool = False

    @property
    def bytes(self) -> int:
        return BYTES[self.kind] * len(self.items)


@dataclass
class Body:
    """All that a header needs to know about a model."""
    format: str                # f32, q15, q7
    struct: str                # C type of the model
    tables: list[Table]
    fields: list[str]          # initialiser; {name} stands for a table
    scores: str                # function that works out the scores
    input: str = "margin_real"
    score: str = "margin_real"
    reject: str | None = None  # text of the threshold, if there is one
    notes: list[str] = field(default_factory=list)
    stage: bool = False        # integer models: whether inputs go through a stage of their own
    convert: tuple | None = None  # and from what offset and factor raw values become inputs

    @property
    def bytes(self) -> int:
        return sum(table.bytes for table in self.tables)


def reals(name: str, values: list[float]) -> Table:
    return Table(name, "margin_real", [c_real(v) for v in values])


def vote_fields(machine: Machine) -> str:
    """margin_vote: classes, scheme, reject, slope, shift."""
    s = machine.scalars()
    return (f"{{{c_int(machine.shape.classes)}, {SCHEME_NAMES[machine.shape.scheme]}, {c_real(s['reject'])}, "
            f"{c_real(s['slope'])}, {c_real(s['shift'])}}}")


def reject_text(machine: Machine) -> str | None:
    reject = machine.scalars()["reject"]
    return c_real(reject) if reject > 0 else None


def linear(machine: Machine) -> Body:
    """margin_linear: w, bias, d, vote."""
    tables = [reals("w", machine.array("w")), reals("bias", machine.array("bias"))]
    return Body("f32", "margin_linear", tables, ["{w}", "{bias}", str(machine.shape.d), vote_fields(machine)],
                "margin_linear_scores", reject=reject_text(machine))


def expansion(machine: Machine) -> Body:
    """margin_expansion: vectors, norms, coef, bias, class_end, offset, factor, n, d, kernel, width, vote."""
    shape, s = machine.shape, machine.scalars()
    names = ("vectors", "norms", "coef", "bias")
    ends = Table("class_end", "uint32_t", [c_int(end, "uint32_t") for end in machine.class_ends()])
    tables = [reals(name, machine.array(name)) for name in names] + [ends]
    tables += [reals(name, machine.array(name)) for name in ("offset", "factor")]
    kernel = (f"{{{KERNEL_NAMES[shape.kernel]}, {int(s['degree'])}, {c_real(s['gamma'])}, {c_real(s['coef0'])}, "
              f"{c_real(s['a'])}}}")
    fields = [*(f"{{{table.name}}}" for table in tables), str(shape.vectors), str(shape.d), kernel,
              str(int(s["width"])), vote_fields(machine)]
    return Body("f32", "margin_expansion", tables, fields, "margin_expansion_scores", reject=reject_text(machine))


def body_of(machine: Machine) -> Body:
    return linear(machine) if machine.shape.linear else expansion(machine)


# ---- integer models ----

KERNEL_WORDS = {1: "poly", 2: "rbf", 3: "unit_poly", 4: "unit_exp"}


def whole(q: Quantised, name: str) -> Table:
    kind, values = q.array(name)
    return Table(name, kind, [c_int(v, kind) for v in values], aligned=name == "vectors")


def vote_q(q: Quantised) -> str:
    """margin_vote_q: classes, machines, reject, shift, slope, down, scheme."""
    n = q.numbers
    return (f"{{{n['classes']}, {n['machines']}, {c_int(n['reject'])}, {c_int(n['shift'])}, {n['slope']}, {n['down']}, "
            f"{SCHEME_NAMES[n['scheme']]}}}")


def kernel_q(q: Quantised) -> str:
    """margin_kernel_q: kind, power, shift, up, gain, step, down, cut, reach, add."""
    n = q.numbers
    return (f"{{{KERNEL_NAMES[n['kernel']]}, {n['power']}, {n['kernel_shift']}, {n['up']}, {n['gain']}, {n['step']}, "
            f"{n['kernel_down']}, {c_int(n['cut'], 'uint32_t')}, {c_int(n['reach'], 'uint32_t')}, {c_int(n['add'])}}}")


def integer_body(q: Quantised) -> Body:
    """margin_linear_q: w, bias, stage, d, format, vote; margin_expansion_q: vectors, norms, coef, bias, class_end,
    stage, n, d, width, format, kernel, vote."""
    n, form = q.numbers, f"MARGIN_{q.form.upper()}"
    stage = [whole(q, f"stage_{part}") for part in ("offset", "factor", "shift")] if n["stage"] else []
    if n["kind"] == 1:
        tables, struct, word = [whole(q, "w"), whole(q, "bias")], "margin_linear_q", "linear"
        fields = ["{w}", "{bias}", "{stage}", str(n["d"]), form, vote_q(q)]
    else:
        tables = [whole(q, name) for name in ("vectors", "norms", "coef", "bias", "class_end")]
        fields = [*(f"{{{table.name}}}" for table in tables), "{stage}", str(n["n"]), str(n["d"]), str(n["width"]),
                  form, kernel_q(q), vote_q(q)]
        struct, word = "margin_expansion_q", KERNEL_WORDS[n["kernel"]]
    r = q.report
    notes = [f"{q.form}: on {r.rows} rows scores differ from float by at most {r.worst:.3g}, {r.mean:.2g} on average "
             f"(mean score {r.scale:.3g}), and {r.disagree} labels; a score counts units of {r.unit:.6g}"]
    return Body(q.form, struct, tables + stage, fields, f"margin_{word}_{q.form}_scores", "int16_t", "int32_t",
                c_int(n["reject"]) if n["reject"] else None, notes, bool(n["stage"]), q.input_scaling())
