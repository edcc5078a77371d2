"""run.py [--in FOLDER] [NAME...]: all Python tests, tests/gen/test_*.py and the docstring examples of gen, or those of some
modules. The native code is compiled first, then every file of tests is a process of its own, so that all cores have work.
--in takes another folder of tests than tests/gen, without the docstrings. Last line: N passed, N failed."""
import concurrent.futures
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

GEN = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(GEN))
HERE = GEN
FOLDER = []  # the arguments that say which folder
if sys.argv[1:2] == ["--in"]:
    FOLDER, HERE = sys.argv[1:3], os.path.abspath(sys.argv[2])
    del sys.argv[1:3]


APART = ("__main__", "sklearn")  # the examples of gen/sklearn.py are run by tests/sklearn


def suite(wanted):
    loader = unittest.TestLoader()
    tests = unittest.TestSuite()
    for name in sorted(os.listdir(HERE)):
        if name.startswith("test_") and name.endswith(".py") and (not wanted or name[5:-3] in wanted):
            tests.addTests(loader.loadTestsFromName(name[:-3]))
    for module in pkgutil.iter_modules([os.path.join(ROOT, "gen")] if HERE == GEN else []):
        if module.name not in APART and (not wanted or module.name in wanted):
            tests.addTests(doctest.DocTestSuite(importlib.import_module("gen." + module.name)))
    return tests


def modules():
    """Names for suite(): a file of tests with the module of gen of the same name, the longest first; the rest in one."""
    files = sorted(name[5:-3] for name in os.listdir(HERE) if name.startswith("test_") and name.endswith(".py"))
    files.sort(key=lambda name: -os.path.getsize(os.path.join(HERE, f"test_{name}.py")))
    if HERE != GEN:
        return [[name] for name in files]
    rest = [module.name for module in pkgutil.iter_modules([os.path.join(ROOT, "gen")])]
    return [[name] for name in files] + [[name for name in rest if name not in files]]


def run_all():
    from gen import build, native
    compiling = [build.Build("native.c", "-DMARGIN_REAL_DOUBLE", headers=native.SOURCES),
                 build.Build("native.c", headers=build.HEADERS)]
    for library in compiling:
        library.finish()
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        commands = ([sys.executable, __file__, *FOLDER, *names] for names in modules())
        for done in pool.map(lambda c: subprocess.run(c, stdout=subprocess.PIPE, stderr=subprocess.STDOUT), commands):
            text = done.stdout.decode(errors="replace")
            counts = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
            if done.returncode or not counts or "NOT RUN" in text:
                print("==", *done.args[2:], text, sep="\n")
            passed += int(counts[-1][0]) if counts else 0
            failed += max(int(counts[-1][1]), done.returncode != 0) if counts else 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    sys.path[:0] = [ROOT, HERE, GEN]
    os.chdir(ROOT)
    if len(sys.argv) == 1:
        return run_all()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MARGIN_TEST_TMP", folder)
        os.environ["MARGIN_GEN_DEBUG"] = "1"  # a defect of gen is a failure, not a line of its own
        unknown = set(sys.argv[1:]) - {name for names in modules() for name in names} - {module.name for module in pkgutil.iter_modules(["gen"])}
        if unknown:
            sys.exit(f"run.py: no tests of {', '.join(sorted(unknown))}")
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
