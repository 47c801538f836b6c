"""What is read off a critic without training it, against numbers worked out in NumPy."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.contracts.test_agents import AGENT_LIST

from road.agents.iql import IQL
from road.training import probes
from road.types import AnyAgent, Batch, Spec

SMALL = IQL(hidden=(8,), discount=0.5)


@pytest.fixture
def state(spec: Spec, key: jax.Array) -> Any:
    return SMALL.init(key, spec)


@pytest.fixture
def rows(batch: Batch) -> Batch:
    return jax.tree.map(lambda stacked: stacked[0], batch)


def both_critics(state: Any, rows: Batch) -> np.ndarray:
    return np.asarray(state.critic.model(rows.observation, rows.action), np.float64)


def test_the_td_error_is_the_mean_square_over_rows_and_critics(
    state: Any, rows: Batch, key: jax.Array
):
    value = np.asarray(state.value.model(rows.next_observation), np.float64)
    target = np.asarray(rows.reward + 0.5 * (1.0 - rows.terminated) * value)
    expected = np.square(both_critics(state, rows) - target).mean()
    assert probes.td_error(SMALL, state, rows, key) == pytest.approx(expected, rel=1e-5)


def test_the_return_gradient_is_that_of_rows_whose_episode_is_over(
    state: Any, rows: Batch, key: jax.Array
):
    """The last bias of a critic moves its Q by one: its gradient is the mean error."""
    returns = np.full(len(rows.reward), -np.inf, np.float32)
    returns[:2] = (3.0, -1.0)
    known = dataclasses.replace(rows, return_to_go=jnp.asarray(returns))
    gradient = probes.return_gradient(SMALL, state, known, key)
    error = both_critics(state, rows)[:, :2] - returns[:2]
    # d/db of (e1² of critic 1 + e2² of critic 2) / 2, averaged over two rows.
    expected = error.mean(axis=1)
    np.testing.assert_allclose(gradient.members.layers[-1].bias[:, 0], expected, rtol=1e-4)


def test_without_a_known_return_there_is_nothing_to_agree_with(
    state: Any, rows: Batch, key: jax.Array
):
    unknown = dataclasses.replace(rows, return_to_go=jnp.full_like(rows.reward, -jnp.inf))
    cosines = probes.alignment(SMALL, state, (rows, rows, unknown), key, "monte-carlo")
    np.testing.assert_allclose(cosines, [0.0, 0.0, 1.0], atol=1e-5)


def test_rows_agree_with_themselves_and_not_with_their_opposite(
    state: Any, rows: Batch, key: jax.Array
):
    """Mirrored around the target, every error changes its sign and so does the gradient."""
    mirrored = both_critics(state, rows)[0] * 2.0 - np.asarray(SMALL.target(state, rows, key))
    one = jax.tree.map(lambda leaf: leaf[:1], state.critic.model)
    single = dataclasses.replace(state, critic=dataclasses.replace(state.critic, model=one))
    shift = mirrored - np.asarray(SMALL.target(state, rows, key))
    opposite = dataclasses.replace(rows, reward=rows.reward + shift.astype(np.float32))
    cosines = probes.alignment(SMALL, single, (opposite, rows, rows), key, "td")
    np.testing.assert_allclose(cosines, [-1.0, 1.0, -1.0], atol=1e-4)


def test_a_step_down_an_agreeing_gradient_lowers_the_error(state: Any, rows: Batch, key: jax.Array):
    gradient = probes.td_gradient(SMALL, state, rows, key)
    stepped = jax.tree.map(lambda w, g: w - 1e-3 * g, state.critic.model, gradient)
    after = dataclasses.replace(state, critic=dataclasses.replace(state.critic, model=stepped))
    before_error, after_error = (probes.td_error(SMALL, s, rows, key) for s in (state, after))
    length = float(probes.flat(gradient) @ probes.flat(gradient))
    assert float(before_error - after_error) == pytest.approx(1e-3 * length, rel=0.05)


@pytest.mark.parametrize("name", AGENT_LIST)
def test_every_agent_can_be_probed(name: str, spec: Spec, rows: Batch, key: jax.Array):
    agent: AnyAgent = AGENT_LIST[name]
    state = agent.init(key, spec)
    assert agent.target(state, rows, key).shape == rows.reward.shape
    assert float(probes.td_error(agent, state, rows, key)) > 0.0
    other = dataclasses.replace(rows, reward=rows.reward + 5.0)
    cosines = np.asarray(probes.alignment(agent, state, (rows, other, rows), key, "td"))
    assert np.isfinite(cosines).all()
    assert (np.abs(cosines) <= 1.0 + 1e-5).all()
    assert abs(cosines[1]) < 0.9999  # rows with other rewards push elsewhere
