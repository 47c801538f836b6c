"""What a worker does with a job: make data, pretrain to the switch, or run a cell from there.

Each gives what the job's result says beside its times. A job that was begun before is continued
from its own checkpoints.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from road.collecting.environment import find_environment
from road.collecting.ladder import Collector
from road.collecting.learner import Budget, Learning, usual_sac
from road.collecting.request import Request, parse_levels, parse_noise, parse_policies
from road.errors import DataError
from road.experiments.grid import FROM_THE_GRID
from road.experiments.jobs import Job
from road.experiments.store import Store
from road.files import hash_stream
from road.records.folder import CONFIG, SESSIONS
from road.records.journal import Journal, JournalReader, read_rows, tabulate
from road.records.reader import load_run
from road.records.summary import summarise
from road.tasks.shifts import Shift, parse_shift
from road.training.branch import branch_run
from road.training.checkpoint import checkpoints, load_checkpoint
from road.training.config import Plan, plan_from_json
from road.training.events import Note, Notify
from road.training.launch import resume_plan, start_run


def make_data(store: Store, job: Job, notify: Notify) -> dict[str, Any]:
    """The log that ``road data collect`` would write for the job's words."""
    environment, *rest = job.what["words"]
    given: dict[str, tuple[str, ...]] = {}
    for flag, value in zip(rest[::2], rest[1::2], strict=True):
        given[flag] = (*given.get(flag, ()), value)
    allowed = given.get("--allow-import", ())
    wanted = Request(
        parse_levels(given["--levels"][-1]),
        int(given["--steps"][-1]),
        int(given["--seed"][-1]),
        parse_policies(given.get("--policy", ())),
        parse_noise(given.get("--noise", ())),
        allowed,
    )
    budget = Budget(*map(int, given.get("--train-steps", ())))
    collector = Collector(
        find_environment(environment, allowed, None, given_shift(given)),
        wanted,
        Learning(budget, usual_sac(environment)),
        store.place(job),
        lambda _: nullcontext(notify),
        lambda *_: nullcontext(silent),
    )
    for level in collector.run():
        notify(Note(f"{level.path} is written"))
    return {}


def given_shift(given: Mapping[str, tuple[str, ...]]) -> Shift | None:
    return parse_shift(given["--shift"][-1]) if "--shift" in given else None


def silent(done: int) -> None:
    """A worker has no terminal to show the rows so far on."""
    del done


def pretrain_agent(store: Store, job: Job, notify: Notify) -> dict[str, Any]:
    """An agent trained to the switch, for every cell that asks for it."""
    plan, folder = plan_of(store, job), store.place(job)
    if (folder / CONFIG).exists():
        resume_plan(plan, folder, notify, until_switch=True)
    else:
        start_run(plan, folder, f"road grid, {job.label}", notify, until_switch=True)
    return {"digest": digest_of(folder)}


def run_cell(store: Store, job: Job, notify: Notify) -> dict[str, Any]:
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
        branch_run(plan, folder, store.inside("pretrained", job.what["pretrained"]), command)
    if (folder / CONFIG).exists():
        resume_plan(plan, folder, notify)
    else:
        start_run(plan, folder, command, notify)
    return {
        "digest": digest_of(folder),
        "area": area_under(read_rows(folder / "evaluations.jsonl")),
        "summary": asdict(summarise(load_run(folder))),
    }


def time_before(folder: Path) -> dict[str, float]:
    """What the sessions of an unfinished run took that could say so: a kill leaves no word."""
    rows = JournalReader(folder / SESSIONS) if checkpoints(folder / "checkpoints") else ()
    sessions = tabulate(rows)
    # NaN is what a kill or a full disk has kept from being written: a time is not worth a cell.
    return {name: float(np.nansum(sessions[name])) for name in ("seconds", "cpu_seconds")}


def plan_of(store: Store, job: Job) -> Plan:
    """The plan of a job, with its data where it lies now."""
    settings = dict(job.what["plan"])
    scheme, _, key = str(settings.get("own", {}).get("data", "")).partition(":")
    if f"{scheme}:" == FROM_THE_GRID:
        settings["own"] = {**settings["own"], "data": f"file:{made_file(store, key)}"}
    return plan_from_json(settings, tuple(job.what["allowed"]))


def made_file(store: Store, key: str) -> Path:
    folder = store.inside("data", key).absolute()
    files = sorted(folder.glob("*.hdf5"))
    if len(files) != 1:
        raise DataError(f"{folder} should hold the one log that the grid made, not {len(files)}")
    return files[0]


def digest_of(folder: Path) -> str:
    """A hash of everything that must be the same: weights, buffer, mixer, counters, journals."""
    newest = checkpoints(folder / "checkpoints")[-1]
    arrays, _ = load_checkpoint(newest)
    weights = (part for name in sorted(arrays) for part in (name.encode(), arrays[name].tobytes()))
    files = [newest / "state.json", *(folder / f"{name}.jsonl" for name in Journal.NAMES)]
    return hash_stream(chain(weights, (path.read_bytes() for path in files)))


def area_under(rows: list[dict[str, Any]]) -> float | None:
    """Mean score over the online phase, along straight lines between its evaluations."""
    online = [(row["step"], row["score"]) for row in rows if row["phase"] == "online"]
    if len(online) < 2:
        return online[0][1] if online else None
    area = sum(
        (after - before) * (low + high) / 2 for (before, low), (after, high) in pairwise(online)
    )
    return area / (online[-1][0] - online[0][0])
