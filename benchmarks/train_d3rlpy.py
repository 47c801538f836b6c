"""Worker: d3rlpy's IQL, CQL and Cal-QL on its own replay buffer, in an environment of its own.

Both on all cores and on one: PyTorch's threads wait for each other at every operation, so that on
a machine which is not quiet one thread can be many times faster than two.
"""

from functools import partial
from typing import Any

import d3rlpy
import numpy as np
import torch

from benchmarks import workload
from benchmarks.window import Candidate, repeating, serve


def prepare() -> dict[str, Candidate]:
    np.random.seed(0)  # noqa: NPY002 -- d3rlpy samples from NumPy's global generator
    data = workload.random_columns(0)
    dataset = d3rlpy.dataset.MDPDataset(
        data.observation, data.action, data.reward[:, None], data.terminated
    )
    encoder = d3rlpy.models.VectorEncoderFactory(list(workload.HIDDEN))
    iql = d3rlpy.algos.IQLConfig(
        actor_learning_rate=workload.LEARNING_RATE,
        critic_learning_rate=workload.LEARNING_RATE,
        actor_encoder_factory=encoder,
        critic_encoder_factory=encoder,
        value_encoder_factory=encoder,
        batch_size=workload.BATCH,
        gamma=workload.DISCOUNT,
        tau=workload.TARGET_RATE,
        expectile=workload.EXPECTILE,
        weight_temp=workload.INVERSE_TEMPERATURE,
        compile_graph=False,
    ).create(device="cpu")
    cores = torch.get_num_threads()

    def step(agent: Any, threads: int) -> int:
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        # What d3rlpy's own fit() does per step, without its logger.
        agent.update(dataset.sample_transition_batch(workload.BATCH))
        return 1

    candidates = dict[str, Candidate]()
    for name, agent in {"train-d3rlpy": iql, **conservative(encoder)}.items():
        agent.build_with_dataset(dataset)
        candidates[name] = repeating(partial(step, agent, cores))
        candidates[f"{name}-thread"] = repeating(partial(step, agent, 1))
    for candidate in candidates.values():
        candidate(0.5)
    return candidates


def conservative(encoder: Any) -> dict[str, Any]:
    """CQL and Cal-QL with the settings that ``train_agents.py`` gives ours."""
    settings: dict[str, Any] = {
        "actor_encoder_factory": encoder,
        "critic_encoder_factory": encoder,
        "batch_size": workload.BATCH,
        "alpha_learning_rate": 0.0,
        "n_action_samples": workload.PROPOSALS,
        "max_q_backup": True,
    }
    kinds = {"d3rlpy-cql": d3rlpy.algos.CQLConfig, "d3rlpy-cal-ql": d3rlpy.algos.CalQLConfig}
    return {name: kind(**settings).create(device="cpu") for name, kind in kinds.items()}


if __name__ == "__main__":
    serve(prepare, ("numpy", "torch", "d3rlpy"))
