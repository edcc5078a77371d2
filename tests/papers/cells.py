"""cells.py -- the numbers behind the page, each by one command of gen, kept in numbers.json so that no run is lost.

A line of that file is one number: its command, the version of the tree that it was made from, a mark of how its method trained then,
seconds, and what was found. The mark is a hash of what small trainings of the method tell, to the last bit: rewriting a trainer keeps
it, any change of what it computes does not. Where it has changed since, the number is of an older version: it is shown as such until
it is measured anew, which comes before all that was never run."""
import contextlib
import fcntl
import hashlib
import io
import json
import os
import random
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from gen import cli  # noqa: E402

FOLDER = os.path.join(ROOT, "build", "papers")  # files made on the way: splits of our own, models
NUMBERS = os.path.join(ROOT, "tests", "papers", "numbers.json")
RBF, LISTS = ("--kernel", "rbf"), ("--kernel", "unit-poly", "--a", 1)
PROBES = {"mam": ((), RBF), "kmomd": ((*RBF, "--lambda", 0.1), (*RBF, "--lambda", 0.9)), "svm": ((), (*RBF, "--C", 10)),
          "rates": (("--eta-pos", 0.8, "--eta-neg", 0.8), (*RBF, "--eta-pos", 0.8, "--eta-neg", 0.8)), "seco": (LISTS, (*LISTS, "--greedy", "--cheap")),
          "omam": ((), RBF), "lssvm": ((), RBF), "tvq": ((), ("--rate", 1, "--iterations", 20), ("--plain", "--tangents", 0, "--models", 3)),
          "hss": ((),), "lvq": ((),), "td": ((),), "nn": ((),)}
TELLING = ("objective", "bias", "support", "train_error", "margin_min", "margin_mean", "margin_quantiles", "margin_share_train", "kendall_tau", "cuts",
           "test_error", "reject_error_test", "p_star")
ADMITTING = ("nested_cv_error",)  # of some methods
KEPT = ("test_error", "train_error", "support", "n", "fold_errors", "error_mean", "cuts")


def commit() -> str:
    """The version of the tree that a number comes from."""
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return found.stdout.strip() or "unknown"


def probe(ordered: bool, seed: int) -> str:
    """A small data file for the mark of a method: two classes that overlap, or numbers to be ranked."""
    draw, path = random.Random(seed), os.path.join(FOLDER, f"probe-{'ranks' if ordered else 'classes'}-{seed}-{os.getpid()}.csv")
    with open(path, "w", encoding="ascii") as file:
        for _ in range(160):
            x = [draw.gauss(0, 1) for _ in range(4)]
            value = x[0] + 0.5 * x[1] * x[1] + 0.5 * draw.gauss(0, 1)
            file.write(",".join(f"{v:.3f}" for v in (*x, value)[:5 if ordered else 4]) + ("\n" if ordered else f",{'ab'[value > 0.5]}\n"))
    return path


def mark(method: str) -> str:
    """A hash of what small trainings of a method tell."""
    train, test = (probe(method in ("omam", "lssvm"), seed) for seed in (1, 2))
    try:
        found = [run(("train", train, "--method", method, *words, "--test", test)) for words in PROBES[method]]
    finally:
        for path in (train, test):
            os.unlink(path)
    told = json.dumps([{name: one.get(name) for name in TELLING} | {name: one[name] for name in ADMITTING if name in one} for one in found])
    return hashlib.sha1(told.encode()).hexdigest()[:8]


