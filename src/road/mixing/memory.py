"""What a bandit remembers of its pulls: the last tau of them, or all of them, fading.

Both memories are asked for the same sums per arm: of the pulls, their rewards, their times, and the
products that a straight line over time is fitted from. A time is the pull's number, counted from
now, so that the newest pull has time -1.

    windowed     the last tau pulls count fully, older ones not at all
    discounted   a pull counts gamma^(its age): Garivier & Moulines 2008, arXiv:0805.3415
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

from road.mixing.sums import ExactSum, Ring, accumulate, item_at, put_at
from road.mixing.surrogate import check_finite

LARGEST_CREDIT = 1e100
"""Far beyond any return, and its square is still a number."""
FORGOTTEN = 1e-100
"""An arm whose pulls have faded to less than this has none."""


Numbers = list[float] | list[int]
"""One per arm."""


class Sums(NamedTuple):
    """Over what is remembered of each arm."""

    counts: Numbers
    totals: list[float]
    """Of the rewards."""
    squares: float
    """Of all rewards above the origin."""
    origin: float


class Times(NamedTuple):
    """What a line over time is fitted from."""

    totals: Numbers
    squares: Numbers
    products: list[float]
    """Of time and reward above the origin."""


class Window(TypedDict):
    """The last tau pulls. Plain data: JSON as it stands, and of constant size."""

    finished: int
    """k: pulls so far, forgotten ones included."""
    recent_arms: Ring[int]
    """Of the last tau pulls; empty when every pull is kept."""
    recent_rewards: Ring[float]
    counts: list[int]
    totals: list[ExactSum]
    times: list[int]
    """Of the pulls' numbers, counted from the first; whole numbers, so exact."""
    squared_times: list[int]
    products: list[ExactSum]
    origin: float
    """The first reward; squares are taken around it so that a large mean does not drown them."""
    squares: ExactSum


class Faded(TypedDict):
    """Sums in which every pull weighs less with each later one. Times count from now."""

    finished: int
    counts: list[float]
    totals: list[float]
    times: list[float]
    squared_times: list[float]
    products: list[float]
    origin: float
    squares: float


@dataclass(frozen=True)
class Windowed:
    """The last tau pulls count, each as much as any other."""

    num_arms: int
    window: int | None = 1000
    """tau; None keeps every pull."""

    def __post_init__(self) -> None:
        check_arm_number(self.num_arms)
        if self.window is not None and self.window < 1:
            raise ValueError(f"window (tau) must be 1 or more, or None, got {self.window}")

    def init(self) -> Window:
        zeros = [0] * self.num_arms
        nothing = [[0.0, 0.0] for _ in zeros]
        return Window(
            finished=0, recent_arms=[], recent_rewards=[], counts=zeros, totals=nothing,
            times=zeros, squared_times=zeros, products=nothing, origin=0.0, squares=[0.0, 0.0],
        )  # fmt: skip

    def record(self, pulls: Window, arm: int, reward: float) -> Window:
        """The memory after one more pull; the work does not grow with k, and hardly with tau."""
        check_pull(self.num_arms, arm, reward)
        now, window, after = pulls["finished"], self.window, copied(pulls)
        if now == 0:
            after["origin"] = reward
        include(after, arm, reward, now, 1)
        after["finished"] = now + 1
        if window is None:
            return after
        place, chunk = now % window, max(math.isqrt(window), 1)
        arms, rewards = pulls["recent_arms"], pulls["recent_rewards"]
        if now >= window:
            oldest = item_at(arms, place, chunk), item_at(rewards, place, chunk)
            include(after, *oldest, now - window, -1)
        after["recent_arms"] = put_at(arms, place, arm, chunk)
        after["recent_rewards"] = put_at(rewards, place, reward, chunk)
        return after

    def sums(self, pulls: Window) -> Sums:
        totals = [high + low for high, low in pulls["totals"]]
        return Sums(pulls["counts"], totals, sum(pulls["squares"]), pulls["origin"])

    def times(self, pulls: Window) -> Times:
        """Differences of large numbers: whole ones are exact, the others keep their low parts."""
        now, origin, counts = pulls["finished"], pulls["origin"], pulls["counts"]
        arms = range(self.num_arms)
        times = [pulls["times"][i] - counts[i] * now for i in arms]
        squares = [pulls["squared_times"][i] - now * (pulls["times"][i] + times[i]) for i in arms]
        products = [
            pulls["products"][i][0] - now * (pulls["totals"][i][0] - counts[i] * origin)
            + (pulls["products"][i][1] - now * pulls["totals"][i][1])
            for i in arms
        ]  # fmt: skip
        return Times(times, squares, products)


