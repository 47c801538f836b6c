"""Each task that makes its own data, with its dataset and its environment."""

import importlib.util
from collections.abc import Iterator

import pytest

from road.tasks import TASKS, Dataset, Environment, Task

ROBOTICS = importlib.util.find_spec("gymnasium_robotics") is not None


EMBEDDED = [name for name, task in TASKS.items() if task.source is None]
"""Tasks that make their own data."""


@pytest.fixture(scope="module", params=EMBEDDED)
def task(request: pytest.FixtureRequest) -> Task:
    task = TASKS[request.param]
    if task.family == "pointmaze" and not ROBOTICS:
        pytest.skip("gymnasium-robotics is not installed")
    return task


@pytest.fixture(scope="module")
def dataset(task: Task) -> Dataset:
    return task.dataset()


@pytest.fixture(scope="module")
def environment(task: Task) -> Iterator[Environment]:
    environment = task.environment()
    yield environment
    environment.close()
