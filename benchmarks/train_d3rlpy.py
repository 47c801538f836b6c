"""Worker: d3rlpy's IQL on its own replay buffer. Runs in an environment of its own.

Both on all cores and on one: PyTorch's threads wait for each other at every operation, so that on
a machine which is not quiet one thread can be many times faster than two.
"""

from functools import partial

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
    iql.build_with_dataset(dataset)

    cores = torch.get_num_threads()

    def step(threads: int) -> int:
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        # What d3rlpy's own fit() does per step, without its logger.
        iql.update(dataset.sample_transition_batch(workload.BATCH))
        return 1

    candidates = {
        "train-d3rlpy": repeating(partial(step, cores)),
        "train-d3rlpy-thread": repeating(partial(step, 1)),
    }
    for candidate in candidates.values():
        candidate(0.5)
    return candidates


if __name__ == "__main__":
    serve(prepare, ("numpy", "torch", "d3rlpy"))
