"""measure.py -- the numbers of a report: what a model answers, how sure it is, what it depends on, what it costs in each
number format. Every answer comes from native code; what is random has a fixed seed."""
from __future__ import annotations

import ctypes
import math
import random
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from . import compress, metrics, native
from .data import Data
from .errors import Failure
from .kinds import kind_of
from .model import Model
from .native import DOUBLE, REJECTED, Rows, address

Z = 1.959963984540054  # of the normal distribution: 95 % lie within


def alarms(y, labels, scores) -> dict:
    """Of one class, 1 being normal: false alarms, detections and the area under the curve; None where there are no such rows.

    >>> alarms([1, 1, 0, 0], [1, 0, 0, 1], [2.0, -1.0, -1.0, 1.0])
    {'false_alarm_rate': 0.5, 'detection_rate': 0.5, 'auc': 0.625}
    """
    def share(c: int) -> float | None:
        raised = [label != 1 for label, true in zip(labels, y) if true == c]
        return sum(raised) / len(raised) if raised else None
    normal, others = ([score for score, true in zip(scores, y) if true == c] for c in (1, 0))
    others.sort()
    pairs = sum(bisect_left(others, score) + bisect_right(others, score) for score in normal) / 2
    return {"false_alarm_rate": share(1), "detection_rate": share(0), "auc": pairs / len(normal) / len(others) if normal and others else None}


