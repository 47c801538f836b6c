"""Returns on a common scale, so that tasks can be compared."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreReference:
    """The two undiscounted raw returns that score 0 and 100.

    Scores are not cut: worse than the lower reference is negative, better than the upper one is
    above 100.
    """

    minimum: float
    maximum: float

    def __post_init__(self) -> None:
        if not self.minimum < self.maximum:
            raise ValueError(f"minimum {self.minimum} must lie below maximum {self.maximum}")

    def normalise(self, raw_return: float) -> float:
        return 100.0 * (raw_return - self.minimum) / (self.maximum - self.minimum)
