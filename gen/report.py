"""report.py -- a page about a model: one HTML file that needs nothing else. Figures are in figures.py, numbers in
measure.py, what is different where there are no classes in report_values.py; the form of the page asks the exported header,
compiled to WebAssembly by wasm.py."""
from __future__ import annotations

import argparse
import os
from array import array
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from . import cost, data, export, figures, kinds, measure, methods, metrics, model, output, report_values, wasm
from .classes import normal_of, numbers_of, of_model, sort_key
from .compress import Candidate
from .errors import Failure
from .measure import Answers, Values
from .native import Rows
from .output import byte_words, percent, say
from .page import bdi, figure, html, packed, section, table, tile

HERE = Path(__file__).resolve().parent
WASM_BYTES = 1_000_000     # of tables: larger models stay out of the page
ALL_FORMATS_BYTES = 150_000  # of tables: above this only one format is in the page
ROW_BYTES = 160_000        # of rows in the page


@dataclass
class Findings:
    """All that a page is made of."""
    model: model.Model
    names: list[str]
    train: Answers | Values | None
    test: Answers | Values | None
    budget: int | None
    forms: list
    wholes: dict
    tried: list = field(default_factory=list)  # of gen fit: all candidates, as its JSON has them
    command: str = ""                          # that makes the model, if it is known

    @property
    def shown(self) -> Answers | Values | None:
        """The rows that figures are about: those of the test if there are any."""
        return self.test or self.train

    @property
    def classes(self) -> bool:
        """Whether the model says classes, not numbers or ranks."""
        return self.model.machine.shape.classes > 1

    @property
    def what(self) -> str:
        return "test rows" if self.test else "rows of the data"


def feature_names(found: model.Model) -> list[str]:
    given, d = found.notes.get("names"), found.machine.shape.d
    return given if given and len(given) == d else [f"x{j + 1}" for j in range(d)]


# ---- parts of the page ----

def error_tile(name: str, found: Answers | None) -> str:
    if found is None or found.error is None:
        return ""
    low, high = measure.wilson(found.wrong, found.answered)
    return tile(name, percent(found.error), f"{found.wrong} of {found.answered} rows wrong; 95 % interval {percent(low)} to "
                                            f"{percent(high)}")


def alarm_tiles(f: Findings) -> list[str]:
    """One class: alarms on normal rows, and how many of the others are found."""
    parts = []
    for found, words in ((f.test, "test rows"), (f.train, "training rows" if f.test else "rows of the data")):
        for c, title in ((1, "false alarms"), (0, "anomalies found")):
            total = sum(found.table[c][:2]) if found else 0
            if total:
                low, high = measure.wilson(found.table[c][0], total)
                promised = f.model.notes.get("false_alarm_rate_promised")
                parts.append(tile(f"{title}, {words}", percent(found.table[c][0] / total), f"{found.table[c][0]} of {total}; 95 % interval "
                                  f"{percent(low)} to {percent(high)}" + (f"; promised {percent(promised)}" if c and promised is not None else "")))
    return parts


def tiles(f: Findings) -> str:
    notes, shape = f.model.notes, f.model.machine.shape
    parts = alarm_tiles(f) if f.model.one else report_values.tiles(f) if not f.classes else [
        error_tile("error on the test rows", f.test),
        error_tile("error on the training rows" if f.test else "error on the rows of the data", f.train)]
    if "error_mean" in notes:
        parts.append(tile("cross-validated error", percent(notes["error_mean"]), f"± {percent(notes.get('error_sd'))} over the folds"))
    if f.classes and notes.get("kendall_tau_test", notes.get("kendall_tau_train")) is not None:
        which = "test" if "kendall_tau_test" in notes else "train"
        parts.append(tile("Kendall's tau", f"{notes[f'kendall_tau_{which}']:.3f}", "when it was trained, on the "
                          + ("test rows" if which == "test" else "training rows")))
    whole = {form: one for form, one in f.wholes.items() if isinstance(one, Candidate)}
    if whole:
        small = min(whole.values(), key=lambda one: one.bytes)
        parts.append(tile("tables in flash", byte_words(small.bytes), ", ".join(
            f"{form} {one.bytes:,}".replace(",", "\u202f") for form, one in whole.items()) + " bytes"))
    features = f"{shape.d} feature{'s' * (shape.d > 1)}"
    parts.append(tile("inputs and classes", f"{shape.d} → {shape.classes}", f"{features}, {shape.classes} classes") if f.classes else
                 tile("inputs", str(shape.d), f"{features}, a {'number' if f.model.numbers else 'score'} for an answer"))
    return f'<dl class="tiles">{"".join(parts)}</dl>'


