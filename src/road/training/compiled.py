"""An agent's functions, compiled once, with the agent's state as a short list of arrays.

Flattening a tree of modules in Python costs more than a small update on the CPU, so the state
travels as `nn/packing.py` joins its arrays. The tree is put together again inside the compiled
function, where it is free.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray
from numpy.typing import NDArray

from road.errors import NumericError, UsageError
from road.nn.packing import packing_of
from road.replay.transitions import unpack
from road.training import probes
from road.types import AnyAgent, Spec

Leaves: TypeAlias = list[Array]
"""An agent's state, packed by ``Packing``."""
REMEMBERED = 4
"""Compiled agents that a process keeps: enough for the two phases of two agents."""


@dataclass(frozen=True)
class Metrics:
    """The metrics of a stack of updates: one row per update, one named column per quantity."""

    names: tuple[str, ...]
    table: NDArray[np.float32]

    def last(self) -> dict[str, float]:
        return {n: float(v) for n, v in zip(self.names, self.table[-1], strict=True)}

    def beside(self, more: dict[str, NDArray[np.float32]]) -> "Metrics":
        """These metrics and others of the same updates."""
        if not more:
            return self
        return Metrics((*self.names, *more), np.column_stack([self.table, *more.values()]))

    def check(self, first_update: int, phase: str) -> None:
        """Stop at the first number that is not finite, by its name and update."""
        if np.isfinite(self.table).all():
            return
        update, column = np.argwhere(~np.isfinite(self.table))[0]
        raise NumericError(
            f"{self.names[column]} is {self.table[update, column]} at {phase} update "
            f"{first_update + int(update)}; the last good checkpoint is kept. "
            "Lower the learning rate or the reward scale"
        )


