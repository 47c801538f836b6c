"""Environments and data behind one border: the only room that knows their names."""

from road.data.dataset import Dataset
from road.tasks.catalogue import DEFAULT_TASK, TASKS, find_task
from road.tasks.scores import ScoreReference
from road.tasks.task import Environment, Task
from road.tasks.transforms import Affine

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
