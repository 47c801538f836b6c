"""ROAD in TorchRL: SAC on Pendulum-v1 from two replay buffers, offline rows of a random policy."""

import logging

import gymnasium
import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MLP, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import SACLoss, SoftUpdate

from road.integrations.torch import measure
from road.mixing import Controller, RoadMixer

STEPS, PERIOD, BATCH, SEED = 2000, 100, 128, 0
logging.getLogger("torchrl").setLevel("WARNING")
torch.manual_seed(SEED)
small = {"num_cells": [64, 64], "activation_class": nn.ReLU}
head = nn.Sequential(MLP(3, 2, **small), NormalParamExtractor())
gaussian = TensorDictModule(head, in_keys=["observation"], out_keys=["loc", "scale"])
actor = ProbabilisticActor(gaussian, in_keys=["loc", "scale"], distribution_class=TanhNormal)
critic = ValueOperator(MLP(4, 1, **small), in_keys=["observation", "action"])
losses = SACLoss(actor, critic, alpha_init=0.1, target_entropy=-1.0)
losses.make_value_estimator(gamma=0.98)
target, optimiser = SoftUpdate(losses, tau=0.01), torch.optim.Adam(losses.parameters(), 1e-3)


def policy(state, kind=ExplorationType.RANDOM):
    with torch.no_grad(), set_exploration_type(kind):
        return actor(TensorDict({"observation": state}, state.shape[:-1]))["action"]


def q_values(state, action):
    """Of both critics, whose weights the loss keeps on top of each other."""
    for weights in losses.qvalue_network_params.unbind(0):
        with weights.to_module(critic):
            yield critic(observation=state, action=action)


def play(steps, choose, seed=SEED):
    """Rows of experience as TorchRL nests them: the outcome of an action is under ``next``."""
    environment = gymnasium.make("Pendulum-v1")
    state = torch.as_tensor(environment.reset(seed=seed)[0])
    for _ in range(steps):
        after, reward, ended, cut, _ = environment.step(2 * (action := choose(state)).numpy())
        facts = {"reward": float(reward) / 10, "terminated": ended, "done": ended or cut}
        then = {key: torch.tensor([fact]) for key, fact in facts.items()}
        then["observation"] = torch.as_tensor(after)
        yield TensorDict({"observation": state, "action": action, "next": then})
        state = torch.as_tensor(environment.reset()[0] if cut else after)


def score():
    rows = play(1000, lambda state: policy(state, ExplorationType.DETERMINISTIC), seed=1)
    return 2 * sum(row["next", "reward"].item() for row in rows)  # the mean of five episodes


offline, online = (TensorDictReplayBuffer(storage=LazyTensorStorage(STEPS)) for _ in range(2))
offline.extend(torch.stack(list(play(STEPS, lambda _: 2 * torch.rand(1) - 1))))
controller = Controller(RoadMixer(), seed=SEED)
controller.log_evaluation(first := score(), step=0)
for t, row in enumerate(play(STEPS, policy), start=1):
    online.add(row)
    count = controller.offline_count(BATCH)
    loss = losses(torch.cat([offline.sample(count), online.sample(BATCH - count)]))
    optimiser.zero_grad()
    (loss["loss_actor"] + loss["loss_qvalue"] + loss["loss_alpha"]).backward()
    optimiser.step()
    target.step()
    if t % PERIOD == 0:
        drawn = [buffer.sample(512) for buffer in (offline, online)]
        pairs = [(rows["observation"], rows["action"]) for rows in drawn]
        seen = measure(policy, lambda *pair: [*q_values(*pair)], *pairs)
        controller.end_period(offline_advantage=seen.offline, online_advantage=seen.online, step=t)
controller.log_evaluation(last := score(), step=STEPS)
controller.save("runs/torchrl_sac", task="Pendulum-v1", agent="SAC")  # then: road report
print(f"return {first:.0f} -> {last:.0f}")
