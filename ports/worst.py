"""worst.py -- models for which no input has a short way: what is measured with them is what a prediction takes at most.

Some predictors end early. Prototypes in floats leave a distance that is too large already: if all prototypes of a class are
alike, none is ever too large before its end. Units of a hinge that are zero add nothing: with high thresholds none is. A list
answers at the first cut that is sure: with a low bias no cut but the last ever is.
"""
from __future__ import annotations

import struct
import sys
import zlib

from targets import ROOT

sys.path.insert(0, ROOT)
from gen import model  # noqa: E402
from gen.kinds import kind_of  # noqa: E402
from gen.options import KERNELS  # noqa: E402


def changed(found: model.Model, new: dict[str, list[float]]) -> model.Model:
    """The model with other numbers in some of its arrays, named in the order in which its image has them, each as one run of floats; and
    a checksum."""
    image, at = bytearray(found.image), 0
    for name, values in new.items():
        old = struct.pack(f"<{len(values)}f", *found.machine.array(name))
        at = image.index(old, at)
        image[at:at + len(old)] = struct.pack(f"<{len(values)}f", *values)
        at += len(old)
    image[12:16] = struct.pack("<I", zlib.crc32(bytes(image[:12] + image[16:])))
    return model.from_image(bytes(image), found.path)


def alike(values: list[float], ends: list[int], size: int) -> list[float]:
    """Every entry of `size` numbers of a class as its first one.

    >>> alike([1, 2, 3, 4, 5, 6], [2, 3], 2)
    [1, 2, 1, 2, 5, 6]
    """
    made: list[float] = []
    for first, end in zip([0, *ends], ends):
        made += values[first * size:(first + 1) * size] * (end - first)
    return made


LATE = 1e6


def without_short_ways(found: model.Model) -> model.Model:
    """A model of the same shape, whose predictions all take as long as any can."""
    machine, n = found.machine, found.machine.numbers
    word, of = kind_of(machine).word, machine.array
    if word == "prototypes":
        whole = {"exits": [LATE] * n["n"]} if n["tangents"] else {}  # looked at in two halves, and never left after the first
        return changed(found, {"vectors": alike(of("vectors"), of("class_end"), n["d"] * (1 + n["tangents"])), **whole})
    if word == "expansion" and KERNELS[n["kernel"]] == "hinge":
        d, vectors = n["d"], of("vectors")
        return changed(found, {"norms": [4 * sum(map(abs, vectors[i:i + d])) for i in range(0, len(vectors), d)]})
    if word == "list":
        bias, width = of("bias"), n["width"]
        low = [b - 2 * abs(b) - 2 * sum(map(abs, of("coef")[j::width])) for j, b in enumerate(bias[:-1])]
        return changed(found, {"bias": [*low, bias[-1]]})
    return found
