"""The outer gradient of the bi-level problem, by the implicit function theorem in adjoint form.

The chain  d -> f* -> pi = softmax(beta f*) -> objective  is differentiated backwards:

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
from road.theory.projection import Features, Projection, mix, project

Objective = Literal["true", "perceived", "frozen"]


@dataclass(frozen=True)
class Inner:
    """One iteration's inner problem: what is fitted, by what, and how a policy comes of it."""

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


def alone(inner: Inner) -> Inner:
    """A stack of one problem without its stack."""
    mdp = MDP(inner.mdp.transition[0], inner.mdp.reward[0], inner.mdp.start[0], inner.mdp.discount)
    return Inner(mdp, inner.features[0], inner.target[0], inner.inverse_temperature, inner.ridge)


def true_return(inner: Inner, distribution: StateAction) -> Numbers:
    """J of the policy that learning on the distribution leads to."""
    return expected_return(inner.mdp, inner.policy(distribution))


def perceived_return(inner: Inner, distribution: StateAction) -> Numbers:
    """G: the fitted values where that policy goes."""
    values = inner.fit(distribution).values
    policy = soft_greedy(values, inner.inverse_temperature)
    return total(occupancy(inner.mdp, policy) * values)


def by_true_return(inner: Inner, values: StateAction) -> StateAction:
    policy = soft_greedy(values, inner.inverse_temperature)
    gain = advantages(policy, action_values(inner.mdp, policy))
    slope = inner.inverse_temperature / (1.0 - inner.mdp.discount)
    return slope * occupancy(inner.mdp, policy) * gain


def by_perceived_return(inner: Inner, values: StateAction) -> StateAction:
    policy = soft_greedy(values, inner.inverse_temperature)
    gain = advantages(policy, action_values(inner.mdp, policy, reward=values))
    return occupancy(inner.mdp, policy) * (1.0 + inner.inverse_temperature * gain)


def by_frozen_return(inner: Inner, values: StateAction) -> StateAction:
    policy = soft_greedy(values, inner.inverse_temperature)
    gain = advantages(policy, values)
    return occupancy(inner.mdp, policy) * (1.0 + inner.inverse_temperature * gain)


SENSITIVITY: dict[Objective, Callable[[Inner, StateAction], StateAction]] = {
    "true": by_true_return,
    "perceived": by_perceived_return,
    "frozen": by_frozen_return,
}
"""u: how each objective answers to the fitted values."""


def functional_gradient(
    inner: Inner, distribution: StateAction, objective: Objective = "true"
) -> StateAction:
    """How the objective answers to more weight on each pair."""
    fit = inner.fit(distribution)
    sensitivity = SENSITIVITY[objective](inner, fit.values)
    return -adjoint(inner.features, fit, sensitivity) * fit.error


def adjoint(features: Features, fit: Projection, sensitivity: StateAction) -> StateAction:
    """w: the sensitivity over the distribution, projected on what the features can express."""
    moment = np.einsum("...saf,...sa->...f", features, sensitivity)
    solved = np.linalg.solve(fit.normal, moment[..., None])[..., 0]
    return np.einsum("...saf,...f->...sa", features, solved)


def ratio_gradient(
    inner: Inner,
    offline_ratio: float | np.ndarray,
    offline: StateAction,
    online: StateAction,
    objective: Objective = "true",
) -> Numbers:
    """D objective / dm. Since d_m = m d_off + (1 - m) d_on, its slope is d_off - d_on."""
    gradient = functional_gradient(inner, mix(offline_ratio, offline, online), objective)
    return total(gradient * (offline - online))


def source_gradient(
    inner: Inner,
    shares: Float[np.ndarray, "*many source"],
    sources: Float[np.ndarray, "*many source state action"],
    objective: Objective = "true",
) -> Float[np.ndarray, "*many source"]:
    """D objective / d share of each source."""
    gradient = functional_gradient(inner, blend(shares, sources), objective)
    return np.einsum("...sa,...isa->...i", gradient, sources)


def blend(
    shares: Float[np.ndarray, "*many source"],
    sources: Float[np.ndarray, "*many source state action"],
) -> StateAction:
    return np.einsum("...i,...isa->...sa", shares, sources)


def printed_gradient(
    inner: Inner, offline_ratio: float | np.ndarray, offline: StateAction, online: StateAction
) -> Numbers:
    """The paper's formula as printed: w unprojected, beta missing, and the sign of d_on - d_off.

    - integral of  d^pi(s) pi'(a|s) / d_m · (d_on - d_off) · delta,   pi' = pi · (1 + A_f)
    """
    distribution = mix(offline_ratio, offline, online)
    fit = inner.fit(distribution)
    policy = soft_greedy(fit.values, inner.inverse_temperature)
    induced = occupancy(inner.mdp, policy) * (1.0 + advantages(policy, fit.values))
    seen = distribution > 0.0
    ratio = np.divide(induced, distribution, out=np.zeros_like(induced), where=seen)
    return -total(ratio * (online - offline) * fit.error)
