"""output.py -- files that appear whole or not at all, JSON, and words for people."""
from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import sys
import tempfile

from . import interrupt
from .errors import Failure, Refusal, Usage, file_failure, visible


class Outputs:
    """Files of one run. They are written beside their places first and take these together: an error, a full disk or an
    interruption on the way leaves what was there before."""

    def __init__(self):
        self.staged: list[tuple[str, str, str]] = []    # partial file, place, the user's name for it
        self.streams: list[tuple[str, bytes]] = []      # standard output, /dev/null, pipes: there is nothing to rename

    def add(self, path: str, content: bytes) -> None:
        if path == "-" or os.path.exists(path) and not os.path.isfile(path):
            self.streams.append((path, content))
            return
        target = os.path.realpath(path)
        if any(target == other for _, other, _ in self.staged):
            raise Failure("two outputs of this run go to the same file", path)
        try:
            handle, partial = tempfile.mkstemp(prefix=".gen-", dir=os.path.dirname(target) or ".")
        except OSError as error:
            raise file_failure(error, path, "cannot write") from None
        interrupt.unfinished.add(partial)
        self.staged.append((partial, target, path))
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(partial, mode_of(target))
        except OSError as error:
            raise file_failure(error, path, "cannot write") from None

    def add_folder(self, path: str, files: dict[str, bytes]) -> None:
        """A new folder, or an empty one, with these files, by their paths inside it."""
        target = os.path.realpath(path)
        try:
            partial = tempfile.mkdtemp(prefix=".gen-", dir=os.path.dirname(target))
            interrupt.unfinished.add(partial)
            self.staged.append((partial, target, path))
            for name, content in files.items():
                place = os.path.join(partial, *name.split("/"))
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(content)
            os.chmod(partial, 0o777 & ~umask())
        except OSError as error:
            raise file_failure(error, path, "cannot write") from None

    def commit(self) -> None:
        """Streams first, since they may fail; then all files take their places."""
        for path, content in self.streams:
            write_stdout(content) if path == "-" else write_through(path, content)
        with interrupt.held():
            self.take_places()

    def take_places(self) -> None:
        done: list[tuple[str, str | None]] = []  # places taken, and a second name of what was there
        try:
            for partial, target, path in self.staged:
                try:
                    done.append((target, second_name(target, partial) if len(self.staged) > 1 else None))
                    os.replace(partial, target)
                except OSError as error:
                    for place, before in reversed(done):
                        put_back(place, before, place == target)
                    raise file_failure(error, path, "cannot write") from None
        finally:
            for _, before in done:
                forget(before)

    def discard(self) -> None:
        for partial, _, _ in self.staged:
            forget(partial)


def second_name(target: str, partial: str) -> str | None:
    """Keeps what is at a place until all files of a run are in theirs; None if there is nothing."""
    name = partial + "~"
    if not os.path.lexists(target) or os.path.isdir(target):  # a folder that takes the place of one is as empty
        return None
    interrupt.unfinished.add(name)
    try:
        os.link(target, name)
    except OSError:  # a file system without links
        shutil.copy2(target, name)
    return name


def put_back(place: str, before: str | None, untouched: bool) -> None:
    with contextlib.suppress(OSError):
        if before is not None:
            os.replace(before, place)
        elif not untouched:
            interrupt.remove(place)


def forget(partial: str | None) -> None:
    """Removes an unfinished file that is still there."""
    if partial is not None:
        interrupt.remove(partial)
        interrupt.unfinished.discard(partial)


current: Outputs | None = None


@contextlib.contextmanager
def together():
    """All files that are written inside appear at the end, or none of them. A Refusal is an answer: its JSON stays."""
    global current
    outer, current = current, Outputs()
    try:
        try:
            yield
        except Refusal:
            current.commit()
            raise
        current.commit()
    finally:
        current.discard()
        current = outer


def write_file(path: str, content: bytes) -> None:
    """Writes a file; inside `together` it appears at the end, with the others."""
    if current is not None:
        current.add(path, content)
        return
    with together():
        current.add(path, content)


def write_folder(path: str, files: dict[str, bytes]) -> None:
    """Writes a folder of files, in the same manner."""
    if current is not None:
        current.add_folder(path, files)
        return
    with together():
        current.add_folder(path, files)


