"""The next round of fine-tuning, from a batch of logs instead of an environment."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from road.errors import UsageError
from road.records.folder import CONFIG, read_run_file
from road.training.checkpoint import pick_checkpoint
from road.training.compiled import CompiledAgent, Leaves
from road.training.config import Plan, RunConfig, rebuild_plan
from road.training.new_log import log_of
from road.training.state import state_from

PARTS = 10
"""Judgements of a round, and the least number of its periods."""
CHECKPOINTS = 4


def continued_plan(
    parent: Path, data: str, *, best: bool = False, unit: bool = False, old_data: str | None = None
) -> Plan:
    """The parent's plan, on a log; its budgets are set when the log is read.

    Raises:
        UsageError: the parent was given data in Python, and no source is named for them.
    """
    config = read_run_file(parent, CONFIG)
    if config.get("loop") == "foreign":
        raise UsageError(f"{parent} was saved by a loop of your own, which keeps no agent in it")
    plan = rebuild_plan({name: value for name, value in config.items() if name != "given"})
    pick_checkpoint(parent, best=best)  # refused here, before a folder is made
    log = log_of(parent, data, best=best, unit=unit)
    own = plan.own if old_data is None else replace(plan.own, data=old_data)
    if not log.listed and own.data is None:
        raise UsageError(
            f"{parent} was given its data in Python: name a source that holds them, "
            "--old-data SOURCE"
        )
    return replace(plan, own=own, log=log)


def round_config(config: RunConfig, rows: int, given: Mapping[str, Any]) -> RunConfig:
    """As the parent had it, for a round of so many new rows, each of them one step."""
    part = max(rows // PARTS, 1)
    period = config.period if config.period == "episode" else min(config.period, part)
    usual = {
        "offline_steps": 0,
        "online_steps": rows,
        "warmup_steps": 0,
        "period": period,
        "evaluate_every": part,
        "log_every": min(config.log_every, part),
        "checkpoint_every": max(rows // CHECKPOINTS, 1),
    }
    return replace(config, **{**usual, **given})


def inherit_agent(plan: Plan, offline: CompiledAgent, online: CompiledAgent) -> Leaves:
    """The parent's agent, carried to the online phase if it was only pretrained."""
    assert plan.log is not None
    parent = Path(plan.log.parent)
    state = state_from(*pick_checkpoint(parent, best=plan.log.best))
    config: dict[str, Any] = read_run_file(parent, CONFIG)
    carried = state.counters.phase != "offline" and config["online_steps"] > 0
    if carried or plan.recipe.offline is None:
        return state.main.agent
    return online.leaves(plan.recipe.carry(offline.tree(state.main.agent)))
