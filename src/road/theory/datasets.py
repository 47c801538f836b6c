"""Random problems and what an exact offline dataset holds: the occupancy of a behaviour policy."""

from typing import Literal

import numpy as np
from jaxtyping import Float

from road.theory.mdp import MDP, StateAction, occupancy, optimal_values, soft_greedy

Quality = Literal["poor", "mixed", "good"]
QUALITIES: tuple[Quality, ...] = ("poor", "mixed", "good")

PREFERENCE: dict[Quality, float] = {"poor": -4.0, "mixed": 0.0, "good": 8.0}
"""Inverse temperature of a soft-greedy behaviour over Q*; negative prefers what is bad."""


def random_mdp(
    rng: np.random.Generator,
    many: tuple[int, ...] = (),
    states: int = 10,
    actions: int = 3,
    branching: int = 3,
    discount: float = 0.9,
) -> MDP:
    """Garnet processes: each action leads to a few random states; rewards are uniform in [0, 1]."""
    order = rng.random((*many, states, actions, states)).argsort(-1)
    chance = np.zeros((*many, states, actions, states))
    shares = rng.dirichlet(np.ones(branching), (*many, states, actions))
    np.put_along_axis(chance, order[..., :branching], shares, -1)
    start = np.zeros((*many, states))
    start[..., 0] = 1.0
    return MDP(chance, rng.random((*many, states, actions)), start, discount)


def random_features(
    rng: np.random.Generator, mdp: MDP, width: int
) -> Float[np.ndarray, "*many state action feature"]:
    """A constant and normal noise: too few to hold every value, as a network on large data."""
    features = rng.normal(size=(*mdp.reward.shape, width))
    features[..., 0] = 1.0
    return features


def behaviour(mdp: MDP, quality: Quality) -> StateAction:
    """A policy that prefers bad actions, has no preference, or prefers good ones."""
    return soft_greedy(optimal_values(mdp), PREFERENCE[quality])


def offline_data(mdp: MDP, policy: StateAction) -> StateAction:
    """The distribution of an endless dataset of that policy."""
    return occupancy(mdp, policy)


def sampled(rng: np.random.Generator, distribution: StateAction, rows: int) -> StateAction:
    """The distribution of a finite dataset: what share of its rows each pair has."""
    *many, states, actions = distribution.shape
    flat = distribution.reshape(*many, states * actions)
    counts = rng.multinomial(rows, flat / flat.sum(-1, keepdims=True))
    return counts.reshape(distribution.shape) / rows
