"""How far a run has come, from whatever its files say."""

import math
from dataclasses import dataclass

import numpy as np

from road.report.journal import Table, number
from road.report.load import RunRecord


@dataclass(frozen=True)
class Progress:
    """Steps done against steps planned: updates offline, environment steps online."""

    offline_steps: int
    offline_steps_planned: int
    online_steps: int
    online_steps_planned: int

    @property
    def finished(self) -> bool:
        return (
            self.offline_steps >= self.offline_steps_planned
            and self.online_steps >= self.online_steps_planned
        )

    def __str__(self) -> str:
        """The phase a run is in, such as "4,000 of 10,000 online steps"."""
        if self.offline_steps < self.offline_steps_planned and not self.online_steps:
            return f"{self.offline_steps:,} of {self.offline_steps_planned:,} offline steps"
        return f"{self.online_steps:,} of {self.online_steps_planned:,} online steps"


def measure_progress(run: RunRecord) -> Progress:
    def planned(key: str) -> int:
        steps = number(run.config.get(key))
        return 0 if math.isnan(steps) else int(steps)

    def done(phase: str, *others: Table) -> int:
        tables = (run.metrics.in_phase(phase), run.evaluations.in_phase(phase), *others)
        steps = np.concatenate([table["step"] for table in tables])
        return int(np.nanmax(steps)) if np.isfinite(steps).any() else 0

    # A run that is online has pretrained to the end, even if its last offline rows came before.
    online = run.evaluations.in_phase("online").length > 0
    return Progress(
        offline_steps=planned("offline_steps") if online else done("offline"),
        offline_steps_planned=planned("offline_steps"),
        online_steps=done("online", run.periods, run.episodes),
        online_steps_planned=planned("online_steps"),
    )
