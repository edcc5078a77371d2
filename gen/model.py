"""model.py -- a model file (.mgn): the image that the device reads, and notes in it for people and for gen."""
from __future__ import annotations

import base64
import hashlib
import json
import math
import sys
from array import array
from dataclasses import dataclass

from . import native, output
from .errors import Failure, file_failure


@dataclass
class Model:
    """An image with its notes: labels, names of the features, how it was trained."""
    path: str
    image: bytes
    machine: native.Machine
    notes: dict

    @property
    def labels(self) -> list[str]:
        return self.notes["labels"]

    @property
    def numbers(self) -> bool:
        """Whether the score is the answer, a number in units of the target."""
        return self.notes.get("method") == "svr" and self.machine.shape.ordinal and self.machine.shape.classes == 1

    @property
    def one(self) -> bool:
        """Whether there is a normal state, the second class, and all else is an anomaly, the first."""
        return self.notes.get("method") == "oneclass"

    @property
    def ranks(self) -> bool:
        """Whether the model tells levels of numbers, and by its scores their mean rank: omam, normalised."""
        return self.notes.get("ranks") is True and self.machine.shape.machines == 3

    def sample(self) -> list[list[float]]:
        """Some rows of the training data; empty if the notes have none."""
        return unpack(self.notes.get("sample", ""), self.machine.shape.d)

    def sample_classes(self) -> list[int] | None:
        """The classes of these rows, if the notes know them."""
        found = self.notes.get("sample_classes")
        count, k = len(self.sample()), self.machine.shape.classes
        fits = isinstance(found, list) and len(found) == count and all(isinstance(c, int) and 0 <= c < k for c in found)
        return found if fits and count else None

    def ends(self) -> list[list[float]]:
        """The least and the largest values of all features in the training data, if the notes know them."""
        low, high = (unpack(self.notes.get(name, ""), self.machine.shape.d)[:1] for name in ("low", "high"))
        return low + high

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.image).hexdigest()


LEVELS = ("low", "middle", "high")  # of a mean rank: below -1/3, between, above 1/3


def mean_ranks(scores) -> list[float]:
    """From the three scores of each row to its mean rank, from -1 to 1; see margin_omam_train.

    >>> mean_ranks([0, 0.5, 0.5, 0, 0, 0])
    [0.3333333333333333, 0.0]
    """
    pairs = ((scores[i + 1], scores[i + 2]) for i in range(0, len(scores), 3))
    return [b / (3 * (2 * a - b)) if 2 * a - b > 0 else 0.0 for a, b in pairs]


