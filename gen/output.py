"""output.py -- files that appear whole or not at all, JSON, and words for people."""
from __future__ import annotations

import json
import math
import os
import sys
import tempfile

from .errors import Failure, file_failure


def write_file(path: str, content: bytes) -> None:
    """Writes beside the file and renames, so that a failure or an interruption leaves what was there before."""
    if path == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, a pipe: there is nothing to rename to
        write_through(path, content)
        return
    target = os.path.realpath(path)
    try:
        handle, partial = tempfile.mkstemp(prefix=".gen-", dir=os.path.dirname(target) or ".")
    except OSError as error:
        raise file_failure(error, path, "cannot write") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(partial, mode_of(target))
        os.replace(partial, target)
    except BaseException as error:
        os.unlink(partial)
        if isinstance(error, OSError):
            raise file_failure(error, path, "cannot write") from None
        raise


def write_through(path: str, content: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        raise file_failure(error, path, "cannot write") from None


def mode_of(path: str) -> int:
    """The permissions of the file that is there, or what a new file would get."""
    try:
        return os.stat(path).st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


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


def say(*words: str) -> None:
    """Words for people, on standard error."""
    print(*words, file=sys.stderr, flush=True)


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
