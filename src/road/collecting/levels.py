"""The rungs of D4RL's ladder, and what each is made of."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from road.errors import UsageError

LADDER = ("random", "medium-replay", "medium", "medium-expert", "expert")
"""D4RL's levels, the weakest first: what is collected unless a user says otherwise."""
REPLAY = "medium-replay"
PLAY, HUMAN = "play", "human"
"""A controller that strolls without a goal; demonstrations that are replayed."""
LEVELS = (*LADDER, PLAY, HUMAN)
"""A level's place gives its seed: new ones are added at the end."""

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
        check_level(level)
    return asked


def check_level(level: str) -> None:
    if level not in LEVELS:
        raise UsageError(f"unknown level {level!r}; known: {', '.join(LEVELS)}")


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
