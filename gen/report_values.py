"""report_values.py -- the sections of a report that differ where a model says numbers, or orders inputs, instead of classes."""
from __future__ import annotations

import os

from . import figures, measure, metrics, native
from .measure import Values
from .output import percent
from .page import bdi, figure, section, table, tile

DRAWN = 600  # rows in a figure


def short(value: float) -> str:
    """A number for people.

    >>> short(1234.567), short(0.00012345), short(2.0)
    ('1235', '0.0001234', '2')
    """
    return f"{value:.4g}"


def measure_words(numbers: bool) -> str:
    return "root mean square error" if numbers else "pairs in the wrong order"


def form_of(numbers: bool):
    """How the loss of Values is told."""
    return short if numbers else percent


def tiles(f) -> list[str]:
    notes, parts = f.model.notes, []
    for found, words in ((f.test, "on the test rows"), (f.train, "on the training rows" if f.test else "on the rows of the data")):
        if found is None:
            continue
        if found.numbers:
            of = metrics.off(found.scores, found.y)
            parts.append(tile(f"root mean square error {words}", short(of["rmse"]), f"mean absolute error {short(of['mae'])}; "
                              + (f"R² {of['r2']:.3f}" if of["r2"] is not None else "all targets are equal")))
        else:
            tau = native.kendall(found.scores, found.y)
            parts.append(tile(f"Kendall's tau {words}", "none" if tau is None else f"{tau:.3f}", f"{found.n} rows" if tau is None else
                              f"{percent((1 - tau) / 2)} of the pairs of rows in the wrong order"))
    half = notes.get("half_width")
    if half is not None and f.shown is not None:
        inside = sum(abs(off) <= half for off in f.shown.off())
        parts.append(tile(f"within ±{short(half)}", percent(inside / f.shown.n), f"{inside} of {f.shown.n} {f.what}; promised "
                          f"{percent(1 - notes.get('outside_promised', 0))}"))
    return parts


def errors_section(f) -> str:
    shown, half = f.shown, f.model.notes.get("half_width")
    if shown is None:
        return ""
    chosen = measure.some(shown.n, DRAWN)
    points = [shown.scores[i] for i in chosen], [shown.y[i] for i in chosen]
    words = f"{len(chosen)} of {shown.n} {f.what}" if len(chosen) < shown.n else f"All {shown.n} {f.what}"
    if not shown.numbers:
        return section("errors", "How well it orders", f"What the model says to the {f.what}, in f32, as gen predict does.", [
            figure("Scores against targets", words + "; a model that orders them all rises from left to right.",
                   figures.told(*points, None, False))])
    series = [("test" if f.test else "data", shown.off())] + ([("training", f.train.off())] if f.test and f.train else [])
    return section("errors", "How far it is off", f"What the model says to the {f.what}, in f32, as gen predict does.", [
        figure("Answers against targets", words + "; on the diagonal they are equal" + (
            f", and the band is ±{short(half)}, as promised." if half else "."), figures.told(*points, half, True)),
        figure("Errors", f"All {f.what}" + (", the training rows beside them." if len(series) > 1 else "."), figures.offs(series, half))])


def suspicious_section(f, chosen: set[int]) -> str:
    parts = []
    for found, words in ((f.train, "training rows" if f.test else "rows of the data"), (f.test, "test rows")):
        if found is None:
            continue
        off, rows = found.off(), []
        for i in found.suspicious(12):
            number = f'<button type="button" data-row="{i + 1}">try {i + 1}</button>' if found is f.shown and i in chosen else str(i + 1)
            rows.append([number, short(found.y[i]), short(found.scores[i]), short(off[i]) if found.numbers else percent(off[i])])
        parts.append(figure(f"In {os.path.basename(found.path)}", f"The {words} that are farthest off" + (
            "." if found.numbers else ": by which share of all rows they are too high or too low in the order."),
            table(["row", "target", "answer" if found.numbers else "score", "off by"], rows, {1, 2, 3}, f"{words} farthest off")))
    return section("suspicious", "Rows to look at", "A target may be wrong where the model is far off. Rows count from 1, without the "
                   "header line.", parts)


def features_section(f) -> str:
    shown = f.shown
    if shown is None:
        return ""
    d, found, parts = f.model.machine.shape.d, measure.importance(f.model, shown), []
    if found and d > 1:
        what = measure_words(shown.numbers)
        parts.append(figure("Importance", f"What the {what} grows by when the values of one feature are shuffled among {found.rows} "
                            f"{f.what} (mean of {measure.SHUFFLES})." if shown.numbers else
                            f"How many more {what} there are when the values of one feature are shuffled among {found.rows} {f.what} "
                            f"(mean of {measure.SHUFFLES}).",
                            figures.importance(found, f.names, f"{what} added", form_of(shown.numbers))))
    word = "Answers" if shown.numbers else "Scores"
    if d == 1:
        parts.append(figure("Along the feature", "What the model says from the least to the largest value.", figures.value_line(
            measure.plane(f.model, shown, (0,), f.names), f.model.notes.get("half_width")) if shown.numbers else figures.value_line(
                measure.plane(f.model, shown, (0,), f.names), None)))
        return section("features", "What it looks at", "How the answer follows the input.", parts)
    pair = tuple(sorted(sorted(range(d), key=lambda j: -found.gains[j])[:2])) if found else (0, 1)
    words = f"{word} along the two features" if d == 2 else f"{word} along the two features that matter most, the others at their medians" \
        if found else f"{word} along the first two features, the others at their medians"
    parts.append(figure("Surface", words + "; marks are rows.", figures.surface(measure.plane(f.model, shown, pair, f.names))))
    if d > 2:
        parts.append(figure("Along the leading directions", f"{word} on the plane through the mean along which the rows vary most.",
                            figures.surface(measure.directions(f.model, shown))))
    return section("features", "What it looks at", "Which inputs matter, and how the answer follows them.", parts)


def cost_parts(f) -> list[str]:
    """Figures of the formats."""
    numbers = f.shown.numbers
    what, form = measure_words(numbers), form_of(numbers)
    whole = [one for one in f.forms if one.whole]
    rows = [[one.form, f"{one.bytes}", form(one.error), short(one.moved)] for one in whole if one.error is not None]
    if not rows:
        return []
    words = "Large marks are the whole model, small ones models with fewer vectors." if len(f.forms) > len(whole) else \
        "The whole model in each number format."
    return [figure("Error against bytes", words, figures.frontier([one for one in f.forms if one.error is not None], f.budget, what, form)),
            figure("Number formats", f"The whole model on {whole[0].rows} {f.what}: {what}, and by how much answers change at most beside "
                   "f32.", table(["format", "bytes", "error", "change"], rows, {1, 2, 3}, "Number formats"))]


def row_facts(found: Values, chosen: list[int]) -> dict:
    return {"targets": [found.y[i] for i in chosen], "values": [found.scores[i] for i in chosen]}


def labels_row(f) -> list[str]:
    """In the place of the classes."""
    return ["answer", "a number in units of the target" if f.model.numbers else f"a score that orders inputs ({bdi('higher is later')})"]
