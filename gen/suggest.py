"""suggest.py -- what somebody may have meant: names close to one that does not exist."""
from __future__ import annotations

import difflib


def close(word: str, names) -> str:
    """A question to go on after the message that there is no such name; empty if nothing is close.

    >>> close("smv", ["svr", "svm", "mam"]), close("xyz", ["svm", "mam"])
    (" (did you mean 'svm'?)", '')
    """
    lower, word = {str(name).lower(): str(name) for name in names}, word.lower()
    found = difflib.get_close_matches(word, lower, 4, 0.6)
    found.sort(key=lambda name: sorted(name) != sorted(word))  # letters in another order come first
    return f" (did you mean {lower[found[0]]!r}?)" if found else ""
