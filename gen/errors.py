"""errors.py -- what can go wrong for a user, said in one line."""
from __future__ import annotations

import os


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
            place = f"{self.path}:{self.line}: " if self.line is not None else f"{self.path}: "
        if self.column is not None:
            place += f"column {self.column}: "
        return " ".join((place + self.message).split("\n"))


class Usage(Exception):
    """The command line asks for something that makes no sense: exit code 2."""


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
