"""Finite Markov decision processes, exactly: occupancies, values and returns by linear algebra.

    d^pi(s, a) = (1 - gamma) sum_t gamma^t P(s_t = s, a_t = a)      sums to 1
    J(pi)      = E_{s ~ mu} V^pi(s)

All functions take one process or a stack of them, along leading axes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

StateAction = Float[np.ndarray, "*many state action"]
"""A number per state and action: values, a policy's probabilities, an occupancy."""
PerState = Float[np.ndarray, "*many state"]
Numbers = Float[Any, "*many"]
"""One number for each process of a stack; a NumPy scalar where there is no stack."""


@dataclass(frozen=True)
class MDP:
    """Transition and reward tensors of one process, or of many stacked along leading axes."""

    transition: Float[np.ndarray, "*many state action next"]
    reward: StateAction
    start: PerState
    """mu: where an episode begins."""
    discount: float
    """gamma."""

    @property
    def value_bounds(self) -> tuple[float, float]:
        """Least and greatest value that any policy can have."""
        horizon = 1.0 / (1.0 - self.discount)
        return float(self.reward.min()) * horizon, float(self.reward.max()) * horizon

    def map(self, change: Callable[[np.ndarray], np.ndarray]) -> "MDP":
        """The process with every tensor changed alike, such as a part of a stack."""
        return MDP(change(self.transition), change(self.reward), change(self.start), self.discount)


def soft_greedy(q: StateAction, inverse_temperature: float) -> StateAction:
    """pi(a | s) proportional to exp(beta · q(s, a))."""
    weight = np.exp(inverse_temperature * (q - q.max(-1, keepdims=True)))
    return weight / weight.sum(-1, keepdims=True)


def backup(mdp: MDP, f: StateAction) -> StateAction:
    """T f: the reward and the discounted best value of the next state.

    Next values are cut at what any policy can reach, so that iterating a projection stays finite.
    """
    low, high = mdp.value_bounds
    best = np.clip(f.max(-1), low, high)
    return mdp.reward + mdp.discount * expected_next(mdp, best)


def expected_next(mdp: MDP, value: PerState) -> StateAction:
    return np.einsum("...san,...n->...sa", mdp.transition, value)


def state_transition(mdp: MDP, policy: StateAction) -> Float[np.ndarray, "*many state next"]:
    """P_pi, the transition matrix of the states under the policy."""
    return np.einsum("...san,...sa->...sn", mdp.transition, policy)


def state_values(mdp: MDP, policy: StateAction, reward: StateAction) -> PerState:
    """V = (I - gamma P_pi)^-1 r_pi, for any reward r."""
    system = np.eye(policy.shape[-2]) - mdp.discount * state_transition(mdp, policy)
    gained = (policy * reward).sum(-1)
    return np.linalg.solve(system, gained[..., None])[..., 0]


def action_values(mdp: MDP, policy: StateAction, reward: StateAction | None = None) -> StateAction:
    """Q of the policy, for the reward of the process or another one."""
    earned = mdp.reward if reward is None else reward
    return earned + mdp.discount * expected_next(mdp, state_values(mdp, policy, earned))


def total(values: StateAction) -> Numbers:
    """The sum over all pairs."""
    return values.sum((-1, -2))


def advantages(policy: StateAction, q: StateAction) -> StateAction:
    """Q less its mean under the policy."""
    return q - (policy * q).sum(-1, keepdims=True)


def occupancy(mdp: MDP, policy: StateAction) -> StateAction:
    """d^pi, the normalised discounted occupancy."""
    system = np.eye(policy.shape[-2]) - mdp.discount * state_transition(mdp, policy)
    flow = np.linalg.solve(np.swapaxes(system, -1, -2), mdp.start[..., None])[..., 0]
    return (1.0 - mdp.discount) * flow[..., None] * policy


def expected_return(mdp: MDP, policy: StateAction) -> Numbers:
    """J(pi)."""
    return (mdp.start * state_values(mdp, policy, mdp.reward)).sum(-1)


def optimal_return(mdp: MDP) -> Numbers:
    """J of the best policy."""
    return (mdp.start * optimal_values(mdp).max(-1)).sum(-1)


def optimal_values(mdp: MDP, tolerance: float = 1e-12) -> StateAction:
    """Q* by iterating the Bellman operator."""
    q = np.zeros_like(mdp.reward)
    while True:
        after = backup(mdp, q)
        if np.abs(after - q).max() < tolerance:
            return after
        q = after
