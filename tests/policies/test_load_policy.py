"""A policy in NumPy: the same actions as the agent's, from whichever run folder it comes."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium import spaces
from tests.contracts.test_agents import AGENT_LIST
from tests.policies.conftest import SPACES, SPEC, observations, standardised, write_run

import road
from road.agents.iql import IQL
from road.agents.pex import PEX
from road.agents.sac import SAC
from road.agents.xql import XQL
from road.errors import DamagedError, DataError, StorageError, UsageError
from road.mixing import Controller, RoadMixer
from road.policies.file import write_policy_file
from road.policies.saved import read_saved
from road.policies.spaces import Spaces
from road.policies.weights import read_weights
from road.records.folder import INTERFACE
from road.tasks.spaces import describe_space
from road.training.compiled import compile_agent
from road.training.interface import layout_of
from road.types import AnyAgent

POLICIES = {**AGENT_LIST, "xql": XQL(hidden=(16, 16)), "no hidden layer": SAC(hidden=())}
LOW, HIGH = np.array([-2.0, 0.0]), np.array([2.0, 10.0])


def without_noise(agent: AnyAgent) -> Any:
    """PEX is judged with some draws; a deployed policy makes none."""
    named: Any = agent
    return dataclasses.replace(named, evaluation_noise=0.0) if isinstance(agent, PEX) else agent


@pytest.mark.parametrize("name", POLICIES)
def test_every_agents_policy_is_that_of_jax(name: str, tmp_path: Path):
    """1,000 observations, one of them alone too, and the same again from an exported file."""
    agent = POLICIES[name]
    state, seen = write_run(tmp_path, agent), observations(1000)
    unit = without_noise(agent).best_action(state, standardised(seen), jax.random.key(0))
    expected = LOW + (np.asarray(unit, np.float64) + 1.0) / 2.0 * (HIGH - LOW)
    policy = road.load_policy(tmp_path)
    np.testing.assert_allclose(policy(seen), expected, atol=5e-5)
    np.testing.assert_allclose((policy(seen) - LOW) / (HIGH - LOW) * 2 - 1, unit, atol=1e-5)
    np.testing.assert_allclose(policy(seen[4]), expected[4], atol=5e-5)
    assert policy(seen[4]).shape == (2,) and policy(seen).dtype == np.float64
    again = road.load_policy(write_policy_file(read_saved(tmp_path), tmp_path / "policy.npz"))
    np.testing.assert_array_equal(again(seen), policy(seen))


@pytest.mark.parametrize("name", POLICIES)
def test_samples_are_those_of_exploration(name: str, tmp_path: Path):
    """Mean and spread over 4,000 draws in one state, against the agent's own 4,000 draws."""
    agent = POLICIES[name]
    state, seen = write_run(tmp_path, agent), np.repeat(observations(1), 4000, axis=0)
    unit = np.asarray(agent.act(state, standardised(seen), jax.random.key(0)))
    policy = road.load_policy(tmp_path, sample=True, seed=0)
    drawn = (policy(seen) - LOW) / (HIGH - LOW) * 2 - 1
    error = unit.std(axis=0) / np.sqrt(4000)
    assert (error > 1e-4).all(), "every draw is at the edge of the box: this shows nothing"
    assert (np.abs(drawn.mean(axis=0) - unit.mean(axis=0)) < 5 * np.sqrt(2) * error).all()
    np.testing.assert_allclose(drawn.std(axis=0), unit.std(axis=0), rtol=0.08)
    assert (np.abs(drawn) <= 1.0).all()
    same_seed = road.load_policy(tmp_path, sample=True, seed=0)
    np.testing.assert_array_equal(same_seed(seen[0]), road.load_policy(
        tmp_path, sample=True, seed=0)(seen[0]))  # fmt: skip


