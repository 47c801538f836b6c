"""The memory that a plan needs at least, so that absurd sizes are refused before anything is made.

    rows          a stack of mini-batches, twice: as drawn and as the compiled update holds it
    replay        the replay buffer, touched from the start
    measurements  rows of both sources, and the agent's answers to them
    networks      weights between hidden layers, with their optimisers; twice during an update
    activations   a number for every hidden unit and row of a mini-batch
    evaluation    the returns and lengths of its episodes

It is a lower bound, by the settings alone: what is refused would not have fitted.
"""

import dataclasses
from itertools import pairwise
from typing import Any

from road.data.memory import SHARE_OF_MEMORY, available_memory
from road.errors import UsageError
from road.replay.transitions import row_width
from road.training.config import Plan
from road.training.loop import STACK
from road.types import Spec

LEAST = Spec(1, 1)
"""Of an environment that is not known yet."""
NUMBER = 4
"""Bytes."""
EPISODE = 16
AVERAGES = 3
"""The weights, and two averages that Adam keeps for each."""
ACTIONS = ("proposals", "max_backup")
"""Settings by which so many actions are judged for each row."""
FLAGS = {
    "rows": "batch_size or updates_per_step",
    "replay": "buffer_capacity",
    "measurements": "measure_batch",
    "networks": "the agent's hidden layers",
    "activations": "batch_size or the agent's hidden layers",
    "evaluation": "evaluation_episodes",
}
"""What makes each part smaller."""


def check_memory(plan: Plan, spec: Spec = LEAST) -> None:
    """Whether a run fits into memory, for all that is known of it.

    Raises:
        UsageError: it does not; the message names the largest part and what makes it smaller.
    """
    free = available_memory()
    needed = estimate(plan, spec)
    total = sum(needed.values())
    if free is None or total <= SHARE_OF_MEMORY * free:
        return
    largest = max(needed, key=lambda part: needed[part])
    raise UsageError(
        f"the run needs at least {in_gigabytes(total)} of memory where {in_gigabytes(free)} are "
        f"free, most of it for {largest}: lower {FLAGS[largest]}"
    )


def estimate(plan: Plan, spec: Spec) -> dict[str, int]:
    """Bytes of each part."""
    config, row = plan.config, NUMBER * row_width(spec)
    updates = max(STACK if config.offline_steps else 0, config.updates_per_step)
    sizes = [size for thing in (plan.agent, *plan.mixers) for size in whole_numbers(thing)]
    members = max((value for name, value in sizes if name == "members"), default=1)
    actions = max((value for name, value in sizes if name in ACTIONS), default=1)
    layers = [widths for thing in (plan.agent, *plan.mixers) for widths in layers_of(thing)]
    weights = members * sum(a * b for widths in layers for a, b in pairwise(widths))
    units = sum(map(sum, layers))
    measured = [value for name, value in sizes if name.endswith("_batch")]
    return {
        "rows": 2 * updates * config.batch_size * row,
        "replay": max(min(config.buffer_capacity, config.online_steps), 1) * row,
        "measurements": 2 * max([config.measure_batch, *measured]) * row,
        "networks": 2 * AVERAGES * NUMBER * weights,
        "activations": NUMBER * config.batch_size * actions * units,
        "evaluation": config.evaluation_episodes * EPISODE,
    }


def whole_numbers(settings: Any) -> list[tuple[str, int]]:
    """Settings of an agent or a mixer that count something."""
    found = {n: getattr(settings, n) for n in names_of(settings)}
    return [(n, v) for n, v in found.items() if isinstance(v, int) and not isinstance(v, bool)]


def layers_of(settings: Any) -> list[tuple[int, ...]]:
    """The widths of the hidden layers of each network that an agent or a mixer describes."""
    found = (getattr(settings, name) for name in names_of(settings))
    return [
        each
        for each in found
        if isinstance(each, tuple) and each and all(type(width) is int for width in each)
    ]


def names_of(settings: Any) -> list[str]:
    is_value = dataclasses.is_dataclass(settings)
    return [field.name for field in dataclasses.fields(settings)] if is_value else []


def in_gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
