"""workers.py -- where trials run: on the threads of this machine, or on a cluster of Dask's workers. The results are the same
to the bit: a trial depends on nothing but its ground and itself."""
from __future__ import annotations

import functools
import threading
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, wait

from . import native, progress, trial
from .errors import Failure, Usage

TICK = 0.1  # seconds between two looks at the clock
ROUNDS = 5  # how often what a cluster loses is sent again


class Stopped(Exception):
    """The search ends here: by the clock or by Ctrl-C."""


class Threads:
    """This machine. Native calls let go of the interpreter, so threads keep all cores busy."""

    def __init__(self, count: int | None = None):
        self.count = count or progress.cores()

    def run(self, ground: trial.Ground, trials: list, arrived, look) -> None:
        """Calls arrived(trial, result) for each trial as it ends, in this thread, and look() ten times a second. An exception
        of either ends all trials and goes on to the caller."""
        native.training(), native.device()  # compiled, if need be, before many threads ask for it
        watches = {one: native.Watch() for one in trials}
        ready = threading.Lock()

        def job(one):
            with ready:  # folds are made once, not by all threads at the same time
                ground.prepare(one)
            return trial.run(ground, one, watches[one])

        def stop():
            for watch in watches.values():
                watch.stop = 1

        with progress.started([functools.partial(job, one) for one in trials], stop, self.count) as started:
            futures = dict(zip(started, trials))
            pending = set(futures)
            while pending:
                done, pending = wait(pending, TICK, FIRST_COMPLETED)
                for future in done:
                    if future.result() is not None:
                        arrived(futures[future], future.result())
                look()


class Dask:
    """A cluster: dask://HOST:PORT of its scheduler. Its workers need this package (pip install, or PYTHONPATH) and a C
    compiler. A worker that dies has its trials run by another one."""

    def __init__(self, address: str):
        try:
            import distributed
        except ImportError:
            raise Failure("--workers dask:// needs the package distributed (Debian: python3-distributed)") from None
        self.distributed, self.address, self.sent = distributed, address, {}
        try:
            self.client = distributed.Client(f"tcp://{address}", timeout="10s", set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise Failure(f"no Dask scheduler at {address}: {str(error) or type(error).__name__}") from None

    def run(self, ground: trial.Ground, trials: list, arrived, look) -> None:
        """As Threads.run. What is lost with a worker is sent again."""
        left = list(trials)
        for _ in range(ROUNDS):
            left = self.round(ground, left, arrived, look)
            if not left:
                return
        raise Failure(f"the Dask cluster lost {len(left)} trainings {ROUNDS} times: its workers die")

    def round(self, ground: trial.Ground, trials: list, arrived, look) -> list:
        """Runs trials; those that were lost."""
        sent = self.send(ground)
        futures = {self.client.submit(remote, sent, one, pure=False, retries=3): one for one in trials}
        lost, pending = [], set(futures)
        try:
            while pending:
                done = {future for future in pending if future.done()}
                pending -= done
                for future in done:
                    if future.status == "finished":
                        arrived(futures[future], future.result())
                    elif future.status == "error" and not isinstance(future.exception(), self.distributed.scheduler.KilledWorker):
                        raise future.exception()
                    else:
                        lost.append(futures[future])
                look()
                if self.client.status != "running":
                    raise Failure(f"the Dask scheduler at {self.address} is gone")
                if not done:
                    time.sleep(TICK)
        finally:
            if self.client.status == "running":
                self.client.cancel(list(futures))
        return lost

    def send(self, ground: trial.Ground):
        """The ground as a task of its own: the scheduler has it, and gives it to any worker that needs it or lost it."""
        if ground.digest not in self.sent:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about its size
                self.sent[ground.digest] = self.client.submit(itself, ground, pure=False)
        return self.sent[ground.digest]


def itself(ground: trial.Ground) -> trial.Ground:
    return ground


def remote(ground: trial.Ground, one) -> dict:
    """One trial in a worker of a cluster, which keeps the ground for the next one."""
    known = KNOWN.setdefault(ground.digest, ground)
    return trial.run(known, one)


KNOWN: dict[str, trial.Ground] = {}


def engine(words: str | None, threads: int | None):
    """The engine that --workers and --threads ask for."""
    if words is None:
        return Threads(threads)
    scheme, _, address = words.partition("://")
    if scheme != "dask" or ":" not in address:
        raise Usage(f"--workers {words}: it must be dask://HOST:PORT, the address of a Dask scheduler")
    return Dask(address)
