"""Every table and figure of the paper as a grid, in two scales.

``paper`` is what the paper did, as far as it says: a million steps in each phase and four seeds, on
the logs of D4RL. ``mini`` asks the same question of two cores (``road.experiments.grids.mini``).
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from road.experiments.grid import Case, Grid, Strategy
from road.experiments.grids.mini import ANT, FEW_SEEDS, WINDOW, mini_cases

Scale: TypeAlias = Literal["mini", "paper"]


def fixed(*ratios: float) -> tuple[Strategy, ...]:
    return tuple(
        Strategy(f"Fixed {ratio:g}", "fixed", {"offline_ratio": ratio}) for ratio in ratios
    )


PAPER_RATIOS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
UNIFORM = Strategy("Uniform", "uniform")
DECREASING = Strategy("Decreasing", "decreasing")
BALANCED = Strategy("BR", "balanced")
ROAD = Strategy("ROAD", "road")
A3RL = Strategy("A3RL", "a3rl")
OUTER = Strategy("Outer gradient", "outer-gradient")
VALIDATED = Strategy("Validated", "validated")
"""Of this library, beside the paper's at the small scale."""

PAPER = (*fixed(*PAPER_RATIOS), UNIFORM, DECREASING, BALANCED, ROAD)
"""The ten of the paper's large tables, in its order."""


def penalties() -> tuple[Strategy, ...]:
    """ROAD by kappa, from R_q = Delta_off to R_q = -Delta_on."""
    return tuple(
        Strategy(
            f"κ = {'∞' if math.isinf(kappa) else f'{kappa:g}'}",
            "road",
            {"overestimation_penalty": kappa},
        )
        for kappa in (0.0, 0.2, 0.5, 1.0, 2.0, 5.0, math.inf)
    )


def windows(*sizes: int | None) -> tuple[Strategy, ...]:
    """ROAD by c and tau; None keeps every period, the paper's tau = t."""
    return tuple(
        Strategy(
            f"c = {exploration:g}, τ = {'t' if size is None else size}",
            "road",
            {"exploration": exploration, "window": size},
        )
        for exploration in (0.5, 1.0, 2.0, 4.0)
        for size in sizes
    )


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
MEDIUM_BODIES = ("halfcheetah-medium", "hopper-medium", "walker2d-medium")

POINTS = ("pointmaze-umaze-random", "pointmaze-medium-play")
"""The mazes of the small scale: in trials no ant had reached its goal within its budgets. Every
grid of that scale has them: they cost a quarter of a body, and in the second the ratio matters."""
TELLING = POINTS[1]
"""Where settings of a bandit can matter, because its choices do."""
FEW = (*POINTS, "hopper-medium", "halfcheetah-medium")
"""Two mazes and two bodies: what a mini grid runs unless others are named."""


FOR_RLPD = (*fixed(0.1, 0.3, 0.5, 0.7, 0.9), ROAD)


@dataclass(frozen=True)
class Question:
    """What a table or a figure of the paper asks, at either scale."""

    about: str
    tasks: tuple[str, ...]
    strategies: tuple[Strategy, ...]
    few: tuple[str, ...]
    """Tasks that the small scale runs by default."""
    agent: str = "iql"
    subject: str = Grid.subject


QUESTIONS = {
    "table-iql": Question(
        "The main table: IQL on 24 tasks, ten strategies.",
        (*MAZES, *RUNNERS, *KITCHENS), PAPER, FEW,
    ),
    "table-pex": Question(
        "The same table with PEX.", (*MAZES, *RUNNERS, *KITCHENS), PAPER, FEW, "pex"
    ),
    "ablation-kappa": Question(
        "ROAD by kappa, from Delta_off alone to Delta_on alone.",
        (
            "halfcheetah-medium", "halfcheetah-medium-replay",
            "hopper-medium", "hopper-medium-replay",
        ),
        penalties(), (TELLING, "hopper-medium"), subject="κ = 1",
    ),
    "ablation-window": Question(
        "ROAD by exploration c and window tau.",
        CHEETAHS, windows(500, 1_000, None), (TELLING, "halfcheetah-medium"),
        subject="c = 2, τ = 1000",
    ),
    "table-proto": Question(
        "PROTO with each constant and with ROAD.",
        CHEETAHS[:3], (*fixed(*PAPER_RATIOS), ROAD), ("halfcheetah-medium",), "proto",
    ),
    "figure-calql": Question(
        "Cal-QL on mazes and hands.", (*MAZES, *HANDS), PAPER, FEW[:2], "cal-ql"
    ),
    "figure-cql": Question("CQL on mazes and hands.", (*MAZES, *HANDS), PAPER, FEW[:2], "cql"),
    "figure-rlpd": Question(
        "RLPD, which is not pretrained, on mazes, bodies and hands.",
        (*MAZES, *RUNNERS, *HANDS), FOR_RLPD, FEW[:3], "rlpd",
    ),
    "figure-rlpd-quality": Question(
        "RLPD on bodies, by the quality of the log.",
        tuple(f"{body}-{level}" for body in BODIES for level in QUALITIES[:3]), FOR_RLPD,
        tuple(f"hopper-{level}" for level in QUALITIES[:3]), "rlpd",
    ),
    "sample-level": Question(
        "Rows selected one by one, which the paper leaves for later; of ours, beside its ROAD.",
        (*MAZES, *RUNNERS, *KITCHENS), (UNIFORM, BALANCED, A3RL, OUTER, ROAD), POINTS,
    ),
    # The paper does not say which five tasks it drew: these are one of each kind.
    "figure-heatmap": Question(
        "Which ratios ROAD chose, over time; five tasks of our choice.",
        ("antmaze-umaze", "antmaze-medium-play", *MEDIUM_BODIES), (ROAD,),
        (*POINTS, *MEDIUM_BODIES),
    ),
}  # fmt: skip
"""By the name of the grid."""


def paper_grid(name: str, scale: Scale) -> Grid:
    """The same tasks and strategies at either scale."""
    asked = QUESTIONS[name]
    if scale == "mini" and name == "ablation-window":
        # A quarter and a half of a run's periods, as the paper's windows are of its two thousand.
        sizes = (WINDOW // 2, WINDOW, None)
        asked = replace(asked, strategies=windows(*sizes), subject=f"c = 2, τ = {WINDOW}")
    about: dict[str, Any] = {"agent": asked.agent, "about": asked.about, "subject": asked.subject}
    if scale == "paper":
        return Grid(name, tuple(map(Case, asked.tasks)), asked.strategies, **about)
    made = (*POINTS, *(task for task in asked.tasks if can_be_made(task)))
    cases = mini_cases(*made, agent=asked.agent)
    others = tuple(case.label for case in cases if case.label not in asked.few)
    strategies = (*asked.strategies, VALIDATED)
    return Grid(name, cases, strategies, seeds=FEW_SEEDS, on_request=others, **about)


def can_be_made(task: str) -> bool:
    """Whether the small scale has data for it."""
    return task in ANT or task in RUNNERS or task in HANDS
