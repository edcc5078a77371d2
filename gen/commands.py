"""commands.py -- what each command does, and how it says so."""
from __future__ import annotations

import argparse
import contextlib
import csv
import io
import math
import random
import statistics

from . import alone, chances, compress, data, export as export_, from_libsvm, from_pickle, groups, kinds, measure, methods, metrics, model, native
from . import options, output, progress, project, shapes, state, trial, workers
from . import train as training
from .classes import classes_of, match_label, normal_of, numbers_of, of_model
from .cspell import is_identifier
from .errors import Failure, Refusal, Usage, visible
from .native import Rows
from .output import byte_words, percent, say
from .quant import noted_rows
from .report import report  # noqa: F401, the command of this name


def chosen_options(arguments: argparse.Namespace) -> dict:
    """The options of options.py that the user gave."""
    found = {name: vars(arguments)[option.key] for name, option in methods.OPTIONS.items()}
    found = {name: value for name, value in found.items() if value is not None}
    check_chances(arguments)
    for note in methods.check(arguments.method, found):
        say(f"note: {note}")
    return found


def check_chances(arguments: argparse.Namespace) -> None:
    """Probabilities, sets and rejections are of classes; sets need probabilities."""
    targets, given = methods.METHODS[arguments.method].targets, vars(arguments)
    for name in ("calibrate", "reject"):
        if given.get(name) and targets == "numbers":
            raise Usage(f"--{name} is for classes; {arguments.method} answers with numbers, and --outside tells how far off they may be")
        if given.get(name) and targets == "normal":
            raise Usage(f"--{name} is for two classes and more; {arguments.method} knows one, and --nu is its rate of false alarms")
    if given.get("coverage") is not None and not given["calibrate"]:
        raise Usage("--coverage is for the sets of classes that --calibrate makes: give both")
    arguments.coverage = given.get("coverage") or chances.COVERAGE


def read_problem(arguments: argparse.Namespace) -> training.Problem:
    found, arguments.groups = groups.read(arguments.data, arguments.label, arguments.header, arguments.zero_based,
                                          arguments.group)
    targets = methods.METHODS[arguments.method].targets
    if arguments.order is not None and targets != "order":
        raise Usage(f"--order is for methods of classes in order, not for {arguments.method}")
    if arguments.positive is not None and targets == "order":
        raise Usage(f"{arguments.method} takes the order of all classes: --order, not --positive")
    if arguments.positive is not None and targets in ("numbers", "normal"):
        raise Usage(f"--positive is for two classes, not for {arguments.method}")
    if vars(arguments).get("normal") is not None and targets != "normal":
        raise Usage(f"--normal is for oneclass, not for {arguments.method}")
    problem = training.problem_of(found, arguments.positive, targets, arguments.targets or "auto", arguments.order,
                                  vars(arguments).get("normal"))
    if targets == "normal":
        say(f"{found.path}: {found.n} rows, {sum(problem.y)} of them normal, {found.d} features")
        return problem
    if problem.targets is not None:
        say(f"{found.path}: {found.n} rows, {found.d} features, targets from {min(problem.targets):.6g} to "
            f"{max(problem.targets):.6g}")
        return problem
    counts = ", ".join(f"{name} ({count})" for name, count in list(zip(problem.names, problem.counts()))[:12])
    more = ", ..." if len(problem.names) > 12 else ""
    say(f"{found.path}: {found.n} rows, {found.d} features, classes {counts}{more}")
    return problem


def say_errors(words: str, table: list[list[int]], names: list[str]) -> None:
    parts = [f"{name} {percent(metrics.class_error(table, c))}" for c, name in enumerate(names)]
    without = metrics.rejected(table)
    more = f"; {percent(without)} rejected" if without else ""
    say(f"{words} {percent(metrics.error(table))} ({', '.join(parts[:12])}{', ...' if len(parts) > 12 else ''}){more}")


def say_chances(words: str, rows: list[list[float]], y, include: float, asked: float, ending: str) -> dict:
    """What known classes say of probabilities and of sets, in words and as keys of the JSON."""
    keys = chances.measured(rows, y, [include] * len(rows))
    say(words + chances.words(keys, asked))
    return {key + ending: value for key, value in keys.items()}


def say_majority(problem: training.Problem, errors: list[float | None]) -> None:
    """A hint where the first error that is known is close to that of always giving the same answer."""
    error = next((error for error in errors if error is not None), None)
    majority = 1 - max(problem.counts()) / problem.data.n
    if error is not None and problem.targets is None and not problem.one and error > 0.9 * majority > 0:
        name = problem.names[problem.counts().index(max(problem.counts()))]
        say(f"note: always answering {name!r} would be wrong in {percent(round(majority, 4))}, which is hardly worse; `gen fit` looks for "
            "a better method and options")


