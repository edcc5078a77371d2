"""models.py -- the models that run on the ports: made of random numbers here, exported by the generator as any other."""
from __future__ import annotations

import ast
import filecmp
import json
import os
import pprint
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from targets import BUILD, ROOT, TARGETS, call

FORMATS = ("f32", "q15", "q7")
FOLDER = f"{BUILD}/models"


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


def sensor(seed: int, classes: int, count: int) -> str:
    """Whole numbers as sensors give them, of very different sizes, in classes that overlap; CSV text."""
    rng, lines = random.Random(seed), []
    for i in range(count):
        c = i % classes
        values = rng.gauss(500 + 300 * (c == 0), 150), rng.gauss(20 + 15 * (c == 1), 9), rng.gauss(3000 - 900 * c, 700), \
            rng.gauss(-40, 50)
        lines.append(",".join(str(round(v)) for v in values) + f",class {c}")
    return "\n".join(lines) + "\n"


def strips(seed: int, count: int) -> str:
    """Class b between two strips of class a, in whole numbers: no plane parts them, two cuts do; CSV text."""
    rng, lines = random.Random(seed), []
    for i in range(count):
        lines.append(f"{round(rng.uniform(0, 1023))},{round(512 + 250 * (i % 3 - 1) + rng.uniform(-95, 95))},"
                     f"{round(rng.gauss(40, 25))},{'ba'[i % 3 != 1]}")
    return "\n".join(lines) + "\n"


def bands(seed: int, count: int, bands: int, more: int) -> str:
    """Bands of two classes in turn, in two features and so many further ones without a meaning: about as many cuts part
    them; CSV text."""
    rng, lines = random.Random(seed), []
    for i in range(count):
        values = [rng.uniform(0, 10), 2 * (i % bands) + rng.uniform(-0.85, 0.85), *(rng.gauss(0, 0.1) for _ in range(more))]
        lines.append(",".join(f"{v:.3f}" for v in values) + f",{'ab'[i % bands % 2]}")
    return "\n".join(lines) + "\n"


def images(seed: int, classes: int, count: int, size: int = 8) -> str:
    """Pictures of 0 to 16 as of digits: three spots a class, anywhere near their places; CSV text."""
    rng, lines = random.Random(seed), []
    spots = [[(rng.uniform(1, size - 2), rng.uniform(1, size - 2)) for _ in range(3)] for _ in range(classes)]
    for i in range(count):
        right, down, ink = rng.gauss(0, 0.5), rng.gauss(0, 0.5), rng.uniform(10, 18)
        near = [[min((r - y - down) ** 2 + (c - x - right) ** 2 for y, x in spots[i % classes]) for c in range(size)]
                for r in range(size)]
        values = [max(0, min(16, round(ink - 3 * d + rng.gauss(0, 1)))) for row in near for d in row]
        lines.append(",".join(map(str, values)) + f",{i % classes}")
    return "\n".join(lines) + "\n"


def gen(*words: str) -> None:
    call([sys.executable, "-m", "gen", *words])


def put(path: str, text: str) -> None:
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(text)


