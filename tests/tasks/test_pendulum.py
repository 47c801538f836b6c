"""The pendulum: a controller that works, and data that is what it claims to be."""

import numpy as np
import pytest

from road.tasks.catalogue import EMBEDDED_TASKS
from road.tasks.record import acting_rng, random_walk
from road.tasks.sources import pendulum
from road.tasks.sources.pendulum import make_environment, swing_up

MIXED, FLIPPED = (task for task in EMBEDDED_TASKS if task.family == "pendulum")


def controlled_return(seed: int) -> float:
    environment = make_environment()
    observation, _ = environment.reset(seed=seed)
    total, ended = 0.0, False
    while not ended:
        action = swing_up(observation).astype(np.float32)
        observation, reward, terminated, truncated, _ = environment.step(action)
        total, ended = total + float(reward), terminated or truncated
    environment.close()
    return total


@pytest.mark.parametrize(
    ("observation", "action"),
    [
        # Hanging at rest but for a small speed: 30 units short, 0.5 · (30 - 0.005) · 0.1 > 1.
        ([-1.0, 0.0, 0.1], 1.0),
        ([-1.0, 0.0, -0.1], -1.0),
        # At the side with speed 6: 15 - 18 = -3 to spare, -0.5 · 3 · 6 = -9, cut at -1.
        ([0.0, 1.0, 6.0], -1.0),
        # 0.02 rad off the top at rest: -5 · 0.02.
        ([0.9998, 0.0199987, 0.0], -0.1),
        # At the top with speed 0.3: -1 · 0.3.
        ([1.0, 0.0, 0.3], -0.3),
    ],
)
def test_the_controller_by_hand(observation: list[float], action: float) -> None:
    pushed = swing_up(np.array(observation, np.float32))
    np.testing.assert_allclose(pushed, [action], atol=1e-5)


def test_the_controller_scores_about_100() -> None:
    """The mean of 40 episodes has a standard error of 1.3 points."""
    mean_return = float(np.mean([controlled_return(seed) for seed in range(40)]))
    assert abs(MIXED.score.normalise(mean_return) - 100.0) < 5.0


def test_random_actions_score_about_0() -> None:
    """The mean of 40 episodes has a standard error of 4.4 points."""
    environment = make_environment()
    returns = []
    for seed in range(40):
        environment.reset(seed=seed)
        actions = np.random.default_rng(seed).uniform(-1, 1, (200, 1)).astype(np.float32)
        returns.append(sum(float(environment.step(action)[1]) for action in actions))
    environment.close()
    assert abs(MIXED.score.normalise(float(np.mean(returns)))) < 10.0


def test_a_full_action_is_the_full_torque() -> None:
    """Newton by hand: 0.05 s of 3 · 2 N m on top of gravity's 15 sin(theta)."""
    environment = make_environment()
    (_, sine, speed), _ = environment.reset(seed=0)
    (_, _, after), *_ = environment.step(np.ones(1, np.float32))
    environment.close()
    np.testing.assert_allclose(after, speed + 0.05 * (15.0 * sine + 6.0), atol=1e-5)


def test_three_of_ten_episodes_swing_the_pendulum_up() -> None:
    returns = MIXED.dataset().reward.reshape(50, 200).sum(axis=1)
    scores = np.array([MIXED.score.normalise(float(value)) for value in returns])
    scripted = np.arange(50) % 10 < 3
    assert scores[scripted].min() > 70.0
    assert scores[~scripted].max() < 60.0


def test_the_flipped_data_moves_against_its_actions() -> None:
    """What the speed gains beyond gravity has the sign opposite to the stored action."""
    data = FLIPPED.dataset()
    free = np.abs(data.next_observation[:, 2]) < 7.99
    gained = data.next_observation[:, 2] - data.observation[:, 2] - 0.75 * data.observation[:, 1]
    np.testing.assert_allclose(gained[free], -0.3 * data.action[free, 0], atol=1e-5)


def test_the_flipped_data_is_a_random_walk() -> None:
    act = random_walk(1, pendulum.PERSISTENCE, acting_rng(0, 0))
    walked = np.stack([act(np.zeros(3, np.float32)) for _ in range(200)]).astype(np.float32)
    np.testing.assert_array_equal(FLIPPED.dataset().action[:200], -walked)
