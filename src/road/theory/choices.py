"""Who chooses the distribution of the next fit: the library's mixers, and rivals that know more.

A chooser works on a stack of problems at once and keeps plain state, as a mixer does:
``init`` → ``propose`` → ``observe`` → ``propose`` …
"""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from road.mixing import Evidence, Mixer, Mixture, Moment
from road.theory.bilevel import Inner
from road.theory.credits import Seen, perceived_advantages, surrogate_credit
from road.theory.descent import Shares, Sources, best_ratio, best_start, every_pair
from road.theory.mdp import StateAction, expected_return, occupancy, soft_greedy
from road.theory.projection import mix

ARMS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The paper's grid for RLPD: it leaves room on both sides."""


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
        """The online buffer: every batch so far, in equal parts."""
        return self.sources[..., 1:, :, :].mean(-3)

    def mixed(self, offline_ratio: float | np.ndarray) -> StateAction:
        return mix(offline_ratio, self.offline, self.online)

    def seen(self, distribution: StateAction) -> Seen:
        """What a period that trained on the distribution ends with."""
        values = self.inner.fit(distribution).values
        policy = soft_greedy(values, self.inner.inverse_temperature)
        fresh = occupancy(self.inner.mdp, policy)
        return Seen(
            self.inner.mdp, values, policy, self.offline, self.online, fresh, self.inner.target
        )


@runtime_checkable
class Chooser(Protocol):
    """Proposes a distribution for every problem of the stack."""

    def init(self, many: int) -> Any: ...

    def propose(self, state: Any, now: Round) -> StateAction: ...

    def observe(self, state: Any, now: Round, seen: Seen) -> Any: ...


@dataclass(frozen=True)
class ByMixer:
    """A mixer of the library, one for each problem, credited with R_q or with the true return."""

    mixer: Mixer[Any]
    credited_with_return: bool = False

    def init(self, many: int) -> list[Any]:
        return [self.mixer.init(seed) for seed in range(many)]

    def mixtures(self, state: list[Any], now: Round) -> list[Mixture]:
        return [self.mixer.propose(each, Moment(now.progress)) for each in state]

    def propose(self, state: list[Any], now: Round) -> StateAction:
        return now.mixed(np.array([each.offline_ratio for each in self.mixtures(state, now)]))

    def observe(self, state: list[Any], now: Round, seen: Seen) -> list[Any]:
        chosen = self.mixtures(state, now)
        told = [Evidence(each) for each in perceived_advantages(seen)]
        if self.credited_with_return:
            returns = expected_return(seen.mdp, seen.policy)
            told = [Evidence(credit=float(value)) for value in returns]
        return [
            self.mixer.observe(each, mixture, evidence)
            for each, mixture, evidence in zip(state, chosen, told, strict=True)
        ]


class Memoryless:
    """What a chooser is that solves every round anew."""

    def init(self, many: int) -> None:
        del many

    def observe(self, state: None, now: Round, seen: Seen) -> None:
        del state, now, seen


class BestCredit(Memoryless):
    """The arm of greatest R_q if every arm could be tried: the credit without the bandit."""

    def propose(self, state: None, now: Round) -> StateAction:
        del state
        credits = np.stack([surrogate_credit(now.seen(now.mixed(arm)), 1.0) for arm in ARMS])
        return now.mixed(np.array(ARMS)[credits.argmax(0)])


class BestRatio(Memoryless):
    """The exact optimum over m."""

    def propose(self, state: None, now: Round) -> StateAction:
        del state
        return now.mixed(best_ratio(now.inner, now.offline, now.online)[0])


@dataclass(frozen=True)
class Ascent(Memoryless):
    """The paper's Algorithm 1: climb over the shares of all sources, or of single pairs."""

    steps: int = 30
    pairs: bool = False
    """Whether every pair has a weight of its own."""

    def propose(self, state: None, now: Round) -> StateAction:
        del state
        if self.pairs:
            shares = best_start(now.inner, every_pair(now.offline), pair_starts(now), self.steps)
            return shares.reshape(now.offline.shape)
        shares = best_start(now.inner, now.sources, source_starts(now), self.steps)
        return np.einsum("...i,...isa->...sa", shares, now.sources)


def source_starts(now: Round) -> list[Shares]:
    """Little, half and much offline data; the rest in equal parts over the online batches."""
    batches = now.sources.shape[-3] - 1
    shape = (*now.sources.shape[:-3], batches)
    return [
        np.concatenate([np.full((*shape[:-1], 1), m), np.full(shape, (1.0 - m) / batches)], -1)
        for m in (ARMS[0], ARMS[2], ARMS[4])
    ]


def pair_starts(now: Round) -> list[Shares]:
    """The same three mixtures, as weights of pairs."""
    flat = (*now.offline.shape[:-2], -1)
    return [now.mixed(m).reshape(flat) for m in (ARMS[0], ARMS[2], ARMS[4])]