def errors_section(f: Findings) -> str:
    shown, labels = f.shown, f.model.labels
    if shown is None:
        return ""
    words = f"{shown.n} {f.what}. Deeper tints are larger shares of a true class."
    mixed = sorted(((row[j], i, j) for i, row in enumerate(shown.table) for j in range(len(labels)) if i != j and row[j]),
                   key=lambda item: (-item[0], item[1], item[2]))[:12]
    rows = [[bdi(labels[i]), bdi(labels[j]), str(count)] for count, i, j in mixed]
    most = figure("Most frequent mistakes", "The pairs of classes that are mixed up most often.",
                  table(["true class", "taken for", "rows"], rows, {2}, "Most frequent mistakes")) if len(labels) > 2 and rows else ""
    return section("errors", "How often it is wrong", f"What the model says to the {f.what}, in f32, as gen predict does.", [
        figure("Confusion matrix", words, figures.confusion(shown.table, labels)),
        figure("Error by class", "Wrong rows of each class with a 95 % interval, the worst class first.",
               figures.class_errors(shown.table, labels)), most])


def margins_section(f: Findings, facts: dict) -> str:
    if f.shown is None:
        return ""
    series = [("test" if f.test else "data", f.shown.signed())]
    if f.test and f.train:
        series.append(("training", f.train.signed()))
    curve = measure.reject_curve(f.shown.clear, f.shown.right())
    reject = f.model.machine.numbers.get("reject", 0)
    drawing, facts["margin_scale"] = figures.margins(series)
    second, facts["reject_scale"] = figures.rejection(curve)
    facts["curve"] = vars(curve)
    start = min(range(len(curve.thresholds)), key=lambda i: abs(curve.thresholds[i] - reject))
    control = (f'<div class="reject"><label for="reject">Drag the line, or move this slider, to reject unclear answers</label>'
               f'<input type="range" id="reject" min="0" max="{len(curve.thresholds) - 1}" value="{start}" step="1">'
               f'<output id="reject-words" for="reject"></output><p class="muted screen">To train a model that rejects so: '
               f'<code id="reject-option"></code></p></div>')
    lead = ("A margin is the distance between the winner and the next class. Small margins are doubts; a threshold turns them into "
            "\u201cno answer\u201d.")
    parts = [figure("Margins", f"All {f.what}" + (", the training rows beside them." if len(series) > 1 else "."), drawing),
             figure("Error against rejection", "What it costs to be right more often.", second, more=control)]
    bins = measure.calibration(f.shown)
    if bins:
        parts.append(figure("Calibration", "Rows in groups of equal size, with 95 % intervals: on the diagonal the model tells "
                            "the truth about itself.", figures.calibration(bins)))
    return section("margins-section", "How sure it is", lead, parts)


