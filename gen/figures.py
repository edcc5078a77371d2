"""figures.py -- the figures of a report: from numbers to SVG. What they show is worked out in measure.py."""
from __future__ import annotations

import math
from html import escape

from . import svg
from .measure import Bin, Form, Importance, Plane, RejectCurve, quantile, wilson
from .output import byte_words
from .svg import Axes, dot, line, mark, num, path, percents, picture, rect, steps, text


def top_of(value: float) -> float:
    """The end of a scale that starts at 0: a little above the value."""
    return value * 1.06 if value > 0 else 1.0


def key(x: float, y: float, items: list[tuple[str, str]]) -> list[str]:
    """What the marks mean, in one line: (style of the mark, words)."""
    marks, at = [], x
    for style, words in items:
        marks += [rect(at, y - 8, 10, 10, style), text(at + 14, y + 1, words, style="tick", most=22)]
        at += 26 + 6.2 * min(len(words), 22)
    return marks


# ---- errors ----

NUMBERS_TO = 12  # classes: with more of them the cells of a confusion matrix are too small for numbers


def confusion(table: list[list[int]], labels: list[str]) -> str:
    """Rows are true classes, columns answers; a last column counts rejections if there are any."""
    k, rejected = len(labels), any(row[len(labels)] for row in table)
    columns, left, top = k + rejected, 74.0, 34.0
    cell = min((svg.WIDTH - left) / columns, 44.0)
    numbers, marks = k <= NUMBERS_TO, [text(0, 11, "true class", style="name"), text(left, 11, "answer →", style="name")]
    step = 1 if numbers else math.ceil(k / 16)
    for i, label in enumerate(labels):
        if i % step == 0:
            marks.append(text(left - 6, top + cell * (i + 0.5) + 4, label, "end", "tick", 10))
            if numbers:  # else they are too close: the order is that of the rows
                marks.append(text(left + cell * (i + 0.5), top - 6, label, "middle", "tick", max(int(cell * step / 7), 1)))
    if rejected:
        marks.append(text(left + cell * (k + 0.5), top - 6, "none", "middle", "tick", max(int(cell / 6.2), 1)))
    for i, row in enumerate(table):
        total = sum(row)
        for j in range(columns):
            if row[j] or numbers:
                share = row[j] / total if total else 0.0
                answer = labels[j] if j < k else "no class"
                words = f"{labels[i]} taken for {answer}: {row[j]} of {total}"
                marks.append(rect(left + cell * j + 0.5, top + cell * i + 0.5, cell - 1, cell - 1,
                                  "f0" if i == j else "f1" if row[j] else "none",
                                  f'fill-opacity="{0.08 + 0.37 * share ** 0.5:.2f}"' if row[j] else "", words))
            if numbers and row[j]:
                marks.append(text(left + cell * (j + 0.5), top + cell * (i + 0.5) + 4, str(row[j]), "middle",
                                  "cell" if cell >= 30 else "cell small"))
    return picture(top + cell * k + 4, marks, "Confusion matrix", f"{k} true classes by {k} answers; the table of errors by "
                   "class has the same numbers.")


def class_errors(table: list[list[int]], labels: list[str], most: int = 16) -> str:
    """The worst classes first, each with its 95 % interval."""
    k = len(labels)
    found = []
    for c, row in enumerate(table):
        total = sum(row[:k])
        if total:
            found.append(((total - row[c]) / total, total - row[c], total, labels[c]))
    found.sort(key=lambda item: -item[0])
    shown = found[:most]
    if not shown:
        return ""
    high = min(1.0, max(wilson(wrong, total)[1] for _, wrong, total, _ in shown))
    axes = Axes((0, high), (0, 1), 92, 306, 20, 24 + 22 * len(shown))
    marks = [line(axes.x(v), 20, axes.x(v), axes.bottom, "grid") for v in svg.ticks(0, high, 4)]
    marks += [text(axes.x(v), 12, percents(v), "middle", "tick") for v in svg.ticks(0, high, 4)]
    for i, (share, wrong, total, label) in enumerate(shown):
        y, (low, up) = 36 + 22 * i, wilson(wrong, total)
        marks += [text(86, y + 4, label, "end", "tick", 12), line(axes.x(low), y, axes.x(up), y, "s0 thick"),
                  dot(axes.x(share), y, "f0", 4, f"{label}: {wrong} of {total} wrong, 95 % interval {percents(low)} to "
                                                 f"{percents(up)}"),
                  text(svg.WIDTH, y + 4, f"{wrong} / {total}", "end", "tick")]
    return picture(axes.bottom + 8, marks, "Error by class", "; ".join(
        f"{label} {wrong} of {total} wrong" for _, wrong, total, label in shown))


