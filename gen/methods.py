"""methods.py -- the methods: what each takes, tells and may refuse. One entry a method; see gen/__init__.py for how to
add one. The C half of an entry, its trainer, is in native_methods.c."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from .errors import Usage
from .options import COMMON, KERNEL_OPTIONS, KERNELS, Option, above, between, one_of, whole, yes_or_no


@dataclass(frozen=True)
class Method:
    """Everything about a method that is not C."""
    help: str                                       # one line, for --help
    options: tuple[Option, ...] = ()                # its own; a name that two methods share is one and the same Option
    grid: tuple[tuple[str, tuple], ...] = ()        # what `tune` tries by default, from the smooth to the rough
    without: tuple[str, ...] = ()                   # common options without a meaning here; KERNEL_OPTIONS: no kernels
    kernels: tuple[str, ...] = KERNELS[:-1]         # those it takes, its default first; hinge is for learned vectors alone
    targets: str = "classes"                        # "numbers": labels are numbers to be met, gen_work.targets in C;
                                                    # "order": such numbers, or classes in order (--order, --targets);
                                                    # "normal": class 1 is what is normal (--normal), 0 all else
    refusals: dict = field(default_factory=dict)    # statuses that are an answer: {"MARGIN_E_X": word for the JSON}
    texts: dict = field(default_factory=dict)       # statuses that are other words here: {"MARGIN_E_X": a sentence}
    instead: Callable[[dict], str] = lambda told: ""  # goes on after the words of a refusal, with what was told
    keys: Callable[[dict], dict] | None = None      # from what the C half told to keys of the JSON; None: as they are
    words: Callable[[dict], list[str]] | None = None  # lines for people, made of the JSON of a training
    goal: str = "error_mean"                        # what `tune` makes small; "-NAME": makes NAME_test, as told, large
    noted: tuple[str, ...] = ()                     # keys of the JSON to be kept in the notes of the model

    def takes(self, name: str) -> bool:
        return name in {option.name for option in (*COMMON, *self.options)} - set(self.without)


# ---- options of the methods ----

SEPARABLE = {"MARGIN_E_NOT_SEPARABLE": "not separable"}  # of hard margins
C = Option("C", above(0, infinite=True), "The price of a mistake: larger fits the training rows more closely. svm: the default is "
           "1, and inf asks for a hard margin. lssvm: the default is the best by leaving one out. svr: in units of the target, of which the "
           "default is the deviation; with --squares it is the best by leaving one out.")
TARGETS = Option("targets", one_of(("auto", "classes", "numbers")), "Whether labels are classes in order, told by thresholds, "
                 "or numbers to be ranked. By default more than 20 different numbers are ranked.")
THRESHOLDS = Option("thresholds", one_of(("absolute", "zero-one")), "What thresholds between classes make least: absolute, "
                    "the classes that answers are off (the default), or zero-one, the number of errors.")


NU = Option("nu", between(1e-9, 1), "A share of the rows. oneclass: so many normal rows may raise a false alarm; the default is 0.05. svm: so "
            "many may lie within the margin or on the wrong side of it. You give this instead of --C. svr: so many answers may be farther off "
            "than epsilon, which training then finds by itself.")
LAMBDA = Option("lambda", between(0, 1), "Between 0, the hard margin, and 1, the average margin. kmomd: the default is 0.1. oneclass: the "
                "margin distribution instead of the machine of --nu, which is then the rate of false alarms alone.")
FORM = Option("form", one_of(("plane", "sphere", "prototypes")), "What encloses the normal rows: plane, the machine of --nu or --lambda (the "
              "default); sphere, the smallest one, which with rbf and unit kernels is the same and with a linear kernel a centre and a radius; "
              "or prototypes, --models centroids with --tangents directions each, in the fewest bytes.")
INNER = Option("inner-folds", between(1, 1000, whole), "How many folds its own cross-validations have. seco: the default is 4. oneclass: of "
               "normal rows, for the threshold; the default is 20, and 1 takes the threshold of the solution. svr: for --outside, 20.")

POSITIVE = ("rbf", "unit-poly", "unit-exp")  # kernels without negative values
RBF_FIRST = ("rbf", "linear", "poly", "unit-poly", "unit-exp")  # gen_kernel_or_rbf is the default in C
ORDINAL_NOTES = ("kendall_tau_train", "kendall_tau_test", "absolute_error_train", "absolute_error_test")


def tau_words(result: dict) -> list[str]:
    """What ordinal methods say.

    >>> tau_words({"kendall_tau_train": 0.81234, "kendall_tau_test": None, "absolute_error_train": 0.25, "C": 3.2, "loo": 0.1})
    ["Kendall's tau: training 0.8123", 'classes off on average: training 0.25', 'C 3.2, by leaving one out: mean square error 0.1']
    """
    lines = []
    for key, words in (("kendall_tau", "Kendall's tau"), ("absolute_error", "classes off on average")):
        parts = [f"{word} {result[f'{key}_{end}']:.4g}" for end, word in (("train", "training"), ("test", "test"))
                 if result.get(f"{key}_{end}") is not None]
        lines += [f"{words}: {', '.join(parts)}"] if parts else []
    if result.get("loo") is not None:
        lines.append(f"C {result['C']:.4g}, by leaving one out: mean square error {result['loo']:.4g}")
    return lines


def bound_words(told: dict) -> list[str]:
    """The bound of the paper, and how loose it is.

    >>> bound_words({"error_bound": 0.75, "margin_share": 0.5, "train_error": 0.05})
    ['bound of the paper, 95 % sure: at most 75 % of unseen rows are wrong, 15 times the training error: margins are 50 % of the \
largest possible on average']
    >>> bound_words({"error_bound": 1, "margin_share": 0.25, "train_error": 0.05})
    ['bound of the paper, 95 % sure: none below 100 %, so it says nothing here: margins are 25 % of the largest possible on average']
    """
    if told.get("error_bound") is None:
        return []
    bound, error = told["error_bound"], told.get("train_error")
    loose = "none below 100 %, so it says nothing here" if bound >= 1 else \
        f"at most {100 * bound:.3g} % of unseen rows are wrong" + (f", {bound / error:.2g} times the training error" if error else "")
    return [f"bound of the paper, 95 % sure: {loose}: margins are {100 * told['margin_share']:.2g} % of the largest possible on average"]


def alarm_words(result: dict) -> list[str]:
    """
    >>> alarm_words({"false_alarm_rate_promised": 0.05, "false_alarm_rate_train": 0.04, "normal_rows": 99, "false_alarm_rate_test": 0.06,
    ...              "detection_rate_test": 0.9, "auc_test": 0.97})
    ['99 normal rows; false alarms: training 4 %, test 6 %; promised on unseen rows: 5 %', 'detections: test 90 %', \
'area under the curve: test 0.97']
    >>> alarm_words({"false_alarm_rate_promised": 0.25, "false_alarm_rate_train": 0, "normal_rows": 3, "options": {"nu": 0.05}})[-1]
    'note: 5 % was asked for, and so few rows cannot promise less than 25 %'
    """
    def both(name: str, show) -> str:
        return ", ".join(f"{word} {show(result[f'{name}_{end}'])}" for end, word in (("train", "training"), ("test", "test"))
                         if result.get(f"{name}_{end}") is not None)

    share = lambda value: f"{100 * value:.3g} %"
    promised = result.get("false_alarm_rate_promised")
    lines = [f"{result['normal_rows']:g} normal rows; false alarms: {both('false_alarm_rate', share)}"
             + (f"; promised on unseen rows: {share(promised)}" if promised else "")]
    for name, words, show in (("detection_rate", "detections", share), ("auc", "area under the curve", lambda value: f"{value:.4g}")):
        lines += [f"{words}: {both(name, show)}"] if both(name, show) else []
    asked = result.get("options", {}).get("nu", 0.05)
    if promised and promised > 1.1 * asked:  # no threshold is higher than the largest of the scores that set it
        more = "; without --held-out all rows set it" if result["options"].get("held-out") else ""
        lines.append(f"note: {share(asked)} was asked for, and so few rows cannot promise less than {share(promised)}{more}")
    return lines


def number_words(result: dict) -> list[str]:
    """
    >>> number_words({"rmse_train": 1.5, "mae_train": 1, "r2_train": 0.9, "C": 2, "epsilon": 0.1})
    ['training: root mean square error 1.5, mean absolute error 1, R2 0.9', 'C 2, epsilon 0.1']
    """
    lines = [f"{word}: root mean square error {result[f'rmse_{end}']:.4g}, mean absolute error {result[f'mae_{end}']:.4g}, "
             f"R2 {result[f'r2_{end}']:.4g}" for end, word in (("train", "training"), ("test", "test"))
             if result.get(f"rmse_{end}") is not None and result.get(f"r2_{end}") is not None]
    lines.append(f"C {result['C']:.4g}, " + (f"by leaving one out: root mean square error {result['rmse_loo']:.4g}"
                                             if result.get("rmse_loo") is not None else f"epsilon {result['epsilon']:.4g}"))
    if result.get("half_width") is not None:
        lines.append(f"answers are within {result['half_width']:.4g} of the target, but for {100 * result['outside_promised']:.3g} % of them")
    return lines


# ---- what methods tell ----

SECO_ENDS = ("", "one machine does well on what is left", "too few samples of a class are left", "no candidate covers enough",
             "longer lists are not better", "as many cuts as allowed", "stopped")


def seco_keys(told: dict) -> dict:
    """Why there are no more cuts, in words."""
    return {**told, "cuts_end": SECO_ENDS[int(told["cuts_end"])]} if "cuts_end" in told else told


def seco_words(report: dict) -> list[str]:
    """
    >>> seco_words({"cuts": 1, "cut_sign": [1], "cut_coverage": [0.25], "cut_error": [0], "cuts_end": "stopped",
    ...             "plain_cv_error": 0.2, "left_cv_error": 0.1, "decided_train": [0.25, 0.75], "cost_train": 1.75,
    ...             "nested_cv_error": [0.21, 0.125]})
    ['cut 1: for the positive class, covers 25 % of what comes to it, 0 % of that wrongly', 'then one machine \
(stopped); cross-validated error 10 % on what is left, alone on all 20 %', \
'cross-validated error of lists of 0, 1, ... cuts: 21 %, 12.5 %', 'a decision takes 1.75 kernel values']
    """
    if not isinstance(report.get("cut_sign"), list):
        return []
    lines = [f"cut {j}: for the {'positive' if sign > 0 else 'negative'} class, covers {100 * covered:.3g} % of what comes "
             f"to it, {100 * error:.3g} % of that wrongly"
             for j, (sign, covered, error) in enumerate(zip(report["cut_sign"], report["cut_coverage"],
                                                            report["cut_error"]), 1)]
    lines.append(f"then one machine ({report['cuts_end']}); cross-validated error {100 * report['left_cv_error']:.3g} % on "
                 f"what is left, alone on all {100 * report['plain_cv_error']:.3g} %")
    if report.get("nested_cv_error"):
        lines.append("cross-validated error of lists of 0, 1, ... cuts: " +
                     ", ".join(f"{100 * error:.3g} %" for error in report["nested_cv_error"]))
    return [*lines, f"a decision takes {report['cost_train']:.4g} kernel values"]


TWO_CLASSES = {"MARGIN_E_TWO_CLASSES": "two classes only"}


def more_classes(told: dict) -> str:
    """A list answers at its first sure cut and has no score that could be compared with another list's, and rates are given for
    two classes: one machine a class would make neither. So neither is trained one against the rest."""
    return (": take svm or kmomd (--scheme one-rest), which tell any number of classes apart, or write a data file in which all "
            "classes but one have the same label")


def nu_range(told: dict) -> str:
    """
    >>> nu_range({})
    ': --nu is at most twice the share of the smaller class, and too small where no plane leaves so few rows short of a margin'
    """
    return ": --nu is at most twice the share of the smaller class, and too small where no plane leaves so few rows short of a margin"


TRUE_MOMENTS = "the rates are bounds for the true means and covariances of the classes; those of a sample are estimates"


def rates_keys(told: dict) -> dict:
    return {**told, "note": TRUE_MOMENTS}


def rates_words(told: dict) -> list[str]:
    """
    >>> rates_words({"eta_pos": 0.05, "eta_neg": 0.2, "p_star": 0.5, "eta_pos_touch": 0.0125, "eta_neg_touch": 0.04,
    ...              "train_error_pos": 0.02, "train_error_neg": 0.1, "test_error_pos": None, "test_error_neg": None})
    ['asked for: at most 5 % and 20 % of the positive and the negative class; met in training: 2 % and 10 %', \
'p* = 0.5: with both kappa larger by the same factor down to 1.25 % and 4 %', \
'the rates are bounds for the true means and covariances of the classes; those of a sample are estimates']
    """
    pair = lambda a, b: f"{100 * told[a]:.3g} % and {100 * told[b]:.3g} %"
    met = f"met in training: {pair('train_error_pos', 'train_error_neg')}"
    if told.get("test_error_pos") is not None and told.get("test_error_neg") is not None:
        met += f", in the test: {pair('test_error_pos', 'test_error_neg')}"
    return [f"asked for: at most {pair('eta_pos', 'eta_neg')} of the positive and the negative class; {met}",
            "as good as any rates can be had: the samples of a class can be made to score alike"
            if told["p_star"] < 1e-6 and max(told["eta_pos"], told["eta_neg"]) < 1 else
            f"p* = {told['p_star']:.3g}: with both kappa larger by the same factor down to "
            f"{pair('eta_pos_touch', 'eta_neg_touch')}", TRUE_MOMENTS]


def rates_instead(told: dict) -> str:
    """
    >>> rates_instead({"p_star": 1.25, "eta_pos_touch": 0.12, "eta_neg_touch": 0.4})
    ': p* = 1.25; what is above 12 % and 40 % can, or another pair of the frontier'
    """
    if "p_star" not in told:
        return more_classes(told)
    return (f": p* = {told['p_star']:.3g}; what is above {100 * told['eta_pos_touch']:.3g} % and {100 * told['eta_neg_touch']:.3g} % "
            "can, or another pair of the frontier")


MODELS = Option("models", between(1, 1000, whole), "How many prototypes a class has. lvq: the default is 8. oneclass: "
                "only with --form prototypes. The default is 1. others: the default is 1.")
TANGENTS = Option("tangents", between(0, 32, whole), "How many tangents a prototype has: directions in which samples may differ from it at no "
                  "cost. oneclass: only with --form prototypes. The default is none. others: the default is a quarter of the features, at "
                  "least 1 and at most 5.")
STARTS = ("hss", "clusters", "centroids", "random")
TRIES = Option("starts", above(0, whole), "How many random starts there are; the best of them by the objective is kept. With more of them "
               "the result depends less on the order of the rows. seco: the default is 4 for each sign, C and weight. others: the default "
               "is 1.")
START = Option("start", one_of(STARTS), f"Where prototypes start: {', '.join(STARTS)}. The default is hss.")
ITERATIONS = Option("iterations", above(0, whole), "How many passes over the data there are at most. compact: the default is 100 where there are many rows and "
                    "300 where there are few. With fewer than 8000 rows training may take up to four times as many, and with fewer than 1000 also "
                    "fewer, if that is better on rows held out. lvq: the default is 1000; training ends before that when it has converged. tvq, td: the default "
                    "is 1000; training ends before that when it has converged. With --rate these are gradient steps, 60 by default.")
RATE = Option("rate", above(0), "How large the steps of training are. tvq, td: with it each step follows the gradient over all rows; 1 is "
              "usual. Without it steps follow small groups of rows, at a rate that is found by itself. lvq: this is the rate of the first pass; the default is "
              "0.05, with --olvq1 0.3. compact: the default is 0.01, with an rbf kernel 0.05.")
VECTORS = Option("vectors", between(1, 65535, whole), "How many vectors are learned. The default is 64; with --flash it is the number that fits and "
                 "makes the fewest errors on rows held out of training.")
RANK = Option("rank", between(1, 64, whole), "Learns a projection as well, which makes this many numbers of all features. Vectors then have only so many "
              "values, and the model is smaller. The default is no projection.")
FEATURES = Option("features", between(1, 64, whole), "How many of the features the model reads. Which ones is decided while the vectors learn. This is "
                  "for the kernel hinge, without --rank. The default is all of them.")
MEMBERS = Option("members", between(1, 65535, whole), "Divides the vectors among so many members of a committee, which learn by themselves; the scores are "
                 "the mean of theirs. At most one a vector. The model is as large and as fast as without. The default is 1, or, from 1000 rows on, what "
                 "makes the fewest errors on rows held out.")
NO_KERNEL = (*KERNEL_OPTIONS, "scheme", "tol", "max-iter")


def proto_words(told: dict) -> list[str]:
    """
    >>> proto_words({"prototypes": 10, "tangents": 2, "theta_mistakes": 7})
    ['10 models with 2 tangents each; 7 samples below theta']
    """
    below = f"; {told['theta_mistakes']} samples below theta" if told.get("theta_mistakes") else ""
    asked = told.get("options", {}).get("tangents", 0)
    cut = [f"note: {asked} tangents were asked for; one less than there are features is the most"] if asked > told["tangents"] else []
    return [f"{told['prototypes']:g} models with {told['tangents']:g} tangents each{below}", *cut]


LOSSES = ("hinge", "soft")


def compact_keys(told: dict) -> dict:
    """No error where no rows were held out.

    >>> compact_keys({"noise": 0.2, "held": -1})
    {'noise': 0.2}
    """
    found = {name: value for name, value in told.items() if name != "held"}
    return {**found, **({"error_held": told["held"]} if told.get("held", -1) >= 0 else {})}


def compact_words(told: dict) -> list[str]:
    """
    >>> compact_words({"decay": 0.1, "noise": 0.2, "members": 4, "passes": 75, "error_held": 0.125, "options": {"noise": 0.2}})
    ['75 passes; decay 0.1, members 4, chosen on rows held out: 12.5 % error']
    >>> compact_words({"decay": 0.1, "noise": 0.2, "options": {}})
    []
    """
    given = told.get("options", {})
    if "error_held" not in told:
        return []
    chosen = [f"{name} {told[name]:g}" for name in ("decay", "noise", "members") if name not in given and (name != "members" or told[name] > 1)]
    return [f"{told['passes']:g} passes; {', '.join(chosen)}, chosen on rows held out: {100 * told['error_held']:.3g} % error"]


# ---- the methods ----

METHODS = {
    "mam": Method(
        "the maximal average margin: trained at once, by a formula, and able to learn row by row on the device",
        options=(Option("intercept", yes_or_no, "Puts the threshold midway between the classes, not at the origin. This is the default.",
                        off=True),
                 Option("balanced", yes_or_no, "Classes weigh the same, whatever their sizes. This is the default but for two classes "
                        "with a linear kernel.", off=True)),
        grid=(("balanced", (False, True)), ("intercept", (False, True))),
        words=bound_words, noted=("error_bound", "margin_share")),
    "kmomd": Method(
        "like svm; --lambda sets how many rows decide, from the few nearest to the border (0) to all of them (1)",
        options=(LAMBDA,),
        grid=(("lambda", (0.9, 0.5, 0.1, 0.03, 0.01, 0.001)),), refusals=SEPARABLE),
    "svm": Method(
        "the support vector machine, with a soft margin: the usual first choice",
        options=(C, NU, Option("C-pos", above(0), "The price of a mistake on the positive class. The default is that of --C."),
                 Option("C-neg", above(0), "The price of a mistake on the negative class. The default is that of --C."),
                 Option("bounds", yes_or_no, "Also prints where a search for C may begin: c0, a lower bound and, where the classes do not overlap, "
                        "c1, a first guess.")),
        grid=(("C", (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)),), refusals={**SEPARABLE, "MARGIN_E_INFEASIBLE": "infeasible"},
        instead=nu_range),
    "rates": Method(
        "keeps two error rates that you name, or says that this cannot be done; two classes",
        options=(Option("eta-pos", between(1e-9, 1), "The largest error rate wanted on the positive class. The default is 0.5."),
                 Option("eta-neg", between(1e-9, 1), "The largest error rate wanted on the negative class. The default is 0.5."),
                 Option("nu-pos", between(0, 1e6), "By how many standard deviations the true mean of the positive class may differ from that of the "
                        "rows. The default is 0."),
                 Option("nu-neg", between(0, 1e6), "By how many standard deviations the true mean of the negative class may differ from that of the "
                        "rows. The default is 0."),
                 Option("ridge", between(0, 1e18), "What is added to the variance of each feature (the diagonals of the covariances), for "
                        "few rows. The default is 0."),
                 Option("solver", one_of(("fast", "iter")), "Which solver: fast (the default), or iter, the sphere iteration of the paper."),
                 Option("frontier", between(0, 1000, whole), "How many points of the frontier of reachable rates the JSON has. "
                                                             "The default is 20; with a kernel and over 500 rows none.")),
        grid=(("eta-neg", (0.9, 0.7, 0.5, 0.3, 0.2)), ("eta-pos", (0.9, 0.7, 0.5, 0.3, 0.2))),
        without=("scheme", "cache-mb"), refusals={"MARGIN_E_INFEASIBLE": "infeasible", **TWO_CLASSES}, instead=rates_instead,
        keys=rates_keys, words=rates_words,
        noted=("eta_pos", "eta_neg", "p_star", "frontier")),
    "omam": Method(
        "for ranks or classes in order: fast, by a formula",
        options=(TARGETS, THRESHOLDS,
                 Option("normalised", yes_or_no, "Takes the mean rank of the rows around an input, as Nadaraya and Watson do, instead of a "
                        "sum of ranks. With the kernels rbf, unit-poly and unit-exp.")),
        without=("scheme", "tol", "max-iter", "cache-mb"), targets="order",
        words=tau_words, goal="-kendall_tau", noted=ORDINAL_NOTES),
    "lssvm": Method(
        "for ranks or classes in order: slower than omam, and mostly better",
        options=(C, TARGETS, THRESHOLDS), without=("scheme", "tol", "max-iter", "cache-mb"), targets="order",
        words=tau_words, goal="-kendall_tau", noted=(*ORDINAL_NOTES, "C", "loo")),
    "seco": Method(
        "a list of one-sided cuts, as many as lower the error, then a support vector machine; two classes",
        options=(Option("cheap", yes_or_no, "Makes --greedy faster: it tries 32 candidates for each cut and cross-validates four of them, "
                        "as training without --greedy does, instead of 192 and all of them."),
                 Option("greedy", yes_or_no, "Keeps all cuts, each the best of 192 candidates, as the paper does. By default the list has as "
                        "many cuts as cross-validation inside the training rows finds best, which is often none."),
                 TRIES,
                 Option("assess", above(0, whole), "How many candidates are cross-validated for a cut. The default is 4; with --greedy and without --cheap all."),
                 Option("most-cuts", between(1, 15, whole), "How many cuts there are at most. The default is 15."),
                 Option("min-coverage", between(1e-6, 1), "The share of the samples left that a cut must cover. The default is 1/16."),
                 Option("min-left", above(0, whole), "How many samples of each class a cut must leave. The default is 32."),
                 Option("easy", between(1e-6, 1), "The error of one machine at which cutting ends. The default is 1/32."),
                 INNER),
        without=("scheme", "cache-mb"), refusals=TWO_CLASSES, instead=more_classes, kernels=RBF_FIRST,
        keys=seco_keys, words=seco_words),
    "tvq": Method(
        "prototypes: a few typical rows of each class, moved until they tell the classes apart, with directions (tangents) in which rows may differ from them",
        options=(MODELS, TANGENTS, START, TRIES, ITERATIONS, RATE,
                 Option("theta", between(-0.999, 1), "The margin that all samples should have. The default is 0.2; 0.1 without tangents."),
                 Option("plain", yes_or_no, "All samples count alike. By default those whose margin is short count more from pass to pass."),
                 Option("even", yes_or_no, "Raises the weights of samples with a short margin by more: n / mistakes instead of 1."),
                 Option("validation", between(0, 0.9), "The share of the rows that is held out; training ends when the error on these no longer "
                        "falls. The default is none.")),
        grid=(("tangents", (2, 5, 10)), ("theta", (0.1, 0.2, 0.3))), without=NO_KERNEL, words=proto_words),
    "hss": Method("prototypes: the mean of each class, with the directions in which its rows differ most", options=(MODELS, TANGENTS, START, TRIES),
                  grid=(("tangents", (2, 5, 10, 15)),), without=NO_KERNEL, words=proto_words),
    "lvq": Method("prototypes: a few typical rows of each class, moved by learning vector quantisation (LVQ2.1)",
                  options=(MODELS, TRIES, ITERATIONS, RATE,
                           Option("olvq1", yes_or_no, "Uses LVQ1 with optimised rates instead."),
                           Option("window", between(0.01, 0.99), "The window of LVQ2.1 around the border between classes. The default is 0.3.")),
                  grid=(("models", (4, 8, 16)),), without=NO_KERNEL, words=proto_words),
    "td": Method("prototypes: one with tangents for each class, trained to tell the classes apart",
                 options=(TANGENTS, ITERATIONS, RATE), grid=(("tangents", (2, 5, 10)),), without=NO_KERNEL,
                 words=proto_words),
    "nn": Method("nearest neighbours: keeps all rows, or with --budget a few that answer about as all of them do",
                 options=(Option("neighbours", between(1, 15, whole), "How many neighbours decide. The default is 1."),
                          Option("budget", above(0, whole), "How many vectors the model keeps. The default is all.")),
                 grid=(("neighbours", (1, 3, 5)),), without=NO_KERNEL, words=proto_words),
    "compact": Method(
        "the least flash: a few vectors, learned together with their coefficients and rounded to 8 bits while they learn",
        options=(VECTORS, RANK, FEATURES, MEMBERS, ITERATIONS, RATE,
                 Option("loss", one_of(LOSSES), "How mistakes are counted while the vectors learn. With hinge the score of each class is to "
                                                "tell it from the rest; with soft only the differences between scores count. The default is soft."),
                 Option("noise", between(0, 100), "How much the features are disturbed at random while the vectors learn, in deviations of a "
                                                  "feature. That keeps the border away from the rows. The default is the noise that makes the fewest "
                                                  "errors on rows held out."),
                 Option("decay", between(0, 100), "How strongly values are drawn to zero while they learn: the share that a step of 1 takes "
                                                  "away. That keeps many vectors from learning few rows by heart. The default is the decay that "
                                                  "makes the fewest errors on rows held out."),
                 Option("exact", yes_or_no, "Does not round vectors and coefficients to q7.")),
        grid=(("vectors", (16, 32, 64, 128)),), kernels=("hinge", "rbf"), words=compact_words, keys=compact_keys,
        noted=("noise", "decay", "members", "passes"),
        without=("gamma", "degree", "coef0", "a", "scheme", "tol", "max-iter", "cache-mb")),
    "oneclass": Method(
        "alarms at what is not normal: learns from normal rows alone, with a rate of false alarms that you name",
        options=(NU, LAMBDA, FORM, MODELS, TANGENTS, INNER,
                 Option("held-out", yes_or_no, "Keeps a fifth of the normal rows for the threshold alone: then the rate of false alarms is a "
                                               "promise for any distribution.")),
        grid=(("lambda", (0.0, 0.1, 0.5, 1.0)),), without=("scheme",), targets="normal", kernels=RBF_FIRST,
        words=alarm_words, goal="-auc",
        texts={"MARGIN_E_NO_DIRECTION": "the normal rows lie on all sides of the origin, as scaled rows do, so no plane has them on one side and "
                                        "there is no direction: take --kernel rbf, --form sphere or --form prototypes"},
        noted=("normal_rows", "false_alarm_rate_promised", "false_alarm_rate_test", "detection_rate_test", "auc_test")),
    "svr": Method(
        "numbers instead of classes, in their own units: support vector regression, or least squares",
        options=(C, NU, INNER,
                 Option("epsilon", between(0, 1e300), "How far answers may be off at no cost, in units of the target. The default is a tenth of "
                                             "the deviation of the targets."),
                 Option("squares", yes_or_no, "Least squares instead: without --C the price is the best by leaving one out."),
                 Option("outside", between(1e-6, 0.999), "The share of answers that may be outside of an interval around them; the JSON has half its "
                                                         "width, from rows left out of training.")),
        grid=(("C", (0.1, 1.0, 10.0, 100.0)),), without=("scheme",), targets="numbers", words=number_words, goal="-r2",
        texts={"MARGIN_E_NO_ORDER": "all targets are equal: there is nothing to learn from them"},
        noted=("rmse_train", "rmse_test", "mae_train", "mae_test", "r2_train", "r2_test", "C", "epsilon", "half_width", "outside_promised")),
}


def every_option() -> dict[str, Option]:
    """All options by name, those that are common first."""
    found = {option.name: option for option in COMMON}
    for method in METHODS.values():
        for option in method.options:
            if found.setdefault(option.name, option) is not option:
                raise AssertionError(f"two options are called {option.name}")
    return found


OPTIONS = every_option()


def methods_of(name: str) -> list[str]:
    """The methods that take an option.

    >>> methods_of("lambda"), len(methods_of("scale")) == len(METHODS)
    (['kmomd', 'oneclass'], True)
    """
    return [method for method, entry in METHODS.items() if entry.takes(name)]


def check_form(chosen: dict, kernel, method: str) -> None:
    """What the forms of oneclass do not go with.

    >>> check_form({"form": "sphere", "kernel": "poly"}, "poly", "oneclass")
    Traceback (most recent call last):
    gen.errors.Usage: --form sphere: poly has no sphere; take --kernel linear or rbf
    """
    form = chosen.get("form", "plane")
    if method == "oneclass" and chosen.get("nu") == 1:
        raise Usage("--nu 1: every normal row would be a false alarm; take less than 1")
    if method != "oneclass" or isinstance(form, tuple):
        return
    if form == "sphere" and kernel == "poly":
        raise Usage("--form sphere: poly has no sphere; take --kernel linear or rbf")
    for name in ("models", "tangents") if form != "prototypes" else ("kernel", "gamma", "degree", "coef0", "a", "lambda"):
        if name in chosen:
            raise Usage(f"--{name} has no meaning with --form {form}" + ("; take --form prototypes" if form != "prototypes" else ""))


def check_features(chosen: dict, kernel) -> None:
    """What picked features do not go with.

    >>> check_features({"features": 3, "rank": 2}, "hinge")
    Traceback (most recent call last):
    gen.errors.Usage: --features and --rank are two ways to make vectors short: give one of them
    """
    if "features" in chosen and "rank" in chosen:
        raise Usage("--features and --rank are two ways to make vectors short: give one of them")
    if "features" in chosen and kernel == "rbf":
        raise Usage("--features picks features for hinge units: take --kernel hinge")


def check(method: str, chosen: dict) -> list[str]:
    """Refuses options of other methods; returns notes about those without effect.

    >>> check("svm", {"gamma": 1.0})
    ['--gamma has no effect with the linear kernel']
    """
    kernels = METHODS[method].kernels
    kernel, notes = chosen.get("kernel", kernels[0]), []
    for one in kernel if isinstance(kernel, tuple) else (kernel,):  # several, in a grid
        if METHODS[method].takes("kernel") and one not in kernels:
            raise Usage(f"--kernel {one} is not one of {', '.join(kernels)}, which {method} takes")
    for name in chosen:
        option = OPTIONS[name]
        if not METHODS[method].takes(name):
            raise Usage(f"--{name} is an option of {', '.join(methods_of(name))}, not of {method}")
        if option.kernels and kernel not in option.kernels:
            notes.append(f"--{name} has no effect with the {kernel} kernel")
    check_form(chosen, kernel, method)
    check_features(chosen, kernel)
    losses = [f"--{name}" for name in ("squares", "nu", "epsilon") if chosen.get(name) not in (None, False) and not isinstance(chosen[name], tuple)]
    if method == "svr" and len(losses) > 1:
        raise Usage(f"{' and '.join(losses)} are losses of their own: give one of them")
    if method == "oneclass" and kernel == "poly" and chosen.get("form", "plane") == "plane":
        notes.append("poly values grow with the distance from the origin, so a plane takes far rows for normal ones; --kernel rbf encloses them")
    if chosen.get("normalised") is True and kernel not in POSITIVE and not isinstance(kernel, tuple):
        raise Usage(f"--normalised divides by a sum of kernel values, and those of {kernel} may be negative: take --kernel "
                    f"{' or '.join(POSITIVE)}")
    return notes


# ---- grids ----

def parse_grid(text: str) -> tuple[str, tuple]:
    """
    >>> parse_grid("C=1,10"), parse_grid("kernel=linear,rbf")
    (('C', (1.0, 10.0)), ('kernel', ('linear', 'rbf')))
    """
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise Usage(f"a grid is name=value,value,...: {text!r}")
    if name not in OPTIONS:
        raise Usage(f"no option {name!r} to make a grid of; there are {', '.join(OPTIONS)}")
    try:
        return name, tuple(OPTIONS[name].parse(value.strip()) for value in values.split(","))
    except Usage as error:
        raise Usage(f"grid of {name}: {error}") from None


def default_grid(method: str, kernel: str, d: int, unit: float = 1.0) -> list[tuple[str, tuple]]:
    """What `tune` tries, from the smooth to the rough, so that of equal errors the smoother model wins; prices of svr in the units of
    its targets, whose deviation is `unit`.

    >>> default_grid("svm", "unit-poly", 4)
    [('a', (1.0, 2.0, 3.0, 5.0)), ('C', (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0))]
    >>> default_grid("omam", "unit-poly", 4)
    [('a', (1.0, 2.0, 3.0, 5.0)), ('normalised', (False, True))]
    >>> default_grid("svr", "linear", 4, 77.452)
    [('C', (7.7, 77.0, 770.0, 7700.0))]
    """
    kernels = {"linear": [], "poly": [("degree", (2, 3, 4)), ("coef0", (1.0,)), ("gamma", (0.3 / d, 1.0 / d))],
               "rbf": [("gamma", tuple(g / d for g in (0.06, 0.25, 1.0, 4.0, 16.0)))],
               "hinge": [], "unit-poly": [("a", (1.0, 2.0, 3.0, 5.0))], "unit-exp": [("a", (2.0, 10.0, 100.0, 1000.0))]}
    more = [("normalised", (False, True))] if method == "omam" and kernel in POSITIVE else []
    own = [(name, tuple(float(f"{value * unit:.2g}") for value in values) if method == "svr" else values)
           for name, values in METHODS[method].grid]
    return (kernels[kernel] if METHODS[method].takes("gamma") else []) + own + more


def form_grid(form: str, d: int) -> list[tuple[str, tuple]]:
    """What `tune` tries of prototypes of one class.

    >>> form_grid("prototypes", 3)
    [('models', (1, 2, 4, 8)), ('tangents', (0, 1, 2))]
    """
    return [("models", (1, 2, 4, 8)), ("tangents", tuple(t for t in (0, 1, 2, 4) if t < d))] if form == "prototypes" else []


def describe(method: str, chosen: dict) -> str:
    """
    >>> describe("svm", {"kernel": "rbf", "gamma": 0.5, "C": 10.0})
    'svm, rbf kernel, gamma 0.5, C 10'
    >>> describe("mam", {"balanced": True, "intercept": False})
    'mam, linear kernel, balanced'
    """
    kernel = method not in METHODS or METHODS[method].takes("kernel")
    default = METHODS[method].kernels[0] if method in METHODS else "linear"
    kernel = kernel and chosen.get("form") != "prototypes"
    parts = [method, f"{chosen.get('kernel', default)} kernel"] if kernel else [method]
    for name, value in chosen.items():
        if value is True:
            parts.append(name)
        elif name != "kernel" and value is not False:
            parts.append(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}")
    return ", ".join(parts)
