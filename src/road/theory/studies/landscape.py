"""m → loss landscape → f* → π → J, on an example of two features that can be drawn."""

import numpy as np

from road.theory.bilevel import Inner, alone, perceived_return, ratio_gradient, true_return
from road.theory.families import picture_problem, stacked
from road.theory.mdp import StateAction, expected_return, occupancy, soft_greedy
from road.theory.projection import mix, tabular
from road.theory.statistics import Numbers, Tell

EXAMPLE = 5
"""The random example, chosen among forty because its best ratio lies inside and is easy to see."""
SHOWN = (0.05, 0.35, 0.95)
"""Ratios whose landscape is drawn."""
RATIOS = np.linspace(0.0, 1.0, 101)
CELLS = 45


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    """The example is one fixed process: nothing is repeated and nothing drawn."""
    del repetitions, seed
    problem = picture_problem(EXAMPLE)
    values = problem.pretrained()
    policy = soft_greedy(values, problem.inverse_temperature)
    offline, online = problem.offline, occupancy(problem.mdp, policy)
    inner = problem.inner(values)
    fits = [inner.fit(mix(m, offline, online)).parameters[0] for m in RATIOS]
    path = np.stack(fits)
    tell(0.3)
    first, second = axes(path)
    plane = np.stack(np.meshgrid(first, second), -1)
    fitted = np.einsum("xyf,saf->xysa", plane, inner.features[0])
    tell(0.6)
    return {
        "ratios": RATIOS,
        "path": path,
        "first": first,
        "second": second,
        "shown": SHOWN,
        "losses": [loss(inner, fitted, mix(m, offline, online)) for m in SHOWN],
        "plane_returns": plane_returns(inner, fitted),
        "true": [true_return(inner, mix(m, offline, online))[0] for m in RATIOS],
        "perceived": [perceived_return(inner, mix(m, offline, online))[0] for m in RATIOS],
        "slope": [ratio_gradient(inner, m, offline, online)[0] for m in RATIOS],
        "tabular": tabular_returns(inner, offline, online),
    }


def axes(path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A square window around the path of the optimum, with room on every side."""
    middle = (path.min(0) + path.max(0)) / 2.0
    half = 0.9 * (path.max(0) - path.min(0)).max()
    first, second = (np.linspace(centre - half, centre + half, CELLS) for centre in middle)
    return first, second


def loss(inner: Inner, fitted: np.ndarray, distribution: StateAction) -> np.ndarray:
    """The inner objective over the plane of parameters."""
    return (distribution[0] * (fitted - inner.target[0]) ** 2).sum((-1, -2))


def plane_returns(inner: Inner, fitted: np.ndarray) -> np.ndarray:
    """J of the soft-greedy policy of every point of the plane."""
    policies = soft_greedy(fitted, inner.inverse_temperature)
    flat = policies.reshape(-1, *policies.shape[-2:])
    returns = expected_return(stacked(alone(inner).mdp, len(flat)), flat)
    return returns.reshape(policies.shape[:-2])


def tabular_returns(inner: Inner, offline: StateAction, online: StateAction) -> list[float]:
    """The same curve when every function can be represented: it is flat."""
    free = Inner(
        inner.mdp, tabular(*inner.target.shape[-2:])[None], inner.target, inner.inverse_temperature
    )
    return [float(true_return(free, mix(m, offline, online))[0]) for m in RATIOS[1:-1]]