# ---- margins ----

def margin_range(lists: list[list[float]]) -> tuple[float, float]:
    ordered = sorted(v for values in lists for v in values)
    low, high = quantile(ordered, 0.002), quantile(ordered, 0.998)
    low, high = min(low, 0.0), max(high, 0.0)
    return (low, high) if high > low else (low - 1, high + 1)


def shares(values: list[float], low: float, high: float, bins: int) -> list[float]:
    """The share of the values in each bin; what lies outside counts in the outermost.

    >>> shares([0.1, 0.2, 0.9, 7], 0, 1, 2)
    [0.5, 0.5]
    """
    counts = [0] * bins
    for v in values:
        counts[min(max(int((v - low) / (high - low) * bins), 0), bins - 1)] += 1
    return [count / len(values) for count in counts]


def margins(series: list[tuple[str, list[float]]]) -> tuple[str, tuple]:
    """Histogram, and below it the cumulative share, of each series; the band of rejection is moved by report.js, which
    wants to know where the scale is: (left, right, low, high)."""
    low, high = margin_range([values for _, values in series])
    bins = 36
    found = [(name, shares(values, low, high, bins)) for name, values in series]
    up = Axes((low, high), (0, top_of(max(max(parts) for _, parts in found))), bottom=150, top=40)
    down = Axes((low, high), (0, 1), top=200, bottom=300)
    band = [rect(up.x(0), up.top, 0, up.bottom - up.top, "band", 'id="band-up"'),
            rect(up.x(0), down.top, 0, down.bottom - down.top, "band", 'id="band-down"')]
    marks = band + up.frame("", "share of the rows", y_form=percents) + down.frame(
        "margin: by how much the winner wins; below 0 it is wrong", "share with this margin or less", y_form=percents,
        y_ticks=(0, 0.5, 1))
    marks += key(150, 12, [(f"f{2 * i}", name) for i, (name, _) in enumerate(found)])
    for i, (name, parts) in enumerate(found):
        edge = [(up.x(low + (high - low) * b / bins), up.y(parts[min(b, bins - 1)])) for b in range(bins + 1)]
        if i == 0:
            d = f"M{num(edge[0][0])} {num(up.bottom)}V{num(edge[0][1])}" + "".join(
                f"H{num(x)}V{num(y)}" for x, y in edge[1:]) + f"V{num(up.bottom)}z"
            marks.append(f'<path d="{d}" class="f0 tint"/>')
        marks.append(steps(edge, f"s{2 * i}"))
        ordered = sorted(series[i][1])
        places = [min(int(q / 100 * len(ordered)), len(ordered) - 1) for q in range(101)]
        marks.append(path([(down.x(min(max(ordered[p], low), high)), down.y((p + 1) / len(ordered))) for p in places], f"s{2 * i}"))
    marks += [line(up.x(0), up.top, up.x(0), up.bottom, "zero"), line(down.x(0), down.top, down.x(0), down.bottom, "zero")]
    marks += [f'<g id="reject-line" class="handle">{line(up.x(0), up.top - 6, up.x(0), down.bottom, "s1")}'
              f'{dot(up.x(0), up.top - 6, "f1", 6)}</g>']
    words = "; ".join(f"{name}: median {quantile(sorted(values), 0.5):.4g}, {percents(sum(v < 0 for v in values) / len(values))} "
                      "below zero" for name, values in series)
    return picture(336, marks, "Distribution of margins", words, "margins"), (up.left, up.right, low, high)


