"""Defaults by family of tasks: the run's budgets, every agent's and every mixer's settings.

A table is plain data: group, field, value. A group is an agent, a mixer, the run, or the run with
one agent (``rlpd run``). What a table does not name keeps the default of its dataclass, which is
ROAD's own table of hyper-parameters where that has an entry: IQL and PEX with expectile 0.9 and
inverse temperature 10 everywhere, CQL with weight 5 and gap 0.8, one million steps in each phase.
So AWAC, PEX, IQL and SAC are in none of the lists of the paper's families, where every number has
its source.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Settings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Defaults by group, each a table of field name and value."""

WIDE_2, WIDE_3 = (512, 512), (512, 512, 512)
USUAL_2, USUAL_3 = (256, 256), (256, 256, 256)


def merge_settings(*tables: Settings) -> dict[str, dict[str, Any]]:
    """Later tables add to earlier ones, field by field."""
    result: dict[str, dict[str, Any]] = {}
    for table in tables:
        for group, fields in table.items():
            result[group] = {**result.get(group, {}), **fields}
    return result


def small_agents(discount: float) -> dict[str, dict[str, Any]]:
    """64-64 networks and a learning rate to match, for tasks of a few thousand steps."""
    shared = {"hidden": (64, 64), "discount": discount}
    quick = {**shared, "learning_rate": 1e-3}
    squashed = {
        **shared,
        "critic_hidden": (64, 64),
        "actor_learning_rate": 1e-3,
        "critic_learning_rate": 1e-3,
    }
    return {
        **{name: dict(quick) for name in ("iql", "pex", "awac", "rlpd", "proto")},
        **{name: dict(squashed) for name in ("sac", "cql", "cal-ql", "wsrl")},
    }


POINTMAZE: Settings = merge_settings(
    small_agents(discount=0.99),
    {
        "run": {
            "offline_steps": 10_000,
            "online_steps": 10_000,
            "batch_size": 128,
            "period": 200,
            "evaluate_every": 1_000,
            # A share of successes near 0.8 then has a standard error near 6 points.
            "evaluation_episodes": 50,
        },
        "iql": {"expectile": 0.9, "inverse_temperature": 10.0},
        # The authors' settings for mazes; the trust region opens over the whole online phase.
        "proto": {
            "decay_steps": 10_000,
            "temperature": 0.5,
            "slow_rate": 5e-5,
            "subset": 1,
            "regularised_backup": False,
        },
        # Random walks never come near the paper's gap of 0.8: its multiplier would only grow.
        "cql": {"target_gap": None, "conservatism": 0.1},
        "cal-ql": {"target_gap": None, "conservatism": 0.1},
        "wsrl": {"target_gap": None, "conservatism": 0.1},
        # Every pull counts, as in the paper's mazes, which also reward nothing but the goal.
        "road": {"window": None},
    },
)

PENDULUM: Settings = merge_settings(
    small_agents(discount=0.98),
    {
        "run": {"batch_size": 128, "period": 100, "evaluation_episodes": 10},
        "iql": {"expectile": 0.8, "inverse_temperature": 5.0},
        "pex": {"expectile": 0.8, "inverse_temperature": 5.0},
        "cql": {"target_gap": None, "conservatism": 1.0},
        "cal-ql": {"target_gap": None, "conservatism": 1.0},
        # Returns cut by the time limit are no lower bound where every reward is negative.
        "wsrl": {
            "calibrated": False,
            "target_gap": None,
            "conservatism": 1.0,
            "max_backup": None,
        },
    },
)


@dataclass(frozen=True)
class Chosen:
    """Fields of one group, and where their values come from."""

    group: str
    fields: Mapping[str, Any]
    source: str


RLPD_BATCH = Chosen("rlpd run", {"batch_size": 128}, "ROAD, table of RLPD's hyper-parameters")

ANTMAZE = (
    Chosen("run", {"evaluation_episodes": 100}, "IQL's and PEX's code"),
    Chosen("run", {"evaluate_every": 50_000}, "PROTO's code"),
    Chosen("road", {"window": None}, "ROAD, table of hyper-parameters: tau = t for AntMaze"),
    RLPD_BATCH,
    Chosen(
        "rlpd",
        {"hidden": USUAL_3, "subset": 1, "entropy_backup": False},
        "RLPD's code, AntMaze",
    ),
    Chosen(
        "proto",
        {"temperature": 0.5, "slow_rate": 5e-5, "subset": 1, "regularised_backup": False},
        "PROTO's scripts, AntMaze",
    ),
)