def copied(pulls: Window) -> Window:
    """What ``include`` may change; the rings are never changed in place."""
    return Window(
        finished=pulls["finished"],
        recent_arms=pulls["recent_arms"],
        recent_rewards=pulls["recent_rewards"],
        counts=pulls["counts"].copy(),
        totals=pulls["totals"].copy(),
        times=pulls["times"].copy(),
        squared_times=pulls["squared_times"].copy(),
        products=pulls["products"].copy(),
        origin=pulls["origin"],
        squares=pulls["squares"],
    )


def include(pulls: Window, arm: int, reward: float, time: int, sign: Literal[1, -1]) -> None:
    """Add a pull to the sums, or take it away."""
    above = reward - pulls["origin"]
    pulls["counts"][arm] += sign
    pulls["totals"][arm] = accumulate(pulls["totals"][arm], sign * reward)
    pulls["times"][arm] += sign * time
    pulls["squared_times"][arm] += sign * time * time
    pulls["products"][arm] = accumulate(pulls["products"][arm], sign * time * above)
    pulls["squares"] = accumulate(pulls["squares"], sign * above * above)


@dataclass(frozen=True)
class Discounted:
    """Every pull counts, the less the older it is."""

    num_arms: int
    discount: float = 0.999
    """gamma: what is left of a pull's weight one pull later."""

    def __post_init__(self) -> None:
        check_arm_number(self.num_arms)
        if not 0.0 < self.discount <= 1.0:
            raise ValueError(f"discount (gamma) must lie in (0, 1], got {self.discount}")

    def init(self) -> Faded:
        zeros = [0.0] * self.num_arms
        return Faded(
            finished=0, counts=zeros, totals=zeros, times=zeros, squared_times=zeros,
            products=zeros, origin=0.0, squares=0.0,
        )  # fmt: skip

    def record(self, pulls: Faded, arm: int, reward: float) -> Faded:
        """All earlier pulls fade and are one pull further back; the new one has time -1."""
        check_pull(self.num_arms, arm, reward)
        keep, origin = self.discount, pulls["origin"] if pulls["finished"] else reward
        above = reward - origin
        counts = [keep * count for count in pulls["counts"]]
        totals = [keep * total for total in pulls["totals"]]
        times = [keep * time for time in pulls["times"]]
        squared = [keep * square for square in pulls["squared_times"]]
        products = [keep * product for product in pulls["products"]]
        counts[arm] += 1.0
        totals[arm] += reward
        for i, count in enumerate(counts):
            squared[i] += count - 2.0 * times[i]
            times[i] -= count
            products[i] -= totals[i] - count * origin
        squares = keep * pulls["squares"] + above * above
        return Faded(
            finished=pulls["finished"] + 1, counts=counts, totals=totals, times=times,
            squared_times=squared, products=products, origin=origin, squares=squares,
        )  # fmt: skip

    def sums(self, pulls: Faded) -> Sums:
        counts = [0.0 if count < FORGOTTEN else count for count in pulls["counts"]]
        return Sums(counts, pulls["totals"], pulls["squares"], pulls["origin"])

    def times(self, pulls: Faded) -> Times:
        return Times(pulls["times"], pulls["squared_times"], pulls["products"])


def check_arm_number(num_arms: int) -> None:
    if num_arms < 1:
        raise ValueError(f"a bandit needs at least one arm, got num_arms={num_arms}")


def check_pull(num_arms: int, arm: int, reward: float) -> None:
    if not 0 <= arm < num_arms:
        raise ValueError(f"arm must lie in 0..{num_arms - 1}, got {arm}")
    check_finite("credit", reward)
    if abs(reward) > LARGEST_CREDIT:
        raise ValueError(f"credit must be within ±{LARGEST_CREDIT:g}, got {reward}")
