"""Bellman errors under a distribution: what they bound, what they do not, and what sampling adds.

With T Q = r + gamma E max Q(s', .), for every Q, every policy pi and every other policy pi':

    J(pi') - J(pi)  <=  1 / (1 - gamma) · (  E_{d^pi} [Q - T Q]            visited
                                           + E_{d^pi'} [T Q - Q]           of the other policy
                                           + E_{d^pi} [max Q - E_pi Q] )   softness

New transitions are a sample of d^pi. By Jensen the first term is at most the root of their mean
squared Bellman error. The last is 0 for a greedy policy, and known. The second is not measured by
anything that pi does: Q may take good actions for bad ones that pi therefore never tries.

On one sampled next state the squared error is larger in the mean, by a term that depends on Q:

    E (Q - r - gamma max Q(s'))^2  =  (Q - T Q)^2  +  gamma^2 Var max Q(s')
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from road.theory.mdp import MDP, Numbers, PerState, StateAction, expected_next, occupancy, total

Transitions = Float[np.ndarray, "*many state action next"]
"""The weight of every transition; sums to 1."""


def residual(mdp: MDP, q: StateAction) -> StateAction:
    """Q - T Q; next values are not cut."""
    return q - mdp.reward - mdp.discount * expected_next(mdp, q.max(-1))


def exact_error(mdp: MDP, q: StateAction, visits: StateAction) -> Numbers:
    """Mean squared Bellman error under the distribution."""
    return total(visits * residual(mdp, q) ** 2)


def all_transitions(mdp: MDP, visits: StateAction) -> Transitions:
    """As of endlessly many transitions, each with one sampled next state."""
    return visits[..., None] * mdp.transition


def draw_transitions(
    mdp: MDP, visits: StateAction, count: int, rng: np.random.Generator
) -> Transitions:
    """Of so many transitions, drawn independently."""
    chance = all_transitions(mdp, visits)
    flat = chance.reshape(*chance.shape[:-3], -1)
    counts = rng.multinomial(count, flat / flat.sum(-1, keepdims=True))
    return counts.reshape(chance.shape) / count


def sampled_targets(mdp: MDP, best: PerState) -> Transitions:
    """Targets r + gamma V(s') of every transition, where V are the values of the next states."""
    return mdp.reward[..., None] + mdp.discount * best[..., None, None, :]


def sampled_error(mdp: MDP, q: StateAction, transitions: Transitions) -> Numbers:
    """Mean squared distance from r + gamma max Q(s'), over transitions."""
    return distance(q, sampled_targets(mdp, q.max(-1)), transitions)


def distance(q: StateAction, targets: Transitions, transitions: Transitions) -> Numbers:
    """Mean squared distance from targets of any kind, over transitions."""
    return (transitions * (q[..., None] - targets) ** 2).sum((-1, -2, -3))


def variance(targets: Transitions, transitions: Transitions) -> Numbers:
    """Of the targets, over transitions."""
    mean = (transitions * targets).sum((-1, -2, -3), keepdims=True)
    return (transitions * (targets - mean) ** 2).sum((-1, -2, -3))


def sampling_noise(mdp: MDP, q: StateAction, visits: StateAction) -> Numbers:
    """gamma^2 E Var max Q(s'): what one sampled next state adds to the squared error."""
    best = q.max(-1)
    variance = expected_next(mdp, best**2) - expected_next(mdp, best) ** 2
    return mdp.discount**2 * total(visits * variance)


@dataclass(frozen=True)
class LossBound:
    """The terms of the bound on J(pi') - J(pi), each already divided by 1 - gamma."""

    visited: Numbers
    other: Numbers
    softness: Numbers

    @property
    def value(self) -> Numbers:
        return self.visited + self.other + self.softness


def loss_bound(mdp: MDP, q: StateAction, policy: StateAction, other: StateAction) -> LossBound:
    """How much the policy, which follows q, may return less than the other."""
    wrong, visits = residual(mdp, q), occupancy(mdp, policy)
    horizon = 1.0 / (1.0 - mdp.discount)
    gap = q.max(-1) - (policy * q).sum(-1)
    return LossBound(
        horizon * total(visits * wrong),
        -horizon * total(occupancy(mdp, other) * wrong),
        horizon * (visits.sum(-1) * gap).sum(-1),
    )


def concentrability(mdp: MDP, policy: StateAction, other: StateAction) -> Numbers:
    """The greatest ratio of the other policy's occupancy to the policy's own."""
    visits, wanted = occupancy(mdp, policy), occupancy(mdp, other)
    with np.errstate(divide="ignore"):  # infinite where it is never there
        ratio = np.divide(wanted, visits, out=np.zeros_like(wanted), where=wanted > 0.0)
    return ratio.max((-1, -2))


def bound_by_visits(mdp: MDP, q: StateAction, policy: StateAction, other: StateAction) -> Numbers:
    """The same bound by the error under d^pi alone: (1 + sqrt C) / (1 - gamma) · its root."""
    visits, horizon = occupancy(mdp, policy), 1.0 / (1.0 - mdp.discount)
    factor = 1.0 + np.sqrt(concentrability(mdp, policy, other))
    root = np.sqrt(exact_error(mdp, q, visits))
    return horizon * factor * root + loss_bound(mdp, q, policy, other).softness
