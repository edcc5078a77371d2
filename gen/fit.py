"""fit.py -- `gen fit`: from a data file to the best model that fits the chip. The search is in search.py; here are what the
user sees of it, the final training, and the files."""
from __future__ import annotations

import argparse
import math
import os
import shlex
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import replace

from . import advice, commands, cost, data, groups, interrupt, methods, metrics, native, output, report, state, tries, trial, workers
from . import train as training
from .errors import Failure, Usage
from .output import percent, say
from .search import FOLDS, Candidate, Search, plain_models, smallest_words
from .workers import Stopped


# ---- what is going on ----

QUIET = 5.0  # seconds between two lines of a log about rounds that are all alike


class View:
    """The line on a terminal that says what is tried, what is best and how much time is left; in a log, a line a phase."""

    def __init__(self, seconds: float, quiet: bool, finish: bool = False):
        self.began, self.planned = time.monotonic(), seconds
        self.deadline = math.inf if finish else self.began + seconds
        self.live = sys.stderr.isatty() and not quiet
        self.expected, self.done, self.phase, self.shown, self.trying, self.best = 1.0, 0.0, "", 0, "", ""
        self.drawn, self.logged, self.earlier = 0.0, 0.0, None

    def expect(self, work: float) -> None:
        """So many core seconds of work in all."""
        self.expected = max(1e-6, work)

    def reserve(self, seconds: float) -> None:
        """The search ends so much earlier, for what comes after it."""
        self.deadline -= min(0.2 * self.planned, seconds)

    def begin(self, phase: str, trials: int, known: float) -> None:
        """A phase of so many trials; `known` core seconds of it were worked before."""
        self.phase, self.count = phase, trials
        self.done += known

    def until(self, share: float, part: float = 1.0) -> "Within":
        """A block that may take a part of the time that is left until so large a share of all time is over."""
        now = time.monotonic()
        return Within(self, now + part * max(0.0, self.began + share * (self.deadline - self.began) - now))

    def look(self) -> None:
        if time.monotonic() > self.deadline:
            raise Stopped
        if self.earlier is not None and time.monotonic() > self.earlier:
            raise Late
        if self.live and time.monotonic() - self.drawn > 0.2:
            self.draw()

    def arrived(self, search: Search, one, result: dict) -> None:
        self.done += search.seconds_of(one)
        self.trying = methods.describe(one.method, {k: v for k, v in one.options if k != "tol"})

    def end(self, search: Search) -> None:
        found = search.candidates(range(1))
        order = search.ranked(found)
        if order:
            self.best = f"best so far {percent(round(order[0].error, 4))}{MEASURE[search.facts.about]} by {order[0].choice.words}"
        words = f"{self.phase}: {self.best or 'nothing fits yet'}"
        if not self.live and self.count and (not self.phase.startswith("the best again") or time.monotonic() - self.logged > QUIET):
            say(f"  {self.seconds:5.1f} s  {words}")
            self.logged = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def draw(self) -> None:
        share = min(0.99, self.done / self.expected)
        left = self.deadline - time.monotonic()
        if share > 0.1:
            left = min(left, self.seconds * (1 - share) / share)
        left = left if left < math.inf else max(0.0, self.planned - self.seconds)
        full = round(20 * share)
        line = (f"[{'#' * full}{' ' * (20 - full)}] {left:3.0f} s left | {self.best or 'the first models are on their way'} | "
                f"{self.phase}: {self.trying}")[:shutil.get_terminal_size((100, 24)).columns - 1]
        sys.stderr.write("\r" + line + " " * (self.shown - len(line)))
        sys.stderr.flush()
        self.shown, self.drawn = len(line), time.monotonic()

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()
            self.shown = 0


class Late(Exception):
    """A part of the search has taken its share of the time."""


class Within:
    """A block that ends early where it takes too long; `kept` says whether it did not."""

    def __init__(self, view: View, deadline: float):
        self.view, self.deadline, self.kept = view, deadline, True

    def __enter__(self) -> "Within":
        self.view.earlier = self.deadline
        return self

    def __exit__(self, kind, *_) -> bool:
        self.view.earlier = None
        self.kept = kind is None
        return kind is Late


# ---- the command ----

