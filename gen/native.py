"""native.py -- native.c from Python: what to train, how it goes, what came of it."""
from __future__ import annotations

import ctypes
import functools
import itertools
import json
import math
import os
import threading
import weakref
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from . import build, progress
from .data import Data
from .errors import Failure, Refusal
from .exchange import SCHEMES, Classifier
from .methods import METHODS, OPTIONS, Method
from .options import KERNELS

SOURCES = build.HEADERS + tuple(build.HERE / f"native_{part}.c" for part in ("methods", "train", "import", "export", "state"))
DOUBLE, INT64, INT32 = ctypes.c_double, ctypes.c_int64, ctypes.c_int32


class Choice(ctypes.Structure):
    """gen_choice of native.c: what a user chose; what was not chosen is the library's default."""
    _fields_ = [("method", ctypes.c_char_p), ("names", ctypes.c_void_p), ("values", ctypes.c_void_p), ("count", INT64)]

    def __init__(self, method: str, chosen: dict, seed: int = 1):
        names = (ctypes.c_char_p * (len(chosen) + 1))(*(name.encode() for name in chosen), b"seed")
        values = array("d", [*(OPTIONS[name].number(value) for name, value in chosen.items()), seed])
        super().__init__(method.encode(), ctypes.addressof(names), address(values), len(values))
        self.kept = (names, values)
        self.entry = METHODS[method]


class Watch(ctypes.Structure):
    """gen_watch of native.c."""
    _fields_ = [(name, INT64) for name in ("iteration", "machine", "machines")] + \
               [(name, DOUBLE) for name in ("violation", "goal", "first")] + [("stop", INT32), ("running", INT32)]


class Report(ctypes.Structure):
    """gen_report of native.c."""
    _fields_ = [(name, DOUBLE) for name in ("objective", "gap", "violation", "margin_min", "margin_mean")] + \
               [(name, INT64) for name in ("iterations", "arena_peak", "arena_bound", "support")] + \
               [("text", ctypes.c_void_p), ("converged", INT32), ("unused", INT32)]

    def take_told(self, entry: Method) -> dict:
        """What the method told, as keys of the JSON; kept in `told`, and given back to native memory."""
        members = ctypes.string_at(self.text).decode() if self.text else ""
        training().gen_forget(ctypes.byref(self))
        told = json.loads(f"{{{members}}}")
        self.told = entry.keys(told) if entry.keys else told
        return self.told


class Rows(ctypes.Structure):
    """gen_rows of native.c; keeps what it points to alive."""
    _fields_ = [("x", ctypes.POINTER(DOUBLE)), ("y", ctypes.POINTER(ctypes.c_uint16)), ("t", ctypes.c_void_p),
                ("weight", ctypes.c_void_p),
                *((name, INT64) for name in ("n", "d", "classes"))]

    def __init__(self, data: Data, y: array | None, classes: int, targets: array | None = None,
                 weights: array | None = None):
        super().__init__(x=data.rows, n=data.n, d=data.d, classes=classes)
        self.kept = (data, y, targets, weights)
        if y is not None:
            self.y = ctypes.cast(y.buffer_info()[0], ctypes.POINTER(ctypes.c_uint16))
        if targets is not None:
            self.t = address(targets)
        if weights is not None:
            self.weight = address(weights)

    @property
    def targets(self) -> list[float] | None:
        return ctypes.cast(self.t, ctypes.POINTER(DOUBLE))[:self.n] if self.t else None

    def part(self, first: int, end: int) -> Rows:
        """The rows first .. end - 1, where they are."""
        part = Rows.__new__(Rows)
        part.x = at(self.x, first * self.d)
        part.n, part.d, part.classes, part.kept = end - first, self.d, self.classes, self
        if self.y:
            part.y = at(self.y, first)
        part.t = self.t + 8 * first if self.t else None
        part.weight = self.weight + 8 * first if self.weight else None
        return part

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


