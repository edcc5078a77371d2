"""scikit-learn's checks of the estimators, by Debian's Python, which has it; without it they are skipped, and say so. `make
sklearn` runs all of tests/sklearn."""
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = "/usr/bin/python3"


def has_sklearn():
    try:
        return subprocess.run([PYTHON, "-c", "import sklearn"], capture_output=True).returncode == 0
    except OSError:
        return False


class Estimators(unittest.TestCase):
    @unittest.skipUnless(has_sklearn(), "no scikit-learn: install python3-sklearn")
    def test_scikit_learns_own_checks_pass(self):
        run = subprocess.run([PYTHON, os.path.join("tests", "gen", "run.py"), "--in", os.path.join("tests", "sklearn"), "checks"],
                             cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    @unittest.skipIf(subprocess.run([sys.executable, "-c", "import sklearn"], capture_output=True).returncode == 0,
                     "this Python has scikit-learn")
    def test_without_scikit_learn_the_import_says_what_is_missing(self):
        run = subprocess.run([sys.executable, "-c", "import gen.sklearn"], cwd=ROOT, capture_output=True, text=True)
        self.assertIn("the estimators need scikit-learn (Debian: python3-sklearn)", run.stderr)


if __name__ == "__main__":
    unittest.main()
