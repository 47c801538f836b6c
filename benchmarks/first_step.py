"""From nothing to RLPD's first step: imports, networks, compiling without a cache, one call."""

import jax

from benchmarks.train_agents import RLPD_BATCH, RLPD_UPDATES, SPEC, random_rows
from benchmarks.workload import HIDDEN
from road.agents.rlpd import RLPD
from road.training.compiled import CompiledAgent


def main() -> None:
    engine = CompiledAgent(RLPD(HIDDEN), SPEC)
    leaves = engine.init(jax.random.key(0))
    engine.update(leaves, random_rows(RLPD_UPDATES, RLPD_BATCH), jax.random.key(1), 0)


if __name__ == "__main__":
    main()
