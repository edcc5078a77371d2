"""pictures.py [FOLDER] -- the pictures of the examples, EXAMPLE/picture.svg, and of methods without an example, gen/methods/METHOD.svg,
drawn by the code of gen report from models that gen trains: one for each idea. The same bits everywhere, so the same picture:
tests/gen/test_pictures.py compares them."""
from __future__ import annotations

import math
import random
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "02_demo")]

import motor  # noqa: E402
from gen import data, figures, measure, methods, model, train  # noqa: E402

STYLES = (r"(?m)^(?::root \{.*?^\}|@media \(prefers-color-scheme: dark\) \{.*?^\}|svg [^\n]*|"
          r"\.(?:axis|grid|zero|soft|tint|border|point|f0|s0|thin|thick)[ ,][^\n]*)$")


def alone(drawing: str) -> str:
    """A figure as a file: with the rules of report.css that it needs, on its own ground."""
    css = (HERE.parent / "gen" / "report.css").read_text("utf-8")
    rules = re.findall(STYLES, css, re.S | re.M)
    style = "\n".join(["<style>", *rules, "svg { font-family: system-ui, sans-serif; background: var(--paper); }", "</style>"])
    left, top, width, height = -10.0, -8.0, *map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing).groups())
    box = f'viewBox="{left:g} {top:g} {width + 20:g} {height + 16:g}" width="{2 * (width + 20):g}"'
    drawing = re.sub(r'viewBox="[^"]*"', box, drawing, count=1)
    return drawing.replace("</title>", f"</title>{style}", 1) + "\n"


