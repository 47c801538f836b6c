"""The sentence a comparison begins with: the subject against the best fixed ratio."""

from road.report.writing import score
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
        f"{claim}: its mean regret is {interval_at(hindsight.overall, method)} against the "
        f"ratio chosen in hindsight and {interval_at(held_out.overall, method)} against the one "
        "chosen on other seeds."
    )


def interval_at(estimate: Estimate, index: int) -> str:
    """One value of an estimate, with its interval."""
    parts = estimate.point, estimate.low, estimate.high
    point, low, high = (score(float(part[index])) for part in parts)
    return f"{point} ({low} to {high})"
