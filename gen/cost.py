"""cost.py -- what a model costs on a chip: bytes of flash, RAM, stack and cycles of one prediction, by a formula.

    cost(model, "cortex-m0", "q15")  ->  Cost(tables=..., code=..., ram=..., stack=..., cycles=...)

Tables and structs are counted. Code, stack and cycles come from cost_table.py, which `python3 ports/cost.py` measures on
the emulated targets: for each function that computes scores, the bytes of code at -Os, the largest stack, and the cycles at
-O2 as a sum of terms such as vectors times features. Cycles are those of the longest way: prototypes in floats and lists often
end earlier. The most stack of a function comes from ports/stack.py. `make footprint` compares the formula with what it measures.
"""
from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from . import emit, suggest
from .errors import Usage
from .model import Model
from .options import KERNELS
from .quant import Quantised

DEFAULT_TARGET = "cortex-m0"


@dataclass(frozen=True)
class Shape:
    """All that the formula wants to know about a model."""
    function: str          # that computes the scores, as the exported header calls it
    kernel: str            # empty without one
    struct: str            # type of the model in C
    format: str            # f32, q15 or q7
    tables: int            # bytes of constant arrays that the predictor reads
    n: int                 # vectors, as stored; prototypes: models
    d: int
    machines: int
    width: int = 1         # coefficients of a vector
    tangents: int = 0
    degree: int = 1        # of a poly kernel
    stage: bool = False    # whole numbers go through a stage of integers first
    rank: int = 0          # numbers that a projection in front makes of the features
    convert: bool = False  # raw values are real numbers and become integers before they go in
    elect: str = ""        # how scores make a class without margin_decide: see emit.ELECT
    reach: tuple = ()      # of a list: how many vectors each cut has looked at, those of the cuts before it included
    picks: bool = False    # the numbers of the projection are some of the features

    @property
    def key(self) -> str:
        """The entry of the table: integer predictors of expansions have one function for a machine and one for several, and
        linear ones have one for machines with scales.

        >>> Shape("", "rbf", "margin_expansion_q", "q15", 0, 8, 4, 3).key, Shape("", "", "margin_proto", "f32", 0, 8, 4, 3).key
        ('rbf q15 several', 'proto f32')
        >>> Shape("margin_scaled_scores_q7", "", "margin_linear_q", "q7", 0, 0, 4, 3).key
        'scaled q7'
        """
        kind = "scaled" if self.function.startswith("margin_scaled") else self.struct.split("_")[1]
        if kind in ("expansion", "projected"):
            several = "" if self.real else " one" if self.machines == 1 else " several"
            return f"{self.kernel} {self.format}{several}"
        return f"list {self.kernel} {self.format}" if kind == "list" else f"{kind} {self.format}"

    @property
    def real(self) -> bool:
        return self.format == "f32"

    @property
    def deep(self) -> bool:
        """Whether the function goes a way that takes more of its stack: pairs of classes, or tangents."""
        return self.tangents > 0 if "proto" in self.struct else self.n > 0 and self.machines != self.width


@dataclass(frozen=True)
class Cost:
    """`flash` is all that the model adds to a program; cycles are instructions where the emulator counts those, and None
    where nothing counts."""
    tables: int    # constant arrays that the predictor reads: NAME_TABLE_BYTES of the header
    struct: int    # the struct that points to them
    code: int      # the library's functions
    helpers: int   # the compiler's own functions: soft floating point, long products
    convert: int   # offset and factor of each feature, for integer models of real-valued data
    ram: int       # static data: none but on AVR, where structs are copied to RAM
    stack: int     # as measured
    cycles: int | None
    stack_most: int | None   # no call of NAME_classify takes more, all that it calls included
    cycles_most: int | None  # what was measured, and a tenth more
    known: bool = True  # False: nobody has measured the predictor on this target; only tables are known

    @property
    def flash(self) -> int:
        return self.tables + self.struct + self.code + self.helpers + self.convert

    @property
    def memory(self) -> int:
        """Bytes of RAM: static data and the stack."""
        return self.ram + self.stack


