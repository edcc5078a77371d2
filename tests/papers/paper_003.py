"""paper_003.py -- TVQ beside Aiolli and Sperduti: tables 1 and 2, error against theta, margins, rejection. digits8x8 and USPS
stand in for NIST-3, which is not free."""
import gzip
import os

from cells import FOLDER, Absent, Cells
from page import Figure, Section, Table, lines

DATA = {"digits": ("digits8x8.csv", 900), "USPS": ("usps.csv", 7291)}
# what, the paper's error in % on NIST-3, command; {quick} marks what digits has in the quick mode
METHODS = (("HSS 1-sided, 15 tangents", 3.58, ("hss", "--tangents", 15)), ("LVQ 2.1, 16 codebooks", 3.52, ("lvq", "--models", 16)),
           ("TD-neurons, 15 tangents", 3.51, ("td", "--tangents", 15)), ("1-NN, all rows", 3.16, ("nn",)),
           ("SVM, linear", 10.64, ("svm", "--scheme", "one-rest", "--C", 1)),
           ("SVM, polynomial of degree 2", 2.82, ("svm", "--kernel", "poly", "--degree", 2, "--coef0", 1, "--C", 10)),
           *((f"SVM, polynomial of degree {k}", paper, ("svm", "--kernel", "poly", "--degree", k, "--coef0", 1, "--C", 10))
             for k, paper in ((3, 3.23), (4, 4.02))),
           ("TVQ, no tangents, 1 model, theta 0.1", 6.40, ("tvq", "--tangents", 0, "--theta", 0.1)),
           ("TVQ, no tangents, 3 models, theta 0.1", 4.26, ("tvq", "--tangents", 0, "--theta", 0.1, "--models", 3)),
           ("TVQ, 10 tangents, theta 0.3", 2.40, ("tvq", "--tangents", 10, "--theta", 0.3)),
           ("TVQ, 10 tangents, 3 models, theta 0.3", 2.10, ("tvq", "--tangents", 10, "--theta", 0.3, "--models", 3)),
           ("TVQ, 15 tangents, theta 0.3", 2.20, ("tvq", "--tangents", 15, "--theta", 0.3)),
           ("TVQ, 15 tangents, 3 models, theta 0.3", 2.26, ("tvq", "--tangents", 15, "--theta", 0.3, "--models", 3)),
           ("TVQ, 10 tangents, theta 0.4", 3.00, ("tvq", "--tangents", 10, "--theta", 0.4)),
           ("TVQ, 10 tangents, 3 models, theta 0.4", 2.43, ("tvq", "--tangents", 10, "--theta", 0.4, "--models", 3)),
           ("TVQ, 15 tangents, theta 0.4", 2.22, ("tvq", "--tangents", 15, "--theta", 0.4)),
           ("TVQ, 15 tangents, 3 models, theta 0.4", 2.10, ("tvq", "--tangents", 15, "--theta", 0.4, "--models", 3)))
PLAIN = ("tvq", "--tangents", 15, "--theta", 0.4, "--plain")
STEPS = (1, 3, 10, 30, 100)  # of figures 3 to 6: gradient steps over all rows, as the paper takes them
COMMAND = ("python3 -m gen train TRAIN --method tvq --tangents 15 --theta 0.4 --rate 1 --iterations STEPS [--plain] [--start centroids] "
           "--scale none --test TEST")
GRADIENT = ("tvq", "--tangents", 15, "--theta", 0.4, "--rate", 1, "--iterations")
CURVES = ("margin_at_train", "margin_share_train", "reject_share_test", "reject_error_test")
THETAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.6)


def files(cells: Cells, name: str) -> tuple[str, str]:
    source, first = DATA[name]
    path = cells.file(source)
    paths = tuple(os.path.join(FOLDER, f"{name}-{part}.csv") for part in ("train", "test"))
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")) as file:
        rows = file.readlines()
    for to, some in zip(paths, (rows[:first], rows[first:])):
        with open(to, "w", encoding="utf-8") as file:
            file.writelines(some)
    return paths


