"""progress.py -- long native calls: a bar on a terminal, both cores, and Ctrl-C that works."""
from __future__ import annotations

import contextlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, wait

from . import interrupt, output

WIDTH = 40


def bar(share: float, note: str = "") -> str:
    """
    >>> bar(0.5, "3 of 6")
    '[####################                    ]  50 %  3 of 6'
    """
    full = round(WIDTH * min(max(share, 0.0), 1.0))
    return f"[{'#' * full}{' ' * (WIDTH - full)}] {100 * share:3.0f} %  {note}".rstrip()


def time_left(spent: float, share: float) -> str:
    """How much longer, if it goes on as before; nothing before there is something to go by.

    >>> time_left(10, 0.25), time_left(10, 0.001), time_left(3000, 0.5)
    (', 30 s left', '', ', 50 min left')
    """
    if share < 0.01 or spent < 1:
        return ""
    left = spent * (1 - min(share, 1.0)) / share
    return f", {left:.0f} s left" if left < 600 else f", {left / 60:.0f} min left"


LOG = 30.0  # seconds between two lines in a log


class Bar:
    """Draws on standard error, from a second after the start on, if that is a terminal; otherwise says a plain line every half
    minute. With --quiet it does nothing."""

    def __init__(self):
        self.active, self.shown, self.start = not output.QUIET and sys.stderr is not None and sys.stderr.isatty(), 0, time.monotonic()
        self.last = self.start

    def draw(self, share: float, note: str = "") -> None:
        now = time.monotonic()
        note += time_left(now - self.start, share)
        if self.active and now - self.start > 1.0:
            line = bar(share, note)[:100]
            sys.stderr.write("\r" + line + " " * (self.shown - len(line)))
            sys.stderr.flush()
            self.shown = len(line)
        elif not self.active and now - self.last > LOG:
            self.last = now
            output.say(f"{100 * share:3.0f} %  {note}")

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()
            self.shown = 0


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def started(jobs: list, stop, workers: int):
    """The futures of functions that run in threads (native calls let go of the interpreter). An exception ends them all:
    `stop()` asks native calls to end soon."""
    with ThreadPoolExecutor(max_workers=min(len(jobs), workers) or 1) as pool:
        futures = []
        try:
            with interrupt.held():  # a signal while a thread starts would leave one that nobody knows to wait for
                futures += [pool.submit(job) for job in jobs]
            yield futures
        except BaseException:
            for future in futures:
                future.cancel()
            stop()
            raise


def run(jobs: list, watch, stop, workers: int | None = None) -> list:
    """Runs functions in threads and returns their results in order.

    `watch()` says how far they are, as (share, note); `stop()` is that of `started`. The calling thread only waits and
    draws, so Ctrl-C is noticed at once; the first failure and an interruption end all jobs.

    >>> run([lambda: 1, lambda: 2], lambda: (0.0, ""), lambda: None)
    [1, 2]
    """
    drawing = Bar()
    try:
        with started(jobs, stop, workers or cores()) as futures:
            pending = set(futures)
            while pending:
                done, pending = wait(pending, timeout=0.1, return_when="FIRST_COMPLETED")
                for future in done:
                    future.result()
                drawing.draw(*watch())
    finally:
        drawing.clear()
    return [future.result() for future in futures]
