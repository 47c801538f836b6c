"""ONNX graphs of policies, run by the real onnxruntime: `make onnx`."""

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="it has its own environment: make onnx")
pytest.importorskip("onnxruntime", reason="it has its own environment: make onnx")

import onnxruntime

from road.errors import RoadError
from road.policies import load_policy
from road.policies import onnx as graphs
from road.policies.arrays import (
    Arrays,
    critic_arrays,
    gaussian_arrays,
    normalised,
    squashed_arrays,
)
from road.policies.file import read_policy_file, write_policy_file
from road.policies.saved import Saved
from road.policies.spaces import spaces_from

OBSERVATIONS, ACTIONS = 7, 2
RNG = np.random.default_rng(0)
SPACES = spaces_from(
    {
        "observation": {"kind": "box", "shape": [OBSERVATIONS]},
        "action": {"low": [-2.0, 0.0], "high": [2.0, 10.0], "dtype": "float32"},
    }
)
MEAN = RNG.normal(size=OBSERVATIONS).astype(np.float32)
SPREAD = RNG.uniform(0.001, 3.0, OBSERVATIONS).astype(np.float32)


def layers(*sizes: int) -> list[tuple[Any, Any]]:
    return [
        (
            RNG.normal(scale=(2.0 / before) ** 0.5, size=(before, after)).astype(np.float32),
            RNG.normal(scale=0.1, size=after).astype(np.float32),
        )
        for before, after in pairwise(sizes)
    ]


def gaussian() -> Arrays:
    arrays = gaussian_arrays(layers(OBSERVATIONS, 64, 64, ACTIONS), np.zeros(2, np.float32))
    return normalised(arrays, MEAN, SPREAD)


def squashed() -> Arrays:
    affine = np.array([0.5, -1.0], np.float32)
    return normalised(squashed_arrays(layers(OBSERVATIONS, 64, 4), affine), MEAN, SPREAD)


def critic() -> Arrays:
    arrays = critic_arrays(layers(OBSERVATIONS + ACTIONS, 64, 1))
    return normalised(arrays, MEAN, SPREAD, ACTIONS)


def pex() -> dict[str, Arrays]:
    names = {"offline": gaussian(), "online": gaussian()}
    return {**names, "critic.0": critic(), "critic.1": critic()}


KINDS: dict[str, Any] = {
    "gaussian": lambda: Saved({"": gaussian()}, SPACES, "gaussian", Path()),
    "squashed": lambda: Saved({"": squashed()}, SPACES, "squashed", Path()),
    "no hidden layer": lambda: Saved(
        {"": squashed_arrays(layers(OBSERVATIONS, 4))}, SPACES, "linear", Path()
    ),
    "composite": lambda: Saved(pex(), SPACES, "pex", Path(), sharpness=10.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_acts_as_the_policy_does(kind: str, tmp_path: Path):
    """On 1,000 observations, and on a batch of one."""
    path = write_policy_file(KINDS[kind](), tmp_path / "policy.npz")
    difference = graphs.write_onnx(read_policy_file(path), tmp_path / "policy.onnx")
    seen = (MEAN + SPREAD * RNG.normal(size=(1000, OBSERVATIONS))).astype(np.float32)
    session = onnxruntime.InferenceSession(
        tmp_path / "policy.onnx", providers=["CPUExecutionProvider"]
    )
    (found,) = session.run(None, {"observation": seen})
    expected = load_policy(path)(seen)
    box = np.array([4.0, 10.0])
    assert np.max(np.abs(found - expected) / box) < 1e-5
    assert difference < 1e-4
    (one,) = session.run(None, {"observation": seen[:1]})
    np.testing.assert_allclose(one, expected[:1], atol=1e-4)
    assert np.ptp(found, axis=0).min() > 0.1


def test_both_proposals_of_a_composite_policy_are_taken(tmp_path: Path):
    """Otherwise the graph above would be that of one policy."""
    saved = KINDS["composite"]()
    network = saved.network()
    seen = (MEAN + SPREAD * RNG.normal(size=(1000, OBSERVATIONS))).astype(np.float32)
    offline = (network.act(seen) == network.offline.act(seen)).all(axis=1).mean()
    assert 0.05 < offline < 0.95
    del tmp_path


def test_a_graph_that_differs_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(graphs, "LEAST_SCALE", 1.0)
    with pytest.raises(RoadError, match="differs from the policy"):
        graphs.write_onnx(KINDS["gaussian"](), tmp_path / "policy.onnx")
    assert not (tmp_path / "policy.onnx").exists()


def test_the_command_writes_what_onnxruntime_can_run(tmp_path: Path, capsys: Any):
    """From a run folder, whose checkpoint holds arrays with weights of inputs first."""
    from road.cli import main

    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").write_text(json.dumps({"task": "t", "online_steps": 1}))
    assert main(["export", "onnx", str(tmp_path / "run"), str(tmp_path / "p.onnx")]) == 2
    assert "holds no checkpoint" in capsys.readouterr().err
    assert main(["export", "onnx", str(tmp_path / "run"), str(tmp_path / "p.bin")]) == 2
    assert "ends in .onnx" in capsys.readouterr().err
    assert sys.modules["onnx"] is not None
