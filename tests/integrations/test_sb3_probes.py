"""Probes in the real Stable-Baselines3: `make sb3` makes its environment and runs this."""

from typing import Any

import numpy as np
import pytest
from tests.integrations.conftest import pendulum_rows

pytest.importorskip("stable_baselines3", reason="it has its own environment: make integrations")

import gymnasium
import torch
from stable_baselines3 import SAC, TD3
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecNormalize

from road.integrations.sb3 import RoadCallback, RoadReplayBuffer
from road.integrations.sb3_probes import Probes, critic_copy, newest_rows, with_bootstrap
from road.mixing import Controller, ValidatedMixer

SMALL = {
    "learning_starts": 20,
    "batch_size": 20,
    "buffer_size": 1000,
    "seed": 0,
    "device": "cpu",
}
MIXER = ValidatedMixer(ratios=(0.0, 0.5, 1.0), interval=20, probe_every=4)


def make(kind: Any = SAC, env: Any = None, mixer: Any = MIXER, **settings: Any) -> Any:
    return kind(
        "MlpPolicy",
        gymnasium.make("Pendulum-v1") if env is None else env,
        replay_buffer_class=RoadReplayBuffer,
        replay_buffer_kwargs={"offline": pendulum_rows(300), "controller": Controller(mixer)},
        policy_kwargs={"net_arch": [8]},
        **{**SMALL, **settings},
    )


def add(buffer: RoadReplayBuffer, reward: float, *, done: bool = False, cut: bool = False) -> None:
    row = np.full((1, 3), reward), np.ones((1, 3)), np.full((1, 1), 0.5), np.array([reward])
    buffer.add(*row, np.array([done]), [{"TimeLimit.truncated": cut}])


def weights(module: torch.nn.Module) -> list[Any]:
    return [each.detach().clone() for each in module.parameters()]


def same(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    pairs = zip(weights(one), weights(other), strict=True)
    return all(torch.allclose(a, b, rtol=0.0, atol=tolerance) for a, b in pairs)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [(SAC, {}), (SAC, {"ent_coef": 0.3}), (TD3, {"policy_delay": 1, "gamma": 0.9})],
)
def test_a_probe_is_trained_as_the_library_trains_the_critic(kind: Any, settings: dict[str, Any]):
    """Every row is the same one, so the library's batch is known; and the noise is seeded."""
    model = make(kind, learning_rate=1e-2, **settings)
    add(model.replay_buffer, -3.0, done=True)  # the buffer is no longer empty
    model.replay_buffer.offline.reset()
    for _ in range(3):
        add(model.replay_buffer.offline, 1.5)
    model.replay_buffer.controller = Controller(ValidatedMixer(ratios=(0.99999, 1.0)))
    model.set_logger(configure(None, []))
    probe, before = critic_copy(model), weights(model.critic)

    rows = model.replay_buffer.draw(model.replay_buffer.offline, 20, None)[:5]
    torch.manual_seed(1)
    if kind is SAC:
        model.actor.action_log_prob(rows[0])  # the library draws for these states first
    probe.train(with_bootstrap(model, rows))
    torch.manual_seed(1)
    model.train(gradient_steps=1, batch_size=20)
    assert same(probe.critic, model.critic, 1e-6)
    assert same(probe.target, model.critic_target, 1e-6)
    moved = max((a - b).abs().max() for a, b in zip(before, weights(probe.critic), strict=True))
    assert moved > 1e-3


@pytest.mark.parametrize("kind", [SAC, TD3])
def test_a_model_trains_its_probes_and_its_ratio_follows(kind: Any):
    model = make(kind)
    callback = RoadCallback()
    model.learn(125, callback=callback)
    controller, critics = model.replay_buffer.controller, callback.probes.critics
    # From step 21 on the model is trained, so step 22 is the first that is scored: 104 steps.
    assert critics.updates == 26
    assert len(controller.history) == 5
    assert controller.history[0].offline_ratio != controller.offline_ratio
    errors = [period.probe_errors["bellman"] for period in controller.history]
    assert np.isfinite(errors).all()
    assert controller.step <= 125


