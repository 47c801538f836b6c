"""R_q as real runs recorded it, kept beside the code so that the bandit study needs no training.

``recorded.json`` holds nine runs of the default task, three seeds each of three agents:

    road train --agent iql --seed 0 --threads 1        and so on

``collect`` made it of their run folders. Credits are rounded to five digits.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Record:
    """Which ratio each period of a run had, and what it was credited with."""

    agent: str
    seed: int
    ratios: tuple[float, ...]
    credits: tuple[float, ...]


def collect(folders: Iterable[Path]) -> dict[str, Any]:
    """The records of finished runs, as they are stored."""
    return {"runs": [collect_one(folder) for folder in folders]}


def collect_one(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    lines = (folder / "mixer.jsonl").read_text("utf-8").splitlines()
    periods = [period for period in map(json.loads, lines) if period["credit"] is not None]
    return {
        "agent": config["agent"]["name"],
        "seed": config["seed"],
        "ratios": [period["credited_ratio"] for period in periods],
        "credits": [float(f"{period['credit']:.5g}") for period in periods],
    }


def recorded_runs() -> list[Record]:
    stored = json.loads((files("road.theory") / "recorded.json").read_text("utf-8"))
    return [
        Record(run["agent"], run["seed"], tuple(run["ratios"]), tuple(run["credits"]))
        for run in stored["runs"]
    ]


def filled(record: Record, arms: tuple[float, ...]) -> Float[np.ndarray, "period arm"]:
    """What every arm would have paid, as far as one run can say.

    A run pulls one arm per period. Between two pulls of an arm its credit is taken to move on a
    straight line, before the first and after the last to stand still.
    """
    ratios, credits = np.array(record.ratios), np.array(record.credits)
    time = np.arange(len(ratios))
    return np.stack(
        [np.interp(time, time[ratios == arm], credits[ratios == arm]) for arm in arms], -1
    )
