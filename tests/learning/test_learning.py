"""Whole runs that must learn something: minutes, run by ``make slow``."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from road.agents.recipes import AGENTS
from road.mixing import FixedMixer
from road.training.config import Plan, default_plan
from road.training.launch import start_run

pytestmark = pytest.mark.slow


def scores(plan: Plan, folder: Path, seed: int) -> list[float]:
    """Scores of the online evaluations, the pretrained agent's first."""
    config = dataclasses.replace(plan.config, seed=seed)
    start_run(dataclasses.replace(plan, config=config), folder, "test", lambda _: None)
    rows = map(json.loads, (folder / "evaluations.jsonl").read_text().splitlines())
    return [row["score"] for row in rows if row["phase"] == "online"]


@pytest.mark.parametrize("agent", AGENTS)
def test_fine_tuning_beats_pretraining_on_the_default_task(agent: str, tmp_path: Path):
    """As ``python -m benchmarks.learning`` records it; RLPD begins untrained, WSRL near the end."""
    plan = default_plan(agent_name=agent)
    runs = [scores(plan, tmp_path / str(seed), seed) for seed in range(3)]
    before = np.mean([run[0] for run in runs])
    after = np.mean([run[-2:] for run in runs])
    assert after - before > min(10.0, (100.0 - before) / 2), runs


def test_a_small_ratio_is_right_where_the_data_misleads(tmp_path: Path):
    plan = default_plan("pendulum-flipped", "iql", "fixed")
    mean = {}
    for ratio in (0.0, 0.9):
        chosen = dataclasses.replace(plan, mixer=FixedMixer(ratio))
        runs = [scores(chosen, tmp_path / f"{ratio}-{seed}", seed) for seed in range(2)]
        mean[ratio] = np.mean([np.mean(run[-2:]) for run in runs])
    assert mean[0.0] > mean[0.9] + 15.0, mean
