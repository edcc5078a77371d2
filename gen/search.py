"""search.py -- the search behind `fit`: what is tried when, how candidates compare, which one is picked.

The plan depends on the data and on --time, never on the clock: how many rows the first rounds use and how often the last one
is repeated follow from rough estimates of how long trainings take. The clock only ends a search that takes longer than
planned. So the same command tries the same models on every machine that is fast enough, on any number of threads.
"""
from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field, replace

from . import cost, metrics, methods, tries
from .compress import FORMATS
from .errors import Failure
from .trial import DRAFT, Budget, Form, Ground, Trial

FOLDS = 5
REPEATS = 10      # of the last round at most, if there is time
ENOUGH = 3        # repeats, before finalists or rows are left out, and shapes of learned vectors
FINALISTS = 8
FEW = 3           # of them are enough, if the clock ends the last round
QUICK = 0.3       # of the work is for the first rounds of all quick methods together, at most,
SLOW = 0.25       # for that of a slow one,
SLOWEST = 0.33    # for its first choice where there is a budget: learned vectors are best then,
LAST = 0.3        # for the last round if the others have taken more,
NEAR = 0.1        # for options near the best,
ONCE = 0.1        # and for training a model on all rows
LARGER = 1.2      # times the flash that there is: no options make a linear model fit then
SIMPLE = 0.3      # of the time is for linear models, at most,
FIRST = 0.6       # and for the first rounds with them
CORES = 2         # of the machine that the plan is made for,
WORK = 0.8        # and how much of their time it uses
WHOLE = tuple(Form(form) for form in FORMATS)


@dataclass(frozen=True)
class Choice:
    """A method with options."""
    method: str
    options: tuple

    @property
    def words(self) -> str:
        return methods.describe(self.method, {k: v for k, v in self.options if k != "tol"})

    @property
    def kernel(self) -> bool:
        """Its model is a sum over support vectors, of which some can be left out."""
        return dict(self.options).get("kernel", "linear") != "linear" and self.method not in ("seco", "compact")


@dataclass
class Candidate:
    """A choice in a number format and size, and what cross-validation found."""
    choice: Choice
    form: Form
    cap: int | None
    tables: list = field(default_factory=list)  # one of confusion for each fold,
    errors: list[float] = field(default_factory=list)  # and what is made small: see Search.error_of
    cost: cost.Cost | None = None
    limit: int | None = None
    failed: str = ""
    draft: str = ""  # the number format that a draft is about

    @property
    def error(self) -> float:
        return statistics.fmean(self.errors)

    @property
    def sd(self) -> float:
        return statistics.stdev(self.errors)

    @property
    def standard_error(self) -> float:
        return self.sd / math.sqrt(len(self.errors))

    def rate(self, c: int) -> float:
        """The share of class c that is taken for another."""
        return metrics.class_error(metrics.added(self.tables), c) or 0.0

    @property
    def words(self) -> str:
        return f"{self.choice.words}, in {self.form.format}" + (f", at most {self.limit} bytes" if self.limit else "")


@dataclass(frozen=True)
class Plan:
    """How much of everything there is time for."""
    cap: int | None          # rows of the first rounds
    last_cap: int | None     # rows of the last round
    repeats: int
    finalists: int
    left_out: tuple[str, ...]  # methods that would take too long, in words
    work: float              # core seconds that it may take


def last_factor(choice: Choice) -> float:
    """In the last round, how often vectors are left out: for each format and size, some of them more than once."""
    return 5.0 if choice.kernel else 0.0


