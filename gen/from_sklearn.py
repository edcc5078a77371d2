"""from_sklearn.py -- fitted scikit-learn classifiers and regressors as plain numbers. Needs scikit-learn only through the estimator.

    from gen.from_sklearn import save_json
    save_json(estimator, "model.json")         # then: python3 -m gen import model.json --save model.mgn

Supported: SVC, NuSVC, OneClassSVM, SVR and NuSVR (linear, poly, rbf), LinearSVC and every other linear classifier with coef_ and
intercept_, LinearRegression, Ridge and other linear regressors of one target, NearestCentroid; alone or at the end of a Pipeline
after StandardScaler, MinMaxScaler, MaxAbsScaler and RobustScaler.
"""
from __future__ import annotations

from array import array

from .errors import Failure
from .exchange import NORMAL, Classifier, flat, to_json


def save_json(estimator, path: str) -> None:
    """Writes a fitted estimator as JSON, which holds numbers only: safe to hand on, unlike a pickle."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(to_json(convert(estimator)) + "\n")


def convert(estimator) -> Classifier:
    steps = [step for _, step in estimator.steps if step not in (None, "passthrough")] if hasattr(estimator, "steps") \
        else [estimator]
    if not steps:
        raise Failure("an empty pipeline")
    *scalers, last = steps
    found = classifier(last)
    for scaler in scalers:
        offset, factor = scaling(scaler, found.d)
        if found.offset is None:
            found.offset, found.factor = offset, factor
        else:  # ((x - o1) f1 - o2) f2 = (x - (o1 + o2 / f1)) f1 f2
            found.offset = array("d", (o1 + o2 / f1 for o1, f1, o2 in zip(found.offset, found.factor, offset)))
            found.factor = array("d", (f1 * f2 for f1, f2 in zip(found.factor, factor)))
    found.origin = "scikit-learn " + ", ".join(type(step).__name__ for step in steps)
    return found.check()


def scaling(scaler, d: int) -> tuple[array, array]:
    """x' = (x - offset) * factor of a fitted scaler."""
    name = type(scaler).__name__
    zeros, ones = [0.0] * d, [1.0] * d
    if name == "StandardScaler":
        offset = list(scaler.mean_) if scaler.with_mean else zeros
        factor = [1 / s for s in scaler.scale_] if scaler.with_std else ones
    elif name == "MinMaxScaler" and not getattr(scaler, "clip", False):
        factor = list(scaler.scale_)
        offset = [-m / f for m, f in zip(scaler.min_, factor)]
    elif name == "MaxAbsScaler":
        offset, factor = zeros, [1 / s for s in scaler.scale_]
    elif name == "RobustScaler":
        offset = list(scaler.center_) if scaler.with_centering else zeros
        factor = [1 / s for s in scaler.scale_] if scaler.with_scaling else ones
    else:
        raise Failure(f"{name} cannot be imported (StandardScaler, MinMaxScaler without clip, MaxAbsScaler and RobustScaler can)")
    return array("d", map(float, offset)), array("d", map(float, factor))


def classifier(estimator) -> Classifier:
    name = type(estimator).__name__
    if name in ("OneClassSVM", "SVR", "NuSVR"):
        return from_machine(estimator, NORMAL if name == "OneClassSVM" else ["value"])
    if not hasattr(estimator, "classes_"):
        if hasattr(estimator, "coef_") and hasattr(estimator, "intercept_"):
            return from_regressor(estimator)
        raise Failure(f"{name} is not a fitted classifier or linear regressor")
    if name in ("SVC", "NuSVC"):
        return from_svc(estimator)
    if name == "NearestCentroid":
        return from_centroids(estimator)
    if hasattr(estimator, "coef_") and hasattr(estimator, "intercept_"):
        return from_linear(estimator)
    raise Failure(f"{name} cannot be imported (SVC, NuSVC, linear classifiers and NearestCentroid can)")


def labels_of(estimator) -> list[str]:
    return [str(label) for label in estimator.classes_]


