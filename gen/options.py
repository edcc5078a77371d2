"""options.py -- the methods and their options: names, ranges, defaults, grids. No argument parser, no C."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

from .errors import Usage

KERNELS = ("linear", "poly", "rbf", "unit-poly", "unit-exp")  # in the order of margin.h
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


def one_of(words: tuple[str, ...]) -> Callable:
    def parse(text: str) -> str:
        if text not in words:
            raise Usage(f"must be one of {', '.join(words)}: {text!r}")
        return text
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
    methods: tuple[str, ...] = ()  # empty: all
    kernels: tuple[str, ...] = ()  # empty: all

    @property
    def flag(self) -> bool:
        """On the command line it takes no value; in a grid it is yes or no."""
        return self.parse is yes_or_no

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")


OPTIONS = {option.name: option for option in (
    Option("kernel", one_of(KERNELS), f"{', '.join(KERNELS)} (default linear)"),
    Option("gamma", above(0), "of poly and rbf (default 1 / number of features)", kernels=("poly", "rbf")),
    Option("degree", between(1, 255, whole), "of poly (default 3)", kernels=("poly",)),
    Option("coef0", between(-1e18, 1e18), "of poly (default 0)", kernels=("poly",)),
    Option("a", above(0), "of unit-poly and unit-exp (default 2)", kernels=("unit-poly", "unit-exp")),
    Option("scale", one_of(SCALES), "of the raw inputs: standard (mean 0, deviation 1; the default), minmax, none"),
    Option("scheme", one_of(SCHEMES), "more than two classes: one-one or one-rest (default one-one)"),
    Option("tol", above(0), "accuracy of the solver (default 1e-6)"),
    Option("max-iter", above(0, whole), "iteration limit of each machine's solver"),
    Option("cache-mb", above(0), "memory for kernel rows in MB (default 64; any gives the same model)"),
    Option("intercept", yes_or_no, "threshold midway between the classes, not at the origin", ("mam",)),
    Option("balanced", yes_or_no, "classes weigh the same, whatever their sizes", ("mam",)),
    Option("lambda", between(0, 1), "0 the hard margin, 1 the average margin (default 0.1)", ("kmomd",)),
    Option("C", above(0, infinite=True), "price of a sample within the margin; inf: hard margin (default 1)", ("svm",)),
    Option("C-pos", above(0), "the same for the positive class (default C)", ("svm",)),
    Option("C-neg", above(0), "the same for the negative class (default C)", ("svm",)),
)}


# ---- methods ----

@dataclass(frozen=True)
class Method:
    """A method: its number in native.c, one line about it, and what `tune` tries by default."""
    number: int
    help: str
    grid: tuple[tuple[str, tuple], ...] = ()


METHODS = {
    "mam": Method(1, "maximal average margin, in closed form",
                  (("balanced", (False, True)), ("intercept", (False, True)))),
    "kmomd": Method(2, "margin distribution: between the hard margin and the difference of means",
                    (("lambda", (0.9, 0.5, 0.1, 0.03, 0.01, 0.001)),)),
    "svm": Method(3, "soft-margin support vector machine", (("C", (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)),)),
}


def check(method: str, chosen: dict) -> list[str]:
    """Refuses options of other methods; returns notes about those without effect.

    >>> check("svm", {"gamma": 1.0})
    ['--gamma has no effect with the linear kernel']
    """
    kernel, notes = chosen.get("kernel", "linear"), []
    for name in chosen:
        option = OPTIONS[name]
        if option.methods and method not in option.methods:
            raise Usage(f"--{name} is an option of {', '.join(option.methods)}, not of {method}")
        if option.kernels and kernel not in option.kernels:
            notes.append(f"--{name} has no effect with the {kernel} kernel")
    return notes


# ---- grids ----

def parse_grid(text: str) -> tuple[str, tuple]:
    """
    >>> parse_grid("C=1,10"), parse_grid("kernel=linear,rbf")
    (('C', (1.0, 10.0)), ('kernel', ('linear', 'rbf')))
    """
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise Usage(f"a grid is name=value,value,...: {text!r}")
    if name not in OPTIONS:
        raise Usage(f"no option {name!r} to make a grid of; there are {', '.join(OPTIONS)}")
    try:
        return name, tuple(OPTIONS[name].parse(value.strip()) for value in values.split(","))
    except Usage as error:
        raise Usage(f"grid of {name}: {error}") from None


def default_grid(method: str, kernel: str, d: int) -> list[tuple[str, tuple]]:
    """What `tune` tries, from the smooth to the rough, so that of equal errors the smoother model wins.

    >>> default_grid("svm", "unit-poly", 4)
    [('a', (1.0, 2.0, 3.0, 5.0)), ('C', (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0))]
    """
    kernels = {"linear": [], "poly": [("degree", (2, 3, 4)), ("coef0", (1.0,)), ("gamma", (0.3 / d, 1.0 / d))],
               "rbf": [("gamma", tuple(g / d for g in (0.06, 0.25, 1.0, 4.0, 16.0)))],
               "unit-poly": [("a", (1.0, 2.0, 3.0, 5.0))], "unit-exp": [("a", (2.0, 10.0, 100.0, 1000.0))]}
    return kernels[kernel] + list(METHODS[method].grid)


def points(grid: list[tuple[str, tuple]]) -> list[dict]:
    """All combinations, the last name running fastest.

    >>> points([("a", (1, 2)), ("b", (3, 4))])
    [{'a': 1, 'b': 3}, {'a': 1, 'b': 4}, {'a': 2, 'b': 3}, {'a': 2, 'b': 4}]
    """
    found = [{}]
    for name, values in grid:
        found = [{**point, name: value} for point in found for value in values]
    return found


def describe(method: str, chosen: dict) -> str:
    """
    >>> describe("svm", {"kernel": "rbf", "gamma": 0.5, "C": 10.0})
    'svm, rbf kernel, gamma 0.5, C 10'
    >>> describe("mam", {"balanced": True, "intercept": False})
    'mam, linear kernel, balanced'
    """
    parts = [method, f"{chosen.get('kernel', 'linear')} kernel"]
    for name, value in chosen.items():
        if value is True:
            parts.append(name)
        elif name != "kernel" and value is not False:
            parts.append(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}")
    return ", ".join(parts)
