"""What `make dist` writes (`test_dist.py --update` writes the models of the sketches again), and the few files that registries want in the root: one version, one address, whole and
reproducible. What needs the toolchains themselves is in tests/dist."""
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from gen import dist, wheel  # noqa: E402: found by the line above when this file is run by itself

ROOT = str(wheel.ROOT)


def value(path, pattern):
    """What a pattern finds in a file, which has it once."""
    found = re.findall(pattern, dist.read(path).decode("utf-8"), re.M)
    if len(found) != 1:
        raise AssertionError(f"{path}: {pattern} is there {len(found)} times")
    return found[0]


def sketch_models():
    """The headers of the sketches, as the commands in their comments write them: paths and texts."""
    for path in (path for path in dist.files("examples") if path.endswith(".ino")):
        commands = re.findall(r"^ \*     (python3 .*?)(?: \*/)?$", dist.read(path).decode(), re.M)
        header = commands[-1].split()[-1]
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                command = command.replace("examples/", os.path.join(ROOT, "examples/"))
                subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PYTHONPATH": ROOT}, check=True,
                               capture_output=True)
            with open(os.path.join(folder, header), encoding="ascii") as file:
                yield os.path.join(os.path.dirname(path), header), file.read()


def update():
    for path, text in sketch_models():
        with open(os.path.join(ROOT, path), "w", encoding="ascii") as file:
            file.write(text)


class Root(unittest.TestCase):
    def test_all_files_have_the_version_of_the_header(self):
        for path, pattern in (("library.properties", r"^version=(.*)$"), ("library.json", r'^  "version": "(.*)",$'),
                              ("idf_component.yml", r'^version: "(.*)"$')):
            self.assertEqual(value(path, pattern), wheel.version(), path)

    def test_one_command_sets_the_address_everywhere(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(dist, "ROOT", pathlib.Path(folder)):
            for name in dist.ADDRESSED:
                with open(os.path.join(ROOT, name), encoding="utf-8") as file, open(os.path.join(folder, name), "w", encoding="utf-8") as copy:
                    copy.write(file.read())
            self.assertEqual(dist.set_address("https://forge.org/me/margin", "me@forge.org"), list(dist.ADDRESSED))
            self.assertEqual(dist.properties()["url"], "https://forge.org/me/margin")
            for name in dist.ADDRESSED:
                self.assertNotIn(".example", dist.read(name).decode())
            self.assertEqual(value("library.json", r'"email": "(.*?)"'), "me@forge.org")
            for bad in (("http://plain.org", "me@forge.org"), ("https://forge.org/ x", "me@forge.org"), ("https://forge.org", "me")):
                with self.assertRaises(ValueError):
                    dist.set_address(*bad)

    def test_all_files_have_one_address_and_one_sentence(self):
        url, sentence = dist.properties()["url"], dist.properties()["sentence"]
        for path, pattern in (("library.json", r'"homepage": "(.*)"'), ("idf_component.yml", r"^url: (.*)$"),
                              ("CMakeLists.txt", r"^URL: (.*)$")):
            self.assertEqual(value(path, pattern), url, path)
        for path, pattern in (("library.json", r'"description": "(.*)"'), ("idf_component.yml", r'^description: "(.*)"$'),
                              ("CMakeLists.txt", r"^Description: (.*)$")):
            self.assertEqual(value(path, pattern), sentence, path)

    def test_a_tag_of_git_is_the_version(self):
        tags = subprocess.run(["git", "-C", ROOT, "tag", "--points-at", "HEAD"], capture_output=True, text=True)
        for tag in re.findall(r"^v?(\d+\.\d+\.\d+)$", tags.stdout, re.M):
            self.assertEqual(tag, wheel.version())

    def test_platformio_compiles_nothing_and_exports_files_that_are_there(self):
        library = json.loads(dist.read("library.json"))
        self.assertEqual(library["build"]["srcFilter"], ["-<*>"])
        for name in library["export"]["include"] + library["headers"]:
            self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)


