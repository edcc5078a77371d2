"""native.py -- native.c from Python: what to train, how it goes, what came of it."""
from __future__ import annotations

import ctypes
import functools
import itertools
import weakref
from array import array
from dataclasses import dataclass

from . import build
from .data import Data
from .errors import Failure
from .exchange import SCHEMES, Classifier
from .options import KERNELS, METHODS, SCALES

SOURCES = build.HEADERS + tuple(build.HERE / f"native_{part}.c" for part in ("train", "import", "export"))
DOUBLE, INT64, INT32 = ctypes.c_double, ctypes.c_int64, ctypes.c_int32


class Choice(ctypes.Structure):
    """gen_choice of native.c."""
    _fields_ = [(name, DOUBLE) for name in ("gamma", "coef0", "a", "tol", "lambda_", "c", "c_pos", "c_neg")] + \
               [(name, INT64) for name in ("max_iterations", "cache_bytes")] + \
               [(name, INT32) for name in ("method", "kernel", "degree", "scale", "scheme", "hard_margin", "intercept",
                                       "balanced", "unused")]


class Watch(ctypes.Structure):
    """gen_watch of native.c."""
    _fields_ = [(name, INT64) for name in ("iteration", "machine", "machines")] + \
               [(name, DOUBLE) for name in ("violation", "goal", "first")] + [("stop", INT32), ("running", INT32)]


class Report(ctypes.Structure):
    """gen_report of native.c."""
    _fields_ = [(name, DOUBLE) for name in ("objective", "gap", "violation", "margin_min", "margin_mean", "game_value",
                                            "entropy", "nu")] + [("quantile", DOUBLE * 5)] + \
               [(name, INT64) for name in ("iterations", "arena_peak", "arena_bound", "support")] + \
               [("converged", INT32), ("unused", INT32)]


class Rows(ctypes.Structure):
    """gen_rows of native.c; keeps what it points to alive."""
    _fields_ = [("x", ctypes.POINTER(DOUBLE)), ("y", ctypes.POINTER(ctypes.c_uint16)),
                *((name, INT64) for name in ("n", "d", "classes"))]

    def __init__(self, data: Data, y: array | None, classes: int):
        super().__init__(x=data.rows, n=data.n, d=data.d, classes=classes)
        self.kept = (data, y)
        if y is not None:
            self.y = ctypes.cast(y.buffer_info()[0], ctypes.POINTER(ctypes.c_uint16))


    def ranges(self) -> tuple[array, array, bool]:
        """Least and largest value of each feature; whether all values are whole numbers of 16 bits."""
        low, high = array("d", bytes(8 * self.d)), array("d", bytes(8 * self.d))
        whole = training().gen_ranges(ctypes.byref(self), address(low), address(high))
        return low, high, bool(whole)


class Plain(ctypes.Structure):
    """gen_plain of native.c."""
    _fields_ = [(name, ctypes.c_void_p) for name in ("weights", "vectors", "coef", "bias", "offset", "factor",
                                                     "class_end")] + \
               [("gamma", DOUBLE), ("coef0", DOUBLE), *((name, INT64) for name in ("n", "d", "classes"))] + \
               [(name, INT32) for name in ("scheme", "kernel", "degree", "unused")]


STRUCTS = (Choice, Watch, Report, Rows, Plain)


def bind(library: ctypes.CDLL) -> ctypes.CDLL:
    library.gen_sizes.restype = INT64
    if [library.gen_sizes(i) for i in range(len(STRUCTS))] != [ctypes.sizeof(s) for s in STRUCTS]:
        raise Failure("native.c and native.py do not agree about their structs")
    library.gen_status_text.restype = ctypes.c_char_p
    library.gen_free.argtypes, library.gen_free.restype = [ctypes.c_void_p], None
    library.gen_predict.argtypes = [ctypes.c_void_p] * 6
    library.gen_ranges.argtypes = [ctypes.c_void_p] * 3
    library.gen_input.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, ctypes.c_void_p, INT64, ctypes.c_void_p]
    library.gen_trained.argtypes, library.gen_trained.restype = [ctypes.c_void_p], ctypes.POINTER(DOUBLE)
    for function in (library.gen_shape, library.gen_class_ends, library.gen_scalars):
        function.argtypes, function.restype = [ctypes.c_void_p] * 2, None
    library.gen_array.argtypes, library.gen_array.restype = [ctypes.c_void_p, INT32, ctypes.c_void_p], INT64
    library.gen_scores.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, ctypes.c_void_p]
    return library


