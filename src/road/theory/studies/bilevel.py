"""Algorithm 1 against fixed ratios, the exact ratio and ROAD's bandit; what credits are worth."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from road.mixing import FixedMixer, RoadMixer, UniformMixer
from road.theory.choices import ARMS, Ascent, BestCredit, BestRatio, ByMixer, Chooser
from road.theory.families import chain_problem, optimal_return, random_problems
from road.theory.finetuning import Problem, finetune
from road.theory.statistics import Numbers, Tell, interval
from road.theory.studies.worth import credit_worth

ITERATIONS = 30

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
    "exact best ratio": BestRatio(),
    "Algorithm 1, sources": Ascent(),
    "Algorithm 1, pairs": Ascent(pairs=True),
}
"""Who chooses. The lower half knows what no run can know: the true return of every choice."""


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    problem, quality = random_problems(repetitions, seed)
    chain = chain_problem()
    random: Numbers = {}
    chained: Numbers = {}
    for index, (name, chooser) in enumerate(CHOOSERS.items()):
        random[name] = trial(problem, chooser, np.array(quality))
        chained[name] = chain_trial(chain, chooser)
        tell(0.8 * (index + 1) / len(CHOOSERS))
    worth = credit_worth(problem, np.array(quality), seed)
    return {"problems": repetitions, "random": random, "chain": chained, "credits": worth}


def trial(problem: Problem, chooser: Chooser, quality: np.ndarray) -> Numbers:
    """Regret within the rounds that the chooser met, and return over all."""
    rounds = list(finetune(problem, chooser, ITERATIONS))
    reached = np.stack([each.reached for each in rounds])
    missed = np.cumsum(np.stack([each.possible for each in rounds]) - reached, 0)
    short = np.mean(optimal_return(problem.mdp) - reached, 0)
    by_quality: dict[str, Any] = {
        name: interval(missed[-1, quality == name]) for name in sorted(set(quality.tolist()))
    }
    return {
        "regret": interval(missed),
        "regret_by_data": by_quality,
        "return": interval(reached),
        "short_of_optimal": interval(short),
    }


def chain_trial(problem: Problem, chooser: Chooser) -> dict[str, list[float]]:
    """Return over the iterations on the chain, with low- and with high-quality data."""
    reached = np.stack([each.reached for each in finetune(problem, chooser, ITERATIONS)])
    return {"low": reached[:, 0].tolist(), "high": reached[:, 1].tolist()}
