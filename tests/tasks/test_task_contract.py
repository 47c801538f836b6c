"""What holds for every task of the catalogue."""

import hashlib
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from road.tasks import Dataset, Environment, Task
from road.tasks.record import reset_seed

DATASET_SEED = 0
CLAIMS_THE_OPPOSITE = "pendulum-flipped"


def episodes(dataset: Dataset) -> list[slice]:
    ends = np.flatnonzero(dataset.episode_ends) + 1
    return [slice(int(first), int(last)) for first, last in zip([0, *ends], ends, strict=False)]


def fingerprint(dataset: Dataset) -> str:
    return hashlib.sha256(b"".join(a.tobytes() for a in dataset.arrays().values())).hexdigest()


def rollout(environment: Environment, seed: int, actions: NDArray[np.float32]) -> bytes:
    first, _ = environment.reset(seed=seed)
    seen = [np.array(first)]
    for action in actions:
        observation, _, terminated, truncated, _ = environment.step(action)
        seen.append(np.array(observation))
        if terminated or truncated:
            break
    return np.stack(seen).tobytes()


def random_actions(environment: Environment, count: int, seed: int) -> NDArray[np.float32]:
    shape = (count, *(environment.action_space.shape or ()))
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape).astype(np.float32)


def test_spaces_are_flat_float32_and_actions_lie_in_the_unit_box(environment: Environment) -> None:
    observations, actions = environment.observation_space, environment.action_space
    assert isinstance(observations, gymnasium.spaces.Box)
    assert isinstance(actions, gymnasium.spaces.Box)
    assert observations.dtype == actions.dtype == np.float32
    assert len(observations.shape) == len(actions.shape) == 1
    assert (actions.low == -1.0).all()
    assert (actions.high == 1.0).all()


def test_what_the_environment_returns_lies_in_its_space(environment: Environment) -> None:
    observation, _ = environment.reset(seed=3)
    assert observation in environment.observation_space
    for action in random_actions(environment, 20, seed=0):
        observation, reward, *_ = environment.step(action)
        assert observation in environment.observation_space
        assert np.isfinite(float(reward))


def test_the_dataset_fits_the_environment(dataset: Dataset, environment: Environment) -> None:
    assert dataset.observation.shape[1:] == environment.observation_space.shape
    assert dataset.action.shape[1:] == environment.action_space.shape
    assert all(row in environment.observation_space for row in dataset.observation[::97])
    assert all(row in environment.action_space for row in dataset.action[::97])


def test_the_dataset_has_the_announced_size(task: Task, dataset: Dataset) -> None:
    assert len(dataset) == (20_000 if task.family == "pointmaze" else 10_000)


def test_an_episode_is_never_longer_than_the_horizon(task: Task, dataset: Dataset) -> None:
    assert max(part.stop - part.start for part in episodes(dataset)) <= task.horizon


def test_the_environment_cuts_an_episode_at_the_horizon(
    task: Task, environment: Environment
) -> None:
    environment.reset(seed=0)
    idle = np.zeros(environment.action_space.shape or (), np.float32)
    cuts = [bool(environment.step(idle)[3]) for _ in range(task.horizon)]
    assert cuts == [False] * (task.horizon - 1) + [True]


def test_rows_of_an_episode_follow_each_other(dataset: Dataset) -> None:
    inside = ~dataset.episode_ends[:-1]
    np.testing.assert_array_equal(
        dataset.next_observation[:-1][inside], dataset.observation[1:][inside]
    )


def test_a_row_that_is_cut_early_is_the_last_of_the_log(task: Task, dataset: Dataset) -> None:
    early = [
        part
        for part in episodes(dataset)
        if not dataset.terminated[part.stop - 1] and part.stop - part.start < task.horizon
    ]
    assert all(part.stop == len(dataset) for part in early)


@pytest.mark.parametrize("index", [0, 1, 7])
def test_stored_episodes_happen_again_in_the_environment(
    task: Task, dataset: Dataset, environment: Environment, index: int
) -> None:
    """Bit for bit: observations, rewards, ends. Where the data lies, its opposite happens."""
    sign = -1.0 if task.name == CLAIMS_THE_OPPOSITE else 1.0
    part = episodes(dataset)[index]
    observation, _ = environment.reset(seed=reset_seed(DATASET_SEED, index))
    for row in range(part.start, part.stop):
        np.testing.assert_array_equal(dataset.observation[row], observation)
        action = (sign * dataset.action[row]).astype(np.float32)
        observation, reward, terminated, truncated, _ = environment.step(action)
        np.testing.assert_array_equal(dataset.next_observation[row], observation)
        assert dataset.reward[row] == np.float32(reward)
        assert (dataset.terminated[row], dataset.truncated[row]) == (terminated, truncated)


def test_the_same_seed_makes_the_same_bytes(
    task: Task, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path))
    assert fingerprint(task.dataset()) == fingerprint(dataset)


def test_the_cache_returns_the_same_bytes(task: Task, dataset: Dataset) -> None:
    assert fingerprint(task.dataset()) == fingerprint(dataset)


def test_a_reset_seed_and_actions_decide_everything_that_follows(
    task: Task, environment: Environment
) -> None:
    """Also in an environment that has lived through other episodes, one of them unfinished."""
    actions = random_actions(environment, task.horizon, seed=5)
    for seed, count in ((11, task.horizon), (12, 40)):
        rollout(environment, seed, random_actions(environment, count, seed))
    fresh = task.environment()
    try:
        assert rollout(environment, 99, actions) == rollout(fresh, 99, actions)
    finally:
        fresh.close()


def test_another_reset_seed_begins_elsewhere(environment: Environment) -> None:
    first, _ = environment.reset(seed=1)
    second, _ = environment.reset(seed=2)
    assert not np.array_equal(first, second)


def test_references_score_0_and_100(task: Task) -> None:
    assert task.score.normalise(task.score.minimum) == 0.0
    assert task.score.normalise(task.score.maximum) == 100.0


def test_the_transform_treats_data_and_environment_alike(task: Task, dataset: Dataset) -> None:
    transformed = task.reward(dataset.reward[:50])
    assert transformed.dtype == np.float32
    one_by_one = [task.reward(float(reward)) for reward in dataset.reward[:50]]
    np.testing.assert_allclose(transformed, one_by_one, rtol=1e-6)


def test_settings_name_the_whole_budget(task: Task) -> None:
    budget = {"offline_steps", "online_steps", "batch_size", "period", "evaluate_every"}
    assert set(task.settings["run"]) == budget | {"evaluation_episodes"}
    assert "iql" in task.settings


def test_a_description_is_one_plain_sentence(task: Task) -> None:
    assert task.description.endswith(".")
    assert "\n" not in task.description
    assert len(task.description) < 100
