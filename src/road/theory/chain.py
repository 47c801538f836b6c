"""The paper's example: Q-learning on a chain from S to T in steps of 1 or 2, and 120 readings.

The paper gives: Q-learning, learning rate 1e-3, discount 0.9, 1000 offline and 1000 online steps,
ratios 0.1 and 0.5, lower-quality data of a sub-optimal policy and higher-quality data with an equal
blend of it and the optimal one. ``Reading`` holds what it leaves open. Many runs learn at once:

    offline   every step: update on rows of the dataset
    online    every step: act epsilon-greedily, store the row, update on rows of which each is
              offline with probability m
    measure   the greedy policy's return, Delta_off and Delta_on, all without sampling

The same in every reading: ties between actions are broken evenly, the replay buffer keeps every
online row, the dataset has 1000 rows, and the policy that is evaluated is the greedy one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from road.theory.credits import surrogate_values
from road.theory.mdp import MDP, StateAction

Table = Float[np.ndarray, "run place 2"]
Rows = Int[np.ndarray, "run _"]
"""Transitions as numbers 2 · place + action: the next place follows from them."""
PerRun = Float[np.ndarray, " run"]
Curve = Float[np.ndarray, "point run"]

Reward = Literal["goal", "step"]
Initial = Literal["zero", "normal", "pessimistic"]
Suboptimal = Literal["ones", "noisy"]
DataQuality = Literal["low", "high"]

DISCOUNT = 0.9
LEARNING_RATE = 1e-3
PHASE = 1000
"""Steps of the offline phase, and of the online phase."""
RATIOS = (0.1, 0.5)
DATA: tuple[DataQuality, DataQuality] = ("low", "high")


@dataclass(frozen=True)
class Reading:
    """What the paper does not specify about its example."""

    length: int = 10
    """Places before T."""
    reward: Reward = "goal"
    """'goal': 1 on reaching T. 'step': -1 for every step."""
    initial: Initial = "zero"
    """Q at the very start: 0, drawn with standard deviation 0.01, or -10."""
    epsilon: float = 0.3
    """Chance of a random action while exploring."""
    samples: int = 1
    """Rows in each update; each moves its entry of the table."""
    suboptimal: Suboptimal = "ones"
    """The sub-optimal policy: always a step of 1, or of 2 in a fifth of the cases."""


DEMO = Reading()
"""The simplest choice everywhere."""


def all_readings() -> list[Reading]:
    """All 120; small random values make no sense with rewards of -1 per step."""
    starts: list[tuple[Reward, Initial]] = [
        ("goal", "zero"), ("goal", "normal"), ("goal", "pessimistic"),
        ("step", "zero"), ("step", "pessimistic"),
    ]  # fmt: skip
    noise: tuple[Suboptimal, ...] = ("ones", "noisy")
    return [
        Reading(length, reward, initial, epsilon, samples, suboptimal)
        for (reward, initial), samples, length, epsilon, suboptimal in product(
            starts, (1, 32), (5, 10, 20), (0.1, 0.3), noise
        )
    ]


def chain_mdp(reading: Reading) -> MDP:
    """The chain as tensors; T is the last state, absorbing and without reward."""
    size = reading.length + 1
    transition = np.zeros((size, 2, size))
    reward = np.zeros((size, 2))
    for place, action in product(range(reading.length), (0, 1)):
        after = min(place + action + 1, reading.length)
        transition[place, action, after] = 1.0
        reward[place, action] = step_reward(reading, after)
    transition[-1, :, -1] = 1.0
    return MDP(transition, reward, np.eye(size)[0], DISCOUNT)


def step_reward(reading: Reading, after: int) -> float:
    if reading.reward == "step":
        return -1.0
    return 1.0 if after == reading.length else 0.0


def visits(reading: Reading, quality: DataQuality) -> StateAction:
    """How often an episode of the data visits each pair; T is left out."""
    slow = episode_visits(reading.length, 0.2 if reading.suboptimal == "noisy" else 0.0)
    return slow if quality == "low" else 0.5 * slow + 0.5 * episode_visits(reading.length, 1.0)


def episode_visits(length: int, chance_of_two: float) -> Float[np.ndarray, "state action"]:
    here = np.zeros(length + 2)
    here[0] = 1.0
    for place in range(length):
        here[place + 1] += here[place] * (1.0 - chance_of_two)
        here[min(place + 2, length)] += here[place] * chance_of_two
    return here[:length, None] * np.array([1.0 - chance_of_two, chance_of_two])


@dataclass(frozen=True)
class Run:
    """One run of the example; all runs of one call have the same length and samples."""

    reading: Reading
    quality: DataQuality
    offline_ratio: float


@dataclass(frozen=True)
class Curves:
    """Measurements during the online phase; time is the first axis."""

    returns: Curve
    offline_advantage: Curve
    online_advantage: Curve

    @property
    def scores(self) -> PerRun:
        """Mean greedy return over the online phase."""
        return self.returns.mean(0)

    @property
    def credits(self) -> PerRun:
        """Mean R_q over the online phase."""
        return surrogate_values(self.offline_advantage.mean(0), self.online_advantage.mean(0))

    def select(self, runs: slice) -> "Curves":
        return Curves(
            self.returns[:, runs], self.offline_advantage[:, runs], self.online_advantage[:, runs]
        )


@dataclass(frozen=True)
class Chain:
    """The chains of all runs as lookup tables."""

    after: Int[np.ndarray, " pair"]
    """The place that a pair leads to."""
    reward: Float[np.ndarray, "run pair"]


def learn(runs: Sequence[Run], rng: np.random.Generator, every: int = 20) -> Curves:
    """Both phases of every run, measured every so many online steps."""
    chain, table, dataset = set_up(runs, rng)
    samples, length = runs[0].reading.samples, runs[0].reading.length
    for _ in range(PHASE):
        update(chain, table, sample_rows(dataset, samples, rng))
    ratio = np.array([run.offline_ratio for run in runs])
    epsilon = np.array([run.reading.epsilon for run in runs])
    # The dataset fills the first half, the online buffer grows in the second.
    rows = np.concatenate([dataset, np.zeros_like(dataset)], 1)
    place = np.zeros(len(runs), np.int64)
    points: list[tuple[PerRun, PerRun, PerRun]] = []
    for index in range(PHASE):
        rows[:, PHASE + index] = pair = act(table, place, epsilon, rng)
        place = chain.after[pair] % length
        update(chain, table, sample_mixed_rows(rows, index + 1, ratio, samples, rng))
        if (index + 1) % every == 0:
            points.append(measure(chain, table, dataset, rows[:, PHASE : PHASE + index + 1]))
    return Curves(*(np.stack(column) for column in zip(*points, strict=True)))


def set_up(runs: Sequence[Run], rng: np.random.Generator) -> tuple[Chain, Table, Rows]:
    """Every run's chain, its initial table and its dataset."""
    shapes = {(run.reading.length, run.reading.samples) for run in runs}
    if len(shapes) != 1:
        raise ValueError(f"runs of one call need the same length and samples, got {sorted(shapes)}")
    length = runs[0].reading.length
    place, action = np.divmod(np.arange(2 * length), 2)
    after = np.minimum(place + action + 1, length)
    reward = np.array([[step_reward(run.reading, int(place)) for place in after] for run in runs])
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


