"""R_q as training runs recorded it, and bandits that are replayed on it.

``recorded.json`` holds nine runs of the default task, three seeds each of three agents, so that
the bandit study needs no training:

    road train --agent iql --seed 0 --threads 1        and so on

``collect`` wrote it from their run folders. Credits are rounded to five digits. On the chain every
arm has a run of its own.

A bandit receives the credits that one run recorded, and its regret is computed with the mean of the
*other* runs of its kind: so it gains by what holds beyond that run, and not by its noise. Regret is
in units of the regret of a uniform choice.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from road.mixing import SlidingWindowUCB, informedness
from road.mixing.mixture import PAPER_ARMS
from road.records.journal import read_rows
from road.records.reader import of_main_learner
from road.theory.bandits import (
    Bandit,
    Means,
    UniformChoice,
    best_single_arm,
    dynamic_regret,
    play,
)
from road.theory.chain import DATA, DEMO, DataQuality, Run, learn
from road.theory.credits import surrogate_values
from road.theory.samples import Numbers, generator, interval

EVERY = 10
"""Online steps of the chain per recorded period."""


@dataclass(frozen=True)
class Record:
    """The offline ratio and the credit of each period of a run."""

    agent: str
    seed: int
    ratios: tuple[float, ...]
    credits: tuple[float, ...]


def collect(folders: Iterable[Path]) -> dict[str, Any]:
    """The records of finished runs, as they are stored."""
    return {"runs": [collect_one(folder) for folder in folders]}


def collect_one(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    rows = read_rows(folder / "mixer.jsonl")
    periods = [period for period in of_main_learner(rows) if period["credit"] is not None]
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


def interpolate_credits(record: Record, arms: tuple[float, ...]) -> Float[np.ndarray, "period arm"]:
    """The credit of every arm in every period, interpolated from one run.

    A run pulls one arm per period. Between two pulls of an arm its credit is interpolated linearly;
    before the first and after the last it is constant.
    """
    ratios, credits = np.array(record.ratios), np.array(record.credits)
    time = np.arange(len(ratios))
    return np.stack(
        [np.interp(time, time[ratios == arm], credits[ratios == arm]) for arm in arms], -1
    )


def make_bandits(seed: int) -> Mapping[str, Bandit]:
    arms = len(PAPER_ARMS)
    return {
        "ROAD (c = 2)": SlidingWindowUCB(arms),
        "standardised": SlidingWindowUCB(arms, 2.0, None, "standardised"),
        "standardised, c = 0.1": SlidingWindowUCB(arms, 0.1, None, "standardised"),
        "the same, window 25": SlidingWindowUCB(arms, 0.1, 25, "standardised"),
        "uniform": UniformChoice(arms, seed),
    }


def replay_chain(repetitions: int, seed: int) -> Numbers:
    return {quality: replay([chain_credits(quality, repetitions, seed)]) for quality in DATA}


def replay_training_runs() -> Numbers:
    """All agents together; each run is compared with those of its own agent."""
    groups = [list(runs) for _, runs in groupby(recorded_runs(), key=lambda run: run.agent)]
    stacks = [np.stack([interpolate_credits(run, PAPER_ARMS) for run in runs]) for runs in groups]
    return {**replay(stacks), "runs": [describe(run) for runs in groups for run in runs]}


def describe(run: Record) -> Numbers:
    """The library's own test of whether the credits of a run differ between its arms."""
    found = informedness(run.ratios, run.credits)
    ratios, credits = np.array(run.ratios), np.array(run.credits)
    return {
        "agent": run.agent,
        "seed": run.seed,
        "mean_credit": {ratio: credits[ratios == ratio].mean() for ratio in PAPER_ARMS},
        "counts": found.counts,
        "detrended_p": found.detrended_p,
        "eta_squared": found.detrended_eta_squared,
    }


def replay(stacks: list[np.ndarray]) -> Numbers:
    """Every bandit on every run; a stack holds runs of one kind, by period and arm."""
    regret: dict[str, list[float]] = {}
    pulls: dict[str, list[list[int]]] = {}
    for stack in stacks:
        for index, (run, means) in enumerate(zip(stack, mean_of_others(stack), strict=True)):
            chosen = {name: play(bandit, run) for name, bandit in make_bandits(index).items()}
            chosen["best single arm"] = best_single_arm(means)
            for name, arms in chosen.items():
                regret.setdefault(name, []).append(relative_regret(means, arms))
                pulls.setdefault(name, []).append(arms)
    return {
        "regret": {name: interval(np.array(values)) for name, values in regret.items()},
        "pulls": {name: pull_shares(runs) for name, runs in pulls.items()},
        "spread_within_arm": np.mean([stack.std(0).mean() for stack in stacks]),
        "spread_between_arms": np.mean([stack.mean(0).std(1).mean() for stack in stacks]),
    }


def mean_of_others(stack: np.ndarray) -> np.ndarray:
    """For each run, the mean of all runs but itself."""
    return (stack.sum(0) - stack) / (len(stack) - 1)


def relative_regret(means: Means, arms: list[int]) -> float:
    """Regret against the oracle, divided by that of a uniform choice."""
    uniform = (means.max(1) - means.mean(1)).sum()
    return float(dynamic_regret(means, arms)[-1] / uniform)


def pull_shares(runs: list[list[int]]) -> np.ndarray:
    """The share of each arm in all pulls."""
    arms = np.concatenate([np.array(run) for run in runs])
    return np.bincount(arms, minlength=len(PAPER_ARMS)) / len(arms)


def chain_credits(quality: DataQuality, repetitions: int, seed: int) -> np.ndarray:
    """R_q per repetition, period and arm; one run for each arm at its fixed ratio."""
    runs = [Run(DEMO, quality, arm) for _ in range(repetitions) for arm in PAPER_ARMS]
    curves = learn(runs, generator(seed, f"recorded {quality}"), EVERY)
    credits = surrogate_values(curves.offline_advantage.T, curves.online_advantage.T)
    shaped = credits.reshape(repetitions, len(PAPER_ARMS), -1)
    return np.swapaxes(shaped, 1, 2)