def suspicious_section(f: Findings, chosen: set[int]) -> str:
    parts = []
    for found, words in ((f.train, "training rows" if f.test else "rows of the data"), (f.test, "test rows")):
        if found is None:
            continue
        rows = []
        for i in found.suspicious(12):
            answer = f.model.labels[found.labels[i]] if found.labels[i] < len(f.model.labels) else "no class"
            number = f'<button type="button" data-row="{i + 1}">try {i + 1}</button>' if found is f.shown and i in chosen else str(i + 1)
            rows.append([number, bdi(f.model.labels[found.y[i]]), bdi(answer), f"{found.own[i]:.4g}"])
        parts.append(figure(f"In {os.path.basename(found.path)}", f"The {words} whose own class has the smallest margin.",
                            table(["row", "label", "answer", "margin"], rows, {3}, f"Suspicious {words}")))
    return section("suspicious", "Rows to look at", "A label may be wrong where the model disagrees most. Rows count from 1, without "
                   "the header line.", parts)


def features_section(f: Findings) -> str:
    if f.shown is None:
        return ""
    d, machine = f.model.machine.shape.d, f.model.machine
    found = measure.importance(f.model, f.shown)
    parts = []
    if found and d > 1:
        parts.append(figure("Importance", f"Error added when the values of one feature are shuffled among {found.rows} {f.what} "
                            f"(mean of {measure.SHUFFLES}).", figures.importance(found, f.names)))
    names, labels = f.names, f.model.labels
    if d == 1:
        parts.append(figure("Along the feature", "What the model says from the least to the largest value.", figures.score_line(
            measure.plane(f.model, f.shown, (0,), names), labels, machine.shape.binary)))
    else:
        unit = machine.shape.binary and kinds.kind_of(machine).word in ("linear", "expansion")
        strong = 1.0 if unit else measure.quantile(sorted(f.shown.clear), 0.5)
        deep = f"the deeper tint is where the margin is at least {strong:.3g}."
        pair = tuple(sorted(sorted(range(d), key=lambda j: -found.gains[j])[:2])) if found else (0, 1)
        words = "Answers along the two features; " if d == 2 else \
            "Answers along the two features that matter most, the others at their medians; " if found else \
            "Answers along the first two features, the others at their medians; "
        parts.append(figure("Decision regions", words + deep, figures.regions(
            measure.plane(f.model, f.shown, pair, names), labels, strong)))
        if d > 2:
            parts.append(figure("Along the leading directions", "Answers on the plane through the mean along which the rows vary "
                                "most; " + deep, figures.regions(measure.directions(f.model, f.shown), labels, strong)))
    return section("features", "What it looks at", "Which inputs matter, and where the borders between the classes lie.", parts)


def target_parts(f: Findings) -> list[str]:
    """Flash, RAM and time of one prediction on every target that has been measured, by the formula of cost.py."""
    whole = {form: one for form, one in f.wholes.items() if isinstance(one, Candidate)}
    shapes = {form: cost.shape_of(one.model, form, one.quantised) for form, one in whole.items()}
    known = {target: {form: cost.estimate(shape, target) for form, shape in shapes.items()} for target in cost.targets()}
    parts = []
    for title, words, value in (
            ("Flash", "Tables, struct, code and the compiler's own functions, in bytes, at -Os.", lambda c: c.flash),
            ("RAM and stack", "Bytes of static data and of the stack while the model answers.", lambda c: c.memory),
            ("Time of one answer", "Instructions, or cycles where the emulator counts those, at -O2.", lambda c: c.cycles)):
        rows = [(target, [(form, value(c)) for form, c in forms.items() if c.known and value(c) is not None])
                for target, forms in known.items()]
        rows = [(target, bars_) for target, bars_ in rows if bars_]
        if rows:
            parts.append(figure(title, words, figures.bars(rows, {"Time of one answer": "instructions"}.get(title, "bytes"))))
    return parts