def stamp(path: str) -> tuple:
    """What changes when somebody writes to a file."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ino


def check_unchanged(path: str, before: tuple) -> None:
    if stamp(path) != before:
        raise Failure("the file changed during the search: the models are about what it was before", path)


def check(arguments: argparse.Namespace) -> None:
    if "-" in (arguments.data, arguments.test):
        raise Usage("fit reads its data more than once: give it a file, not standard input")
    if arguments.label == data.NO_LABEL:
        raise Usage("--label none: fit learns from labels")
    if arguments.target is not None:
        cost.target_named(arguments.target)
    if arguments.cycles is not None and cost.targets()[arguments.target or cost.DEFAULT_TARGET]["unit"] is None:
        raise Usage(f"--cycles: nothing counts cycles on {arguments.target}")
    output.check_writable(arguments.json)
    output.check_writable(arguments.save)
    output.check_writable(arguments.output)
    output.check_writable(arguments.report)
    for option, value in (("--positive", arguments.positive), ("--order", arguments.order)):
        if value is not None and (arguments.normal is not None or arguments.targets == "numbers"):
            raise Usage(f"{option} has no meaning with {'--normal' if arguments.normal is not None else '--targets numbers'}")
    if arguments.normal is not None and arguments.targets != "auto":
        raise Usage("--targets has no meaning with --normal")
    if arguments.resume and state.path_beside(arguments.output, arguments.save, arguments.json) is None:
        raise Usage("--resume: the state of a search is kept beside the output, and there is none: -o is missing")


def read(arguments: argparse.Namespace) -> tuple[training.Problem, list[int] | None]:
    """The data, and the group of each row; a file that changes meanwhile is refused."""
    before = stamp(arguments.data)
    try:
        found, of = groups.read(arguments.data, arguments.label, arguments.header, arguments.zero_based, arguments.group)
    except Failure as error:
        if arguments.group is None and "not a number" in error.message:
            error.message += ": features are numbers. Make a column of 0 and 1 for each name or, if names say which rows belong together, " \
                             "give the column as --group COLUMN"
        raise
    if found.labels is None:
        raise Failure("the file has no labels, and fit learns from them", found.path)
    if stamp(arguments.data) != before:
        raise Failure("the file changed while it was read: wait until it is complete", arguments.data)
    how = kind_of_labels(arguments, found)
    problem = training.problem_of(found, None if arguments.order else arguments.positive, how, "classes", arguments.order, arguments.normal)
    counts = problem.counts()
    if problem.one and not counts[0]:
        raise Failure(f"all rows are {arguments.normal!r}: without others nothing tells what a model detects; gen train --method oneclass "
                      "trains on normal rows alone", found.path)
    if problem.targets is not None and min(problem.targets) == max(problem.targets):
        raise Failure("all labels are the same number", found.path)
    if min(counts) < 2:
        name = problem.names[counts.index(min(counts))]
        raise Failure(f"class {name!r} has {min(counts)} row{'s' if min(counts) != 1 else ''}: each class needs two, so that one can be "
                      "left out", found.path)
    if found.n < 2 * FOLDS:
        raise Failure(f"{found.n} rows are too few: at least {2 * FOLDS} are needed", found.path)
    problem.check_columns()
    if of is not None and len(set(of)) < FOLDS:
        raise Failure(f"{len(set(of))} groups in --group {arguments.group}: at least {FOLDS} are needed", found.path)
    return problem, of


def kind_of_labels(arguments: argparse.Namespace, found: data.Data) -> str:
    """As Method.targets has it: what was asked for; else numbers where labels are more than a few that no class would be named by."""
    if arguments.normal is not None:
        return "normal"
    if arguments.order is not None:
        return "order"
    if arguments.targets != "auto":
        return arguments.targets
    return "numbers" if arguments.positive is None and look_like_numbers(found.labels, found.n) else "classes"


def look_like_numbers(labels: list[str], n: int) -> bool:
    """Many different numbers, with fractions or with few rows each. Whole numbers that are all different may count the rows.

    >>> look_like_numbers([f"{i}.5" for i in range(30)], 30), look_like_numbers([str(i) for i in range(26)], 20000)
    (True, False)
    >>> look_like_numbers([str(i) for i in range(40)], 100), look_like_numbers([str(i) for i in range(40)], 40)
    (True, False)
    """
    if len(labels) <= training.MOST_CLASSES or not all(map(data.is_number, labels)):
        return False
    return any(float(label) != int(float(label)) for label in labels) or n / 10 < len(labels) < n


def small_shape(problem: training.Problem, vectors: int, convert: bool) -> cost.Shape:
    """A small integer model of several vectors."""
    k, d = len(problem.names), problem.data.d
    machines = 1 if k == 2 or problem.targets is not None else k
    return cost.Shape("", "hinge", "margin_expansion_q", "q7", vectors * (d + 2 + machines), vectors, d, machines, machines, convert=convert,
                      elect="rest" if machines > 1 else "")


def is_bare(arguments: argparse.Namespace, problem: training.Problem) -> bool:
    """Whether code that makes integers of real values is not counted: as --inputs says or, without it, where there is no room for it."""
    if arguments.inputs == "real" or arguments.target is None or problem.rows.ranges()[2]:
        return False
    if arguments.inputs == "integers":
        return True
    return arguments.flash is not None and cost.estimate(small_shape(problem, 4, True), arguments.target).flash > arguments.flash


def table_room(arguments: argparse.Namespace, problem: training.Problem, bare: bool) -> int | None:
    """The bytes of flash that are left for tables, about: a target's flash has the code of a predictor as well."""
    if arguments.flash is None or arguments.target is None:
        return arguments.flash
    shape = small_shape(problem, 0, not bare and not problem.rows.ranges()[2])
    return max(1, arguments.flash - cost.estimate(shape, arguments.target).flash)


