"""page.py -- one page of sections, tables, figures and verdicts, as HTML and as Markdown. Knows nothing about papers."""
import math
import os
import re
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
    wide: bool = False  # as wide as the page: several pictures


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
    left_out: list[str] = field(default_factory=list)                    # what the paper has and this page has not, and why
    commands: list[str] = field(default_factory=list)                    # behind all numbers

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


def boxes(series: dict, y_words: str, title: str) -> str:
    """Box plots: median, quartiles and extremes of {name: [value, ...]}."""
    values = [v for some in series.values() for v in some]
    axes = svg.Axes((0, len(series)), (min(values), max(values)))
    marks = axes.frame("", y_words, x_ticks=())
    for i, (name, some) in enumerate(series.items()):
        low, first, middle, third, high = (axes.y(v) for v in (min(some), *statistics.quantiles(some, n=4, method="inclusive"), max(some)))
        at, wide = axes.x(i + 0.5), 14
        style = f"s{i % svg.SERIES}"
        marks += [svg.line(at, low, at, first, style), svg.line(at, third, at, high, style), svg.rect(at - wide, third, 2 * wide, first - third, style),
                  svg.line(at - wide, middle, at + wide, middle, style)]
        marks += [svg.text(at, axes.bottom + 16 + 14 * j, word, "middle", "tick") for j, word in enumerate(name.split(", "))]
    return svg.picture(axes.bottom + 38, marks, title)


def small(some: list, x_words: str, title: str, at: float | None = None) -> str:
    """A small picture of one line, with a dotted line at a chosen place."""
    low, high = min(y for _, y in some), max(y for _, y in some)
    pad = 0.08 * (high - low) or 0.1 * high or 0.1
    axes = svg.Axes((0, 1), (low - pad, high + pad), bottom=130)
    marks = axes.frame(x_words, title)
    if at is not None:
        marks.append(svg.line(axes.x(at), axes.top, axes.x(at), axes.bottom, "zero"))
    places = [(axes.x(x), axes.y(y)) for x, y in some]
    return svg.picture(166, [*marks, svg.path(places, "s0"), svg.marks_of(places, 0)], title)


# ---- HTML ----

def prose(words: str) -> str:
    """Text with `commands`, as HTML.

    >>> prose("a < b: `make x`")
    'a &lt; b: <code>make x</code>'
    """
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(words, quote=False))


def html_table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.heads)
    body = "".join("<tr>" + "".join(f"<td>{prose(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def html_part(part) -> str:
    inside = html_table(part) if isinstance(part, Table) else part.drawing
    note = f"<p>{prose(part.note)}</p>" if part.note else ""
    command = f"<p><code>{escape(part.command)}</code></p>" if part.command else ""
    kind = "" if isinstance(part, Table) or part.wide else ' class="plot"'
    return f"<figure{kind}><figcaption><h3>{escape(part.title)}</h3></figcaption>{inside}{note}{command}</figure>"


def html_section(section: Section) -> str:
    verdicts = Table("", ["what", "verdict", "why, as far as it is known"], [list(row) for row in section.verdicts])
    misprints = Table("", ["as printed", "corrected"], [list(row) for row in section.misprints])
    parts = "".join(html_part(part) for part in section.parts)
    return (f'<section id="p{section.number}"><h2>{section.number} {escape(section.title)}</h2><p>{escape(section.source)}</p>'
            f"<h3>Verdicts</h3>{html_table(verdicts)}{parts}"
            + (f"<h3>Misprints</h3>{html_table(misprints)}" if section.misprints else "")
            + (f"<h3>What the paper has and this page has not</h3>{items(section.left_out)}" if section.left_out else "")
            + (f"<details><summary>The {len(section.commands)} commands behind these numbers</summary><p>DATA is the folder of the data sets. A line "
               "that is no command of gen is measured anew by <code>make papers PAPERS='--anew \"LINE\"'</code>.</p><ul class=\"commands\">"
               + "".join(f"<li><code>{escape(one)}</code></li>" for one in section.commands) + "</ul></details>" if section.commands else "")
            + "</section>")


def items(some: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{prose(words)}</li>" for words in some) + "</ul>"


STYLE = """
body { max-width: 1240px; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, sans-serif; }
section { display: block; } section figure.plot { display: inline-block; vertical-align: top; width: min(100%, 480px); margin-right: 2em; }
figure { margin: 1.5em 0; max-width: none; } figure svg { max-width: 560px; } .scroll { overflow-x: auto; max-height: none; }
figure td { white-space: nowrap; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: 2px 7px; text-align: left; }
th { border-bottom: 1px solid currentColor; } tr:nth-child(even) td { background: rgba(127, 127, 127, 0.1); }
code { font-size: 12px; overflow-wrap: anywhere; } p + ul { margin-top: 0; } .commands { font-size: 12px; padding-left: 1.5em; }
.several { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 0.5em 1em; max-width: 1200px; }
"""


def html(title: str, lead: list[str], sections: list[Section], style: str) -> str:
    first = "".join(f"<p>{prose(words)}</p>" for words in lead)
    contents = items([]) if not sections else "<ul>" + "".join(
        f'<li><a href="#p{one.number}">{one.number} {escape(one.title)}</a>: '
        + ", ".join(f"{escape(what)} {verdict}" for what, verdict, _ in one.verdicts) + "</li>" for one in sections) + "</ul>"
    body = "".join(html_section(section) for section in sections)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><title>{escape(title)}</title><style>{style}{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>'
            f"{first}{contents}{body}{differing_html(sections)}</body></html>\n")


DIFFERING = ("The standard error is that of the difference: ours and the paper's together. Where the paper has one division into folds or one draw of the "
             "samples, its standard error is the deviation between such divisions or draws; where it counts whole rows, at least one row.")


def differing_html(sections: list[Section]) -> str:
    found = [words for section in sections for words in section.differing] or ["none of those that were run"]
    return f'<h2 id="differing">Cells that differ by more than two standard errors</h2><p>{DIFFERING}</p>{items(found)}'


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
        if section.left_out:
            out += ["### What the paper has and this page has not", "", *(f"- {words}" for words in section.left_out), ""]
    out += ["## Cells that differ by more than two standard errors", "", DIFFERING, ""]
    out += [f"- {words}" for section in sections for words in section.differing] or ["- none of those that were run"]
    return "\n".join(out) + "\n"
