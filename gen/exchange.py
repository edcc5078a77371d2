"""exchange.py -- a classifier of another program as plain numbers, in memory and as JSON. No C, no file formats.

The JSON form is an object with these members ("margin-exchange" is 1):

    labels      names of the classes; of two, the second is the positive one
    scheme      binary; one-rest; one-one (all pairs, ties to the larger sum of scores); votes (all pairs, ties to the
                first class); number (one label, and the score is the answer)
    kernel      {"kind": linear|poly|rbf, "gamma", "degree", "coef0"}; absent for weights
    weights     one row of d numbers a machine (linear classifiers), or
    vectors     rows of d numbers, those of the first class first; class_sizes: how many each class has;
    coef        one row a vector: binary 1 number; one-rest one a class; one-one and votes one a rival class
    bias        one number a machine
    offset      and factor: d numbers each, x' = (x - offset) * factor before all else; may be absent

A machine's score is weights . x + bias, or sum coef * kernel(vector, x) + bias. Pairs (a, b), a < b, are ordered
(0, 1), (0, 2), ... and a positive score speaks for b.
"""
from __future__ import annotations

import json
import math
from array import array
from dataclasses import dataclass, field, replace

from .errors import Failure, shown

KERNELS = ("linear", "poly", "rbf")
SCHEMES = ("binary", "one-one", "one-rest", "votes", "number")
NORMAL = ["anomaly", "normal"]  # the classes of a machine of one class: positive scores are normal


