"""compress.py -- a model within a budget of flash: fewer vectors with coefficients fitted anew, smaller numbers.

The budget is for the constant tables that the predictor reads, NAME_TABLE_BYTES of the header. Not in it: the struct that
points to them (about 50 bytes), the predictor's code, and what a linker leaves out unless it is used: names of classes, the
self-test, the conversion of raw values.
"""
from __future__ import annotations

import ctypes
from array import array
from dataclasses import dataclass

from . import emit, metrics, model, native
from .errors import Failure
from .exchange import SCHEMES, Classifier
from .kinds import kind_of
from .model import ENOUGH, Model
from .native import DOUBLE, INT32, INT64, Rows
from .options import KERNELS
from .quant import Quantised, noted_rows

FORMATS = ("f32", "q15", "q7")
NOISES = {"f32": (0.0,), "q15": (1e-5, 1e-4), "q7": (1e-4, 1e-3, 3e-3, 1e-2)}  # see margin_compress; which is right
# depends on kernel and data: all are tried, and the one is taken that leaves scores closest to those of the whole model
CLOSE = 0.005  # what a format that comes earlier may lose more than the best
TOLD = 0.005    # a loss in error above this is pointed out,
REFUSED = 0.03  # and above this nothing is written without --force
MOVED = 10 ** 9  # about how many times a vector moves for a row and a feature: seconds
REFITTED = 1500  # vectors at most whose coefficients are fitted anew where q7 costs too much: time grows with their cube


@dataclass
class Cost:
    """What a smaller model changes, on some rows."""
    rows: int
    changed: int                       # labels
    worst: float                       # change of the score that `predict` prints
    mean: float
    error_before: float | None = None  # if the classes of the rows are known; of numbers the root mean square error
    error_after: float | None = None
    variance: float | None = None      # of the values, if the model says numbers
    square: float | None = None        # then, of the change

    @property
    def loss(self) -> float:
        """What is lost, as a share of the rows: in error, or in labels where the classes are not known. Of numbers, the share
        of their variance that is no longer explained.

        >>> Cost(200, 9, 0.25, 0.01, 0.05, 0.075).loss, Cost(200, 9, 0.25, 0.01).loss
        (0.025, 0.045)
        >>> Cost(200, 0, 0.25, 0.01, 0.3, 0.5, 4.0, 0.1).loss, Cost(200, 0, 0.25, 0.01, None, None, 4.0, 0.1).loss
        (0.04, 0.025)
        """
        if self.variance is not None:
            lost = self.square if self.error_after is None else self.error_after ** 2 - self.error_before ** 2
            return round(lost / self.variance, 9)
        lost = self.changed / self.rows if self.error_after is None else self.error_after - self.error_before
        return round(lost, 9)

    @property
    def small(self) -> bool:
        """Whether the loss is not worth a word; of numbers, where the error grows by no more than a hundredth."""
        if self.variance is not None and self.error_after is not None:
            return self.error_after <= 1.01 * self.error_before
        return self.loss <= TOLD

    @property
    def ruins(self) -> bool:
        """Whether the loss is above what may be written, and no accident: more than twice the deviation of a count of so
        many changed labels.

        >>> Cost(35, 1, 0.1, 0.01, 0, 1 / 35).ruins, Cost(200, 20, 1, 0.1, 0.05, 0.15).ruins
        (False, True)
        """
        return self.loss > REFUSED and (self.variance is not None or self.loss * self.rows > 2 * self.changed ** 0.5)

    def words(self) -> str:
        """
        >>> Cost(200, 3, 0.25, 0.01, 0.05, 0.055).words()
        '3 of 200 labels change, scores by at most 0.25 (0.01 on average); error 5.5 %, before 5 %'
        """
        if self.variance is not None:
            error = "" if self.error_after is None else f"; root mean square error {self.error_after:.4g}, before {self.error_before:.4g}"
            return f"values change by at most {self.worst:.3g} ({self.mean:.2g} on average){error}"
        error = "" if self.error_after is None else f"; error {100 * self.error_after:.4g} %, before " \
                                                    f"{100 * self.error_before:.4g} %"
        return (f"{self.changed} of {self.rows} labels change, scores by at most {self.worst:.3g} ({self.mean:.2g} on "
                f"average){error}")


