"""run.py DATA [--quick] [--minutes M] [--anew WORDS] [--results] -- every table and figure of the five papers, ours beside theirs: build/papers.html and
build/papers.md.

What is known stands in numbers.json beside this; a number is measured anew where its method trains otherwise now, and that comes
first. --quick runs what takes less than five minutes on two cores and shows of the rest what is known; --minutes begins no
number after so many; --anew measures those again whose commands have these words in them. --results writes the verdicts to README.md beside this, and where all is known leaves out numbers that nothing asks for."""
import os
import sys
import time

import cells
import page
import paper_000
import paper_001
import paper_002
import paper_003
import paper_004

PAPERS = (paper_000, paper_001, paper_002, paper_003, paper_004)


def lead(known: cells.Cells) -> list[str]:
    return ["Every table and figure of the five papers behind the library, ours beside the paper's. A figure after ± is a standard error, over random "
            "splits, folds or draws as each table says. A verdict is one of: reproduced, better, differs, run in part, not run. \"not run\" in a cell means that "
            "`make papers` has not measured it yet; the next run goes on there.",
            f"{known.ran + known.known} numbers are of the methods as they are now, {known.older} of an older version, "
            f"{known.not_run} were not run. All together they took {known.seconds / 60:.0f} minutes of processor time: about "
            f"{known.seconds / 120:.0f} minutes on two cores. `make papers QUICK=1`, which CI runs, measures those of the small sets and takes less than five minutes. "
            "Below each section stands the command behind each of its numbers; tests/papers/numbers.json has the numbers with their versions."]


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(path)


def put_results(path: str, sections: list[page.Section], made: str) -> None:
    """Puts the verdicts and the cells that differ between the marks of a Markdown file."""
    with open(path, encoding="utf-8") as file:
        before, _, rest = file.read().partition("<!-- results -->")
    after = rest.partition("<!-- /results -->")[2]
    out = ["<!-- results -->", "", made, ""]
    for section in sections:
        out += [f"**{section.number} {section.title}**", "", *page.md_verdicts(section)]
    out += ["Cells that differ from the paper's by more than two standard errors:", ""]
    out += [f"- {words}" for section in sections for words in section.differing] or ["- none of those that were run"]
    write(path, before + "\n".join([*out, "", "<!-- /results -->"]) + after)


def measured(known: cells.Cells) -> list[page.Section]:
    """All sections: at first only what is known, measured anew where it is of an older version, then what was never run."""
    for known.fresh in (False, True):
        known.begin()
        sections = []
        for paper in PAPERS:
            before = len(known.asked)
            sections.append(paper.section(known))
            sections[-1].commands = list(known.asked)[before:]
    return sections


def main(words: list[str]) -> int:
    minutes = float(words[words.index("--minutes") + 1]) if "--minutes" in words else float("inf")
    anew = words[words.index("--anew") + 1] if "--anew" in words else ""
    known = cells.Cells(words[0], "--quick" in words or bool(anew), until=time.monotonic() + 60 * minutes, anew=anew)
    os.chdir(cells.ROOT)
    sections = measured(known)
    with open(os.path.join(cells.ROOT, "gen", "report.css"), encoding="utf-8") as file:
        style = file.read()
    title, said = "The five papers", lead(known)
    build = os.path.join(cells.ROOT, "build")
    write(os.path.join(build, "papers.html"), page.html(title, said, sections, style))
    write(os.path.join(build, "papers.md"), page.markdown(title, said, sections))
    if "--results" in words:
        if known.not_run == 0:
            known.forget_others()
        put_results(os.path.join(cells.ROOT, "tests", "papers", "README.md"), sections, said[1])
    for section in sections:
        for what, verdict, why in section.verdicts:
            print(f"  {section.number} {what}: {verdict}{'; ' + why if why else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
