"""Logs from a world that differs from the task's by a knob, from identical to opposite.

Here it is known from how the logs are made whether offline data helps: they come from an older
robot, another payload or a simulator, from a behaviour that knows that world (`tasks/shifts.py`).

For choosing settings (seeds 0 to 4): the pendulum's action gain and the point maze.
For judging them (seeds 10 to 19): the pendulum's gravity, Reacher's and the half cheetah's gear.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from road.experiments.grid import Case, Grid, Setting, Strategy
from road.experiments.grids.discriminate import LONG, MAZE, SMALL, WIDE_RATIOS, wide_road
from road.experiments.grids.mini import SEEDS
from road.experiments.grids.paper import fixed
from road.experiments.making import Collected

OPPOSITE = (1.0, 0.5, 0.0, -0.5, -1.0)
"""Factors from identical to opposite."""
TURNS = (0.0, 45.0, 90.0, 135.0, 180.0)
"""Degrees from identical to opposite."""
REACHED = {"score_min": -11.8, "score_max": -5.7}
"""Mean return of no torque at all and of a controller that pulls the tip to the target, torques
-20 Jᵀ (tip - target) - 0.1 ω, each over 1,000 episodes (standard errors 0.15 and 0.08). Random
actions return -42.8, nearly all of it the cost of torques.
"""

STRATEGIES = (
    *fixed(*WIDE_RATIOS),
    Strategy("Uniform", "uniform", {"arms": WIDE_RATIOS}, LONG),
    wide_road("ROAD", LONG),
    Strategy("validated", "validated", {"probe_every": 4}),
)


@dataclass(frozen=True)
class Family:
    """Cases that differ by the value of one knob."""

    name: str
    knob: str
    """Of ``road data collect --shift``."""
    words: str
    """What a reader calls it."""
    values: Sequence[float]
    """The first is the task's own world."""
    log: Collected
    """As it is in the task's own world."""
    case: Case
    """What all of them have in common."""

    def cases(self) -> tuple[Case, ...]:
        return tuple(
            replace(
                self.case,
                label=f"{self.name}, {self.words} {value:g}",
                data=self.shifted_log(value),
                setting=Setting(self.name, self.words, value, self.values[0]),
            )
            for value in self.values
        )

    def shifted_log(self, value: float) -> Collected:
        return replace(self.log, shift=f"{self.knob}={value:g}")


SWING, MAZE_TASK = "pendulum-mixed", "pointmaze-umaze-play"
SWINGS = Collected(SWING, "play", 10_000, train_steps=None)
REACHER, CHEETAH = "Reacher-v5", "HalfCheetah-v5"
BODY: dict[str, Any] = {"offline_steps": 0, "evaluation_episodes": 10}

DEVELOPMENT = (
    Family("pendulum", "gain", "action gain", OPPOSITE, SWINGS, Case("", task=SWING)),
    Family(
        "point maze", "rotation", "rotation", TURNS,
        Collected(MAZE_TASK, "play", 20_000, train_steps=None),
        # From nothing, as on the pendulum: what the log is worth is then the ratio's to decide.
        Case("", task=MAZE_TASK, run={**MAZE, "offline_steps": 0}),
    ),
)  # fmt: skip
HELD_OUT = (
    # Another log, so that its identical setting is not that of the action gain.
    Family(
        "pendulum", "gravity", "gravity", OPPOSITE, replace(SWINGS, seed=1), Case("", task=SWING)
    ),
    Family(
        "reacher", "gear", "gear", OPPOSITE,
        Collected(REACHER, "random", 10_000, train_steps=None),
        Case(
            "",
            # Without pretraining the score is about when an agent learns that torques cost.
            run={**BODY, "offline_steps": 5_000, "online_steps": 5_000, "evaluate_every": 500},
            agent={**SMALL, "discount": 0.95},
            own={"env": REACHER, **REACHED},
        ),
    ),
    Family(
        "half cheetah", "gear", "gear", OPPOSITE,
        Collected(
            CHEETAH, "medium", 20_000, train_steps=None,
            policies={"medium": "halfcheetah-medium.npz"}, noise={"medium": 0.1},
        ),
        Case(
            "",
            run={**BODY, "online_steps": 20_000, "evaluate_every": 2_000, "evaluation_episodes": 3},
            agent={**SMALL, "discount": 0.99},
            own={"env": CHEETAH, "score_min": -280.178953, "score_max": 12135.0},
        ),
    ),
)  # fmt: skip


def shifted(scale: str = "mini") -> Grid:
    """Of one size only: it is small on purpose."""
    del scale
    return Grid(
        name="shifted",
        about="Logs from worlds more and more unlike the task's: the best ratio moves by design.",
        cases=tuple(case for family in (*DEVELOPMENT, *HELD_OUT) for case in family.cases()),
        strategies=STRATEGIES,
        seeds=SEEDS,
        run={"batch_size": 128, "log_every": 500, "checkpoint_every": 10_000, **LONG},
        subject="validated",
    )
