"""dist.py -- what `make dist` writes: the library as each toolchain takes it, made of the tree and the version alone.

    python3 -m gen.dist FOLDER

    margin-VERSION.zip              library for the Arduino IDE (Sketch, Include Library, Add .ZIP Library)
    margin-platformio-VERSION.tar.gz, margin-esp-idf-VERSION.tar.gz, margin-zephyr-VERSION.tar.gz, margin-cmake-VERSION.tar.gz
    margin.margin.VERSION.pack      CMSIS-Pack, with its description margin.margin.pdsc
    margin_gen-VERSION...           wheel and source archive for pip
    margin.pc                       for pkg-config, beside an include folder two levels up
    margin_single.h                 both headers in one
    SHA256SUMS

The same tree gives the same bytes: entries are sorted, dates and owners are fixed, nothing of the machine goes in.

TO PUBLISH  The address of the project and of its maintainers is a placeholder that no registry takes (.example, RFC 2606). It is
in four files of the root, which one command sets:

    python3 -m gen.dist --address https://github.com/NAME/margin you@your.host

Then, of version 1.2.3 (margin.h has it): commit, `git tag 1.2.3`, `make dist`, and
    Arduino     a request at github.com/arduino/library-registry names the repository; it finds tags by itself
    PlatformIO  pio pkg publish build/dist/margin-platformio-1.2.3.tar.gz
    ESP-IDF     compote component upload --name margin
    Zephyr      a project entry in the west.yml of those who use it: url and revision of the repository
    CMSIS-Pack  margin.margin.pdsc and the .pack go to the address, whose <url> they name
    pip         twine upload build/dist/margin_gen-*
"""
from __future__ import annotations

import hashlib
import io
import re
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

from . import wheel
from .wheel import ROOT, tar_bytes, version

HEADERS = ("margin.h", "margin_impl.h")
PAPERS = ("LICENSE", "README.md", "CHANGELOG.md")


def read(path: str) -> bytes:
    return (ROOT / path).read_bytes()


def properties() -> dict[str, str]:
    """library.properties, where name, sentence and address of the library stand; all other files repeat them."""
    lines = read("library.properties").decode("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def files(*names: str) -> dict[str, bytes]:
    """Files of the tree by their paths; of a folder all that git keeps there."""
    found = {}
    for name in names:
        path = ROOT / name
        inside = sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts) if path.is_dir() else [path]
        found.update({p.relative_to(ROOT).as_posix(): p.read_bytes() for p in inside})
    return found


# ---- archives ----

