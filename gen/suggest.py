"""suggest.py -- what somebody may have meant: names close to one that does not exist."""
from __future__ import annotations

import difflib


def close(word: str, names) -> str:
    """A question to go on after the message that there is no such name; empty if nothing is close.

    >>> close("smv", ["svr", "svm", "mam"]), close("xyz", ["svm", "mam"])
    (" (did you mean 'svm'?)", '')
    >>> close("svn", ["svm", "seco", "svr"])
    " (did you mean 'svm' or 'svr'?)"
    """
    lower, word = {str(name).lower(): str(name) for name in names}, word.lower()
    found = {name: difflib.SequenceMatcher(None, word, name).ratio() for name in lower}
    found = {name: share + (sorted(name) == sorted(word)) for name, share in found.items() if share >= 0.6}  # in another order: first
    best = [repr(lower[name]) for name in found if found[name] == max(found.values())]
    return f" (did you mean {' or '.join(best[:2])}?)" if best else ""
