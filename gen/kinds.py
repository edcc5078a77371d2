"""kinds.py -- the kinds of models: how each is called, described and spelled in C. One entry a kind; see gen/__init__.py
for how to add one. What arrays and numbers a kind has stands in native.c, gen_dissect."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from .options import KERNELS


@dataclass(frozen=True)
class Kind:
    """A kind of models in floats. `fields` is the initialiser of the struct: names of arrays and numbers of native.c,
    and what emit.py knows how to spell: vote, kernel; a struct within it in parentheses."""
    word: str                                  # for people and for the JSON of info
    struct: str                                # type in C
    scores: str                                # function (model, x, scores) in C
    fields: str
    words: Callable[[dict], str]               # what it is, out of its numbers
    rows: Callable[[object], list] = field(default=lambda machine: [])  # raw inputs that suit a test, if it has any
    vote: str = "vote"                         # where the struct has its margin_vote
    body: Callable | None = None               # emit.Body of a machine, where `fields` does not do: nested structs


def kernel_words(numbers: dict) -> str:
    """
    >>> kernel_words({"kernel": 2, "n": 9})
    'rbf kernel, 9 vectors'
    """
    return f"{KERNELS[numbers['kernel']]} kernel, {numbers['n']} vectors"


def list_words(numbers: dict) -> str:
    """
    >>> list_words({"kernel": 0, "n": 3, "width": 3})
    'list of 2 cuts and a machine, linear kernel, 3 vectors'
    """
    cuts = numbers["width"] - 1
    return f"list of {cuts} cut{'s' if cuts != 1 else ''} and a machine, {kernel_words(numbers)}"


def pool_rows(machine) -> list[list[float]]:
    """The vectors of an expansion, as raw inputs."""
    d, vectors, offset, factor = machine.shape.d, *(machine.array(name) for name in ("vectors", "offset", "factor"))
    rows = [vectors[i:i + d] for i in range(0, len(vectors), d)]
    return [[v / f + o if f else o for v, f, o in zip(row, factor, offset)] for row in rows] if offset else rows


def centroid_rows(machine) -> list[list[float]]:
    """The centroids of prototypes, as raw inputs."""
    d, step = machine.shape.d, machine.shape.d * (1 + machine.numbers["tangents"])
    vectors, offset, factor = (machine.array(name) for name in ("vectors", "offset", "factor"))
    rows = [vectors[i:i + d] for i in range(0, len(vectors), step)]
    return [[v / f + o if f else o for v, f, o in zip(row, factor, offset)] for row in rows] if offset else rows


KINDS = {  # by MARGIN_MODEL_...
    1: Kind("linear", "margin_linear", "margin_linear_scores", "w bias d vote", lambda numbers: "linear classifier"),
    2: Kind("expansion", "margin_expansion", "margin_expansion_scores",
            "vectors norms coef bias class_end offset factor n d kernel width vote", kernel_words, pool_rows),
    3: Kind("prototypes", "margin_proto", "margin_proto_scores",
            "vectors exits class_end offset factor n d tangents nth vote",
            lambda numbers: f"{numbers['n']} prototypes with {numbers['tangents']} tangents each", centroid_rows),
    4: Kind("list", "margin_list", "margin_list_scores",
            "( vectors norms coef bias class_end offset factor n d kernel width vote ) reach target", list_words, pool_rows,
            vote="pool.vote"),
}

# In integers: struct and fields; `stage` and the format are spelled by emit.py. A kind that is not here has no such form.
INTEGER_KINDS = {
    1: ("margin_linear_q", "w bias stage d format vote"),
    2: ("margin_expansion_q", "vectors norms coef scales bias class_end stage n d width format kernel vote"),
    3: ("margin_proto_q", "vectors constants gains downs class_end stage reach n d tangents nth up left format vote"),
    4: ("margin_list_q", "( vectors norms coef scales bias class_end stage n d width format kernel vote ) cut_reach target"),
}


def kind_of(machine) -> Kind:
    return KINDS[machine.shape.kind]


def describe(machine) -> str:
    return kind_of(machine).words(machine.numbers)
