"""The process that trains: JAX's settings, made before JAX is first used."""

import contextlib
import os

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
        folder = data_folder() / "compiled"
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        with contextlib.suppress(ImportError):  # another JAX keeps its entries in another way
            from road.training.compile_cache import check_entries

            check_entries(folder)