def deliver(arguments: argparse.Namespace, result: dict) -> None:
    if arguments.json is not None:
        output.write_file(arguments.json, output.json_bytes(result))


# ---- train ----

def read_test(arguments: argparse.Namespace, problem: training.Problem) -> Rows:
    found, _ = groups.read(arguments.test, arguments.label, arguments.header, arguments.zero_based, arguments.group,
                           problem.data.d)
    if problem.one:
        return Rows(found, normal_of(found, problem.normal), len(problem.names))
    if found.labels is None:
        raise Failure("the file has no labels, and they are needed here", found.path)
    if problem.targets is not None:
        return Rows(found, None, len(problem.names), numbers_of(found))
    return Rows(found, classes_of(found, problem.names), len(problem.names))


def train(arguments: argparse.Namespace) -> None:
    done = train_files(arguments)
    if done["header"] is not None:
        output.write_file(arguments.output, done["header"])
    save(arguments, done["model"])
    deliver(arguments, done["result"])


def train_files(arguments: argparse.Namespace) -> dict:
    """Trains: the JSON, the text of the header if there is one, and the models behind them. Writes nothing but the JSON of a
    refusal."""
    chosen = chosen_options(arguments)
    output.check_writable(arguments.json)
    output.check_writable(arguments.save)
    check_header(arguments)
    problem = read_problem(arguments)
    test = read_test(arguments, problem) if arguments.test else None
    with refusals_in_json(arguments, problem, chosen):
        if arguments.method == "compact" and arguments.flash is not None and "vectors" not in chosen:
            arguments.format = arguments.format or "q7"
            chosen = shapes.choose(problem, chosen, arguments.flash, arguments.format, arguments.seed)
        result, found = train_and_tell(arguments, problem, chosen, test)
    if arguments.output is None:
        return {"result": result, "header": None, "model": found, "candidate": None}
    candidate = choose(arguments, found, None, problem.rows)
    result["header"], text = header_of(arguments, found, candidate, problem.rows, noted_rows(found))
    return {"result": result, "header": text, "model": candidate.model, "candidate": candidate}


@contextlib.contextmanager
def refusals_in_json(arguments: argparse.Namespace, problem: training.Problem, chosen: dict):
    """A method's refusal is an answer: it goes into the JSON, no other file is written, and the exit code is 1."""
    try:
        yield
    except Refusal as refusal:
        deliver(arguments, {"method": arguments.method, "status": refusal.word, "n": problem.data.n,
                            "d": problem.data.d, "classes": len(problem.names), "labels": problem.names,
                            "options": chosen, **refusal.told})
        raise


def save(arguments: argparse.Namespace, found: model.Model) -> None:
    if arguments.save is not None:
        output.write_file(arguments.save, found.image)
        say(f"{arguments.save}: {byte_words(len(found.image))}, notes included")


# What of a training goes into the notes of its model: what does not change from run to run.
NOTED = ("method", "n", "objective", "support", "train_error", "train_error_pos", "train_error_neg", "test_error",
         "test_error_pos", "test_error_neg", "error_mean", "error_sd", "folds", "tuned", "tuned_by", "margin_min", "margin_mean", "labels")


def device_keys(found: model.Model, trained: tuple, rows: Rows) -> dict:
    """What the device answers beside what was trained, as classes and scores: float where training used double."""
    (labels, scores), (device_labels, device_scores) = trained, found.machine.predict(rows)
    native.check_scores(device_scores, found.path)
    return {"device_labels_differ": sum(a != b for a, b in zip(labels, device_labels)),
            "device_score_difference": max(abs(a - b) for a, b in zip(scores, device_scores))}


