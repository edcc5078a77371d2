"""page.py -- one page of sections, tables, figures and verdicts, as HTML and as Markdown. Knows nothing about papers."""
import math
import os
import statistics
import sys
from dataclasses import dataclass, field
from html import escape

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from gen import svg  # noqa: E402

VERDICTS = ("reproduced", "better", "differs", "run in part", "not run")


@dataclass
class Table:
    title: str
    heads: list[str]
    rows: list[list[str]]
    note: str = ""
    command: str = ""


@dataclass
class Figure:
    title: str
    drawing: str  # SVG
    note: str = ""
    command: str = ""


@dataclass
class Section:
    """What is said of one paper."""
    number: str
    title: str
    source: str
    misprints: list[tuple[str, str]] = field(default_factory=list)       # as printed, corrected
    parts: list = field(default_factory=list)                            # tables and figures
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)   # what, one of VERDICTS, why
    differing: list[str] = field(default_factory=list)                   # cells off by more than two standard errors

    def judge(self, what: str, verdict: str, why: str = "") -> None:
        assert verdict in VERDICTS, verdict
        self.verdicts.append((what, verdict, why))


def interval(values: list[float], form: str = ".3f") -> str:
    """Mean and standard error.

    >>> interval([0.1, 0.2, 0.3]), interval([0.25])
    ('0.200 ± 0.058', '0.250')
    """
    mean = statistics.fmean(values)
    return f"{mean:{form}}" + (f" ± {standard_error(values):{form}}" if len(values) > 1 else "")


def standard_error(values: list[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def lines(series: dict, x_words: str, y_words: str, log_x: bool = False, title: str = "") -> str:
    """Lines through points: {name: [(x, y), ...]}."""
    points = [p for one in series.values() for p in one]
    if not points:
        return ""
    low, high = min(y for _, y in points), max(y for _, y in points)
    pad = 0.05 * (high - low) or 0.05 * abs(high) or 0.05
    axes = svg.Axes((min(x for x, _ in points), max(x for x, _ in points)), (low - pad, high + pad), log_x=log_x)
    marks = axes.frame(x_words, y_words)
    for i, (name, some) in enumerate(series.items()):
        places = [(axes.x(x), axes.y(y)) for x, y in some]
        marks += [svg.path(places, f"s{i % svg.SERIES}"), svg.marks_of(places, i) if len(places) < 40 else ""]
    for i, name in enumerate(series):
        marks += [svg.mark(8 + 118 * (i % 3), 238 + 16 * (i // 3), i, 4), svg.text(16 + 118 * (i % 3), 242 + 16 * (i // 3), name, most=18)]
    return svg.picture(248 + 16 * ((len(series) + 2) // 3 - 1), marks, title or y_words)


# ---- HTML ----

def html_table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def html_part(part) -> str:
    inside = html_table(part) if isinstance(part, Table) else part.drawing
    note = f"<p>{escape(part.note)}</p>" if part.note else ""
    command = f"<p><code>{escape(part.command)}</code></p>" if part.command else ""
    kind = "" if isinstance(part, Table) else ' class="plot"'
    return f"<figure{kind}><figcaption><h3>{escape(part.title)}</h3></figcaption>{inside}{note}{command}</figure>"


def html_section(section: Section) -> str:
    verdicts = Table("", ["what", "verdict", "why, as far as it is known"], [list(row) for row in section.verdicts])
    misprints = Table("", ["as printed", "corrected"], [list(row) for row in section.misprints])
    parts = "".join(html_part(part) for part in section.parts)
    return (f'<section id="p{section.number}"><h2>{section.number} {escape(section.title)}</h2><p>{escape(section.source)}</p>'
            f"<h3>Verdicts</h3>{html_table(verdicts)}{parts}"
            + (f"<h3>Misprints</h3>{html_table(misprints)}" if section.misprints else "") + "</section>")


STYLE = """
body { max-width: 1200px; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, sans-serif; }
section { display: block; } section figure.plot { display: inline-block; vertical-align: top; width: min(100%, 480px); margin-right: 2em; }
figure { margin: 1.5em 0; max-width: none; } figure svg { max-width: 560px; } .scroll { overflow-x: auto; max-height: none; }
figure td { white-space: nowrap; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: 2px 10px; text-align: left; }
th { border-bottom: 1px solid currentColor; } tr:nth-child(even) td { background: rgba(127, 127, 127, 0.1); }
code { font-size: 12px; overflow-wrap: anywhere; }
"""


def html(title: str, lead: list[str], sections: list[Section], style: str) -> str:
    first = "".join(f"<p>{escape(words)}</p>" for words in lead)
    body = "".join(html_section(section) for section in sections)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><title>{escape(title)}</title><style>{style}{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>'
            f"{first}{differing_html(sections)}{body}</body></html>\n")


def differing_html(sections: list[Section]) -> str:
    rows = "".join(f"<li>{escape(words)}</li>" for section in sections for words in section.differing)
    return f"<h2>Cells that differ by more than two standard errors</h2><ul>{rows or '<li>none of those that were run</li>'}</ul>"


# ---- Markdown ----

def md_table(table: Table) -> list[str]:
    clean = lambda cell: cell.replace("|", "\\|")
    return ["| " + " | ".join(map(clean, table.heads)) + " |", "|" + "---|" * len(table.heads),
            *("| " + " | ".join(map(clean, row)) + " |" for row in table.rows), ""]


def md_verdicts(section: Section) -> list[str]:
    return md_table(Table("", ["what", "verdict", "why, as far as it is known"], [list(row) for row in section.verdicts]))


def markdown(title: str, lead: list[str], sections: list[Section]) -> str:
    """All but the figures, which are in the HTML."""
    out = [f"# {title}", ""]
    for words in lead:
        out += [words, ""]
    for section in sections:
        out += [f"## {section.number} {section.title}", "", section.source, "", *md_verdicts(section)]
        for part in section.parts:
            out += [f"### {part.title}", ""]
            out += md_table(part) if isinstance(part, Table) else ["(figure, in papers.html)", ""]
            out += [words for line in (part.note, f"`{part.command}`" if part.command else "") if line for words in (line, "")]
        if section.misprints:
            out += ["### Misprints", "", *md_table(Table("", ["as printed", "corrected"], [list(row) for row in section.misprints]))]
    out += ["## Cells that differ by more than two standard errors", ""]
    out += [f"- {words}" for section in sections for words in section.differing] or ["- none of those that were run"]
    return "\n".join(out) + "\n"
