"""pip: the wheel in an empty environment, the source archive that builds the same wheel, and twine's judgement of both."""
import os
import subprocess
import sys
import tempfile
import unittest

import sets
from gen import wheel
from test_cmake import run


class Pip(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.wheel, self.source = (os.path.join(self.folder, build(self.folder)) for build in (wheel.build_wheel,
                                                                                            wheel.build_sdist))

    def test_the_command_works_in_an_empty_environment(self):
        place, work = os.path.join(self.folder, "environment"), os.path.join(self.folder, "elsewhere")
        run("/usr/bin/python3", "-m", "venv", place)
        run(os.path.join(place, "bin", "pip"), "install", "--quiet", "--no-index", "--disable-pip-version-check", self.wheel)
        os.mkdir(work)
        with open(os.path.join(work, "data.csv"), "w", encoding="utf-8") as file:
            file.write(sets.csv(*sets.gauss()))
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = os.path.join(place, "bin", "margin-gen")
        told = run(command, "train", "data.csv", "--method", "svm", "-o", "model.h", "--save", "model.mgn", cwd=work, env=env)
        self.assertIn("model.h", told)
        told = run(command, "fit", "data.csv", "--flash", "400", "--time", "5", "-o", "fitted.h", cwd=work, env=env)
        self.assertTrue(os.path.exists(os.path.join(work, "fitted.h")), told)
        run(command, "export", "model.mgn", "--as", "zephyr", "project", cwd=work, env=env)
        self.assertTrue(os.path.exists(os.path.join(work, "project", "modules", "margin", "zephyr", "Kconfig")))
        run(command, "export", "model.mgn", "-o", "again.h", "--name", "model", cwd=work, env=env)
        with open(os.path.join(work, "model.h")) as one, open(os.path.join(work, "again.h")) as two:
            self.assertEqual(one.read(), two.read().replace("again.h", "model.h"))

    def test_the_source_archive_builds_the_same_wheel(self):
        out = os.path.join(self.folder, "from source")
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
            "--disable-pip-version-check", "-w", out, self.source)
        built, = os.listdir(out)
        with open(os.path.join(out, built), "rb") as one, open(self.wheel, "rb") as two:
            self.assertEqual(one.read(), two.read())

    def test_twine_has_no_complaint(self):
        done = subprocess.run(["twine", "check", "--strict", self.wheel, self.source], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("PASSED"), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
