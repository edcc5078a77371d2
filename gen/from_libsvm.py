"""from_libsvm.py -- model files of LIBSVM (svm-train): C-SVC and nu-SVC, two classes or more; one-class SVM; epsilon- and nu-SVR."""
from __future__ import annotations

import math
import re
from array import array

from .classes import sort_key
from .data import is_number
from .errors import Failure
from .exchange import NORMAL, Classifier
from .reader import quoted

MOST_NUMBERS = 1 << 27  # of all vectors: a gigabyte
LABELS = {"c_svc": None, "nu_svc": None, "one_class": NORMAL, "epsilon_svr": ["value"], "nu_svr": ["value"]}
KERNELS = {"linear": "linear", "polynomial": "poly", "rbf": "rbf"}


class Lines:
    """Lines of a file with their numbers."""

    def __init__(self, text: str, path: str):
        self.lines, self.path, self.at = text.splitlines(), path, 0

    def next(self) -> list[str]:
        self.at += 1
        if self.at > len(self.lines):
            raise Failure("the file ends early", self.path)
        return self.lines[self.at - 1].split()

    def fail(self, message: str, column: int | None = None) -> Failure:
        return Failure(message, self.path, self.at, column)

    def numbers(self, words: list[str], first: int = 1) -> list[float]:
        found = []
        for column, word in enumerate(words, first):
            if word.lower().lstrip("+-") in ("nan", "inf", "infinity"):
                raise self.fail(f"not finite: {quoted(word)}", column)
            if not is_number(word):
                raise self.fail(f"not a number: {quoted(word)}", column)
            value = float(word)
            if value - value != 0:
                raise self.fail(f"not finite: {quoted(word)}", column)
            found.append(value)
        return found


