"""Algorithm 1 against fixed ratios, the exact ratio and ROAD's bandit; what credits are worth."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from road.mixing import FixedMixer, RoadMixer, UniformMixer
from road.theory.choices import ARMS, Ascent, BestCredit, BestRatio, ByMixer, Chooser
from road.theory.families import chain_problem, optimal_return, random_problems
from road.theory.finetuning import Iteration, Problem, finetune
from road.theory.statistics import Numbers, Tell, interval
from road.theory.studies.worth import credit_worth

ITERATIONS = 30
EXACT = "exact best ratio"

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
    "arm of best R_q": BestCredit(),
    EXACT: BestRatio(),
    "Algorithm 1, sources": Ascent(),
    "Algorithm 1, pairs": Ascent(pairs=True),
}
"""Who chooses. The lower half knows what no run can know: the true return of every choice."""


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    problem, quality = random_problems(repetitions, seed)
    chain, data = chain_problem(), np.array(quality)
    rounds: dict[str, list[Iteration]] = {}
    chained: Numbers = {}
    for index, (name, chooser) in enumerate(CHOOSERS.items()):
        rounds[name] = list(finetune(problem, chooser, ITERATIONS))
        chained[name] = chain_trial(chain, chooser)
        tell(0.8 * (index + 1) / len(CHOOSERS))
    exact = returns(rounds[EXACT])
    best = optimal_return(problem.mdp)
    random = {name: judged(each, exact, best, data) for name, each in rounds.items()}
    worth = credit_worth(problem, data, seed)
    return {"problems": repetitions, "random": random, "chain": chained, "credits": worth}


def judged(
    rounds: list[Iteration], exact: np.ndarray, best: np.ndarray, quality: np.ndarray
) -> Numbers:
    """Regret within the rounds that the chooser met, and its return beside others'."""
    reached = returns(rounds)
    missed = np.cumsum(np.stack([each.possible for each in rounds]) - reached, 0)
    by_quality: dict[str, Any] = {
        name: interval(missed[-1, quality == name]) for name in sorted(set(quality.tolist()))
    }
    return {
        "regret": interval(missed),
        "regret_by_data": by_quality,
        "return": interval(reached),
        "beside_exact": interval(reached - exact),
        "short_of_optimal": interval(np.mean(best - reached, 0)),
    }


def returns(rounds: list[Iteration]) -> np.ndarray:
    return np.stack([each.reached for each in rounds])


def chain_trial(problem: Problem, chooser: Chooser) -> dict[str, list[float]]:
    """Return over the iterations on the chain, with low- and with high-quality data."""
    reached = np.stack([each.reached for each in finetune(problem, chooser, ITERATIONS)])
    return {"low": reached[:, 0].tolist(), "high": reached[:, 1].tolist()}
