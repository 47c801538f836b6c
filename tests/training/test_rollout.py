import contextlib
import dataclasses
import time
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box

from road.errors import EnvironmentFailure
from road.tasks import TASKS
from road.tasks.closing import close_all
from road.training.evaluate import Evaluator
from road.training.guards import checked_flag
from road.training.rollout import Rollout

TASK = TASKS["pendulum-mixed"]


def actions(number: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, 1).astype(np.float32) for _ in range(number)]


def test_a_resumed_episode_continues_in_the_same_state():
    one, other = Rollout(TASK, seed=1), Rollout(TASK, seed=1)
    for action in actions(250):  # one episode of 200 steps, and 50 of the next
        one.step(action)
    assert (one.episode, len(one.actions)) == (1, 50)
    other.restore(one.episode, list(one.actions))
    np.testing.assert_array_equal(other.observation, one.observation)
    assert other.raw_return == one.raw_return
    step, again = one.step(actions(1)[0])[0], other.step(actions(1)[0])[0]
    np.testing.assert_array_equal(step.next_observation, again.next_observation)
    assert step.reward == again.reward


def test_a_time_limit_truncates_and_the_stored_reward_is_transformed():
    rollout = Rollout(TASK, seed=0)
    steps = [rollout.step(action) for action in actions(200)]
    last, finished = steps[-1]
    assert (last.terminated, last.truncated) == (False, True)
    assert finished is not None and finished.length == 200 and not finished.terminated
    stored = sum(step.reward for step, _ in steps)
    assert stored == pytest.approx(0.1 * finished.raw_return, rel=1e-4)


def test_episodes_differ_and_seeds_differ():
    rollout = Rollout(TASK, seed=0)
    first = rollout.observation
    rollout.restore(1, [])
    assert not np.array_equal(first, rollout.observation)
    assert not np.array_equal(first, Rollout(TASK, seed=1).observation)


GOOD = (np.zeros(2, np.float32), 0.0, False, False, {})
RESULTS: dict[str, Any] = {
    "nan": (np.array([0.0, np.nan], np.float32), *GOOD[1:]),
    "words": ("forward", *GOOD[1:]),
    "shape": (np.zeros(3, np.float32), *GOOD[1:]),
    "reward": (GOOD[0], np.inf, *GOOD[2:]),
    "array": (*GOOD[:2], np.array([True, False]), False, {}),
    "single": (*GOOD[:2], np.array([True]), False, {}),
    "nothing": (*GOOD[:2], None, False, {}),
    "word": (*GOOD[:2], "False", False, {}),
    "old": GOOD[1:],
}
RAISED = {"raise": AssertionError("the motor is on fire"), "exit": SystemExit(0)}


class Broken(gymnasium.Env[Any, Any]):
    """An environment that misbehaves at its third step, as asked."""

    observation_space = Box(-1, 1, (2,), np.float32)
    action_space = Box(-1, 1, (1,), np.float32)

    def __init__(self, fault: str) -> None:
        self.fault, self.steps = fault, 0

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        del action
        self.steps += 1
        if self.steps != 3:
            return GOOD
        if self.fault in RAISED:
            raise RAISED[self.fault]
        return RESULTS[self.fault]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise", "AssertionError in step of episode 0: the motor is on fire"),
        ("nan", "non-finite observation in episode 0, step 2"),
        ("reward", r"non-finite reward \(inf\) in episode 0, step 2"),
        ("shape", r"shape \(3,\), not \(2,\)"),
        ("exit", "raised SystemExit in step"),
        ("words", "not numbers, 'forward'"),
        ("array", r"terminated must be True or False, got array\(\[ True, False\]\)"),
        ("single", "terminated must be True or False, got array"),
        ("nothing", "terminated must be True or False, got None"),
        ("word", "terminated must be True or False, got 'False'"),
        ("old", "step returned 4 values, not 5"),
    ],
)
def test_a_broken_environment_is_named_and_its_step_is_not_stored(fault: str, said: str):
    rollout = Rollout(dataclasses.replace(TASK, environment=lambda: Broken(fault)), seed=0)
    action = np.zeros(1, np.float32)
    rollout.step(action)
    rollout.step(action)
    with pytest.raises(EnvironmentFailure, match=said):
        rollout.step(action)
    assert len(rollout.actions) == 2


@pytest.mark.parametrize("value", [True, np.True_, 1, np.int64(1), np.array(True)])
def test_a_truth_value_may_come_from_any_library(value: object):
    assert checked_flag("terminated", value, "here") is True


@pytest.mark.parametrize("fault", [RuntimeError("no motor"), SystemExit(1)])
def test_an_environment_that_fails_in_close_is_reported(fault: BaseException):
    class Fails(Broken):
        def close(self) -> None:
            raise fault

    faults = close_all([Fails(""), Fails("")])
    assert len(faults) == 1
    assert f"raised {type(fault).__name__} in close" in faults[0]


def test_an_environment_that_never_closes_is_left():
    class Hangs(Broken):
        def close(self) -> None:
            while True:
                with contextlib.suppress(Exception):
                    time.sleep(60)

    began = time.monotonic()
    assert "close had not ended after 0.1 seconds" in close_all([Hangs(""), Hangs("")], 0.1)[0]
    assert time.monotonic() - began < 10


def always(observations: np.ndarray, step: int) -> np.ndarray:
    """A policy that pushes the same way everywhere."""
    del step
    return np.full((len(observations), 1), 0.5, np.float32)


def test_an_evaluation_is_a_function_of_seed_and_index():
    evaluator = Evaluator(TASK, seed=0, episodes=3)
    first = evaluator(always, 0)
    assert evaluator(always, 1) != first
    assert evaluator(always, 0) == first
    assert Evaluator(TASK, seed=0, episodes=3)(always, 0) == first
    assert first is not None and first.length_mean == 200


def test_more_episodes_than_lanes_are_all_played():
    """12 episodes in 10 lanes: the mean of all twelve, each with the seed of its own number."""
    many = Evaluator(TASK, seed=0, episodes=12)(always, 0)
    assert many is not None
    rollouts = Evaluator(TASK, seed=0, episodes=10)(always, 0)
    assert rollouts is not None and many.return_mean != rollouts.return_mean
    assert many.episodes == 12


def test_an_evaluation_that_is_asked_to_stop_gives_nothing():
    assert Evaluator(TASK, seed=0, episodes=2)(always, 0, lambda: True) is None
