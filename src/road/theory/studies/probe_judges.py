"""Probes of ``validated`` on problems that can be solved exactly, and what may judge them.

Beside a main learner that mixes at 0.5, one probe for each ratio iterates its own fit on the same
data. After some iterations every judge gives each probe a number. Errors are taken under the
occupancy of

    new transitions   the main learner's policy: the next batch of its data
    own transitions   the probe's own policy
    offline rows      the behaviour policy, as of rows that are held out from training
    best policy's     the optimal policy, which no run can measure

The error on new transitions is also taken from a common target, the mean of all probes' targets, in
which the noise of the next state is the same for all; and as a share of the variance of a probe's
own targets, so that small values have no advantage.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from road.mixing import FixedMixer
from road.theory.bellman import (
    all_transitions,
    distance,
    draw_transitions,
    exact_error,
    residual,
    sampled_error,
    sampled_targets,
    variance,
)
from road.theory.bilevel import Inner, ratio_gradient
from road.theory.credits import Outcome, surrogate_credit
from road.theory.finetuning import ByMixer, finetune
from road.theory.mdp import (
    MDP,
    StateAction,
    action_values,
    expected_return,
    occupancy,
    optimal_values,
    soft_greedy,
    total,
)
from road.theory.problems import Problem
from road.theory.samples import generator
from road.theory.studies.credit_quality import NO_CREDIT, RATIOS, WHEN, Trial

ROWS = 200
"""New transitions of one interval."""
GREEDY = 1e6
"""Inverse temperature of a policy that is as good as greedy."""
EXACT, ONE, FEW = "exact", "one next state", f"{ROWS} rows"
NEW = "−error, new transitions"


@dataclass(frozen=True)
class Probes:
    """The probes after an iteration, one for each ratio, and the main learner they belong to."""

    problem: Problem
    when: int
    main: Outcome
    inners: list[Inner]
    values: list[StateAction]

    @property
    def policies(self) -> list[StateAction]:
        return [soft_greedy(each, self.problem.inverse_temperature) for each in self.values]


def run_probes(problem: Problem) -> list[Probes]:
    """Every probe starts as the main learner does, and fits what that one collects."""
    values, runs = [problem.pretrain()] * len(RATIOS), list[Probes]()
    for index, main in enumerate(finetune(problem, ByMixer(FixedMixer(0.5)), WHEN[-1] + 1)):
        inners = [problem.inner(each) for each in values]
        pairs = zip(inners, RATIOS, strict=True)
        values = [inner.fit(main.now.mix(ratio)).values for inner, ratio in pairs]
        if index in WHEN:
            outcome = main.now.outcome(main.now.mix(0.5))
            runs.append(Probes(problem, index, outcome, inners, values))
    return runs


def judge(probes: Probes, kind: str, seed: int) -> Trial:
    """What every judge says of every probe, beside J and dJ/dm."""
    mdp, main = probes.problem.mdp, probes.main
    rows = sample(mdp, main.fresh, kind, generator(seed, "new transitions", probes.when))
    logs = sample(mdp, main.offline, kind, generator(seed, "offline rows", probes.when))
    best = occupancy(mdp, soft_greedy(optimal_values(mdp), GREEDY))
    true_values = action_values(mdp, main.policy)
    common = np.mean([each.max(-1) for each in probes.values], axis=0)
    credits: list[dict[str, Any]] = []
    for ratio, q, policy in zip(RATIOS, probes.values, probes.policies, strict=True):
        own = sample(mdp, occupancy(mdp, policy), kind, generator(seed, "own", probes.when))
        new, old = error(mdp, q, rows), error(mdp, q, logs)
        outcome = Outcome(mdp, q, policy, main.offline, main.online, main.fresh, q)
        credits.append(
            {
                NEW: -new,
                "−error, own transitions": -error(mdp, q, own),
                "−error, offline rows": -old,
                "−error, new and offline": -(new + old),
                "−error, best policy's": -exact_error(mdp, q, best),
                "−error, common target": -from_common(mdp, q, common, rows),
                "−error over variance": -new / target_variance(mdp, q, rows),
                "−error of the return": -total(main.fresh * (q - true_values) ** 2),
                "R_q (κ = 1)": surrogate_credit(outcome, 1.0),
                NO_CREDIT: np.full(len(q), -ratio),
            }
        )
    return Trial(
        {name: np.stack([each[name] for each in credits]) for name in credits[0]},
        np.stack([expected_return(mdp, policy) for policy in probes.policies]),
        np.stack(
            [
                ratio_gradient(inner, ratio, main.offline, main.online)
                for inner, ratio in zip(probes.inners, RATIOS, strict=True)
            ]
        ),
    )


def sample(mdp: MDP, visits: StateAction, kind: str, rng: np.random.Generator) -> np.ndarray:
    """The distribution itself for the exact error, else transitions of it."""
    if kind == EXACT:
        return visits
    return all_transitions(mdp, visits) if kind == ONE else draw_transitions(mdp, visits, ROWS, rng)


def error(mdp: MDP, q: StateAction, sampled: np.ndarray) -> np.ndarray:
    exact = sampled.ndim == mdp.reward.ndim
    return np.asarray((exact_error if exact else sampled_error)(mdp, q, sampled))


def from_common(mdp: MDP, q: StateAction, best: np.ndarray, sampled: np.ndarray) -> np.ndarray:
    """Distance from a target that all probes share: the mean of theirs."""
    targets = sampled_targets(mdp, best)
    if sampled.ndim > mdp.reward.ndim:
        return np.asarray(distance(q, targets, sampled))
    expected = (mdp.transition * targets).sum(-1)
    return np.asarray(total(sampled * (q - expected) ** 2))


def target_variance(mdp: MDP, q: StateAction, sampled: np.ndarray) -> np.ndarray:
    """Of a probe's own targets, on the same transitions."""
    if sampled.ndim > mdp.reward.ndim:
        return np.asarray(variance(sampled_targets(mdp, q.max(-1)), sampled))
    targets = q - residual(mdp, q)
    return np.asarray(total(sampled * targets**2) - total(sampled * targets) ** 2)