@functools.cache
def training() -> ctypes.CDLL:
    """The library in double, with the trainers."""
    library = bind(build.Build("native.c", "-DMARGIN_REAL_DOUBLE", headers=SOURCES).load())
    pointers = [ctypes.c_void_p] * 6
    library.gen_train.argtypes = pointers[:5]
    library.gen_folds.argtypes = [ctypes.c_void_p, INT64, ctypes.c_uint32, ctypes.c_void_p]
    library.gen_fold_margins.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, *pointers[:4]]
    library.gen_calibrate.argtypes = [*pointers[:3], INT64]
    library.gen_set_reject.argtypes, library.gen_set_reject.restype = [ctypes.c_void_p, DOUBLE], None
    library.gen_make.argtypes = pointers[:2]
    library.gen_image_size.argtypes, library.gen_image_size.restype = [ctypes.c_void_p, INT64], INT64
    library.gen_image_write.argtypes = [ctypes.c_void_p, ctypes.c_char_p, INT64, ctypes.c_void_p, INT64]
    library.gen_fold.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, *pointers[:5]]
    return library


@functools.cache
def device() -> ctypes.CDLL:
    """The library in float, predictors only: what the device computes."""
    library = bind(build.Build("native.c", headers=build.HEADERS).load())
    library.gen_open.argtypes = [ctypes.c_char_p, INT64, ctypes.c_void_p]
    library.gen_notes.argtypes, library.gen_notes.restype = [ctypes.c_void_p] * 2, ctypes.POINTER(ctypes.c_char)
    return library


def open_image(image: bytes) -> tuple[Machine, bytes]:
    """The model in an image, checked, in float; and the notes."""
    handle, count = ctypes.c_void_p(), INT64()
    status = device().gen_open(image, len(image), ctypes.byref(handle))
    if status < 0:
        raise Failure(device().gen_status_text(status).decode())
    machine = Machine(device(), handle.value)
    notes = device().gen_notes(machine.handle, ctypes.byref(count))
    return machine, notes[:count.value]


def status_text(status: int) -> str:
    return training().gen_status_text(status).decode()


def choice_of(method: str, chosen: dict) -> Choice:
    """The options that a user chose, as native.c wants them; what was not chosen is 0, the library's default."""
    choice = Choice(method=METHODS[method].number, kernel=KERNELS.index(chosen.get("kernel", "linear")),
                    degree=chosen.get("degree", 0), scale=SCALES.index(chosen.get("scale", "standard")),
                    scheme=2 if chosen.get("scheme") == "one-rest" else 0,
                    max_iterations=chosen.get("max-iter", 0), cache_bytes=int(chosen.get("cache-mb", 0) * 2**20))
    choice.intercept, choice.balanced = chosen.get("intercept", False), chosen.get("balanced", False)
    for name in ("gamma", "coef0", "a", "tol"):
        setattr(choice, name, chosen.get(name, 0.0))
    choice.lambda_, choice.c = chosen.get("lambda", 0.0), chosen.get("C", 0.0)
    choice.c_pos, choice.c_neg = chosen.get("C-pos", 0.0), chosen.get("C-neg", 0.0)
    if chosen.get("lambda") == 0.0 or choice.c == float("inf"):
        choice.hard_margin, choice.c = 1, 0.0
    return choice


@dataclass(frozen=True)
class Shape:
    """What a model is made of, in the order of gen_shape in native.c."""
    kind: int
    d: int
    classes: int
    scheme: int
    machines: int
    vectors: int
    kernel: int

    @property
    def linear(self) -> bool:
        return self.kind == 1

    @property
    def two(self) -> bool:
        return self.classes == 2


ARRAYS = ("w", "bias", "vectors", "norms", "coef", "offset", "factor")  # the order of native.c
SCALARS = ("reject", "slope", "shift", "gamma", "coef0", "a", "degree", "width")


