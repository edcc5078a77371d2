"""paper_004.py -- error rates given in advance beside Nath and Bhattacharyya: tables 1 to 3, the frontier of reachable rates."""
import os
import statistics
import sys

from cells import ROOT, Absent, Cells
from page import Figure, Section, Table, lines, standard_error

sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))

# Data, sigma, eta of -: for each eta of + the % error of + and - by NL-SOCP and L-SOCP; None: infeasible
TABLE = {
    ("Breast Cancer", "wdbc", 0.032, 0.3): {0.9: ((12.74, 0.56), (16.98, 0.00)), 0.7: ((10.85, 1.12), (13.68, 0.00)),
                                            0.5: ((4.72, 1.96), (5.19, 0.84)), 0.3: ((3.30, 2.24), (3.77, 2.80)), 0.1: ((2.36, 4.20), None)},
    ("Heart Disease", "heart", 0.16, 0.9): {0.9: ((14.60, 22.50), (18.99, 14.38)), 0.7: ((13.14, 27.50), (17.52, 17.50)),
                                            0.5: ((11.68, 32.50), (13.14, 21.88)), 0.3: ((10.95, 30.00), (10.22, 36.25)),
                                            0.1: ((10.95, 30.00), None)},
    ("Ring Norm", "ringnorm", 3.0, 0.7): {0.9: ((30.14, 31.94), None), 0.7: ((20.57, 36.65), None), 0.5: ((12.44, 41.89), None),
                                          0.3: ((10.05, 46.07), None), 0.1: ((7.66, 47.12), None)},
    ("Two Norm", "twonorm", 20.0, 0.3): {0.9: ((10.15, 1.28), (9.02, 0.43)), 0.7: ((6.39, 1.71), (6.77, 0.43)), 0.5: ((5.26, 2.56), (4.51, 1.28)),
                                         0.3: ((5.64, 4.27), (3.38, 1.71)), 0.1: ((7.52, 5.98), None)}}
SPLITS = 10
DRAWN = {"twonorm": (266, 234), "ringnorm": (209, 191)}  # samples of + and - of the paper's draw
ROWS = {"Breast Cancer": (212, 357), "Heart Disease": (137, 160), "Two Norm": (266, 234), "Ring Norm": (209, 191)}
REASONS = {("Heart Disease", "linear"): "close to where the problem becomes infeasible: with a ridge of 0.1 three of ten splits are, and the others "
                                        "have 11.3 / 32.0",
           ("Ring Norm", "rbf"): "its figures are of one draw of the samples, whose spread is not known; it does not say how it scaled the features that its "
                                 "width of 3 is for",
           ("Two Norm", "rbf"): "the paper's own two solvers of this one problem are 2.3 points apart there: the other has 5.26 / 7.26",
           ("Breast Cancer", "rbf"): "three of 212 rows: its figures are whole numbers of rows, so of one division into folds",
           ("Heart Disease", "rbf"): "the kernel tells all positive samples apart, so that eta no longer matters below 0.5; the paper's own two solvers of "
                                     "this one problem are up to 6.2 points apart there"}
GRID = (0.1, 0.3, 0.5, 0.7, 0.9)
# Tables 2 and 3: % error and risk 2 e+ + e- of L-SVM and L-SOCP
BEST = {"PIMA": ("pima.csv", "1", (22.53, 23.44), (255, 256)), "B. Cancer": ("wdbc.csv", "", (5.1, 2.99), (45, 26))}


def cross_validated(cells: Cells, data: str, eta: tuple, kernel: str, gamma: float) -> list:
    """Errors of + and - in % of each of several 3-fold cross-validations; None where it is infeasible. Two Norm and Ring Norm, whose
    samples the paper drew, are drawn anew for each: one draw of 500 samples moves the errors by more than all divisions of it."""
    if data not in DRAWN:
        cells.file({"heart": "heart_cleveland297"}.get(data, data) + ".csv")

    def work():
        import table_rates
        found = []
        for seed in range(SPLITS):
            x, y = table_rates.normal_clouds(data, DRAWN[data], seed) if data in DRAWN else table_rates.sets(cells.data)[data]
            found.append(table_rates.cross_validated(x, y, eta, kernel, gamma, 0.0, seed))
        return {"errors": [None if one is None else [float(v) for v in one[:2]] for one in found]}
    what = "draws, each with a 3-fold cross-validation" if data in DRAWN else "3-fold cross-validations"
    what += ", the narrow class positive" if data == "ringnorm" else ""
    key = f"rates {data} eta {eta} {kernel} {gamma:g}, {SPLITS} {what}, tests/bench/table_rates.py"
    return cells.known_or(key, work, kernel == "linear" or data == "heart", "rates")["errors"]


