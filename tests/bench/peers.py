"""peers.py -- other programs' solvers, called in this process so that only solving is timed; and data for the tables."""
import ctypes
import gzip
import json
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODE = np.dtype([("index", "i4"), ("value", "f8")], align=True)
KERNELS = {"linear": 0, "poly": 1, "rbf": 2}


class Timer:
    """CPU seconds of this process in a block: other processes on the machine disturb them little."""
    def __enter__(self):
        self.start = time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.process_time() - self.start


def in_time(seconds: int, work) -> float:
    """What `work` returns in a process of its own, or NaN if it takes more seconds of the processor: LIBSVM can take hours to be exact."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        send.send(work())
    receive, send = multiprocessing.Pipe(False)
    process = multiprocessing.Process(target=limited)
    process.start()
    send.close()
    try:
        return receive.recv()
    except EOFError:  # it was ended
        return math.nan
    finally:
        process.join()


def load(folder: str, name: str):
    """Features, standardised as gen does it, and labels 0 or 1 of a data set; None where it is missing."""
    for path in (os.path.join(folder, name + ".csv"), os.path.join(folder, name + ".csv.gz")):
        if os.path.exists(path):
            with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
                table = np.loadtxt(file, delimiter=",")
            x, y = table[:, :-1], table[:, -1]
            deviation = x.std(axis=0)
            constant = x.max(axis=0) == x.min(axis=0)
            deviation[constant] = 1
            return np.where(constant, 0, (x - x.mean(axis=0)) / deviation), (y > 0).astype(int)
    print(f"   {name}: not in {folder}, left out")
    return None


def gaussian(n: int, d: int, seed: int = 0):
    """Two normal clouds, their means 0.9 sqrt(d / 20) apart: they overlap."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.standard_normal((n, d)) + np.where(y[:, None] == 1, 0.1, -0.1), y


# ---- margin ----

def margin(x, y, method: str, *options: str) -> dict:
    """What `gen train --json -` says of a training on x as it is."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        np.savetxt(file, np.column_stack([x, y]), fmt=["%.17g"] * x.shape[1] + ["%d"], delimiter=",")
        file.flush()
        command = [sys.executable, "-m", "gen", "train", file.name, "--method", method, "--scale", "none", "--json", "-", *options]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command[1:])}: {done.stderr}")
    return json.loads(done.stdout)


# ---- kernels and independent optima ----

def gram(x, kernel: str, gamma: float, degree: int = 3, coef0: float = 1.0):
    products = x @ x.T
    if kernel == "linear":
        return products
    if kernel == "poly":
        return (gamma * products + coef0) ** degree
    squares = np.diag(products)
    return np.exp(-gamma * np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0))


def blas() -> str:
    """Which BLAS cvxopt runs on: OpenBLAS makes it about ten times faster than the reference BLAS."""
    with open("/proc/self/maps") as file:
        return "OpenBLAS" if "openblas" in file.read() else "reference BLAS"


def cvxopt_qp(*arguments):
    from cvxopt import matrix, solvers
    solvers.options.update(show_progress=False, abstol=1e-13, reltol=1e-13, feastol=1e-13, maxiters=100)
    with Timer() as timer:
        solution = solvers.qp(*(matrix(np.asarray(a, float)) for a in arguments))
    return np.array(solution["x"]).ravel(), timer.seconds


def cvxopt_svm(k, y, c: float):
    """The dual objective of the SVM at cvxopt's optimum."""
    s, n = 2.0 * y - 1, len(y)
    q = k * np.outer(s, s)
    alpha, seconds = cvxopt_qp(q, -np.ones(n), np.vstack([np.eye(n), -np.eye(n)]),
                               np.concatenate([np.full(n, c), np.zeros(n)]), s[None, :], np.zeros(1))
    return 0.5 * alpha @ q @ alpha - alpha.sum(), seconds


def cvxopt_kmomd(k, y, lam: float):
    s, n = 2.0 * y - 1, len(y)
    p = (1 - lam) * k * np.outer(s, s) + lam * np.eye(n)
    g, seconds = cvxopt_qp(2 * p, np.zeros(n), -np.eye(n), np.zeros(n), np.vstack([y == 1, y == 0]).astype(float), np.ones(2))
    return g @ p @ g, seconds


# ---- LIBSVM and LIBLINEAR ----

