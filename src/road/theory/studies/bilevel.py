"""Algorithm 1 against fixed ratios, the exact best ratio and ROAD's bandit."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from road.mixing import FixedMixer, RoadMixer, UniformMixer
from road.theory import plot
from road.theory.finetuning import (
    ARMS,
    ByMixer,
    ByRule,
    Chooser,
    Iteration,
    choose_best_credit,
    choose_best_ratio,
    choose_pairs,
    choose_shares,
    finetune,
)
from road.theory.mdp import optimal_return
from road.theory.problems import Problem, chain_problem, random_problems
from road.theory.samples import Numbers, Report, interval
from road.theory.studies.credit_quality import credit_quality, draw_credits

ITERATIONS = 30
EXACT = "exact best ratio"
OFF_SCALE = "Algorithm 1, pairs"
"""So much better that it is left out of the curves."""

CHOOSERS: Mapping[str, Chooser] = {
    "Fixed 0.1": ByMixer(FixedMixer(0.1)),
    "Fixed 0.5": ByMixer(FixedMixer(0.5)),
    "Fixed 0.9": ByMixer(FixedMixer(0.9)),
    "Uniform": ByMixer(UniformMixer(ARMS)),
    "ROAD": ByMixer(RoadMixer(ARMS)),
    "ROAD, standardised": ByMixer(RoadMixer(ARMS, scale="standardised", exploration=0.5)),
    "bandit on true J": ByMixer(
        RoadMixer(ARMS, scale="standardised", exploration=0.5), credited_with_return=True
    ),
    "arm of best R_q": ByRule(choose_best_credit),
    EXACT: ByRule(choose_best_ratio),
    "Algorithm 1, sources": ByRule(choose_shares),
    OFF_SCALE: ByRule(choose_pairs),
}
"""Who chooses. The first six need what a training run has; the others use the true return, or the
outcome of every arm."""

COLOURS = {
    "Fixed 0.1": "#b9bec4",
    "Fixed 0.5": plot.GREY,
    "Fixed 0.9": plot.SOFT,
    "Uniform": plot.YELLOW,
    "ROAD": plot.BLUE,
    "ROAD, standardised": plot.SKY,
    "bandit on true J": plot.PURPLE,
    "arm of best R_q": plot.RED,
    EXACT: plot.INK,
    "Algorithm 1, sources": plot.GREEN,
    OFF_SCALE: "#4f8f00",
}


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    problem, qualities = random_problems(repetitions, seed)
    chain, data = chain_problem(), np.array(qualities)
    rounds: dict[str, list[Iteration]] = {}
    chained: Numbers = {}
    for index, (name, chooser) in enumerate(CHOOSERS.items()):
        rounds[name] = list(finetune(problem, chooser, ITERATIONS))
        chained[name] = chain_returns(chain, chooser)
        report(0.8 * (index + 1) / len(CHOOSERS))
    exact = returns(rounds[EXACT])
    best = optimal_return(problem.mdp)
    random = {name: evaluate(each, exact, best, data) for name, each in rounds.items()}
    quality = credit_quality(problem, data, seed)
    return {"problems": repetitions, "random": random, "chain": chained, "credits": quality}


def evaluate(
    rounds: list[Iteration], exact: np.ndarray, best: np.ndarray, quality: np.ndarray
) -> Numbers:
    """Regret within the chooser's own rounds, and its return beside that of the exact ratio."""
    reached = returns(rounds)
    regret = np.cumsum(np.stack([each.possible for each in rounds]) - reached, 0)
    by_quality: dict[str, Any] = {
        name: interval(regret[-1, quality == name]) for name in sorted(set(quality.tolist()))
    }
    return {
        "regret": interval(regret),
        "regret_by_data": by_quality,
        "return": interval(reached),
        "beside_exact": interval(reached - exact),
        "short_of_optimal": interval(np.mean(best - reached, 0)),
    }


def returns(rounds: list[Iteration]) -> np.ndarray:
    return np.stack([each.reached for each in rounds])


def chain_returns(problem: Problem, chooser: Chooser) -> dict[str, list[float]]:
    """Return over the iterations on the chain, with low- and with high-quality data."""
    reached = np.stack([each.reached for each in finetune(problem, chooser, ITERATIONS)])
    return {"low": reached[:, 0].tolist(), "high": reached[:, 1].tolist()}


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    return {"bilevel": draw_choosers(numbers), "bilevel-credits": draw_credits(numbers["credits"])}


def draw_choosers(numbers: Mapping[str, Any]) -> plot.Figure:
    figure = plot.figure(11.0, 7.6)
    (regret, data), (difference, chain) = figure.subplots(2, 2)
    random = numbers["random"]
    draw_curves(regret, random, "regret", skip=OFF_SCALE)
    plot.level(regret, 0.0)
    regret.set_ylabel("return missed so far")
    regret.set_title("Summed regret against the best ratio of each round")
    pairs = random[OFF_SCALE]["regret"]["mean"][-1]
    regret.annotate(f"Algorithm 1 on pairs ends at {pairs:.0f}".replace("-", "−"), (0.03, 0.04),
                    xycoords="axes fraction", color=COLOURS[OFF_SCALE], fontsize=8)  # fmt: skip
    draw_by_data(data, random)
    draw_curves(difference, random, "beside_exact", skip=OFF_SCALE)
    plot.level(difference, 0.0)
    difference.set_ylabel("difference in J")
    difference.set_title("True return, less that of the exact best ratio")
    draw_chain(chain, numbers["chain"])
    handles, names = chain.get_legend_handles_labels()
    figure.legend(handles, [plot.math(name) for name in names], loc="outside lower center", ncols=6)
    return figure


def draw_curves(axes: plot.Axes, found: Mapping[str, Any], what: str, skip: str = "") -> None:
    for name, each in found.items():
        if name != skip:
            steps = list(range(1, len(each[what]["mean"]) + 1))
            plot.curve(axes, steps, each[what], COLOURS[name], label=name)
    axes.set_xlabel("iteration of fitted Q-learning")


def draw_by_data(axes: plot.Axes, found: Mapping[str, Any]) -> None:
    shown = {name: each for name, each in found.items() if name not in (OFF_SCALE, EXACT)}
    for offset, quality, colour in (
        (0.22, "poor", plot.ORANGE),
        (0.0, "mixed", plot.GREY),
        (-0.22, "good", plot.BLUE),
    ):
        plot.bars(axes, {name: each["regret_by_data"][quality] for name, each in shown.items()},
             [colour] * len(shown), offset)  # fmt: skip
        axes.plot([], [], "o-", color=colour, label=f"{quality} data")
    plot.name_rows(axes, [plot.math(name) for name in shown])
    plot.mark(axes, 0.0)
    axes.set_title("Its end, by the quality of the offline data")
    axes.set_xlabel("summed regret")
    axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.54))


def draw_chain(axes: plot.Axes, found: Mapping[str, Any]) -> None:
    for name, each in found.items():
        for data, style in (("low", "-"), ("high", ":")):
            steps = list(range(1, len(each[data]) + 1))
            shown = name if data == "low" else None
            axes.plot(steps, each[data], style, color=COLOURS[name], linewidth=1.2, label=shown)
    plot.level(axes, 0.9**4, "--")
    plot.note(axes, "optimal", (30, 0.9**4), (0, 3), plot.GREY, ha="right")
    axes.set(ylim=(None, 0.68), ylabel="J")
    axes.set_title("True return on the paper's chain (dotted: high-quality data)")
    axes.set_xlabel("iteration of fitted Q-learning")
