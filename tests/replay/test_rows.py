import jax.numpy as jnp
import numpy as np

from road.replay.transitions import pack, returns_to_go, row_width, unpack
from road.types import Spec, Transition


def test_packing_and_unpacking_give_back_every_field(spec: Spec):
    rng = np.random.default_rng(0)
    transition = Transition(
        observation=rng.normal(size=(4, 5)).astype(np.float32),
        action=rng.normal(size=(4, 2)).astype(np.float32),
        reward=np.arange(4, dtype=np.float32),
        next_observation=rng.normal(size=(4, 5)).astype(np.float32),
        terminated=np.array([0, 0, 1, 0], np.float32),
        return_to_go=np.array([1, 2, 3, -np.inf], np.float32),
    )
    rows = pack(transition)
    assert rows.shape == (4, row_width(spec))
    for name, field in vars(unpack(rows, spec)).items():
        np.testing.assert_array_equal(field, getattr(transition, name), err_msg=name)


def test_a_stack_unpacks_on_the_device_too(spec: Spec):
    rows = jnp.arange(2 * 3 * row_width(spec), dtype=jnp.float32).reshape(2, 3, -1)
    batch = unpack(rows, spec)
    assert batch.observation.shape == (2, 3, 5)
    assert batch.action.shape == (2, 3, 2)
    assert batch.reward.shape == batch.terminated.shape == batch.return_to_go.shape == (2, 3)


def test_returns_to_go_by_hand():
    """Rewards 1, 2, 4 at discount 1/2: 4, 2 + 4/2, 1 + 4/2."""
    np.testing.assert_array_equal(returns_to_go(np.array([1.0, 2.0, 4.0]), 0.5), [3.0, 4.0, 4.0])


def test_an_episode_of_nothing_but_failure_fails_for_ever():
    """-1 at discount 0.9 for ever is -10; one success makes it an ordinary return."""
    reward = np.full(3, -1.0, np.float32)
    np.testing.assert_allclose(returns_to_go(reward, 0.9, failure=-1.0), [-10.0] * 3)
    reward[2] = 0.0
    np.testing.assert_allclose(returns_to_go(reward, 0.9, failure=-1.0), [-1.9, -1.0, 0.0])
