"""How rows are drawn one by one, by their priorities, instead of so many of each source."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Priorities:
    """A row is drawn in proportion to its priority, high where it looks like an online row.

    An offline row starts at 1, an online row at the highest priority there is. A row that has been
    drawn gets w(s, a)^(1/T), over its mean on offline rows, where a network w learns the ratio of
    the online to the offline density of (s, a).
    """

    temperature: float = 5.0
    """T: the higher, the less priorities differ."""
    least: float = 0.001
    """No row that was drawn has a lower priority."""
    most: float = 1000.0
    """No row that was drawn has a higher priority."""
    initial_mass: float = 0.5
    """f: the share of all draws that the first online rows get before any of them was drawn."""
    initial_rows: int = 1000
    """N: how many online rows those are."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the density network's hidden layers."""
    density_batch: int = 256
    """Rows of each source in one step of the density network."""
    learning_rate: float = 3e-4
    """Of the density network, by Adam."""

    def __post_init__(self) -> None:
        for name in ("temperature", "least", "most", "learning_rate"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be more than 0, got {getattr(self, name)}")
        for name in ("initial_rows", "density_batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}")
        self.check_bounds()

    def check_bounds(self) -> None:
        if not self.least <= self.most:
            raise ValueError(f"most must be {self.least} (least) or more, got {self.most}")
        if not 0.0 < self.initial_mass < 1.0:
            raise ValueError(f"initial_mass (f) must lie between 0 and 1, got {self.initial_mass}")
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden must be widths of 1 or more, got {self.hidden}")

    def first_online(self, offline_rows: int) -> float:
        """What an online row starts with until a higher priority is set: M f / ((1 - f) N)."""
        return offline_rows * self.initial_mass / ((1.0 - self.initial_mass) * self.initial_rows)

    def offline_mass(self, online_rows: int) -> float:
        """The offline share of all draws while every row has the priority it started with."""
        return 1.0 / (1.0 + online_rows * self.first_online(1))