def write_stdout(content: bytes) -> None:
    """Writes to standard output. On a terminal what could control it becomes visible text."""
    stream = sys.stdout
    if stream is None:
        raise Failure("cannot write: it is closed", "standard output")
    if stream.isatty():
        content = "".join(c if c == "\n" else visible(c) for c in content.decode("utf-8", "replace")).encode("utf-8")
    try:
        stream.flush()
        stream.buffer.write(content)
        stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(1)
        raise file_failure(error, "standard output", "cannot write") from None


def flush_stdout() -> None:
    """What other code has printed, such as --help."""
    if sys.stdout is not None:
        write_stdout(b"")


def silence(descriptor: int) -> None:
    """Nobody can read what goes there: keep Python from complaining when it flushes at the end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def write_through(path: str, content: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        raise file_failure(error, path, "cannot write") from None


def same_file(a: str, b: str) -> bool:
    """Whether two paths lead to one file, which may not be there yet."""
    try:
        return os.path.samefile(a, b)
    except (OSError, ValueError):
        return os.path.realpath(a) == os.path.realpath(b)


def is_plain_file(path: str) -> bool:
    """Whether writing to a path replaces a file: not for standard output, /dev/null and pipes."""
    return path != "-" and (os.path.isfile(path) or not os.path.exists(path))


def check_apart(reads: list[str], writes: dict[str, str]) -> None:
    """No file is written that is read as well, and none is written twice. `writes` has paths by the option's name."""
    for i, (option, path) in enumerate(writes.items()):
        if path == "":
            raise Usage(f"{option}: no file name")
        for other, written in list(writes.items())[:i]:
            if path == written == "-":
                raise Usage(f"{other} - and {option} -: only one of them can go to standard output")
            if is_plain_file(path) and same_file(path, written):
                raise Usage(f"{option} {path}: {other} writes this file already")
        if is_plain_file(path) and any(same_file(path, read) for read in reads if read != "-"):
            raise Usage(f"{option} {path}: this file is read, and would be lost; choose another name")


def mode_of(path: str) -> int:
    """The permissions of the file that is there, or what a new file would get."""
    try:
        return os.stat(path).st_mode & 0o777
    except OSError:
        return 0o666 & ~umask()


def umask() -> int:
    """The permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_writable(path: str | None) -> None:
    """Fails before long work rather than after it."""
    if path is None or path == "-":
        return
    folder = os.path.dirname(os.path.realpath(path)) or "."
    if os.path.isdir(path):
        raise Failure("cannot write: Is a directory", path)
    if not os.path.isdir(folder):
        raise Failure("cannot write: there is no such folder", path)
    if not os.access(folder if not os.path.exists(path) else path, os.W_OK):
        raise Failure("cannot write: Permission denied", path)


def plain(value):
    """A value that JSON can say: numbers that are not finite become null.

    >>> plain({"a": float("nan"), "b": [1.5, float("inf")], "c": "x"})
    {'a': None, 'b': [1.5, None], 'c': 'x'}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def json_bytes(value: dict) -> bytes:
    """One JSON object on one line.

    >>> json_bytes({"error": 0.25, "test": None})
    b'{"error": 0.25, "test": null}\\n'
    """
    return (json.dumps(plain(value), ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


QUIET = False  # --quiet: no words but those of failures


def say(*words: str) -> None:
    """Words for people, on standard error, in one line; nothing with --quiet."""
    if not QUIET:
        complain(*words)


def complain(*words: str) -> None:
    """The same of a failure, which --quiet does not keep back. If nobody can read them, the work goes on."""
    if sys.stderr is None:
        return
    try:
        print(visible(" ".join(words)), file=sys.stderr, flush=True)
    except OSError:
        silence(2)


@contextlib.contextmanager
def quiet(wanted: bool = True):
    """Nothing but failures is said meanwhile."""
    global QUIET
    before, QUIET = QUIET, QUIET or wanted
    try:
        yield
    finally:
        QUIET = before


def percent(rate: float | None) -> str:
    """
    >>> percent(0.0234), percent(0.5), percent(None)
    ('2.34 %', '50 %', 'unknown')
    """
    return "unknown" if rate is None else f"{100 * rate:.4g} %"


def byte_words(count: int) -> str:
    """
    >>> byte_words(272), byte_words(9999), byte_words(20480), byte_words(2714040)
    ('272 bytes', '9999 bytes', '20 KB', '2.6 MB')
    """
    if count < 10000:
        return f"{count} bytes"
    size, unit = (count / 1024, "KB") if count < 1024 * 1024 else (count / 1024**2, "MB")
    return f"{size:.3g} {unit}" if size >= 100 else f"{round(size, 1):g} {unit}"