class Part(ctypes.Structure):
    """gen_part of native.c: an array or a number of a model."""
    _fields_ = [("name", ctypes.c_char_p), ("at", ctypes.c_void_p), ("value", DOUBLE), ("count", INT64), ("type", INT32),
                ("unused", INT32)]


STRUCTS = (Choice, Watch, Report, Rows, Plain, Part)


def short(path: str) -> str:
    """The name of a field, out of its path in C: without the structs it is in, but for names that two of them have.

    >>> [short(path) for path in ("pool.n", "vote.shift", "kernel.shift", "pool.kernel.kind", "kernel.gamma")]
    ['n', 'shift', 'kernel_shift', 'kernel', 'gamma']
    """
    *structs, leaf = path.split(".")
    if structs[-1:] == ["kernel"]:
        return {"kind": "kernel", "shift": "kernel_shift", "down": "kernel_down"}.get(leaf, leaf)
    return leaf


class Parts:
    """What a model is made of, as C lists it: `numbers`, arrays with the types of C, and `fields`, the members of the
    struct in their order: path in C, short name, type, whether it is an array."""
    TYPES = {-4: ("int32_t", ctypes.c_int32), -2: ("int16_t", ctypes.c_int16), -1: ("int8_t", ctypes.c_int8),
             1: ("uint8_t", ctypes.c_uint8), 2: ("uint16_t", ctypes.c_uint16), 4: ("uint32_t", ctypes.c_uint32),
             8: ("size_t", ctypes.c_size_t)}
    BESIDE = ("kind", "machines", "stage_offset", "stage_factor", "stage_shift")  # no members of the struct

    def __init__(self, list_parts, owner, real):
        parts = (Part * 64)()
        self.owner, self.real, self.arrays, self.numbers, self.fields = owner, real, {}, {}, []
        listed = [(part.name.decode().replace(" ", ""), part) for part in parts[:list_parts(owner.handle, parts)]]
        own = {path for path, _ in listed}
        for path, part in listed:
            name = short(path)
            if path == f"pool.{name}" and name in own:  # what a projection and its pool both have
                name = f"pool_{name}"
            if part.count < 0:
                self.numbers[name] = part.value if part.type == 0 else int(part.value)
            else:
                self.arrays[name] = (part.at, part.count, part.type)
            if path not in self.BESIDE:
                self.fields.append((path, name, self.TYPES.get(part.type, ("margin_real",))[0], part.count >= 0))
        if "picked" in self.arrays:  # of a projection: whether it picks features
            self.numbers["picks"] = int(self.arrays["picked"][1] > 0)

    def kind(self, name: str) -> str:
        """The C type of an array."""
        return self.TYPES.get(self.arrays[name][2], ("margin_real",))[0]

    def array(self, name: str) -> list:
        """The numbers of an array; empty if the model has no such array."""
        at, count, kind = self.arrays.get(name, (None, 0, 0))
        return list(((self.TYPES[kind][1] if kind else self.real) * count).from_address(at)) if at else []


def bind(library: ctypes.CDLL) -> ctypes.CDLL:
    library.gen_sizes.restype = INT64
    if [library.gen_sizes(i) for i in range(len(STRUCTS))] != [ctypes.sizeof(s) for s in STRUCTS]:
        raise Failure("native.c and native.py do not agree about their structs")
    library.gen_status_text.restype = ctypes.c_char_p
    library.gen_free.argtypes, library.gen_free.restype = [ctypes.c_void_p], None
    library.gen_predict.argtypes = [ctypes.c_void_p] * 6
    library.gen_ranges.argtypes = [ctypes.c_void_p] * 3
    library.gen_answers.argtypes = [ctypes.c_void_p] * 7
    library.gen_input.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, ctypes.c_void_p, INT64, ctypes.c_void_p]
    library.gen_status_name.restype = ctypes.c_char_p
    library.gen_unit_exp.argtypes, library.gen_unit_exp.restype = [DOUBLE, ctypes.c_void_p], None
    library.gen_trained.argtypes, library.gen_trained.restype = [ctypes.c_void_p, INT32, ctypes.c_void_p], \
        ctypes.POINTER(DOUBLE)
    library.gen_parts.argtypes, library.gen_parts.restype = [ctypes.c_void_p] * 2, INT64
    library.gen_scores.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, ctypes.c_void_p]
    return library


