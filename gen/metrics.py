"""metrics.py -- error rates out of tables that count how often class i was taken for class j.

A last column counts rejections, which are neither right nor wrong: rates are of the rows that got an answer.
"""
from __future__ import annotations

import statistics


def error(table: list[list[int]] | None) -> float | None:
    """
    >>> error([[8, 2], [1, 9]]), error(None)
    (0.15, None)
    """
    if table is None:
        return None
    total = sum(sum(row[:len(table)]) for row in table)
    return (total - sum(row[i] for i, row in enumerate(table))) / total if total else None


def class_error(table: list[list[int]] | None, c: int) -> float | None:
    """The share of class c that is taken for another; of two classes 1 is the positive one.

    >>> class_error([[8, 2], [1, 9]], 0), class_error([[8, 2], [1, 9]], 1)
    (0.2, 0.1)
    """
    total = sum(table[c][:len(table)]) if table is not None else 0
    return (total - table[c][c]) / total if total else None


def count(truth, labels, classes: int) -> list[list[int]]:
    """The table of true classes and answers; labels beyond the classes are rejections.

    >>> count([0, 0, 1, 1], [0, 1, 1, 65535], 2)
    [[1, 1, 0], [0, 1, 1]]
    """
    table = [[0] * (classes + 1) for _ in range(classes)]
    for true, label in zip(truth, labels):
        table[true][min(label, classes)] += 1
    return table


def rejected(table: list[list[int]]) -> float:
    """The share of rows without an answer.

    >>> rejected([[8, 1, 1], [1, 7, 2]])
    0.15
    """
    total = sum(map(sum, table))
    return (total - sum(sum(row[:len(table)]) for row in table)) / total if total else 0.0


def added(tables: list[list[list[int]]]) -> list[list[int]] | None:
    """
    >>> added([[[1, 0], [0, 1]], [[2, 1], [0, 3]]]), added([])
    ([[3, 1], [0, 4]], None)
    """
    return None if not tables else [[sum(cells) for cells in zip(*rows)] for rows in zip(*tables)]


def spread(values: list[float]) -> tuple[float | None, float | None]:
    """Mean and sample standard deviation (0 for a single value); None of nothing."""
    if not values:
        return None, None
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def off(values, targets) -> dict:
    """How far numbers are from those that they should be; R2 is None where all targets are equal.

    >>> off([1.0, 2.0, 4.0], [1.0, 3.0, 5.0])
    {'rmse': 0.816496580927726, 'mae': 0.6666666666666666, 'r2': 0.75}
    """
    errors, mean = [a - b for a, b in zip(values, targets)], statistics.fmean(targets)
    squares, spread_ = sum(e * e for e in errors), sum((t - mean) ** 2 for t in targets)
    return {"rmse": (squares / len(errors)) ** 0.5, "mae": sum(map(abs, errors)) / len(errors),
            "r2": 1 - squares / spread_ if spread_ > 0 else None}


def rates(name: str, table: list[list[int]] | None) -> dict:
    """The keys NAME_error, NAME_error_pos and NAME_error_neg; the latter two for two classes only.

    >>> rates("test", [[8, 2], [1, 9]])
    {'test_error': 0.15, 'test_error_pos': 0.1, 'test_error_neg': 0.2}
    """
    two = table if table is not None and len(table) == 2 else None
    return {f"{name}_error": error(table), f"{name}_error_pos": class_error(two, 1),
            f"{name}_error_neg": class_error(two, 0)}
