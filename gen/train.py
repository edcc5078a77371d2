"""train.py -- training and cross-validation of one method, on one or both cores, reported with the keys of the JSON."""
from __future__ import annotations

import math
import time
from array import array
from dataclasses import dataclass

from . import chances, classes, metrics, native, progress
from .data import Data, is_number
from .errors import Failure


@dataclass
class Problem:
    """Training data with numbered classes."""
    data: Data
    names: list[str]
    y: array
    targets: array | None = None  # the labels as numbers, for methods that want to meet them
    ordered: bool = False         # classes have an order: some may have no rows
    weights: array | None = None  # how much each row counts
    one: bool = False             # class 1 is what is normal, 0 all else,
    normal: str | None = None     # and this its label; None: all rows are normal

    @property
    def rows(self) -> native.Rows:
        return native.Rows(self.data, self.y, len(self.names), self.targets, self.weights)

    def table(self, machine: native.Machine, rows: native.Rows | None) -> list[list[int]] | None:
        """How often which class is taken for which; None where classes are not the point."""
        return machine.confusion(rows) if rows is not None and self.targets is None else None

    def counts(self) -> list[int]:
        return [self.y.count(c) for c in range(len(self.names))]

    def check_columns(self) -> None:
        """Refuses data whose columns are all constant."""
        if all(low == high for low, high in zip(*self.rows.ranges()[:2])):
            raise Failure("no column ever changes: there is nothing to learn from", self.data.path)


MOST_CLASSES = 20  # in order: numbers with more values than that are ranked


def ordinal_problem(data: Data, how: str, order: list[str] | None) -> Problem:
    """Labels that have an order: numbers to be ranked, which all are of one class, or classes."""
    many = how == "numbers" or how == "auto" and len({*data.labels}) > MOST_CLASSES
    if many and order is None and (how == "numbers" or all(map(is_number, data.labels))):
        return Problem(data, ["rank"], array("H", bytes(2 * data.n)), classes.numbers_of(data), True)
    names = classes.ordered_names(data, order)
    return Problem(data, names, classes.classes_of(data, names), ordered=True)


def normal_problem(data: Data, normal: str | None) -> Problem:
    """One class of normal rows: those with the label given, or all of them."""
    y = classes.normal_of(data, normal)
    if not any(y):
        raise Failure(f"no row has the label {normal!r} of --normal", data.path)
    name = normal if normal is not None else "normal"
    return Problem(data, ["anomaly" if name != "anomaly" else "other", name], y, ordered=True, one=True, normal=normal)


def problem_of(data: Data, positive: str | None, targets: str = "classes", how: str = "auto",
               order: list[str] | None = None, normal: str | None = None) -> Problem:
    """`targets`: see Method in methods.py; `how` and `order` are the user's words about labels that have an order."""
    if targets == "normal":
        return normal_problem(data, normal)
    if data.labels is None:
        raise Failure("the file has no labels, and training needs them", data.path)
    if targets == "order":
        return ordinal_problem(data, how, order)
    if targets == "numbers":
        return Problem(data, ["value"], array("H", bytes(2 * data.n)), classes.numbers_of(data), True)
    names = classes.class_names(data, positive)
    return Problem(data, names, classes.classes_of(data, names))


def share(watch: native.Watch) -> float:
    """How much of a training is done: solvers gain about as many digits a second from first to last."""
    if not watch.machines or watch.first <= 0:
        return 0.0
    part = 0.0
    if watch.violation > 0 and watch.goal > 0 and watch.first > watch.goal:
        part = math.log(watch.first / max(watch.violation, watch.goal)) / math.log(watch.first / watch.goal)
    return (watch.machine + min(max(part, 0.0), 1.0)) / watch.machines


def run_jobs(jobs: list, watches: list[native.Watch], what: str) -> list:
    """Runs native jobs side by side; each has a watch, which is how it is stopped."""
    done = set()

    def finished(i):
        def job():
            result = jobs[i]()
            done.add(i)
            return result
        return job

    def look():
        sum_ = len(done) + sum(share(w) for i, w in enumerate(watches) if i not in done and w.running)
        note = f"{what} {len(done)} of {len(jobs)}" if len(jobs) > 1 else f"{what}: {watches[0].iteration} steps"
        return sum_ / len(jobs), note

    def stop():
        for watch in watches:
            watch.stop = 1

    return progress.run([finished(i) for i in range(len(jobs))], look, stop)


