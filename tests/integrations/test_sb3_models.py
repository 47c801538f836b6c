"""Against the real Stable-Baselines3: `make sb3` makes its environment and runs this."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.integrations.conftest import pendulum_rows, run_example, run_guide

pytest.importorskip("stable_baselines3", reason="it has its own environment: make integrations")

import gymnasium
from gymnasium import spaces
from stable_baselines3 import DQN, SAC, TD3
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecNormalize

from road.errors import DataError, UsageError
from road.integrations.sb3 import NoteScore, RoadCallback, RoadReplayBuffer
from road.mixing import Controller, FixedMixer, RoadMixer
from road.records.reader import load_run
from road.records.summary import summarise
from road.report.run.page import write_report

SPACES = spaces.Box(-8.0, 8.0, (3,)), spaces.Box(-2.0, 2.0, (1,))
SMALL = {
    "learning_starts": 20,
    "batch_size": 20,
    "buffer_size": 1000,
    "train_freq": 5,
    "seed": 0,
    "device": "cpu",
}


def make(kind: Any = SAC, env: Any = None, offline: Any = None, mixer: Any = None) -> Any:
    offline = pendulum_rows(300) if offline is None else offline
    return kind(
        "MlpPolicy",
        gymnasium.make("Pendulum-v1") if env is None else env,
        replay_buffer_class=RoadReplayBuffer,
        replay_buffer_kwargs={"offline": offline, "controller": Controller(mixer or RoadMixer())},
        policy_kwargs={"net_arch": [8]},
        **SMALL,
    )


def buffer_with(offline: Any, mixer: Any = None, **settings: Any) -> RoadReplayBuffer:
    controller = Controller(mixer or FixedMixer(0.5))
    return RoadReplayBuffer(100, *SPACES, offline=offline, controller=controller, **settings)


def add(buffer: ReplayBuffer, count: int, reward: float = 1.0, *, done: bool = False) -> None:
    for _ in range(count):
        row = np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 1)), np.array([reward])
        buffer.add(*row, np.array([done]), [{"TimeLimit.truncated": done}])


@pytest.mark.parametrize("kind", [SAC, TD3])
def test_a_model_fine_tunes_and_its_periods_end(kind: Any, tmp_path: Path):
    model = make(kind)
    model.set_logger(configure(str(tmp_path), ["json"]))
    model.learn(205, callback=RoadCallback(period=35, rows=50), log_interval=1)
    controller = model.replay_buffer.controller
    # Every fifth step is learnt from, beginning with the 25th.
    ratios = [period.offline_ratio for period in controller.history]
    assert (ratios[:5], len(ratios)) == ([0.1, 0.2, 0.3, 0.4, 0.5], 5)
    controller.save(tmp_path / "run", task="Pendulum-v1", agent=kind.__name__)
    rows = [
        json.loads(line) for line in (tmp_path / "run" / "mixer.jsonl").read_text().splitlines()
    ]
    assert [row["realised_ratio"] for row in rows[:5]] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert [row["steps"] for row in rows[1:]] == [35] * 4
    page = write_report([tmp_path / "run"], tmp_path / "report.html").read_text()
    assert f"There is no evaluation of {kind.__name__} on Pendulum-v1" in page
    logged = [json.loads(line) for line in (tmp_path / "progress.json").read_text().splitlines()]
    assert "mixing/offline_ratio" in logged[-1]
    model.logger.close()


def test_batches_hold_the_share_that_the_controller_says(rows: dict[str, np.ndarray]):
    buffer = buffer_with(rows, FixedMixer(0.3))
    add(buffer, 30)
    drawn = [buffer.sample(25).rewards.numpy().ravel() for _ in range(4)]
    # 7.5 of 25 are offline: 8 first, then 7 so that both batches together have 15, and so on.
    assert [int((rewards == -7.0).sum()) for rewards in drawn] == [8, 7, 8, 7]
    assert {len(rewards) for rewards in drawn} == {25}


def test_a_forgotten_callback_is_warned_of_once(rows: dict[str, np.ndarray]):
    buffer = buffer_with(rows)
    add(buffer, 5)
    buffer.sample(4)
    add(buffer, 999)
    buffer.sample(4)
    add(buffer, 1)
    with pytest.warns(UserWarning, match="1000 steps and no period has ended.*RoadCallback"):
        buffer.sample(4)
    buffer.sample(4)


def test_periods_that_end_otherwise_are_not_warned_of(rows: dict[str, np.ndarray]):
    buffer = buffer_with(rows)
    add(buffer, 5)
    buffer.sample(4)
    buffer.controller.end_period(offline_advantage=0.0, online_advantage=0.0)
    add(buffer, 2000)
    buffer.sample(4)


@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_a_batch_may_be_of_one_source_alone(ratio: float, rows: dict[str, np.ndarray]):
    buffer = buffer_with(rows, FixedMixer(ratio))
    add(buffer, 5)
    assert set(buffer.sample(9).rewards.numpy().ravel()) == {-7.0 if ratio else 1.0}


def test_before_the_first_online_row_all_are_offline_and_no_period_begins():
    buffer = buffer_with(pendulum_rows(10))
    assert (buffer.sample(6).rewards.numpy() == -7.0).all()
    assert buffer.period_began is None


def test_actions_of_arrays_are_in_the_environments_units_and_those_of_datasets_are_not():
    rows = pendulum_rows(5)  # actions -2, -1, 0, 1, 2
    assert buffer_with(rows).offline.actions.ravel().tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]
    dataset = SimpleNamespace(**{**rows, "action": rows["action"] / 2})
    assert buffer_with(dataset).offline.actions.ravel().tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]


def test_a_buffer_of_the_library_serves_as_offline_data_and_is_left_alone():
    other = ReplayBuffer(10, *SPACES, device="cpu")
    add(other, 4, reward=-7.0, done=True)
    buffer = buffer_with(other, FixedMixer(1.0))
    add(buffer, 1)
    batch = buffer.sample(8)
    assert (batch.rewards.numpy() == -7.0).all()
    assert (batch.dones.numpy() == 0.0).all(), "a time limit is no end"
    assert buffer.offline is not other


def test_offline_rows_are_normalised_like_online_ones():
    env = VecNormalize(make_vec_env("Pendulum-v1", 2), clip_obs=1.0)
    model = make(env=env)
    model.learn(60, callback=RoadCallback(period=10, rows=20))
    raw = model.replay_buffer.draw(model.replay_buffer.offline, 50, None)
    seen = model.replay_buffer.draw(model.replay_buffer.offline, 50, env)
    assert raw.rewards.unique().tolist() == [-7.0]
    assert seen.rewards.unique().tolist() != [-7.0]
    assert len(seen.rewards.unique()) == 1
    assert model.replay_buffer.steps == 60
    assert len(model.replay_buffer.controller.history) == 2


def test_the_models_own_networks_are_asked():
    """The actor answers 0, the critic's members say a and 2a, of which the least counts.

    Offline a is -1, so Q is -2 and the advantage 2; online a is 0.5, so Q is 0.5, and it is -0.5.
    """
    rows = {**pendulum_rows(8), "action": np.full((8, 1), -2.0)}
    model = TD3(
        "MlpPolicy", gymnasium.make("Pendulum-v1"), replay_buffer_class=RoadReplayBuffer,
        replay_buffer_kwargs={"offline": rows, "controller": Controller(RoadMixer())},
        policy_kwargs={"net_arch": []}, **SMALL,
    )  # fmt: skip
    for parameter in model.policy.parameters():
        parameter.data.zero_()
    for slope, network in enumerate(model.critic.q_networks, start=1):
        network[0].weight.data[0, 3] = float(slope)  # three observations, then the action
    for _ in range(4):
        row = np.zeros((1, 3)), np.zeros((1, 3)), np.full((1, 1), 0.5), np.zeros(1), np.zeros(1)
        model.replay_buffer.add(*row, [{}])
    model.set_logger(configure(None, []))
    callback = RoadCallback(rows=16)
    callback.init_callback(model)
    callback.end_period(model, model.replay_buffer)
    (period,) = model.replay_buffer.controller.history
    assert (period.offline_advantage, period.online_advantage) == (2.0, -0.5)


def test_a_period_may_be_an_episode():
    model = make()
    model.learn(410, callback=RoadCallback("episode", rows=20))
    assert len(model.replay_buffer.controller.history) == 2


def test_saving_and_loading_the_model_keeps_the_mixer(tmp_path: Path):
    model = make()
    model.learn(100, callback=RoadCallback(period=20, rows=20))
    model.save(tmp_path / "model")
    before = model.replay_buffer.controller
    loaded = SAC.load(tmp_path / "model", env=gymnasium.make("Pendulum-v1"))
    after = loaded.replay_buffer.controller
    assert after is not before
    assert after.state_dict() == before.state_dict()
    loaded.learn(100, callback=RoadCallback(period=20, rows=20))
    assert len(after.history) > len(before.history) == 3
    assert after.history[:3] == before.history
    assert after.step > before.step


def test_a_loaded_replay_buffer_brings_its_controller_and_the_model_saves_that_one(tmp_path: Path):
    model = make()
    model.learn(100, callback=RoadCallback(period=20, rows=20))
    model.save_replay_buffer(tmp_path / "buffer")
    other = make()
    other.load_replay_buffer(tmp_path / "buffer")
    assert other.replay_buffer.controller.history == model.replay_buffer.controller.history
    other.learn(60, callback=RoadCallback(period=20, rows=20))
    other.save(tmp_path / "model")
    loaded = SAC.load(tmp_path / "model", env=gymnasium.make("Pendulum-v1"))
    assert loaded.replay_buffer.controller.history == other.replay_buffer.controller.history
    assert len(loaded.replay_buffer.controller.history) > 3


def test_scores_of_the_librarys_evaluations_reach_the_report(tmp_path: Path):
    model = make()
    evaluating = EvalCallback(
        Monitor(gymnasium.make("Pendulum-v1")), callback_after_eval=NoteScore(),
        eval_freq=50, n_eval_episodes=1, verbose=0,
    )  # fmt: skip
    model.learn(100, callback=[RoadCallback(period=20, rows=20), evaluating])
    model.replay_buffer.controller.save(tmp_path)
    summary = summarise(load_run(tmp_path))
    assert summary.final == pytest.approx(evaluating.last_mean_reward)


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"observation": np.zeros((300, 4))}, r"observation has shape \(300, 4\); needed .*300, 3"),
        ({"action": np.zeros((300, 2))}, r"action has shape \(300, 2\)"),
        ({"action": np.full((300, 1), 2.5)}, r"action \[2.5\] of row 0 lies outside \[\[-2.\]"),
        ({"reward": np.full(300, np.nan)}, "reward is not finite in row 0"),
        ({"terminated": np.zeros(299)}, r"terminated has shape \(299,\)"),
        ({"reward": None}, "lack reward"),
        ({"reward": np.zeros(0)}, "there are none"),
    ],
)
def test_offline_rows_that_do_not_fit_are_refused(
    changes: dict[str, Any], reported: str, rows: dict[str, np.ndarray]
):
    with pytest.raises(DataError, match=reported):
        make(offline={**rows, **changes})


def test_a_dataset_outside_the_unit_box_is_refused(rows: dict[str, np.ndarray]):
    with pytest.raises(DataError, match="outside"):
        buffer_with(SimpleNamespace(**rows))


def test_a_buffer_that_does_not_fit_is_refused():
    with pytest.raises(DataError, match="holds no rows"):
        buffer_with(ReplayBuffer(10, *SPACES))
    with pytest.raises(DataError, match="do not fit"):
        buffer_with(ReplayBuffer(10, SPACES[0], spaces.Box(-1.0, 1.0, (1,))))


def test_spaces_that_cannot_be_mixed_are_refused(rows: dict[str, np.ndarray]):
    controller = Controller(FixedMixer(0.5))
    named = spaces.Dict({"joints": SPACES[0]})
    with pytest.raises(UsageError, match="Dict and Box"):
        RoadReplayBuffer(10, named, SPACES[1], offline=rows, controller=controller)
    with pytest.raises(UsageError, match="Box and Discrete"):
        RoadReplayBuffer(10, SPACES[0], spaces.Discrete(3), offline=rows, controller=controller)


def test_the_callback_needs_a_critic_and_the_buffer():
    plain = SAC("MlpPolicy", gymnasium.make("Pendulum-v1"), **SMALL)
    with pytest.raises(UsageError, match="SAC with ReplayBuffer"):
        plain.learn(10, callback=RoadCallback())
    with pytest.raises(UsageError, match="DQN"):
        DQN("MlpPolicy", gymnasium.make("CartPole-v1"), buffer_size=10).learn(5, RoadCallback())
    with pytest.raises(ValueError, match="got 0"):
        RoadCallback(period=0)


def test_the_example_runs(tmp_path: Path):
    assert run_example("sb3_sac.py", tmp_path) == "[0.1, 0.2, 0.3]\n"
    assert (tmp_path / "runs" / "sb3_sac" / "model.zip").exists()


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run_guide("sb3.md", tmp_path, monkeypatch)
