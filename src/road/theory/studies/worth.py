"""What a credit is worth: whether it orders the ratios as the true return does.

Every arm is tried on the same problem. Its credit is then set against J of the policy it led to and
against dJ/dm, over the arms. The critic that the credits are read off goes from exact to noisy:

    exact … own     Q^pi + lambda (f* - Q^pi),  lambda = 0 … 1; the policy stays that of f*
    noisy           f* + error, and the policy follows it; the error is in units of f*'s spread
"""

from dataclasses import dataclass, replace

import numpy as np

from road.mixing import FixedMixer
from road.theory.bilevel import ratio_gradient
from road.theory.choices import ByMixer, Round
from road.theory.credits import Seen, all_credits
from road.theory.draws import generator
from road.theory.finetuning import Problem, finetune
from road.theory.mdp import action_values, expected_return, soft_greedy
from road.theory.statistics import Numbers, interval, known_mean

RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WHEN = (0, 4, 14)
BLENDS = (0.0, 0.25, 0.5, 1.0)
"""lambda."""
NOISES = (0.03, 0.1, 0.3, 1.0)
NO_CREDIT = "−m (no credit)"
"""The rule to beat: less offline data is better, whatever was seen."""
FLAT = 1e-9
"""A credit whose spread over the arms is below this says nothing."""


@dataclass(frozen=True)
class Tried:
    """Every arm on the same problems; the first axis is the arm."""

    credits: dict[str, np.ndarray]
    returns: np.ndarray
    slopes: np.ndarray
    """dJ/dm."""


def credit_worth(problem: Problem, quality: np.ndarray, seed: int) -> Numbers:
    rounds = [each.now for each in finetune(problem, ByMixer(FixedMixer(0.5)), WHEN[-1] + 1)]
    levels: Numbers = {}
    for blend in BLENDS:
        levels[f"λ = {blend:g}"] = judged([tried(rounds[k], blend, 0.0, seed, k) for k in WHEN])
    for noise in NOISES:
        levels[f"σ = {noise:g}"] = judged([tried(rounds[k], 1.0, noise, seed, k) for k in WHEN])
    own = [tried(rounds[k], 1.0, 0.0, seed, k) for k in WHEN]
    by_data = {
        name: judged([only(each, quality == name) for each in own])
        for name in sorted(set(quality.tolist()))
    }
    by_time = {f"iteration {k + 1}": judged([each]) for k, each in zip(WHEN, own, strict=True)}
    return {"levels": levels, "by_data": by_data, "by_time": by_time}


def tried(now: Round, blend: float, noise: float, seed: int, when: int) -> Tried:
    seen = [
        blurred(now, arm, blend, noise, generator(seed, "critic", when, index))
        for index, arm in enumerate(RATIOS)
    ]
    credits = [
        {**all_credits(each), NO_CREDIT: np.full(len(each.critic), -arm)}
        for arm, each in zip(RATIOS, seen, strict=True)
    ]
    slopes = [ratio_gradient(now.inner, arm, now.offline, now.online) for arm in RATIOS]
    return Tried(
        {name: np.stack([each[name] for each in credits]) for name in credits[0]},
        np.stack([expected_return(each.mdp, each.policy) for each in seen]),
        np.stack(slopes),
    )


def blurred(now: Round, arm: float, blend: float, noise: float, rng: np.random.Generator) -> Seen:
    """What is seen after a period with this arm, by a critic of the given quality."""
    seen = now.seen(now.mixed(arm))
    own = seen.critic
    if noise > 0.0:
        spread = own.std((-1, -2), keepdims=True)
        critic = own + noise * spread * rng.normal(size=own.shape)
        return replace(
            seen, critic=critic, policy=soft_greedy(critic, now.inner.inverse_temperature)
        )
    exact = action_values(seen.mdp, seen.policy)
    return replace(seen, critic=exact + blend * (own - exact))


def only(all_tried: Tried, chosen: np.ndarray) -> Tried:
    credits = {name: values[:, chosen] for name, values in all_tried.credits.items()}
    return Tried(credits, all_tried.returns[:, chosen], all_tried.slopes[:, chosen])


def judged(moments: list[Tried]) -> Numbers:
    """Per credit: correlations over the arms, and what following it costs; problems pooled."""
    names = moments[0].credits
    return {name: judged_credit([(each.credits[name], each) for each in moments]) for name in names}


def judged_credit(pairs: list[tuple[np.ndarray, Tried]]) -> Numbers:
    with_return = [correlation(credit, each.returns) for credit, each in pairs]
    with_slope = [correlation(credit, each.slopes) for credit, each in pairs]
    return {
        "with_return": per_problem(with_return),
        "with_slope": per_problem(with_slope),
        "lost": per_problem([lost(credit, each.returns) for credit, each in pairs]),
        "informed": float(np.isfinite(with_return).mean()),
    }


def per_problem(moments: list[np.ndarray]) -> Numbers:
    """Moments of one problem are averaged first: they are no independent witnesses."""
    return interval(known_mean(np.stack(moments)))


def correlation(credit: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Over the arms, for each problem; NaN where either is flat."""
    left, right = credit - credit.mean(0), truth - truth.mean(0)
    spread = np.sqrt((left**2).mean(0)), np.sqrt((right**2).mean(0))
    flat = (spread[0] < FLAT) | (spread[1] < FLAT)
    return np.where(
        flat, np.nan, (left * right).mean(0) / np.where(flat, 1.0, spread[0] * spread[1])
    )


def lost(credit: np.ndarray, returns: np.ndarray) -> np.ndarray:
    """J of the best arm less J of the credit's arm, as a share of the range over the arms.

    A blind choice loses what the average arm loses.
    """
    spread = np.ptp(returns, axis=0)
    chosen = np.take_along_axis(returns, credit.argmax(0)[None], 0)[0]
    blind = np.ptp(credit, axis=0) < FLAT
    taken = np.where(blind, returns.mean(0), chosen)
    return np.where(spread > FLAT, (returns.max(0) - taken) / np.maximum(spread, FLAT), np.nan)
