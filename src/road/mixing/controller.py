"""A mixer inside any training loop, in any framework.

controller = Controller(RoadMixer(), seed=0)
...  train one period with controller.offline_count(batch_size) offline rows in every batch ...
controller.end_period(offline_advantage=..., online_advantage=...)
controller.save(folder)  # then: road report FOLDER

With ``ValidatedMixer``, whose periods end by themselves, the third line becomes
controller.observe_errors([...])  # of every probe, on a transition that none has trained on
"""

from collections.abc import Mapping
from operator import index
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from road.errors import StorageError
from road.mixing.credit import Advantages, Evidence
from road.mixing.decision import Context, Decision
from road.mixing.folder import mixer_settings, read_state, write_folder
from road.mixing.logbook import Logbook
from road.mixing.mixture import Mixture
from road.mixing.period import Period, finish_period, period_from_row
from road.mixing.probe_errors import ErrorTally
from road.mixing.registry import MIXERS, Mixer

FORMAT = 2
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
        seed = index(seed)  # a NumPy number is none that JSON takes
        if seed < 0:
            raise ValueError(f"seed must be 0 or more, got {seed}")
        if total_periods is not None and total_periods < 1:
            raise ValueError(f"total_periods must be 1 or more, got {total_periods}")
        self.mixer, self.seed = mixer, seed
        self.total_periods, self.offline_rows = total_periods, offline_rows
        self._online_rows: int | None = None
        self.history: list[Period] = []
        """The periods that have ended, in order."""
        self._logbook = Logbook()
        self._errors = ErrorTally(len(getattr(mixer, "probe_mixers", ())))
        self._state: Any = mixer.init(seed)
        self._decision = self._propose(self._state, 0, None)

    @property
    def offline_ratio(self) -> float:
        """m: the share of each batch to draw from the offline data during this period."""
        if self.mixture.priorities is not None or self.mixture.held_back:
            raise ValueError(f"{self.mixer} chooses rows, not only a ratio; road train can use it")
        return self.mixture.offline_ratio

    @property
    def mixture(self) -> Mixture:
        """What this period samples."""
        return self._decision.mixture

    @property
    def decision(self) -> Decision:
        """The mixture of this period together with what led to it."""
        return self._decision

    @property
    def step(self) -> int:
        """The last step that was reported; without any, how many periods have ended."""
        return self._logbook.now

    def offline_count(self, batch_size: int) -> int:
        """How many rows of the next batch to draw from the offline data.

        Rounded so that the ratio holds over all batches of the period together. What was asked for
        is recorded with the period as its ``realised_ratio``.
        """
        if batch_size < 0:
            raise ValueError(f"batch_size must be 0 or more, got {batch_size}")
        return self._logbook.offline_count(self.offline_ratio, batch_size)

    def log_evaluation(self, score: float, *, step: int | None = None) -> None:
        """Note how the agent scores by now, on any scale on which more is better.

        A score noted before the first step is that of the pretrained agent. Without ``step`` the
        finished periods are the clock; tell it here and to ``end_period``, or to neither.
        """
        self._logbook.evaluate(score, step)

    @property
    def probe_ratios(self) -> tuple[float, ...]:
        """The constant ratios at which a mixer's probes are to be trained; empty without probes."""
        return tuple(each.offline_ratio for each in getattr(self.mixer, "probe_mixers", ()))

    def observe_errors(
        self, errors: ArrayLike, *, judge: str = "bellman", step: int | None = None
    ) -> bool:
        """Report the probes' squared errors on transitions that none of them has trained on.

        The period ends by itself when the mixer has seen as many transitions as it asks for.

        Args:
            errors: One number per probe, in the order of ``probe_ratios``; or one row of them for
                each of several transitions.
            judge: "bellman" for the distance of Q(s, a) from the bootstrapped target; "return"
                for its distance from the observed return, which only complements the other.
            step: Environment steps so far, for the report.

        Returns:
            Whether the ratio was renewed.

        Raises:
            ValueError: the mixer has no probes, or errors are missing, not finite or negative.
        """
        if not self._errors.probes:
            raise ValueError(f"{self.mixer} has no probes; ValidatedMixer follows their errors")
        before = dict(self._errors.sums), dict(self._errors.counts)
        self._errors.add(errors, judge)
        length = self._decision.steps
        if length is None or self._errors.counts["bellman"] < length:
            return False
        try:
            self.end_period(step=step)
        except ValueError:  # a step that goes back, for instance: nothing is counted then
            self._errors.sums, self._errors.counts = before
            raise
        return True

    def end_period(
        self,
        *,
        offline_advantage: float | None = None,
        online_advantage: float | None = None,
        credit: float | None = None,
        online_rows: int | None = None,
        step: int | None = None,
        **readings: float,
    ) -> Period:
        """Close the period with Delta_off and Delta_on, or with a credit of your own.

        ``online_rows`` says how much online data there is by now, to a mixer that asks for it;
        ``step`` how many environment steps were made so far, for the report. ``readings`` are what
        a mixer with another credit asks for: ``offline_change`` and ``online_change``,
        ``error_drop``, ``mean_return``.
        """
        evidence = Evidence(
            advantages_of(offline_advantage, online_advantage),
            None if credit is None else float(credit),
            {name: float(value) for name, value in readings.items()},
            self._errors.means() if any(self._errors.counts.values()) else None,
        )
        ratio_before = self.history[-1].offline_ratio if self.history else None
        period = finish_period(len(self.history), self._decision, evidence, ratio_before)
        state = self.mixer.observe(self._state, period)
        rows = self._online_rows if online_rows is None else index(online_rows)
        decision = self._propose(state, len(self.history) + 1, rows)
        self._logbook.end_period(step)  # the last that may refuse: until here nothing has changed
        self._state, self._decision, self._online_rows = state, decision, rows
        self.history.append(period)
        self._errors.clear()
        return period

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to go on later, as plain JSON-able data."""
        return {
            "format": FORMAT,
            "mixer": repr(self.mixer),
            "state": self._state,
            "online_rows": self._online_rows,
            "history": [period.as_row() for period in self.history],
            "logbook": self._logbook.state_dict(),
            **({"errors": self._errors.state_dict()} if self._errors.probes else {}),
        }

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Go on from ``state_dict``; the mixer must be the same, settings included."""
        if saved.get("format") != FORMAT:
            raise ValueError(f"state_dict has format {saved.get('format')!r}, expected {FORMAT}")
        if missing := {"mixer", "state", "history"} - set(saved):
            raise ValueError(f"state_dict lacks {', '.join(sorted(missing))}")
        if saved["mixer"] != repr(self.mixer):
            raise ValueError(f"state_dict is of {saved['mixer']}, this holds {self.mixer!r}")
        logbook, state, rows = Logbook(), saved["state"], saved.get("online_rows")
        tally = ErrorTally(self._errors.probes)
        try:
            history = [period_from_row(row) for row in saved["history"]]
            if "logbook" in saved:
                logbook.load_state_dict(saved["logbook"])
            tally.load_state_dict(saved.get("errors", tally.state_dict()))
            decision = self._propose(state, len(history), rows)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"state_dict is damaged ({what}); nothing was loaded") from error
        self._state, self._decision, self._online_rows = state, decision, rows
        self.history, self._logbook, self._errors = history, logbook, tally

    def save(
        self, folder: str | Path, *, task: str | None = None, agent: str | None = None
    ) -> Path:
        """Write what ``load`` goes on from and what ``road report FOLDER`` draws.

        The names are the report's only. Saving again replaces what was saved before.

        Raises:
            UsageError: the folder holds a run of ``road train``.
            StorageError: a file cannot be written.
        """
        folder, marks = Path(folder), self._logbook.marks
        ended = [*marks, *self._logbook.evaluations]
        config = {
            **({} if task is None else {"task": task}),
            **({} if agent is None else {"agent": {"name": agent}}),
            "mixer": mixer_settings(self.mixer, MIXERS),
            "seed": self.seed,
            "online_steps": max((row["step"] for row in ended), default=0),
            "loop": "foreign",
        }
        # A controller restored from before there was a logbook has no marks for its first periods.
        unmarked = [{}] * (len(self.history) - len(marks))
        pairs = zip(self.history, unmarked + marks, strict=True)
        periods = [{**period.as_row(), **mark} for period, mark in pairs]
        journals = {"mixer": periods, "evaluations": self._logbook.evaluations}
        write_folder(folder, config, journals, self.state_dict())
        return folder

    def load(self, folder: str | Path) -> None:
        """Go on from what ``save`` wrote; the mixer must be the same, settings included.

        Raises:
            UsageError: no controller was saved there.
            StorageError: what was saved cannot be read.
        """
        saved = read_state(Path(folder))
        try:
            self.load_state_dict(saved)
        except ValueError as error:
            if isinstance(error.__cause__, Exception):
                raise StorageError(f"{folder}: {error}; save the controller again") from error
            raise

    def _propose(self, state: Any, finished: int, online_rows: int | None) -> Decision:
        # Without a known end progress is NaN, which mixers that need it refuse, as they do unknown
        # numbers of rows: only before the first period there are certainly no online ones.
        total = self.total_periods
        progress = float("nan") if total is None else min(finished / total, 1.0)
        rows = online_rows if finished else 0
        return self.mixer.propose(state, Context(progress, self.offline_rows, rows))


def advantages_of(offline: float | None, online: float | None) -> Advantages | None:
    """Numbers of any library, both or neither."""
    if offline is not None and online is not None:
        return Advantages(float(offline), float(online))
    if offline is None and online is None:
        return None
    raise ValueError(
        f"the two advantages come together, got offline_advantage={offline} and "
        f"online_advantage={online}"
    )
