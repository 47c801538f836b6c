"""What can be said of an agent by logged rows alone, where there is no environment to judge it in.

    td_error          mean squared Bellman error of its critics
    advantage         Q of its own actions minus Q of the logged ones, by its own critic
    action_distance   root mean square distance of its best actions from the logged ones

None of them is a return: a critic that is wrong is wrong in the first two as well.
"""

import numpy as np
from numpy.typing import NDArray

from road.replay.transitions import unpack
from road.rng import NumpyStream, Stream, jax_stream
from road.training.compiled import CompiledAgent, Leaves

MOST_ROWS = 2048
"""Drawn from a source for one judgement."""
NAMES = ("td_error", "advantage", "action_distance")


class LogJudge:
    """Judges an agent on the same rows of both sources each time."""

    def __init__(
        self, compiled: CompiledAgent, old: NDArray[np.float32], new: NDArray[np.float32], seed: int
    ) -> None:
        draws = NumpyStream(seed, Stream.EVALUATING)
        self._compiled, self._key = compiled, jax_stream(seed, Stream.EVALUATING)
        self._rows = {
            name: draw_rows(rows, draws.at(index))
            for index, (name, rows) in enumerate({"old": old, "new": new}.items())
        }

    def __call__(self, leaves: Leaves) -> dict[str, float]:
        """Each statistic of each source, by its name in ``metrics.jsonl``."""
        return {
            f"log/{source}_{name}": value
            for source, rows in self._rows.items()
            for name, value in zip(NAMES, self.judge(leaves, rows), strict=True)
        }

    def judge(self, leaves: Leaves, rows: NDArray[np.float32]) -> tuple[float, float, float]:
        compiled, key = self._compiled, self._key
        logged = unpack(rows, compiled.spec)
        own = compiled.best_action(leaves, logged.observation, key, 0)
        distance = float(np.sqrt(np.mean(np.square(own - logged.action))))
        error = compiled.td_error(leaves, rows, key, 0)
        return error, compiled.advantage(leaves, rows, key, 0), distance


def draw_rows(rows: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))]
