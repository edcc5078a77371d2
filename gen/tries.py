"""tries.py -- what `fit` tries: for each method the data it suits, its options from the simple to the rich, and about how long
a training takes. A further method is one more entry of TRIES."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable

from . import methods, shapes
from .options import points


@dataclass(frozen=True)
class Facts:
    """What the choice of methods depends on."""
    n: int
    d: int
    classes: int
    ordered: bool = False              # labels are classes in order
    missed: float | None = None        # largest share of the positive class that may be missed
    alarms: float | None = None        # largest share of the negative class that may raise a false alarm
    flash: int | None = None           # bytes for tables, if there is a limit
    about: str = "classes"             # "numbers": labels are numbers to be met; "normal": one class is what is normal
    deviation: float = 1.0             # of these numbers
    limited: bool = False              # a model may not cost as much as it likes
    whole: bool = False                # all values are whole numbers of 16 bits
    front: int = 0                     # bytes of code that picks features, or projects them, of which `flash` knows nothing

    @property
    def rates(self) -> bool:
        return self.missed is not None or self.alarms is not None

    def part(self, rows: int) -> "Facts":
        """The same of fewer rows."""
        return replace(self, n=max(2, rows))

    def room(self, width: int = 1) -> list[int]:
        """Vectors of one byte a feature and of two that a budget of flash has room for, with so many further bytes."""
        if self.flash is None:
            return []
        return [max(1, (self.flash - 40 - 8 * self.d) // (size * self.d + 4 + width)) for size in (1, 2)]


@dataclass(frozen=True)
class Try:
    method: str
    points: Callable[[Facts], list[dict]]           # options to try, the simple ones first
    seconds: Callable[[Facts, dict], float]         # of one training on n rows, on one core of an ordinary machine
    suits: Callable[[Facts], bool] = lambda facts: True
    word: str = ""                                  # of the family, for people
    simple: bool = False                            # quick and small: tried before all others
    slow: bool = False                              # points are left out rather than rows, where there is little time
    about: str = "classes"                          # the labels it is for, as in Facts


# ---- how long trainings take: measured on many sets, roughly, in core seconds. ----

def pairs(facts: Facts) -> int:
    return facts.classes * (facts.classes - 1) // 2


def linear_seconds(facts: Facts, options: dict) -> float:
    return 0.005 + 4e-7 * facts.n * facts.d * max(1, facts.classes - 1) ** 0.7


def kernel_seconds(facts: Facts, options: dict) -> float:
    price = options.get("C", 1.0)
    hard = 1 if price <= 1 else 1.3 if price <= 10 else 2.5
    return 0.005 + 1e-4 * pairs(facts) + facts.n ** 2 * (1.2e-8 + 0.5e-9 * facts.d) * hard


def spread_seconds(facts: Facts, options: dict) -> float:
    """Of methods in which most rows become vectors."""
    return 1.7 * kernel_seconds(facts, options)


def numbers_seconds(facts: Facts, options: dict) -> float:
    price = options.get("C", facts.deviation) / facts.deviation
    hard = 10 if price > 30 else 2.5 if options.get("kernel") == "poly" else 1
    return 0.005 + facts.n ** 2 * (2.5e-8 + 1e-9 * facts.d) * hard


def reduce_seconds(facts: Facts, share: float = 0.7) -> float:
    """Of leaving out vectors, once, where so large a share of the rows are vectors: kernel values of all rows with them."""
    vectors = share * facts.n
    return 0.02 + vectors * (vectors + facts.n) * (1e-8 + 6e-10 * facts.d + 3e-9 * facts.classes)


def list_seconds(facts: Facts, options: dict) -> float:
    return 0.02 + 2.5e-8 * facts.n ** 3 * (0.5 + facts.d / 40) + 2.5e-8 * (facts.n * facts.d) ** 2


def dense_seconds(facts: Facts, options: dict) -> float:
    return 0.005 + 2e-9 * facts.n ** 2 * (facts.d + facts.n)


def proto_seconds(facts: Facts, options: dict) -> float:
    rows = options.get("models", 2) * facts.classes * (1 + options.get("tangents", 0))
    return 0.005 + 1.2e-8 * facts.n * rows * (facts.d + 60)


def tangent_seconds(facts: Facts, options: dict) -> float:
    return 3 * proto_seconds(facts, options)


def passes_of(facts: Facts) -> int:
    """Passes over the data that compact begins with."""
    return min(300, 100 + 400000 // facts.n)


def compact_seconds(facts: Facts, options: dict) -> float:
    given = "noise" in options and "decay" in options  # then nothing is left to be found on rows held out
    passes = options.get("iterations") or passes_of(facts) * (1.5 if facts.n < 8000 and not given else 1)
    turns = 0 if given else 14 * min(3, 1200 // facts.n) if facts.n < 1000 else 14 if facts.n < 2000 else 7
    rank, seen = options.get("rank", 0), options.get("rank") or options.get("features") or facts.d
    each = options.get("vectors", 64) * (0.6 * seen + facts.classes + 8) + (6 + rank) * facts.d
    return 0.02 + 4.4e-10 * passes * (1 + turns) * facts.n * each


def nearest_seconds(facts: Facts, options: dict) -> float:
    return 0.005 + 1e-9 * facts.n ** 2 * facts.d


# ---- options ----

TOL = 1e-3  # of solvers: as accurate as the choice of options deserves


def schemes(facts: Facts) -> tuple:
    return ((),) if facts.classes == 2 else ((("scheme", "one-rest"),), ())


def gammas(facts: Facts, *factors: float) -> tuple[float, ...]:
    """Short decimals near factor / d, so that commands are short as well.

    >>> gammas(Facts(100, 30, 2), 0.25, 1)
    (0.008, 0.03)
    """
    return tuple(float(f"{factor / facts.d:.1g}") for factor in factors)


def prices(facts: Facts, *factors: float) -> tuple[float, ...]:
    """Short decimals near so many deviations of the numbers to be met.

    >>> prices(Facts(100, 30, 1, deviation=12.3), 1, 10)
    (12.0, 120.0)
    """
    return tuple(float(f"{factor * facts.deviation:.2g}") for factor in factors)


def with_kernel(kernel: str, grid: list, more: dict | None = None) -> list[dict]:
    return [{"kernel": kernel, **point, **(more or {}), "tol": TOL} for point in points(grid)]


def linear_svm(facts: Facts) -> list[dict]:
    return [{**dict(scheme), "C": price, "tol": TOL} for scheme in schemes(facts) for price in (0.01, 0.1, 1.0, 10.0)]


def linear_kmomd(facts: Facts) -> list[dict]:
    return [{**dict(scheme), "lambda": share, "tol": TOL} for scheme in schemes(facts) for share in (0.9, 0.3, 0.03)]


def linear_mam(facts: Facts) -> list[dict]:
    return [dict(scheme) for scheme in schemes(facts)]


def kernel_svm(facts: Facts) -> list[dict]:
    found = with_kernel("rbf", [("gamma", gammas(facts, 0.06, 0.25, 1, 4, 16)), ("C", (1.0, 10.0, 100.0))])
    for degree, prices in ((2, (0.1, 1.0, 10.0)), (3, (0.1, 1.0))):
        found += with_kernel("poly", [("C", prices)], {"degree": degree, "coef0": 1.0, "gamma": gammas(facts, 1)[0]})
    return found


def kernel_kmomd(facts: Facts) -> list[dict]:
    return with_kernel("rbf", [("gamma", gammas(facts, 0.25, 1, 4)), ("lambda", (0.3, 0.03))])


def kernel_mam(facts: Facts) -> list[dict]:
    return [{"kernel": "rbf", "gamma": gamma} for gamma in gammas(facts, 0.25, 1, 4)]


def codebooks(facts: Facts) -> list[dict]:
    sizes = {2, 4, 8, 16, 32} | {room // facts.classes for room in facts.room()}
    return [{"models": size} for size in sorted(sizes) if 1 <= size <= max(1, facts.n // (4 * facts.classes)) and size <= 200]


def tangents(facts: Facts) -> list[dict]:
    found = [{"models": m, "tangents": t} for m, t in ((1, 0), (1, 2), (2, 2), (1, 5), (3, 0)) if t < facts.d]
    return [point for point in found if point["models"] * facts.classes * 4 <= facts.n]


def neighbours(facts: Facts) -> list[dict]:
    found = [{"neighbours": k} for k in (1, 3, 7)]
    return found + [{"neighbours": 1, "budget": room} for room in facts.room() if 2 * facts.classes <= room < facts.n]


NOISY = ((0.2, 0.1), (0.1, 0.03), (0.4, 0.3))  # noise and decay of learned vectors: the usual ones, less and more
MANY = 1000  # rows from which on members of a committee may do with next to none of both
AMPLE = 4096  # bytes that learned vectors may have where there is no budget
PICKED = (12, 24, 48)  # features that they may look at


def learned(facts: Facts) -> list[dict]:
    """The shapes that use a budget best. Noise and decay are given: a training that finds them by itself takes some ten times as
    long, and cross-validation compares a few of them as well. One that does comes last.

    >>> [(point["vectors"], point.get("features"), point.get("noise")) for point in learned(Facts(400, 30, 2, flash=512))][:4]
    [(33, 12, 0.2), (21, 20, 0.2), (15, None, 0.2), (12, None, 0.2)]
    """
    flash, raw = facts.flash or AMPLE, {"scale": "none"} if facts.whole else {}
    plain, front = (shapes.Room(max(1, size), "q7", facts.n, facts.d, facts.classes, facts.whole) for size in (flash, flash - facts.front))
    found = [{**kind, **shape} for room in (plain, front) for kind in shapes.kinds(room, {}) for shape in shapes.shapes(room, kind, {})
             if bool({"rank", "features"} & {*shape}) == (room is front)]
    found += [{**raw, "features": few, "vectors": front.vectors(**raw, features=few)} for few in PICKED if facts.d >= 2 * few]
    most = min(256, max(4, facts.n // 2))
    found = [{"kernel": "hinge", **point, "vectors": min(point["vectors"], most)} for point in found if point["vectors"] >= 2]
    found = [{**point, "vectors": max(4, point["vectors"] // 4 * 4)} if point["kernel"] == "rbf" else point for point in found]  # in fours
    found = sorted((point for i, point in enumerate(found) if point not in found[:i]),
                   key=lambda point: (point["kernel"] != "hinge", "features" not in point, -point["vectors"]))
    noisy = [{**point, "noise": noise, "decay": decay} for noise, decay in NOISY for point in (found if noise == NOISY[0][0] else found[:3])]
    loose = [{**point, "noise": 0.02, "decay": 0.005, "members": min(8, point["vectors"] // 8)} for point in found[:2]
             if facts.n >= MANY and point["vectors"] >= 16]
    return noisy[:len(found)] + loose + noisy[len(found):] + found[:1]


def asked_rates(facts: Facts) -> list[dict]:
    """The rates asked for, and others below them: bounds that hold for all distributions leave room."""
    missed, alarms = (1.0 if rate is None else rate for rate in (facts.missed, facts.alarms))
    found = []
    for tighter in (1.0, 2.0, 4.0):
        for share in (1.0, 0.5, 0.2):
            found.append({"eta-pos": min(0.9, max(1e-6, missed * tighter)), "eta-neg": min(0.9, max(1e-6, alarms * tighter * share))})
            found.append({"eta-pos": min(0.9, max(1e-6, missed * tighter * share)), "eta-neg": min(0.9, max(1e-6, alarms * tighter))})
    unique = {tuple(point.items()): point for point in found}
    return [{name: float(f"{value:.3g}") for name, value in point.items()} for point in unique.values()]


def weighted_svm(facts: Facts) -> list[dict]:
    """Errors of one class cost more, so that one rate can be bought with the other."""
    found = []
    for factor in (3.0, 10.0, 30.0):
        for side in ("C-pos", "C-neg"):
            found += [{"C": 1.0, side: factor, "tol": TOL},
                      {"kernel": "rbf", "gamma": gammas(facts, 0.25)[0], "C": 1.0, side: factor, "tol": TOL}]
    return found


def in_order(facts: Facts) -> list[dict]:
    return [{}, *({"kernel": "rbf", "gamma": gamma} for gamma in gammas(facts, 0.06, 0.25, 1))]


def linear_svr(facts: Facts) -> list[dict]:
    found = [{"C": price, "tol": TOL} for price in prices(facts, 1, 0.1, 10)]
    return found + [{"C": found[0]["C"], "epsilon": prices(facts, 0.02)[0], "tol": TOL}, {"squares": True}]


def kernel_svr(facts: Facts) -> list[dict]:
    """The default epsilon is a tenth of the deviation: a model of few vectors. Exact numbers deserve a smaller one."""
    found = with_kernel("rbf", [("gamma", gammas(facts, 0.06, 0.25, 1, 4)), ("C", prices(facts, 1, 10, 100))])
    found += with_kernel("rbf", [("gamma", gammas(facts, 0.06, 0.25, 1)), ("C", prices(facts, 10, 100))],
                         {"epsilon": prices(facts, 0.02)[0]})
    return found + with_kernel("poly", [("C", prices(facts, 0.1, 1))], {"degree": 2, "coef0": 1.0, "gamma": gammas(facts, 1)[0]})


def kernel_squares(facts: Facts) -> list[dict]:
    return [{"kernel": "rbf", "gamma": gamma, "squares": True} for gamma in gammas(facts, 0.06, 0.25, 1)]


def alarm_rate(facts: Facts) -> float:
    """The rate of false alarms asked for, or the default of oneclass."""
    return 0.05 if facts.alarms is None else max(1e-6, facts.alarms)


def linear_normal(facts: Facts) -> list[dict]:
    """A sphere: scaled rows lie around the origin, so that no plane has them on one side."""
    return [{"kernel": "linear", "form": "sphere", "nu": alarm_rate(facts)}]


def proto_normal(facts: Facts) -> list[dict]:
    """
    >>> [(o["models"], o.get("tangents", 0)) for o in proto_normal(Facts(100, 3, 2))]
    [(1, 0), (4, 0), (16, 0), (1, 2), (4, 2)]
    """
    return [{"form": "prototypes", "models": models, **({"tangents": tangents} if tangents else {}), "nu": alarm_rate(facts)}
            for tangents in (0, 2, 5) if tangents < facts.d for models in (1, 4, 16) if models * (1 + tangents) <= 20]


def kernel_normal(facts: Facts) -> list[dict]:
    nu, wide = alarm_rate(facts), gammas(facts, 0.02, 0.06, 0.25, 1, 4, 16)
    return [{"kernel": "rbf", "gamma": gamma, "nu": nu} for gamma in wide] + \
        [{"kernel": "rbf", "gamma": gamma, "nu": nu, "lambda": share} for share in (0.1, 0.5, 1.0) for gamma in wide[1:5]]


def has_room(facts: Facts, vectors: int) -> bool:
    """Whether a budget has room for so many vectors of one byte a feature.

    >>> has_room(Facts(100, 30, 2), 1000), has_room(Facts(100, 256, 10, flash=2048), 10)
    (True, False)
    """
    return facts.flash is None or vectors * facts.d <= facts.flash


TWO = lambda facts: facts.classes == 2  # noqa: E731
EACH = lambda facts: has_room(facts, facts.classes)  # noqa: E731
TRIES = [
    Try("svm", linear_svm, linear_seconds, word="linear", simple=True),
    Try("kmomd", linear_kmomd, linear_seconds, word="linear", simple=True),
    Try("mam", linear_mam, linear_seconds, word="linear", simple=True),
    Try("svm", weighted_svm, kernel_seconds, lambda facts: facts.classes == 2 and facts.rates, "kernels"),
    Try("rates", asked_rates, dense_seconds, lambda facts: facts.classes == 2 and facts.rates, "rates"),
    Try("omam", in_order, dense_seconds, lambda facts: facts.ordered, "classes in order", slow=True),
    Try("lssvm", in_order, dense_seconds, lambda facts: facts.ordered, "classes in order", slow=True),
    Try("svm", kernel_svm, kernel_seconds, EACH, word="kernels"),
    Try("kmomd", kernel_kmomd, spread_seconds, EACH, word="kernels"),
    Try("mam", kernel_mam, spread_seconds, EACH, word="kernels"),
    Try("lvq", codebooks, proto_seconds, EACH, word="prototypes"),
    Try("tvq", tangents, tangent_seconds, EACH, word="prototypes"),
    Try("hss", lambda facts: [{"tangents": t} for t in (2, 5) if t < facts.d], proto_seconds, EACH, word="prototypes"),
    Try("nn", neighbours, nearest_seconds, EACH, word="prototypes"),
    Try("seco", lambda facts: [{"kernel": "linear"}], list_seconds, TWO, "lists", slow=True),
    Try("compact", learned, compact_seconds, word="learned vectors", slow=True),
    Try("svr", linear_svr, linear_seconds, word="linear", simple=True, about="numbers"),
    Try("svr", kernel_svr, numbers_seconds, word="kernels", about="numbers"),
    Try("svr", kernel_squares, dense_seconds, word="least squares", about="numbers"),
    Try("oneclass", linear_normal, kernel_seconds, word="linear", simple=True, about="normal"),
    Try("oneclass", proto_normal, lambda facts, options: 20 * proto_seconds(facts, options), word="prototypes", about="normal"),
    Try("oneclass", kernel_normal, lambda facts, options: 20 * kernel_seconds(facts, options), word="kernels", about="normal"),
]


def suited(facts: Facts) -> list[Try]:
    """The entries whose method exists and suits the data."""
    return [entry for entry in TRIES if entry.method in methods.METHODS and entry.about == facts.about and entry.suits(facts)]


def entry_of(facts: Facts, method: str, options: dict) -> Try:
    """The entry that a choice belongs to, which knows how long it takes.

    >>> [entry_of(Facts(100, 3, 2), "svm", options).word for options in ({"C": 1.0}, {"kernel": "rbf"})]
    ['linear', 'kernels']
    """
    linear = options.get("kernel", "linear") == "linear"
    found = [entry for entry in suited(facts) if entry.method == method]
    exact = [entry for entry in found if entry.simple == linear and ("squares" in options) == (entry.word == "least squares")]
    return (exact or found)[0]


def around(method: str, options: dict) -> list[dict]:
    """Neighbours of a good choice: a third or three times its numbers, and another scaling.

    >>> around("svm", {"kernel": "rbf", "gamma": 0.1, "C": 10.0})[0]
    {'kernel': 'rbf', 'gamma': 0.05, 'C': 10.0}
    """
    found = []
    for name, factors in (("gamma", (0.5, 2.0)), ("C", (0.3, 3.0)), ("lambda", (0.3, 3.0)), ("noise", (0.5, 2.0)), ("decay", (0.3, 3.0))):
        if name in options:
            found += [{**options, name: float(f"{options[name] * factor:.2g}")} for factor in factors
                      if name != "lambda" or options[name] * factor <= 1]
    if "gamma" in options and "C" in options:
        found += [{**options, "gamma": float(f"{options['gamma'] * g:.2g}"), "C": float(f"{options['C'] * c:.2g}")}
                  for g, c in ((0.5, 3.0), (2.0, 0.3))]
    if methods.METHODS[method].takes("scale") and "scale" not in options:
        wider = {"gamma": float(f"{8 * options['gamma']:.2g}")} if "gamma" in options else {}  # distances are smaller then
        found.append({**options, **wider, "scale": "minmax"})
    return found
