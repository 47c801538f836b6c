"""What a checkpoint belongs to, so that a run continues only as what it was.

A checkpoint holds the plan, a fingerprint of the data and checksums of the journals so far. Data
are known by their content: they may have moved, or be stored in another format.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from road.errors import DamagedError, UsageError
from road.training.config import Plan, plan_from_json

SHOWN = 3
"""Differences that are named."""
BY_CONTENT = "file:known by its content"


@dataclass(frozen=True)
class Identity:
    """Of one checkpoint."""

    plan: Mapping[str, Any]
    """As in ``config.json``, but for the place of the data."""
    data: str | None
    """Fingerprint of the data; None where they are not known, or may be any."""
    journals: Mapping[str, str] = field(default_factory=dict[str, str])
    """SHA-256 of the part of each journal that the checkpoint counts on."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def identity_of(plan: Plan, data: str | None, journals: Mapping[str, str]) -> Identity:
    return Identity(described(plan), data, journals)


def identity_from(found: Any) -> Identity | None:
    """Of what a checkpoint holds; None for one from before checkpoints held it."""
    if found is None:
        return None
    contents: dict[str, Any] = found if isinstance(found, dict) else {}
    plan, data, journals = (contents.get(name) for name in ("plan", "data", "journals"))
    known = isinstance(journals, dict) and all(isinstance(each, str) for each in journals.values())
    if isinstance(plan, dict) and known and isinstance(data, str | None):
        return Identity(cast("dict[str, Any]", plan), data, cast("dict[str, str]", journals))
    raise DamagedError("a checkpoint is damaged: it does not say what it belongs to")


def described(plan: Plan) -> dict[str, Any]:
    """The plan as JSON has it, without the place of its data."""
    plain = json.loads(json.dumps(plan.to_json()))
    if "data" in plain.get("own", {}):
        plain["own"]["data"] = BY_CONTENT
    return plain


def check_plan(identity: Identity | None, plan: Plan, folder: Path) -> None:
    """Whether a checkpoint was made by this plan.

    Raises:
        UsageError: it was not; the message names what differs.
    """
    if identity is None:
        return
    then, now = dict(settings(as_now(identity.plan))), dict(settings(described(plan)))
    names = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if not names:
        return
    shown = [f"{n} is {now.get(n, 'absent')!r}, was {then.get(n, 'absent')!r}" for n in names]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    raise UsageError(
        f"{folder}: its checkpoints belong to another plan ({', '.join(shown[:SHOWN])}{more}); "
        "restore config.json, or start another run"
    )


def check_data(identity: Identity | None, data: str, plan: Plan, folder: Path) -> None:
    """Whether the data are those that a checkpoint has learnt from.

    Raises:
        UsageError: they are not.
    """
    if identity is None or identity.data in (None, data):
        return
    source = plan.own.data or plan.task.source or plan.task_name
    how = "or pass another out"
    if plan.given is None:
        how = f"or accept them: `road resume {folder} --accept-changed-data`"
    raise UsageError(
        f"{folder}: the data of {source} have changed since the run was saved; restore them, {how}"
    )


def accepting_any_data(identity: Identity | None) -> Identity | None:
    return None if identity is None else replace(identity, data=None)


def as_now(plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """An earlier plan as this version writes it: settings that were added since have defaults."""
    try:
        return described(plan_from_json(plan))
    except UsageError:  # of Python objects, or of another version: compared as it is
        return plan


def settings(plan: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting by its full name, such as ``agent.discount``."""
    for name, value in plan.items():
        if isinstance(value, dict):
            yield from settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
