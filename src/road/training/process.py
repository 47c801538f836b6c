"""The process that trains: JAX's settings, made before JAX is first used, and requests to stop."""

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from road.data.on_disk import data_folder


def prepare_jax(threads: int | None = None) -> None:
    """Keep compiled code between runs, and bound the threads if asked to."""
    if threads is not None:
        # Read when JAX starts: the bits of a result depend on the number of threads.
        os.environ["PJRT_NPROC"] = os.environ["NPROC"] = str(threads)
    import jax

    # Small steps are waited for at once: handing them to another thread costs more than it gains.
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # noqa: FBT003 -- JAX's own signature
    keep_compiled()


def keep_compiled() -> None:
    """Keep compiled code between processes, unless the caller keeps it elsewhere already."""
    import jax

    if getattr(jax.config, "jax_compilation_cache_dir", None) is None:  # its stubs do not know it
        jax.config.update("jax_compilation_cache_dir", str(data_folder() / "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


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
    signals = (signal.SIGTERM, signal.SIGINT)
    if threading.current_thread() is not threading.main_thread():
        signals = ()
    before = {n: signal.signal(n, request.note) for n in signals}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
