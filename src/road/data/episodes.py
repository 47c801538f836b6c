"""Where episodes end, and what follows every row, as far as a log leaves it open.

A time-out is not an end of the task: its last row needs a successor to learn from, and where the
log has none the row is left out. A terminal row needs none, nothing is learnt from its successor.
"""

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Finding, finding_on
from road.data.log import Log
from road.data.memory import Allocate, blocks, compact

SAME = 1e-6
"""A stored successor and the next row agree to within this, relative to numbers above 1."""
JUMP, USUAL = 10.0, 99.0
"""A step this many times longer than this percentile of all steps is the start of an episode.

On eleven files of five kinds of task this marks no step inside an episode; of the resets it finds
from none (a fast runner) to all but the last one.
"""
SAMPLED_STEPS = 100_000


def mark_ends(log: Log, bad: NDArray[np.bool_], horizon: int | None) -> None:
    """Mark as truncated every end that the log shows but does not mark."""
    ends = log.terminated | log.truncated
    follows = log.next_observation
    found = jumps(log, ends) if follows is None else discontinuities(log.observation, follows)
    found &= ~(bad | preceding(bad))  # what was there is not known
    report_unmarked(log, found & ~ends)
    log.truncated |= found & ~ends
    if horizon is not None:
        log.truncated |= ends_by_horizon(log.terminated | log.truncated, horizon) & ~log.terminated
    if not (log.terminated[-1] or log.truncated[-1]):
        log.truncated[-1] = True
        log.notes.append(Finding("note", "the last episode is unfinished and taken as cut"))


def preceding(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows right before a marked one."""
    return np.concatenate([marked[1:], [False]])


def report_unmarked(log: Log, unmarked: NDArray[np.bool_]) -> None:
    if not unmarked.any():
        return
    count, rows = int(unmarked.sum()), len(unmarked)
    text = f"{count:,} episode ends were not marked; they are taken as cut"
    if count > rows / 2:
        text = f"{count:,} of {rows:,} rows are not followed by the state that they store as next"
    log.notes.append(Finding("warning", text, int(np.argmax(unmarked))))


def discontinuities(
    observation: NDArray[np.float32], next_observation: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Rows whose stored successor is not the observation of the row that follows."""
    found = np.zeros(len(observation), np.bool_)
    for block in blocks(len(found) - 1):
        after = observation[block.start + 1 : block.stop + 1]
        with np.errstate(over="ignore"):  # a gap beyond float32 is a gap
            gap = np.abs(next_observation[block] - after)
        found[block] = (gap > SAME * np.maximum(np.abs(after), 1.0)).any(axis=1)
    return found


def jumps(log: Log, ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows after which a number that always moves moves as it never does inside an episode."""
    found = np.zeros(len(log.reward), np.bool_)
    inside = np.flatnonzero(~ends[:-1])
    if not inside.size:
        return found
    sample = inside[:: max(len(inside) // SAMPLED_STEPS, 1)]
    steps = np.abs(log.observation[sample + 1] - log.observation[sample].astype(np.float64))
    # A goal or a switch does not move at most steps; its change proves nothing.
    moving = np.median(steps, axis=0) > 0
    longest = np.where(moving, JUMP * np.percentile(steps, USUAL, axis=0), np.inf)
    for block in blocks(len(found) - 1):
        here = log.observation[block].astype(np.float64)
        after = log.observation[block.start + 1 : block.stop + 1]
        found[block] = (np.abs(after - here) > longest).any(axis=1)
    return found


def ends_by_horizon(ends: NDArray[np.bool_], horizon: int) -> NDArray[np.bool_]:
    """Rows that are the last of as many steps as an episode can have."""
    rows = np.arange(len(ends))
    starts = np.concatenate([[True], ends[:-1]])
    age = rows - np.maximum.accumulate(np.where(starts, rows, 0))
    return (age + 1) % horizon == 0


def add_successors(log: Log, bad: NDArray[np.bool_], allocate: Allocate) -> None:
    """Give every row its successor, and leave out bad rows and those that have none."""
    drop = bad.copy()
    ends = log.terminated | log.truncated
    if log.next_observation is None:
        lost = preceding(bad) & ~ends
        without = (log.truncated & ~log.terminated & ~bad) | lost
        log.notes += finding_on(without, "note", "left out", " without a successor")
        drop |= without
        log.next_observation = next_rows(log, drop, allocate)
    else:
        log.next_observation = compact(log.next_observation, ~drop)
    cut_short = preceding(drop) & ~log.terminated
    log.truncated |= cut_short
    keep = ~drop
    for name in ("observation", "action", "reward", "terminated", "truncated"):
        setattr(log, name, compact(getattr(log, name), keep))
    if keep.any():
        log.truncated[-1] |= not log.terminated[-1]


def next_rows(log: Log, drop: NDArray[np.bool_], allocate: Allocate) -> NDArray[np.float32]:
    """The successor of every row that stays: the next row, or itself where nothing follows."""
    out = allocate("next_observation", (int((~drop).sum()), log.observation.shape[1]))
    filled = 0
    for block in blocks(len(drop)):
        rows = block.start + np.flatnonzero(~drop[block])
        out[filled : filled + len(rows)] = log.observation[rows + ~log.terminated[rows]]
        filled += len(rows)
    return out
