"""interrupt.py -- Ctrl-C and SIGTERM end gen soon and tidily, whatever native code is doing.

Python notices a signal only between two steps of its own, and native code may take hours for one of them. So a thread of
its own hears of every signal as well. It ends the process where the main thread does not get to it, after it has removed
the files that are not finished.
"""
from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading

NOTICE = 1.0  # seconds that the main thread has to notice a signal
TIDY = 5.0    # seconds that it then has to end native code in other threads

unfinished: set[str] = set()  # files that must not stay behind


class Terminated(BaseException):
    """SIGTERM: as tidy an end as Ctrl-C."""


class State:
    """What the main thread and the thread that listens know of each other."""
    noticed, ended = threading.Event(), threading.Event()
    held, waiting = False, 0
    listening = False


def on_signal(number, frame) -> None:
    State.ended.clear()
    State.noticed.set()
    if State.held:
        State.waiting = number
        return
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated


@contextlib.contextmanager
def held():
    """Inside, a signal waits: for steps that must be taken together."""
    State.held = True
    try:
        yield
    finally:
        State.held, number, State.waiting = False, State.waiting, 0
    if number:
        on_signal(number, None)


def remove(path: str) -> None:
    """Removes a file, or a folder with all that is in it, if it is there."""
    with contextlib.suppress(OSError):
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


def die(number: int) -> None:
    """Ends the process without the main thread."""
    for path in list(unfinished):
        remove(path)
    if number == signal.SIGINT:
        with contextlib.suppress(OSError):
            os.write(2, b"gen: interrupted\n")
    os._exit(128 + number)


def listen(pipe: int) -> None:
    while True:
        number = os.read(pipe, 1)[0]
        if number in (signal.SIGINT, signal.SIGTERM):
            if not State.noticed.wait(NOTICE) or not State.ended.wait(TIDY):
                die(number)


def install() -> None:
    """Signals are heard from here on, until `finished`. A signal that is ignored stays so: gen may run under nohup."""
    State.noticed.clear()
    State.ended.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, on_signal)
    if not State.listening:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=listen, args=(reading,), daemon=True).start()
        State.listening = True


def handled() -> None:
    """A command has taken Ctrl-C as a wish and goes on to its end. The next signal counts anew."""
    State.noticed.clear()
    State.ended.set()


def finished() -> None:
    State.ended.set()