def trained(cells: Cells, name: str, method: tuple) -> dict:
    train, test = files(cells, name)
    return cells.gen("train", train, "--method", *method, "--scale", "none", "--test", test, quick=name == "digits",
                     more=CURVES)


def error(cells: Cells, name: str, method: tuple) -> dict | None:
    try:
        return trained(cells, name, method)
    except Absent:
        return None


def table(cells: Cells, section: Section) -> dict:
    found = {(words, name): error(cells, name, method) for words, _, method in METHODS for name in DATA}
    rows = []
    for words, paper, _ in METHODS:
        row = [words, f"{paper:.2f}"]
        for name in DATA:
            one = found[words, name]
            row += [f"{100 * one['test_error']:.2f} ± {100 * binomial(one, name):.2f}", f"{one['support']:g}"] if one else ["not run", ""]
        rows.append(row)
    section.parts.append(Table(
        "Tables 1 and 2: test error in %, with the standard error of so many test rows, and vectors stored",
        ["method", "paper, NIST-3", *(f"{name}, {word}" for name in DATA for word in ("error", "vectors"))], rows,
        "HSS 2-sided (3.40 in the paper) has no trainer here; `make bench-proto` measures it. digits: first 900 rows train, 897 of other writers test. USPS: the official split. The order of the methods can be compared "
        "with the paper's, the errors cannot.", "python3 -m gen train TRAIN --method tvq --tangents 15 --theta 0.3 --scale none --test TEST"))
    verdict(section, found)
    return found


def binomial(one: dict, name: str) -> float:
    rows = {"digits": 897, "USPS": 2007}[name]
    return (one["test_error"] * (1 - one["test_error"]) / rows) ** 0.5


def verdict(section: Section, found: dict) -> None:
    for name in DATA:
        tvq = [one for (words, data), one in found.items() if data == name and words.startswith("TVQ") and one and one["support"] <= 480]
        others = [found["1-NN, all rows", name], found["HSS 1-sided, 15 tangents", name]]
        if not tvq or None in others:
            section.judge(f"TVQ below 1-NN and HSS with at most 480 vectors, {name}", "not run")
            continue
        best = min(tvq, key=lambda one: one["test_error"])
        below = best["test_error"] < min(one["test_error"] for one in others)
        section.judge(f"TVQ below 1-NN and HSS with at most 480 vectors, {name}", "reproduced" if below else "differs",
                      f"{100 * best['test_error']:.2f} % with {best['support']:g} vectors; 1-NN {100 * others[0]['test_error']:.2f} %, HSS "
                      f"{100 * others[1]['test_error']:.2f} %")


def stepped(cells: Cells, name: str, *more) -> dict[int, dict]:
    """The paper's own descent after so many steps."""
    found = {steps: error(cells, name, (*GRADIENT, steps, *more)) for steps in STEPS}
    return {steps: one for steps, one in found.items() if one}


def percent(some: dict[int, dict], part: str) -> list[tuple[int, float]]:
    return [(steps, 100 * one[f"{part}_error"]) for steps, one in some.items()]


