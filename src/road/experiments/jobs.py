"""From cells to work: data to make, agents to pretrain, cells to run; and what needs what."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from road.experiments.grid import FROM_THE_GRID, Cell
from road.experiments.identity import cell_identity, hash_of, pretraining_identity
from road.training.config import Plan
from road.training.switch import pretraining_plan, pretrains

Kind = Literal["data", "pretraining", "cell"]
KINDS: tuple[Kind, ...] = ("data", "pretraining", "cell")
"""In the order in which they need each other."""


@dataclass(frozen=True)
class Job:
    """One piece of work. Whoever has the store and the key can do it."""

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
    fields: dict[str, Any] = {**data, "needs": tuple(data["needs"])}
    return Job(**fields)


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
    yield Job(key_of(plan), "cell", cell.label, needs, what, cell.case, cell.strategy)


def key_of(plan: Plan) -> str:
    return hash_of(cell_identity(plan))