LOADING = threading.Lock()


def once(make):
    """A function without arguments that runs once, whoever asks first: other threads wait."""
    made = functools.cache(make)

    @functools.wraps(make)
    def get():
        with LOADING:
            return made()
    return get


@once
def training() -> ctypes.CDLL:
    """The library in double, with the trainers."""
    library = bind(build.Build("native.c", "-DMARGIN_REAL_DOUBLE", headers=SOURCES).load())
    pointers = [ctypes.c_void_p] * 6
    library.gen_train.argtypes = pointers[:5]
    library.gen_measure.argtypes = pointers[:4]
    library.gen_forget.argtypes, library.gen_forget.restype = pointers[:1], None
    library.gen_quant_parts.argtypes, library.gen_quant_parts.restype = pointers[:2], INT64
    library.gen_folds.argtypes = [ctypes.c_void_p, INT64, ctypes.c_uint32, ctypes.c_void_p]
    library.gen_fold_left_out.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, *pointers[:4]]
    library.gen_calibrate.argtypes = library.gen_set_vote.argtypes = pointers[:3]
    library.gen_kendall.argtypes, library.gen_kendall.restype = [*pointers[:2], INT64], DOUBLE
    library.gen_make.argtypes = pointers[:2]
    library.gen_image_size.argtypes, library.gen_image_size.restype = [ctypes.c_void_p, INT64], INT64
    library.gen_image_write.argtypes = [ctypes.c_void_p, ctypes.c_char_p, INT64, ctypes.c_void_p, INT64]
    library.gen_state_write.argtypes, library.gen_state_write.restype = pointers[:2], INT64
    library.gen_state_read.argtypes = [ctypes.c_char_p, INT64, ctypes.c_void_p]
    library.gen_online_make.argtypes = pointers[:3]
    library.gen_online_add.argtypes = library.gen_online_machine.argtypes = pointers[:2]
    library.gen_online_free.argtypes, library.gen_online_free.restype = pointers[:1], None
    library.gen_online_size.argtypes, library.gen_online_size.restype = pointers[:1], INT64
    library.gen_online_read.argtypes = [ctypes.c_char_p, INT64, ctypes.c_uint64, ctypes.c_void_p]
    library.gen_fold.argtypes = [ctypes.c_void_p, ctypes.c_void_p, INT64, *pointers[:5]]
    return library


@once
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


@dataclass(frozen=True)
class Shape:
    """What all models have in common, and what is 0 for those that do not have it."""
    kind: int      # MARGIN_MODEL_..., see kinds.py
    d: int
    classes: int
    scheme: int
    machines: int
    vectors: int
    kernel: int
    near: bool = False  # spheres and prototypes of one class: the score in C is a distance

    @property
    def linear(self) -> bool:
        return self.kind == 1

    @property
    def ordinal(self) -> bool:
        """The first score orders inputs; with one class there is nothing else."""
        return self.scheme == 4

    @property
    def binary(self) -> bool:
        """One machine, whose score is positive for class 1."""
        return self.scheme == 0


