"""Between what bounds a hyper-parameter makes sense, whichever agent has it."""

import dataclasses
import math
import sys
from typing import Any

from road.errors import UsageError

TINY = 5e-324
"""The least number above zero: what is compared with it must be more than zero."""
BELOW_ONE = math.nextafter(1.0, 0.0)
FINITE = sys.float_info.max
NUMBERS = {
    "discount": (0.0, BELOW_ONE),
    "target_rate": (0.0, 1.0),
    "slow_rate": (0.0, 1.0),
    "learning_rate": (0.0, FINITE),
    "actor_learning_rate": (0.0, FINITE),
    "critic_learning_rate": (0.0, FINITE),
    "expectile": (TINY, BELOW_ONE),
    "inverse_temperature": (0.0, FINITE),
    "choice_sharpness": (TINY, math.inf),
    "evaluation_noise": (0.0, 1.0),
    "temperature": (TINY, FINITE),
    "decay": (0.0, FINITE),
    "decay_steps": (1, math.inf),
    "members": (1, math.inf),
    "conservatism": (0.0, FINITE),
    "proposals": (1, math.inf),
    "max_backup": (1, math.inf),
    "entropy_share": (-FINITE, FINITE),
    "target_gap": (-FINITE, FINITE),
}
"""Least and greatest value by the field's name; None is never checked."""


def check_ranges(agent: Any) -> None:
    """One clear line for the first setting that makes no sense."""
    for field in dataclasses.fields(agent):
        value = getattr(agent, field.name)
        if field.name.endswith("hidden"):
            check_widths(field.name, value)
        elif field.name in NUMBERS and value is not None:
            check_number(field.name, value, *NUMBERS[field.name])
    check_subset(agent)


def check_widths(name: str, widths: tuple[int, ...]) -> None:
    if min(widths, default=1) < 1:
        raise UsageError(f"{name} must be widths of 1 or more, got {widths}")


def check_number(name: str, value: float | int, least: float | int, greatest: float) -> None:
    if least <= value <= greatest:  # never so for what is not a number
        return
    low = {TINY: "above 0", -FINITE: ""}.get(least, f"{least:g} or more")
    high = {BELOW_ONE: "below 1", FINITE: "" if math.isfinite(value) else "finite", math.inf: ""}
    bounds = [low, high.get(greatest, f"{greatest:g} or less")]
    raise UsageError(f"{name} must be {' and '.join(filter(None, bounds))}, got {value}")


def check_subset(agent: Any) -> None:
    subset, members = getattr(agent, "subset", None), getattr(agent, "members", 2)
    if subset is not None and not 1 <= subset <= members:
        raise UsageError(f"subset must be 1 to {members}, the number of critics, got {subset}")
