"""The translation of the exporter for the playground, without a browser: it knows all the Python that the modules are
written in now. That the translation writes the same bytes is tested in tests/browser."""
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "examples", "playground"))

import translate  # noqa: E402


class Translation(unittest.TestCase):
    def test_all_modules_that_write_headers_have_a_translation(self):
        text = translate.translate(pathlib.Path(ROOT, "gen"))
        for name, _ in translate.MODULES:
            self.assertIn(f"M.{name} = ", text)
        self.assertIn("function header(", text)

    def test_python_that_is_not_known_is_refused_by_line(self):
        for source, words in (("def f():\n    with g():\n        pass\n", "gen/x.py:2: With"), ("def f(*a):\n    return a\n", "gen/x.py:1: keyword-only"),
                              ("def f():\n    return g(h=1)\n", "gen/x.py:2: a call of g by keyword")):
            with self.assertRaises(translate.Refused) as caught:
                translate.Translator("x", source, None, {}).translate()
            self.assertIn(words, str(caught.exception))

    def test_the_page_has_all_that_native_code_asks_of_a_library(self):
        """By the host's compiler, which is always there: what has no declaration in libc/ would be missing in the page."""
        at = os.path.join(ROOT, "examples", "playground")
        builtins = [f"-D__builtin_wasm_memory_{word}(...)=0" for word in ("size", "grow")]
        done = subprocess.run(["cc", "-std=c99", "-fsyntax-only", "-ffreestanding", "-fno-builtin", "-U__linux__", "-Wall", "-Wno-attributes",
                               "-Wno-unused-function", "-Werror", "-nostdinc", "-isystem", self.own_headers(), "-DMARGIN_REAL_DOUBLE", "-D_LIBC_LIMITS_H_",
                               *builtins, f"-I{at}/libc", f"-I{ROOT}/gen", f"-I{ROOT}", f"{at}/playground.c"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @staticmethod
    def own_headers():
        """Where the compiler keeps stdint.h and others that need no library."""
        return subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    unittest.main()
