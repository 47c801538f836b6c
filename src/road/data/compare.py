"""Whether a log comes from an environment, by steps that were sampled in it.

A small model is fitted to the log: what changes in a step, and what it pays. Its error on other
rows of the log is compared with its error on sampled steps that lie as near to the log as those
rows do; elsewhere the model would be wrong in the right environment, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset, Finding
from road.data.memory import random_rows
from road.data.regression import Floats, Scaling, expand, fit, scaling_of

MOST_ROWS = 6_000
NEIGHBOURS = 1_500
"""Rows of the log among which the nearest one is searched."""
NEAR = 90.0
"""Percentile of the distances between rows of the log that counts as near."""
FEW_ROWS, FEW = 2_000, 60
"""Fewer rows of a log, or fewer sampled steps near it, prove nothing about what happens there. In
1,000 rows of an expert, most states are passed once per episode: sound steps were three times off.
"""
NONE = 0.005
"""A smaller share of sampled steps near the log is none: they begin as its episodes do."""
UNLIKE, UNLIKE_REWARD = 1.8, 2.5
"""The error on sampled steps, in those on the log: more is another environment. Sound logs reach
1.4 and 1.7."""
OTHER_SCALE, RELATED = 1.5, 0.5
"""Rewards are of another scale if they go together with the log's (a correlation of at least 0.5)
and are so many times as large or as small."""
LEAST_ERROR = 0.02
"""In standard deviations: smaller errors are all the same."""
MOST_LEVELS = 6
"""Rewards with no more values are compared value by value."""
SHOWN = 300
"""Steps that are drawn."""


@dataclass(frozen=True)
class Steps:
    """Steps of an environment, actions in [-1, 1]."""

    observation: NDArray[np.float32]
    action: NDArray[np.float32]
    reward: NDArray[np.float32]
    next_observation: NDArray[np.float32]


@dataclass(frozen=True)
class Matched:
    """Rows of the log to fit to and to judge by, and the sampled steps that lie near the log."""

    log: Dataset
    known: NDArray[np.int64]
    other: NDArray[np.int64]
    sampled: Steps
    near: NDArray[np.int64]
    scale: Scaling

    def inputs(self, source: Dataset | Steps, rows: NDArray[np.int64]) -> Floats:
        return expand(self.scale(pairs(source, rows)))


def compare(log: Dataset, sampled: Steps) -> tuple[list[Finding], dict[str, Any]]:
    """What is found, and the numbers that it was found by."""
    if len(log) < FEW_ROWS:
        text = f"{len(log)} rows are too few to compare with steps sampled in the environment"
        return [Finding("note", text)], {"sampled": len(sampled.reward), "near": 0}
    matched = match(log, sampled)
    near, all_of_them = len(matched.near), len(sampled.reward)
    numbers: dict[str, Any] = {"sampled": all_of_them, "near": near}
    few_levels = has_few_levels(log.reward) and has_few_levels(sampled.reward)
    found = list(other_levels(log.reward, sampled.reward)) if few_levels else []
    if near < FEW:
        return [*found, far_away(near, all_of_them)], numbers
    numbers |= {"change": compare_changes(matched), "reward": compare_rewards(matched)}
    if not few_levels:
        found += other_rewards(numbers["reward"])
    return [*found, *other_dynamics(numbers["change"])], numbers


def far_away(near: int, sampled: int) -> Finding:
    """Few or none of the steps that begin as the log's episodes do lie near the log."""
    count = f"{near} of {sampled:,} steps sampled in the environment with the log's own actions"
    if near < NONE * sampled:
        return Finding(
            "warning",
            f"{count} lie near the log: was it made in another environment, or are its "
            "observations or actions in other units, or negated?",
        )
    return Finding("note", f"only {count} lie near the log: too few to compare what happens there")


def other_levels(log: NDArray[np.float32], sampled: NDArray[np.float32]) -> Iterator[Finding]:
    """Rewards of a few values, such as 0 and 1, must be the environment's values.

    How often they are paid proves nothing: a replay rarely reaches what the log did.
    """
    known, paid = np.unique(log), np.unique(sampled)
    strange = [level for level in paid.tolist() if not np.isclose(known, level, atol=1e-4).any()]
    if strange and (len(known) > 1 or len(strange) == len(paid)):
        yield Finding(
            "warning",
            f"the log's rewards are {values(known)}, the environment pays {values(paid)}: "
            "was the log's scaled or shifted?",
        )


def has_few_levels(reward: NDArray[np.float32]) -> bool:
    return len(np.unique(reward)) <= MOST_LEVELS


def values(levels: NDArray[np.float32]) -> str:
    return ", ".join(f"{level:g}" for level in levels.tolist())


def match(log: Dataset, sampled: Steps) -> Matched:
    known, other = split_rows(log)
    scale = scaling_of(pairs(log, np.concatenate([known, other])))
    reference = scale(pairs(log, known[:NEIGHBOURS]))
    limit = np.percentile(distances(scale(pairs(log, other)), reference), NEAR)
    everywhere = np.arange(len(sampled.reward))
    away = distances(scale(pairs(sampled, everywhere)), reference)
    return Matched(log, known, other, sampled, np.flatnonzero(away <= limit), scale)