def cost_section(f: Findings) -> str:
    whole = [(form, one) for form, one in f.wholes.items() if isinstance(one, Candidate)]
    parts = report_values.cost_parts(f) if f.shown and not f.classes else []
    if f.classes and f.forms and any(form.error is not None for form in f.forms):
        words = "Large marks are the whole model, small ones models with fewer vectors." if len(f.forms) > len(whole) else \
            "The whole model in each number format."
        parts.append(figure("Error against bytes", words, figures.frontier(f.forms, f.budget)))
        first = next((form for form in f.forms if form.form == "f32" and form.whole), None)
        rows = [[form.form, f"{form.bytes}", percent(form.error), f"{form.changed} of {form.rows}"] for form in f.forms if form.whole]
        parts.append(figure("Number formats", f"The whole model on {first.rows if first else 0} {f.what}; answers that differ from f32.",
                            table(["format", "bytes", "error", "differ"], rows, {1, 2, 3}, "Number formats")))
    parts += target_parts(f)
    missing = [str(one.message) for one in f.wholes.values() if isinstance(one, Failure)]
    lead = "Bytes of constant tables that the predictor reads, and what the whole of it takes on each chip."
    lead += f" Not possible: {'; '.join(missing)}." if missing else ""
    return section("cost", "What it costs", lead, parts)


# ---- figures of single methods ----

def rates_part(f: Findings) -> str:
    notes = f.model.notes
    if notes.get("method") != "rates" or not all(isinstance(notes.get(k), (int, float)) for k in ("eta_pos", "eta_neg")):
        return ""
    met = [(words, *(metrics.class_error(found.table, c) or 0 for c in (1, 0)))
           for words, found in (("training" if f.test else "data", f.train), ("test", f.test)) if found]
    points = notes.get("frontier")
    good = isinstance(points, list) and all(isinstance(p, list) and len(p) == 2 for p in points)
    return figure("Error rates", "The bounds that were asked for, those that can be had, and what the rows show.",
                  figures.rates_frontier([tuple(p) for p in points] if good else [], (notes["eta_pos"], notes["eta_neg"]), met))


def cut_words(weights: list[float], bias: float, names: list[str], most: int = 4) -> str:
    """A plane as a sum, the largest terms first.

    >>> cut_words([0.5, -2.0, 0.0], 1.0, ["a", "b", "c"])
    '−2·b + 0.5·a + 1 > 0'
    """
    order = sorted((j for j in range(len(weights)) if weights[j]), key=lambda j: -abs(weights[j]))
    terms = [(weights[j], f"·{names[j]}") for j in order[:most]] + ([(bias, "")] if bias else [])
    text = ""
    for i, (value, name) in enumerate(terms):
        sign = "−" if value < 0 else "+"
        text += (f" {sign} " if i else "−" if value < 0 else "") + f"{abs(value):.4g}{name}"
    return f"{text or '0'}{' + …' if len(order) > most else ''} > 0"


def list_part(f: Findings) -> str:
    """A decision list, in words: its cuts are planes where the kernel is linear."""
    machine = f.model.machine
    if kinds.kind_of(machine).word != "list":
        return ""
    n, width, d = machine.numbers["n"], machine.numbers["width"], machine.shape.d
    bias, target, coef, vectors = (machine.array(name) for name in ("bias", "target", "coef", "vectors"))
    offset, factor = machine.array("offset") or [0.0] * d, machine.array("factor") or [1.0] * d
    rows = []
    for j in range(width):
        last = j == width - 1
        if machine.numbers["kernel"] == 0:
            w = [sum(coef[i * width + j] * vectors[i * d + k] for i in range(n)) * factor[k] for k in range(d)]
            test = cut_words(w, bias[j] - sum(a * b for a, b in zip(w, offset)), f.names)
        else:
            test = f"kernel sum of {sum(1 for i in range(n) if coef[i * width + j])} vectors > 0"
        yes, no = f.model.labels[target[j]], f.model.labels[1 - target[j]]
        rows.append(["otherwise, if" if last and width > 1 else "if" if j == 0 else "else if", f"<code>{escape(test)}</code>",
                     bdi(yes) + (f", else {bdi(no)}" if last else "")])
    return figure("The list of cuts", "Asked from top to bottom; the first that holds decides.",
                  table(["", "condition", "answer"], rows, set(), "List of cuts"), "wide")


