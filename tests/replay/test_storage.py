import numpy as np
import pytest

from road.replay.buffer import OnlineBuffer
from road.replay.transitions import unpack
from road.types import Spec


def append(buffer: OnlineBuffer, reward: float, *, terminated: bool = False) -> None:
    observation = np.full(5, reward, np.float32)
    buffer.append(
        observation, np.zeros(2, np.float32), reward, observation + 1, terminated=terminated
    )


def test_returns_are_unknown_while_the_episode_runs_and_known_when_it_ends(spec: Spec):
    buffer = OnlineBuffer(spec, 10)
    append(buffer, 1.0)
    append(buffer, 2.0)
    assert (unpack(buffer.filled(), spec).return_to_go == -np.inf).all()
    buffer.end_episode(discount=0.5)
    append(buffer, 8.0)
    np.testing.assert_array_equal(unpack(buffer.filled(), spec).return_to_go, [2.0, 2.0, -np.inf])


def test_two_episodes_of_unequal_length_have_returns_of_their_own(spec: Spec):
    buffer = OnlineBuffer(spec, 10)
    append(buffer, 1.0)
    append(buffer, 1.0)
    buffer.end_episode(discount=1.0)
    append(buffer, 5.0)
    buffer.end_episode(discount=1.0)
    np.testing.assert_array_equal(unpack(buffer.filled(), spec).return_to_go, [2.0, 1.0, 5.0])


def test_a_time_limit_is_not_stored_as_an_end(spec: Spec):
    buffer = OnlineBuffer(spec, 10)
    append(buffer, 1.0)
    buffer.end_episode(discount=0.9)
    append(buffer, 1.0, terminated=True)
    buffer.end_episode(discount=0.9)
    np.testing.assert_array_equal(unpack(buffer.filled(), spec).terminated, [0.0, 1.0])


def test_the_ring_forgets_the_oldest_and_ends_episodes_across_its_seam(spec: Spec):
    buffer = OnlineBuffer(spec, 3)
    for reward in (1.0, 2.0, 3.0, 4.0):
        append(buffer, reward)
    buffer.end_episode(discount=1.0)
    rows = unpack(buffer.filled(), spec)
    np.testing.assert_array_equal(rows.reward, [4.0, 2.0, 3.0])
    np.testing.assert_array_equal(rows.return_to_go, [4.0, 9.0, 7.0])
    assert len(buffer) == 3


def test_the_newest_rows_and_the_older_ones_share_the_ring_between_them(spec: Spec):
    """Rows 2 to 6 are left in a ring of five that has gone round; two of them are held back."""
    buffer = OnlineBuffer(spec, 5)
    for reward in range(4):
        append(buffer, float(reward))
    assert buffer.older(3) == (0, 1)
    assert buffer.older(0) == (0, 4)
    assert buffer.older(9) == (0, 0)
    for reward in range(4, 7):
        append(buffer, float(reward))
    np.testing.assert_array_equal(unpack(buffer.newest(2), spec).reward, [5.0, 6.0])
    np.testing.assert_array_equal(unpack(buffer.newest(9), spec).reward, [2, 3, 4, 5, 6])
    begin, count = buffer.older(2)
    places = (begin + np.arange(count)) % 5
    np.testing.assert_array_equal(unpack(buffer.rows[places], spec).reward, [2.0, 3.0, 4.0])


def test_a_restored_ring_goes_on_the_same(spec: Spec):
    one, other = OnlineBuffer(spec, 4), OnlineBuffer(spec, 4)
    for reward in range(6):
        append(one, float(reward))
    other.restore(one.filled().copy(), one.written, one.running)
    for buffer in (one, other):
        append(buffer, 9.0)
        buffer.end_episode(discount=0.9)
    np.testing.assert_array_equal(one.filled(), other.filled())


def test_rows_of_another_shape_are_refused(spec: Spec):
    buffer = OnlineBuffer(spec, 4)
    with pytest.raises(ValueError, match="do not fit"):
        buffer.restore(np.zeros((2, 3), np.float32), written=2, running=0)