def cell(section: Section, words: str, etas: str, kernel: str, errors: list, paper) -> list[str]:
    """Ours and the paper's. They differ where they are apart by more than two deviations over divisions, or two rows: the paper's
    figures are whole numbers of rows."""
    where = f"{words}, eta {etas}, {kernel}"
    good = [one for one in errors if one is not None]
    theirs = "infeasible" if paper is None else f"{paper[0]:.2f} / {paper[1]:.2f}"
    if 2 * len(good) < len(errors):
        if paper is not None:
            section.differing.append(f"004, {where}: infeasible in most splits, the paper {theirs}; other folds at the edge of feasibility")
        return ["infeasible", theirs]
    means = [statistics.fmean(one[i] for one in good) for i in (0, 1)]
    spread = [statistics.stdev(one[i] for one in good) if len(good) > 1 else 0 for i in (0, 1)]
    ours = " / ".join(f"{m:.2f} ± {s / len(good) ** 0.5:.2f}" for m, s in zip(means, spread))
    if paper is None:
        section.differing.append(f"004, {where}: {ours}, the paper: infeasible; the paper adds a multiple of the identity to covariances")
    elif any(abs(m - p) > 2 * max(s, 100 / n) for m, p, s, n in zip(means, paper, spread, ROWS[words])):
        reason = REASONS.get((words, kernel), "its figures are whole numbers of rows: of one division, or of one draw")
        section.differing.append(f"004, {where}: {ours}, the paper {theirs}; {reason}")
    return [ours, theirs]


def table_one(cells: Cells, section: Section) -> None:
    rows, missing, before = [], 0, len(section.differing)
    for (words, data, sigma, eta_neg), lines_ in TABLE.items():
        for eta_pos, papers in lines_.items():
            row = [words, f"{eta_pos:g}, {eta_neg:g}"]
            for (kernel, gamma), paper in zip((("rbf", sigma), ("linear", 0.0)), papers):
                try:
                    errors = cross_validated(cells, data, (eta_pos, eta_neg), kernel, gamma)
                    row += cell(section, words, f"{eta_pos:g} and {eta_neg:g}", kernel, errors, paper)
                except (Absent, ImportError) as why:
                    missing += 1
                    row += [f"not run ({why})" if isinstance(why, ImportError) else "not run", "infeasible" if paper is None else
                            f"{paper[0]:.2f} / {paper[1]:.2f}"]
            rows.append(row)
    section.parts.append(Table("Table 1: % error of + / -, 3-fold cross-validation, mean and standard error over 10 divisions or draws",
                               ["data", "eta of +, -", "kernel, ours", "kernel, paper (NL-SOCP)", "linear, ours", "linear, paper (L-SOCP)"],
                               rows, "Two Norm and Ring Norm are drawn anew ten times. The positive class of Ring Norm is the narrow one: the paper does not say which, but only "
                               "this one has its rates. \"infeasible\": there is no plane with these rates, and the answer says so. The paper's columns NL-ITER and "
                               "L-ITER are its own iteration for the same problems (here `--solver iter`); `make bench-rates` compares the two solvers and finds "
                               "the same optima.", "/usr/bin/python3 tests/bench/table_rates.py DATA"))
    off, all_ = len(section.differing) - before, 40 - missing
    section.judge("table 1", "not run" if all_ < 20 else "reproduced" if off <= all_ / 4 else "differs",
                  f"{all_ - off} of {all_} cells agree with the paper's within two standard errors"
                  + (f" ({missing} more were not run)" if missing else "")
                  + ("" if any("the paper: infeasible" in words or ": infeasible in most" in words for words in section.differing[before:]) else "; infeasible are the same ones"))


def risk(found: dict, rows: dict) -> float:
    return 2 * found["test_error_pos"] * rows[1] + found["test_error_neg"] * rows[0]


def by_risk(some: list[dict], rows: tuple) -> tuple[float, float]:
    """The least risk of a grid, and a standard error: wrong rows of both classes counted as binomial."""
    found = min(some, key=lambda one: risk(one, rows))
    spread = 4 * rows[1] * found["test_error_pos"] * (1 - found["test_error_pos"]) + rows[0] * found["test_error_neg"] * (1 - found["test_error_neg"])
    return risk(found, rows), spread ** 0.5


def by_error(some: list[dict], rows: tuple) -> tuple[float, float]:
    """The least error of a grid in %, and a binomial standard error."""
    found = min(one["error_mean"] for one in some)
    return 100 * found, 100 * (found * (1 - found) / sum(rows)) ** 0.5


def apart(section: Section, where: str, ours: tuple[float, float], paper: float, unit: str, raw: dict | None) -> None:
    if abs(ours[0] - paper) > 2 * 2 ** 0.5 * ours[1]:
        reason = (f"ours is of standardised features; on features as they are, with the paper's C = 5, it has {100 * raw['error_mean']:.1f} %" if raw else
                  "other divisions into folds and another grid")
        section.differing.append(f"004, tables 2 and 3, {where}: {ours[0]:.4g} ± {ours[1]:.2g} {unit}, the paper {paper:g}; {reason}")


def best(cells: Cells, path: str, positive: tuple, commands: list) -> list[dict]:
    found = []
    for words in commands:
        try:
            found.append(cells.gen("cv", path, *words, "--folds", 3, "--repeats", 3, *positive, quick=True,
                                   more=("status", "test_error_pos", "test_error_neg")))
        except Absent:
            pass
    return [one for one in found if one.get("status") == "ok"]


