"""paper_000.py -- KM-OMD beside Aiolli, Da San Martino and Sperduti: table 1, figures 1 and 2, sparsity, margins."""
import gzip
import os
import statistics

import splits
from cells import FOLDER, Absent, Cells, run
from page import Figure, Section, Table, interval, lines, small, standard_error

# Table 1: SVM, KM-OMD and the standard deviation of each, the best known; splits of our own where the published ones could not be had
PAPER = {"banana": (.1153, .1066, .0150), "breast-cancer": (.2604, .30792, .1206), "diabetis": (.2353, .24883, .0455),
         "flare-solar": (.3243, .33115, .0489), "german": (.2361, .2497, .0570), "heart": (.1595, .1585, .0915),
         "image": (.0296, .03198, .0106), "ringnorm": (.0166, .01536, .0046), "splice": (.1088, .11025, .0142),
         "thyroid": (.0480, .04585, .0475), "titanic": (.2242, .2457, .1288), "twonorm": (.0296, .02548, .0042),
         "waveform": (.0988, .09685, .0110)}
SVM_DEVIATION = {"banana": .0660, "breast-cancer": .0474, "diabetis": .0173, "flare-solar": .0182, "german": .0207, "heart": .0326, "image": .0060,
                 "ringnorm": .0012, "splice": .0066, "thyroid": .0219, "titanic": .0102, "twonorm": .0023, "waveform": .0043}
BEST = {"banana": .1073, "breast-cancer": .2477, "diabetis": .2321, "flare-solar": .3243, "german": .2361, "heart": .1595, "image": .0267,
        "ringnorm": .0149, "splice": .0950, "thyroid": .0420, "titanic": .2242, "twonorm": .0261, "waveform": .0979}
OWN = ("diabetis", "flare-solar", "splice", "thyroid", "twonorm")
SPLITS, TUNED = 10, 5
DRAWN = {"banana": 400, "breast-cancer": 200, "diabetis": 468, "flare-solar": 666, "german": 700, "heart": 170, "image": 1300,
         "ringnorm": 400, "splice": 1000, "thyroid": 140, "titanic": 150, "twonorm": 400, "waveform": 400}  # training rows of a split
