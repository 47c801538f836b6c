"""Replay buffers of Stable-Baselines3, laid out by hand as that library lays them out."""

from types import SimpleNamespace

import numpy as np
import pytest

from road.data import from_sb3
from road.errors import DataError


def ring(size: int, steps: int, environments: int, *, saves_memory: bool) -> SimpleNamespace:
    """A buffer after that many steps, written as ``ReplayBuffer.add`` writes.

    Step t of environment e observes 100 e + t, acts (t mod 2) and is paid t; every fifth step
    ends an episode, every tenth by a time limit. Where memory is saved, the successor goes to the
    next place, where the next step puts its own observation.
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
        if buffer.next_observations is None:
            buffer.observations[(buffer.pos + 1) % size] = base + step + 1
        else:
            buffer.next_observations[buffer.pos] = base + step + 1
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
    assert read.next_observation[:, 0].tolist() == [*range(1, 13), *range(101, 113)]


def test_a_time_limit_is_not_an_end_and_neither_is_the_end_of_the_log() -> None:
    read = from_sb3(ring(size=20, steps=12, environments=2, saves_memory=False))
    assert np.flatnonzero(read.terminated).tolist() == [4, 16]
    assert np.flatnonzero(read.truncated).tolist() == [9, 11, 21, 23]


def test_a_full_ring_begins_at_its_oldest_row() -> None:
    read = from_sb3(ring(size=8, steps=13, environments=1, saves_memory=False))
    assert read.reward.tolist() == [5, 6, 7, 8, 9, 10, 11, 12]


@pytest.mark.parametrize(("steps", "rows"), [(6, range(6)), (13, range(6, 13))])
def test_where_memory_is_saved_the_next_place_tells_the_successor(steps: int, rows: range) -> None:
    """A full ring has lost its oldest row: the newest successor lies there."""
    read = from_sb3(ring(size=8, steps=steps, environments=2, saves_memory=True))
    assert read.reward.tolist() == [*rows, *rows]
    assert (read.next_observation == read.observation + 1).all()
    assert read.truncated[len(rows) - 1]


def test_an_empty_buffer_is_refused() -> None:
    with pytest.raises(DataError, match="holds no rows"):
        from_sb3(ring(size=8, steps=0, environments=1, saves_memory=False))


def test_dict_observations_are_named() -> None:
    buffer = ring(size=8, steps=3, environments=1, saves_memory=False)
    buffer.observations = {"camera": buffer.observations, "joints": buffer.observations}
    with pytest.raises(DataError, match="camera, joints"):
        from_sb3(buffer)