def descent(cells: Cells, section: Section) -> None:
    """Figures 3 to 6: errors and margins as the descent goes on. USPS has pictures of the paper's size, and as there the start makes
    errors on the training rows; on digits it makes none, so that there is nothing to re-weight."""
    last = {}
    for name in DATA:
        ways = {"weighted": stepped(cells, name), "without": stepped(cells, name, "--plain")}
        series = {f"{part}, {word}": percent(some, part) for word, some in ways.items() for part in ("test", "train") if some}
        if not series:
            continue
        section.parts.append(Figure(f"Figure 4: errors in % against gradient steps, {name}, 15 tangents, theta 0.4",
                                    lines(series, "steps", "error, %", log_x=True), command=COMMAND))
        margins = {f"step {steps}": list(zip(one["margin_at_train"], one["margin_share_train"]))
                   for steps, one in ways["weighted"].items() if steps in (1, 10, 100)}
        section.parts.append(Figure(f"Figure 5: cumulative distribution of training margins as the descent goes on, {name}",
                                    lines(margins, "margin", "share of rows below"),
                                    "Figure 6 is the same of other shapes. Figure 7 shows weights of samples, which are no part of a model."))
        if all(STEPS[-1] in some for some in ways.values()):
            last[name] = tuple(some[STEPS[-1]]["test_error"] for some in ways.values())
    starts = {word: percent(stepped(cells, "digits", *more), "test") for word, more in
              (("hss", ()), ("centroids", ("--start", "centroids")), ("random", ("--start", "random")))}
    if all(starts.values()):
        section.parts.append(Figure("Figure 3: test error in % against steps, by where prototypes start, digits",
                                    lines(starts, "steps", "error, %", log_x=True)))
    if last:
        shown = {**{f"{name}, {STEPS[-1]} steps": pair for name, pair in last.items()},
                 **{f"{tangents} tangents, random halves of digits": pair for tangents, pair in reweighting(cells).items()}}
        falls = last.get("USPS", (1, 0))
        section.judge("figure 4b: re-weighting lowers the error", "reproduced" if falls[0] < falls[1] else "differs",
                      "; ".join(f"{what}: {100 * a:.2f} % with, {100 * b:.2f} % without" for what, (a, b) in shown.items())
                      + "; with 15 tangents no training row of digits is wrong from the start, so that there is nothing to re-weight")


def reweighting(cells: Cells) -> dict[int, tuple[float, float]]:
    """Errors with and without re-weighting on ten random halves of digits, by tangents: far less chance than one division has."""
    found = {}
    for tangents in (2, 15):
        try:
            words = ("cv", cells.file("digits8x8.csv"), "--method", "tvq", "--tangents", tangents, "--scale", "none", "--folds", 2, "--repeats", 5)
            found[tangents] = tuple(cells.gen(*words, *more, quick=tangents == 2)["error_mean"] for more in ((), ("--plain",)))
        except Absent:
            continue
    return found


def curves(cells: Cells, section: Section) -> None:
    name = "digits"
    some = [(theta, error(cells, name, ("tvq", "--tangents", 15, "--theta", theta))) for theta in THETAS]
    some = {part: [(theta, 100 * one[f"{part}_error"]) for theta, one in some if one] for part in ("test", "train")}
    if some["test"]:
        section.parts.append(Figure("Error in % against theta, digits, 15 tangents", lines(some, "theta", "error, %")))
    pair = {"re-weighted": error(cells, name, PLAIN[:-1]), "without": error(cells, name, PLAIN)}
    if all(pair.values()):
        margins = {word: list(zip(one["margin_at_train"], one["margin_share_train"])) for word, one in pair.items()}
        section.parts.append(Figure("Training margins at the end, theta 0.4, with re-weighting and without",
                                    lines(margins, "margin", "share of rows below")))
    rejected = {}
    for words, method in (("TVQ", PLAIN[:-1]), ("HSS", ("hss", "--tangents", 15)), ("1-NN", ("nn",))):
        one = error(cells, name, method)
        if one and one.get("reject_share_test"):
            rejected[words] = [(100 * a, 100 * b) for a, b in zip(one["reject_share_test"], one["reject_error_test"]) if a < 0.3]
    if rejected:
        section.parts.append(Figure("Figure 8: error in % against rejected rows in %, digits", lines(rejected, "rejected, %", "error, %")))
        ends = {words: min((p for p in some if p[0] <= 5), key=lambda p: -p[0])[1] for words, some in rejected.items()}
        section.judge("figure 8: rejection", "reproduced" if ends["TVQ"] <= min(ends.values()) else "differs",
                      "error at 5 % rejected: " + ", ".join(f"{words} {value:.2f} %" for words, value in ends.items()))


def section(cells: Cells) -> Section:
    one = Section("003", "tvq: a re-weighting strategy for improving margins", "Aiolli, Sperduti, Artificial Intelligence 137, 2002. "
                  "Prototypes with tangents, samples of small margin counting more and more.")
    one.misprints = [("no learning rate is given", "centroid steps are scaled by the mean distance at the start; rate 1 is then stable")]
    table(cells, one)
    descent(cells, one)
    curves(cells, one)
    return one
