"""Run folders as training leaves them, without the training."""

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np

from road.records.folder import CONFIG, INTERFACE
from road.training.checkpoint import save_checkpoint
from road.training.compiled import compile_agent
from road.training.interface import describe_interface
from road.training.learner import Learner
from road.training.state import Counters, RunState
from road.types import AnyAgent, Spec

SPEC = Spec(observation_dim=5, action_dim=2)
SPACES: dict[str, Any] = {
    "observation": {"kind": "box", "shape": [5]},
    "normaliser": {"mean": [0.5, 0.0, -1.0, 2.0, 0.0], "spread": [1.0, 2.0, 0.5, 1.0, 0.001]},
    "action": {"low": [-2.0, 0.0], "high": [2.0, 10.0], "dtype": "float64"},
}


def write_run(
    folder: Path,
    agent: AnyAgent,
    spaces: dict[str, Any] = SPACES,
    spec: Spec = SPEC,
    **more: Any,
) -> Any:
    """A folder with one checkpoint of an agent; gives its state."""
    compiled = compile_agent(agent, spec)
    key = jax.random.key(1)
    rng = np.random.default_rng(5)
    # Weights that no layer has at its beginning, without the time that training takes to compile.
    state = jax.tree.map(
        lambda leaf: jax.numpy.asarray(leaf + 0.05 * rng.normal(size=leaf.shape), leaf.dtype),
        agent.init(key, spec),
    )
    counters = Counters(phase="done", online_steps=7)
    saved = RunState((Learner(compiled.leaves(state)),), counters)
    save_checkpoint(folder / "checkpoints", 7, saved.arrays(), saved.document(), None)
    config = {"format": 1, "task": "toy", "agent": {"name": "toy"}, "online_steps": 7, **more}
    (folder / CONFIG).write_text(json.dumps(config))
    (folder / INTERFACE).write_text(json.dumps(describe_interface(spaces, None, compiled)))
    return state


def observations(rows: int) -> np.ndarray[Any, Any]:
    """As different as those that the normaliser was made for."""
    scale = SPACES["normaliser"]
    noise = np.random.default_rng(3).normal(size=(rows, 5))
    return (np.array(scale["mean"]) + np.array(scale["spread"]) * noise).astype(np.float32)


def standardised(seen: np.ndarray[Any, Any]) -> jax.Array:
    scale = SPACES["normaliser"]
    mean, spread = (np.array(scale[name], np.float32) for name in ("mean", "spread"))
    return jax.numpy.asarray((seen - mean) / spread)
