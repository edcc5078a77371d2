"""wheel.py -- packs gen for pip (PEP 517 and 660): the package margin_gen with both headers, the command margin-gen."""
from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".py", ".c", ".css", ".js")  # of the files that make up the package
SUMMARY = "Trains large-margin classifiers and writes them as C for microcontrollers"
KEYWORDS = "classifier, svm, machine learning, tinyml, embedded, microcontroller, C"
CLASSIFIERS = ("Development Status :: 4 - Beta", "Environment :: Console", "Intended Audience :: Developers",
               "Intended Audience :: Science/Research", "License :: OSI Approved :: MIT License",
               "Operating System :: POSIX", "Programming Language :: C", "Programming Language :: Python :: 3",
               "Programming Language :: Python :: 3 :: Only", "Topic :: Scientific/Engineering :: Artificial Intelligence",
               "Topic :: Software Development :: Embedded Systems")
# What the package has of the library: the headers, and what projects need that gen writes around a model.
LIBRARY = ("margin.h", "margin_impl.h", "CMakeLists.txt", "idf_component.yml", "library.json", "zephyr/CMakeLists.txt",
           "zephyr/Kconfig", "zephyr/margin.c", "zephyr/module.yml")
# What the package leaves out: it packs the others.
NOT_PACKED = ("wheel.py", "dist.py")


def version() -> str:
    """The version of margin.h."""
    text = (ROOT / "margin.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define MARGIN_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def stem() -> str:
    return f"margin_gen-{version()}"


def home() -> tuple[str, str, str]:
    """Address, author and e-mail, which stand in library.properties."""
    of = dict(line.split("=", 1) for line in (ROOT / "library.properties").read_text(encoding="utf-8").splitlines())
    name, mail = re.fullmatch(r"(.*) <(.*)>", of["maintainer"]).groups()
    return of["url"], name, mail


def core_metadata() -> bytes:
    """METADATA of a wheel and PKG-INFO of a source archive (version 2.1)."""
    url, author, mail = home()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = ["Metadata-Version: 2.1", "Name: margin-gen", f"Version: {version()}", f"Summary: {SUMMARY}",
             f"Home-page: {url}", f"Author-email: {author} <{mail}>", "License: MIT", f"Keywords: {KEYWORDS}",
             *(f"Project-URL: {word}, {url}" for word in ("Documentation", "Source", "Changelog")),
             *(f"Classifier: {word}" for word in CLASSIFIERS), "Requires-Python: >=3.9",
             "Description-Content-Type: text/markdown", "License-File: LICENSE"]
    return ("\n".join(lines) + f"\n\n{readme}").encode()


def metadata() -> dict[str, bytes]:
    return {"METADATA": core_metadata(),
            "WHEEL": b"Wheel-Version: 1.0\nGenerator: margin\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "entry_points.txt": b"[console_scripts]\nmargin-gen = margin_gen.cli:main\n",
            "LICENSE": (ROOT / "LICENSE").read_bytes()}


def package() -> dict[str, bytes]:
    """The files of the package. In it the headers lie in include/, where build.py looks first."""
    files = {f"margin_gen/{path.name}": path.read_bytes()
             for path in sorted((ROOT / "gen").iterdir()) if path.suffix in SUFFIXES and path.name not in NOT_PACKED}
    for name in LIBRARY:
        files[f"margin_gen/include/{name}"] = (ROOT / name).read_bytes()
    return files


def write_wheel(folder: str, files: dict[str, bytes]) -> str:
    """The same files give the same bytes: fixed dates, fixed order."""
    info = f"{stem()}.dist-info"
    files = {**files, **{f"{info}/{name}": content for name, content in metadata().items()}}
    record = []
    name = f"{stem()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")
            add(wheel, path, content)
        add(wheel, f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]).encode())
    return name


def add(wheel: zipfile.ZipFile, path: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
    wheel.writestr(entry, content)


# ---- what pip calls ----

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, package())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A package whose modules are found in the working tree."""
    init = f"__path__ = [{str(ROOT / 'gen')!r}]\n"
    return write_wheel(wheel_directory, {"margin_gen/__init__.py": init.encode()})


def build_sdist(sdist_directory, config_settings=None):
    """The sources that build the same wheel, in the same bytes each time: fixed dates, owners and order."""
    name = f"{stem()}.tar.gz"
    paths = [ROOT / part for part in ("LICENSE", "README.md", "library.properties", "pyproject.toml", *LIBRARY)]
    paths += sorted(path for path in (ROOT / "gen").iterdir() if path.suffix in SUFFIXES)
    entries = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    entries["PKG-INFO"] = core_metadata()
    (Path(sdist_directory) / name).write_bytes(tar_bytes(entries, stem()))
    return name


def tar_bytes(entries: dict[str, bytes], folder: str) -> bytes:
    """A .tar.gz with all entries in one folder."""
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(entries):
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mode = len(entries[path]), 0o644
            archive.addfile(entry, io.BytesIO(entries[path]))
    return out.getvalue()
