"""Where episodes end and what follows every row, for any log that could be written."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from road.data import Reading, from_arrays, from_episodes
from road.errors import DataError


@dataclass(frozen=True)
class Episode:
    """Of that many steps; its observations are numbers that no other episode has."""

    steps: int
    terminates: bool


EPISODES = st.lists(st.builds(Episode, st.integers(1, 6), st.booleans()), min_size=1, max_size=8)


def log_of(episodes: list[Episode]) -> dict[str, np.ndarray]:
    """Row t of episode e observes 100 e + t and is followed by 100 e + t + 1."""
    pairs = [(index, step) for index, each in enumerate(episodes) for step in range(each.steps)]
    observation = np.array([[100.0 * index + step] for index, step in pairs], np.float32)
    last = np.array([step == episodes[index].steps - 1 for index, step in pairs])
    ends = np.array([episodes[index].terminates for index, _ in pairs]) & last
    return {
        "observations": observation,
        "actions": np.zeros((len(pairs), 1), np.float32),
        "rewards": np.arange(len(pairs), dtype=np.float32),
        "next_observations": observation + 1.0,
        "terminals": ends,
        "timeouts": last & ~ends,
    }


@given(EPISODES)
def test_a_log_that_stores_successors_keeps_every_row(episodes: list[Episode]) -> None:
    log = log_of(episodes)
    read = from_arrays(log)
    np.testing.assert_array_equal(read.next_observation, log["next_observations"])
    np.testing.assert_array_equal(read.terminated, log["terminals"])
    np.testing.assert_array_equal(read.truncated, log["timeouts"])


@given(EPISODES)
def test_unmarked_ends_are_found_where_successors_are_stored(
    episodes: list[Episode],
) -> None:
    log = log_of(episodes)
    ends = log["terminals"] | log["timeouts"]
    log["timeouts"] = np.zeros_like(ends)
    read = from_arrays(log)
    np.testing.assert_array_equal(read.episode_ends, ends)
    np.testing.assert_array_equal(read.terminated, log["terminals"])


@given(EPISODES)
def test_without_successors_only_the_last_rows_of_cut_episodes_go(episodes: list[Episode]) -> None:
    log = log_of(episodes)
    truth = log.pop("next_observations")
    cut = log["timeouts"]
    if cut.all():
        with pytest.raises(DataError, match="no row is left"):
            from_arrays(log)
        return
    read = from_arrays(log)
    np.testing.assert_array_equal(read.reward, log["rewards"][~cut])
    # A terminal row is followed by nothing, so it is its own successor.
    truth = np.where(log["terminals"][:, None], log["observations"], truth)
    np.testing.assert_array_equal(read.next_observation, truth[~cut])
    np.testing.assert_array_equal(read.terminated, log["terminals"][~cut])


@given(EPISODES)
def test_no_row_is_followed_by_a_row_of_another_episode(episodes: list[Episode]) -> None:
    log = log_of(episodes)
    del log["next_observations"]
    if log["timeouts"].all():
        return
    read = from_arrays(log)
    numbers = read.observation // 100
    assert (read.next_observation // 100 == numbers).all()
    changes = np.flatnonzero(np.diff(numbers[:, 0]))
    assert read.episode_ends[changes].all()
    assert read.episode_ends.sum() == len(np.unique(numbers))


@given(EPISODES, st.data())
def test_a_row_without_numbers_takes_nothing_else_along(
    episodes: list[Episode], data: st.DataObject
) -> None:
    log = log_of(episodes)
    bad = data.draw(st.integers(0, len(log["rewards"]) - 1))
    log["rewards"][bad] = np.nan
    if len(log["rewards"]) == 1:
        return
    read = from_arrays(log, Reading(drop_nonfinite=True))
    keep = np.arange(len(log["rewards"])) != bad
    np.testing.assert_array_equal(read.observation, log["observations"][keep])
    np.testing.assert_array_equal(read.next_observation, log["next_observations"][keep])
    assert read.terminated.sum() == log["terminals"][keep].sum()


def test_the_row_before_a_dropped_observation_has_no_successor_left() -> None:
    log = log_of([Episode(5, terminates=True)])
    del log["next_observations"]
    log["observations"][3] = np.inf
    read = from_arrays(log, Reading(drop_nonfinite=True))
    assert read.observation[:, 0].tolist() == [0.0, 1.0, 4.0]
    assert read.next_observation[:, 0].tolist() == [1.0, 2.0, 4.0]
    assert read.truncated.tolist() == [False, True, False]
    assert [str(note) for note in read.notes if note.level == "warning"] == [
        "left out 1 row with NaN or inf (first: row 3)"
    ]


def walk(rows: int, jumps: list[int]) -> dict[str, np.ndarray]:
    """A walk of short steps that starts again, far away, after each of the given rows."""
    rng = np.random.default_rng(0)
    steps = rng.uniform(0.5, 1.0, size=(rows, 2))
    steps[[row + 1 for row in jumps]] += 100.0
    switch = (np.arange(rows) > 50).astype(np.float32)
    observation = np.column_stack([np.cumsum(steps, axis=0), switch]).astype(np.float32)
    nothing = np.zeros(rows)
    return {
        "observations": observation,
        "actions": nothing[:, None],
        "rewards": nothing,
        "terminals": nothing,
    }


def test_a_jump_without_stored_successors_is_an_end() -> None:
    read = from_arrays(walk(1_000, jumps=[299, 700]))
    assert np.flatnonzero(read.truncated).tolist() == [298, 698, 996]
    assert len(read) == 1_000 - 3  # each cut episode loses its last row
    reported = [str(note) for note in read.notes]
    assert "2 episode ends were not marked; they are taken as cut (first: row 299)" in reported
    assert "left out 3 rows without a successor (first: row 299)" in reported


def test_a_switch_that_flips_once_is_no_end() -> None:
    read = from_arrays(walk(1_000, jumps=[]))
    assert np.flatnonzero(read.truncated).tolist() == [998]


@pytest.mark.parametrize("stored", [True, False])
def test_numbers_at_the_end_of_float32_are_compared_without_a_complaint(stored: bool) -> None:
    log = log_of([Episode(4, terminates=True)])
    log["observations"] = np.array([[3e38], [-3e38], [3e38], [-3e38]], np.float32)
    log["next_observations"] = np.roll(log["observations"], -1, axis=0)
    if not stored:
        del log["next_observations"]
    assert from_arrays(log).terminated.tolist() == [False, False, False, True]


def test_a_row_that_is_left_out_marks_no_end_before_it_where_successors_are_stored() -> None:
    log = log_of([Episode(6, terminates=False)])
    log["observations"][3] = np.nan
    log["next_observations"][2] = 7.0  # what was there, before the log lost it
    read = from_arrays(log, Reading(drop_nonfinite=True))
    assert [str(note) for note in read.notes] == ["left out 1 row with NaN or inf (first: row 3)"]
    assert np.flatnonzero(read.truncated).tolist() == [2, 4]


def test_a_horizon_cuts_what_is_not_marked() -> None:
    log = log_of([Episode(6, terminates=False)])
    read = from_arrays(log, Reading(horizon=2))
    assert np.flatnonzero(read.truncated).tolist() == [1, 3, 5]


def test_a_true_end_at_the_horizon_stays_one() -> None:
    log = log_of([Episode(2, terminates=True), Episode(3, terminates=False)])
    read = from_arrays(log, Reading(horizon=2))
    assert np.flatnonzero(read.terminated).tolist() == [1]
    assert np.flatnonzero(read.truncated).tolist() == [3, 4]


def test_terminals_that_are_time_limits_can_be_read_as_such() -> None:
    log = log_of([Episode(3, terminates=True), Episode(2, terminates=True)])
    read = from_arrays(log, Reading(terminals="timeouts"))
    assert not read.terminated.any()
    assert np.flatnonzero(read.truncated).tolist() == [2, 4]


def test_shuffled_rows_are_distinguished_from_a_few_unmarked_ends() -> None:
    log = log_of([Episode(6, terminates=False)])
    order = [3, 0, 4, 1, 5, 2]
    read = from_arrays({name: array[order] for name, array in log.items()})
    assert "rows are not followed by the state that they store as next" in str(read.notes[0])


@pytest.mark.parametrize(
    ("episode", "reported"),
    [
        ({"observations": np.zeros((4, 2))}, "episode 1 has 4 observations for 4 rewards"),
        ({"rewards": np.zeros(0)}, "episode 1 has no rewards"),
        ({"observations": np.array(3.0)}, "episode 1 has 0 observations for 4 rewards"),
        (
            {"terminated": np.array(np.nan)},
            "episode 1: terminated holds nan at row 0; write 0 or 1",
        ),
        ({"terminated": np.zeros(3)}, "episode 1: terminated has 3 rows where reward has 4"),
        ({"observations": np.zeros((5, 3))}, "observation of episode 1 has shape"),
        ({"rewards": np.zeros((4, 1))}, "reward of episode 1 has shape"),
        ({"actions": np.zeros((3, 1))}, "episode 1: action has 3 rows where reward has 4"),
    ],
)
def test_an_episode_that_does_not_add_up_is_named(
    episode: dict[str, np.ndarray], reported: str
) -> None:
    whole = {
        "observations": np.zeros((5, 2)),
        "actions": np.zeros((4, 1)),
        "rewards": np.zeros(4),
    }
    with pytest.raises(DataError, match=reported):
        from_episodes([whole, {**whole, **episode}])


def test_wrong_lengths_that_make_up_for_each_other_are_noticed() -> None:
    """Eight actions for eight rewards, but the second episode would begin one action early."""
    episode = {"observations": np.zeros((5, 2)), "rewards": np.zeros(4)}
    lengths = [3, 5]
    with pytest.raises(DataError, match="episode 0: action has 3 rows where reward has 4"):
        from_episodes([{**episode, "actions": np.zeros((length, 1))} for length in lengths])


def test_one_flag_for_an_episode_is_about_its_last_step() -> None:
    episode = {"observations": np.zeros((4, 2)), "actions": np.zeros((3, 1)), "rewards": np.ones(3)}
    read = from_episodes([{**episode, "terminated": True}, episode])
    assert read.terminated.tolist() == [False, False, True, False, False, False]
    assert read.truncated.tolist() == [False, False, False, False, False, True]


def test_successors_of_another_width_are_named() -> None:
    episode = {"observations": np.zeros((4, 2)), "actions": np.zeros((4, 1))}
    episode["rewards"] = np.zeros(4)
    pair = [{**episode, "next_observations": np.zeros((4, width))} for width in (2, 3)]
    with pytest.raises(DataError, match="next_observation of episode 1 has shape"):
        from_episodes(pair)
