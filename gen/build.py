"""build.py -- compiles C on first use, keeps the result in a cache, loads it.

The cache is $XDG_CACHE_HOME/margin-gen (or ~/.cache/margin-gen). The name of an entry holds two hashes. The first one is
of the sources, the flags, the compiler's version and the processor, so nothing in it is ever out of date. The second one
is of the entry itself, so a file that was cut short or changed is never loaded. Code is loaded only from a folder that
nobody else can write to. Of many processes that need the same entry at once, one compiles and the others wait for it.
"""
from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .errors import Failure, file_failure

HERE = Path(__file__).resolve().parent
# The two headers of the library: inside the package when it is installed, beside it in the repository.
INCLUDE = HERE / "include" if (HERE / "include").is_dir() else HERE.parent
HEADERS = (INCLUDE / "margin.h", INCLUDE / "margin_impl.h")
# Bits do not depend on the vector width: the library sums in a fixed order and contraction is off.
FLAGS = ("-std=c99", "-O3", "-fPIC", "-shared", "-Werror=implicit-function-declaration")
MONTH = 30 * 24 * 3600
PATIENCE = 300.0  # seconds to wait for another process that compiles the same
# What this module writes: STEM-KEY-CONTENT.so, and while the compiler is at work STEM-KEY.RANDOM and STEM-KEY.lock; earlier
# versions wrote STEM-KEY.so and STEM-KEY.so.RANDOM.
ENTRY = re.compile(r"[a-z_]+-[0-9a-f]{32}(-[0-9a-f]{64}\.so|\.so|\.lock|(\.so)?\.[a-z0-9_]{8})")


def compiler() -> list[str]:
    """The host's C compiler: $CC, else the first of cc, gcc and clang that is there."""
    chosen = shlex.split(os.environ.get("CC", ""))
    for command in [chosen] if chosen else (["cc"], ["gcc"], ["clang"]):
        if shutil.which(command[0]):
            return command
    if chosen:
        raise Failure(f"the C compiler named by CC is not there: {chosen[0]}")
    raise Failure("no C compiler found: install gcc or clang, or name one in CC")


def compiler_version(command: list[str]) -> bytes:
    try:
        return subprocess.run([*command, "--version"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure(f"the C compiler does not run: {shlex.join(command)}: {error}") from None


def processor() -> bytes:
    """What -march=native depends on: a cache may be shared between machines."""
    try:
        lines = Path("/proc/cpuinfo").read_bytes().split(b"\n")
        return b"".join(line for line in lines if line.startswith((b"flags", b"Features", b"isa")))[:65536]
    except OSError:
        return platform.processor().encode()


def is_private(folder: Path) -> bool:
    """Whether only this user can put files into a folder: it is no link, it is the user's own, nobody else may write to
    it, and nobody else can put another one into its place."""
    own, above = folder.lstat(), folder.parent.stat()
    others = 0o002 if above.st_gid == os.getuid() else 0o022  # many systems give each user a group of the same number
    kept = above.st_uid in (0, os.getuid()) and (not above.st_mode & others or above.st_mode & stat.S_ISVTX)
    return bool(stat.S_ISDIR(own.st_mode) and own.st_uid == os.getuid() and not own.st_mode & 0o022 and kept)


def cache_folders():
    """The folders that may hold compiled code, the best one first."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        yield (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "margin-gen"
    except RuntimeError:
        pass  # no HOME, and a user without an entry in the list of users
    try:
        yield Path(tempfile.gettempdir()) / f"margin-gen-{os.getuid()}"
    except OSError:
        pass  # no temporary folder can be written


def cache_folder() -> Path:
    """The folder for compiled code. One that cannot be written, or that others can write to, is replaced by a private one
    in the temporary folder."""
    for folder in cache_folders():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_private(folder) and os.access(folder, os.W_OK | os.X_OK):
                return folder
        except OSError:
            continue
    raise Failure("no folder for compiled code that only you can write to: set XDG_CACHE_HOME to one")


def key_of(sources: tuple[Path, ...], flags: tuple[str, ...], command: list[str]) -> str:
    digest = hashlib.sha256()
    parts = [repr((flags, command)).encode(), compiler_version(command), platform.machine().encode(), processor()]
    for part in parts + [source.read_bytes() for source in sources]:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:32]


def content_hash(path: str | Path) -> str:
    """The hash of a regular file; a link or anything else is an OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"not a regular file: {path}")
        return hashlib.sha256(file.read()).hexdigest()


def whole_entry(folder: Path, start: str) -> Path | None:
    """The entry whose name starts so, if its content is what its name says. A damaged one is removed."""
    for path in sorted(folder.glob(f"{start}-*.so")):
        try:
            if path.name == f"{start}-{content_hash(path)}.so":
                return path
        except OSError:
            pass  # a link, no longer there, or not readable: as good as damaged
        if ENTRY.fullmatch(path.name):
            path.unlink(missing_ok=True)
    return None


def prune(folder: Path, keep: Path) -> None:
    """Removes what this module wrote and nobody has used for a month; files of other names stay."""
    for entry in folder.iterdir():
        try:
            if ENTRY.fullmatch(entry.name) and entry != keep and time.time() - entry.lstat().st_mtime > MONTH:
                entry.unlink()
        except OSError:
            pass  # another process may be pruning as well


class Turn:
    """The right to compile an entry, which one process has at a time. It ends with the process, however that ends. Without
    locks, or after PATIENCE, each compiles its own: that costs time, and nothing else."""

    def __init__(self, path: Path):
        self.path, self.file = path, None
        with contextlib.suppress(OSError):
            self.file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))

    def wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while self.file is not None and time.monotonic() < end:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.05)
            except OSError:
                return

    def end(self) -> None:
        """Who waits for a file that is gone looks for the entry next, and finds it."""
        if self.file is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            self.file.close()
            self.file = None


