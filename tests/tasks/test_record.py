"""Recording a behaviour: order, cuts, randomness."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.tasks.record import Policy, acting_rng, random_walk, record, reset_seed


class Corridor(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """Counts steps; ends truly after three, or is cut after two where the seed is even."""

    observation_space = gymnasium.spaces.Box(0.0, 9.0, (1,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed, options=options)
        assert seed is not None
        self.even, self.place = seed % 2 == 0, 0
        return self.here(), {}

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        del action
        self.place += 1
        cut = self.even and self.place == 2
        return self.here(), 10.0 * self.place, self.place == 3, cut, {}

    def here(self) -> NDArray[np.float32]:
        return np.array([self.place], np.float32)


def still(episode: int, rng: np.random.Generator) -> Policy:
    del rng
    return lambda _: np.full(1, 0.1 * episode)


def test_rows_follow_in_time_order_and_the_last_is_cut() -> None:
    lengths = [2 if reset_seed(0, episode) % 2 == 0 else 3 for episode in range(3)]
    rows = sum(lengths) + 1
    dataset = record(Corridor(), still, rows, seed=0)
    places = [*range(lengths[0]), *range(lengths[1]), *range(lengths[2]), 0]
    assert dataset.observation[:, 0].tolist() == places
    assert dataset.next_observation[:, 0].tolist() == [place + 1 for place in places]
    assert dataset.reward.tolist() == [10.0 * (place + 1) for place in places]
    assert np.flatnonzero(dataset.episode_ends).tolist() == [*(np.cumsum(lengths) - 1), rows - 1]
    assert dataset.terminated.tolist() == [place == 2 for place in places]
    assert dataset.truncated[-1]


def test_a_log_that_ends_with_a_true_end_is_not_cut() -> None:
    odd = next(seed for seed in range(99) if reset_seed(seed, 0) % 2)
    dataset = record(Corridor(), still, 3, seed=odd)
    assert dataset.terminated.tolist() == [False, False, True]
    assert not dataset.truncated.any()


def test_each_episode_has_its_own_policy() -> None:
    dataset = record(Corridor(), still, 9, seed=0)
    begins = dataset.observation[:, 0] == 0
    expected = (0.1 * (np.cumsum(begins) - 1)).astype(np.float32)
    np.testing.assert_array_equal(dataset.action[:, 0], expected)


def test_a_shorter_log_is_the_beginning_of_a_longer_one() -> None:
    def walk(episode: int, rng: np.random.Generator) -> Policy:
        del episode
        return random_walk(1, 0.5, rng)

    short, long = (record(Corridor(), walk, rows, seed=4) for rows in (7, 20))
    np.testing.assert_array_equal(short.action, long.action[:7])
    np.testing.assert_array_equal(short.observation, long.observation[:7])


def test_seeds_and_episodes_do_not_share_random_numbers() -> None:
    pairs = [(seed, episode) for seed in range(5) for episode in range(5)]
    assert len({reset_seed(*pair) for pair in pairs}) == 25
    assert len({acting_rng(*pair).random() for pair in pairs}) == 25


def test_a_random_walk_keeps_its_action_as_often_as_it_says() -> None:
    """With persistence 0.75 a quarter of 20,000 steps change the action; 1 % is three errors."""
    act = random_walk(2, 0.75, np.random.default_rng(0))
    actions = np.stack([act(np.zeros(1, np.float32)) for _ in range(20_000)])
    changed = (actions[1:] != actions[:-1]).any(axis=1)
    assert abs(changed.mean() - 0.25) < 0.01
    assert np.abs(actions).max() <= 1.0
    assert np.abs(actions.mean(axis=0)).max() < 0.05
