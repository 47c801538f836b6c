"""The policy of a real run folder: the newest one and the best one."""

import json
from pathlib import Path

import numpy as np

import road
from road.training.checkpoint import checkpoints


def test_a_run_has_its_newest_policy_and_its_best(tiny_run: Path):
    policy, best = road.load_policy(tiny_run), road.load_policy(tiny_run, best=True)
    assert repr(policy).startswith("Policy(iql on pendulum-flipped, 120 offline, 260 online steps")
    newest = checkpoints(tiny_run / "checkpoints")[-1]
    counters = json.loads((newest / "state.json").read_text())["counters"]
    assert counters["best_position"] < 380, "the best one is the newest: this shows nothing"
    assert f"{counters['best_position'] - 120} online steps" in repr(best)
    seen = np.array([0.5, 0.5, 1.0])
    assert policy(seen).shape == (1,)
    assert not np.array_equal(best(seen), policy(seen))
