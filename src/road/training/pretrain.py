"""The offline phase: updates on the dataset alone."""

from collections.abc import Iterator

from road.mixing import Mixture
from road.randomness import NumpyStream, Stream, jax_stream
from road.replay.sampler import MixedSampler
from road.training.config import RunConfig
from road.training.engine import Engine, Metrics
from road.training.state import RunState

ALL_OFFLINE = Mixture(1.0)
STACK = 50
"""Updates per call into the compiled code, where dispatching would otherwise cost the most."""


def pretrain(
    engine: Engine, sampler: MixedSampler, config: RunConfig, state: RunState
) -> Iterator[Metrics]:
    """Train to the end of the phase; at every yield the state is whole and may be saved."""
    draws = NumpyStream(config.seed, Stream.SAMPLING_OFFLINE)
    key = jax_stream(config.seed, Stream.UPDATING_OFFLINE)
    counters = state.counters
    while counters.offline_updates < config.offline_steps:
        done = counters.offline_updates
        # Stacks start at multiples of STACK, so a resumed run cuts them as the first one did.
        updates = min(STACK - done % STACK, config.offline_steps - done)
        stack = sampler.sample(ALL_OFFLINE, updates, config.batch_size, draws.at(done))
        state.agent, metrics = engine.update(state.agent, stack.rows, key, done)
        metrics.check(done, "offline")
        counters.offline_updates += updates
        yield metrics


def stack_before(step: int) -> int:
    """Where the stack began that ended at this step."""
    return (step - 1) // STACK * STACK
