"""The library's bandit where arms move: breaks, slow drift, and R_q that was recorded."""

from collections.abc import Mapping

import numpy as np

from road.mixing import SlidingWindowUCB
from road.theory.bandits import Bandit, ThompsonSampling, UniformChoice, discounted_ucb
from road.theory.draws import generator
from road.theory.drift import (
    LEVELS,
    Means,
    abrupt,
    best_single_arm,
    coin_rewards,
    dynamic_regret,
    growth,
    play,
    slow,
)
from road.theory.statistics import Numbers, Tell, interval
from road.theory.studies import replay

HORIZON = 2000
BREAKS = 4
WINDOW = 200
EXPLORATION = 0.6
"""c just above the 1/2 that the regret bound asks for."""
HORIZONS = (1000, 2000, 4000, 8000, 16000, 32000)
COMPARED = ("sliding window", "discounted UCB", "UCB1 (no forgetting)")
"""Whose growth with the horizon is measured."""


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    abruptly = [abrupt(HORIZON, BREAKS, generator(seed, "abrupt", i)) for i in range(repetitions)]
    slowly = [slow(HORIZON, 1.5, generator(seed, "slow", i)) for i in range(repetitions)]
    drifts = {"abrupt": contest(abruptly, seed)}
    tell(0.25)
    drifts["slow"] = contest(slowly, seed)
    tell(0.5)
    recorded = {**replay.on_the_chain(3 * repetitions, seed), "real": replay.in_real_runs()}
    tell(0.6)
    return {
        "drifts": drifts,
        "recorded": recorded,
        "order": order(max(repetitions // 3, 2), seed, tell),
    }


def rivals(window: int, seed: int) -> Mapping[str, Bandit]:
    arms = len(LEVELS)
    return {
        "sliding window": SlidingWindowUCB(arms, EXPLORATION, window),
        "sliding window, c = 2": SlidingWindowUCB(arms, 2.0, window),
        "UCB1 (no forgetting)": SlidingWindowUCB(arms, EXPLORATION, None),
        "discounted UCB": discounted_ucb(arms, EXPLORATION, 1.0 - 1.0 / window),
        "Thompson sampling": ThompsonSampling(arms, seed=seed),
        "uniform": UniformChoice(arms, seed),
    }


def contest(worlds: list[Means], seed: int) -> Numbers:
    """Dynamic regret of every rival over the same worlds and the same coins."""
    curves: dict[str, list[np.ndarray]] = {}
    for index, means in enumerate(worlds):
        rewards = coin_rewards(means, generator(seed, "coins", index))
        chosen = {name: play(bandit, rewards) for name, bandit in rivals(WINDOW, index).items()}
        chosen["best single arm"] = best_single_arm(means)
        for name, arms in chosen.items():
            curves.setdefault(name, []).append(dynamic_regret(means, arms))
    step = HORIZON // 50
    return {name: interval(np.stack(runs)[:, step - 1 :: step], 0) for name, runs in curves.items()}


def order(repetitions: int, seed: int, tell: Tell) -> Numbers:
    """Regret at growing horizons and a fixed number of breaks: its exponent, and the bound's."""
    finals: dict[str, list[np.ndarray]] = {name: [] for name in COMPARED}
    for index, horizon in enumerate(HORIZONS):
        for name, values in final_regrets(horizon, repetitions, seed).items():
            finals[name].append(values)
        tell(0.6 + 0.4 * (index + 1) / len(HORIZONS))
    sizes = np.array(HORIZONS, float)
    bound = np.sqrt(sizes * np.log(sizes))
    return {
        "horizons": HORIZONS,
        "regret": {name: interval(np.stack(values)) for name, values in finals.items()},
        "exponent": {name: exponents(sizes, np.stack(values)) for name, values in finals.items()},
        "exponent_of_bound": growth(sizes, bound),
    }


def final_regrets(horizon: int, repetitions: int, seed: int) -> dict[str, np.ndarray]:
    """At the end of worlds of one length, with the window that the bound is proved for."""
    found: dict[str, list[float]] = {name: [] for name in COMPARED}
    for index in range(repetitions):
        means = abrupt(horizon, BREAKS, generator(seed, "order", horizon, index))
        rewards = coin_rewards(means, generator(seed, "order coins", horizon, index))
        bandits = rivals(proved_window(horizon), index)
        for name in COMPARED:
            found[name].append(float(dynamic_regret(means, play(bandits[name], rewards))[-1]))
    return {name: np.array(values) for name, values in found.items()}


def proved_window(horizon: int) -> int:
    """2 sqrt(T log T / breaks): Garivier & Moulines's choice for rewards within 1."""
    return int(2.0 * np.sqrt(horizon * np.log(horizon) / BREAKS))


def exponents(sizes: np.ndarray, regret: np.ndarray) -> Numbers:
    """Over all horizons, with an interval over repetitions, and over the upper half."""
    single = np.array([growth(sizes, regret[:, i]) for i in range(regret.shape[1])])
    late = growth(sizes[-3:], regret[-3:].mean(1))
    return {**interval(single), "late": late}
