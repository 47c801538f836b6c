"""Do the credits differ between the arms? One-way analysis of variance of a run's periods.

A bandit that is fed noise, or a drift that every arm shares, still pulls its arms; only the credits
say whether its choice meant anything. Two views of them are tested:

    raw         credit = arm + noise
    detrended   credit = cubic in time + arm + noise, against the cubic alone (a partial F)

The second one matters because R_q drifts while an agent learns: whatever is pulled later looks
better. Both tests take the noise of the periods as independent; real noise is not quite, so a
p-value near its threshold means little.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from road.mixing.variance import ArmTest, arm_test, epsilon_squared, rank_of

SIGNIFICANCE = 0.05
ROUND_ROBIN_IMBALANCE = 0.1
"""A choice this much less even than perfect turns still counts as close to round-robin."""
FEW_PERIODS = 10
"""Up to here, no ratio used twice means a short run; beyond, a ratio that moves by itself."""
MOST_ARMS = 50
"""With more ratios than this a run followed a schedule: hardly any was used twice."""


@dataclass(frozen=True)
class Informedness:
    """Whether a run's choice of ratio was informed by its credits."""

    ratios: tuple[float, ...]
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    imbalance: float
    """Total variation distance of the shares from equal ones."""
    f: float | None
    """One-way F of credit by arm; None where it is undefined."""
    p: float | None
    eta_squared: float | None
    detrended_f: float | None
    """The same after the trend over time is taken out."""
    detrended_p: float | None
    detrended_eta_squared: float | None
    sentence: str

    @property
    def detrended_epsilon_squared(self) -> float | None:
        """The share that the arm explains beyond chance, so that runs of any length compare."""
        if self.detrended_f is None or self.detrended_eta_squared is None:
            return None
        return epsilon_squared(self.detrended_f, self.detrended_eta_squared)

    @property
    def beyond_equal(self) -> float:
        """How much further from equal the shares are than they have to be; in whatever order."""
        least = rotation_imbalance(sum(self.counts), len(self.counts))
        return max(self.imbalance - least, 0.0)


def informedness(
    ratios: ArrayLike, credits: ArrayLike, chosen: ArrayLike | None = None
) -> Informedness:
    """Judge the recorded periods, given in order: which ratio, which credit.

    Where some periods were credited with nothing, ``chosen`` are the ratios of all of them: they
    are counted, while the test uses the credits that there are.
    """
    credited, credit = np.asarray(ratios, np.float64), np.asarray(credits, np.float64)
    if len(credited) != len(credit):
        raise ValueError(f"one credit per ratio is needed, got {len(credited)} and {len(credit)}")
    if not np.isfinite(credit).all():
        raise ValueError(
            "a credit is None or not finite: leave out the periods without one, and give the "
            "ratios of all periods as the third argument"
        )
    used = credited if chosen is None else np.asarray(chosen, np.float64)
    distinct, counts = np.unique(used, return_counts=True)
    shares = counts / max(len(used), 1)
    imbalance = float(np.abs(shares - 1 / max(len(distinct), 1)).sum() / 2)

    raw = detrended = None
    arms, arm = np.unique(credited, return_inverse=True)
    if max(len(arms), len(distinct)) <= MOST_ARMS:
        members = np.eye(len(arms))[arm.reshape(-1)]
        raw = arm_test(credit, members, np.ones((len(credit), 1)))
        detrended = arm_test(credit, members, trend(len(credit)))
    return Informedness(
        ratios=tuple(map(float, distinct)),
        counts=tuple(map(int, counts)),
        shares=tuple(map(float, shares)),
        imbalance=imbalance,
        f=raw and raw.f,
        p=raw and raw.p,
        eta_squared=raw and raw.eta_squared,
        detrended_f=detrended and detrended.f,
        detrended_p=detrended and detrended.p,
        detrended_eta_squared=detrended and detrended.eta_squared,
        sentence=verdict(distinct, counts, imbalance, detrended, len(credit)),
    )


def arm_effects(
    ratios: NDArray[np.float64], credits: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The distinct ratios, and what each adds to its credits beside the trend over time.

    NaN throughout where periods are too few, or too neatly ordered, to separate arm and trend.
    """
    arms, arm = np.unique(ratios, return_inverse=True)
    members = np.eye(len(arms))[arm.reshape(-1)]
    # Without its constant, of which every arm has one.
    design = np.hstack([members, trend(len(credits))[:, :-1]])
    if rank_of(design) < design.shape[1]:
        return arms, np.full(len(arms), np.nan)
    effects = np.linalg.lstsq(design, credits, rcond=None)[0]
    return arms, np.asarray(effects[: len(arms)], np.float64)


def trend(periods: int) -> NDArray[np.float64]:
    """A cubic in time, or a line where there are too few periods to bend it."""
    time = np.linspace(-1.0, 1.0, periods) if periods else np.zeros(0)
    return np.vander(time, 4 if periods >= 20 else 2)


def verdict(
    ratios: NDArray[np.float64],
    counts: NDArray[np.intp],
    imbalance: float,
    detrended: ArmTest | None,
    credited: int,
) -> str:
    """The sentence of every report; ``credited`` counts the periods with a credit."""
    periods = int(counts.sum())
    if len(ratios) < 2:
        return f"one ratio was used in all {periods} periods; there is nothing to compare"
    if len(ratios) > MOST_ARMS or (counts.max() == 1 and periods > FEW_PERIODS):
        return (
            f"{len(ratios)} ratios in {periods} periods: the ratio changed, but not by its credits"
        )
    if detrended is None:
        few = (
            f"{periods} periods"
            if credited == periods
            else f"{credited} credits in {periods} periods"
        )
        return f"{few} are too few, or too alike, to say whether the credits differ"
    favourite = int(np.argmax(counts))
    preference = f"m = {ratios[favourite]:g} ({counts[favourite]} of {periods} periods)"
    even = imbalance <= rotation_imbalance(periods, len(ratios)) + ROUND_ROBIN_IMBALANCE
    if detrended.p >= SIGNIFICANCE:
        return UNINFORMED_EVEN if even else UNINFORMED_UNEVEN.format(preference=preference)
    differ = (
        "the credits differ between the arms "
        f"(detrended F {figure(detrended.f)}, η² = {detrended.eta_squared:.2f})"
    )
    return f"{differ}, " + (
        "but the choice stayed close to round-robin"
        if even
        else f"and the choice leaned to {preference}"
    )


def rotation_imbalance(periods: int, arms: int) -> float:
    """The imbalance of perfect turns: not zero unless the arms divide the periods."""
    extra = periods % max(arms, 1)
    return extra * (arms - extra) / (arms * periods) if periods else 0.0


def figure(f: float) -> str:
    return f"= {f:.1f}" if f < 1000.0 else "> 999"


UNINFORMED_EVEN = (
    "the credits of the arms are statistically indistinguishable; "
    "the choice was close to round-robin"
)
UNINFORMED_UNEVEN = (
    "the credits of the arms are statistically indistinguishable once their trend is removed; "
    "the preference for {preference} is chance or drift"
)
