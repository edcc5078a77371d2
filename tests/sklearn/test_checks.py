"""scikit-learn's own checks of estimators, for every estimator; and the examples of the docstrings."""
import doctest
import unittest
import warnings

from sklearn.utils.estimator_checks import check_estimator

from gen import sklearn as estimators

# With parameters that the small and random data of the checks allows: rates that can be had, few candidates.
INSTANCES = (estimators.MarginSVC(), estimators.MarginSVC(probability=True),
             estimators.MarginSVC(kernel="linear", scale="none", scheme="one-rest"),
             estimators.KMOMDClassifier(),
             estimators.MAMClassifier(), estimators.MAMClassifier(kernel="rbf"),
             estimators.RatesClassifier(eta_pos=1, eta_neg=1), estimators.SecoClassifier(cheap=True),
             *(estimators.TVQClassifier(method=method) for method in estimators.CODEBOOKS),
             estimators.TVQClassifier(n_tangents=0), estimators.CompactClassifier(n_vectors=16),
             estimators.MarginSVC(nu=0.3, tol=1e-10), estimators.OneClassMargin(),
             estimators.OneClassMargin(form="sphere", kernel="linear"),
             estimators.OneClassMargin(form="prototypes", prototypes_per_class=2, n_tangents=1), estimators.MarginSVR(tol=1e-10), estimators.MarginSVR(squares=True),
             estimators.OrdinalMAM(), estimators.OrdinalLSSVM(),
             estimators.OrdinalMAM(kernel="rbf", probability=True))


class Checks(unittest.TestCase):
    def test_every_check_passes(self):
        for instance in INSTANCES:
            for estimator, check in check_estimator(instance, generate_only=True):
                with self.subTest(estimator=instance, check=getattr(check, "func", check).__name__), \
                        warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        check(estimator)
                    except unittest.SkipTest:
                        pass  # declared by a tag, with its reason

    def test_every_estimator_is_checked(self):
        named = {name for name in estimators.__all__ if isinstance(getattr(estimators, name), type)}
        self.assertEqual({type(one).__name__ for one in INSTANCES}, named - {"Imported"})

    def test_what_is_not_checked_has_a_reason(self):
        declared = {(type(one).__name__, check): reason for one in INSTANCES
                    for check, reason in (one._get_tags()["_xfail_checks"] or {}).items()}
        self.assertEqual(set(declared), {("MarginSVC", "check_sample_weights_invariance"),
                                         ("MarginSVC", "check_class_weight_classifiers"),
                                         ("CompactClassifier", "check_sample_weights_invariance"),
                                         ("TVQClassifier", "check_sample_weights_invariance"),
                                         ("OneClassMargin", "check_sample_weights_invariance"),
                                         ("OrdinalMAM", "check_sample_weights_invariance"),
                                         ("OrdinalMAM", "check_classifiers_train")})


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(estimators))
    return tests