class Machine:
    """A model in native memory, of one of the two libraries."""

    def __init__(self, library: ctypes.CDLL, handle: int):
        self.library, self.handle = library, handle
        weakref.finalize(self, library.gen_free, handle)
        numbers = (INT64 * 7)()
        library.gen_shape(handle, numbers)
        self.shape = Shape(*numbers)

    def bias(self) -> list[float]:
        """Fresh from training, for scaled inputs: one number a machine."""
        return self.library.gen_trained(self.handle)[:self.shape.machines]

    def weights(self) -> list[float]:
        """Fresh from training, for scaled inputs: d numbers a machine; empty if the model is not linear."""
        m = self.shape.machines
        return self.library.gen_trained(self.handle)[m:m + m * self.shape.d] if self.shape.linear else []

    def array(self, name: str) -> list[float]:
        """The numbers of an array of the model; empty if it has none."""
        which = ARRAYS.index(name)
        out = (DOUBLE * self.library.gen_array(self.handle, which, None))()
        self.library.gen_array(self.handle, which, out)
        return list(out)

    def class_ends(self) -> list[int]:
        ends = (ctypes.c_uint32 * self.shape.classes)()
        self.library.gen_class_ends(self.handle, ends)
        return list(ends)

    def scalars(self) -> dict[str, float]:
        out = (DOUBLE * len(SCALARS))()
        self.library.gen_scalars(self.handle, out)
        return dict(zip(SCALARS, out))

    def scores(self, rows: list[list[float]]) -> list[list[float]]:
        """The scores of all machines for each row."""
        x = array("d", itertools.chain.from_iterable(rows))
        out = array("d", bytes(8 * len(rows) * self.shape.machines))
        check(self.library.gen_scores(self.handle, address(x), len(rows), address(out)))
        return [list(out[i:i + self.shape.machines]) for i in range(0, len(out), self.shape.machines)]

    def predict(self, rows: Rows) -> tuple[array, array]:
        """Class and score of each row; the class of a rejected row is REJECTED."""
        label, score = array("H", bytes(2 * rows.n)), array("d", bytes(8 * rows.n))
        check(self.library.gen_predict(self.handle, ctypes.byref(rows), address(label), address(score), None, None))
        return label, score

    def set_reject(self, margin: float) -> None:
        """From now on a winner by less than this margin is no winner."""
        self.library.gen_set_reject(self.handle, margin)

    @property
    def calibrated(self) -> bool:
        return self.scalars()["slope"] != 0

    def probabilities(self, rows: Rows) -> array:
        """Of the class elected, for each row; a calibrated model only."""
        out = array("d", bytes(8 * rows.n))
        check(self.library.gen_predict(self.handle, ctypes.byref(rows), None, None, address(out), None))
        return out

    def confusion(self, rows: Rows) -> list[list[int]]:
        """How often true class i is taken for class j; the last column counts rejections."""
        table = new_table(self.shape.classes)
        check(self.library.gen_predict(self.handle, ctypes.byref(rows), None, None, None, table))
        return square(table, self.shape.classes)

    def image(self, notes: bytes) -> bytes:
        """The model as an image, with its numbers rounded to what the device has."""
        size = self.library.gen_image_size(self.handle, len(notes))
        out = ctypes.create_string_buffer(max(size, 1))
        check(self.library.gen_image_write(self.handle, notes, len(notes), out, size))
        return out.raw[:size]


REJECTED = 65535


def address(values: array) -> int:
    return values.buffer_info()[0]


def new_table(classes: int):
    return (INT64 * (classes * (classes + 1)))()


def square(table, classes: int) -> list[list[int]]:
    return [list(table[i * (classes + 1):(i + 1) * (classes + 1)]) for i in range(classes)]


def check(status: int) -> int:
    if status < 0:
        raise Failure(status_text(status))
    return status


def train(rows: Rows, choice: Choice, watch: Watch) -> tuple[int, Report, Machine]:
    """Status, report, and the machine; a Failure if there is none."""
    report, handle = Report(), ctypes.c_void_p()
    status = check(training().gen_train(*map(ctypes.byref, (rows, choice, watch, report, handle))))
    return status, report, Machine(training(), handle.value)


def make(c: Classifier) -> Machine:
    """The model of another program as one of ours."""
    ends = array("I", itertools.accumulate(c.class_sizes or []))
    plain = Plain(n=len(c.coef) // c.width if c.coef else 0, d=c.d, classes=len(c.labels),
                  scheme=SCHEMES.index(c.scheme))
    for name in ("weights", "vectors", "coef", "bias", "offset", "factor"):
        values = getattr(c, name)
        setattr(plain, name, address(values) if values is not None else None)
    plain.class_end = address(ends)
    if c.kernel is not None:
        plain.kernel, plain.degree = KERNELS.index(c.kernel["kind"]), int(c.kernel["degree"])
        plain.gamma, plain.coef0 = c.kernel["gamma"], c.kernel["coef0"]
    handle = ctypes.c_void_p()
    check(training().gen_make(ctypes.byref(plain), ctypes.byref(handle)))
    return Machine(training(), handle.value)


def folds(rows: Rows, count: int, seed: int) -> array:
    """Which fold each row is in: stratified, the same on every machine for the same seed."""
    fold = array("H", bytes(2 * rows.n))
    check(training().gen_folds(ctypes.byref(rows), count, seed & 0xFFFFFFFF, address(fold)))
    return fold


def run_fold(rows: Rows, fold: array, which: int, choice: Choice, watch: Watch):
    """Trains without fold `which`: status, report, confusion on the training rows and on the fold."""
    report, k = Report(), rows.classes
    tables = new_table(k), new_table(k)
    status = check(training().gen_fold(ctypes.byref(rows), address(fold), which, ctypes.byref(choice),
                                       ctypes.byref(watch), ctypes.byref(report), *tables))
    return status, report, square(tables[0], k), square(tables[1], k)


class Margins:
    """Margins of rows that were left out, for calibration: of class 1 of two, of all classes of more."""

    def __init__(self, rows: Rows):
        size = rows.n * (1 if rows.classes == 2 else rows.classes)
        self.values, self.hits = array("d", bytes(8 * size)), array("B", bytes(size))

    def run_fold(self, rows: Rows, fold: array, which: int, choice: Choice, watch: Watch) -> None:
        check(training().gen_fold_margins(ctypes.byref(rows), address(fold), which, ctypes.byref(choice),
                                          ctypes.byref(watch), address(self.values), address(self.hits)))

    def calibrate(self, machine: Machine) -> None:
        check(training().gen_calibrate(machine.handle, address(self.values), address(self.hits), len(self.values)))
