"""Whether a credit orders the ratios as the true return does.

Every arm is tried on the same problem. Its credit is then compared with J of the policy that it led
to and with dJ/dm, over the arms. The critic that the credits are computed from goes from exact to
noisy:

    exact … own fit   Q^pi + lambda (f* - Q^pi),  lambda = 0 … 1; the policy stays that of f*
    noisy             f* + error, and the policy follows it; the error is in units of f*'s spread
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from road.mixing import FixedMixer
from road.theory import plot
from road.theory.bilevel import ratio_gradient
from road.theory.credits import Outcome, all_credits
from road.theory.finetuning import ByMixer, Round, finetune
from road.theory.mdp import action_values, expected_return, soft_greedy
from road.theory.problems import Problem
from road.theory.samples import Numbers, finite_mean, generator, interval

RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WHEN = (0, 4, 14)
BLENDS = (0.0, 0.25, 0.5, 1.0)
"""lambda."""
NOISES = (0.03, 0.1, 0.3, 1.0)
NO_CREDIT = "−m (no credit)"
"""The baseline without a credit: less offline data is better."""
FLAT = 1e-9
"""A credit whose spread over the arms is below this does not distinguish them."""


@dataclass(frozen=True)
class Trial:
    """Every arm on the same problems; the first axis is the arm."""

    credits: dict[str, np.ndarray]
    returns: np.ndarray
    slopes: np.ndarray
    """dJ/dm."""


def credit_quality(problem: Problem, quality: np.ndarray, seed: int) -> Numbers:
    rounds = [each.now for each in finetune(problem, ByMixer(FixedMixer(0.5)), WHEN[-1] + 1)]
    levels: Numbers = {}
    for blend in BLENDS:
        levels[f"λ = {blend:g}"] = compare([try_arms(rounds[k], blend, 0.0, seed, k) for k in WHEN])
    for noise in NOISES:
        levels[f"σ = {noise:g}"] = compare([try_arms(rounds[k], 1.0, noise, seed, k) for k in WHEN])
    own = [try_arms(rounds[k], 1.0, 0.0, seed, k) for k in WHEN]
    by_data = {
        name: compare([select(each, quality == name) for each in own])
        for name in sorted(set(quality.tolist()))
    }
    by_time = {f"iteration {k + 1}": compare([each]) for k, each in zip(WHEN, own, strict=True)}
    return {"levels": levels, "by_data": by_data, "by_time": by_time}


def try_arms(now: Round, blend: float, noise: float, seed: int, when: int) -> Trial:
    outcomes = [
        perturb(now, arm, blend, noise, generator(seed, "critic", when, index))
        for index, arm in enumerate(RATIOS)
    ]
    credits = [
        {**all_credits(each), NO_CREDIT: np.full(len(each.critic), -arm)}
        for arm, each in zip(RATIOS, outcomes, strict=True)
    ]
    slopes = [ratio_gradient(now.inner, arm, now.offline, now.online) for arm in RATIOS]
    return Trial(
        {name: np.stack([each[name] for each in credits]) for name in credits[0]},
        np.stack([expected_return(each.mdp, each.policy) for each in outcomes]),
        np.stack(slopes),
    )


def perturb(
    now: Round, arm: float, blend: float, noise: float, rng: np.random.Generator
) -> Outcome:
    """The outcome of a period with this arm, with a critic of the given quality."""
    outcome = now.outcome(now.mix(arm))
    own = outcome.critic
    if noise > 0.0:
        spread = own.std((-1, -2), keepdims=True)
        critic = own + noise * spread * rng.normal(size=own.shape)
        policy = soft_greedy(critic, now.inner.inverse_temperature)
        return replace(outcome, critic=critic, policy=policy)
    exact = action_values(outcome.mdp, outcome.policy)
    return replace(outcome, critic=exact + blend * (own - exact))


def select(trial: Trial, chosen: np.ndarray) -> Trial:
    credits = {name: values[:, chosen] for name, values in trial.credits.items()}
    return Trial(credits, trial.returns[:, chosen], trial.slopes[:, chosen])


def compare(trials: list[Trial]) -> Numbers:
    """Per credit: correlations over the arms, and the loss of choosing by it; problems pooled."""
    names = trials[0].credits
    return {name: compare_credit([(each.credits[name], each) for each in trials]) for name in names}


def compare_credit(pairs: list[tuple[np.ndarray, Trial]]) -> Numbers:
    with_return = [correlation(credit, each.returns) for credit, each in pairs]
    with_slope = [correlation(credit, each.slopes) for credit, each in pairs]
    return {
        "with_return": per_problem(with_return),
        "with_slope": per_problem(with_slope),
        "lost": per_problem([relative_loss(credit, each.returns) for credit, each in pairs]),
        "informed": float(np.isfinite(with_return).mean()),
    }


def per_problem(values: list[np.ndarray]) -> Numbers:
    """Iterations of one problem are averaged first: they are not independent."""
    return interval(finite_mean(np.stack(values)))


def correlation(credit: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Over the arms, for each problem; NaN where either is flat."""
    left, right = credit - credit.mean(0), truth - truth.mean(0)
    spread = np.sqrt((left**2).mean(0)), np.sqrt((right**2).mean(0))
    flat = (spread[0] < FLAT) | (spread[1] < FLAT)
    return np.where(
        flat, np.nan, (left * right).mean(0) / np.where(flat, 1.0, spread[0] * spread[1])
    )


