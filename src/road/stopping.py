"""Requests to stop, by SIGTERM and SIGINT, from the first line of a command to its last.

Where there is something to save, a request is noted, and the run looks for it between two steps.
Where there is nothing to save yet, it ends the command at once.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from road.errors import Interrupted, Preempted, RoadError

SIGNALS = (signal.SIGTERM, signal.SIGINT)
SOON = 0.05
"""Seconds; a callback is over by then."""


class Stopped(KeyboardInterrupt):
    """Raised where a signal came: no library takes it for an error of its own."""


class StopRequest:
    """Whether, and by which signal, the process was asked to stop."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._ends = False

    def __call__(self) -> bool:
        return self.signal is not None

    def note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.signal = number
        if self._ends:
            raise Stopped

    def repeat(self, lost: Any) -> None:
        """A callback of the interpreter can raise nothing: ask again when it is over."""
        if lost.exc_type is Stopped:
            threading.Timer(SOON, _thread.interrupt_main, (self.signal,)).start()
        else:
            sys.__unraisablehook__(lost)

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Inside, a request ends what is being done: it leaves nothing that must be saved.

        Raises:
            Preempted: asked by SIGTERM.
            Interrupted: asked by SIGINT.
        """
        before, sys.unraisablehook = sys.unraisablehook, self.repeat
        self._ends = True
        try:
            if self():
                raise Stopped
            yield
        except RoadError:
            raise
        except (Stopped, Exception) as error:
            if not self():
                raise
            raise self.answer() from error  # a library may have made another error of it
        finally:
            self._ends = False
            sys.unraisablehook = before

    def answer(self) -> RoadError:
        if self.signal == signal.SIGINT:
            return Interrupted("interrupted")
        return Preempted("asked to stop before anything was begun; run the same command again")


@contextmanager
def listening(*, to_the_end: bool = False) -> Generator[StopRequest]:
    """Take SIGTERM and SIGINT as requests while inside, or to the end of the process.

    A request that was already made to a caller who listens counts. Python lets no thread but the
    main one do so.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {number: signal.signal(number, request.note) for number in SIGNALS}
    for handler in before.values():
        caller = getattr(handler, "__self__", None)
        if isinstance(caller, StopRequest):
            request.signal = request.signal or caller.signal
    try:
        yield request
    finally:
        if not to_the_end:
            for number, handler in before.items():
                signal.signal(number, handler)
