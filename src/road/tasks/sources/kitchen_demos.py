"""Demonstrations of people in a kitchen, replayed in the environment at hand.

A demonstration is the position that every joint of the arm was sent to, step by step. The arm here
takes speeds, so each action is the speed that brings it there from where it is seen to be, as D4RL
did. What the objects do is up to the simulator: a replay is not a recording.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from road.errors import DataError
from road.tasks.plain import read_plain
from road.tasks.record import Step, reset_seed
from road.tasks.task import Environment

JOINTS = 9
REACH = 0.16
"""Radians (metres, for the fingers) that a full action moves a joint in one step."""


def read_demonstrations(path: Path) -> list[NDArray[np.float32]]:
    """Where the joints were sent, for each demonstration."""
    arrays = read_plain(path, ("ctrl", "length"))
    sent, lengths = arrays["ctrl"], arrays["length"]
    if sent.ndim != 2 or sent.shape[1] != JOINTS or int(lengths.sum()) != len(sent):
        raise DataError(
            f"{path}: ctrl has shape {sent.shape} and length adds up to {int(lengths.sum())}; "
            f"demonstrations have {JOINTS} joints a row and as many rows as their lengths say"
        )
    return np.split(sent.astype(np.float32), np.cumsum(lengths)[:-1])


def replay(
    environment: Environment, demonstrations: list[NDArray[np.float32]], seed: int
) -> Iterator[Step]:
    """Rows of one demonstration after the other; each ends with it, or before if all is done."""
    for number, sent in enumerate(demonstrations):
        observation, _ = environment.reset(seed=reset_seed(seed, number))
        for row, goal in enumerate(sent):
            action = np.clip((goal - observation[:JOINTS]) / REACH, -1.0, 1.0).astype(np.float32)
            following, reward, terminated, cut, _ = environment.step(action)
            truncated = not terminated and (cut or row == len(sent) - 1)
            yield Step(observation, action, np.float32(reward), following, terminated, truncated)
            observation = following
            if terminated or truncated:
                break
