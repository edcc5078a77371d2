"""advice.py -- what somebody should know about the data before trusting a model: one line each, only where it applies."""
from __future__ import annotations

import ctypes
import statistics
from array import array

from . import native
from .output import percent
from .train import Problem

FEW = 10            # rows of a class
RARE = 0.05         # share of the rows
COPIES = 0.02       # share of the rows that may occur more than once without a word
ALIKE = 0.5         # squared difference of neighbours beside that of any two rows of a class
CELLS = 1_000_000   # numbers at most that are looked at one by one


def columns_of(problem: Problem) -> list[array]:
    """The features as columns; of many rows only some, spread evenly."""
    data = problem.data
    step = max(1, data.n * data.d // CELLS)
    values = array("d")
    values.frombytes(ctypes.string_at(data.rows, 8 * data.n * data.d))
    return [values[j::data.d][::step] for j in range(data.d)]


def classes_shown(problem: Problem, n: int) -> array:
    step = max(1, problem.data.n * problem.data.d // CELLS)
    return array("H", problem.y[::step][:n])


def row_keys(data) -> list[bytes]:
    """Each row as bytes, with every zero the same zero."""
    whole, width = ctypes.string_at(data.rows, 8 * data.n * data.d), 8 * data.d
    return [whole[i:i + width] for i in range(0, len(whole), width)]


def name_of(problem: Problem, j: int) -> str:
    """
    >>> class Data: names = ["a", "b"]
    >>> class Plain: names = None
    >>> (name_of(Problem(Data, [], None), 1), name_of(Problem(Plain, [], None), 1))
    ("'b'", '2')
    """
    return repr(problem.data.names[j]) if problem.data.names else str(j + 1)


def listed(words: list[str], most: int = 6) -> str:
    """
    >>> listed(["1", "2", "3"], 2), listed(["1"])
    ('1, 2 and 1 more', '1')
    """
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def about_data(problem: Problem, test=None, groups: list[int] | None = None) -> list[str]:
    """Lines about the rows before any training."""
    columns = columns_of(problem)
    classes = classes_shown(problem, len(columns[0]))
    of_classes = [*about_classes(problem), *about_answers(problem, columns, classes)] if problem.targets is None else []
    return [*of_classes, *about_columns(problem, columns), *about_copies(problem, test),
            *(about_order(columns, classes) if groups is None else [])]


def about_classes(problem: Problem) -> list[str]:
    lines, counts, n = [], problem.counts(), problem.data.n
    few = [f"{name!r} ({count})" for name, count in zip(problem.names, counts) if count < FEW]
    if few:
        lines.append(f"few rows of {listed(few)}: the error of such a class is hardly known; {FEW} are the least, 30 are better")
    rare = [f"{name!r} ({percent(round(count / n, 4))})" for name, count in zip(problem.names, counts)
            if FEW <= count < RARE * n and count < max(counts) / 10]
    if rare and len(problem.names) <= 5:
        more = "; --max-missed bounds the share that is missed" if len(problem.names) == 2 else ""
        lines.append(f"rare classes: {listed(rare)}; a low error can hide that they are always missed{more}")
    return lines


def about_columns(problem: Problem, columns: list[array]) -> list[str]:
    constant = [j for j, column in enumerate(columns) if min(column) == max(column)]
    first: dict[bytes, int] = {}
    same = []
    for j, column in enumerate(columns):
        other = first.setdefault(column.tobytes(), j)
        if other != j and j not in constant:
            same.append(f"{name_of(problem, j)} is the same as {name_of(problem, other)}")
    lines = []
    if constant:
        lines.append(f"columns that never change: {listed([name_of(problem, j) for j in constant])}; they cost bytes and tell nothing")
    if same:
        lines.append(f"columns that occur twice: {listed(same, 3)}; one of each can go")
    return lines


def stump_errors(column: array, classes: array) -> int:
    """Rows that the best single threshold of a column gets wrong, for two classes.

    >>> stump_errors(array("d", [1, 2, 3, 4]), array("H", [0, 0, 1, 1])), stump_errors(array("d", [1, 1, 1]), array("H", [0, 1, 0]))
    (0, 1)
    """
    order = sorted(range(len(column)), key=column.__getitem__)
    ones = sum(classes)
    best, above, below = min(ones, len(classes) - ones), ones, 0  # ones above the threshold and below it
    for place, i in enumerate(order[:-1], 1):
        above, below = above - classes[i], below + classes[i]
        if column[i] != column[order[place]]:
            wrong = below + (len(order) - place - above)
            best = min(best, wrong, len(order) - wrong)
    return best


def about_answers(problem: Problem, columns: list[array], classes: array) -> list[str]:
    """Columns that alone give the answer."""
    n = len(classes)
    if n < 20:
        return []
    if len(problem.names) == 2:
        found = [j for j, column in enumerate(columns) if stump_errors(column, classes) <= 0.005 * n]
    else:
        found = []
        for j, column in enumerate(columns):
            order = sorted(range(n), key=column.__getitem__)
            changes = sum(classes[a] != classes[b] for a, b in zip(order, order[1:]))
            if changes == len(set(classes)) - 1:
                found.append(j)
    if not found:
        return []
    return [f"column {listed([name_of(problem, j) for j in found])} alone tells the classes apart: is it part of the answer, or a number "
            "of the row?"]


def about_copies(problem: Problem, test) -> list[str]:
    keys, lines = row_keys(problem.data), []
    if problem.data.d > 2:  # with one or two coarse features rows are bound to be alike
        again = len(keys) - len(set(keys))
        if again > COPIES * len(keys):
            lines.append(f"{again} of {len(keys)} rows occur more than once: a copy on the other side of a fold makes the error look better")
    if test is not None:
        known = set(keys)
        both = sum(key in known for key in row_keys(test.kept[0]))
        if both:
            lines.append(f"{both} of {test.n} test rows are in the training data as well: their error says nothing about new rows")
    return lines


def about_order(columns: list[array], classes: array) -> list[str]:
    """Rows that follow each other in time or come from one source are more alike than others of their class."""
    n, shares = len(classes), []
    members: dict[int, list[int]] = {}
    for i, c in enumerate(classes):
        members.setdefault(c, []).append(i)
    if n < 50:
        return []
    for column in columns[:64]:
        near, whole = 0.0, 0.0
        for rows in members.values():
            values = [column[i] for i in rows]
            if len(values) > 2:
                near += sum((a - b) ** 2 for a, b in zip(values, values[1:])) / (len(values) - 1)
                whole += 2 * statistics.pvariance(values)
        if whole > 0:
            shares.append(near / whole)
    if not shares or statistics.median(shares) > ALIKE:
        return []
    return ["rows that stand next to each other are much more alike than others: if they come from one recording or person, --group "
            "COLUMN keeps them together; otherwise the error looks better than it is"]


# ---- labels ----

REPEATS = 3
DOUBTED = 0.1       # share of the rows of a class that may have wrong labels
FAR = 0.85           # on the wrong side, in the usual distance of rows on the right one
OVERLAP = 0.15      # share of the rows on the wrong side, from which on classes overlap: then no row is a surprise


def about_labels(problem: Problem, ground, choice, view) -> list[str]:
    """Rows that are far on the wrong side whenever they are left out of training."""
    rows = problem.rows
    picked = native.Choice(choice.method, dict(choice.options), ground.seed)
    worst, positive = [float("-inf")] * rows.n, []
    for repeat in range(REPEATS):
        margins = array("d", bytes(8 * rows.n))
        fold = array("H", ground.divide(list(range(rows.n)), ground.folds, ground.seed + repeat))
        for which in range(ground.folds):
            view.look()
            native.fold_margins(rows, fold, which, picked, margins)
        worst = list(map(max, worst, margins))
        positive += [own for own in margins if own > 0]
    if not positive or sum(margin < 0 for margin in worst) > OVERLAP * rows.n:
        return []
    far = -FAR * statistics.median(positive)
    suspects = [i for i in range(rows.n) if worst[i] < far]
    counts, doubted = problem.counts(), [0] * len(problem.names)
    for i in suspects:
        doubted[rows.y[i]] += 1
    # Many rows of a class say that the model does not know the class, not that their labels are wrong.
    suspects = [i for i in suspects if doubted[rows.y[i]] <= DOUBTED * counts[rows.y[i]]]
    if not suspects or len(suspects) > 0.05 * rows.n:
        return []
    suspects.sort(key=lambda i: worst[i])
    many = len(suspects) > 1
    return [f"{len(suspects)} row{'s look' if many else ' looks'} as if {'they' if many else 'it'} had a wrong label, by models that have not seen "
            f"{'them' if many else 'it'}: number {listed([str(i + 1) for i in suspects], 8)}, the first row of data being 1"]
