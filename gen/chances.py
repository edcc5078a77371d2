"""chances.py -- how good probabilities are, and the classes that together are probable enough: prediction sets."""
from __future__ import annotations

import math
from dataclasses import dataclass

COVERAGE = 0.9  # how often sets hold the true class where nobody says otherwise


def brier(rows: list[list[float]], y) -> float:
    """Mean over the rows of the sum over all classes of (p - 1)^2 for the true class and p^2 for the others.

    >>> brier([[0.8, 0.2], [0.5, 0.5]], [0, 1])
    0.29
    """
    return round(sum(sum(p * p for p in row) + 1 - 2 * row[c] for row, c in zip(rows, y)) / len(rows), 12)


def log_loss(rows: list[list[float]], y) -> float:
    """Mean of -log p of the true class.

    >>> log_loss([[0.5, 0.5], [1.0, 0.0]], [0, 0]) == math.log(2) / 2
    True
    """
    return sum(-math.log(max(row[c], 1e-15)) for row, c in zip(rows, y)) / len(rows)


def sets(rows: list[list[float]], include) -> list[list[int]]:
    """The classes of each row that are probable enough; one threshold a row.

    >>> sets([[0.8, 0.2], [0.5, 0.5]], [0.4, 0.4])
    [[0], [0, 1]]
    """
    return [[c for c, p in enumerate(row) if p >= least] for row, least in zip(rows, include)]


def measured(rows: list[list[float]], y, include) -> dict:
    """The keys of the JSON: Brier score, log loss, how often sets hold the true class and how large they are.

    >>> measured([[0.8, 0.2], [0.5, 0.5]], [0, 1], [0.4, 0.4])["coverage"]
    1.0
    """
    found = sets(rows, include)
    return {"brier": brier(rows, y), "log_loss": log_loss(rows, y),
            "coverage": sum(c in set_ for set_, c in zip(found, y)) / len(rows),
            "set_size": sum(map(len, found)) / len(rows)}


def scores_words(keys: dict) -> str:
    """
    >>> scores_words({"brier": 0.1234, "log_loss": 0.5})
    'Brier score 0.1234, log loss 0.5'
    """
    return f"Brier score {keys['brier']:.4g}, log loss {keys['log_loss']:.4g}"


def words(keys: dict, asked: float) -> str:
    """
    >>> words({"brier": 0.1234, "log_loss": 0.5, "coverage": 0.912, "set_size": 1.25}, 0.9)
    'Brier score 0.1234, log loss 0.5; sets of 90 % hold the true class in 91.2 %, and 1.25 classes on average'
    """
    return (f"{scores_words(keys)}; sets of {100 * asked:g} % hold the true class in {100 * keys['coverage']:.4g} %, and "
            f"{keys['set_size']:.3g} classes on average")


MOST = 200  # thresholds in the notes of a model


def noted(own) -> dict:
    """What the notes of a model know of the probabilities that held-out rows gave their true classes: how many there were,
    and some of them with their ranks, from the largest down, rounded down; coverages in steps of half a percent are met exactly.

    >>> noted([0.25, 0.5, 0.123456789])
    {'n': 3, 'rank': [1, 2, 3], 'p': [0.5, 0.25, 0.12345]}
    >>> noted([1.0] * 999)["rank"][::40]
    [5, 205, 405, 605, 805]
    """
    values = sorted(own, reverse=True)
    n = len(values)
    ranks = list(range(1, n + 1)) if n <= MOST else [min(-(-k * (n + 1) // MOST), n) for k in range(1, MOST + 1)]
    return {"n": n, "rank": ranks, "p": [math.floor(values[rank - 1] * 1e5) / 1e5 for rank in ranks]}


def threshold(held: dict, coverage: float) -> float:
    """The least probability of the classes of a set that is to hold the true class this often: by the rank among n
    held-out rows and one more, and 0 where that is beyond all of them.

    >>> [threshold({"n": 9, "rank": [3, 6, 9], "p": [0.9, 0.6, 0.3]}, c) for c in (0.3, 0.5, 0.9, 0.95)]
    [0.9, 0.6, 0.3, 0.0]
    """
    wanted = coverage * (held["n"] + 1)
    return next((p for rank, p in zip(held["rank"], held["p"]) if rank >= wanted - 1e-9), 0.0)


@dataclass
class Calibration:
    """What calibration by cross-validation found."""
    asked: float  # coverage of sets
    keys: dict    # of rows that were left out, for the JSON
    held: dict    # for the notes of the model

    def words(self) -> str:
        return "probabilities, by cross-validation: " + words(self.keys, self.asked)
