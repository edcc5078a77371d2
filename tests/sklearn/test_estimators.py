"""Estimators beside `gen train`, through pickles, threads, searches and exports."""
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, RandomizedSearchCV, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from gen import native
from gen import sklearn as estimators

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IRIS, WINE, CANCER = (load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer))
TWO = (IRIS[0][IRIS[1] > 0], IRIS[1][IRIS[1] > 0])
EACH = (estimators.MarginSVC(C=10), estimators.MarginSVC(kernel="linear"), estimators.KMOMDClassifier(lam=0.3),
        estimators.MAMClassifier(), estimators.MAMClassifier(kernel="rbf"), estimators.RatesClassifier(0.7, 0.7),
        estimators.SecoClassifier(cheap=True), estimators.TVQClassifier(), estimators.TVQClassifier(method="nn"),
        estimators.CompactClassifier(8), estimators.OrdinalMAM(), estimators.OrdinalLSSVM(C=1.0, kernel="rbf"))


OTHERS = (estimators.OneClassMargin(nu=0.1), estimators.OneClassMargin(form="sphere", kernel="linear"),
          estimators.OneClassMargin(form="prototypes", prototypes_per_class=2, n_tangents=1), estimators.MarginSVR(C=10),
          estimators.MarginSVR(nu=0.3, kernel="linear"), estimators.MarginSVR(squares=True, outside=0.1))


def fitted(estimator):
    """Of numbers the last feature is what is to be met."""
    number = isinstance(estimator, estimators.MarginSVR)
    return clone(estimator).fit(rows_of(estimator), TWO[0][:, -1] if number else TWO[1])


def rows_of(estimator):
    return TWO[0][:, :-1] if isinstance(estimator, estimators.MarginSVR) else TWO[0]


def answers(model, X):
    return getattr(model, "decision_function", model.predict)(X)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


class BesideGen(Folder):
    def gen(self, data, *words):
        """The labels and scores of a model that gen train saves, and its JSON."""
        with open(self.path("data.csv"), "w", encoding="ascii") as file:
            for row, label in zip(*data):
                file.write(",".join([*map(repr, map(float, row)), str(label)]) + "\n")
        run = subprocess.run([sys.executable, "-m", "gen", "train", self.path("data.csv"), "--save", self.path("gen.mgn"),
                              "--json", "-", *words], cwd=ROOT, capture_output=True, check=True)
        return json.loads(run.stdout)

    def test_the_same_options_give_the_same_model_to_the_bit(self):
        """The images are the same bytes, so that all answers are; their notes may differ, and are left out."""
        for data in (IRIS, WINE, CANCER):
            two = (data[0][data[1] < 2], data[1][data[1] < 2])
            for estimator, on, words in (
                    (estimators.MarginSVC(C=10, tol=1e-6), data, "svm --kernel rbf --C 10"),
                    (estimators.MarginSVC(kernel="linear", tol=1e-6, scheme="one-rest"), data, "svm --scheme one-rest"),
                    (estimators.KMOMDClassifier(0.5, gamma=0.1, tol=1e-6), data, "kmomd --kernel rbf --lambda 0.5 --gamma 0.1"),
                    (estimators.MAMClassifier(), data, "mam"),
                    (estimators.RatesClassifier(0.6, 0.7), two, "rates --eta-pos 0.6 --eta-neg 0.7"),
                    (estimators.TVQClassifier(2, 2, random_state=3), data, "tvq --models 2 --tangents 2 --seed 3"),
                    (estimators.CompactClassifier(8, max_iter=20), data, "compact --vectors 8 --iterations 20"),
                    (estimators.CompactClassifier(8, features=3, max_iter=20), data, "compact --vectors 8 --features 3 --iterations 20"),
                    (estimators.OrdinalMAM(), data, "omam")):
                with self.subTest(words=words, n=len(data[0])):
                    told = self.gen(on, "--method", *words.split())
                    model = estimator.fit(*on)
                    model.save(self.path("own.mgn"))
                    images = [self.image(name) for name in ("gen.mgn", "own.mgn")]
                    self.assertEqual(images[0], images[1])
                    self.assertAlmostEqual(told["train_error"], 1 - np.mean(model.predict(on[0]) == on[1]), delta=1e-12)

    def test_one_class_and_numbers_are_those_of_gen_too(self):
        for estimator, words in ((estimators.OneClassMargin(nu=0.1), "oneclass --nu 0.1"),
                                 (estimators.OneClassMargin(form="sphere", kernel="linear"), "oneclass --form sphere --kernel linear"),
                                 (estimators.OneClassMargin(form="prototypes", prototypes_per_class=2, n_tangents=1, random_state=5),
                                  "oneclass --form prototypes --models 2 --tangents 1 --seed 5"),
                                 (estimators.MarginSVR(C=10, outside=0.2), "svr --kernel rbf --C 10 --outside 0.2"),
                                 (estimators.MarginSVR(nu=0.4, kernel="linear"), "svr --nu 0.4"),
                                 (estimators.MarginSVR(squares=True), "svr --kernel rbf --squares"),
                                 (estimators.MarginSVC(nu=0.3, tol=1e-6), "svm --kernel rbf --nu 0.3")):
            with self.subTest(words=words):
                self.gen(WINE, "--method", *words.split())
                estimator.fit(*WINE).save(self.path("own.mgn"))
                self.assertEqual(self.image("gen.mgn"), self.image("own.mgn"))

    def image(self, name):
        machine, _ = native.open_image(open(self.path(name), "rb").read())
        return {part: machine.array(part) for part in machine.parts.arrays} | machine.numbers


