"""The sentence a comparison begins with: the subject against the best fixed ratio."""

from road.report.writing import signed
from road.statistics import Estimate, Regret


def regret_verdict(
    subject: str, method: int, seeds: int, hindsight: Regret, held_out: Regret
) -> str:
    """What may be claimed, with both numbers behind it."""
    worst, best = float(hindsight.overall.high[method]), float(held_out.overall.low[method])
    if worst < 0:
        claim = f"{subject} is better than the best fixed ratio, however that one is chosen"
    elif best > 0:
        claim = f"{subject} is worse than the best fixed ratio, however that one is chosen"
    else:
        claim = f"{subject} cannot be told from the best fixed ratio with these {seeds} seeds"
    return (
        f"{claim}: its mean regret is {written(hindsight, method)} against the ratio chosen in "
        f"hindsight and {written(held_out, method)} against the one chosen on other seeds."
    )


def written(regret: Regret, method: int) -> str:
    return interval_at(regret.overall, method)


def interval_at(estimate: Estimate, index: int) -> str:
    """One value of an estimate, with its interval."""
    point, low, high = (
        float(part[index]) for part in (estimate.point, estimate.low, estimate.high)
    )
    return signed(f"{point:.1f} ({low:.1f} to {high:.1f})")