def front_bytes(arguments: argparse.Namespace, problem: training.Problem) -> int:
    """What code and structs in front of learned vectors take on a target, which pick some of the features or project them."""
    if arguments.target is None or problem.data.d < 2:
        return 0
    plain = small_shape(problem, 0, False)
    return cost.estimate(replace(plain, rank=1, picks=True), arguments.target).flash - cost.estimate(plain, arguments.target).flash


def conversion_bytes(problem: training.Problem, target: str) -> int:
    """What code and numbers take on a target that make integers of real values."""
    whole, bare = (cost.estimate(small_shape(problem, 4, convert), target).flash for convert in (True, False))
    return whole - bare


def facts_of(arguments: argparse.Namespace, problem: training.Problem, bare: bool) -> tries.Facts:
    k = len(problem.names)
    rates, room = (arguments.max_missed, arguments.max_false_alarms), table_room(arguments, problem, bare)
    if problem.targets is not None:
        if any(rate is not None for rate in rates):
            raise Failure("--max-missed and --max-false-alarms are for two classes; these labels are numbers", problem.data.path)
        return tries.Facts(problem.data.n, problem.data.d, 1, flash=room, about="numbers", deviation=statistics.pstdev(problem.targets))
    if problem.one:
        if arguments.max_missed is not None:
            raise Failure("--max-missed: what a model of one class misses cannot be promised; --max-false-alarms can", problem.data.path)
        return tries.Facts(problem.data.n, problem.data.d, k, alarms=arguments.max_false_alarms, flash=room, about="normal")
    if any(rate is not None for rate in rates) and k != 2:
        raise Failure(f"--max-missed and --max-false-alarms are for two classes; there are {k}", problem.data.path)
    numbers = all(map(data.is_number, problem.names))
    ordered = k > 2 and (arguments.order is not None or numbers and k <= training.MOST_CLASSES)
    return tries.Facts(problem.data.n, problem.data.d, k, ordered, *rates, room, whole=problem.rows.ranges()[2],
                       front=front_bytes(arguments, problem))