def blame(error: Failure, path: str) -> Failure:
    """A status of the library as a failure of the data file that caused it."""
    if not error.path:
        error.path = path
    return error


class Clock:
    """Seconds of a block: by the wall clock, and of this process's work."""

    def __enter__(self):
        self.start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.start[0]
        self.cpu_seconds = time.process_time() - self.start[1]


# ---- one training ----

@dataclass
class Trained:
    machine: native.Machine
    report: native.Report
    status: int
    seconds: float
    cpu_seconds: float
    choice: native.Choice


def fit(problem: Problem, method: str, chosen: dict, seed: int = 1) -> Trained:
    choice, watch = native.Choice(method, chosen, seed), native.Watch()
    native.training(), native.device()  # compiled, if need be, before the clock starts
    if method == "compact":
        problem.check_columns()
    with Clock() as clock:
        try:
            status, report, machine = run_jobs([lambda: native.train(problem.rows, choice, watch)], [watch], method)[0]
        except Failure as error:
            raise blame(error, problem.data.path) from None
    return Trained(machine, report, status, clock.seconds, clock.cpu_seconds, choice)


STATUS = {"MARGIN_OK": "ok", "MARGIN_W_ITERATIONS": "iteration limit", "MARGIN_W_STOPPED": "stopped"}


def status_word(status: int) -> str:
    """A status that is none of failure, for the JSON."""
    return STATUS.get(native.status_name(status)) or native.status_text(status)


def told_keys(reports: list[native.Report]) -> dict:
    """What the method told: as it is of one training; of several the means of all that are numbers, whether what is
    true or false holds for all, and words that all share."""
    if len(reports) == 1:
        return reports[0].told
    truths = {name: all(r.told.get(name) for r in reports) for name, value in reports[0].told.items()
              if isinstance(value, bool)}
    shared = {name: value for name, value in reports[0].told.items()
              if isinstance(value, str) and all(r.told.get(name) == value for r in reports)}
    names = [name for name, value in reports[0].told.items() if is_plain(value)]
    lists = {name: [r.told[name] for r in reports if is_plain(r.told.get(name))] for name in names}
    means = {name: sum(values) / len(values) for name, values in lists.items() if values}
    return {**means, **truths, **shared}


