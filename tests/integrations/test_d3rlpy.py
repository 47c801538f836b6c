"""Against the real d3rlpy: `make d3rlpy` makes its environment and runs this."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.integrations.conftest import run_example, run_guide

pytest.importorskip("d3rlpy", reason="it has its own environment: make integrations")

import d3rlpy
import gymnasium
from d3rlpy.algos import CalQLConfig, IQLConfig
from d3rlpy.dataset import Episode, FIFOBuffer, ReplayBuffer, create_infinite_replay_buffer
from d3rlpy.logging import NoopAdapterFactory
from d3rlpy.models import VectorEncoderFactory
from d3rlpy.preprocessing import MinMaxActionScaler

from road.errors import DataError
from road.integrations.d3rlpy import RoadCallback, RoadMixedBuffer
from road.mixing import Controller, FixedMixer, RoadMixer
from road.records.reader import load_run

SMALL = VectorEncoderFactory([8])
ALGORITHMS = {
    "iql": IQLConfig(
        batch_size=20, actor_encoder_factory=SMALL, critic_encoder_factory=SMALL,
        value_encoder_factory=SMALL,
    ),
    "cal-ql": CalQLConfig(
        batch_size=20, n_action_samples=2, actor_encoder_factory=SMALL,
        critic_encoder_factory=SMALL,
    ),
}  # fmt: skip


def episode(length: int, reward: float, observations: int = 3, actions: int = 1) -> Episode:
    rng = np.random.default_rng(0)
    return Episode(
        observations=rng.uniform(-1, 1, (length, observations)).astype(np.float32),
        actions=rng.uniform(-1, 1, (length, actions)).astype(np.float32),
        rewards=np.full((length, 1), reward, np.float32),
        terminated=False,
    )


def offline(count: int = 101, **shapes: int) -> ReplayBuffer:
    return create_infinite_replay_buffer([episode(count, -7.0, **shapes)])


def online() -> ReplayBuffer:
    return ReplayBuffer(FIFOBuffer(1000), env=gymnasium.make("Pendulum-v1"))


def step(buffer: RoadMixedBuffer, count: int, reward: float = -1.0) -> None:
    for _ in range(count):
        buffer.append(np.zeros(3, np.float32), np.zeros(1, np.float32), reward)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_fine_tunes_and_its_periods_end(name: str, tmp_path: Path):
    d3rlpy.seed(0)
    algo, controller = ALGORITHMS[name].create(device="cpu"), Controller(RoadMixer())
    buffer = RoadMixedBuffer(online(), offline(), controller)
    algo.fit_online(
        gymnasium.make("Pendulum-v1"), buffer, n_steps=60, n_steps_per_epoch=60,
        logger_adapter=NoopAdapterFactory(), show_progress=False,
        callback=RoadCallback(buffer, period=10, rows=20),
    )  # fmt: skip
    ratios = [period.offline_ratio for period in controller.history]
    assert ratios == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert all(np.isfinite(period.credit) for period in controller.history)
    controller.save(tmp_path, agent=name)
    assert load_run(tmp_path).periods["realised_ratio"].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_batches_hold_the_share_that_the_controller_says():
    buffer = RoadMixedBuffer(online(), offline(), Controller(FixedMixer(0.3)))
    step(buffer, 20)
    rewards = [buffer.sample_transition_batch(25).rewards for _ in range(4)]
    assert [int((each == -7.0).sum()) for each in rewards] == [8, 7, 8, 7]


def test_before_the_first_online_row_all_are_offline():
    buffer = RoadMixedBuffer(online(), offline(), Controller(FixedMixer(0.3)))
    assert (buffer.sample_transition_batch(9).rewards == -7.0).all()
    assert buffer.period_began is None


def test_the_return_of_a_running_episode_is_not_known_and_then_it_is():
    """Rewards are -1; of the last full row of a cut episode the return is -1 - 1 = -2."""
    buffer = RoadMixedBuffer(online(), offline(), Controller(FixedMixer(0.0)))
    step(buffer, 2)
    (row,) = buffer.sample_transition_batch(1).transitions
    assert row.rewards_to_go.tolist() == [[-np.inf]]
    buffer.clip_episode(False)
    (row,) = buffer.sample_transition_batch(1).transitions
    assert row.rewards_to_go.tolist() == [[-1.0], [-1.0]]
    step(buffer, 1)  # the next episode has begun, and has no whole row yet
    (row,) = buffer.sample_transition_batch(1).transitions
    assert row.rewards_to_go.tolist() == [[-1.0], [-1.0]]


def test_the_algorithms_own_networks_are_asked_after_its_own_scalers():
    """With one critic, what the library itself predicts; every row of a source is the same."""
    scaler = MinMaxActionScaler(minimum=-2.0, maximum=2.0)
    algo = IQLConfig(n_critics=1, action_scaler=scaler).create(device="cpu")
    dataset = create_infinite_replay_buffer([episode(2, -7.0)])
    algo.build_with_dataset(dataset)
    buffer = RoadMixedBuffer(online(), dataset, Controller(RoadMixer()))
    step(buffer, 2)
    d3rlpy.seed(1)
    RoadCallback(buffer, rows=4).end_period(algo)
    (period,) = buffer.controller.history

    d3rlpy.seed(1)
    (row,) = dataset.sample_transition_batch(1).transitions
    for at, did, reported in (
        (row.observation, row.action, period.offline_advantage),
        (np.zeros(3, np.float32), np.zeros(1, np.float32), period.online_advantage),
    ):
        states, actions = np.tile(at, (4, 1)), np.tile(did, (4, 1))
        chosen = algo.predict_value(states, algo.sample_action(states))
        assert reported == pytest.approx(
            np.mean(chosen - algo.predict_value(states, actions)), abs=1e-6
        )


def test_a_period_may_be_an_episode():
    d3rlpy.seed(0)
    algo, controller = ALGORITHMS["iql"].create(device="cpu"), Controller(RoadMixer())
    algo.build_with_dataset(offline())
    buffer = RoadMixedBuffer(online(), offline(), controller)
    callback: Any = RoadCallback(buffer, "episode", rows=5)
    for _ in range(2):
        step(buffer, 3)
        buffer.sample_transition_batch(4)
        callback(algo, 0, 0)
        buffer.clip_episode(False)
        callback(algo, 0, 0)
    assert len(controller.history) == 2


def test_a_dataset_that_does_not_fit_is_refused():
    controller = Controller(FixedMixer(0.5))
    with pytest.raises(DataError, match=r"observation has shape .*4.* online .*3"):
        RoadMixedBuffer(online(), offline(observations=4), controller)
    with pytest.raises(DataError, match=r"action has shape .*2.* online .*1"):
        RoadMixedBuffer(online(), offline(actions=2), controller)
    with pytest.raises(DataError, match="holds no transitions"):
        RoadMixedBuffer(online(), online(), controller)
    with pytest.raises(ValueError, match="got -1"):
        RoadCallback(RoadMixedBuffer(online(), offline(), controller), -1)


def test_the_example_runs(tmp_path: Path):
    assert run_example("d3rlpy_iql.py", tmp_path).endswith("[0.1, 0.2, 0.3, 0.4, 0.5]\n")


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run_guide("d3rlpy.md", tmp_path, monkeypatch)
