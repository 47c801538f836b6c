"""Small problems that several tests of the theory share."""

import numpy as np

from road.theory.bilevel import Inner, project, tabular
from road.theory.mdp import MDP, StateAction, backup, occupancy, soft_greedy
from road.theory.problems import behaviour, random_features, random_mdp
from road.theory.samples import generator

BETA = 4.0


def small_mdp(seed: int = 0) -> MDP:
    return random_mdp(generator(seed, "test"), states=6, actions=3)


def small_inner(
    seed: int = 0, ridge: float = 0.0, width: int | None = 5
) -> tuple[Inner, StateAction, StateAction]:
    """An inner problem with its offline and online data; no width means tabular."""
    mdp, rng = small_mdp(seed), generator(seed, "test features")
    features = tabular(6, 3) if width is None else random_features(rng, mdp, width)
    offline = occupancy(mdp, behaviour(mdp, "poor"))
    values = project(features, backup(mdp, np.zeros((6, 3))), offline, 1e-6).values
    online = occupancy(mdp, soft_greedy(values, BETA))
    return Inner(mdp, features, backup(mdp, values), BETA, ridge), offline, online
