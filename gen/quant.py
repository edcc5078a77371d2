"""quant.py -- integer models: q15 and q7 out of a model file, and what they answer."""
from __future__ import annotations

import ctypes
import weakref
from array import array
from dataclasses import dataclass

from . import native
from .data import Data
from .errors import Failure
from .kinds import INTEGER_KINDS, kind_of
from .model import Model, unpack
from .native import DOUBLE, INT32, INT64, Parts, Rows, address

FORMATS = {"q15": 15, "q7": 7}


def rows_of(matrix: list[list[float]]) -> Rows:
    """Numbers of Python's as rows for native code."""
    values = array("d", (v for row in matrix for v in row))
    pointer = ctypes.cast(address(values), ctypes.POINTER(DOUBLE))
    return Rows(Data("notes", len(matrix), len(matrix[0]), pointer, None, None, owner=values), None, 0)


def noted_rows(model: Model) -> Rows | None:
    """What the notes tell about the training data: some rows of it, and the ends of its ranges."""
    d = model.machine.shape.d
    matrix = model.sample() + unpack(model.notes.get("low", ""), d) + unpack(model.notes.get("high", ""), d)
    return rows_of(matrix) if matrix else None


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
        if model.machine.shape.kind not in INTEGER_KINDS:
            raise Failure(f"models of kind {kind_of(model.machine).word} have no form in {form}", model.path)
        rows = rows or noted_rows(model)
        if rows is None:
            raise Failure(f"{form} needs data to choose its scales by: --data", model.path)
        self.library, self.form, handle = native.training(), form, ctypes.c_void_p()
        bind(self.library)
        self.whole = rows.ranges()[2]
        status = self.library.gen_quantize(model.image, len(model.image), ctypes.byref(rows), FORMATS[form], self.whole,
                                           ctypes.byref(handle))
        if status < 0:
            raise Failure(f"{form}: {native.status_text(status)}", model.path)
        self.handle = handle.value
        weakref.finalize(self, self.library.gen_quant_free, self.handle)
        self.parts = Parts(self.library.gen_quant_parts, self, DOUBLE)
        self.numbers = self.parts.numbers
        report = (DOUBLE * 6)()
        self.library.gen_quant_report(self.handle, report)
        self.report = Report(*report[:4], int(report[4]), int(report[5]), rows.n)

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
        """Of each row of inputs: class, scores of all machines, how clear it is, probability in 2^-15."""
        n, m = len(inputs) // self.numbers["d"], self.numbers["machines"]
        found = array("H", bytes(2 * n)), array("i", bytes(4 * n * m)), array("i", bytes(4 * n)), array("H", bytes(2 * n))
        native.check(self.library.gen_quant_predict(self.handle, address(inputs), n, *map(address, found)))
        return found

    def scores(self, inputs: array) -> list[list[int]]:
        """The scores of all machines for each row."""
        m, scores = self.numbers["machines"], self.answer(inputs)[1]
        return [list(scores[i:i + m]) for i in range(0, len(scores), m)]

    def predict(self, inputs: array) -> tuple[array, array, array]:
        """Class, score and probability of each row: as Machine.predict does it."""
        label, _, clear, chance = self.answer(inputs)
        return label, clear, chance


def bind(library: ctypes.CDLL) -> None:
    pointer = ctypes.c_void_p
    library.gen_quantize.argtypes = [ctypes.c_char_p, INT64, pointer, INT32, INT32, pointer]
    library.gen_quant_free.argtypes, library.gen_quant_free.restype = [pointer], None
    library.gen_quant_report.argtypes, library.gen_quant_report.restype = [pointer] * 2, None
    library.gen_quant_input.argtypes, library.gen_quant_input.restype = [pointer] * 3, INT64
    library.gen_quant_predict.argtypes = [pointer, pointer, INT64, *[pointer] * 4]
