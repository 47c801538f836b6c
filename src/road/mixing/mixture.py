"""What a mixer hands out: the share of each batch that is offline, and why."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ArmTable:
    """What a bandit knew of its arms when it chose; None where the window held no pull."""

    ratios: tuple[float, ...]
    means: tuple[float | None, ...]
    bonuses: tuple[float | None, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Mixture:
    """How the batches of one period are put together."""

    offline_ratio: float
    """m: the share of every batch that comes from the offline data."""
    arms: ArmTable | None = None
    """What led to the choice; None for a mixer that has no arms."""

    def __post_init__(self) -> None:
        check_ratio("offline_ratio", self.offline_ratio)


def check_ratio(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must lie in [0, 1], got {value}")
