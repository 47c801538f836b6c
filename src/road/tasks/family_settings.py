"""Settings of the paper's families: the one table, with the source of every number.

A family lists what it has otherwise than the defaults of each dataclass, which are ROAD's own
tables of hyper-parameters where those have an entry: IQL and PEX with expectile 0.9 and inverse
temperature 10 everywhere, CQL with weight 5 and gap 0.8, one million steps in each phase. So AWAC,
PEX, IQL and SAC are in none of these lists.

A group is an agent, a mixer, the run, or the run with one agent (``rlpd run``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from road.tasks.settings import Settings, merged

WIDE_2, WIDE_3 = (512, 512), (512, 512, 512)
USUAL_2, USUAL_3 = (256, 256), (256, 256, 256)


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
    return merged(*({chosen.group: chosen.fields} for chosen in FAMILIES[family]))