@functools.cache
def targets() -> dict:
    """The measured numbers by target."""
    from .cost_table import TARGETS
    return TARGETS


def target_named(name: str) -> str:
    """
    >>> target_named("cortex-m0")
    'cortex-m0'
    """
    if name not in targets():
        raise Usage(f"no target {name!r}{suggest.close(name, targets())}; there are {', '.join(targets())}")
    return name


def shape_of(model: Model, form: str = "f32", quantised: Quantised | None = None, body: emit.Body | None = None) -> Shape:
    """The shape of a model in a number format; `quantised` and `body` save making the integer model and its text once more."""
    if form != "f32" and quantised is None:
        quantised = Quantised(model, form)
    if body is None:
        body = emit.integer_body(quantised) if quantised else emit.body_of(model.machine)
    n = quantised.numbers if quantised else model.machine.numbers
    kernel = KERNELS[n["kernel"]] if "kernel" in n else ""
    return Shape(body.scores, kernel, body.struct, form, body.bytes, n.get("n", 0), n["d"], model.machine.shape.machines,
                 n.get("width", 1), n.get("tangents", 0), max(1, n.get("power", n.get("degree", 1))), body.stage,
                 n.get("pool_d", 0), body.convert is not None, body.elect, tuple((quantised.parts if quantised else model.machine).array("reach")),
                 bool(n.get("picks")))


