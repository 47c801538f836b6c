"""Everything a page about a comparison is made from, as plain arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from road.records.journal import Floats
from road.report.draw.curves import MethodCurves, Pretraining
from road.report.grid.cells import Results
from road.report.grid.placed import Informed, KnobSetting, RunSettings
from road.statistics import ScoreTable


@dataclass(frozen=True)
class GridResults:
    """Scores of a grid, and what else is known of its runs.

    Mappings are by task, arrays in the order of ``table.methods``; a task may be absent from any.
    """

    title: str
    table: ScoreTable
    """Final scores, or what else ``judged_by`` says; NaN where a run is missing."""
    fixed: tuple[int, ...] = ()
    """Which methods are constant ratios."""
    kinds: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The methods of each kind of mixer, such as the fixed ratios."""
    subject: str = "ROAD"
    """The method that the page is about."""
    command: str = ""
    """The command that reproduces these results."""
    paper: Results | None = None
    curves: Mapping[str, tuple[MethodCurves, ...]] = field(default_factory=dict)
    pretraining: Mapping[str, Pretraining] = field(default_factory=dict)
    ratios: Mapping[str, Floats] = field(default_factory=dict)
    """``[method, seed, moment]``: what was in force at moments spread evenly over the phase."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """Environment steps of the online phase; what ``ratios`` is spread over."""
    dips: Mapping[str, Floats] = field(default_factory=dict)
    """``[method, seed]``: how deep each run fell below its pretrained score."""
    informed: tuple[Informed, ...] = ()
    """The methods that several ratios and credits are known of, over all tasks."""
    constants: tuple[float, ...] = ()
    """The ratios of the fixed methods; NaN where it is not known."""
    credits: Mapping[str, Floats] = field(default_factory=dict)
    """``[method, seed, constant]``: what periods with it add to the credits of a run, beside their
    trend; NaN where that is not known."""
    areas: Mapping[str, Floats] = field(default_factory=dict)
    """``[method, seed]``: the mean score over the online phase."""
    knobs: Mapping[str, KnobSetting] = field(default_factory=dict)
    """Of the tasks that belong to a family along a knob."""
    judged_by: str = "the last evaluation of each run"
    """What a score is."""
    settings: tuple[RunSettings, ...] = ()
    """The settings of every run."""
    notes: tuple[str, ...] = ()
    """Sentences that a reader should know before any number."""

    @property
    def compared(self) -> tuple[int, ...]:
        """The methods of which a task may have a best one: fixed ratios; without any, all."""
        return self.fixed or tuple(range(len(self.table.methods)))

    @property
    def cells(self) -> Results:
        """Mean ± deviation over the seeds that are there."""
        cells = self.table.cells
        return Results(
            self.table.tasks,
            self.table.methods,
            cells.mean,
            cells.deviation,
            self.fixed,
            cells.count,
        )