def put_between(path: str, mark: str, table: str) -> None:
    """A table into a file, in the place of that between its two marks."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        head, rest = file.read().split(f"<!-- {mark} -->\n")
    put(path, f"{head}<!-- {mark} -->\n\n{table}\n<!-- /{mark} -->" + rest.split(f"<!-- /{mark} -->")[1])


@dataclass
class Imported:
    """A model that exists before the generator sees it."""
    model: dict

    def save(self, base: str) -> None:
        put(f"{base}.csv", rows(self.model, 7, 200))
        put(f"{base}.json", json.dumps(self.model))
        gen("import", f"{base}.json", "--save", f"{base}.mgn")


@dataclass
class Trained:
    """A model that the generator trains, on CSV text."""
    data: str
    options: str

    def save(self, base: str) -> None:
        put(f"{base}.csv", self.data)
        gen("train", f"{base}.csv", *self.options.split(), "--save", f"{base}.mgn")


def write(name: str, model: Imported | Trained) -> None:
    """build/ports/models/NAME_FORMAT.h for each format; a file that stays the same is left alone, for what depends on it."""
    base = f"{FOLDER}/{name}"
    model.save(base)
    for form in FORMATS:
        new = f"{FOLDER}/new/{name}_{form}.h"
        gen("export", f"{base}.mgn", "--format", form, "--data", f"{base}.csv", "-o", new)
        replace_changed(new, f"{base}_{form}.h")


def replace_changed(new: str, old: str) -> None:
    """Puts a new file into the place of an old one, unless they are the same: what depends on it stays up to date."""
    new, old = (os.path.join(ROOT, path) for path in (new, old))
    if not os.path.exists(old) or not filecmp.cmp(new, old, shallow=False):
        os.replace(new, old)


# Of the size of an SVM on the Wisconsin breast cancer data: 30 features, 99 support vectors.
WDBC = {"wdbc_linear": Imported(exchange(1, "linear", 30, 0)), "wdbc_rbf": Imported(exchange(2, "rbf", 30, 99)),
        "wdbc_poly": Imported(exchange(3, "poly", 30, 99))}
# Small ones, one for each thing that a predictor can do.
SUITE = {"linear": Imported(exchange(11, "linear", 5, 0)), "rbf": Imported(exchange(12, "rbf", 6, 10)),
         "poly": Imported(exchange(13, "poly", 5, 9)), "pairs": Imported(exchange(14, "rbf", 5, 11, 3, "one-one")),
         "rest": Imported(exchange(15, "rbf", 4, 12, 4, "one-rest")),
         "hinge": Trained(sensor(18, 3, 90), "--method compact --vectors 6 --iterations 40 --noise 0.2"),
         "projected": Trained(sensor(18, 3, 90), "--method compact --vectors 6 --rank 3 --iterations 40 --noise 0.2"),
         "proto": Trained(sensor(18, 3, 90), "--method tvq --models 2 --tangents 2"),
         "digits2": Trained(images(21, 10, 300), "--method tvq --scale none --tangents 2 --iterations 20"),
         "digits5": Trained(images(22, 10, 300), "--method tvq --scale none --tangents 5 --iterations 20"),
         "cuts": Trained(strips(19, 180), "--method seco --cheap --kernel linear"),
         "list": Trained(strips(20, 180), "--method seco --cheap --kernel poly --degree 1 --coef0 1"),
         "unit_poly": Trained(sensor(16, 2, 30), "--method svm --kernel unit-poly"),
         "sensor": Trained(sensor(17, 3, 45), "--method svm --kernel unit-exp --calibrate --reject 0.1")}


def build(models: dict[str, Imported | Trained]) -> None:
    os.makedirs(os.path.join(ROOT, f"{FOLDER}/new"), exist_ok=True)
    gen("train", "--help")  # what gen compiles on first use is there before several of them ask for it
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda item: write(*item), models.items()))


# ---- what gen knows about costs ----

COSTS = "gen/cost_table.py"
COSTS_HEAD = '''"""cost_table.py -- written by `python3 ports/cost.py`: do not edit. What gen/cost.py knows about the targets: bytes of code
and of the compiler's helpers at -Os, bytes of stack, the weights of cost.terms() that give cycles at -O2, and the most stack
of each function that predicts (`python3 ports/stack.py --write`)."""
TARGETS = '''


def known_costs() -> dict:
    """The table as it is in the file now."""
    try:
        with open(os.path.join(ROOT, COSTS), encoding="utf-8") as file:
            return ast.literal_eval(file.read().split("TARGETS = ", 1)[1])
    except OSError:
        return {}


def put_costs(known: dict) -> None:
    ordered = {target.name: known[target.name] for target in TARGETS if target.name in known}
    put(COSTS, COSTS_HEAD + pprint.pformat(ordered, width=120, compact=True, sort_dicts=False) + "\n")