def trained(rows: list, labels: list[str], names: list[str], method: str, chosen: dict):
    """The model that gen train makes, and what it answers to its own rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        lines = [",".join([*names, "label"]), *(",".join([*map(repr, row), label]) for row, label in zip(rows, labels))]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        read = data.read(str(path))
    problem = train.problem_of(read, None, methods.METHODS[method].targets, normal="good")
    fitted = train.fit(problem, method, chosen)
    found = model.make(fitted.machine, {"labels": problem.names, "names": names, **model.sample_notes(problem.rows)})
    if methods.METHODS[method].targets == "numbers":
        return found, measure.values_of(found, problem.rows, problem.targets, "data.csv"), fitted.report.told
    return found, measure.answers(found, problem.rows, problem.y, "data.csv"), fitted.report.told


def regions(rows, labels, names, method, chosen, strong) -> str:
    found, answers, _ = trained(rows, labels, names, method, chosen)
    return figures.regions(measure.plane(found, answers, (0, 1), names), found.labels, strong)


def first_svm() -> str:
    """Two crescents, an rbf kernel; the deeper tint is beyond the margin."""
    rng, rows, labels = random.Random(1), [], []
    for i in range(160):
        t, up = math.pi * rng.random(), i % 2
        place = (math.cos(t), math.sin(t)) if up else (1 - math.cos(t), 0.45 - math.sin(t))
        rows.append([round(v + rng.gauss(0, 0.13), 3) for v in place])
        labels.append("good" if up else "bad")
    return regions(rows, labels, ["pressure", "flow"], "svm", {"kernel": "rbf", "gamma": 1.0, "C": 10.0}, 1.0)


def demo() -> str:
    """The motor of the demo: distribution of margins."""
    rng = random.Random(1)
    windows = [motor.window(rng) for _ in range(600)]
    found, answers, _ = trained([raw for raw, _ in windows[:400]], [state for _, state in windows[:400]],
                                ["vibration", "temperature", "current", "speed"], "svm", {"kernel": "rbf", "C": 10.0})
    test = measure.rows_from(measure.array("d", [float(v) for raw, _ in windows[400:] for v in raw]), 4,
                             measure.array("H", [found.labels.index(state) for _, state in windows[400:]]), 2)
    shown = measure.answers(found, test, measure.array("H", test.y[:200]), "test.csv")
    drawing = figures.margins([("test", shown.signed()), ("training", answers.signed())])[0]
    return re.sub(r'<g id="reject-line".*?</g>|<rect[^>]*class="band"[^>]*/>| id="margins"', "", drawing)


def wear_stages() -> str:
    """Classes in order: one score, thresholds between the stages."""
    rng, stages = random.Random(2), ["1 new", "2 used", "3 worn", "4 spent"]
    rows = [[round(rng.gauss(0.9 * k, 0.6), 3), round(rng.gauss(0.5 * k, 0.7), 3), round(rng.gauss(0, 1), 3)]
            for k in range(4) for _ in range(60)]
    labels = [str(k + 1) for k in range(4) for _ in range(60)]
    found, answers, _ = trained(rows, labels, ["noise", "heat", "age"], "omam", {})
    bias = found.machine.array("bias")
    return figures.thresholds(list(answers.scores), list(answers.y), [bias[0] - b for b in bias], stages)


def alarm_rates() -> str:
    """Error rates given in advance: what can be had, what was asked for, what came of it."""
    rng = random.Random(3)
    rows = [[round(rng.gauss(2.6 * k, 1), 3), round(rng.gauss(1.2 * k, 0.8), 3)] for k in (0, 1) * 150]
    asked = {"eta-pos": 0.3, "eta-neg": 0.5}
    found, answers, told = trained(rows, ["quiet", "alarm"] * 150, ["hum", "heat"], "rates", asked)
    met = [measure.metrics.class_error(answers.table, c) for c in (1, 0)]
    return figures.rates_frontier([tuple(p) for p in told["frontier"]], (asked["eta-pos"], asked["eta-neg"]), [("training rows", *met)])


def strips_cuts() -> str:
    """A list of cuts peels strips off."""
    rng = random.Random(4)
    rows = [[round(rng.uniform(-1, 1), 3), round(rng.uniform(-1, 1), 3)] for _ in range(300)]
    labels = ["good" if abs(a + 0.4 * b) < 0.45 else "bad" for a, b in rows]
    return regions(rows, labels, ["torque", "angle"], "seco", {"kernel": "linear", "cheap": True, "greedy": True, "min-left": 8}, 0.5)


def playground() -> str:
    """Prototypes with tangents bend round a class."""
    rng, rows, labels = random.Random(5), [], []
    for i in range(180):
        t = math.pi * (0.05 + 0.9 * rng.random())
        arc = i % 3 < 2
        place = ((0.75 * math.cos(t), 0.05), (0.85 * math.sin(t) - 0.45, 0.05)) if arc else ((0, 0.22), (-0.35, 0.1))
        rows.append([round(rng.gauss(*part), 3) for part in place])
        labels.append("arc" if arc else "core")
    return regions(rows, labels, ["x", "y"], "tvq", {"models": 3, "tangents": 1, "start": "clusters"}, 0.5)


def clouds(seed: int, count: int) -> tuple[list, list[str]]:
    """Two round clouds of parts."""
    rng, rows, labels = random.Random(seed), [], []
    for i in range(count):
        rows.append([round(rng.gauss(1.5 * (i % 2), 0.6), 3), round(rng.gauss(1.0 * (i % 2), 0.6), 3)])
        labels.append("good" if i % 2 else "bad")
    return rows, labels


def mam() -> str:
    """Levels of the average margin; beyond the deeper tint it is as large as it gets."""
    return regions(*clouds(6, 120), ["pressure", "flow"], "mam", {"kernel": "rbf", "gamma": 1.0}, 0.3)


def nn() -> str:
    """The nearest row decides: each has a cell of its own."""
    return regions(*clouds(7, 60), ["pressure", "flow"], "nn", {}, 1e9)


def compact() -> str:
    """A ring told from its middle by four learned vectors."""
    rng, rows, labels = random.Random(8), [], []
    for i in range(200):
        t, r = 2 * math.pi * rng.random(), rng.gauss(1.0, 0.12) if i % 2 else 0.55 * rng.random() ** 0.5
        rows.append([round(r * math.cos(t), 3), round(r * math.sin(t), 3)])
        labels.append("rim" if i % 2 else "middle")
    return regions(rows, labels, ["x", "y"], "compact", {"kernel": "rbf", "vectors": 4}, 1.0)


def oneclass() -> str:
    """Scores of normal rows and of faults that training never saw."""
    rng = random.Random(9)
    rows = [[round(rng.gauss(0, 1), 3), round(rng.gauss(0, 1), 3)] if i < 300 else
            [round(rng.gauss(3.2, 0.8), 3), round(rng.gauss(-2.5, 0.8), 3)] for i in range(400)]
    found, answers, _ = trained(rows, ["good"] * 300 + ["fault"] * 100, ["hum", "heat"], "oneclass", {"kernel": "rbf", "gamma": 0.1})
    parts = [(name, [s for s, c in zip(answers.scores, answers.y) if c == i]) for i, name in enumerate(found.labels)]
    return figures.alarms([part for part in reversed(parts) if part[1]])


def svr() -> str:
    """A curve through noisy numbers, and the interval that holds nine of ten of them."""
    rng = random.Random(10)
    rows = [[round(rng.uniform(-3, 3), 3)] for _ in range(160)]
    targets = [f"{20 + 4 * math.sin(1.3 * x) + x + rng.gauss(0, 0.9):.3f}" for x, in rows]
    found, values, told = trained(rows, targets, ["load"], "svr", {"kernel": "rbf", "gamma": 0.7, "C": 10.0, "outside": 0.1})
    return figures.value_line(measure.plane(found, values, (0,), ["load"]), told.get("half_width"))


PICTURES = {"01_first_svm": first_svm, "02_demo": demo, "03_wear_stages": wear_stages, "04_alarm_rates": alarm_rates,
            "05_strips_cuts": strips_cuts, "playground": playground}
METHODS = {"mam": mam, "nn": nn, "compact": compact, "oneclass": oneclass, "svr": svr}


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent
    files = {f"examples/{name}/picture.svg": draw for name, draw in PICTURES.items()}
    files |= {f"gen/methods/{name}.svg": draw for name, draw in METHODS.items()}
    for name, draw in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(alone(draw()), "utf-8")


if __name__ == "__main__":
    main()
