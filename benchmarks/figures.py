"""From windows to the figures that were promised, each with its bar and verdict."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from benchmarks.online import PERIOD
from benchmarks.train_agents import MATRIX_OPERATIONS, OPERATIONS

Verdict = Literal["met", "missed", "-"]
Rates = dict[str, list[float]]
"""Units per second of every candidate, in the order of the rounds."""


@dataclass(frozen=True)
class Bar:
    """What was promised of a figure."""

    limit: float
    side: Literal["at least", "at most"]

    def verdict(self, value: float) -> Verdict:
        kept = value >= self.limit if self.side == "at least" else value <= self.limit
        return "met" if kept else "missed"


@dataclass(frozen=True)
class Figure:
    """A number of the table: the median over rounds, between the rounds' extremes."""

    name: str
    unit: str
    value: float
    low: float
    high: float
    bar: Bar | None = None
    verdict: Verdict = "-"
    disturbed: bool = False
    """Whether other processes were at work in most rounds: then the verdict proves nothing."""


Row = tuple[str, str, Bar | None, tuple[str, ...], Callable[..., float]]
"""Name, unit, bar, the candidates it needs, and the figure from their rates in one round."""


def over(slow: float, fast: float) -> float:
    """By how many percent a step at the slow rate takes longer than one at the fast rate."""
    return 100.0 * (fast / slow - 1.0)


def share_of_matrix_rate(name: str, least: float) -> Row:
    """How much of the machine's own rate of matrix products an agent's step reaches."""

    def share(steps: float, *products: float) -> float:
        return 100.0 * steps * OPERATIONS[name] / (max(products) * MATRIX_OPERATIONS)

    label = f"{name} step, share of the machine's matrix rate"
    return (label, "%", Bar(least, "at least"), (f"agent-{name}", *MATRIX), share)


def against_d3rlpy(name: str, least: float) -> Row:
    theirs = (f"d3rlpy-{name}", f"d3rlpy-{name}-thread")
    return (
        f"{name} step against d3rlpy",
        "times",
        Bar(least, "at least"),
        (f"agent-{name}", *theirs),
        lambda ours, *theirs: ours / max(theirs),
    )


def microseconds(name: str, most: float, candidate: str) -> Row:
    return (name, "µs", Bar(most, "at most"), (candidate,), lambda calls: 1e6 / calls)


MATRIX = ("matrix-numpy", "matrix-jax")
"""An agent is measured against whichever was faster in that round."""

D3RLPY = ("train-d3rlpy", "train-d3rlpy-thread")
"""We are compared with whichever was faster in that round."""

