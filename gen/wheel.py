"""wheel.py -- packs gen for pip (PEP 517 and 660): the package margin_gen with both headers, the command margin-gen."""
from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = "Trains large-margin classifiers and writes them as C for microcontrollers"


def version() -> str:
    """The version of margin.h."""
    text = (ROOT / "margin.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define MARGIN_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def stem() -> str:
    return f"margin_gen-{version()}"


def metadata() -> dict[str, bytes]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    core = (f"Metadata-Version: 2.1\nName: margin-gen\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: MIT\n"
            f"Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n{readme}")
    return {"METADATA": core.encode(),
            "WHEEL": b"Wheel-Version: 1.0\nGenerator: margin\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "entry_points.txt": b"[console_scripts]\nmargin-gen = margin_gen.cli:main\n",
            "LICENSE": (ROOT / "LICENSE").read_bytes()}


def package() -> dict[str, bytes]:
    """The files of the package. In it the headers lie in include/, where build.py looks first."""
    files = {f"margin_gen/{path.name}": path.read_bytes()
             for path in sorted((ROOT / "gen").iterdir()) if path.suffix in (".py", ".c") and path.name != "wheel.py"}
    for name in ("margin.h", "margin_impl.h"):
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
    name = f"{stem()}.tar.gz"
    paths = [ROOT / part for part in ("LICENSE", "README.md", "pyproject.toml", "margin.h", "margin_impl.h")]
    paths += sorted(path for path in (ROOT / "gen").iterdir() if path.suffix in (".py", ".c"))
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for path in paths:
            entry = tarfile.TarInfo(f"{stem()}/{path.relative_to(ROOT).as_posix()}")
            entry.size = path.stat().st_size
            archive.addfile(entry, io.BytesIO(path.read_bytes()))
    return name
