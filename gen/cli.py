"""cli.py -- the command line: arguments, exit codes, and one line for every failure."""
from __future__ import annotations

import argparse
import csv
import functools
import os

from . import commands, interrupt, methods, options, output
from .errors import Failure, Usage, shown
from .output import say


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line and exit code 2."""

    def error(self, message):
        raise Usage(message)


def value_type(parse):
    """A parser of options.py as an argparse type: its words are kept."""
    def convert(text):
        try:
            return parse(text)
        except Usage as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    convert.__name__ = "value"
    return convert


def labels_in_order(text: str) -> list[str]:
    r"""
    >>> labels_in_order("low,mid,high")
    ['low', 'mid', 'high']
    """
    labels = [label.strip() for label in next(csv.reader([text]))]
    if len(labels) < 2 or len({*labels}) < len(labels) or "" in labels:
        raise Usage(f"two labels or more, each once: {text!r}")
    return labels


def add_data(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("data (CSV, LIBSVM or ARFF text, also .gz; - is standard input)")
    group.add_argument("--label", metavar="NAME|INDEX", help="column of the label: 1 the first, -1 the last (default)")
    group.add_argument("--header", choices=("auto", "yes", "no"), default="auto",
                       help="whether a CSV file starts with names (default: found by itself)")
    group.add_argument("--zero-based", action="store_true", help="indices in LIBSVM text start at 0, not 1")


def add_training(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("--method", required=True, choices=tuple(methods.METHODS),
                        help="; ".join(f"{name}: {method.help}" for name, method in methods.METHODS.items()))
    add_data(parser)
    parser.add_argument("--positive", metavar="LABEL", help="of two classes (default: the one that sorts last)")
    parser.add_argument("--order", type=value_type(labels_in_order), metavar="L1,L2,...",
                        help="labels that are text, from the lowest to the highest, for methods of classes in order")
    group = parser.add_argument_group("method")
    for option in methods.OPTIONS.values():
        of = methods.methods_of(option.name)
        of = f" [{', '.join(of)}]" if len(of) < len(methods.METHODS) else ""
        value = {"action": "store_const", "const": True} if option.flag else \
            {"type": value_type(option.parse), "metavar": "V"}
        group.add_argument(f"--{option.name}", help=option.help + of, **value)
    parser.add_argument("--seed", type=value_type(options.between(0, 2**32 - 1, options.whole)), default=1, metavar="N",
                        help="of everything random (default 1)")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", help="write the result as a JSON object; - is standard output")


def add_folds(parser: argparse.ArgumentParser) -> None:
    count = value_type(options.between(2, 65535, options.whole))
    parser.add_argument("--folds", type=count, default=5, metavar="N", help="of cross-validation (default 5)")
    parser.add_argument("--repeats", type=value_type(options.above(0, options.whole)), default=1, metavar="N",
                        help="how often, with other folds each time (default 1)")


@functools.cache
def make_parser() -> Parser:
    parser = Parser(prog="gen", allow_abbrev=False, description="Large-margin classifiers: from a data file to C.")
    commands_of = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, words: str) -> argparse.ArgumentParser:
        return commands_of.add_parser(name, help=words, description=words, allow_abbrev=False)

    train = command("train", "Trains a model.")
    add_training(train)
    train.add_argument("--test", metavar="TEST", help="more data, to test the model on")
    cv = command("cv", "Estimates the error by cross-validation.")
    add_training(cv)
    add_folds(cv)
    tune = command("tune", "Finds the best options by cross-validation.")
    add_training(tune)
    add_folds(tune)
    tune.add_argument("--grid", action="append", default=[], type=value_type(methods.parse_grid),
                      metavar="NAME=V1,V2,...", help="values to try of an option; several grids are combined")
    predict = command("predict", "Applies a model: one line `label,score` a row.")
    predict.add_argument("model", metavar="MODEL")
    predict.add_argument("data", metavar="DATA")
    add_data(predict)
    import_ = command("import", "Takes over a model of LIBSVM or scikit-learn.")
    import_.add_argument("file", metavar="FILE")
    import_.add_argument("--from", dest="origin", choices=("libsvm", "sklearn"), help="needed for pickles only")
    import_.add_argument("--features", type=value_type(options.above(0, options.whole)), metavar="N",
                         help="how many there are, if the last ones are zero in all vectors of a LIBSVM model")
    import_.add_argument("--range", metavar="FILE", help="the file that svm-scale saved (-s)")
    export = command("export", "Writes a model as a C header.")
    export.add_argument("model", metavar="MODEL")
    for part in (predict, export):
        part.add_argument(*(["--data"] if part is export else ["--scale-data"]), metavar="DATA",
                          help="raw data to choose the scales of integers by (default: what the model file knows)")
    export.add_argument("--test", metavar="DATA", help="data to say on what the format and the budget cost (default: --data)")
    add_data(export)
    for part in (train, predict, export):
        part.add_argument("--format", choices=("f32", "q15", "q7"), default="f32" if part is predict else None,
                          help="of numbers (default f32)")
    for part in (train, export):
        part.add_argument("--flash", type=value_type(options.above(0, options.whole)), metavar="BYTES",
                          help="most bytes of tables (what the predictor reads; not its code): leaves out vectors and, "
                          "unless --format says which, makes numbers smaller where that is better")
        part.add_argument("-o", dest="output", metavar="FILE.h", required=part is export, help="write the C header")
        part.add_argument("--name", metavar="IDENT", help="what names in the header start with (default: the file's)")
    info = command("info", "Tells what is in a model file.")
    info.add_argument("model", metavar="MODEL")
    for part in (train, tune):
        part.add_argument("--calibrate", action="store_true", help="fit probabilities, by 5-fold cross-validation")
        part.add_argument("--reject", type=value_type(options.above(0)), metavar="MARGIN",
                          help="leave inputs without a class whose margin is smaller")
    for part in (train, tune, import_, export):
        part.add_argument("--save", metavar="MODEL", required=part is import_, help="write the model file (.mgn)")
    for part in (train, cv, tune, predict, export, info):
        add_json(part)
    return parser


# Arguments that name files, over all commands; `check_apart` keeps what is written from what is read.
READS = ("data", "test", "model", "file", "range", "scale_data")
WRITES = {"output": "-o", "save": "--save", "json": "--json"}


def run(argv: list[str] | None) -> None:
    arguments = make_parser().parse_args(argv)
    given = vars(arguments)
    for name, value in given.items():
        if isinstance(value, list) and (value == [] and name != "grid" or [] in value):  # what argparse makes of --name=--
            raise Usage(f"--{name.replace('_', '-')}: no value")
    output.check_apart([given[name] for name in READS if given.get(name)],
                       {option: given[name] for name, option in WRITES.items() if given.get(name) is not None})
    with output.together():
        getattr(commands, "import_" if arguments.command == "import" else arguments.command)(arguments)


def tidy_run(argv: list[str] | None) -> int:
    """Runs a command, and makes one line of whatever ends it."""
    try:
        try:
            run(argv)
        except SystemExit as end:  # --help
            output.flush_stdout()
            return end.code
        return 0
    except Usage as error:
        say(f"gen: {error} (see --help)")
        return 2
    except Failure as error:
        say(f"gen: {error}")
        return 1
    except MemoryError:
        say("gen: not enough memory")
        return 1
    except BrokenPipeError:
        output.silence(1)
        return 141
    except Exception as error:
        if os.environ.get("MARGIN_GEN_DEBUG"):
            raise
        say(f"gen: internal error: {type(error).__name__}: {shown(str(error))} (MARGIN_GEN_DEBUG=1 shows where)")
        return 1


def open_standard_files() -> None:
    """A standard file that is closed must not become the number of a file of ours."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated."""
    open_standard_files()
    interrupt.install()
    try:
        return tidy_run(argv)
    except KeyboardInterrupt:
        say("gen: interrupted")
        return 130
    except interrupt.Terminated:
        return 143
    finally:
        interrupt.finished()