def rejection(curve: RejectCurve) -> tuple[str, tuple]:
    """Error of the rows that get an answer, against the share that gets none."""
    points = [(r / curve.n, curve.error(i)) for i, r in enumerate(curve.rejected) if r < curve.n]
    far = max(points, key=lambda p: p[0])[0]
    axes = Axes((0, max(far, 0.02)), (0, top_of(max(e for _, e in points))))
    marks = axes.frame("rows without an answer", "error of the rows with an answer", percents, percents)
    marks += [path([(axes.x(r), axes.y(e)) for r, e in points], "s0"),
              f'<g id="reject-dot">{dot(axes.x(0), axes.y(points[0][1]), "f1", 5)}</g>']
    return picture(228, marks, "Error against rejection", f"Without rejection {percents(points[0][1])} of the rows are "
                   "wrong.", "rejection"), (axes.left, axes.right, axes.xs[1], axes.top, axes.bottom, axes.ys[1])


def calibration(bins: list[Bin]) -> str:
    low = max(min([b.probability for b in bins] + [wilson(b.right, b.n)[0] for b in bins]) - 0.02, 0)
    axes = Axes((low, 1), (low, 1), bottom=230)
    marks = axes.frame("probability that the model tells", "share that is right", percents, percents)
    marks.append(line(axes.x(low), axes.y(low), axes.x(1), axes.y(1), "zero"))
    for b in bins:
        bottom, top = wilson(b.right, b.n)
        marks += [line(axes.x(b.probability), axes.y(bottom), axes.x(b.probability), axes.y(top), "s0 thick"),
                  dot(axes.x(b.probability), axes.y(b.right / b.n), "f0", 4, f"{b.right} of {b.n} right where the model says "
                                                                             f"{percents(b.probability)}")]
    gap = sum(b.n * abs(b.right / b.n - b.probability) for b in bins) / sum(b.n for b in bins)
    return picture(268, marks, "Calibration", f"Mean distance from the diagonal {percents(gap)}.")


# ---- what the answers depend on ----

def importance(found: Importance, names: list[str], words: str = "error added when a feature is shuffled", form=None, most: int = 14) -> str:
    form = form or (lambda gain: f"{100 * gain:.1f} %")
    least = 0.0005 if form(1.0) == "100.0 %" else found.gains[max(range(len(names)), key=lambda j: found.gains[j])] / 500
    order = sorted(range(len(names)), key=lambda j: -found.gains[j])[:most]
    high = max(found.gains[order[0]], 1e-9)
    marks = [text(0, 11, words, style="name")]
    for i, j in enumerate(order):
        y, width = 24 + 20 * i, 172 * max(found.gains[j], 0) / high
        marks += [text(104, y + 11, names[j], "end", "tick", 14), rect(110, y + 1, width, 13, "f0 bar"),
                  text(116 + width, y + 11, f"+{form(found.gains[j])}" if found.gains[j] >= least > 0 else "none", style="tick")]
    return picture(30 + 20 * len(order), marks, "Importance of features", "; ".join(
        f"{names[j]} {form(found.gains[j])}" for j in order))


