import json
import math
import subprocess
import sys
from typing import Any

import pytest

from road.mixing import (
    AppendMixer,
    BalancedMixer,
    Controller,
    DecreasingMixer,
    FixedMixer,
    HypergradientMixer,
    Period,
    ProportionalMixer,
    RoadMixer,
    ValidatedMixer,
)


def test_the_ratio_is_fixed_during_a_period_and_changes_at_its_end():
    controller = Controller(RoadMixer(), seed=0)
    assert [controller.offline_ratio, controller.offline_ratio] == [0.1, 0.1]
    period = controller.end_period(offline_advantage=0.3, online_advantage=0.1)
    assert (period.offline_ratio, period.credit) == (0.1, pytest.approx(0.2))
    assert controller.offline_ratio == 0.2


def test_history_tells_each_period():
    controller = Controller(RoadMixer(arms=(0.0, 1.0)))
    controller.end_period(offline_advantage=1.0, online_advantage=0.5)
    controller.end_period(credit=4.0)
    controller.end_period(credit=0.0)
    first, second, third = controller.history
    assert (first.offline_advantage, first.online_advantage, first.credit) == (1.0, 0.5, 0.5)
    assert (second.offline_ratio, second.offline_advantage, second.credit) == (1.0, None, 4.0)
    assert third.arms is not None
    assert (third.arms.means, third.arms.counts) == ((0.5, 4.0), (1, 1))


def test_a_saved_controller_goes_on_the_same():
    """The dictionary passes through JSON, as a checkpoint would make it."""
    one = Controller(RoadMixer(window=4))
    for step in range(7):
        one.end_period(credit=math.sin(step))
    saved = json.loads(json.dumps(one.state_dict()))
    other = Controller(RoadMixer(window=4))
    other.load_state_dict(saved)
    assert other.history == one.history
    for step in range(9):
        assert other.offline_ratio == one.offline_ratio
        one.end_period(credit=math.cos(step))
        other.end_period(credit=math.cos(step))
    assert other.state_dict() == one.state_dict()


def test_a_schedule_needs_to_know_its_end():
    with pytest.raises(ValueError, match="total_periods"):
        Controller(DecreasingMixer())
    controller = Controller(DecreasingMixer(), total_periods=4)
    ratios = []
    for _ in range(6):
        ratios.append(controller.offline_ratio)
        controller.end_period(credit=0.0)
    assert ratios == pytest.approx([0.5, 0.4, 0.3, 0.2, 0.1, 0.1])


def test_a_mixer_that_needs_sizes_receives_them():
    with pytest.raises(ValueError, match="offline_rows"):
        Controller(ProportionalMixer())
    controller = Controller(ProportionalMixer(), offline_rows=300)
    assert controller.offline_ratio == 1.0
    controller.end_period(credit=0.0, online_rows=100)
    assert controller.offline_ratio == 0.75
    again = Controller(ProportionalMixer(), offline_rows=300)
    again.load_state_dict(json.loads(json.dumps(controller.state_dict())))
    assert again.offline_ratio == 0.75


def test_a_mixer_that_goes_by_sizes_asks_for_them_and_goes_on_once_it_has_them():
    """Without the online rows it would stay at offline rows alone for ever."""
    controller = Controller(AppendMixer(), offline_rows=300)
    for _ in range(2):
        with pytest.raises(ValueError, match="end_period the online_rows"):
            controller.end_period(credit=0.0, step=10)
    assert (controller.history, controller.step) == ([], 0)
    controller.end_period(credit=0.0, step=10, online_rows=100)
    controller.end_period(credit=0.0, step=20)
    assert controller.offline_ratio == 0.75, "the last values hold"


@pytest.mark.parametrize("mixer", [BalancedMixer(), HypergradientMixer()])
def test_a_mixer_that_chooses_rows_names_no_ratio(mixer: Any):
    """A loop that drew by its ratio alone would be another strategy under its name."""
    controller = Controller(mixer)
    with pytest.raises(ValueError, match=f"{type(mixer).__name__}.*chooses rows"):
        _ = controller.offline_ratio
    with pytest.raises(ValueError, match="chooses rows"):
        controller.offline_count(1)
    assert controller.mixture.priorities is not None or controller.mixture.held_back == 200