def answers_of(found: Model, rows: Rows) -> tuple[array, list[float]]:
    """Labels and scores of a model in floats; of one that tells mean ranks these."""
    labels, scores = found.machine.predict(rows)
    return labels, model.mean_ranks(found.machine.all_scores(rows)) if found.ranks else scores


@dataclass
class Candidate:
    """A model in a number format."""
    model: Model
    form: str
    quantised: Quantised | None
    bytes: int
    cost: Cost | None = None

    @property
    def vectors(self) -> int:
        return self.model.machine.shape.vectors

    def answers(self, rows: Rows) -> tuple[array, list[float]]:
        """Labels, and scores in the units of floats."""
        if self.quantised is None:
            return answers_of(self.model, rows)
        inputs = self.quantised.inputs(rows)
        labels, scores, _ = self.quantised.predict(inputs)
        if self.model.ranks:
            return labels, [rank / 32768 for rank in model.whole_ranks(self.quantised.answer(inputs)[1])]
        return labels, [score * self.quantised.report.unit for score in scores]


def in_format(found: Model, form: str, rows: Rows | None) -> Candidate:
    """`rows`: raw data to choose integer scales by; without them the notes of the model do."""
    quantised = Quantised(found, form, rows) if form != "f32" else None
    body = emit.integer_body(quantised) if quantised else emit.body_of(found.machine)
    return Candidate(found, form, quantised, body.bytes)


def cost(found: Model, candidate: Candidate, rows: Rows, whole: tuple[array, array] | None = None) -> Cost:
    """What a candidate changes beside the whole model in floats, which answers `whole`."""
    (before, old), (after, new) = whole or answers_of(found, rows), candidate.answers(rows)
    native.check_scores([*old, *new], found.path)
    moved = [abs(a - b) for a, b in zip(old, new)]
    result = Cost(rows.n, sum(a != b for a, b in zip(before, after)), max(moved), sum(moved) / rows.n)
    if found.numbers or found.ranks:
        targets, mean = rows.targets if found.numbers else None, sum(old) / rows.n
        result.square = sum(a * a for a in moved) / rows.n
        result.variance = max(sum((a - mean) ** 2 for a in (targets or old)) / rows.n, 1e-300)
        if targets is not None:
            result.error_before, result.error_after = (metrics.off(values, targets)["rmse"] for values in (old, new))
    elif rows.y:
        k, truth = len(found.labels), rows.y[:rows.n]
        result.error_before, result.error_after = (metrics.error(metrics.count(truth, labels, k))
                                                   for labels in (before, after))
    return result


@dataclass
class Judge:
    """Makes candidates in the place of a model, and tells what they cost beside it."""
    found: Model
    rows: Rows | None    # raw data to choose integer scales by
    looked: Rows | None  # rows to fit coefficients to and to count labels on
    answers: tuple[array, array] | None = None  # of the model to these, once they have been asked for
    few: Model | None = None                    # what some() returns, once it has been asked for

    def of(self, made: Model, form: str) -> Candidate:
        candidate = in_format(made, form, self.rows)
        if self.looked is not None:
            self.answers = self.answers or answers_of(self.found, self.looked)
            candidate.cost = cost(self.found, candidate, self.looked, self.answers)
        return candidate

    def some(self, forms: tuple[str, ...], flash: int) -> Model:
        """The model with as many vectors as any of the formats may hold. Which vectors these are depends on no format, and a
        fit of some of them, whatever errors it expects, is the same from here as from the whole model: least squares to
        least squares."""
        if self.few is None:
            most = max(holds(self.found, form, flash) for form in forms)
            self.few = fewer(self.found, max(4, min(most, self.found.machine.numbers["n"])), 0.0, self.looked)
        return self.few


def in_best_format(judge: Judge, form: str) -> Candidate:
    """The whole model, with coefficients fitted anew where rounding the vectors to q7 costs too much: large coefficients that
    cancel each other (a large C) multiply the errors of kernel values, smaller ones that say the same do not. Those of a model
    that was compressed have been fitted."""
    found, looked, n = judge.found, judge.looked, judge.found.machine.numbers
    whole = judge.of(found, form)
    kernel = KERNELS[n["kernel"]] if kind_of(found.machine).word == "expansion" else "none"
    if form != "q7" or kernel in ("none", "hinge", "linear") or n["n"] > REFITTED or looked is None or looked.n < ENOUGH \
            or whole.cost.small or "compressed_from" in found.notes:
        return whole
    fitted = [judge.of(fewer(found, n["n"], noise, looked), form) for noise in NOISES[form]]
    return min([whole, *fitted], key=lambda one: one.cost.loss if found.numbers or found.ranks else one.cost.mean)