def fold_seconds(facts: tries.Facts, choice: Choice, rows: int, reductions: float, share: float = 0.7) -> float:
    """Core seconds of one fold of so many rows, about; `reductions` is how often vectors are left out."""
    part = facts.part(rows * (FOLDS - 1) // FOLDS)
    options = dict(choice.options)
    return tries.entry_of(facts, choice.method, options).seconds(part, options) + reductions * tries.reduce_seconds(part, share) + 0.003


def choices_of(entry: tries.Try, facts: tries.Facts) -> list[Choice]:
    return [Choice(entry.method, tuple(point.items())) for point in entry.points(facts)]


def first_seconds(entry: tries.Try, facts: tries.Facts, rows: int) -> float:
    """Core seconds of the first round of an entry."""
    return FOLDS * sum(fold_seconds(facts, choice, rows, first_factor(facts, choice)) for choice in choices_of(entry, facts))


def first_factor(facts: tries.Facts, choice: Choice) -> float:
    """As last_factor, of the first rounds: once where there is a budget."""
    return float(choice.kernel and facts.limited)


def once(facts: tries.Facts, choice: Choice) -> float:
    """Core seconds of a training on all rows, about."""
    options = dict(choice.options)
    reductions = 2 * tries.reduce_seconds(facts, 0.5) if choice.kernel and facts.limited else 0.0
    return tries.entry_of(facts, choice.method, options).seconds(facts, options) + reductions


def affordable(entry: tries.Try, facts: tries.Facts, work: float) -> list[dict]:
    """The points of an entry that do not take too long: each within a tenth of the work on all rows and, of slow methods, all
    of them within a quarter of it on some, or a single one within a third. Where there is no time for many shapes of learned
    vectors, fewer passes over the data may do, or fewer vectors."""
    wanted = entry.points(facts)
    if entry.simple:
        return wanted

    def seconds(point: dict) -> float:  # which need not grow with the rows: see compact
        return FOLDS * max(entry.seconds(facts.part(min(facts.n, rows)), point) for rows in ROWS)

    def kept_of(wanted: list[dict]) -> list[dict]:
        kept, spent = [], 0.0
        for point in wanted:
            spent += seconds(point)
            if entry.slow and spent > (SLOW if kept or not facts.limited else SLOWEST) * work:
                break
            if once(facts, Choice(entry.method, tuple(point.items()))) <= ONCE * work:
                kept.append(point)
        return kept

    kept = kept_of(wanted)
    if len(kept) >= min(ENOUGH, len(wanted)) or not all("vectors" in point for point in wanted):
        return kept
    quick = [{**point, "iterations": max(QUICKLY, tries.passes_of(facts) // 5)} for point in wanted[:ENOUGH + 1]]
    return max(kept, kept_of(quick), key=len) or kept_of(fewer_vectors(quick, seconds, SLOW * work))


def fewer_vectors(wanted: list[dict], seconds, most: float) -> list[dict]:
    """The first two points within so many seconds, if eight vectors can do it."""
    while sum(map(seconds, wanted[:2])) > most and max(point["vectors"] for point in wanted) > 8:
        wanted = [{**point, "vectors": max(8, point["vectors"] * 3 // 4 // 4 * 4) if point["vectors"] > 8 else point["vectors"]}
                  for point in wanted]
    return wanted


QUICKLY = 30  # passes over many rows learn most of what there is to learn
ROWS = (500, 999, 1999)  # at which slow methods are judged: the first rounds of large sets have about as many


def make_plan(facts: tries.Facts, seconds: float) -> tuple[Plan, list[tries.Try]]:
    """What there is time for, by estimates alone. Search.settle sees to the last round, when its models are known."""
    work, left_out, entries = WORK * CORES * seconds, [], []
    for entry in tries.suited(facts):
        wanted, kept = entry.points(facts), affordable(entry, facts, work)
        if wanted and not kept:
            least = min(max(once(facts, choice), FOLDS * fold_seconds(facts, choice, min(facts.n, ROWS[-1]), 0.0))
                        for choice in choices_of(entry, facts))
            left_out.append(f"{entry.method} ({entry.word}), which takes about {max(1, least):.0f} s")
        elif kept:
            entries.append(replace(entry, points=lambda facts, kept=kept: kept))
    cap, least = facts.n, max(400, 40 * facts.classes)

    def too_long() -> bool:
        quick = sum(first_seconds(entry, facts, cap) for entry in entries if not entry.slow)
        slow = sum(first_seconds(entry, facts, cap) for entry in entries if entry.slow)
        return quick > QUICK * work or cap > ROWS[-1] and quick + slow > 0.45 * work

    while cap > least and too_long():
        cap = max(least, cap * 3 // 4)
    return Plan(None if cap >= facts.n else cap, None, REPEATS, FINALISTS, tuple(left_out), work), entries


class Search:
    """Measures candidates. `engine` runs trials, `state` keeps their results, `look` is called often and may raise Stopped,
    `told(phase, candidates)` is called at the end of each phase."""

    def __init__(self, ground: Ground, facts: tries.Facts, seconds: float, engine, state, view):
        self.ground, self.engine, self.state, self.view = ground, engine, state, view
        self.limited = any(v is not None for v in (self.budget.flash, self.budget.ram, self.budget.cycles))
        self.facts = replace(facts, limited=self.limited)
        self.plan, self.entries = make_plan(self.facts, seconds)
        self.measured: dict[tuple, tuple] = {}  # (choice, cap) -> forms
        self.finals: list[tuple[Choice, tuple[Form, ...]]] = []
        self.complete, self.missed, self.spent = False, "", 0.0  # core seconds, by estimates
        self.hint = ""  # what may help where nothing fits

    @property
    def budget(self) -> Budget:
        return self.ground.budget

    # ---- measuring ----

    def trials(self, wanted: list[tuple[Choice, tuple[Form, ...]]], cap: int | None, repeats) -> list[Trial]:
        return [Trial(choice.method, choice.options, forms, cap, repeat, fold)
                for repeat in repeats for choice, forms in wanted for fold in range(FOLDS)]

    def measure(self, phase: str, wanted: list[tuple[Choice, tuple[Form, ...]]], cap: int | None, repeats=range(1)) -> None:
        """Runs the trials that have no result yet."""
        for choice, forms in wanted:
            if (choice, cap, forms) in self.measured and not self.finals:
                continue  # once more, for what the clock has left out
            self.measured[choice, cap, forms] = forms
            self.spent += FOLDS * len(repeats) * self.seconds(choice, cap, bool(self.finals))
        planned = self.trials(wanted, cap, repeats)
        missing = [one for one in planned if one.key not in self.state.results]
        self.view.begin(phase, len(missing), sum(map(self.seconds_of, set(planned) - set(missing))))
        self.engine.run(self.ground, missing, self.arrived, self.view.look)
        self.view.end(self)

    def arrived(self, one: Trial, result: dict) -> None:
        self.state.keep(one.key, result)
        self.view.arrived(self, one, result)

    def seconds_of(self, one: Trial) -> float:
        return self.seconds(Choice(one.method, one.options), one.cap, bool(self.finals))

    def seconds(self, choice: Choice, cap: int | None, last: bool) -> float:
        """Core seconds of a fold, about: what the first round has told of a choice is made use of."""
        factor = last_factor(choice) if last else first_factor(self.facts, choice)
        return fold_seconds(self.facts, choice, min(cap or self.ground.n, self.ground.n), factor, self.share(choice) if last else 0.7)

    def share(self, choice: Choice) -> float:
        """The share of the rows that are support vectors, by the first fold of the first round."""
        for known, cap, forms in self.measured:
            if known == choice:
                found = self.state.results.get(self.trials([(choice, forms)], cap, range(1))[0].key, {})
                if found.get("rows"):
                    return found["support"] / found["rows"]
        return 0.7

    def forms_of(self, choice: Choice) -> tuple[Form, ...]:
        """Of the first rounds. Whole kernel models are tested in floats, small ones by a draft."""
        return ((Form(DRAFT),) if self.limited else (Form("f32"),)) if choice.kernel else WHOLE

    def last_forms(self, choice: Choice) -> tuple[Form, ...]:
        """All number formats, and for kernel models sizes below the budget."""
        if not choice.kernel or not self.limited and tries.reduce_seconds(self.facts) > ONCE * self.plan.work / 3:
            return WHOLE  # smaller sizes of a model of so many rows would take too long in the end
        most = self.budget.flash or 16384
        return WHOLE + tuple(Form("q7", most // part) for part in (2, 8) if most // part >= 64)

    def choices(self, entries: list[tries.Try]) -> list[tuple[Choice, tuple[Form, ...]]]:
        found = [Choice(entry.method, tuple(point.items())) for entry in entries for point in entry.points(self.facts)]
        return [(choice, self.forms_of(choice)) for choice in dict.fromkeys(found)]

    def run(self) -> None:
        """All phases; an exception ends them early, and what is complete by then counts."""
        simple = self.choices([entry for entry in self.entries if entry.simple])
        first = sum(first_seconds(entry, self.facts, self.plan.cap or self.facts.n) for entry in self.entries)
        self.view.expect(first + max(0.4 * self.plan.work, self.plan.work - first))
        plain = plain_models(self.facts)
        self.measure("a plain linear model", [one for one in simple if one[0] in plain], self.plan.cap)  # so that there is one in any case
        with self.view.until(SIMPLE) as within:
            self.measure("linear models", [one for one in simple if one[0] not in plain and not self.too_large()], self.plan.cap)
        late = self.first_rounds([] if within.kept else ["linear models"])
        self.check_any(late)
        self.settle(self.finalists())
        for repeat in range(self.plan.repeats):
            self.measure(f"the best again, round {repeat + 1} of {self.plan.repeats}", self.finals, self.plan.last_cap,
                         range(repeat, repeat + 1))
        self.complete = not late

    def settle(self, finals: list[tuple[Choice, tuple[Form, ...]]]) -> None:
        """Plans the last round of these models: how many of them, how often, on how many rows there is work left for."""
        left = max(LAST * self.plan.work, self.plan.work - self.spent)
        cap, last, repeats = self.plan.cap or self.ground.n, self.ground.n, REPEATS
        slow = [one for one in finals if tries.entry_of(self.facts, one[0].method, dict(one[0].options)).slow]

        def too_long() -> bool:
            return FOLDS * repeats * sum(self.seconds(choice, last, True) for choice, _ in finals) > left

        while too_long() and repeats > ENOUGH:
            repeats -= 1
        while too_long() and len(slow) > 1:
            finals.remove(slow.pop())
        while too_long() and len(finals) > 6:
            finals.pop()
        while too_long() and repeats > 2:
            repeats -= 1
        while too_long() and last > cap:
            last = max(cap, last * 3 // 4)
        while too_long() and repeats > 1:
            repeats -= 1
        while too_long() and len(finals) > 3:
            finals.remove(max(finals[1:], key=lambda one: self.seconds(one[0], last, True)))
        self.finals = finals
        self.view.expect(self.spent + FOLDS * repeats * sum(self.seconds(choice, last, True) for choice, _ in finals))
        self.plan = replace(self.plan, last_cap=None if last >= self.ground.n else last, repeats=repeats)

    def first_rounds(self, late: list[str]) -> list[str]:
        """All methods, then options near the best; the names of what the clock has cut short, `late` included. Each part has the
        share of the time that its trainings have of those that are left, so that a slow one does not cost the others theirs."""
        if not late:
            self.check_smallest()
        words = dict.fromkeys(entry.word for entry in self.entries if not entry.simple)
        groups = {word: self.choices([entry for entry in self.entries if entry.word == word and not entry.simple]) for word in words}
        if not self.fitting():  # vectors are learned in a number that fits
            groups = dict(sorted(groups.items(), key=lambda item: item[0] != "learned vectors"))
        work = {word: FOLDS * sum(self.seconds(choice, self.plan.cap, False) for choice, _ in group) for word, group in groups.items()}
        work["options near the best"] = NEAR * self.plan.work
        for i, word in enumerate(work):
            with self.view.until(FIRST, work[word] / max(1e-9, sum(list(work.values())[i:]))) as within:
                self.measure(word, groups[word] if word in groups else self.near(), self.plan.cap)
            late += [] if within.kept else [word]
        for word in [word for word in late if word in groups]:  # others may have left them some time; without a model they have all of it
            with self.view.until(FIRST if self.fitting() else 1.0) as within:
                self.measure(word, groups[word], self.plan.cap)
            if within.kept:
                late.remove(word)
        self.missed = listed(late)
        return late

    def fitting(self) -> bool:
        """Whether any model so far keeps the budgets."""
        return any(not one.failed for one in self.candidates(range(1)))

    def too_large(self) -> bool:
        """Whether plain linear models need so much more flash than there is that others will."""
        found = self.candidates(range(1))
        return bool(found) and not self.fitting() and self.budget.flash is not None and \
            all("bytes of flash" in one.failed for one in found) and need_of(smallest_of(found)) > LARGER * self.budget.flash

    def check_any(self, late: list[str]) -> None:
        """Without a model that fits there is nothing to compare once more."""
        found = self.candidates(range(1))
        if found and not self.fitting():
            more = f"; there was no time for all of: {listed(late)}" if late else ""
            raise Failure(f"no model fits: {smallest_words(found)}{self.hint}{more}", self.ground.path)

    def check_smallest(self) -> None:
        """Of few classes, nothing is smaller than a linear model of one machine a class, and nothing takes half of its time and
        memory: without room for one there is no use to go on. Many classes may share a few vectors, and classes in order one
        score."""
        found = self.candidates(range(1))
        if self.facts.about == "normal" or self.facts.ordered or not found or any(not one.failed for one in found):
            return
        least = smallest_of(found)
        if self.facts.classes <= 4 and self.budget.flash is not None and "bytes of flash" in least.failed or self.hopeless(least):
            raise Failure(f"no model fits: {smallest_words(found)}{self.hint}", self.ground.path)

    def hopeless(self, least: Candidate) -> bool:
        """Whether what a model needs is far beyond a budget: others need as much, about."""
        most = {"bytes of flash": self.budget.flash, "bytes of RAM": self.budget.ram, "cycles": self.budget.cycles}
        return any(value is not None and least.failed.endswith(word) and need_of(least) > (2 + self.facts.classes) * value
                   for word, value in most.items())

    # ---- comparing ----

    def candidates(self, repeats, last: bool = False) -> list[Candidate]:
        """All candidates whose folds are complete; of the last round only, or of all."""
        found = []
        wanted = [(choice, self.plan.last_cap, forms) for choice, forms in self.finals] if last else list(self.measured)
        for choice, cap, forms in wanted:
            results = [self.state.results.get(one.key) for one in self.trials([(choice, forms)], cap, repeats)]
            if None in results:
                continue
            found += [self.candidate(choice, form, cap, results) for form in forms]
        return found

    def candidate(self, choice: Choice, form: Form, cap: int | None, results: list[dict]) -> Candidate:
        made = Candidate(choice, form, cap)
        parts = [result if "failed" in result else result["forms"][form.key] for result in results]
        made.failed = next((part["failed"] for part in parts if "failed" in part), "")
        if made.failed:
            return made
        made.tables = [part["table"] for part in parts if "table" in part]
        made.errors = list(map(self.error_of, parts))
        shapes = [cost.Shape(**part["shape"]) for part in parts]
        made.cost = self.budget.price(max(shapes, key=lambda shape: shape.tables))
        limits = [part["limit"] for part in parts if part["limit"] is not None]
        made.limit = min(limits) if limits else None
        made.draft = shapes[0].format if form.format == DRAFT else ""
        return made

    def error_of(self, part: dict) -> float:
        """The share of wrong answers; of one class the mean of missed anomalies and false alarms; of numbers the mean square
        error as a share of the variance of the numbers."""
        if self.facts.about == "numbers":
            return part["square"] / self.facts.deviation ** 2
        if self.facts.about == "normal":
            return statistics.fmean(rate for rate in (metrics.class_error(part["table"], c) for c in (0, 1)) if rate is not None)
        return metrics.error(part["table"])

    def excess(self, one: Candidate) -> float:
        """By how much the error rates asked for are exceeded. One class has its threshold set for the rate of false alarms."""
        over = 0.0
        if self.facts.about != "classes":
            return over
        for c, most in ((1, self.facts.missed), (0, self.facts.alarms)):
            if most is not None:
                over += max(0.0, one.rate(c) - most)
        return over

    def ranked(self, found: list[Candidate]) -> list[Candidate]:
        """The best first: by the rates asked for, the error, and what it costs."""
        good = [one for one in found if not one.failed]
        return sorted(good, key=lambda one: (self.excess(one), one.error, self.price(one), one.words))

    def price(self, one: Candidate) -> tuple:
        return self.budget.flash_of(one.cost), math.inf if one.cost.cycles is None else one.cost.cycles

    def near(self) -> list[tuple[Choice, tuple[Form, ...]]]:
        """Neighbours of the two best choices with a kernel and of the best without."""
        order = list(dict.fromkeys(one.choice for one in self.ranked(self.candidates(range(1)))))
        best = [choice for choice in order if choice.kernel][:2] + [choice for choice in order if not choice.kernel][:1]
        found = [Choice(choice.method, tuple(point.items())) for choice in best
                 for point in tries.around(choice.method, dict(choice.options))]
        kept, spent = [], 0.0
        for choice in dict.fromkeys(found):
            takes = FOLDS * self.seconds(choice, self.plan.cap, False)
            if choice not in order and spent + takes <= NEAR * self.plan.work and self.once(choice) <= ONCE * self.plan.work:
                kept.append((choice, self.forms_of(choice)))
                spent += takes
        return kept

    def after(self) -> float:
        """Core seconds of what comes after the search, at most, about: the pick is trained on all rows."""
        return max(self.once(choice) for entry in self.entries for choice in choices_of(entry, self.facts))

    def once(self, choice: Choice) -> float:
        return once(self.facts, choice)

    def finalists(self) -> list[tuple[Choice, tuple[Form, ...]]]:
        """The best choices, the cheapest of the good ones, and the plain linear model that all are compared with."""
        order = self.ranked(self.candidates(range(1)))
        fits = {one.choice for one in order}
        plain = [choice for choice in plain_models(self.facts) if choice in fits][:1] or plain_models(self.facts)[:1]
        chosen = dict.fromkeys(plain)
        if order:
            best = order[0]
            good = [one for one in order if self.excess(one) <= self.excess(best) and
                    one.error <= best.error + 1.5 * best.standard_error]
            chosen.update(dict.fromkeys([best.choice, *(one.choice for one in sorted(good, key=self.price)[:2])]))
            families = {}
            for one in order:
                families.setdefault((one.choice.method, one.choice.kernel, dict(one.choice.options).get("squares")), one.choice)
            half = dict.fromkeys(one.choice for one in order)
            chosen.update(dict.fromkeys(list(half)[:max(1, self.plan.finalists - 4)]))
            chosen.update(dict.fromkeys(families.values()))
        return [(choice, self.last_forms(choice)) for choice in list(chosen)[:self.plan.finalists + 1]]

    def decided(self) -> tuple[list[Candidate], int]:
        """The candidates to pick from, all measured on the same folds, and how many folds that is: those of the last round
        with as many repeats as are complete or, where the clock has ended its first one, those that are complete in it if they are
        a few; else those of the first rounds, and drafts for what they are about."""
        for repeats in range(self.plan.repeats, 0, -1):
            found = self.candidates(range(repeats), last=True)
            if self.finals and {one.choice for one in found} == {choice for choice, _ in self.finals}:
                return found, repeats * FOLDS
        found = [one for one in self.candidates(range(1), last=True) if not one.failed]
        if len({one.choice for one in found}) >= FEW:
            return found, FOLDS
        found = [one for one in self.candidates(range(1)) if one.cap == self.plan.cap]
        return [replace(one, form=Form(one.draft)) if one.draft else one for one in found if one.draft or one.form.format != DRAFT], FOLDS

    def pick(self, found: list[Candidate]) -> tuple[Candidate, Candidate]:
        """The cheapest within one standard error of the best, and the best."""
        order = self.ranked(found)
        best = order[0]
        good = [one for one in order if self.excess(one) <= self.excess(best) and one.error <= best.error + best.standard_error]
        return min(good, key=lambda one: (*self.price(one), one.error, one.words)), best

    def frontier(self, found: list[Candidate]) -> list[Candidate]:
        """Those that no other one beats in error, bytes and cycles at once, from the smallest to the largest."""
        good = sorted((one for one in found if not one.failed and not self.excess(one)),
                      key=lambda one: (*self.price(one), one.error, one.words))
        kept = []
        for one in good:
            beaten = any(other.error <= one.error and self.price(other)[0] <= self.price(one)[0] and
                         self.price(other)[1] <= self.price(one)[1] for other in kept)
            if not beaten:
                kept.append(one)
        return kept


def listed(words: list[str]) -> str:
    """
    >>> listed([]), listed(["a"]), listed(["a", "b", "c"])
    ('', 'a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def plain_linear(facts: tries.Facts) -> Choice:
    """The simple model that all are compared with."""
    if facts.about == "classes":
        return Choice("svm", (("C", 1.0), ("tol", tries.TOL)))
    first = next(entry for entry in tries.suited(facts) if entry.simple)
    return Choice(first.method, tuple(first.points(facts)[0].items()))


def plain_models(facts: tries.Facts) -> list[Choice]:
    """The same, and for many classes with a machine a class, which is smaller than one a pair."""
    more = [Choice("svm", (("scheme", "one-rest"), ("C", 1.0), ("tol", tries.TOL)))] if facts.about == "classes" and facts.classes > 2 else []
    return [plain_linear(facts), *more]


def need_of(one: Candidate) -> float:
    """The number in the words of a failure."""
    digits = [int(word) for word in one.failed.split() if word.isdigit()]
    return digits[0] if digits else math.inf


def smallest_of(found: list[Candidate]) -> Candidate:
    return min(found, key=need_of)


def smallest_words(found: list[Candidate]) -> str:
    """Of candidates that all failed, what the least demanding one needs.

    >>> plain = Choice("svm", (("C", 1.0),))
    >>> smallest_words([Candidate(plain, Form("q7"), None, failed="needs 44 bytes of flash"),
    ...                 Candidate(plain, Form("f32"), None, failed="needs 160 bytes of flash")])
    'the smallest that was tried (svm, linear kernel, C 1, in q7) needs 44 bytes of flash'
    """
    least = smallest_of(found)
    return f"the smallest that was tried ({least.words}) {least.failed}"
