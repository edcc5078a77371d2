"""emit.py -- the arrays and the struct of a model as C text: what differs between kinds and number formats."""
from __future__ import annotations

from dataclasses import dataclass, field

from .cspell import c_int, c_real
from .kinds import KINDS, kind_of
from .native import Machine, Parts
from .quant import Quantised

KERNEL_NAMES = ("MARGIN_KERNEL_LINEAR", "MARGIN_KERNEL_POLY", "MARGIN_KERNEL_RBF", "MARGIN_KERNEL_UNIT_POLY",
                "MARGIN_KERNEL_UNIT_EXP", "MARGIN_KERNEL_HINGE")
KERNEL_WORDS = ("linear", "poly", "rbf", "unit_poly", "unit_exp", "hinge")
SCHEME_NAMES = ("MARGIN_SCHEME_BINARY", "MARGIN_SCHEME_ONE_ONE", "MARGIN_SCHEME_ONE_REST", "MARGIN_SCHEME_VOTES",
                "MARGIN_SCHEME_ORDINAL", "MARGIN_SCHEME_NEAREST")
BYTES = {"margin_real": 4, "int32_t": 4, "uint32_t": 4, "int16_t": 2, "uint16_t": 2, "int8_t": 1, "uint8_t": 1}


@dataclass
class Table:
    """One constant array. An empty one is a null pointer."""
    name: str
    kind: str
    values: list
    aligned: bool = False

    @property
    def items(self) -> list[str]:
        """The numbers as C text."""
        return [c_real(v) if self.kind == "margin_real" else c_int(v, self.kind) for v in self.values]

    @property
    def bytes(self) -> int:
        return BYTES[self.kind] * len(self.values)


# By scheme, of scores in floats and in integers. Floats may be NaN, and distances infinite: most of these go to margin_decide.
ELECT = {"MARGIN_SCHEME_BINARY": "two f32", "MARGIN_SCHEME_ONE_REST": "rest f32"}
ELECT_Q = {"MARGIN_SCHEME_ONE_REST": "rest", "MARGIN_SCHEME_NEAREST": "nearest", "MARGIN_SCHEME_ORDINAL": "order"}


def elected(n: dict, integers: bool) -> str:
    """How the class follows from the scores of a model with these numbers, for Body.elect."""
    word = (ELECT_Q if integers else ELECT).get(SCHEME_NAMES[n["scheme"]], "")
    return word if (n["machines"] > 1 and not n["reject"] > 0) or word == "two f32" else ""


@dataclass
class Body:
    """All that a header needs to know about a model."""
    format: str                # f32, q15, q7
    struct: str                # C type of the model
    tables: list[Table]
    fields: list               # initialiser; {name} stands for a table, a list for a struct
    scores: str                # function that works out the scores, or returns the only one: .._score_FORMAT
    input: str = "margin_real"
    score: str = "margin_real"
    reject: str | None = None  # text of the threshold, if there is one
    vote: str = "vote"         # where the struct has it
    notes: list[str] = field(default_factory=list)
    stage: bool = False        # integer models: whether inputs go through a stage of their own
    convert: tuple | None = None  # and from what offset and factor raw values become inputs
    project: str = ""          # function that comes before `scores`, which then take its numbers and the pool of the model
    elect: str = ""            # how the class follows from several scores, where that is simple: see ELECT
    find: tuple | None = None  # prototypes: the function that finds the two nearest classes, and the type of its answer

    @property
    def bytes(self) -> int:
        return sum(table.bytes for table in self.tables)


def table_of(parts: Parts, name: str, aligned: bool = False) -> Table:
    """An array of a model as it stands in C."""
    return Table(name, parts.kind(name), parts.array(name), aligned)


ENUMS = {"kernel": KERNEL_NAMES, "scheme": SCHEME_NAMES, "format": {15: "MARGIN_Q15", 7: "MARGIN_Q7"}}


def spelled(name: str, kind: str, value) -> str:
    """A number of a struct as C text.

    >>> spelled("kernel", "uint8_t", 2), spelled("cut", "uint32_t", 7), spelled("n", "size_t", 7), spelled("a", "margin_real", 2.0)
    ('MARGIN_KERNEL_RBF', '7u', '7', '2.0f')
    """
    if name in ENUMS:
        return ENUMS[name][value]
    if kind == "margin_real":
        return c_real(value)
    return c_int(value, "uint32_t") if kind == "uint32_t" else c_int(value)


def initialiser(parts: Parts) -> tuple[list[Table], list]:
    """The tables, and the members of the struct in their order; a list for a struct within it."""
    tables, members, integers = [], [], "format" in parts.numbers
    for path, name, kind, is_array in parts.fields:
        inner = members
        for struct in path.split(".")[:-1]:
            if not (inner and isinstance(inner[-1], Struct) and inner[-1].name == struct):
                inner.append(Struct(struct))
            inner = inner[-1]
        if is_array:
            tables.append(table_of(parts, name, aligned=integers and name == "vectors"))
        inner.append(f"{{{name}}}" if is_array or name == "stage" else spelled(name, kind, parts.numbers[name]))
    return tables, members


class Struct(list):
    """The members of a struct within a struct."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name


# ---- floats ----

def body_of(machine: Machine) -> Body:
    kind, n = kind_of(machine), machine.numbers
    tables, members = initialiser(machine.parts)
    projected = kind.word == "projection"
    scores = kind.scores
    if (n["kind"] == 2 or projected) and n["kernel"] != 0:  # a kernel's own, not all of them
        scores = f"margin_{KERNEL_WORDS[n['kernel']].split('_')[0]}_scores"
    return Body("f32", kind.struct, tables, members, scores, reject=c_real(n["reject"]) if n["reject"] > 0 else None,
                vote=kind.vote, project=("margin_pick" if n["picks"] else "margin_project") if projected else "", elect=elected(n, False), find=("margin_proto_find", "margin_proto_found") if kind.word == "prototypes" else None)


# ---- integers ----

def integer_body(q: Quantised) -> Body:
    n, r = q.numbers, q.report
    tables, members = initialiser(q.parts)
    stage = [table_of(q.parts, f"stage_{part}") for part in ("offset", "factor", "shift")] if n["stage"] else []
    notes = [f"scores count units of {r.unit:.6g}"]
    word = "proto" if n["kind"] == 3 else KERNEL_WORDS[n.get("kernel", 0)]
    if n["kind"] == 1 and q.parts.array("scales"):
        word = "scaled"
    verb = "score" if n["kind"] in (2, 5) and n["machines"] == 1 else "scores"  # of one machine, the function returns it
    scores = f"margin_list_{word}_ask_{q.form}" if n["kind"] == 4 else f"margin_{word}_{verb}_{q.form}"
    return Body(q.form, KINDS[n["kind"]].struct + "_q", tables + stage, members, scores, "int16_t", "int32_t",
                c_int(n["reject"]) if n["reject"] else None, vote=KINDS[n["kind"]].vote, notes=notes,
                stage=bool(n["stage"]), convert=q.input_scaling(),
                project="" if n["kind"] != 5 else "margin_pick_q" if n["picks"] else f"margin_project_{q.form}",
                elect=elected(n, True), find=(f"margin_proto_find_{q.form}", "margin_proto_found_q") if word == "proto" else None)
