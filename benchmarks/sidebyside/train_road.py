"""Worker: our agents, by the loop that pretrains them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sidebyside import work
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler
from road.replay.transitions import pack, returns_to_go
from road.rng import Stream, jax_stream
from road.training.buffers import ACTION_LIMIT
from road.training.config import RunConfig
from road.training.process import prepare_jax
from road.types import Spec, Transition


def train(algorithm: str, seed: int, log: work.Log) -> Callable[..., NDArray[np.float32]]:
    from road.training.compiled import CompiledAgent

    prepare_jax(1)
    from road.training.learner import Learner
    from road.training.loop import pretrain
    from road.training.state import RunState

    spec = Spec(log.observation.shape[1], log.action.shape[1])
    engine = CompiledAgent(make_agent(algorithm), spec)
    sampler = MixedSampler(packed(log), OnlineBuffer(spec, 1), enough_online=1)
    config = RunConfig(seed=seed, offline_steps=work.UPDATES[algorithm], batch_size=work.BATCH)
    key = jax_stream(seed, Stream.INITIALISING)
    state = RunState((Learner(engine.init(key)),))
    for _ in pretrain(engine, sampler, config, state):
        pass
    return lambda observations: engine.best_action(state.main.agent, observations, key, 0)


def packed(log: work.Log) -> NDArray[np.float32]:
    ends = np.flatnonzero(log.terminated | log.truncated) + 1
    episodes = np.split(log.reward, ends[:-1])
    known = np.concatenate([returns_to_go(each, work.DISCOUNT) for each in episodes])
    return pack(
        Transition(
            observation=log.observation,
            action=np.clip(log.action, -ACTION_LIMIT, ACTION_LIMIT),
            reward=log.reward,
            next_observation=log.next_observation,
            terminated=log.terminated,
            return_to_go=known,
        )
    )


def make_agent(algorithm: str) -> Any:
    # After prepare_jax: these import JAX.
    from road.agents.awac import AWAC
    from road.agents.cql import CQL
    from road.agents.iql import IQL
    from road.agents.sac import SAC

    common: dict[str, Any] = {"discount": work.DISCOUNT, "target_rate": work.TARGET_RATE}
    plain: dict[str, Any] = {**common, "hidden": work.HIDDEN, "learning_rate": work.LEARNING_RATE}
    match algorithm:
        case "iql":
            return IQL(
                **plain,
                expectile=work.EXPECTILE,
                inverse_temperature=work.INVERSE_TEMPERATURE,
            )
        case "awac":
            return AWAC(**plain, temperature=work.AWAC_TEMPERATURE)
        case "sac":
            return SAC(
                **common,
                hidden=work.HIDDEN,
                critic_hidden=work.HIDDEN,
                actor_learning_rate=work.LEARNING_RATE,
                critic_learning_rate=work.LEARNING_RATE,
            )
        case _:
            return CQL(
                **common,
                hidden=work.HIDDEN,
                critic_hidden=work.HIDDEN,
                actor_learning_rate=work.CAUTIOUS_LEARNING_RATE,
                critic_learning_rate=work.LEARNING_RATE,
                conservatism=work.CONSERVATISM,
                target_gap=None,
                proposals=work.PROPOSALS,
                max_backup=work.PROPOSALS,
                calibrated=algorithm == "cal-ql",
            )


if __name__ == "__main__":
    work.serve(train)