def fours(n: int) -> int:
    """Dot products are taken by fours."""
    return -(-n // 4) * 4


def terms(shape: Shape) -> tuple[float, ...]:
    """What the cycles of a prediction are a weighted sum of; the weights, none of them negative, are those of the function and the
    target. Loops take four features at a time, integers two at the end; d is then even. Where a core has registers enough for it, real numbers
    are taken by sixes: the last two terms."""
    d = shape.d if shape.real else shape.d + shape.d % 2
    n, m, four, rest = shape.n, shape.machines, d // 4, (d % 4, d % 4 > 0) if shape.real else (d % 4 > 0, shape.d % 2)
    staged = (1, shape.d) if shape.stage else (0, 0)
    sixes = (shape.d // 6, shape.d % 6) if shape.real else (0, 0)
    if "proto" in shape.struct:
        return (*(real_proto if shape.real else integer_proto)(shape, four, *rest), *staged)
    if n == 0 or "linear" in shape.struct:  # linear, or a list of linear cuts
        rows = max(m, shape.width)
        return (1, rows, rows * (shape.d // 4), rows * (shape.d % 4), rows * (shape.d % 2), rows * (shape.d % 4 > 0), *staged,
                *(rows * six for six in sixes))
    spread, dots = n * shape.width, fours(n)
    single = ()  # hinge units in integers have the vectors that do not fill a block of four one by one
    if shape.kernel == "hinge" and not shape.real:
        dots, single = n // 4 * 4, (n % 4, n % 4 * four, n % 4 * rest[0])
    if shape.reach:  # a list: vectors go to the cuts that are still to be asked
        each = [to - before for before, to in zip((0, *shape.reach), shape.reach)]
        m, spread, dots = shape.width, sum(count * (shape.width - j) for j, count in enumerate(each)), sum(map(fours, each))
    pairs = m != shape.width
    degree = (shape.degree.bit_length() - 1, bin(shape.degree).count("1") - 1) if shape.kernel == "poly" else (0, 0)
    return (1, d, n, dots * four, dots * rest[0], dots * rest[1], dots, spread, m, spread * pairs, n * pairs, n * (m > 1),
            n * degree[0], n * degree[1], *staged, *(dots * six for six in sixes), *single)


def real_proto(shape: Shape, four: int, rest: int, some: int) -> tuple[float, ...]:
    """Without tangents by 16 features; with them tangents by fours, and all models of a class but the first in two halves."""
    n, t, plain, later = shape.n, shape.tangents, shape.tangents == 0, (shape.n - shape.machines) * (shape.tangents > 0)
    groups = -(-t // 4)
    return (1, shape.machines, n, n * four, n * rest, n * some, n * plain * -(-shape.d // 16), n * plain, n * groups, n * groups * shape.d, n * t,
            later, later * groups)


def integer_proto(shape: Shape, four: int, rest: int, odd: int) -> tuple[float, ...]:
    n, t = shape.n, shape.tangents
    rows = fours(n * (1 + t))
    return (1, shape.d, n, rows, rows * four, rows * rest, rows * odd, n * t, n * (t > 0), shape.machines)


def cycles_of(shape: Shape, table: dict) -> int | None:
    """Of one prediction, on the target that the table is of."""
    weights = table["functions"].get(shape.key, {}).get("cycles")
    return None if weights is None else max(1, round(sum(w * t for w, t in zip(weights, terms(shape)))))


def stack_of(shape: Shape, entry: dict) -> int:
    """Bytes of stack of the function, as measured."""
    return entry.get("stack_deep", entry["stack"]) if shape.deep else entry["stack"]


CALL = 48  # bytes of stack at most that NAME_classify takes beside its arrays: registers, addresses, gaps


def arrays_of(shape: Shape) -> int:
    """Bytes of the arrays of NAME_classify: scores, and inputs behind a stage or a projection.

    >>> arrays_of(Shape("", "", "margin_linear_q", "q15", 0, 0, 5, 3, stage=True)), arrays_of(Shape("", "", "", "f32", 0, 0, 9, 3, rank=2))
    (24, 20)
    """
    return 4 * shape.machines + (2 * shape.d + 2 & ~3 if shape.stage else 0) + (4 if shape.real else 2) * shape.rank


def called_by(shape: Shape) -> list[str]:
    """The functions of the library that NAME_classify calls."""
    q = "" if shape.real else "_q"
    project = f"margin_pick{q}" if shape.picks else "margin_project" if shape.real else f"margin_project_{shape.format}"
    chooses = shape.elect or shape.machines == 1 or "list" in shape.struct
    return [shape.function, *([] if chooses else [f"margin_decide{q}"]), *(["margin_prepare_q"] if shape.stage else []), *([project] if shape.rank else [])]


def stack_most(shape: Shape, table: dict) -> int | None:
    """Bytes of stack that no call of NAME_classify exceeds: what it takes itself, and the deepest of the functions that it calls."""
    deepest = [table["stacks"].get(name) for name in called_by(shape)]
    return None if None in deepest else max(deepest) + arrays_of(shape) + CALL


def cycles_most(shape: Shape, table: dict) -> int | None:
    """Of one prediction at most: the formula is that of the longest way, within some percent."""
    cycles = cycles_of(shape, table)
    return None if cycles is None else round_up(cycles * 11 // 10 + 1)


def round_up(n: int) -> int:
    """To two digits.

    >>> round_up(7), round_up(19874), round_up(100)
    (7, 20000, 100)
    """
    unit = 10 ** max(0, len(str(n)) - 2)
    return -(-n // unit) * unit


SHOWN = ("cortex-m0", "cortex-m4f", "rv32imc", "atmega328p")


def worst_words(shape: Shape) -> list:
    """Heads and texts for the comment of a header: what one prediction takes at most."""
    prices = [(name, estimate(shape, name)) for name in SHOWN]
    stacks = [f"{price.stack_most} on {name}" for name, price in prices if price.stack_most is not None]
    cycles = [f"{price.cycles_most} on {name}" for name, price in prices if price.cycles_most is not None]
    return [(head, f"at most {', '.join(texts)}{more}") for head, texts, more in
            (("stack", stacks, ", bytes of a prediction and all that it calls"), ("cycles", cycles, ", by measurement; on AVR cycles, else instructions"))
            if texts]


def parts_of(shape: Shape) -> list[str]:
    """The entries of the table whose code a model needs.

    >>> parts_of(Shape("", "rbf", "margin_expansion_q", "q7", 0, 8, 4, 3, elect="rest", convert=True))
    ['rbf q7 several', 'call', 'elect rest', 'input', 'call input']
    """
    found = [shape.key, "call"] + (["stage"] if shape.stage else [])
    if shape.elect:
        found.append(f"elect {shape.elect}")
    elif shape.machines > 1 and "list" not in shape.struct:
        found.append("decide" if shape.real else "decide q")
    return found + (["input", "call input"] if shape.convert else [])


def code_of(parts: list[dict]) -> int:
    """Bytes of the library's functions. Those that compute scores have parts in common with those that choose among many."""
    decides = any(part["function"].startswith("margin_decide") for part in parts)
    return sum(part["code"] - (part.get("shared", 0) if decides else 0) for part in parts)


def helpers_of(parts: list[dict], table: dict) -> int:
    """Bytes of the compiler's functions that some entries of a table use, each of them once.

    >>> helpers_of([{"uses": "add mul"}, {"uses": ""}, {"uses": "mul div"}], {"objects": {"add": 1, "mul": 20, "div": 300}})
    321
    """
    return sum(table["objects"][name] for name in {name for part in parts for name in part["uses"].split()})


def estimate(shape: Shape, target: str) -> Cost:
    """The cost of any model of this shape."""
    table = targets()[target]
    if shape.rank:
        return projected(shape, target)
    entry = table["functions"].get(shape.key)
    if entry is None or shape.struct not in table["structs"]:
        return Cost(shape.tables, 0, 0, 0, 0, 0, 0, None, None, None, False)
    parts = [table["functions"][key] for key in parts_of(shape)]
    struct = table["structs"][shape.struct] + (3 * table["pointer"] if shape.stage else 0)
    return Cost(shape.tables, struct, code_of(parts), helpers_of(parts, table),
                8 * shape.d if shape.convert else 0, struct if table["struct_in_ram"] else 0,
                stack_of(shape, entry) + arrays_of(shape), cycles_of(shape, table), stack_most(shape, table), cycles_most(shape, table))


def projected(shape: Shape, target: str) -> Cost:
    """A pool behind a projection, which costs what so many linear machines do; picking features costs what one does with a weight
    of two words a feature, about."""
    table, q = targets()[target], "" if shape.real else "_q"
    behind = replace(shape, struct=f"margin_expansion{q}", d=shape.rank, rank=0, stage=False, convert=False)
    d, many = (2 * shape.d, 1) if shape.picks else (shape.d, shape.rank)
    rows = Shape("", "", f"margin_linear{q}", shape.format, 0, 0, d, many, stage=shape.stage, convert=shape.convert)
    pool, front = estimate(behind, target), estimate(rows, target)
    if not pool.known or not front.known:
        return Cost(shape.tables, 0, 0, 0, 0, 0, 0, None, None, None, False)
    parts = [table["functions"][key] for key in dict.fromkeys((*parts_of(behind), *parts_of(replace(rows, machines=1))))]
    struct = pool.struct + 6 * table["pointer"] + (3 * table["pointer"] if shape.stage else 0)
    cycles = None if pool.cycles is None or front.cycles is None else pool.cycles + front.cycles
    return Cost(shape.tables, struct, code_of(parts), helpers_of(parts, table), 8 * shape.d if shape.convert else 0,
                struct if table["struct_in_ram"] else 0, max(pool.stack, front.stack) + (4 if shape.real else 2) * shape.rank, cycles,
                stack_most(shape, table), None)


def cost(model: Model, target: str = DEFAULT_TARGET, form: str = "f32", quantised: Quantised | None = None) -> Cost:
    """What a model costs on a target in a number format."""
    return estimate(shape_of(model, form, quantised), target_named(target))