def dense(matrix):
    """What was fitted to sparse data is sparse itself."""
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def from_svc(svc) -> Classifier:
    """For two classes scikit-learn turns LIBSVM's signs, so that positive means the second; for more it does not."""
    labels, kernel = labels_of(svc), svc.kernel
    if kernel not in ("linear", "poly", "rbf"):
        raise Failure(f"kernel {kernel!r} cannot be imported (linear, poly and rbf can)")
    if getattr(svc, "break_ties", False) and len(labels) > 2:
        raise Failure("break_ties=True cannot be imported")
    vectors, coef = dense(svc.support_vectors_).tolist(), dense(svc.dual_coef_).T.tolist()
    if not vectors:
        raise Failure("the SVC has no support vectors")
    sign = 1.0 if len(labels) == 2 else -1.0
    intercept = array("d", (sign * float(b) for b in svc.intercept_))
    number = {"gamma": float(svc._gamma), "degree": float(svc.degree), "coef0": float(svc.coef0)}
    return Classifier(labels, "binary" if len(labels) == 2 else "votes", len(vectors[0]), intercept,
                      kernel={"kind": kernel, **number}, vectors=flat(vectors),
                      class_sizes=[int(n) for n in svc.n_support_],
                      coef=flat([[sign * c for c in row] for row in coef]))


def from_machine(machine, labels: list[str]) -> Classifier:
    """A single machine: a number, or positive for what is normal."""
    if machine.kernel not in ("linear", "poly", "rbf"):
        raise Failure(f"kernel {machine.kernel!r} cannot be imported (linear, poly and rbf can)")
    vectors, coef = dense(machine.support_vectors_).tolist(), dense(machine.dual_coef_).tolist()[0]
    if not vectors:
        raise Failure(f"the {type(machine).__name__} has no support vectors")
    number = {"gamma": float(machine._gamma), "degree": float(machine.degree), "coef0": float(machine.coef0)}
    return Classifier(labels, "number" if len(labels) == 1 else "binary", len(vectors[0]), array("d", map(float, machine.intercept_)),
                      kernel={"kind": machine.kernel, **number}, vectors=flat(vectors),
                      class_sizes=[0, len(vectors)][-len(labels):], coef=array("d", map(float, coef)))


def from_regressor(linear) -> Classifier:
    """coef_ . x + intercept_ is the number."""
    weights = linear.coef_.tolist()
    weights = weights if isinstance(weights[0], list) else [weights]
    bias = linear.intercept_.tolist() if hasattr(linear.intercept_, "tolist") else float(linear.intercept_)
    bias = bias if isinstance(bias, list) else [bias]
    if len(weights) != 1 or len(bias) != 1:
        raise Failure(f"{type(linear).__name__} of {len(weights)} targets cannot be imported (of one it can)")
    return Classifier(["value"], "number", len(weights[0]), array("d", bias), weights=flat(weights))


def from_linear(linear) -> Classifier:
    """The largest of one score a class; for two classes one score, positive for the second."""
    labels, weights = labels_of(linear), linear.coef_.tolist()
    bias = linear.intercept_.tolist() if hasattr(linear.intercept_, "tolist") else linear.intercept_
    bias = bias if isinstance(bias, list) else [float(bias)] * len(weights)
    if len(weights) != (1 if len(labels) == 2 else len(labels)):
        raise Failure(f"{type(linear).__name__} with {len(weights)} rows of weights for {len(labels)} classes")
    return Classifier(labels, "binary" if len(labels) == 2 else "one-rest", len(weights[0]), array("d", bias),
                      weights=flat(weights))


def from_centroids(nearest) -> Classifier:
    """The nearest of the centroids c is the largest of c . x - |c|^2 / 2."""
    if nearest.metric != "euclidean":
        raise Failure(f"NearestCentroid with metric {nearest.metric!r} cannot be imported (euclidean can)")
    labels, centres = labels_of(nearest), nearest.centroids_.tolist()
    bias = [-sum(v * v for v in centre) / 2 for centre in centres]
    if len(labels) == 2:
        centres, bias = [[b - a for a, b in zip(*centres)]], [bias[1] - bias[0]]
    return Classifier(labels, "binary" if len(labels) == 2 else "one-rest", len(centres[0]), array("d", bias),
                      weights=flat(centres))