@dataclass
class Classifier:
    labels: list[str]
    scheme: str
    d: int
    bias: array
    weights: array | None = None
    kernel: dict | None = None
    vectors: array | None = None
    class_sizes: list[int] | None = None
    coef: array | None = None
    offset: array | None = None
    factor: array | None = None
    origin: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def machines(self) -> int:
        k = len(self.labels)
        return {"binary": 1, "number": 1, "one-rest": k}.get(self.scheme, k * (k - 1) // 2)

    @property
    def width(self) -> int:
        """Coefficients a vector."""
        k = len(self.labels)
        return {"binary": 1, "number": 1, "one-rest": k}.get(self.scheme, k - 1)

    def check(self) -> "Classifier":
        """Sizes fit together and all numbers are finite; otherwise a Failure says what is wrong."""
        k = len(self.labels)
        need(self.scheme == "number" or k >= 2 and len(set(self.labels)) == k, "at least two different labels are needed")
        need(k <= 65535, f"{k} labels: at most 65535 can be had")
        need(all(map(is_text, (*self.labels, self.origin))), "a label, or the origin, is not text: it has half a character")
        fits = self.scheme in SCHEMES and (self.scheme == "binary") == (k == 2) and (self.scheme == "number") == (k == 1)
        need(fits, f"scheme {shown(self.scheme)!r} with {k} classes")
        need(self.d >= 1, "no features")
        sizes = [("bias", self.bias, self.machines)]
        if self.weights is not None:
            sizes.append(("weights", self.weights, self.machines * self.d))
        else:
            need(None not in (self.vectors, self.coef, self.kernel), "neither weights nor vectors")
            self.check_kernel()
            n = sum(self.class_sizes or [])
            need(n >= 1 and len(self.class_sizes) == k and min(self.class_sizes) >= 0, "class_sizes do not fit the labels")
            sizes += [("vectors", self.vectors, n * self.d), ("coef", self.coef, n * self.width)]
        if self.offset is not None or self.factor is not None:
            sizes += [("offset", self.offset or (), self.d), ("factor", self.factor or (), self.d)]
        for name, values, size in sizes:
            need(len(values) == size, f"{name}: {len(values)} numbers where {size} are expected")
            need(all(map(math.isfinite, values)), f"{name}: a number is not finite")
        return self

    def centred(self) -> "Classifier":
        """The same classifier, its vectors moved to around the origin if they are far from it: kernels of distances do
        not change, but floats are most exact there.

        >>> c = Classifier(["a", "b"], "binary", 1, array("d", [0.5]), kernel={"kind": "rbf", "gamma": 1.0, "degree": 0.0,
        ...     "coef0": 0.0}, vectors=array("d", [100, 102]), class_sizes=[1, 1], coef=array("d", [1, -1]))
        >>> (c.centred().vectors, c.centred().offset)
        (array('d', [-1.0, 1.0]), array('d', [101.0]))
        """
        if self.offset is not None or self.kernel is None or self.kernel["kind"] != "rbf":
            return self
        n, d = len(self.vectors) // self.d, self.d
        mean = array("d", (sum(self.vectors[j::d]) / n for j in range(d)))
        moved = array("d", (v - mean[i % d] for i, v in enumerate(self.vectors)))
        if sum(v * v for v in self.vectors) < 2 * sum(v * v for v in moved):
            return self
        return replace(self, vectors=moved, offset=mean, factor=array("d", [1.0] * d))

    def check_kernel(self) -> None:
        kind, degree = self.kernel["kind"], self.kernel["degree"]
        need(kind in KERNELS, f"kernel {shown(kind)} is not one of {', '.join(KERNELS)}")
        need(all(map(math.isfinite, (self.kernel["gamma"], self.kernel["coef0"], degree))), "a kernel parameter is not finite")
        need(kind != "poly" or degree == int(degree) and 1 <= degree <= 255, f"degree {degree}: not a whole number from 1 to 255")
        need(kind == "linear" or self.kernel["gamma"] > 0, f"gamma {self.kernel['gamma']}: must be greater than 0")


def is_text(text: str) -> bool:
    """Whether a text can be written as UTF-8; JSON can spell half a character.

    >>> is_text("größe"), is_text("\\ud800")
    (True, False)
    """
    return not any("\ud800" <= c <= "\udfff" for c in text)


def need(condition: bool, message: str) -> None:
    if not condition:
        raise Failure(message)


def rows(values: array, width: int) -> list[list[float]]:
    return [list(values[i:i + width]) for i in range(0, len(values), width)]


def flat(matrix) -> array:
    """
    >>> flat([[1, 2], [3, 4]])
    array('d', [1.0, 2.0, 3.0, 4.0])
    """
    need(all(len(row) == len(matrix[0]) for row in matrix), "rows of different lengths")
    return array("d", (float(value) for row in matrix for value in row))


def to_json(c: Classifier) -> str:
    """
    >>> c = Classifier(["a", "b"], "binary", 2, array("d", [0.5]), weights=array("d", [1, 2]), origin="hand")
    >>> from_json(to_json(c)) == c
    True
    """
    found = {"margin-exchange": 1, "origin": c.origin, "labels": c.labels, "scheme": c.scheme, "bias": list(c.bias)}
    if c.weights is not None:
        found["weights"] = rows(c.weights, c.d)
    else:
        found.update(kernel=c.kernel, class_sizes=c.class_sizes, vectors=rows(c.vectors, c.d),
                     coef=rows(c.coef, c.width))
    if c.offset is not None:
        found.update(offset=list(c.offset), factor=list(c.factor))
    return json.dumps(found)


def from_json(text: str) -> Classifier:
    try:
        found = json.loads(text)
        if found["margin-exchange"] != 1:
            raise Failure("an exchange format of another version")
        matrix = found["weights"] if "weights" in found else found["vectors"]
        c = Classifier([str(label) for label in found["labels"]], found["scheme"], len(matrix[0]),
                       array("d", found["bias"]), origin=str(found.get("origin", "")))
        if "weights" in found:
            c.weights = flat(matrix)
        else:
            c.kernel = {"kind": str(found["kernel"]["kind"]), **{name: float(found["kernel"].get(name, 0))
                                                                 for name in ("gamma", "degree", "coef0")}}
            c.vectors, c.coef, c.class_sizes = flat(matrix), flat(found["coef"]), list(found["class_sizes"])
            need(all(type(n) is int for n in c.class_sizes), "class_sizes are not whole numbers")
        if "offset" in found:
            c.offset, c.factor = array("d", found["offset"]), array("d", found["factor"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        raise Failure(f"not a classifier in exchange form: {type(error).__name__}: {shown(str(error))}") from None
    return c.check()
