"""Which ratios other settings of ``validated`` would have chosen, on the errors a run recorded.

Every probe is judged on every transition and trains at its own ratio, whatever the main learner
does. So nothing has to be guessed: on the recorded errors a replay chooses exactly what those
settings choose. The errors themselves are those of this run: at another ratio the main learner
would have collected other transitions, and probes would have trained on them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from road.mixing.credit import Evidence, ProbeErrors
from road.mixing.decision import Context
from road.mixing.period import finish_period
from road.mixing.probe_errors import JUDGES
from road.mixing.validated import ValidatedMixer


@dataclass(frozen=True)
class RecordedErrors:
    """The mean errors of every interval, in order, by judge and probe."""

    ratios: tuple[float, ...]
    """Of the probes."""
    intervals: tuple[ProbeErrors, ...]

    def among(self, ratios: Sequence[float]) -> "RecordedErrors":
        """The same intervals with some of the probes only."""
        if never := sorted(set(ratios) - set(self.ratios)):
            raise ValueError(
                f"no probe had the ratio {', '.join(f'{each:g}' for each in never)}; the run has "
                f"{', '.join(f'{each:g}' for each in self.ratios)}"
            )
        at = [self.ratios.index(each) for each in ratios]
        intervals = tuple(
            {judge: each and tuple(each[k] for k in at) for judge, each in errors.items()}
            for errors in self.intervals
        )
        return RecordedErrors(tuple(ratios), intervals)


def recorded_errors(ratios: Sequence[float], errors: Mapping[str, ArrayLike]) -> RecordedErrors:
    """What can be replayed, of a table per judge: a row per interval and a column per probe.

    Rows that are not finite throughout were not judged. A ``ValueError`` says why there is nothing
    to replay.
    """
    tables = {judge: np.asarray(errors[judge], np.float64) for judge in JUDGES if judge in errors}
    if not any(np.isfinite(table).all(axis=1).any() for table in tables.values()):
        raise ValueError("no errors of probes were recorded")
    length = max(map(len, tables.values()))
    intervals = tuple(
        {judge: judged(table[index].tolist()) for judge, table in tables.items()}
        for index in range(length)
    )
    return RecordedErrors(tuple(ratios), intervals)


def judged(errors: list[float]) -> tuple[float, ...] | None:
    return tuple(errors) if np.isfinite(errors).all() else None


def replay_errors(run: RecordedErrors, mixer: ValidatedMixer) -> list[float]:
    """The ratio that the mixer would have chosen at the beginning of every recorded interval.

    Raises:
        ValueError: the run had no probe at one of the mixer's ratios.
    """
    state, chosen = mixer.init(0), list[float]()
    for index, errors in enumerate(run.among(mixer.ratios).intervals):
        decision = mixer.propose(state, Context())
        chosen.append(decision.offline_ratio)
        evidence = Evidence(probe_errors=errors)
        state = mixer.observe(state, finish_period(index, decision, evidence, None))
    return chosen
