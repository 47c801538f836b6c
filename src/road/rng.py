"""Every draw of a run comes from (seed, named stream, learner, counter): no generator is kept.

So a run continues exactly from its counters, evaluating more often changes nothing else, and no
checkpoint holds a generator's state.
"""

from enum import IntEnum

import jax
import numpy as np
from jaxtyping import PRNGKeyArray


class Stream(IntEnum):
    """What randomness is used for. Numbers are part of every run's identity: never reuse one."""

    INITIALISING = 0
    ACTING = 1
    SAMPLING_OFFLINE = 2
    SAMPLING_ONLINE = 3
    UPDATING_OFFLINE = 4
    UPDATING_ONLINE = 5
    MEASURING = 6
    EVALUATING = 7
    RESETTING = 8
    WARMING = 9
    REWEIGHTING = 10
    SCORING = 11
    APPRAISING = 12


LEARNER = 1_000
"""Distance between the streams of two learners; there are far fewer streams."""


def jax_stream(seed: int, stream: Stream, learner: int = 0) -> PRNGKeyArray:
    """The key of a learner's stream; ``jax.random.fold_in(key, counter)`` is one draw's key."""
    return jax.random.fold_in(jax.random.key(seed), stream + LEARNER * learner)


class NumpyStream:
    """The NumPy side of a stream: a generator that is put on a counter before each use."""

    def __init__(self, seed: int, stream: Stream, learner: int = 0) -> None:
        number = int(stream) + LEARNER * learner
        key = np.random.SeedSequence([seed, number]).generate_state(2, np.uint64)
        self._generator = np.random.Generator(np.random.Philox(key=key))
        self._state = self._generator.bit_generator.state

    def at(self, counter: int, part: int = 0) -> np.random.Generator:
        """The generator of one draw. Valid until the next call: the same object is moved."""
        # Philox counts blocks in the low word; ours are the upper ones, so draws cannot overlap.
        self._state["state"]["counter"][:] = (0, counter, part, 0)
        self._generator.bit_generator.state = self._state
        return self._generator
