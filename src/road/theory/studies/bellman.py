"""How Bellman errors on new transitions order the ratios, and the bound that they rely on.

Judges are compared over the ratios with J of the policy that a probe leads to, and with dJ/dm: on
random problems, on the paper's chain, and on both with transitions that are noisy or certain.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from road.theory import plot
from road.theory.bellman import bound_by_visits, exact_error, loss_bound, sampling_noise
from road.theory.mdp import MDP, expected_return, optimal_return, optimal_values, soft_greedy
from road.theory.problems import Problem, chain_problem, random_problems
from road.theory.samples import Numbers, Report, interval
from road.theory.studies.credit_quality import (
    RATIOS,
    Trial,
    compare,
    correlation,
    per_problem,
    select,
)
from road.theory.studies.gradient import equal_signs
from road.theory.studies.probe_judges import (
    EXACT,
    FEW,
    GREEDY,
    NEW,
    ONE,
    ROWS,
    Probes,
    judge,
    run_probes,
)

SLIP = 0.2
"""Probability with which an action on the noisy chain has the effect of the other one."""
CERTAIN, NOISY = "deterministic", "noisy"
HALF = len(RATIOS) // 2


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    found: Numbers = {"problems": repetitions, "levels": {}, "chain": {}}
    for done, (name, branching) in enumerate(((NOISY, 3), (CERTAIN, 1))):
        problem, data = random_problems(repetitions, seed, branching)
        found["levels"] |= study(name, run_probes(problem), np.array(data), seed, found)
        report(0.45 * (done + 1))
    for name, slip in ((CERTAIN, 0.0), (NOISY, SLIP)):
        runs = run_probes(slippery(chain_problem(), slip))
        found["chain"][name] = chain_numbers(runs[-1], seed)
    return found


def study(name: str, runs: list[Probes], data: np.ndarray, seed: int, found: Numbers) -> Numbers:
    """The columns of one kind of transitions; what is not by column goes into ``found``."""
    trials = {kind: [judge(each, kind, seed) for each in runs] for kind in (EXACT, ONE, FEW)}
    found[name] = {
        "lean": lean(trials[EXACT]),
        "agrees_with_gradient": with_gradient(trials[EXACT]),
        "bound": check_bound(runs[-1]),
        "noise": noise_numbers(runs),
        "by_data": {
            quality: compare([select(each, data == quality) for each in trials[EXACT]])
            for quality in sorted(set(data.tolist()))
        },
    }
    return {f"{name}, {kind}": compare(each) for kind, each in trials.items()}


def lean(trials: list[Trial]) -> Numbers:
    """The ratio that each judge prefers, less the ratio of the greatest J."""
    ratios = np.array(RATIOS)
    return {
        name: per_problem(
            [
                ratios[each.credits[name].argmax(0)] - ratios[each.returns.argmax(0)]
                for each in trials
            ]
        )
        for name in trials[0].credits
    }


def with_gradient(trials: list[Trial]) -> Numbers:
    """The share in which a judge's slope at m = 0.5 has the sign of the exact dJ/dm there."""
    slopes = np.stack([each.slopes[HALF] for each in trials])
    return {
        name: equal_signs(
            np.stack(
                [each.credits[name][HALF + 1] - each.credits[name][HALF - 1] for each in trials]
            ),
            slopes,
        )
        for name in trials[0].credits
    }


def check_bound(probes: Probes) -> Numbers:
    """The bound on the loss against the optimal policy, for every probe of every problem."""
    mdp = probes.problem.mdp
    best, most = soft_greedy(optimal_values(mdp), GREEDY), optimal_return(mdp)
    pairs = list(zip(probes.values, probes.policies, strict=True))
    bounds = [loss_bound(mdp, q, policy, best) for q, policy in pairs]
    lost = np.stack([most - expected_return(mdp, policy) for _, policy in pairs])
    value, visited = (
        np.stack([getattr(each, of) for each in bounds]) for of in ("value", "visited")
    )
    by_visits = np.stack([bound_by_visits(mdp, q, policy, best) for q, policy in pairs])
    trivial = np.ptp(mdp.reward, axis=(-1, -2)) / (1.0 - mdp.discount)
    return {
        "holds": float((value >= lost - 1e-9).mean()),
        "vacuous": float((value >= trivial).mean()),
        "vacuous_by_visits": float((by_visits >= trivial).mean()),
        "median_bound": float(np.median(value)),
        "median_loss": float(np.median(lost)),
        "visited_orders": interval(correlation(visited, lost)),
        "other_orders": interval(correlation(np.stack([each.other for each in bounds]), lost)),
        "bound_orders": interval(correlation(value, lost)),
        "points": {"lost": lost[HALF], "bound": value[HALF], "visited": visited[HALF]},
    }