def read_header(lines: Lines) -> dict:
    head = {}
    while True:
        words = lines.next()
        if words == ["SV"]:
            break
        if words:
            texts = words[0] in ("svm_type", "kernel_type", "label")
            head[words[0]] = words[1:] if texts else lines.numbers(words[1:], 2)
    kind = head.get("svm_type", ["missing"])[0]
    if kind not in LABELS:
        raise Failure(f"svm_type {kind} cannot be imported ({', '.join(LABELS)} can)", lines.path)
    if head.get("kernel_type", ["missing"])[0] not in KERNELS:
        raise Failure(f"kernel_type {head.get('kernel_type', ['missing'])[0]} cannot be imported "
                      f"({', '.join(KERNELS)} can)", lines.path)
    if LABELS[kind]:  # one machine, whose vectors are of no class
        head.update(label=[*LABELS[kind], ""][:2], nr_sv=[0.0, *head.get("total_sv", [0.0])])
    for name in ("nr_class", "total_sv", "rho", "label", "nr_sv"):
        if not head.get(name):
            raise Failure(f"no line {name}", lines.path)
    for name in ("nr_class", "total_sv", "nr_sv"):
        if any(value < 0 or value != int(value) for value in head[name]):
            raise Failure(f"{name}: a number of things must be whole and not negative", lines.path)
    classes = int(head["nr_class"][0])
    for name, size in (("label", classes), ("nr_sv", classes), ("rho", classes * (classes - 1) // 2)):
        if classes < 2 or len(head[name]) != size:
            raise Failure(f"{name}: {len(head[name])} values for {classes} classes", lines.path)
    if sum(head["nr_sv"]) != head["total_sv"][0] or head["total_sv"][0] < 1:
        raise Failure("nr_sv does not add up to total_sv", lines.path)
    return head


def read_vector(lines: Lines, width: int) -> tuple[list[float], dict[int, float]]:
    """coefficients, then index:value pairs."""
    words = lines.next()
    if len(words) < width:
        raise lines.fail(f"{len(words)} words where at least {width} are expected")
    coef, values, last = lines.numbers(words[:width]), {}, 0
    for column, word in enumerate(words[width:], width + 1):
        match = re.fullmatch(r"([0-9]{1,18}):(\S+)", word)
        if not match or int(match[1]) <= last:
            raise lines.fail(f"not index:value with ascending indices from 1: {quoted(word)}", column)
        last = int(match[1])
        values[last] = lines.numbers([match[2]], column)[0]
    return coef, values


def read_model(text: str, path: str, features: int | None = None) -> Classifier:
    """A LIBSVM model. Features that are zero in all vectors do not show in the file: `features` says how many there
    are.

    LIBSVM's machine (i, j) speaks for i when positive, ours for j: the signs change. Of two classes the one that sorts
    last is the positive one, as for all data. More classes keep their order, because LIBSVM gives ties to the first.
    """
    lines = Lines(text, path)
    head = read_header(lines)
    classes, sizes = len(head["label"]), [int(n) for n in head["nr_sv"]]
    pool = [read_vector(lines, classes - 1) for _ in range(sum(sizes))]
    if any(map(str.strip, lines.lines[lines.at:])):
        raise Failure(f"more vectors than the {len(pool)} of total_sv", path, lines.at + 1)
    seen = max((max(values, default=0) for _, values in pool), default=0)
    d = features or max(seen, 1)
    if seen > d:
        raise Failure(f"a vector has a feature {seen}, beyond the {d} that --features says", path)
    if d * len(pool) > MOST_NUMBERS:
        raise Failure(f"{len(pool)} vectors of {d} features are too many: at most {MOST_NUMBERS} numbers", path)
    labels, sign, bias = list(head["label"]), -1.0, list(head["rho"])
    alone = LABELS[head["svm_type"][0]]
    if alone:  # LIBSVM's own sign: the number itself, or positive for what is normal
        labels, sign, bias, sizes = alone, 1.0, [-bias[0]], sizes[-len(alone):]
    elif classes == 2 and sorted(labels, key=sort_key(labels)) != labels:
        labels, sign, bias, sizes = labels[::-1], 1.0, [-bias[0]], sizes[::-1]
        pool = pool[sizes[1]:] + pool[:sizes[1]]
    vectors = array("d", bytes(8 * d * len(pool)))
    for i, (_, values) in enumerate(pool):
        for index, value in values.items():
            vectors[i * d + index - 1] = value
    number = {name: head[name][0] if head.get(name) else 0.0 for name in ("gamma", "degree", "coef0")}
    return Classifier(labels, "number" if len(labels) == 1 else "binary" if classes == 2 else "votes", d, array("d", bias),
                      kernel={"kind": KERNELS[head["kernel_type"][0]], **number}, vectors=vectors, class_sizes=sizes,
                      coef=array("d", (sign * c for coef, _ in pool for c in coef)), origin="LIBSVM").check()


def read_range(text: str, path: str, d: int) -> tuple[array, array]:
    """The range file of svm-scale as offset and factor, x' = (x - offset) * factor: first line x, then the target
    range, then `index minimum maximum`. Features not in it are constant in the training data: svm-scale drops them."""
    lines = Lines(text, path)
    if lines.next() != ["x"]:
        raise lines.fail("not a range file of svm-scale (scaling of y is not supported)")
    low, high = (lines.numbers(lines.next()) + [0, 0])[:2]
    if not low < high:
        raise lines.fail("not a line `lower upper`")
    offset, factor = array("d", bytes(8 * d)), array("d", bytes(8 * d))
    while lines.at < len(lines.lines):
        words = lines.next()
        if not words:
            continue
        index, least, most = (lines.numbers(words) + [0, 0, 0])[:3]
        if not 1 <= index <= d or index != int(index) or most <= least:
            raise lines.fail("not a line `index minimum maximum`")
        # low + (high - low) (x - least) / (most - least) = (x - offset) factor
        by = (high - low) / (most - least)
        if not (0 < by < math.inf and math.isfinite(least - low / by)):
            raise lines.fail("this scaling leaves the range of numbers")
        factor[int(index) - 1], offset[int(index) - 1] = by, least - low / by
    return offset, factor
