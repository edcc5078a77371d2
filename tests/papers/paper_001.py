"""paper_001.py -- MAM and oMAM beside Pelckmans, Suykens and De Moor: figures 1, 2a and 2b, the bound against measured error."""
import csv
import math
import os
import statistics
import sys

import paper_000
from cells import FOLDER, ROOT, Absent, Cells
from page import Figure, Section, Table, boxes, interval, lines

sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))
from gen import svg  # noqa: E402

DRAWS, GRID = 20, 40
SOLVED = 5000  # rows up to which the paper has LS-SVM
# train rows: oMAM, LS-SVM of the paper, None where it has none; its Cpu(1) has the rows of california_housing
FIGURE = {"bank32nh": {100: (.37, .43), 500: (.49, .51), 5000: (.56, .56), 7500: (.57, None)},
          "bank8fm": {100: (.81, .84), 500: (.83, .86), 5000: (.86, .88), 7500: (.88, None)},
          "california_housing": {100: (.44, .62), 500: (.50, .66), 5000: (.57, .68), 7500: (.60, None), 15000: (.69, None)},
          "cpu_act": {100: (None, None), 500: (None, None), 5000: (None, None)}}
COUNTS = (100, 200, 500, 1000, 2000, 4000)  # training rows of the bound
GAMMAS = (0.06, 0.25, 1.0, 4.0, 16.0, 64.0)


def ripley(cells: Cells, section: Section) -> None:
    """Figure 1: where MAM and SVM change their answer."""
    try:
        train, test = (cells.file("splits", "ripley", f"ripley_{part}_1.csv") for part in ("train", "test"))
        series, errors = [], {}
        for name, more in (("mam", ()), ("svm", ("--C", 1))):
            found = cells.known_or(f"tests/papers/paper_001.py, figure 1, {name}", lambda name=name, more=more: field(train, test, name, more),
                                   True, name)
            errors[name] = found["error"]
            series.append((name, found["scores"]))
    except Absent as why:
        section.judge("figure 1", "not run", str(why))
        return
    with open(train, encoding="utf-8") as file:
        rows = [list(map(float, row)) for row in csv.reader(file)]
    axes = svg.Axes((-1.3, 1.0), (-0.3, 1.2), bottom=230)
    marks = axes.frame("first feature", "second feature")
    for sign, style in ((False, 0), (True, 1)):
        marks.append(svg.marks_of([(axes.x(r[0]), axes.y(r[1])) for r in rows if (r[-1] > 0) == sign], style, 2))
    for i, (name, scores) in enumerate(series):
        place = lambda u, v: (axes.x(-1.3 + 2.3 * u / (GRID - 1)), axes.y(-0.3 + 1.5 * v / (GRID - 1)))
        for level in (-0.2, 0.0, 0.2) if name == "mam" else (-1.0, 0.0, 1.0):
            thin = ' style="stroke-dasharray: 3 3; stroke-width: 1"' if level else ""
            marks += [f'<path d="{svg.outline(scores, level, place)}" class="s{2 + i}"{thin}/>']
        marks += [svg.path([(8 + 180 * i, 274), (22 + 180 * i, 274)], f"s{2 + i}"),
                  svg.text(26 + 180 * i, 278, f"{name}: {100 * errors[name]:.1f} % test error", style="")]
    section.parts.append(Figure("Figure 1: MAM and SVM on Ripley's data", svg.picture(284, marks, "Ripley"),
                                "Full lines: where the answer changes. Dashed: where the score of MAM is -0.2 and 0.2, that of the SVM -1 and 1, the margins. The "
                                "scores of MAM say of every place how sure it is, those of the SVM tell most near its border.", "python3 -m gen train ripley_train_1.csv --method mam --kernel rbf --gamma 2 --test ripley_test_1.csv"))
    section.judge("figure 1", "reproduced" if errors["mam"] < errors["svm"] + 0.02 else "differs", f"test error {100 * errors['mam']:.1f} % of MAM, "
                  f"{100 * errors['svm']:.1f} % of the SVM; the paper has the picture without figures, and says that the Parzen window is in general slightly worse")


