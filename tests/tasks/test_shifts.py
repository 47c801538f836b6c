"""Shifted worlds: the knob does what its name says, by hand, and 1 changes nothing."""

import numpy as np
import pytest

from road.collecting.environment import find_environment
from road.errors import UsageError
from road.tasks.shifts import Shift, compensate, parse_shift
from road.tasks.task import Environment


def world(name: str, shift: str | None = None) -> Environment:
    return find_environment(name, shift=None if shift is None else parse_shift(shift)).environment()


def after_one_step(name: str, shift: str | None, action: list[float]) -> tuple[np.ndarray, float]:
    environment = world(name, shift)
    environment.reset(seed=3)
    observation, reward, *_ = environment.step(np.array(action, np.float32))
    environment.close()
    return observation, float(reward)


def speed_up(shift: str | None, action: float) -> float:
    """What one step adds to the speed of a pendulum."""
    environment = world("pendulum-mixed", shift)
    before, _ = environment.reset(seed=3)
    after, *_ = environment.step(np.array([action], np.float32))
    environment.close()
    return float(after[2] - before[2])


@pytest.mark.parametrize(("gain", "share"), [(1.0, 1.0), (0.5, 0.5), (0.0, 0.0), (-1.0, -1.0)])
def test_a_gain_multiplies_what_an_action_adds_to_the_speed(gain: float, share: float) -> None:
    """A full push adds 3 / (m l²) · 2 · 0.05 = 0.3 a second; the rest of a step is gravity's."""
    pushed = speed_up(f"gain={gain}", 1.0) - speed_up(None, 0.0)
    assert pushed == pytest.approx(share * 0.3, abs=1e-5)


@pytest.mark.parametrize("factor", [1.0, 0.5, 0.0, -1.0])
def test_gravity_of_a_pendulum_is_multiplied(factor: float) -> None:
    """Without a push a step adds 3 g / (2 l) · sin θ · 0.05 = 0.75 sin θ, times the factor."""
    environment = world("pendulum-mixed", None)
    (_, sine, _), _ = environment.reset(seed=3)
    assert abs(sine) > 0.1
    assert speed_up(f"gravity={factor}", 0.0) == pytest.approx(0.75 * sine * factor, abs=1e-5)


@pytest.mark.parametrize("name", ["pendulum-mixed", "Pendulum-v1"])
def test_a_negative_gain_is_the_negated_action(name: str) -> None:
    shifted, plain = (
        after_one_step(name, "gain=-0.5", [0.8]),
        after_one_step(name, None, [-0.4]),
    )
    np.testing.assert_array_equal(shifted[0], plain[0])
    assert shifted[1] == plain[1]


def test_a_rotated_push_is_the_push_in_another_direction() -> None:
    pytest.importorskip("gymnasium_robotics")
    # A quarter turn takes (1, 0) to (0, 1).
    shifted = after_one_step("pointmaze-umaze-play", "rotation=90", [0.6, 0.0])
    plain = after_one_step("pointmaze-umaze-play", None, [0.0, 0.6])
    np.testing.assert_allclose(shifted[0], plain[0], atol=1e-6)
    # Half a turn is the opposite; (1, 1) turned by 45 degrees is cut to the box at (0, 1).
    half = after_one_step("pointmaze-umaze-play", "rotation=180", [0.5, -0.2])
    opposite = after_one_step("pointmaze-umaze-play", None, [-0.5, 0.2])
    np.testing.assert_allclose(half[0], opposite[0], atol=1e-6)
    cut = after_one_step("pointmaze-umaze-play", "rotation=45", [1.0, 1.0])
    up = after_one_step("pointmaze-umaze-play", None, [0.0, 1.0])
    np.testing.assert_allclose(cut[0], up[0], atol=1e-6)


@pytest.mark.parametrize(
    ("name", "shift", "action"),
    [
        ("pendulum-mixed", "gain=1", [0.7]),
        ("pendulum-mixed", "gravity=1", [0.7]),
        ("pointmaze-umaze-play", "rotation=0", [0.7, -0.3]),
        ("Reacher-v5", "gear=1", [0.7, -0.3]),
        ("Reacher-v5", "gravity=1", [0.7, -0.3]),
        ("HalfCheetah-v5", "gear=1", [0.7, -0.3, 0.1, 1.0, -1.0, 0.0]),
    ],
)
def test_at_its_identity_a_knob_changes_no_bit(name: str, shift: str, action: list[float]) -> None:
    pytest.importorskip("gymnasium_robotics")
    shifted, plain = after_one_step(name, shift, action), after_one_step(name, None, action)
    np.testing.assert_array_equal(shifted[0], plain[0])
    assert shifted[1] == plain[1]


def test_a_gear_changes_the_motion_and_not_the_cost_of_a_control() -> None:
    """A gain scales the control itself, whose square costs; a gear scales what comes of it."""
    pytest.importorskip("mujoco")
    geared, gained = (
        after_one_step("Reacher-v5", f"{knob}=-0.5", [0.8, 0.4]) for knob in ("gear", "gain")
    )
    np.testing.assert_allclose(geared[0], gained[0], atol=1e-6)
    # 0.8² + 0.4² = 0.8 against a quarter of it.
    assert geared[1] - gained[1] == pytest.approx(-0.6, abs=1e-6)


@pytest.mark.parametrize(
    ("shift", "meant", "does"),
    [
        ("gain=-0.5", [0.4], [-0.8]),
        # More than the box allows is cut.
        ("gain=0.5", [-0.9], [-1.0]),
        ("gain=0", [0.4], [0.4]),
        ("gear=-1", [0.4], [-0.4]),
        ("rotation=90", [0.4, 0.1], [0.1, -0.4]),
        ("gravity=-1", [0.4], [0.4]),
    ],
)
def test_who_knows_the_world_acts_so_that_it_does_what_was_meant(
    shift: str, meant: list[float], does: list[float]
) -> None:
    behaviour = compensate(parse_shift(shift), lambda *_: lambda _: np.array(meant))
    policy = behaviour(0, np.random.default_rng(0))
    np.testing.assert_allclose(policy(np.zeros(3, np.float32)), does, atol=1e-12)


def test_a_shift_reads_as_it_was_written() -> None:
    assert parse_shift("gain=-0.5") == Shift("gain", -0.5)
    assert str(parse_shift("rotation=90.0")) == "rotation=90"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gain", "written KNOB=NUMBER"),
        ("gain=much", "written KNOB=NUMBER"),
        ("gian=1", "unknown knob 'gian'"),
        ("gain=nan", "must be a finite number"),
    ],
)
def test_what_is_no_shift_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_shift(text)


def test_a_knob_that_an_environment_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="only actions of two numbers can be rotated"):
        world("pendulum-mixed", "rotation=90")
    with pytest.raises(UsageError, match="no gear to change: no MuJoCo model"):
        world("pendulum-mixed", "gear=0.5")
