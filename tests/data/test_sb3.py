"""Replay buffers of Stable-Baselines3, laid out by hand as that library lays them out.

Tried on real ones too: what differed is in the guide on data.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from road.data import Reading, from_sb3
from road.errors import DataError


def ring(size: int, steps: int, environments: int, *, saves_memory: bool) -> SimpleNamespace:
    """A buffer after that many steps, written as ``ReplayBuffer.add`` writes.

    Step t of environment e observes 100 e + t, acts (t mod 2) and is paid t; every fifth step
    ends an episode in a state 1000 higher, every tenth by a time limit. Where memory is saved, the
    successor goes to the next place, where the next step puts its own observation, and time limits
    are not distinguished from ends.
    """
    buffer = SimpleNamespace(
        observations=np.zeros((size, environments, 1), np.float32),
        next_observations=None if saves_memory else np.zeros((size, environments, 1), np.float32),
        actions=np.zeros((size, environments, 1), np.float32),
        rewards=np.zeros((size, environments), np.float32),
        dones=np.zeros((size, environments), np.float32),
        timeouts=np.zeros((size, environments), np.float32),
        pos=0,
        full=False,
    )
    base = 100.0 * np.arange(environments)[:, None]
    for step in range(steps):
        buffer.observations[buffer.pos] = base + step
        successor = base + step + (1001 if step % 5 == 4 else 1)
        if buffer.next_observations is None:
            buffer.observations[(buffer.pos + 1) % size] = successor
        else:
            buffer.next_observations[buffer.pos] = successor
        buffer.actions[buffer.pos] = step % 2
        buffer.rewards[buffer.pos] = step
        buffer.dones[buffer.pos] = step % 5 == 4
        buffer.timeouts[buffer.pos] = step % 10 == 9 and not saves_memory
        buffer.pos = (buffer.pos + 1) % size
        buffer.full = buffer.full or buffer.pos == 0
    return buffer


def test_rows_come_oldest_first_one_environment_after_the_other() -> None:
    read = from_sb3(ring(size=20, steps=12, environments=2, saves_memory=False))
    assert read.reward.tolist() == [*range(12), *range(12)]
    assert read.observation[:, 0].tolist() == [*range(12), *range(100, 112)]
    following = [1, 2, 3, 4, 1005, 6, 7, 8, 9, 1010, 11, 12]
    assert read.next_observation[:, 0].tolist() == [*following, *(100 + n for n in following)]


def test_a_time_limit_is_not_an_end_and_neither_is_the_end_of_the_log() -> None:
    read = from_sb3(ring(size=20, steps=12, environments=2, saves_memory=False))
    assert np.flatnonzero(read.terminated).tolist() == [4, 16]
    assert np.flatnonzero(read.truncated).tolist() == [9, 11, 21, 23]


def test_a_full_ring_begins_at_its_oldest_row() -> None:
    read = from_sb3(ring(size=8, steps=13, environments=1, saves_memory=False))
    assert read.reward.tolist() == [5, 6, 7, 8, 9, 10, 11, 12]


@pytest.mark.parametrize(("steps", "rows", "end"), [(6, range(5), 4), (13, range(6, 12), 9)])
def test_where_memory_is_saved_the_next_place_tells_the_successor(
    steps: int, rows: range, end: int
) -> None:
    """A full ring has lost its oldest row, and the newest one is not followed by another."""
    read = from_sb3(ring(size=8, steps=steps, environments=2, saves_memory=True))
    assert read.reward.tolist() == [*rows, *rows]
    inside = ~read.terminated
    assert (read.next_observation == read.observation + 1)[inside].all()
    assert read.reward[read.terminated].tolist() == [end, end]


def test_where_memory_is_saved_no_episode_runs_into_the_next() -> None:
    """What followed a time limit is overwritten by a first observation: such rows are left out."""
    buffer = ring(size=20, steps=12, environments=1, saves_memory=True)
    read = from_sb3(buffer, Reading(terminals="timeouts"))
    assert read.reward.tolist() == [0, 1, 2, 3, 5, 6, 7, 8, 10]
    assert np.flatnonzero(read.truncated).tolist() == [3, 7, 8]
    assert (read.next_observation == read.observation + 1).all()


def test_discrete_actions_are_refused() -> None:
    buffer = ring(size=8, steps=3, environments=1, saves_memory=False)
    buffer.actions = buffer.actions.astype(np.int64)
    with pytest.raises(DataError, match="actions are int64"):
        from_sb3(buffer)


def test_an_empty_buffer_is_refused() -> None:
    with pytest.raises(DataError, match="holds no rows"):
        from_sb3(ring(size=8, steps=0, environments=1, saves_memory=False))


def test_dict_observations_are_named() -> None:
    buffer = ring(size=8, steps=3, environments=1, saves_memory=False)
    buffer.observations = {"camera": buffer.observations, "joints": buffer.observations}
    with pytest.raises(DataError, match="camera, joints"):
        from_sb3(buffer)
