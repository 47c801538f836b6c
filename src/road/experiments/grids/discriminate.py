"""The yardstick for mixers: small tasks on which the offline ratio really matters.

On the flipped pendulum offline data misleads, on the mixed one and in the mazes it helps, and from
an expert's data the hand learns what it would never find. Who is good on all of them has chosen.
"""

from dataclasses import replace
from typing import Any

from road.experiments.grid import Case, Grid, Strategy
from road.experiments.grids.mini import SEEDS, hand_log
from road.experiments.grids.paper import fixed

SMALL: dict[str, Any] = {"hidden": (64, 64), "learning_rate": 1e-3}
MAZE = {"evaluation_episodes": 20, "evaluate_every": 2_000}
HANDS = "gymnasium_robotics"
HAND_RUN = {
    "offline_steps": 20_000,
    "online_steps": 10_000,
    "evaluate_every": 2_000,
    "evaluation_episodes": 10,
}

WIDE_RATIOS = (0.0, 0.1, 0.3, 0.5, 0.9)
"""From science: most of the effect on small tasks lies outside 0.1 to 0.5."""
LONG, SHORT = {"period": 500}, {"period": 100}
"""Environment steps to a choice."""


def wide_road(label: str, period: dict[str, int], **settings: object) -> Strategy:
    return Strategy(label, "road", {"arms": WIDE_RATIOS, **settings}, period)


STANDARD = {"scale": "standardised"}
DISCRIMINATING = (
    *fixed(*WIDE_RATIOS),
    Strategy("Uniform", "uniform", {"arms": WIDE_RATIOS}, LONG),
    Strategy("Uniform short", "uniform", {"arms": WIDE_RATIOS}, SHORT),
    Strategy("Decreasing", "decreasing", {"start": 0.9, "end": 0.1}, SHORT),
    Strategy("BR", "balanced"),
    Strategy("Append", "append", {}, SHORT),
    wide_road("ROAD", LONG),
    wide_road("ROAD short", SHORT),
    wide_road("ROAD standardised", LONG, **STANDARD),
    wide_road("ROAD standardised short", SHORT, **STANDARD),
    wide_road("ROAD reversed", LONG, **STANDARD, credit="reversed"),
    wide_road("ROAD reversed short", SHORT, **STANDARD, credit="reversed"),
    wide_road("ROAD change", LONG, **STANDARD, credit="change"),
    wide_road("ROAD fresh-error", LONG, **STANDARD, credit="fresh-error"),
    wide_road("ROAD next-return", LONG, **STANDARD, credit="next-return"),
    Strategy("Hypergradient", "hypergradient"),
    Strategy("Hypergradient pulled", "hypergradient", {"pull": 0.06}),
)
"""Constants, rules that look at nothing, ROAD by period, unit and credit, and the hypergradient."""


def hand_case(skill: str, environment: str, low: float, high: float, horizon: int) -> Case:
    """A hand in its own dense reward, after an expert's log; D4RL's scores.

    Ratios mattered in trials with this reward; the catalogue's tasks pay for success only.
    """
    place = f"{HANDS}:{environment}"
    return Case(
        f"{skill}-expert",
        run=HAND_RUN,
        agent={**SMALL, "discount": 0.99},
        own={
            "env": place,
            "horizon": horizon,
            "reward_scale": 0.01,
            "score_min": low,
            "score_max": high,
        },
        data=hand_log(place, skill, rows=6_000, allow_import=(HANDS,)),
        allow_import=(HANDS,),
    )


def discriminate(scale: str = "mini") -> Grid:
    """Of one size only: it is small on purpose."""
    del scale
    return Grid(
        name="discriminate",
        about="The yardstick for any mixer: small tasks on which ratios really differ.",
        cases=(
            Case("pendulum-flipped"),
            Case("pendulum-mixed"),
            Case("pointmaze-umaze-random", run=MAZE),
            Case(
                "pointmaze-umaze-random (no pretraining)",
                task="pointmaze-umaze-random",
                run={**MAZE, "offline_steps": 0},
            ),
            Case("pointmaze-medium-play", run=MAZE),
            hand_case("door", "AdroitHandDoor-v1", -56.512833, 2880.5693, 200),
            hand_case("pen", "AdroitHandPen-v1", 96.262799, 3076.8331, 100),
        ),
        strategies=DISCRIMINATING,
        seeds=SEEDS,
        run={"batch_size": 128, "log_every": 500, "checkpoint_every": 10_000, **LONG},
    )


FOLLOWING = Strategy("Validated", "validated")
VALIDATED = (
    *fixed(*WIDE_RATIOS),
    Strategy("Uniform", "uniform", {"arms": WIDE_RATIOS}, LONG),
    wide_road("ROAD", LONG),
    FOLLOWING,
)
SETTINGS = (
    FOLLOWING,
    Strategy("Validated, preference 0.25", "validated", {"offline_preference": 0.25}),
    Strategy("Validated, preference 1", "validated", {"offline_preference": 1.0}),
    Strategy("Validated, probes every step", "validated", {"probe_every": 1}),
)
"""What was tried before the defaults of ``validated`` were chosen."""


def validated(scale: str = "mini") -> Grid:
    """The cases of ``discriminate``; settings were chosen on its seeds 0 to 9."""
    return replace(
        discriminate(scale),
        name="validated",
        about="How far a ratio that follows the errors of probes is from the best fixed one.",
        strategies=VALIDATED,
        subject=FOLLOWING.label,
    )


def validated_settings(scale: str = "mini") -> Grid:
    return replace(
        validated(scale),
        name="validated-settings",
        about="The settings of validated that were tried before its defaults were chosen.",
        strategies=SETTINGS,
    )


AGENTS = ("sac", "awac")
EMBEDDED = (
    "pendulum-flipped",
    "pendulum-mixed",
    "pointmaze-umaze-random",
    "pointmaze-medium-play",
)
"""Cases that need no policies."""


def validated_agents(scale: str = "mini") -> Grid:
    """Settings are those that were chosen with IQL."""
    grid = validated(scale)
    return replace(
        grid,
        name="validated-agents",
        about="validated with agents that none of its settings were chosen with: SAC and AWAC.",
        cases=tuple(
            replace(case, label=f"{case.label} ({agent})", task=case.label, agent_name=agent)
            for agent in AGENTS
            for case in grid.part(cases=EMBEDDED).cases
        ),
        strategies=tuple(each for each in VALIDATED if each.label != "ROAD"),
    )
