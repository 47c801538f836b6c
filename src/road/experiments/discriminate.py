"""The yardstick for mixers: small tasks on which the offline ratio really matters.

On the flipped pendulum offline data misleads, on the mixed one and in the mazes it helps, and from
an expert's data the hand learns what it would never find. Who is good on all of them has chosen.
"""

from typing import Any

from road.experiments.grid import Case, Grid
from road.experiments.mini import SEEDS, hand_log
from road.experiments.strategies import DISCRIMINATING, LONG

SMALL: dict[str, Any] = {"hidden": (64, 64), "learning_rate": 1e-3}
MAZE = {"evaluation_episodes": 20, "evaluate_every": 2_000}
HANDS = "gymnasium_robotics"
HAND_RUN = {
    "offline_steps": 20_000,
    "online_steps": 10_000,
    "evaluate_every": 2_000,
    "evaluation_episodes": 10,
}


def hand_case(skill: str, environment: str, low: float, high: float, horizon: int) -> Case:
    """A hand in its own dense reward, after an expert's log; D4RL's scores."""
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
