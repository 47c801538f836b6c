"""The example MDP: the demo reading as curves, and all readings as a map of the paper's claims."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any

import numpy as np

from road.theory import plot
from road.theory.chain import (
    DATA,
    DEMO,
    PHASE,
    RATIOS,
    Curves,
    DataQuality,
    Reading,
    Run,
    all_readings,
    learn,
)
from road.theory.credits import surrogate_values
from road.theory.samples import Numbers, Report, generator, interval

EVERY = 20

CLAIMS = (
    "low data: 0.1 is better",
    "high data: 0.5 is better",
    "Δ_off rises throughout",
    "Δ_on rises, then falls (low)",
    "Δ_on rises, then falls (high)",
    "R_q orders the ratios as the return does",
    "all of these",
)
HOLDS, OPEN, REVERSED = 1, 0, -1
"""A claim holds, is not significant, or its opposite holds."""
ROWS = {
    "return": "return",
    "offline_advantage": "$Δ_{off}$",
    "online_advantage": "$Δ_{on}$",
    "credit": "$R_q$",
}
VERDICT_COLOURS = ("#e08a4f", "#eceeef", "#0067a6")


Cells = dict[tuple[DataQuality, float], Curves]
"""All seeds of each data quality and each ratio."""


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    demo = run_readings([DEMO], repetitions, seed, "demo")[0]
    report(0.05)
    few = max(repetitions // 2, 2)
    readings = sorted(all_readings(), key=table_shape)
    verdicts: list[Numbers] = []
    for (length, samples), group in groupby(readings, key=table_shape):
        members = list(group)
        cells = run_readings(members, few, seed, f"map {length} {samples}")
        verdicts += [verdict(reading, each) for reading, each in zip(members, cells, strict=True)]
        report(0.05 + 0.95 * len(verdicts) / len(readings))
    return {
        "demo": {f"{data} {ratio}": summarise(cell) for (data, ratio), cell in demo.items()},
        "demo_reading": asdict(DEMO),
        "demo_verdict": verdict(DEMO, demo)["verdict"],
        "steps": np.arange(EVERY, PHASE + 1, EVERY),
        "claims": CLAIMS,
        "map": verdicts,
        "map_seeds": few,
        "counts": counts(verdicts),
    }


def table_shape(reading: Reading) -> tuple[int, int]:
    return reading.length, reading.samples


def run_readings(readings: list[Reading], seeds: int, seed: int, purpose: str) -> list[Cells]:
    """Both data qualities and both ratios of each reading, side by side."""
    settings: list[tuple[Reading, DataQuality, float]] = [
        (reading, data, ratio) for reading in readings for data in DATA for ratio in RATIOS
    ]
    runs = [Run(*each) for each in settings for _ in range(seeds)]
    curves = learn(runs, generator(seed, purpose), EVERY)
    found: list[Cells] = [{} for _ in readings]
    for index, (_, data, ratio) in enumerate(settings):
        part = slice(index * seeds, (index + 1) * seeds)
        found[index // 4][data, ratio] = curves.select(part)
    return found


def summarise(curves: Curves) -> Numbers:
    """The curves of the figure, and means over the online phase."""
    credit = surrogate_values(curves.offline_advantage, curves.online_advantage)
    return {
        "return": interval(curves.returns),
        "offline_advantage": interval(curves.offline_advantage),
        "online_advantage": interval(curves.online_advantage),
        "credit": interval(credit),
        "mean_return": interval(curves.scores),
        "mean_credit": interval(curves.credits),
    }


def verdict(reading: Reading, cells: Cells) -> Numbers:
    """Which of the paper's claims hold in this reading."""
    small, large = RATIOS
    low = compare(cells["low", small].scores, cells["low", large].scores)
    high = compare(cells["high", large].scores, cells["high", small].scores)
    rises = all(rises_throughout(cell.offline_advantage.mean(1)) for cell in cells.values())
    falls = [all(rises_then_falls(cells[data, ratio]) for ratio in RATIOS) for data in DATA]
    claims = [low, high, int(rises), int(falls[0]), int(falls[1]), credit_agrees(cells)]
    claims.append(int(all(claim == HOLDS for claim in claims)))
    return {"reading": asdict(reading), "verdict": claims}


def compare(first: np.ndarray, second: np.ndarray) -> int:
    """Whether the first mean is greater, by more than two standard errors of the difference."""
    gap = first.mean() - second.mean()
    error = np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    if abs(gap) <= max(2.0 * error, 1e-12):
        return OPEN
    return HOLDS if gap > 0.0 else REVERSED


def rises_throughout(curve: np.ndarray) -> bool:
    """No tenth of the run is below the previous one by more than a fiftieth of the range."""
    tenths = curve.reshape(10, -1).mean(1)
    slack = 0.02 * np.ptp(tenths)
    return bool(tenths[-1] > tenths[0] and (np.diff(tenths) >= -slack).all())