def regions(found: Plane, labels: list[str], strong: float) -> str:
    """Areas of the classes in two features; within each, where the winner wins by at least `strong`, in a deeper tint."""
    (x_low, x_high), (y_low, y_high) = found.ranges
    axes = Axes((x_low, x_high), (y_low, y_high), bottom=276)
    across, up = len(found.classes[0]), len(found.classes)
    place = lambda b, a: (axes.left + (axes.right - axes.left) * b / (across - 1),
                          axes.bottom - (axes.bottom - axes.top) * a / (up - 1))
    marks, seen = [], sorted({c for row in found.classes for c in row if c < len(labels)} | set(found.shown_y))
    for c in seen:
        # Where pairs of classes disagree in a circle the margin of the winner is negative: it wins all the same.
        field = [[(m if found.reject else abs(m)) if k == c else -abs(m) for k, m in zip(row, clear)]
                 for row, clear in zip(found.classes, found.clear)]
        soft = svg.area(field, found.reject, place)
        if soft:
            marks.append(f'<path d="{soft}" class="f{c % svg.SERIES} soft"/>')
            deep = svg.area(field, strong, place) if strong > found.reject else ""
            if deep:
                marks.append(f'<path d="{deep}" class="f{c % svg.SERIES} soft"/>')
            marks.append(f'<path d="{svg.outline(field, found.reject, place)}" class="border"/>')
    x_words, y_words = found.names
    marks += axes.frame(svg.short(x_words, 30), svg.short(y_words, 30))
    for c in seen:
        marks.append(svg.marks_of([(axes.x(x), axes.y(y)) for (x, y), k in zip(found.shown, found.shown_y)
                                   if k == c and x_low <= x <= x_high and y_low <= y <= y_high], c, style="point"))
    at, low = 0.0, 322.0
    for c in seen[:12]:
        width = 24 + 6.4 * min(len(labels[c]), 12)
        if at + width > svg.WIDTH:
            at, low = 0.0, low + 17
        marks += [mark(at + 6, low - 4, c, 4), text(at + 15, low, labels[c], style="tick", most=12)]
        at += width
    return picture(low + 8, marks, "Decision regions", f"Answers in {x_words} and {y_words}.")


def score_line(found: Plane, labels: list[str], binary: bool) -> str:
    """A single feature: the score, or which class, along it."""
    low, high = found.ranges[0]
    values = found.scores[0] if binary else found.clear[0]
    axes = Axes((low, high), (min(*values, 0), max(*values, 1e-9)))
    marks, n = [], len(values)
    classes = found.classes[0]
    start = 0
    for i in range(1, n + 1):
        if i == n or classes[i] != classes[start]:
            c, x1, x2 = classes[start], axes.left + (axes.right - axes.left) * start / n, axes.left + (axes.right - axes.left) * i / n
            if c < len(labels):
                marks += [rect(x1, axes.top, x2 - x1, axes.bottom - axes.top, f"f{c % svg.SERIES} soft", title=labels[c])]
                if x2 - x1 > 24:
                    marks.append(text((x1 + x2) / 2, axes.top + 13, labels[c], "middle", "tick", max(int((x2 - x1) / 7), 2)))
            start = i
    marks += axes.frame(found.names[0], "score" if binary else "margin of the winner")
    marks.append(path([(axes.left + (axes.right - axes.left) * i / (n - 1), axes.y(v)) for i, v in enumerate(values)], "s0"))
    for c in sorted(set(found.shown_y)):
        marks.append(svg.marks_of([(axes.x(x), axes.bottom - 6) for (x,), k in zip(found.shown, found.shown_y)
                                   if k == c and low <= x <= high], c, style="point"))
    return picture(230, marks, "Score along the feature")


# ---- numbers and ranks ----

def told(scores: list[float], targets: list[float], half: float | None, numbers: bool) -> str:
    """Answers against targets. Of numbers the diagonal is where they are right, and the band is as wide as was promised."""
    room = lambda values: (min(values) - 0.04 * (max(values) - min(values)), max(values) + 0.04 * (max(values) - min(values)))
    low, high = room([*scores, *targets]) if numbers else (0.0, 0.0)
    axes = Axes((low, high) if numbers else room(targets), (low, high) if numbers else room(scores), left=52, bottom=276)
    marks = axes.frame("target", "answer" if numbers else "score")
    if numbers:
        if half:
            corners = [(low, low - half), (low, low + half), (high - half, high), (high, high), (high, high - half), (low + half, low)]
            marks.append(path([(axes.x(min(max(x, low), high)), axes.y(min(max(y, low), high))) for x, y in corners], "f1 soft", True))
        marks.append(line(axes.x(low), axes.y(low), axes.x(high), axes.y(high), "zero"))
    marks.append(svg.marks_of([(axes.x(t), axes.y(s)) for s, t in zip(scores, targets)], 0, 2.2, "point tint-point"))
    return picture(314, marks, "Answers against targets", f"{len(scores)} rows.")


