"""Probes in the real d3rlpy: `make d3rlpy` makes its environment and runs this."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("d3rlpy", reason="it has its own environment: make integrations")

import d3rlpy
import gymnasium
import torch
from d3rlpy.algos import BCConfig, CalQLConfig, IQLConfig, SACConfig, TD3Config
from d3rlpy.dataset import Episode, FIFOBuffer, ReplayBuffer, create_infinite_replay_buffer
from d3rlpy.logging import NoopAdapterFactory
from d3rlpy.models import VectorEncoderFactory
from d3rlpy.preprocessing import ConstantShiftRewardScaler

from road.errors import UsageError
from road.integrations.d3rlpy import RoadCallback, RoadMixedBuffer
from road.integrations.d3rlpy_probes import ImplCopy, tensors
from road.mixing import Controller, ValidatedMixer

MIXER = ValidatedMixer(ratios=(0.0, 0.5, 1.0), interval=10, probe_every=4)
SMALL = VectorEncoderFactory([8])
NETWORKS = {"actor_encoder_factory": SMALL, "critic_encoder_factory": SMALL}
ALGORITHMS = {
    "iql": IQLConfig(batch_size=20, value_encoder_factory=SMALL, **NETWORKS),
    "sac": SACConfig(batch_size=20, **NETWORKS),
    "td3": TD3Config(batch_size=20, update_actor_interval=2, **NETWORKS),
    "cal-ql": CalQLConfig(batch_size=20, n_action_samples=2, **NETWORKS),
}


def offline() -> ReplayBuffer:
    rng = np.random.default_rng(0)
    rows = Episode(
        observations=rng.uniform(-1, 1, (101, 3)).astype(np.float32),
        actions=rng.uniform(-1, 1, (101, 1)).astype(np.float32),
        rewards=np.full((101, 1), -7.0, np.float32),
        terminated=False,
    )
    return create_infinite_replay_buffer([rows])


def mixed(mixer: Any = MIXER, limit: int = 1000) -> RoadMixedBuffer:
    online = ReplayBuffer(FIFOBuffer(limit), env=gymnasium.make("Pendulum-v1"))
    return RoadMixedBuffer(online, offline(), Controller(mixer))


def built(name: str, **settings: Any) -> Any:
    d3rlpy.seed(0)
    config = ALGORITHMS[name]
    algo = type(config)(**{**vars(config), **settings}).create(device="cpu")
    algo.build_with_dataset(offline())
    return algo


def step(buffer: RoadMixedBuffer, *rewards: float) -> None:
    for reward in rewards:
        buffer.append(np.full(3, 0.1 * reward, np.float32), np.zeros(1, np.float32), reward)


def weights(module: Any) -> list[Any]:
    return [each.detach().clone() for each in module.parameters()]


def equal(one: list[Any], other: list[Any]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_trains_its_probes_and_its_ratio_follows(name: str):
    d3rlpy.seed(0)
    algo, buffer = ALGORITHMS[name].create(device="cpu"), mixed()
    callback = RoadCallback(buffer)
    algo.fit_online(
        gymnasium.make("Pendulum-v1"), buffer, n_steps=60, n_steps_per_epoch=60,
        logger_adapter=NoopAdapterFactory(), show_progress=False, callback=callback,
    )  # fmt: skip
    history = buffer.controller.history
    # Step 2 has the first online row; the probes know it. Of 58 more, 12 at a time end an interval.
    assert callback.probes is not None
    assert callback.probes.critics is not None
    assert callback.probes.critics.updates == 14
    assert len(history) == 4
    assert np.isfinite([period.probe_errors["bellman"] for period in history]).all()
    assert len({period.offline_ratio for period in history}) > 1


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_probe_is_trained_as_the_library_trains_the_critic_and_shares_its_policy(name: str):
    algo = built(name)
    rows = tensors(algo, mixed().draw_offline(20))
    main, probe = algo.impl, ImplCopy(algo.impl, algo)
    assert probe.impl.modules.policy is main.modules.policy
    before, policy = weights(main.modules.q_funcs), weights(main.modules.policy)
    torch.manual_seed(1)
    probe.train(rows)
    assert equal(weights(main.modules.q_funcs), before)
    assert equal(weights(main.modules.policy), policy)
    batch = d3rlpy.torch_utility.TorchMiniBatch(*rows, device="cpu:0")
    torch.manual_seed(1)
    main.update_critic(batch)
    assert equal(weights(main.modules.q_funcs), weights(probe.impl.modules.q_funcs))
    assert not equal(weights(main.modules.q_funcs), before)
    followed = not equal(weights(probe.impl.modules.targ_q_funcs), before)
    assert followed == (name != "td3"), "TD3's target follows every second update"


def test_errors_by_hand():
    """IQL regresses on r + gamma V(s'), and on r alone where the episode terminated.

    The scaler adds 1 to rewards of -1 and -3.
    """
    algo, buffer = built("iql", reward_scaler=ConstantShiftRewardScaler(1.0)), mixed()
    step(buffer, -1.0, -3.0)
    buffer.clip_episode(True)
    rows = tensors(algo, buffer.rows_after(None))
    errors = ImplCopy(algo.impl, algo).errors(rows)
    value = algo.impl.modules.value_func(rows[3][:1]).item()
    for row, target in enumerate([0.0 + algo.gamma * value, -2.0]):
        members = [q(rows[0][row : row + 1], rows[1][row : row + 1]).q_value.item()
                   for q in algo.impl.q_function]  # fmt: skip
        expected = np.mean([(q - target) ** 2 for q in members])
        assert errors[row].item() == pytest.approx(expected, rel=1e-5)


def test_all_probes_are_scored_with_the_same_actions_of_the_policy():
    algo, buffer = built("sac"), mixed()
    step(buffer, -1.0, -2.0, -3.0)
    rows = tensors(algo, buffer.rows_after(None))
    one, other = ImplCopy(algo.impl, algo), ImplCopy(algo.impl, algo)
    assert one.errors(rows).tolist() == other.errors(rows).tolist()


def test_new_rows_are_those_after_the_last_that_was_scored():
    buffer = mixed(limit=4)
    assert (buffer.newest(), buffer.rows_after(None)) == (None, [])
    step(buffer, 1.0, 2.0, 3.0)  # the third has no successor yet
    known = buffer.newest()
    assert [row.reward.item() for row in buffer.rows_after(None)] == [1.0, 2.0]
    assert buffer.rows_after(known) == []
    buffer.clip_episode(True)
    step(buffer, 4.0, 5.0)
    fresh = buffer.rows_after(known)
    assert [(row.reward.item(), row.terminal) for row in fresh] == [(3.0, 1.0), (4.0, 0.0)]
    step(buffer, 6.0, 7.0, 8.0)
    buffer.clip_episode(False)  # a time limit: the library keeps no row for the cut step
    assert [row.reward.item() for row in buffer.rows_after(known)] == [4.0, 5.0, 6.0, 7.0]


def test_new_rows_are_scored_before_any_probe_trains_on_them():
    algo, buffer = built("iql"), mixed()
    callback: Any = RoadCallback(buffer)
    for count in range(5):
        step(buffer, -float(count), -float(count))
        buffer.sample_transition_batch(4)
        callback(algo, 0, 0)
    errors = buffer.controller.state_dict()["errors"]
    assert callback.probes.critics.updates == 1
    assert errors["counts"]["bellman"] == 6
    assert len(set(errors["sums"]["bellman"])) == 1


def test_saved_probes_go_on_the_same():
    algo, buffer = built("iql"), mixed()
    rows = tensors(algo, buffer.draw_offline(20))
    one, other = ImplCopy(algo.impl, algo), ImplCopy(algo.impl, algo)
    one.train(rows)
    other.load_state_dict(one.state_dict())
    for probe in (one, other):
        probe.train(rows)
    assert one.errors(rows).tolist() == pytest.approx(other.errors(rows).tolist(), rel=1e-5)
    unlike = ImplCopy(algo.impl, algo).errors(rows).tolist()
    assert one.errors(rows).tolist() != pytest.approx(unlike, rel=1e-5)


def test_settings_and_algorithms_that_cannot_have_probes_are_refused():
    with pytest.raises(ValueError, match="interval of its own; leave out period=10"):
        RoadCallback(mixed(), 10)
    with pytest.raises(ValueError, match="set return_weight=0"):
        RoadCallback(mixed(ValidatedMixer(return_weight=1.0)))
    clone, buffer = BCConfig().create(device="cpu"), mixed()
    clone.build_with_dataset(offline())
    callback: Any = RoadCallback(buffer)
    step(buffer, -1.0, -1.0)
    buffer.sample_transition_batch(4)
    with pytest.raises(UsageError, match="BC has no critics"):
        callback(clone, 0, 0)