def field(train: str, test: str, method: str, more: tuple) -> dict:
    """Scores on a grid, and the test error."""
    from cells import run
    model, grid = os.path.join(FOLDER, f"ripley-{method}.mgn"), os.path.join(FOLDER, "grid.csv")
    with open(grid, "w", encoding="ascii") as file:
        file.writelines(f"{-1.3 + 2.3 * i / (GRID - 1):.6f},{-0.3 + 1.5 * j / (GRID - 1):.6f},{(i + j) % 2}\n"
                        for j in range(GRID) for i in range(GRID))
    told = run(("train", train, "--method", method, "--kernel", "rbf", "--gamma", 2, *more, "--test", test, "--save", model))
    scores = run(("predict", model, grid))["scores"]
    return {"error": told["test_error"], "scores": [[round(v, 3) for v in scores[j * GRID:(j + 1) * GRID]] for j in range(GRID)]}


def bound(cells: Cells, section: Section) -> None:
    """The theorem's bound at rho = 0, delta = 0.05, with B = 1: 1 - lambda + 2 / sqrt(n) + 3 sqrt(2 ln(2 / delta) / n)."""
    rows, held = [], []
    for name in paper_000.PAPER:
        try:
            train, test = paper_000.split(cells, name, 1)
            found = cells.gen("train", train, "--method", "mam", "--kernel", "rbf", "--no-intercept", "--no-balanced", "--test", test, quick=True,
                              more=("objective",))
            svm = cells.gen("train", train, "--method", "svm", "--kernel", "rbf", "--test", test, quick=True)
        except Absent as why:
            rows.append([name, *[str(why)] * 4])
            continue
        whole = 1 - found["objective"] + 2 / math.sqrt(found["n"]) + 3 * math.sqrt(2 * math.log(40) / found["n"])
        held.append(found["test_error"] <= min(whole, 1))
        rows.append([name, f"{found['objective']:.3f}", f"{whole:.3f}", f"{found['test_error']:.3f}", f"{svm['test_error']:.3f}"])
    section.parts.append(Table("The bound of theorem 2 against measured error, first split of 13 sets, rbf of gamma 1 / d",
                               ["data", "average margin", "bound", "MAM, test error", "SVM, test error"], rows,
                               "1 - average margin + 2 / sqrt(n) + 3 sqrt(2 ln(2 / delta) / n), with delta = 0.05: with probability 0.95 the error is below it. A bound "
                               "above 1 says nothing.",
                               "python3 -m gen train TRAIN --method mam --kernel rbf --no-intercept --no-balanced --test TEST"))
    section.judge("the bound", "reproduced" if held and all(held) else "not run" if not held else "differs",
                  f"holds on {sum(held)} of {len(held)} sets, but says nothing there: with so few rows it is above 1")


def growing(cells: Cells, section: Section) -> None:
    """The bound and the error of MAM against the number of training rows."""
    series, low = {}, {}
    for name in ("twonorm", "banana"):
        try:
            path = cells.file(name + ".csv")
            found = [(n, cells.known_or(f"tests/papers/paper_001.py, the bound, {name}, {n} rows", lambda n=n, path=path: bound_at(path, name, n), True, "mam"))
                     for n in COUNTS]
        except Absent:
            continue
        series[f"{name}, bound"] = [(n, one["bound"]) for n, one in found]
        series[f"{name}, error"] = [(n, one["error"]) for n, one in found]
        low[name] = found[-1][1]
    if series:
        section.parts.append(Figure("The bound and the test error of MAM against training rows", lines(series, "training rows", "bound, error", log_x=True),
                                    "Tested on the rows that are left. gamma as in the table."))
        section.judge("the bound against rows", "reproduced" if all(one["error"] <= min(one["bound"], 1) for one in low.values()) else "differs",
                      f"with {COUNTS[-1]} rows: " + "; ".join(f"{name} bound {one['bound']:.2f}, error {one['error']:.3f}" for name, one in low.items())
                      + ". It stays loose: it cannot fall below 1 - the average margin, and scores of an rbf kernel are far below 1")
    else:
        section.judge("the bound against rows", "not run")


def bound_at(path: str, name: str, n: int) -> dict:
    """Of the first n rows of a file in random order, tested on the others."""
    import gzip
    import random
    from cells import run
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")) as file:
        rows = file.readlines()
    random.Random(1).shuffle(rows)
    paths = [os.path.join(FOLDER, f"bound-{name}-{part}.csv") for part in ("train", "test")]
    for to, some in zip(paths, (rows[:n], rows[n:])):
        with open(to, "w", encoding="utf-8") as file:
            file.writelines(some)
    found = run(("train", paths[0], "--method", "mam", "--kernel", "rbf", "--no-intercept", "--no-balanced", "--test", paths[1]))
    return {"bound": 1 - found["objective"] + 2 / math.sqrt(n) + 3 * math.sqrt(2 * math.log(40) / n), "error": found["test_error"]}


