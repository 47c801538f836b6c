import numpy as np

from road.tasks.catalogue import EMBEDDED_TASKS, TASKS
from road.tasks.wrappers import fit_standardiser


def test_observations_have_mean_zero_and_spread_one():
    observation = TASKS["pendulum-mixed"].dataset().observation
    np.testing.assert_allclose(observation.mean(axis=0), 0.0, atol=1e-4)
    np.testing.assert_allclose(observation.std(axis=0), 1.0, atol=5e-3)


def test_data_and_environment_are_scaled_alike():
    raw = next(task for task in EMBEDDED_TASKS if task.name == "pendulum-mixed")
    scale = fit_standardiser(raw.dataset())
    for task, expected in ((TASKS[raw.name], scale), (raw, lambda observation: observation)):
        environment = task.environment()
        first, _ = environment.reset(seed=3)
        plain, _ = raw.environment().reset(seed=3)
        np.testing.assert_array_equal(first, expected(plain))
        assert first.dtype == np.float32
        assert environment.observation_space.contains(first)


def test_everything_but_the_observations_is_untouched():
    raw = next(task for task in EMBEDDED_TASKS if task.name == "pendulum-flipped")
    before, after = raw.dataset().arrays(), TASKS[raw.name].dataset().arrays()
    for name in ("action", "reward", "terminated", "truncated"):
        np.testing.assert_array_equal(before[name], after[name])
