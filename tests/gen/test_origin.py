"""Imported models beside the programs they come from: run where svm-train and scikit-learn happen to be installed."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import sets
from gen import exchange, from_libsvm, model, native
from test_import import rows

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Fits estimators and writes, for each: the exchange form, labels and decision values of all rows.
PROGRAM = """
import json, sys
from sklearn.neighbors import NearestCentroid
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from gen import exchange, from_sklearn
import numpy
found = []
for x, y in json.load(open(sys.argv[1])):
    x, y = numpy.array(x), numpy.array(y)
    for make in (lambda: SVC(C=10), lambda: SVC(kernel="linear"), lambda: SVC(kernel="poly", degree=2, coef0=1.0),
                 lambda: NuSVC(nu=0.1, gamma=0.3), lambda: make_pipeline(StandardScaler(), SVC(gamma=0.7)),
                 lambda: make_pipeline(MinMaxScaler((-1, 1)), StandardScaler(with_mean=False), SVC()),
                 lambda: make_pipeline(MaxAbsScaler(), LinearSVC(random_state=0)), lambda: LinearSVC(random_state=0),
                 lambda: make_pipeline(RobustScaler(), SVC()), lambda: make_pipeline(RobustScaler(with_centering=False, with_scaling=False), SVC()),
                 lambda: LogisticRegression(), lambda: NearestCentroid(),
                 lambda: make_pipeline(StandardScaler(), NearestCentroid())):
        model = make().fit(x, y)
        scores = model.decision_function(x).tolist() if len(set(y)) == 2 and hasattr(model, "decision_function") else None
        found.append((exchange.to_json(from_sklearn.convert(model)), [str(v) for v in model.predict(x)], scores, x.tolist()))
json.dump(found, open(sys.argv[2], "w"))
"""


def python_with_sklearn():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import sklearn"], capture_output=True).returncode == 0:
            return python
    return None


class Origin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def agree(self, c, x, labels, scores=None):
        """The same labels everywhere, scores to 1e-5 of the largest. On the device, in float, the same where coefficients are
        of ordinary size; where thousands of them cancel, as far as floats go."""
        made = native.make(c.centred())
        weight = sum(map(abs, c.coef or [])) * 1e-7
        for machine, slack in ((made, 0.0), (model.make(made, {"labels": c.labels}).machine, weight)):
            found, values = machine.predict(rows(x))
            differ = sum(c.labels[i] != label for i, label in zip(found, labels))
            self.assertLessEqual(differ, 1 if slack > 1e-4 else 0)
            if scores is not None:
                size = max(map(abs, scores))
                self.assertLess(max(abs(a - b) for a, b in zip(values, scores)), 1e-5 * size + slack)

    @unittest.skipUnless(python_with_sklearn(), "scikit-learn is not installed: apt-get install python3-sklearn")
    def test_scikit_learn(self):
        data, out = os.path.join(self.folder, "data.json"), os.path.join(self.folder, "out.json")
        problems = [sets.gauss(n=300, gap=0.5, seed=3), sets.ring(300), sets.gauss(n=600, classes=5, gap=0.7, d=3, seed=4)]
        with open(data, "w", encoding="utf-8") as file:
            json.dump(problems, file)
        subprocess.run([python_with_sklearn(), "-W", "ignore", "-c", PROGRAM, data, out], cwd=ROOT, check=True)
        with open(out, encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual(len(found), 39)
        for i, (text, labels, scores, x) in enumerate(found):
            with self.subTest(i=i):
                self.agree(exchange.from_json(text), x, labels, scores)

    def svm_train(self, options, x, y):
        """The model that svm-train writes, and what svm-predict says to the rows."""
        data, saved, out = (os.path.join(self.folder, name) for name in ("data", "model", "out"))
        with open(data, "w", encoding="ascii") as file:
            for row, label in zip(x, y):
                file.write(f"{label} " + " ".join(f"{i}:{v!r}" for i, v in enumerate(row, 1)) + "\n")
        subprocess.run(["svm-train", "-q", *options.split(), data, saved], check=True)
        subprocess.run(["svm-predict", data, saved, out], check=True, capture_output=True)
        with open(saved, encoding="ascii") as file:
            c = from_libsvm.read_model(file.read(), saved, len(x[0]))
        with open(out, encoding="ascii") as file:
            return c, file.read().split()

    @unittest.skipUnless(shutil.which("svm-train"), "LIBSVM is not installed: apt-get install libsvm-tools")
    def test_libsvm(self):
        for x, y in (sets.gauss(n=300, gap=0.5, seed=3), sets.ring(300), sets.gauss(n=600, classes=5, gap=0.7, d=3, seed=4)):
            for options in ("-t 0", "-t 1 -d 3 -r 1", "-t 2 -g 0.5 -c 10", "-s 1 -n 0.1 -g 1"):
                with self.subTest(options=options):
                    c, said = self.svm_train(options, x, y)
                    self.agree(c, x, said)

    @unittest.skipUnless(shutil.which("svm-train"), "LIBSVM is not installed: apt-get install libsvm-tools")
    def test_libsvm_of_one_class_and_of_numbers(self):
        """svm-predict prints numbers with six digits."""
        x, _ = sets.gauss(n=300, gap=0.5, d=3, seed=3)
        for kernel in ("-t 0", "-t 1 -d 3 -r 1", "-t 2 -g 0.5"):
            with self.subTest(kernel=kernel):
                c, said = self.svm_train(f"-s 2 -n 0.2 {kernel}", x, [1] * len(x))
                self.agree(c, x, [{"1": "normal", "-1": "anomaly"}[word] for word in said])
                for kind in ("-s 3 -p 0.2", "-s 4 -n 0.3"):
                    c, said = self.svm_train(f"{kind} {kernel}", x, [row[0] + row[1] ** 2 for row in x])
                    self.agree(c, x, ["value"] * len(x), list(map(float, said)))


if __name__ == "__main__":
    unittest.main()
