"""A3RL and the weight of the outer gradient: formulas by hand, and whole runs."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing, stop_when

from road.errors import UsageError
from road.mixing.sample_level import A3RLMixer, OuterGradientMixer
from road.replay.appraisal import Appraisal
from road.reweighting.a3rl import a3rl_weights
from road.reweighting.outer_gradient import outer_weights
from road.training.events import Event, Progressed
from road.training.launch import resume_run, start_run

HALVES = Appraisal(q=np.array([3.0, 1.0]), value=np.array([1.0, 1.0]))
"""Advantages of 2 and 0: plus and minus one spread."""
DENSITY = np.array([4.0, 4.0])
FIRST_OFFLINE = np.array([True, False])
SMALL: dict[str, Any] = {"hidden": (8, 8), "density_batch": 8, "initial_rows": 20}


def test_advantages_are_in_units_of_their_spread() -> None:
    np.testing.assert_allclose(HALVES.advantage, [1.0, -1.0])
    same = Appraisal(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    assert same.advantage.tolist() == [0.0, 0.0]


def test_a3rl_by_hand() -> None:
    """sigma = 4 exp(0.5) offline and exp(-0.5) online, to the power of 1/2."""
    weights = a3rl_weights(A3RLMixer(), DENSITY, FIRST_OFFLINE, HALVES)
    expected = [math.sqrt(4.0 * math.exp(0.5)), math.sqrt(math.exp(-0.5))]
    np.testing.assert_allclose(weights, expected)


def test_a3rl_keeps_its_bounds_and_may_draw_uniformly() -> None:
    bounded = A3RLMixer(advantage_weight=1e6, sharpness=1.0)
    assert a3rl_weights(bounded, DENSITY, FIRST_OFFLINE, HALVES).tolist() == pytest.approx(
        [1000.0, 0.001]
    )
    uniform = a3rl_weights(A3RLMixer(sharpness=0.0), DENSITY, FIRST_OFFLINE, HALVES)
    assert uniform.tolist() == [1.0, 1.0]


def test_the_weight_of_the_outer_gradient_by_hand() -> None:
    """4 (1 + 0.25) offline and 1 - 0.25 online; below 0, at a tilt of 2, counts as 0."""
    weights = outer_weights(OuterGradientMixer(tilt=0.25), DENSITY, FIRST_OFFLINE, HALVES)
    assert weights.tolist() == [5.0, 0.75]
    steep = outer_weights(OuterGradientMixer(tilt=2.0), DENSITY, FIRST_OFFLINE, HALVES)
    assert steep.tolist() == [12.0, 0.001]


@pytest.mark.parametrize(
    "make",
    [
        lambda: A3RLMixer(advantage_weight=-1.0),
        lambda: A3RLMixer(sharpness=math.inf),
        lambda: OuterGradientMixer(tilt=-0.1),
        lambda: OuterGradientMixer(temperature=0.0),
    ],
)
def test_wrong_settings_are_refused(make: Any) -> None:
    with pytest.raises((ValueError, UsageError)):
        make()


@pytest.mark.parametrize(
    ("name", "mixer"),
    [("a3rl", A3RLMixer(**SMALL)), ("outer-gradient", OuterGradientMixer(**SMALL))],
)
def test_a_run_weighs_rows_by_the_agent_and_continues_to_the_same_bits(
    name: str, mixer: A3RLMixer | OuterGradientMixer, tmp_path: Path
) -> None:
    """Stopped half-way and continued, against one that was not."""
    small = {"offline_steps": 0, "online_steps": 60, "evaluate_every": 1000}
    plan = dataclasses.replace(tiny_plan(**small), mixer_name=name, mixer=mixer)
    start_run(plan, tmp_path / "whole", "test", lambda _: None)
    stop_when(plan, tmp_path / "run", lambda event: reached(event, 41), fresh=True)
    (tmp_path / "run" / "meta.json").write_text('{"machine": {}}')
    resume_run(tmp_path / "run", lambda _: None)
    whole = contents(tmp_path / "whole")
    assert differing(contents(tmp_path / "run"), whole) == []
    priorities = np.frombuffer(whole["weighing/priorities"], np.float64)
    assert len(np.unique(priorities)) > 20


def reached(event: Event, done: int) -> bool:
    return isinstance(event, Progressed) and event.phase == "online" and event.done == done
