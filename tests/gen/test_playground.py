"""The translation of the exporter for the playground, without a browser: it knows all the Python that the modules are
written in now. That the translation writes the same bytes is tested in tests/browser."""
import os
import pathlib
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


if __name__ == "__main__":
    unittest.main()
