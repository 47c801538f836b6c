"""How long a period is, by the clock of another library."""

from typing import Any


def check_period(period: Any) -> None:
    """Whether it is a number of steps or ``"episode"``; 1e3 or a misspelt word is neither."""
    if period != "episode" and (not isinstance(period, int) or period < 1):
        raise ValueError(f"period must be 1 or more steps, or 'episode', got {period!r}")


def is_over(period: int | str, steps: int, *, ended: bool) -> bool:
    """After so many steps of it; ``ended`` says whether an episode has just ended."""
    return ended if isinstance(period, str) else steps >= period