def offs(series: list[tuple[str, list[float]]], half: float | None) -> str:
    """How far answers are above their targets: a histogram, and below it how many are off by no more than so much."""
    low, high = margin_range([values for _, values in series])
    far = max(-low, high)
    bins, found = 37, [(name, shares(values, -far, far, 37)) for name, values in series]
    up = Axes((-far, far), (0, top_of(max(max(parts) for _, parts in found))), bottom=150, top=40)
    down = Axes((0, far), (0, 1), top=200, bottom=300)
    marks = up.frame("", "share of the rows", y_form=percents) + down.frame(
        "above: answer less target; below: without its sign", "share that is off by so much or less", y_form=percents, y_ticks=(0, 0.5, 1))
    marks += key(150, 12, [(f"f{2 * i}", name) for i, (name, _) in enumerate(found)])
    for i, (name, parts) in enumerate(found):
        edge = [(up.x(-far + 2 * far * b / bins), up.y(parts[min(b, bins - 1)])) for b in range(bins + 1)]
        if i == 0:
            d = f"M{num(edge[0][0])} {num(up.bottom)}V{num(edge[0][1])}" + "".join(
                f"H{num(x)}V{num(y)}" for x, y in edge[1:]) + f"V{num(up.bottom)}z"
            marks.append(f'<path d="{d}" class="f0 tint"/>')
        marks.append(steps(edge, f"s{2 * i}"))
        ordered = sorted(map(abs, series[i][1]))
        ends = [min(int(q / 100 * len(ordered)), len(ordered) - 1) for q in range(101)]
        marks.append(path([(down.x(min(ordered[p], far)), down.y((p + 1) / len(ordered))) for p in ends], f"s{2 * i}"))
    marks.append(line(up.x(0), up.top, up.x(0), up.bottom, "zero"))
    if half and half <= far:
        marks += [line(axes.x(at), axes.top, axes.x(at), axes.bottom, "s1") for axes, at in ((up, -half), (up, half), (down, half))]
        marks.append(text(down.x(half) + 5, down.bottom - 8, f"±{half:.3g} promised", style="tick") if down.x(half) < 240 else
                     text(down.x(half) - 5, down.bottom - 8, f"±{half:.3g} promised", "end", "tick"))
    words = "; ".join(f"{name}: half of the rows within {quantile(sorted(map(abs, values)), 0.5):.4g}" for name, values in series)
    return picture(336, marks, "How far answers are off", words)


LEVELS = 6  # tints of a surface


def surface(found: Plane) -> str:
    """The answer over two features, in tints; a key tells which values they mean."""
    (x_low, x_high), (y_low, y_high) = found.ranges
    axes = Axes((x_low, x_high), (y_low, y_high), bottom=276)
    across, up = len(found.scores[0]), len(found.scores)
    place = lambda b, a: (axes.left + (axes.right - axes.left) * b / (across - 1),
                          axes.bottom - (axes.bottom - axes.top) * a / (up - 1))
    values = sorted(v for row in found.scores for v in row)
    levels = [v for v in svg.ticks(values[0], values[-1], LEVELS) if v > values[0]]
    marks = [rect(axes.left, axes.top, axes.right - axes.left, axes.bottom - axes.top, "f0 layer")]
    for level in levels:
        marks += [f'<path d="{svg.area(found.scores, level, place)}" class="f0 layer"/>',
                  f'<path d="{svg.outline(found.scores, level, place)}" class="border faint"/>']
    marks += axes.frame(svg.short(found.names[0], 30), svg.short(found.names[1], 30))
    marks.append(svg.marks_of([(axes.x(x), axes.y(y)) for x, y in found.shown if x_low <= x <= x_high and y_low <= y <= y_high], 5, 1.6))
    wide = (axes.right - axes.left) / (len(levels) + 1)
    for i in range(len(levels) + 1):  # the key: as many layers over each other as in the figure
        marks += [rect(axes.left + wide * i, 312, wide, 12, "f0 layer")] * (i + 1)
    step = len(levels) // 6 + 1
    marks += [text(axes.left + wide * (i + 1), 338, f"{level:g}", "middle", "tick") for i, level in enumerate(levels) if i % step == 0]
    return picture(344, marks, "The answer over two features", f"From {values[0]:.4g} to {values[-1]:.4g} over {found.names[0]} and "
                   f"{found.names[1]}.")