def zip_bytes(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(entries):
            wheel.add(archive, path, entries[path])
    return out.getvalue()


# ---- one file each ----

def single() -> bytes:
    """Both headers in one. The implementation takes the place of the line that includes it."""
    outer, inner = (read(name).decode("utf-8") for name in HEADERS)
    line = '#include "margin_impl.h"\n'
    if outer.count(line) != 1:
        raise ValueError("margin.h does not include margin_impl.h in exactly one line")
    note = ("/* margin_single.h -- margin.h and margin_impl.h in one file, written by `make dist`: do not edit. Include it where\n"
            " * their texts say margin.h; headers of exported models see that it is there. */\n")
    return (note + outer.replace(line, inner.rstrip() + "\n")).encode("utf-8")


def keywords() -> bytes:
    """keywords.txt of the Arduino IDE: types, functions and constants of margin.h, one tab between word and colour."""
    text = re.sub(r"/\*.*?\*/", "", read("margin.h").decode("utf-8"), flags=re.S)
    functions = set(re.findall(r"^(?:MARGIN_API[^;(]*?\b|    X\()(margin_\w+)[(,]", text, re.M))
    types = set(re.findall(r"^(?:typedef .*|\} )\b(margin_\w+);", text, re.M))
    constants = set(re.findall(r"^    (MARGIN_\w+) =|^    X\((MARGIN_\w+),", text, re.M))
    words = [(name, "KEYWORD1") for name in sorted(types)] + [(name, "KEYWORD2") for name in sorted(functions)]
    words += [(name, "LITERAL1") for name in sorted(filter(None, sum(constants, ())))]
    return "".join(f"{name}\t{kind}\n" for name, kind in words).encode("ascii")


def pkg_config() -> bytes:
    of = properties()
    return (f"prefix=${{pcfiledir}}/../..\nincludedir=${{prefix}}/include\n\nName: {of['name']}\nDescription: {of['sentence']}\n"
            f"URL: {of['url']}\nVersion: {version()}\nCflags: -I${{includedir}} -ffp-contract=off\n").encode("ascii")


# ---- CMSIS-Pack ----

VENDOR = "margin"
PACK_FILES = (("header", "margin.h", ""), ("header", "margin_impl.h", ""), ("source", "zephyr/margin.c", ""),
              ("doc", "README.md", ""))


def pdsc() -> bytes:
    """The description of the pack. Its one component compiles the implementation, for devices that only predict."""
    of = properties()
    listed = "".join(f'        <file category="{kind}" name="{name.replace("zephyr/", "source/")}"{more}/>\n'
                     for kind, name, more in PACK_FILES)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<package schemaVersion="1.7.7" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance" xs:noNamespaceSchemaLocation="PACK.xsd">
  <vendor>{VENDOR}</vendor>
  <name>{of['name']}</name>
  <description>{escape(of['sentence'])}</description>
  <url>{escape(of['url'])}</url>
  <license>LICENSE</license>
  <releases>
    <release version="{version()}">See CHANGELOG.md.</release>
  </releases>
  <keywords>
    <keyword>classifier</keyword>
    <keyword>machine learning</keyword>
  </keywords>
  <components>
    <component Cvendor="{VENDOR}" Cclass="Machine Learning" Cgroup="Classifier" Csub="margin" Cversion="{version()}">
      <description>Predictors and trainers of large-margin classifiers</description>
      <RTE_Components_h>
        #define RTE_ML_MARGIN /* large-margin classifiers */
      </RTE_Components_h>
      <files>
{listed}      </files>
    </component>
  </components>
</package>
""".encode("ascii")


def pack() -> dict[str, bytes]:
    entries = {name.replace("zephyr/", "source/"): read(name) for _, name, _ in PACK_FILES}
    return {**entries, **files("LICENSE", "CHANGELOG.md"), pack_name(".pdsc"): pdsc()}


def pack_name(ending: str) -> str:
    return f"{VENDOR}.{properties()['name']}{ending}"


# ---- all of it ----

def arduino() -> dict[str, bytes]:
    """Flat, as the tree is: the IDE compiles sources beside the header only, and there are none."""
    entries = {**files(*HEADERS, *PAPERS, "library.properties"), "keywords.txt": keywords()}
    for sketch in sorted((ROOT / "examples").glob("*/*.ino")):
        entries.update(files(sketch.parent.relative_to(ROOT).as_posix()))
    return {f"margin/{path}": content for path, content in entries.items()}


def products(folder: Path) -> None:
    """Writes everything; SHA256SUMS last."""
    v, common = version(), files(*HEADERS, *PAPERS)
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        f"margin-{v}.zip": zip_bytes(arduino()),
        f"margin-platformio-{v}.tar.gz": tar_bytes({**common, **files("library.json"), **examples()}, "margin"),
        f"margin-esp-idf-{v}.tar.gz": tar_bytes({**common, **files("idf_component.yml", "CMakeLists.txt")}, "margin"),
        f"margin-zephyr-{v}.tar.gz": tar_bytes({**common, **files("zephyr")}, "margin"),
        f"margin-cmake-{v}.tar.gz": tar_bytes({**common, **files("CMakeLists.txt")}, f"margin-{v}"),
        pack_name(f".{v}.pack"): zip_bytes(pack()),
        pack_name(".pdsc"): pdsc(), "margin.pc": pkg_config(), "margin_single.h": single()}
    for name, content in made.items():
        (folder / name).write_bytes(content)
    names = [*made, wheel.build_wheel(folder), wheel.build_sdist(folder)]
    sums = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(names))
    (folder / "SHA256SUMS").write_text(sums, encoding="ascii")


def examples() -> dict[str, bytes]:
    """Examples that are one program: those with a main, and the sketches."""
    return {path: content for path, content in files("examples").items() if path.endswith((".c", ".h", ".ino", ".md", ".txt"))}


ADDRESSED = ("library.properties", "library.json", "idf_component.yml", "CMakeLists.txt")


def set_address(url: str, mail: str) -> list[str]:
    """Puts an address in the place of that in library.properties, in all files of the root that have it; their names."""
    of, changed = properties(), []
    if not re.fullmatch(r"https://[\w.-]+(/[\w./~-]*)?", url) or not re.fullmatch(r"[\w.+-]+@[\w.-]+", mail):
        raise ValueError("wanted: https://... and name@host")
    before = of["url"], re.search(r"<(.*)>", of["maintainer"])[1]
    for name in ADDRESSED:
        text = read(name).decode("utf-8")
        new = text.replace(before[0], url).replace(before[1], mail)
        if new != text:
            (ROOT / name).write_text(new, encoding="utf-8")
            changed.append(name)
    return changed


def main(arguments: list[str]) -> int:
    if len(arguments) == 3 and arguments[0] == "--address":
        try:
            print("set in", ", ".join(set_address(*arguments[1:])))
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python3 -m gen.dist FOLDER | --address URL MAIL", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    products(folder)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:9}  {path}")
    if ".example" in properties()["url"]:
        print("note: the address is a placeholder: python3 -m gen.dist --address URL MAIL sets it, before anything of this is published")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
