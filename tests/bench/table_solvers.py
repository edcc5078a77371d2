"""table_solvers.py DATA -- svm and kmomd against LIBSVM, LIBLINEAR and cvxopt: objectives and speed."""
import math
import os
import sys
import tempfile

import numpy as np

import peers
from peers import blas, cvxopt_kmomd, cvxopt_svm, gaussian, gram, in_time, liblinear, libsvm, load, margin, primal

SETS = ("pima", "heart", "wdbc", "sonar", "ionosphere")
KERNELS = ("linear", "poly", "rbf")
CS = (0.01, 1.0, 100.0, 1000.0)
LAMBDAS = (0.001, 0.1, 0.5, 0.99)
PATIENCE = 20  # seconds of the processor that LIBSVM is given for one problem


def kernel_options(kernel: str, d: int) -> list[str]:
    return {"linear": [], "poly": ["--kernel", "poly", "--coef0", "1"], "rbf": ["--kernel", "rbf"]}[kernel] + \
        ([] if kernel == "linear" else ["--gamma", repr(1.0 / d)])


def libsvm_in_time(*arguments):
    """LIBSVM's objective, or NaN: where C is large it can take hours to be this exact, or end at its iteration limit."""
    def work():
        with tempfile.TemporaryFile() as said:
            os.dup2(said.fileno(), 2)
            objective = libsvm(*arguments)[1]
            said.seek(0)
            return math.nan if b"max number of iterations" in said.read() else objective
    return in_time(PATIENCE, work)


def relative(a: float, b: float) -> float:
    return abs(a - b) / abs(b)


def objectives(folder: str) -> int:
    """Objectives at tol 1e-9 beside independent optima; returns how many differ by more than 1e-7."""
    print("objectives at --tol 1e-9; the largest relative difference over", *(f"C = {c:g}," for c in CS))
    print("   and over", *(f"lambda = {v:g}," for v in LAMBDAS), "must be at most 1e-7")
    print(f"   {'data':<12}{'kernel':<9}{'svm - cvxopt':>14}{'svm - LIBSVM':>14}{'kmomd - cvxopt':>16}{'longest':>10}")
    bad = 0
    for name in SETS:
        found = load(folder, name)
        for kernel in KERNELS if found is not None else ():
            x, y = found
            k, options, slow = gram(x, kernel, 1 / x.shape[1]), kernel_options(kernel, x.shape[1]), 0.0
            worst, given_up = [0.0, 0.0, 0.0], 0
            for c in CS:
                mine = margin(x, y, "svm", "--tol", "1e-9", "--C", repr(c), *options)
                slow, exact = max(slow, mine["cpu_seconds"]), libsvm_in_time(x, y, kernel, 1 / x.shape[1], c, 1e-9, k)
                worst[0] = max(worst[0], relative(mine["objective"], cvxopt_svm(k, y, c)[0]))
                given_up += math.isnan(exact)
                worst[1] = max(worst[1], 0 if math.isnan(exact) else relative(mine["objective"], exact))
            for lam in LAMBDAS:
                mine = margin(x, y, "kmomd", "--tol", "1e-9", "--lambda", repr(lam), *options)
                slow = max(slow, mine["cpu_seconds"])
                worst[2] = max(worst[2], relative(mine["objective"], cvxopt_kmomd(k, y, lam)[0]))
            bad += sum(w > 1e-7 for w in worst)
            note = f"   LIBSVM not done in {PATIENCE} s or at its iteration limit: {given_up} of {len(CS)}" if given_up else ""
            print(f"   {name:<12}{kernel:<9}{worst[0]:>14.1e}{worst[1]:>14.1e}{worst[2]:>16.1e}{slow:>8.2f} s{note}", flush=True)
    return bad


def speed() -> None:
    print("speed, CPU seconds, one thread, same stopping rule (tol = LIBSVM's -e 0.001); dense normal data, gamma = 1/d, C = 1")
    for n, d, goal in ((5000, 100, 5), (2000, 20, 3)):
        x, y = gaussian(n, d)
        theirs = min(libsvm(x, y, "rbf", 1 / d, 1.0, 1e-3)[0] for _ in range(3))
        mine = min(margin(x, y, "svm", "--tol", "1e-3", *kernel_options("rbf", d))["cpu_seconds"] for _ in range(5))
        print(f"   svm rbf n={n} d={d}: margin {mine:.3f} s, LIBSVM {theirs:.3f} s, {theirs / mine:.1f} times (wanted {goal})")
    x, y = gaussian(50000, 50)
    seconds, w, bias = liblinear(x, y, 1.0, 0.1)
    report = margin(x, y, "svm", "--tol", "1e-3")
    cost = primal(x, y, np.array(report["w"]), report["bias"], 1.0)
    print(f"   svm linear n=50000 d=50: margin {report['cpu_seconds']:.3f} s, primal {cost:.4f}; LIBLINEAR -s 3 -B 1 "
          f"{seconds:.3f} s, primal {primal(x, y, w, bias, 1.0):.4f}: {seconds / report['cpu_seconds']:.1f} times (wanted 1)")
    x, y = gaussian(2000, 20)
    mine = margin(x, y, "kmomd", "--lambda", "0.1", *kernel_options("rbf", 20))
    objective, seconds = cvxopt_kmomd(gram(x, "rbf", 1 / 20), y, 0.1)
    print(f"   kmomd rbf n=2000 d=20: margin {mine['cpu_seconds']:.3f} s, cvxopt ({blas()}) {seconds:.1f} s, {seconds / mine['cpu_seconds']:.0f} times "
          f"(wanted 100); objectives differ by {relative(mine['objective'], objective):.1e}", flush=True)


def growth() -> None:
    print("cost against n (normal data, d = 20, default tol 1e-6): CPU seconds, and the exponent of n between two lines")
    kinds = (("svm", "linear"), ("svm", "rbf"), ("kmomd", "linear"), ("kmomd", "rbf"), ("mam", "linear"), ("mam", "rbf"))
    print(f"   {'n':>6}" + "".join(f"{m + ' ' + k:>20}" for m, k in kinds))
    before = None
    for n in (500, 1000, 2000, 4000, 8000, 16000):
        x, y = gaussian(n, 20)
        times = [margin(x, y, method, *kernel_options(kernel, 20))["cpu_seconds"] for method, kernel in kinds]
        slopes = [math.log2(t / b) for t, b in zip(times, before)] if before else []
        print(f"   {n:>6}" + "".join(f"{t:>12.4f}" + (f"  n^{s:<4.1f}" if slopes else " " * 8)
                                     for t, s in zip(times, slopes or times)), flush=True)
        before = times


def main() -> int:
    folder = sys.argv[1] if len(sys.argv) > 1 else "../shared/data"
    speed()
    growth()
    bad = objectives(folder)
    print("all objectives agree" if bad == 0 else f"{bad} OBJECTIVES DIFFER")
    return int(bad != 0)


if __name__ == "__main__":
    sys.path.insert(0, peers.REPOSITORY)
    sys.exit(main())
