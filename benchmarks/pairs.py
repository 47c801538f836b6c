"""ROAD against Fixed, period by period in turn: a difference of 2 % drowns in longer windows.

    python -m benchmarks.pairs [SECONDS]

CPU time of the process per period; medians of ratios within a turn, with bootstrap intervals.
"""

import sys
import time

import numpy as np

from benchmarks.online import Parts, advance
from road.cli.jax_setup import prepare_jax
from road.data.folder import data_folder
from road.mixing import FixedMixer, RoadMixer


def main() -> None:
    prepare_jax(data_folder() / "compiled", None)
    parts, rng = Parts(), np.random.default_rng(0)
    loops = {
        "road": parts.loop(RoadMixer(), measuring=True),
        "fixed": parts.loop(FixedMixer(), measuring=True),
        "unmeasured": parts.loop(FixedMixer(), measuring=False),
    }
    for loop in loops.values():
        advance(loop, 3)
    times: dict[str, list[float]] = {name: [] for name in loops}
    end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60)
    while time.monotonic() < end:
        for name in rng.permutation(list(loops)):
            began = time.process_time()
            advance(loops[name], 1)
            times[name].append(time.process_time() - began)
    for other in ("fixed", "unmeasured"):
        ratio = np.divide(times["road"], times[other])
        draws = [np.median(rng.choice(ratio, len(ratio))) for _ in range(2000)]
        low, high = np.percentile(draws, [2.5, 97.5])
        print(f"road / {other}: {np.median(ratio):.3f} [{low:.3f}, {high:.3f}], n = {len(ratio)}")


if __name__ == "__main__":
    main()