def tables():
    """The functions of the bench, which need numpy and scipy."""
    import table_ordinal
    return table_ordinal


def split(cells: Cells, name: str, n: int, seed: int) -> tuple:
    """Scaled features, targets, and the training rows, at most 2000 others, and at most 500 of the first to choose by; widths to try."""
    import numpy as np
    x, t = tables().load(cells.data, name)
    order = np.random.default_rng(seed).permutation(len(t))
    train = order[:n]
    x = (x - x[train].mean(0)) / np.maximum(x[train].std(0), 1e-12)
    return x, t, train, order[n:n + 2000], order[:min(n, 500)], [g / x.shape[1] for g in GAMMAS]


def normalised_of(cells: Cells, name: str, n: int, seed: int) -> dict:
    """Tau of normalised oMAM on the rows left out, its width chosen as that of the others."""
    bench, (x, t, train, test, few, gammas) = tables(), split(cells, name, n, seed)
    gamma = bench.best(x[few], t[few], "omam", gammas, normalised=True)
    return {"normalised": bench.tau(bench.fit(x[train], t[train], "omam", kernel="rbf", gamma=gamma, normalised=True), x[test], t[test])}


def split_of(cells: Cells, name: str, n: int, seed: int) -> dict:
    """Tau on at most 2000 rows left out, of each method; widths, and the price of LS-SVM, are chosen on at most 500 training rows."""
    bench, (x, t, train, test, few, gammas), found = tables(), split(cells, name, n, seed), {}
    for method in ("omam", "lssvm")[:1 if n > SOLVED else 2]:
        gamma, price = bench.best(x[few], t[few], method, gammas), {}
        if method == "lssvm" and n > 500:
            price = {"C": bench.fit(x[few], t[few], method, kernel="rbf", gamma=gamma).told["C"]}
        found[method] = bench.tau(bench.fit(x[train], t[train], method, kernel="rbf", gamma=gamma, **price), x[test], t[test])
    return found


def figure_b(cells: Cells, section: Section) -> None:
    rows, gains, gaps, norms, missing = [], {}, [], {}, 0
    for name, papers in FIGURE.items():
        for n, paper in papers.items():
            row = [name, str(n)]
            try:
                cells.file(name + ".csv")
                found = [cells.known_or(f"tests/papers/paper_001.py, figure 2b, {name}, {n} rows, seed {s}", lambda s=s: split_of(cells, name, n, s), n == 100,
                                        "omam lssvm")
                         for s in range(5 if n <= 500 else 2)]
                for s, one in enumerate(found):
                    one.update(cells.known_or(f"tests/papers/paper_001.py, figure 2b, normalised, {name}, {n} rows, seed {s}",
                                              lambda s=s: normalised_of(cells, name, n, s), n == 100, "omam"))
                row += [word for method, theirs in (("omam", paper[0]), ("normalised", None), ("lssvm", paper[1])) for word in
                        (interval([one[method] for one in found], ".3f") if method in found[0] else "not solved", "-" if theirs is None else f"{theirs:.2f}")]
                gains.setdefault(name, []).append(statistics.fmean(one["normalised"] - one["omam"] for one in found))
                norms[name, n] = statistics.fmean(one["normalised"] for one in found)
                gaps += off(section, name, n, found, paper)
            except (Absent, ImportError) as why:
                told = str(why) if isinstance(why, Absent) else f"not run ({why})"
                row += [word for theirs in (paper[0], None, paper[1]) for word in (told, "-" if theirs is None else f"{theirs:.2f}")]
                missing += 1
            rows.append([cell for i, cell in enumerate(row) if i != 5])
    section.parts.append(Table("Figure 2b: Kendall's tau on 2000 rows left out, mean and standard error over random splits",
                               ["data", "training rows", "oMAM", "paper", "oMAM, normalised", "LS-SVM", "paper"], rows,
                               "Normalised: the score is divided by the sum of kernel values, as Nadaraya and Watson do (the option `--normalised` of omam); far from all rows the "
                               "mean rank falls back to the middle, as integers must, and without that cpu_act has 0.80 at 5000 rows. Widths are chosen by cross-validation on at most 500 of the training rows. \"not "
                               f"solved\": the paper, too, has LS-SVM up to {SOLVED} rows only. \"-\": the paper has no figure; cpu_act is none of its sets. The paper's ordinal SVM "
                               "and Gaussian process (0.41 to 0.87) are no methods of this library.", "/usr/bin/python3 tests/bench/table_ordinal.py DATA"))
    if gains:
        section.judge("figure 2b", "run in part" if missing else "reproduced" if len(gaps) <= 2 else "differs",
                      f"{len(gaps)} of the paper's {sum(one is not None for sizes in FIGURE.values() for pair in sizes.values() for one in pair)} figures are missed{': ' if gaps else ''}" + ", ".join(f"{name} {n} {method}" for name, n, method in gaps)
                      + "; what normalising adds at the largest size: " + ", ".join(f"{name} {some[-1]:+.2f}" for name, some in gains.items())
                      + ("" if ("california_housing", 15000) not in norms else
                         f"; normalised, california_housing has {norms['california_housing', 5000]:.2f} to {norms['california_housing', 15000]:.2f}, the paper 0.57 to 0.69"))
    else:
        section.judge("figure 2b", "not run")


