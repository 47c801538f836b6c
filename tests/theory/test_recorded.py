"""Recorded credits: storage, interpolation and replay."""

import json
from pathlib import Path

import numpy as np
import pytest

from road.mixing.mixture import PAPER_ARMS
from road.theory.chain import DEMO, Run, learn
from road.theory.recorded import (
    EVERY,
    Record,
    chain_credits,
    collect,
    interpolate_credits,
    mean_of_others,
    recorded_runs,
    relative_regret,
)
from road.theory.samples import generator


def test_nine_runs_are_kept_and_each_pulled_every_arm():
    runs = recorded_runs()
    assert {(run.agent, run.seed) for run in runs} == {
        (agent, seed) for agent in ("iql", "pex", "awac") for seed in range(3)
    }
    for run in runs:
        assert len(run.ratios) == len(run.credits) > 40
        assert set(run.ratios) == set(PAPER_ARMS)


def test_what_a_run_folder_holds_is_collected(tmp_path: Path):
    """Each credit goes to the ratio that it is about; a period without a credit is left out."""
    config = {"agent": {"name": "iql"}, "seed": 4, "online_steps": 400}
    (tmp_path / "config.json").write_text(json.dumps(config))
    measured = [(0.5, None, None), (0.3, 0.1, 1.2345678), (0.5, 0.5, -2.0)]
    names = ("offline_ratio", "credited_ratio", "credit")
    periods = [dict(zip(names, each, strict=True)) for each in measured]
    (tmp_path / "mixer.jsonl").write_text("".join(json.dumps(each) + "\n" for each in periods))
    assert collect([tmp_path]) == {
        "runs": [{"agent": "iql", "seed": 4, "ratios": [0.1, 0.5], "credits": [1.2346, -2.0]}]
    }


def test_between_two_pulls_an_arm_moves_on_a_straight_line():
    """Arm 0.1 paid 1 in period 0 and 3 in period 2; arm 0.5 paid 7 in period 1 only."""
    record = Record("iql", 0, (0.1, 0.5, 0.1, 0.1), (1.0, 7.0, 3.0, 3.0))
    np.testing.assert_allclose(
        interpolate_credits(record, (0.1, 0.5)), [[1.0, 7.0], [2.0, 7.0], [3.0, 7.0], [3.0, 7.0]]
    )


def test_a_run_is_compared_with_the_others():
    stack = np.array([1.0, 2.0, 6.0]).reshape(3, 1, 1)
    np.testing.assert_allclose(mean_of_others(stack).ravel(), [4.0, 3.5, 1.5])


def test_a_uniform_choice_has_a_relative_regret_of_one():
    """Taking turns between the better and the worse arm is a uniform choice."""
    means = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    assert relative_regret(means, [0, 0, 1, 0]) == pytest.approx(1.0)
    assert relative_regret(means, [0, 1, 0, 0]) == 0.0


def test_the_chains_credits_are_kept_apart_by_arm():
    """The runs of one repetition stand side by side, one for each arm: R_q is their difference."""
    credits = chain_credits("low", 2, 0)
    runs = [Run(DEMO, "low", arm) for _ in range(2) for arm in PAPER_ARMS]
    curves = learn(runs, generator(0, "recorded low"), EVERY)
    both = curves.offline_advantage - curves.online_advantage
    assert credits.shape == (2, 100, 5)
    for repetition, arm in np.ndindex(2, 5):
        np.testing.assert_allclose(credits[repetition, :, arm], both[:, 5 * repetition + arm])
