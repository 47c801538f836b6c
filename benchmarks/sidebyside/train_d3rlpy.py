"""Worker: d3rlpy's algorithms, set as ours are. Runs in an environment of its own."""

from collections.abc import Callable
from typing import Any

import d3rlpy
import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.sidebyside import work


def train(algorithm: str, seed: int, log: work.Log) -> Callable[..., NDArray[np.float32]]:
    torch.set_num_threads(1)
    d3rlpy.seed(seed)
    dataset = d3rlpy.dataset.MDPDataset(
        log.observation,
        log.action,
        log.reward[:, None],
        log.terminated.astype(np.float32),
        log.truncated.astype(np.float32),
        action_space=d3rlpy.ActionSpace.CONTINUOUS,
    )
    agent = make_config(algorithm).create(device="cpu")
    agent.build_with_dataset(dataset)
    for _ in range(work.UPDATES[algorithm]):
        # What d3rlpy's own fit() does per step, without its logger.
        agent.update(dataset.sample_transition_batch(work.BATCH))
    return agent.predict


def make_config(algorithm: str) -> Any:
    encoder = d3rlpy.models.VectorEncoderFactory(list(work.HIDDEN))
    plain: dict[str, Any] = {
        "batch_size": work.BATCH,
        "gamma": work.DISCOUNT,
        "tau": work.TARGET_RATE,
        "critic_learning_rate": work.LEARNING_RATE,
        "actor_learning_rate": work.LEARNING_RATE,
        "actor_encoder_factory": encoder,
        "critic_encoder_factory": encoder,
    }
    match algorithm:
        case "iql":
            return d3rlpy.algos.IQLConfig(
                **plain,
                value_encoder_factory=encoder,
                expectile=work.EXPECTILE,
                weight_temp=work.INVERSE_TEMPERATURE,
            )
        case "awac":
            return d3rlpy.algos.AWACConfig(**plain, lam=work.AWAC_TEMPERATURE)
        case "sac":
            return d3rlpy.algos.SACConfig(**plain, temp_learning_rate=work.LEARNING_RATE)
        case _:
            kinds = {"cql": d3rlpy.algos.CQLConfig, "cal-ql": d3rlpy.algos.CalQLConfig}
            slow = work.CAUTIOUS_LEARNING_RATE
            cautious = {"actor_learning_rate": slow, "temp_learning_rate": slow}
            return kinds[algorithm](
                **{**plain, **cautious},
                alpha_learning_rate=0.0,  # a fixed weight
                conservative_weight=work.CONSERVATISM,
                n_action_samples=work.PROPOSALS,
                max_q_backup=True,
            )


if __name__ == "__main__":
    work.serve(train)
