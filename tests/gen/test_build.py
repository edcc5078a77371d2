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

    def test_an_entry_that_was_cut_short_is_made_anew(self):
        """The first half of a library may load, and kill the process at its first use: its hash tells."""
        path = build.Build("reader.c").finish()
        content = path.read_bytes()
        for size in (0, 100, len(content) // 2, len(content) - 1):
            path.write_bytes(content[:size])
            code = "from gen.build import Build; assert Build('reader.c').load().reader_sizes() > 0"
            self.assertEqual(subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode, 0, size)
            self.assertEqual(self.entries(), [path.name])
            self.assertEqual(path.read_bytes(), content)

    def test_an_entry_that_is_a_link_is_not_followed(self):
        path = build.Build("reader.c").finish()
        path.rename(self.folder / "elsewhere.so")
        path.symlink_to(self.folder / "elsewhere.so")
        self.assertIsNotNone(build.Build("reader.c").process)

    def test_of_several_first_uses_at_once_one_compiles(self):
        """The compiler of this test counts its runs, and is slow, so that all processes find it at work."""
        log, slow = self.folder / "log", self.folder / "slow-cc"
        slow.write_text(f"#!/bin/sh\ncase $* in *--version*) ;; *) echo run >>{log}; sleep 1;; esac\nexec cc \"$@\"\n")
        slow.chmod(0o700)
        code = "from gen.build import Build; assert Build('reader.c').load().reader_sizes() > 0"
        with mock.patch.dict(os.environ, {"CC": str(slow)}):
            users = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(4)]
            self.assertEqual([user.wait() for user in users], [0] * 4)
        self.assertEqual(log.read_text().split(), ["run"])
        self.assertEqual(len(self.entries()), 1)

    def test_who_compiles_and_dies_holds_up_nobody(self):
        slow = self.folder / "slow-cc"
        slow.write_text("#!/bin/sh\ncase $* in *--version*) exec cc \"$@\";; esac\nexec sleep 60\n")
        slow.chmod(0o700)
        with mock.patch.dict(os.environ, {"CC": str(slow)}):
            first = build.Build("reader.c")
        first.process.kill()
        first.process.wait()
        with mock.patch.dict(os.environ, {"CC": str(slow)}), mock.patch("gen.build.PATIENCE", 0.2):
            second = build.Build("reader.c")  # the turn is still the first one's: it does not wait for ever
            self.assertIsNotNone(second.process)
            second.abandon()

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

    def folder_in(self, temporary, cache):
        """The folder that is chosen with these places for temporary files and for the cache."""
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(temporary)}):
            with mock.patch("tempfile.tempdir", None):
                return build.cache_folder()

    def test_a_cache_that_cannot_be_written_is_replaced(self):
        (self.folder / "file").write_text("")
        self.assertEqual(self.folder_in(self.folder, self.folder / "file"), self.folder / f"margin-gen-{os.getuid()}")

    def test_a_folder_that_others_made_or_can_change_is_refused(self):
        """Nobody else's code is loaded: no link, no other owner, no folder that others may write to."""
        (self.folder / "file").write_text("")
        bait, trap = self.folder / "bait", self.folder / f"margin-gen-{os.getuid()}"
        bait.mkdir(mode=0o700)
        refused = "no folder for compiled code that only you can write to: set XDG_CACHE_HOME to one"
        trap.symlink_to(bait)
        with self.assertRaisesRegex(Failure, refused):
            self.folder_in(self.folder, self.folder / "file")
        trap.unlink()
        for mode in (0o770, 0o707):
            trap.mkdir()
            trap.chmod(mode)
            with self.assertRaisesRegex(Failure, refused):
                self.folder_in(self.folder, self.folder / "file")
            trap.rmdir()
        with mock.patch("os.getuid", return_value=os.getuid() + 1):  # all that is here belongs to another user now
            with self.assertRaisesRegex(Failure, refused):
                self.folder_in(self.folder, self.folder)
        self.assertEqual(list(bait.iterdir()), [])

    def test_a_place_where_others_can_swap_folders_is_refused(self):
        (self.folder / "file").write_text("")
        open_place = self.folder / "open"
        open_place.mkdir()
        open_place.chmod(0o777)
        with self.assertRaises(Failure):
            self.folder_in(open_place, self.folder / "file")
        open_place.chmod(0o1777)  # as /tmp is
        self.assertEqual(self.folder_in(open_place, self.folder / "file").parent, open_place)

    def test_only_what_gen_wrote_is_pruned(self):
        path = build.Build("reader.c").finish()
        key = "0" * 32
        foreign = ["precious.so", "libfoo.so.1", "reader-notes.so", f"reader-{key}.txt", f"Reader-{key}.so"]
        own = [f"reader-{key}-{'f' * 64}.so", f"native-{key}.abcd_123", f"native-{key}.so", f"native-{key}.so.abcd_123"]
        for name in foreign + own:
            (path.parent / name).write_text("")
            os.utime(path.parent / name, (0, 0))
        (path.parent / f"reader-{key}-{'e' * 64}.so").write_text("")  # of today
        build.prune(path.parent, keep=path)
        self.assertEqual(self.entries(), sorted([path.name, f"reader-{key}-{'e' * 64}.so", *foreign]))

    def test_no_home_and_no_user(self):
        """Without HOME and without an entry in the list of users the temporary folder serves."""
        with mock.patch.dict(os.environ, {"TMPDIR": str(self.folder)}), mock.patch("tempfile.tempdir", None):
            os.environ.pop("XDG_CACHE_HOME")
            with mock.patch("pathlib.Path.home", side_effect=RuntimeError("Could not determine home directory.")):
                self.assertEqual(build.cache_folder(), self.folder / f"margin-gen-{os.getuid()}")

    def test_no_temporary_folder_either(self):
        (self.folder / "file").write_text("")
        with mock.patch("tempfile.gettempdir", side_effect=FileNotFoundError(2, "No usable temporary directory")):
            with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "file")}):
                with self.assertRaisesRegex(Failure, "^no folder for compiled code"):
                    build.cache_folder()


if __name__ == "__main__":
    unittest.main()