def test_new_rows_are_scored_before_any_probe_trains_on_them():
    """Until the first score the probes are copies of one critic: their errors are the same."""
    model, callback = make(), RoadCallback()
    model.learn(24, callback=callback)
    critics, controller = callback.probes.critics, model.replay_buffer.controller
    assert critics.updates == 1
    sums = controller.state_dict()["errors"]
    assert sums["counts"]["bellman"] == 3, "steps 22 to 24"
    assert len(set(sums["sums"]["bellman"])) == 1
    assert sums["sums"]["bellman"][0] > 0.0
    assert not same(critics.probes[0].critic, critics.probes[2].critic), "they are trained by now"


def test_the_model_itself_is_left_alone():
    model = make()
    model.learn(30)
    parts = model.actor, model.critic, model.critic_target
    before = [weights(part) for part in parts]
    probes = Probes()
    probes.begin(model.replay_buffer)
    for _ in range(8):
        add(model.replay_buffer, 1.0)
        probes.after_rollout(model, model.replay_buffer)
    assert probes.critics is not None
    assert probes.critics.updates == 2
    for part, kept in zip(parts, before, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(weights(part), kept, strict=True))


def test_a_time_limit_is_no_end_and_a_true_end_is_one():
    model = make()
    add(model.replay_buffer, 1.0, done=True, cut=True)
    add(model.replay_buffer, 2.0, done=True)
    add(model.replay_buffer, 3.0)
    rows = newest_rows(model, model.replay_buffer, 3)
    assert rows[3][:, 0].tolist() == [0.0, 1.0, 0.0]
    assert rows[4][:, 0].tolist() == [1.0, 2.0, 3.0]
    probe = critic_copy(model)
    assert probe.goal(rows)[1].item() == 2.0, "nothing follows the end"
    assert probe.goal(rows)[0].item() != 1.0


def test_the_newest_rows_are_those_of_all_environments_as_the_library_normalises_them():
    env = VecNormalize(make_vec_env("Pendulum-v1", 2), clip_obs=1.0)
    model = make(env=env, buffer_size=60, train_freq=1)
    model.learn(100, callback=RoadCallback())
    buffer = model.replay_buffer
    assert buffer.full, "30 steps of two environments, the newest over the oldest"
    rows = newest_rows(model, buffer, 30)
    assert len(rows[0]) == 60
    everything = {tuple(row) for row in buffer.draw(buffer, 2000, env).observations.tolist()}
    assert {tuple(row) for row in rows[0].tolist()} == everything
    newest = buffer.next_observations[(buffer.pos - 1) % 30]
    assert rows[2][-2:].tolist() == env.normalize_obs(newest).tolist()
    assert len(newest_rows(model, buffer, 900)[0]) == 60


def test_rollouts_of_an_episode_are_scored_and_trained_on_as_one():
    model = make(train_freq=(1, "episode"), gradient_steps=-1, mixer=MIXER)
    callback = RoadCallback()
    model.learn(600, callback=callback)
    assert callback.probes.critics is not None
    assert callback.probes.critics.updates == 150
    assert len(model.replay_buffer.controller.history) == 2, "the first episode is what all know"


def test_learning_on_keeps_the_probes_and_another_model_gets_its_own():
    model, callback = make(gradient_steps=-1), RoadCallback()
    model.learn(40, callback=callback)
    kept = callback.probes.critics
    model.learn(40, callback=callback, reset_num_timesteps=False)
    assert callback.probes.critics is kept
    assert kept.updates == 15
    other = make(gradient_steps=-1)
    other.learn(40, callback=callback)
    assert callback.probes.critics is not kept
    assert callback.probes.critics.updates == 5


def test_a_shared_features_extractor_stays_shared():
    kwargs = {"net_arch": [8], "share_features_extractor": True}
    model = SAC("MlpPolicy", gymnasium.make("Pendulum-v1"), policy_kwargs=kwargs, **SMALL)
    assert critic_copy(model).critic.features_extractor is model.actor.features_extractor


def test_settings_that_probes_have_no_use_for_are_refused():
    with pytest.raises(ValueError, match="interval of its own; leave out period=10"):
        make().learn(10, callback=RoadCallback(10))
    with pytest.raises(ValueError, match="set return_weight=0"):
        make(mixer=ValidatedMixer(return_weight=1.0)).learn(10, callback=RoadCallback())
