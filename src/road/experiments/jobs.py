"""From cells to jobs: data to make, agents to pretrain, cells to run; and what needs what.

A job's key is the hash of what its result depends on, as canonical JSON. Threads, folders and
labels are not in it; every setting is, also those that were left as usual, so that a default that
changes gives another key.
"""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from road.data.on_disk import read_contents
from road.errors import DamagedError, DataError
from road.experiments.grid import FROM_THE_GRID, Cell
from road.experiments.making import checksum
from road.files import hash_bytes
from road.mixing.registry import RETIRED
from road.training.branch import offline_part, pretraining_plan, pretrains
from road.training.config import Plan

Kind = Literal["data", "pretraining", "cell"]
KINDS: tuple[Kind, ...] = ("data", "pretraining", "cell")
"""In the order in which they need each other."""
DIGITS = 12
"""Of the hash: among a million cells two would share one in 1 of 560 grids."""
WITHOUT_CONSEQUENCE = ("checkpoint_every",)


@dataclass(frozen=True)
class Job:
    """One piece of work; the store and the key are all that a worker needs."""

    key: str
    kind: Kind
    label: str
    needs: tuple[str, ...]
    """Keys of the jobs whose results it takes up."""
    what: dict[str, Any]
    """The plan of a run, or the words for ``road data collect``: plain data."""
    case: str = ""
    strategy: str = ""
    """Whose it is; strategies share data and pretraining."""

    @property
    def folder(self) -> str:
        """Of a grid's folder, where it leaves what it makes."""
        return {"data": "data", "pretraining": "pretrained", "cell": "runs"}[self.kind]

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def job_from_json(data: dict[str, Any]) -> Job:
    try:
        fields: dict[str, Any] = {**data, "needs": tuple(data["needs"])}
        job = Job(**fields)
    except (KeyError, TypeError) as error:
        raise DamagedError(f"a job of the grid is damaged: {error}; go on with --resume") from error
    if job.kind not in KINDS or not isinstance(data["what"], dict):
        raise DamagedError(f"job {job.key!r} of the grid is damaged; go on with --resume")
    return job


@dataclass(frozen=True)
class Work:
    """Every job of a grid, each once, and which of them is which cell."""

    jobs: tuple[Job, ...]
    cells: tuple[tuple[Cell, str], ...]
    """Each cell with its key; two cells that are the same run share one."""


def work_of(cells: Iterable[Cell], policies: Path | None = None) -> Work:
    """All the work that the cells ask for: first what others need."""
    jobs: dict[str, Job] = {}
    found: list[tuple[Cell, str]] = []
    for cell in cells:
        chain = list(chain_of(cell, policies))
        for job in chain:
            jobs.setdefault(job.key, job)
        found.append((cell, chain[-1].key))
    return Work(tuple(sorted(jobs.values(), key=lambda job: KINDS.index(job.kind))), tuple(found))


def chain_of(cell: Cell, policies: Path | None) -> Iterable[Job]:
    """The jobs that lead to a cell, itself last."""
    plan, needs = cell.plan, tuple[str, ...]()
    if cell.data is not None:
        definition = {"kind": "data", **cell.data.definition(policies)}
        key, words = hash_of(definition), cell.data.words(policies)
        what = {"words": words, "definition": definition}
        yield Job(key, "data", f"data of {cell.case}", (), what, cell.case)
        own = dataclasses.replace(plan.own, data=f"{FROM_THE_GRID}{key}")
        plan, needs = dataclasses.replace(plan, own=own), (key,)
    allowed = {"allowed": list(plan.allowed)}
    if pretrains(plan):
        first = pretraining_plan(plan)
        key = hash_of(pretraining_identity(plan))
        label = f"pretraining of {cell.case}, seed {cell.seed}"
        what = {"plan": first.to_json(), **allowed}
        yield Job(key, "pretraining", label, needs, what, cell.case)
        needs = (*needs, key)
        allowed |= {"pretrained": key}
    what = {"plan": plan.to_json(), **allowed}
    yield Job(
        hash_of(cell_identity(plan)), "cell", cell.label, needs, what, cell.case, cell.strategy
    )


def hash_of(thing: Any) -> str:
    return hash_bytes(canonical(thing).encode())[:DIGITS]


def canonical(thing: Any) -> str:
    """The same text for the same content, whatever the order of its keys."""
    return json.dumps(thing, sort_keys=True, separators=(",", ":"), allow_nan=False)


def cell_identity(plan: Plan) -> dict[str, Any]:
    """What the result of a run depends on."""
    settings = {n: v for n, v in plan.to_json().items() if n not in WITHOUT_CONSEQUENCE}
    # Cells that were run before a setting was removed keep their name.
    mixer = {**RETIRED.get(plan.mixer_name, {}), **settings["mixer"]}
    return {"kind": "cell", **with_content({**settings, "mixer": mixer})}


def pretraining_identity(plan: Plan) -> dict[str, Any]:
    """What the state at the switch depends on."""
    return {"kind": "pretraining", **with_content(offline_part(plan))}


def with_content(settings: dict[str, Any]) -> dict[str, Any]:
    """A file of data, or a stored dataset, is known by what is in it."""
    scheme, _, name = str(settings.get("own", {}).get("data", "")).partition(":")
    if scheme not in ("file", "stored"):
        return settings
    path = Path(name)
    if not path.exists():
        raise DataError(f"{path} is not there, and a case of the grid learns from it")
    found = read_contents(path)["sha256"] if scheme == "stored" else checksum(path)
    return {**settings, "own": {**settings["own"], "data": f"sha256:{found}"}}