def split_rows(log: Dataset) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of two thirds of the episodes, and of the others.

    A new episode has a start and a goal of its own, in the environment as in the log.
    """
    rng = np.random.default_rng(0)
    rows = random_rows(len(log), rng)
    starts = np.append(0, np.flatnonzero(log.episode_ends)[:-1] + 1)
    episode, count = np.searchsorted(starts, rows, side="right") - 1, len(starts)
    # Of a single episode, some rows and others.
    chosen = rng.permutation(count) < max(2 * count // 3, 1) if count > 1 else rows % 3 > 0
    inside = chosen[episode] if count > 1 else chosen
    return rows[inside][: 2 * MOST_ROWS // 3], rows[~inside][: MOST_ROWS // 3]


def pairs(source: Dataset | Steps, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    return np.concatenate([source.observation[rows], source.action[rows]], axis=1)


def distances(rows: Floats, among: Floats) -> Floats:
    """From every row to the nearest of the others."""
    squares = (among**2).sum(axis=1)
    parts = np.array_split(rows, max(len(rows) // 500, 1))
    least = [(squares - 2.0 * part @ among.T).min(axis=1) for part in parts]
    return np.sqrt(np.maximum(np.concatenate(least) + (rows**2).sum(axis=1), 0.0))


def compare_changes(matched: Matched) -> dict[str, Any]:
    """The error of a prediction of the change of the observation, here and there."""
    log, sampled = matched.log, matched.sampled
    outputs = scaling_of(changes(log, matched.known))
    weights = fit(matched.inputs(log, matched.known), outputs(changes(log, matched.known)))
    moving = np.isfinite(outputs.spread)

    def errors(source: Dataset | Steps, rows: NDArray[np.int64]) -> Floats:
        missed = outputs(changes(source, rows)) - matched.inputs(source, rows) @ weights
        return np.abs(missed)[:, moving].mean(axis=1) if moving.any() else np.zeros(len(rows))

    here, there = errors(log, matched.other), errors(sampled, matched.near)
    return describe(here, there) | {
        "errors": {"log": here[:SHOWN].tolist(), "environment": there[:SHOWN].tolist()}
    }


def changes(source: Dataset | Steps, rows: NDArray[np.int64]) -> Floats:
    return source.next_observation[rows] - source.observation[rows].astype(np.float64)


def compare_rewards(matched: Matched) -> dict[str, Any]:
    """The same of the reward, with what both say on average."""
    log, sampled = matched.log, matched.sampled
    paid = log.reward[matched.known].astype(np.float64)
    spread = float(max(paid.std(), 1e-6 * np.abs(paid).max(), 1e-9))
    weights = fit(matched.inputs(log, matched.known), paid[:, None])

    def predicted(source: Dataset | Steps, rows: NDArray[np.int64]) -> Floats:
        return (matched.inputs(source, rows) @ weights)[:, 0]

    usual = np.abs(log.reward[matched.other] - predicted(log, matched.other)) / spread
    expected = predicted(sampled, matched.near)
    real = sampled.reward[matched.near].astype(np.float64)
    size = {"log": float(np.abs(expected).mean()), "environment": float(np.abs(real).mean())}
    spreads = float(expected.std() * real.std())
    product = float(((expected - expected.mean()) * (real - real.mean())).mean())
    return describe(usual, np.abs(real - expected) / spread) | {
        "size": size,
        "correlation": product / spreads if spreads > 0 else 0.0,
        "scale": float(expected.var()) / product if product > 0 else 0.0,
        "pairs": np.stack([real, expected], axis=1)[:SHOWN].tolist(),
    }


def describe(here: Floats, there: Floats) -> dict[str, float]:
    """The middle error of each, and their ratio."""
    log, environment = float(np.median(here)), float(np.median(there))
    ratio = max(environment, LEAST_ERROR) / max(log, LEAST_ERROR)
    return {"log": log, "environment": environment, "ratio": ratio}


def other_dynamics(change: dict[str, Any]) -> Iterator[Finding]:
    if change["ratio"] > UNLIKE:
        yield Finding(
            "warning",
            f"steps of the environment are not what the log leads to expect: the error of a "
            f"prediction is {change['ratio']:.1f} times that on the log itself. Are its actions in "
            "the right unit, sign and row, and was it logged in this environment?",
        )


def other_rewards(reward: dict[str, Any]) -> Iterator[Finding]:
    """An error of another size, or the same ups and downs on another scale."""
    scale, size = reward["scale"], reward["size"]
    related = reward["correlation"] >= RELATED
    scaled = related and not 1.0 / OTHER_SCALE <= scale <= OTHER_SCALE
    if reward["ratio"] <= UNLIKE_REWARD and not scaled:
        return
    factor = f", {scale:.3g} times as much" if related else ""
    yield Finding(
        "warning",
        f"the log's rewards are not the environment's: near sampled steps they are "
        f"{size['log']:.3g} in size where the environment pays {size['environment']:.3g}{factor}. "
        "Were they scaled, shifted or clipped?",
    )