def fit(arguments: argparse.Namespace) -> None:
    check(arguments)
    engine = workers.engine(arguments.workers, arguments.threads)
    problem, of = read(arguments)
    before = stamp(arguments.data)
    bare = is_bare(arguments, problem)
    facts = facts_of(arguments, problem, bare)
    test = commands.read_test(arguments, problem) if arguments.test else None
    say(f"{arguments.data}: {problem.data.n} rows, {problem.data.d} features, {label_words(problem, arguments)}")
    for line in budget_words(arguments):
        say(line)
    for line in advice.about_data(problem, test, of):
        say(f"note: {line}")
    for line in about_inputs(arguments, problem, bare):
        say(f"note: {line}")
    budget = trial.Budget(arguments.flash, arguments.ram, arguments.cycles, arguments.target, bare)
    ground = trial.ground_of(problem, of, FOLDS, arguments.seed, budget)
    where = state.path_beside(arguments.output, arguments.save, arguments.json)
    known = state.State(where, state.key_of(ground, "fit", facts, arguments.time), arguments.resume)
    native.training(), native.device()  # compiled, if need be, before the clock starts
    view = View(arguments.time, arguments.quiet, arguments.finish)
    search = Search(ground, facts, arguments.time, engine, known, view)
    view.reserve(search.after())
    if arguments.target is not None and arguments.flash is not None and not problem.rows.ranges()[2] and not bare:
        search.hint = "; --inputs integers does not count the code that makes integers of real values"
    finished = False
    try:
        ended = run(search, view, len(known.results))
        check_unchanged(arguments.data, before)
        result, picked = conclude(arguments, problem, test, search, ended)
        check_unchanged(arguments.data, before)
        write(arguments, result, picked)
        if arguments.report is not None:
            report.of_fit(arguments, picked["candidate"].model, problem.rows, test, result)
        finished = search.complete
    except Failure:
        finished = True  # nothing to go on with
        raise
    finally:
        known.close(finished)
    if not search.complete and where is not None:
        say(f"the search is not complete: the same command with --resume goes on with it ({where} has what is known)")
    commands.deliver(arguments, result)


def about_inputs(arguments: argparse.Namespace, problem: training.Problem, bare: bool) -> list[str]:
    """What integer models need where values are not whole numbers of 16 bits."""
    if arguments.target is None or problem.rows.ranges()[2]:
        return []
    size = f"{conversion_bytes(problem, arguments.target):,} bytes of code on a {arguments.target}"
    if not bare:
        return [f"the values are not all whole numbers of 16 bits: integer models need about {size} to make such numbers of them, which are counted"]
    why = f"--flash {arguments.flash} has no room for that" if arguments.inputs == "auto" else "as --inputs integers asks for"
    return [f"the values are not all whole numbers of 16 bits; to make such numbers of them takes about {size}. These are not counted "
            f"({why}): your program must pass integers, made by the offset and factor of each feature that the header has"]


def run(search: Search, view: View, known: int) -> str:
    """Runs the search; why it ended early, or nothing."""
    if known:
        say(f"  {known} trainings are known from before")
    try:
        search.run()
        return ""
    except Stopped:
        return f"--time {view.planned:g} is over"
    except KeyboardInterrupt:
        if not any(not one.failed for one in search.decided()[0]):
            raise
        interrupt.handled()
        return "stopped by Ctrl-C"
    finally:
        view.clear()


def label_words(problem: training.Problem, arguments: argparse.Namespace) -> str:
    if problem.targets is not None:
        asked = "" if arguments.targets == "numbers" else "; --targets classes takes them for classes"
        return f"labels are numbers from {min(problem.targets):.6g} to {max(problem.targets):.6g}{asked}"
    counts = ", ".join(f"{name} ({count})" for name, count in list(zip(problem.names, problem.counts()))[:12])
    return f"classes {counts}" + (", ..." if len(problem.names) > 12 else "")


def budget_words(arguments: argparse.Namespace) -> list[str]:
    """What is asked for, in words."""
    parts = []
    if arguments.flash is not None:
        parts.append(f"{arguments.flash} bytes of flash for the model and its code" if arguments.target else
                     f"{arguments.flash} bytes for the tables of the model")
    if arguments.ram is not None:
        parts.append(f"{arguments.ram} bytes of RAM")
    if arguments.cycles is not None:
        parts.append(f"{arguments.cycles} cycles")
    for value, words in ((arguments.max_missed, "missed"), (arguments.max_false_alarms, "false alarms")):
        if value is not None:
            parts.append(f"{percent(value)} {words}")
    lines = [f"wanted: the lowest error{' with at most ' + ', '.join(parts) if parts else ''}, within {arguments.time:g} s of search"]
    if arguments.target is None:
        lines.append(f"without --target the code is not counted, and cycles are those of a {cost.DEFAULT_TARGET}")
    return lines


# ---- the end ----