class CompiledAgent:
    """The compiled functions of one agent on one task."""

    def __init__(self, agent: AnyAgent, spec: Spec) -> None:
        self.agent = agent
        self.spec = spec
        state = agent.init(jax.random.key(0), spec)
        self._tree, self.packing = jax.tree.structure(state), packing_of(jax.tree.leaves(state))
        self._pack, self._unpack = jax.jit(self.packing.pack), jax.jit(self.packing.unpack)
        self._metric_names: tuple[str, ...] = ()
        self.compilations = Counter[str]()
        """How often each function was compiled: once for every shape that it was given."""
        self._update = jax.jit(self._traced_update)
        self._act = jax.jit(self._traced_act)
        self._best = jax.jit(self._traced_best)
        self._advantage = jax.jit(self._traced_advantage)
        self._td_error = jax.jit(self._traced_td_error)
        self._alignment = jax.jit(self._traced_alignment, static_argnames="judge")

    def tree(self, leaves: Leaves) -> Any:
        """The agent's own state."""
        return jax.tree.unflatten(self._tree, self._unpack(leaves))

    def structure(self, each: Sequence[Any]) -> Any:
        """The agent's state with other things in the place of its arrays, in their order."""
        return jax.tree.unflatten(self._tree, each)

    def leaves(self, state: Any) -> Leaves:
        return self._pack(jax.tree.leaves(state))

    def init(self, key: PRNGKeyArray) -> Leaves:
        return self.leaves(self.agent.init(key, self.spec))

    def update(
        self, leaves: Leaves, rows: NDArray[np.float32], key: PRNGKeyArray, counter: int
    ) -> tuple[Leaves, Metrics]:
        """Train on a stack of packed rows (update, batch, width)."""
        leaves, table = self._update(leaves, rows, key, np.uint32(counter))
        return leaves, Metrics(self._metric_names, np.asarray(table))

    def act(
        self, leaves: Leaves, observation: NDArray[np.float32], key: PRNGKeyArray, counter: int
    ) -> NDArray[np.float32]:
        return np.asarray(self._act(leaves, observation, key, np.uint32(counter)))

    def best_action(
        self, leaves: Leaves, observations: NDArray[np.float32], key: PRNGKeyArray, counter: int
    ) -> NDArray[np.float32]:
        """Actions to be judged by, for a batch of observations of constant size."""
        return np.asarray(self._best(leaves, observations, key, np.uint32(counter)))

    def advantage(
        self, leaves: Leaves, rows: NDArray[np.float32], key: PRNGKeyArray, counter: int
    ) -> float:
        """Delta of one source: how much the critic prefers sampled actions to those of the rows."""
        return float(self._advantage(leaves, rows, key, np.uint32(counter)))

    def td_error(
        self, leaves: Leaves, rows: NDArray[np.float32], key: PRNGKeyArray, counter: int
    ) -> float:
        """Mean squared Bellman error of the critics on those rows."""
        return float(self._td_error(leaves, rows, key, np.uint32(counter)))

    def alignment(
        self,
        leaves: Leaves,
        sources: tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]],
        key: PRNGKeyArray,
        counter: int,
        judge: probes.Judge,
    ) -> NDArray[np.float32]:
        """Cosines of gradients on offline, online and fresh rows, as ``probes.alignment``."""
        return np.asarray(self._alignment(leaves, sources, key, np.uint32(counter), judge=judge))

    def _traced_update(self, leaves: Leaves, rows: Array, key: PRNGKeyArray, counter: Array) -> Any:
        self.compilations["update"] += 1  # Python sees a compiled function only while tracing it
        state, metrics = self.agent.update(
            self.tree(leaves), unpack(rows, self.spec), jax.random.fold_in(key, counter)
        )
        if not metrics or any(each.shape != rows.shape[:1] for each in metrics.values()):
            raise UsageError(
                f"agent {type(self.agent).__name__}: update must return named metrics with one "
                "number per mini-batch of the stack; see road.agents.losses.over_stack"
            )
        # Names are known only here, while tracing; one table is one transfer instead of a dozen.
        self._metric_names = tuple(metrics)
        return self.leaves(state), jnp.stack([metrics[n] for n in metrics], axis=-1)

    def _traced_act(
        self, leaves: Leaves, observation: Array, key: PRNGKeyArray, counter: Array
    ) -> Array:
        self.compilations["act"] += 1
        key = jax.random.fold_in(key, counter)
        return self.agent.act(self.tree(leaves), observation[None], key)[0]

    def _traced_best(
        self, leaves: Leaves, observations: Array, key: PRNGKeyArray, counter: Array
    ) -> Array:
        self.compilations["best_action"] += 1
        key = jax.random.fold_in(key, counter)
        return self.agent.best_action(self.tree(leaves), observations, key)

    def _traced_advantage(
        self, leaves: Leaves, rows: Array, key: PRNGKeyArray, counter: Array
    ) -> Array:
        self.compilations["advantage"] += 1
        key = jax.random.fold_in(key, counter)
        return probes.preference(self.agent, self.tree(leaves), unpack(rows, self.spec), key)

    def _traced_td_error(
        self, leaves: Leaves, rows: Array, key: PRNGKeyArray, counter: Array
    ) -> Array:
        self.compilations["td_error"] += 1
        key = jax.random.fold_in(key, counter)
        return probes.td_error(self.agent, self.tree(leaves), unpack(rows, self.spec), key)

    def _traced_alignment(
        self,
        leaves: Leaves,
        sources: tuple[Array, Array, Array],
        key: PRNGKeyArray,
        counter: Array,
        judge: probes.Judge,
    ) -> Array:
        self.compilations["alignment"] += 1
        offline, online, fresh = (unpack(rows, self.spec) for rows in sources)
        key = jax.random.fold_in(key, counter)
        return probes.alignment(self.agent, self.tree(leaves), (offline, online, fresh), key, judge)


def leaves_of(arrays: dict[str, NDArray[Any]], name: str) -> Leaves:
    """The leaves that a checkpoint holds under that name."""
    members = sorted(each for each in arrays if each.startswith(f"{name}/"))
    return [jnp.asarray(arrays[each]) for each in members]


def compile_agent(agent: AnyAgent, spec: Spec) -> CompiledAgent:
    """The functions of an agent; one that this process has used before is compiled already."""
    try:
        return remembered(agent, spec)
    except TypeError:  # not hashable: a custom agent with a list among its settings
        return CompiledAgent(agent, spec)


@lru_cache(REMEMBERED)
def remembered(agent: AnyAgent, spec: Spec) -> CompiledAgent:
    return CompiledAgent(agent, spec)
