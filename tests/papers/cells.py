"""cells.py -- the numbers behind the page, each by one command of gen, kept under build/papers so that a stopped run goes on."""
import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from gen import cli  # noqa: E402

FOLDER = os.path.join(ROOT, "build", "papers")


def commit() -> str:
    """The version of the tree that a number comes from."""
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return found.stdout.strip() or "unknown"


class Absent(Exception):
    """Why a number is not there, in words."""


class Cells:
    """Runs what is not known yet. With `quick` only what is marked so is run; all else must be known already."""

    def __init__(self, data: str, quick: bool, folder: str = FOLDER):
        self.data, self.quick, self.version = os.path.abspath(data), quick, commit()
        self.folder, self.ran, self.known, self.not_run = folder, 0, 0, 0
        os.makedirs(folder, exist_ok=True)

    def file(self, *names: str) -> str:
        """A data file, packed or not; Absent where it is missing."""
        for ending in ("", ".gz"):
            path = os.path.join(self.data, *names) + ending
            if os.path.exists(path):
                return path
        raise Absent(f"no {'/'.join(names)} among the data sets")

    def shown(self, words) -> str:
        """A command as a reader would type it."""
        return "python3 -m gen " + " ".join(str(word).replace(self.data + os.sep, "DATA/").replace(FOLDER + os.sep, "build/papers/")
                                            for word in words)

    def gen(self, *words, quick: bool = False) -> dict:
        """The JSON of a command of gen."""
        return self.known_or(self.shown(words), lambda: run(words), quick)

    def known_or(self, key: str, work, quick: bool) -> dict:
        """What is kept under a key, or else the result of work(), which is kept then."""
        path = os.path.join(self.folder, hashlib.sha1(key.encode()).hexdigest()[:16] + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known += 1
                return json.load(file)["result"]
        if self.quick and not quick:
            self.not_run += 1
            raise Absent("not run: `make papers` without QUICK does")
        start = time.process_time()
        result = work()
        whole = {"key": key, "commit": self.version, "cpu_seconds": time.process_time() - start, "result": result}
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(whole, file)
        os.replace(path + ".part", path)
        self.ran += 1
        print(f"  {whole['cpu_seconds']:7.1f} s  {key}", file=sys.stderr, flush=True)
        return result


def run(words) -> dict:
    """A command of gen, in this process."""
    said, out = io.StringIO(), os.path.join(FOLDER, f"out-{os.getpid()}.json")
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        code = cli.main([*map(str, words), "--json", out])
    if code != 0 and not os.path.exists(out):
        raise Absent(said.getvalue().strip().splitlines()[-1] if said.getvalue().strip() else f"exit code {code}")
    with open(out, encoding="utf-8") as file:
        found = json.load(file)
    os.unlink(out)
    return found
