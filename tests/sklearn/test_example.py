"""The example in cells: it runs, and leaves a header that compiles and three pictures."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

try:
    import matplotlib
except ImportError:
    matplotlib = None


@unittest.skipUnless(matplotlib, "no matplotlib: install python3-matplotlib")
class Example(unittest.TestCase):
    def test_the_digits_become_a_header_and_three_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, os.path.join(ROOT, "examples", "15_sklearn", "digits.py"), folder],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("digits.h:", run.stdout)
            for name in ("margins.png", "frontier.png", "regions.png", "digits.mgn"):
                self.assertGreater(os.path.getsize(os.path.join(folder, name)), 1000, name)
            program = os.path.join(folder, "main.c")
            with open(program, "w", encoding="ascii") as file:
                file.write('#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n#include "margin.h"\n'
                           '#include "digits.h"\nint main(void) { return digits_selftest(); }\n')
            subprocess.run(["cc", f"-I{ROOT}", program, "-o", os.path.join(folder, "main")], check=True)
            self.assertEqual(subprocess.run([os.path.join(folder, "main")]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