# ---- fewer vectors ----

def fewer(found: Model, vectors: int, noise: float, rows: Rows | None) -> Model:
    """The model with at most so many vectors, fitted to the rows, or to its own vectors without them."""
    library, handle = native.training(), ctypes.c_void_p()
    library.gen_compress.argtypes = [ctypes.c_char_p, INT64, ctypes.c_void_p, INT64, DOUBLE, ctypes.c_void_p]
    status = library.gen_compress(found.image, len(found.image), ctypes.byref(rows) if rows else None, vectors, noise,
                                  ctypes.byref(handle))
    if status < 0:
        raise Failure(f"compression: {native.status_text(status)}", found.path)
    notes = {**found.notes, "compressed_from": found.notes.get("compressed_from", found.machine.shape.vectors)}
    return model.make(native.Machine(library, handle.value), notes, found.path)


def moved(found: Model, form: str, rows: Rows | None) -> Model | None:
    """A reduced rbf machine whose vectors have moved to where so few of them make the fewest mistakes on the rows; None where
    that cannot be done: for pairs of classes, without labels, or where scores have a meaning that has been calibrated."""
    n = found.machine.numbers
    if rows is None or not rows.y or kind_of(found.machine).word != "expansion" or KERNELS[n["kernel"]] != "rbf" or \
            SCHEMES[n["scheme"]] not in ("binary", "one-rest") or n["slope"] or n["reject"] or n["n"] > rows.n:
        return None
    passes = min(100, max(10, int(MOVED / (rows.n * n["n"] * (n["d"] + n["width"])))))
    library, handle = native.training(), ctypes.c_void_p()
    library.gen_move.argtypes = [ctypes.c_char_p, INT64, ctypes.c_void_p, INT64, INT32, ctypes.c_void_p]
    status = library.gen_move(found.image, len(found.image), ctypes.byref(rows), passes, form != "q7", ctypes.byref(handle))
    if status < 0:
        raise Failure(f"compression: {native.status_text(status)}", found.path)
    return model.make(native.Machine(library, handle.value), found.notes, found.path)


def folded(found: Model) -> Model:
    """An expansion of the linear kernel says the same as one weighted sum a machine: a linear model."""
    machine, n = found.machine, found.machine.numbers
    if kind_of(machine).word != "expansion" or KERNELS[n["kernel"]] != "linear":
        return found
    parts = {name: array("d", machine.array(name)) for name in ("vectors", "coef", "bias", "offset", "factor")}
    ends = machine.array("class_end")
    sizes = [end - start for start, end in zip([0, *ends], ends)]
    plain = Classifier(found.labels, SCHEMES[n["scheme"]], n["d"], parts["bias"], kernel={
        "kind": "linear", "gamma": 0.0, "degree": 0, "coef0": 0.0}, vectors=parts["vectors"], coef=parts["coef"],
        class_sizes=sizes, offset=parts["offset"] or None, factor=parts["factor"] or None)
    made = native.make(plain)
    made.set_vote(n, machine.array("curve"))
    return model.make(made, found.notes, found.path)


def sizes(found: Model, whole: Candidate) -> tuple[int, int, int]:
    """Bytes of the tables without vectors, bytes of a vector, and how many vectors come together."""
    shape, width = found.machine.shape, found.machine.numbers["width"]
    if whole.quantised is None:
        each, step, stored = 4 * (shape.d + 1 + width), 1, shape.vectors
    else:  # an even number of features, fours of vectors but for learned ones; poly has no norms
        norms = sum(2 for name in ("norms", "steps") if whole.quantised.parts.array(name))
        coef = 1 if whole.quantised.parts.kind("coef") == "int8_t" else 2
        each = {"q15": 2, "q7": 1}[whole.form] * (shape.d + shape.d % 2) + norms + coef * width
        stored = whole.quantised.numbers["n"]
        step = 1 if KERNELS[found.machine.numbers["kernel"]] == "hinge" else 4
    return whole.bytes - stored * each, each, step


