"""The gradients in m, verified and compared: which of them has the sign of the true dJ/dm."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from road.mixing import FixedMixer
from road.theory import plot
from road.theory.bilevel import (
    OBJECTIVES,
    Inner,
    Objective,
    first_problem,
    functional_gradient,
    perceived_return,
    ratio_gradient,
    true_return,
)
from road.theory.finetuning import ARMS, ByMixer, Iteration, Round, finetune
from road.theory.gradients import (
    JUDGES,
    automatic_gradient,
    one_step_direction,
    printed_gradient,
)
from road.theory.mdp import StateAction
from road.theory.problems import Problem, random_problems
from road.theory.samples import Numbers, Report, finite_mean, interval

CHECKED = 10
"""Problems on which the gradient is compared with automatic differentiation."""
WHEN = (0, 4, 14)
"""Iterations at which the gradients are compared: the first, an early and a late one."""
EVEN = ByMixer(FixedMixer(0.5))
STEP = 1e-5
"""Of the central differences."""
ALWAYS_LESS = "always: less offline data"
"""The baseline: a constant answer."""


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    """Sign agreement over random problems, and one of them as curves."""
    problem, _ = random_problems(repetitions, seed)
    moments = list(finetune(problem, EVEN, WHEN[-1] + 1))
    report(0.4)
    signs = {f"iteration {when + 1}": agreement(moments[when]) for when in WHEN}
    report(0.6)
    checks = {
        "finite differences": worst_difference(moments[WHEN[0]].now),
        "automatic differentiation": worst_automatic(problem, report),
    }
    return {"agreement": signs, "relative_error": checks, "curves": curves(problem)}


def first_round(problem: Problem) -> Round:
    return next(finetune(problem, EVEN, 1)).now


def agreement(moment: Iteration) -> Numbers:
    """How often each approximation has the sign of the true dJ/dm, over problems and ratios.

    Most slopes are negative, so a constant answer is right more often than at random. Where the
    true slope is positive it is never right: the two kinds of cases are counted separately as well.
    """
    now = moment.now
    truth = slopes(now, "true", ARMS)
    guesses = {
        ALWAYS_LESS: np.full_like(truth, -1.0),
        "perceived value": slopes(now, "perceived", ARMS),
        "perceived, d^π frozen": slopes(now, "frozen", ARMS),
        "as printed": printed_slopes(now, ARMS),
    }
    for judge in JUDGES:
        direction = one_step_direction(now.inner, moment.values, now.offline, now.online, judge)
        guesses[f"one step: {judge}"] = np.broadcast_to(direction, truth.shape)
    cases = {"all": truth, "J rises": np.maximum(truth, 0.0), "J falls": np.minimum(truth, 0.0)}
    return {
        name: {
            **{case: equal_signs(guess, which) for case, which in cases.items()},
            "says less": float((guess < 0.0).mean()),
        }
        for name, guess in guesses.items()
    }


def slopes(now: Round, objective: Objective, ratios: Iterable[float]) -> np.ndarray:
    inner, offline, online = now.inner, now.offline, now.online
    return np.stack([ratio_gradient(inner, m, offline, online, objective) for m in ratios])


def printed_slopes(now: Round, ratios: Iterable[float]) -> np.ndarray:
    return np.stack([printed_gradient(now.inner, m, now.offline, now.online) for m in ratios])


def equal_signs(guess: np.ndarray, truth: np.ndarray) -> Numbers:
    """The share of equal signs, with an interval over problems; slopes of zero are left out."""
    votes = np.where(np.abs(truth) > 1e-6, np.sign(guess) == np.sign(truth), np.nan)
    return interval(finite_mean(votes))


def worst_difference(now: Round) -> dict[str, float]:
    """The greatest relative gap between the adjoint form and central differences in m."""
    outcomes: dict[Objective, Callable[[Inner, StateAction], np.ndarray]] = {
        "true": true_return,
        "perceived": perceived_return,
    }
    worst: dict[str, float] = {}
    for objective, outcome in outcomes.items():
        above, below = (outcome(now.inner, now.mix(0.35 + shift)) for shift in (STEP, -STEP))
        exact = ratio_gradient(now.inner, 0.35, now.offline, now.online, objective)
        worst[str(objective)] = relative_gap(exact, (above - below) / (2.0 * STEP))
    return worst


def worst_automatic(problem: Problem, report: Report) -> dict[str, float]:
    """The greatest relative gap to JAX, over all pairs of a few problems."""
    worst = dict.fromkeys(OBJECTIVES, 0.0)
    for index in range(min(CHECKED, len(problem.offline))):
        now = first_round(problem.select(index))
        single, mixture = first_problem(now.inner), now.mix(0.35)[0]
        for objective in OBJECTIVES:
            exact = functional_gradient(single, mixture, objective)
            gap = relative_gap(exact, automatic_gradient(single, mixture, objective))
            worst[objective] = max(worst[objective], gap)
        report(0.6 + 0.4 * (index + 1) / CHECKED)
    return {str(name): value for name, value in worst.items()}


def relative_gap(exact: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(exact - other).max() / np.abs(other).max())


def curves(problem: Problem) -> Numbers:
    """J, G and the gradients over m, on the problem where true and perceived disagree the most."""
    now = first_round(problem)
    true, perceived = (slopes(now, objective, ARMS[1:4]) for objective in ("true", "perceived"))
    conflict = (-true * perceived).min(0)
    index = int(np.argmax(conflict))
    now = first_round(problem.select(index))
    ratios = np.linspace(0.02, 0.98, 49)
    return {
        "problem": index,
        "ratios": ratios,
        "J": [true_return(now.inner, now.mix(m))[0] for m in ratios],
        "G": [perceived_return(now.inner, now.mix(m))[0] for m in ratios],
        "gradients": {name: slopes(now, name, ratios)[:, 0] for name in OBJECTIVES},
        "printed": printed_slopes(now, ratios)[:, 0],
    }


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    figure = plot.figure(11.0, 7.4)
    (values, gradients), (everywhere, rising) = figure.subplots(2, 2)
    draw_values(values, numbers["curves"])
    draw_gradients(gradients, numbers["curves"])
    agreement = numbers["agreement"]
    draw_agreement(everywhere, agreement, "all")
    plot.name_rows(everywhere, [row_label(name) for name in next(iter(agreement.values()))])
    everywhere.set_title("How often has it the sign of dJ/dm?")
    draw_agreement(rising, agreement, "J rises")
    rising.set_yticks([])
    rising.spines["left"].set_visible(False)
    rising.set_title("And where J rises with m?")
    figure.legend(*rising.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"gradient": figure}


def draw_values(axes: plot.Axes, curves: Mapping[str, Any]) -> None:
    axes.plot(curves["ratios"], curves["J"], color=plot.GREEN, label="true return J")
    other = axes.twinx()
    other.plot(curves["ratios"], curves["G"], color=plot.ORANGE)
    other.spines["right"].set_visible(True)
    other.tick_params(labelcolor=plot.ORANGE)
    axes.tick_params("y", labelcolor=plot.GREEN)
    axes.set_title("True and perceived value where they disagree the most")
    axes.set_xlabel("offline ratio m")
    axes.set_ylabel("true return J", color=plot.GREEN)
    other.set_ylabel("perceived value G", color=plot.ORANGE)


def draw_gradients(axes: plot.Axes, curves: Mapping[str, Any]) -> None:
    found = curves["gradients"]
    for name, values, colour, style in (
        ("true return", found["true"], plot.GREEN, "-"),
        ("perceived value", found["perceived"], plot.ORANGE, "-"),
        ("perceived, $d^\\pi$ frozen", found["frozen"], plot.ORANGE, ":"),
        ("as printed", curves["printed"], plot.PURPLE, "--"),
    ):
        axes.plot(curves["ratios"], values, color=colour, linestyle=style, label=name)
    plot.level(axes, 0.0)
    reach = 1.15 * float(np.abs(found["true"]).max())
    axes.set_ylim(-reach, reach)
    axes.set_title("Its gradients in m")
    axes.set_xlabel("offline ratio m")
    axes.legend(loc="upper center", fontsize=7)


def draw_agreement(axes: plot.Axes, agreement: Mapping[str, Mapping[str, Any]], case: str) -> None:
    styles = zip(
        (0.22, 0.0, -0.22), (plot.PURPLE, plot.BLUE, plot.GREEN), agreement.items(), strict=True
    )
    for offset, colour, (when, found) in styles:
        plot.bars(
            axes, {name: each[case] for name, each in found.items()}, [colour] * len(found), offset
        )
        axes.plot([], [], "o-", color=colour, label=when)
    plot.mark(axes, 0.5, "--")
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("share of equal signs")


def row_label(name: str) -> str:
    return name.replace("one step: ", "one step, judge:\n").replace("d^π", "$d^\\pi$")
