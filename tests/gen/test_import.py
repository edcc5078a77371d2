"""Models of LIBSVM and scikit-learn: read, refused, and predicting as their origin does."""
import math
import unittest
from array import array

from gen import exchange, from_libsvm, from_sklearn, native
from gen.data import Data
from gen.errors import Failure

BINARY = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 3
rho 0.25
label 1 -1
nr_sv 1 2
SV
1.5 1:1 3:-2
-0.5 2:0.5
-1 1:-1 2:1 3:3
"""
THREE = """svm_type c_svc
kernel_type polynomial
degree 2
gamma 0.5
coef0 1
nr_class 3
total_sv 4
rho 0.1 -0.2 0.3
label 5 3 4
nr_sv 1 2 1
SV
1 0.5 1:1
-1 0 2:1
0 0.7 1:-1 2:0.5
-0.5 -0.7 1:0.25 2:-1
"""
X3 = [[0, 0, 0], [1, 0, -2], [-1, 2, 3], [0.5, 0.25, 1]]
X2 = [[0, 0], [1, 0], [-1, 2], [0.5, 0.25], [3, -3]]


def rows(x):
    """A matrix as gen's data."""
    flat = array("d", (v for row in x for v in row))
    pointer = native.ctypes.cast(flat.buffer_info()[0], native.ctypes.POINTER(native.DOUBLE))
    return native.Rows(Data("test", len(x), len(x[0]), pointer, None, None, owner=flat), None, 0)


def predict(c, x):
    labels, scores = native.make(c).predict(rows(x))
    return [c.labels[i] for i in labels], list(scores)


def libsvm(text, x):
    """LIBSVM's own rule, written down from its README: label and decision values of each row."""
    head, _, body = text.partition("SV\n")
    head = {line.split()[0]: line.split()[1:] for line in head.splitlines()}
    k, gamma = len(head["label"]), float(head["gamma"][0])
    pool = []
    for line in body.splitlines():
        words = line.split()
        pool.append(([float(w) for w in words[:k - 1]], {int(w.split(":")[0]): float(w.split(":")[1]) for w in words[k - 1:]}))
    starts = [sum(map(int, head["nr_sv"][:i])) for i in range(k + 1)]

    def kernel(sv, row):
        z = [sv.get(i + 1, 0.0) for i in range(len(row))]
        if head["kernel_type"] == ["rbf"]:
            return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(z, row)))
        return (gamma * sum(a * b for a, b in zip(z, row)) + float(head["coef0"][0])) ** int(head["degree"][0])

    found = []
    for row in x:
        values, votes, p = [kernel(sv, row) for _, sv in pool], [0] * k, 0
        for i in range(k):
            for j in range(i + 1, k):
                dec = sum(pool[s][0][j - 1] * values[s] for s in range(starts[i], starts[i + 1]))
                dec += sum(pool[s][0][i] * values[s] for s in range(starts[j], starts[j + 1])) - float(head["rho"][p])
                votes[i if dec > 0 else j] += 1
                p += 1
        found.append((head["label"][votes.index(max(votes))], dec))
    return found