def noise_numbers(runs: list[Probes]) -> Numbers:
    """By ratio: the share of sampling noise in the squared error on new transitions."""
    shares = []
    for each in runs:
        mdp, visits = each.problem.mdp, each.main.fresh
        exact = np.stack([exact_error(mdp, q, visits) for q in each.values])
        noise = np.stack([sampling_noise(mdp, q, visits) for q in each.values])
        shares.append(noise / np.maximum(exact + noise, 1e-12))
    return interval(np.mean(shares, axis=0))


def slippery(problem: Problem, slip: float) -> Problem:
    """With this probability the two actions change places; the logs stay as they were made."""
    moves = problem.mdp.transition
    mixed = (1.0 - slip) * moves + slip * moves[..., ::-1, :]
    paid = problem.mdp.reward
    reward = (1.0 - slip) * paid + slip * paid[..., ::-1]
    mdp = MDP(mixed, reward, problem.mdp.start, problem.mdp.discount)
    return Problem(mdp, problem.features, problem.offline, problem.inverse_temperature)


def chain_numbers(probes: Probes, seed: int) -> Numbers:
    """J and the errors on new transitions by ratio, with low- and with high-quality data."""
    trial = judge(probes, EXACT, seed)
    return {
        quality: {
            "returns": trial.returns[:, index],
            "errors": -trial.credits[NEW][:, index],
            "with_return": float(correlation(trial.credits[NEW], trial.returns)[index]),
        }
        for index, quality in enumerate(("low", "high"))
    }


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    figure = plot.figure(11.0, 4.4)
    table, leaning, bound = figure.subplots(1, 3, width_ratios=[1.5, 0.8, 0.8])
    columns = {
        **numbers["levels"],
        **{f"{quality} data": found for quality, found in numbers[NOISY]["by_data"].items()},
    }
    draw_table(figure, table, columns)
    draw_lean(leaning, numbers)
    draw_bound(bound, numbers[NOISY]["bound"])
    return {"bellman": figure}


def draw_table(figure: plot.Figure, axes: plot.Axes, columns: Mapping[str, Any]) -> None:
    names = list(next(iter(columns.values())))
    cells = np.array(
        [[found[name]["with_return"]["mean"] for found in columns.values()] for name in names],
        float,
    )
    plot.heat_map(figure, axes, cells)
    axes.set_yticks(range(len(names)), [plot.math(name) for name in names])
    axes.set_xticks(range(len(columns)), [title(name) for name in columns])
    axes.set_title("Correlation with the true return, over nine ratios")


def title(column: str) -> str:
    """Narrow: one word in a line."""
    short = {CERTAIN: "determ.", ONE: "one\nnext s'", FEW: f"{ROWS}\nrows"}
    for long, word in short.items():
        column = column.replace(long, word)
    return column.replace(", ", "\n").replace(" data", "\ndata")


def draw_lean(axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    for offset, kind, colour in ((0.14, NOISY, plot.BLUE), (-0.14, CERTAIN, plot.ORANGE)):
        found = numbers[kind]["lean"]
        plot.bars(axes, found, [colour] * len(found), offset)
        axes.plot([], [], "o-", color=colour, label=kind)
    plot.mark(axes, 0.0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("preferred m less the best m")
    axes.set_title("Lean")
    axes.legend(loc="lower right")


def draw_bound(axes: plot.Axes, found: Mapping[str, Any]) -> None:
    points: Mapping[str, Sequence[float]] = found["points"]
    axes.plot(points["lost"], points["bound"], ".", color=plot.BLUE, label="bound")
    axes.plot(points["lost"], points["visited"], ".", color=plot.ORANGE, label="its visited term")
    top = max(points["lost"])
    axes.plot([0.0, top], [0.0, top], color=plot.GREY, linewidth=0.8)
    axes.set_xlabel("loss against the optimal policy")
    axes.set_title("The bound, at m = 0.5")
    axes.legend(loc="upper left")
