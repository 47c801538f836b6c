"""What is wrong with a dataset, or looks as if it were."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.actions import Limit, limits, overshooting_rows, worst_column
from road.data.dataset import (
    FLAGS,
    Dataset,
    Finding,
    Level,
    check_layout,
    finding_on,
    outside,
    rows_of,
)
from road.data.episodes import discontinuities
from road.data.interpret import Reading
from road.data.log import Log
from road.data.memory import blocks, not_finite, rows_where
from road.data.order import order_findings
from road.errors import DataError

HUGE = 1e6
"""Numbers beyond this make squares that float32 adds up badly."""
FEW_ROWS = 256
"""The usual mini-batch."""
NOTABLE_SHARE = 0.001
NEARLY_ALL = 0.9
"""Sound logs have at most 45 % of their actions' numbers at the edge."""
NEAR, CHANCE = 0.9, 2
"""Share of a length that comes near it; episodes that may have one length by chance."""
EDGE = 1.0 - 1e-5
"""Actions from here on count as at the edge of the box."""


@dataclass(frozen=True)
class Findings:
    """All that was found, the worst first."""

    items: tuple[Finding, ...]

    def of(self, level: Level) -> list[Finding]:
        return [item for item in self.items if item.level == level]

    @property
    def errors(self) -> list[Finding]:
        return self.of("error")

    @property
    def warnings(self) -> list[Finding]:
        return self.of("warning")


def examine(data: Dataset | Mapping[str, NDArray[Any]]) -> Findings:
    """Every fault, with its row: of a dataset, or of arrays that may not make one.

    Errors are what a dataset is refused for; a dataset that exists has none.
    """
    if isinstance(data, Dataset):
        order, _ = order_findings(data)
        return sorted_findings([*suspicions(data.arrays()), *order, *data.notes])
    try:
        check_layout(data)
    except DataError as error:
        return Findings((Finding("error", str(error)),))
    return sorted_findings(list(faulty_numbers(data)) or suspicions(data))


def sorted_findings(items: Iterable[Finding]) -> Findings:
    order = ("error", "warning", "note")
    return Findings(tuple(sorted(items, key=lambda item: order.index(item.level))))


def suspicions(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Finding]:
    yield from suspicious_ends(arrays)
    yield from suspicious_numbers(arrays)


def faulty_numbers(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Finding]:
    yield from nonfinite_numbers(arrays)
    beyond = rows_where(arrays["action"], outside)
    yield from finding_on(beyond, "error", "action lies outside of [-1, 1] in")
    ends = arrays["terminated"] | arrays["truncated"]
    if not ends[-1]:
        yield Finding("error", "the last row is neither terminated nor truncated", len(ends) - 1)


def nonfinite_numbers(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Finding]:
    for name, array in arrays.items():
        if name not in FLAGS:
            yield from finding_on(
                rows_where(array, not_finite), "error", f"{name} holds NaN or inf in"
            )


def log_faults(log: Log, reading: Reading) -> list[Finding]:
    """Every reason for which a log is refused, by the rows of its file."""
    faults = [] if reading.drop_nonfinite else nonfinite_numbers(log.arrays())
    return [*faults, *actions_outside(log, *limits(log, reading.action_box))]


def actions_outside(log: Log, low: Limit, high: Limit) -> Iterator[Finding]:
    beyond = overshooting_rows(log, low, high)
    first = log.action[int(np.argmax(beyond))]
    at = worst_column(first, low, high)
    text = f"action is {first[at]:g} in column {at}, outside of [{low[at]:g}, {high[at]:g}], in"
    yield from finding_on(beyond, "error", text)


def suspicious_ends(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Finding]:
    terminated, truncated = arrays["terminated"], arrays["truncated"]
    ends = np.flatnonzero(terminated | truncated)
    lengths = np.diff(ends, prepend=-1)
    longest = ends[lengths == lengths.max()]
    if len(lengths) == 1:
        yield Finding("warning", "all rows are one episode: are the ends of the others marked?")
    elif (lengths == 1).all():
        yield Finding("warning", "every episode has one row")
    elif terminated[longest].all() and piled_up(lengths):
        yield Finding(
            "warning",
            f"{len(longest):,} of {len(lengths):,} episodes terminate after {lengths.max():,} "
            "steps, none later: these look like time limits; if so, convert or load it with "
            "terminals=timeouts",
            int(longest[0]),
        )
    both = "is both terminated and truncated, and taken as a true end, in"
    yield from finding_on(terminated & truncated, "warning", f"an episode {both}")
    broken = discontinuities(arrays["observation"], arrays["next_observation"]) & ~(
        terminated | truncated
    )
    yield from finding_on(
        broken, "warning", "next_observation is not what follows in the episode in"
    )


