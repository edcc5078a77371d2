"""table_sklearn.py -- the estimators beside scikit-learn's, in one run: seconds of processor time, and their ratio.

    /usr/bin/python3 tests/bench/table_sklearn.py [DATADIR] [fit|gen|predict|own|linear]... [--write]

Exit code 1 when a mark is missed. The data is made here; DATADIR is not read. Each side runs twice in turn, and the faster
run counts.
"""
import os
import sys
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import numpy as np  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402

from results import kept  # noqa: E402

from gen import native  # noqa: E402
from gen import sklearn as estimators  # noqa: E402

MISSED = []


def seconds(work):
    """Processor time of a call, and what it returns."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def mark(words, own, other, least):
    """Prints both times; theirs must be at least so many times ours."""
    kept = other >= least * own
    print(f"  {'kept  ' if kept else 'MISSED'} {words}: {own:.2f} s beside {other:.2f} s, ratio {other / own:.2f} (mark {least:.2g})",
          flush=True)
    if not kept:
        MISSED.append(words)


def race(words, ours, theirs, least):
    """Both twice in turn; returns what they made."""
    runs = [(seconds(ours), seconds(theirs)) for _ in range(2)]
    mark(words, min(run[0][0] for run in runs), min(run[1][0] for run in runs), least)
    return runs[0][0][1], runs[0][1][1]


def clouds(n, d, apart):
    """Two normal clouds, so many deviations apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d))
    X[:, 0] += np.where(y == 1, apart / 2, -apart / 2)
    return X, y


def fit():
    print("fit, 5000 rows of 100 features, rbf, beside SVC.fit")
    for words, apart, marks in (("easy data, 3.6 deviations apart", 3.6, 3), ("hard data, 2 deviations apart", 2.0, 1)):
        X, y = clouds(5000, 100, apart)
        for cache in (200, 1000):
            ours, theirs = race(f"{words}, cache of {cache} MB", lambda: estimators.MarginSVC(
                scale="none", gamma=0.01, cache_size=cache).fit(X, y), lambda: SVC(gamma=0.01, cache_size=cache).fit(X, y), marks)
            print(f"         vectors {len(ours.support_)} and {len(theirs.support_)}, the same labels: "
                  f"{(ours.predict(X) == theirs.predict(X)).mean():.2%}")


def gen():
    print("fit beside the same training by gen")
    X, y = clouds(5000, 100, 2.0)
    rows, options = estimators.rows_of(X, estimators.flat(y, "H"), 2), {"kernel": "rbf", "C": 1.0, "tol": 1e-3, "cache-mb": 200.0}
    race("MarginSVC.fit, which may take 1.1 times as long", lambda: estimators.MarginSVC().fit(X, y),
         lambda: native.train(rows, native.Choice("svm", options), native.Watch()), 1 / 1.1)


def predict():
    print("predict on one core, 5000 vectors of 50 features")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100000, 50))
    theirs = SVC(gamma=0.02).fit(X[:5100], rng.integers(0, 2, 5100))
    ours = estimators.from_estimator(theirs)
    print(f"  {len(theirs.support_vectors_)} vectors; 100000 rows for us, 10000 for scikit-learn, whose time counts ten times")
    part = seconds(lambda: theirs.predict(X[:10000]))
    mark("100000 rows", seconds(lambda: ours.predict(X))[0], 10 * part[0], 1)
    print(f"         the same labels: {(ours.predict(X[:10000]) == part[1]).mean():.2%}")


def own():
    print("20000 rows of 50 features: training and the answers to the training rows, beside what they took before answers went by tiles")
    X, y = clouds(20000, 50, 2.0)
    for words, estimator, before in (("mam with rbf, 54 s for the answers", estimators.MAMClassifier("rbf", scale="none"), 54),
                                     ("nn, 73 s", estimators.TVQClassifier(method="nn", scale="none"), 73)):
        took, model = seconds(lambda: estimator.fit(X, y))
        print(f"         fit {took:.2f} s")
        mark(words, seconds(lambda: model.predict(X))[0], before, 8)


def linear():
    print("20 classes, 100000 rows of 50 features, linear, one against the rest, beside LinearSVC")
    rng = np.random.default_rng(2)
    y, centres = rng.integers(0, 20, 100000), rng.normal(size=(20, 50))
    X = rng.normal(size=(100000, 50)) + centres[y]
    own = seconds(lambda: estimators.MarginSVC(kernel="linear", scheme="one-rest").fit(X, y))
    for loss in ("hinge", "squared_hinge"):
        other = seconds(lambda: LinearSVC(loss=loss, dual=loss == "hinge", tol=1e-3).fit(X, y))
        mark(f"LinearSVC with the loss {loss}", own[0], other[0], 1)
        print(f"         training errors {1 - own[1].score(X, y):.2%} and {1 - other[1].score(X, y):.2%}", flush=True)


PARTS = {"fit": fit, "gen": gen, "predict": predict, "own": own, "linear": linear}


def main():
    os.environ["OMP_NUM_THREADS"] = "1"  # one core, as scikit-learn has
    warnings.simplefilter("ignore")
    native.training(), native.device()
    for name in [word for word in sys.argv[1:] if word in PARTS] or PARTS:
        with kept(f"sklearn: {name}", f"make bench-sklearn ARGS='{name} --write'"):
            PARTS[name]()
    if MISSED:
        print("short of their marks:", "; ".join(MISSED))
    return 1 if MISSED else 0


if __name__ == "__main__":
    sys.exit(main())