def is_plain(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def report_keys(method: str, problem: Problem, reports: list[native.Report], statuses: list[int]) -> dict:
    """The keys that train and cv share. Of several trainings: mean objective and margins, all steps, most memory."""
    n = len(reports)
    mean = {name: sum(getattr(r, name) for r in reports) / n for name in ("objective", "margin_mean", "support")}
    return {"method": method, "status": status_word(max(statuses)), "n": problem.data.n, "d": problem.data.d,
            "classes": len(problem.names), "objective": mean["objective"],
            "iterations": sum(r.iterations for r in reports), "converged": all(r.converged for r in reports),
            "arena_bytes": max(r.arena_peak for r in reports), "arena_bound": max(r.arena_bound for r in reports),
            "support": reports[0].support if n == 1 else mean["support"],
            "margin_min": min(r.margin_min for r in reports), "margin_mean": mean["margin_mean"],
            **told_keys(reports)}


# ---- cross-validation ----

# Folds and views are the library's, margin_folds and margin_fold_views. The loop over them is not margin_cross_validate: trainings run
# side by side and can be stopped, rows of a group share a fold, each fold has a scaling and a report of its own, and the same loop serves
# ranks, numbers and one class. tests/gen/test_validation.py compares the two. Tables are counted while rows are answered in batches,
# which margin_confusion, made for devices, does one by one.

@dataclass
class Validated:
    """Cross-validation of one choice of options, fold by fold."""
    reports: list[native.Report]
    statuses: list[int]
    on_train: list[list[list[int]]]  # empty, as on_test, where classes are not the point
    on_test: list[list[list[int]]]

    @property
    def errors(self) -> list[float]:
        return [metrics.error(table) for table in self.on_test]

    def keys(self) -> dict:
        mean, deviation = metrics.spread(self.errors)
        return {"error_mean": mean, "error_sd": deviation}

    def goal_keys(self, goal: str) -> dict:
        """The spread of what `tune` makes large: NAME_sd and fold_NAME beside NAME_test."""
        if not goal.startswith("-"):
            return {}
        values = [v for v in (r.told.get(f"{goal[1:]}_test") for r in self.reports) if is_plain(v)]
        return {f"{goal[1:]}_sd": metrics.spread(values)[1], f"fold_{goal[1:]}": values}

    def rank(self, goal: str) -> float:
        """What `tune` makes small, see Method.goal in methods.py."""
        if not goal.startswith("-"):
            return self.keys()["error_mean"]
        return -told_keys(self.reports).get(f"{goal[1:]}_test", -math.inf)


def check_folds(problem: Problem, folds: int) -> None:
    smallest = min(problem.counts())
    if smallest < 2 and not problem.ordered:
        name = problem.names[problem.counts().index(smallest)]
        raise Failure(f"class {name!r} has only one row: cross-validation needs two of each", problem.data.path)
    if folds > problem.data.n:
        raise Failure(f"{folds} folds of {problem.data.n} rows", problem.data.path)


def gather(results: list, problem: Problem) -> Validated | Failure:
    """The folds of one choice of options; the first failure if there is one."""
    for result in results:
        if isinstance(result, Failure):
            return blame(result, problem.data.path)
    found = Validated(*([result[i] for result in results] for i in (1, 0, 2, 3)))
    if problem.targets is not None:
        found.on_train, found.on_test = [], []
    return found


def fold_job(*arguments):
    """A training that keeps its failure: another choice of options may well do."""
    def job():
        try:
            return native.run_fold(*arguments)
        except Failure as error:
            return error
    return job


def divide(problem: Problem, folds: int, seed: int, groups: list[int] | None) -> array:
    """The fold of each row; rows of a group share one."""
    if groups is None:
        return native.folds(problem.rows, folds, seed)
    from .trial import group_folds
    return array("H", group_folds(groups, list(problem.y), folds, seed))


def validate(problem: Problem, method: str, points: list[dict], folds: int, repeats: int, seed: int,
             groups: list[int] | None = None) -> list:
    """Cross-validates several choices of options on the same folds, all side by side: a Validated or a Failure each."""
    check_folds(problem, folds)
    if groups is not None and len(set(groups)) < folds:
        raise Failure(f"{folds} folds of {len(set(groups))} groups", problem.data.path)
    rows = problem.rows
    splits = [divide(problem, folds, seed + repeat, groups) for repeat in range(repeats)]
    jobs, watches = [], []
    for point in points:
        for split in splits:
            for which in range(folds):
                watches.append(native.Watch())
                jobs.append(fold_job(rows, split, which, native.Choice(method, point, seed), watches[-1]))
    results, size = run_jobs(jobs, watches, "trainings"), folds * repeats
    return [gather(results[i:i + size], problem) for i in range(0, len(results), size)]


def left_out(problem: Problem, seed: int, groups: list[int] | None) -> array:
    """The folds of a calibration: ten. With five, machines that know 80 % of the rows say what the one of all rows is worth, and
    prediction sets hold the true class in 81.7 % where 80 % are asked for."""
    return divide(problem, min(10, problem.data.n, len(set(groups or range(10)))), seed, groups)


def calibrate(problem: Problem, method: str, chosen: dict, machine: native.Machine, fold: array, seed: int,
              coverage: float = 0.9) -> chances.Calibration:
    """Gives a machine probabilities, fitted to the scores of rows that were left out of training, fold by fold."""
    folds = max(fold) + 1
    check_folds(problem, folds)
    rows, choice = problem.rows, native.Choice(method, chosen, seed)
    held, watches = native.Held(machine, fold, folds, coverage), [native.Watch() for _ in range(folds)]
    jobs = [lambda i=i: held.run_fold(rows, i, choice, watches[i]) for i in range(folds)]
    try:
        run_jobs(jobs, watches, "calibration")
        held.calibrate(rows)
    except Failure as error:
        raise blame(error, problem.data.path) from None
    return chances.Calibration(coverage, chances.measured(held.probabilities(), problem.y, held.kept["include"]),
                               {"asked": coverage, **chances.noted(held.kept["own"])})