def option_words(options: dict) -> list[str]:
    """
    >>> option_words({"kernel": "rbf", "gamma": 0.5, "cheap": True, "plain": False, "balanced": False})
    ['--kernel', 'rbf', '--gamma', '0.5', '--cheap', '--no-balanced']
    """
    words = []
    for name, value in options.items():
        if value is True:
            words.append(f"--{name}")
        elif value is False:
            words += [f"--no-{name}"] if methods.OPTIONS[name].off else []
        else:
            words += [f"--{name}", repr(value) if isinstance(value, float) else str(value)]
    return words


def command_of(arguments: argparse.Namespace, one: Candidate, header: str) -> list[str]:
    """The words after `gen` that train this candidate on all rows."""
    words = ["train", arguments.data, "--method", one.choice.method, *option_words(dict(one.choice.options))]
    words += ["--format", one.form.format] + (["--flash", str(one.limit)] if one.limit is not None else [])
    ordered = methods.METHODS[one.choice.method].targets == "order"
    if arguments.order is not None and ordered:
        words += ["--order", ",".join(arguments.order)]
    if ordered and arguments.order is None:
        words += ["--targets", "classes"]
    for name in ("label", "positive", "normal", "group", "test"):
        value = vars(arguments)[name]
        if value is not None and not (name == "positive" and ordered):
            words += [f"--{name}", value] if not value.startswith("-") else [f"--{name}={value}"]
    if arguments.header != "auto":
        words += ["--header", arguments.header]
    if arguments.zero_based:
        words.append("--zero-based")
    if arguments.seed != 1:
        words += ["--seed", str(arguments.seed)]
    if arguments.save is not None:
        words += ["--save", arguments.save]
    if arguments.name is not None:
        words += ["--name", arguments.name]
    return words + ["-o", header]


def keys_of(search: Search, one: Candidate, arguments: argparse.Namespace) -> dict:
    """A candidate as the JSON has it."""
    header = arguments.output or "model.h"
    found = {"method": one.choice.method, "options": dict(one.choice.options), "format": one.form.format, "bytes": None,
             "flash": None, "ram": None, "stack": None, "cycles": None, "error_mean": None, "error_sd": None, "test_error": None,
             "status": one.failed or "ok", "rows": one.cap or search.ground.n}
    if one.failed:
        return {**found, "command": None}
    found.update(cost_keys(one.cost), error_mean=one.error, error_sd=one.sd, error_se=one.standard_error,
                 folds=len(one.errors))
    if search.facts.about == "numbers":
        found.update(rmse=search.facts.deviation * one.error ** 0.5, r2=1 - one.error)
    elif len(search.ground.names) == 2:
        normal = search.facts.about == "normal"  # the second class: an answer of the first is an alarm
        found.update(missed=one.rate(0 if normal else 1), false_alarms=one.rate(1 if normal else 0))
    shown = one.form.format in ("f32", "q15", "q7")
    return {**found, "command": "python3 -m gen " + shlex.join(command_of(arguments, one, header)) if shown else None}


def cost_keys(found: cost.Cost) -> dict:
    return {"bytes": found.tables, "flash": found.flash, "ram": found.memory, "stack": found.stack, "cycles": found.cycles,
            "code": found.code, "helpers": found.helpers}


def conclude(arguments, problem, test, search: Search, ended: str) -> tuple[dict, dict]:
    """Picks, trains on all rows, says everything; the JSON, and the files to write."""
    found, folds = search.decided()
    if not any(not one.failed for one in found):
        if not found:
            raise Failure(f"{ended or 'the search ended'} before the first model was tested: --time is too short for {problem.data.n} "
                          "rows", arguments.data)
        raise Failure(f"no model fits: {smallest_words(found)}{search.hint}", arguments.data)
    say_rounds(search, found, folds, ended)
    skipped: list[Candidate] = []
    while True:
        left = [one for one in found if one not in skipped]
        if not any(not one.failed for one in left):
            raise Failure(f"no model trained on all rows fits: {smallest_words(found)}", arguments.data)
        picked, best = search.pick(left)
        if search.excess(picked) > 0:
            raise Failure(f"no model keeps these rates: the nearest, {picked.words}, misses {percent(picked.rate(1))} and raises "
                          f"{percent(picked.rate(0))} false alarms", arguments.data)
        trained = train_picked(arguments, picked, search, test)
        if trained is not None:
            break
        skipped.append(picked)
    say_frontier(search, left, picked, trained)
    say_pick(search, left, picked, best, trained, problem, arguments)
    for line in label_advice(problem, search, picked, ended):
        say(f"note: {line}")
    command = "python3 -m gen " + shlex.join(command_of(arguments, picked, arguments.output or "model.h"))
    say("the same model again, to the bit:")
    say(f"  {command}")
    result = {**keys_of(search, picked, arguments), **cost_keys(trained["cost"]), **trained["test"], "command": command,
              "target": search.budget.place, "n": problem.data.n, "d": problem.data.d, "classes": len(problem.names),
              "labels": problem.names, "majority_error": majority_error(problem, search), "linear_error": linear_error(found, search),
              "inputs": "integers" if search.budget.bare and picked.form.format != "f32" else "raw", "complete": search.complete, "stopped": ended or None, "seconds": search.view.seconds,
              "not_tried": list(search.plan.left_out), "seed": arguments.seed,
              "candidates": [keys_of(search, one, arguments) for one in search.candidates(range(1)) + (found if search.finals else [])
                             if one.form.format in ("f32", "q15", "q7")]}
    return result, trained


