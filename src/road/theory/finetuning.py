"""Algorithm 1 of the paper, exactly: in every iteration a distribution is chosen and Q is refitted.

f^1 = fitted on the offline data alone
for k = 1 .. K:
    pi^k soft-greedy in f^k;   D^k = the occupancy of pi^k
    choose d over D_off, D^1, ..., D^k
    f^{k+1} = projection of T f^k under d
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from road.theory.bilevel import Inner
from road.theory.choices import Chooser, Round
from road.theory.descent import best_ratio
from road.theory.mdp import (
    MDP,
    Numbers,
    StateAction,
    backup,
    expected_return,
    occupancy,
    soft_greedy,
)
from road.theory.projection import Features, project


@dataclass(frozen=True)
class Problem:
    """A stack of processes with their features and offline data."""

    mdp: MDP
    features: Features
    offline: StateAction
    inverse_temperature: float = 10.0
    ridge: float = 1e-6
    """Keeps a fit defined where a narrow policy sees too few pairs."""

    def pretrained(self, iterations: int = 30) -> StateAction:
        """f^off: fitted Q-iteration on the offline data alone."""
        values = np.zeros_like(self.mdp.reward)
        for _ in range(iterations):
            values = project(
                self.features, backup(self.mdp, values), self.offline, self.ridge
            ).values
        return values

    def inner(self, values: StateAction) -> Inner:
        target = backup(self.mdp, values)
        return Inner(self.mdp, self.features, target, self.inverse_temperature, self.ridge)


@dataclass(frozen=True)
class Iteration:
    """What one iteration chose, and what it could have had."""

    now: Round
    values: StateAction
    """f^k, before the fit."""
    reached: Numbers
    """J of the policy after it."""
    possible: Numbers
    """The greatest J that any ratio would have given on the same problem."""


def finetune(problem: Problem, chooser: Chooser, iterations: int) -> Iterator[Iteration]:
    values = problem.pretrained()
    state = chooser.init(len(values))
    sources = problem.offline[..., None, :, :]
    for index in range(iterations):
        policy = soft_greedy(values, problem.inverse_temperature)
        batch = occupancy(problem.mdp, policy)
        sources = np.concatenate([sources, batch[..., None, :, :]], -3)
        now = Round(problem.inner(values), sources, index / iterations)
        distribution = chooser.propose(state, now)
        seen = now.seen(distribution)
        state = chooser.observe(state, now, seen)
        possible = best_ratio(now.inner, now.offline, now.online)[1]
        yield Iteration(now, values, expected_return(problem.mdp, seen.policy), possible)
        values = seen.critic
