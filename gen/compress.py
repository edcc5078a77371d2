"""compress.py -- a model within a budget of flash: fewer vectors with coefficients fitted anew, smaller numbers."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass

from . import emit, model, native
from .errors import Failure
from .kinds import kind_of
from .model import Model
from .native import DOUBLE, INT64, Rows
from .quant import Quantised, noted_rows

FORMATS = ("f32", "q15", "q7")


@dataclass
class Candidate:
    """One way to keep within the budget."""
    model: Model
    form: str
    quantised: Quantised | None
    bytes: int
    changed: int | None = None  # of the rows looked at, how many get another label than from the whole model
    looked: int = 0

    @property
    def vectors(self) -> int:
        return self.model.machine.shape.vectors


def fewer(found: Model, vectors: int, rows: Rows | None) -> Model:
    """The model with at most so many vectors, fitted to the rows, or to its own vectors without them."""
    library, report, handle = native.training(), (DOUBLE * 5)(), ctypes.c_void_p()
    library.gen_compress.argtypes = [ctypes.c_char_p, INT64, ctypes.c_void_p, INT64, ctypes.c_void_p, ctypes.c_void_p]
    status = library.gen_compress(found.image, len(found.image), ctypes.byref(rows) if rows else None, vectors, report,
                                  ctypes.byref(handle))
    if status < 0:
        raise Failure(f"compression: {native.status_text(status)}", found.path)
    notes = {**found.notes, "compressed_from": found.machine.shape.vectors}
    return model.make(native.Machine(library, handle.value), notes, found.path)


def in_format(found: Model, form: str, rows: Rows | None) -> Candidate:
    quantised = Quantised(found, form, rows) if form != "f32" else None
    body = emit.integer_body(quantised) if quantised else emit.body_of(found.machine)
    return Candidate(found, form, quantised, body.bytes)


def labels_of(candidate: Candidate, rows: Rows):
    if candidate.quantised is None:
        return candidate.model.machine.predict(rows)[0]
    return candidate.quantised.predict(candidate.quantised.inputs(rows))[0]


def costs(found: Model, whole: Candidate) -> tuple[int, int, int]:
    """Bytes of the tables without vectors, bytes of a vector, and how many vectors come together."""
    shape, width = found.machine.shape, found.machine.numbers["width"]
    if whole.quantised is None:
        each, step, stored = 4 * (shape.d + 1 + width), 1, shape.vectors
    else:  # an even number of features, fours of vectors
        each = {"q15": 2, "q7": 1}[whole.form] * (shape.d + shape.d % 2) + 2 + 2 * width
        step, stored = 4, whole.quantised.numbers["n"]
    return whole.bytes - stored * each, each, step


def fit_format(found: Model, form: str, flash: int, rows: Rows | None) -> Candidate:
    """The best that a number format can do within the budget; a Failure says what it needs at least."""
    whole = in_format(found, form, rows)
    if whole.bytes <= flash:
        return whole
    kind = kind_of(found.machine)
    if kind.word != "expansion":
        raise Failure(f"{form} needs {whole.bytes} bytes, and a {kind.word} model has nothing to leave out",
                      found.path)
    fixed, each, step = costs(found, whole)
    vectors = max(flash - fixed, 0) // each // step * step
    if vectors == 0:
        raise Failure(f"{form} needs at least {fixed + step * each} bytes", found.path)
    return in_format(fewer(found, vectors, rows), form, rows)


def compress(found: Model, forms: tuple[str, ...], flash: int, rows: Rows | None) -> tuple[Candidate, list]:
    """Of all formats that are allowed, the one within the budget that changes the fewest labels; and all that were
    tried, failures included."""
    looked, tried = rows or noted_rows(found), []
    before = found.machine.predict(looked)[0] if looked else None
    for form in forms:
        try:
            candidate = fit_format(found, form, flash, rows)
        except Failure as error:
            tried.append(error)
            continue
        if looked is not None:
            candidate.changed = sum(a != b for a, b in zip(before, labels_of(candidate, looked)))
            candidate.looked = looked.n
        tried.append(candidate)
    good = [candidate for candidate in tried if isinstance(candidate, Candidate)]
    if not good:
        raise Failure(f"no model within {flash} bytes: " + "; ".join(error.message for error in tried), found.path)
    return min(good, key=lambda candidate: candidate.changed or 0), tried