def label_advice(problem, search: Search, picked: Candidate, ended: str) -> list[str]:
    """About labels, if there is time left to look at them."""
    trainings = FOLDS * advice.REPEATS * search.once(picked.choice)
    if ended or trainings > 0.1 * search.plan.work or search.facts.about != "classes":
        return []
    try:
        return advice.about_labels(problem, search.ground, picked.choice, search.view)
    except (Stopped, Failure):
        return []
    finally:
        search.view.clear()


def name_in_c(arguments: argparse.Namespace) -> str:
    """What names in the header start with."""
    return arguments.name or commands.export_.name_of(arguments.output or "model.h")


def train_picked(arguments, picked: Candidate, search: Search, test) -> dict | None:
    """Trains on all rows by the very command that is printed, into a folder of its own: nothing is written before everything
    is done. None if the model on all rows is larger than the folds promised, or export would refuse its number format."""
    from .cli import make_parser
    with tempfile.TemporaryDirectory() as folder:
        words = command_of(arguments, picked, os.path.join(folder, "model.h"))
        parsed = make_parser().parse_args(words)
        parsed.name = name_in_c(arguments)
        parsed.save = None
        try:
            with output.quiet():
                done = commands.train_files(parsed)
        except Failure:
            return None
    chosen = done["candidate"]
    price = search.budget.price(cost.shape_of(chosen.model, chosen.form, chosen.quantised))
    if search.budget.excess(price):
        return None
    return {"cost": price, "test": test_keys(chosen, test, search), "test_rows": test.n if test is not None else 0, **done}


def test_keys(chosen, test, search: Search) -> dict:
    """How the model does on rows that the search has not seen; test_error is as the errors of the search are."""
    if test is None:
        return {"test_error": None}
    labels, scores = chosen.answers(test)
    if search.facts.about == "numbers":
        off = metrics.off(scores, test.targets)
        return {"test_error": (off["rmse"] / search.facts.deviation) ** 2, **{f"{name}_test": value for name, value in off.items()}}
    table = metrics.count(test.y[:test.n], labels, len(search.ground.names))
    if search.facts.about == "normal":
        return {"test_error": search.error_of({"table": table}), "detection_rate_test": negated(metrics.class_error(table, 0)),
                "false_alarm_rate_test": metrics.class_error(table, 1)}
    return {"test_error": metrics.error(table)}


def negated(rate: float | None) -> float | None:
    return None if rate is None else 1 - rate


def write(arguments: argparse.Namespace, result: dict, trained: dict) -> None:
    if arguments.output is not None:
        output.write_file(arguments.output, trained["header"])
        say(f"{arguments.output}: written; include it in your firmware beside margin.h")
    if arguments.save is not None:
        commands.save(arguments, trained["candidate"].model)


# ---- words at the end ----

# What errors are shares of, where that is not rows.
MEASURE = {"classes": "", "normal": " of wrong answers, the mean of both sides,", "numbers": " of the variance left"}


def linear_error(found: list[Candidate], search: Search) -> float | None:
    plain = [one.error for one in found if one.choice in plain_models(search.facts) and not one.failed]
    return min(plain) if plain else None


