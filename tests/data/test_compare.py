"""A log is compared with its environment by steps that are sampled in it."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.data.small_logs import FLIPPED, MAKERS, small_log

from road.data import Dataset
from road.data.compare import Steps, compare
from road.data.diagnostics import beyond_limit
from road.tasks.catalogue import as_logged
from road.tasks.sampled import sample_steps

SOUND = [name for name in MAKERS if name != FLIPPED]


@cache
def logged(name: str) -> tuple[Dataset, Steps]:
    task, dataset = as_logged(name), small_log(name)
    assert task is not None
    return dataset, sample_steps(task.environment(), dataset)


@pytest.fixture(params=SOUND)
def both(request: pytest.FixtureRequest) -> tuple[Dataset, Steps]:
    return logged(request.param)


def warned(dataset: Dataset, steps: Steps) -> list[str]:
    return [found.text for found in compare(dataset, steps)[0] if found.level == "warning"]


def negated(dataset: Dataset) -> Dataset:
    return replace(dataset, action=-dataset.action)


def with_reward(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Dataset], Dataset]:
    return lambda dataset: replace(dataset, reward=change(dataset.reward).astype(np.float32))


def test_a_sound_log_raises_no_alarm(both: tuple[Dataset, Steps]) -> None:
    assert warned(*both) == []


def test_negated_actions_are_found(both: tuple[Dataset, Steps]) -> None:
    dataset, steps = both
    (found,) = warned(negated(dataset), steps)
    assert "steps of the environment are not what the log leads to expect" in found


def test_the_task_that_negates_its_actions_is_found_out() -> None:
    dataset, steps = logged(FLIPPED)
    assert len(warned(dataset, steps)) == 1
    assert warned(negated(dataset), steps) == []


@pytest.mark.parametrize("change", [lambda r: 1.0 + r, lambda r: 10.0 * r], ids=["shift", "scale"])
def test_rewards_of_another_scale_are_found(
    change: Callable[[np.ndarray], np.ndarray],
    both: tuple[Dataset, Steps],
    request: pytest.FixtureRequest,
) -> None:
    dataset, steps = both
    sparse_and_never_paid = not steps.reward.any() and "scale" in request.node.name
    if sparse_and_never_paid:
        pytest.skip("no sampled step pays anything, and 10 times 0 is 0")
    (found,) = warned(with_reward(change)(dataset), steps)
    assert "the log's rewards are" in found


def test_steps_that_are_nowhere_near_the_log_are_another_environment(
    both: tuple[Dataset, Steps],
) -> None:
    dataset, steps = both
    elsewhere = replace(
        dataset,
        observation=dataset.observation + 100,
        next_observation=dataset.next_observation + 100,
    )
    (found,) = warned(elsewhere, steps)
    assert "0 of 1,500 steps sampled in the environment" in found


def test_episodes_beyond_the_limit_are_counted() -> None:
    dataset, _ = logged("pendulum-mixed")
    assert list(beyond_limit(dataset, 200, "Pendulum-v1")) == []
    (found,) = beyond_limit(dataset, 199, "Pendulum-v1")
    assert found.text.startswith("30 of 30 episodes are longer than the 199 steps of Pendulum-v1")
    assert found.row == 0
