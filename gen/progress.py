"""progress.py -- long native calls: a bar on a terminal, both cores, and Ctrl-C that works."""
from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, wait

WIDTH = 40


def bar(share: float, note: str = "") -> str:
    """
    >>> bar(0.5, "3 of 6")
    '[####################                    ]  50 %  3 of 6'
    """
    full = round(WIDTH * min(max(share, 0.0), 1.0))
    return f"[{'#' * full}{' ' * (WIDTH - full)}] {100 * share:3.0f} %  {note}".rstrip()


class Bar:
    """Draws on standard error if that is a terminal, from a second after the start on; otherwise does nothing."""

    def __init__(self):
        self.active, self.shown, self.start = sys.stderr is not None and sys.stderr.isatty(), 0, time.monotonic()

    def draw(self, share: float, note: str = "") -> None:
        if self.active and time.monotonic() - self.start > 1.0:
            line = bar(share, note)[:100]
            sys.stderr.write("\r" + line + " " * (self.shown - len(line)))
            sys.stderr.flush()
            self.shown = len(line)

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()
            self.shown = 0


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(jobs: list, watch, stop, workers: int | None = None) -> list:
    """Runs functions in threads (native calls let go of the interpreter) and returns their results in order.

    `watch()` says how far they are, as (share, note); `stop()` asks native calls to end soon. The calling thread only
    waits and draws, so Ctrl-C is noticed at once; the first failure and an interruption end all jobs.

    >>> run([lambda: 1, lambda: 2], lambda: (0.0, ""), lambda: None)
    [1, 2]
    """
    drawing = Bar()
    with ThreadPoolExecutor(max_workers=min(len(jobs), workers or cores()) or 1) as pool:
        futures = [pool.submit(job) for job in jobs]
        try:
            pending = set(futures)
            while pending:
                done, pending = wait(pending, timeout=0.1, return_when="FIRST_COMPLETED")
                for future in done:
                    future.result()
                drawing.draw(*watch())
        except BaseException:
            for future in futures:
                future.cancel()
            stop()
            raise
        finally:
            drawing.clear()
    return [future.result() for future in futures]