def short(value):
    """A result as it is kept: numbers of six digits.

    >>> short({"a": [0.12345678, 3, True], "b": "word"})
    {'a': [0.123457, 3, True], 'b': 'word'}
    """
    if isinstance(value, dict):
        return {name: short(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [short(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


class Absent(Exception):
    """Why a number is not there, in words."""


class Numbers:
    """numbers.json: a line a number, sorted by command. Several runs may add to it at once."""

    def __init__(self, path: str):
        self.path, self.all = path, {}
        self.read()

    def read(self) -> None:
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.all.update((one["command"], one) for one in json.load(file))

    def write(self, change) -> None:
        """Reads what others wrote meanwhile, calls change() on all numbers, writes them."""
        os.makedirs(FOLDER, exist_ok=True)
        with open(os.path.join(FOLDER, "lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.read()
            change(self.all)
            lines = ",\n".join(json.dumps(self.all[key], separators=(",", ":")) for key in sorted(self.all))
            with open(self.path + ".part", "w", encoding="utf-8") as file:
                file.write(f"[\n{lines}\n]\n")
            os.replace(self.path + ".part", self.path)


class Cells:
    """Runs what is not known yet, or known from an older version only. With `quick` only what is marked so is run; `until` is the
    time.monotonic() at which no further number is begun; `fresh` is false while numbers of older versions are measured anew; numbers
    whose commands have `anew` in them are measured though they are known."""

    def __init__(self, data: str, quick: bool, path: str = NUMBERS, until: float = float("inf"), anew: str = ""):
        self.anew, self.data, self.quick, self.version, self.until, self.fresh = anew, os.path.abspath(data), quick, commit(), until, True
        self.numbers, self.marks, self.done = Numbers(path), {}, set()
        os.makedirs(FOLDER, exist_ok=True)
        self.begin()

    def begin(self) -> None:
        self.asked, self.ran, self.known, self.older, self.not_run, self.seconds = {}, 0, 0, 0, 0, 0.0

    def file(self, *names: str) -> str:
        """A data file, packed or not; Absent where it is missing."""
        for ending in ("", ".gz"):
            path = os.path.join(self.data, *names) + ending
            if os.path.exists(path):
                return path
        raise Absent(f"no {'/'.join(names)} among the data sets")

    def shown(self, words) -> str:
        """A command as a reader would type it."""
        return "python3 -m gen " + " ".join(str(word).replace(self.data + os.sep, "DATA/").replace(FOLDER + os.sep, "build/papers/")
                                            for word in words)

    def mark(self, methods: str) -> str:
        """The marks of one or several methods."""
        for method in methods.split():
            if method not in self.marks:
                self.marks[method] = mark(method)
        return " ".join(self.marks[method] for method in methods.split())

    def gen(self, *words, quick: bool = False, more: tuple = (), needs: tuple = ()) -> dict:
        """The JSON of a command of gen: what KEPT, `more` and `needs` name of it; a number without all that it needs is made anew."""
        def work():
            found = run(words)
            return {name: found[name] for name in (*KEPT, *more, *needs) if found.get(name) is not None}
        return self.known_or(self.shown(words), work, quick, words[words.index("--method") + 1], needs)

    def known_or(self, command: str, work, quick: bool, methods: str, needs: tuple = ()) -> dict:
        """What is kept under a command, if it has what is needed, or else the result of work(), which is kept then."""
        self.asked[command] = True
        found, now = self.numbers.all.get(command), self.mark(methods)
        if self.anew and self.anew in command and self.fresh and command not in self.done:
            found = None
        if found is not None and any(name not in found["result"] for name in needs if "result" in found):
            found = None
        may = (quick or not self.quick or self.anew and self.anew in command) and time.monotonic() < self.until and (found is not None or self.fresh)
        if found is None and not may:
            self.not_run += 1
            raise Absent("not run")
        if found is None or found["mark"] != now and may:
            found = self.measure(command, work, now)
        elif found["mark"] == now:
            self.known += 1
        else:
            self.older += 1
        self.seconds += found["seconds"]
        if "absent" in found:
            raise Absent(found["absent"])
        return found["result"]

    def measure(self, command: str, work, now: str) -> dict:
        start, made = spent(), {"command": command, "version": self.version, "mark": now}
        try:
            made["result"] = short(work())
        except Absent as why:
            made["absent"] = str(why)
        made["seconds"] = round(spent() - start, 2)
        self.numbers.write(lambda all_: all_.update({command: made}))
        self.ran += 1
        self.done.add(command)
        if self.anew:
            print(json.dumps(made.get("result", made.get("absent"))))
        print(f"  {made['seconds']:7.1f} s  {command}", file=sys.stderr, flush=True)
        return made

    def forget_others(self) -> None:
        """Leaves out numbers that no table and no figure asks for any more."""
        asked = set(self.asked)
        self.numbers.write(lambda all_: [all_.pop(key) for key in set(all_) - asked])


def spent() -> float:
    """Processor seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def run(words) -> dict:
    """A command of gen, in this process."""
    said, out = io.StringIO(), os.path.join(FOLDER, f"out-{os.getpid()}.json")
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        code = cli.main([*map(str, words), "--json", out])
    if code >= 128:  # stopped by a signal: that is no answer
        raise KeyboardInterrupt
    if code != 0 and not os.path.exists(out):
        raise Absent(said.getvalue().strip().splitlines()[-1] if said.getvalue().strip() else f"exit code {code}")
    with open(out, encoding="utf-8") as file:
        found = json.load(file)
    os.unlink(out)
    return found
