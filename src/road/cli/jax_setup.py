"""What must be settled before JAX is first used, by the command line alone."""

import os
from pathlib import Path


def prepare_jax(cache: Path, threads: int | None) -> None:
    """Keep compiled code between runs, and bound the threads if asked to."""
    if threads is not None:
        # Read when JAX starts: the bits of a result depend on the number of threads.
        os.environ["PJRT_NPROC"] = os.environ["NPROC"] = str(threads)
    import jax

    # Small steps are waited for at once: handing them to another thread costs more than it gains.
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # noqa: FBT003 -- JAX's own signature
    jax.config.update("jax_compilation_cache_dir", str(cache))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