MANY = 100  # splits drawn, as many as the paper's
LAMBDAS = (0.99, 0.97, 0.9, 0.75, 0.5, 0.25, 0.1, 0.03, 0.01, 0.003)
PRICES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
WIDTHS = (0.004, 0.015, 0.06, 0.25, 1.0, 4.0, 16.0, 64.0)  # gamma times the number of features
FEW = 700  # training rows below which one division into folds says little
CURVE = (0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
TIMED = ("image", "waveform")  # of figure 2
SHOWN = (0.01, 0.1, 0.5, 0.9)  # values of lambda whose margins are drawn
REASONS = {"waveform": "the splits drawn here are harder than the paper's: on them an SVM has 0.1010 where the paper has 0.0988; on the ten of "
           "the paper's splits that are at hand KM-OMD has 0.0975",
           "breast-cancer, SVM": "the SVM's C and gamma are chosen by the same rule but on a coarser grid of our own; the paper quotes the SVM from elsewhere",
           "image, SVM": "the largest C of our grid, 1000, was chosen, which may be too small; the paper quotes the SVM from elsewhere",
           "german, SVM": "the largest C of our grid was chosen on some splits; the paper quotes the SVM from elsewhere",
           "ringnorm, SVM": "0.05 points; prices C a factor of ten apart; the paper quotes the SVM from elsewhere",
           "waveform, SVM": "the splits drawn here are harder than the paper's: KM-OMD is worse on them, too"}
QUICK = ("heart", "thyroid")


def own_split(cells: Cells, name: str, k: int) -> tuple[str, str]:
    """Split k of our own, as two files under build/papers."""
    paths = tuple(os.path.join(FOLDER, f"{name}_{part}_{k}.csv") for part in ("train", "test"))
    with open(cells.file("splits", f"{name}_resampled", "train_indices.csv"), encoding="ascii") as file:
        chosen = set(map(int, file.read().splitlines()[k - 1].split(",")))
    source = cells.file(name + ".csv")
    with (gzip.open(source, "rt") if source.endswith(".gz") else open(source, encoding="utf-8")) as file:
        rows = file.readlines()
    for path, inside in zip(paths, (True, False)):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(row for i, row in enumerate(rows) if (i in chosen) == inside)
    return paths


def split(cells: Cells, name: str, k: int) -> tuple[str, str]:
    if name in OWN:
        return own_split(cells, name, k)
    return tuple(cells.file("splits", name, f"{name}_{part}_{k}.csv") for part in ("train", "test"))


def features(path: str) -> int:
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")) as file:
        return file.readline().count(",")


def best(cells: Cells, name: str, k: int, method: str, option: str, values) -> tuple[float, float]:
    """The best two options of split k in 5-fold cross-validation, on three divisions into folds where rows are few. Where several pairs are
    equally good the median of each option over them: the middle of the plateau, not the corner that the grid begins with."""
    train = split(cells, name, k)[0]
    gammas = [width / features(train) for width in WIDTHS]
    words = ("tune", train, "--method", method, "--kernel", "rbf", "--grid", f"{option}={','.join(f'{v:g}' for v in values)}",
             "--grid", f"gamma={','.join(f'{g:.4g}' for g in gammas)}", "--folds", 5, *(("--repeats", 3) if DRAWN[name] < FEW else ()))

    def work():
        tried = [one for one in run(words)["results"] if one.get("error_mean") is not None]
        least = min(one["error_mean"] for one in tried)
        tied = [one["options"] for one in tried if one["error_mean"] < least + 1e-9]
        return {"error": least, "tied": len(tied), **{key: statistics.median_low([one[key] for one in tied]) for key in (option, "gamma")}}
    found = cells.known_or(cells.shown(words), work, name in QUICK, method)
    return found[option], found["gamma"]


def chosen(cells: Cells, name: str, method: str, option: str, values: tuple) -> tuple[float, float]:
    """The medians of the best options of the first five splits, as the paper has it; it does not tell its grid."""
    pairs = [best(cells, name, k, method, option, values) for k in range(1, TUNED + 1)]
    return statistics.median(one for one, _ in pairs), statistics.median(gamma for _, gamma in pairs)


def runs(cells: Cells, name: str, method: str, option: str, value: float, gamma: float, most: int, needs: tuple = ()) -> list[dict]:
    found = []
    for k in range(1, most + 1):
        train, test = split(cells, name, k)
        found.append(cells.gen("train", train, "--method", method, "--kernel", "rbf", f"--{option}", f"{value:g}", "--gamma",
                               f"{gamma:g}", "--test", test, quick=name in QUICK, needs=needs))
    return found


def drawn(cells: Cells, name: str, method: str, option: str, value: float, gamma: float) -> list[float]:
    """Errors over a hundred random splits of all rows, of the paper's sizes. The paper's own are such splits too; that ten of them
    are at hand, and on some sets hard ones, is no part of its protocol."""
    path = cells.file(name + ".csv")
    command = (f"python3 tests/papers/splits.py {path.replace(cells.data + os.sep, 'DATA/')} {DRAWN[name]} {MANY} {method} kernel=rbf "
               f"{option}={value:g} gamma={gamma:g}")
    work = lambda: {"errors": splits.errors(path, DRAWN[name], MANY, method, {"kernel": "rbf", option: value, "gamma": gamma})}
    return cells.known_or(command, work, name in QUICK, method)["errors"]


def published(cells: Cells, name: str, method: str, option: str, value: float, gamma: float) -> list[float]:
    """Errors on those of the paper's splits that are at hand."""
    return [] if name in OWN else [one["test_error"] for one in runs(cells, name, method, option, value, gamma, SPLITS)]


def table(cells: Cells, section: Section) -> dict:
    """Table 1; the widths chosen, for the figures."""
    rows, kept, same, widths = [], [], [], {}
    for name, (svm, kmomd, deviation) in PAPER.items():
        row, se = [name, f"{svm:.4f} ± {SVM_DEVIATION[name] / 10:.4f}", "not run", f"{kmomd:.4f} ± {deviation / 10:.4f}"], deviation / 10
        try:
            widths[name] = lam, gamma = chosen(cells, name, "kmomd", "lambda", LAMBDAS)
            many, few = (some(cells, name, "kmomd", "lambda", lam, gamma) for some in (drawn, published))
            row += [interval(many, ".4f"), interval(few, ".4f") if few else "not at hand", f"{BEST[name]:.4f}", f"{lam:.2g}", f"{widths[name][1]:.2g}"]
            kept.append(no_worse(many, kmomd, se))
            same += [no_worse(few, kmomd, se)] if few else []
            differing(section, name, many, kmomd, se)
        except Absent as why:
            row += [str(why), str(why), f"{BEST[name]:.4f}", "-", "-"]
        try:
            found = drawn(cells, name, "svm", "C", *chosen(cells, name, "svm", "C", PRICES))
            row[2] = interval(found, ".4f")
            differing(section, name, found, svm, SVM_DEVIATION[name] / 10, "SVM")
        except Absent as why:
            row[2] = str(why)
        rows.append(row)
    section.parts.append(Table(
        "Table 1: test error, mean and standard error over splits",
        ["data", "SVM, paper", "SVM, ours", "KM-OMD, paper", "KM-OMD, ours", f"on {SPLITS} of the paper's splits", "best known, paper",
         "lambda", "gamma"], rows,
        f"Ours: {MANY} random splits of the paper's sizes; beside them those {SPLITS} of the paper's own {MANY} splits that are at hand: of five sets "
        "(\"not at hand\") there are none, and the five splits that lambda and gamma are chosen on are drawn, too. lambda, C and gamma are the medians of the best of the first five splits at hand, by "
        f"5-fold cross-validation (three divisions into folds below {FEW} rows), on training rows alone. The paper's standard errors are its deviations over 100 splits, divided by 10.",
        "python3 -m gen tune TRAIN --method kmomd --kernel rbf --grid lambda=... --grid gamma=... --folds 5; "
        f"python3 tests/papers/splits.py DATA/heart.csv {DRAWN['heart']} {MANY} kmomd kernel=rbf lambda=L gamma=G"))
    good = sum(kept)
    worse = [name for name, fine in zip(widths, kept) if not fine]
    section.judge("table 1", "not run" if not kept else "run in part" if len(kept) < 13 else "reproduced" if good >= 11 else "differs",
                  f"{good} of {len(kept)} sets are no worse than the paper's error by more than one standard error, over {MANY} splits"
                  + (f" (the others: {' and '.join(worse)})" if worse else "") + f"; on {SPLITS} of the paper's own splits {sum(same)} of {len(same)}")
    return widths


def no_worse(errors: list[float], paper: float, se: float) -> bool:
    return statistics.fmean(errors) <= paper + (standard_error(errors) ** 2 + se ** 2) ** 0.5


def differing(section: Section, name: str, errors: list[float], paper: float, se: float, method: str = "KM-OMD") -> None:
    mean = statistics.fmean(errors)
    if abs(mean - paper) > 2 * (standard_error(errors) ** 2 + se ** 2) ** 0.5:
        better = "lower: a grid of our own" + (", and the optimum where the paper's iteration stops early" if method == "KM-OMD" else "")
        reason = better if mean < paper else REASONS.get(name if method == "KM-OMD" else f"{name}, SVM", "a grid of our own")
        section.differing.append(f"000, {name}, {method}: {mean:.4f}, the paper {paper:.4f}; {reason}")


def figure_one(cells: Cells, section: Section, widths: dict) -> None:
    """Test error against lambda, mean over all splits, a picture a set as in the paper."""
    pictures, falls = [], []
    for name, (lam, gamma) in widths.items():
        try:
            some = [(value, statistics.fmean(drawn(cells, name, "kmomd", "lambda", value, gamma))) for value in CURVE]
        except Absent:
            continue
        pictures.append(small(some, "lambda", name, lam))
        falls.append(min(e for _, e in some[1:-1]) < min(some[0][1], some[-1][1]))
    if pictures:
        section.parts.append(Figure(
            f"Figure 1: test error against lambda, mean over {MANY} splits", f'<div class="several">{"".join(pictures)}</div>',
            "The dotted line is the lambda that cross-validation chose; gamma is that of table 1 throughout.",
            "python3 tests/papers/splits.py DATA/heart.csv 170 100 kmomd kernel=rbf lambda=L gamma=G", wide=True))
    section.judge("figure 1", "not run" if not falls else "reproduced" if sum(falls) > len(falls) / 2 else "differs",
                  f"on {sum(falls)} of {len(falls)} sets the least error lies between the ends of lambda, as the paper says of them in general" if falls else "")


def figure_two(cells: Cells, section: Section, widths: dict) -> None:
    """Time against lambda, on the paper's two sets."""
    series = {}
    for name in TIMED:
        try:
            found = [(value, [one["cpu_seconds"] for one in runs(cells, name, "kmomd", "lambda", value, widths[name][1], SPLITS, ("cpu_seconds",))])
                     for value in CURVE]
        except (Absent, KeyError):
            continue
        series[name] = [(value, 1000 * statistics.median(some)) for value, some in found]
    if not series:
        section.judge("figure 2", "not run")
        return
    section.parts.append(Figure(f"Figure 2: time of a training against lambda, median of {SPLITS} splits",
                                lines(series, "lambda", "milliseconds of processor time")))
    ratio = {name: some[0][1] / some[-2][1] for name, some in series.items()}
    section.judge("figure 2", "reproduced" if min(ratio.values()) > 1 else "differs", "a small lambda takes longer, as in the paper: lambda 0.001 "
                  + " and ".join(f"{value:.1f} times as long as 0.9 on {name}" for name, value in ratio.items()))


def sparsity(cells: Cells, section: Section, widths: dict) -> None:
    rows, rising = [], []
    for name, (_, gamma) in widths.items():
        try:
            shares = [one["support"] / one["n"] for one in (runs(cells, name, "kmomd", "lambda", value, gamma, 1)[0] for value in CURVE)]
        except Absent as why:
            rows.append([name, *[str(why)] * len(CURVE)])
            continue
        rows.append([name, *(f"{share:.2f}" for share in shares)])
        rising.append(shares[-1] >= shares[0])
    section.parts.append(Table("Sparsity: share of training rows that have a coefficient, by lambda, first split", ["data", *(f"{value:g}" for value in CURVE)],
                               rows, "The hard margin (lambda = 0) needs few rows, the average margin (lambda = 1) needs all.",
                               "python3 -m gen train TRAIN --method kmomd --kernel rbf --lambda L --gamma G --test TEST"))
    section.judge("sparsity", "not run" if not rising else "reproduced" if all(rising) else "differs",
                  f"the share of rows with a coefficient rises with lambda on {sum(rising)} of {len(rising)} sets, as it must; the paper has no figures of it")


def margins_of(train: str, value: float, gamma: float) -> dict:
    """The margins of training rows, by percentile: y f(x) with |w| = 1."""
    model = os.path.join(FOLDER, f"margins-{os.getpid()}.mgn")
    run(("train", train, "--method", "kmomd", "--kernel", "rbf", "--lambda", f"{value:g}", "--gamma", f"{gamma:g}", "--save", model))
    scores = run(("predict", model, train))["scores"]
    with (gzip.open(train, "rt") if train.endswith(".gz") else open(train, encoding="utf-8")) as file:
        signs = [1 if float(row.rsplit(",", 1)[1]) > 0 else -1 for row in file]
    all_ = sorted(s * score for s, score in zip(signs, scores))
    return {"at": [all_[min(len(all_) - 1, k * len(all_) // 40)] for k in range(41)]}


def margin_curves(cells: Cells, section: Section, widths: dict) -> None:
    falls = []
    for name in ("waveform", "german"):
        try:
            gamma, train = widths[name][1], split(cells, name, 1)[0]
            key = f"tests/papers/paper_000.py, margins of {name}, first split, gamma {gamma:g}, lambda "
            series = {f"lambda {value:g}": [(at, k / 40) for k, at in enumerate(cells.known_or(
                f"{key}{value:g}", lambda value=value: margins_of(train, value, gamma), True, "kmomd")["at"])] for value in SHOWN}
        except (Absent, KeyError):
            continue
        section.parts.append(Figure(f"Distribution of margins on training rows, {name}, first split", lines(series, "margin", "share of rows below")))
        ends = [(some[0][0], statistics.fmean(at for at, _ in some)) for some in series.values()]
        falls.append(ends[-1][0] < ends[0][0] and ends[-1][1] > ends[0][1])
    section.judge("distribution of margins", "not run" if not falls else "reproduced" if all(falls) else "differs",
                  "from lambda 0.01 to 0.9 the least margin falls and the mean margin rises: the trade that the method is for")


def section(cells: Cells) -> Section:
    one = Section("000", "kmomd: optimising the margin distribution", "Aiolli, Da San Martino, Sperduti, ICANN 2008. A game between the "
                  "hard margin (lambda = 0) and the average margin (lambda = 1).")
    one.misprints = [("section 3: the step e is cut to min{e, -gamma_r, gamma_q}", "it is cut to the interval from -gamma_r to gamma_q"),
                     ("algorithm: a step is taken when Delta L > delta", "when Delta L < -delta: the loss has to fall"),
                     ("algorithm: s_j becomes s_j + e (x_r.x_j - x_q.x_j)", "s_j + y e (x_r.x_j - x_q.x_j), y the class of r and q"),
                     ("algorithm: the threshold is 1/2 sum of s_j", "1/2 sum of gamma_j s_j / |v|")]
    widths = table(cells, one)
    for part in (figure_one, figure_two, sparsity, margin_curves):
        part(cells, one, widths)
    return one
