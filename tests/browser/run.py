"""run.py [NAME...]: the tests of pages, tests/browser/test_*.py, or some of them, in a browser without a window. Needs
Debian's chromium, chromium-driver and python3-selenium: `make browser`. Last line: N passed, N failed."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def main():
    sys.path[:0] = [ROOT, HERE]
    os.chdir(ROOT)
    os.environ["MARGIN_GEN_DEBUG"] = "1"
    files = sorted(name[:-3] for name in os.listdir(HERE) if name.startswith("test_") and name.endswith(".py"))
    wanted = [name for name in files if not sys.argv[1:] or name[5:] in sys.argv[1:]]
    result = unittest.TextTestRunner(stream=sys.stdout, buffer=True).run(unittest.TestLoader().loadTestsFromNames(wanted))
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
