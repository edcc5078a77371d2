"""table_seco.py DATADIR -- separate and conquer on the data of paper 002, in 8-fold cross-validation, beside its Table 4.2.

Columns: error of one support vector machine with C by cross-validation inside each fold (plain), of the list (seco), share
of the test rows that cuts decide, error on these, error of the machine at the end on the others, cuts. Folds are not the
paper's, nor is the encoding of nominal features known. The full supply is run where that takes a minute or two at most
(sonar, parkinsons, heart-statlog, ionosphere), with SECO_FULL=yes everywhere, with SECO_FULL=no nowhere; SECO_SETS=sonar,...
takes only these sets. Runs through `python3 -m gen cv`.
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


QUICK = ("sonar", "parkinsons", "heart-statlog", "ionosphere")


def cross_validate(path, degree, *options):
    """The JSON of gen cv."""
    command = [sys.executable, "-m", "gen", "cv", path, "--method", "seco", "--kernel", "unit-poly", "--a", str(degree),
               "--folds", "8", "--json", "-", *options]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if found.returncode != 0:
        sys.exit(f"{' '.join(command)}: {found.stderr.strip()}")
    return json.loads(found.stdout)


def row(found):
    return tuple(found[key] for key in ("error_mean", "fraction_cut_test", "error_cut_test", "error_left_test", "cuts"))


def show(name, plain, values, seconds):
    cells = "".join(f"{value:9.3f}" for value in (plain, *values))
    print(f"  {name:<14}{cells}" + (f"{seconds:9.2f}" if seconds is not None else ""), flush=True)


def main():
    folder = sys.argv[1]
    wanted = os.environ.get("SECO_SETS", ",".join(SETS)).split(",")
    full = os.environ.get("SECO_FULL", "quick")
    sums = {"full": [0.0, 0.0], "cheap": [0.0, 0.0]}
    counted = 0
    print(__doc__.split("\n\n")[1].replace("\n", " "))
    for degree in (1, 2, 3):
        print(f"poly_{degree}{'':8}    plain     seco      cut  err_cut err_left     cuts  seconds of a fold")
        for name in wanted:
            path = os.path.join(folder, SETS[name])
            if not os.path.exists(path):
                print(f"  {name}: left out, there is no {path}")
                continue
            paper = PAPER[degree][name]
            show(f"{name}", paper[0], paper[1:], None)
            plain = cross_validate(path, degree, "--easy", "1")["error_mean"]
            both = full == "yes" or full == "quick" and name in QUICK
            counted += both
            for mode in (("full", "cheap") if both else ("cheap",)):
                found = cross_validate(path, degree, *(("--cheap",) if mode == "cheap" else ()))
                seconds = found.get("cpu_seconds", found["seconds"]) / 8
                if both:
                    sums[mode][0] += found["error_mean"]
                    sums[mode][1] += seconds
                show(f"  ours, {mode}", plain, row(found), seconds)
    if counted:
        (a, s), (b, t) = sums["full"], sums["cheap"]
        print(f"means over {counted} with both: full supply {a / counted:.3f} in {s / counted:.2f} s, cheap {b / counted:.3f} in "
              f"{t / counted:.2f} s a fold: {s / t:.1f} times faster")


if __name__ == "__main__":
    main()
