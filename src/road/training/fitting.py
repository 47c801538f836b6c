"""Whether a saved state fits the run that is to go on from it.

A checksum says that a file is as it was written, and not who wrote it. So types, shapes and counts
are compared with the plan's before they are used.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from road.errors import DamagedError
from road.mixing import Context, Mixer
from road.records.journal import JOURNALS
from road.rng import Stream, jax_stream
from road.training.compiled import CompiledAgent, Leaves
from road.training.config import Plan, RunConfig
from road.training.learner import Learner
from road.training.probe_learners import CompiledProbes
from road.training.state import NONSENSE, RunState

MOST = 2**53
"""Of anything that is counted in a checkpoint."""


def refuse(what: str) -> None:
    raise DamagedError(
        f"a checkpoint does not fit its plan: {what}; delete it, or start that run again"
    )


def refusing(use: Callable[..., Any], *parts: Any) -> None:
    """Use parts of a checkpoint that only their owner can judge."""
    try:
        use(*parts)
    except NONSENSE as error:
        refuse(f"{type(error).__name__}: {error}")


def check_state(
    state: RunState, plan: Plan, agent: CompiledAgent, probes: CompiledProbes | None
) -> None:
    """Types, shapes and counts of a whole state, before any of them is used."""
    config, mixers = plan.config, plan.mixers
    check_counts(state, config, len(mixers), agent.spec.action_dim)
    expected = agent.init(jax_stream(config.seed, Stream.INITIALISING))
    for index, learner in enumerate(state.learners):
        if index == 1 and probes is not None:
            expected = probes.start(state.main.agent)
        check_learner(learner, expected, mixers[index], config.seed)
        refusing(mixers[index].propose, learner.mixer, Context(0.0, 1, 0, None))


def check_counts(state: RunState, config: RunConfig, learners: int, width: int) -> None:
    """Counters, the replay buffer's, the running episode and the journals' lengths."""
    counters, lengths = state.counters, state.journals
    if len(state.learners) not in ({1} if counters.phase == "offline" else {1, learners}):
        refuse(f"it has {len(state.learners)} learners, of {learners}")
    if not set(lengths) <= set(JOURNALS):
        refuse(f"its journals are {', '.join(lengths)}")
    check_actions(state, width)
    check_bounds(
        ("offline_updates", counters.offline_updates, config.offline_steps),
        ("online_steps", counters.online_steps, config.online_steps),
        ("evaluations", counters.evaluations, MOST),
        ("episode", counters.episode, config.online_steps),
        ("online rows written", state.online_written, config.online_steps),
        ("online rows of the running episode", state.online_running, state.online_written),
        *((name, length, MOST) for name, length in lengths.items()),
    )


def check_bounds(*counts: tuple[str, Any, int]) -> None:
    for name, count, most in counts:
        if type(count) is not int or not 0 <= count <= most:
            refuse(f"{name} is {count!r}, of {most} at most")


def check_actions(state: RunState, width: int) -> None:
    actions = state.episode_actions
    if (state.online_rows is None) != (actions is None):
        refuse("it has online rows or a running episode, and not both")
    if actions is None:
        return
    fits = actions.dtype == np.float32 and actions.shape[1:] == (width,)
    if not fits or not np.isfinite(actions).all() or len(actions) > state.counters.online_steps:
        refuse(f"actions of its running episode have shape {actions.shape}")


def check_learner(learner: Learner, expected: Leaves, mixer: Mixer[Any], seed: int) -> None:
    """Weights as the agent has them, and a mixer's state as the mixer has it."""
    for name, leaves in {"agent": learner.agent, **learner.snapshots}.items():
        if [(each.shape, each.dtype) for each in leaves] != [
            (each.shape, each.dtype) for each in expected
        ]:
            refuse(f"weights of {name} have other shapes than the agent's")
    if not alike(learner.mixer, mixer.init(seed)):
        refuse(f"it holds no state of {type(mixer).__name__}")
    for name, value in vars(learner.period).items():
        if isinstance(value, int | float) and name != "raw_return" and not 0 <= value < np.inf:
            refuse(f"{name} of its period is {value}")


def alike(value: Any, pattern: Any) -> bool:
    """Whether plain data has the structure of other plain data; what is empty there may grow."""
    if isinstance(pattern, Mapping):
        if not isinstance(value, Mapping) or (pattern and set(value) != set(pattern)):
            return False
        return all(alike(value[name], each) for name, each in pattern.items())
    if isinstance(pattern, list):
        return isinstance(value, list) and same_items(value, pattern)
    if isinstance(pattern, bool | str):
        return type(value) is type(pattern)
    if isinstance(pattern, int | float):
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return True


def same_items(value: Sequence[Any], pattern: Sequence[Any]) -> bool:
    if not pattern:
        return all(isinstance(each, int | float | str | list | Mapping) for each in value)
    return len(value) == len(pattern) and all(
        alike(each, one) for each, one in zip(value, pattern, strict=True)
    )


def check_arrays(found: Mapping[str, Any], expected: Mapping[str, Any], what: str) -> None:
    """Arrays by name: as many, of the same shapes and kinds of number."""
    if {n: (a.shape, a.dtype) for n, a in found.items()} != {
        n: (a.shape, a.dtype) for n, a in expected.items()
    }:
        refuse(f"{what} have other shapes than the run's")