class Fitted(unittest.TestCase):
    def test_pickles_keep_every_bit(self):
        for estimator in (*EACH, *OTHERS):
            with self.subTest(estimator=estimator):
                model, X = fitted(estimator), rows_of(estimator)
                again = pickle.loads(pickle.dumps(model))
                self.assertEqual(answers(again, X).tobytes(), answers(model, X).tobytes())
                self.assertEqual(again._machine_.state(), model._machine_.state())

    def test_attributes_are_those_that_the_kind_of_model_has(self):
        expansion, linear = {"support_vectors_", "dual_coef_", "intercept_"}, {"coef_", "intercept_"}
        codebook, classes = {"prototypes_", "tangents_"}, {"classes_"}
        for estimator, wanted in zip((*EACH, *OTHERS), (
                expansion | {"support_", "margins_"}, linear | {"margins_"}, expansion | {"support_"}, linear, expansion | {"support_"},
                linear | {"p_star_"}, {"n_cuts_"}, codebook, codebook, expansion, linear | {"theta_"}, expansion | {"theta_"},
                expansion | {"support_", "offset_"}, codebook | {"offset_"}, codebook | {"offset_"}, expansion | {"support_", "half_width_"},
                linear | {"half_width_"}, expansion | {"half_width_"})):
            with self.subTest(estimator=estimator):
                model = fitted(estimator)
                wanted = wanted | {"n_features_in_", "n_iter_"} | (classes if estimator in EACH else set())
                self.assertEqual({name for name in wanted if not hasattr(model, name)}, set())
                self.assertEqual(clone(model).get_params(), estimator.get_params())

    def test_linear_machines_and_expansions_can_be_worked_out_from_their_attributes(self):
        """coef_ is for raw inputs; vectors and their coefficients are for inputs as the model scales them."""
        for kernel in ("linear", "rbf"):
            for model in (estimators.MarginSVC(kernel=kernel, gamma=0.2).fit(*TWO), estimators.KMOMDClassifier(kernel=kernel, gamma=0.2).fit(*TWO),
                          estimators.MarginSVR(kernel=kernel, gamma=0.2).fit(TWO[0], TWO[0][:, -1])):
                X = TWO[0] if kernel == "linear" else StandardScaler().fit_transform(TWO[0])
                own = X @ model.coef_[0] if kernel == "linear" else \
                    np.exp(-0.2 * ((X[:, None] - model.support_vectors_) ** 2).sum(axis=2)) @ model.dual_coef_[0]
                np.testing.assert_allclose(own + model.intercept_[0], answers(model, TWO[0]), atol=1e-9)

    def test_parameters_can_be_set_and_seen(self):
        for estimator in (*EACH, *OTHERS):
            one = clone(estimator)
            one.set_params(scale="minmax").fit(rows_of(one), TWO[0][:, -1] if isinstance(one, estimators.MarginSVR) else TWO[1])
            self.assertEqual(one.get_params()["scale"], "minmax")
            self.assertIn("scale='minmax'", repr(one))

    def test_tables_with_names_keep_them(self):
        """The class of pandas that scikit-learn looks for, or one with what it looks at."""
        try:
            from pandas import DataFrame
        except ImportError:
            class DataFrame(np.ndarray):
                def __new__(cls, values, columns):
                    made = np.asarray(values).view(cls)
                    made.columns = columns
                    return made
        names = ["length", "width", "petal length", "petal width"]
        for estimator in (*EACH, *OTHERS):
            with self.subTest(estimator=estimator):
                X = rows_of(estimator)
                table = DataFrame(X, columns=names[:X.shape[1]])
                model = clone(estimator).fit(table, TWO[0][:, -1] if isinstance(estimator, estimators.MarginSVR) else TWO[1])
                self.assertEqual(list(model.feature_names_in_), names[:X.shape[1]])
                self.assertEqual(model._model().notes["names"], names[:X.shape[1]])
                self.assertEqual(answers(model, table).tobytes(), answers(fitted(estimator), X).tobytes())
                with self.assertRaisesRegex(ValueError, "feature names"):
                    model.predict(DataFrame(X, columns=list("abcd")[:X.shape[1]]))

    def test_a_nu_machine_is_that_of_scikit_learn(self):
        X = StandardScaler().fit_transform(CANCER[0])
        ours = estimators.MarginSVC(nu=0.2, gamma=0.05, scale="none", tol=1e-8).fit(X, CANCER[1])
        theirs = NuSVC(nu=0.2, gamma=0.05, tol=1e-8).fit(X, CANCER[1])
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)

    def test_damaged_states_are_refused(self):
        state = fitted(EACH[0])._machine_.state()
        for bad in (b"", state[:100], state[:-8], state + bytes(8), bytes(len(state)), state[:4] + b"\7" + state[5:]):
            with self.assertRaises(native.Failure):
                native.from_state(bad)

    def test_the_largest_value_is_the_answer(self):
        for estimator in EACH:
            if estimator._two_classes:
                continue
            with self.subTest(estimator=estimator):
                model = clone(estimator).fit(*WINE)
                values = model.decision_function(WINE[0])
                self.assertEqual(values.shape, (178, 3))
                self.assertTrue((values.argmax(axis=1) == model.predict(WINE[0])).all())

    def test_one_value_a_pair_on_request(self):
        model = estimators.MarginSVC(decision_function_shape="ovo").fit(*WINE)
        self.assertEqual(model.decision_function(WINE[0]).shape, (178, 3))
        theirs = make_pipeline(StandardScaler(), SVC(gamma="auto", tol=1e-6, decision_function_shape="ovo")).fit(*WINE)
        model.set_params(tol=1e-6).fit(*WINE)
        np.testing.assert_allclose(model.decision_function(WINE[0]), theirs.decision_function(WINE[0]), atol=1e-3)

    def test_an_svc_of_scikit_learn_has_the_same_vectors(self):
        X = StandardScaler().fit_transform(CANCER[0])
        ours = estimators.MarginSVC(C=2, scale="none", tol=1e-6).fit(X, CANCER[1])
        theirs = SVC(C=2, tol=1e-6).fit(X, CANCER[1])
        self.assertEqual(sorted(ours.support_), sorted(theirs.support_))
        self.assertTrue((X[ours.support_] == ours.support_vectors_).all())
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)

    def test_probabilities_sum_to_one_and_follow_the_answers(self):
        for data in (TWO, WINE):
            model = estimators.MarginSVC(probability=True, random_state=2).fit(*data)
            chances = model.predict_proba(data[0])
            np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-9)
            self.assertGreater(np.mean(model.classes_[chances.argmax(axis=1)] == model.predict(data[0])), 0.98)
            self.assertEqual(pickle.loads(pickle.dumps(model)).predict_proba(data[0]).tobytes(), chances.tobytes())
        self.assertFalse(hasattr(estimators.MarginSVC(), "predict_proba"))

    def test_weights_are_repetitions(self):
        rng = np.random.default_rng(1)
        counts = rng.integers(0, 3, len(TWO[0]))
        for estimator in (estimators.MarginSVC(C=2, tol=1e-9), estimators.MAMClassifier(), estimators.RatesClassifier(0.7, 0.7)):
            weighted = clone(estimator).fit(*TWO, sample_weight=counts)
            repeated = clone(estimator).fit(np.repeat(TWO[0], counts, axis=0), np.repeat(TWO[1], counts))
            np.testing.assert_allclose(weighted.decision_function(TWO[0]), repeated.decision_function(TWO[0]), atol=1e-5)

    def test_learning_row_after_row_ends_where_a_fit_does(self):
        X, y = WINE
        whole = estimators.MAMClassifier(scale="none").fit(X, y)
        parts = estimators.MAMClassifier(scale="none")
        for i in range(0, len(X), 50):
            parts = pickle.loads(pickle.dumps(parts.partial_fit(X[i:i + 50], y[i:i + 50], classes=[0, 1, 2])))
        self.assertEqual(parts.decision_function(X).tobytes(), whole.decision_function(X).tobytes())
        half = estimators.MAMClassifier(scale="none").fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
        np.testing.assert_allclose(half.coef_, whole.coef_, rtol=1e-9)

    def test_wrong_parameters_are_named(self):
        for estimator, words in ((estimators.MarginSVC(C=-1), "C=-1"), (estimators.MarginSVC(kernel="cubic"), "kernel='cubic'"),
                                 (estimators.MarginSVC(gamma="wide"), "gamma='wide'"), (estimators.KMOMDClassifier(2), "lam=2"),
                                 (estimators.TVQClassifier(method="som"), "method='som'"),
                                 (estimators.TVQClassifier(method="hss", theta=0.1), "theta does not apply to method='hss'"),
                                 (estimators.RatesClassifier(1e-3, 1e-3), "cannot be had"),
                                 (estimators.MarginSVC(nu=1.5), "nu=1.5"), (estimators.MarginSVC(tol=True), "tol=True is not a value"),
                                 (estimators.SecoClassifier(cheap=1), "cheap=1 is not True or False"),
                                 (estimators.CompactClassifier(8, features=0), "features=0"),
                                 (estimators.CompactClassifier(8, features=2, rank=2), "features and rank are two ways to make vectors short"),
                                 (estimators.OneClassMargin(form="ball"), "form='ball'"),
                                 (estimators.OneClassMargin(n_tangents=1), "n_tangents has no meaning with form plane"),
                                 (estimators.OneClassMargin(form="prototypes", lam=0.5), "lam has no meaning with form prototypes"),
                                 (estimators.OneClassMargin(form="sphere", kernel="poly"), "take kernel linear or rbf"),
                                 (estimators.MarginSVR(outside=2), "outside=2")):
            with self.subTest(estimator=estimator), self.assertRaisesRegex(ValueError, words):
                fitted(estimator)

    def test_sparse_rows_are_refused_in_words(self):
        for estimator in (*EACH, *OTHERS):
            with self.assertRaisesRegex(TypeError, "dense"):
                clone(estimator).fit(sparse.csr_matrix(IRIS[0]), IRIS[1])
            with self.assertRaisesRegex(TypeError, "dense"):
                fitted(estimator).predict(sparse.csr_matrix(rows_of(estimator)))


