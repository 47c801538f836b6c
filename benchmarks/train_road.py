"""Worker: our IQL step, the same on bare dictionaries, and mixed sampling from two full buffers."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import workload
from benchmarks.window import Candidate, repeating, serve
from road.mixing import Mixture
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler
from road.replay.transitions import pack
from road.rng import NumpyStream, Stream, jax_stream
from road.training.config import RunConfig
from road.training.loop import STACK, pretrain
from road.training.process import prepare_jax
from road.types import Spec, Transition

SPEC = Spec(workload.OBSERVATION_DIM, workload.ACTION_DIM)
FOREVER = 10**9
MIXTURE = Mixture(0.5)


def prepare() -> dict[str, Candidate]:
    prepare_jax()  # as the command line does
    sampler = full_sampler()
    candidates = {
        **training_candidates(sampler),
        "sample": repeating(partial(sample, sampler, NumpyStream(0, Stream.SAMPLING_ONLINE))),
    }
    for candidate in candidates.values():
        candidate(0.5)
    return candidates


def full_sampler() -> MixedSampler:
    online = OnlineBuffer(SPEC, workload.ROWS)
    online.restore(packed_rows(1), workload.ROWS, 0)
    return MixedSampler(packed_rows(0), online, enough_online=workload.BATCH)


def packed_rows(seed: int) -> NDArray[np.float32]:
    data = workload.random_columns(seed)
    return pack(
        Transition(
            observation=data.observation,
            action=data.action,
            reward=data.reward,
            next_observation=np.roll(data.observation, -1, axis=0),
            terminated=data.terminated,
            return_to_go=np.zeros_like(data.reward),
        )
    )


def sample(sampler: MixedSampler, draws: NumpyStream) -> int:
    for counter in range(100):
        sampler.sample(MIXTURE, 1, workload.BATCH, draws.at(counter))
    return 100 * workload.BATCH


def training_candidates(sampler: MixedSampler) -> dict[str, Candidate]:
    # After prepare_jax: these import JAX.
    from road.agents.iql import IQL
    from road.training.compiled import CompiledAgent
    from road.training.learner import Learner
    from road.training.state import RunState

    iql = IQL(
        hidden=workload.HIDDEN,
        learning_rate=workload.LEARNING_RATE,
        discount=workload.DISCOUNT,
        expectile=workload.EXPECTILE,
        inverse_temperature=workload.INVERSE_TEMPERATURE,
        target_rate=workload.TARGET_RATE,
    )
    engine = CompiledAgent(iql, SPEC)
    # Not engine.init: compiled in one piece, the wide layers' factorisations may wait for each
    # other for ever (see the README).
    leaves = engine.leaves(iql.init(jax_stream(0, Stream.INITIALISING), SPEC))
    check_alike(engine, leaves, sampler)

    config = RunConfig(offline_steps=FOREVER, batch_size=workload.BATCH)
    loop = pretrain(engine, sampler, config, RunState((Learner(leaves),)))
    return {
        "train-road-stack": repeating(lambda: len(next(loop).table)),
        "train-road-single": repeating(OursOnline(engine, leaves, sampler)),
        "train-bare-stack": repeating(
            Bare(bare_state(engine, leaves), sampler, STACK, Mixture(1.0))
        ),
        "train-bare-single": repeating(Bare(bare_state(engine, leaves), sampler, 1, MIXTURE)),
    }


class OursOnline:
    """The learning half of one online step: draw one mixed batch, update, check."""

    def __init__(self, engine: Any, leaves: Any, sampler: MixedSampler) -> None:
        self._engine, self._leaves, self._sampler = engine, leaves, sampler
        self._draws = NumpyStream(0, Stream.SAMPLING_ONLINE)
        self._key = jax_stream(0, Stream.UPDATING_ONLINE)
        self._done = 0

    def __call__(self) -> int:
        rng = self._draws.at(self._done)
        rows = self._sampler.sample(MIXTURE, 1, workload.BATCH, rng).rows
        self._leaves, metrics = self._engine.update(self._leaves, rows, self._key, self._done)
        metrics.check(self._done, "online")
        self._done += 1
        return 1


class Bare:
    """The same draws and checks around an update on plain dictionaries."""

    def __init__(self, state: Any, sampler: MixedSampler, updates: int, mixture: Mixture) -> None:
        self._state, self._sampler, self._updates, self._mixture = state, sampler, updates, mixture
        self._draws = NumpyStream(0, Stream.SAMPLING_ONLINE)
        self._done = 0

    def __call__(self) -> int:
        from benchmarks import bare_iql

        rng = self._draws.at(self._done)
        rows = self._sampler.sample(self._mixture, self._updates, workload.BATCH, rng).rows
        self._state, table = bare_iql.update(self._state, rows)
        if not np.isfinite(np.asarray(table)).all():
            raise ArithmeticError(f"not finite after {self._done} updates")
        self._done += self._updates
        return self._updates


def bare_state(engine: Any, leaves: Any) -> Any:
    from benchmarks import bare_iql

    state = engine.tree(leaves)
    actor = state.actor.model
    return bare_iql.init(
        actor={"layers": layers(actor.network), "log_std": actor.log_std},
        critic=layers(state.critic.model.members),
        value=layers(state.value.model.network),
    )


def layers(network: Any) -> list[dict[str, Any]]:
    return [{"weight": layer.weight, "bias": layer.bias} for layer in network.layers]


def check_alike(engine: Any, leaves: Any, sampler: MixedSampler) -> None:
    """A comparison of two updates means something only if they compute the same."""
    from benchmarks import bare_iql

    draws = NumpyStream(0, Stream.SAMPLING_OFFLINE)
    rows = sampler.sample(MIXTURE, STACK, workload.BATCH, draws.at(0)).rows
    _, ours = engine.update(leaves, rows, jax_stream(0, Stream.UPDATING_OFFLINE), 0)
    _, bare = bare_iql.update(bare_state(engine, leaves), rows)
    np.testing.assert_allclose(ours.table, np.asarray(bare), rtol=1e-3, atol=1e-5)


if __name__ == "__main__":
    serve(prepare, ("numpy", "jax", "jaxlib", "equinox", "optax"))