class Build:
    """One shared library, on its way or done. Several can be compiled side by side: make them all, then load each."""

    def __init__(self, source: str, *flags: str, headers: tuple[Path, ...] = ()):
        self.command, self.flags = compiler(), FLAGS + flags
        self.source = HERE / source
        self.start_of_name = f"{self.source.stem}-{key_of((self.source, *headers), self.flags, self.command)}"
        self.folder = cache_folder()
        self.path = whole_entry(self.folder, self.start_of_name)
        self.process: subprocess.Popen | None = None
        if self.path is None:
            self.turn = Turn(self.folder / f"{self.start_of_name}.lock")
            self.turn.wait()
            self.path = whole_entry(self.folder, self.start_of_name)  # of who had the turn before
            if self.path is None:
                self.start("-march=native")
            else:
                self.turn.end()

    def start(self, *more: str) -> None:
        """Compiles into a temporary file, so that a half-written library is never seen."""
        try:
            handle, self.partial = tempfile.mkstemp(prefix=self.start_of_name + ".", dir=self.folder)
        except OSError as error:
            self.turn.end()
            raise file_failure(error, str(self.folder), "cannot write compiled code") from None
        os.close(handle)
        command = [*self.command, *self.flags, *more, f"-I{INCLUDE}", str(self.source), "-o", self.partial]
        if sys.stderr is not None and sys.stderr.isatty():
            print("gen: compiling the library for this machine, once; this can take a minute", file=sys.stderr)
        self.tuned = bool(more)
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, text=True, errors="replace")
        except OSError as error:
            self.abandon()
            raise Failure(f"the C compiler does not run: {shlex.join(self.command)}: {error.strerror}") from None

    def abandon(self) -> None:
        """Ends the compiler, if it runs, and removes what it has written."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
        with contextlib.suppress(OSError):
            os.unlink(self.partial)

    def keep(self) -> None:
        """The finished file appears under its name in one step, after all of it is on the disk."""
        handle = os.open(self.partial, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        self.path = self.folder / f"{self.start_of_name}-{content_hash(self.partial)}.so"
        os.replace(self.partial, self.path)
        prune(self.folder, keep=self.path)

    def finish(self) -> Path:
        """Waits for the compiler."""
        if self.process is not None:
            try:
                self.wait()
            finally:
                self.turn.end()
        return self.path

    def wait(self) -> None:
        while self.process is not None:
            try:
                words = self.process.communicate()[1]
                code, self.process = self.process.returncode, None
                if code == 0:
                    self.keep()
                    break
            except OSError as error:
                self.abandon()
                raise file_failure(error, str(self.folder), "cannot write compiled code") from None
            except BaseException:
                self.abandon()
                raise
            self.abandon()
            if not self.tuned:
                first = next((line for line in words.splitlines() if "error" in line), words.strip()[:200])
                raise Failure(f"the C compiler failed on {self.source.name}: {first or f'exit code {code}'}")
            self.start()  # some compilers do not know -march=native

    def load(self) -> ctypes.CDLL:
        path = self.finish()
        try:
            library = ctypes.CDLL(str(path))
        except OSError as error:
            raise Failure(f"cannot load what the C compiler made: {error}") from None
        with contextlib.suppress(OSError):
            os.utime(path)  # only prune() asks
        return library