class Libsvm(unittest.TestCase):
    def test_two_classes(self):
        c = from_libsvm.read_model(BINARY, "m")
        self.assertEqual((c.labels, c.d, c.class_sizes), (["-1", "1"], 3, [2, 1]))
        labels, scores = predict(c, X3)
        for label, score, (expected, dec) in zip(labels, scores, libsvm(BINARY, X3)):
            self.assertEqual(label, expected)
            self.assertAlmostEqual(score, dec, places=12)  # label 1 is both LIBSVM's first and our positive class
        turned = BINARY.replace("label 1 -1", "label -1 1")
        for label, score, (expected, dec) in zip(*predict(from_libsvm.read_model(turned, "m"), X3), libsvm(turned, X3)):
            self.assertEqual(label, expected)
            self.assertAlmostEqual(score, -dec, places=12)

    def test_three_classes(self):
        c = from_libsvm.read_model(THREE, "m")
        self.assertEqual((c.labels, c.scheme), (["5", "3", "4"], "votes"))
        self.assertEqual(predict(c, X2)[0], [label for label, _ in libsvm(THREE, X2)])

    def test_a_linear_kernel_becomes_weights(self):
        """By hand: w = 2 (1, 0) - (0, 3) = (2, -3), b = -0.5."""
        text = ("svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 0\nnr_sv 1 1\nSV\n"
                "2 1:1\n-1 2:3\n")
        machine = native.make(from_libsvm.read_model(text, "m"))
        self.assertEqual((machine.trained("w"), machine.trained("bias")), ([2, -3], [-0.5]))

    def test_features_that_no_vector_has(self):
        self.assertEqual(from_libsvm.read_model(BINARY, "m", 5).d, 5)
        with self.assertRaisesRegex(Failure, "a feature 3, beyond the 2"):
            from_libsvm.read_model(BINARY, "m", 2)

    def test_range_file_of_svm_scale(self):
        """By hand: 10 .. 20 onto -1 .. 1; feature 2 is not in the file."""
        offset, factor = from_libsvm.read_range("x\n-1 1\n1 10 20\n", "r", 2)
        self.assertEqual([(x - offset[0]) * factor[0] for x in (10, 15, 20)], [-1, 0, 1])
        self.assertEqual(factor[1], 0)
        with self.assertRaisesRegex(Failure, "r:1: not a range file"):
            from_libsvm.read_range("y\n", "r", 2)
        with self.assertRaisesRegex(Failure, "r:3: not a line"):
            from_libsvm.read_range("x\n0 1\n7 1 2\n", "r", 2)

    def test_bad_files_name_the_place(self):
        for old, new, words in (
                ("c_svc", "ranking", "m: svm_type ranking cannot be imported"),
                ("rbf", "sigmoid", "m: kernel_type sigmoid cannot be imported"),
                ("rho 0.25\n", "", "m: no line rho"),
                ("rho 0.25", "rho x", "m:6: column 2: not a number: 'x'"),
                ("nr_sv 1 2", "nr_sv 1 1", "m: nr_sv does not add up"),
                ("label 1 -1", "label 1", "m: label: 1 values for 2 classes"),
                ("2:0.5", "2:0.x", "m:11: column 2: not a number"),
                ("2:0.5", "2", "m:11: column 2: not index:value"),
                ("1:1 3:-2", "3:1 1:-2", "m:10: column 3: not index:value with ascending"),
                ("-1 1:-1 2:1 3:3\n", "", "m: the file ends early"),
                ("1.5 1:1", "nan 1:1", "m:10: column 1: not finite")):
            with self.subTest(new=new), self.assertRaises(Failure) as caught:
                from_libsvm.read_model(BINARY.replace(old, new, 1), "m")
            self.assertIn(words, str(caught.exception))


class Matrix(list):
    """As much of a numpy array as an estimator's attributes need."""
    def tolist(self):
        return [list(row) if isinstance(row, list) else row for row in self]

    @property
    def T(self):
        return Matrix(map(list, zip(*self)))


def fake(name, **attributes):
    return type(name, (), attributes)()


