"""A critic that PyTorch trains beside the main one, by the same update, on other rows.

errors   mean over the ensemble of (Q(s, a) - target)^2, by row
train    one step down the sum over the ensemble of mean (Q(s, a) - target)^2,
         then the target critic follows
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch as th

Rows = tuple[th.Tensor, ...]
"""Transitions, one along the first axis of each tensor; which tensors is the caller's choice."""


@dataclass(frozen=True)
class CriticUpdate:
    """How the main critic is trained, as functions of any critic of its kind."""

    q: Callable[[th.nn.Module, Rows], Sequence[th.Tensor]]
    """Q of a critic for the recorded actions: one tensor for each member of the ensemble."""
    target: Callable[[th.nn.Module, Rows], th.Tensor]
    """What a critic regresses on, by its target critic; no gradient is kept."""
    target_rate: float = 0.005
    """How far the target critic moves towards the critic; rho or tau in most papers."""
    target_every: int = 1
    """Updates between two moves of the target critic."""
    loss_weight: float = 1.0
    """Of the sum of the members' mean squared errors."""


class CriticCopy:
    """A critic that starts as a copy of the main one and is trained as that one is."""

    def __init__(
        self,
        critic: th.nn.Module,
        target: th.nn.Module,
        optimiser: th.optim.Optimizer,
        update: CriticUpdate,
        shared: Sequence[th.nn.Module] = (),
    ) -> None:
        """Copy the three together; ``shared`` are parts of the critic that others train."""
        kept: dict[int, Any] = {id(module): module for module in shared}
        self.critic, self.target, self.optimiser = copy.deepcopy((critic, target, optimiser), kept)
        self.update, self.main_optimiser, self.trained = update, optimiser, 0
        self.target.eval()

    def errors(self, rows: Rows) -> th.Tensor:
        self.critic.eval()
        with th.no_grad():
            target, size = self.goal(rows), len(rows[0])
            members = [q.reshape(size) for q in self.update.q(self.critic, rows)]
            return th.stack([(q - target) ** 2 for q in members]).mean(dim=0)

    def train(self, rows: Rows) -> None:
        self.critic.train()
        target, size = self.goal(rows), len(rows[0])
        members = [q.reshape(size) for q in self.update.q(self.critic, rows)]
        loss = th.stack([((q - target) ** 2).mean() for q in members]).sum()
        for own, main in zip(
            self.optimiser.param_groups, self.main_optimiser.param_groups, strict=True
        ):
            own["lr"] = main["lr"]  # the main one may follow a schedule
        self.optimiser.zero_grad()
        (self.update.loss_weight * loss).backward()
        self.optimiser.step()
        self.trained += 1
        if self.trained % self.update.target_every == 0:
            follow(self.target, self.critic, self.update.target_rate)

    def goal(self, rows: Rows) -> th.Tensor:
        with th.no_grad():
            return self.update.target(self.target, rows).reshape(len(rows[0]))

    def state_dict(self) -> dict[str, Any]:
        parts = {"critic": self.critic, "target": self.target, "optimiser": self.optimiser}
        return {name: part.state_dict() for name, part in parts.items()} | {"trained": self.trained}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        for name in ("critic", "target", "optimiser"):
            getattr(self, name).load_state_dict(saved[name])
        self.trained = saved["trained"]


def follow(target: th.nn.Module, critic: th.nn.Module, rate: float) -> None:
    """Move the target's weights by that share; statistics, such as batch norm's, are copied."""
    with th.no_grad():
        for slow, fast in zip(target.parameters(), critic.parameters(), strict=True):
            slow.lerp_(fast, rate)
        for slow, fast in zip(target.buffers(), critic.buffers(), strict=True):
            slow.copy_(fast)
