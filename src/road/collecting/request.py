"""What is to be collected, and by whom: D4RL's levels, and a request as a user writes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from road.errors import UsageError

LADDER = ("random", "medium-replay", "medium", "medium-expert", "expert")
"""D4RL's levels, the weakest first: what is collected unless a user says otherwise."""
REPLAY = "medium-replay"
PLAY, HUMAN = "play", "human"
"""A controller that wanders without a goal; demonstrations that are replayed."""
LEVELS = (*LADDER, PLAY, HUMAN)
"""A level's index gives its seed: new ones are added at the end."""

HALVES: Mapping[str, tuple[str, str]] = MappingProxyType({"medium-expert": ("medium", "expert")})
"""Levels that are two others, half and half."""

MEDIUM = 1.0 / 3.0
"""Share of the expert's gain over chance that makes a policy medium."""


def parse_levels(text: str) -> tuple[str, ...]:
    """Levels from ``random,medium``, in the order given."""
    asked = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not asked:
        raise UsageError(f"levels names none; choose from {', '.join(LEVELS)}")
    for level in asked:
        if level not in LEVELS:
            raise UsageError(f"unknown level {level!r}; known: {', '.join(LEVELS)}")
    return asked


def parts_of(levels: tuple[str, ...]) -> tuple[str, ...]:
    """What has to be rolled out for these levels: halves count once, by what they are made of."""
    parts = [part for level in levels for part in HALVES.get(level, (level,))]
    return tuple(dict.fromkeys(parts))


def level_seed(seed: int, level: str) -> int:
    """Every level has episodes of its own, whichever others are collected."""
    return int(np.random.SeedSequence([seed, LEVELS.index(level)]).generate_state(1)[0])


def medium_return(random: float, expert: float) -> float:
    """What a policy has to return to count as medium."""
    return random + MEDIUM * (expert - random)


Noise: TypeAlias = float | Literal["own"]
"""Standard deviation of what is added to an action in [-1, 1], or the policy's own noise."""

USUAL_ROWS = 100_000


@dataclass(frozen=True)
class Request:
    """What is to be collected, and by whom."""

    levels: tuple[str, ...]
    rows: int | None = None
    """Of each level; None takes 100,000, or all that demonstrations hold."""
    seed: int = 0
    policies: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, Any])
    """Who acts on a level; several take turns, each for an equal share of the rows."""
    noise: Mapping[str, Noise] = field(default_factory=dict[str, Any])
    allowed: tuple[str, ...] = ()
    """Modules that may be imported for a policy."""

    def __post_init__(self) -> None:
        if self.rows is not None and self.rows < 2:
            raise UsageError(f"steps must be 2 or more, got {self.rows}")
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"seed must lie in 0 to 2^32 - 1, got {self.seed}")
        self._check_policies()
        parts = parts_of(self.levels)
        for name in {**self.policies, **self.noise}:
            if name not in parts:
                raise UsageError(
                    f"{name!r} has a policy or noise, but nothing of it is collected; "
                    f"levels are made of {', '.join(parts)}"
                )

    def _check_policies(self) -> None:
        for name, named in self.policies.items():
            if self.count < 2 * len(named):
                raise UsageError(
                    f"{self.count} steps are too few for the {len(named)} policies of {name}: each "
                    "needs two or more"
                )
        for name in self.noise:
            if name == HUMAN or (name == "random" and name not in self.policies):
                raise UsageError(f"nothing acts on the level {name} that noise could be added to")

    @property
    def count(self) -> int:
        return USUAL_ROWS if self.rows is None else self.rows


def parse_policies(words: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """From ``LEVEL=POLICY`` or ``LEVEL=POLICY,POLICY`` to the policies of each level."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        level, _, named = word.partition("=")
        policies = tuple(part.strip() for part in named.split(",") if part.strip())
        if not policies:
            raise UsageError(
                f"a policy is written LEVEL=PATH.npz, LEVEL=MODULE:FUNCTION or LEVEL=controller; "
                f"got {word!r}"
            )
        found[level] = found.get(level, ()) + policies
    return found


def parse_noise(words: tuple[str, ...]) -> dict[str, Noise]:
    """From ``LEVEL=0.2`` or ``LEVEL=own`` to the noise of each level."""
    found: dict[str, Noise] = {}
    for word in words:
        level, _, amount = word.partition("=")
        try:
            found[level] = "own" if amount == "own" else float(amount)
        except ValueError:
            raise UsageError(f"noise is written LEVEL=NUMBER or LEVEL=own; got {word!r}") from None
        if amount != "own" and not 0.0 <= float(amount) <= 10.0:
            raise UsageError(f"noise must lie in 0 to 10 (half widths of the box), got {word!r}")
    return found
