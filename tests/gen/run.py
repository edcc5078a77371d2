"""run.py -- all Python tests: tests/gen/test_*.py and the docstring examples of gen. Last line: N passed, N failed."""
import doctest
import importlib
import os
import pkgutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def suite(wanted):
    loader = unittest.TestLoader()
    tests = unittest.TestSuite()
    for name in sorted(os.listdir(HERE)):
        if name.startswith("test_") and name.endswith(".py") and (not wanted or name[5:-3] in wanted):
            tests.addTests(loader.loadTestsFromName(name[:-3]))
    for module in pkgutil.iter_modules([os.path.join(ROOT, "gen")]):
        if module.name != "__main__" and (not wanted or module.name in wanted):
            tests.addTests(doctest.DocTestSuite(importlib.import_module("gen." + module.name)))
    return tests


def main():
    sys.path[:0] = [ROOT, HERE]
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MARGIN_TEST_TMP", folder)
        os.environ["MARGIN_GEN_DEBUG"] = "1"  # a defect of gen is a failure, not a line of its own
        tests = suite(sys.argv[1:])
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1, buffer=True).run(tests)
    troubled = [getattr(test, "test_case", test) for test, _ in result.failures + result.errors]  # of subtests, the test
    failed = len(set(map(str, troubled))) + len(result.unexpectedSuccesses)
    for test, reason in result.skipped:
        print(f"NOT RUN: {test}: {reason}")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