class Sklearn(unittest.TestCase):
    """The attributes of fitted estimators, as scikit-learn documents them, on estimators made by hand."""

    def test_svc_of_two_classes(self):
        svc = fake("SVC", classes_=["a", "b"], kernel="rbf", _gamma=0.5, degree=3, coef0=0.0, n_support_=[2, 1],
                   support_vectors_=Matrix([[0, 0.5, 0], [-1, 1, 3], [1, 0, -2]]), dual_coef_=Matrix([[-0.5, -1, 1.5]]),
                   intercept_=[-0.25])
        labels, scores = predict(from_sklearn.convert(svc), X3)
        for label, score, (expected, dec) in zip(labels, scores, libsvm(BINARY, X3)):
            self.assertEqual(label, {"1": "b", "-1": "a"}[expected])
            self.assertAlmostEqual(score, dec, places=12)

    def test_svc_of_three_classes_keeps_the_signs_of_libsvm(self):
        svc = fake("SVC", classes_=["5", "3", "4"], kernel="poly", _gamma=0.5, degree=2, coef0=1.0, n_support_=[1, 2, 1],
                   support_vectors_=Matrix([[1, 0], [0, 1], [-1, 0.5], [0.25, -1]]),
                   dual_coef_=Matrix([[1, -1, 0, -0.5], [0.5, 0, 0.7, -0.7]]), intercept_=[-0.1, 0.2, -0.3])
        self.assertEqual(predict(from_sklearn.convert(svc), X2)[0], [label for label, _ in libsvm(THREE, X2)])

    def test_linear_classifiers(self):
        two = fake("LinearSVC", classes_=[0, 1], coef_=Matrix([[2, -3]]), intercept_=Matrix([0.5]))
        self.assertEqual(predict(from_sklearn.convert(two), [[1, 0], [0, 1]]), (["1", "0"], [2.5, -2.5]))
        three = fake("LinearSVC", classes_=[0, 1, 2], coef_=Matrix([[1, 0], [0, 1], [-1, -1]]),
                     intercept_=Matrix([0, 0, 0.5]))
        self.assertEqual(predict(from_sklearn.convert(three), [[1, 0], [0, 2], [-1, -1], [0, 0]])[0], ["0", "1", "2", "2"])

    def test_nearest_centroid_is_nearest(self):
        for centres in ([[0, 0], [4, 0]], [[0, 0], [4, 0], [0, 5]]):
            nearest = fake("NearestCentroid", classes_=list("abc")[:len(centres)], metric="euclidean",
                           centroids_=Matrix(centres))
            x = [[1, 1], [3, -1], [-1, 4], [1.9, 0], [2.1, 0]]
            by_hand = ["abc"[min(range(len(centres)), key=lambda i: math.dist(row, centres[i]))] for row in x]
            self.assertEqual(predict(from_sklearn.convert(nearest), x)[0], by_hand)

    def test_pipelines_of_scalers(self):
        """By hand: (((x - 1) / 2) * 4 + 3 at x = 5 is 11, times 2, minus 1, is 21."""
        first = fake("StandardScaler", mean_=[1.0], scale_=[2.0], with_mean=True, with_std=True)
        second = fake("MinMaxScaler", scale_=[4.0], min_=[3.0], clip=False)
        last = fake("LinearSVC", classes_=[0, 1], coef_=Matrix([[2.0]]), intercept_=Matrix([-1.0]))
        pipe = fake("Pipeline", steps=[("a", first), ("b", second), ("none", "passthrough"), ("c", last)])
        c = from_sklearn.convert(pipe)
        self.assertEqual(predict(c, [[5.0]]), (["1"], [21.0]))
        self.assertEqual(c.origin, "scikit-learn StandardScaler, MinMaxScaler, LinearSVC")

    def test_what_cannot_be_imported_says_so(self):
        for estimator, words in (
                (fake("SVC", classes_=[0, 1], kernel="sigmoid"), "kernel 'sigmoid' cannot be imported"),
                (fake("SVC", classes_=[0, 1, 2], kernel="rbf", break_ties=True), "break_ties"),
                (fake("SVC"), "SVC is not a fitted classifier"),
                (fake("RandomForestClassifier", classes_=[0, 1]), "RandomForestClassifier cannot be imported"),
                (fake("NearestCentroid", classes_=[0, 1], metric="manhattan"), "metric 'manhattan'"),
                (fake("Pipeline", steps=[("p", fake("PCA")), ("c", fake("LinearSVC", classes_=[0, 1], intercept_=Matrix([0]),
                                                                       coef_=Matrix([[1]])))]), "PCA cannot be imported"),
                (fake("LinearSVC", classes_=[0, 1], intercept_=Matrix([math.nan]), coef_=Matrix([[1]])), "not finite")):
            with self.subTest(words=words), self.assertRaisesRegex(Failure, words):
                from_sklearn.convert(estimator)


class Exchange(unittest.TestCase):
    def test_json_and_back(self):
        for c in (from_libsvm.read_model(BINARY, "m"), from_libsvm.read_model(THREE, "m")):
            self.assertEqual(exchange.from_json(exchange.to_json(c)), c)

    def test_damaged_json_is_a_failure(self):
        good = exchange.to_json(from_libsvm.read_model(THREE, "m"))
        for old, new, words in (('"margin-exchange": 1', '"margin-exchange": 2', "another version"),
                                ('"bias": [0.1', '"bias": [', "JSONDecodeError|bias: 2 numbers"),
                                ('"bias": [0.1, -0.2, 0.3]', '"bias": [0.1]', "bias: 1 numbers where 3"),
                                ('"votes"', '"binary"', "scheme 'binary' with 3 classes"),
                                ('"class_sizes"', '"sizes"', "KeyError"), ("{", "[", "JSONDecodeError")):
            with self.subTest(new=new), self.assertRaisesRegex(Failure, words):
                exchange.from_json(good.replace(old, new, 1))


if __name__ == "__main__":
    unittest.main()