CQL_LOCOMOTION = {
    "conservatism": 5.0,
    "target_gap": None,
    "critic_hidden": USUAL_2,
}
LOCOMOTION = (
    Chosen("run", {"evaluation_episodes": 10, "evaluate_every": 10_000}, "PEX's code"),
    RLPD_BATCH,
    Chosen("cql", CQL_LOCOMOTION, "WSRL's code, CQL on locomotion"),
    Chosen("cal-ql", CQL_LOCOMOTION, "as CQL; Cal-QL's authors do not support locomotion"),
    Chosen(
        "wsrl",
        {
            "critic_hidden": USUAL_2,
            "calibrated": False,
            "target_gap": None,
            "max_backup": None,
        },
        "WSRL's code, locomotion",
    ),
)

CQL_KITCHEN = {
    "conservatism": 5.0,
    "target_gap": None,
    "importance_sampling": False,
    "hidden": WIDE_3,
    "critic_hidden": WIDE_3,
}
PROTO_ELSEWHERE = {"temperature": 2.0, "slow_rate": 5e-5, "regularised_backup": False}
KITCHEN = (
    Chosen("run", {"evaluation_episodes": 20, "evaluate_every": 20_000}, "WSRL's code"),
    RLPD_BATCH,
    Chosen("cql", CQL_KITCHEN, "OOO's scripts and WSRL's code, kitchen"),
    Chosen("cal-ql", CQL_KITCHEN, "OOO's scripts and WSRL's code, kitchen"),
    Chosen(
        "wsrl",
        {
            "hidden": WIDE_3,
            "critic_hidden": WIDE_3,
            "target_gap": None,
            "importance_sampling": False,
            "max_backup": None,
        },
        "WSRL's code, kitchen",
    ),
    Chosen("proto", PROTO_ELSEWHERE, "a guess: PROTO's Adroit values; it has no kitchen"),
)

CQL_ADROIT = {
    "conservatism": 1.0,
    "target_gap": None,
    "hidden": WIDE_2,
    "critic_hidden": WIDE_3,
}
ADROIT = (
    Chosen("run", {"offline_steps": 20_000}, "Cal-QL's scripts; a remark in ROAD's source"),
    Chosen("run", {"evaluation_episodes": 20, "evaluate_every": 20_000}, "WSRL's code"),
    RLPD_BATCH,
    Chosen("rlpd", {"hidden": USUAL_3, "entropy_backup": False}, "RLPD's code, Adroit"),
    Chosen("cql", CQL_ADROIT, "Cal-QL's scripts, Adroit"),
    Chosen("cal-ql", CQL_ADROIT, "Cal-QL's scripts, Adroit"),
    Chosen("wsrl", {**CQL_ADROIT, "max_backup": None}, "WSRL's code, Adroit"),
    Chosen("proto", PROTO_ELSEWHERE, "a guess: PROTO's Adroit scripts are for dense rewards"),
)

FAMILIES: Mapping[str, tuple[Chosen, ...]] = {
    "antmaze": ANTMAZE,
    "locomotion": LOCOMOTION,
    "kitchen": KITCHEN,
    "adroit": ADROIT,
}


def settings_of(family: str) -> Settings:
    return merge_settings(*({chosen.group: chosen.fields} for chosen in FAMILIES[family]))


OWN: Settings = merge_settings(
    {group: fields for group, fields in settings_of("locomotion").items() if group != "run"},
    {
        # Minutes on a laptop, where the paper's budgets take a day.
        "run": {
            "offline_steps": 20_000,
            "online_steps": 20_000,
            "period": 200,
            "evaluate_every": 2_000,
            "evaluation_episodes": 10,
        },
        # IQL's values where rewards are dense; 0.9 and 10 are those of its mazes.
        "iql": {"expectile": 0.7, "inverse_temperature": 3.0},
        "pex": {"expectile": 0.7, "inverse_temperature": 3.0},
        # The trust region opens over the whole online phase.
        "proto": {"decay_steps": 20_000},
    },
)
"""For an environment of the user, of which nothing is known."""