def piled_up(lengths: NDArray[np.int64]) -> bool:
    """Whether more episodes have the greatest length than come near it, as under a time limit."""
    longest = lengths.max()
    there = int((lengths == longest).sum())
    near = int((lengths >= NEAR * longest).sum()) - there
    return there == len(lengths) or there > max(near, CHANCE)


def suspicious_numbers(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Finding]:
    reward = arrays["reward"]
    if len(reward) < FEW_ROWS:
        yield Finding("warning", f"only {rows_of(len(reward))}, fewer than a batch of {FEW_ROWS}")
    for name in ("observation", "reward"):
        huge = rows_where(arrays[name], lambda array: np.abs(array) > HUGE)
        yield from finding_on(huge, "warning", f"{name} is larger than {HUGE:g} in")
    if len(reward) > 1:
        yield from what_never_changes(arrays)
    if either_zero_or_one(arrays["action"]):
        yield Finding("warning", "every action is 0 or 1: choices out of a few cannot be learnt")
    yield from actions_at_the_edge(clipped_share(arrays["action"]))


def actions_at_the_edge(share: float) -> Iterator[Finding]:
    text = f"{share:.1%} of the actions' numbers are at the edge of the box"
    if share > NEARLY_ALL:
        yield Finding("warning", f"{text}: is it the box of the actuators, or were they clipped?")
    elif share >= NOTABLE_SHARE:
        yield Finding("note", text)


def what_never_changes(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Finding]:
    reward = arrays["reward"]
    if (reward == reward[0]).all():
        yield Finding("warning", f"every reward is {reward[0]:g}: there is nothing to prefer")
    levels: dict[str, Level] = {"observation": "note", "action": "warning"}
    for name, level in levels.items():
        still = constant_columns(arrays[name])
        if still:
            named = ", ".join(map(str, still[:8])) + ", …" * (len(still) > 8)
            yield Finding(level, f"{name} is constant in {len(still)} columns: {named}")


def constant_columns(array: NDArray[Any]) -> list[int]:
    same = np.ones(array.shape[1], np.bool_)
    for block in blocks(len(array)):
        same &= (array[block] == array[0]).all(axis=0)
    return np.flatnonzero(same).tolist()


def either_zero_or_one(action: NDArray[Any]) -> bool:
    """Whether both occur and nothing else does."""
    parts = [action[block] for block in blocks(len(action))]
    binary = all(((part == 0) | (part == 1)).all() for part in parts)
    return binary and any(part.any() for part in parts) and not all(part.all() for part in parts)


def clipped_share(action: NDArray[Any]) -> float:
    """Share of all numbers of the actions that are at an edge of the box."""
    at_edge = sum(int((np.abs(action[block]) >= EDGE).sum()) for block in blocks(len(action)))
    return at_edge / action.size


def beyond_limit(dataset: Dataset, limit: int, where: str) -> Iterator[Finding]:
    """Episodes that last longer than the environment lets them."""
    ends = np.flatnonzero(dataset.episode_ends)
    lengths = np.diff(ends, prepend=-1)
    longer = np.flatnonzero(lengths > limit)
    if longer.size:
        yield Finding(
            "warning",
            f"{len(longer):,} of {len(lengths):,} episodes are longer than the {limit:,} steps of "
            f"{where}, the longest has {lengths.max():,}: are ends not marked? Then give the "
            f"horizon, as in --horizon {limit}",
            int(ends[longer[0]] - lengths[longer[0]] + 1),
        )


def check_spaces(dataset: Dataset, observations: int, actions: int, where: str) -> None:
    """Whether a dataset fits an environment.

    Raises:
        DataError: its observations or actions have another length.
    """
    has = dataset.observation.shape[1], dataset.action.shape[1]
    if has != (observations, actions):
        raise DataError(
            f"dataset: {has[0]} observations and {has[1]} actions, where {where} has "
            f"{observations} and {actions}; choose the environment that it was logged in"
        )
