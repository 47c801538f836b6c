"""Closing a user's environments, which may fail or never end.

What was learnt is saved by then, so a fault is reported and not raised, and the time is bounded.
"""

import signal
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from types import FrameType
from typing import Any

from road.tasks.environments import AnyEnvironment, on_one_line

SECONDS = 10.0
"""For all environments of a run together."""
AGAIN = 1.0
"""Seconds until one that went on all the same is interrupted once more."""


class Late(BaseException):
    """Raised inside ``close``; no error that its code would expect."""


def close_all(environments: Iterable[AnyEnvironment], seconds: float = SECONDS) -> list[str]:
    """Close them, and give a line for each kind of fault."""
    faults: dict[str, None] = {}
    try:
        with bounded(seconds):
            for environment in environments:
                if fault := close(environment):
                    faults[fault] = None
    except Late:
        faults[f"the environment's close had not ended after {seconds:g} seconds; it is left"] = (
            None
        )
    return list(faults)


def close(environment: AnyEnvironment) -> str | None:
    try:
        environment.close()
    except (Exception, SystemExit) as error:  # it may do anything
        return f"the environment raised {type(error).__name__} in close: {on_one_line(error)}"
    return None


@contextmanager
def bounded(seconds: float) -> Generator[None]:
    """Raise ``Late`` inside after that time; only the main thread can be interrupted so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> Any:
        del number, frame
        raise Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