def ordinal_part(f: Findings) -> str:
    machine, shown = f.model.machine, f.shown
    if not machine.shape.ordinal or machine.shape.classes < 2 or shown is None:
        return ""
    bias = machine.array("bias")
    cuts = [bias[0] - b for b in bias]
    chosen = measure.some(shown.n, 5000)
    return figure("Thresholds", "The score orders inputs; between the thresholds lie the classes.",
                  figures.thresholds([shown.scores[i] for i in chosen], [shown.y[i] for i in chosen], cuts, f.model.labels))


def alarm_part(f: Findings) -> str:
    shown = f.shown
    if not f.model.one or shown is None:
        return ""
    series = [(label, [s for s, c in zip(shown.scores, shown.y) if c == i]) for i, label in enumerate(f.model.labels)]
    promised = f.model.notes.get("false_alarm_rate_promised")
    words = "Rows with a score below zero raise an alarm." + (
        "" if promised is None else f" Promised for normal rows that were not seen: {percent(promised)} false alarms.")
    return figure("Alarms", words, figures.alarms([(name, scores) for name, scores in reversed(series) if scores]))


JUDGED = {"r2": "R²", "kendall_tau": "Kendall's tau", "auc": "area under the ROC curve"}  # larger is better


UNEXPLAINED = "share of the variance not explained"  # what gen fit makes small where answers are numbers


def searched(f: Findings) -> list[tuple[dict, float, float]]:
    """What tune tried, or gen fit of the method and the kernel that it chose: options, error and its deviation."""
    tried, chosen = f.model.notes.get("tuned"), f.model.notes.get("options", {})
    if isinstance(tried, list):
        return [(p[0], p[1], p[2] or 0.0) for p in tried if isinstance(p, list) and len(p) == 3 and isinstance(p[0], dict)
                and isinstance(p[1], (int, float))]
    same = [one for one in f.tried if one["method"] == f.model.notes.get("method") and one.get("error_mean") is not None
            and one["options"].get("kernel") == chosen.get("kernel")]
    most = {}  # of equal options the one that was tested on most folds
    for one in sorted(same, key=lambda one: (one.get("folds", 0), -one["error_mean"])):
        most[str(sorted(one["options"].items()))] = (one["options"], one["error_mean"], one.get("error_sd") or 0.0)
    return list(most.values())


def tuning_parts(f: Findings) -> list[str]:
    """Error along each option that was searched over: the best of the other options at each value."""
    points, judged = searched(f), JUDGED.get(f.model.notes.get("tuned_by"))
    names = sorted(name for name in {name for p in points for name in p[0]} if len({str(p[0].get(name)) for p in points}) > 1)
    parts, chosen, sign = [], f.model.notes.get("options", {}), -1 if judged else 1
    for name in names:
        best = {}
        for options_, mean, sd in points:
            value = options_.get(name)
            if isinstance(value, (int, float)) and not isinstance(value, bool) and (value not in best or sign * mean < sign * best[value][0]):
                best[value] = (mean, sd)
        if len(best) > 2:
            log = min(best) > 0 and max(best) / min(best) > 20
            parts.append(figure(f"{judged or 'Error'} against {name}", "Cross-validated, ± one standard deviation over the folds; "
                                + ("the best of the other options at each value; " if len(names) > 1 else "") + "the choice is marked.",
                                figures.tuning([(v, *e) for v, e in best.items()], name, log, chosen.get(name), *(
                                    (f"cross-validated {judged}", lambda v: f"{v:.3g}") if judged else (UNEXPLAINED,) if f.model.numbers else ()))))
    return parts


