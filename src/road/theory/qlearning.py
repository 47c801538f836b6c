"""Tabular Q-learning on the chain, many runs side by side.

    offline   every step: update on rows of the dataset
    online    every step: act epsilon-greedily, store the row, update on rows of which each is
              offline with probability m
    measure   the greedy policy's return, Delta_off and Delta_on, all without sampling

Chosen where the paper is silent: ties between actions are broken evenly, the buffer keeps every
online row, the dataset has 1000 rows, and the policy that is judged is the greedy one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from road.theory.chain import DISCOUNT, LEARNING_RATE, PHASE, DataQuality, Reading, pay, visits

Table = Float[np.ndarray, "run place 2"]
Rows = Int[np.ndarray, "run _"]
"""Transitions as numbers 2 · place + action: the next place follows from them."""
PerRun = Float[np.ndarray, " run"]
Curve = Float[np.ndarray, "point run"]


@dataclass(frozen=True)
class Run:
    """One run of the example; runs of one call differ in anything but length and samples."""

    reading: Reading
    quality: DataQuality
    offline_ratio: float


@dataclass(frozen=True)
class Curves:
    """What a run shows while it learns online; time comes first."""

    returns: Curve
    offline_advantage: Curve
    online_advantage: Curve


@dataclass(frozen=True)
class Chain:
    """The chains of all runs as lookup tables."""

    after: Int[np.ndarray, " pair"]
    """The place that a pair leads to."""
    reward: Float[np.ndarray, "run pair"]


def learn(runs: Sequence[Run], rng: np.random.Generator, every: int = 20) -> Curves:
    """Both phases of every run."""
    chain, table, dataset = set_up(runs, rng)
    samples, length = runs[0].reading.samples, runs[0].reading.length
    for _ in range(PHASE):
        update(chain, table, drawn(dataset, samples, rng))
    ratio = np.array([run.offline_ratio for run in runs])
    epsilon = np.array([run.reading.epsilon for run in runs])
    # The dataset fills the first half, the online buffer grows in the second.
    rows = np.concatenate([dataset, np.zeros_like(dataset)], 1)
    place = np.zeros(len(runs), np.int64)
    points: list[tuple[PerRun, PerRun, PerRun]] = []
    for index in range(PHASE):
        rows[:, PHASE + index] = pair = act(table, place, epsilon, rng)
        place = chain.after[pair] % length
        update(chain, table, mixed_rows(rows, index + 1, ratio, samples, rng))
        if (index + 1) % every == 0:
            points.append(measure(chain, table, dataset, rows[:, PHASE : PHASE + index + 1]))
    return Curves(*(np.stack(column) for column in zip(*points, strict=True)))


def set_up(runs: Sequence[Run], rng: np.random.Generator) -> tuple[Chain, Table, Rows]:
    """Every run's chain, its first table and its dataset."""
    shapes = {(run.reading.length, run.reading.samples) for run in runs}
    if len(shapes) != 1:
        raise ValueError(f"runs side by side need one length and one samples, got {shapes}")
    length = runs[0].reading.length
    place, action = np.divmod(np.arange(2 * length), 2)
    after = np.minimum(place + action + 1, length)
    reward = np.array([[pay(run.reading, int(place)) for place in after] for run in runs])
    table = np.stack([initial_table(run.reading, rng) for run in runs])
    dataset = np.stack([draw_dataset(run, rng) for run in runs])
    return Chain(after, reward), table, dataset


def initial_table(reading: Reading, rng: np.random.Generator) -> Float[np.ndarray, "place 2"]:
    if reading.initial == "normal":
        return rng.normal(scale=0.01, size=(reading.length, 2))
    return np.full((reading.length, 2), -10.0 if reading.initial == "pessimistic" else 0.0)


def draw_dataset(run: Run, rng: np.random.Generator) -> Int[np.ndarray, " row"]:
    chance = visits(run.reading, run.quality).ravel()
    return rng.choice(chance.size, PHASE, p=chance / chance.sum())


def drawn(rows: Rows, samples: int, rng: np.random.Generator) -> Rows:
    """Some rows of each run, with replacement."""
    index = rng.integers(rows.shape[1], size=(len(rows), samples))
    return np.take_along_axis(rows, index, 1)


def mixed_rows(
    rows: Rows, filled: int, ratio: PerRun, samples: int, rng: np.random.Generator
) -> Rows:
    """Offline rows with probability m, else some of the online rows so far."""
    place = rng.random((len(ratio), samples), np.float32)
    offline = rng.random((len(ratio), samples), np.float32) < ratio[:, None]
    index = place * np.where(offline, PHASE, filled).astype(np.float32)
    return np.take_along_axis(rows, index.astype(np.int64) + np.where(offline, 0, PHASE), 1)


def act(
    table: Table, place: Int[np.ndarray, " run"], epsilon: PerRun, rng: np.random.Generator
) -> Int[np.ndarray, " run"]:
    """The pair that each run tries."""
    here = table[np.arange(len(table)), place]
    preferred = 0.5 + 0.5 * np.sign(here[:, 1] - here[:, 0])
    two = rng.random(len(table)) < (1.0 - epsilon) * preferred + epsilon / 2
    return 2 * place + two


def greedy(table: Table) -> Table:
    """The greedy policy; equal values share evenly."""
    best = table == np.maximum(table[..., :1], table[..., 1:])
    return best / best.sum(-1, keepdims=True)


def update(chain: Chain, table: Table, rows: Rows) -> None:
    """Move each drawn entry towards r + gamma max Q of the next place, in the table itself."""
    runs, places, _ = table.shape
    after = chain.after[rows]
    best = np.zeros((runs, places + 1))  # T is worth nothing
    np.maximum(table[..., 0], table[..., 1], out=best[:, :-1])
    target = np.take_along_axis(chain.reward, rows, 1) + DISCOUNT * np.take_along_axis(
        best, after, 1
    )
    flat = table.reshape(runs, -1)
    error = target - np.take_along_axis(flat, rows, 1)
    entry = (rows + 2 * places * np.arange(runs)[:, None]).ravel()
    moved = np.bincount(entry, error.ravel(), table.size)
    table += LEARNING_RATE * moved.reshape(table.shape)


def measure(
    chain: Chain, table: Table, dataset: Rows, buffer: Rows
) -> tuple[PerRun, PerRun, PerRun]:
    """The greedy policy's return and its two perceived advantages."""
    policy = greedy(table)
    return (
        greedy_return(chain, policy),
        row_advantage(table, policy, dataset),
        row_advantage(table, policy, buffer),
    )


def greedy_return(chain: Chain, policy: Table) -> PerRun:
    """Discounted return from S, backwards along the chain."""
    runs, places, _ = policy.shape
    value = np.zeros((runs, places + 1))
    after, reward = chain.after.reshape(-1, 2), chain.reward.reshape(policy.shape)
    for place in reversed(range(places)):
        value[:, place] = (
            policy[:, place] * (reward[:, place] + DISCOUNT * value[:, after[place]])
        ).sum(-1)
    return value[:, 0]


def row_advantage(table: Table, policy: Table, rows: Rows) -> PerRun:
    """Delta: the policy's values less the recorded ones, over all rows."""
    gain = (policy * table).sum(-1, keepdims=True) - table
    return np.take_along_axis(gain.reshape(len(table), -1), rows, 1).mean(1)
