"""What a loop reports beyond its periods: how many rows it drew, when, and the agent's scores."""

from collections.abc import Mapping
from typing import Any

from road.mixing.credit import check_finite

Row = dict[str, Any]


class Logbook:
    """Counts the rows of the running period; keeps a mark for every finished one, and scores.

    The clock is the loop's own steps, if it reports them, else the periods.
    """

    def __init__(self) -> None:
        self.marks: list[Row] = []
        self.evaluations: list[Row] = []
        self._offline_rows = self._rows = self.now = 0
        self._steps_reported: bool | None = None
        """Whether steps are reported; not known before the first time."""

    def offline_count(self, offline_ratio: float, batch_size: int) -> int:
        """How many of the next rows are offline, so that all rows of the period keep the ratio."""
        self._rows += batch_size
        count = int(offline_ratio * self._rows + 0.5) - self._offline_rows
        self._offline_rows += count
        return count

    def end_period(self, step: int | None) -> None:
        began = self.marks[-1]["step"] if self.marks else 0
        step = self._time(step, len(self.marks) + 1)
        realised = self._offline_rows / self._rows if self._rows else None
        self.marks.append({"step": step, "steps": step - began, "realised_ratio": realised})
        self._offline_rows = self._rows = 0

    def evaluate(self, score: float, step: int | None) -> None:
        check_finite("score", score)
        step = self._time(step, len(self.marks))
        self.evaluations.append({"phase": "online", "step": step, "score": float(score)})

    def _time(self, step: int | None, periods: int) -> int:
        reported = step is not None
        if self._steps_reported not in (None, reported):
            raise ValueError(
                "report the step every time or never: a period and a score share a clock"
            )
        if step is not None and step < self.now:
            raise ValueError(f"step must not go back, got {step} after {self.now}")
        self._steps_reported, self.now = reported, periods if step is None else int(step)
        return self.now

    def state_dict(self) -> Row:
        return {
            "marks": list(self.marks),
            "evaluations": list(self.evaluations),
            "drawn": [self._offline_rows, self._rows],
            "now": self.now,
            "steps_reported": self._steps_reported,
        }

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        self.marks, self.evaluations = list(saved["marks"]), list(saved["evaluations"])
        self._offline_rows, self._rows = saved["drawn"]
        self.now, self._steps_reported = saved["now"], saved["steps_reported"]
