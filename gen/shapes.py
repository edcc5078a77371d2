"""shapes.py -- how learned vectors use a budget of flash: how many, of which kernel, behind a projection or on some of the
features; what is best is found on training rows that a training holds out."""
from __future__ import annotations

import ctypes
from array import array
from dataclasses import dataclass

from . import native, train
from .data import Data
from .errors import Failure
from .output import say
from .train import Problem

SEARCHED = 4000    # rows that kernels, scalings, projections and features are compared on, at most
COUNTED = 20000    # rows that numbers of vectors are compared on, at most: a few cannot tell these apart where classes overlap
FEW = 48           # vectors with which kernels and scalings are compared, at most
MOST = 512         # vectors at most: more learn nothing new, and a device waits for each
WIDE = 48          # from so many features on there may be a projection, and rbf units are not tried
RANKS = (12, 24)
PICKED = (6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64)
UNITS = (10, 14, 20)  # the most features are picked that leave room for so many units
ALIKE = 4          # ranges of features that differ by no more than this factor are of one unit, as those of pixels
PASSES = 100       # of a comparison
TELLING = 32       # rows from which on a training holds some out
EACH = {"q7": 1, "q15": 2, "f32": 4}  # bytes of a number


@dataclass(frozen=True)
class Room:
    """A budget of flash, and the data whose model has to fit it."""
    flash: int
    form: str
    n: int
    d: int
    classes: int
    whole: bool  # all values are whole numbers of 16 bits, which a device takes as they are
    alike: bool = False  # all features are of one unit

    @property
    def width(self) -> int:
        """Coefficients of a vector."""
        return 1 if self.classes == 2 else self.classes

    def bytes(self, vectors: int, kernel: str = "hinge", scale: str = "standard", rank: int = 0, features: int = 0) -> int:
        """Of the tables of a model; of real inputs the conversion does not count.

        >>> Room(1024, "q7", 1000, 16, 26, True).bytes(20, scale="none"), Room(512, "q7", 1000, 256, 10, False).bytes(13, features=20)
        (984, 488)
        >>> Room(512, "f32", 1000, 4, 2, False).bytes(3)
        116
        """
        each, deep, width = EACH[self.form], rank or features or self.d, self.width
        if self.form == "f32":  # a class end is four bytes as well, and so are offset and factor
            front = rank * (self.d + 1) * 4 if rank else 4 * ((self.d + 31) // 32) if features else 0
            return 4 * vectors * (deep + 1 + width) + 4 * (width + self.classes) + front + (8 * self.d if scale != "none" else 0)
        stage = 7 * self.d if self.whole and scale != "none" and not features else 0
        front = rank * (each * self.d + 6) if rank else (self.d + 7) // 8 if features else 0
        coef, scales = (each if kernel == "hinge" or self.classes > 2 else 2), (2 * width if kernel == "rbf" and self.classes > 2 else 0)
        stored = vectors if kernel == "hinge" else -(-vectors // 4) * 4
        steps = 2 if kernel == "rbf" and self.form == "q7" else 0
        return stored * (each * (deep + deep % 2) + 2 + steps + coef * width) + scales + 4 * width + stage + front

    def vectors(self, **shape) -> int:
        """How many fit, at most as many as there are rows to learn them from.

        >>> Room(1024, "q7", 16000, 16, 26, True).vectors(scale="none"), Room(30, "q7", 16000, 16, 26, True).vectors()
        (20, 0)
        """
        fixed, step = self.bytes(0, **shape), 4 if shape.get("kernel") == "rbf" else 1
        each = (self.bytes(4, **shape) - fixed) // 4
        return max(0, min((self.flash - fixed) // each // step * step, MOST, self.n * 3 // 4))


def kinds(room: Room, given: dict) -> list[dict]:
    """Kernels and scalings that may do, the usual one first. Features of one unit are usually left as they are: to divide them by their
    deviations makes much of pixels that hardly change (a fifth of the training rows of USPS held out: 2.2 % errors instead of 2.0).

    >>> kinds(Room(1024, "q7", 900, 16, 26, True), {}), kinds(Room(1024, "q7", 900, 256, 10, False, True), {})
    ([{}, {'scale': 'none'}, {'kernel': 'rbf'}], [{'scale': 'none'}, {}])
    >>> kinds(Room(1024, "q7", 900, 256, 10, False), {}), kinds(Room(1024, "q7", 900, 16, 26, True), {"scale": "minmax"})
    ([{}], [{}, {'kernel': 'rbf'}])
    """
    found = [{}]
    if "scale" not in given and (room.whole or room.alike):
        found.insert(0 if room.alike else 1, {"scale": "none"})
    if not {"kernel", "rank", "features"} & {*given} and room.d < WIDE:
        found.append({"kernel": "rbf"})
    return found


def shapes(room: Room, kind: dict, given: dict) -> list[dict]:
    """What may use the budget best: as many vectors as there is room for, or fewer where there are few rows or few features; behind a
    projection, or on some of the features, where there are many. As many as fit come first: a comparison on few rows cannot tell, and
    on other training rows they were mostly better (digits8x8, decay 0.3, noise 0.4, 12 to 210 vectors: 2.5, 1.8, 1.5, 1.2, 1.4,
    1.0 % errors), but not where classes overlap (magic_gamma, 512, 170 and 57 vectors: 14.1, 13.3, 13.9 % of the rows held out).

    >>> shapes(Room(512, "q7", 7291, 256, 10, False), {}, {})
    [{'features': 32, 'vectors': 10}, {'features': 16, 'vectors': 15}, {'features': 10, 'vectors': 20}]
    >>> shapes(Room(4096, "q7", 185, 15, 3, False), {}, {})
    [{'vectors': 138}, {'vectors': 46}, {'vectors': 15}]
    >>> shapes(Room(16384, "q7", 13314, 10, 2, False), {}, {})
    [{'vectors': 512}, {'vectors': 170}, {'vectors': 56}]
    """
    if {"rank", "features"} & {*given}:
        return [{"vectors": room.vectors(**kind)}] if room.vectors(**kind) else []
    most = room.vectors(**kind)
    found = [{"vectors": most}] if most >= 4 or most and room.d < 8 else []
    found += [{"vectors": most // less} for less in ((3, 9) if room.n < SEARCHED or room.d < WIDE else ()) if most // less >= 12]
    if kind.get("kernel", given.get("kernel", "hinge")) != "hinge":
        return found
    if room.d >= WIDE:
        for rank in RANKS:
            vectors = room.vectors(**kind, rank=rank)
            found += [{"rank": rank, "vectors": vectors}] if vectors >= rank + 4 else []
    if room.d >= 24 and (not room.whole or kind.get("scale", given.get("scale")) == "none"):
        for units in UNITS:
            fits = [f for f in PICKED if f <= 0.75 * room.d and room.vectors(**kind, features=f) >= units]
            one = {"features": fits[-1], "vectors": room.vectors(**kind, features=fits[-1])} if fits else None
            found += [one] if one and one not in found else []
    return found


def alike(low: array, high: array) -> bool:
    """Whether all features that change have ranges of the same order.

    >>> alike(array("d", [0, -1, 7]), array("d", [3, 0, 7])), alike(array("d", [0, -1]), array("d", [100, 1]))
    (True, False)
    """
    ranges = [b - a for a, b in zip(low, high) if a < b] or [1.0]
    return max(ranges) <= ALIKE * min(ranges)


# ---- which is best ----

def some(problem: Problem, seed: int, most: int) -> Problem:
    """A share of at most so many rows with the classes in proportion; all, where a class would be missing."""
    data, parts = problem.data, -(-problem.data.n // most)
    if parts == 1:
        return problem
    fold = native.folds(problem.rows, parts, seed)
    kept = [i for i in range(data.n) if fold[i] == 0]
    y = array("H", (problem.y[i] for i in kept))
    if len(set(y)) < len(problem.names):
        return problem
    values = array("d")
    for i in kept:
        values.extend(data.row(i))
    pointer = ctypes.cast(native.address(values), ctypes.POINTER(native.DOUBLE))
    return Problem(Data(data.path, len(kept), data.d, pointer, None, None, owner=values), problem.names, y)


def held(problem: Problem, options: dict, seed: int) -> float:
    """The error of these options on rows that a training with them holds out; decay is left to that training, or noise where the user
    gives a decay. Where the user gives both, such a training holds out nothing, and four folds tell."""
    options = {"iterations": PASSES, **options}
    if {"decay", "noise"} <= {*options}:
        found, = train.validate(problem, "compact", [options], 4, 1, seed)
        if isinstance(found, Failure):
            raise found
        return found.keys()["error_mean"]
    if "decay" not in options:
        options = {"noise": 0.1, **options}
    return train.fit(problem, "compact", options, seed).report.told["error_held"]


def best(problem: Problem, points: list[dict], seed: int) -> dict:
    """The first of the options whose error is no more than half a standard error above the least. Too few rows cannot tell: the first."""
    if len(points) == 1 or problem.data.n < TELLING:
        return points[0]
    errors = [held(problem, point, seed) for point in points]
    least, n = min(errors), problem.data.n
    rows = n if n < 1000 else n // 2 if n < 2000 else n // 4  # as margin_compact_train holds them out
    near = least + (max(least, 1 / rows) * (1 - least) / rows) ** 0.5 / 2
    say("  rows held out: " + ", ".join(f"{100 * e:.3g} % ({words(point)})" for e, point in zip(errors, points)))
    return points[next(i for i, e in enumerate(errors) if e <= near)]


def words(point: dict) -> str:
    """
    >>> words({"vectors": 12, "features": 20})
    'vectors 12, features 20'
    """
    return ", ".join(f"{name} {value}" for name, value in point.items() if name in ("vectors", "rank", "features", "kernel", "scale"))


def choose(problem: Problem, given: dict, flash: int, form: str, seed: int) -> dict:
    """The options that use a budget best, those that the user gave included; a Failure if nothing fits."""
    low, high, whole = problem.rows.ranges()
    room = Room(flash, form, problem.data.n, problem.data.d, len(problem.names), whole, alike(low, high))
    own = {name: given[name] for name in ("kernel", "scale", "rank", "features") if name in given}
    found = [({**own, **kind}, shapes(room, {**own, **kind}, given)) for kind in kinds(room, given)]
    found = [(kind, shapes_) for kind, shapes_ in found if shapes_]
    if not found:
        least = room.bytes(4 if own.get("kernel") == "rbf" else 4 if room.d >= 8 else 1, **own)
        raise Failure(f"no model of learned vectors within {flash} bytes: {least} are the least in {form}", problem.data.path)
    few = some(problem, seed, SEARCHED)
    points = [{**given, **kind, **max(shapes_, key=lambda shape: min(FEW, shape["vectors"]))} for kind, shapes_ in found]
    points = [{**point, "vectors": min(point["vectors"], FEW)} for point in points]
    kind, shapes_ = found[points.index(best(few, points, seed))]
    many = few if room.d >= WIDE else some(problem, seed, COUNTED)
    return best(many, [{**given, **kind, **shape} for shape in shapes_], seed)
