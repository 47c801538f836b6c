"""Logs from a world that differs from the task's by a knob, from identical to opposite.

Here it is known from how the logs are made whether offline data helps: they come from an older
robot, another payload or a simulator, from a behaviour that knows that world (`tasks/shifts.py`).

For choosing settings (seeds 0 to 4): the pendulum's action gain and the point maze.
For judging them (seeds 10 to 19): the pendulum's gravity.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from road.experiments.grid import Case, Grid, Setting, Settings, Strategy
from road.experiments.grids.discriminate import LONG, MAZE, WIDE_RATIOS, wide_road
from road.experiments.grids.mini import SEEDS
from road.experiments.grids.paper import fixed
from road.experiments.making import Collected

OPPOSITE = (1.0, 0.5, 0.0, -0.5, -1.0)
"""Factors from identical to opposite."""
TURNS = (0.0, 45.0, 90.0, 135.0, 180.0)
"""Degrees from identical to opposite."""

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
    task: str
    knob: str
    """Of ``road data collect --shift``."""
    words: str
    """What a reader calls it."""
    values: Sequence[float]
    rows: int
    run: Settings
    log_seed: int = 0

    def cases(self) -> tuple[Case, ...]:
        return tuple(
            Case(
                f"{self.name}, {self.words} {value:g}",
                task=self.task,
                run=self.run,
                data=self.log(value),
                setting=Setting(self.name, self.words, value),
            )
            for value in self.values
        )

    def log(self, value: float) -> Collected:
        shift = f"{self.knob}={value:g}"
        return Collected(
            self.task, "play", self.rows, train_steps=None, seed=self.log_seed, shift=shift
        )


SWING = "pendulum-mixed"
DEVELOPMENT = (
    Family("pendulum", SWING, "gain", "action gain", OPPOSITE, 10_000, {}),
    Family(
        "point maze", "pointmaze-umaze-play", "rotation", "rotation", TURNS, 20_000,
        # From nothing, as on the pendulum: what the log is worth is then the ratio's to decide.
        {**MAZE, "offline_steps": 0},
    ),
)  # fmt: skip
HELD_OUT = (
    # Another log, so that its identical setting is not that of the action gain.
    Family("pendulum", SWING, "gravity", "gravity", OPPOSITE, 10_000, {}, log_seed=1),
)


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
