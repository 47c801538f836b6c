"""The families of problems that the studies are made on."""

import numpy as np

from road.theory.chain import DATA, DataQuality, Reading, chain_mdp
from road.theory.datasets import (
    QUALITIES,
    behaviour,
    offline_data,
    random_features,
    random_mdp,
)
from road.theory.draws import generator
from road.theory.finetuning import Problem
from road.theory.mdp import MDP, Numbers, StateAction, occupancy, optimal_values
from road.theory.projection import Features

WIDTH = 10
"""Features for 30 pairs."""


def random_problems(count: int, seed: int) -> tuple[Problem, list[str]]:
    """Random processes with poor, mixed and good data in turn, and which data each one has."""
    rng = generator(seed, "random problems")
    mdp = random_mdp(rng, (count,))
    features = random_features(rng, mdp, WIDTH)
    quality = [QUALITIES[index % len(QUALITIES)] for index in range(count)]
    policies = {name: behaviour(mdp, name) for name in QUALITIES}
    policy = np.stack([policies[name][index] for index, name in enumerate(quality)])
    return Problem(mdp, features, offline_data(mdp, policy)), list(quality)


def chain_problem(length: int = 10) -> Problem:
    """The paper's chain, with low- and with high-quality data: a stack of two.

    Values are a curve of second degree in the place, one for each action: six features.
    """
    mdp = chain_mdp(Reading(length=length))
    place = np.linspace(0.0, 1.0, length + 1)
    curve = np.stack([place**power for power in range(3)], -1)
    features = np.einsum("sp,ab->sabp", curve, np.eye(2)).reshape(length + 1, 2, 6)
    features[-1] = 0.0  # T is worth nothing
    offline = np.stack([chain_data(mdp, quality) for quality in DATA])
    return Problem(stacked(mdp, 2), np.stack([features] * 2), offline, inverse_temperature=30.0)


def chain_data(mdp: MDP, quality: DataQuality) -> StateAction:
    """Always a step of 1; or one half of the episodes so, the other half with steps of 2."""
    slow, fast = (
        occupancy(mdp, np.broadcast_to(np.eye(2)[action], mdp.reward.shape)) for action in (0, 1)
    )
    return slow if quality == "low" else 0.5 * slow + 0.5 * fast


def stacked(mdp: MDP, times: int) -> MDP:
    """The same process several times."""
    return MDP(
        np.stack([mdp.transition] * times),
        np.stack([mdp.reward] * times),
        np.stack([mdp.start] * times),
        mdp.discount,
    )


def one_of(problem: Problem, index: int) -> Problem:
    """A single problem of a stack, still as a stack of one."""
    part = slice(index, index + 1)
    mdp = MDP(
        problem.mdp.transition[part],
        problem.mdp.reward[part],
        problem.mdp.start[part],
        problem.mdp.discount,
    )
    return Problem(
        mdp,
        problem.features[part],
        problem.offline[part],
        problem.inverse_temperature,
        problem.ridge,
    )


def picture_problem(seed: int) -> Problem:
    """Five states, two actions and two features: small enough to draw the loss as a landscape."""
    rng = generator(seed, "picture")
    mdp = random_mdp(rng, (1,), states=5, actions=2, branching=2)
    features: Features = rng.normal(size=(*mdp.reward.shape, 2))
    data = offline_data(mdp, behaviour(mdp, "poor"))
    return Problem(mdp, features, data, inverse_temperature=3.0)


def optimal_return(mdp: MDP) -> Numbers:
    """J of the best policy."""
    return (mdp.start * optimal_values(mdp).max(-1)).sum(-1)
