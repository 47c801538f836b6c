"""Whether rows are in the order in which they happened, and actions in the rows where they acted.

Serial correlation: the mean square of the steps between successive observations of an episode, over
what it would be in a random order of the same rows (von Neumann's ratio): near 0 where observations
move smoothly, 1 in shuffled rows.

Alignment: how much worse a regression of the change of the observation becomes, on rows that it was
not fitted to, without the action of the row before, of the row itself, or of the row after. In a
sound log the row's own action is the one that is missed.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset, Finding
from road.data.memory import random_rows
from road.data.regression import expand, fit, scaling_of

PIECES, PIECE = 20, 2_000
"""Rows are looked at in so many stretches of so many successive rows."""
FEW = 256
"""Fewer pairs of rows prove nothing."""
LEAST_ORDER = 0.5
"""Shuffled from here on. Sound logs: at most 0.10 (of 16), shuffled ones: at least 0.93."""
MOST_ROWS = 6_000
CLEARLY_MORE, NOTICEABLE = 3.0, 0.05
"""Shifted if another row's action is missed so many times as much as the row's own, and by so much.

Sound logs reach 1.2.
"""
ROWS = ("before", "own", "after")


def order_findings(dataset: Dataset) -> tuple[list[Finding], dict[str, Any]]:
    """What is found about the order of the rows, and the numbers that it was found by."""
    ratios = serial_ratios(dataset.observation, dataset.episode_ends)
    missed = missed_actions(dataset)
    # In shuffled rows no action is in its row.
    found = list(shuffled(ratios)) or list(shifted(missed))
    return found, {"serial": ratios, "actions": missed}


def shuffled(ratios: list[float]) -> Iterator[Finding]:
    if ratios and min(ratios) > LEAST_ORDER:
        yield Finding(
            "warning",
            "successive observations of an episode are as far apart as any two of it (ratio "
            f"{min(ratios):.2f}; below {LEAST_ORDER} in logs of moving things): were the rows "
            "shuffled? Learn from them in the order in which they were logged",
        )


def shifted(missed: dict[str, float]) -> Iterator[Finding]:
    if not missed:
        return
    own = max(missed["own"], 0.0)
    for name, way in (("before", "too early"), ("after", "too late")):
        if missed[name] > max(CLEARLY_MORE * own, NOTICEABLE):
            yield Finding(
                "warning",
                f"what happens in a row depends on the action of the row {name}, not on its own "
                f"(missed {missed[name]:.2g} and {own:.2g}): actions are stored a row {way}",
            )


def serial_ratios(observation: NDArray[np.float32], ends: NDArray[np.bool_]) -> list[float]:
    """Von Neumann's ratio of every column that changes within episodes; empty if rows are few."""
    rows = stretches(len(observation))
    cut = ends[rows].copy()
    cut[np.flatnonzero(np.diff(rows) != 1)] = True
    if (~cut[:-1]).sum() < FEW:
        return []
    values = observation[rows].astype(np.float64)
    low, high = np.percentile(values, [1, 99], axis=0)
    values = np.clip(values, low, high)  # one jump outweighs nothing
    starts = np.flatnonzero(np.append(True, cut[:-1]))
    lengths = np.diff(np.append(starts, len(rows)))
    means = np.add.reduceat(values, starts, axis=0) / lengths[:, None]
    spread = ((values - np.repeat(means, lengths, axis=0)) ** 2).sum(axis=0)
    steps = (np.diff(values, axis=0)[~cut[:-1]] ** 2).sum(axis=0)
    moving = spread > 1e-9 * np.maximum((values**2).sum(axis=0), 1e-9)
    return (steps[moving] / (2.0 * spread[moving])).tolist()


def stretches(rows: int) -> NDArray[np.int64]:
    """Rows to look at: all, or stretches of successive ones, evenly spread."""
    if rows <= PIECES * PIECE:
        return np.arange(rows)
    starts = np.linspace(0, rows - PIECE, PIECES).astype(np.int64)
    return (starts[:, None] + np.arange(PIECE)).reshape(-1)


def missed_actions(dataset: Dataset) -> dict[str, float]:
    """Relative growth of the error without each of the three actions; empty if rows are few."""
    ends = dataset.episode_ends
    drawn = random_rows(max(len(dataset) - 2, 0), np.random.default_rng(0))
    # The rows before and after belong to the same episode.
    rows = drawn[~ends[drawn] & ~ends[drawn + 1]][:MOST_ROWS] + 1
    if len(rows) < FEW:
        return {}
    now = dataset.observation[rows].astype(np.float64)
    change = dataset.next_observation[rows] - now
    outputs = scaling_of(change)(change)
    outputs = outputs[:, outputs.any(axis=0)]
    state = expand(scaling_of(now)(now))
    actions = [dataset.action[rows + shift].astype(np.float64) for shift in (-1, 0, 1)]
    if not outputs.shape[1] or len(rows) < 4 * (state.shape[1] + 3 * actions[0].shape[1]):
        return {}

    whole = error(state, actions, outputs)
    return {
        name: float(
            (error(state, actions[:left] + actions[left + 1 :], outputs) / whole - 1.0).mean()
        )
        for left, name in enumerate(ROWS)
    }


def error(
    state: NDArray[np.float64], actions: list[NDArray[np.float64]], outputs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of each output, on the last third of the rows by a fit to the others."""
    inputs = np.concatenate([state, *actions], axis=1)
    known = 2 * len(inputs) // 3
    fitted = inputs[known:] @ fit(inputs[:known], outputs[:known])
    return np.maximum(((outputs[known:] - fitted) ** 2).mean(axis=0), 1e-12)
