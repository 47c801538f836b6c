"""The policy of an agent that is not the library's: its own ``best_action``, in JAX."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.policies.policy import Policy
from road.policies.spaces import spaces_from, width
from road.records.interface import read_interface
from road.rng import Stream, jax_stream
from road.training.compiled import CompiledAgent, Leaves, compile_agent
from road.training.config import Plan
from road.training.launch import agent_of, pick_state
from road.types import Spec


class CompiledNetwork:
    """Acts by an agent's compiled functions."""

    def __init__(self, compiled: CompiledAgent, leaves: Leaves, seed: int) -> None:
        self._compiled, self._leaves = compiled, leaves
        self._key, self._calls = jax_stream(seed, Stream.EVALUATING), itertools.count()

    def act(self, observation: NDArray[np.float32]) -> NDArray[Any]:
        """Drawn again in each call, where an agent's best actions are random."""
        rows = np.atleast_2d(observation)
        actions = self._compiled.best_action(self._leaves, rows, self._key, next(self._calls))
        return actions if observation.ndim > 1 else actions[0]

    def sample(
        self, observation: NDArray[np.float32], remaining: float, rng: np.random.Generator
    ) -> NDArray[Any]:
        del remaining, rng
        return self.act(observation)


def own_policy(plan: Plan, folder: Path) -> Policy:
    """The newest agent of a run that is still in this process."""
    state, spaces = pick_state(folder, best=False), spaces_from(read_interface(folder))
    spec = Spec(width(spaces.observation), len(spaces.low))
    compiled = compile_agent(agent_of(plan, state), spec)
    network = CompiledNetwork(compiled, state.main.agent, plan.config.seed)
    return Policy(network, spaces, f"{plan.agent_name} on {plan.task_name}")
