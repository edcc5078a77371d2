"""page.py -- pieces of HTML that pages are made of: figures, sections, tables, and the page round them. Texts are escaped here."""
from __future__ import annotations

import base64
import gzip
import json
import re
from html import escape

from . import output


def figure(title: str, words: str, drawing: str, style: str = "", more: str = "") -> str:
    """A figure with its caption; nothing if there is no drawing."""
    if not drawing:
        return ""
    style = f' class="{style}"' if style else ""
    return f"<figure{style}><figcaption><h3>{escape(title)}</h3><p>{escape(words)}</p></figcaption>{drawing}{more}</figure>"


def height(part: str) -> float:
    """About how high a figure is: its drawing and its table."""
    return 70 + sum(1.2 * float(h) for h in re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', part)) + 31 * part.count("<tr") \
        + 150 * part.count("<input")


def columns(parts: list[str]) -> str:
    """Figures in two columns that are about as long, each in the shorter one; where there is room for one column only they are
    in the order of the list. Wide ones come first."""
    wide, sides, long = "", ["", ""], [0.0, 0.0]
    for i, part in enumerate(parts):
        if part.startswith('<figure class="wide"'):
            wide += part
            continue
        side = long[1] < long[0]
        sides[side] += part.replace("<figure", f'<figure style="order:{i}"', 1)
        long[side] += height(part)
    return wide + "".join(f'<div class="column">{side}</div>' for side in sides)


def section(name: str, title: str, lead: str, parts: list[str], grid: bool = True) -> str:
    parts = [part for part in parts if part]
    if not parts:
        return ""
    inside = f'<div class="figures">{columns(parts)}</div>' if grid else f'<div class="plain">{"".join(parts)}</div>'
    return (f'<section id="{name}" aria-labelledby="{name}-title"><header><h2 id="{name}-title">{escape(title)}</h2>'
            f'<p class="lead">{escape(lead)}</p></header>{inside}</section>')


def table(heads: list[str], rows: list[list[str]], numbers: set[int], label: str) -> str:
    """A table of cells that are HTML already."""
    style = lambda i: ' class="n"' if i in numbers else ""
    head = "".join(f"<th scope=\"col\"{style(i)}>{escape(text)}</th>" for i, text in enumerate(heads))
    body = "".join("<tr>" + "".join(f"<td{style(i)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>" for row in rows)
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def bdi(text: str) -> str:
    """Text from the data: escaped, and kept from turning its neighbours round if it is written right to left."""
    return f"<bdi>{escape(text)}</bdi>"


def tile(name: str, value: str, more: str) -> str:
    return f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd><dd>{escape(more)}</dd></div>"


# ---- the page round them ----

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; img-src data:"


def as_script(value) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(output.plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def html(title: str, style: str, body: str, facts: dict, script: str) -> str:
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><meta http-equiv="Content-Security-Policy" content="{POLICY}"><meta name="color-scheme" '
            f'content="light dark"><link rel="icon" href="data:,"><title>{escape(title)}</title><style>{style}</style></head>\n'
            f'<body>{body}\n<script type="application/json" id="facts">{as_script(facts)}</script>\n<script>{script}</script>\n'
            f"</body></html>\n")


def packed(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")
