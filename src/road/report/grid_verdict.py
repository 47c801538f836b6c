"""The sentence a comparison begins with: the subject against the best fixed ratio."""

from road.report.writing import signed
from road.statistics import Regret


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
    point, low, high = (
        float(part[method])
        for part in (regret.overall.point, regret.overall.low, regret.overall.high)
    )
    return signed(f"{point:.1f} ({low:.1f} to {high:.1f})")
