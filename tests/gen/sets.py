"""sets.py -- data sets that the tests make themselves, the same every time."""
import random


def gauss(n=120, d=4, classes=2, seed=1, gap=1.5):
    """Rows and labels of Gaussian clouds, one a class."""
    rng = random.Random(seed)
    centres = [[gap * rng.gauss(0, 1) for _ in range(d)] for _ in range(classes)]
    y = [i % classes for i in range(n)]
    return [[rng.gauss(c, 1) for c in centres[k]] for k in y], y


def ring(n=160, seed=2):
    """A disc inside a ring: no plane separates them."""
    rng = random.Random(seed)
    x = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(n)]
    return x, [int(a * a + b * b > 1.4) for a, b in x]


def csv(x, y, names=None, header=None):
    """CSV text; names are those of the classes."""
    lines = [header] if header else []
    for row, label in zip(x, y):
        lines.append(",".join([*map(repr, row), str(names[label] if names else label)]))
    return "\n".join(lines) + "\n"
