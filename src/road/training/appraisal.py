"""An agent's view of transitions, compiled; for row weightings that ask for it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import NDArray

from road.replay.appraisal import Appraisal
from road.replay.transitions import unpack
from road.rng import Stream, jax_stream
from road.training.compiled import CompiledAgent, Leaves

AppraiseBy: TypeAlias = Callable[[Leaves, NDArray[np.float32], int], Appraisal]
"""From an agent's leaves, packed rows and a counter."""


def compile_appraisal(compiled: CompiledAgent, seed: int) -> AppraiseBy:
    """One action of the policy is drawn for each transition."""
    agent, key = compiled.agent, jax_stream(seed, Stream.APPRAISING)

    def traced(leaves: Leaves, rows: Array, counter: Array) -> Float[Array, "2 row"]:
        state: Any = compiled.tree(leaves)
        batch = unpack(rows, compiled.spec)
        action = agent.act(state, batch.observation, jax.random.fold_in(key, counter))
        q = agent.q_value(state, batch.observation, batch.action)
        return jnp.stack([q, agent.q_value(state, batch.observation, action)])

    function = jax.jit(traced)

    def appraise(leaves: Leaves, rows: NDArray[np.float32], counter: int) -> Appraisal:
        found = np.asarray(function(leaves, rows, np.uint32(counter)), np.float64)
        return Appraisal(*found)

    return appraise
