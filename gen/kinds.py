"""kinds.py -- the kinds of models: how each is called, described and spelled in C. One entry a kind; see gen/__init__.py
for how to add one. What a kind is made of stands in C alone: margin_impl.h, >>kinds."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from .options import KERNELS


@dataclass(frozen=True)
class Kind:
    """A kind of models. Its integer form, if it has one, is the struct of the same name with _q behind it."""
    word: str                                  # for people and for the JSON of info
    struct: str                                # type in C
    scores: str                                # function (model, x, scores) in C
    words: Callable[[dict], str]               # what it is, out of its numbers
    rows: Callable[[object], list] = field(default=lambda machine: [])  # raw inputs that suit a test, if it has any
    vote: str = "vote"                         # where the struct has its margin_vote
    integers: bool = True                      # whether there is a form in q15 and q7


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


def projected_words(numbers: dict) -> str:
    """
    >>> projected_words({"kernel": 5, "n": 40, "d": 64, "pool_d": 12})
    'projection of 64 features to 12 numbers, hinge kernel, 40 vectors'
    >>> projected_words({"kernel": 5, "n": 40, "d": 64, "pool_d": 12, "picks": 1})
    '12 of 64 features, hinge kernel, 40 vectors'
    """
    if numbers.get("picks"):
        return f"{numbers['pool_d']} of {numbers['d']} features, {kernel_words(numbers)}"
    return f"projection of {numbers['d']} features to {numbers['pool_d']} numbers, {kernel_words(numbers)}"


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
    1: Kind("linear", "margin_linear", "margin_linear_scores", lambda numbers: "linear classifier" if numbers["classes"] > 1 else "linear model"),
    2: Kind("expansion", "margin_expansion", "margin_expansion_scores", kernel_words, pool_rows),
    3: Kind("prototypes", "margin_proto", "margin_proto_scores",
            lambda numbers: f"{numbers['n']} prototypes with {numbers['tangents']} tangents each", centroid_rows),
    4: Kind("list", "margin_list", "margin_list_ask", list_words, pool_rows, vote="pool.vote"),
    5: Kind("projection", "margin_projected", "margin_expansion_scores", projected_words, vote="pool.vote"),
}


def kind_of(machine) -> Kind:
    return KINDS[machine.shape.kind]


def describe(machine) -> str:
    return kind_of(machine).words(machine.numbers)
