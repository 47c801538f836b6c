"""What is known of a period when it ends. It is recorded whole, to be judged again later."""

import math
from dataclasses import dataclass
from typing import TypedDict

from road.mixing.surrogate import Advantages, check_finite


@dataclass(frozen=True)
class Alignment:
    """Cosines between the gradients of the critic's loss on rows of three kinds."""

    offline: float
    """Of offline rows with fresh ones: whether training on offline rows helps on fresh ones."""
    online: float
    """Of online rows with fresh ones."""
    between: float
    """Of offline rows with online ones."""

    def __post_init__(self) -> None:
        for name, cosine in (("offline", self.offline), ("online", self.online)):
            check_finite(f"the cosine of {name} rows", cosine)


@dataclass(frozen=True)
class Evidence:
    """The readings of one period; what was not measured is None, NaN is "nothing to be seen"."""

    advantages: Advantages | None = None
    """Delta_off and Delta_on, of which R_q is made."""
    credit: float | None = None
    """A number of the caller's own, which takes the place of every other judgement."""
    change: Advantages | None = None
    """By how much both advantages moved during the period, on the same rows."""
    error_drop: float | None = None
    """By how much the period *before* lowered the TD error on the rows gathered in this one."""
    mean_return: float | None = None
    """Of the episodes that ended in the period; NaN if none did."""
    alignment: Alignment | None = None

    def __post_init__(self) -> None:
        if all(reading is None for reading in vars(self).values()):
            raise ValueError("a period ends with both advantages or with a credit, got neither")
        if self.credit is not None:
            check_finite("credit", self.credit)
        check_seen("error_drop", self.error_drop)
        check_seen("mean_return", self.mean_return)

    def readings(self) -> dict[str, float | None]:
        """Everything but advantages and credit, by name; what was not measured is left out."""
        named = {"error_drop": self.error_drop, "mean_return": self.mean_return}
        if self.change is not None:
            named |= {"offline_change": self.change.offline, "online_change": self.change.online}
        if self.alignment is not None:
            named |= {f"{name}_cosine": value for name, value in vars(self.alignment).items()}
        return {
            name: None if math.isnan(value) else value
            for name, value in named.items()
            if value is not None
        }


def check_seen(name: str, value: float | None) -> None:
    if value is not None and math.isinf(value):
        raise ValueError(f"{name} must be finite, or NaN where nothing was to be seen, got {value}")


class Readings(TypedDict, total=False):
    """What a loop may have measured beyond the advantages, for credits other than R_q."""

    offline_change: float
    """By how much Delta_off moved during the period, on the same rows."""
    online_change: float
    """By how much Delta_on moved."""
    error_drop: float
    """By how much the period before lowered the TD error on the rows gathered in this one."""
    mean_return: float
    """Of the episodes that ended in the period; NaN if none did."""


def told_evidence(
    offline_advantage: float | None,
    online_advantage: float | None,
    credit: float | None,
    readings: Readings,
) -> Evidence:
    """The evidence of a loop that tells its numbers by name."""
    named = "offline_advantage", "online_advantage"
    advantages = pair(named, (offline_advantage, online_advantage))
    if not readings:
        return Evidence(advantages, plain(credit))
    if unknown := set(readings) - set(Readings.__annotations__):
        raise TypeError(
            f"a period's end does not take {', '.join(sorted(unknown))}; "
            f"known: {', '.join(Readings.__annotations__)}"
        )
    changes = readings.get("offline_change"), readings.get("online_change")
    return Evidence(
        advantages,
        plain(credit),
        change=pair(("offline_change", "online_change"), changes),
        error_drop=plain(readings.get("error_drop")),
        mean_return=plain(readings.get("mean_return")),
    )


def plain(value: float | None) -> float | None:
    """A number of any library as Python's own."""
    return None if value is None else float(value)


def pair(names: tuple[str, str], values: tuple[float | None, float | None]) -> Advantages | None:
    offline, online = values
    if offline is not None and online is not None:
        return Advantages(float(offline), float(online))
    if offline is None and online is None:
        return None
    what = "advantages" if names[0] == "offline_advantage" else "changes"
    raise ValueError(
        f"the two {what} come together, got {names[0]}={offline} and {names[1]}={online}"
    )