def test_mistakes_are_named():
    controller = Controller(RoadMixer())
    with pytest.raises(ValueError, match="nan"):
        controller.end_period(offline_advantage=math.nan, online_advantage=0.0)
    with pytest.raises(ValueError, match="come together"):
        controller.end_period(offline_advantage=0.1)
    with pytest.raises(ValueError, match="neither"):
        controller.end_period()
    with pytest.raises(ValueError, match="-1"):
        Controller(RoadMixer(), seed=-1)
    with pytest.raises(ValueError, match="FixedMixer"):
        controller.load_state_dict(Controller(FixedMixer()).state_dict())
    with pytest.raises(ValueError, match="window=7"):
        controller.load_state_dict(Controller(RoadMixer(window=7)).state_dict())
    with pytest.raises(ValueError, match="lacks history, mixer, state"):
        controller.load_state_dict({"format": 2})
    with pytest.raises(ValueError, match="1e\\+200"):
        controller.end_period(credit=1e200)
    with pytest.raises(ValueError, match=r"mean_return must be finite, or NaN.*-inf"):
        controller.end_period(credit=0.0, mean_return=-math.inf)
    with pytest.raises(ValueError, match=r"error_drop must be finite, or NaN.*inf"):
        controller.end_period(credit=0.0, error_drop=math.inf)
    with pytest.raises(ValueError, match="format"):
        controller.load_state_dict({"format": 99})
    assert controller.history == []
    assert isinstance(controller.end_period(credit=0.1), Period)


def test_importing_road_loads_numpy_and_nothing_heavy():
    script = (
        "import sys, road; "
        "heavy = {'jax', 'equinox', 'optax', 'gymnasium', 'tyro', 'rich'} & set(sys.modules); "
        "print(sorted(heavy)); sys.exit(bool(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_other_credits_take_their_readings_by_name():
    """The return given with the second period is worth of the first one's ratio."""
    controller = Controller(RoadMixer(arms=(0.1, 0.3), credit="next-return"))
    first = controller.end_period(mean_return=4.0)
    second = controller.end_period(mean_return=7.0, error_drop=math.nan)
    assert (first.credit, first.credited_ratio, first.readings) == (
        None,
        None,
        {"mean_return": 4.0},
    )
    assert (second.offline_ratio, second.credit, second.credited_ratio) == (0.1, 7.0, 0.1)
    third = controller.end_period(mean_return=9.0)
    assert (third.offline_ratio, third.credit, third.credited_ratio) == (0.3, 9.0, 0.1)
    assert second.readings == {"mean_return": 7.0, "error_drop": None}
    turned = Controller(RoadMixer(overestimation_penalty=2.0, credit="reversed"))
    assert turned.end_period(offline_advantage=0.75, online_advantage=0.25).credit == -0.25
    change = Controller(RoadMixer(credit="change"))
    assert change.end_period(offline_change=0.5, online_change=0.25).credit == 0.25
    with pytest.raises(ValueError, match="needs both changes"):
        change.end_period(offline_change=0.5)
    with pytest.raises(TypeError, match="does not take luck"):
        change.end_period(luck=1.0)  # pyright: ignore


NUMPY = """
import json
import numpy as np
from road.mixing import Controller, RoadMixer
controller = Controller(RoadMixer(window=5), seed=np.int64(3))
controller.end_period(credit=np.float32(0.5), online_rows=np.int64(7), step=np.int64(9))
assert json.loads(json.dumps(controller.state_dict()))["online_rows"] == 7
"""


def test_numbers_of_numpy_are_numbers_that_json_takes():
    """In a process of its own: tests check types while they run, and those are no Python ints."""
    assert subprocess.run([sys.executable, "-c", NUMPY]).returncode == 0


@pytest.mark.parametrize("damage", [{"history": [{"period": 0}]}, {"logbook": {}}], ids=str)
def test_a_damaged_state_changes_nothing(damage: dict[str, Any]):
    controller = Controller(RoadMixer())
    controller.end_period(credit=0.5)
    before = json.dumps(controller.state_dict())
    with pytest.raises(ValueError, match=r"state_dict is damaged \(.*; nothing was loaded"):
        controller.load_state_dict({**controller.state_dict(), **damage})
    assert json.dumps(controller.state_dict()) == before


PAIR = ValidatedMixer(ratios=(0.0, 1.0), interval=4, bellman_weight=1.0, offline_preference=0.0)


def test_errors_of_probes_renew_the_ratio_once_an_interval_has_passed():
    """Mean errors of 1 and 4: weights of 1 and 1/4 for ratios 0 and 1."""
    controller = Controller(PAIR)
    assert (controller.probe_ratios, controller.offline_ratio) == ((0.0, 1.0), 0.5)
    renewed = [controller.observe_errors([1.0, error]) for error in (2.0, 6.0, 5.0, 3.0)]
    assert renewed == [False, False, False, True]
    assert controller.offline_ratio == pytest.approx(0.2)
    (period,) = controller.history
    assert (period.offline_ratio, period.credit) == (0.5, None)
    assert period.probe_errors == {"bellman": (1.0, 4.0), "return": None}
    assert not controller.observe_errors([1.0, 1.0]), "the next interval has begun"


def test_errors_of_several_transitions_come_as_rows():
    one, other = Controller(PAIR), Controller(PAIR)
    rows = [[1.0, 2.0], [3.0, 1.0], [0.0, 5.0], [2.0, 2.0]]
    assert one.observe_errors(rows, step=4)
    assert [other.observe_errors(row, step=step) for step, row in enumerate(rows, 1)][-1]
    assert one.state_dict() == other.state_dict()


def test_errors_against_returns_complement_an_interval_and_do_not_end_it():
    controller = Controller(PAIR)
    assert not controller.observe_errors([[1.0, 2.0]] * 9, judge="return")
    assert controller.history == []
    controller.observe_errors([[1.0, 1.0]] * 4)
    assert controller.history[0].probe_errors == {"bellman": (1.0, 1.0), "return": (1.0, 2.0)}


def test_a_controller_with_probes_saved_in_the_middle_of_an_interval_goes_on_the_same():
    one = Controller(PAIR)
    for step in range(6):
        one.observe_errors([1.0 + math.sin(step), 1.0])
    saved = json.loads(json.dumps(one.state_dict()))
    other = Controller(PAIR)
    other.load_state_dict(saved)
    assert other.history == one.history
    for step in range(7):
        errors = [1.0, 1.0 + math.cos(step)]
        assert other.observe_errors(errors) == one.observe_errors(errors)
        assert other.offline_ratio == one.offline_ratio
    assert other.state_dict() == one.state_dict()
    assert len(one.history) == 3


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ([], "one per probe, 2,.* shape \\(0,\\)"),
        ([1.0], "one per probe, 2,.* shape \\(1,\\)"),
        ([1.0, 2.0, 3.0], "one per probe, 2,.* shape \\(3,\\)"),
        ([[[1.0, 2.0]]], "one per probe, 2,.* shape \\(1, 1, 2\\)"),
        ([1.0, math.nan], "finite and 0 or more, got nan of probe 1"),
        ([math.inf, 1.0], "finite and 0 or more, got inf of probe 0"),
        ([1.0, None], "finite and 0 or more, got nan of probe 1"),
        ([[1.0, 1.0]] * 200 + [[1.0, -3.0]], "finite and 0 or more, got -3.0 of probe 1"),
    ],
)
def test_errors_that_are_missing_or_no_errors_are_refused_in_one_line(errors: Any, message: str):
    controller = Controller(PAIR)
    controller.observe_errors([1.0, 2.0])
    before = json.dumps(controller.state_dict())
    with pytest.raises(ValueError, match=message) as refusal:
        controller.observe_errors(errors)
    assert len(str(refusal.value)) < 150
    assert "\n" not in str(refusal.value)
    assert json.dumps(controller.state_dict()) == before