def five_levels(cells: Cells, name: str, seed: int) -> dict:
    """omam on numbers cut into five levels of equal size: width and --normalised by `gen tune` on 1500 rows, tested on 2000 others."""
    import numpy as np
    from cells import run
    x, t = tables().load(cells.data, name)
    order = np.random.default_rng(seed).permutation(len(t))
    edges = np.quantile(t[order[:1500]], (0.2, 0.4, 0.6, 0.8))
    paths = [os.path.join(FOLDER, f"levels-{name}-{part}.csv") for part in ("train", "test")]
    for path, rows in zip(paths, (order[:1500], order[1500:3500])):
        np.savetxt(path, np.c_[x[rows], np.searchsorted(edges, t[rows]) + 1], delimiter=",", fmt="%.6g")
    gammas = ",".join(f"{g / x.shape[1]:.4g}" for g in GAMMAS)
    tried = run(("tune", paths[0], "--method", "omam", "--kernel", "rbf", "--grid", f"gamma={gammas}", "--grid", "normalised=no,yes", "--folds", 3))["results"]
    found = {}
    for word, normalised in (("plain", False), ("normalised", True)):
        best = max((one for one in tried if one["options"].get("normalised", False) == normalised), key=lambda one: one["kendall_tau_test"])
        told = run(("train", paths[0], "--method", "omam", "--kernel", "rbf", "--gamma", best["options"]["gamma"], *(("--normalised",) if normalised else ()),
                    "--test", paths[1]))
        found[word] = {"error": told["test_error"], "off": told["absolute_error_test"], "tuned": best["kendall_tau_test"]}
    return found


def levels(cells: Cells, section: Section) -> None:
    rows, gains = [], []
    for name in FIGURE:
        try:
            cells.file(name + ".csv")
            found = [cells.known_or(f"tests/papers/paper_001.py, numbers in five levels, {name}, seed {s}", lambda s=s: five_levels(cells, name, s), s == 0, "omam")
                     for s in range(3)]
        except (Absent, ImportError) as why:
            rows.append([name, *[str(why)] * 5])
            continue
        picks = sum(one["normalised"]["tuned"] > one["plain"]["tuned"] for one in found)
        rows.append([name, *(interval([one[word][what] for one in found], ".3f") for what in ("off", "error") for word in ("plain", "normalised")),
                     f"{picks} of {len(found)}"])
        gains.append((name, statistics.fmean(one["normalised"]["off"] - one["plain"]["off"] for one in found)))
    section.parts.append(Table("The option --normalised: numbers cut into five levels, told as classes in order by omam with an rbf kernel",
                               ["data", "levels off, plain", "levels off, normalised", "error, plain", "error, normalised", "tune chooses it"], rows,
                               "1500 training rows, 2000 test rows, three random splits; width and option by `gen tune`, which goes by tau. Levels off: by how many "
                               "levels answers are wrong on average. Exported, such a model has no division: margin.h derives it at margin_omam_train.",
                               "python3 -m gen tune TRAIN --method omam --kernel rbf --grid gamma=... --grid normalised=no,yes --folds 3"))
    section.judge("oMAM normalised", "not run" if not gains else "better" if max(gain for _, gain in gains) < 0.01 else "differs",
                  "what the option changes in levels off: " + ", ".join(f"{gain:+.3f} ({name})" for name, gain in gains) +
                  "; the paper mentions the normalisation and does not use it" if gains else "")


