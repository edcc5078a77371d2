"""build.py -- compiles C on first use, keeps the result in a cache, loads it.

The cache is $XDG_CACHE_HOME/margin-gen (or ~/.cache/margin-gen). An entry's name is a hash of the sources, the flags,
the compiler's version and the processor, so nothing in it is ever out of date.
"""
from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .errors import Failure

HERE = Path(__file__).resolve().parent
# The two headers of the library: inside the package when it is installed, beside it in the repository.
INCLUDE = HERE / "include" if (HERE / "include").is_dir() else HERE.parent
HEADERS = (INCLUDE / "margin.h", INCLUDE / "margin_impl.h")
# Bits do not depend on the vector width: the library sums in a fixed order and contraction is off.
FLAGS = ("-std=c99", "-O3", "-ffp-contract=off", "-fPIC", "-shared", "-Werror=implicit-function-declaration")
MONTH = 30 * 24 * 3600


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


def cache_folder() -> Path:
    """The folder for compiled code; one that cannot be written is replaced by a private one in the temporary folder."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "margin-gen"
    for folder in (folder, Path(tempfile.gettempdir()) / f"margin-gen-{os.getuid()}"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (OSError, RuntimeError):
            continue
        if os.access(folder, os.W_OK | os.X_OK) and folder.stat().st_uid == os.getuid():
            return folder
    raise Failure("no folder for compiled code: set XDG_CACHE_HOME to one that can be written")


def key_of(sources: tuple[Path, ...], flags: tuple[str, ...], command: list[str]) -> str:
    digest = hashlib.sha256()
    parts = [repr((flags, command)).encode(), compiler_version(command), platform.machine().encode(), processor()]
    for part in parts + [source.read_bytes() for source in sources]:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:32]


def prune(folder: Path, keep: Path) -> None:
    """Forgets what has not been built or used for a month."""
    for entry in folder.glob("*.so*"):
        try:
            if entry != keep and time.time() - entry.stat().st_mtime > MONTH:
                entry.unlink()
        except OSError:
            pass  # another process may be pruning as well


class Build:
    """One shared library, on its way or done. Several can be compiled side by side: make them all, then load each."""

    def __init__(self, source: str, *flags: str, headers: tuple[Path, ...] = ()):
        self.command, self.flags = compiler(), FLAGS + flags
        self.source = HERE / source
        key = key_of((self.source, *headers), self.flags, self.command)
        self.path = cache_folder() / f"{self.source.stem}-{key}.so"
        self.process: subprocess.Popen | None = None
        if not self.path.exists():
            self.start("-march=native")

    def start(self, *more: str) -> None:
        """Compiles into a temporary file, so that a half-written library is never seen."""
        handle, self.partial = tempfile.mkstemp(prefix=self.path.name + ".", dir=self.path.parent)
        os.close(handle)
        command = [*self.command, *self.flags, *more, f"-I{INCLUDE}", str(self.source), "-o", self.partial]
        self.tuned = bool(more)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)

    def finish(self) -> Path:
        """Waits for the compiler; the finished file appears under its name in one step."""
        while self.process is not None:
            try:
                words = self.process.communicate()[1]
            except BaseException:
                self.process.kill()
                self.process.wait()
                os.unlink(self.partial)
                raise
            code, self.process = self.process.returncode, None
            if code == 0:
                os.replace(self.partial, self.path)
                prune(self.path.parent, keep=self.path)
                break
            os.unlink(self.partial)
            if not self.tuned:
                first = next((line for line in words.splitlines() if "error" in line), words.strip()[:200])
                raise Failure(f"the C compiler failed on {self.source.name}: {first}")
            self.start()  # some compilers do not know -march=native
        return self.path

    def load(self) -> ctypes.CDLL:
        path = self.finish()
        try:
            library = ctypes.CDLL(str(path))
        except OSError:  # a damaged file in the cache: once more
            path.unlink(missing_ok=True)
            self.start("-march=native")
            try:
                library = ctypes.CDLL(str(self.finish()))
            except OSError as error:
                raise Failure(f"cannot load what the C compiler made: {error}") from None
        try:
            os.utime(path)
        except OSError:
            pass  # only prune() asks
        return library
