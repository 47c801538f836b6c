"""The paper's surrogate objective R_q, read off the agent's own critic (ROAD, Eq. R_q).

    Delta_x = E_{s in D_x, a ~ pi} Q(s, a) - E_{(s, a) in D_x} Q(s, a),   x in {offline, online}
    R_q     = Delta_off - kappa · Delta_on

With an exact critic and kappa = 1 the current policy cancels out of R_q (docs/paper-notes.md).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Advantages:
    """By how much the critic prefers the policy's actions to the recorded ones."""

    offline: float
    """Delta_off."""
    online: float
    """Delta_on."""

    def __post_init__(self) -> None:
        check_finite("offline_advantage", self.offline)
        check_finite("online_advantage", self.online)


@dataclass(frozen=True)
class Surrogate:
    """The two advantages of a period and the credit R_q made of them."""

    advantages: Advantages
    credit: float
    """R_q."""


def surrogate(
    offline_policy_q: ArrayLike,
    offline_data_q: ArrayLike,
    online_policy_q: ArrayLike,
    online_data_q: ArrayLike,
    *,
    overestimation_penalty: float = 1.0,
) -> Surrogate:
    """R_q from four arrays of Q-values: each source's states with the policy's and own actions."""
    advantages = Advantages(
        offline=advantage(offline_policy_q, offline_data_q),
        online=advantage(online_policy_q, online_data_q),
    )
    return Surrogate(advantages, surrogate_objective(advantages, overestimation_penalty))


def advantage(policy_q: ArrayLike, data_q: ArrayLike) -> float:
    """Delta of one source: mean Q of the policy's actions less mean Q of the data's."""
    policy, data = np.asarray(policy_q, np.float64), np.asarray(data_q, np.float64)
    if policy.size == 0 or data.size == 0:
        raise ValueError(
            f"no Q-values to average: {policy.size} of the policy, {data.size} of the data"
        )
    return float(policy.mean() - data.mean())


def surrogate_objective(advantages: Advantages, overestimation_penalty: float) -> float:
    """R_q = Delta_off - kappa · Delta_on."""
    return advantages.offline - overestimation_penalty * advantages.online


def check_finite(name: str, value: float) -> None:
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}")