def tried_part(f: Findings) -> str:
    """What gen fit has tried."""
    tried = [one for one in f.tried if one.get("bytes") and one.get("error_mean") is not None and one["format"] in ("f32", "q15", "q7")]
    if not tried:
        return ""
    picked = next((one for one in tried if one["command"] == f.command), None)
    words = UNEXPLAINED if f.model.numbers else "cross-validated error"
    return figure("What gen fit tried", f"{words[0].upper()}{words[1:]} and bytes of {len(tried)} candidates; the choice has a ring.",
                  figures.candidates(tried, picked, f.budget, words))


def method_section(f: Findings) -> str:
    return section("method", "How it decides", "What is special about this method and its options.",
                   [rates_part(f), list_part(f), ordinal_part(f), alarm_part(f), *tuning_parts(f), tried_part(f)])


# ---- the model in the page ----

def try_headers(f: Findings) -> dict[str, str]:
    """The headers that go into the page: the integers first, since they are what most chips compute."""
    whole = {form: one for form, one in f.wholes.items() if isinstance(one, Candidate)}
    fits = [form for form in ("q15", "f32", "q7") if form in whole and whole[form].bytes <= WASM_BYTES]
    if sum(whole[form].bytes for form in fits) > ALL_FORMATS_BYTES:
        fits = fits[:1]
    return {form: export.header(whole[form].model, form, whole[form].quantised) for form in fits}