def test_errors_need_a_mixer_with_probes_and_a_known_judge():
    without = Controller(RoadMixer())
    assert without.probe_ratios == ()
    with pytest.raises(ValueError, match="has no probes; ValidatedMixer follows their errors"):
        without.observe_errors([1.0])
    with pytest.raises(ValueError, match="judge must be one of bellman, return, got 'td'"):
        Controller(PAIR).observe_errors([1.0, 2.0], judge="td")


def test_a_period_with_probes_does_not_end_without_their_errors():
    controller = Controller(PAIR)
    with pytest.raises(ValueError, match="needs the errors of its probes"):
        controller.end_period(offline_advantage=1.0, online_advantage=0.5)
    assert controller.history == []
    controller.observe_errors([1.0, 1.0])
    assert controller.end_period().probe_errors == {"bellman": (1.0, 1.0), "return": None}


def test_errors_with_a_step_that_goes_back_count_nothing():
    controller = Controller(PAIR)
    controller.log_evaluation(1.0, step=100)
    controller.observe_errors([[1.0, 2.0]] * 3, step=103)
    before = json.dumps(controller.state_dict())
    with pytest.raises(ValueError, match="step must not go back, got 4 after 100"):
        controller.observe_errors([1.0, 2.0], step=4)
    assert json.dumps(controller.state_dict()) == before
    assert controller.observe_errors([1.0, 2.0], step=104)


def test_a_state_of_other_probes_is_refused():
    saved = Controller(PAIR).state_dict()
    other = Controller(ValidatedMixer(ratios=(0.0, 0.5, 1.0)))
    with pytest.raises(ValueError, match="state_dict is of ValidatedMixer"):
        other.load_state_dict(saved)
    saved["errors"]["sums"]["bellman"] = [1.0]
    with pytest.raises(ValueError, match="errors of other than 2 probes"):
        Controller(PAIR).load_state_dict(saved)
