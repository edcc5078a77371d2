"""The installed package: what pip makes of the repository, and that it works far from it."""
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

import sets
from gen import wheel

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def has_pip():
    return subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check_installed(self, command, place):
        """The command trains from a folder of its own, with nothing of the repository on the path."""
        data = os.path.join(self.folder, "data.csv")
        with open(data, "w", encoding="utf-8") as file:
            file.write(sets.csv(*sets.gauss()))
        env = {**os.environ, "PYTHONPATH": place}
        run = subprocess.run([*command, "train", data, "--method", "svm", "--json", "-"], cwd=self.folder, env=env,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn('"method": "svm"', run.stdout)

    def test_a_wheel_has_all_that_is_needed(self):
        name = wheel.build_wheel(self.folder)
        place = os.path.join(self.folder, "site")
        with zipfile.ZipFile(os.path.join(self.folder, name)) as archive:
            self.assertIsNone(archive.testzip())
            archive.extractall(place)
            names = archive.namelist()
        self.assertIn("margin_gen/include/margin_impl.h", names)
        self.assertIn("margin_gen/native.c", names)
        with open(os.path.join(place, f"margin_gen-{wheel.version()}.dist-info", "RECORD"), encoding="utf-8") as file:
            self.assertEqual(sorted(line.split(",")[0] for line in file), sorted(names))
        self.check_installed([sys.executable, "-m", "margin_gen"], place)

    def test_the_same_tree_gives_the_same_wheel(self):
        content = []
        for part in "ab":
            os.mkdir(os.path.join(self.folder, part))
            with open(os.path.join(self.folder, part, wheel.build_wheel(os.path.join(self.folder, part))), "rb") as file:
                content.append(file.read())
        self.assertEqual(content[0], content[1])

    def test_a_source_archive_builds_a_wheel(self):
        with tarfile.open(os.path.join(self.folder, wheel.build_sdist(self.folder))) as archive:
            archive.extractall(self.folder)
        code = "import gen.wheel; print(gen.wheel.build_wheel('.'))"
        source = os.path.join(self.folder, f"margin_gen-{wheel.version()}")
        run = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=True)
        self.assertTrue(os.path.exists(os.path.join(source, run.stdout.strip())))

    @unittest.skipUnless(has_pip(), "pip is not installed: apt-get install python3-pip")
    def test_pip_installs_the_command_without_a_network(self):
        place = os.path.join(self.folder, "pip")
        for mode in ([], ["--editable"]):
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--prefix", place,
                            "--ignore-installed", "--disable-pip-version-check", "--no-warn-script-location",
                            "--root-user-action", "ignore", *mode, ROOT], check=True, capture_output=True)
            site = next(path for path, folders, _ in os.walk(place) if "margin_gen" in folders)
            self.check_installed([sys.executable, next(os.path.join(path, "margin-gen") for path, _, files in os.walk(place)
                                                       if "margin-gen" in files)], site)


if __name__ == "__main__":
    unittest.main()
