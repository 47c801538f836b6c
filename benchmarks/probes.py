"""CPU time of an online step with probe learners, as a multiple of the same step without.

    python -m benchmarks.probes [--hidden 256 256] [--rounds 5]

All variants run in one process, in turns, on one thread; a round is so many online steps of each,
and the ratio is the median over rounds of each variant's CPU time to Fixed's in the same round.
"""

import argparse
import dataclasses
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

VARIANTS: dict[str, dict[str, Any]] = {
    "five, own actors": {"probe_every": 1, "probe_batch": 1.0, "probe_actor": True},
    "five": {"probe_every": 1, "probe_batch": 1.0},
    "five, batch 1/2": {"probe_every": 1, "probe_batch": 0.5},
    "five, batch 1/4": {"probe_every": 1, "probe_batch": 0.25},
    "five, every 2nd": {"probe_every": 2, "probe_batch": 1.0},
    "five, every 2nd, batch 1/2": {"probe_every": 2, "probe_batch": 0.5},
    "five, every 4th": {"probe_every": 4, "probe_batch": 1.0},
    "five, every 5th": {"probe_every": 5, "probe_batch": 1.0},
    "three, every 2nd": {"probe_every": 2, "probe_batch": 1.0, "ratios": (0.0, 0.5, 1.0)},
}
TASK = "pendulum-mixed"
FOREVER = 10**9


def online(mixer: Any, hidden: tuple[int, ...], batch: int, folder: Path) -> Iterator[Any]:
    from road.records.folder import RunFolder
    from road.stopping import StopRequest
    from road.training.config import default_plan
    from road.training.run import Run

    plan = default_plan(TASK)
    config = dataclasses.replace(
        plan.config, online_steps=FOREVER, offline_steps=0, batch_size=batch, warmup_steps=0
    )
    agent = dataclasses.replace(plan.agent, hidden=hidden)
    plan = dataclasses.replace(plan, agent=agent, mixer=mixer, config=config)
    run = Run(plan, RunFolder(folder), lambda _: None, StopRequest())
    run.begin()
    run.go_online()
    return run.online_loop().run(run.state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, nargs="+", default=[256, 256])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    args = parser.parse_args()

    from road.training.process import prepare_jax

    prepare_jax(1)
    from road.mixing import FixedMixer, ValidatedMixer

    mixers = {
        "Fixed": FixedMixer(),
        **{name: ValidatedMixer(**settings) for name, settings in VARIANTS.items()},
    }
    with tempfile.TemporaryDirectory() as root:
        loops = {
            name: online(mixer, tuple(args.hidden), args.batch, Path(root) / str(index))
            for index, (name, mixer) in enumerate(mixers.items())
        }
        for loop in loops.values():
            advance(loop, 2 * args.batch)  # compiles, and brings the ratio into force
        rounds = [
            {name: cpu_seconds(loop, args.steps) for name, loop in loops.items()}
            for _ in range(args.rounds)
        ]
    for name in loops:
        ratios = [took[name] / took["Fixed"] for took in rounds]
        least = 1e6 * min(took[name] for took in rounds) / args.steps
        print(
            f"{name:30s} {statistics.median(ratios):5.2f} x Fixed "
            f"({min(ratios):.2f} to {max(ratios):.2f}), {least:.0f} us a step at best"
        )


def advance(loop: Iterator[Any], steps: int) -> None:
    for _ in islice(loop, steps):
        pass


def cpu_seconds(loop: Iterator[Any], steps: int) -> float:
    began = time.process_time()
    advance(loop, steps)
    return time.process_time() - began


if __name__ == "__main__":
    main()
