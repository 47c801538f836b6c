"""Worker: 256 draws by priority and 256 new priorities, on trees of three sizes."""

from collections.abc import Callable

import numpy as np

from benchmarks.window import Candidate, repeating, serve
from benchmarks.workload import BATCH
from road.replay.sum_tree import SumTree
from road.rng import NumpyStream, Stream

SIZES = {"tree-20k": 20_000, "tree-200k": 200_000, "tree-2M": 2_000_000}


def prepare() -> dict[str, Candidate]:
    candidates = {name: repeating(drawing(size)) for name, size in SIZES.items()}
    for candidate in candidates.values():
        candidate(0.2)
    return candidates


def drawing(size: int) -> Callable[[], int]:
    """What balanced replay asks of the tree in one step; the new priorities are there already."""
    rng = np.random.default_rng(0)
    tree = SumTree(size)
    tree.fill(rng.uniform(0.5, 2.0, size))
    draws = NumpyStream(0, Stream.SAMPLING_ONLINE)
    priorities = rng.uniform(0.5, 2.0, (100, BATCH))

    def work() -> int:
        for counter, new in enumerate(priorities):
            tree.set(tree.draw(1, BATCH, draws.at(counter))[0], new)
        return len(priorities)

    return work


if __name__ == "__main__":
    serve(prepare, ("numpy",))
