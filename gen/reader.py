"""reader.py -- reader.c from Python: a file's bytes in memory, and numbers and labels out of them."""
from __future__ import annotations

import ctypes
import functools
import gzip
import mmap
import re
import sys
import zlib
from dataclasses import dataclass

from . import build
from .errors import Failure, file_failure


class Options(ctypes.Structure):
    """reader_options of reader.c."""
    _fields_ = [(name, ctypes.c_int64) for name in ("first_line", "columns", "label")] + \
               [(name, ctypes.c_int32) for name in ("separator", "comment", "arff", "base")]


class Result(ctypes.Structure):
    """reader_result of reader.c; owns its memory."""
    _fields_ = [("x", ctypes.POINTER(ctypes.c_double)), ("label", ctypes.POINTER(ctypes.c_uint32)),
                ("text", ctypes.c_void_p), ("text_end", ctypes.POINTER(ctypes.c_int64)),
                ("text_line", ctypes.POINTER(ctypes.c_int64)),
                *((name, ctypes.c_int64) for name in ("n", "d", "labels", "end", "line", "column", "found")),
                ("error", ctypes.c_int32), ("token_size", ctypes.c_int32), ("token", ctypes.c_char * 80)]

    def __init__(self):
        super().__init__()
        self.library = library()

    def __del__(self):
        if "library" in vars(self):  # it is missing where there is no compiler
            self.library.reader_free(ctypes.byref(self))

    def texts(self) -> list[str]:
        ends = [0, *self.text_end[:self.labels]]
        raw = ctypes.string_at(self.text, ends[-1]) if self.labels else b""
        parts = [raw[a:b] for a, b in zip(ends, ends[1:])]
        try:
            return [part.decode("utf-8") for part in parts]
        except UnicodeDecodeError:
            return [part.decode("latin-1") for part in parts]


@functools.cache
def library() -> ctypes.CDLL:
    lib = build.Build("reader.c").load()
    lib.reader_sizes.restype = ctypes.c_int64
    if lib.reader_sizes() != ctypes.sizeof(Options) * 1000 + ctypes.sizeof(Result):
        raise Failure("reader.c and data.py do not agree about their structs")
    for name in ("reader_first_row", "reader_dense", "reader_libsvm"):
        getattr(lib, name).argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
    lib.reader_braces.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64,
                                  ctypes.c_void_p]
    return lib


def quoted(token: str) -> str:
    """A piece of the user's file inside a message: one line, not too long.

    >>> quoted("abc"), quoted("x" * 50)[-6:]
    ("'abc'", 'xxx...')
    """
    return repr(token) if len(token) <= 40 else repr(token[:37])[:-1] + "..."


def explain(result: Result, how: Options) -> str:
    """The words for a READER_... number, in the order of reader.c."""
    token = quoted(bytes(result.token)[:result.token_size].decode("utf-8", "replace"))
    comma = " (a decimal comma?)" if re.fullmatch(r"'[-+]?\d+,\d+'", token) else ""
    return ("", "not enough memory", f"not a number: {token}{comma}",
            f"missing value{'' if token == repr('') else ': ' + token}", f"not finite: {token}",
            f"{result.found} columns where {how.columns} are expected", "quote without an end",
            f"text after the closing quote: {token}", f"no label{'' if token == repr('') else ': ' + token}",
            f"not index:value: {token}", f"not a feature index: {token}; the first one is {how.base}",
            f"feature indices must ascend: {token}", f"feature index beyond the last feature ({how.columns}): {token}",
            "not a row of the form {index value, ...}")[result.error]


# ---- a file in memory ----

@dataclass
class Text:
    """The bytes of a file, with the place where reading goes on."""
    path: str
    content: bytes | mmap.mmap
    start: int = 0
    line: int = 1

    def address(self) -> tuple[int, int]:
        """Address and size of what has not been read; valid as long as this object."""
        size = len(self.content) - self.start
        if isinstance(self.content, bytes):
            base = ctypes.cast(ctypes.c_char_p(self.content), ctypes.c_void_p).value
        else:
            base = ctypes.addressof(ctypes.c_char.from_buffer(self.content))
        return base + self.start, size

    def fail(self, message: str, line: int | None = None, column: int | None = None) -> Failure:
        return Failure(message, self.path, line, column)

    def run(self, name: str, how: Options, *more) -> Result:
        """Calls a function of reader.c; an error becomes a Failure with its place."""
        result, (base, size) = Result(), self.address()
        how.first_line = self.line
        if getattr(library(), name)(base, size, ctypes.byref(how), *more, ctypes.byref(result)) != 0:
            raise self.fail(explain(result, how), result.line, result.column)
        return result


def load_bytes(path: str) -> bytes | mmap.mmap:
    """All of a file: unpacked if it is gzip, else mapped. `-` is the standard input."""
    if path == "-":
        content = sys.stdin.buffer.read()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    with open(path, "rb") as file:
        if file.read(2) == b"\x1f\x8b":
            file.seek(0)
            return gzip.GzipFile(fileobj=file).read()
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        except (ValueError, OSError):  # empty, or a pipe
            file.seek(0) if file.seekable() else None
            return file.read()


def open_text(path: str) -> Text:
    name = "standard input" if path == "-" else path
    try:
        content = load_bytes(path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Failure(f"damaged gzip file: {error}", name) from None
    except MemoryError:
        raise Failure("not enough memory", name) from None
    except OSError as error:
        raise file_failure(error, name) from None
    head = content[:4096]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head:
        raise Failure("not a text file (UTF-16 or binary data); UTF-8 is expected", name)
    return Text(name, content, start=3 if head.startswith(b"\xef\xbb\xbf") else 0)
