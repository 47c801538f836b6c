"""Fine-tuning on a new log in the place of an environment: what such a run is made of.

The agent is that of another run, the new rows arrive in the order of the log as the online source,
and all that was logged before is the offline source. Nothing is rolled out: no return is measured.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from road.data.dataset import Dataset
from road.errors import UsageError
from road.records.folder import CONFIG, read_run_file
from road.records.interface import read_interface
from road.tasks.catalogue import find_custom_task
from road.tasks.custom import TaskOverrides, custom_task
from road.tasks.datasets import read_dataset
from road.tasks.task import Environment, Task
from road.tasks.wrappers import Box, Standardiser


@dataclass(frozen=True)
class NewLog:
    """Where the rows are, and how to read them as the environment's own."""

    data: str
    """Source of the new rows."""
    parent: str
    """Run folder whose agent is trained further."""
    best: bool = False
    """Whether that is the agent of the run's best evaluation instead of the newest one."""
    earlier: tuple[str, ...] = ()
    """New logs of earlier rounds, which are a part of the offline data now."""
    listed: bool = True
    """Whether the task is a listed one; else it is only known by its data."""
    unit: bool = False
    """Whether actions in these sources are in [-1, 1] where they do not say so themselves."""
    spaces: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the parent knew of its environment: observations, normaliser and box of actions."""

    @property
    def box(self) -> Box:
        action = self.spaces["action"]
        return np.array(action["low"], np.float64), np.array(action["high"], np.float64)

    def read(self, source: str, mend: Callable[[Dataset], Dataset]) -> Dataset:
        """Rows of a new log, standardised as those of the parent were."""
        box = None if self.unit else lambda: self.box
        dataset, scale = read_dataset(source, mend, box), self.spaces.get("normaliser")
        self.check_widths(source, dataset)
        if scale is None:
            return dataset
        mean, spread = (np.array(scale[name], np.float32) for name in ("mean", "spread"))
        standardise = Standardiser(mean, spread)
        return replace(
            dataset,
            observation=standardise(dataset.observation),
            next_observation=standardise(dataset.next_observation),
        )

    def check_widths(self, source: str, dataset: Dataset) -> None:
        found = dataset.observation.shape[1], dataset.action.shape[1]
        wanted = self.observations or found[0], len(self.box[0])
        if found != wanted:
            raise UsageError(
                f"{source} has {found[0]} observations and {found[1]} actions a row, the run's own "
                f"data {wanted[0]} and {wanted[1]}"
            )

    @property
    def observations(self) -> int | None:
        """Numbers of an observation, where they are standardised; else the data say so."""
        scale = self.spaces.get("normaliser")
        return None if scale is None else len(scale["mean"])


def task_on_log(name: str, own: TaskOverrides, log: NewLog) -> Task:
    """The parent's task without its environment, on all that was logged before."""
    if log.listed:
        task = find_custom_task(name, own)
    else:
        assert own.data is not None  # checked where the run began
        box = None if own.action_units == "unit" else lambda: log.box
        read = partial(read_dataset, own.data, lambda dataset: dataset, box)
        task = custom_task(name, no_environment, read, own)
    mend, read_old = task.mend, task.dataset
    return replace(
        task,
        dataset=lambda: concatenate([read_old(), *(log.read(each, mend) for each in log.earlier)]),
        environment=no_environment,
        judge=None,
    )


def no_environment() -> Environment:
    raise UsageError("this run was trained on a log: it has no environment to be judged in")


def concatenate(parts: list[Dataset]) -> Dataset:
    if len(parts) == 1:
        return parts[0]
    names = parts[0].arrays()
    arrays = {name: np.concatenate([part.arrays()[name] for part in parts]) for name in names}
    return Dataset(**arrays, notes=tuple(note for part in parts for note in part.notes))


def log_of(parent: Path, data: str, *, best: bool, unit: bool) -> NewLog:
    """The next round after a run."""
    config, described = read_run_file(parent, CONFIG), read_interface(parent)
    spaces = {name: described[name] for name in ("observation", "normaliser", "action")}
    before: Mapping[str, Any] = config.get("log", {})
    earlier = (*before.get("earlier", ()), before["data"]) if before else ()
    custom = "given" in config or "env" in config.get("own", {})
    return NewLog(
        data=data,
        parent=str(parent.resolve()),
        best=best,
        earlier=earlier,
        listed=before.get("listed", not custom),
        unit=unit,
        spaces=spaces,
    )
