"""trial.py -- one trial: a method with its options is trained on all folds but one and tested on that one, in several number
formats, each within the budgets. A trial is plain data and so is its result: both travel to other machines and into files."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import random
from array import array
from dataclasses import asdict, dataclass, replace

from . import compress, cost, metrics, model, native
from .data import Data
from .errors import Failure, Refusal
from .kinds import kind_of
from .train import Problem


# ---- what must not be exceeded ----

@dataclass(frozen=True)
class Budget:
    """None: no limit. `flash` counts the tables of the model or, where the target is known, all that it adds to a program;
    `ram` counts static data and stack."""
    flash: int | None = None
    ram: int | None = None
    cycles: int | None = None
    target: str | None = None
    bare: bool = False  # integers go into integer models: code that makes them of real values is not counted

    def price(self, shape: cost.Shape) -> cost.Cost:
        return cost.estimate(replace(shape, convert=False) if self.bare else shape, self.place)

    @property
    def place(self) -> str:
        """The target, or the one that costs are told for if there is none."""
        return self.target or cost.DEFAULT_TARGET

    def flash_of(self, found: cost.Cost) -> int:
        return found.flash if self.target else found.tables

    def excess(self, found: cost.Cost) -> str:
        """What is too much, in words; empty if nothing is."""
        if not found.known and (self.target or self.ram is not None or self.cycles is not None):
            return f"has a cost on {self.place} that nobody has measured"
        for word, used, most in (("bytes of flash", self.flash_of(found), self.flash), ("bytes of RAM", found.memory, self.ram),
                                 ("cycles", found.cycles, self.cycles)):
            if most is not None and used is not None and used > most:
                return f"needs {used} {word}"
        return ""


DRAFT = "draft"


@dataclass(frozen=True)
class Form:
    """A number format, and the bytes of tables that it may have: None as many as the budget leaves. The format DRAFT is a
    first look: see draft()."""
    format: str
    limit: int | None = None

    @property
    def key(self) -> str:
        return self.format if self.limit is None else f"{self.format}@{self.limit}"


def largest(shape: cost.Shape, fixed: int, each: int, step: int, budget: Budget) -> int:
    """How many vectors the budget allows: the cost grows with every one."""
    low, high = 0, shape.n // step
    while low < high:
        middle = (low + high + 1) // 2
        n = middle * step
        if budget.excess(budget.price(replace(shape, n=n, tables=fixed + n * each))):
            high = middle - 1
        else:
            low = middle
    return low * step


def in_form(found: model.Model, form: Form, budget: Budget, rows: native.Rows) -> tuple[compress.Candidate, int | None]:
    """The model in a format, and the limit of its tables that `gen train --flash` must be told to make the same, None if it
    is whole. A Failure says why it cannot be had."""
    whole = compress.in_format(found, form.format, None)
    shape = cost.shape_of(found, form.format, whole.quantised)
    excess = budget.excess(budget.price(shape))
    if not excess and (form.limit is None or whole.bytes <= form.limit):
        return whole, None
    if kind_of(found.machine).word != "expansion":
        raise Failure(excess or f"needs {whole.bytes} bytes of tables")
    fixed, each, step = compress.sizes(found, whole)
    n = largest(shape, fixed, each, step, budget)
    limit = fixed + n * each if form.limit is None else min(fixed + n * each, form.limit)
    if n == 0 or limit < fixed + step * each:
        raise Failure(excess or f"needs at least {fixed + step * each} bytes of tables")
    chosen, _ = compress.compress(found, (form.format,), limit, None, rows)
    return chosen, limit


def draft(found: model.Model, budget: Budget, rows: native.Rows) -> tuple[compress.Candidate, cost.Shape, int | None]:
    """About what the smallest number format that works will do within the budget, without the search for its best
    coefficients: floats with as many vectors as that format has room for; and the shape and the limit in that format."""
    problem = None
    for form in ("q7", "q15", "f32"):
        try:
            whole = compress.in_format(found, form, None)
        except Failure as error:
            problem = error
            continue
        shape = cost.shape_of(found, form, whole.quantised)
        if not budget.excess(budget.price(shape)):
            return compress.Candidate(found, "f32", None, whole.bytes), shape, None
        if kind_of(found.machine).word != "expansion":
            problem = Failure(budget.excess(budget.price(shape)))
            continue
        fixed, each, step = compress.sizes(found, whole)
        n = largest(shape, fixed, each, step, budget)
        if n > 0:
            small = compress.fewer(found, n, 0.0, rows)
            limit = fixed + n * each
            return compress.Candidate(small, "f32", None, limit), replace(shape, n=n, tables=limit), limit
        problem = Failure(budget.excess(budget.price(replace(shape, n=step, tables=fixed + step * each))))
    raise problem


# ---- the ground that all trials share ----

@dataclass
class Ground:
    """Rows, classes and folds. Plain enough to be sent to another machine."""
    path: str
    d: int
    names: list[str]
    x: bytes
    y: bytes
    groups: list[int] | None
    folds: int
    seed: int
    budget: Budget
    targets: bytes | None = None  # the labels as numbers, for methods that want to meet them

    @property
    def n(self) -> int:
        return len(self.y) // 2

    @functools.cached_property
    def digest(self) -> str:
        known = hashlib.sha256()
        for part in (self.x, self.y, self.targets or b"",
                     repr((self.d, self.names, self.groups, self.folds, self.seed, self.budget)).encode()):
            known.update(hashlib.sha256(part).digest())
        return known.hexdigest()

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("parts", "digest")}

    def rows(self, chosen: list[int] | None = None) -> native.Rows:
        """Some rows, all by default."""
        d, x, y = self.d, memoryview(self.x).cast("d"), memoryview(self.y).cast("H")
        values, classes = array("d"), array("H")
        for i in range(self.n) if chosen is None else chosen:
            values.extend(x[i * d:(i + 1) * d])
            classes.append(y[i])
        pointer = ctypes.cast(native.address(values), ctypes.POINTER(native.DOUBLE))
        targets = array("d", self.targets) if self.targets is not None else None
        if targets is not None and chosen is not None:
            targets = array("d", (targets[i] for i in chosen))
        return native.Rows(Data(self.path, len(classes), d, pointer, None, None, owner=values), classes, len(self.names), targets)

    def subset(self, cap: int | None) -> list[int]:
        """About so many rows and hardly more, with the classes in proportion; whole groups where there are groups. All rows of a
        class that is so rare that it would be lost."""
        if cap is None or cap >= self.n:
            return list(range(self.n))
        taken, parts = shares(cap, self.n)
        y, fold = memoryview(self.y).cast("H"), self.divide(list(range(self.n)), parts, self.seed)
        kept = {y[i] for i in range(self.n) if fold[i] < taken}
        return [i for i in range(self.n) if fold[i] < taken or y[i] not in kept]

    def divide(self, chosen: list[int], folds: int, seed: int) -> list[int]:
        """The fold of each of the rows: stratified, or by groups."""
        if self.groups is not None:
            y = memoryview(self.y).cast("H")
            return group_folds([self.groups[i] for i in chosen], [y[i] for i in chosen], folds, seed)
        return list(native.folds(self.rows(chosen), folds, seed))

    def prepare(self, one) -> None:
        """Makes what a trial needs of the ground, once: before several threads ask for it."""
        if isinstance(one, Trial):
            self.split(one.cap, one.repeat, one.fold)
        else:
            self.division(one.repeat)

    def division(self, repeat: int) -> tuple[native.Rows, array]:
        """All rows, and the fold of each."""
        known = self.__dict__.setdefault("parts", {})
        if repeat not in known:
            known[repeat] = self.rows(), array("H", self.divide(list(range(self.n)), self.folds, self.seed + repeat))
        return known[repeat]

    def split(self, cap: int | None, repeat: int, fold: int) -> tuple[native.Rows, native.Rows]:
        """Rows to train on, and rows of the fold that is left out."""
        known = self.__dict__.setdefault("parts", {})
        if (cap, repeat) not in known:
            chosen = self.subset(cap)
            place, made = self.divide(chosen, self.folds, self.seed + repeat), []
            for which in range(self.folds):
                made.append(tuple(self.rows([i for i, f in zip(chosen, place) if (f == which) == out]) for out in (False, True)))
            known[cap, repeat] = made
        return known[cap, repeat][fold]


def shares(cap: int, n: int) -> tuple[int, int]:
    """The fewest equal parts of n rows of which some together are at most `cap` rows and hardly less: how many, and of how many.

    >>> shares(420, 560), shares(400, 700), shares(400, 20000)
    ((3, 4), (4, 7), (1, 50))
    """
    parts = 2
    while parts * cap // n < 0.9 * parts * cap / n:
        parts += 1
    return parts * cap // n, parts


def group_folds(groups: list[int], classes: list[int], folds: int, seed: int) -> list[int]:
    """Folds of whole groups: from the largest group to the smallest, each goes where its classes are rarest.

    >>> group_folds([7, 7, 8, 8, 9, 9], [0, 1, 0, 1, 0, 1], 3, 1) in ([0, 0, 1, 1, 2, 2], [2, 2, 1, 1, 0, 0], [1, 1, 0, 0, 2, 2],
    ...     [0, 0, 2, 2, 1, 1], [1, 1, 2, 2, 0, 0], [2, 2, 0, 0, 1, 1])
    True
    """
    members: dict[int, dict[int, int]] = {}
    for group, c in zip(groups, classes):
        counts = members.setdefault(group, {})
        counts[c] = counts.get(c, 0) + 1
    order = sorted(members)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda group: -sum(members[group].values()))
    have: list[dict[int, int]] = [{} for _ in range(folds)]
    place = {}
    for group in order:
        crowd = [(sum(fold.get(c, 0) * count for c, count in members[group].items()), sum(fold.values()), i)
                 for i, fold in enumerate(have)]
        place[group] = min(crowd)[2]
        for c, count in members[group].items():
            have[place[group]][c] = have[place[group]].get(c, 0) + count
    return [place[group] for group in groups]


def ground_of(problem: Problem, groups: list[int] | None, folds: int, seed: int, budget: Budget) -> Ground:
    data = problem.data
    x = ctypes.string_at(data.rows, 8 * data.n * data.d)
    targets = problem.targets.tobytes() if problem.targets is not None else None
    return Ground(data.path, data.d, problem.names, x, problem.y.tobytes(), groups, folds, seed, budget, targets)


# ---- one trial ----

@dataclass(frozen=True)
class Trial:
    method: str
    options: tuple           # pairs of name and value
    forms: tuple[Form, ...]
    cap: int | None          # rows at most; None all
    repeat: int
    fold: int

    @property
    def key(self) -> str:
        """The same trial has the same key in every run."""
        return repr((self.method, self.options, [form.key for form in self.forms], self.cap, self.repeat, self.fold))


def run(ground: Ground, trial, watch: native.Watch | None = None) -> dict | None:
    """The result of a trial as plain data; None if it was stopped."""
    watch = watch or native.Watch()
    return run_formats(ground, trial, watch) if isinstance(trial, Trial) else run_fold(ground, trial, watch)


def run_formats(ground: Ground, trial: Trial, watch: native.Watch) -> dict | None:
    rows, test = ground.split(trial.cap, trial.repeat, trial.fold)
    try:
        _, report, machine = native.train(rows, native.Choice(trial.method, dict(trial.options), ground.seed), watch)
        if watch.stop:
            return None
        found = model.make(machine, {"labels": ground.names, "method": trial.method, **model.sample_notes(rows)}, ground.path)
    except Failure as error:
        return None if watch.stop else {"failed": error.message}
    result = {"forms": {}, "rows": rows.n, "support": report.support}
    for form in trial.forms:
        if watch.stop:
            return None
        result["forms"][form.key] = test_form(ground, found, form, rows, test)
    return result


def test_form(ground: Ground, found: model.Model, form: Form, rows: native.Rows, test: native.Rows) -> dict:
    try:
        if form.format == DRAFT:
            chosen, shape, limit = draft(found, ground.budget, rows)
        else:
            chosen, limit = in_form(found, form, ground.budget, rows)
            shape = cost.shape_of(chosen.model, form.format, chosen.quantised)
    except Failure as error:
        return {"failed": error.message}
    labels, scores = chosen.answers(test)
    found = {"limit": limit, "shape": asdict(shape)}
    if ground.targets is not None:
        return {**found, "square": metrics.off(scores, test.targets)["rmse"] ** 2}
    return {**found, "table": metrics.count(test.y[:test.n], labels, len(ground.names))}


# ---- one fold of `tune` ----

@dataclass(frozen=True)
class FoldTrial:
    """Trains without one fold and tests on it, as trained; all that the method tells is kept."""
    method: str
    options: tuple
    repeat: int
    fold: int

    @property
    def key(self) -> str:
        return repr((self.method, self.options, self.repeat, self.fold))


REPORTED = ("objective", "gap", "violation", "margin_min", "margin_mean", "iterations", "arena_peak", "arena_bound", "support",
            "converged")


def run_fold(ground: Ground, trial: FoldTrial, watch: native.Watch) -> dict | None:
    rows, fold = ground.division(trial.repeat)
    choice = native.Choice(trial.method, dict(trial.options), ground.seed)
    try:
        status, report, *tables = native.run_fold(rows, fold, trial.fold, choice, watch)
    except Refusal as error:
        return None if watch.stop else {"failed": error.message, "word": error.word, "told": error.told}
    except Failure as error:
        return None if watch.stop else {"failed": error.message}
    if watch.stop:
        return None
    return {"status": status, "report": {name: getattr(report, name) for name in REPORTED}, "told": report.told, "tables": tables}


def fold_result(result: dict):
    """What native.run_fold returns, or the failure that it raised, out of plain data."""
    if "word" in result:
        return Refusal(result["failed"], result["word"], result["told"])
    if "failed" in result:
        return Failure(result["failed"])
    report = native.Report(**result["report"])
    report.told = result["told"]
    return result["status"], report, *result["tables"]
