"""manual.py -- help texts: what most people need first, then all about one method."""
from __future__ import annotations

import argparse
import re
import textwrap

from . import methods, suggest
from .errors import Usage
from .options import COMMON

EXAMPLES = """Three examples that work as they stand, one after the other:
  python3 -m gen example motor.csv                             # a small data file to try things with
  python3 -m gen fit motor.csv --flash 2K -o motor.h           # the best model that fits into 2 KB, as a C header
  python3 -m gen train motor.csv --method svm --kernel rbf --save motor.mgn -o motor.h   # a method of your own choice"""

# Options that the short help of a command shows; all others stand in the help of a method.
SHORT = ("data", "method", "kernel", "label", "test", "folds", "repeats", "grid", "resume", "output", "save", "format", "flash",
         "json", "quiet")


# What the kernels that people begin with do.
KERNEL_WORDS = {"linear": "linear draws planes", "hinge": "hinge draws planes with folds", "rbf": "rbf bends around the data"}

# Options about labels, and the kind of labels (Method.targets) that each is for: other methods refuse it.
KINDS = {"positive": "classes", "order": "order", "normal": "normal"}


def method_of(argv: list[str]) -> str | None:
    """The method that a command line names.

    >>> method_of(["train", "--method", "svm", "--help"]), method_of(["train", "--method=mam"]), method_of(["train", "--method", "-h"])
    ('svm', 'mam', None)
    >>> method_of(["train", "--method", "smv", "--help"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    gen.errors.Usage: no method 'smv' (did you mean 'svm'?); there are mam, kmomd, svm, ...
    """
    for word, after in zip(argv, [*argv[1:], ""]):
        name = after if word == "--method" else word[9:] if word.startswith("--method=") else ""
        if name in methods.METHODS:
            return name
        if name and not name.startswith("-"):
            raise Usage(f"no method {name!r}{suggest.close(name, methods.METHODS)}; there are {', '.join(methods.METHODS)}")
    return None


def text(parser: argparse.ArgumentParser, argv: list[str]) -> str:
    if argv[0] == "fit":
        return fit_help(parser)
    method = method_of(argv)
    return method_help(parser, method) if method else short_help(parser)


def lines_of(actions, helps: dict[str, str] | None = None) -> list[str]:
    """Each option and its sentence, side by side."""
    found = []
    for action in actions:
        words = ", ".join(action.option_strings) or action.metavar
        if action.option_strings and action.nargs != 0:
            words += f" {action.metavar or '{' + ','.join(map(str, action.choices)) + '}'}"
        body = textwrap.wrap((helps or {}).get(action.dest) or action.help or "", 82)
        head = [] if len(words) <= 26 else [f"  {words}"]
        first = f"  {words:<28}" if not head else " " * 30
        found += [*head, *(f"{first if i == 0 else ' ' * 30}{line}" for i, line in enumerate(body or [""]))]
    return found


def about(name: str, words: str) -> str:
    """Of sentences, those that are about a method. One that begins with names of methods is about these, one that begins with
    "others" about all that no sentence names, and what follows it is about the same ones. The first sentence is about all.

    >>> text = "The price of a mistake. svm: the default is 1. It is positive. tvq, td: not used. others: the default is 2."
    >>> about("svm", text), about("td", text), about("svr", text)
    ('The price of a mistake. The default is 1. It is positive.', 'The price of a mistake. Not used.', 'The price of a mistake. The default is 2.')
    """
    parts = [sentence.partition(": ") for sentence in re.split(r"(?<=\.) ", words)]
    heads = [head.split(", ") if colon else [] for head, colon, _ in parts]
    heads = [found if set(found) <= {*methods.METHODS, "others"} else [] for found in heads]
    named, kept, meant = {word for found in heads for word in found}, [], True
    for found, (head, colon, rest) in zip(heads, parts):
        meant = name in found or "others" in found and name not in named if found else meant
        kept += [(rest[0].upper() + rest[1:] if found else head + colon + rest)] if meant else []
    return " ".join(kept)


def fit_help(parser: argparse.ArgumentParser) -> str:
    """An example, and all options under what they are about."""
    lines = [f"usage: {parser.prog} DATA [options]", "", parser.description, "", "for example:",
             "  python3 -m gen fit data.csv --flash 2K --target cortex-m0 -o model.h"]
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.dest != "help"]
        lines += ["", f"{group.title}:", *lines_of(actions)] if actions else []
    return "\n".join(lines) + "\n"


def short_help(parser: argparse.ArgumentParser) -> str:
    """What most people need, and the methods."""
    shown = [action for action in parser._actions if action.dest in SHORT]
    lines = [f"usage: {parser.prog} DATA --method METHOD [options]", "", parser.description, "", *lines_of(shown), "",
             "methods (if you do not know which: `gen fit` finds out):"]
    for name, method in methods.METHODS.items():
        body = textwrap.wrap(method.help, 82)
        lines += [f"  {name if i == 0 else '':<28}{line}" for i, line in enumerate(body)]
    return "\n".join([*lines, "", f"All options of a method: {parser.prog} --method svm --help"]) + "\n"


def method_help(parser: argparse.ArgumentParser, name: str) -> str:
    """All options that a method takes, its own first."""
    method, by_name = methods.METHODS[name], parser._option_string_actions
    own = [by_name[word] for option in method.options for word in (f"--{option.name}", f"--no-{option.name}") if word in by_name]
    common = [by_name[f"--{option.name}"] for option in COMMON if method.takes(option.name)]
    of_methods = {option.key for option in methods.OPTIONS.values()}
    unused = {"method"} | {option for option, kind in KINDS.items() if kind != method.targets}
    rest = [action for action in parser._actions if action.dest not in of_methods | unused]
    known = [KERNEL_WORDS[kernel] for kernel in method.kernels if kernel in KERNEL_WORDS]
    kernel = f"The kernel: {', '.join(method.kernels)}. {', and '.join(known)}. The default is {method.kernels[0]}."
    lines = [f"usage: {parser.prog} DATA --method {name} [options]", "", f"{name}: {method.help}"]
    for title, actions in ((f"options of {name}:", own), ("options that methods share:", common), ("data, files and all else:", rest)):
        if actions:
            lines += ["", title, *lines_of(actions, {**{action.dest: about(name, action.help or "") for action in actions}, "kernel": kernel})]
    return "\n".join(lines) + "\n"
