"""The estimators of gen where there is no scikit-learn. `make sklearn` runs tests/sklearn, with scikit-learn's own checks."""
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Estimators(unittest.TestCase):
    @unittest.skipIf(subprocess.run([sys.executable, "-c", "import sklearn"], capture_output=True).returncode == 0,
                     "this Python has scikit-learn")
    def test_without_scikit_learn_the_import_says_what_is_missing(self):
        run = subprocess.run([sys.executable, "-c", "import gen.sklearn"], cwd=ROOT, capture_output=True, text=True)
        self.assertIn("the estimators need scikit-learn (Debian: python3-sklearn)", run.stderr)


if __name__ == "__main__":
    unittest.main()