class Machine:
    """A model in native memory, of one of the two libraries."""

    def __init__(self, library: ctypes.CDLL, handle: int):
        self.library, self.handle = library, handle
        weakref.finalize(self, library.gen_free, handle)
        self.look()
        n = self.numbers
        self.shape = Shape(*(n[name] for name in ("kind", "d", "classes", "scheme", "machines")), n.get("n", 0),
                           n.get("kernel", 0))
        if self.shape.scheme == NEAREST and self.shape.classes == 1:  # what is near is normal, all else an anomaly
            self.shape = replace(self.shape, classes=2, near=True)

    def state(self) -> bytes:
        """All bits of a model in double, for pickles and for copies without the memory of the training; see from_state."""
        out = ctypes.create_string_buffer(self.library.gen_state_write(self.handle, None))
        self.library.gen_state_write(self.handle, out)
        return out.raw

    def __reduce__(self):
        return from_state, (self.state(),)

    def look(self) -> None:
        """Reads the numbers and the places of the arrays of the model."""
        self.parts = Parts(self.library.gen_parts, self, ctypes.c_float if self.library is device() else DOUBLE)
        self.numbers = self.parts.numbers

    def trained(self, name: str) -> list[float]:
        """Fresh from training, for scaled inputs: "bias", one number a machine, or "w", d a machine; or nothing."""
        count = INT64()
        values = self.library.gen_trained(self.handle, name == "bias", ctypes.byref(count))
        return values[:count.value] if count.value else []

    def array(self, name: str) -> list:
        """The numbers of an array of the model; empty if it has none."""
        return self.parts.array(name)

    def over(self, rows: Rows, call) -> None:
        """Runs call(part, first row of the part) over all rows, on all cores if there is enough to do. Rows are answered one
        by one, so the answers do not depend on the parts."""
        work = rows.n * self.shape.d * max(self.shape.vectors, self.shape.machines)
        count = min(threads(), rows.n // 64 + 1, work // ENOUGH_WORK + 1)
        bounds = [rows.n * i // count for i in range(count + 1)]
        if count == 1:
            check(call(rows, 0))
            return
        with ThreadPoolExecutor(count) as pool:
            for status in pool.map(lambda i: call(rows.part(bounds[i], bounds[i + 1]), bounds[i]), range(count)):
                check(status)

    def all_scores(self, rows: Rows) -> array:
        """The scores of all machines, row after row."""
        m = self.shape.machines
        out = array("d", bytes(8 * rows.n * m))
        self.over(rows, lambda part, first: self.library.gen_scores(self.handle, part.x, part.n, address(out) + 8 * m * first))
        return out

    def scores(self, rows: list[list[float]]) -> list[list[float]]:
        """The scores of all machines for each row."""
        x, m = array("d", itertools.chain.from_iterable(rows)), self.shape.machines
        out = array("d", bytes(8 * len(rows) * m))
        check(self.library.gen_scores(self.handle, address(x), len(rows), address(out)))
        return [list(out[i:i + m]) for i in range(0, len(out), m)]

    def predict(self, rows: Rows) -> tuple[array, array]:
        """Class and score of each row; the class of a rejected row is REJECTED."""
        label, score = array("H", bytes(2 * rows.n)), array("d", bytes(8 * rows.n))
        self.over(rows, lambda part, first: self.library.gen_predict(
            self.handle, ctypes.byref(part), address(label) + 2 * first, address(score) + 8 * first, None, None))
        return label, score

    def set_reject(self, margin: float) -> None:
        """From now on a winner by less than this margin is no winner."""
        self.set_vote({**self.numbers, "reject": margin}, [])

    def set_vote(self, numbers: dict, curve: list[float]) -> None:
        """The threshold of rejection, and what makes probabilities, out of the numbers of another machine."""
        values, points = array("d", (numbers[name] for name in VOTE)), array("d", curve)
        check(self.library.gen_set_vote(self.handle, address(values), address(points) if curve else None))
        self.look()

    @property
    def calibrated(self) -> bool:
        return self.parts.numbers["slope"] != 0

    def probabilities(self, rows: Rows) -> list[list[float]]:
        """Of all classes, for each row; a calibrated model only."""
        k = self.shape.classes
        out = array("d", bytes(8 * rows.n * k))
        self.over(rows, lambda part, first: self.library.gen_predict(self.handle, ctypes.byref(part), None, None,
                                                                     address(out) + 8 * k * first, None))
        return [list(out[i:i + k]) for i in range(0, len(out), k)]

    def answers(self, rows: Rows) -> tuple[array, array, array, array | None, array]:
        """Of each row: class, score, probability of the class elected, and how clearly the scores speak for its true
        class, if the rows have classes, and for the class elected."""
        label, own = array("H", bytes(2 * rows.n)), array("d", bytes(8 * rows.n)) if rows.y else None
        score, probability, elected = (array("d", bytes(8 * rows.n)) for _ in range(3))
        self.over(rows, lambda part, first: self.library.gen_answers(
            self.handle, ctypes.byref(part), address(label) + 2 * first,
            *(address(of) + 8 * first if of else None for of in (score, probability, own, elected))))
        return label, score, probability, own, elected

    def confusion(self, rows: Rows) -> list[list[int]]:
        """How often true class i is taken for class j; the last column counts rejections."""
        k, tables = self.shape.classes, []

        def count(part: Rows, first: int) -> int:
            table = new_table(k)
            tables.append(table)
            return self.library.gen_predict(self.handle, ctypes.byref(part), None, None, None, table)

        self.over(rows, count)
        return square([sum(counts) for counts in zip(*tables)], k)

    def image(self, notes: bytes) -> bytes:
        """The model as an image, with its numbers rounded to what the device has."""
        size = self.library.gen_image_size(self.handle, len(notes))
        out = ctypes.create_string_buffer(max(size, 1))
        status = self.library.gen_image_write(self.handle, notes, len(notes), out, size)
        if status_name(status) == "MARGIN_E_RANGE":
            raise Failure("numbers of the model leave the range of float, which devices compute in; change the units of the data")
        check(status)
        return out.raw[:size]


def from_state(state: bytes) -> Machine:
    """The machine in double whose state this is."""
    handle = ctypes.c_void_p()
    check(training().gen_state_read(state, len(state), ctypes.byref(handle)))
    return Machine(training(), handle.value)


class Online:
    """mam that learns row after row, behind a scaling that stays that of its first rows; it can be pickled."""

    def __init__(self, handle: int):
        self.handle = handle
        weakref.finalize(self, training().gen_online_free, handle)

    @classmethod
    def begin(cls, rows: Rows, choice: Choice) -> Online:
        """A learner that knows how to scale these rows; it has not learned them yet."""
        handle = ctypes.c_void_p()
        check(training().gen_online_make(*map(ctypes.byref, (rows, choice, handle))))
        return cls(handle.value)

    def add(self, rows: Rows) -> None:
        check(training().gen_online_add(self.handle, ctypes.byref(rows)))

    def machine(self) -> Machine:
        """What is known now, as a machine of its own."""
        handle = ctypes.c_void_p()
        check(training().gen_online_machine(self.handle, ctypes.byref(handle)))
        return Machine(training(), handle.value)

    @classmethod
    def revive(cls, state: bytes, was: int) -> Online:
        handle = ctypes.c_void_p()
        check(training().gen_online_read(state, len(state), was, ctypes.byref(handle)))
        return cls(handle.value)

    def __reduce__(self):
        return Online.revive, (ctypes.string_at(self.handle, training().gen_online_size(self.handle)), self.handle)


REJECTED, NEAREST = 65535, 5  # an answer, and a scheme
ENOUGH_WORK = 2_000_000  # products that are worth a thread of their own
VOTE = ("reject", "slope", "shift", "include")  # numbers of a model that say how scores become answers


def address(values: array) -> int:
    return values.buffer_info()[0]


def at(pointer, count: int):
    """The pointer `count` elements further on."""
    return ctypes.cast(ctypes.addressof(pointer.contents) + count * ctypes.sizeof(pointer._type_), type(pointer))


def threads() -> int:
    """How many threads answer rows: one a core, or fewer by OMP_NUM_THREADS, which programs set that run many processes."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(progress.cores(), max(1, int(asked))) if asked.isdigit() else progress.cores()


def new_table(classes: int):
    return (INT64 * (classes * (classes + 1)))()


def square(table, classes: int) -> list[list[int]]:
    return [list(table[i * (classes + 1):(i + 1) * (classes + 1)]) for i in range(classes)]


def check_scores(scores, path: str) -> None:
    """A model whose scores are no numbers in float is of no use on a device."""
    bad = sum(not math.isfinite(score) for score in scores)
    if bad:
        raise Failure(f"{bad} of {len(scores)} scores leave the range of float, which devices compute in; scale the data "
                      "(--scale standard) or change its units", path)


def status_name(status: int) -> str:
    """As margin.h spells it: MARGIN_OK, ..."""
    return (training().gen_status_name(status) or b"").decode()


def check(status: int) -> int:
    if status < 0:
        raise Failure(status_text(status))
    return status


def check_training(status: int, choice: Choice, report: Report) -> int:
    """The status of a training: a Refusal if this method counts it as an answer, a Failure if it is any other error."""
    told = report.take_told(choice.entry)
    word = choice.entry.refusals.get(status_name(status)) if status < 0 else None
    if word is not None:
        raise Refusal(status_text(status) + choice.entry.instead(told), word, told)
    if status_name(status) in choice.entry.texts:
        raise Failure(choice.entry.texts[status_name(status)])
    return check(status)


def train(rows: Rows, choice: Choice, watch: Watch) -> tuple[int, Report, Machine]:
    """Status, report, and the machine; a Failure if there is none."""
    report, handle = Report(), ctypes.c_void_p()
    status = training().gen_train(*map(ctypes.byref, (rows, choice, watch, report, handle)))
    check_training(status, choice, report)
    return status, report, Machine(training(), handle.value)


def measure(machine: Machine, rows: Rows, choice: Choice) -> dict:
    """What the method has to tell about a machine on the rows of a test; names end in _test."""
    report = Report()
    status = training().gen_measure(machine.handle, *map(ctypes.byref, (rows, choice, report)))
    check_training(status, choice, report)
    return report.told


def kendall(a, b) -> float | None:
    """Kendall's tau-b of two lists of numbers; None if one has no order."""
    a, b = array("d", a), array("d", b)
    tau = training().gen_kendall(address(a), address(b), len(a))
    return None if tau != tau else tau


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
    status = training().gen_fold(ctypes.byref(rows), address(fold), which, ctypes.byref(choice), ctypes.byref(watch),
                                 ctypes.byref(report), *tables)
    check_training(status, choice, report)
    return status, report, square(tables[0], k), square(tables[1], k)


def fold_margins(rows: Rows, fold: array, which: int, choice: Choice, margins: array) -> None:
    """Trains without a fold, and notes the margins of that: how far each row is on the side of its class."""
    check(training().gen_fold_left_out(ctypes.byref(rows), address(fold), which, ctypes.byref(choice), ctypes.byref(Watch()), None,
                                       address(margins)))


class Held(ctypes.Structure):
    """gen_held of native_train.c: scores of rows that were left out, and what calibration makes of them."""
    _fields_ = [("scores", ctypes.c_void_p), ("fold", ctypes.c_void_p), ("folds", INT64), ("coverage", DOUBLE),
                *((name, ctypes.c_void_p) for name in ("chances", "include", "own"))]

    def __init__(self, machine: Machine, fold: array, folds: int, coverage: float):
        n, self.machine = len(fold), machine
        sizes = {"scores": n * machine.shape.machines, "chances": n * machine.shape.classes, "include": n, "own": n}
        self.kept = {name: array("d", bytes(8 * size)) for name, size in sizes.items()} | {"fold": fold}
        super().__init__(folds=folds, coverage=coverage, **{name: address(values) for name, values in self.kept.items()})

    def run_fold(self, rows: Rows, which: int, choice: Choice, watch: Watch) -> None:
        """Trains without a fold, and notes the scores of that."""
        check(training().gen_fold_left_out(ctypes.byref(rows), self.fold, which, ctypes.byref(choice), ctypes.byref(watch),
                                           self.scores, None))

    def calibrate(self, rows: Rows) -> None:
        check(training().gen_calibrate(self.machine.handle, ctypes.byref(rows), ctypes.byref(self)))
        self.machine.look()

    def probabilities(self) -> list[list[float]]:
        """Of all classes, for each row by a calibration without its fold."""
        k, chances = self.machine.shape.classes, self.kept["chances"]
        return [list(chances[i:i + k]) for i in range(0, len(chances), k)]
