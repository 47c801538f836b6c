"""Every table and figure of the paper as a grid, in two scales.

``paper`` is what the paper did, as far as it says: a million steps in each phase and four seeds, on
the logs of D4RL. ``mini`` asks the same question of two cores (``road.experiments.mini``).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from road.experiments.discriminate import discriminate
from road.experiments.grid import Case, Grid, Strategy
from road.experiments.mini import ANT, SEEDS, mini_cases
from road.experiments.strategies import (
    DECREASING,
    PAPER,
    PAPER_RATIOS,
    ROAD,
    UNIFORM,
    fixed,
    penalties,
    windows,
)

Scale: TypeAlias = Literal["mini", "paper"]

MAZES = tuple(
    f"antmaze-{style}"
    for style in (
        *("large-diverse", "large-play", "medium-diverse", "medium-play"),
        *("umaze-diverse", "umaze"),
    )
)
QUALITIES = ("random", "medium-replay", "medium", "medium-expert", "expert")
BODIES = ("halfcheetah", "walker2d", "hopper")
RUNNERS = tuple(f"{body}-{quality}" for body in BODIES for quality in QUALITIES)
KITCHENS = ("kitchen-partial", "kitchen-mixed", "kitchen-complete")
HANDS = ("pen-binary", "door-binary", "relocate-binary")
CHEETAHS = tuple(f"halfcheetah-{quality}" for quality in QUALITIES)

POINTS = ("pointmaze-umaze-random", "pointmaze-medium-play")
"""The mazes of the small scale: in trials no ant had reached its goal within its budgets. Every
grid of that scale has them: they cost a quarter of a body, and in the second the ratio matters."""
TELLING = POINTS[1]
"""Where settings of a bandit can matter, because its choices do."""
FEW = (*POINTS, "hopper-medium", "halfcheetah-medium")
"""Two mazes and two bodies: what a mini grid runs unless others are named."""


def question(
    name: str,
    about: str,
    tasks: tuple[str, ...],
    strategies: tuple[Strategy, ...],
    few: tuple[str, ...],
    scale: Scale,
    agent: str = "iql",
) -> Grid:
    """The same tasks and strategies in either scale; in the small one a few tasks by default."""
    if scale == "paper":
        return Grid(name, tuple(map(Case, tasks)), strategies, agent, about=about)
    made = (*POINTS, *(task for task in tasks if can_be_made(task)))
    cases = mini_cases(*made, agent=agent)
    others = tuple(case.label for case in cases if case.label not in few)
    return Grid(name, cases, strategies, agent, seeds=SEEDS, on_request=others, about=about)


def can_be_made(task: str) -> bool:
    """Whether the small scale has data for it."""
    return task in ANT or task in RUNNERS or task in HANDS


def table_iql(scale: Scale) -> Grid:
    about = "The main table: IQL on 24 tasks, ten strategies."
    return question("table-iql", about, (*MAZES, *RUNNERS, *KITCHENS), PAPER, FEW, scale)


def table_pex(scale: Scale) -> Grid:
    about = "The same table with PEX."
    return question("table-pex", about, (*MAZES, *RUNNERS, *KITCHENS), PAPER, FEW, scale, "pex")


def ablation_kappa(scale: Scale) -> Grid:
    about = "ROAD by kappa, from Delta_off alone to Delta_on alone."
    tasks = (
        *("halfcheetah-medium", "halfcheetah-medium-replay"),
        *("hopper-medium", "hopper-medium-replay"),
    )
    few = (TELLING, "hopper-medium")
    asked = question("ablation-kappa", about, tasks, penalties(), few, scale)
    return replace(asked, subject="κ = 1")


def ablation_window(scale: Scale) -> Grid:
    about = "ROAD by exploration c and window tau."
    # A mini run makes a hundred choices where the paper's makes a thousand.
    sizes = (500, 1_000, None) if scale == "paper" else (25, 50, None)
    few = (TELLING, "halfcheetah-medium")
    asked = question("ablation-window", about, CHEETAHS, windows(*sizes), few, scale)
    return replace(asked, subject=f"c = 2, τ = {sizes[1]}")


def table_proto(scale: Scale) -> Grid:
    about = "PROTO with each constant and with ROAD."
    tasks, few = CHEETAHS[:3], ("halfcheetah-medium",)
    strategies = (*fixed(*PAPER_RATIOS), ROAD)
    return question("table-proto", about, tasks, strategies, few, scale, "proto")


def figure_calql(scale: Scale) -> Grid:
    about = "Cal-QL on mazes and hands."
    return question("figure-calql", about, (*MAZES, *HANDS), BUT_BR, FEW[:2], scale, "cal-ql")


def figure_cql(scale: Scale) -> Grid:
    about = "CQL on mazes and hands."
    return question("figure-cql", about, (*MAZES, *HANDS), BUT_BR, FEW[:2], scale, "cql")


def figure_rlpd(scale: Scale) -> Grid:
    about = "RLPD, which is not pretrained, on mazes, bodies and hands."
    tasks = (*MAZES, *RUNNERS, *HANDS)
    return question("figure-rlpd", about, tasks, FOR_RLPD, FEW[:3], scale, "rlpd")


def figure_rlpd_quality(scale: Scale) -> Grid:
    about = "RLPD on bodies, by the quality of the log."
    tasks = tuple(f"{body}-{level}" for body in BODIES for level in QUALITIES[:3])
    few = tuple(f"hopper-{level}" for level in QUALITIES[:3])
    return question("figure-rlpd-quality", about, tasks, FOR_RLPD, few, scale, "rlpd")


def figure_heatmap(scale: Scale) -> Grid:
    """The paper does not say which five tasks it drew: these are one of each kind."""
    about = "Which ratios ROAD chose, over time; five tasks of our choice."
    tasks = (
        *("antmaze-umaze", "antmaze-medium-play", "halfcheetah-medium"),
        *("hopper-medium", "walker2d-medium"),
    )
    few = (*POINTS, *tasks[2:])
    return question("figure-heatmap", about, tasks, (ROAD,), few, scale)


BUT_BR = (*fixed(*PAPER_RATIOS), UNIFORM, DECREASING, ROAD)
FOR_RLPD = (*fixed(0.1, 0.3, 0.5, 0.7, 0.9), ROAD)

GRIDS: Mapping[str, Callable[[Scale], Grid]] = {
    "table-iql": table_iql,
    "table-pex": table_pex,
    "ablation-kappa": ablation_kappa,
    "ablation-window": ablation_window,
    "table-proto": table_proto,
    "figure-calql": figure_calql,
    "figure-cql": figure_cql,
    "figure-rlpd": figure_rlpd,
    "figure-rlpd-quality": figure_rlpd_quality,
    "figure-heatmap": figure_heatmap,
    "discriminate": discriminate,
}
"""By the name that the command line knows it by."""
