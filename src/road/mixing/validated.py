"""A ratio that follows the errors of probe learners on transitions that none has trained on.

Beside the main learner, probes train at constant ratios r_1 ... r_K on the same data. Each new
transition is first used to judge them, and only then trained on:

    every new transition     e_k = (Q_k(s, a) - r - gamma V_k(s'))^2       for every probe k
    every interval           l_k = log mean e_k, less its mean over the probes
                             L_k = discounted mean of l_k over the intervals so far
                             m   = sum_k w_k r_k,   w = softmax(-sharpness · (L - preference · r))

This is the paper's bi-level problem with a validation set. The inner loss is the Bellman error
under d_m, and the outer one the Bellman error under d^pi, of which new transitions are a sample.
A second judge puts the observed return in the place of the target.

New transitions are of the policy's own actions. Errors on them measure whether offline data is
wrong about those actions, not what it knows about better ones, so on their own they lean towards
online data. The preference corrects that: it is the log error by which a probe at ratio 1 may
exceed one at ratio 0 and still weigh the same.

Every probe is judged on every transition, so there is no arm to try, and the ratio is continuous.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from road.mixing.decision import ArmTable, Context, Decision
from road.mixing.mixture import Mixture, check_arms
from road.mixing.period import Period
from road.mixing.probe_errors import (
    JUDGES,
    ProbeCriterion,
    ProbeMixer,
    ProbeTraining,
    check_share,
    relative_log_errors,
)


class Judgement(TypedDict):
    """Discounted sums over the intervals so far, by judge; plain data."""

    sums: dict[str, list[float]]
    """Of every probe's log error, relative to the mean over the probes."""
    counts: dict[str, float]
    """Of the intervals."""


@dataclass(frozen=True)
class ValidatedMixer:
    """A weighted mean of the probes' ratios, by their errors on transitions not yet trained on."""

    ratios: tuple[float, ...] = (0.0, 0.1, 0.3, 0.5, 0.9)
    """Constant offline ratios of the probe learners."""
    bellman_weight: float = 10.0
    """How sharply the weights follow the log Bellman error; 0 ignores it."""
    return_weight: float = 0.0
    """How sharply the weights follow the log distance from the observed return; 0 ignores it."""
    offline_preference: float = 0.5
    """Log error by which a ratio of 1 may exceed a ratio of 0 and weigh the same; 0 for none."""
    discount: float = 0.9
    """Weight of an interval relative to the one after it; 1 keeps all."""
    interval: int = 200
    """Environment steps between two choices."""
    probe_every: int = 4
    """Environment steps between two updates of a probe; 1 trains it as often as the main learner,
    at two and a half times the cost."""
    probe_batch: float = 1.0
    """A probe's batch, as a share of the main learner's."""
    probe_actor: bool = False
    """Whether probes train actors of their own, instead of bootstrapping with the main one."""

    def __post_init__(self) -> None:
        if len(self.ratios) < 2:
            raise ValueError(f"ratios must be two or more, one per probe, got {self.ratios}")
        check_arms(self.ratios)
        check_sharpness(self.bellman_weight, self.return_weight)
        if not 0.0 <= self.offline_preference < math.inf:
            raise ValueError(f"offline_preference must be 0 or more, got {self.offline_preference}")
        check_share("discount", self.discount)
        if self.interval < 1:
            raise ValueError(f"interval must be 1 or more, got {self.interval}")
        _ = self.probe_training  # refuses what it does not take

    @property
    def probe_mixers(self) -> tuple[ProbeMixer, ...]:
        """The mixers of the learners to be trained beside the main one."""
        return tuple(ProbeMixer(ratio) for ratio in self.ratios)

    @property
    def probe_training(self) -> ProbeTraining:
        return ProbeTraining(self.probe_every, self.probe_batch, self.probe_actor)

    def init(self, seed: int) -> Judgement:
        del seed  # nothing here is random
        zeros = [0.0] * len(self.ratios)
        return Judgement(
            sums={judge: list(zeros) for judge in JUDGES}, counts=dict.fromkeys(JUDGES, 0.0)
        )

    def propose(self, state: Judgement, context: Context) -> Decision:
        del context
        weights = self.weights(state)
        mixture = Mixture(min(float(weights @ np.array(self.ratios)), 1.0))
        table = probe_table(self.ratios, self.losses(state), weights)
        return Decision(mixture, ProbeCriterion(), steps=self.interval, arms=table)

    def observe(self, state: Judgement, period: Period) -> Judgement:
        """Add the errors of the interval that has ended.

        Raises:
            ValueError: errors are missing, not finite, or not one per probe.
        """
        if period.probe_errors is None:
            raise ValueError(
                "a validated mixer needs the errors of its probes, which the interval's end did "
                "not report"
            )
        sums, counts = dict(state["sums"]), dict(state["counts"])
        for judge in JUDGES:
            errors = period.probe_errors.get(judge)
            if errors is not None:
                relative = relative_log_errors(judge, errors, len(self.ratios))
                sums[judge] = (self.discount * np.array(sums[judge]) + relative).tolist()
                counts[judge] = self.discount * counts[judge] + 1.0
        return Judgement(sums=sums, counts=counts)

    def losses(self, state: Judgement) -> NDArray[np.float64]:
        """What the softmax is taken of, by probe: 0 for all of them before the first errors."""
        by_judge: Mapping[str, float] = dict(
            zip(JUDGES, (self.bellman_weight, self.return_weight), strict=True)
        )
        return sum(
            (
                weight * np.array(state["sums"][judge]) / (state["counts"][judge] or 1.0)
                for judge, weight in by_judge.items()
            ),
            np.zeros(len(self.ratios)),
        )

    def weights(self, state: Judgement) -> NDArray[np.float64]:
        sharpness = self.bellman_weight + self.return_weight
        preferred = sharpness * self.offline_preference * np.array(self.ratios)
        losses = self.losses(state) - preferred
        unnormalised = np.exp(losses.min() - losses)
        return unnormalised / unnormalised.sum()


def check_sharpness(bellman_weight: float, return_weight: float) -> None:
    for name, value in (("bellman_weight", bellman_weight), ("return_weight", return_weight)):
        if not 0.0 <= value < math.inf:
            raise ValueError(f"{name} must be 0 or more, got {value}")
    if not bellman_weight + return_weight > 0.0:
        raise ValueError("bellman_weight and return_weight are both 0: nothing is followed")


def probe_table(
    ratios: tuple[float, ...], losses: NDArray[np.float64], weights: NDArray[np.float64]
) -> ArmTable:
    """The probes as a report draws them: relative log errors (weighted), and weights."""
    return ArmTable(
        ratios=ratios,
        means=tuple((-losses).tolist()),
        bonuses=tuple([0.0] * len(ratios)),
        counts=tuple(weights.tolist()),
    )
