"""cli.py -- the command line: arguments, exit codes, and one line for every failure."""
from __future__ import annotations

import argparse
import csv
import functools
import os
import re
import sys

from . import commands, completion, compress, cost, fit, interrupt, manual, methods, options, output, project, suggest
from .errors import Failure, Usage, shown
from .output import complain


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line and exit code 2, with a suggestion where a word is close to one that exists."""

    def error(self, message):
        raise Usage(message + self.meant(message))

    def meant(self, message: str) -> str:
        """
        >>> Parser().meant("argument --method: invalid choice: 'smv' (choose from 'svm', 'mam')")
        " (did you mean 'svm'?)"
        """
        found = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if found:
            return suggest.close(found[1], re.findall(r"[\w-]+", found[2]))
        return ""


def unknown_words(argv: list[str], message: str) -> str:
    """What may have been meant by options that do not exist: of the first such option, a question."""
    command = next((word for word in argv if word in commands_by_name()), None)
    if command is None:
        return ""
    known = list(commands_by_name()[command]._option_string_actions)
    words = [word.split("=")[0] for word in message.partition(": ")[2].split() if word.startswith("--")]
    words = [word for word in words if word not in known]
    return next((found for found in (suggest.close(word, known) for word in words) if found), "")


def commands_by_name() -> dict[str, Parser]:
    """The parser of each command."""
    return next(action.choices for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction))


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


def add_data(parser: argparse.ArgumentParser, stream: str = "; - is standard input", none: str = "; none: all columns are features") -> None:
    group = parser.add_argument_group(f"data (CSV, LIBSVM or ARFF text, also .gz{stream})")
    group.add_argument("--label", metavar="NAME|INDEX",
                       help=f"column of the label: 1 the first, -1 the last (default){none}")
    group.add_argument("--header", choices=("auto", "yes", "no"), default="auto",
                       help="whether a CSV file starts with names (default: found by itself)")
    group.add_argument("--zero-based", action="store_true", help="indices in LIBSVM text start at 0, not 1")


def add_training(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help="the data file: one row a sample, the label in the last column")
    parser.add_argument("--method", required=True, choices=tuple(methods.METHODS), metavar="METHOD",
                        help="how to train; the methods are listed below")
    add_data(parser)
    add_classes(parser)
    for option in methods.OPTIONS.values():
        value = {"action": "store_const", "const": True} if option.flag else \
            {"type": value_type(option.parse), "metavar": "V"}
        parser.add_argument(f"--{option.name}", help=option.help, **value)
        if option.off:
            parser.add_argument(f"--no-{option.name}", dest=option.key, action="store_const", const=False,
                                help=f"Turns --{option.name} off.")
    add_seed(parser)


def add_classes(parser: argparse.ArgumentParser, normal: str = "the label of normal rows; rows of other labels only serve to count detections "
                "(default: all rows are normal)") -> None:
    parser.add_argument("--positive", metavar="LABEL",
                        help="which of two classes is the positive one (default: the one that sorts last)")
    parser.add_argument("--normal", metavar="LABEL", help=normal)
    parser.add_argument("--order", type=value_type(labels_in_order), metavar="L1,L2,...",
                        help="the labels from the lowest to the highest, where classes have an order and are not numbers")
    parser.add_argument("--group", metavar="NAME|INDEX",
                        help="a column that is no feature but says which rows belong together (a person, a machine); they "
                        "stay in one fold of cross-validation")


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=value_type(options.between(0, 2**32 - 1, options.whole)), default=1, metavar="N",
                        help="the seed of everything random (default 1)")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", help="write the result as one JSON object; - is standard output")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def add_folds(parser: argparse.ArgumentParser) -> None:
    count = value_type(options.between(2, 65535, options.whole))
    parser.add_argument("--folds", type=count, default=5, metavar="N",
                        help="into how many parts cross-validation divides the rows (default 5)")
    parser.add_argument("--repeats", type=value_type(options.above(0, options.whole)), default=1, metavar="N",
                        help="how often, with another division each time (default 1)")


def add_header(parser: argparse.ArgumentParser, required: bool) -> None:
    parser.add_argument("-o", dest="output", metavar="FILE.h", required=required, help="write the model as a C header")
    parser.add_argument("--name", metavar="IDENT", help="what names in the header start with (default: the file's name)")


def add_fit(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("data", metavar="DATA", help="the data file: one row a sample, the label in the last column")
    add_header(files, required=False)
    files.add_argument("--test", metavar="TEST", help="rows that are not used for the search: tells the error of the pick on them")
    files.add_argument("--save", metavar="MODEL", help="write the model file (.mgn) as well")
    files.add_argument("--report", metavar="FILE.html", help="write a page about the model, as gen report does")
    add_json(files)
    size, rate = value_type(options.size), value_type(options.between(0, 1))
    budget = parser.add_argument_group("what the model may cost")
    budget.add_argument("--flash", type=size, metavar="BYTES", help="bytes of flash at most, as 2048 or 2K: for the tables of the "
                        "model or, with --target, for the model and its code")
    budget.add_argument("--ram", type=size, metavar="BYTES", help="bytes of RAM at most, the stack included")
    budget.add_argument("--cycles", type=value_type(options.above(0, options.whole)), metavar="N",
                        help="cycles of one prediction at most (instructions, where the emulator counts those)")
    budget.add_argument("--target", metavar="CHIP", help=f"the chip, whose code, RAM and cycles are then counted: {', '.join(cost.targets())}")
    budget.add_argument("--inputs", choices=("auto", "real", "integers"), default="auto", help="what your program passes to the model where the data "
                        "has fractions. real: the values as they are; integer models then need code that makes integers of them, which is "
                        "counted. integers: numbers of 16 bits, which your program makes by the offset and factor of each feature in the header; "
                        "no such code is counted. auto (default): real, or integers if --flash has no room for that code")
    wish = parser.add_argument_group("error rates that it must not exceed (two classes)")
    wish.add_argument("--max-missed", type=rate, metavar="RATE", help="the largest share of the positive class that may be missed, 0 to 1")
    wish.add_argument("--max-false-alarms", type=rate, metavar="RATE",
                      help="the largest share of the negative class that may be taken for positive, 0 to 1")
    work = parser.add_argument_group("the search")
    work.add_argument("--time", type=value_type(options.above(0)), default=60.0, metavar="SECONDS", help="how long it may take (default 60)")
    work.add_argument("--finish", action="store_true", help="try all that is planned for --time, however long a slow or busy machine takes: "
                      "the same bytes everywhere")
    work.add_argument("--resume", action="store_true", help="go on with a search that was stopped, from the file beside the output")
    add_engine(work)
    add_quiet(work)
    add_seed(work)
    add_data(parser, "", "")
    labels = parser.add_argument_group("labels")
    labels.add_argument("--targets", choices=("auto", "classes", "numbers"), default="auto", help="whether labels are names of classes, or "
                        "numbers that the model is to predict (default: numbers, if there are many different ones with fractions or with few "
                        "rows each)")
    add_classes(labels, "the label of what is normal: finds a model that learns from these rows alone and raises an alarm at anything else; "
                "rows of other labels only tell how much of that it detects")


def add_engine(parser) -> None:
    parser.add_argument("--threads", type=value_type(options.between(1, 1024, options.whole)), metavar="N",
                        help="how many trainings run at a time (default: one a core)")
    parser.add_argument("--workers", metavar="dask://HOST:PORT", help="send the trainings to a cluster of Dask's workers instead")


@functools.cache
def make_parser() -> Parser:
    parser = Parser(prog="gen", allow_abbrev=False, description="Large-margin classifiers: from a data file to C.",
                    epilog=manual.EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands_of = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, words: str, more: str | None = None) -> argparse.ArgumentParser:
        return commands_of.add_parser(name, help=words, description=more or words, allow_abbrev=False)

    fit_ = command("fit", "Finds the best model that fits a chip: start here.",
                   "Tries many methods on the data, and writes the smallest model that is about as good as the best.")
    add_fit(fit_)
    train = command("train", "Trains a model by a method that you choose.")
    add_training(train)
    train.add_argument("--test", metavar="TEST", help="more data, to test the model on")
    cv = command("cv", "Estimates the error of a method by cross-validation.")
    add_training(cv)
    add_folds(cv)
    tune = command("tune", "Finds the best options of a method by cross-validation.")
    add_training(tune)
    add_folds(tune)
    tune.add_argument("--grid", action="append", default=[], type=value_type(methods.parse_grid),
                      metavar="NAME=V1,V2,...", help="values of an option to try; several grids are combined")
    tune.add_argument("--resume", action="store_true", help="go on with a search that was stopped, from the file beside the output")
    add_engine(tune)
    predict = command("predict", "Applies a model: one line `label,score` a row.")
    predict.add_argument("model", metavar="MODEL", help="the model file (.mgn)")
    predict.add_argument("data", metavar="DATA", help="the data file, with or without labels")
    add_data(predict)
    import_ = command("import", "Takes over a model of LIBSVM or scikit-learn.")
    import_.add_argument("file", metavar="FILE", help="the file of the other program")
    import_.add_argument("--from", dest="origin", choices=("libsvm", "sklearn"), help="whose model it is: needed for pickles only")
    import_.add_argument("--features", type=value_type(options.above(0, options.whole)), metavar="N",
                         help="the number of features, for a LIBSVM model whose last features are zero in all vectors")
    import_.add_argument("--range", metavar="FILE", help="the file that svm-scale saved (-s)")
    export = command("export", "Writes a model as a C header.")
    export.add_argument("model", metavar="MODEL", help="the model file (.mgn)")
    for part in (predict, export):
        part.add_argument(*(["--data"] if part is export else ["--scale-data"]), metavar="DATA",
                          help="raw data whose ranges decide about the scales of the integers (default: the rows that the model file keeps)")
    export.add_argument("--test", metavar="DATA", help="data on which to measure what the format and the budget cost (default: --data)")
    add_data(export)
    for part in (train, predict, export):
        part.add_argument("--format", choices=("f32", "q15", "q7"), default="f32" if part is predict else None,
                          help="the number format: f32 (default), or integers only, q15 or q7")
    for part in (train, export):
        part.add_argument("--flash", type=value_type(options.size), metavar="BYTES",
                          help="bytes of tables at most, as 2048 or 2K (what the predictor reads; not its code): leaves out "
                          "vectors and, unless --format says which, makes numbers smaller where that is better")
        part.add_argument("--force", action="store_true", help="write the header though its format or its budget costs more than "
                          f"{100 * compress.REFUSED:g} points of error")
        add_header(part, required=False)
    export.add_argument("--as", dest="project", nargs=2, metavar=("TOOLCHAIN", "FOLDER"), help="write a whole project that "
                        f"compiles as it stands, with one function to fill in: {', '.join(project.TOOLCHAINS)}")
    export.add_argument("--alone", action="store_true", help="write a header that needs no margin.h: the tables, and of the "
                        "predictors the code that this model needs, to be reviewed line by line")
    report = command("report", "Draws a page about a model: one HTML file that needs no network and no other file.")
    report.add_argument("model", metavar="MODEL", help="the model file (.mgn)")
    report.add_argument("--data", metavar="DATA", required=True, help="the training data")
    report.add_argument("--test", metavar="TEST", help="more data, to test the model on")
    add_data(report)
    report.add_argument("--flash", type=value_type(options.size), metavar="BYTES",
                        help="a budget of bytes of tables, drawn as a line")
    report.add_argument("-o", dest="output", metavar="FILE.html", required=True, help="write the page")
    info = command("info", "Tells what is in a model file.")
    info.add_argument("model", metavar="MODEL", help="the model file (.mgn)")
    for part in (train, cv, tune):
        part.add_argument("--calibrate", action="store_true", help="fit probabilities of all classes, by cross-validation")
    for part in (train, cv, tune, predict):
        part.add_argument("--coverage", type=value_type(options.share), metavar="SHARE",
                          help="how often sets of classes are to hold the true one, for example 0.9" +
                               ("" if part is predict else ", which is the default with --calibrate"))
    for part in (train, tune):
        part.add_argument("--reject", type=value_type(options.above(0)), metavar="MARGIN",
                          help="give no answer where the margin is smaller than this")
    for part in (train, tune, import_, export):
        part.add_argument("--save", metavar="MODEL", required=part is import_, help="write the model file (.mgn)")
    for part in (train, cv, tune, predict, export, info):
        add_json(part)
    for part in (train, cv, tune, import_, export, predict):
        add_quiet(part)
    example = command("example", "Writes a small data file to try the other commands with.")
    example.add_argument("file", metavar="FILE.csv", help="where to write it")
    shell = command("completion", "Prints a script that lets a shell complete commands and options.")
    shell.add_argument("shell", choices=completion.SHELLS, help="which shell: source <(margin-gen completion bash)")
    return parser


# Arguments that name files, over all commands; `check_apart` keeps what is written from what is read.
READS = ("data", "test", "model", "file", "range", "scale_data")
WRITES = {"output": "-o", "save": "--save", "report": "--report", "json": "--json"}


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments; help for a method, and suggestions, where argparse alone has none."""
    if not argv:
        for line in manual.EXAMPLES.splitlines():
            complain(line)
        raise Usage("a COMMAND is missing")
    if argv[0] in ("fit", "train", "cv", "tune") and {"-h", "--help"} & set(argv):
        output.write_stdout(manual.text(commands_by_name()[argv[0]], argv).encode())
        raise SystemExit(0)
    try:
        arguments, rest = make_parser().parse_known_args(argv)
    except Usage as error:
        for word in argv if "are required: " in str(error) else ():  # what is missing may be there, misspelt
            if word.startswith("--") and unknown_words(argv, f": {word}"):
                raise Usage(f"unrecognized arguments: {word}{unknown_words(argv, f': {word}')}") from None
        raise
    if rest:
        message = f"unrecognized arguments: {' '.join(rest)}"
        raise Usage(message + unknown_words(argv, message))
    return arguments