class Arduino(unittest.TestCase):
    """The rules of arduino-lint that need no network (LS and LP and SS numbers are its own)."""

    def test_library_properties(self):
        of = dist.properties()
        needed = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"}
        self.assertLessEqual(needed, set(of))  # LP009 and its like
        self.assertTrue(all(of.values()))
        self.assertRegex(of["name"], r"^[A-Za-z][A-Za-z0-9 _.-]{0,62}$")  # LP010 .. LP013
        self.assertNotIn("arduino", of["name"].lower())  # LP014, LP015
        self.assertRegex(of["version"], r"^\d+\.\d+\.\d+$")  # LP024
        self.assertFalse(of["paragraph"].startswith(of["sentence"]))  # LP034
        self.assertIn(of["category"], ("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing",
                                       "Data Storage", "Data Processing", "Other"))  # LP036
        self.assertRegex(of["url"], r"^https?://\S+$")  # LP039
        self.assertEqual(of["architectures"], "*")
        for name in of["includes"].split(","):
            self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)  # LP052

    def test_layout_of_the_zip(self):
        entries = dist.arduino()
        with zipfile.ZipFile(io.BytesIO(dist.zip_bytes(entries))) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            for entry in archive.infolist():  # no symbolic links, nothing that is executable: LS005, LS006
                self.assertEqual(entry.external_attr >> 16, 0o100644, entry.filename)
        self.assertEqual({name.split("/")[0] for name in names}, {"margin"})
        self.assertIn("margin/margin.h", names)  # the header has the name of the library: LS007
        self.assertIn("margin/LICENSE", names)  # LD002
        for name in names:
            self.assertFalse(re.search(r"\.(exe|so|a|o)$|/\.|/(src|utility|extras|Examples|example)/", name), name)
            if name.endswith(".ino"):
                self.assertRegex(name, r"^margin/examples/")  # LS009
                self.assertEqual(*name.removesuffix(".ino").split("/")[-2:])  # SS001: the folder has the name of the sketch
            if re.search(r"\.(c|cpp|S)$", name):
                self.assertRegex(name, r"^margin/examples/")  # nothing is compiled with the library
        self.assertTrue(any(name.endswith(".ino") for name in names))

    def test_no_sketch_outside_of_examples_in_the_tree(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-s"], capture_output=True, text=True).stdout
        for line in listed.splitlines():
            mode, path = line.split()[0], line.split("\t")[1]
            self.assertNotEqual(mode, "120000", path)
            self.assertTrue(path.startswith("examples/") or not path.endswith(".ino"), path)

    def test_models_of_the_sketches_are_what_their_commands_write(self):
        written = list(sketch_models())
        self.assertGreaterEqual(len(written), 2)
        for path, text in written:
            self.assertEqual(text, dist.read(path).decode(), f"{path} is out of date: python3 tests/gen/test_dist.py --update")

    def test_keywords_are_names_of_the_header(self):
        header = dist.read("margin.h").decode()
        lines = dist.keywords().decode("ascii").splitlines()
        self.assertGreater(len(lines), 200)
        for line in lines:
            name, kind = line.split("\t")  # one tab: LC and KF rules of the IDE
            self.assertIn(kind, ("KEYWORD1", "KEYWORD2", "LITERAL1"))
            self.assertRegex(header, rf"\b{name}\b")
        self.assertIn("margin_classify\tKEYWORD2", lines)
        self.assertIn("margin_model\tKEYWORD1", lines)


class Products(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for part in "ab":
            dist.products(wheel.Path(cls.folder, part))

    def content(self, name, part="a"):
        with open(os.path.join(self.folder, part, name), "rb") as file:
            return file.read()

    def test_the_same_tree_gives_the_same_bytes(self):
        names = os.listdir(os.path.join(self.folder, "a"))
        self.assertEqual(len(names), 12)
        for name in names:
            self.assertEqual(self.content(name), self.content(name, "b"), name)

    def test_the_sums_are_those_of_the_files(self):
        done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=os.path.join(self.folder, "a"))
        self.assertEqual(done.returncode, 0)

    def test_archives_hold_what_their_builds_read(self):
        for word, needed in (("platformio", {"library.json", "margin.h", "margin_impl.h", "LICENSE"}),
                             ("esp-idf", {"idf_component.yml", "CMakeLists.txt", "margin.h", "margin_impl.h"}),
                             ("zephyr", {"zephyr/module.yml", "zephyr/CMakeLists.txt", "zephyr/Kconfig", "zephyr/margin.c",
                                         "margin.h", "margin_impl.h"}),
                             ("cmake", {"CMakeLists.txt", "margin.h", "margin_impl.h"})):
            data = self.content(f"margin-{word}-{wheel.version()}.tar.gz")
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                members = archive.getmembers()
            names = {member.name.split("/", 1)[1] for member in members}
            self.assertLessEqual(needed, names)
            self.assertFalse(any(name.startswith(("gen/", "tests/", "ports/")) for name in names))
            self.assertEqual({(m.mtime, m.uid, m.gid, m.mode) for m in members}, {(0, 0, 0, 0o644)})

    def test_the_single_header_is_both(self):
        source = os.path.join(self.folder, "single.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#define MARGIN_IMPLEMENTATION\n#define MARGIN_PREDICT_ONLY\n#include \"margin_single.h\"\n"
                       "#include \"margin_single.h\"\n")
        for compiler in (["cc", "-std=c99"], ["c++", "-x", "c++", "-std=c++11"]):
            subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffreestanding",
                            "-I" + os.path.join(self.folder, "a"), "-c", source, "-o", source + ".o"], check=True)
            names = subprocess.run(["nm", source + ".o"], capture_output=True, text=True, check=True).stdout
            self.assertIn(" T margin_classify", names)

    def test_the_pack_describes_files_that_are_in_it(self):
        name = f"margin.margin.{wheel.version()}.pack"
        with zipfile.ZipFile(io.BytesIO(self.content(name))) as archive:
            names = set(archive.namelist())
            text = archive.read("margin.margin.pdsc")
        self.assertEqual(text, self.content("margin.margin.pdsc"))
        root = xml.fromstring(text)
        self.assertEqual([child.tag for child in root], ["vendor", "name", "description", "url", "license", "releases",
                                                         "keywords", "components"])
        self.assertEqual(root.find("releases/release").get("version"), wheel.version())
        self.assertIn(root.find("license").text, names)
        component = root.find("components/component")
        self.assertEqual(set(component.keys()), {"Cvendor", "Cclass", "Cgroup", "Csub", "Cversion"})
        self.assertEqual(component.get("Cversion"), wheel.version())
        for file in component.findall("files/file"):
            self.assertIn(file.get("category"), ("header", "source", "doc"))
            self.assertIn(file.get("name"), names)

    if os.environ.get("PACK_XSD"):  # the schema of Open-CMSIS-Pack, PACK.xsd, is in no package of Debian
        def test_the_pack_is_valid(self):
            subprocess.run(["xmllint", "--noout", "--schema", os.environ["PACK_XSD"],
                            os.path.join(self.folder, "a", "margin.margin.pdsc")], check=True)


if __name__ == "__main__":
    update() if "--update" in sys.argv else unittest.main()
