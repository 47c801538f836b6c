"""m → loss landscape → f* → π → J, on an example of two features that can be drawn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from road.theory import plot
from road.theory.bilevel import (
    Inner,
    first_problem,
    mix,
    perceived_return,
    ratio_gradient,
    tabular,
    true_return,
)
from road.theory.mdp import StateAction, expected_return, occupancy, soft_greedy
from road.theory.problems import picture_problem
from road.theory.samples import Numbers, Report

EXAMPLE = 5
"""The random example, chosen among forty because its best ratio is clearly inside (0, 1)."""
SHOWN = (0.05, 0.35, 0.95)
"""Ratios whose landscape is drawn."""
RATIOS = np.linspace(0.0, 1.0, 101)
CELLS = 45


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    """The example is one fixed process: repetitions and seed do not matter."""
    del repetitions, seed
    problem = picture_problem(EXAMPLE)
    values = problem.pretrain()
    policy = soft_greedy(values, problem.inverse_temperature)
    offline, online = problem.offline, occupancy(problem.mdp, policy)
    inner = problem.inner(values)
    fits = [inner.fit(mix(m, offline, online)).parameters[0] for m in RATIOS]
    path = np.stack(fits)
    report(0.3)
    first, second = plane_axes(path)
    plane = np.stack(np.meshgrid(first, second), -1)
    fitted = np.einsum("xyf,saf->xysa", plane, inner.features[0])
    report(0.6)
    return {
        "ratios": RATIOS,
        "path": path,
        "first": first,
        "second": second,
        "shown": SHOWN,
        "losses": [loss(inner, fitted, mix(m, offline, online)) for m in SHOWN],
        "plane_returns": plane_returns(inner, fitted),
        "true": [true_return(inner, mix(m, offline, online))[0] for m in RATIOS],
        "perceived": [perceived_return(inner, mix(m, offline, online))[0] for m in RATIOS],
        "slope": [ratio_gradient(inner, m, offline, online)[0] for m in RATIOS],
        "tabular": tabular_returns(inner, offline, online),
    }


def plane_axes(path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A square around the path of the optimum, with a margin on every side."""
    middle = (path.min(0) + path.max(0)) / 2.0
    half = 0.9 * (path.max(0) - path.min(0)).max()
    first, second = (np.linspace(centre - half, centre + half, CELLS) for centre in middle)
    return first, second


def loss(inner: Inner, fitted: np.ndarray, distribution: StateAction) -> np.ndarray:
    """The inner objective over the plane of parameters."""
    return (distribution[0] * (fitted - inner.target[0]) ** 2).sum((-1, -2))


def plane_returns(inner: Inner, fitted: np.ndarray) -> np.ndarray:
    """J of the soft-greedy policy of every point of the plane."""
    policies = soft_greedy(fitted, inner.inverse_temperature)
    flat = policies.reshape(-1, *policies.shape[-2:])
    mdp = first_problem(inner).mdp.map(lambda tensor: np.stack([tensor] * len(flat)))
    return expected_return(mdp, flat).reshape(policies.shape[:-2])


def tabular_returns(inner: Inner, offline: StateAction, online: StateAction) -> list[float]:
    """The same curve when every function can be represented: it is flat."""
    free = Inner(
        inner.mdp, tabular(*inner.target.shape[-2:])[None], inner.target, inner.inverse_temperature
    )
    return [float(true_return(free, mix(m, offline, online))[0]) for m in RATIOS[1:-1]]


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    figure = plot.figure(10.0, 6.2)
    upper, lower = figure.subplots(2, 3)
    first, second = np.array(numbers["first"]), np.array(numbers["second"])
    for axes, ratio, loss in zip(upper, numbers["shown"], numbers["losses"], strict=True):
        axes.contour(
            first, second, np.sqrt(np.array(loss)), levels=11, cmap="Greys_r", linewidths=0.8
        )
        axes.set_title(f"inner loss at m = {ratio:g}")
        draw_path(axes, numbers, ratio)
    upper[0].set_ylabel("θ₂")
    draw_plane(figure, lower[0], numbers)
    draw_returns(lower[1], numbers)
    draw_perceived(lower[2], numbers)
    return {"landscape": figure}


def draw_path(axes: plot.Axes, numbers: Mapping[str, Any], ratio: float) -> None:
    """The path of the optimum over m, and its position at this ratio."""
    path = np.array(numbers["path"])
    here = path[int(np.argmin(np.abs(np.array(numbers["ratios"]) - ratio)))]
    axes.plot(*path.T, color=plot.BLUE, linewidth=1.2)
    axes.plot(*here, "o", color=plot.ORANGE, markersize=7.0)
    label_ends(axes, path, plot.BLUE)
    axes.set_xlabel("θ₁")
    axes.set_aspect("equal")


def label_ends(axes: plot.Axes, path: np.ndarray, colour: str) -> None:
    for place, name, shift in ((path[0], "m = 0", (-4, -13)), (path[-1], "m = 1", (5, 5))):
        axes.plot(*place, "o", color=colour, markersize=3.0)
        plot.note(axes, name, place, shift, colour)


def draw_plane(figure: plot.Figure, axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    image = axes.pcolormesh(
        numbers["first"],
        numbers["second"],
        np.array(numbers["plane_returns"]),
        cmap="YlGn",
        alpha=0.75,
        shading="nearest",
        rasterized=True,
    )
    figure.colorbar(image, ax=axes, shrink=0.8)
    path = np.array(numbers["path"])
    axes.plot(*path.T, color=plot.INK, linewidth=1.2)
    label_ends(axes, path, plot.INK)
    axes.set_title("return J of the policy of θ")
    axes.set(xlabel="θ₁", ylabel="θ₂")
    axes.set_aspect("equal")


def draw_returns(axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    ratios, returns = np.array(numbers["ratios"]), np.array(numbers["true"])
    axes.plot(ratios, returns, color=plot.GREEN, label="two features")
    axes.plot(
        ratios[1:-1],
        numbers["tabular"],
        color=plot.GREY,
        linestyle="--",
        label="tabular: m has no effect",
    )
    best = int(returns.argmax())
    axes.plot(ratios[best], returns[best], "o", color=plot.GREEN)
    top = (ratios[best], returns[best])
    plot.note(axes, f"best m = {ratios[best]:.2f}", top, (0, 7), plot.GREEN, ha="center")
    axes.margins(y=0.2)
    axes.set_title("true return J(m)")
    axes.set_xlabel("offline ratio m")
    axes.legend(loc="best")


def draw_perceived(axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    ratios = np.array(numbers["ratios"])
    axes.plot(ratios, numbers["perceived"], color=plot.ORANGE)
    axes.set_title("what the critic perceives, G(m)")
    axes.set_xlabel("offline ratio m")
    best = ratios[int(np.argmax(numbers["true"]))]
    plot.mark(axes, best)
    plot.note(axes, "best for J", (best, max(numbers["perceived"])), (4, -8), plot.SOFT)
    axes.tick_params(labelcolor=plot.INK)