def sample_rows(rows: Rows, samples: int, rng: np.random.Generator) -> Rows:
    """Some rows of each run, with replacement."""
    index = rng.integers(rows.shape[1], size=(len(rows), samples))
    return np.take_along_axis(rows, index, 1)


def sample_mixed_rows(
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
    """The state-action pair of each run's next step."""
    here = table[np.arange(len(table)), place]
    preferred = 0.5 + 0.5 * np.sign(here[:, 1] - here[:, 0])
    two = rng.random(len(table)) < (1.0 - epsilon) * preferred + epsilon / 2
    return 2 * place + two


def greedy(table: Table) -> Table:
    """The greedy policy; ties share the probability evenly."""
    best = table == np.maximum(table[..., :1], table[..., 1:])
    return best / best.sum(-1, keepdims=True)


def update(chain: Chain, table: Table, rows: Rows) -> None:
    """Move each drawn entry towards r + gamma max Q of the next place, in the table itself."""
    runs, places, _ = table.shape
    after = chain.after[rows]
    best = np.zeros((runs, places + 1))  # the value of T is zero
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
    """Delta: the policy's values minus those of the rows' actions, over all rows."""
    gain = (policy * table).sum(-1, keepdims=True) - table
    return np.take_along_axis(gain.reshape(len(table), -1), rows, 1).mean(1)
