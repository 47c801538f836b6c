"""A tiny run on a task that needs no MuJoCo, and the command line."""

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from road.agents.iql import IQL
from road.mixing import RoadMixer
from road.training.config import Plan, RunConfig
from road.training.launch import start_run

TINY = RunConfig(
    seed=3,
    offline_steps=120,
    online_steps=260,
    batch_size=16,
    period=40,
    measure_batch=32,
    evaluate_every=100,
    evaluation_episodes=2,
    log_every=10,
    checkpoint_every=70,
)


def tiny_plan(**changes: Any) -> Plan:
    return Plan(
        task_name="pendulum-flipped",
        agent_name="iql",
        agent=IQL(hidden=(16, 16), learning_rate=1e-3, discount=0.98),
        mixer_name="road",
        mixer=RoadMixer(exploration=0.1, scale="standardised"),
        config=dataclasses.replace(TINY, **changes),
    )


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole run with the tiny plan, for tests that only read it."""
    folder = tmp_path_factory.mktemp("tiny") / "run"
    start_run(tiny_plan(), folder, "test", lambda _: None)
    return folder


Road = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def road() -> Road:
    """The command line in a process of its own."""

    def call(*words: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "road.cli", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
            **options,
        )

    return call