def majority_error(problem: training.Problem, search: Search) -> float:
    """The error of always giving the same answer: of numbers their mean."""
    if search.facts.about != "classes":
        return {"numbers": 1.0, "normal": 0.5}[search.facts.about]
    return 1 - max(problem.counts()) / problem.data.n


def say_rounds(search: Search, found: list[Candidate], folds: int, ended: str) -> None:
    choices = len({one.choice for one in search.candidates(range(1))})
    say(f"{choices} choices of method and options were tried; the table has those that were tested on {folds} divisions into training "
        f"and test rows" + (f" ({ended})" if ended else ""))
    if search.plan.cap is not None:
        say(f"the first rounds used {search.plan.cap} of {search.ground.n} rows, to keep within --time")
    if search.missed:
        say(f"there was no time for all of: {search.missed}")
    if any(one.draft for one in found):
        say("errors of models with a kernel are about those that they will have: there was no time to test them in their number format")
    for line in search.plan.left_out:
        say(f"not tried: {line}; a longer --time includes it")


def row(search: Search, one: Candidate, mark: str) -> tuple[str, ...]:
    price = one.cost
    known = price.known
    return (f"{100 * one.error:.1f} % +- {100 * one.standard_error:.1f}", f"{price.tables:,}",
            *([f"{price.flash:,}"] if search.budget.target else []), f"{price.memory:,}" if known else "-",
            "-" if price.cycles is None else f"{price.cycles:,}", one.words + mark)


MOST_ROWS = 8
DOUBT = 0.03  # the standard error of so few rows is worth a word


def thinned(kept: list[Candidate], picked: Candidate) -> list[Candidate]:
    """At most so many rows: the ones that gain least are left out, never the first, the last or the pick."""
    kept = list(kept)
    while len(kept) > MOST_ROWS:
        inner = [i for i in range(1, len(kept) - 1) if kept[i] is not picked]
        drop = min(inner, key=lambda i: kept[i - 1].error - kept[i].error if kept[i - 1].error > kept[i].error else 0)
        del kept[drop]
    return kept


def say_frontier(search: Search, found: list[Candidate], picked: Candidate, trained: dict) -> None:
    kept = search.frontier(found)
    if picked not in kept:
        kept = sorted([*kept, picked], key=search.price)
    unit = cost.targets()[search.budget.place]["unit"] or "cycles"
    lines = [("error", "table bytes", *(["flash"] if search.budget.target else []), "RAM", unit, "model")]
    lines += [row(search, one, "   <- picked" if one is picked else "") for one in thinned(kept, picked)]
    last = len(lines[0]) - 1
    widths = [max(len(line[i]) for line in lines) for i in range(last + 1)]
    say({"classes": "the best for each size (error of rows that were left out, +- the standard error of its mean over the divisions):",
         "normal": "the best for each size (on rows that were left out, the mean of missed anomalies and false alarms, +- its standard error):",
         "numbers": "the best for each size (on rows that were left out, the mean square error as a share of the variance of the numbers, "
                    "+- its standard error):"}[search.facts.about])
    for line in lines:
        say("  " + "  ".join(f"{cell:>{w}}" if i < last else cell for i, (cell, w) in enumerate(zip(line, widths))))
    grown = [one.cap for one in kept if one.cap is not None and one.cap < search.ground.n and one.choice.kernel and one.limit is None]
    if grown:
        say(f"models with a kernel are larger the more rows there are: the table has them for at most {grown[0]} rows, not for all "
            f"{search.ground.n}")


def cost_words(search: Search, price: cost.Cost, n: int) -> str:
    """What the model on all rows takes."""
    place, unit = search.budget.place, cost.targets()[search.budget.place]["unit"]
    parts = [f"{price.tables} bytes of tables"]
    if price.known:
        parts.append(f"{price.memory} bytes of RAM")
        if price.cycles is not None:
            parts.append(f"{price.cycles:,} {unit} a prediction")
    with_code = f"; {price.flash} bytes of flash with struct and code" if search.budget.target else ""
    return f"trained on all {n} rows, on a {place}: {', '.join(parts)}{with_code}"


