"""Figures of the checks: the order of the rows, the edge of the box, and the environment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from road.report.draw.axes import Across, fit_across, fit_scale, y_axis
from road.report.draw.document import figure, panel
from road.report.draw.downsample import spread_evenly
from road.report.draw.format import compact, plain, share
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import box, dot, horizontal, line, plot, stretch, text, vertical
from road.statistics import Floats

HEIGHT = 150.0
MOST_BARS, MOST_NAMES = 120, 12
BINS = 24
SHUFFLED = 0.5
"""Where the line is drawn; the check itself is where the dataset is read."""


def check_figures(card: Mapping[str, Any]) -> Iterable[Markup]:
    """Those for which the card has numbers."""
    order, environment = card["order"], card["environment"]
    if order["serial"] or order["actions"]:
        yield order_figure(order)
    yield edge_figure(card["edge_columns"])
    if environment:
        yield environment_figure(environment, card["length"])


def order_figure(order: Mapping[str, Any]) -> Markup:
    caption = (
        "Left: for every column of the observation, how far successive rows of an episode are "
        "apart, in how far any two of its rows are; near 0 in logs of moving things, 1 in shuffled "
        "rows. Right: how much worse the next observation is predicted without the action of the "
        "row before, of the row itself, and of the row after. The own action should be missed most."
    )
    panels: list[Markup] = []
    if order["serial"]:
        names = [str(index) for index in range(len(order["serial"]))]
        bars = bar_plot(order["serial"], names, "steps between rows, by column", SHUFFLED)
        panels.append(panel(["serial correlation"], bars))
    if order["actions"]:
        missed = [max(value, 0.0) for value in order["actions"].values()]
        highest = max(*missed, 1e-9)
        bars = bar_plot(
            [value / highest for value in missed], list(order["actions"]),
            "growth of the error without an action, in the greatest one",
        )  # fmt: skip
        panels.append(panel(["action that is missed"], bars))
    return figure(
        "Order of the rows", caption, tag("div", panels, class_="multiples"), kind="order"
    )


def edge_figure(shares: Sequence[float]) -> Markup:
    caption = "For every number of the action, the share of the rows in which it is at the edge."
    names = [str(index) for index in range(len(shares))]
    bars = bar_plot(shares, names, "share of rows at the edge of the box, by column")
    return figure("Edge of the box", caption, bars, kind="edge")


def environment_figure(environment: Mapping[str, Any], lengths: Mapping[str, Any]) -> Markup:
    near = f"{environment['near']:,} of {environment['sampled']:,} sampled steps lie near the log."
    caption = (
        f"Compared with steps sampled in {environment['name']} by playing the log's own actions; "
        f"{near} Lengths of episodes should not pass the limit (dashed). A prediction fitted to "
        "the log should be as good on those steps. Rewards should lie on the diagonal."
    )
    panels: list[Markup] = []
    if environment["limit"] is not None:
        panels.append(panel(["length of an episode"], length_plot(lengths, environment["limit"])))
    if "change" in environment:
        errors = environment["change"]["errors"]
        panels.append(panel(["error of a prediction"], error_plot(errors)))
        panels.append(panel(["reward of a step"], reward_plot(environment["reward"]["pairs"])))
    body = tag("div", panels, class_="multiples") if panels else tag("p", near)
    return figure("Compared with the environment", caption, body, kind="environment")


def bar_plot(
    values: Sequence[float], names: Sequence[str], label: str, limit: float | None = None
) -> Markup:
    """A bar per value, from 0."""
    kept = [int(index) for index in spread_evenly(len(values), MOST_BARS)]
    shown = np.array([values[index] for index in kept])
    scale = fit_scale(HEIGHT, shown, np.array([1.0]), zero=True)
    labelled = set(spread_evenly(len(kept), MOST_NAMES).tolist())
    width = 1.0 / len(kept)
    marks: list[Markup] = []
    for at, (index, value) in enumerate(zip(kept, shown.tolist(), strict=True)):
        top = scale.at(value)
        marks.append(
            box((at + 0.1) * width, top, 0.8 * width, max(HEIGHT - top, 0.5), "bar",
                hover=f"{names[index]}: {plain(value)}")
        )  # fmt: skip
        if at in labelled:
            marks.append(text((at + 0.5) * width, HEIGHT + 18, names[index], "tick middle"))
    lines = [] if limit is None else [horizontal(scale.at(limit), "reference")]
    return plot(HEIGHT, *y_axis(scale, 3), *marks, *lines, label=f"{label}: {numbers(shown)}")


def numbers(values: np.ndarray) -> str:
    return ", ".join(plain(value) for value in values[:20].tolist())


def length_plot(lengths: Mapping[str, Any], limit: int) -> Markup:
    """How many episodes last how long, with the limit."""
    drawn = lengths["histogram"]
    counts = np.asarray(drawn["counts"], np.float64)
    edges = np.linspace(drawn["low"], drawn["high"], len(counts) + 1)
    scale = fit_scale(HEIGHT, counts, zero=True)
    across = fit_across(edges, np.array([0.0, float(limit)]))
    left, right = fractions(across, edges[:-1]), fractions(across, edges[1:])
    bars = [
        box(start, scale.at(count), max(end - start, 0.012), HEIGHT - scale.at(count), "bar",
            hover=f"{compact(low)} to {compact(high)}: {int(count):,}")
        for start, end, low, high, count in zip(
            left.tolist(), right.tolist(), edges[:-1].tolist(), edges[1:].tolist(),
            counts.tolist(), strict=True,
        )
        if count
    ]  # fmt: skip
    at = across.at(float(limit))
    label = f"lengths up to {compact(lengths['max'])}, limit {limit:,}"
    return plot(
        HEIGHT, *y_axis(scale, 3), *bars, vertical(at, 0.0, HEIGHT, "reference"),
        *across.axis(HEIGHT, "steps"), label=label,
    )  # fmt: skip


def error_plot(errors: Mapping[str, Sequence[float]]) -> Markup:
    """The distribution of the errors on the log and on sampled steps, each as shares."""
    known = {name: np.asarray(values, np.float64) for name, values in errors.items()}
    highest = max(float(np.percentile(values, 98)) for values in known.values())
    edges = np.linspace(0.0, max(highest, 1e-6), BINS + 1)
    shares = {
        name: np.histogram(np.minimum(values, edges[-1]), edges)[0] / len(values)
        for name, values in known.items()
    }
    scale = fit_scale(HEIGHT, *shares.values(), zero=True)
    across = fit_across(edges)
    middle = fractions(across, (edges[:-1] + edges[1:]) / 2)
    looks = {"log": "trace offline", "environment": "trace online"}
    lines = [line(middle, scale(values), looks[name]) for name, values in shares.items()]
    medians = {name: float(np.median(values)) for name, values in known.items()}
    notes = [
        text(1.0, 6.0 + 16.0 * row, f"{name}: median {plain(medians[name])}", "note end")
        for row, name in enumerate(looks)
    ]
    label = ", ".join(f"{name} {share(medians[name])}" for name in medians)
    return plot(
        HEIGHT, *y_axis(scale, 3), stretch(HEIGHT, *lines), *notes,
        *across.axis(HEIGHT, "error in standard deviations"), label=f"median errors: {label}",
    )  # fmt: skip


def fractions(across: Across, values: Floats) -> Floats:
    """Of the width, one for each value."""
    return (values - across.low) / (across.high - across.low)


def reward_plot(pairs: Sequence[Sequence[float]]) -> Markup:
    """What sampled steps pay, and what the log leads to expect of them."""
    table = np.asarray(pairs, np.float64).reshape(-1, 2)
    scale = fit_scale(HEIGHT, table[:, 1], table[:, 0])
    across = fit_across(table[:, 0])
    x = fractions(across, table[:, 0]).tolist()
    dots = [
        dot(at, scale.at(expected), 2.0, "sample online")
        for at, expected in zip(x, table[:, 1].tolist(), strict=True)
    ]
    ends = np.array([across.low, across.high])
    diagonal = line(np.array([0.0, 1.0]), scale(np.clip(ends, scale.low, scale.high)), "reference")
    return plot(
        HEIGHT, *y_axis(scale, 3), stretch(HEIGHT, diagonal), *dots,
        *across.axis(HEIGHT, "reward of the environment"),
        label=f"expected by the log against paid, {len(table)} steps",
    )  # fmt: skip
