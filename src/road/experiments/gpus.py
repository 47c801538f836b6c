"""Which GPU a worker sees, and how much of its memory it may take.

A worker is pinned by CUDA_VISIBLE_DEVICES before JAX starts in it. JAX takes three quarters of a
GPU's memory unless it is given a fraction, so workers that share one get equal parts.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

from road.errors import UsageError

SHARE = 0.9
"""Of a GPU's memory, for all of its workers; the rest is for CUDA itself."""
COUNT = "import jax; print(sum(device.platform == 'gpu' for device in jax.devices()))"
INSTALL = "install JAX for it (pip install 'jax[cuda12]'), or leave out --gpus"


def check_names(gpus: Sequence[str]) -> None:
    """Names as CUDA has them, each once."""
    for name in gpus:
        if not name or "," in name or name != name.strip():
            raise UsageError(f"gpus are named one by one, such as --gpus 0 1, got {name!r}")
    if twice := [name for name, times in Counter(gpus).items() if times > 1]:
        raise UsageError(f"gpu {twice[0]!r} is named twice; give --jobs to share it")


def gpu_variables(gpus: Sequence[str], slot: int, slots: int) -> dict[str, str]:
    """Environment variables of the worker in a slot; none without GPUs.

    Slots take GPUs in turn, so that the numbers of workers on two of them differ by one at most.
    """
    if not gpus:
        return {}
    place = slot % len(gpus)
    sharing = len(range(place, slots, len(gpus)))
    return {
        "CUDA_VISIBLE_DEVICES": gpus[place],
        "XLA_PYTHON_CLIENT_MEM_FRACTION": f"{SHARE / sharing:.3f}",
    }


def check_gpus(gpus: Sequence[str]) -> None:
    """Ask JAX, in a process of its own, whether it finds all of them.

    Raises:
        UsageError: it does not; workers would be slow and silent about it.
    """
    check_names(gpus)
    if not gpus:
        return
    visible = {**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(gpus)}
    answer = subprocess.run(
        [sys.executable, "-c", COUNT], env=visible, capture_output=True, text=True, check=False
    )
    found = int(answer.stdout or 0) if answer.returncode == 0 else 0
    if found < len(gpus):
        named = " ".join(gpus)
        raise UsageError(f"JAX finds {found} of {len(gpus)} GPUs (--gpus {named}); {INSTALL}")
