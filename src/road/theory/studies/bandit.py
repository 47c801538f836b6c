"""The library's bandit where arms move: abrupt breaks, slow drift, and recorded R_q."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from road.mixing import SlidingWindowUCB
from road.theory import plot, recorded
from road.theory.bandits import (
    LEVELS,
    Bandit,
    DiscountedUCB,
    Means,
    ThompsonSampling,
    UniformChoice,
    abrupt,
    best_single_arm,
    coin_rewards,
    dynamic_regret,
    growth,
    play,
    slow,
)
from road.theory.samples import Numbers, Report, generator, interval

HORIZON = 2000
BREAKS = 4
WINDOW = 200
EXPLORATION = 0.6
"""c just above 1/2, which the regret bound requires."""
HORIZONS = (1000, 2000, 4000, 8000, 16000, 32000)
COMPARED = ("sliding window", "discounted UCB", "UCB1 (no forgetting)")
"""The bandits whose growth with the horizon is measured."""

COLOURS = {
    "sliding window": plot.BLUE,
    "sliding window, c = 2": plot.SKY,
    "UCB1 (no forgetting)": plot.ORANGE,
    "discounted UCB": plot.GREEN,
    "Thompson sampling": plot.PURPLE,
    "uniform": plot.YELLOW,
    "best single arm": plot.GREY,
}


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    abruptly = [abrupt(HORIZON, BREAKS, generator(seed, "abrupt", i)) for i in range(repetitions)]
    slowly = [slow(HORIZON, 1.5, generator(seed, "slow", i)) for i in range(repetitions)]
    drifts = {"abrupt": compare(abruptly, seed)}
    report(0.25)
    drifts["slow"] = compare(slowly, seed)
    report(0.5)
    chain, real = recorded.replay_chain(3 * repetitions, seed), recorded.replay_training_runs()
    report(0.6)
    return {
        "drifts": drifts,
        "recorded": {**chain, "real": real},
        "order": measure_growth(max(repetitions // 3, 2), seed, report),
    }


def make_bandits(window: int, seed: int) -> Mapping[str, Bandit]:
    arms = len(LEVELS)
    return {
        "sliding window": SlidingWindowUCB(arms, EXPLORATION, window),
        "sliding window, c = 2": SlidingWindowUCB(arms, 2.0, window),
        "UCB1 (no forgetting)": SlidingWindowUCB(arms, EXPLORATION, None),
        "discounted UCB": DiscountedUCB(arms, EXPLORATION, 1.0 - 1.0 / window),
        "Thompson sampling": ThompsonSampling(arms, seed=seed),
        "uniform": UniformChoice(arms, seed),
    }


def compare(drifts: list[Means], seed: int) -> Numbers:
    """Dynamic regret of every bandit on the same arms and the same rewards."""
    curves: dict[str, list[np.ndarray]] = {}
    for index, means in enumerate(drifts):
        rewards = coin_rewards(means, generator(seed, "coins", index))
        chosen = {
            name: play(bandit, rewards) for name, bandit in make_bandits(WINDOW, index).items()
        }
        chosen["best single arm"] = best_single_arm(means)
        for name, arms in chosen.items():
            curves.setdefault(name, []).append(dynamic_regret(means, arms))
    step = HORIZON // 50
    return {name: interval(np.stack(runs)[:, step - 1 :: step], 0) for name, runs in curves.items()}


def measure_growth(repetitions: int, seed: int, report: Report) -> Numbers:
    """Regret and its exponent at growing horizons and a fixed number of breaks."""
    finals: dict[str, list[np.ndarray]] = {name: [] for name in COMPARED}
    for index, horizon in enumerate(HORIZONS):
        for name, values in final_regrets(horizon, repetitions, seed).items():
            finals[name].append(values)
        report(0.6 + 0.4 * (index + 1) / len(HORIZONS))
    sizes = np.array(HORIZONS, float)
    bound = np.sqrt(sizes * np.log(sizes))
    return {
        "horizons": HORIZONS,
        "regret": {name: interval(np.stack(values)) for name, values in finals.items()},
        "exponent": {name: exponents(sizes, np.stack(values)) for name, values in finals.items()},
        "exponent_of_bound": growth(sizes, bound),
    }


def final_regrets(horizon: int, repetitions: int, seed: int) -> dict[str, np.ndarray]:
    """Regret at the end of one horizon, with the window that the bound is proved for."""
    found: dict[str, list[float]] = {name: [] for name in COMPARED}
    for index in range(repetitions):
        means = abrupt(horizon, BREAKS, generator(seed, "order", horizon, index))
        rewards = coin_rewards(means, generator(seed, "order coins", horizon, index))
        bandits = make_bandits(proved_window(horizon), index)
        for name in COMPARED:
            found[name].append(float(dynamic_regret(means, play(bandits[name], rewards))[-1]))
    return {name: np.array(values) for name, values in found.items()}


def proved_window(horizon: int) -> int:
    """2 sqrt(T log T / breaks): the choice of Garivier & Moulines for rewards in [0, 1]."""
    return int(2.0 * np.sqrt(horizon * np.log(horizon) / BREAKS))


def exponents(sizes: np.ndarray, regret: np.ndarray) -> Numbers:
    """Over all horizons, with an interval over repetitions, and over the last three."""
    single = np.array([growth(sizes, regret[:, i]) for i in range(regret.shape[1])])
    late = growth(sizes[-3:], regret[-3:].mean(1))
    return {**interval(single), "late": late}


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    figure = plot.figure(11.0, 7.4)
    (first, second), (third, fourth) = figure.subplots(2, 2)
    draw_drift(first, numbers["drifts"]["abrupt"], "Arms that change places four times")
    draw_drift(second, numbers["drifts"]["slow"], "Arms that drift slowly")
    handles, names = first.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=7)
    draw_recorded(third, numbers["recorded"])
    draw_growth(fourth, numbers["order"])
    return {"bandit": figure}


def draw_drift(axes: plot.Axes, found: Mapping[str, Any], title: str) -> None:
    for name, each in found.items():
        points = len(each["mean"])
        plot.curve(
            axes, [2000 / points * (i + 1) for i in range(points)], each, COLOURS[name], label=name
        )
    axes.set_title(title)
    axes.set(xlabel="pull", ylabel="summed regret against the oracle")


def draw_recorded(axes: plot.Axes, found: Mapping[str, Any]) -> None:
    for offset, kind, colour, text in (
        (0.22, "low", plot.ORANGE, "chain, low-quality data"),
        (0.0, "high", plot.BLUE, "chain, high-quality data"),
        (-0.22, "real", plot.GREEN, "nine training runs"),
    ):
        regret = found[kind]["regret"]
        plot.bars(axes, regret, [colour] * len(regret), offset)
        axes.plot([], [], "o-", color=colour, label=text)
    plot.name_rows(axes, list(found["low"]["regret"]))
    plot.mark(axes, 1.0, "--")
    axes.set_xlim(left=0.0)
    axes.set_title("On recorded $R_q$")
    axes.set_xlabel("regret, an even choice = 1")
    axes.legend(loc="center left")


def draw_growth(axes: plot.Axes, order: Mapping[str, Any]) -> None:
    horizons = np.array(order["horizons"], float)
    for name, found in order["regret"].items():
        grows = order["exponent"][name]
        text = f"{name}: {power(grows['mean'])}, late {power(grows['late'])}"
        plot.curve(
            axes, order["horizons"], found, COLOURS[name], marker="o", markersize=4, label=text
        )
    bound = np.sqrt(horizons * np.log(horizons))
    scale = order["regret"]["sliding window"]["mean"][0] / bound[0]
    text = f"slope of the bound: {power(order['exponent_of_bound'])}"
    axes.plot(horizons, 0.6 * scale * bound, color=plot.INK, linestyle="--", label=text)
    axes.set(
        xscale="log", yscale="log", xlabel="horizon T (four breaks)", ylabel="regret at the end"
    )
    axes.set_title("How regret grows")
    axes.legend(loc="upper left")


def power(exponent: float) -> str:
    return f"$T^{{{exponent:.2f}}}$"
