"""What priorities add to an online step: Balanced Replay against Fixed, period by period in turn.

    python -m benchmarks.balanced [SECONDS]

CPU time of the process per step: medians over periods, with the middle four fifths.
"""

import sys
import time

import numpy as np

from benchmarks.online import PERIOD, Parts, advance
from road.mixing import BalancedMixer, FixedMixer
from road.training.process import prepare_jax


def main() -> None:
    prepare_jax()
    parts = Parts()
    mixers = {
        "fixed": FixedMixer(),
        "balanced": BalancedMixer(),
        "balanced, 64-64": BalancedMixer(hidden=(64, 64)),
    }
    loops = {name: parts.loop(mixer, measuring=True) for name, mixer in mixers.items()}
    for loop in loops.values():
        advance(loop, 2)
    times: dict[str, list[float]] = {name: [] for name in loops}
    end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60)
    while time.monotonic() < end:
        for name, loop in loops.items():
            began = time.process_time()
            advance(loop, 1)
            times[name].append(1e3 * (time.process_time() - began) / PERIOD)
    for name, each in times.items():
        low, middle, high = np.percentile(each, [10, 50, 90])
        print(f"{name:16} {middle:.2f} ms a step [{low:.2f}, {high:.2f}], n = {len(each)}")


if __name__ == "__main__":
    main()
