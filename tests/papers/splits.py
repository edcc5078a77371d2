"""splits.py FILE ROWS COUNT METHOD OPTION=VALUE... -- test errors over COUNT random splits of a file into ROWS training rows and the
rest, all in one process. Split k is drawn by Python's generator of seed k, so it is the same on every machine."""
import json
import os
import random
import sys
from array import array

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from gen import data, metrics, native, train  # noqa: E402


def parts(n: int, rows: int, seed: int) -> array:
    """0 for each row that is tested, 1 for each that is trained on.

    >>> sum(parts(10, 7, 1)), parts(10, 7, 1) == parts(10, 7, 2)
    (7, False)
    """
    chosen = set(random.Random(seed).sample(range(n), rows))
    return array("H", (int(i in chosen) for i in range(n)))


def errors(path: str, rows: int, count: int, method: str, chosen: dict) -> list[float]:
    problem = train.problem_of(data.read(path), None)
    jobs, watches = [], []
    for seed in range(1, count + 1):
        watches.append(native.Watch())
        jobs.append(train.fold_job(problem.rows, parts(problem.data.n, rows, seed), 0, native.Choice(method, chosen), watches[-1]))
    found = train.run_jobs(jobs, watches, "splits")
    for one in found:
        if isinstance(one, Exception):
            raise one
    return [metrics.error(one[3]) for one in found]


def main(words: list[str]) -> None:
    path, rows, count, method, *options = words
    pairs = (word.split("=") for word in options)
    chosen = {name: value if name == "kernel" else float(value) for name, value in pairs}
    print(json.dumps(errors(path, int(rows), int(count), method, chosen)))


if __name__ == "__main__":
    main(sys.argv[1:])
