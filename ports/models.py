"""models.py -- the models that run on the ports: made of random numbers here, exported by the generator as any other."""
from __future__ import annotations

import json
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from targets import BUILD, ROOT, Problem, call

FORMATS = ("f32", "q15", "q7")
FOLDER = f"{BUILD}/models"
failed: dict[str, str] = {}  # model_format -> why there is no such header


def kernel_of(kind: str, d: int) -> dict:
    return {"rbf": {"kind": "rbf", "gamma": 1 / d}, "poly": {"kind": "poly", "gamma": 1 / d, "degree": 2, "coef0": 1}}[kind]


def exchange(seed: int, kind: str, d: int, n: int, classes: int = 2, scheme: str = "binary") -> dict:
    """A classifier in the generator's exchange form: n random vectors around as many centres as there are classes."""
    rng = random.Random(seed)
    machines = {"binary": 1, "one-rest": classes}.get(scheme, classes * (classes - 1) // 2)
    out = {"margin-exchange": 1, "labels": [f"class {c}" for c in range(classes)], "scheme": scheme,
           "bias": [rng.uniform(-0.2, 0.2) for _ in range(machines)]}
    if kind == "linear":
        out["weights"] = [[rng.gauss(0, 1) for _ in range(d)] for _ in range(machines)]
    else:
        width = {"binary": 1, "one-rest": classes}.get(scheme, classes - 1)
        out |= {"kernel": kernel_of(kind, d), "class_sizes": [n // classes + (c < n % classes) for c in range(classes)],
                "vectors": [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)],
                "coef": [[rng.uniform(0.1, 1) * rng.choice((-1, 1)) for _ in range(width)] for _ in range(n)]}
    out |= {"offset": [rng.uniform(-3, 3) for _ in range(d)], "factor": [rng.uniform(0.2, 2) for _ in range(d)]}
    return out


def rows(model: dict, seed: int, count: int) -> str:
    """Raw inputs as CSV text, label last: what the scales of integers are chosen by, and the self-tests taken from."""
    rng, lines = random.Random(seed), []
    for i in range(count):
        values = [rng.gauss(0, 1) / f + o for o, f in zip(model["offset"], model["factor"])]
        lines.append(",".join(f"{v:.6g}" for v in values) + f",class {i % len(model['labels'])}")
    return "\n".join(lines) + "\n"


def gen(*words: str) -> None:
    call([sys.executable, "-m", "gen", *words])


def write(name: str, model: dict, formats: tuple[str, ...] = FORMATS) -> None:
    """build/ports/models/NAME_FORMAT.h for each format."""
    base = f"{FOLDER}/{name}"
    os.makedirs(os.path.join(ROOT, FOLDER), exist_ok=True)
    for ending, text in ((".json", json.dumps(model)), (".csv", rows(model, 7, 200))):
        with open(os.path.join(ROOT, base + ending), "w", encoding="utf-8") as file:
            file.write(text)
    gen("import", f"{base}.json", "--save", f"{base}.mgn")
    for form in formats:
        try:
            gen("export", f"{base}.mgn", "--format", form, "--data", f"{base}.csv", "-o", f"{base}_{form}.h")
        except Problem as problem:
            failed[f"{name}_{form}"] = str(problem)


# Of the size of an SVM on the Wisconsin breast cancer data: 30 features, 99 support vectors.
WDBC = {"wdbc_linear": exchange(1, "linear", 30, 0), "wdbc_rbf": exchange(2, "rbf", 30, 99),
        "wdbc_poly": exchange(3, "poly", 30, 99)}


def build(models: dict[str, dict]) -> None:
    gen("info", "--help")  # compiles what gen needs before several of them ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda item: write(*item), models.items()))
