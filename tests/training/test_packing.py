"""Arrays go into few and come back as they were."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.contracts.test_agents import AGENT_LIST

from road.nn.packing import MOST_JOINED, packing_of
from road.training.compiled import CompiledAgent
from road.types import Spec

FLOATS, WHOLE = jnp.float32, jnp.int32


def numbered(*shapes: tuple[int, ...], kind: type = FLOATS) -> list[jax.Array]:
    """No two numbers are the same."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    starts = np.cumsum([0, *sizes])
    return [
        jnp.arange(start, start + size, dtype=kind).reshape(shape)
        for start, size, shape in zip(starts[:-1], sizes, shapes, strict=True)
    ]


def test_small_ones_of_a_kind_are_joined_in_their_order_and_large_ones_stay():
    large = (MOST_JOINED + 1,)
    first, second, third = numbered((2, 3), large, ())
    (count,) = numbered((), kind=WHOLE)
    arrays = [first, count, second, third]
    packing = packing_of(arrays)
    packed = packing.pack(arrays)
    assert [each.shape for each in packed] == [(7,), (), large]
    assert packed[0].tolist() == [*range(6), float(third)]
    again = packing.unpack(packed)
    assert [a.shape for a in again] == [a.shape for a in arrays]
    assert [a.dtype for a in again] == [a.dtype for a in arrays]
    assert all((a == b).all() for a, b in zip(again, arrays, strict=True))


@pytest.mark.parametrize("name", AGENT_LIST)
def test_an_agents_state_comes_back_as_it_was_and_in_few_pieces(name: str, spec: Spec):
    agent = AGENT_LIST[name]
    engine, state = CompiledAgent(agent, spec), agent.init(jax.random.key(1), spec)
    packed = engine.leaves(state)
    assert len(packed) <= 3
    again = engine.tree(packed)
    assert jax.tree.structure(again) == jax.tree.structure(state)
    for a, b in zip(jax.tree.leaves(again), jax.tree.leaves(state), strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)
