"""The sentence a comparison begins with: the subject against the best fixed ratio."""

from road.report.grid_regrets import Regrets
from road.report.grid_results import GridResults
from road.report.writing import counted, interval_at


def headline(results: GridResults, regrets: Regrets | None) -> str:
    table = results.table
    if regrets is None or results.subject not in table.methods:
        counts = counted(len(table.tasks), "task"), counted(len(table.seeds), "seed")
        return f"{counted(len(table.methods), 'method')} on {', '.join(counts)}; {unsaid(results)}."
    return regret_verdict(results.subject, table.method(results.subject), len(table.seeds), regrets)


def unsaid(results: GridResults) -> str:
    """Why nothing is claimed."""
    if results.table.missing():
        return "nothing is said yet about the best fixed ratio"
    if len(results.table.seeds) < 2:
        return "one seed says nothing about others, so nothing is claimed"
    if not results.fixed:
        return "there is no fixed ratio to compare with"
    return f"{results.subject} is not among them"


def regret_verdict(subject: str, method: int, seeds: int, regrets: Regrets) -> str:
    """What may be claimed, with both numbers behind it."""
    hindsight, held_out = regrets.hindsight, regrets.held_out
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
