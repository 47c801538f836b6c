"""A mixer inside a loop that is not ours, in any framework.

controller = Controller(RoadMixer(), seed=0)
...  train one period with controller.offline_ratio ...
controller.end_period(offline_advantage=..., online_advantage=...)
"""

from collections.abc import Mapping
from typing import Any

from road.mixing.evidence import Evidence
from road.mixing.mixers import Mixer
from road.mixing.mixture import Mixture, Moment
from road.mixing.period import Period, finished_period, period_from_row
from road.mixing.surrogate import Advantages

FORMAT = 1
"""Version of ``state_dict``."""


class Controller:
    """Holds a mixer and its state; the ratio is fixed until ``end_period`` is called."""

    def __init__(
        self,
        mixer: Mixer[Any],
        *,
        seed: int = 0,
        total_periods: int | None = None,
        offline_rows: int | None = None,
    ) -> None:
        """Start at the first period.

        Args:
            mixer: The strategy.
            seed: For strategies that draw.
            total_periods: How many periods the online phase has; only a mixer that follows a
                schedule (``DecreasingMixer``) needs it.
            offline_rows: How much offline data there is; only a mixer that goes by the sizes of
                the sources (``AppendMixer``, ``ProportionalMixer``) needs it.
        """
        if seed < 0:
            raise ValueError(f"seed must be 0 or more, got {seed}")
        if total_periods is not None and total_periods < 1:
            raise ValueError(f"total_periods must be 1 or more, got {total_periods}")
        self.mixer = mixer
        self.total_periods, self.offline_rows = total_periods, offline_rows
        self._online_rows = 0
        self.history: list[Period] = []
        self._state: Any = mixer.init(seed)
        self._mixture = self._propose()

    @property
    def offline_ratio(self) -> float:
        """m: the share of each batch to draw from the offline data during this period."""
        return self._mixture.offline_ratio

    @property
    def mixture(self) -> Mixture:
        """The ratio of this period together with what led to it."""
        return self._mixture

    def end_period(
        self,
        *,
        offline_advantage: float | None = None,
        online_advantage: float | None = None,
        credit: float | None = None,
        online_rows: int | None = None,
    ) -> Period:
        """Close the period with Delta_off and Delta_on, or with a credit of your own.

        ``online_rows`` says how much online data there is by now, to a mixer that asks for it.
        """
        if (offline_advantage is None) != (online_advantage is None):
            raise ValueError(
                f"the two advantages come together, got offline_advantage={offline_advantage} "
                f"and online_advantage={online_advantage}"
            )
        seen = None
        if offline_advantage is not None and online_advantage is not None:
            seen = Advantages(float(offline_advantage), float(online_advantage))
        evidence = Evidence(seen, None if credit is None else float(credit))

        before = self.history[-1].offline_ratio if self.history else None
        period = finished_period(len(self.history), self._mixture, evidence, before)
        self._state = self.mixer.observe(self._state, self._mixture, evidence)
        self.history.append(period)
        self._online_rows = self._online_rows if online_rows is None else online_rows
        self._mixture = self._propose()
        return period

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to go on later, as plain JSON-able data."""
        return {
            "format": FORMAT,
            "mixer": repr(self.mixer),
            "state": self._state,
            "online_rows": self._online_rows,
            "history": [period.as_row() for period in self.history],
        }

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``; the mixer must be the same, settings included."""
        if saved.get("format") != FORMAT:
            raise ValueError(f"state_dict has format {saved.get('format')!r}, expected {FORMAT}")
        if missing := {"mixer", "state", "history"} - set(saved):
            raise ValueError(f"state_dict lacks {', '.join(sorted(missing))}")
        if saved["mixer"] != repr(self.mixer):
            raise ValueError(f"state_dict is of {saved['mixer']}, this holds {self.mixer!r}")
        history = [period_from_row(row) for row in saved["history"]]
        self._state, self.history = saved["state"], history
        self._online_rows = int(saved.get("online_rows", 0))
        self._mixture = self._propose()

    def _propose(self) -> Mixture:
        # Without a known end there is no progress to speak of; NaN is refused by those who need it.
        total = self.total_periods
        progress = float("nan") if total is None else min(len(self.history) / total, 1.0)
        moment = Moment(progress, self.offline_rows, self._online_rows)
        return self.mixer.propose(self._state, moment)
