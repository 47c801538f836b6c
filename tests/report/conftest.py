"""Run folders as the trainer writes them, made up in a few milliseconds."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from road.mixing import (
    Controller,
    DecreasingMixer,
    FixedMixer,
    RoadMixer,
    UniformMixer,
    ValidatedMixer,
)

STEPS = 10_000
PERIOD = 200
MIXERS = {
    "road": RoadMixer(),
    "fixed": FixedMixer(0.5),
    "uniform": UniformMixer(),
    "decreasing": DecreasingMixer(),
}
MIXER_SETTINGS = {
    "road": {
        "name": "road",
        "arms": [0.1, 0.2, 0.3, 0.4, 0.5],
        "overestimation_penalty": 1.0,
        "exploration": 2.0,
        "window": 1000,
        "scale": "raw",
    },
    "fixed": {"name": "fixed", "offline_ratio": 0.5},
    "uniform": {"name": "uniform", "arms": [0.1, 0.2, 0.3, 0.4, 0.5]},
    "decreasing": {"name": "decreasing", "start": 0.5, "end": 0.1},
}

WriteRun = Callable[..., Path]


@pytest.fixture
def write_run(tmp_path: Path) -> WriteRun:
    """Make a run folder: 10 offline evaluations, 11 online ones, 50 periods, a dip, 5 arms."""

    def write(folder: str = "run", mixer: str = "road", seed: int = 0, **changes: Any) -> Path:
        return write_synthetic(tmp_path / folder, mixer, seed, **changes)

    return write


@pytest.fixture
def write_probed(tmp_path: Path) -> WriteRun:
    """The same with a mixer that follows probes, whose log errors grow by ``slope`` per unit of m.

    The observed return is known in every third period.
    """

    def write(folder: str = "run", slope: float = 0.0, **settings: Any) -> Path:
        mixer = ValidatedMixer(**{"interval": PERIOD, **settings})
        named = {"name": "validated", **json.loads(json.dumps(asdict(mixer)))}
        made = write_synthetic(tmp_path / folder, "fixed", config={"mixer": named})
        write_rows(made / "mixer.jsonl", probed(mixer, slope))
        return made

    return write


def probed(mixer: ValidatedMixer, slope: float) -> Iterable[dict[str, Any]]:
    rng, controller = np.random.default_rng(0), Controller(mixer)
    for index in range(STEPS // PERIOD):
        level = np.exp(slope * np.array(mixer.ratios) + rng.normal(0, 0.1, len(mixer.ratios)))
        if index % 3 == 2:
            controller.observe_errors(2.0 * level, judge="return")
        controller.observe_errors(np.tile(level, (mixer.interval, 1)))
        period = controller.history[-1]
        ratio = period.offline_ratio
        yield {
            **period.as_row(),
            "step": (index + 1) * PERIOD,
            "steps": PERIOD,
            "realised_ratio": ratio,
        }


def write_synthetic(
    folder: Path,
    mixer: str = "road",
    seed: int = 0,
    *,
    arm_effect: float = 0.0,
    gain: float = 24.0,
    config: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Path:
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    write_json(folder / "config.json", {**settings(mixer, seed), **(config or {})})
    write_json(folder / "meta.json", {**origin(folder.name, mixer, seed), **(meta or {})})
    write_rows(folder / "evaluations.jsonl", evaluations(rng, gain))
    write_rows(folder / "mixer.jsonl", periods(rng, mixer, seed, arm_effect))
    write_rows(folder / "metrics.jsonl", metrics(rng))
    write_rows(folder / "episodes.jsonl", episodes(rng))
    return folder


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def settings(mixer: str, seed: int) -> dict[str, Any]:
    return {
        "format": 1,
        "task": "pointmaze-umaze-random",
        "seed": seed,
        "agent": {
            "name": "iql",
            "hidden": [64, 64],
            "discount": 0.99,
            "expectile": 0.9,
            "inverse_temperature": 10.0,
            "learning_rate": 3e-4,
            "target_rate": 0.005,
        },
        "mixer": MIXER_SETTINGS[mixer],
        "offline_steps": STEPS,
        "online_steps": STEPS,
        "batch_size": 128,
        "period": PERIOD,
        "evaluate_every": 1000,
        "evaluation_episodes": 20,
    }


def origin(name: str, mixer: str, seed: int) -> dict[str, Any]:
    return {
        "format": 1,
        "name": name,
        "command": f"road train pointmaze-umaze-random --agent iql --mixer {mixer} --seed {seed}",
        "versions": {"road": "0.1.0", "python": "3.11.7", "jax": "0.10.0", "numpy": "2.4.6"},
        "machine": {"system": "Linux", "cores": 2},
    }


def evaluation(phase: str, step: int, score: float) -> dict[str, Any]:
    success = float(np.clip(score / 100, 0, 1))
    return {
        "phase": phase,
        "step": step,
        "score": 100 * success,
        "return_mean": success,
        "return_std": float(np.sqrt(success * (1 - success))),
        "length_mean": 180 - 100 * success,
        "episodes": 20,
    }


def evaluations(rng: np.random.Generator, gain: float) -> Iterable[dict[str, Any]]:
    steps = np.arange(1000, STEPS + 1, 1000)
    for step in steps:
        score = 67 * (1 - np.exp(-step / 2500)) + rng.normal(0, 2.5)
        yield evaluation("offline", int(step), float(score))
    for step in [0, *steps]:
        dip = 24 * np.exp(-(((step - 1500) / 1300) ** 2))
        score = 66 + gain * (1 - np.exp(-step / 4500)) - dip + rng.normal(0, 2.0)
        yield evaluation("online", int(step), float(score))


def periods(
    rng: np.random.Generator, mixer: str, seed: int, arm_effect: float
) -> Iterable[dict[str, Any]]:
    count = STEPS // PERIOD
    controller = Controller(MIXERS[mixer], seed=seed, total_periods=count)
    for index in range(count):
        ratio = controller.offline_ratio
        progress = index / count
        offline = 0.05 + 0.09 * progress + arm_effect * ratio + rng.normal(0, 0.02)
        online = 0.09 * np.exp(-3 * progress) + rng.normal(0, 0.015)
        controller.end_period(offline_advantage=float(offline), online_advantage=float(online))
        yield {
            **controller.history[-1].as_row(),
            "step": (index + 1) * PERIOD,
            "steps": PERIOD,
            "realised_ratio": float(np.clip(ratio + rng.normal(0, 0.002), 0, 1)),
        }


def metrics(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
    for phase in ("offline", "online"):
        for step in range(100, STEPS + 1, 100):
            t = step / STEPS if phase == "offline" else 1 + step / STEPS
            yield {
                "phase": phase,
                "step": step,
                "critic/loss": float(0.4 * np.exp(-2 * t) + 0.03 + abs(rng.normal(0, 0.02))),
                "critic/mean": float(-44 * (1 - np.exp(-2.5 * t)) + rng.normal(0, 0.6)),
                "value/loss": float(0.2 * np.exp(-3 * t) + 0.01 + abs(rng.normal(0, 0.01))),
                "actor/loss": float(1.2 - 0.6 * t + rng.normal(0, 0.05)),
                "actor/weight": float(2 + 4 * t + rng.normal(0, 0.4)),
            }


def episodes(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
    step = 0
    while step < STEPS:
        won = bool(rng.random() < 0.5 + 0.4 * step / STEPS)
        length = int(rng.integers(40, 120)) if won else 300
        step += length
        if step <= STEPS:
            yield {"step": step, "return": float(won), "length": length, "terminated": won}
