"""Mixers that measure against Fixed, 200 steps in turn: a difference of 2 % drowns in long windows.

    python -m benchmarks.pairs [SECONDS]

CPU time of the process per turn; medians of ratios within a round, with bootstrap intervals.
"""

import sys
import time

import numpy as np

from benchmarks.online import PERIOD, Parts, advance
from road.mixing import FixedMixer, HypergradientMixer, RoadMixer
from road.training.process import prepare_jax


def main() -> None:
    prepare_jax()
    parts, rng = Parts(), np.random.default_rng(0)
    loops = {
        "road": parts.loop(RoadMixer(), measuring=True),
        "fixed": parts.loop(FixedMixer(), measuring=True),
        "unmeasured": parts.loop(FixedMixer(), measuring=False),
        "hypergradient": parts.loop(HypergradientMixer(), measuring=True),
    }
    periods = {**dict.fromkeys(loops, 1), "hypergradient": PERIOD // HypergradientMixer().interval}
    for name, loop in loops.items():
        advance(loop, 3 * periods[name])
    times: dict[str, list[float]] = {name: [] for name in loops}
    end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60)
    while time.monotonic() < end:
        for name in rng.permutation(list(loops)):
            began = time.process_time()
            advance(loops[name], periods[name])
            times[name].append(time.process_time() - began)
    for one, other in (("road", "fixed"), ("road", "unmeasured"), ("hypergradient", "unmeasured")):
        ratio = np.divide(times[one], times[other])
        draws = [np.median(rng.choice(ratio, len(ratio))) for _ in range(2000)]
        low, high = np.percentile(draws, [2.5, 97.5])
        print(f"{one} / {other}: {np.median(ratio):.3f} [{low:.3f}, {high:.3f}], n = {len(ratio)}")


if __name__ == "__main__":
    main()
