"""sklearn.py -- the methods as scikit-learn estimators, from a fit to a C header. Needs scikit-learn; nothing else of gen does.

    from gen.sklearn import MarginSVC            # margin_gen.sklearn where the package is installed
    model = MarginSVC(kernel="rbf", C=10).fit(X, y)
    model.export_c("gate.h", format="q15", flash=2048)

The work is done by the same native code as `gen train`: the same options give the same model, to the bit. Native calls let
go of the interpreter, and fitted estimators answer from any number of threads. An array of doubles in C order is used
where it is. Sparse matrices are refused: devices read dense rows.

All estimators scale their inputs (`scale="standard"`), since the scaling is part of the exported model; `scale="none"` is
for inputs that are scaled already.
"""
from __future__ import annotations

import ctypes
import numbers
import os
import re
from array import array
from types import SimpleNamespace
from typing import Any

try:
    import numpy as np
    from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
    from sklearn.utils.class_weight import compute_sample_weight
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted
except ImportError as error:
    raise ImportError(f"the estimators need scikit-learn (Debian: python3-sklearn): {error}") from error
try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6 it is a method
    def validate_data(estimator: BaseEstimator, *arrays: Any, **how: Any) -> Any:
        """X, or X and y, checked as parameters of an estimator."""
        return estimator._validate_data(*arrays, **how)

from . import commands, compress, cost as cost_, from_sklearn, measure, model as model_, native, output
from . import report as report_, train
from .classes import MAX_CLASSES
from .data import Data
from .errors import Failure, Usage
from .methods import METHODS, OPTIONS, check as check_options
from .options import KERNEL_OPTIONS
from .quant import noted_rows

__all__ = ["MarginSVC", "KMOMDClassifier", "MAMClassifier", "RatesClassifier", "SecoClassifier", "TVQClassifier",
           "CompactClassifier", "OneClassMargin", "MarginSVR", "OrdinalMAM", "OrdinalLSSVM", "Imported", "from_estimator"]


# ---- from arrays to native code and back ----

def rows_of(X: np.ndarray, y: array | None = None, classes: int = 0, targets: array | None = None,
            weights: array | None = None) -> native.Rows:
    """Rows where they are: X is an array of doubles in C order."""
    pointer = X.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return native.Rows(Data("X", *X.shape, pointer, None, None, owner=X), y, classes, targets, weights)


def flat(values: np.ndarray, kind: str) -> array:
    """Numbers as native.Rows keeps them.

    >>> flat(np.array([0, 1]), "H")
    array('H', [0, 1])
    """
    return array(kind, np.ascontiguousarray(values, {"H": np.uint16, "d": np.float64}[kind]).tobytes())


def reals(machine: native.Machine, name: str) -> np.ndarray:
    """A copy of an array of a model in double; empty if it has none."""
    place, count, _ = machine.parts.arrays.get(name, (None, 0, 0))
    return np.array((ctypes.c_double * count).from_address(place)) if place else np.empty(0)


def keep(parameters: dict) -> None:
    """The parameters of a constructor, which are its locals(), become attributes of the estimator."""
    vars(parameters.pop("self")).update(parameters)


# Parameters that gen calls otherwise, and those that are no options of gen.
WORDS = {"lam": "lambda", "cache_size": "cache-mb", "fit_intercept": "intercept", "prototypes_per_class": "models",
         "n_tangents": "tangents", "n_neighbors": "neighbours", "learning_rate": "rate", "n_init": "starts",
         "n_vectors": "vectors"}
OWN = ("class_weight", "probability", "decision_function_shape", "random_state", "method")


def worded(text: Any) -> str:
    """A refusal of gen, with its options by the names of the parameters.

    >>> worded("--models has no meaning with --form plane; take --form prototypes")
    'prototypes_per_class has no meaning with form plane; take form prototypes'
    """
    parameters = {option: parameter for parameter, option in WORDS.items()}
    return re.sub(r"--([a-zA-Z][\w-]*)", lambda m: parameters.get(m[1], m[1].replace("-", "_")), str(text))


def parsed(method: str, chosen: dict) -> dict:
    """Options with their ranges checked as on the command line; a ValueError names the parameter.

    >>> parsed("svm", {"C": -1})
    Traceback (most recent call last):
    ValueError: C=-1: must be greater than 0: '-1'
    """
    found = {}
    for name, value in chosen.items():
        option, given = OPTIONS[name], f"{worded('--' + name)}={value!r}"
        if isinstance(value, (bool, np.bool_)) != option.flag:
            raise ValueError(f"{given} is not {'True or False' if option.flag else 'a value for it'}")
        try:
            found[name] = bool(value) if option.flag else option.parse(str(value))
        except Usage as error:
            raise ValueError(f"{given}: {error}") from None
    try:
        check_options(method, found)
    except Usage as error:
        raise ValueError(worded(error)) from None
    return found


def row_keys(rows: np.ndarray, number: np.ndarray) -> np.ndarray:
    """A number for each row and its class: the same for the same bits, and as good as surely another one for others.

    >>> len(set(row_keys(np.array([[1.0, 2], [2, 1], [1, 2], [1, 2]]), np.array([0, 0, 0, 1]))))
    3
    """
    odd = 2 * np.random.default_rng(1).integers(2**63, size=rows.shape[1] + 1, dtype=np.uint64) + np.uint64(1)
    return np.ascontiguousarray(rows).view(np.uint64) @ odd[1:] + np.asarray(number, dtype=np.uint64) * odd[0]


