"""build.py OUT.html -- the playground as one file: gen/native.c as WebAssembly, twice, the modules of gen that write a
header as JavaScript, and the page itself."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(HERE)]

from gen import cost, methods, page as html_page, wasm  # noqa: E402
from gen.errors import Failure, Usage  # noqa: E402
import translate  # noqa: E402

FLAGS = ("-Wl,-z,stack-size=1048576", f"-I{HERE / 'libc'}", f"-I{ROOT / 'gen'}", f"-I{ROOT}")


def module(*flags: str) -> bytes:
    """playground.c as WebAssembly."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "page.wasm")
        subprocess.run(["clang", *wasm.FLAGS, *FLAGS, *flags, str(HERE / "playground.c"), "-o", out], check=True)
        return Path(out).read_bytes()


def source(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def is_plain(value) -> bool:
    """Whether JSON can say it."""
    return isinstance(value, (str, int, float, bool)) or isinstance(value, (list, tuple)) and all(map(is_plain, value))


def is_whole(option) -> bool:
    """Whether the values of an option are whole numbers."""
    for text in ("0.5", "1.5", "2.5"):
        try:
            return isinstance(option.parse(text), int)
        except Usage as error:
            if "whole" in str(error):
                return True
    return False


def facts() -> dict:
    """What the engine must know about methods and options: words that stand for numbers, and which options are whose."""
    words = {name: list(option.parse.words) for name, option in methods.OPTIONS.items() if getattr(option.parse, "words", None)}
    known = {}
    for name, entry in methods.METHODS.items():
        plain = {key: value for key, value in vars(entry).items() if isinstance(value, (str, list, tuple)) and is_plain(value)}
        known[name] = {**plain, "options": [option for option in methods.OPTIONS if entry.takes(option)]}
    whole = [name for name, option in methods.OPTIONS.items() if name not in words and not option.flag and is_whole(option)]
    flags = [name for name, option in methods.OPTIONS.items() if option.flag]
    return {"words": words, "methods": known, "whole": whole, "flags": flags, "targets": cost.targets()}


METHODS = """M.own.METHODS = new Map(Object.entries(FACTS.methods).map(([name, entry]) =>
  [name, { ...entry, takes: (option) => entry.options.includes(option) }]));
const asMap = (v) => v && typeof v === "object" && !Array.isArray(v) ? new Map(Object.entries(v).map(([k, x]) => [k, asMap(x)])) : v;
M.own.targets = () => asMap(FACTS.targets);
"""


def engine() -> str:
    """All that trains and writes, without the page: FACTS must be there before it."""
    return "\n".join([source("python.js"), METHODS, source("engine.js"), translate.translate(ROOT / "gen")])


def page() -> str:
    data = {**facts(), "double": html_page.packed(module("-DMARGIN_REAL_DOUBLE")), "float": html_page.packed(module())}
    script = "const FACTS = JSON.parse(document.getElementById('facts').textContent);\n" + engine() + source("playground.js")
    style = (ROOT / "gen" / "report.css").read_text("utf-8") + source("playground.css")
    return html_page.html("margin playground", style, source("playground.html"), data, script.replace("</script", "<\\/script"))


def main() -> int:
    lacking = wasm.missing()
    if lacking:
        print(f"no {' and no '.join(lacking)}: {wasm.HOW}", file=sys.stderr)
        return 1
    try:
        text = page()
    except (translate.Refused, Failure, subprocess.CalledProcessError) as error:
        print(f"playground: {error}", file=sys.stderr)
        return 1
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, "utf-8")
    print(f"{out}: {len(text.encode('utf-8')) // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