def train_and_tell(arguments, problem: training.Problem, chosen: dict, test: Rows | None, more: dict | None = None):
    """The JSON of a training, with words on the way, and the model for the device."""
    entry, fitted = methods.METHODS[arguments.method], training.fit(problem, arguments.method, chosen, arguments.seed)
    machine, report = fitted.machine, fitted.report
    calibration = None
    if arguments.calibrate:
        fold = training.left_out(problem, arguments.seed, arguments.groups)
        calibration = training.calibrate(problem, arguments.method, chosen, machine, fold, arguments.seed, arguments.coverage)
    if arguments.reject is not None:
        machine.set_reject(arguments.reject)
    answers = machine.predict(problem.rows)
    on_train = metrics.count(problem.y, answers[0], len(problem.names)) if problem.targets is None else None
    on_test = problem.table(machine, test)
    result = training.report_keys(arguments.method, problem, [report], [fitted.status])
    if test is not None:
        result.update(native.measure(machine, test, fitted.choice))
    bias, weights = machine.trained("bias"), machine.trained("w")
    d, one = problem.data.d, len(bias) == 1
    result.update(seconds=fitted.seconds, cpu_seconds=fitted.cpu_seconds)
    result.update(bias=bias[0] if one else bias, **metrics.rates("train", on_train),
                  **metrics.rates("test", on_test), labels=problem.names, options=chosen, seed=arguments.seed)
    if weights:
        result["w"] = weights if len(weights) == d else [weights[i:i + d] for i in range(0, len(weights), d)]
    if machine.shape.ordinal and problem.targets is None:
        result["thresholds"] = [-b for b in bias]  # of w.x, or what stands for it, on scaled inputs
    steps = f"{report.iterations} steps, " if report.iterations else ""
    size = f"{d} weights" + (f" for each of {len(bias)} machines" if len(weights) > d else "") if weights else \
        f"{report.support} support vectors" if bias else kinds.describe(machine)
    if "thresholds" in result:
        size += f", {len(bias)} thresholds"
    say(f"{methods.describe(arguments.method, chosen)}: trained in {fitted.seconds:.3g} s ({steps}"
        f"{byte_words(report.arena_peak)} of memory), {size}")
    if fitted.status > 0 or not report.converged:
        reason = training.status_word(fitted.status) if fitted.status else "all steps were taken"
        say(f"note: {'' if report.converged else 'not converged: '}{reason}")
    if on_train is not None:
        say_errors("training error", on_train, problem.names)
    if on_test is not None:
        say_errors("test error", on_test, problem.names)
    if problem.targets is None:
        say(f"margins: smallest {report.margin_min:.4g}, mean {report.margin_mean:.4g}")
    if calibration is not None:
        result.update(calibration.keys)
        say(calibration.words())
        if test is not None:
            result.update(say_chances("test: ", machine.probabilities(test), test.kept[1], machine.numbers["include"],
                                      arguments.coverage, "_test"))
    for line in entry.words(result) if entry.words else ():
        say(line)
    say_majority(problem, [result.get("test_error"), result.get("train_error")])
    result.update(more or {})
    kept = {name: value for name, value in chosen.items() if name != "cache-mb"}  # any cache gives the same model
    if problem.targets is not None and machine.shape.classes > 1:  # of numbers, by their mean rank
        result.update(labels=list(model.LEVELS), ranks=True)
    notes = {**{key: result.get(key) for key in (*NOTED, *entry.noted)}, "options": kept, "names": problem.data.names, "ranks": result.get("ranks"),
             "seed": arguments.seed if arguments.seed != 1 else None,
             "held_out": calibration.held if calibration is not None else None,
             **model.sample_notes(problem.rows)}
    found = model.make(machine, notes, problem.data.path)
    result.update(image_bytes=len(found.image), **device_keys(found, answers, problem.rows))
    differ, off = result["device_labels_differ"], result["device_score_difference"]
    same = f"{differ} of {problem.data.n} labels differ" if differ else "the same labels"
    say("in float, as on the device: " + (f"{same}, scores" if problem.targets is None else "values") + f" within {off:.2g}")
    if problem.targets is not None and off > 0.1 * statistics.pstdev(problem.targets):
        say("targets are so far from 0 that floats do not tell them apart: subtract a constant from them, and add it on the device"
            if max(map(abs, problem.targets)) > 1e-36 else "targets are so small that floats do not tell them from 0: take larger units")
    return result, found


# ---- cv and tune ----

def cv_keys(arguments, problem: training.Problem, found: training.Validated) -> dict:
    result = training.report_keys(arguments.method, problem, found.reports, found.statuses)
    result.update(bias=None, **metrics.rates("train", metrics.added(found.on_train)),
                  **metrics.rates("test", metrics.added(found.on_test)), **found.keys(),
                  folds=arguments.folds, repeats=arguments.repeats, fold_errors=found.errors,
                  **found.goal_keys(methods.METHODS[arguments.method].goal))
    return result


def cv_chances(arguments, problem: training.Problem, chosen: dict) -> dict:
    """How good probabilities are on rows that neither training nor calibration has seen, over the folds of the first
    repeat."""
    fold = training.divide(problem, arguments.folds, arguments.seed, arguments.groups)
    machine = training.fit(problem, arguments.method, chosen, arguments.seed).machine
    found = training.calibrate(problem, arguments.method, chosen, machine, fold, arguments.seed, arguments.coverage)
    say(found.words())
    return found.keys


