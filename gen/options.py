"""options.py -- values of options and their ranges, and the options that methods share. No argument parser, no C."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

from . import suggest
from .errors import Usage

KERNELS = ("linear", "poly", "rbf", "unit-poly", "unit-exp", "hinge")  # in the order of margin.h
SCALES = ("standard", "minmax", "none")
SCHEMES = ("one-one", "one-rest")


# ---- values ----

def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise Usage(f"not a number: {text!r}") from None
    if math.isnan(value):
        raise Usage(f"not a number: {text!r}")
    return value


def whole(text: str) -> int:
    """
    >>> whole("12"), whole("1e3")
    (12, 1000)
    """
    value = number(text)
    if not math.isfinite(value) or value != int(value):
        raise Usage(f"not a whole number: {text!r}")
    return int(value)


def size(text: str) -> int:
    """A number of bytes, also in units of 1024.

    >>> size("2048"), size("2K"), size("1.5k"), size("1M")
    (2048, 2048, 1536, 1048576)
    """
    factor = {"K": 1024, "M": 1024 * 1024}.get(text[-1:].upper(), 1)
    try:
        value = number(text if factor == 1 else text[:-1]) * factor
    except Usage:
        value = 0
    if not 1 <= value < 2**40 or value != int(value):
        raise Usage(f"not a number of bytes, as 2048 or 2K: {text!r}")
    return int(value)


def above(low: float, kind: Callable = number, infinite: bool = False) -> Callable:
    """Numbers greater than `low`."""
    def parse(text: str):
        value = kind(text)
        if not value > low or math.isinf(value) and not infinite:
            raise Usage(f"must be greater than {low}: {text!r}")
        return value
    return parse


def between(low: float, high: float, kind: Callable = number) -> Callable:
    def parse(text: str):
        value = kind(text)
        if not low <= value <= high:
            raise Usage(f"must be between {low} and {high}: {text!r}")
        return value
    return parse


def share(text: str) -> float:
    """
    >>> share("0.9")
    0.9
    """
    value = number(text)
    if not 0 < value < 1:
        raise Usage(f"must be more than 0 and less than 1: {text!r}")
    return value


def one_of(words: tuple[str, ...]) -> Callable:
    def parse(text: str) -> str:
        if text not in words:
            raise Usage(f"must be one of {', '.join(words)}: {text!r}{suggest.close(text, words)}")
        return text
    parse.words = words
    return parse


def yes_or_no(text: str) -> bool:
    if text not in ("yes", "no"):
        raise Usage(f"must be yes or no: {text!r}")
    return text == "yes"


# ---- options ----

@dataclass(frozen=True)
class Option:
    """One option. `name` is that of the grid and, after two dashes, of the command line."""
    name: str
    parse: Callable
    help: str
    kernels: tuple[str, ...] = ()  # those it has a meaning for; empty: all
    off: bool = False              # a flag that is on by default: --no-NAME turns it off

    @property
    def flag(self) -> bool:
        """On the command line it takes no value; in a grid it is yes or no."""
        return self.parse is yes_or_no

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    def number(self, value) -> float:
        """The value as native code takes it: of words their number, from 0."""
        words = getattr(self.parse, "words", None)
        return float(words.index(value) if words else value)


COMMON = (
    Option("kernel", one_of(KERNELS), f"The kernel: {', '.join(KERNELS[:-1])}. linear draws planes, and rbf bends around the data. The "
           "default is linear; of oneclass and seco it is rbf. compact: hinge (the default) or rbf."),
    Option("gamma", above(0), "The width of rbf and poly kernels: larger is narrower. The default is 1 / number of features.",
           ("poly", "rbf")),
    Option("degree", between(1, 255, whole), "The degree of a poly kernel. mam: the default is 2. others: the default is 3.", ("poly",)),
    Option("coef0", between(-1e18, 1e18), "The constant that a poly kernel adds. The default is 1.", ("poly",)),
    Option("a", above(0), "The exponent of unit-poly kernels, the base of unit-exp kernels. The default is 2.", ("unit-poly", "unit-exp")),
    Option("scale", one_of(SCALES), "How raw inputs are scaled: standard (mean 0, deviation 1; the default), minmax (0 to 1), none. It "
           "becomes part of the model."),
    Option("scheme", one_of(SCHEMES), "How more than two classes are told apart: by a machine for each pair (one-one, the default) or "
           "for each class (one-rest)."),
    Option("tol", above(0), "How accurate the solver is. The default is 1e-6; 1e-3 is faster and mostly as good."),
    Option("max-iter", above(0, whole), "How many steps the solver of one machine may take. The default is far more than most data needs."),
    Option("cache-mb", above(0), "Memory for kernel values in MB. The default is an eighth of the machine's; any gives the same model."),
)
KERNEL_OPTIONS = ("kernel", "gamma", "degree", "coef0", "a", "cache-mb")


def points(grid: list[tuple[str, tuple]]) -> list[dict]:
    """All combinations, the last name running fastest.

    >>> points([("a", (1, 2)), ("b", (3, 4))])
    [{'a': 1, 'b': 3}, {'a': 1, 'b': 4}, {'a': 2, 'b': 3}, {'a': 2, 'b': 4}]
    """
    found = [{}]
    for name, values in grid:
        found = [{**point, name: value} for point in found for value in values]
    return found