def holds(found: Model, form: str, flash: int) -> int:
    """More vectors than this no budget of so many bytes holds: their values and coefficients alone.

    >>> from types import SimpleNamespace as Fake
    >>> [holds(Fake(machine=Fake(numbers={"d": 15, "width": 3})), form, 720) for form in FORMATS]
    [10, 21, 40]
    """
    n, width = found.machine.numbers, {"f32": 4, "q15": 2, "q7": 1}[form]
    return flash // (width * n["d"] + (width if form == "f32" else 1) * n["width"])


def with_vectors(judge: Judge, found: Model, form: str, vectors: int, flash: int) -> Candidate:
    """The model with so many vectors that is closest to the whole one. Which tables there are and how wide coefficients are
    depends on their values: if that takes more bytes than there are, with fewer vectors."""
    noises = NOISES[form] if judge.looked is not None else (NOISES[form][-1],)
    made = [judge.of(fewer(found, vectors, noise, judge.looked), form) for noise in noises]
    fitting = [one for one in made if one.bytes <= flash]
    if fitting:
        return min(fitting, key=lambda one: 0.0 if one.cost is None else one.cost.mean)
    fixed, each, step = sizes(made[0].model, made[0])
    less = min(vectors - step, max(flash - fixed, 0) // each // step * step)
    if less <= 0:
        raise Failure(f"{form} needs at least {fixed + step * each} bytes", judge.found.path)
    return with_vectors(judge, found, form, less, flash)


def fit_format(judge: Judge, forms: tuple[str, ...], form: str, flash: int) -> Candidate:
    """The best that one of the number formats can do within the budget; a Failure says what it needs at least."""
    found, looked, kind, n = judge.found, judge.looked, kind_of(judge.found.machine).word, judge.found.machine.numbers
    hinge = kind == "expansion" and KERNELS[n["kernel"]] == "hinge"
    if kind != "expansion" or hinge or holds(found, form, flash) >= n["n"]:
        whole = in_best_format(judge, form)
        if whole.bytes <= flash:
            return whole
        if kind != "expansion":
            raise Failure(f"{form} needs {whole.bytes} bytes, and a {kind} model has nothing to leave out", found.path)
    if looked is not None and looked.n < min(ENOUGH, found.notes.get("n", ENOUGH)):
        raise Failure(f"a model of fewer vectors is fitted and judged on rows, and the model file keeps only {looked.n}: name the "
                      "training data by --data", found.path)
    some = found if hinge else judge.some(forms, flash)
    fixed, each, step = sizes(some, whole if hinge else in_format(some, form, judge.rows))
    vectors = max(flash - fixed, 0) // each // step * step
    if vectors == 0:
        raise Failure(f"{form} needs at least {fixed + step * each} bytes", found.path)
    if hinge:
        raise Failure(f"{form} needs {whole.bytes} bytes, and learned vectors cannot be left out: train again with --vectors "
                      f"{vectors}", found.path)
    best = with_vectors(judge, found if looked is None else some, form, vectors, flash)
    if looked is None:
        return best
    better = moved(best.model, form, looked)
    if better is not None:
        candidate = judge.of(better, form)
        if candidate.bytes <= flash and candidate.cost.loss < best.cost.loss:
            return candidate
    return best


def compress(found: Model, forms: tuple[str, ...], flash: int, rows: Rows | None, looked: Rows | None = None
             ) -> tuple[Candidate, list]:
    """Within the budget, the first format that loses hardly more than the best of them; and all that were
    tried, failures included. `rows` and `looked` are those of Judge; what is not given is taken from the notes."""
    judge, tried = Judge(folded(found), rows, looked or rows or noted_rows(found)), []
    for form in forms:
        try:
            tried.append(fit_format(judge, forms, form, flash))
        except Failure as error:
            tried.append(error)
    good = [candidate for candidate in tried if isinstance(candidate, Candidate)]
    if not good:
        raise Failure(f"no model within {flash} bytes: " + "; ".join(error.message for error in tried), found.path)
    if judge.looked is None:
        return good[0], tried
    least = min(candidate.cost.loss for candidate in good)
    return next(c for c in good if c.cost.loss <= least + CLOSE), tried
