"""Cases for two cores: small networks, short phases, and data that is made here.

What is kept of the paper: its tasks, its strategies and the task's own score. What is not: networks
are 64-64 and batches 128 instead of 256, there are a tenth of the online steps or less with a
hundred choices of the bandit, and logs have 100,000 rows instead of a million.

The mazes are point mazes: with such networks and 50,000 steps in each phase the ant scored 0.
"""

from collections.abc import Mapping
from typing import Any

from road.errors import UsageError
from road.experiments.grid import Case
from road.experiments.making import Collected
from road.tasks.catalogue import TASKS
from road.tasks.defaults import small_agents

SEEDS = (0, 1, 2, 3, 4)
FEW_SEEDS = (0, 1, 2)
"""Of the paper's grids at this scale: ten of them are to be run."""
WINDOW = 50
"""tau where the paper has 1,000: half of a run's periods, as there."""


def budget(offline_steps: int, online_steps: int, evaluation_episodes: int = 20) -> dict[str, int]:
    """What a cell may cost: online a hundred periods and five evaluations."""
    every = online_steps // 5
    return {
        "batch_size": 128,
        "log_every": 1_000,
        "offline_steps": offline_steps,
        "online_steps": online_steps,
        "period": online_steps // 100,
        "evaluate_every": every,
        "evaluation_episodes": evaluation_episodes,
        "checkpoint_every": max(every, 10_000),
    }


BUDGETS: Mapping[str, Mapping[str, int]] = {
    "locomotion": budget(50_000, 100_000),
    # An evaluation costs little there, and a share of successes is a rough number.
    "pointmaze": budget(20_000, 20_000, evaluation_episodes=50),
    "antmaze": budget(50_000, 50_000),
    "adroit": budget(20_000, 20_000),
}
"""By family."""

SLOW_AGENTS: Mapping[str, Mapping[str, int]] = {
    **{
        name: {
            "offline_steps": 10_000,
            "online_steps": 10_000,
            "period": 100,
            "evaluate_every": 2_000,
        }
        for name in ("cql", "cal-ql")
    },
    "rlpd": {"online_steps": 8_000, "period": 80, "evaluate_every": 1_600},
}
"""Agents whose update takes several times as long as IQL's have fewer of them."""

ANT = {
    "antmaze-umaze": "expert",
    "antmaze-medium-play": "play",
    "antmaze-large-play": "play",
}
"""Ants whose logs can be made: those that start where the task does."""


def mini_cases(*tasks: str, agent: str = "iql") -> tuple[Case, ...]:
    return tuple(mini_case(task, agent) for task in tasks)


def mini_case(task: str, agent: str) -> Case:
    family = TASKS[task].family
    run = {**BUDGETS[family], **SLOW_AGENTS.get(agent, {})}
    settings = {} if family == "pointmaze" else small_agents(discount=0.99)[agent]
    # PROTO's trust region opens over the whole online phase, however short.
    phase = {"decay_steps": run["online_steps"]} if agent == "proto" else {}
    return Case(
        task,
        run=run,
        agent={**settings, **phase},
        mixers=mini_mixers(family, agent),
        data=mini_data(task),
    )


def mini_mixers(family: str, agent: str) -> dict[str, dict[str, Any]]:
    """ROAD's window, but where the paper keeps every period: in mazes and with RLPD."""
    forgets = family not in ("pointmaze", "antmaze") and agent != "rlpd"
    return {"road": {"window": WINDOW}} if forgets else {}


def mini_data(task: str) -> Collected | None:
    """Where the data of a task comes from at this scale; None if the task makes it itself."""
    family = TASKS[task].family
    if family == "pointmaze":
        return None
    if family == "locomotion":
        body, _, level = task.partition("-")
        return body_log(task, body, level)
    if task in ANT:
        level = ANT[task]
        return Collected(task, level, policies={level: "ant-legs.npz"}, train_steps=None)
    if family == "adroit":
        skill = task.removesuffix("-binary")
        return hand_log(task, skill)
    raise UsageError(f"{task} has no data at mini scale: its log cannot be made here")


def body_log(task: str, body: str, level: str) -> Collected:
    """By policies of a folder, or by a SAC that is trained for it."""
    parts = {
        "random": (),
        "medium-replay": (),
        "medium-expert": ("medium", "expert"),
    }.get(level, (level,))
    return Collected(
        task,
        level,
        policies={part: f"{body}-{part}.npz" for part in parts},
        # As much as brings a policy that always does the same to the variety of D4RL's.
        noise={"medium": 0.1},
    )


def hand_log(place: str, skill: str, rows: int = 20_000, **more: Any) -> Collected:
    """By an expert of a folder: SAC does not learn a hand in a reasonable time."""
    return Collected(
        place,
        "expert",
        rows,
        policies={"expert": f"{skill}-expert.npz"},
        noise={"expert": "own"},
        train_steps=None,
        **more,
    )
