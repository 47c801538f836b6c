"""Steps of an environment in the places where a log has been: its own actions, played again."""

import time
from contextlib import closing
from typing import Any

import numpy as np

from road.data.compare import Steps
from road.data.dataset import Dataset
from road.tasks.task import Environment

STEPS = 1_500
SECONDS = 15.0
"""A slow environment gets fewer steps."""
LONGEST = 100
"""Steps of a replay: later it is far from the episode that it repeats."""


def sample_steps(environment: Environment, dataset: Dataset, steps: int = STEPS) -> Steps:
    """Replay the beginnings of episodes, evenly spread over the log; the environment is closed."""
    ends = np.flatnonzero(dataset.episode_ends)
    starts = np.append(0, ends[:-1] + 1)
    chosen = np.random.default_rng(0).permutation(len(starts))
    rows: list[tuple[Any, ...]] = []
    with closing(environment):
        index, start = 0, time.monotonic()
        while len(rows) < steps and (not rows or time.monotonic() - start < SECONDS):
            episode = chosen[index % len(chosen)]
            first, last = int(starts[episode]), int(ends[episode])
            # A later round begins elsewhere in the episode.
            first += (index // len(chosen)) * LONGEST
            first = first if first <= last else int(starts[episode])
            observation, _ = environment.reset(seed=index)
            for action in dataset.action[first : min(last + 1, first + LONGEST)]:
                following, reward, terminated, truncated, _ = environment.step(action)
                rows.append((observation, action, reward, following))
                observation = following
                if terminated or truncated:
                    break
            index += 1
    columns = [np.array(column, np.float32) for column in zip(*rows[:steps], strict=True)]
    return Steps(*columns)
