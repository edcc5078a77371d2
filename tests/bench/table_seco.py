"""table_seco.py DATADIR -- separate and conquer on the data of paper 002, in 8-fold cross-validation, beside its Table 4.2.

Columns: error of one support vector machine with C by cross-validation inside each fold (plain), of the list (seco), share
of the test rows that cuts decide, error on these, error of the machine at the end on the others, cuts, CPU seconds of a
training. First line of each set: the paper's numbers. "greedy" is the paper's rule, to cut as long as cuts can be had, "full"
ours, to keep cuts that a cross-validation inside the training rows admits, both with 192 candidates; "cheap" has 32. Folds are not the paper's, nor
is the encoding of nominal features known. About half an hour of CPU; SECO_SETS=sonar,... takes only these sets,
SECO_DEGREES=1,3 these kernels, SECO_MODES=full,cheap these ways. Runs through `python3 -m gen`.
"""
import json
import os
import subprocess
import sys

SETS = {"sonar": "sonar.csv", "ionosphere": "ionosphere.csv", "colic": "horse_colic_onehot.csv", "heart-statlog": "heart_statlog.csv",
        "breast-cancer": "breast_cancer_ljubljana_onehot.csv", "clean1": "clean1.csv.gz", "diabetes": "pima.csv",
        "parkinsons": "parkinsons.csv"}
# error_plain, error_total, fraction_cut, error_cut, error_res, n_cuts: the paper's Table 4.2, by degree
PAPER = {
    1: {"sonar": (.255, .139, .399, .058, .219, 2.625), "ionosphere": (.091, .097, .402, .026, .141, 1.875),
        "colic": (.160, .185, .793, .136, .411, 3.25), "heart-statlog": (.182, .180, .648, .082, .349, 4.125),
        "breast-cancer": (.328, .283, .696, .220, .403, 4.625), "clean1": (.137, .111, .809, .084, .223, 3.625),
        "diabetes": (.236, .217, .474, .074, .352, 6.25), "parkinsons": (.138, .161, .476, .031, .283, 2.5)},
    2: {"sonar": (.139, .117, .337, .038, .182, 2.875), "ionosphere": (.080, .081, .527, .037, .129, 2.25),
        "colic": (.174, .184, .601, .098, .322, 2.875), "heart-statlog": (.160, .184, .653, .089, .365, 3.0),
        "breast-cancer": (.276, .258, .686, .168, .448, 3.625), "clean1": (.061, .053, .546, .030, .101, 2.5),
        "diabetes": (.228, .244, .457, .122, .364, 3.625), "parkinsons": (.112, .080, .527, .021, .151, 3.0)},
    3: {"sonar": (.125, .091, .404, .043, .114, 3.875), "ionosphere": (.094, .073, .524, .028, .121, 2.25),
        "colic": (.185, .178, .579, .090, .297, 3.125), "heart-statlog": (.167, .176, .618, .115, .288, 4.125),
        "breast-cancer": (.308, .290, .637, .157, .505, 3.625), "clean1": (.059, .048, .364, .025, .060, 2.0),
        "diabetes": (.237, .258, .547, .150, .434, 3.375), "parkinsons": (.081, .087, .351, .015, .144, 2.75)}}


MODES = {"greedy": ("--greedy",), "full": (), "cheap": ("--cheap",)}


def gen(*words):
    """The JSON of a command."""
    command = [sys.executable, "-m", "gen", *words, "--method", "seco", "--kernel", "unit-poly", "--json", "-"]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if found.returncode != 0:
        sys.exit(f"{' '.join(command)}: {found.stderr.strip()}")
    return json.loads(found.stdout)


def cross_validate(path, degree, *options):
    return gen("cv", path, "--a", str(degree), "--folds", "8", *options)


def row(found):
    return tuple(found[key] for key in ("error_mean", "fraction_cut_test", "error_cut_test", "error_left_test", "cuts"))


def show(name, plain, values, seconds=None):
    cells = "".join(f"{value:9.3f}" for value in (plain, *values))
    print(f"  {name:<14}{cells}" + (f"{seconds:9.2f}" if seconds is not None else ""), flush=True)


def limits(folder, names):
    """One training with the full supply, beside what was asked for."""
    for name, most in (("sonar", 60), ("clean1", 600)):
        path = os.path.join(folder, SETS[name])
        if name in names and os.path.exists(path):
            seconds = [gen("train", path, "--a", str(a), "--greedy")["cpu_seconds"] for a in (1, 2, 3)]
            words = ", ".join(f"{s:.2f} s" for s in seconds)
            verdict = "" if max(seconds) < most else ": TOO LONG"
            print(f"192 candidates on {name}, poly_1 to poly_3: {words} of CPU; to be under {most} s{verdict}")


def main():
    folder = sys.argv[1]
    names = os.environ.get("SECO_SETS", ",".join(SETS)).split(",")
    degrees = [int(a) for a in os.environ.get("SECO_DEGREES", "1,2,3").split(",")]
    modes = os.environ.get("SECO_MODES", "").split(",")
    sums = {}  # of errors and seconds, by way: full and cheap where both were run
    print(__doc__.split("\n\n")[1].replace("\n", " "))
    for degree in degrees:
        print(f"poly_{degree}{'':8}    plain     seco      cut  err_cut err_left     cuts  seconds")
        for name in names:
            path = os.path.join(folder, SETS[name])
            if not os.path.exists(path):
                print(f"  {name}: left out, there is no {path}")
                continue
            show(name, PAPER[degree][name][0], PAPER[degree][name][1:])
            plain = cross_validate(path, degree, "--easy", "1")["error_mean"]
            for mode in modes if modes != [""] else MODES if degree == 1 else ("full", "cheap"):
                found = cross_validate(path, degree, *MODES[mode])
                seconds = found["cpu_seconds"] / 8
                show(f"  ours, {mode}", plain, row(found), seconds)
                sums.setdefault(mode, []).append((found["error_mean"], seconds, plain))
    for mode, found in sums.items():
        errors, seconds, plain = (sum(values) / len(found) for values in zip(*found))
        print(f"{mode}: mean error over {len(found)} {errors:.4f}, of plain {plain:.4f}; {seconds:.3f} s of CPU a training")
    if "full" in sums and "cheap" in sums:
        (a, s, _), (b, t, _) = ([sum(values) / len(sums[mode]) for values in zip(*sums[mode])] for mode in ("full", "cheap"))
        print(f"cheap: {s / t:.1f} times faster than full (to be 10), error {100 * (b - a):+.2f} points (to be below +1)")
    limits(folder, names)


if __name__ == "__main__":
    main()