def tables_two_three(cells: Cells, section: Section) -> None:
    rows = []
    for words, (name, positive, errors, risks) in BEST.items():
        try:
            path = cells.file(name)
        except Absent as why:
            rows.append([words, str(why), "", "", ""])
            continue
        more = ("--positive", positive) if positive else ()
        svm = best(cells, path, more, [("--method", "svm", "--C-pos", c * w, "--C-neg", c) for c in (0.1, 1.0, 10.0) for w in (1, 2)])
        socp = best(cells, path, more, [("--method", "rates", "--eta-pos", a, "--eta-neg", b) for a in GRID for b in GRID])
        counts = {"PIMA": (500, 268), "B. Cancer": (357, 212)}[words]
        for who, some, error, told in (("L-SVM", svm, errors[0], risks[0]), ("L-SOCP", socp, errors[1], risks[1])):
            if some:
                least, dearest = by_error(some, counts), by_risk(some, counts)
                raw = best(cells, path, more, [("--method", "svm", "--C", 5, "--scale", "none")]) if (words, who) == ("B. Cancer", "L-SVM") else []
                apart(section, f"{words}, {who}", least, error, "% error", raw[0] if raw else None)
                apart(section, f"{words}, {who}", dearest, told, "risk", raw[0] if raw else None)
                rows.append([words, who, f"{least[0]:.2f} ± {least[1]:.2f}", f"{error:.2f}", f"{dearest[0]:.0f} ± {dearest[1]:.0f}", f"{told}"])
    section.parts.append(Table("Tables 2 and 3: least cross-validated error in %, least risk 2 e+ + e-, over a grid of options",
                               ["data", "method", "error, ours", "error, paper", "risk, ours", "risk, paper"], rows,
                               "3-fold cross-validation, three times; standard errors are binomial. It is the least of a grid on the very rows that it is measured on, as "
                               "in the paper: it compares methods and promises nothing for new rows.",
                               "python3 -m gen cv DATA/pima.csv --method rates --eta-pos 0.1 --eta-neg 0.5 --folds 3 --repeats 3"))
    if len(rows) == 4 and all(len(row) == 6 for row in rows):
        close = all(float(row[2].split()[0]) < float(row[3]) + 2 for row in rows)
        section.judge("tables 2 and 3", "reproduced" if close else "differs",
                      "planes of given rates are about as good as SVMs, as the paper says; ours (the paper's): "
                      + "; ".join(f"{row[0]} {row[1]} {row[2].split()[0]} % ({row[3]} %), risk {row[4].split()[0]} ({row[5]})" for row in rows))
    else:
        section.judge("tables 2 and 3", "not run")


def frontier(cells: Cells, section: Section) -> None:
    series = {}
    for words, name, more in (("PIMA", "pima.csv", ("--positive", "1")), ("Breast Cancer", "wdbc.csv", ())):
        try:
            found = cells.gen("train", cells.file(name), "--method", "rates", "--eta-pos", 0.9, "--eta-neg", 0.9, *more, quick=True,
                              more=("frontier",))
            series[words] = [tuple(point[:2]) for point in found["frontier"]]
        except Absent:
            pass
    if series:
        section.parts.append(Figure("The frontier of rates that can be asked for, linear kernel",
                                    lines(series, "eta of +", "eta of -"), "Rates above and to the right of a line can be had, those below it cannot: there the "
                                    "problem is infeasible, and `gen train` says so and names the nearest rates that can be had.",
                                    "python3 -m gen train DATA/pima.csv --method rates --eta-pos 0.9 --eta-neg 0.9 --positive 1 --json -"))
        falls = all(b[1] <= a[1] + 1e-9 for some in series.values() for a, b in zip(some, some[1:]))
        section.judge("frontier of rates", "reproduced" if falls else "differs", "the less is asked for one class, the more can be asked for the other"
                      + ("" if falls else ", but not everywhere") + "; the paper has no such figure, but its infeasible cells lie below the line")
    else:
        section.judge("frontier of rates", "not run")


def section(cells: Cells) -> Section:
    one = Section("004", "rates: given false positive and false negative rates", "Nath, Bhattacharyya, SDM 2007. Two ellipsoids, and the plane "
                  "of the largest margin between them.")
    one.misprints = [("section 3.2: touching spheres inside the ellipsoids have the radius delta", "the radius is delta |A z + b|"),
                     ("section 3.2: t1 > t2 is the sign that the problem is infeasible", "t1 > t2 is sufficient only; p* >= 1 is the exact test: p* is the least "
                      "kappa_+ |S_+^(1/2) w| + kappa_- |S_-^(1/2) w| over all w with w'(mu_+ - mu_-) = 1")]
    one.left_out = ["Figures 1 to 4 are drawings that explain the geometry, without measurements."]
    table_one(cells, one)
    tables_two_three(cells, one)
    frontier(cells, one)
    return one
