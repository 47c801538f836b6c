"""Environments and their data: the only package that knows them by name."""

from road.data.dataset import Dataset
from road.tasks.catalogue import DEFAULT_TASK, TASKS, find_task
from road.tasks.task import Affine, Environment, ScoreReference, Task

__all__ = [
    "DEFAULT_TASK",
    "TASKS",
    "Affine",
    "Dataset",
    "Environment",
    "ScoreReference",
    "Task",
    "find_task",
]
