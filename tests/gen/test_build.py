"""The cache of compiled code: first use, second use, no compiler, broken code, several processes at once."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from gen import build
from gen.errors import Failure

ROOT = Path(__file__).resolve().parents[2]


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        patch = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder)})
        patch.start()
        self.addCleanup(patch.stop)

    def entries(self):
        return sorted(p.name for p in (self.folder / "margin-gen").iterdir())

    def test_first_use_compiles_and_second_does_not(self):
        self.assertGreater(build.Build("reader.c").load().reader_sizes(), 0)
        again = build.Build("reader.c")
        self.assertIsNone(again.process)
        self.assertEqual(self.entries(), [again.path.name])
        self.assertNotEqual(build.Build("reader.c", "-DX").finish(), again.path)

    def test_a_damaged_entry_is_made_anew(self):
        path = build.Build("reader.c").finish()
        path.write_bytes(b"garbage")
        self.assertGreater(build.Build("reader.c").load().reader_sizes(), 0)

    def test_several_first_uses_at_once(self):
        code = "from gen.build import Build; assert Build('reader.c').load().reader_sizes() > 0"
        users = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(4)]
        self.assertEqual([user.wait() for user in users], [0] * 4)
        self.assertEqual(len(self.entries()), 1)

    def test_no_compiler_is_one_clear_line(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder), "CC": ""}):
            with self.assertRaisesRegex(Failure, "^no C compiler found: install gcc or clang, or name one in CC$"):
                build.Build("reader.c")
        with mock.patch.dict(os.environ, {"CC": "no-such-cc -m32"}):
            with self.assertRaisesRegex(Failure, "^the C compiler named by CC is not there: no-such-cc$"):
                build.Build("reader.c")

    def test_code_that_does_not_compile_leaves_nothing(self):
        bad = self.folder / "bad.c"
        bad.write_text("int f(void) { return x; }\n")
        with self.assertRaisesRegex(Failure, "the C compiler failed on bad.c: .*error"):
            build.Build(str(bad)).finish()
        self.assertEqual(self.entries(), [])

    def test_a_compiler_without_march_native_still_does(self):
        wrapper = self.folder / "cc-old"
        wrapper.write_text('#!/bin/sh\ncase " $* " in *" -march=native "*) exit 1;; esac\nexec cc "$@"\n')
        wrapper.chmod(0o755)
        with mock.patch.dict(os.environ, {"CC": str(wrapper)}):
            self.assertGreater(build.Build("reader.c").load().reader_sizes(), 0)

    def test_a_cache_that_cannot_be_written_is_replaced(self):
        (self.folder / "file").write_text("")
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "file"), "TMPDIR": str(self.folder)}):
            with mock.patch("tempfile.tempdir", None):
                self.assertEqual(build.cache_folder(), self.folder / f"margin-gen-{os.getuid()}")


if __name__ == "__main__":
    unittest.main()