def value_line(found: Plane, half: float | None) -> str:
    """A single feature: the answer along it, and the rows."""
    values, n = found.scores[0], len(found.scores[0])
    low, high = found.ranges[0]
    near = [(x, y) for (x,), y in zip(found.shown, found.shown_y) if low <= x <= high]
    all_values = [*values, *(y for _, y in near)] if half is not None or near else values
    axes = Axes((low, high), (min(all_values), max(all_values)), left=52, bottom=230)
    marks = axes.frame(found.names[0], "answer")
    at = lambda i, v: (axes.left + (axes.right - axes.left) * i / (n - 1), axes.y(min(max(v, axes.ys[0]), axes.ys[1])))
    if half:
        marks.append(path([at(i, v + half) for i, v in enumerate(values)] + [at(i, v - half) for i, v in reversed([*enumerate(values)])],
                          "f1 soft", True))
    marks += [svg.marks_of([(axes.x(x), axes.y(y)) for x, y in near], 0, 2.2, "point tint-point"), path([at(i, v) for i, v in enumerate(values)], "s1")]
    return picture(268, marks, "The answer along the feature")


# ---- cost ----

def frontier(forms: list[Form], budget: int | None, words: str = "error", form_of=percents) -> str:
    """Error against bytes of tables; the large marks are whole models."""
    sizes = [f.bytes for f in forms] + ([budget] if budget else [])
    low, high = min(sizes) / 1.35, max(sizes) * 1.9
    errors = [f.error for f in forms if f.error is not None]
    top = top_of(max(errors)) if form_of is not percents else min(1.0, max(top_of(max(errors)), 0.01))
    axes = Axes((low, high), (0, top), log_x=True)
    marks = axes.frame("bytes of tables", words, lambda v: f"{v:,.0f}".replace(",", "\u202f"), form_of)
    if budget:
        marks += [line(axes.x(budget), axes.top, axes.x(budget), axes.bottom, "s1"),
                  text(min(axes.x(budget) + 4, svg.WIDTH), axes.top - 9, f"budget {budget}", "end", "tick")]
    for i, form in enumerate(("f32", "q15", "q7")):
        line_of = sorted((f for f in forms if f.form == form and f.error is not None), key=lambda f: f.bytes)
        marks.append(path([(axes.x(f.bytes), axes.y(f.error)) for f in line_of], f"s{i} thin"))
        for f in line_of:
            left_out = "" if f.whole else f", {f.vectors} vectors"
            marks.append(f'<g>{mark(axes.x(f.bytes), axes.y(f.error), i, 4.4 if f.whole else 2.8)}<title>{form}{left_out}: '
                         f'{f.bytes} bytes, {words} {form_of(f.error)}, {f.changed} of {f.rows} answers differ</title></g>')
        whole = next((f for f in line_of if f.whole), None)
        if whole:
            marks.append(text(axes.x(whole.bytes) + 7, axes.y(whole.error) + (4 if i == 0 else -6 if i == 1 else 14), form, style="tick"))
    return picture(228, marks, "Error against bytes", "; ".join(
        f"{f.form} {byte_words(f.bytes)} {words} {form_of(f.error)}" for f in forms if f.whole and f.error is not None))