def wilson(wrong: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score: it is right for few rows and for none wrong, too.

    >>> ["%.3f %.3f" % wilson(*pair) for pair in ((0, 10), (5, 10), (10, 10))]
    ['0.000 0.278', '0.237 0.763', '0.722 1.000']
    """
    if not total:
        return 0.0, 1.0
    p, n = wrong / total, total
    middle, half = p + Z * Z / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    low, high = (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)
    return 0.0 if wrong == 0 else max(0.0, low), 1.0 if wrong == total else min(1.0, high)  # exact at the ends, where rounding is seen


def quantile(ordered: list[float], share: float) -> float:
    """
    >>> quantile([1, 2, 3, 4, 5], 0.5), quantile([7], 0.9)
    (3, 7)
    """
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


# ---- answers ----

@dataclass
class Answers:
    """What a model says to the rows of a file whose classes are known."""
    path: str
    rows: Rows
    y: array                 # true classes
    labels: array            # classes that the model says, or REJECTED
    scores: array            # as `gen predict` prints them
    own: array               # margin of the true class: negative where another class is preferred
    clear: array             # margin of the winner
    probabilities: array | None
    table: list = field(default_factory=list)

    @property
    def n(self) -> int:
        return self.rows.n

    @property
    def error(self) -> float | None:
        return metrics.error(self.table)

    @property
    def wrong(self) -> int:
        return sum(sum(row[:len(self.table)]) - row[i] for i, row in enumerate(self.table))

    @property
    def answered(self) -> int:
        return sum(sum(row[:len(self.table)]) for row in self.table)

    def right(self) -> list[bool]:
        """Whether the winner is the true class, rejected or not."""
        return [label == y if label != REJECTED else own > 0 for label, y, own in zip(self.labels, self.y, self.own)]

    def signed(self) -> list[float]:
        """By how much the winner wins: below zero where it is not the true class."""
        return [c if right else -c for right, c in zip(self.right(), self.clear)]

    def suspicious(self, most: int) -> list[int]:
        """The rows with the smallest margins of their own class: wrong labels are often among them."""
        return sorted(range(self.n), key=lambda i: (self.own[i], i))[:most]


def answers(model: Model, rows: Rows, y: array, path: str) -> Answers:
    labels, scores, probabilities, own, clear = model.machine.answers(rows)
    found = Answers(path, rows, y, labels, scores, own, clear, probabilities if model.machine.calibrated else None)
    found.table = metrics.count(y, labels, len(model.labels))
    return found


@dataclass
class Values:
    """What a model that says numbers, or that orders inputs, says to rows whose targets are known."""
    path: str
    rows: Rows
    y: list[float]           # targets
    scores: array            # of numbers the answers, in units of the target
    numbers: bool

    @property
    def n(self) -> int:
        return self.rows.n

    def loss(self, scores, chosen: list[int] | None = None) -> float | None:
        """How bad other scores of these rows, or of some of them, are: the root mean square error of numbers; of ranks the share
        of pairs of rows in the wrong order, half of it where the scores are equal."""
        y = self.y if chosen is None else [self.y[i] for i in chosen]
        if self.numbers:
            return metrics.off(scores, y)["rmse"]
        tau = native.kendall(array("d", scores), array("d", y))
        return None if tau is None else (1 - tau) / 2

    def off(self) -> list[float]:
        """Of numbers how far the answers are above the targets; of ranks by which share of the rows the place is wrong."""
        if self.numbers:
            return [a - b for a, b in zip(self.scores, self.y)]
        return [(a - b) / self.n for a, b in zip(places(self.scores), places(self.y))]

    def suspicious(self, most: int) -> list[int]:
        """The rows that are farthest off."""
        off = self.off()
        return sorted(range(self.n), key=lambda i: (-abs(off[i]), i))[:most]


def places(values) -> list[float]:
    """The place of each value in their order; equal ones share the mean of theirs.

    >>> places([5.0, 1.0, 5.0, 9.0])
    [1.5, 0.0, 1.5, 3.0]
    """
    order, found = sorted(range(len(values)), key=lambda i: values[i]), [0.0] * len(values)
    start = 0
    for k in range(1, len(order) + 1):
        if k == len(order) or values[order[k]] != values[order[start]]:
            for i in order[start:k]:
                found[i] = (start + k - 1) / 2
            start = k
    return found


def values_of(model: Model, rows: Rows, targets, path: str) -> Values:
    return Values(path, rows, list(targets), model.machine.predict(rows)[1], model.numbers)


@dataclass
class RejectCurve:
    """What rejecting unclear answers gains: at each threshold how many rows are rejected, and how many of the others are
    wrong. A row is rejected if its winner wins by less than the threshold."""
    n: int
    thresholds: list[float]
    rejected: list[int]
    wrong: list[int]

    def error(self, i: int) -> float:
        left = self.n - self.rejected[i]
        return self.wrong[i] / left if left else 0.0


def reject_curve(clear, right: list[bool], most: int = 400) -> RejectCurve:
    """At most so many thresholds, evenly over the rows; each is the margin of a row, so that the counts are exact.

    >>> reject_curve([0.5, 0.1, 0.9], [True, False, True])
    RejectCurve(n=3, thresholds=[0.0, 0.1, 0.5, 0.9], rejected=[0, 0, 1, 2], wrong=[1, 1, 0, 0])
    """
    order = sorted(range(len(clear)), key=lambda i: clear[i])
    n, bad = len(order), sum(not r for r in right)
    found, seen = [(0.0, 0, bad)], None
    for k, i in enumerate(order):
        if clear[i] != seen and clear[i] > 0:
            found.append((clear[i], k, bad))
        seen = clear[i]
        bad -= not right[i]
    step = max((len(found) - 1) / (most - 1), 1)
    kept = sorted({min(round(k * step), len(found) - 1) for k in range(most)})
    return RejectCurve(n, *(list(column) for column in zip(*(found[k] for k in kept))))


@dataclass
class Bin:
    """Rows with about the same probability: its mean, how many there are and how many are right."""
    probability: float
    n: int
    right: int


def calibration(found: Answers, bins: int = 10) -> list[Bin]:
    """Bins with the same number of rows each."""
    if found.probabilities is None:
        return []
    right = found.right()
    order, result = sorted(range(found.n), key=lambda i: found.probabilities[i]), []
    bins = min(bins, max(found.n // 10, 1))
    for b in range(bins):
        part = order[b * found.n // bins:(b + 1) * found.n // bins]
        if part:
            result.append(Bin(sum(found.probabilities[i] for i in part) / len(part), len(part), sum(right[i] for i in part)))
    return result


# ---- what the answers depend on ----

def work(model: Model) -> int:
    """About how many multiplications an answer takes."""
    shape, n = model.machine.shape, model.machine.numbers
    each = shape.d * (1 + n.get("tangents", 0)) + n.get("width", 0) + 20
    return (shape.vectors * each if shape.vectors else shape.d * shape.machines) + 4 * shape.machines + 50


def some(count: int, most: int) -> list[int]:
    """So many of the numbers 0 .. count - 1, evenly.

    >>> some(10, 4), some(3, 9)
    ([0, 2, 5, 7], [0, 1, 2])
    """
    most = min(count, most)
    return [i * count // most for i in range(most)]


def copied(rows: Rows, chosen: list[int]) -> array:
    """The values of some rows, one after the other."""
    out, d = array("d"), rows.d
    for i in chosen:
        out.frombytes(ctypes.string_at(ctypes.addressof(rows.x.contents) + 8 * d * i, 8 * d))
    return out


def rows_from(values: array, d: int, y: array | None, classes: int) -> Rows:
    pointer = ctypes.cast(address(values), ctypes.POINTER(DOUBLE))
    return Rows(Data("", len(values) // d, d, pointer, None, None, owner=values), y, classes)


BUDGET = 1_500_000_000  # multiplications that a figure may take
SHUFFLES = 3
LARGE = 50_000          # coefficients: choosing the scales of integers for more takes too long for a page


@dataclass
class Importance:
    """By how much the error, or of numbers the root mean square error, grows when a feature is shuffled among the rows."""
    rows: int
    base: float
    gains: list[float]


def importance(model: Model, found: Answers | Values) -> Importance | None:
    d, k = found.rows.d, len(model.labels)
    most = BUDGET // (work(model) * d * SHUFFLES)
    if most < 20 or found.n < 2:
        return None
    chosen = some(found.n, min(most, 2000))
    values, rng, gains = copied(found.rows, chosen), random.Random(1), []

    def error() -> float:
        labels, scores = model.machine.predict(rows_from(values, d, None, k))
        if isinstance(found, Values):
            return found.loss(scores, chosen) or 0.0
        return sum(a != found.y[i] for a, i in zip(labels, chosen)) / len(chosen)

    base = error()
    for j in range(d):
        column, total = values[j::d], 0.0
        for _ in range(SHUFFLES):
            mixed = list(column)
            rng.shuffle(mixed)
            values[j::d] = array("d", mixed)
            total += error()
        values[j::d] = column
        gains.append(total / SHUFFLES - base)
    return Importance(len(chosen), base, gains)


@dataclass
class Plane:
    """A grid of answers on a plane through the inputs; of a single feature, on a line."""
    names: tuple[str, ...]
    ranges: list[tuple[float, float]]
    classes: list[list[int]]      # rows of the grid from the bottom
    clear: list[list[float]]      # margin of the winner
    scores: list[list[float]]
    shown: list[tuple[float, ...]]  # places of some rows, seen along the plane
    shown_y: list                 # their classes, or targets
    reject: float = 0.0           # a winner by less than this gets no answer; `classes` has it all the same


def spread_of(values: list[float]) -> tuple[float, float]:
    """A range for a picture: all but the outermost half percent of the values, with some room."""
    ordered = sorted(values)
    low, high = quantile(ordered, 0.005), quantile(ordered, 0.995)
    room = 0.08 * (high - low) if high > low else 0.5
    return low - room, high + room


class Sample:
    """Some rows, for pictures."""

    def __init__(self, found: Answers | Values, most: int = 1000):
        self.chosen, self.d = some(found.n, most), found.rows.d
        self.values = copied(found.rows, self.chosen)
        self.y = [found.y[i] for i in self.chosen]

    @property
    def n(self) -> int:
        return len(self.chosen)

    def column(self, j: int) -> list[float]:
        return list(self.values[j::self.d])


def elect(model: Model, labels: array, grid: array) -> None:
    """Puts the class that would have won in the place of each rejection: only with them borders are smooth."""
    d, k = model.machine.shape.d, model.machine.shape.classes
    at = [i for i, label in enumerate(labels) if label == REJECTED]
    if not at or len(at) * k * work(model) > BUDGET:
        return
    part = array("d", (v for i in at for v in grid[i * d:(i + 1) * d]))
    own = [model.machine.answers(rows_from(part, d, array("H", [c]) * len(at), k))[3] for c in range(k)]
    for j, i in enumerate(at):
        labels[i] = max(range(k), key=lambda c: own[c][j])


def grid_of(model: Model, names: tuple[str, ...], ranges: list, point, shown: list, y: list) -> Plane:
    """Answers on a grid; point(u, v) is the input at a place of it."""
    k, d = len(model.labels), model.machine.shape.d
    fine = kind_of(model.machine).word == "list"  # margins jump from cut to cut: nothing to interpolate by
    across, up = ((160, 120) if fine else (90, 68)) if len(ranges) == 2 else (240, 1)
    at = lambda part, i, count: ranges[part][0] + (ranges[part][1] - ranges[part][0]) * i / (count - 1)
    grid = array("d")
    for i in range(up):
        for j in range(across):
            grid.extend(point(at(0, j, across), at(1, i, up) if up > 1 else 0.0))
    rows, reject = rows_from(grid, d, None, k), model.machine.numbers.get("reject", 0)
    labels, scores, _, _, clear = model.machine.answers(rows)
    if reject and k > 1:
        elect(model, labels, grid)
    cut = lambda flat: [list(flat[i * across:(i + 1) * across]) for i in range(up)]
    few = some(len(shown), 300)
    return Plane(names, ranges, cut(labels), cut(clear), cut(scores), [shown[i] for i in few], [y[i] for i in few], reject)


def plane(model: Model, found: Answers | Values, features: tuple[int, ...], names: list[str]) -> Plane:
    """The plane of two features, or the line of one, the others at their medians."""
    sample = Sample(found)
    columns = [sample.column(j) for j in features]
    medians = [quantile(sorted(sample.column(j)), 0.5) for j in range(sample.d)]

    def point(u: float, v: float) -> list[float]:
        place = list(medians)
        for j, value in zip(features, (u, v)):
            place[j] = value
        return place

    return grid_of(model, tuple(names[j] for j in features), [spread_of(c) for c in columns], point,
                   list(zip(*columns)), sample.y)


def direction(rows: list[list[float]], away: list[float] | None, steps: int = 30) -> list[float]:
    """The direction of most variance of centred rows, at a right angle to another; by power iteration."""
    d = len(rows[0])
    rng = random.Random(2)
    v = [rng.gauss(0, 1) for _ in range(d)]
    for _ in range(steps):
        if away:
            dot = sum(a * b for a, b in zip(v, away))
            v = [a - dot * b for a, b in zip(v, away)]
        size = math.sqrt(sum(a * a for a in v)) or 1.0
        v = [a / size for a in v]
        loads = [sum(a * b for a, b in zip(row, v)) for row in rows]
        v = [sum(load * row[j] for load, row in zip(loads, rows)) for j in range(d)]
    if away:
        dot = sum(a * b for a, b in zip(v, away))
        v = [a - dot * b for a, b in zip(v, away)]
    size = math.sqrt(sum(a * a for a in v)) or 1.0
    return [a / size for a in v]


def directions(model: Model, found: Answers | Values) -> Plane:
    """The plane through the mean along the two directions in which the rows, each feature divided by its deviation,
    vary most."""
    sample = Sample(found)
    columns = [sample.column(j) for j in range(sample.d)]
    means = [sum(c) / sample.n for c in columns]
    sizes = [math.sqrt(sum((v - m) ** 2 for v in c) / sample.n) or 1.0 for c, m in zip(columns, means)]
    rows = [[(v - m) / s for v, m, s in zip(sample.values[i * sample.d:(i + 1) * sample.d], means, sizes)]
            for i in range(sample.n)]
    fitted = rows[::max(len(rows) * sample.d // 40_000, 1)]
    first = direction(fitted, None)
    second = direction(fitted, first)
    project = lambda row, axis: sum(a * b for a, b in zip(row, axis))
    places = [(project(row, first), project(row, second)) for row in rows]

    def point(u: float, v: float) -> list[float]:
        return [m + s * (u * a + v * b) for m, s, a, b in zip(means, sizes, first, second)]

    ranges = [spread_of([place[i] for place in places]) for i in (0, 1)]
    return grid_of(model, ("first leading direction", "second leading direction"), ranges, point, places, sample.y)


# ---- formats ----

@dataclass
class Form:
    """A model in a number format, with so many vectors."""
    form: str
    bytes: int
    vectors: int
    whole: bool          # nothing was left out
    error: float | None  # of numbers the root mean square error
    changed: int         # answers that are not those of the whole model in f32
    rows: int
    moved: float         # by how much scores change at most


@dataclass
class Trial:
    """Rows to compare formats on, with what the whole model says to them in f32."""
    found: Answers | Values
    chosen: list[int]
    rows: Rows
    labels: list[int]
    scores: list[float]
    classes: int

    def of(self, candidate, whole: bool) -> Form:
        labels, scores = (self.labels, self.scores) if whole and candidate.form == "f32" else candidate.answers(self.rows)
        if isinstance(self.found, Values):
            error = self.found.loss(scores, self.chosen)
        else:
            error = metrics.error(metrics.count([self.found.y[i] for i in self.chosen], labels, self.classes))
        return Form(candidate.form, candidate.bytes, candidate.vectors, whole, error, sum(a != b for a, b in zip(labels, self.labels)),
                    self.rows.n, max(abs(a - b) for a, b in zip(scores, self.scores)))


def trial_of(model: Model, found: Answers | Values) -> Trial:
    chosen = some(found.n, min(max(BUDGET // (4 * work(model)), 200), 20000))
    y, k = None if isinstance(found, Values) else array("H", [found.y[i] for i in chosen]), len(model.labels)
    rows = rows_from(copied(found.rows, chosen), found.rows.d, y, k)
    labels = [0] * len(chosen) if isinstance(found, Values) else [found.labels[i] for i in chosen]
    return Trial(found, chosen, rows, labels, [found.scores[i] for i in chosen], k)


def frontier(model: Model, found: Answers | Values, train: Rows | None, steps: int = 5) -> tuple[list[Form], dict]:
    """Errors and bytes in all formats, of the whole model and of smaller ones; and the whole models by format, or the
    Failure that says why there is none."""
    trial, by = trial_of(model, found), None if model.sample() else train
    forms, wholes = [], {}
    large = model.machine.shape.vectors * model.machine.numbers.get("width", 1) > LARGE
    for form in compress.FORMATS:
        try:
            if large and form != "f32":
                raise Failure(f"{form} of a model this large takes minutes: gen export --format {form}")
            wholes[form] = compress.in_format(model, form, by)
        except Failure as error:
            wholes[form] = error
            continue
        forms.append(trial.of(wholes[form], True))
    n = model.machine.shape.vectors
    if kind_of(model.machine).word != "expansion" or n < 8 or n * work(model) > 20_000_000:
        return forms, wholes
    looked = compress.noted_rows(model) or trial.rows
    for form in [form for form in compress.FORMATS if not isinstance(wholes[form], Failure)]:
        noise = compress.NOISES[form][-1 if form == "q7" else 0]
        for vectors in [(n >> i) // 4 * 4 for i in range(1, steps + 1) if n >> i >= 4]:
            try:
                smaller = compress.in_format(compress.fewer(model, vectors, noise, looked), form, by)
            except Failure:
                break
            forms.append(trial.of(smaller, False))
    return forms, wholes
