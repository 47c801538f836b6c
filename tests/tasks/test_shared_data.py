"""Genuine logs and trained experts against our rules; skipped where the folder is absent."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from road.data import load
from road.tasks import TASKS
from road.tasks.catalogue import find_custom_task
from road.tasks.custom import TaskOverrides
from road.tasks.families.adroit import SKILLS

SHARED = Path(
    os.environ.get("ROAD_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data")
)
pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason="real data is looked for at ../shared/data or $ROAD_SHARED_DATA"
)
ANT = "antmaze_umaze_d4rlant_20k.hdf5"
KITCHEN = "mini_kitchen_microwave_kettle_light_slider-v0.hdf5"


def shared(name: str) -> str:
    return f"file:{SHARED / 'datasets' / name}"


def test_the_genuine_kitchen_file_ends_where_the_fourth_subtask_is_solved() -> None:
    """19 demonstrations; 255 rows have all four solved, one of each demonstration is kept."""
    as_it_is = load(shared(KITCHEN))
    dataset = find_custom_task("kitchen-complete", TaskOverrides(data=shared(KITCHEN))).dataset()
    assert dataset.terminated.sum() == (dataset.reward == 4).sum() == 19
    assert not dataset.truncated.any()
    assert len(dataset) == 3680 - 255 + 19
    assert len(as_it_is) <= 3680


def test_the_kitchen_sees_what_the_genuine_file_shows() -> None:
    """The goal is the same 30 numbers, and objects at rest are seen with the same noise."""
    logged = load(shared(KITCHEN))
    starts = np.append(0, np.flatnonzero(logged.episode_ends)[:-1] + 1)
    environment = TASKS["kitchen-complete"].environment()
    seen = np.array([environment.reset(seed=seed)[0] for seed in range(100)])
    environment.close()
    np.testing.assert_allclose(seen[0, 30:], logged.observation[0, 30:], atol=1e-6)
    assert np.abs(seen[0, :30] - logged.observation[0, :30]).max() < 0.1
    first = [np.diff(logged.observation[start : start + 15, 9:30], axis=0) for start in starts]
    ratio = seen[:, 9:30].std(axis=0) / (np.concatenate(first).std(axis=0) / np.sqrt(2.0))
    assert ((ratio > 0.7) & (ratio < 1.4)).all(), ratio


@pytest.mark.parametrize("name", ["door", "pen"])
def test_rebuilt_rewards_are_the_successes_that_the_log_was_paid_for(name: str) -> None:
    """These logs were paid 10 for success and -0.1 else; success follows from the observation."""
    source = shared(f"{name}_expert_6k.hdf5")
    paid = load(source)
    mended = find_custom_task(f"{name}-binary", TaskOverrides(data=source)).dataset()
    np.testing.assert_array_equal(mended.reward, paid.reward == 10.0)
    assert 0.1 < mended.reward.mean() < 0.9
    assert not mended.terminated.any()


@pytest.mark.parametrize("name", ["pen", "door", "relocate"])
def test_an_expert_succeeds_where_the_observation_says_so(name: str) -> None:
    task, skill = TASKS[f"{name}-binary"], SKILLS[name]
    weights = np.load(SHARED / "policies" / f"adroit-{name}-dapg-expert.npz", allow_pickle=False)
    paid, recognised = [], []
    environment = task.environment()
    for seed in range(4):
        observation, _ = environment.reset(seed=seed)
        for _ in range(100):
            observation, reward, *_ = environment.step(expert_action(weights, observation))
            paid.append(reward)
            recognised.append(float(skill.success(observation[None])[0]))
    environment.close()
    assert paid == recognised
    assert sum(paid) > 20


def expert_action(weights: np.lib.npyio.NpzFile, observation: NDArray[np.float32]) -> NDArray:
    x = (observation - weights["in_shift"]) / (weights["in_scale"] + 1e-8)
    layers = sum(key.startswith("w") for key in weights.files)
    for layer in range(layers):
        x = weights[f"w{layer}"] @ x + weights[f"b{layer}"]
        x = np.tanh(x) if layer < layers - 1 else x
    action = x * weights["out_scale"] + weights["out_shift"]
    return np.clip(action, -1.0, 1.0).astype(np.float32)


@pytest.mark.parametrize("level", ["random", "medium", "expert"])
@pytest.mark.parametrize("body", ["hopper", "halfcheetah"])
def test_logged_steps_of_a_body_happen_in_its_environment(body: str, level: str) -> None:
    """Sizes agree, and so does the scale of the score: an expert's episodes score above 60."""
    source = shared(f"{body}_{level}_20k.hdf5")
    task = find_custom_task(f"{body}-{level}", TaskOverrides(data=source))
    dataset = task.dataset()
    environment = task.environment()
    assert dataset.observation.shape[1:] == environment.observation_space.shape
    assert dataset.action.shape[1:] == environment.action_space.shape
    environment.close()
    scores = [task.score.normalise(total) for total in whole_returns(dataset)]
    low, high = {"random": (-5, 10), "medium": (10, 80), "expert": (60, 150)}[level]
    assert low < np.mean(scores) < high


def test_logged_steps_of_d4rls_ant_happen_in_its_maze() -> None:
    """One step from each of 60 logged states, walls and contacts included; off by 1e-6 at most."""
    file = h5py.File(SHARED / "datasets" / ANT, "r")
    joints, speeds, actions, ends, cut = (
        file[name][:] for name in ("infos/qpos", "infos/qvel", "actions", "terminals", "timeouts")
    )
    environment = TASKS["antmaze-umaze"].environment()
    environment.reset(seed=0)
    inner: Any = environment.unwrapped
    inside = np.flatnonzero(~(ends | cut)[:-1])
    for row in inside[:: len(inside) // 60]:
        inner.ant_env.set_state(joints[row].astype(float), speeds[row].astype(float))
        environment.step(actions[row])
        np.testing.assert_allclose(inner.ant_env.data.qpos, joints[row + 1], atol=1e-6)
    environment.close()


def test_an_ants_log_in_d4rls_layout_is_read_and_ends_at_the_goal() -> None:
    """Its 201 successes are rewards of 1; its coordinates begin in the middle of the maze."""
    task = find_custom_task("antmaze-umaze", TaskOverrides(data=shared(ANT)))
    dataset = task.dataset()
    assert dataset.observation.shape[1:] == (29,)
    assert dataset.terminated.sum() == (dataset.reward == 1.0).sum() == 201
    (note,) = (note for note in dataset.notes if "coordinates begin elsewhere" in note.text)
    assert note.level == "warning"


def whole_returns(dataset) -> Iterator[float]:
    starts = np.append(0, np.flatnonzero(dataset.episode_ends)[:-1] + 1)
    yield from np.add.reduceat(dataset.reward, starts).tolist()[:-1]