def candidates(tried: list[dict], picked: dict | None, budget: int | None, words: str = "cross-validated error") -> str:
    """Cross-validated error against bytes of all that was tried, by format; the choice has a ring."""
    sizes = [one["bytes"] for one in tried] + ([budget] if budget else [])
    worst = max(one["error_mean"] for one in tried)
    axes = Axes((min(sizes) / 1.3, max(sizes) * 1.3), (0, min(1.0, max(top_of(worst), 0.01))), log_x=True)
    marks = axes.frame("bytes of tables", words, lambda v: f"{v:,.0f}".replace(",", "\u202f"), percents)
    if budget:
        marks += [line(axes.x(budget), axes.top, axes.x(budget), axes.bottom, "s1"),
                  text(min(axes.x(budget) + 4, svg.WIDTH), axes.top - 9, f"budget {budget}", "end", "tick")]
    for one in tried:
        i = ("f32", "q15", "q7").index(one["format"])
        told = f"{one['method']} {one['format']}: {one['bytes']} bytes, {percents(one['error_mean'])}"
        marks.append(f'<g>{mark(axes.x(one["bytes"]), axes.y(one["error_mean"]), i, 2.6)}<title>{escape(told)}</title></g>')
    if picked:
        x, y = axes.x(picked["bytes"]), axes.y(picked["error_mean"])
        marks += [f'<circle cx="{num(x)}" cy="{num(y)}" r="8" class="ring"/>', '<circle cx="165" cy="228" r="6" class="ring"/>',
                  text(177, 232, f"chosen: {picked['method']} in {picked['format']}", style="tick")]
    at = 0.0
    for i, form in enumerate(("f32", "q15", "q7")):
        marks += [mark(at + 5, 228, i, 4), text(at + 14, 232, form, style="tick")]
        at += 52
    return picture(240, marks, "What was tried", f"{len(tried)} candidates.")


def bars(rows: list[tuple[str, list[tuple[str, float]]]], words: str, form=None) -> str:
    """Groups of bars, each with its number at its end: (name, [(part, value)])."""
    form = form or (lambda v: f"{v:,.0f}".replace(",", "\u202f"))
    values = [value for _, parts in rows for _, value in parts]
    high = max(values, default=1) or 1
    log = min(values, default=1) > 0 and high / min(values, default=1) > 60  # else the short bars could not be told apart
    low = 10.0 ** math.floor(math.log10(min(values)) - 0.3) if log else 0.0
    share = (lambda v: math.log(v / low) / math.log(high / low)) if log else (lambda v: v / high)
    marks, y = [text(0, 11, words + (", on a logarithmic scale" if log else ""), style="name")], 22.0
    for name, parts in rows:
        marks.append(text(92, y + 7 + 6 * len(parts), name, "end", "tick", 14))
        for i, (part, value) in enumerate(parts):
            width = 176 * share(value)
            marks += [rect(98, y + 13 * i, max(width, 1), 11, f"f{i} bar", title=f"{name}, {part}: {form(value)}"),
                      text(104 + width, y + 13 * i + 9, f"{form(value)}{' ' + part if part else ''}", style="tick small")]
        y += 13 * len(parts) + 9
    return picture(y + 2, marks, words)


# ---- figures of single methods ----

def rates_frontier(points: list[tuple[float, float]], asked: tuple[float, float], met: list[tuple[str, float, float]]) -> str:
    axes = Axes((0, 1), (0, 1), bottom=250)
    marks = axes.frame("error rate of the positive class", "error rate of the negative class", percents, percents)
    if points:
        ordered = sorted(points)
        away = [(axes.x(a), axes.y(b)) for a, b in ordered]
        marks += [path([(axes.x(ordered[0][0]), axes.top), *away, (axes.right, away[-1][1]), (axes.right, axes.top)], "f2 soft", True),
                  path(away, "s2"), text(axes.right - 6, axes.top + 16, "bounds that can be had", "end", "tick")]
    marks += [line(axes.x(asked[0]), axes.y(asked[1]), axes.x(asked[0]), axes.bottom, "zero"),
              line(axes.left, axes.y(asked[1]), axes.x(asked[0]), axes.y(asked[1]), "zero"),
              mark(axes.x(asked[0]), axes.y(asked[1]), 1, 5), text(axes.x(asked[0]) + 9, axes.y(asked[1]) + 4, "asked for", style="tick")]
    for i, (name, a, b) in enumerate(met):
        marks += [mark(axes.x(a), axes.y(b), 0, 4), text(axes.x(a) + 8, axes.y(b) - 5 - 13 * i, name, style="tick")]
    return picture(288, marks, "Error rates that can be had", f"Asked for {percents(asked[0])} and {percents(asked[1])}.")


