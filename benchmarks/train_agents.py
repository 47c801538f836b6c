"""Worker: one update of every agent, and the machine's own rate of matrix products.

The online step of each agent as the loop calls it: packed rows to the device, one call, the check
of its metrics. Rows are drawn once; what drawing costs is measured elsewhere.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import flops, workload
from benchmarks.window import Candidate, repeating, serve
from road.training.process import prepare_jax
from road.types import Spec

SPEC = Spec(workload.OBSERVATION_DIM, workload.ACTION_DIM)
MATRIX = (7680, 256, 256)
RLPD_UPDATES, RLPD_BATCH = 20, 128

UPDATES: Mapping[str, int] = {"rlpd": RLPD_UPDATES}
"""Per call; one where not named."""
BATCHES: Mapping[str, int] = {"rlpd": RLPD_BATCH}

OPERATIONS: Mapping[str, int] = {
    "iql": flops.iql(),
    "pex": flops.pex(),
    "proto": flops.proto(),
    "rlpd": flops.rlpd(RLPD_UPDATES, RLPD_BATCH, members=10, subset=2),
    "cql": flops.cql(workload.PROPOSALS, workload.PROPOSALS),
    "cal-ql": flops.cql(workload.PROPOSALS, workload.PROPOSALS),
}
"""Floating-point operations per call."""


def prepare() -> dict[str, Candidate]:
    prepare_jax()  # as the command line does
    candidates: dict[str, Candidate] = {
        f"agent-{name}": repeating(Step(name, agent)) for name, agent in agents().items()
    }
    for candidate in candidates.values():
        candidate(0.5)
    return {**candidates, **matrix_products()}


def agents() -> dict[str, Any]:
    # After prepare_jax: these import JAX.
    from road.agents.cql import CQL
    from road.agents.iql import IQL
    from road.agents.pex import PEX
    from road.agents.proto import PROTO
    from road.agents.rlpd import RLPD

    hidden = workload.HIDDEN
    count = workload.PROPOSALS
    cautious = CQL(hidden, hidden, proposals=count, max_backup=count, target_gap=None)
    return {
        "iql": IQL(hidden),
        "pex": PEX(hidden),
        "proto": PROTO(hidden),
        "rlpd": RLPD(hidden),
        "cql": cautious,
        "cal-ql": CQL(**{**vars(cautious), "calibrated": True}),
    }


class Step:
    """One online step's learning; counts calls."""

    def __init__(self, name: str, agent: Any) -> None:
        import jax

        from road.training.compiled import CompiledAgent

        self._engine = CompiledAgent(agent, SPEC)
        self._leaves = self._engine.init(jax.random.key(0))
        shape = (UPDATES.get(name, 1), BATCHES.get(name, workload.BATCH))
        self._rows = random_rows(*shape)
        self._key, self._done = jax.random.key(1), 0

    def __call__(self) -> int:
        self._leaves, metrics = self._engine.update(self._leaves, self._rows, self._key, self._done)
        metrics.check(self._done, "online")
        self._done += 1
        return 1


def random_rows(updates: int, batch: int) -> Any:
    from road.replay.transitions import row_width

    rng = np.random.default_rng(0)
    rows = rng.standard_normal((updates, batch, row_width(SPEC)), np.float32)
    actions = slice(SPEC.observation_dim, SPEC.observation_dim + SPEC.action_dim)
    rows[..., actions] = np.tanh(rows[..., actions])
    rows[..., -2] = 0.0  # nothing ends
    return rows


def matrix_products() -> dict[str, Candidate]:
    """By NumPy and by JAX: the faster of the two in a round is the yardstick."""
    import jax

    rows, inner, columns = MATRIX
    left = np.random.default_rng(0).standard_normal((rows, inner), np.float32)
    right = left[:columns].copy()
    product = jax.jit(lambda a, b: a @ b)
    device = jax.device_put((left, right))

    def by_numpy() -> int:
        np.matmul(left, right)
        return 1

    def by_jax() -> int:
        product(*device).block_until_ready()
        return 1

    by_jax()
    return {"matrix-numpy": repeating(by_numpy), "matrix-jax": repeating(by_jax)}


MATRIX_OPERATIONS = 2 * MATRIX[0] * MATRIX[1] * MATRIX[2]


if __name__ == "__main__":
    serve(prepare, ("numpy", "jax", "jaxlib", "equinox", "optax"))
