"""quant.py -- integer models: q15 and q7 out of a model file, and what they answer."""
from __future__ import annotations

import ctypes
import weakref
from array import array
from dataclasses import dataclass

from . import native
from .data import Data
from .errors import Failure
from .kinds import kind_of
from .model import Model, unpack
from .native import DOUBLE, INT32, INT64, Parts, Rows, address

FORMATS = {"q15": 15, "q7": 7}


def rows_of(matrix: list[list[float]], classes: list[int] | None = None, count: int = 0) -> Rows:
    """Numbers of Python's as rows for native code."""
    values = array("d", (v for row in matrix for v in row))
    pointer = ctypes.cast(address(values), ctypes.POINTER(DOUBLE))
    y = array("H", classes) if classes is not None else None
    return Rows(Data("notes", len(matrix), len(matrix[0]), pointer, None, None, owner=values), y, count)


def noted_rows(model: Model) -> Rows | None:
    """The rows of the training data that the notes have, with their classes if these are known."""
    sample = model.sample()
    return rows_of(sample, model.sample_classes(), model.machine.shape.classes) if sample else None


def scale_rows(model: Model, rows: Rows | None) -> tuple[Rows, int, bool] | None:
    """What to choose scales by: rows, of which the last so many tell ranges only, and whether all data is whole."""
    if rows is not None:
        return rows, 0, rows.ranges()[2]
    sample, ends = model.sample(), model.ends()
    return (rows_of(sample + ends), len(ends), bool(model.notes.get("whole"))) if sample else None


@dataclass
class Report:
    """What became of the scores, on the rows that the scales were chosen by."""
    unit: float      # of an integer score
    worst: float     # largest difference
    mean: float      # mean difference
    scale: float     # mean score, for comparison
    disagree: int    # rows with another label
    limited: int     # rows with a value beyond the range of the inputs
    rows: int


class Quantised:
    """A model in integers."""

    def __init__(self, model: Model, form: str, rows: Rows | None = None):
        """`rows`: raw data to choose the scales by, in the place of what the notes of the model know."""
        if not kind_of(model.machine).integers:
            raise Failure(f"models of kind {kind_of(model.machine).word} have no form in {form}", model.path)
        by = scale_rows(model, rows)
        if by is None:
            raise Failure(f"{form} needs data to choose its scales by: --data", model.path)
        self.library, self.form, handle = native.training(), form, ctypes.c_void_p()
        bind(self.library)
        rows, ends, self.whole = by
        status = self.library.gen_quantize(model.image, len(model.image), ctypes.byref(rows), ends, FORMATS[form],
                                           self.whole, ctypes.byref(handle))
        if status < 0:
            raise Failure(f"{form}: {native.status_text(status)}", model.path)
        self.handle = handle.value
        weakref.finalize(self, self.library.gen_quant_free, self.handle)
        self.parts = Parts(self.library.gen_quant_parts, self, DOUBLE)
        self.numbers = self.parts.numbers
        report = (DOUBLE * 6)()
        self.library.gen_quant_report(self.handle, report)
        self.report = Report(*report[:4], int(report[4]), int(report[5]), rows.n - ends)

    def input_scaling(self) -> tuple[array, array] | None:
        """offset and factor from raw values to inputs; None if raw values are whole and go in as they are."""
        d = self.library.gen_quant_input(self.handle, None, None)
        if not d:
            return None
        offset, factor = array("d", bytes(8 * d)), array("d", bytes(8 * d))
        self.library.gen_quant_input(self.handle, address(offset), address(factor))
        return offset, factor

    def inputs(self, rows: Rows) -> array:
        """Raw values as the device's own conversion, in float, makes inputs of them."""
        scaling, out = self.input_scaling(), array("h", bytes(2 * rows.n * rows.d))
        offset, factor = (address(part) for part in scaling) if scaling else (None, None)
        native.check(native.device().gen_input(offset, factor, rows.d, rows.x, rows.n, address(out)))
        return out

    def answer(self, inputs: array) -> tuple[array, array, array, array]:
        """Of each row of inputs: class, scores of all machines, how clear it is, probabilities of all classes in 2^-15."""
        n, m, k = len(inputs) // self.numbers["d"], self.numbers["machines"], self.numbers["classes"]
        found = array("H", bytes(2 * n)), array("i", bytes(4 * n * m)), array("i", bytes(4 * n)), array("H", bytes(2 * n * k))
        native.check(self.library.gen_quant_predict(self.handle, address(inputs), n, *map(address, found)))
        return found

    def scores(self, inputs: array) -> list[list[int]]:
        """The scores of all machines for each row."""
        m, scores = self.numbers["machines"], self.answer(inputs)[1]
        return [list(scores[i:i + m]) for i in range(0, len(scores), m)]

    def predict(self, inputs: array) -> tuple[array, array, list[list[int]]]:
        """Class, score and probabilities of each row: as Machine.predict and Machine.probabilities do it."""
        label, _, clear, chances = self.answer(inputs)
        k = self.numbers["classes"]
        return label, clear, [list(chances[i:i + k]) for i in range(0, len(chances), k)]


def bind(library: ctypes.CDLL) -> None:
    pointer = ctypes.c_void_p
    library.gen_quantize.argtypes = [ctypes.c_char_p, INT64, pointer, INT64, INT32, INT32, pointer]
    library.gen_quant_free.argtypes, library.gen_quant_free.restype = [pointer], None
    library.gen_quant_report.argtypes, library.gen_quant_report.restype = [pointer] * 2, None
    library.gen_quant_input.argtypes, library.gen_quant_input.restype = [pointer] * 3, INT64
    library.gen_quant_predict.argtypes = [pointer, pointer, INT64, *[pointer] * 4]
