"""How long a run will take, measured on updates that are thrown away, before the first that counts.

The environment is not stepped for it: it may be a machine. Its steps and episodes are counted.
"""

import time
from dataclasses import dataclass

import jax
import numpy as np
from numpy.typing import NDArray

from road.replay.sampler import MixedSampler
from road.training.compiled import CompiledAgent, Leaves
from road.training.config import RunConfig
from road.training.loop import ALL_OFFLINE, STACK
from road.training.state import RunState

LONG_ENOUGH = 0.2
"""Seconds of updates from which their speed is read off."""
MOST_CALLS = 10


@dataclass(frozen=True)
class Expectation:
    """What is left of a run."""

    seconds: float
    """Of all updates."""
    updates: int
    steps: int
    """Of the environment, evaluations not counted."""
    evaluations: int
    episodes: int
    """Of one evaluation."""
    on_log: bool = False
    """Whether the steps are rows of a new log: no environment is stepped or evaluated in."""

    def __str__(self) -> str:
        speed = self.updates / max(self.seconds, 1e-9)
        updates = (
            f"about {spell_duration(self.seconds)} for {self.updates:,} updates ({speed:,.0f} per "
            "second)"
        )
        if self.on_log:
            return f"{updates} on {self.steps:,} new rows"
        return (
            f"{updates}, besides {self.steps:,} environment steps and {self.evaluations:,} "
            f"evaluations of {self.episodes:,} episodes"
        )


def expect(
    offline: CompiledAgent,
    online: CompiledAgent,
    sampler: MixedSampler,
    config: RunConfig,
    state: RunState,
) -> Expectation:
    """Of what is left, with the main learner's updates; probes come on top."""
    counters = state.counters
    left = config.offline_steps - counters.offline_updates
    steps = config.online_steps - counters.online_steps
    seconds = 0.0
    if left:
        rows = drawn_rows(sampler, min(STACK, left), config.batch_size)
        seconds += left * seconds_per_update(offline, state.main.agent, rows)
    if steps:
        updating = state.main.agent if not left and counters.phase == "online" else None
        rows = drawn_rows(sampler, config.updates_per_step, config.batch_size)
        leaves = online.init(jax.random.key(0)) if updating is None else updating
        seconds += steps * config.updates_per_step * seconds_per_update(online, leaves, rows)
    updates, episodes = left + steps * config.updates_per_step, config.evaluation_episodes
    evaluations = evaluations_left(config, counters.offline_updates, counters.online_steps)
    return Expectation(seconds, updates, steps, evaluations, episodes)


def evaluations_left(config: RunConfig, updates: int, steps: int) -> int:
    """The end of the offline phase is judged as the beginning of the online one."""
    every, offline, online = config.evaluate_every, config.offline_steps, config.online_steps
    last = (offline - 1) // every if online else -(-offline // every)
    before = max(last - updates // every, 0)
    after = -(-online // every) - steps // every
    return before + after + (1 if online and not steps else 0)


def drawn_rows(sampler: MixedSampler, updates: int, size: int) -> NDArray[np.float32]:
    return sampler.sample(ALL_OFFLINE, updates, size, np.random.default_rng(0)).rows


def seconds_per_update(agent: CompiledAgent, leaves: Leaves, rows: NDArray[np.float32]) -> float:
    """Without the time of compiling, which the first call takes."""
    key = jax.random.key(0)
    agent.update(leaves, rows, key, 0)
    began, calls = time.monotonic(), 0
    while calls < MOST_CALLS and time.monotonic() - began < LONG_ENOUGH:
        agent.update(leaves, rows, key, 0)
        calls += 1
    return (time.monotonic() - began) / (calls * len(rows))


def spell_duration(seconds: float) -> str:
    """In the largest unit of which there is at least one and a half."""
    for unit, name in ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:.{1 if seconds < 10 * unit else 0}f} {name}"
    whole = max(round(seconds), 1)
    return f"{whole} second{'s' if whole > 1 else ''}"