class Nodes:
    """Rows as both libraries want them: index and value, an index of -1 at the end; `bias` appends a constant feature."""
    def __init__(self, x, bias: bool = False):
        n, d = x.shape
        width = d + 1 + bias
        self.nodes = np.zeros((n, width), NODE)
        self.nodes["index"][:, :d], self.nodes["value"][:, :d] = np.arange(1, d + 1), x
        if bias:
            self.nodes["index"][:, d], self.nodes["value"][:, d] = d + 1, 1.0
        self.nodes["index"][:, -1] = -1
        self.rows = self.nodes.ctypes.data + NODE.itemsize * width * np.arange(n, dtype=np.uint64)


def fields(*pairs):
    return type("Struct", (ctypes.Structure,), {"_fields_": [(name, kind) for kind, names in pairs for name in names.split()]})


I, D, P = ctypes.c_int, ctypes.c_double, ctypes.c_void_p
SvmProblem = fields((I, "l"), (P, "y x"))
SvmParameter = fields((I, "type kernel degree"), (D, "gamma coef0 cache eps C"), (I, "weights"), (P, "weight_label weight"),
                      (D, "nu p"), (I, "shrinking probability"))
SvmModel = fields((SvmParameter, "param"), (I, "classes l"), (P, "SV sv_coef rho"))
LinearProblem = fields((I, "l n"), (P, "y x"), (D, "bias"))
LinearParameter = fields((I, "solver"), (D, "eps C"), (I, "weights"), (P, "weight_label weight"), (D, "p"), (P, "init"))
LinearModel = fields((LinearParameter, "param"), (I, "classes features"), (P, "w"))
PRINT = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
SILENT = PRINT(lambda text: None)


def libsvm(x, y, kernel: str, gamma: float, c: float, eps: float, k=None):
    """Seconds, and with the kernel matrix k the dual objective, of LIBSVM's C-SVC with a cache of 100 MB."""
    library = ctypes.CDLL("libsvm.so.3")
    library.svm_set_print_string_function(SILENT)
    library.svm_train.restype = ctypes.POINTER(SvmModel)
    nodes, labels = Nodes(x), np.where(y == 1, 1.0, -1.0)
    problem = SvmProblem(len(y), labels.ctypes.data, nodes.rows.ctypes.data)
    parameter = SvmParameter(type=0, kernel=KERNELS[kernel], degree=3, gamma=gamma, coef0=1.0, cache=100, eps=eps, C=c, shrinking=1)
    with Timer() as timer:
        model = library.svm_train(ctypes.byref(problem), ctypes.byref(parameter))
    found = model.contents
    objective = None
    if k is not None:
        rows = np.ctypeslib.as_array(ctypes.cast(found.SV, ctypes.POINTER(ctypes.c_uint64)), (found.l,))
        at = ((rows - nodes.rows[0]) // (nodes.rows[1] - nodes.rows[0])).astype(int)
        first = ctypes.cast(found.sv_coef, ctypes.POINTER(P))[0]
        coef = np.ctypeslib.as_array(ctypes.cast(first, ctypes.POINTER(D)), (found.l,))
        objective = 0.5 * coef @ k[np.ix_(at, at)] @ coef - np.abs(coef).sum()
    library.svm_free_and_destroy_model(ctypes.byref(ctypes.cast(model, P)))
    return timer.seconds, objective


def liblinear(x, y, c: float, eps: float):
    """Seconds, weights and bias of LIBLINEAR's dual solver of the hinge loss (-s 3), with a bias."""
    library = ctypes.CDLL("liblinear.so.4")
    library.set_print_string_function(SILENT)
    library.train.restype = ctypes.POINTER(LinearModel)
    nodes, labels = Nodes(x, bias=True), np.where(y == 1, 1.0, -1.0)
    problem = LinearProblem(len(y), x.shape[1] + 1, labels.ctypes.data, nodes.rows.ctypes.data, 1.0)
    with Timer() as timer:
        model = library.train(ctypes.byref(problem), ctypes.byref(LinearParameter(solver=3, eps=eps, C=c, p=0.1)))
    w = np.ctypeslib.as_array(ctypes.cast(model.contents.w, ctypes.POINTER(D)), (x.shape[1] + 1,)).copy()
    return timer.seconds, w[:-1], w[-1]


def primal(x, y, w, bias: float, c: float) -> float:
    return 0.5 * w @ w + c * np.maximum(0, 1 - (2.0 * y - 1) * (x @ w + bias)).sum()
