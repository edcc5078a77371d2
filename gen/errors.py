"""errors.py -- what can go wrong for a user, said in one line."""
from __future__ import annotations

import os


def visible(text: str) -> str:
    """Text of unknown origin for people: what could control a terminal becomes an escape that can be read.

    >>> print(visible("a\\x1b[2J\\u202eb\\tc"))
    a\\x1b[2J\\u202eb\\tc
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(text: str, most: int = 120) -> str:
    """Text of unknown origin in a message: printable, on one line, not too long.

    >>> shown("a\\tb\\n"), shown("x" * 500) == "x" * 117 + "..."
    ('a\\\\tb\\\\n', True)
    """
    text = visible(str(text)[:2 * most])
    return text if len(text) <= most else text[:most - 3] + "..."


class Failure(Exception):
    """The work failed: `gen: FILE:LINE: column C: message`, exit code 1.

    >>> print(Failure("not a number: 'abc'", path="data.csv", line=17, column=3))
    data.csv:17: column 3: not a number: 'abc'
    >>> print(Failure("no rows", path="data.csv"))
    data.csv: no rows
    >>> print(Failure("no C compiler"))
    no C compiler
    """

    def __init__(self, message: str, path: str | None = None, line: int | None = None, column: int | None = None):
        super().__init__(message)
        self.message, self.path, self.line, self.column = message, path, line, column

    def __str__(self) -> str:
        place = ""
        if self.path is not None:
            path = shown(self.path, 250)
            place = f"{path}:{self.line}: " if self.line is not None else f"{path}: "
        if self.column is not None:
            place += f"column {self.column}: "
        return place + shown(self.message, 300)


class Usage(Exception):
    """The command line asks for something that makes no sense: exit code 2."""

    def __str__(self) -> str:
        return shown(super().__str__(), 500)


class Refusal(Failure):
    """An ordinary answer of some methods: what is wanted cannot be had. Exit code 1, after the JSON, in which `word` is
    the status and `told` what the method has to say."""

    def __init__(self, message: str, word: str, told: dict):
        super().__init__(message)
        self.word, self.told = word, told


def file_failure(error: OSError, path: str, what: str = "cannot read") -> Failure:
    """An operating system error in the words of a user.

    >>> print(file_failure(FileNotFoundError(2, "No such file or directory"), "x.csv"))
    x.csv: cannot read: No such file or directory
    """
    return Failure(f"{what}: {error.strerror or os.strerror(error.errno or 5)}", path=path)