def cv(arguments: argparse.Namespace) -> None:
    chosen = chosen_options(arguments)
    output.check_writable(arguments.json)
    problem = read_problem(arguments)
    with training.Clock() as clock:
        found, = training.validate(problem, arguments.method, [chosen], arguments.folds, arguments.repeats,
                                   arguments.seed, arguments.groups)
    with refusals_in_json(arguments, problem, chosen):
        if isinstance(found, Failure):
            raise found
    result = cv_keys(arguments, problem, found)
    result.update(seconds=clock.seconds, cpu_seconds=clock.cpu_seconds, labels=problem.names, options=chosen)
    say(f"{methods.describe(arguments.method, chosen)}: {arguments.folds} folds"
        + (f", {arguments.repeats} times" if arguments.repeats > 1 else "") + f", {clock.seconds:.3g} s")
    if found.on_test:
        say_errors("cross-validated error", metrics.added(found.on_test), problem.names)
    goal, entry = methods.METHODS[arguments.method].goal, methods.METHODS[arguments.method]
    if problem.targets is None:
        say(f"mean over folds {percent(result['error_mean'])}, standard deviation {percent(result['error_sd'])}")
        say_majority(problem, [result["error_mean"]])
    if arguments.calibrate:
        result.update(cv_chances(arguments, problem, chosen))
    if goal.startswith("-"):
        for line in entry.words(result) if entry.words else ():
            say(line)
        if result[goal[1:] + "_sd"] is not None:  # one class without anomalies has no area
            say(f"standard deviation of {goal[1:]} {result[goal[1:] + '_sd']:.3g}")
    deliver(arguments, result)


def grid_points(arguments, chosen: dict, problem: training.Problem) -> list[dict]:
    """The choices to try: the user's grids, or the default ones without what the user has fixed."""
    given, d = dict(arguments.grid), problem.data.d
    fixed = set(chosen)
    if arguments.method == "svm" and "nu" in chosen or chosen.get("squares"):
        fixed.add("C")  # nu is there instead, or leaving one out chooses it
    unit = statistics.pstdev(problem.targets) or 1.0 if arguments.method == "svr" else 1.0
    for name in given:
        if name in chosen:
            raise Usage(f"--{name} and --grid {name}=...: one or the other")
    methods.check(arguments.method, {**given, **chosen})
    form = methods.form_grid(chosen.get("form", "plane"), d)
    if form or not methods.METHODS[arguments.method].takes("kernel"):
        default = form or methods.default_grid(arguments.method, "linear", d)
        grid = list(given.items()) or [(name, values) for name, values in default if name not in fixed]
        return [{**chosen, **point} for point in options.points(grid)]
    found = []
    for kernel in given.pop("kernel", (chosen.get("kernel", methods.METHODS[arguments.method].kernels[0]),)):
        default = methods.default_grid(arguments.method, kernel, d, unit)
        grid = list(given.items()) or [(name, values) for name, values in default if name not in fixed]
        found += [{**chosen, "kernel": kernel, **point} for point in options.points(grid)]
    return found


class Counting:
    """A bar with the trainings that are done and the time that is left."""

    def __init__(self, total: int, known: int):
        self.bar, self.total, self.done, self.known = progress.Bar(), total, known, known

    def arrived(self) -> None:
        self.done += 1

    def look(self) -> None:
        self.bar.draw(self.done / max(1, self.total), f"trainings {self.done} of {self.total}")


def tuned(arguments: argparse.Namespace, problem: training.Problem, points: list[dict]) -> list:
    """Cross-validates all choices on threads or on a cluster; what is measured is kept beside the output until the end."""
    training.check_folds(problem, arguments.folds)
    if arguments.groups is not None and len(set(arguments.groups)) < arguments.folds:
        raise Failure(f"there are {len(set(arguments.groups))} groups, fewer than {arguments.folds} folds; groups are not divided", problem.data.path)
    ground = trial.ground_of(problem, arguments.groups, arguments.folds, arguments.seed, trial.Budget())
    where = state.path_beside(arguments.save, arguments.json)
    if arguments.resume and where is None:
        raise Usage("--resume: the state of a search is kept beside the output, and there is none: --save is missing")
    trials = [[trial.FoldTrial(arguments.method, tuple(point.items()), repeat, fold) for repeat in range(arguments.repeats)
               for fold in range(arguments.folds)] for point in points]
    engine = workers.engine(arguments.workers, arguments.threads)
    known = state.State(where, state.key_of(ground, "tune"), arguments.resume)
    view = Counting(sum(map(len, trials)), sum(one.key in known.results for group in trials for one in group))
    if view.known:
        say(f"{view.known} of {view.total} trainings are known from before")
    finished = False
    try:
        missing = [one for group in trials for one in group if one.key not in known.results]
        engine.run(ground, missing, lambda one, result: (known.keep(one.key, result), view.arrived()), view.look)
        finished = True
    finally:
        view.bar.clear()
        known.close(finished)
        if not finished and where is not None:
            say(f"the same command with --resume goes on from here ({where} has what is known)")
    return [training.gather([trial.fold_result(known.results[one.key]) for one in group], problem) for group in trials]


