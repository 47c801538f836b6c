"""A grid: a question as data. Cases times strategies times seeds, multiplied out to cells.

A user's own grid is a Python file that builds one of these and calls it ``GRID``.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from road.errors import UsageError
from road.experiments.making import Collected
from road.names import find_name
from road.tasks.custom import TaskOverrides
from road.training.config import Plan, RunConfig, changed_config, default_plan

Settings: TypeAlias = Mapping[str, Any]
"""Fields of a dataclass that are to be otherwise than its defaults."""
FROM_THE_GRID = "grid:"
"""Data that the grid makes, until it is known where that lies."""


@dataclass(frozen=True)
class Setting:
    """Where the knob of a family of cases stands; a report draws a family along its settings."""

    family: str
    knob: str
    value: float
    identical: float
    """The value at which nothing is otherwise; a family is drawn by the distance from it."""


@dataclass(frozen=True)
class Case:
    """A row of the table: a task, and what is otherwise in it than usual."""

    label: str
    task: str | None = None
    """Of ``road list tasks``; None takes the label, or the environment in ``own``."""
    run: Settings = field(default_factory=dict[str, Any])
    """Fields of ``RunConfig``."""
    agent: Settings = field(default_factory=dict[str, Any])
    """Fields of the agent."""
    agent_name: str | None = None
    """Of ``road list agents``; None takes the grid's."""
    mixers: Mapping[str, Settings] = field(default_factory=dict[str, Settings])
    """By mixer, fields of it; a strategy may say otherwise."""
    own: Settings = field(default_factory=dict[str, Any])
    """Fields of ``TaskOverrides``: an environment or data of one's own, a reward's scale."""
    data: Collected | None = None
    """Data that the grid makes first; None takes the task's own, or that in ``own``."""
    allow_import: tuple[str, ...] = ()
    """Modules that its environment may import."""
    setting: Setting | None = None
    """Of a family of cases that differ by a knob: which of them this is."""


@dataclass(frozen=True)
class Strategy:
    """A column of the table: a mixer, and what is otherwise in it than usual."""

    label: str
    mixer: str
    settings: Settings = field(default_factory=dict[str, Any])
    """Fields of the mixer."""
    run: Settings = field(default_factory=dict[str, Any])
    """Fields of ``RunConfig`` that go with it, such as its period."""


@dataclass(frozen=True)
class Cell:
    """One run of a grid. Its labels say where it stands, its plan and its data what it is."""

    case: str
    strategy: str
    seed: int
    plan: Plan
    data: Collected | None

    @property
    def label(self) -> str:
        return f"{self.case}, {self.strategy}, seed {self.seed}"


@dataclass(frozen=True)
class Grid:
    """A question: every case with every strategy, several times over."""

    name: str
    cases: tuple[Case, ...]
    strategies: tuple[Strategy, ...]
    agent: str = "iql"
    seeds: tuple[int, ...] = (0, 1, 2, 3)
    run: Settings = field(default_factory=dict[str, Any])
    """Fields of ``RunConfig`` for every cell; a case, then a strategy, may say otherwise."""
    agent_settings: Settings = field(default_factory=dict[str, Any])
    on_request: tuple[str, ...] = ()
    """Cases that are run only if they are asked for by their labels."""
    about: str = ""
    """One sentence for the list of grids."""
    subject: str = "ROAD"
    """The strategy that a report is about, unless ``--subject`` names another."""

    def __post_init__(self) -> None:
        for what, labels in (
            ("case", [case.label for case in self.cases]),
            ("strategy", [strategy.label for strategy in self.strategies]),
            ("seed", [str(seed) for seed in self.seeds]),
        ):
            if not labels:
                raise UsageError(f"grid {self.name!r} has no {what}")
            alike = [label.lower() for label in labels]  # on the command line case does not count
            if twice := sorted({label for label in labels if alike.count(label.lower()) > 1}):
                raise UsageError(f"grid {self.name!r} has the {what} {twice[0]!r} twice")

    def part(
        self, cases: Sequence[str] = (), strategies: Sequence[str] = (), seeds: Sequence[int] = ()
    ) -> "Grid":
        """The grid of some labels and seeds; of all, where none are named."""
        usual = tuple(case for case in self.cases if case.label not in self.on_request)
        return dataclasses.replace(
            self,
            cases=pick(self.cases, cases, "case") or usual or self.cases,
            strategies=pick(self.strategies, strategies, "strategy") or self.strategies,
            seeds=tuple(seeds) or self.seeds,
            on_request=(),
        )

    @property
    def size(self) -> int:
        """How many cells it has."""
        return len(self.cases) * len(self.strategies) * len(self.seeds)

    def cells(self) -> list[Cell]:
        """Case by case, strategy by strategy, seed by seed."""
        return [
            Cell(case.label, strategy.label, seed, self.plan(case, strategy, seed), case.data)
            for case in self.cases
            for strategy in self.strategies
            for seed in self.seeds
        ]

    def plan(self, case: Case, strategy: Strategy, seed: int) -> Plan:
        """What ``road train`` would be asked to do."""
        try:
            own: dict[str, Any] = {**case.own, **absolute_source(case.own.get("data"))}
            if case.data is not None:
                own["data"] = FROM_THE_GRID
            task = case.task or own.get("env") or case.label
            base = default_plan(
                task, case.agent_name or self.agent, strategy.mixer, TaskOverrides(**own)
            )
            mixer = {**case.mixers.get(strategy.mixer, {}), **strategy.settings}
            return dataclasses.replace(
                base,
                agent=dataclasses.replace(base.agent, **{**self.agent_settings, **case.agent}),
                mixer=dataclasses.replace(base.mixer, **mixer),  # pyright: ignore[reportArgumentType] -- every mixer is a dataclass
                config=run_settings(base, {**self.run, **case.run, **strategy.run, "seed": seed}),
                allowed=case.allow_import,
            )
        except (TypeError, ValueError, UsageError) as error:
            where = f"grid {self.name!r}, {case.label!r} with {strategy.label!r}"
            raise UsageError(f"{where}: {error}") from error


def absolute_source(data: Any) -> dict[str, str]:
    """A path is written down whole: a run is continued, a worker runs, in other folders."""
    if not isinstance(data, str | None):
        raise TypeError(f"data is a source such as 'file:log.hdf5', not {data!r}")
    scheme, _, path = (data or "").partition(":")
    if scheme not in ("file", "stored"):
        return {}
    return {"data": f"{scheme}:{Path(path).expanduser().absolute()}"}


def run_settings(base: Plan, run: Settings) -> RunConfig:
    """The run's settings; what the agent's recipe has no use for is left out."""
    pretrained = base.recipe.offline is not None
    return changed_config(base, {**run, **({} if pretrained else {"offline_steps": 0})})


def pick(things: tuple[Any, ...], labels: Sequence[str], kind: str) -> tuple[Any, ...]:
    """Those of the labels, whatever their case, in the order in which they were named."""
    known = {thing.label.lower(): thing for thing in things}
    return tuple(find_name(label.lower(), known, kind) for label in dict.fromkeys(labels))
