"""Algorithm 1 of the paper, exactly, and who chooses the distribution in it.

f^1 = fitted on the offline data alone
for k = 1 .. K:
    pi^k soft-greedy in f^k;   D^k = the occupancy of pi^k
    choose d over D_off, D^1, ..., D^k
    f^{k+1} = projection of T f^k under d

A chooser works on a stack of problems at once: a mixer of the library, or a rule that knows the
true return of every choice, which no training run does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from road.mixing import Context, Decision, Evidence, Mixer
from road.mixing.period import finish_period
from road.theory.ascent import ascend_from, best_ratio, every_pair
from road.theory.bilevel import Inner, Ratio, Shares, Sources, blend, mix
from road.theory.credits import Outcome, advantage_pairs, perceived_advantages, surrogate_credit
from road.theory.mdp import Numbers, StateAction, expected_return, occupancy, soft_greedy
from road.theory.problems import Problem

ARMS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The paper's arms for RLPD, which cover most of [0, 1]."""
ASCENT_STARTS = (ARMS[0], ARMS[2], ARMS[4])
"""Offline ratios that an ascent starts from."""


@dataclass(frozen=True)
class Round:
    """One iteration of fine-tuning: the inner problem and the data so far."""

    inner: Inner
    sources: Sources
    """The offline data, then each batch of online data."""
    progress: float

    @property
    def offline(self) -> StateAction:
        return self.sources[..., 0, :, :]

    @property
    def online(self) -> StateAction:
        """The replay buffer: every batch so far, in equal parts."""
        return self.sources[..., 1:, :, :].mean(-3)

    def mix(self, offline_ratio: Ratio) -> StateAction:
        return mix(offline_ratio, self.offline, self.online)

    def outcome(self, distribution: StateAction) -> Outcome:
        """The result of a period that trains on the distribution."""
        mdp, target = self.inner.mdp, self.inner.target
        values = self.inner.fit(distribution).values
        policy = soft_greedy(values, self.inner.inverse_temperature)
        fresh = occupancy(mdp, policy)
        return Outcome(mdp, values, policy, self.offline, self.online, fresh, target)


@runtime_checkable
class Chooser(Protocol):
    """Proposes a distribution for every problem of the stack; keeps plain state, as a mixer."""

    def init(self, many: int) -> Any: ...

    def propose(self, state: Any, now: Round) -> StateAction: ...

    def observe(self, state: Any, now: Round, outcome: Outcome) -> Any: ...


@dataclass(frozen=True)
class Iteration:
    """One iteration: its round, the return that was reached, and the best possible one."""

    now: Round
    values: StateAction
    """f^k, before the fit."""
    reached: Numbers
    """J of the policy after it."""
    possible: Numbers
    """The greatest J of any ratio on the same inner problem."""


def finetune(problem: Problem, chooser: Chooser, iterations: int) -> Iterator[Iteration]:
    values = problem.pretrain()
    state = chooser.init(len(values))
    sources = problem.offline[..., None, :, :]
    for index in range(iterations):
        policy = soft_greedy(values, problem.inverse_temperature)
        batch = occupancy(problem.mdp, policy)
        sources = np.concatenate([sources, batch[..., None, :, :]], -3)
        now = Round(problem.inner(values), sources, index / iterations)
        outcome = now.outcome(chooser.propose(state, now))
        state = chooser.observe(state, now, outcome)
        possible = best_ratio(now.inner, now.offline, now.online)[1]
        yield Iteration(now, values, expected_return(problem.mdp, outcome.policy), possible)
        values = outcome.critic


@dataclass(frozen=True)
class ByMixer:
    """A mixer of the library, one for each problem, credited with R_q or with the true return."""

    mixer: Mixer[Any]
    credited_with_return: bool = False

    def init(self, many: int) -> list[Any]:
        return [self.mixer.init(seed) for seed in range(many)]

    def decisions(self, state: list[Any], now: Round) -> list[Decision]:
        return [self.mixer.propose(each, Context(now.progress)) for each in state]

    def propose(self, state: list[Any], now: Round) -> StateAction:
        return now.mix(np.array([each.offline_ratio for each in self.decisions(state, now)]))

    def observe(self, state: list[Any], now: Round, outcome: Outcome) -> list[Any]:
        evidence = [Evidence(each) for each in advantage_pairs(*perceived_advantages(outcome))]
        if self.credited_with_return:
            returns = expected_return(outcome.mdp, outcome.policy)
            evidence = [Evidence(credit=float(value)) for value in returns]
        return [
            self.mixer.observe(each, finish_period(0, decision, measured, ratio_before=None))
            for each, decision, measured in zip(
                state, self.decisions(state, now), evidence, strict=True
            )
        ]


@dataclass(frozen=True)
class ByRule:
    """A rule without memory: it solves every round on its own."""

    rule: Callable[[Round], StateAction]

    def init(self, many: int) -> None:
        del many

    def propose(self, state: None, now: Round) -> StateAction:
        del state
        return self.rule(now)

    def observe(self, state: None, now: Round, outcome: Outcome) -> None:
        del state, now, outcome


def choose_best_credit(now: Round) -> StateAction:
    """The arm of greatest R_q if every arm could be tried: the credit without the bandit."""
    credits = np.stack([surrogate_credit(now.outcome(now.mix(arm)), 1.0) for arm in ARMS])
    return now.mix(np.array(ARMS)[credits.argmax(0)])


def choose_best_ratio(now: Round) -> StateAction:
    """The exact optimum over m."""
    return now.mix(best_ratio(now.inner, now.offline, now.online)[0])


def choose_shares(now: Round, steps: int = 30) -> StateAction:
    """The paper's Algorithm 1: ascend over the shares of all sources."""
    starts = [source_shares(now, ratio) for ratio in ASCENT_STARTS]
    return blend(ascend_from(now.inner, now.sources, starts, steps), now.sources)


def source_shares(now: Round, offline_ratio: float) -> Shares:
    """The ratio as shares of the sources; the online batches have equal ones."""
    batches = now.sources.shape[-3] - 1
    shape = (*now.sources.shape[:-3], batches)
    online = np.full(shape, (1.0 - offline_ratio) / batches)
    return np.concatenate([np.full((*shape[:-1], 1), offline_ratio), online], -1)


def choose_pairs(now: Round, steps: int = 30) -> StateAction:
    """Algorithm 1 with a free weight for every state-action pair."""
    flat = (*now.offline.shape[:-2], -1)
    starts = [now.mix(ratio).reshape(flat) for ratio in ASCENT_STARTS]
    weights = ascend_from(now.inner, every_pair(now.offline), starts, steps)
    return weights.reshape(now.offline.shape)