class Others(Folder):
    def test_one_class_keeps_the_rate_of_false_alarms(self):
        rng = np.random.default_rng(3)
        model = estimators.OneClassMargin(nu=0.1).fit(rng.normal(size=(400, 3)))
        self.assertLess(abs(np.mean(model.predict(rng.normal(size=(4000, 3))) == -1) - 0.1), 0.05)
        self.assertTrue((model.predict(rng.normal(8, 1, size=(50, 3))) == -1).all())
        self.assertEqual(pickle.loads(pickle.dumps(model))._machine_.state(), model._machine_.state())
        self.assertGreater(model.export_c(self.path("m.h"), format="q15")["bytes"], 0)

    def test_numbers_are_met(self):
        rng = np.random.default_rng(4)
        X = rng.uniform(-2, 2, size=(300, 2))
        y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
        model = estimators.MarginSVR(C=10).fit(X[:200], y[:200])
        self.assertGreater(model.score(X[200:], y[200:]), 0.9)
        self.assertEqual(pickle.loads(pickle.dumps(model)).predict(X).tobytes(), model.predict(X).tobytes())
        self.assertGreater(model.export_c(self.path("m.h"))["bytes"], 0)


class Threads(unittest.TestCase):
    def test_arrays_of_doubles_are_used_where_they_are(self):
        X, seen = np.ascontiguousarray(CANCER[0]), []
        train, scores = native.train, native.Machine.predict

        def spy(rows, *rest):
            seen.append(native.ctypes.addressof(rows.x.contents))
            return train(rows, *rest)

        def spy_predict(machine, rows):
            seen.append(native.ctypes.addressof(rows.x.contents))
            return scores(machine, rows)

        with mock.patch.object(native, "train", spy), mock.patch.object(native.Machine, "predict", spy_predict):
            estimators.MarginSVC().fit(X, CANCER[1]).predict(X)
        self.assertEqual(seen, [X.ctypes.data] * 2)

    def test_one_model_answers_many_threads_and_many_models_train_at_once(self):
        model, answers, fits = estimators.MarginSVC(C=10).fit(*CANCER), [], []

        def work():
            answers.append(model.decision_function(CANCER[0]).tobytes())
            fits.append(estimators.MarginSVC(C=10).fit(*CANCER)._machine_.state())

        workers = [threading.Thread(target=work) for _ in range(6)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(set(answers), {model.decision_function(CANCER[0]).tobytes()})
        self.assertEqual(set(fits), {model._machine_.state()})

    def test_native_calls_let_go_of_the_interpreter(self):
        """While one thread trains, this one counts: with the lock held it could not."""
        X = np.random.default_rng(0).normal(size=(3000, 60))
        y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
        done, count = threading.Event(), 0
        worker = threading.Thread(target=lambda: (estimators.MarginSVC(C=100).fit(X, y), done.set()))
        worker.start()
        while not done.is_set():
            count += 1
        worker.join()
        self.assertGreater(count, 1000)


class Searches(unittest.TestCase):
    GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}

    def results(self, search, **more):
        found = search(estimators.MarginSVC(), self.GRID, cv=3, **more).fit(*WINE)
        return [found.cv_results_[name].tolist() for name in sorted(found.cv_results_) if name.startswith("split")], \
            found.best_params_, found.best_estimator_._machine_.state()

    def test_back_ends_give_the_same_to_the_bit(self):
        alone = self.results(GridSearchCV, n_jobs=1)
        for back_end in ("threading", "loky"):
            with joblib.parallel_backend(back_end, n_jobs=2):
                self.assertEqual(self.results(GridSearchCV), alone, back_end)

    def test_searches_of_numbers_and_of_one_class(self):
        y = WINE[0][:, -1]
        found = GridSearchCV(estimators.MarginSVR(), {"C": [1, 100], "squares": [False, True]}, cv=KFold(3, shuffle=True, random_state=0)).fit(WINE[0][:, :-1], y)
        self.assertGreater(found.best_score_, 0.3)
        alarms = lambda model, X, y=None: -abs(np.mean(model.predict(X) == -1) - 0.1)
        forms = GridSearchCV(estimators.OneClassMargin(nu=0.1, kernel="linear"), {"form": ["sphere", "prototypes"]}, scoring=alarms, cv=3).fit(CANCER[0])
        self.assertGreater(forms.best_score_, -0.05)

    def test_every_search_works(self):
        self.assertEqual(self.results(HalvingGridSearchCV, min_resources=60)[1].keys(), self.GRID.keys())
        self.assertEqual(self.results(RandomizedSearchCV, n_iter=3, random_state=1)[1].keys(), self.GRID.keys())
        for estimator in EACH:
            scores = cross_val_score(make_pipeline(MinMaxScaler(), clone(estimator)), *TWO, cv=3)
            self.assertTrue(np.isfinite(scores).all(), estimator)