def tuned_value(row: dict, goal: str) -> tuple:
    """What a choice of options was judged by, and its deviation over the folds."""
    return (row["error_mean"], row["error_sd"]) if goal == "error_mean" else (row.get(f"{goal[1:]}_test"), row.get(f"{goal[1:]}_sd"))


def tune(arguments: argparse.Namespace) -> None:
    chosen = chosen_options(arguments)
    output.check_writable(arguments.json)
    output.check_writable(arguments.save)
    problem = read_problem(arguments)
    points, goal = grid_points(arguments, chosen, problem), methods.METHODS[arguments.method].goal
    if goal == "-auc" and 0 in problem.counts():
        raise Failure("all rows are normal: without others nothing tells which options detect more; gen train --method oneclass has "
                      "defaults for that", problem.data.path)
    say(f"{arguments.method}: {len(points)} choices of options, {arguments.folds} folds each")
    with training.Clock() as clock:
        found = tuned(arguments, problem, points)
    table, ranked = [], []
    for point, one in zip(points, found):
        failed = isinstance(one, Failure)
        spread = {} if failed else {key: value for key, value in one.goal_keys(goal).items() if key.endswith("_sd")}
        keys = {"error_mean": None, "error_sd": None} if failed else {**training.told_keys(one.reports), **one.keys(), **spread}
        table.append({"options": point, **keys, "status": one.message if failed else "ok"})
        if not failed:
            ranked.append((one.rank(goal), len(ranked), table[-1]))
    if not ranked:
        raise next(result for result in found if isinstance(result, Failure))
    order = [row for _, _, row in sorted(ranked, key=lambda item: item[:2])]  # of equals the first, the smoothest
    for row in order[:5]:
        say(f"  {percent(row['error_mean']):>8} +- {percent(row['error_sd']):<8} " if goal == "error_mean" else
            f"  {goal[1:]} {row.get(goal[1:] + '_test', math.nan):.4f} ", methods.describe(arguments.method, row["options"]))
    best = order[0]
    searched = {name for point in points for name in point if any(other.get(name) != point[name] for other in points)}
    more = {"error_mean": best["error_mean"], "error_sd": best["error_sd"], "folds": arguments.folds,
            "tuned_by": None if goal == "error_mean" else goal[1:], "tuned": [
                [{name: row["options"].get(name) for name in sorted(searched)}, *tuned_value(row, goal)] for row in table]}
    result, found = train_and_tell(arguments, problem, best["options"], None, more)
    result.update(best=best["options"], repeats=arguments.repeats, tune_seconds=clock.seconds, results=table)
    save(arguments, found)
    deliver(arguments, result)


# ---- predict ----

