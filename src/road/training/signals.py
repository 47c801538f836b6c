"""Asking a run to stop: the handler sets a flag, every loop polls it."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether, and by which signal, the run was asked to stop."""

    def __init__(self) -> None:
        self.signal: int | None = None

    def __call__(self) -> bool:
        return self.signal is not None

    def note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.signal = number


@contextmanager
def listening() -> Generator[StopRequest]:
    """Take SIGTERM and SIGINT as requests while inside; Python lets no other thread do so."""
    request = StopRequest()
    heard = (signal.SIGTERM, signal.SIGINT)
    if threading.current_thread() is not threading.main_thread():
        heard = ()
    before = {n: signal.signal(n, request.note) for n in heard}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
