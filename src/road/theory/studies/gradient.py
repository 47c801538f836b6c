"""The gradients in m, checked and compared: which of them points the way of the true return."""

from collections.abc import Callable

import numpy as np

from road.mixing import FixedMixer
from road.theory.autodiff import automatic_gradient
from road.theory.bilevel import (
    Inner,
    Objective,
    alone,
    functional_gradient,
    perceived_return,
    printed_gradient,
    ratio_gradient,
    true_return,
)
from road.theory.choices import ARMS, ByMixer, Round
from road.theory.families import one_of, random_problems
from road.theory.finetuning import Iteration, Problem, finetune
from road.theory.hypergradient import JUDGES, one_step_direction
from road.theory.mdp import StateAction
from road.theory.projection import mix
from road.theory.statistics import Numbers, Tell, interval, known_mean

CHECKED = 10
"""Problems on which the gradient is compared with automatic differentiation."""
WHEN = (0, 4, 14)
"""Iterations at which the problems are looked at: the first, an early and a late one."""
STEP = 1e-5
"""Of the central differences."""
ALWAYS_LESS = "always: less offline data"
"""The answer to beat: it looks at nothing."""


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    """Sign agreement over random problems, and one of them as curves."""
    problem, _ = random_problems(repetitions, seed)
    moments = rounds(problem)
    tell(0.4)
    signs = {f"iteration {when + 1}": agreement(moments[when]) for when in WHEN}
    tell(0.6)
    checks = {
        "finite differences": worst_difference(moments[WHEN[0]].now),
        "automatic differentiation": worst_automatic(problem, tell),
    }
    return {"agreement": signs, "relative_error": checks, "curves": curves(problem)}


def rounds(problem: Problem) -> list[Iteration]:
    """Fine-tuning at a half: what its iterations look like."""
    return list(finetune(problem, ByMixer(FixedMixer(0.5)), WHEN[-1] + 1))


def agreement(moment: Iteration) -> Numbers:
    """How often each stand-in has the sign of the true dJ/dm, over problems and ratios.

    Most slopes are negative, so an answer that never looks is right more often than a coin. Where
    the true slope is positive it is never right: the two kinds of cases are counted apart as well.
    """
    now = moment.now
    inner, offline, online = now.inner, now.offline, now.online
    truth = np.stack([ratio_gradient(inner, m, offline, online) for m in ARMS])
    guesses = {
        ALWAYS_LESS: np.full_like(truth, -1.0),
        "perceived value": slopes(now, "perceived"),
        "perceived, d^π frozen": slopes(now, "frozen"),
        "as printed": np.stack([printed_gradient(inner, m, offline, online) for m in ARMS]),
    }
    for judge in JUDGES:
        direction = one_step_direction(inner, moment.values, offline, online, judge)
        guesses[f"one step: {judge}"] = np.broadcast_to(direction, truth.shape)
    cases = {"all": truth, "J rises": np.maximum(truth, 0.0), "J falls": np.minimum(truth, 0.0)}
    return {
        name: {
            **{case: matching(guess, which) for case, which in cases.items()},
            "says less": float((guess < 0.0).mean()),
        }
        for name, guess in guesses.items()
    }


def slopes(now: Round, objective: Objective) -> np.ndarray:
    return np.stack(
        [ratio_gradient(now.inner, m, now.offline, now.online, objective) for m in ARMS]
    )


def matching(guess: np.ndarray, truth: np.ndarray) -> Numbers:
    """The share of equal signs, with an interval over problems; flat problems do not vote."""
    votes = np.where(np.abs(truth) > 1e-6, np.sign(guess) == np.sign(truth), np.nan)
    return interval(known_mean(votes))


def worst_difference(now: Round) -> dict[str, float]:
    """The greatest relative gap between the adjoint form and central differences in m."""
    outcomes: dict[Objective, Callable[[Inner, StateAction], np.ndarray]] = {
        "true": true_return,
        "perceived": perceived_return,
    }
    worst: dict[str, float] = {}
    for objective, outcome in outcomes.items():
        above, below = (outcome(now.inner, now.mixed(0.35 + shift)) for shift in (STEP, -STEP))
        exact = ratio_gradient(now.inner, 0.35, now.offline, now.online, objective)
        worst[str(objective)] = relative(exact, (above - below) / (2.0 * STEP))
    return worst


def worst_automatic(problem: Problem, tell: Tell) -> dict[str, float]:
    """The greatest relative gap to JAX, over all pairs of a few problems."""
    objectives: tuple[Objective, ...] = ("true", "perceived", "frozen")
    worst = dict.fromkeys(objectives, 0.0)
    for index in range(min(CHECKED, len(problem.offline))):
        now = next(finetune(one_of(problem, index), ByMixer(FixedMixer(0.5)), 1)).now
        single, mixture = alone(now.inner), now.mixed(0.35)[0]
        for objective in objectives:
            exact = functional_gradient(single, mixture, objective)
            gap = relative(exact, automatic_gradient(single, mixture, objective))
            worst[objective] = max(worst[objective], gap)
        tell(0.6 + 0.4 * (index + 1) / CHECKED)
    return {str(name): value for name, value in worst.items()}


def relative(exact: StateAction | np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(exact - other).max() / np.abs(other).max())


def curves(problem: Problem) -> Numbers:
    """J, G and the gradients over m, on the problem where true and perceived disagree the most."""
    now = next(finetune(problem, ByMixer(FixedMixer(0.5)), 1)).now
    true, perceived = slopes(now, "true")[1:4], slopes(now, "perceived")[1:4]
    conflict = (-true * perceived).min(0)
    index = int(np.argmax(conflict))
    now = next(finetune(one_of(problem, index), ByMixer(FixedMixer(0.5)), 1)).now
    inner, offline, online = now.inner, now.offline, now.online
    ratios = np.linspace(0.02, 0.98, 49)
    objectives: tuple[Objective, ...] = ("true", "perceived", "frozen")
    return {
        "problem": index,
        "ratios": ratios,
        "J": [true_return(inner, mix(m, offline, online))[0] for m in ratios],
        "G": [perceived_return(inner, mix(m, offline, online))[0] for m in ratios],
        "gradients": {
            name: [ratio_gradient(inner, m, offline, online, name)[0] for m in ratios]
            for name in objectives
        },
        "printed": [printed_gradient(inner, m, offline, online)[0] for m in ratios],
    }