def csv_line(*fields: str) -> str:
    r"""
    >>> csv_line("a,b", "1.5")
    '"a,b",1.5\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(fields)
    return out.getvalue()


def true_classes(found: data.Data, machine: model.Model):
    """The classes of the rows if the file has labels and the model knows them all; else None."""
    names = machine.labels
    known = [match_label(label, names) is not None for label in found.labels or ()]
    if not known or not (any(known) if machine.one else all(known)):
        return None
    return of_model(found, names, machine.one)


def answers(arguments, found: model.Model, rows: Rows):
    """Classes and scores of the rows, and both as the JSON has them. Integer models have integer scores: of two classes
    the score, of more by how much the winner is preferred to the next."""
    if arguments.format == "f32":
        labels, scores = found.machine.predict(rows)
        if found.ranks:
            scores = model.mean_ranks(found.machine.all_scores(rows))
        result = {"scores": list(scores)}
        if found.machine.calibrated:
            result["probabilities"] = found.machine.probabilities(rows)
    else:
        by = export_data(arguments.scale_data, arguments, found)
        quantised = without_budget(found, arguments.format, by).quantised
        inputs = quantised.inputs(rows)
        labels, scores, parts = quantised.predict(inputs)
        unit = quantised.report.unit
        if found.ranks:
            scores, unit = model.whole_ranks(quantised.answer(inputs)[1]), 1 / 32768
        result = {"scores": list(scores), "unit": unit}
        if found.machine.calibrated:
            result["probabilities"] = [[part / 32768 for part in row] for row in parts]
    if found.ranks:
        result["values"] = [score * result.get("unit", 1) for score in scores]
    names = [None if c == native.REJECTED else found.labels[c] for c in labels]
    return labels, scores, {"n": rows.n, "format": arguments.format, "labels": names, **result}


def predicted_sets(arguments, found: model.Model, y, result: dict) -> dict:
    """The keys of probabilities: how good they are where classes are known, and sets where --coverage asks for them."""
    rows, held, asked = result.get("probabilities"), found.notes.get("held_out"), arguments.coverage
    if asked is not None and (rows is None or held is None):
        raise Failure("--coverage needs a model trained with --calibrate", found.path)
    if rows is None:
        return {}
    if asked is None:
        keys = {"brier": chances.brier(rows, y), "log_loss": chances.log_loss(rows, y)} if y is not None else {}
        if keys:
            say(chances.scores_words(keys))
        return keys
    include = chances.threshold(held, asked)
    told = say_chances("", rows, y, include, asked, "") if y is not None else {}
    members = chances.sets(rows, [include] * len(rows))
    return {**told, "coverage_asked": asked, "sets": [[found.labels[c] for c in set_] for set_ in members]}


def predict(arguments: argparse.Namespace) -> None:
    output.check_writable(arguments.json)
    machine = model.load(arguments.model)
    d = machine.machine.shape.d
    rows_of = data.read(arguments.data, arguments.label, arguments.header, arguments.zero_based, d)
    y = true_classes(rows_of, machine)
    rows = Rows(rows_of, y, len(machine.labels))
    labels, scores, result = answers(arguments, machine, rows)
    if y is not None:
        table = metrics.count(y, labels, len(machine.labels))
        result["error"] = metrics.error(table)
        say_errors("error", table, machine.labels)
    if machine.one and y is not None:
        result.update(measure.alarms(y, labels, scores))
        say("; ".join(f"{words} {show(result[key])}" for key, words, show in (
            ("false_alarm_rate", "false alarms", percent), ("detection_rate", "detections", percent),
            ("auc", "area under the curve", "{:.4g}".format)) if result[key] is not None))
    if machine.numbers:
        result["values"] = [score * result.get("unit", 1) for score in scores]
        result["half_width"] = machine.notes.get("half_width")
        if rows_of.labels is not None and all(map(data.is_number, rows_of.labels)):
            result.update(metrics.off(result["values"], numbers_of(rows_of)))
            say(f"root mean square error {result['rmse']:.6g}, mean absolute error {result['mae']:.6g}, R2 {result['r2'] or 0:.4g}")
    elif (machine.machine.shape.ordinal or machine.ranks) and rows_of.labels is not None and (y is not None or all(
            map(data.is_number, rows_of.labels))):
        result["kendall_tau"] = native.kendall(scores, y if y is not None else numbers_of(rows_of))
        say(f"Kendall's tau {result['kendall_tau']:.4g}" if result["kendall_tau"] is not None else "no order, no tau")
    result.update(predicted_sets(arguments, machine, y, result))
    if arguments.json is not None:
        deliver(arguments, result)
    if arguments.json != "-":
        lines = {c: csv_line("?" if c == native.REJECTED else machine.labels[c], "")[:-1] for c in set(labels)}
        ends = ["," + csv_line(" ".join(set_)) for set_ in result["sets"]] if "sets" in result else ["\n"] * rows.n
        shown = result.get("values", scores)  # numbers in units of the target, in integers too
        text = "".join(f"{lines[c]}{score:.9g}{end}" for c, score, end in zip(labels, shown, ends))
        output.write_file("-", text.encode("utf-8"))


# ---- export ----

def check_header(arguments: argparse.Namespace) -> None:
    output.check_writable(arguments.output)
    for option in ("name", "format", "flash"):
        if arguments.output is None and vars(arguments).get("project") is None and vars(arguments)[option] is not None:
            raise Usage(f"--{option} is about the header: -o is missing")
    if arguments.name is not None and not is_identifier(arguments.name):
        raise Usage(f"--name {arguments.name}: not a name for C and C++ that can stand in front of others")


def header_of(arguments: argparse.Namespace, whole: model.Model, chosen: compress.Candidate, rows: Rows | None,
              noted: Rows | None) -> tuple[dict, bytes]:
    """The header for the JSON, and its text, which says what it costs on the rows that are noted; the same on the other rows
    in words."""
    name, quantised = arguments.name or export_.name_of(arguments.output), chosen.quantised
    same = chosen.model is whole and quantised is None
    written = compress.cost(whole, chosen, noted) if noted and not same else None
    chosen.cost = compress.cost(whole, chosen, rows) if rows and not same else written
    check_loss(arguments, whole, chosen, rows or noted)
    text = (alone if vars(arguments).get("alone") else export_).header(chosen.model, name, quantised, written).encode("ascii")
    say(f"{arguments.output}: {byte_words(chosen.bytes)} of tables in {chosen.form}; names start with {name}_")
    if chosen.cost is not None:
        say(f"beside the whole model in f32, on {chosen.cost.rows} rows: {chosen.cost.words()}")
    if quantised:
        say("raw values are whole numbers and go in as they are" if quantised.whole else
            f"raw values become integers by offset and factor, as {name}_input() does it")
    return {"format": chosen.form, "bytes": chosen.bytes, "vectors": chosen.vectors, "name": name,
            "cost": vars(chosen.cost) if chosen.cost else None}, text


def check_loss(arguments: argparse.Namespace, whole: model.Model, chosen: compress.Candidate, rows: Rows | None) -> None:
    """Refuses a header that answers much worse than the model does, and tells of one that answers a little worse."""
    cost = chosen.cost
    if cost is None or cost.small:
        return
    of = "the variance" if cost.variance is not None else "error" if cost.error_after is not None else "the labels"
    lost = f"{chosen.form} costs {100 * cost.loss:.3g} % of {of}"
    advice = "more --flash, or train with --method compact, which learns few vectors" if arguments.flash is not None else \
        {"q7": "--format q15"}.get(chosen.form, "--format f32 costs nothing")
    if chosen.form == "q7" and arguments.flash is None and rows is not None:
        other = compress.cost(whole, compress.in_format(whole, "q15", None if whole.sample() else rows), rows)
        advice += f" costs {100 * max(other.loss, 0):.3g} %"
    if cost.ruins and not vars(arguments).get("force"):
        raise Failure(f"{lost} on {cost.rows} rows ({cost.words()}): nothing is written. {advice}; --force writes it", whole.path)
    say(f"note: {lost} on {cost.rows} rows; {advice}")


def without_budget(found: model.Model, form: str, rows: Rows | None, looked: Rows | None = None) -> compress.Candidate:
    """The whole model in a format, as export writes it and as predict answers by it; the rows are those of compress.Judge."""
    return compress.in_best_format(compress.Judge(found, rows, looked or rows or noted_rows(found)), form)


def choose(arguments: argparse.Namespace, found: model.Model, rows: Rows | None, looked: Rows | None) -> compress.Candidate:
    """The model to write: in the format asked for, or whatever is best within the budget; see compress.compress."""
    if arguments.flash is None:
        return without_budget(found, arguments.format or "f32", rows, looked)
    forms = (arguments.format,) if arguments.format else compress.FORMATS
    chosen, tried = compress.compress(found, forms, arguments.flash, rows, looked)
    for candidate in tried:
        if isinstance(candidate, Failure):
            say(f"  {candidate.message}")
            continue
        of = "" if candidate.model.machine.shape.linear else \
            f", {candidate.vectors} of {found.machine.shape.vectors} vectors"
        say(f"  {candidate.form}: {candidate.bytes} bytes{of}" + (f", {candidate.cost.words()}" if candidate.cost else ""))
    if chosen.form != (arguments.format or "f32"):
        say(f"note: {chosen.form}, because f32 within {arguments.flash} bytes is worse or impossible: inputs and scores are "
            "integers; --format f32 insists")
    return chosen


def check_place(arguments: argparse.Namespace) -> None:
    """Where to: a header or a project."""
    if arguments.project is None and arguments.output is None:
        raise Usage("where to? -o FILE.h, or --as TOOLCHAIN FOLDER")
    if arguments.project is not None:
        for option, value in (("-o", arguments.output), ("--alone", arguments.alone or None)):
            if value is not None:
                raise Usage(f"{option} and --as: one or the other")
        project.check(*arguments.project)


def export(arguments: argparse.Namespace) -> None:
    check_place(arguments)
    check_header(arguments)
    output.check_writable(arguments.save)
    output.check_writable(arguments.json)
    found = model.load(arguments.model)
    rows = export_data(arguments.data, arguments, found)
    test = export_data(arguments.test, arguments, found)
    chosen = choose(arguments, found, rows, rows)
    if arguments.project is not None:
        arguments.name, arguments.output = arguments.name or project.name_for(arguments.model), arguments.project[1]
    result, text = header_of(arguments, found, chosen, test, test or rows or noted_rows(found))
    if arguments.project is None:
        output.write_file(arguments.output, text)
    else:
        project.write(*arguments.project, chosen.model, chosen.quantised, arguments.name, text)
        say(f"{arguments.output}: a project for {arguments.project[0]}; what is left to do is read_sensors()")
    save(arguments, chosen.model)
    deliver(arguments, result)


def export_data(path: str | None, arguments: argparse.Namespace, found: model.Model) -> Rows | None:
    """The rows of a file, with classes if they have labels that the model knows, or with numbers if it answers such."""
    if path is None:
        return None
    rows = data.read(path, arguments.label, arguments.header, arguments.zero_based, found.machine.shape.d)
    if found.numbers and rows.labels is not None and all(map(data.is_number, rows.labels)):
        return Rows(rows, None, len(found.labels), numbers_of(rows))
    return Rows(rows, true_classes(rows, found), len(found.labels))


# ---- import and info ----

def import_(arguments: argparse.Namespace) -> None:
    output.check_writable(arguments.save)
    found = from_pickle.read(arguments.file, arguments.origin, arguments.features)
    if arguments.range is not None:
        if found.offset is not None:
            raise Usage("--range: the model has its own scaling")
        text = from_pickle.text_of(arguments.range)
        found.offset, found.factor = from_libsvm.read_range(text, arguments.range, found.d)
    method = {"method": "svr"} if found.scheme == "number" else {}
    made = model.make(native.make(found.centred()), {"labels": found.labels, "origin": found.origin, **method}, arguments.file)
    own = kinds.kind_of(made.machine).rows(made.machine)
    native.check_scores([score for row in made.machine.scores(own) for score in row], arguments.file)
    say(f"{arguments.file}: {found.origin}; {info_words(made)}")
    save(arguments, made)


def info_words(found: model.Model) -> str:
    shape = found.machine.shape
    told = "ranks in three levels" if found.ranks else f"{shape.classes} classes" if shape.classes > 1 else "numbers" if found.numbers else "ranks"
    return f"{kinds.describe(found.machine)}, {shape.d} features, {told}, {len(found.image)} bytes"


def info(arguments: argparse.Namespace) -> None:
    output.check_writable(arguments.json)
    found = model.load(arguments.model)
    shape = found.machine.shape
    result = {"kind": kinds.kind_of(found.machine).word, "d": shape.d, "classes": shape.classes,
              "machines": shape.machines, "vectors": shape.vectors, "kernel": options.KERNELS[shape.kernel],
              "image_bytes": len(found.image), "sha256": found.sha256,
              "notes": {key: value for key, value in found.notes.items() if key not in ("sample", "low", "high")}}
    if arguments.json is not None:
        deliver(arguments, result)
    if arguments.json != "-":
        output.write_file("-", info_text(found, result).encode("utf-8"))


def info_text(found: model.Model, result: dict) -> str:
    notes = found.notes
    lines = [f"{found.path}: {info_words(found)}", f"sha256    {result['sha256']}",
             *([f"classes   {', '.join(found.labels)}"] if result["classes"] > 1 else [])]
    if "names" in notes:
        lines.append(f"features  {', '.join(notes['names'])}")
    if "method" in notes:
        lines.append(f"trained   {methods.describe(notes['method'], notes.get('options', {}))}; {notes.get('n')} rows")
    if "origin" in notes:
        lines.append(f"origin    {notes['origin']}")
    errors = {"train_error": "training error", "test_error": "test error", "error_mean": "cross-validated error"}
    lines += [f"{words} {percent(notes[key])}" for key, words in errors.items() if key in notes]
    alarms = {"false_alarm_rate_promised": "false alarms promised on unseen normal rows", "false_alarm_rate_test": "false alarms, test",
              "detection_rate_test": "detections, test"}
    lines += [f"{words} {percent(notes[key])}" for key, words in alarms.items() if key in notes]
    numbers = {"auc_test": "area under the curve, test", "rmse_train": "root mean square error, training",
               "rmse_test": "root mean square error, test"}
    lines += [f"{words} {notes[key]:.4g}" for key, words in numbers.items() if key in notes]
    if "half_width" in notes:
        lines.append(f"half width of intervals {notes['half_width']:.4g}, but for {percent(notes['outside_promised'])} of the answers")
    if found.machine.calibrated:
        asked = f"; sets of {100 * notes['held_out']['asked']:g} % unless told otherwise" if "held_out" in notes else ""
        lines.append(f"probabilities of all classes, by rows left out{asked}")
    lines += methods.bound_words(notes)
    return "".join(f"{visible(line)}\n" for line in lines)


# ---- example ----

def example(arguments: argparse.Namespace) -> None:
    """A motor's sensors as a 12-bit converter gives them, and whether its bearing is worn: no plane tells well."""
    rng, lines = random.Random(1), ["vibration,temperature,current,speed,bearing"]
    for _ in range(400):
        worn, speed, load = rng.random() < 0.4, rng.uniform(0.2, 1.0), rng.uniform(0.1, 1.0)
        resonance = math.exp(-((speed - 0.6) / 0.12) ** 2)
        values = (0.15 + 0.45 * resonance + 0.22 * worn + rng.gauss(0, 0.05),
                  0.2 + 0.4 * load + 0.15 * load * worn + rng.gauss(0, 0.06), 0.1 + 0.7 * load + rng.gauss(0, 0.04), speed)
        raw = [max(0, min(4095, round(4095 * value))) for value in values]
        lines.append(",".join(map(str, raw)) + (",worn" if worn else ",healthy"))
    output.write_file(arguments.file, ("\n".join(lines) + "\n").encode("ascii"))
    say(f"{arguments.file}: 400 windows of a motor's sensors, and whether its bearing is healthy or worn")