def thresholds(scores: list[float], y: list[int], cuts: list[float], labels: list[str]) -> str:
    """Classes in order: the scores of each class, and the thresholds between them."""
    ordered = sorted(scores)
    low, high = min(quantile(ordered, 0.005), *cuts), max(quantile(ordered, 0.995), *cuts)
    axes = Axes((low, high), (0, 1), 74, 352, 20, 24 + 24 * len(labels))
    marks = []
    for cut in cuts:
        if low <= cut <= high:
            marks.append(line(axes.x(cut), axes.top, axes.x(cut), axes.bottom, "s1"))
    for c, label in enumerate(labels):
        at = 38 + 24 * c
        own = sorted(s for s, k in zip(scores, y) if k == c)
        marks.append(text(68, at + 4, label, "end", "tick", 10))
        if own:
            a, b, m = (min(max(quantile(own, q), low), high) for q in (0.1, 0.9, 0.5))
            marks += [line(axes.x(a), at, axes.x(b), at, f"s{c % svg.SERIES} thick"),
                      dot(axes.x(m), at, f"f{c % svg.SERIES}", 5, f"{label}: median {m:.4g}, 80 % within {a:.4g} and {b:.4g}")]
    marks += axes.frame("score: median and middle 80 % of each class", "", y_ticks=())
    return picture(axes.bottom + 40, marks, "Thresholds on the score", f"Thresholds {', '.join(f'{c:.4g}' for c in cuts)}.")


def alarms(series: list[tuple[str, list[float]]]) -> str:
    """One class: histograms of the scores of normal rows and, if there are any, of anomalies; the threshold is 0."""
    low, high = margin_range([scores for _, scores in series])
    bins = 40
    found = [shares(scores, low, high, bins) for _, scores in series]
    axes = Axes((low, high), (0, top_of(max(map(max, found)))), bottom=190, top=40)
    marks = axes.frame("score; below zero is an alarm", "share of the rows", y_form=percents)
    marks += key(150, 12, [(f"f{i}", name) for i, (name, _) in enumerate(series)])
    for i, parts in enumerate(found):
        marks.append(steps([(axes.x(low + (high - low) * b / bins), axes.y(parts[min(b, bins - 1)])) for b in range(bins + 1)], f"s{i}"))
    marks.append(line(axes.x(0), axes.top, axes.x(0), axes.bottom, "zero"))
    words = "; ".join(f"{name}: {percents(sum(s < 0 for s in scores) / len(scores))} below zero" for name, scores in series)
    return picture(226, marks, "Scores and the threshold of the alarm", words)


def tuning(points: list[tuple[float, float, float]], name: str, log: bool, chosen: float, words: str = "cross-validated error",
           form=percents) -> str:
    """Cross-validated error, or another measure, along one option, with a standard deviation on both sides."""
    points = sorted(points)
    xs = [p[0] for p in points]
    bottom = max(min(e - s for _, e, s in points), 0.0)
    low, high = (xs[0] / 1.3, xs[-1] * 1.3) if log else (xs[0], xs[-1])
    axes = Axes((low, high), (0 if bottom < 0.5 * max(e for _, e, _ in points) else bottom, top_of(max(e + s for _, e, s in points))),
                log_x=log)
    marks = axes.frame(name, words, y_form=form)
    marks += [line(axes.x(v), axes.y(max(e - s, axes.ys[0])), axes.x(v), axes.y(e + s), "s0 thin") for v, e, s in points]
    marks.append(path([(axes.x(v), axes.y(e)) for v, e, _ in points], "s0"))
    for v, e, s in points:
        marks.append(dot(axes.x(v), axes.y(e), "f1" if v == chosen else "f0", 5 if v == chosen else 3.5,
                         f"{name} {v:g}: {form(e)} ± {form(s)}"))
    return picture(228, marks, f"{words} against {name}", "; ".join(f"{v:g} {form(e)}" for v, e, _ in points))