ROWS: Sequence[Row] = (
    (
        "IQL step, stacks of 50, against d3rlpy",
        "times",
        Bar(3.0, "at least"),
        ("train-road-stack", *D3RLPY),
        lambda ours, *theirs: ours / max(theirs),
    ),
    (
        "IQL step, one per call, against d3rlpy",
        "times",
        None,
        ("train-road-single", *D3RLPY),
        lambda ours, *theirs: ours / max(theirs),
    ),
    ("  ours, stacks of 50", "steps/s", None, ("train-road-stack",), lambda ours: ours),
    ("  ours, one per call", "steps/s", None, ("train-road-single",), lambda ours: ours),
    ("  d3rlpy, all cores", "steps/s", None, ("train-d3rlpy",), lambda theirs: theirs),
    ("  d3rlpy, one thread", "steps/s", None, ("train-d3rlpy-thread",), lambda theirs: theirs),
    (
        "the machine's matrix rate",
        "GFLOP/s",
        None,
        MATRIX,
        lambda *products: max(products) * MATRIX_OPERATIONS / 1e9,
    ),
    share_of_matrix_rate("iql", 60.0),
    share_of_matrix_rate("pex", 60.0),
    share_of_matrix_rate("proto", 60.0),
    share_of_matrix_rate("rlpd", 50.0),
    share_of_matrix_rate("cql", 50.0),
    share_of_matrix_rate("cal-ql", 50.0),
    against_d3rlpy("cql", 1.1),
    against_d3rlpy("cal-ql", 1.1),
    (
        "RLPD, from nothing to its first step",
        "s",
        Bar(15.0, "at most"),
        ("start-rlpd",),
        lambda starts: 1.0 / starts,
    ),
    (
        "ours over bare pytrees, stacks of 50",
        "% slower",
        Bar(3.0, "at most"),
        ("train-road-stack", "train-bare-stack"),
        over,
    ),
    (
        "ours over bare pytrees, one per call",
        "% slower",
        Bar(3.0, "at most"),
        ("train-road-single", "train-bare-single"),
        over,
    ),
    (
        "online step, ROAD over Fixed",
        "% slower",
        Bar(2.0, "at most"),
        ("online-road", "online-fixed"),
        over,
    ),
    (
        "online step, ROAD over Fixed that does not measure",
        "% slower",
        None,
        ("online-road", "online-unmeasured"),
        over,
    ),
    ("  Fixed", "steps/s", None, ("online-fixed",), lambda fixed: fixed),
    (
        "  measuring once",
        "ms",
        None,
        ("measure",),
        lambda calls: 1e3 / calls,
    ),
    (
        "  measuring, share of a period",
        "%",
        None,
        ("measure", "online-unmeasured"),
        lambda calls, steps: 100.0 * (1.0 / calls) / (1.0 / calls + PERIOD / steps),
    ),
    (
        "mixed sampling, 256 of two 1M-row buffers",
        "M rows/s",
        Bar(8.0, "at least"),
        ("sample",),
        lambda rows: rows / 1e6,
    ),
    (
        "256 draws by priority and updates, 2M rows",
        "ms",
        Bar(1.0, "at most"),
        ("tree-2M",),
        lambda steps: 1e3 / steps,
    ),
    ("  200k rows", "ms", None, ("tree-200k",), lambda steps: 1e3 / steps),
    ("  20k rows", "ms", None, ("tree-20k",), lambda steps: 1e3 / steps),
    (
        "  2M over 20k rows (log N: 1.46)",
        "times",
        None,
        ("tree-20k", "tree-2M"),
        lambda few, many: few / many,
    ),
    microseconds("controller, a period's end", 50.0, "controller-period"),
    microseconds("  the same after 10k periods", 50.0, "controller-period-long"),
    microseconds("controller, a step", 5.0, "controller-step"),
    ("import road", "s", Bar(0.3, "at most"), ("start-import",), lambda starts: 1.0 / starts),
    ("road --help", "s", Bar(1.0, "at most"), ("start-help",), lambda starts: 1.0 / starts),
    (
        "road train to its first step, warm cache",
        "s",
        Bar(5.0, "at most"),
        ("start-train",),
        lambda starts: 1.0 / starts,
    ),
)


def figures(rates: Rates, disturbed: Collection[str]) -> list[Figure]:
    """Every figure whose candidates were measured; ratios are taken within a round."""
    return [
        figure(
            row,
            list(zip(*(rates[name] for name in row[3]), strict=True)),
            disturbed=any(name in disturbed for name in row[3]),
        )
        for row in ROWS
        if all(name in rates for name in row[3])
    ]


def figure(row: Row, rounds: Iterable[tuple[float, ...]], *, disturbed: bool) -> Figure:
    name, unit, bar, _, formula = row
    values = [formula(*each) for each in rounds]
    value = median(values)
    verdict: Verdict = "-" if bar is None else bar.verdict(value)
    return Figure(name, unit, value, min(values), max(values), bar, verdict, disturbed)


def rates_of(windows: Iterable[tuple[str, int, float]]) -> Rates:
    """From (candidate, units, seconds), in the order in which they were measured."""
    rates: Rates = defaultdict(list)
    for name, units, seconds in windows:
        rates[name].append(units / seconds)
    return dict(rates)


def table(found: Sequence[Figure]) -> str:
    width = max(len(figure.name) for figure in found)
    head = f"{'figure':{width}}  {'median':>9}  {'lowest':>9}  {'highest':>9}  {'unit':8}  bar"
    return "\n".join([head, *(line(figure, width) for figure in found)])


def line(figure: Figure, width: int) -> str:
    numbers = "  ".join(f"{number:9.3g}" for number in (figure.value, figure.low, figure.high))
    bar = figure.bar
    promised = "" if bar is None else f"{bar.side} {bar.limit:g}: {figure.verdict}"
    if bar is not None and figure.disturbed:
        promised += ", but disturbed"
    return f"{figure.name:{width}}  {numbers}  {figure.unit:8}  {promised}".rstrip()