def matched(among: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Where each key is: of equal ones the first is at the first place, and so on; -1 where there is none.

    >>> matched(np.array([5, 7, 5, 9]), np.array([9, 5, 5, 5, 6]))
    array([ 3,  0,  2,  2, -1])
    """
    order, wanted = np.argsort(among, kind="stable"), np.argsort(keys, kind="stable")
    sorted_, keys = among[order], keys[wanted]
    nth = np.arange(len(keys)) - np.searchsorted(keys, keys)
    first, last = np.searchsorted(sorted_, keys), np.searchsorted(sorted_, keys, side="right") - 1
    found = np.empty(len(keys), dtype=np.int64)
    found[wanted] = np.where(last >= first, order[np.clip(first + nth, 0, np.maximum(last, 0))], -1)
    return found


def seed_of(random_state: Any) -> int:
    """The seed of the library's own generator: the same number gives the same model everywhere.

    >>> seed_of(None), seed_of(7)
    (1, 7)
    """
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral):
        if not 0 <= random_state < 2**32:
            raise ValueError(f"random_state={random_state}: a seed is from 0 to 2**32 - 1")
        return int(random_state)
    return int(random_state.randint(2**31 - 1))


# ---- what all estimators share ----

WEIGHTS = "check_sample_weights_invariance"


class _Margin(BaseEstimator):
    """A method of gen as an estimator."""
    _method = ""
    _of_rows = True  # the vectors of an expansion are rows of the data
    probability = False  # a parameter of most classifiers

    def _chosen(self) -> dict:
        """The options of gen that the parameters ask for: those that are not None and mean something to the kernel."""
        name, chosen = self._method_name(), {}
        kernel = str(getattr(self, "kernel", "")).replace("_", "-")
        for parameter, value in {**self.get_params(deep=False), "kernel": kernel or None}.items():
            option = WORDS.get(parameter, parameter.replace("_", "-"))
            if option == "max-iter" and METHODS[name].takes("iterations"):
                option = "iterations"
            value = self._gamma_ if option == "gamma" else value
            if parameter in OWN or value is None or option == "max-iter" and value == -1:
                continue
            if not METHODS[name].takes(option):
                raise ValueError(f"{parameter} does not apply to method={name!r}")
            if not OPTIONS[option].kernels or kernel in OPTIONS[option].kernels:
                chosen[option] = value
        return chosen

    def _more_tags(self) -> dict:
        return {"_xfail_checks": self._reasons()}

    def _reasons(self) -> dict:
        """Why some of scikit-learn's checks cannot apply."""
        return {WEIGHTS: "the folds that calibrate go by the order of the rows"} if self.probability else {}

    def _gamma(self, X: np.ndarray, weights: np.ndarray | None) -> float | None:
        """gamma as a number, or None for the library's default, 1 / features."""
        if self.gamma == "scale" and self.kernel in ("rbf", "poly") and self.scale == "none":
            mean = np.average(X, axis=0, weights=weights).mean()
            variance = np.average((X - mean) ** 2, axis=0, weights=weights).mean()
            return 1.0 / (X.shape[1] * variance) if variance > 0 else None
        if isinstance(self.gamma, str) and self.gamma not in ("scale", "auto"):
            raise ValueError(f"gamma={self.gamma!r} is neither 'scale' nor 'auto' nor a number")
        return None if isinstance(self.gamma, str) else self.gamma

    def _train(self, rows: native.Rows, X: np.ndarray, weights: np.ndarray | None) -> native.Machine:
        """Trains; what came of it is kept, the memory that it took is not."""
        self._gamma_ = self._gamma(X, weights) if hasattr(self, "gamma") else None
        self._counted_ = len(X) if weights is None else int((weights > 0).sum())
        chosen, seed = parsed(self._method_name(), self._chosen()), seed_of(getattr(self, "random_state", None))
        try:
            status, report, machine = native.train(rows, native.Choice(self._method_name(), chosen, seed), native.Watch())
        except Failure as error:
            raise ValueError(f"{type(self).__name__}: {worded(error.message)}") from None
        self._trained_ = SimpleNamespace(options=chosen, seed=seed, told=report.told, objective=report.objective,
                                         support=report.support, status=train.status_word(status))
        self.n_iter_ = max(1, int(report.iterations))
        return native.from_state(machine.state())

    def _fit(self, X: np.ndarray, number: np.ndarray, classes: int, targets: np.ndarray | None,
             weights: np.ndarray | None) -> _Margin:
        """Trains on rows with numbered classes, and keeps what came of it."""
        rows = rows_of(X, flat(number, "H"), classes, None if targets is None else flat(targets, "d"),
                       None if weights is None else flat(weights, "d"))
        machine = self._train(rows, X, weights)
        if self.probability:
            self._calibrate(rows, machine)
        self._note(rows, machine)
        self._find_support(X, number)
        return self

    def _weighted(self, sample_weight: Any, X: np.ndarray) -> np.ndarray | None:
        """The weights of rows as numbers; None where there are none."""
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        if weights is not None and (weights < 0).any():
            raise ValueError("sample_weight has negative values")
        return weights

    def _method_name(self) -> str:
        return self._method

    def _parts(self) -> dict:
        """The arrays of the model, in the shapes that scikit-learn gives them."""
        numbers_, machine = self._machine_.numbers, self._machine_
        d, found = self.n_features_in_, {}
        as_array = lambda name: reals(machine, name)
        if machine.shape.linear:
            found["coef_"] = as_array("w").reshape(-1, d)
        elif machine.shape.kind == 2:
            found["support_vectors_"] = as_array("vectors").reshape(-1, d)
            found["dual_coef_"] = as_array("coef").reshape(-1, numbers_["width"]).T
        elif machine.shape.kind == 3:
            each = 1 + numbers_["tangents"]
            vectors = as_array("vectors").reshape(-1, each, d)
            scaling = (as_array("offset"), as_array("factor")) if len(as_array("offset")) else (0.0, 1.0)
            factor = np.where(scaling[1] == 0, 1.0, scaling[1])
            found["prototypes_"], found["tangents_"] = vectors[:, 0] / factor + scaling[0], vectors[:, 1:]
        if len(as_array("bias")):
            found["intercept_"] = as_array("bias")
        return found

    def _note(self, rows: native.Rows, machine: native.Machine) -> None:
        """What the image of the model tells about the training."""
        told, quantiles = self._trained_.told, self._trained_.told.get("margin_quantiles")
        names = getattr(self, "feature_names_in_", None)
        kept = {name: value for name, value in self._trained_.options.items() if name != "cache-mb"}
        self._notes_ = {"labels": self._labels(), "method": self._method_name(), "n": rows.n, "options": kept,
                        "objective": self._trained_.objective, "support": self._trained_.support,
                        "seed": self._trained_.seed if self._trained_.seed != 1 else None,
                        "names": [str(name) for name in names] if names is not None else None,
                        **{name: told.get(name) for name in METHODS[self._method_name()].noted}, **model_.sample_notes(rows)}
        if quantiles:
            self.margins_ = np.array(quantiles)
        self._machine_ = machine
        vars(self).update(self._parts())

    def _find_support(self, X: np.ndarray, number: np.ndarray) -> None:
        """support_: which rows the vectors of an expansion are; they keep their bits, and their order within a class."""
        if not hasattr(self, "support_vectors_") or not self._of_rows:
            return
        machine = self._machine_
        offset, factor = reals(machine, "offset"), reals(machine, "factor")
        scaled = (X - offset) * factor if len(offset) else X
        ends = machine.array("class_end")
        class_of = np.searchsorted(ends, np.arange(len(self.support_vectors_)), side="right")
        self.support_ = matched(row_keys(scaled, number), row_keys(self.support_vectors_, class_of))

    def _labels(self) -> list[str]:
        return [str(label) for label in self.classes_]

    def _rows(self, X: Any) -> native.Rows:
        check_is_fitted(self, "_machine_")
        return rows_of(validate_data(self, X, dtype=np.float64, order="C", accept_sparse=False, reset=False))

    def _scores(self, X: Any) -> np.ndarray:
        rows = self._rows(X)
        return np.frombuffer(self._machine_.all_scores(rows)).reshape(rows.n, -1)

    # ---- to the device ----

    def _model(self, path: str = "model") -> model_.Model:
        """The model that the device will have."""
        check_is_fitted(self, "_machine_")
        return model_.make(self._machine_, self._notes_, path)

    def save(self, path: str) -> None:
        """Write the model as an image, which devices load and all commands of gen read.

        Parameters
        ----------
        path : str
            The file, by custom with the ending .mgn.
        """
        output.write_file(os.fspath(path), self._model(os.fspath(path)).image)

    def export_c(self, path: str, format: str = "f32", flash: int | None = None, name: str | None = None,
                 standalone: bool = False) -> dict:
        """Write the model as a C header, with constant tables and a self-test.

        Parameters
        ----------
        path : str
            The header.
        format : {"f32", "q15", "q7"}
            The number format: q15 and q7 use integers only.
        flash : int, optional
            How many bytes the tables may take; the best model within them is written.
        name : str, optional
            What the names in the header start with; by default the name of the file.
        standalone : bool
            Whether the header does without margin.h.

        Returns
        -------
        dict
            format, bytes, vectors, name, and what the model lost beside the whole one in f32.
        """
        path, whole = os.fspath(path), self._model()
        if format not in compress.FORMATS:
            raise ValueError(f"format={format!r} is not one of {', '.join(compress.FORMATS)}")
        arguments = SimpleNamespace(format=format, flash=flash, name=name, output=path, alone=standalone, force=False)
        try:
            with output.quiet():
                chosen = commands.choose(arguments, whole, None, noted_rows(whole))
                told, text = commands.header_of(arguments, whole, chosen, None, noted_rows(whole))
        except (Failure, Usage) as error:
            raise ValueError(getattr(error, "message", None) or str(error)) from None
        output.write_file(path, text)
        return told

    def cost(self, target: str = "cortex-m0", format: str = "f32") -> cost_.Cost:
        """What one prediction costs on a chip.

        Parameters
        ----------
        target : str
            The chip, as `gen fit --target` names it.
        format : {"f32", "q15", "q7"}
            The number format.

        Returns
        -------
        Cost
            Its members flash, memory and cycles are the bytes of flash, the bytes of RAM and the cycles; others say what
            these are made of.
        """
        try:
            return cost_.cost(self._model(), target, format)
        except Usage as error:
            raise ValueError(str(error)) from None

    def report(self, path: str, X: Any = None, y: Any = None) -> None:
        """Write an HTML page about the model, as `gen report` does.

        Parameters
        ----------
        path : str
            The page.
        X : array of shape (n_samples, n_features), optional
            Rows to judge the model by; by default the few training rows that the model keeps, so that the page shows training errors.
        y : array of shape (n_samples,)
            Their classes or numbers. Of OneClassMargin 1 for rows that are normal and -1 for others; by default all are normal.
        """
        model = self._model()
        if X is None:
            X, y = self._kept(model)
        rows = self._rows(X)
        if y is not None and len(y) != rows.n:
            raise ValueError(f"y has {len(y)} values for {rows.n} rows")
        with output.quiet():
            report_.write(os.fspath(path), report_.findings(model, self._judged(model, rows, y), None), "X")

    def _kept(self, model: model_.Model) -> tuple[np.ndarray, Any]:
        """The training rows that the model keeps, with their classes."""
        sample, classes = model.sample(), model.sample_classes()
        known = classes is not None and hasattr(self, "classes_")
        if not sample or not (known or model.one):
            raise ValueError("this model keeps no rows with their answers: report(path, X, y)")
        return np.array(sample), self.classes_[classes] if known else None

    def _judged(self, model: model_.Model, rows: native.Rows, y: Any) -> Any:
        """The answers of the model beside what is true, for a page."""
        number = self._truth(y, rows.n)
        rows = native.Rows(rows.kept[0], number, len(model.labels))
        return measure.answers(model, rows, number, "X")


def _calibrated(estimator: _Margin) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is there with probability=True")
    return True


class _Classifier(ClassifierMixin, _Margin):
    """Classes, and what is asked about them."""

    def _more_tags(self) -> dict:
        return {"binary_only": self._two_classes}

    _two_classes = False  # whether the method takes two classes only

    def _classes(self, y: Any) -> np.ndarray:
        """The class of each row as a number; sets classes_."""
        check_classification_targets(y)
        self.classes_, numbers_ = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least 2 classes; the data has 1 class")
        if len(self.classes_) > MAX_CLASSES:
            raise ValueError(f"{len(self.classes_)} classes: at most {MAX_CLASSES} can be had")
        return numbers_

    def _weights(self, y: np.ndarray, sample_weight: Any, X: np.ndarray) -> np.ndarray | None:
        """The weights of rows, times those of their classes; None where all are 1."""
        weights = self._weighted(sample_weight, X)
        if getattr(self, "class_weight", None) is None:
            return weights
        of_class = compute_sample_weight(self.class_weight, y)
        return of_class if weights is None else weights * of_class

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _Classifier:
        """Train on rows and their classes.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows; doubles in C order are not copied.
        y : array of shape (n_samples,)
            Their classes.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts; a row of weight 0 does not count at all.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse=False)
        number = self._classes(y)
        weights = self._weights(y, sample_weight, X)
        if weights is not None and len(np.unique(number[weights > 0])) < len(self.classes_):
            raise ValueError(f"{type(self).__name__} needs rows of every class; by the weights a class has none")
        return self._fit(X, number, len(self.classes_), None, weights)

    def _calibrate(self, rows: native.Rows, machine: native.Machine) -> None:
        """Probabilities, fitted to rows that were left out."""
        data, y, targets, weights = rows.kept
        problem = train.Problem(data, self._labels(), y, targets, weights=weights)
        try:
            fold = train.left_out(problem, self._trained_.seed, None)
            train.calibrate(problem, self._method_name(), self._trained_.options, machine, fold, self._trained_.seed)
        except Failure as error:
            raise ValueError(f"{type(self).__name__}: probability=True: {error.message}") from None

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        rows = self._rows(X)
        labels = np.frombuffer(self._machine_.predict(rows)[0], dtype=np.uint16)
        lost = int((labels == native.REJECTED).sum())
        if lost:
            raise ValueError(f"the scores of {lost} rows are not numbers: their values are too large for the model")
        return self.classes_[labels]

    def decision_function(self, X: Any) -> np.ndarray:
        """How much the model is for a class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            Of two classes one number a row, positive for the second class. Of more classes one a class: the largest one
            is that of the class which `predict` answers. With decision_function_shape="ovo", one a pair of classes.
        """
        rows = self._rows(X)
        scores = np.frombuffer(self._machine_.all_scores(rows)).reshape(rows.n, -1)
        shape, k = self._machine_.shape, len(self.classes_)
        if k == 2:
            return (scores[:, 0] - scores[:, 1]) / np.maximum(scores.sum(axis=1), np.finfo(float).tiny) \
                if shape.scheme == NEAREST else scores[:, 0].copy()
        if getattr(self, "decision_function_shape", "ovr") == "ovo" and shape.scheme in PAIRS:
            return -scores
        values = CLASS_VALUES[shape.scheme](scores, k)
        labels = np.frombuffer(self._machine_.predict(rows)[0], dtype=np.uint16)
        wrong = np.flatnonzero(values.argmax(axis=1) != labels)  # ties, by rounding
        values[wrong, labels[wrong]] = np.nextafter(values[wrong].max(axis=1), np.inf)
        return values

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes, calibrated by cross-validation.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        rows = self._rows(X)
        return np.array(self._machine_.probabilities(rows))

    def _truth(self, y: Any, n: int) -> array:
        places = np.searchsorted(self.classes_, y)
        if (self.classes_[np.minimum(places, len(self.classes_) - 1)] != y).any():
            raise ValueError("y has classes that the model does not know")
        return flat(places, "H")


NEAREST, PAIRS = 5, (1, 3)


def pair_values(scores: np.ndarray, k: int) -> np.ndarray:
    """Votes of all pairs, and within one vote the sum of what they say.

    >>> pair_values(np.array([[-1.0, 4.0, -2.0]]), 3).round(2)
    array([[0.75, 1.17, 1.22]])
    """
    votes, sums, machine = np.zeros((len(scores), k)), np.zeros((len(scores), k)), 0
    for a in range(k):
        for b in range(a + 1, k):
            score = scores[:, machine]
            votes[:, a] += score <= 0
            votes[:, b] += score > 0
            sums[:, a] -= score
            sums[:, b] += score
            machine += 1
    return votes + sums / (3 * (np.abs(sums) + 1))


def ordinal_values(scores: np.ndarray, k: int) -> np.ndarray:
    """How far inside the thresholds of each class a score lies.

    >>> ordinal_values(np.array([[0.5, -1.5]]), 3)
    array([[-0.5,  0.5, -1.5]])
    """
    n = len(scores)
    above = np.hstack([np.full((n, 1), np.inf), scores])
    below = np.hstack([-scores, np.full((n, 1), np.inf)])
    return np.minimum(above, below)


# By the scheme of a model: from the scores of its machines to one value a class.
CLASS_VALUES = {1: pair_values, 3: pair_values, 2: lambda scores, k: scores.copy(), 4: ordinal_values,
                NEAREST: lambda scores, k: -scores}


# ---- kernel machines ----

class MarginSVC(_Classifier):
    """Soft-margin support vector machine.

    Parameters
    ----------
    C : float
        The price of a mistake; inf asks for a hard margin.
    nu : float, optional
        Instead of C: the share of rows that may fall short of the margin, as of NuSVC.
    kernel : {"linear", "poly", "rbf", "unit-poly", "unit-exp"}
        The kernel.
    degree : int
        The degree of a poly kernel.
    gamma : {"scale", "auto"} or float
        The width of rbf and poly kernels. "auto" is 1 / n_features, and so is "scale" on inputs that are scaled here;
        with scale="none", "scale" is 1 / (n_features * X.var()).
    coef0 : float
        The constant that a poly kernel adds.
    a : float, optional
        The exponent or base of unit kernels.
    tol : float
        How accurate the solver is.
    max_iter : int
        How many steps the solver of a machine may take; -1: as many as it needs.
    cache_size : float
        Memory for kernel values in MB; any gives the same model.
    class_weight : dict or "balanced", optional
        Factors of C for the classes.
    probability : bool
        Whether predict_proba is wanted, which takes ten more trainings.
    decision_function_shape : {"ovr", "ovo"}
        What decision_function returns for more than two classes.
    scheme : {"one-one", "one-rest"}
        How more than two classes are told apart: a machine for each pair, or for each class.
    scale : {"standard", "minmax", "none"}
        How raw inputs are scaled, as part of the model.
    random_state : int, optional
        The seed of the folds of probability=True.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    support_, support_vectors_, dual_coef_ : arrays
        Of kernels other than linear: rows that are vectors of the model, these vectors as scaled, and their coefficients.
    coef_, intercept_ : arrays
        Of linear kernels: weights for raw inputs. intercept_ is there for all kernels.
    margins_ : array of shape (5,)
        The quantiles 5, 25, 50, 75 and 95 % of the margins of the training rows.
    n_iter_ : int
        The steps of the solver.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MarginSVC(C=10).fit(X, y)
    >>> model.score(X, y), model.predict(X[:3])
    (0.9866666666666667, array([0, 0, 0]))
    """
    _method = "svm"

    def __init__(self, C: float = 1.0, *, nu: float | None = None, kernel: str = "rbf", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, a: float | None = None, tol: float = 1e-3, max_iter: int = -1,
                 cache_size: float = 200, class_weight: dict | str | None = None, probability: bool = False,
                 decision_function_shape: str = "ovr", scheme: str = "one-one", scale: str = "standard",
                 random_state: Any = None):
        keep(locals())

    def _chosen(self) -> dict:
        return {name: value for name, value in super()._chosen().items() if self.nu is None or name != "C"}

    def _reasons(self) -> dict:
        small = {"check_class_weight_classifiers": "nu is at most twice the weight of the smaller class, which the check makes 1e-7"}
        return {**super()._reasons(), **(small if self.nu is not None else {})}


class KMOMDClassifier(_Classifier):
    """Kernel machine that optimises the distribution of margins.

    Parameters
    ----------
    lam : float
        From 0, the hard margin, to 1, the average margin.
    kernel, degree, gamma, coef0, a, tol, max_iter, cache_size, probability, decision_function_shape, scheme, \
scale, random_state
        As of MarginSVC.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, coef_, intercept_, n_iter_
        As of MarginSVC.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KMOMDClassifier(lam=0.1, kernel="rbf").fit(X, y).score(X, y) > 0.95
    True
    """
    _method = "kmomd"

    def __init__(self, lam: float = 0.1, *, kernel: str = "rbf", degree: int = 3, gamma: str | float = "scale",
                 coef0: float = 0.0, a: float | None = None, tol: float = 1e-3, max_iter: int = -1,
                 cache_size: float = 200, probability: bool = False,
                 decision_function_shape: str = "ovr", scheme: str = "one-one", scale: str = "standard",
                 random_state: Any = None):
        keep(locals())


def _linear(estimator: MAMClassifier) -> bool:
    if estimator.kernel != "linear":
        raise AttributeError(f"partial_fit is there with kernel='linear', not {estimator.kernel!r}")
    return True


class MAMClassifier(_Classifier):
    """Maximal average margin, in closed form; linear machines also learn row after row.

    Parameters
    ----------
    kernel, degree, gamma, coef0, a, probability, decision_function_shape, scheme, scale, random_state
        As of MarginSVC; only linear machines have partial_fit.
    fit_intercept : bool
        Whether the threshold is midway between the classes, not at the origin.
    balanced : bool, optional
        Whether classes weigh the same; by default they do but for two classes with a linear kernel.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, coef_, intercept_
        As of MarginSVC; every row is a vector.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MAMClassifier().partial_fit(X[::2], y[::2], classes=[0, 1, 2])
    >>> model.partial_fit(X[1::2], y[1::2]).score(X, y) > 0.8
    True
    """
    _method = "mam"

    def __init__(self, kernel: str = "linear", *, degree: int = 3, gamma: str | float = "scale", coef0: float = 0.0,
                 a: float | None = None, fit_intercept: bool = True, balanced: bool | None = None,
                 probability: bool = False, decision_function_shape: str = "ovr",
                 scheme: str = "one-one", scale: str = "standard", random_state: Any = None):
        keep(locals())

    @available_if(_linear)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> MAMClassifier:
        """Learn more rows; a linear kernel only. The scaling is that of the rows of the first call.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their classes.
        classes : array, optional
            All classes that will ever occur; the first call needs them.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        self
            It answers once rows of every class were learned.
        """
        first = not hasattr(self, "_online_")
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse=False, reset=first)
        if first and classes is None:
            raise ValueError("the first call of partial_fit needs classes")
        if first or classes is not None:
            known = np.unique(classes)
            if not first and not np.array_equal(known, self.classes_):
                raise ValueError(f"classes={classes!r} are not those of the first call, {self.classes_}")
            if len(known) < 2:
                raise ValueError("MAMClassifier needs at least 2 classes; classes has 1 class")
            self.classes_ = known
        if not np.isin(y, self.classes_).all():
            raise ValueError("y has classes that the first call did not name")
        number = np.searchsorted(self.classes_, y)
        weights = self._weights(y, sample_weight, X)
        rows = rows_of(X, flat(number, "H"), len(self.classes_), None, None if weights is None else flat(weights, "d"))
        self._learn(rows, first)
        return self

    def _learn(self, rows: native.Rows, first: bool) -> None:
        self._gamma_ = None
        chosen = parsed("mam", self._chosen())
        try:
            if first:
                self._online_ = native.Online.begin(rows, native.Choice("mam", chosen))
                self._seen_ = np.zeros(len(self.classes_), dtype=np.int64)
            self._online_.add(rows)
            self._seen_ += np.bincount(rows.y[:rows.n], minlength=len(self.classes_))
            machine = self._online_.machine() if self._seen_.all() else None
        except Failure as error:
            raise ValueError(f"MAMClassifier: {error.message}") from None
        self._trained_ = SimpleNamespace(options=chosen, seed=1, told={}, objective=None, support=int(self._seen_.sum()))
        self.n_iter_ = 1
        if machine is not None:
            self._note(rows, native.from_state(machine.state()))

    def _note(self, rows: native.Rows, machine: native.Machine) -> None:
        """After a fit, learning can go on from there."""
        super()._note(rows, machine)
        if self.kernel == "linear" and self._trained_.told:
            self._online_ = native.Online.begin(rows, native.Choice("mam", self._trained_.options))
            self._online_.add(rows)
            self._seen_ = np.bincount(rows.y[:rows.n], minlength=len(self.classes_))


class RatesClassifier(_Classifier):
    """Error rates given in advance, or the answer that they cannot be had; two classes.

    Parameters
    ----------
    eta_pos, eta_neg : float
        The largest error rates wanted on the second and on the first of the two classes.
    nu_pos, nu_neg : float, optional
        By how many standard deviations the means of the classes may be off.
    ridge : float, optional
        What is added to the diagonals of the covariances.
    kernel, degree, gamma, coef0, a, probability, scale, random_state
        As of MarginSVC.
    solver : {"fast", "iter"}
        iter is the iteration of the paper.
    tol : float, optional
        How accurate the solver is.
    max_iter : int
        How many steps it may take; -1: as many as it needs.

    Attributes
    ----------
    p_star_ : float
        Below 1 where the rates can be had; the smaller, the more room is left.
    classes_, support_vectors_, dual_coef_, coef_, intercept_
        As of MarginSVC.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RatesClassifier(eta_pos=0.3, eta_neg=0.3).fit(X, y)
    >>> model.p_star_ < 1, model.score(X, y) > 0.9
    (True, True)
    """
    _method = "rates"
    _two_classes = True

    def __init__(self, eta_pos: float = 0.5, eta_neg: float = 0.5, *, nu_pos: float | None = None,
                 nu_neg: float | None = None, ridge: float | None = None, kernel: str = "linear", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, a: float | None = None, solver: str = "fast",
                 tol: float | None = None, max_iter: int = -1, probability: bool = False, scale: str = "standard",
                 random_state: Any = None):
        keep(locals())

    def _chosen(self) -> dict:
        return {**super()._chosen(), "frontier": 0}

    def _note(self, rows: native.Rows, machine: native.Machine) -> None:
        super()._note(rows, machine)
        self.p_star_ = self._trained_.told.get("p_star")


class SecoClassifier(_Classifier):
    """Separate and conquer: a list of one-sided cuts, then a support vector machine; two classes.

    Parameters
    ----------
    kernel, degree, gamma, coef0, a, class_weight, probability, scale, random_state
        As of MarginSVC; kernel="linear" makes a list that a person can read. random_state is the seed of the starts.
    cheap : bool
        With greedy: whether 32 candidates a cut are tried, as without it, instead of 192.
    greedy : bool
        Whether to cut though no cut promises to lower the error, as the paper does.
    most_cuts : int, optional
        How many cuts there are at most.

    Attributes
    ----------
    n_cuts_ : int
        The cuts before the last machine.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SecoClassifier().fit(X[:200], y[:200]).score(X, y) > 0.9
    True
    """
    _method = "seco"
    _of_rows = False
    _two_classes = True

    def __init__(self, *, kernel: str = "rbf", degree: int = 3, gamma: str | float = "scale", coef0: float = 0.0,
                 a: float | None = None, cheap: bool = False, greedy: bool = False, most_cuts: int | None = None,
                 class_weight: dict | str | None = None, probability: bool = False, scale: str = "standard",
                 random_state: Any = None):
        keep(locals())

    def _note(self, rows: native.Rows, machine: native.Machine) -> None:
        super()._note(rows, machine)
        self.n_cuts_ = int(self._trained_.told.get("cuts", 0))


# ---- prototypes and learned vectors ----

class TVQClassifier(_Classifier):
    """Prototypes with tangents, directions along which rows may move; also other codebooks.

    Parameters
    ----------
    prototypes_per_class : int, optional
        How many prototypes a class has. The default is 1; of lvq 8.
    n_tangents : int, optional
        How many tangents a prototype has. The default is a quarter of the features, from 1 to 5.
    method : {"tvq", "hss", "lvq", "td", "nn"}
        tvq moves prototypes to raise margins; hss takes means and leading directions; lvq is LVQ2.1; td trains one
        discriminant model a class; nn keeps the rows.
    theta : float, optional
        tvq: the margin that all rows should have.
    n_neighbors : int, optional
        nn: how many neighbours decide.
    learning_rate : float, optional
        tvq, td and lvq: steps of this rate.
    max_iter : int, optional
        How many passes over the rows there are at most.
    n_init : int, optional
        How many random starts there are.
    probability, scale, random_state
        As of MarginSVC; random_state is the seed of the starts.

    Attributes
    ----------
    prototypes_ : array of shape (n_prototypes, n_features)
        In the units of the data.
    tangents_ : array of shape (n_prototypes, n_tangents, n_features)
        For scaled inputs.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = TVQClassifier(n_tangents=5).fit(X[:900], y[:900])
    >>> model.score(X[900:], y[900:]) > 0.9, model.prototypes_.shape
    (True, (10, 64))
    """
    _method = "tvq"

    def __init__(self, prototypes_per_class: int | None = None, n_tangents: int | None = None, *, method: str = "tvq",
                 theta: float | None = None, n_neighbors: int | None = None, learning_rate: float | None = None,
                 max_iter: int | None = None, n_init: int | None = None, probability: bool = False, scale: str = "standard",
                 random_state: Any = None):
        keep(locals())

    def _method_name(self) -> str:
        if self.method not in CODEBOOKS:
            raise ValueError(f"method={self.method!r} is not one of {', '.join(CODEBOOKS)}")
        return self.method

    def _more_tags(self) -> dict:
        # A tangent leaves one of the two features that the data of the checks has.
        return {"poor_score": self.method in ("tvq", "hss", "td") and self.n_tangents != 0}

    def _reasons(self) -> dict:
        parts = {WEIGHTS: "steps are by parts of the rows, in their order"}
        return {**super()._reasons(), **(parts if self.method in ("tvq", "td") else {})}


CODEBOOKS = ("tvq", "hss", "lvq", "td", "nn")


class CompactClassifier(_Classifier):
    """Few vectors, learned together with their coefficients and rounded to q7 while they learn: the least flash.

    Parameters
    ----------
    n_vectors : int
        How many vectors are learned, at most as many as there are rows.
    kernel : {"hinge", "rbf"}
        The units.
    rank : int, optional
        How many numbers a learned projection makes of the features first.
    features : int, optional
        How many features the vectors look at, which are chosen while they learn, without a projection and with the kernel hinge.
        The default is all.
    noise : float, optional
        The deviation of the noise that makes margins wide. The default is the best on rows left out.
    decay : float, optional
        The share of a value that a step of 1 takes away. The default is the best on rows left out.
    members : int, optional
        Members of a committee, among which the vectors are divided and which learn by themselves. The default is 1, or, from 1000
        rows on, what is best on rows left out.
    loss : {"hinge", "soft"}, optional
        What a mistake costs. The default is soft: only differences of scores count.
    exact : bool
        Whether vectors and coefficients are not rounded.
    learning_rate : float, optional
        The rate of the steps.
    max_iter : int, optional
        How many passes over the rows there are at most.
    class_weight, probability, scale, random_state
        As of MarginSVC; random_state is the seed of the training.

    Attributes
    ----------
    classes_, support_vectors_, dual_coef_, intercept_
        As of MarginSVC; vectors are learned, and no rows. With a projection or picked features there are no support_vectors_ and
        dual_coef_: the vectors live in the space of the projection.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CompactClassifier(n_vectors=8, random_state=0).fit(X, y).score(X, y) > 0.93
    True
    """
    _method = "compact"
    _of_rows = False

    def _reasons(self) -> dict:
        return {WEIGHTS: "vectors start at random rows, of which a row of weight 0 is still one"}

    def __init__(self, n_vectors: int = 64, *, kernel: str = "hinge", rank: int | None = None, features: int | None = None,
                 noise: float | None = None, decay: float | None = None, members: int | None = None, loss: str | None = None,
                 exact: bool = False, learning_rate: float | None = None, max_iter: int | None = None,
                 class_weight: dict | str | None = None, probability: bool = False, scale: str = "standard", random_state: Any = None):
        keep(locals())

    def _chosen(self) -> dict:
        chosen = super()._chosen()
        if isinstance(self.n_vectors, numbers.Integral) and not isinstance(self.n_vectors, bool):
            chosen["vectors"] = min(self.n_vectors, self._counted_)
        return chosen


# ---- classes in order ----

class _Ordinal(_Classifier):
    """Classes in the order of their labels, told apart by thresholds on one score."""

    def _more_tags(self) -> dict:
        return {"poor_score": True}  # classes of the checks have no order

    def _reasons(self) -> dict:
        off = {"check_classifiers_train": "answers are least off on average, which the most probable class is not always"}
        return {**super()._reasons(), **(off if self.probability else {})}

    @property
    def theta_(self) -> np.ndarray:
        """The thresholds between the classes, in their order."""
        return -self.intercept_

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The negative mean of how many classes answers are off, as mord has it.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their classes.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        float
        """
        off = np.abs(np.searchsorted(self.classes_, self.predict(X)) - np.searchsorted(self.classes_, y))
        return -float(np.average(off, weights=sample_weight))


class OrdinalMAM(_Ordinal):
    """Classes in order: the largest average margin over pairs of rows, in closed form.

    Parameters
    ----------
    kernel, degree, gamma, coef0, a, probability, scale, random_state
        As of MarginSVC.
    thresholds : {"absolute", "zero-one"}
        What thresholds make least: how many classes answers are off, or the number of errors.

    Attributes
    ----------
    theta_ : array of shape (n_classes - 1,)
        The thresholds.

    Examples
    --------
    >>> X = [[0.0], [0.4], [1.0], [1.3], [2.1], [2.6]]
    >>> model = OrdinalMAM().fit(X, [1, 1, 2, 2, 3, 3])
    >>> model.predict([[0.1], [1.2], [2.5]]), model.score(X, [1, 1, 2, 2, 3, 3]), len(model.theta_)
    (array([1, 2, 3]), -0.0, 2)
    """
    _method = "omam"

    def __init__(self, kernel: str = "linear", *, degree: int = 3, gamma: str | float = "scale", coef0: float = 0.0,
                 a: float | None = None, thresholds: str = "absolute", probability: bool = False,
                 scale: str = "standard", random_state: Any = None):
        keep(locals())


class OrdinalLSSVM(_Ordinal):
    """Classes in order: least squares on ranks.

    Parameters
    ----------
    C : float, optional
        The price of errors; by default the best by leaving one out.
    kernel, degree, gamma, coef0, a, probability, scale, random_state
        As of MarginSVC.
    thresholds : {"absolute", "zero-one"}
        As of OrdinalMAM.

    Attributes
    ----------
    theta_ : array of shape (n_classes - 1,)
        The thresholds.

    Examples
    --------
    >>> X = [[0.0], [0.4], [1.0], [1.3], [2.1], [2.6]]
    >>> OrdinalLSSVM().fit(X, list("aabbcc")).predict([[0.1], [1.2], [2.5]])
    array(['a', 'b', 'c'], dtype='<U1')
    """
    _method = "lssvm"

    def __init__(self, C: float | None = None, *, kernel: str = "linear", degree: int = 3, gamma: str | float = "scale",
                 coef0: float = 0.0, a: float | None = None, thresholds: str = "absolute", probability: bool = False,
                 scale: str = "standard", random_state: Any = None):
        keep(locals())


# ---- one class, and numbers ----

class OneClassMargin(OutlierMixin, _Margin):
    """What is normal, learned from normal rows alone, with a rate of false alarms given in advance.

    Parameters
    ----------
    nu : float
        The share of normal rows that may raise a false alarm.
    lam : float, optional
        From 0, the smallest ball or the largest margin, to 1, the mean of the rows.
    form : {"plane", "sphere", "prototypes"}
        What encloses the normal rows: the machine of nu or lam; the smallest sphere, which with rbf and unit kernels is the
        same and with a linear kernel a centre and a radius; or centroids with tangents, in the fewest bytes.
    prototypes_per_class, n_tangents : int, optional
        Of the form "prototypes": how many centroids there are, by default 1, and tangents of each, by default none.
    kernel, degree, gamma, coef0, a, tol, max_iter, cache_size, scale, random_state
        As of MarginSVC; prototypes have no kernel. random_state is the seed of the folds that set the threshold, and of centroids.
    held_out : bool
        Whether a fifth of the rows is kept for the threshold alone: the rate is then a promise for any distribution.

    Attributes
    ----------
    offset_ : float
        decision_function is score_samples less this.
    support_, support_vectors_, dual_coef_, intercept_, prototypes_, tangents_ : arrays
        As of MarginSVC and TVQClassifier, by what the form is made of.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> model = OneClassMargin(nu=0.05).fit(rng.normal(size=(200, 2)))
    >>> model.predict([[0, 0], [6, 6]])
    array([ 1, -1])
    """
    _method = "oneclass"

    def __init__(self, nu: float = 0.05, *, lam: float | None = None, form: str = "plane",
                 prototypes_per_class: int | None = None, n_tangents: int | None = None, kernel: str = "rbf", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, a: float | None = None, tol: float | None = None,
                 max_iter: int = -1, cache_size: float = 200, held_out: bool = False, scale: str = "standard",
                 random_state: Any = None):
        keep(locals())

    def _chosen(self) -> dict:
        chosen = super()._chosen()
        return {name: value for name, value in chosen.items() if self.form != "prototypes" or name not in KERNEL_OPTIONS}

    def _reasons(self) -> dict:
        return {WEIGHTS: "the folds that set the threshold go by the order of the rows"}

    def _labels(self) -> list[str]:
        return ["anomaly", "normal"]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassMargin:
        """Learn what is normal.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Normal rows.
        y : ignored
        sample_weight : array of shape (n_samples,), optional
            How much each row counts for what encloses them; for the threshold rows count alike, and those of weight 0 not at all.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse=False)
        weights = self._weighted(sample_weight, X)
        if weights is not None and not weights.any():
            raise ValueError("OneClassMargin needs rows; by the weights there are none")
        self._fit(X, np.ones(len(X), dtype=np.int64), 2, None, weights)
        self.offset_ = self._offset()
        return self

    def _offset(self) -> float:
        machine = self._machine_
        return -machine.numbers["reject"] if machine.shape.near else -float(reals(machine, "bias")[0])

    def decision_function(self, X: Any) -> np.ndarray:
        """How normal rows are: positive for those that raise no alarm.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        rows = self._rows(X)
        return np.array(self._machine_.predict(rows)[1])

    def score_samples(self, X: Any) -> np.ndarray:
        """The same without the threshold.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows that are normal, -1 for others.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        return np.where(self.decision_function(X) > 0, 1, -1)

    def _truth(self, y: Any, n: int) -> array:
        return flat(np.ones(n) if y is None else np.asarray(y) == 1, "H")


class MarginSVR(RegressorMixin, _Margin):
    """Support vector regression, or least squares.

    Parameters
    ----------
    C : float, optional
        The price of errors; by default it follows from the deviation of the targets.
    epsilon : float, optional
        How far answers may be off at no cost. The default is a tenth of the deviation of the targets.
    nu : float, optional
        The share of rows that may be farther off than epsilon, which is then found.
    squares : bool
        Whether errors cost their squares; without C the price is then the best by leaving one out.
    outside : float, optional
        The share of unseen targets that may be farther than half_width_ from the answers, whatever the distribution.
    kernel, degree, gamma, coef0, a, tol, max_iter, cache_size, scale, random_state
        As of MarginSVC; random_state is the seed of the folds of outside.

    Attributes
    ----------
    half_width_ : float or None
        With outside: half the width of an interval around the answers, from rows left out of training.
    support_, support_vectors_, dual_coef_, coef_, intercept_, n_iter_
        As of MarginSVC.

    Examples
    --------
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = MarginSVR(C=10, outside=0.1).fit(X, np.sin(X[:, 0]))
    >>> model.score(X, np.sin(X[:, 0])) > 0.95, model.half_width_ < 0.3
    (True, True)
    """
    _method = "svr"

    def __init__(self, C: float | None = None, epsilon: float | None = None, *, nu: float | None = None,
                 squares: bool = False, outside: float | None = None, kernel: str = "rbf", degree: int = 3,
                 gamma: str | float = "scale", coef0: float = 0.0, a: float | None = None, tol: float | None = None,
                 max_iter: int = -1, cache_size: float = 200, scale: str = "standard", random_state: Any = None):
        keep(locals())

    def _labels(self) -> list[str]:
        return ["value"]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MarginSVR:
        """Train on rows and their numbers.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse=False, y_numeric=True,
                                   ensure_min_samples=2)
        self._fit(X, np.zeros(len(X), dtype=np.int64), 1, y, self._weighted(sample_weight, X))
        self.half_width_ = self._trained_.told.get("half_width")
        return self

    def _judged(self, model: model_.Model, rows: native.Rows, y: Any) -> Any:
        targets = flat(np.asarray(y, dtype=np.float64), "d")
        return measure.values_of(model, rows, targets, "X")

    def predict(self, X: Any) -> np.ndarray:
        """The number of each row.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._scores(X)[:, 0].copy()


# ---- estimators of scikit-learn itself ----

class Imported(_Classifier):
    """A fitted classifier of scikit-learn, with what it takes to go to a device; see from_estimator."""

    def __init__(self, estimator: Any = None):
        keep(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Imported:
        """Not for this class: fit the estimator itself, then call from_estimator.

        Parameters
        ----------
        X, y, sample_weight
            As of any estimator.
        """
        raise TypeError("fit the estimator, then call from_estimator again")


def from_estimator(estimator: Any) -> Imported | MarginSVR | OneClassMargin:
    """Take over a fitted estimator, or a Pipeline of scalers and one: predict, save, export_c, cost and report work.

    Parameters
    ----------
    estimator : estimator
        SVC, NuSVC, SVR, NuSVR and OneClassSVM (linear, poly, rbf), linear classifiers and regressors, NearestCentroid;
        alone or after StandardScaler, MinMaxScaler, MaxAbsScaler and RobustScaler.

    Returns
    -------
    Imported, MarginSVR or OneClassMargin
        By what the estimator is: a classifier, a regressor, or one that finds outliers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    >>> (from_estimator(theirs).predict(X) == theirs.predict(X)).all()
    True
    """
    try:
        found = from_sklearn.convert(estimator)
        machine = native.make(found.centred())
    except Failure as error:
        raise ValueError(error.message) from None
    made = MarginSVR() if found.scheme == "number" else \
        Imported(estimator) if hasattr(estimator, "classes_") else OneClassMargin()
    made._machine_ = native.from_state(machine.state())
    made._notes_ = {"labels": found.labels, "origin": found.origin, **({"method": "svr"} if found.scheme == "number" else {})}
    for name in ("classes_", "feature_names_in_"):
        if hasattr(estimator, name):
            setattr(made, name, np.asarray(getattr(estimator, name)))
    made.n_features_in_ = found.d
    vars(made).update(made._parts())
    if isinstance(made, OneClassMargin):
        made.offset_ = made._offset()
    return made