def rises_then_falls(curves: Curves) -> bool:
    """The peak lies inside the run, and the end is at most nine tenths of it."""
    tenths = curves.online_advantage.mean(1).reshape(10, -1).mean(1)
    return bool(0 < tenths.argmax() < 9 and tenths[-1] < 0.9 * tenths.max())


def credit_agrees(cells: Cells) -> int:
    """R_q and the return prefer the same ratio, wherever the return has a clear preference."""
    small, large = RATIOS
    agree: list[bool] = []
    for data in DATA:
        preferred = compare(cells[data, small].scores, cells[data, large].scores)
        credit = cells[data, small].credits.mean() - cells[data, large].credits.mean()
        if preferred != OPEN:
            agree.append(bool(np.sign(credit) == preferred))
    if not agree:
        return OPEN
    return HOLDS if all(agree) else REVERSED


def counts(verdicts: list[Numbers]) -> Numbers:
    """How many readings show each claim, and how many the opposite."""
    table = np.array([each["verdict"] for each in verdicts])
    return {
        claim: {
            "holds": int((table[:, index] == HOLDS).sum()),
            "reversed": int((table[:, index] == REVERSED).sum()),
            "open": int((table[:, index] == OPEN).sum()),
        }
        for index, claim in enumerate(CLAIMS)
    }


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    return {"chain": draw_demo(numbers), "chain-readings": draw_readings(numbers)}


def draw_demo(numbers: Mapping[str, Any]) -> plot.Figure:
    figure = plot.figure(9.0, 8.0)
    grid = figure.subplots(len(ROWS), 2, sharex=True, sharey="row")
    for column, data in enumerate(("low", "high")):
        for axes, what in zip(grid[:, column], ROWS, strict=True):
            for ratio, colour in ((0.1, plot.ORANGE), (0.5, plot.BLUE)):
                found = numbers["demo"][f"{data} {ratio}"][what]
                plot.curve(axes, numbers["steps"], found, colour, label=f"m = {ratio}")
            plot.level(axes, 0.0) if what != "return" else plot.level(axes, 0.9**4, "--")
        grid[0, column].set_title(f"{data}er-quality data")
        grid[-1, column].set_xlabel("online step")
    for axes, name in zip(grid[:, 0], ROWS.values(), strict=True):
        axes.set_ylabel(name)
    grid[0, 0].legend(loc="lower right")
    plot.note(grid[0, 0], "optimal", (20, 0.9**4), (0, -10), plot.SOFT)
    plot.note(grid[0, 1], "both ratios", (500, 0.9**4), (0, -11), plot.SOFT, ha="center")
    return figure


def draw_readings(numbers: Mapping[str, Any]) -> plot.Figure:
    """Claims down, readings across."""
    figure = plot.figure(12.0, 3.6)
    axes = figure.subplots()
    readings = sorted(numbers["map"], key=map_order)
    cells = np.array([each["verdict"] for each in readings]).T
    axes.pcolormesh(
        cells[::-1],
        cmap=plot.colour_map(VERDICT_COLOURS),
        vmin=-1,
        vmax=1,
        edgecolors="white",
        linewidth=0.3,
        rasterized=True,
    )
    for row, claim in enumerate(numbers["claims"][::-1]):
        held = numbers["counts"][claim]
        text = f"{held['holds']}" + (f" (reversed {held['reversed']})" if held["reversed"] else "")
        axes.text(cells.shape[1] + 1, row + 0.5, text, va="center", fontsize=8, color=plot.INK)
    axes.set_yticks(
        np.arange(len(cells)) + 0.5, [plot.math(claim) for claim in numbers["claims"][::-1]]
    )
    label_groups(axes, [group_label(each) for each in readings])
    axes.tick_params(length=0.0, labelcolor=plot.INK)
    axes.spines[:].set_visible(False)
    axes.set_title(
        f"{cells.shape[1]} readings of the example: blue holds, orange reversed, grey not seen"
    )
    return figure


def map_order(verdict: Mapping[str, Any]) -> tuple[Any, ...]:
    reading = verdict["reading"]
    return (
        reading["reward"], reading["initial"], reading["samples"], reading["length"],
        reading["epsilon"], reading["suboptimal"],
    )  # fmt: skip


def group_label(verdict: Mapping[str, Any]) -> str:
    reading = verdict["reading"]
    rows = "1 row" if reading["samples"] == 1 else f"{reading['samples']} rows"
    return f"{reading['reward']} reward\nQ {reading['initial']}\n{rows}"


def label_groups(axes: plot.Axes, groups: list[str]) -> None:
    """One label below each block of readings that share reward, start and samples."""
    starts = [i for i, name in enumerate(groups) if i == 0 or groups[i - 1] != name]
    for start in starts[1:]:
        axes.axvline(start, color=plot.INK, linewidth=0.8)
    width = len(groups) / len(starts)
    axes.set_xticks([start + width / 2 for start in starts], [groups[start] for start in starts])
    axes.tick_params("x", labelsize=7.5)
