"""state.py -- what a search has measured so far, in a file beside its output, so that --resume goes on where it stopped.

A line of JSON for the search, then one for each trial. A line that is not complete, the last one of a process that was
killed, is measured again."""
from __future__ import annotations

import hashlib
import json
import os

from . import build, native
from .errors import Failure, file_failure


def path_beside(*outputs: str | None) -> str | None:
    """The file beside the first output that is a file; None if there is none.

    >>> path_beside(None, "-", "a/model.h"), path_beside(None)
    ('a/model.h.search', None)
    """
    found = next((path for path in outputs if path is not None and path != "-" and not os.path.exists(path)
                  or path is not None and os.path.isfile(path)), None)
    return None if found is None else f"{found}.search"


def key_of(ground, *question) -> str:
    """The same for the same data, question and code: what was measured then is what would be measured now."""
    known = hashlib.sha256(ground.digest.encode() + repr(question).encode())
    here = build.HERE
    for source in native.SOURCES + tuple(here / name for name in ("native.c", "compress.py", "trial.py", "cost_table.py")):
        known.update(source.read_bytes())
    return known.hexdigest()


class State:
    """Results by the keys of trials."""

    def __init__(self, path: str | None, key: str, resume: bool):
        self.path, self.results, self.file = path, {}, None
        if path is None:
            return
        try:
            if resume and os.path.exists(path):
                self.read(key)
            self.file = open(path, "r+b" if self.results else "wb")
            if self.results:
                self.file.truncate(self.size)
                self.file.seek(self.size)
            else:
                self.write({"search": key})
        except OSError as error:
            raise file_failure(error, path, "cannot keep the state of the search") from None

    def read(self, key: str) -> None:
        with open(self.path, "rb") as file:
            content = file.read()
        whole = content[:content.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            found = lines[0]["search"] if lines else key
            results = {line["trial"]: line["result"] for line in lines[1:]}
        except (ValueError, KeyError, TypeError):
            raise Failure("not the state of a search; remove it or leave out --resume", self.path) from None
        if found != key:
            raise Failure("this search was about other data, options or another version; remove it or leave out --resume", self.path)
        self.results, self.size = results, len(whole)

    def write(self, line: dict) -> None:
        self.file.write(json.dumps(line).encode() + b"\n")
        self.file.flush()

    def keep(self, key: str, result) -> None:
        self.results[key] = result
        if self.file is not None:
            try:
                self.write({"trial": key, "result": result})
            except OSError as error:
                raise file_failure(error, self.path, "cannot keep the state of the search") from None

    def close(self, finished: bool) -> None:
        """A search that has tried all it wanted needs its state no more."""
        if self.file is not None:
            self.file.close()
            self.file = None
            if finished:
                os.unlink(self.path)