class Devices(Folder):
    def test_every_model_becomes_headers_that_compile_and_test_themselves(self):
        names = []
        for i, estimator in enumerate((*EACH, *OTHERS)):
            model = fitted(estimator)
            for form in ("f32", "q15", "q7"):
                with self.subTest(estimator=estimator, form=form):
                    names.append(f"m{i}_{form}")
                    told = model.export_c(self.path(names[-1] + ".h"), format=form, name=names[-1])
                    self.assertEqual((told["format"], told["name"]), (form, names[-1]))
                    self.assertGreater(model.cost("cortex-m0", form).flash, told["bytes"])
        self.compile(*names)

    def test_every_image_answers_as_its_estimator(self):
        """In float: the classes are the same but where scores are as good as zero."""
        for estimator in (*EACH, *OTHERS):
            with self.subTest(estimator=estimator):
                model, X = fitted(estimator), np.ascontiguousarray(rows_of(estimator))
                model.save(self.path("m.mgn"))
                with open(self.path("m.mgn"), "rb") as file:
                    machine, _ = native.open_image(file.read())
                labels, scores = machine.predict(estimators.rows_of(X))
                if isinstance(model, estimators.MarginSVR):
                    np.testing.assert_allclose(scores, model.predict(X), atol=1e-4)
                else:
                    classes = getattr(model, "classes_", np.array([-1, 1]))
                    self.assertGreater(np.mean(classes[np.array(labels)] == model.predict(X)), 0.98)

    def compile(self, *names):
        """One program of all headers, which runs their self-tests; the answer names the first that fails."""
        with open(self.path("m.c"), "w", encoding="ascii") as file:
            file.write("#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n#include \"margin.h\"\n"
                       + "".join(f'#include "{name}.h"\n' for name in names) + "int main(void) {\n"
                       + "".join(f"if ({name}_selftest() != 0) {{ return {i}; }}\n" for i, name in enumerate(names, 1))
                       + "return 0;\n}\n")
        subprocess.run(["cc", f"-I{ROOT}", self.path("m.c"), "-o", self.path("m")], check=True)
        failed = subprocess.run([self.path("m")]).returncode
        self.assertEqual(failed, 0, failed and names[failed - 1])

    def test_a_budget_of_flash_is_kept(self):
        model = estimators.MarginSVC(C=10).fit(*CANCER)
        told = model.export_c(self.path("m.h"), format="q15", flash=1500)
        self.assertLessEqual(told["bytes"], 1500)
        with self.assertRaisesRegex(ValueError, "format='q8'"):
            model.export_c(self.path("m.h"), format="q8")
        with self.assertRaisesRegex(ValueError, "no target"):
            model.cost("z80")

    def test_a_report_is_a_page(self):
        for rows in (IRIS, ()):  # without rows, those that the model keeps
            estimators.MarginSVC().fit(*IRIS).report(self.path("page.html"), *rows)
            with open(self.path("page.html"), encoding="utf-8") as file:
                self.assertIn("Confusion matrix", file.read())
        with self.assertRaisesRegex(ValueError, "keeps no rows with their answers"):
            estimators.MarginSVR().fit(IRIS[0], IRIS[0][:, 0]).report(self.path("page.html"))

    def test_numbers_and_one_class_have_vectors_and_pages_too(self):
        rng = np.random.default_rng(6)
        X = rng.normal(size=(120, 3))
        y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=120)
        for model, more in ((estimators.MarginSVR(C=10, scale="none").fit(X, y), (y,)), (estimators.OneClassMargin(scale="none").fit(X), ())):
            self.assertTrue((X[model.support_] == model.support_vectors_).all())
            model.report(self.path("page.html"), X, *more)
            self.assertGreater(os.path.getsize(self.path("page.html")), 10000)
        theirs = SVR(C=10, epsilon=0.1, gamma=0.3, tol=1e-6).fit(X, y)
        ours = estimators.MarginSVR(C=10, epsilon=0.1, gamma=0.3, tol=1e-6, scale="none").fit(X, y)
        self.assertEqual(sorted(ours.support_), sorted(theirs.support_))

    def test_pipelines_of_scikit_learn_are_taken_over(self):
        for i, theirs in enumerate((make_pipeline(StandardScaler(), SVC(C=3)), make_pipeline(MinMaxScaler(), LogisticRegression()), NuSVC(nu=0.1),
                                    NearestCentroid(), SVR(), NuSVR(), Ridge(), make_pipeline(StandardScaler(), LinearRegression()),
                                    make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)))):
            with self.subTest(estimator=theirs):
                theirs.fit(*CANCER)
                ours = estimators.from_estimator(theirs)
                self.assertEqual(ours.n_features_in_, 30)
                np.testing.assert_allclose(ours.predict(CANCER[0]), theirs.predict(CANCER[0]), atol=1e-9)
                if hasattr(theirs, "decision_function"):
                    np.testing.assert_allclose(ours.decision_function(CANCER[0]), theirs.decision_function(CANCER[0]), atol=1e-9)
                if hasattr(theirs, "score_samples"):
                    self.assertAlmostEqual(ours.offset_, theirs[-1].offset_[0])
                again = pickle.loads(pickle.dumps(ours))
                self.assertEqual(again.predict(CANCER[0]).tobytes(), ours.predict(CANCER[0]).tobytes())
                ours.export_c(self.path(f"m{i}.h"), name=f"m{i}")
                ours.save(self.path("m.mgn"))
                self.assertGreater(ours.cost("cortex-m4f").flash, 100)
                ours.report(self.path("page.html"), CANCER[0][:50], *(() if i == 8 else (CANCER[1][:50],)))
                self.assertGreater(os.path.getsize(self.path("page.html")), 10000)
        self.compile(*(f"m{i}" for i in range(9)))
        with self.assertRaisesRegex(ValueError, "cannot be imported"):
            estimators.from_estimator(make_pipeline(StandardScaler(), SVC(kernel="sigmoid")).fit(*CANCER))


if __name__ == "__main__":
    unittest.main()
