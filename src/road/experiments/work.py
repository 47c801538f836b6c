"""What a worker does with a job: make data, pretrain to the switch, or run a cell from there.

A job that was begun before is taken up again from its own checkpoints.
"""

import hashlib
import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

from road.errors import DataError
from road.experiments.grid import FROM_THE_GRID
from road.experiments.jobs import Job
from road.experiments.store import Store
from road.training.checkpoint import checkpoints, load_checkpoint
from road.training.config import Plan, plan_from_json
from road.training.events import Notify
from road.training.folder import CONFIG, SESSIONS
from road.training.journal import Journal
from road.training.launch import resume_plan, start_run
from road.training.switch import branch_run


def pretrain_agent(store: Store, job: Job, notify: Notify) -> Path:
    """An agent that stands at the switch, for every cell that asks for it."""
    plan, folder = plan_of(store, job), store.place(job)
    if (folder / CONFIG).exists():
        resume_plan(plan, folder, notify, until_switch=True)
    else:
        start_run(plan, folder, f"road grid, {job.label}", notify, until_switch=True)
    return folder


def run_cell(store: Store, job: Job, notify: Notify) -> Path:
    """A run to its end, from the switch where pretraining is shared."""
    plan, folder, command = plan_of(store, job), store.place(job), f"road grid, {job.label}"
    begun = (folder / CONFIG).exists() and checkpoints(folder / "checkpoints")
    if not begun:
        # A cell that was done, and is to be done again, has sessions that are not of this run.
        (folder / SESSIONS).unlink(missing_ok=True)
    if "pretrained" in job.what and not begun:
        # It may also have a plan but no checkpoint left. One that was killed while it was branched
        # has a checkpoint but no plan yet.
        (folder / CONFIG).unlink(missing_ok=True)
        branch_run(plan, folder, store.path / "pretrained" / job.what["pretrained"], command)
    if (folder / CONFIG).exists():
        resume_plan(plan, folder, notify)
    else:
        start_run(plan, folder, command, notify)
    return folder


def time_before(folder: Path) -> dict[str, float]:
    """What the sessions of an unfinished run took that could say so: a kill leaves no word."""
    total = {"seconds": 0.0, "cpu_seconds": 0.0}
    if not checkpoints(folder / "checkpoints") or not (folder / SESSIONS).exists():
        return total
    for line in (folder / SESSIONS).read_text("utf-8").splitlines():
        row = session_of(line)
        total = {name: value + row.get(name, 0.0) for name, value in total.items()}
    return total


def session_of(line: str) -> dict[str, Any]:
    """Nothing, of a line that a full disk or a kill has cut off: a time is not worth a cell."""
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return {}


def plan_of(store: Store, job: Job) -> Plan:
    """The plan of a job, with its data where it lies now."""
    told = dict(job.what["plan"])
    scheme, _, key = str(told.get("own", {}).get("data", "")).partition(":")
    if f"{scheme}:" == FROM_THE_GRID:
        told["own"] = {**told["own"], "data": f"file:{made_file(store, key)}"}
    return plan_from_json(told, tuple(job.what["allowed"]))


def made_file(store: Store, key: str) -> Path:
    folder = (store.path / "data" / key).absolute()
    files = sorted(folder.glob("*.hdf5"))
    if len(files) != 1:
        raise DataError(f"{folder} should hold the one log that the grid made, not {len(files)}")
    return files[0]


def digest_of(folder: Path) -> str:
    """A hash of everything that must be the same: weights, buffer, mixer, counters, journals."""
    newest = checkpoints(folder / "checkpoints")[-1]
    arrays, _ = load_checkpoint(newest)
    found = hashlib.sha256()
    for name in sorted(arrays):
        found.update(name.encode())
        found.update(arrays[name].tobytes())
    found.update((newest / "state.json").read_bytes())
    for name in Journal.NAMES:
        found.update((folder / f"{name}.jsonl").read_bytes())
    return found.hexdigest()


def drop_checkpoints(folder: Path) -> None:
    """A finished cell keeps its journals; its buffer would fill the disk."""
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)


def area_under(rows: list[dict[str, Any]]) -> float | None:
    """Mean score over the online phase, along straight lines between its evaluations."""
    online = [(row["step"], row["score"]) for row in rows if row["phase"] == "online"]
    if len(online) < 2:
        return online[0][1] if online else None
    area = sum(
        (after - before) * (low + high) / 2 for (before, low), (after, high) in pairwise(online)
    )
    return area / (online[-1][0] - online[0][0])
