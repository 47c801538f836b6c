"""The problems that the studies are made on: a process, features for its values, and offline data.

The offline data is exact: the occupancy of a behaviour policy, as of an infinite dataset.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from road.theory.bilevel import Features, Inner, project
from road.theory.chain import DATA, DataQuality, Reading, chain_mdp
from road.theory.mdp import MDP, StateAction, backup, occupancy, optimal_values, soft_greedy
from road.theory.samples import generator

Quality = Literal["poor", "mixed", "good"]
QUALITIES: tuple[Quality, ...] = ("poor", "mixed", "good")

PREFERENCE: dict[Quality, float] = {"poor": -4.0, "mixed": 0.0, "good": 8.0}
"""Inverse temperature of a soft-greedy behaviour over Q*; negative prefers bad actions."""
WIDTH = 10
"""Features for 30 state-action pairs."""


@dataclass(frozen=True)
class Problem:
    """A stack of processes with their features and offline data."""

    mdp: MDP
    features: Features
    offline: StateAction
    inverse_temperature: float = 10.0
    ridge: float = 1e-6
    """Keeps a fit defined where a narrow policy visits too few pairs."""

    def pretrain(self, iterations: int = 30) -> StateAction:
        """f^off: fitted Q-iteration on the offline data alone."""
        values = np.zeros_like(self.mdp.reward)
        for _ in range(iterations):
            target = backup(self.mdp, values)
            values = project(self.features, target, self.offline, self.ridge).values
        return values

    def inner(self, values: StateAction) -> Inner:
        target = backup(self.mdp, values)
        return Inner(self.mdp, self.features, target, self.inverse_temperature, self.ridge)

    def select(self, index: int) -> "Problem":
        """A single problem of the stack, as a stack of one."""
        part = slice(index, index + 1)
        mdp = self.mdp.map(lambda tensor: tensor[part])
        features, offline = self.features[part], self.offline[part]
        return Problem(mdp, features, offline, self.inverse_temperature, self.ridge)


def random_problems(count: int, seed: int, branching: int = 3) -> tuple[Problem, list[str]]:
    """Random processes with poor, mixed and good data in turn, and which data each one has.

    An action leads to so many states; with one its outcome is certain.
    """
    rng = generator(seed, "random problems")
    mdp = random_mdp(rng, (count,), branching=branching)
    features = random_features(rng, mdp, WIDTH)
    quality = [QUALITIES[index % len(QUALITIES)] for index in range(count)]
    policies = {name: behaviour(mdp, name) for name in QUALITIES}
    policy = np.stack([policies[name][index] for index, name in enumerate(quality)])
    return Problem(mdp, features, occupancy(mdp, policy)), list(quality)


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
    """A constant and normal noise: too few to represent every value function."""
    features = rng.normal(size=(*mdp.reward.shape, width))
    features[..., 0] = 1.0
    return features


def behaviour(mdp: MDP, quality: Quality) -> StateAction:
    """A policy that prefers bad actions, has no preference, or prefers good ones."""
    return soft_greedy(optimal_values(mdp), PREFERENCE[quality])


def chain_problem(length: int = 10) -> Problem:
    """The paper's chain, with low- and with high-quality data: a stack of two.

    Values are a polynomial of second degree in the place, one for each action: six features.
    """
    mdp = chain_mdp(Reading(length=length))
    place = np.linspace(0.0, 1.0, length + 1)
    powers = np.stack([place**power for power in range(3)], -1)
    features = np.einsum("sp,ab->sabp", powers, np.eye(2)).reshape(length + 1, 2, 6)
    features[-1] = 0.0  # the value of T is zero
    offline = np.stack([chain_data(mdp, quality) for quality in DATA])
    twice = mdp.map(lambda tensor: np.stack([tensor] * 2))
    return Problem(twice, np.stack([features] * 2), offline, inverse_temperature=30.0)


def chain_data(mdp: MDP, quality: DataQuality) -> StateAction:
    """Always a step of 1; or one half of the episodes so, the other half with steps of 2."""
    slow, fast = (
        occupancy(mdp, np.broadcast_to(np.eye(2)[action], mdp.reward.shape)) for action in (0, 1)
    )
    return slow if quality == "low" else 0.5 * slow + 0.5 * fast


def picture_problem(seed: int) -> Problem:
    """Five states, two actions and two features: small enough to draw the loss as a landscape."""
    rng = generator(seed, "picture")
    mdp = random_mdp(rng, (1,), states=5, actions=2, branching=2)
    features: Features = rng.normal(size=(*mdp.reward.shape, 2))
    data = occupancy(mdp, behaviour(mdp, "poor"))
    return Problem(mdp, features, data, inverse_temperature=3.0)
