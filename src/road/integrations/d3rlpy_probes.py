"""The probes of a mixer in d3rlpy: copies of an algorithm that share its policy.

d3rlpy keeps networks, optimisers and formulas of an algorithm in one object. A probe is a copy of
that object whose policy, policy target and temperature are the main one's. So it is trained by the
library's own ``update_critic`` and scored by its own ``compute_target``, which for IQL includes the
value function, for CQL and Cal-QL the penalty in training, but not in the score.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import torch as th
from d3rlpy.algos import QLearningAlgoBase
from d3rlpy.algos.qlearning.torch.ddpg_impl import DDPGBaseImpl
from d3rlpy.dataset import Transition, TransitionMiniBatch
from d3rlpy.torch_utility import TorchMiniBatch

from road.errors import UsageError
from road.integrations.d3rlpy_buffer import RoadMixedBuffer
from road.integrations.probe_critics import ProbeCritics, Rows

POLICY = ("policy", "targ_policy", "actor_optim", "log_temp", "temp_optim")
"""Modules that a probe shares with the main learner."""


class Probes:
    """Scored and trained after every step of ``fit_online`` that drew batches."""

    def __init__(self, buffer: RoadMixedBuffer) -> None:
        self.buffer, self.counted = buffer, 0
        self.critics: ProbeCritics | None = None
        """Made after the first online batch, from the algorithm's critic at that time."""
        self.scored: Any = None
        """The newest row that the probes were scored on."""

    def after_step(self, algo: QLearningAlgoBase[Any, Any]) -> None:
        buffer = self.buffer
        if self.critics is None:
            impl = impl_of(algo)
            self.critics = ProbeCritics(buffer.controller, lambda: ImplCopy(impl, algo))
            self.scored = buffer.newest()
        due = self.critics.due(buffer.batches - self.counted)
        self.counted = buffer.batches
        if not due:
            return
        if rows := buffer.rows_after(self.scored):
            self.scored = buffer.newest()
            self.critics.score(tensors(algo, rows), step=buffer.steps)
        size = self.critics.batch_size(algo.batch_size)
        for _ in range(due):
            drawn = buffer.draw_offline(size), buffer.draw_online(size)
            self.critics.train(*(tensors(algo, each) for each in drawn))


def impl_of(algo: QLearningAlgoBase[Any, Any]) -> DDPGBaseImpl:
    """What is to be copied, if it can be."""
    name, impl = type(algo).__name__, algo.impl
    if not isinstance(impl, DDPGBaseImpl):
        raise UsageError(f"{name} has no critics that can be trained apart from its policy")
    if algo.compiled:
        raise UsageError(f"{name} is compiled, which cannot be copied; set compile_graph=False")
    return impl


class ImplCopy:
    """A copy of an algorithm's implementation with the policy left where it is."""

    def __init__(self, main: DDPGBaseImpl, algo: QLearningAlgoBase[Any, Any]) -> None:
        shared = [getattr(main.modules, name, None) for name in POLICY]
        kept: dict[int, Any] = {id(each): each for each in shared if each is not None}
        self.impl: Any = copy.deepcopy(main, kept)
        self.gamma, self.trained = algo.gamma, 0
        self.target_every: int = getattr(algo.config, "update_actor_interval", 1)

    def errors(self, rows: Rows) -> th.Tensor:
        batch = TorchMiniBatch(*rows, device=self.impl.device)
        self.impl.modules.set_eval()
        with th.no_grad(), th.random.fork_rng(devices=[]):  # all probes draw the same actions
            value = self.impl.compute_target(batch).mean(dim=1, keepdim=True)
            discount = self.gamma**batch.intervals
            target = batch.rewards + discount * value * (1.0 - batch.terminals)
            members = [q(rows[0], rows[1]).q_value for q in self.impl.q_function]
            return th.stack([(q - target) ** 2 for q in members]).mean(dim=0).reshape(len(rows[0]))

    def train(self, rows: Rows) -> None:
        self.impl.modules.set_train()
        self.impl.update_critic(TorchMiniBatch(*rows, device=self.impl.device))
        self.trained += 1
        if self.trained % self.target_every == 0:
            self.impl.update_critic_target()

    def state_dict(self) -> dict[str, Any]:
        own = {name: module.state_dict() for name, module in self.own_modules().items()}
        return {"modules": own, "trained": self.trained}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        for name, module in self.own_modules().items():
            module.load_state_dict(saved["modules"][name])
        self.trained = saved["trained"]

    def own_modules(self) -> dict[str, Any]:
        modules = self.impl.modules
        named = {field.name: getattr(modules, field.name) for field in fields(modules)}
        return {n: each for n, each in named.items() if each is not None and n not in POLICY}


def tensors(algo: QLearningAlgoBase[Any, Any], rows: Sequence[Transition]) -> Rows:
    """Rows as the library trains on them, after its scalers."""
    batch = TorchMiniBatch.from_batch(
        batch=TransitionMiniBatch.from_transitions(rows),
        gamma=algo.gamma,
        compute_returns_to_go=algo.need_returns_to_go,
        device=impl_of(algo).device,
        observation_scaler=algo.observation_scaler,
        action_scaler=algo.action_scaler,
        reward_scaler=algo.reward_scaler,
    )
    names = [field.name for field in fields(batch) if field.name not in ("device", "numpy_batch")]
    return tuple(getattr(batch, name) for name in names)