def run(argv: list[str] | None) -> None:
    arguments = parse(sys.argv[1:] if argv is None else argv)
    given = vars(arguments)
    for name, value in given.items():
        if isinstance(value, list) and (value == [] and name != "grid" or [] in value):  # what argparse makes of --name=--
            raise Usage(f"--{name.replace('_', '-')}: no value")
    output.check_apart([given[name] for name in READS if given.get(name)],
                       {option: given[name] for name, option in WRITES.items() if given.get(name) is not None})
    with output.quiet(given.get("quiet", False)), output.together():
        command_named(arguments.command)(arguments)


def command_named(name: str):
    """The function behind a command."""
    if name in ("fit", "completion"):
        return {"fit": fit.fit, "completion": completion.completion}[name]
    return getattr(commands, "import_" if name == "import" else name)


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
        complain(f"gen: {error} (see --help)")
        return 2
    except Failure as error:
        complain(f"gen: {error}")
        return 1
    except MemoryError:
        complain("gen: not enough memory")
        return 1
    except BrokenPipeError:
        output.silence(1)
        return 141
    except Exception as error:
        if os.environ.get("MARGIN_GEN_DEBUG"):
            raise
        complain(f"gen: internal error: {type(error).__name__}: {shown(str(error))} (MARGIN_GEN_DEBUG=1 shows where)")
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
        complain("gen: interrupted")
        return 130
    except interrupt.Terminated:
        return 143
    finally:
        interrupt.finished()
