"""The plain weight format: every number by hand, every wrong file in one line."""

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from tests.collecting.toys import write_policy

from road.agents.sac import SAC
from road.collecting.milestones import plain_weights
from road.errors import DataError
from road.policies.weights import read_weights
from road.types import Spec

X = np.array([0.25, -0.125], np.float32)
"""w @ x + b = 0.25 - 0.25 + 0.5 = 0.5."""


NORMAL = {
    "obs_mean": np.zeros(2),
    "obs_var": np.ones(2),
    "obs_eps": np.array(1e-8),
    "obs_clip": np.array(10.0),
}


def act(path: Path, remaining: float = 1.0) -> float:
    return float(read_weights(path).act(X, remaining)[0])


def test_layers_by_hand(tmp_path: Path) -> None:
    """The hidden layer gives relu(0.5) = 0.5 and relu(-1) = 0; then 3 · 0.5 + 7 · 0 - 1 = 0.5."""
    more = {
        "w0": np.array([[1.0, 2.0], [0.0, 8.0]], np.float32),
        "b0": np.array([0.5, 0.0], np.float32),
        "w1": np.array([[3.0, 7.0]], np.float32),
        "b1": np.array([-1.0], np.float32),
    }
    assert act(write_policy(tmp_path / "p.npz", **more)) == pytest.approx(np.tanh(0.5))
    linear = write_policy(tmp_path / "q.npz", **more, act=np.array("linear"), out=np.array("none"))
    assert act(linear) == pytest.approx(3 * 0.5 + 7 * -1.0 - 1.0)


def test_observations_are_normalised_and_cut(tmp_path: Path) -> None:
    """(0.25 - 0.25) / sqrt(0.75 + 0.25) = 0; (-0.125 - 3.875) / 2 = -2, cut to -1.5."""
    path = write_policy(
        tmp_path / "p.npz",
        obs_mean=np.array([0.25, 3.875]),
        obs_var=np.array([0.75, 3.75]),
        obs_eps=np.array(0.25),
        obs_clip=np.array(1.5),
        out=np.array("none"),
    )
    assert act(path) == pytest.approx(2 * -1.5 + 0.5)


def test_a_hand_scales_its_inputs_and_outputs(tmp_path: Path) -> None:
    """(0.25 - 0.05) / 0.1 = 2, (-0.125 - 0.075) / 0.2 = -1; y = 2 - 2 + 0.5; a = 4 · 0.5 - 1."""
    path = write_policy(
        tmp_path / "p.npz",
        in_shift=np.array([0.05, 0.075]),
        in_scale=np.array([0.1, 0.2]),
        out_scale=np.array([4.0]),
        out_shift=np.array([-1.0]),
        out=np.array("none"),
    )
    assert act(path) == pytest.approx(1.0, abs=1e-5)


def test_the_time_that_remains_is_one_more_input(tmp_path: Path) -> None:
    wide = np.array([[1.0, 2.0, 10.0]], np.float32)
    path = write_policy(
        tmp_path / "p.npz", w0=wide, time_feature=np.array(True), out=np.array("none")
    )
    assert read_weights(path).inputs == 2
    assert act(path, remaining=0.75) == pytest.approx(0.5 + 7.5)


def test_clip1_cuts_and_only_none_is_in_the_units_of_the_environment(tmp_path: Path) -> None:
    high = np.array([5.0], np.float32)
    cut = write_policy(tmp_path / "p.npz", b0=high, out=np.array("clip1"))
    assert act(cut) == 1.0
    assert read_weights(cut).is_unit
    assert not read_weights(write_policy(tmp_path / "q.npz", out=np.array("none"))).is_unit


def test_own_noise_has_the_spread_that_the_file_says(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    path = write_policy(tmp_path / "p.npz", log_std=np.array([-1.0]), out=np.array("none"))
    weights = read_weights(path)
    drawn = np.array([weights.sample(X, 1.0, rng)[0] for _ in range(2000)])
    assert drawn.mean() == pytest.approx(0.5, abs=0.03)
    assert drawn.std() == pytest.approx(np.exp(-1.0), rel=0.05)


def test_what_sac_learnt_acts_alike_in_numpy(tmp_path: Path) -> None:
    spec, agent, key = Spec(3, 2), SAC(hidden=(8, 8), critic_hidden=(8, 8)), jax.random.key(3)
    actor = agent.init(key, spec).actor.model
    observation = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    np.savez(tmp_path / "p.npz", **plain_weights(actor))
    loaded = read_weights(tmp_path / "p.npz")
    theirs = actor(jax.numpy.asarray(observation))
    ours = np.array([loaded.act(each) for each in observation])
    np.testing.assert_allclose(ours, theirs.mode, atol=1e-6)
    rng = np.random.default_rng(0)
    draws = np.arctanh(np.array([loaded.sample(observation[0], 1.0, rng) for _ in range(4000)]))
    np.testing.assert_allclose(draws.std(axis=0), theirs.base.std[0], rtol=0.05)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"w0": None}, "no layers w0, b0, w1, b1"),
        ({"b0": None}, "there is no array b0"),
        ({"b0": np.zeros(3, np.float32)}, "layer 0 has weights of shape (1, 2)"),
        ({"w0": np.full((1, 2), np.nan)}, "a layer needs finite floats"),
        ({"w0": np.array([["a", "b"]])}, "a layer needs finite floats"),
        ({"act": np.array("gelu")}, "act is 'gelu'; known: relu, tanh, linear"),
        ({"out": np.array("softmax")}, "out is 'softmax'"),
        ({"obs_mean": np.zeros(2)}, "obs_mean needs obs_var beside it"),
        ({"log_std": np.zeros(4)}, "log_std has shape (4,) where there are 1 outputs"),
        ({"log_std": np.array([np.nan])}, "log_std is float64, not finite numbers"),
        ({"in_shift": np.array(["a", "b"]), "in_scale": np.ones(2)}, "in_shift is <U1, not finite"),
        ({"time_feature": np.ones(2, bool)}, "time_feature has shape (2,) where one value"),
        ({**NORMAL, "obs_var": -np.ones(2)}, "obs_var + obs_eps is not above zero"),
        (
            {"w_logstd": np.zeros((1, 5), np.float32), "b_logstd": np.zeros(1, np.float32)},
            "w_logstd has shape (1, 5)",
        ),
    ],
)
def test_a_wrong_file_is_reported_in_one_line(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as refused:
        read_weights(write_policy(tmp_path / "p.npz", **changes))
    assert said in str(refused.value)
    assert "p.npz" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_archive_is_refused_and_nothing_is_unpickled(tmp_path: Path) -> None:
    page = tmp_path / "page.npz"
    page.write_text("<html>")
    with pytest.raises(DataError, match="not an NPZ archive"):
        read_weights(page)
    with pytest.raises(DataError, match="no such file"):
        read_weights(tmp_path / "absent.npz")
    objects = np.array([{"code": 1}], dtype=object)
    np.savez(tmp_path / "o.npz", w0=objects, b0=np.zeros(1), allow_pickle=True)
    with pytest.raises(DataError, match="Python objects"):
        read_weights(tmp_path / "o.npz")
