"""What a run announces before its first step, and that finding it out changes nothing."""

from pathlib import Path

import numpy as np
import pytest
from tests.training.conftest import tiny_plan

from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.training.duration import Expectation, spell_duration
from road.training.run import Run


def test_what_is_left_is_counted_and_nothing_is_changed(tmp_path: Path):
    """120 updates and 260 steps, an evaluation every 100 and at both ends of the online phase."""
    run = Run(tiny_plan(), RunFolder(tmp_path / "run"), lambda _: None, StopRequest())
    run.begin()
    before = {name: np.array(array) for name, array in run.state.arrays().items()}
    expected = run.expect()
    assert (expected.updates, expected.steps) == (380, 260)
    assert expected.evaluations == 5
    assert expected.seconds > 0
    after = run.state.arrays()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    run.close()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.1, "1 second"), (80, "80 seconds"), (100, "1.7 minutes"), (3600, "60 minutes"),
     (7200, "2.0 hours"), (300_000, "3.5 days")],
)  # fmt: skip
def test_durations_are_spelled_in_a_unit_that_fits(seconds: float, text: str):
    assert spell_duration(float(seconds)) == text


def test_the_sentence_names_the_speed():
    expected = Expectation(seconds=200.0, updates=40_000, steps=20_000, evaluations=21, episodes=10)
    assert str(expected) == (
        "about 3.3 minutes for 40,000 updates (200 per second), besides 20,000 environment steps "
        "and 21 evaluations of 10 episodes"
    )


def test_on_a_new_log_the_sentence_names_neither_an_environment_nor_an_evaluation():
    expected = Expectation(
        seconds=200.0, updates=40_000, steps=20_000, evaluations=21, episodes=10, on_log=True
    )
    assert str(expected) == (
        "about 3.3 minutes for 40,000 updates (200 per second) on 20,000 new rows"
    )
