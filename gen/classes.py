"""classes.py -- labels of any text as numbered classes."""
from __future__ import annotations

from array import array

from .data import Data, is_number
from .errors import Failure
from .reader import quoted

MAX_CLASSES = 65535


def sort_key(labels: list[str]):
    """How labels are ordered: by value if all are numbers, else as text.

    >>> [sorted(labels, key=sort_key(labels)) for labels in (["10", "9", "-1"], ["10", "9", "b"])]
    [['-1', '9', '10'], ['10', '9', 'b']]
    """
    return float if all(map(is_number, labels)) else str


def class_names(data: Data, positive: str | None = None) -> list[str]:
    """The classes of training data in order; of two, the last is the positive one.

    Labels that are all numbers are the same when their values are: +1 and 1.0 are one class, named as first written.
    """
    labels, key = data.labels, sort_key(data.labels)
    first = {}
    for label in labels:
        first.setdefault(key(label), label)
    names = [first[k] for k in sorted(first)]
    where = {"path": data.path, "column": data.label_column}
    if len(names) == 1:
        raise Failure(f"only one class: {quoted(names[0])}; at least two are needed", data.path)
    if len(names) > min(MAX_CLASSES, max(2, data.n // 2)):
        raise Failure(f"{len(names)} different labels in {data.n} rows: is this the label? (--label)"
                      + ("; gen fit --targets numbers meets numbers" if all(map(is_number, labels)) else ""), **where)
    if positive is None:
        return names
    if len(names) != 2:
        raise Failure(f"--positive needs two classes; there are {len(names)}", data.path)
    match = match_label(positive, names)
    if match is None:
        raise Failure(f"no label {positive!r} for --positive, only {' and '.join(map(quoted, names))}", data.path)
    return [names[1 - match], names[match]]


def ordered_names(data: Data, order: list[str] | None = None) -> list[str]:
    """Classes in order: as told, else by value, if all are numbers; two as they sort."""
    if order is None:
        for i, label in enumerate(data.labels):
            if label.lower().lstrip("+-") in ("nan", "inf", "infinity"):
                raise Failure(f"not a finite number: {quoted(label)}", data.path, data.label_line[i], data.label_column)
        if len(data.labels) > 2 and not all(map(is_number, data.labels)):
            words = ", ".join(map(quoted, data.labels[:4])) + (", ..." if len(data.labels) > 4 else "")
            raise Failure(f"the labels are text ({words}): say their order, --order low,mid,high", data.path)
        return class_names(data)
    classes_of(data, order)  # all are known
    return order


def numbers_of(data: Data) -> array:
    """The labels of all rows as numbers; a Failure names the first that is none."""
    for i, label in enumerate(data.labels):
        if not is_number(label):
            raise Failure(f"not a number: {quoted(label)}; this method needs numbers for labels",
                          data.path, data.label_line[i], data.label_column)
    values = list(map(float, data.labels))
    return array("d", [values[i] for i in data.label_of])


def normal_of(data: Data, normal: str | None) -> array:
    """For each row whether it is normal: 1 where it has this label, or any if that is None."""
    if normal is None or data.labels is None:
        return array("H", [1]) * data.n
    known = [match_label(label, [normal]) is not None for label in data.labels]
    return array("H", [known[i] for i in data.label_of])


def of_model(data: Data, names: list[str], one: bool) -> array:
    """The classes of the rows by the labels of a model. If it knows one class, rows of all other labels are anomalies."""
    if one and any(match_label(label, names[1:]) is not None for label in data.labels):
        return normal_of(data, names[1])
    return classes_of(data, names)


def match_label(label: str, names: list[str]) -> int | None:
    """Which class a label means: the same text, or the same value if both are numbers.

    >>> match_label("1.0", ["-1", "+1"]), match_label("b", ["a", "b"]), match_label("1", ["a", "b"])
    (1, 1, None)
    """
    if label in names:
        return names.index(label)
    if is_number(label):
        values = [float(name) if is_number(name) else None for name in names]
        return values.index(float(label)) if float(label) in values else None
    return None


def classes_of(data: Data, names: list[str]) -> array:
    """For each row the number of its class among the names, as the library wants it."""
    number = [match_label(label, names) for label in data.labels]
    if None in number:
        strange = number.index(None)
        known = ", ".join(map(quoted, names[:12])) + (", ..." if len(names) > 12 else "")
        raise Failure(f"unknown label {quoted(data.labels[strange])}; the classes are {known}",
                      data.path, data.label_line[strange], data.label_column)
    return array("H", [number[i] for i in data.label_of])