def whole_ranks(scores) -> list[int]:
    """The same in integers, in 2^-15, rounded towards 0 as C does it.

    >>> whole_ranks([0, 100, -50, 0, 0, 0])
    [-2184, 0]
    """
    pairs = ((scores[i + 1], scores[i + 2]) for i in range(0, len(scores), 3))
    return [(abs(b) * 32768 // (3 * (2 * a - b))) * (1 if b > 0 else -1) if 2 * a - b > 0 else 0 for a, b in pairs]


def pack(values) -> str:
    """Numbers as the device has them, in as little text as can be: float32 in base64.

    >>> pack([1.0, -0.5])
    'AACAPwAAAL8='
    """
    singles = array("f", values)
    if sys.byteorder == "big":
        singles.byteswap()
    return base64.b64encode(singles.tobytes()).decode("ascii")


def unpack(text: str, width: int) -> list[list[float]]:
    """
    >>> unpack("AACAPwAAAL8=", 2), unpack("", 2), unpack("damaged", 2)
    ([[1.0, -0.5]], [], [])
    """
    try:
        singles = array("f", base64.b64decode(text, validate=True))
    except (ValueError, TypeError):
        return []
    if not all(map(math.isfinite, singles)):
        return []
    if sys.byteorder == "big":
        singles.byteswap()
    return [list(singles[i:i + width]) for i in range(0, len(singles) - width + 1, width)]


SAMPLE_BYTES = 8192  # of the rows in the notes; but at least so many rows as a smaller model can be judged by:
ENOUGH = 64


def sample_notes(rows: native.Rows) -> dict:
    """What export may want to know about the training data: a few rows, ranges, whether it is whole numbers."""
    low, high, whole = rows.ranges()
    if max(map(abs, (*low, *high))) > 3.4e38:
        return {}
    count = min(rows.n, 256, max(ENOUGH, SAMPLE_BYTES // (4 * rows.d)))
    chosen = [i * rows.n // count for i in range(count)]
    sample = [rows.x[rows.d * i + j] for i in chosen for j in range(rows.d)]
    return {"sample": pack(sample), "sample_classes": [rows.y[i] for i in chosen] if rows.y and not rows.t else None,
            "low": pack(low), "high": pack(high), "whole": whole or None}


def write_notes(notes: dict) -> bytes:
    """The same notes give the same bytes.

    >>> write_notes({"b": [1, 2.5], "a": "x", "none": None})
    b'{"a":"x","b":[1,2.5]}'
    """
    kept = {key: value for key, value in output.plain(notes).items() if value is not None}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("utf-8")


# What the notes that gen reads look like; others may be anything.
TEXT, TEXTS = (lambda value: isinstance(value, str)), \
    (lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value))
SHAPES = {"labels": TEXTS, "names": TEXTS, "method": TEXT, "tuned_by": TEXT, "origin": TEXT, "sample": TEXT, "low": TEXT, "high": TEXT,
          "sample_classes": lambda value: isinstance(value, list), "whole": lambda value: value is True, "ranks": lambda value: value is True,
          "options": lambda value: isinstance(value, dict) and all(isinstance(v, (str, int, float)) for v in value.values())}
NUMBERS = ("n", "compressed_from", "train_error", "train_error_pos", "train_error_neg", "test_error", "test_error_pos",
           "test_error_neg", "error_mean", "error_sd", "rmse_train", "rmse_test", "half_width", "outside_promised",
           "false_alarm_rate_promised", "false_alarm_rate_test", "detection_rate_test", "auc_test")


def fits(key: str, value) -> bool:
    """
    >>> fits("labels", ["a"]), fits("labels", 1), fits("n", 5), fits("n", "5"), fits("p_star", [1, [0.5]])
    (True, False, True, False, True)
    """
    if key in NUMBERS:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15
    return key not in SHAPES or SHAPES[key](value)


def read_notes(raw: bytes, classes: int) -> dict:
    """Notes are not needed: without them (or with another program's) classes are called by their numbers.

    >>> read_notes(b"", 2), read_notes(b'{"labels":["a","b"]}', 2), read_notes(b'{"labels":["a"]}', 2)
    ({'labels': ['0', '1']}, {'labels': ['a', 'b']}, {'labels': ['0', '1']})
    """
    try:
        notes = json.loads(raw) if raw else {}
    except (ValueError, RecursionError):
        notes = {}
    notes = {key: value for key, value in notes.items() if fits(key, value)} if isinstance(notes, dict) else {}
    labels = notes.get("labels")
    if not isinstance(labels, list) or len(labels) != classes or not all(isinstance(label, str) for label in labels):
        notes["labels"] = [str(c) for c in range(classes)]
    return notes


def from_image(image: bytes, path: str) -> Model:
    try:
        machine, notes = native.open_image(image)
    except Failure as error:
        raise Failure(error.message, path) from None
    return Model(path, image, machine, read_notes(notes, machine.shape.classes))


def load(path: str) -> Model:
    try:
        with open(path, "rb") as file:
            image = file.read()
    except OSError as error:
        raise file_failure(error, path) from None
    return from_image(image, path)


def make(machine: native.Machine, notes: dict, path: str = "model") -> Model:
    """The model that the device will have, of one that was trained or imported; `path` is what it came from."""
    try:
        image = machine.image(write_notes(notes))
    except Failure as error:
        raise Failure(error.message, path) from None
    return from_image(image, path)
