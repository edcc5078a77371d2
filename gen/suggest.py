"""suggest.py -- what somebody may have meant: names close to one that does not exist."""
from __future__ import annotations

import difflib


def close(word: str, names) -> str:
    """A question to go on after the message that there is no such name; empty if nothing is close.

    >>> close("smv", ["svm", "mam"]), close("xyz", ["svm", "mam"])
    (" (did you mean 'svm'?)", '')
    """
    lower = {str(name).lower(): str(name) for name in names}
    found = difflib.get_close_matches(word.lower(), lower, 1, 0.6)
    return f" (did you mean {lower[found[0]]!r}?)" if found else ""
