"""The pictures of the examples and of the methods are what their script draws."""
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Pictures(unittest.TestCase):
    def test_each_picture_is_what_the_script_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(ROOT, "examples", "pictures.py"), folder], check=True)
            names = sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, found in os.walk(folder) for name in found)
            self.assertEqual(len(names), 11)
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file, open(os.path.join(ROOT, name), encoding="utf-8") as kept:
                    drawn = file.read()
                    self.assertEqual(drawn, kept.read(), f"{name}: run python3 examples/pictures.py and look at it")
                self.assertEqual(xml.etree.ElementTree.fromstring(drawn).tag, "{http://www.w3.org/2000/svg}svg")


if __name__ == "__main__":
    unittest.main()