def test_the_pretrained_policy_is_that_of_the_offline_agent(tmp_path: Path):
    """PROTO's XQL and PEX's IQL are other agents than those that fine-tune."""
    for name in ("proto", "pex"):
        online: Any = AGENT_LIST[name]
        offline = online.xql if name == "proto" else online.iql
        state = write_run(tmp_path / name, offline, online_steps=0)
        layout = {name: layout_of(compile_agent(a, SPEC)) for name, a in
                  (("offline", offline), ("online", online))}  # fmt: skip
        described = {"format": 1, **SPACES, "networks": layout}
        (tmp_path / name / INTERFACE).write_text(json.dumps(described))
        seen = observations(10)
        unit = offline.best_action(state, standardised(seen), jax.random.key(0))
        found = road.load_policy(tmp_path / name)(seen)
        np.testing.assert_allclose((found - LOW) / (HIGH - LOW) * 2 - 1, unit, atol=1e-5)


BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"jax", "jaxlib", "equinox", "optax", "gymnasium", "h5py",
                                      "jaxtyping", "tyro", "rich", "matplotlib"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import road
print(road.load_policy(sys.argv[1])([0.1, 0.2, 0.3, 0.4, 0.5]).tolist())
"""


def test_it_needs_numpy_alone(tmp_path: Path):
    write_run(tmp_path, AGENT_LIST["pex"])
    words = [sys.executable, "-c", BLOCKED, str(tmp_path)]
    answer = subprocess.run(words, capture_output=True, text=True)
    assert answer.stderr == ""
    here = road.load_policy(tmp_path)([0.1, 0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(json.loads(answer.stdout), here)


def test_a_dict_goes_in_as_the_environment_gives_it(tmp_path: Path):
    space = spaces.Dict(
        {
            "arm": spaces.Box(-1.0, 1.0, (2,)),
            "mode": spaces.Discrete(2, start=1),
            "door": spaces.Box(-1.0, 1.0, (1, 1)),
        }
    )
    write_run(tmp_path, IQL(hidden=(8,)), {**SPACES, "observation": describe_space(space)})
    policy = road.load_policy(tmp_path)
    one = {"mode": 2, "arm": [0.1, 0.2], "door": [[0.3]]}
    flat = gymnasium.spaces.flatten(space, {**one, "arm": np.array([0.1, 0.2])})
    write_run(tmp_path / "flat", IQL(hidden=(8,)))
    np.testing.assert_allclose(policy(one), road.load_policy(tmp_path / "flat")(flat), atol=1e-6)
    many = {"mode": [2, 1], "arm": [[0.1, 0.2]] * 2, "door": [[[0.3]]] * 2}
    assert policy(many).shape == (2, 2)
    np.testing.assert_allclose(policy(many)[0], policy(one), atol=1e-6)


SPACES_TO_FLATTEN = [
    spaces.Box(-1.0, 1.0, (3,)),
    spaces.Discrete(4, start=-1),
    spaces.MultiDiscrete([2, 3]),
    spaces.MultiBinary(3),
    spaces.Tuple((spaces.Box(-1.0, 1.0, (2,)), spaces.Discrete(3))),
    spaces.Dict({"b": spaces.Box(0.0, 1.0, (2,)), "a": spaces.Tuple((spaces.Discrete(2),))}),
]


@pytest.mark.parametrize("space", SPACES_TO_FLATTEN, ids=str)
def test_observations_are_flattened_as_gymnasium_does(space: spaces.Space[Any]):
    described = json.loads(json.dumps(describe_space(space)))
    sides = Spaces(described, np.zeros(1), np.ones(1), np.dtype(np.float32))
    space.seed(0)
    for _ in range(5):
        sample = space.sample()
        flat = spaces.flatten(space, sample)
        np.testing.assert_array_equal(sides.vectors(sample), np.asarray(flat, np.float32))


@pytest.mark.parametrize(
    ("observation", "reported"),
    [
        (np.zeros(4), r"shape \(4,\); the policy takes \(5,\), or a batch"),
        (np.zeros((2, 3, 5)), r"shape \(2, 3, 5\)"),
        (np.full(5, np.nan), "NaN"),
        (1.0, r"shape \(\)"),
    ],
)
def test_what_is_no_observation_is_refused(observation: Any, reported: str, tmp_path: Path):
    write_run(tmp_path, IQL(hidden=(8,)))
    with pytest.raises(ValueError, match=reported):
        road.load_policy(tmp_path)(observation)


def test_runs_without_a_policy_are_named(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no such folder"):
        road.load_policy(tmp_path / "nowhere")
    controller = Controller(RoadMixer(), seed=0)
    controller.end_period(credit=0.5)
    controller.save(tmp_path / "loop")
    with pytest.raises(UsageError, match="a loop of your own"):
        road.load_policy(tmp_path / "loop")
    write_run(tmp_path / "run", IQL(hidden=(8,)))
    (tmp_path / "run" / INTERFACE).unlink()
    with pytest.raises(UsageError, match=r"has no interface\.json"):
        road.load_policy(tmp_path / "run")
    write_run(tmp_path / "emptied", IQL(hidden=(8,)))
    for path in (tmp_path / "emptied" / "checkpoints").glob("*/*"):
        path.unlink()
    with pytest.raises(StorageError, match="is damaged"):
        road.load_policy(tmp_path / "emptied")
    (next((tmp_path / "emptied" / "checkpoints").iterdir())).rmdir()
    with pytest.raises(UsageError, match="holds no checkpoint"):
        road.load_policy(tmp_path / "emptied")


@pytest.mark.parametrize(
    "change",
    [
        {"action": {"low": [0.0], "high": [-1.0], "dtype": "float32"}},
        {"action": {"low": [0.0, 0.0], "high": [1.0, 1.0], "dtype": "O"}},
        {"observation": {"kind": "cube"}},
        {"observation": None},
        {"normaliser": {"mean": [0.0], "spread": [1.0]}},
        {"networks": {"offline": None, "online": {"kind": "gaussian", "layers": [[[0, 0, [9]]]]}}},
        {"networks": {"offline": None, "online": {"kind": "gaussian", "layers": [
            [[0, 10**9, [1, 1]], [0, 0, [1]]]], "log_std": [0, 0, [1]], "bounds": [0, 1]}}},
    ],
)  # fmt: skip
def test_a_damaged_description_is_one_line(change: dict[str, Any], tmp_path: Path):
    write_run(tmp_path, IQL(hidden=(8,)))
    described = json.loads((tmp_path / INTERFACE).read_text())
    (tmp_path / INTERFACE).write_text(json.dumps({**described, **change}))
    with pytest.raises((DamagedError, DataError)):
        road.load_policy(tmp_path)


def test_an_exported_file_is_also_a_policy_to_collect_with(tmp_path: Path):
    """The format of ``road data collect``: actions in [-1, 1], the normaliser inside."""
    state = write_run(tmp_path, AGENT_LIST["cql"])
    path = write_policy_file(read_saved(tmp_path), tmp_path / "policy.npz")
    weights, seen = read_weights(path), observations(20)
    assert weights.is_unit and weights.has_noise
    unit = AGENT_LIST["cql"].best_action(state, standardised(seen), jax.random.key(0))
    np.testing.assert_allclose([weights.act(each) for each in seen], unit, atol=1e-5)


def test_files_that_are_no_policy_are_refused(tmp_path: Path):
    np.savez(tmp_path / "rows.npz", observations=np.zeros(3))
    with pytest.raises(DataError, match="no policy that `road export numpy` wrote"):
        road.load_policy(tmp_path / "rows.npz")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "rows.npz").read_bytes()[:90])
    with pytest.raises(DataError, match="damaged"):
        road.load_policy(tmp_path / "cut.npz")
    write_run(tmp_path / "run", IQL(hidden=(8,)))
    path = write_policy_file(read_saved(tmp_path / "run"), tmp_path / "policy.npz")
    with pytest.raises(UsageError, match="needs the run folder"):
        road.load_policy(path, best=True)
