"""The bi-level problem: the fit that a mixture of data leads to, and the gradient of its outcome.

Inner problem, one iteration of fitted Q-learning: the sampling distribution d is the metric.

    f*    = argmin_{f in span(Phi)}  E_d (f - y)^2 + ridge |theta|^2,       y = T f^k
    A     = Phi^T D Phi + ridge I,   theta* = A^-1 Phi^T D y,   f* = Phi theta*
    delta = f* - y

Outer gradient: the chain  d -> f* -> pi = softmax(beta f*) -> objective  is differentiated
backwards, by the implicit function theorem in adjoint form.

    u(s, a)  = d objective / d f*(s, a)
    w        = Phi A^-1 Phi^T u
    gradient of the objective in d(s, a)  =  - w(s, a) · delta(s, a)             (functional form)
    in m:   sum of  - w · delta · (d_off - d_on)
    in the weight of source i:  sum of  - w · delta · d_i

Two objectives. The true return J(pi), and what the paper differentiates: the perceived value
G = E_{d^pi} f*. The paper treats d^pi as constant in the latter; ``frozen`` does the same.

    u of J        = beta / (1 - gamma) · d^pi · A^pi                    A^pi of the true reward
    u of G        = d^pi · (1 + beta · A_f),  A_f of the process with f* as its reward
    u of frozen G = d^pi · (1 + beta · (f* - E_pi f*))
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from road.theory.mdp import (
    MDP,
    Numbers,
    StateAction,
    action_values,
    advantages,
    expected_return,
    occupancy,
    soft_greedy,
    total,
)

Features = Float[np.ndarray, "*many state action feature"]
Weights = Float[np.ndarray, "*many feature"]
Shares = Float[np.ndarray, "*many source"]
Sources = Float[np.ndarray, "*many source state action"]
Ratio = float | np.ndarray
"""One offline ratio for all problems of a stack, or one for each."""
Objective = Literal["true", "perceived", "frozen"]
OBJECTIVES: tuple[Objective, ...] = ("true", "perceived", "frozen")


@dataclass(frozen=True)
class Projection:
    """The result of one fit."""

    parameters: Weights
    """theta*."""
    values: StateAction
    """f*."""
    error: StateAction
    """delta = f* - y."""
    normal: Float[np.ndarray, "*many feature feature"]
    """A."""


@dataclass(frozen=True)
class Inner:
    """The inner problem of one iteration: what is fitted, and the policy that follows from it."""

    mdp: MDP
    features: Features
    target: StateAction
    """y = T f^k, held fixed."""
    inverse_temperature: float
    """beta of the soft-greedy policy."""
    ridge: float = 0.0

    def fit(self, distribution: StateAction) -> Projection:
        return project(self.features, self.target, distribution, self.ridge)

    def policy(self, distribution: StateAction) -> StateAction:
        return soft_greedy(self.fit(distribution).values, self.inverse_temperature)


def project(
    features: Features, target: StateAction, distribution: StateAction, ridge: float = 0.0
) -> Projection:
    """The best fit of the target, with its squared errors weighted by the distribution."""
    weighted = distribution[..., None] * features
    normal = np.einsum("...saf,...sag->...fg", weighted, features)
    normal = normal + ridge * np.eye(features.shape[-1])
    moment = np.einsum("...saf,...sa->...f", weighted, target)
    parameters = np.linalg.solve(normal, moment[..., None])[..., 0]
    values = np.einsum("...saf,...f->...sa", features, parameters)
    return Projection(parameters, values, values - target, normal)


def tabular(states: int, actions: int) -> Features:
    """One feature per state-action pair: every function can be represented."""
    return np.eye(states * actions).reshape(states, actions, -1)


def first_problem(inner: Inner) -> Inner:
    """The first problem of a stack, without leading axes."""
    mdp = inner.mdp.map(lambda tensor: tensor[0])
    return Inner(mdp, inner.features[0], inner.target[0], inner.inverse_temperature, inner.ridge)


def mix(offline_ratio: Ratio, offline: StateAction, online: StateAction) -> StateAction:
    """d_m = m d_off + (1 - m) d_on."""
    m = np.asarray(offline_ratio)[..., None, None]
    return m * offline + (1.0 - m) * online


def blend(shares: Shares, sources: Sources) -> StateAction:
    """The sources' distributions, weighted by their shares."""
    return np.einsum("...i,...isa->...sa", shares, sources)


def true_return(inner: Inner, distribution: StateAction) -> Numbers:
    """J of the policy after a fit on the distribution."""
    return expected_return(inner.mdp, inner.policy(distribution))


def perceived_return(inner: Inner, distribution: StateAction) -> Numbers:
    """G: the mean of the fitted values over the occupancy of their policy."""
    values = inner.fit(distribution).values
    policy = soft_greedy(values, inner.inverse_temperature)
    return total(occupancy(inner.mdp, policy) * values)


def true_sensitivity(inner: Inner, values: StateAction) -> StateAction:
    policy = soft_greedy(values, inner.inverse_temperature)
    gain = advantages(policy, action_values(inner.mdp, policy))
    slope = inner.inverse_temperature / (1.0 - inner.mdp.discount)
    return slope * occupancy(inner.mdp, policy) * gain


def perceived_sensitivity(inner: Inner, values: StateAction) -> StateAction:
    policy = soft_greedy(values, inner.inverse_temperature)
    gain = advantages(policy, action_values(inner.mdp, policy, reward=values))
    return occupancy(inner.mdp, policy) * (1.0 + inner.inverse_temperature * gain)


def frozen_sensitivity(inner: Inner, values: StateAction) -> StateAction:
    policy = soft_greedy(values, inner.inverse_temperature)
    gain = advantages(policy, values)
    return occupancy(inner.mdp, policy) * (1.0 + inner.inverse_temperature * gain)


SENSITIVITY: dict[Objective, Callable[[Inner, StateAction], StateAction]] = {
    "true": true_sensitivity,
    "perceived": perceived_sensitivity,
    "frozen": frozen_sensitivity,
}
"""u of each objective."""


def functional_gradient(
    inner: Inner, distribution: StateAction, objective: Objective = "true"
) -> StateAction:
    """D objective / d weight of each state-action pair."""
    fit = inner.fit(distribution)
    sensitivity = SENSITIVITY[objective](inner, fit.values)
    return -adjoint(inner.features, fit, sensitivity) * fit.error


def adjoint(features: Features, fit: Projection, sensitivity: StateAction) -> StateAction:
    """w: the sensitivity over the distribution, projected on the span of the features."""
    moment = np.einsum("...saf,...sa->...f", features, sensitivity)
    solved = np.linalg.solve(fit.normal, moment[..., None])[..., 0]
    return np.einsum("...saf,...f->...sa", features, solved)


def ratio_gradient(
    inner: Inner,
    offline_ratio: Ratio,
    offline: StateAction,
    online: StateAction,
    objective: Objective = "true",
) -> Numbers:
    """D objective / dm. Since d_m = m d_off + (1 - m) d_on, its slope is d_off - d_on."""
    gradient = functional_gradient(inner, mix(offline_ratio, offline, online), objective)
    return total(gradient * (offline - online))


def source_gradient(inner: Inner, shares: Shares, sources: Sources) -> Shares:
    """DJ / d share of each source."""
    gradient = functional_gradient(inner, blend(shares, sources))
    return np.einsum("...sa,...isa->...i", gradient, sources)
