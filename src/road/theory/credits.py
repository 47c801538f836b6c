"""What a period may be credited with, with exact expectations: R_q and alternatives.

Delta_x(q) = E_{s ~ d_x, a ~ pi} q(s, a) - E_{(s, a) ~ d_x} q(s, a).  R_q is computed from the two
by the library's own ``surrogate_objective``.

With q = Q^pi and d_x = d^{pi_x} the performance-difference lemma, read backwards, says
Delta_x / (1 - gamma) = J(pi) - J(pi_x), for every pi.
"""

from dataclasses import dataclass

import numpy as np

from road.mixing import Advantages, surrogate_objective
from road.theory.mdp import MDP, Numbers, StateAction, total


@dataclass(frozen=True)
class Outcome:
    """The state of learning at the end of a period, from which credits are computed."""

    mdp: MDP
    critic: StateAction
    policy: StateAction
    offline: StateAction
    online: StateAction
    """d_on of the replay buffer."""
    fresh: StateAction
    """Occupancy of the new policy: rows that were not trained on."""
    target: StateAction
    """y, which the critic was fitted to."""


def perceived_advantage(critic: StateAction, policy: StateAction, data: StateAction) -> Numbers:
    """Delta of one source."""
    return total(data.sum(-1, keepdims=True) * policy * critic) - total(data * critic)


def perceived_advantages(outcome: Outcome) -> tuple[Numbers, Numbers]:
    """Delta_off and Delta_on, each for every problem of the stack."""
    critic, policy = outcome.critic, outcome.policy
    return (
        perceived_advantage(critic, policy, outcome.offline),
        perceived_advantage(critic, policy, outcome.online),
    )


def advantage_pairs(offline: Numbers, online: Numbers) -> list[Advantages]:
    """Delta_off and Delta_on as the library takes them, one pair at a time."""
    pairs = zip(np.ravel(offline), np.ravel(online), strict=True)
    return [Advantages(float(off), float(on)) for off, on in pairs]


def surrogate_values(
    offline: Numbers, online: Numbers, overestimation_penalty: float = 1.0
) -> Numbers:
    """R_q for arrays of Delta_off and Delta_on."""
    pairs = advantage_pairs(offline, online)
    credits = [surrogate_objective(each, overestimation_penalty) for each in pairs]
    return np.reshape(credits, np.shape(offline))


def surrogate_credit(outcome: Outcome, overestimation_penalty: float) -> Numbers:
    """R_q of every problem of the stack."""
    return surrogate_values(*perceived_advantages(outcome), overestimation_penalty)


def start_credit(outcome: Outcome) -> Numbers:
    """The critic's estimate of the return of an episode."""
    return total(outcome.mdp.start[..., None] * outcome.policy * outcome.critic)


def fresh_error_credit(outcome: Outcome) -> Numbers:
    """Minus the mean squared error against the target on fresh rows."""
    return -total(outcome.fresh * (outcome.critic - outcome.target) ** 2)


def all_credits(outcome: Outcome) -> dict[str, Numbers]:
    """Every credit by its name; greater is better."""
    return {
        "R_q (κ = 1)": surrogate_credit(outcome, 1.0),
        "R_q (κ = 0.5)": surrogate_credit(outcome, 0.5),
        "Δ_off (κ = 0)": surrogate_credit(outcome, 0.0),
        "−Δ_on": -perceived_advantages(outcome)[1],
        "start value": start_credit(outcome),
        "−fresh error": fresh_error_credit(outcome),
    }