def steps(search: Search, found: list[Candidate], picked: Candidate) -> tuple[Candidate | None, Candidate | None]:
    """The smallest candidate that is better than the pick by what the table shows, and the best one that is smaller."""
    kept, size = search.frontier(found), search.price(picked)[0]
    larger = [one for one in kept if search.price(one)[0] > size and round(picked.error - one.error, 3) > 0]
    smaller = [one for one in kept if search.price(one)[0] < size]
    return larger[0] if larger else None, min(smaller, key=lambda one: (one.error, search.price(one)), default=None)


def say_pick(search: Search, found: list[Candidate], picked: Candidate, best: Candidate, trained: dict, problem, arguments) -> None:
    if picked is best:
        say(f"picked: {picked.words}, which has the lowest error")
    else:
        say(f"picked: {picked.words}, the smallest within one standard error ({100 * best.standard_error:.1f} points) of the lowest error "
            f"({100 * best.error:.1f} %)")
    say(cost_words(search, trained["cost"], problem.data.n))
    if search.budget.bare and picked.form.format != "f32":
        say(f"it takes 16-bit integers; {name_in_c(arguments)}_input() of the header makes them of real values, for about "
            f"{conversion_bytes(problem, search.budget.place):,} bytes more, or less if your program calculates with floats anyway")
    for line in about_pick(search, picked, trained["test"], arguments.test, trained["test_rows"]):
        say(line)
    up, down = steps(search, found, picked)
    if up:
        say(f"a step up: {up.words}: {100 * (picked.error - up.error):.1f} points fewer errors for "
            f"{search.price(up)[0] - search.price(picked)[0]} more bytes")
    if down:
        say(f"a step down: {down.words}: saves {search.price(picked)[0] - search.price(down)[0]} bytes, "
            f"{100 * (down.error - picked.error):.1f} points more errors")
    majority, linear = majority_error(problem, search), linear_error(found, search)
    name = problem.names[problem.counts().index(max(problem.counts()))]
    plain = f"a plain linear model in {percent(round(linear, 4))}" if linear is not None else ""
    if search.facts.about == "numbers":
        left = f", a plain linear model leaves {percent(round(linear, 4))}" if linear is not None else ""
        say(f"for comparison: always answering the mean leaves 100 % of the variance (root mean square error {search.facts.deviation:.4g}){left}")
    elif search.facts.about == "normal":
        say(f"for comparison: always giving the same answer has a mean of 50 %{', ' + plain if plain else ''}")
    else:
        say(f"for comparison: always answering {name!r} is wrong in {percent(round(majority, 4))}" + (f", {plain}" if plain else ""))
    if picked.error > 0.9 * majority or picked.error + 2 * picked.standard_error > majority:
        what = {"classes": "tell the classes apart", "normal": "tell what is normal", "numbers": "say much about the numbers"}[search.facts.about]
        say(f"note: this model is hardly better than always giving the same answer, or nobody can tell by so few rows: these features may "
            f"not {what}")


def about_pick(search: Search, picked: Candidate, tested: dict, path: str | None, rows: int) -> list[str]:
    """How good the pick is where an error rate alone does not tell, and on test rows."""
    lines = []
    if search.facts.about == "numbers":
        lines.append(f"on rows that were left out: root mean square error {search.facts.deviation * picked.error ** 0.5:.4g}, "
                     f"R2 {1 - picked.error:.4g}")
        if path is not None:
            lines.append(f"on {path}: root mean square error {tested['rmse_test']:.4g}, mean absolute error {tested['mae_test']:.4g}"
                         + (f", R2 {tested['r2_test']:.4g}" if tested["r2_test"] is not None else ""))
        return lines
    if search.facts.about == "normal":
        lines.append(f"on rows that were left out: {percent(round(1 - picked.rate(0), 4))} of the anomalies are detected, "
                     f"{percent(round(picked.rate(1), 4))} of normal rows raise a false alarm")
    doubt = math.sqrt(picked.error * (1 - picked.error) / search.ground.n)
    if search.facts.about == "classes" and doubt > DOUBT:
        lines.append(f"note: {search.ground.n} rows alone tell an error of {100 * picked.error:.0f} % only to within about {100 * doubt:.0f} points, "
                     "however often they are divided; more rows tell more")
    if tested["test_error"] is not None:
        wrong = f" ({round(rows * tested['test_error'])} of {rows} rows)" if search.facts.about == "classes" else ""
        lines.append(f"error on {path}: {percent(round(tested['test_error'], 6))}{wrong}")
    return lines