def chosen_rows(found: Answers | Values) -> list[int]:
    """The rows that are in the page: the suspicious ones, and others evenly."""
    most = max(8, min(200, ROW_BYTES // (4 * found.rows.d)))
    return sorted({*found.suspicious(min(12, most)), *measure.some(found.n, most)})


def single(value: float) -> float:
    return value if abs(value) <= 3.4028234663852886e38 else 0.0


def try_section(f: Findings, facts: dict) -> str:
    title, lead = "Try it", "The exported header itself, compiled to WebAssembly: these are the numbers the chip will compute, to the bit."
    try:
        headers = try_headers(f)
        if not headers:
            raise Failure(f"its tables are larger than {byte_words(WASM_BYTES)}")
        module = wasm.compile_headers(headers, f.model.machine.shape.d)
    except Failure as error:
        then = " Then run gen report again." if "install" in error.message else ""
        return section("try", title, "", [f"<p>The model is not in this page: {escape(error.message)}.{then}</p>"], False)
    chosen, shown = chosen_rows(f.shown), f.shown
    values = array("f", map(single, measure.copied(shown.rows, chosen)))
    facts["wasm"] = packed(module)
    facts["forms"] = [{"name": form, "unit": one.report.unit if one else None}
                      for form, one in ((form, f.wholes[form].quantised) for form in headers)]
    facts["rows"] = {"values": packed(values.tobytes()), "numbers": [i + 1 for i in chosen]}
    if f.classes:
        facts["rows"].update(classes=[shown.y[i] for i in chosen], answers=[shown.labels[i] for i in chosen],
                             margins=[shown.own[i] for i in chosen])
    else:
        facts["answer"] = "value" if f.model.numbers else "score"
        facts["rows"].update(targets=[shown.y[i] for i in chosen], answers=[shown.scores[i] for i in chosen])
    inputs = "".join(f'<label><span title="{escape(name)}">{bdi(name)}</span><input type="text" inputmode="decimal" '
                     f'autocomplete="off"></label>'
                     for name in f.names)
    head = lambda words, number: f'<th scope="col"{" class=" + chr(34) + "n" + chr(34) if number else ""}>{words}</th>'
    heads, rows = (["format", "class", "*score", "*margin", *(["*probability"] if f.model.machine.calibrated else [])],
                   ["row", "label", "answer", "*margin"]) if f.classes else (
        ["format", "*value", "*score"] if f.model.numbers else ["format", "*score", "*in units of f32"],
        ["row", "*target", "*answer" if f.model.numbers else "*score"])
    heads, rows = ("".join(head(word.lstrip("*"), word[0] == "*") for word in words) for words in (heads, rows))
    told = "the margin is" if f.classes else "the value is" if f.model.numbers else "beside them they are"
    inside = (f'<div class="try"><form onsubmit="return false"><h3>Values of the features</h3><div class="fields">{inputs}</div></form>'
              f'<div><h3>Answer</h3><p class="answer" id="answer" aria-live="polite">…</p><div class="scroll" tabindex="0" role="region" '
              f'aria-label="Answers of all formats"><table><thead><tr>{heads}</tr></thead><tbody id="answers"></tbody></table></div>'
              f'<p class="muted">Scores of q15 and q7 are whole numbers; {told} in the units of {"the target" if f.model.numbers else "f32"}.</p></div>'
              f'<div class="wide"><h3>Or take a row of {escape(os.path.basename(shown.path))}</h3>'
              f'<div class="scroll" tabindex="0" role="region" '
              f'aria-label="Rows of the data"><table><thead><tr>{rows}</tr></thead><tbody id="row-list"></tbody></table></div></div></div>')
    return section("try", title, lead, [inside], False)


# ---- how it was made ----

def shell_word(text: str) -> str:
    return text if text and all(c.isalnum() or c in "._-/+,=" for c in text) else "'" + text.replace("'", "'\\''") + "'"


def single_of(text: str) -> float:
    """The number as the device has it.

    >>> single_of("0.1")
    0.10000000149011612
    """
    return array("f", [float(text)])[0]


def command_of(f: Findings, path: str) -> str:
    """The command that makes this model out of its data."""
    notes = f.model.notes
    if "method" not in notes or notes["method"] not in methods.METHODS:
        return ""
    parts = ["python3 -m gen train", shell_word(path), "--method", notes["method"]]
    for name, value in notes.get("options", {}).items():
        if value is True:
            parts.append(f"--{name}")
        elif value is not False:
            parts += [f"--{name}", shell_word(f"{value:.17g}" if isinstance(value, float) and float(f"{value:g}") != value else f"{value:g}"
                                              if isinstance(value, (int, float)) else str(value))]
    if isinstance(notes.get("seed"), int):
        parts += ["--seed", str(notes["seed"])]
    if f.model.machine.calibrated:
        asked = notes.get("held_out", {}).get("asked", 0.9)
        parts += ["--calibrate", *(["--coverage", f"{asked:g}"] if asked != 0.9 else [])]
    reject = f.model.machine.numbers.get("reject", 0)
    if reject:
        parts += ["--reject", next(text for text in (f"{reject:.{digits}g}" for digits in range(1, 18)) if single_of(text) == reject)]
    labels = f.model.labels
    if methods.METHODS[notes["method"]].targets == "order" and len(labels) > 1 and not all(map(data.is_number, labels)):
        parts += ["--order", shell_word(",".join(labels))]
    elif f.model.machine.shape.binary and labels != sorted(labels, key=sort_key(labels)):
        parts += ["--positive", shell_word(labels[1])]
    return " ".join([*parts, "--save", shell_word(os.path.basename(f.model.path))])


def made_section(f: Findings, data_path: str) -> str:
    notes, shape = f.model.notes, f.model.machine.shape
    rows = [["kind", escape(kinds.describe(f.model.machine))], ["trained by", escape(export.training_words(notes))],
            ["errors then", escape(export.error_words(notes))],
            ["classes", ", ".join(bdi(label) for label in f.model.labels[:60]) + (", …" if len(f.model.labels) > 60 else "")]
            if f.classes else report_values.labels_row(f),
            ["features", ", ".join(bdi(name) for name in f.names[:60]) + (f", … ({shape.d} in all)" if shape.d > 60 else "")],
            ["model file", bdi(os.path.basename(f.model.path)) + f", {byte_words(len(f.model.image))}"],
            ["sha256", f"<code>{f.model.sha256}</code>"]]
    command = f.command or command_of(f, data_path)
    code = f'<h3>The command that makes it</h3><pre>{escape(command)}</pre>' if command else ""
    return section("made", "How it was made", "", [code + table(["", ""], rows, set(), "How it was made").replace(
        "<thead><tr><th scope=\"col\"></th><th scope=\"col\"></th></tr></thead>", "")], False)


# ---- the page ----

def page(f: Findings, data_path: str) -> str:
    shown, machine = f.shown, f.model.machine
    facts = {"labels": f.model.labels, "names": f.names}
    if shown is not None:
        facts.update(n=shown.n, path=os.path.basename(shown.path), **(
            {"error": shown.error, "confusion": shown.table} if f.classes else {"loss": shown.loss(shown.scores)}))
    name = os.path.splitext(os.path.basename(f.model.path))[0]
    lead = f"{kinds.describe(machine)}; {export.training_words(f.model.notes)}"
    form = try_section(f, facts) if shown is not None else ""
    rows = set(chosen_rows(shown)) if shown and "rows" in facts else set()
    about = [errors_section(f), margins_section(f, facts), suspicious_section(f, rows), features_section(f)] if f.classes else [
        report_values.errors_section(f), report_values.suspicious_section(f, rows), report_values.features_section(f)]
    body = "".join([*about, method_section(f), cost_section(f), form, made_section(f, data_path)])
    top = (f'<a class="skip" href="#main">Skip to the figures</a><div class="page"><header><h1>{bdi(name)}</h1>'
           f'<p class="lead">{escape(lead)}</p>{tiles(f)}</header><main id="main">{body}</main></div>')
    return html(f"{name}: report", (HERE / "report.css").read_text("utf-8"), top, facts, (HERE / "report.js").read_text("utf-8"))


# ---- the command ----

def read_answers(arguments: argparse.Namespace, path: str, found: model.Model) -> Answers | Values:
    """What the model says to the rows of a file, beside what is known about them. To a model of one class all rows are normal
    where there are no labels."""
    read = data.read(path, arguments.label, arguments.header, arguments.zero_based, found.machine.shape.d)
    if read.labels is None and not found.one:
        raise Failure("no labels: a report compares answers with them", read.path)
    if found.ranks:
        raise Failure("a report is about classes, values or sums of ranks; the mean ranks of this model, and tau, are told by gen predict --json", found.path)
    if found.machine.shape.classes < 2:
        return measure.values_of(found, Rows(read, None, 1), numbers_of(read), read.path)
    y = normal_of(read, None) if read.labels is None else of_model(read, found.labels, found.one)
    return measure.answers(found, Rows(read, y, len(found.labels)), y, read.path)


def findings(found: model.Model, train: Answers | Values | None, test: Answers | Values | None, budget: int | None = None) -> Findings:
    shown = test or train
    forms, wholes = measure.frontier(found, shown, train.rows if train else None)
    return Findings(found, feature_names(found), train, test, budget, forms, wholes)


def write(path: str, found: Findings, data_path: str) -> None:
    """The page of a model whose answers are known."""
    text = page(found, data_path).encode("utf-8")
    output.write_file(path, text)
    say(f"{path}: {byte_words(len(text))}")


def of_fit(arguments: argparse.Namespace, found: model.Model, rows: Rows, test: Rows | None, result: dict) -> None:
    """The page of a model that gen fit has found, with all that it tried."""
    both = [None if part is None else measure.values_of(found, part, part.targets, path) if found.machine.shape.classes < 2 else
            measure.answers(found, part, array("H", part.y[:part.n]), path)
            for part, path in ((rows, arguments.data), (test, arguments.test))]
    facts = findings(found, *both, arguments.flash)
    facts.tried, facts.command = result["candidates"], result["command"]
    write(arguments.report, facts, arguments.data)


def report(arguments: argparse.Namespace) -> None:
    output.check_writable(arguments.output)
    found = model.load(arguments.model)
    answers = [read_answers(arguments, path, found) if path is not None else None for path in (arguments.data, arguments.test)]
    write(arguments.output, findings(found, *answers, arguments.flash), arguments.data)
