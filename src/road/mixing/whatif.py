"""Which ratios other settings would have chosen, on what a finished run recorded.

A replay changes choices and nothing else. What a period would have earned at another ratio is not
known: the agent would have been another one. So a ratio that was not run in a period is credited
with what the run recorded for it around that time: between two periods of that ratio Delta_off and
Delta_on are taken to move on a straight line, before the first and after the last to stand still.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from road.mixing.credit import Advantages, Evidence
from road.mixing.decision import Context
from road.mixing.informedness import MOST_ARMS
from road.mixing.period import finish_period
from road.mixing.road import RoadMixer

FEWEST_PERIODS = 10


@dataclass(frozen=True)
class Recorded:
    """The ratio and both advantages of every period that has them, in order."""

    ratios: NDArray[np.float64]
    offline: NDArray[np.float64]
    """Delta_off."""
    online: NDArray[np.float64]
    """Delta_on."""

    @property
    def arms(self) -> tuple[float, ...]:
        return tuple(np.unique(self.ratios).tolist())

    def filled(self, arms: Sequence[float]) -> list[list[Advantages]]:
        """By period and arm: what was recorded, and straight lines between."""
        time = np.arange(len(self.ratios))
        offline, online = (
            np.stack(
                [np.interp(time, time[at], of[at]) for arm in arms for at in [self.ratios == arm]]
            )
            for of in (self.offline, self.online)
        )
        pairs = np.stack([offline, online], -1).swapaxes(0, 1).tolist()
        return [[Advantages(*pair) for pair in period] for period in pairs]


def recorded(ratios: ArrayLike, offline: ArrayLike, online: ArrayLike) -> Recorded:
    """The periods that can be replayed; a ``ValueError`` says why there is nothing to replay."""
    columns = [np.asarray(column, np.float64) for column in (ratios, offline, online)]
    known = np.all([np.isfinite(column) for column in columns], axis=0)
    if known.size and not known.any():
        raise ValueError("no advantages were recorded, so there is nothing to credit a ratio with")
    if known.sum() < FEWEST_PERIODS:
        raise ValueError(
            f"{known.sum()} periods with advantages are too few, it takes {FEWEST_PERIODS}"
        )
    kept = Recorded(*(column[known] for column in columns))
    if len(kept.arms) == 1:
        raise ValueError(
            f"one ratio only, m = {kept.arms[0]:g}, was run in all {known.sum()} periods; there is "
            "nothing to choose from"
        )
    if len(kept.arms) > MOST_ARMS or len(kept.arms) == len(kept.ratios):
        raise ValueError(
            f"{len(kept.arms)} ratios in {known.sum()} periods are a schedule; no ratio was run "
            "often enough to be credited"
        )
    return kept


def replay(run: Recorded, mixer: RoadMixer, seed: int = 0) -> list[float]:
    """The ratio that the mixer would have chosen in every recorded period.

    Raises:
        ValueError: an arm was never run, or the credit is none that advantages give.
    """
    if mixer.criterion.measures != "advantages":
        raise ValueError(
            f"a replay knows Delta_off and Delta_on, of which R_q is made; credit {mixer.credit!r} "
            "was not recorded for ratios that did not run"
        )
    if never := sorted(set(mixer.arms) - set(run.arms)):
        raise ValueError(
            f"m = {', '.join(f'{arm:g}' for arm in never)} was never run, so nothing was recorded "
            f"for it; the run has {', '.join(f'{arm:g}' for arm in run.arms)}"
        )
    state, chosen = mixer.init(seed), []
    for index, advantages in enumerate(run.filled(mixer.arms)):
        decision = mixer.propose(state, Context())
        ratio = decision.mixture.offline_ratio
        chosen.append(ratio)
        evidence = Evidence(advantages[mixer.arms.index(ratio)])
        state = mixer.observe(state, finish_period(index, decision, evidence, None))
    return chosen
