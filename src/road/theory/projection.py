"""Fitted Q-iteration as a projection: the sampling distribution is the metric.

f* = argmin_{f in span(Phi)}  E_d (f - y)^2 + ridge |theta|^2,       y = T f^k
A  = Phi^T D Phi + ridge I,   theta* = A^-1 Phi^T D y,   f* = Phi theta*
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from road.theory.mdp import StateAction

Features = Float[np.ndarray, "*many state action feature"]
Weights = Float[np.ndarray, "*many feature"]


@dataclass(frozen=True)
class Projection:
    """What one fitted Q-iteration leaves behind."""

    parameters: Weights
    """theta*."""
    values: StateAction
    """f*."""
    error: StateAction
    """delta = f* - y."""
    normal: Float[np.ndarray, "*many feature feature"]
    """A."""


def mix(
    offline_ratio: float | np.ndarray, offline: StateAction, online: StateAction
) -> StateAction:
    """d_m = m d_off + (1 - m) d_on; one ratio for all, or one for each leading index."""
    m = np.asarray(offline_ratio)[..., None, None]
    return m * offline + (1.0 - m) * online


def project(
    features: Features, target: StateAction, distribution: StateAction, ridge: float = 0.0
) -> Projection:
    """The best fit of the target, as the distribution weighs its errors."""
    weighted = distribution[..., None] * features
    normal = np.einsum("...saf,...sag->...fg", weighted, features)
    normal = normal + ridge * np.eye(features.shape[-1])
    moment = np.einsum("...saf,...sa->...f", weighted, target)
    parameters = np.linalg.solve(normal, moment[..., None])[..., 0]
    values = np.einsum("...saf,...f->...sa", features, parameters)
    return Projection(parameters, values, values - target, normal)


def tabular(states: int, actions: int) -> Features:
    """One feature per pair: every function can be represented."""
    return np.eye(states * actions).reshape(states, actions, -1)