def relative_loss(credit: np.ndarray, returns: np.ndarray) -> np.ndarray:
    """J of the best arm minus J of the credit's arm, as a share of the range over the arms.

    A credit that does not distinguish the arms loses what the average arm loses.
    """
    spread = np.ptp(returns, axis=0)
    chosen = np.take_along_axis(returns, credit.argmax(0)[None], 0)[0]
    blind = np.ptp(credit, axis=0) < FLAT
    taken = np.where(blind, returns.mean(0), chosen)
    return np.where(spread > FLAT, (returns.max(0) - taken) / np.maximum(spread, FLAT), np.nan)


def draw_credits(credits: Mapping[str, Any]) -> plot.Figure:
    figure = plot.figure(11.0, 4.3)
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1.0])
    draw_table(figure, left, credits)
    draw_cost(right, credits)
    return figure


def draw_table(figure: plot.Figure, axes: plot.Axes, credits: Mapping[str, Any]) -> None:
    """Correlation over the arms of every credit with J, as the critic worsens."""
    levels = {**credits["levels"], **credits["by_data"]}
    names = list(next(iter(levels.values())))
    cells = np.array(
        [[table[name]["with_return"]["mean"] for table in levels.values()] for name in names], float
    )
    plot.heat_map(figure, axes, cells)
    axes.set_yticks(range(len(names)), [plot.math(name) for name in names])
    axes.set_xticks(range(len(levels)), [column_label(name) for name in levels])
    for border in (len(credits["levels"]) - 4.5, len(credits["levels"]) - 0.5):
        axes.axvline(border, color="white", linewidth=4.0)
    axes.set_title("Correlation of the credit with the true return, over nine ratios")


def column_label(name: str) -> str:
    known = {"λ = 0": "exact\nλ = 0", "λ = 1": "own fit\nλ = 1"}
    if name in ("poor", "mixed", "good"):
        return f"{name}\ndata"
    text = known.get(name, f"noise\n{name}" if name.startswith("σ") else f"part\n{name}")
    return text.replace(" = ", " ")  # the columns are narrow


def draw_cost(axes: plot.Axes, credits: Mapping[str, Any]) -> None:
    own = credits["levels"]["λ = 1"]
    plot.bars(axes, {name: each["lost"] for name, each in own.items()}, [plot.BLUE] * len(own))
    plot.name_rows(axes, [plot.math(name) for name in own])
    blind = credits["levels"]["λ = 0"]["R_q (κ = 1)"]["lost"]["mean"]
    plot.mark(axes, blind, "--")
    height = ("data", "axes fraction")
    plot.note(axes, "blind choice", (blind, 0.3), (4, 0), plot.SOFT, xycoords=height)
    axes.set_xlim(0.0, 1.0)
    axes.set_title("What following it loses (own fit)")
    axes.set_xlabel("share of the range of J over the ratios")
