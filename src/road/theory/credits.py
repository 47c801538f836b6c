"""What a period may be credited with, computed without sampling: R_q and its rivals.

Delta_x(q) = E_{s ~ d_x, a ~ pi} q(s, a) - E_{(s, a) ~ d_x} q(s, a), with exact expectations. R_q is
made of the two by the library's own ``surrogate_objective``.

With q = Q^pi and d_x = d^{pi_x} the performance-difference lemma, read backwards, says
Delta_x / (1 - gamma) = J(pi) - J(pi_x), whatever pi is.
"""

from dataclasses import dataclass

import numpy as np

from road.mixing import Advantages, surrogate_objective
from road.theory.mdp import MDP, Numbers, StateAction, total


@dataclass(frozen=True)
class Seen:
    """What is at hand when a period ends."""

    mdp: MDP
    critic: StateAction
    policy: StateAction
    offline: StateAction
    online: StateAction
    """d_on of the buffer."""
    fresh: StateAction
    """What the policy that has just been learnt visits: rows that nobody has trained on."""
    target: StateAction
    """y, which the critic was fitted to."""


def perceived_advantage(critic: StateAction, policy: StateAction, data: StateAction) -> Numbers:
    """Delta of one source."""
    return total(data.sum(-1, keepdims=True) * policy * critic) - total(data * critic)


def perceived(seen: Seen) -> tuple[Numbers, Numbers]:
    """Delta_off and Delta_on as arrays."""
    return (
        perceived_advantage(seen.critic, seen.policy, seen.offline),
        perceived_advantage(seen.critic, seen.policy, seen.online),
    )


def perceived_advantages(seen: Seen) -> list[Advantages]:
    """Delta_off and Delta_on, of every problem of the stack."""
    return advantage_pairs(*perceived(seen))


def advantage_pairs(offline: Numbers, online: Numbers) -> list[Advantages]:
    """Two arrays as the library takes them, one pair at a time."""
    pairs = zip(np.ravel(offline), np.ravel(online), strict=True)
    return [Advantages(float(off), float(on)) for off, on in pairs]


def each_credit(offline: Numbers, online: Numbers, overestimation_penalty: float = 1.0) -> Numbers:
    """R_q for arrays of Delta_off and Delta_on."""
    pairs = advantage_pairs(offline, online)
    credits = [surrogate_objective(each, overestimation_penalty) for each in pairs]
    return np.reshape(credits, np.shape(offline))


def surrogate_credit(seen: Seen, overestimation_penalty: float) -> Numbers:
    """R_q of every problem of the stack."""
    return each_credit(*perceived(seen), overestimation_penalty)


def online_credit(seen: Seen) -> Numbers:
    """-Delta_on alone."""
    return -perceived_advantage(seen.critic, seen.policy, seen.online)


def start_credit(seen: Seen) -> Numbers:
    """The value that the critic expects of an episode."""
    return total(seen.mdp.start[..., None] * seen.policy * seen.critic)


def fresh_error_credit(seen: Seen) -> Numbers:
    """Minus the mean squared error against the target on fresh rows."""
    return -total(seen.fresh * (seen.critic - seen.target) ** 2)


def all_credits(seen: Seen) -> dict[str, Numbers]:
    """Every credit by its name, greater is better."""
    return {
        "R_q (κ = 1)": surrogate_credit(seen, 1.0),
        "R_q (κ = 0.5)": surrogate_credit(seen, 0.5),
        "Δ_off (κ = 0)": surrogate_credit(seen, 0.0),
        "−Δ_on": online_credit(seen),
        "start value": start_credit(seen),
        "−fresh error": fresh_error_credit(seen),
    }
