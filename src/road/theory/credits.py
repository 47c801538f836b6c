"""What a period may be credited with, computed without sampling: R_q and its rivals.

Delta_x(q) = E_{s ~ d_x, a ~ pi} q(s, a) - E_{(s, a) ~ d_x} q(s, a), with exact expectations. R_q is
made of the two by the library's own ``surrogate_objective``.

With q = Q^pi and d_x = d^{pi_x} the performance-difference lemma, read backwards, says
Delta_x / (1 - gamma) = J(pi) - J(pi_x), whatever pi is.
"""

from dataclasses import dataclass

import numpy as np

from road.mixing import Advantages, surrogate_objective
from road.theory.bilevel import Numbers
from road.theory.mdp import MDP, StateAction


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
    preferred = data.sum(-1) * (policy * critic).sum(-1)
    return preferred.sum(-1) - (data * critic).sum((-1, -2))


def perceived_advantages(seen: Seen) -> list[Advantages]:
    """Delta_off and Delta_on, of every problem of the stack."""
    offline = perceived_advantage(seen.critic, seen.policy, seen.offline)
    online = perceived_advantage(seen.critic, seen.policy, seen.online)
    pairs = zip(np.ravel(offline), np.ravel(online), strict=True)
    return [Advantages(float(off), float(on)) for off, on in pairs]


def surrogate_credit(seen: Seen, overestimation_penalty: float) -> Numbers:
    """R_q of every problem of the stack."""
    credits = [
        surrogate_objective(each, overestimation_penalty) for each in perceived_advantages(seen)
    ]
    return np.reshape(credits, seen.critic.shape[:-2])


def online_credit(seen: Seen) -> Numbers:
    """-Delta_on alone."""
    return -perceived_advantage(seen.critic, seen.policy, seen.online)


def start_credit(seen: Seen) -> Numbers:
    """The value that the critic expects of an episode."""
    return (seen.mdp.start * (seen.policy * seen.critic).sum(-1)).sum(-1)


def fresh_error_credit(seen: Seen) -> Numbers:
    """Minus the mean squared error against the target on fresh rows."""
    return -(seen.fresh * (seen.critic - seen.target) ** 2).sum((-1, -2))


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