def off(section: Section, name: str, n: int, found: list, paper: tuple) -> list:
    """Notes cells more than two deviations over splits, and 0.03, from the paper's; returns those below it."""
    bad = []
    for method, theirs in zip(("omam", "lssvm"), paper):
        values = [one[method] for one in found if method in one]
        spread = statistics.stdev(values) if len(values) > 1 else 0.03
        close = statistics.fmean(one["normalised"] for one in found)
        if theirs is not None and abs(statistics.fmean(values) - theirs) > 2 * max(spread, 0.015):
            below = statistics.fmean(values) < theirs
            bad += [(name, n, method)] if below else []
            section.differing.append(f"001, {name}, {n} rows, {method}: {statistics.fmean(values):.2f}, the paper {theirs:.2f}; "
                                     + (f"its oMAM is likely normalised: ours has {close:.2f} so; " if below and method == "omam" else "" if below else
                                        "higher: our width is chosen by cross-validation; ") + "its splits, features and widths are not known")
    return bad


def figure_a(cells: Cells, section: Section) -> None:
    def work(seed):
        import numpy as np
        bench = tables()
        x, t, z, u = bench.draw(np.random.RandomState(seed))
        gammas, found = (0.01, 0.03, 0.1, 0.3, 1.0), {}
        for method in ("omam", "lssvm"):
            found[f"{method}, linear"] = bench.tau(bench.fit(x, t, method, kernel="linear"), z, u)
            found[f"{method}, rbf"] = bench.tau(bench.fit(x, t, method, kernel="rbf", gamma=bench.best(x, t, method, gammas)), z, u)
        return found

    def normalised(seed):
        import numpy as np
        bench = tables()
        x, t, z, u = bench.draw(np.random.RandomState(seed))
        gamma = bench.best(x, t, "omam", (0.01, 0.03, 0.1, 0.3, 1.0), normalised=True)
        return {"omam, normalised": bench.tau(bench.fit(x, t, "omam", kernel="rbf", gamma=gamma, normalised=True), z, u)}
    found, why = [], ""
    for seed in range(DRAWS):
        try:
            one = cells.known_or(f"tests/papers/paper_001.py, figure 2a, draw {seed}", lambda seed=seed: work(seed), seed < 5, "omam lssvm")
            one.update(cells.known_or(f"tests/papers/paper_001.py, figure 2a, normalised, draw {seed}", lambda seed=seed: normalised(seed), seed < 5, "omam"))
            found.append(one)
        except (Absent, ImportError) as absent:
            why = str(absent)
    if len(found) < 2:
        section.judge("figure 2a", "not run", why)
        return
    rows = [[name, interval([one[name] for one in found]), interval([one[name] - one["omam, rbf"] for one in found])] for name in found[0]]
    section.parts.append(Table(f"Figure 2a: Kendall's tau on the artificial data, {len(found)} draws", ["method", "tau", "less omam, rbf, on the same draw"], rows,
                               "The draws differ in how hard they are, so that differences on the same draw are sharper than the means."))
    section.parts.append(Figure(f"Figure 2a: box plots of tau, {len(found)} draws", boxes({name: [one[name] for one in found] for name in found[0]}, "tau", "Figure 2a"),
                                "The paper's box plots have no numbers; LS-SVM lies above oMAM there, too. Its other two, an ordinal SVM and a Gaussian process, are no "
                                "methods of this library."))
    better = [one["lssvm, rbf"] - one["omam, rbf"] for one in found]
    section.judge("figure 2a", "reproduced" if statistics.fmean(better) > 0 else "differs", f"LS-SVM is above oMAM by {interval(better)}, as in the paper")


def section(cells: Cells) -> Section:
    one = Section("001", "mam and omam: a risk principle for Parzen estimators", "Pelckmans, Suykens, De Moor, NIPS 2007. The largest average "
                  "margin, in closed form; for ranks the same over pairs.")
    one.misprints = [("(21): d_i is the rank of y_i", "d_i = 2 rank - (n + 1), which sums to 0; with ranks as they are all scores have one sign"),
                     ("figure 2b: a data set Cpu(1)", "its 20640 rows are those of california_housing"),
                     ("section 5: \"table 2.b provides results on the 13 benchmark sets\"", "the paper has no such table")]
    one.left_out = ["Results on 13 classification sets, which the text of section 5 announces and the paper does not print. The table of the bound has MAM's errors on them."]
    ripley(cells, one)
    bound(cells, one)
    growing(cells, one)
    figure_a(cells, one)
    figure_b(cells, one)
    levels(cells, one)
    return one
