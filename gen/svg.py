"""svg.py -- the marks of data graphics as SVG text. Knows nothing about models. Colours are classes of report.css (s0 ..
the lines, f0 .. the areas of series 0 ..), so that a page can be light or dark."""
from __future__ import annotations

import math
from html import escape

WIDTH = 360.0   # of all figures: on a phone a unit is a pixel, so that words can be read there
SERIES = 6      # colours that people tell apart; with more series they come again


def num(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough.

    >>> num(12.0), num(0.25), num(-0.04), num(100)
    ('12', '0.2', '0', '100')
    """
    text = f"{value:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


def short(text: str, most: int = 14) -> str:
    """
    >>> short("a label that is far too long", 10), short("b", 10)
    ('a label t…', 'b')
    """
    return text if len(text) <= most else text[:most - 1] + "…"


def text(x: float, y: float, words: str, anchor: str = "start", style: str = "", most: int = 60) -> str:
    """Words at a place. What is too long is cut, and complete in the tooltip.

    >>> text(1, 2, "<b>", "end")
    '<text x="1" y="2" text-anchor="end">&lt;b&gt;</text>'
    """
    full = f"<title>{escape(words)}</title>" if len(words) > most else ""
    anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
    style = f' class="{style}"' if style else ""
    return f'<text x="{num(x)}" y="{num(y)}"{anchor}{style}>{escape(short(words, most))}{full}</text>'


def line(x1: float, y1: float, x2: float, y2: float, style: str = "axis") -> str:
    return f'<line x1="{num(x1)}" y1="{num(y1)}" x2="{num(x2)}" y2="{num(y2)}" class="{style}"/>'


def rect(x: float, y: float, width: float, height: float, style: str, more: str = "", title: str = "") -> str:
    inside = f"><title>{escape(title)}</title></rect>" if title else "/>"
    return (f'<rect x="{num(x)}" y="{num(y)}" width="{num(max(width, 0))}" height="{num(max(height, 0))}" class="{style}"'
            f'{" " + more if more else ""}{inside}')


def dot(x: float, y: float, style: str, radius: float = 3.5, title: str = "") -> str:
    inside = f"><title>{escape(title)}</title></circle>" if title else "/>"
    return f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(radius)}" class="{style}"{inside}'


def marker(x: float, y: float, series: int, size: float) -> str:
    """The path of a point of a series: the shapes differ as well as the colours, for those who do not see these."""
    k = size
    if series % 4 == 0:
        return f"M{num(x - k)} {num(y)}a{num(k)} {num(k)} 0 1 0 {num(2 * k)} 0a{num(k)} {num(k)} 0 1 0 {num(-2 * k)} 0z"
    if series % 4 == 1:
        return f"M{num(x)} {num(y - 1.3 * k)}l{num(1.3 * k)} {num(2.3 * k)}h{num(-2.6 * k)}z"
    if series % 4 == 2:
        return f"M{num(x - k)} {num(y - k)}h{num(2 * k)}v{num(2 * k)}h{num(-2 * k)}z"
    side = num(1.4 * k)
    return f"M{num(x)} {num(y - 1.4 * k)}l{side} {side}l-{side} {side}l-{side} -{side}z"


def mark(x: float, y: float, series: int, size: float = 2.6, style: str = "") -> str:
    """One point of a series."""
    return marks_of([(x, y)], series, size, style)


def marks_of(points: list[tuple[float, float]], series: int, size: float = 2.6, style: str = "") -> str:
    """Points of a series as one path."""
    d = "".join(marker(x, y, series, size) for x, y in points)
    return f'<path d="{d}" class="f{series % SERIES}{" " + style if style else ""}"/>' if d else ""


def path(points: list[tuple[float, float]], style: str, closed: bool = False) -> str:
    where = "L".join(f"{num(x)} {num(y)}" for x, y in points)
    return f'<path d="M{where}{"z" if closed else ""}" class="{style}"/>' if points else ""


def steps(points: list[tuple[float, float]], style: str) -> str:
    """A line of stairs: each value holds until the next."""
    if not points:
        return ""
    d = f"M{num(points[0][0])} {num(points[0][1])}" + "".join(f"H{num(x)}V{num(y)}" for x, y in points[1:])
    return f'<path d="{d}" class="{style}"/>'


def picture(height: float, marks: list[str], title: str, words: str = "", name: str = "", width: float = WIDTH) -> str:
    """A figure with words for those who do not see it."""
    name = f' id="{escape(name)}"' if name else ""
    told = f"<desc>{escape(words)}</desc>" if words else ""
    return (f'<svg viewBox="0 0 {num(width)} {num(height)}" role="img" aria-label="{escape(title)}"{name} '
            f'xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>{told}{"".join(m for m in marks if m)}</svg>')


# ---- scales ----

def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers within a range.

    >>> ticks(0, 1), ticks(-2.2, 3.1, 4), ticks(0, 0.03, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-2.0, 0.0, 2.0], [0.0, 0.01, 0.02, 0.03])
    """
    if not high > low:
        return [low]
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten within a range, and with few of them also two and five times these.

    >>> log_ticks(90, 12000), log_ticks(300, 900)
    ([100.0, 1000.0, 10000.0], [500.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tens = [10.0 ** p for p in powers if low <= 10.0 ** p <= high]
    if len(tens) >= 2:
        return tens
    found = [m * 10.0 ** p for p in powers for m in (1, 2, 5) if low <= m * 10.0 ** p <= high]
    return [value for value in found if len(found) <= 5 or f"{value:.0e}"[0] in "15"]


def percents(value: float) -> str:
    """
    >>> percents(0.05), percents(1), percents(0.0025)
    ('5 %', '100 %', '0.25 %')
    """
    return f"{100 * value:.3g} %"


class Axes:
    """A rectangle of a figure with a scale along each side."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], left: float = 44, right: float = 350,
                 top: float = 22, bottom: float = 190, log_x: bool = False):
        pad = lambda low, high: (low, high) if high > low else (low - 0.5, high + 0.5)
        self.xs, self.ys, self.log_x = pad(*x), pad(*y), log_x
        self.left, self.right, self.top, self.bottom = left, right, top, bottom

    def x(self, value: float) -> float:
        low, high = self.xs
        if self.log_x:
            low, high, value = math.log(low), math.log(high), math.log(max(value, 1e-300))
        return self.left + (self.right - self.left) * (value - low) / (high - low)

    def y(self, value: float) -> float:
        low, high = self.ys
        return self.bottom - (self.bottom - self.top) * (value - low) / (high - low)

    def frame(self, x_words: str, y_words: str, x_form=None, y_form=None, x_ticks=None, y_ticks=None) -> list[str]:
        """Ticks and thin lines across for the values, the names of both scales; no box."""
        x_form, y_form = x_form or (lambda v: f"{v:g}"), y_form or (lambda v: f"{v:g}")
        xs = x_ticks if x_ticks is not None else log_ticks(*self.xs) if self.log_x else ticks(*self.xs)
        marks = []
        for v in y_ticks if y_ticks is not None else ticks(*self.ys, 4):
            marks += [line(self.left, self.y(v), self.right, self.y(v), "grid"),
                      text(self.left - 6, self.y(v) + 4, y_form(v), "end", "tick")]
        for v in xs:
            at = self.x(v)
            anchor = "end" if at > WIDTH - 14 else "middle"
            marks += [line(at, self.bottom, at, self.bottom + 4), text(at, self.bottom + 16, x_form(v), anchor, "tick")]
        marks += [line(self.left, self.bottom, self.right, self.bottom), text(0, self.top - 9, y_words, style="name"),
                  text(self.right, self.bottom + 32, x_words, "end", "name")]
        return marks


# ---- areas of a function on a grid ----

def corners(field: list[list[float]], i: int, j: int, level: float):
    """The part of the cell whose lower corner is (i, j) where the function is at least `level`: its polygon."""
    ring = ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))
    values = [field[a][b] - level for a, b in ring]
    points = []
    for k in range(4):
        (a, b), (c, d), u, v = ring[k], ring[(k + 1) % 4], values[k], values[(k + 1) % 4]
        if u >= 0:
            points.append((b, a))
        if (u >= 0) != (v >= 0):
            t = u / (u - v)
            points.append((b + t * (d - b), a + t * (c - a)))
    return points


def polygon(points: list[tuple[float, float]]) -> str:
    """A closed path, each corner told from the one before.

    >>> polygon([(1, 2), (4, 2), (4, 6)])
    'M1 2l3 0l0 4z'
    """
    ends = [(float(num(x)), float(num(y))) for x, y in points]
    return f"M{num(ends[0][0])} {num(ends[0][1])}" + "".join(
        f"l{num(c - a)} {num(d - b)}" for (a, b), (c, d) in zip(ends, ends[1:])) + "z"


def area(field: list[list[float]], level: float, place) -> str:
    """The path of the area where a function, given on a grid, is at least `level`; place(column, row) are coordinates.
    Whole cells of a row are one piece, and so are equal pieces of neighbouring rows."""
    parts, growing = [], {}  # (first, last column) of a piece that still grows: its first row

    def close(piece: tuple[int, int], first: int, last: int) -> None:
        (x1, y1), (x2, y2) = place(piece[0], first), place(piece[1], last)
        parts.append(f"M{num(x1)} {num(y1)}H{num(x2)}V{num(y2)}H{num(x1)}z")

    rows, columns = len(field) - 1, len(field[0]) - 1
    for i in range(rows):
        inside, pieces, start = ([v >= level for v in field[i]], [v >= level for v in field[i + 1]]), set(), None
        for j in range(columns + 1):
            count = 0 if j == columns else inside[0][j] + inside[0][j + 1] + inside[1][j] + inside[1][j + 1]
            if count == 4:
                start = j if start is None else start
                continue
            if start is not None:
                pieces.add((start, j))
                start = None
            if count:
                parts.append(polygon([place(*p) for p in corners(field, i, j, level)]))
        for piece in [piece for piece in growing if piece not in pieces]:
            close(piece, growing.pop(piece), i)
        for piece in sorted(pieces):
            growing.setdefault(piece, i)
    for piece, first in growing.items():
        close(piece, first, rows)
    return "".join(parts)


def outline(field: list[list[float]], level: float, place) -> str:
    """The path of the line where a function on a grid has a value."""
    parts = []
    for i in range(len(field) - 1):
        for j in range(len(field[0]) - 1):
            ring = ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))
            values = [field[a][b] - level for a, b in ring]
            if all(v >= 0 for v in values) or all(v < 0 for v in values):
                continue
            ends = []
            for k in range(4):
                (a, b), (c, d), u, v = ring[k], ring[(k + 1) % 4], values[k], values[(k + 1) % 4]
                if (u >= 0) != (v >= 0):
                    t = u / (u - v)
                    ends.append(place(b + t * (d - b), a + t * (c - a)))
            for (x1, y1), (x2, y2) in zip(ends[::2], ends[1::2]):
                parts.append(f"M{num(x1)} {num(y1)}l{num(x2 - x1)} {num(y2 - y1)}")
    return "".join(parts)
