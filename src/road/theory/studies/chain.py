"""The example MDP: the most defensible reading as curves, and every reading as a map of claims."""

from dataclasses import asdict, dataclass
from itertools import groupby

import numpy as np

from road.theory.chain import DATA, DEMO, PHASE, RATIOS, DataQuality, Reading, all_readings
from road.theory.credits import each_credit
from road.theory.draws import generator
from road.theory.qlearning import Curves, Run, learn
from road.theory.statistics import Numbers, Tell, interval

EVERY = 20

CLAIMS = (
    "low data: 0.1 is better",
    "high data: 0.5 is better",
    "Δ_off rises throughout",
    "Δ_on rises, then falls (low)",
    "Δ_on rises, then falls (high)",
    "R_q orders the ratios as the return does",
    "all of these",
)
HOLDS, OPEN, REVERSED = 1, 0, -1
"""A claim holds, cannot be seen, or the opposite is seen."""


@dataclass(frozen=True)
class Cell:
    """All seeds of one data quality and one ratio."""

    curves: Curves

    @property
    def credits(self) -> np.ndarray:
        """R_q over the run, one mean for each seed."""
        curves = self.curves
        return each_credit(curves.offline_advantage.mean(0), curves.online_advantage.mean(0))

    @property
    def scores(self) -> np.ndarray:
        """Mean greedy return over the online phase, for each seed."""
        return self.curves.returns.mean(0)


Cells = dict[tuple[DataQuality, float], Cell]


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    demo = run_readings([DEMO], repetitions, seed, "demo")[0]
    tell(0.05)
    few = max(repetitions // 2, 2)
    readings = sorted(all_readings(), key=side_by_side)
    verdicts: list[Numbers] = []
    for (length, samples), group in groupby(readings, key=side_by_side):
        members = list(group)
        cells = run_readings(members, few, seed, f"map {length} {samples}")
        verdicts += [verdict(reading, each) for reading, each in zip(members, cells, strict=True)]
        tell(0.05 + 0.95 * len(verdicts) / len(readings))
    return {
        "demo": {f"{data} {ratio}": shown(cell) for (data, ratio), cell in demo.items()},
        "demo_reading": asdict(DEMO),
        "demo_verdict": verdict(DEMO, demo)["verdict"],
        "steps": np.arange(EVERY, PHASE + 1, EVERY),
        "claims": CLAIMS,
        "map": verdicts,
        "map_seeds": few,
        "counts": counts(verdicts),
    }


def side_by_side(reading: Reading) -> tuple[int, int]:
    return reading.length, reading.samples


def run_readings(readings: list[Reading], seeds: int, seed: int, purpose: str) -> list[Cells]:
    """Both data qualities and both ratios of each reading, all at once."""
    wanted: list[tuple[Reading, DataQuality, float]] = [
        (reading, data, ratio) for reading in readings for data in DATA for ratio in RATIOS
    ]
    runs = [Run(*each) for each in wanted for _ in range(seeds)]
    curves = learn(runs, generator(seed, purpose), EVERY)
    found: list[Cells] = [{} for _ in readings]
    for index, (_, data, ratio) in enumerate(wanted):
        part = slice(index * seeds, (index + 1) * seeds)
        found[index // 4][data, ratio] = Cell(
            Curves(
                curves.returns[:, part],
                curves.offline_advantage[:, part],
                curves.online_advantage[:, part],
            )
        )
    return found


def shown(cell: Cell) -> Numbers:
    """The curves of the figure."""
    curves = cell.curves
    credit = each_credit(curves.offline_advantage, curves.online_advantage)
    return {
        "return": interval(curves.returns),
        "offline_advantage": interval(curves.offline_advantage),
        "online_advantage": interval(curves.online_advantage),
        "credit": interval(credit),
        "mean_return": interval(cell.scores),
        "mean_credit": interval(cell.credits),
    }


def verdict(reading: Reading, cells: Cells) -> Numbers:
    """Which of the paper's claims hold in this reading."""
    small, large = RATIOS
    low = clearly(cells["low", small].scores, cells["low", large].scores)
    high = clearly(cells["high", large].scores, cells["high", small].scores)
    rises = all(rises_throughout(cell.curves.offline_advantage.mean(1)) for cell in cells.values())
    humps = [all(hump(cells[data, ratio]) for ratio in RATIOS) for data in DATA]
    claims = [low, high, int(rises), int(humps[0]), int(humps[1]), ordered(cells)]
    claims.append(int(all(claim == HOLDS for claim in claims)))
    return {"reading": asdict(reading), "verdict": claims}


def clearly(better: np.ndarray, worse: np.ndarray) -> int:
    """Whether the mean is greater by more than two standard errors of the difference."""
    gap = better.mean() - worse.mean()
    error = np.sqrt(better.var(ddof=1) / len(better) + worse.var(ddof=1) / len(worse))
    if abs(gap) <= max(2.0 * error, 1e-12):
        return OPEN
    return HOLDS if gap > 0.0 else REVERSED


def rises_throughout(curve: np.ndarray) -> bool:
    """No tenth of the run below the one before it, but for a fiftieth of the range."""
    tenths = curve.reshape(10, -1).mean(1)
    slack = 0.02 * np.ptp(tenths)
    return bool(tenths[-1] > tenths[0] and (np.diff(tenths) >= -slack).all())


def hump(cell: Cell) -> bool:
    """The peak lies inside the run, and the end is at most nine tenths of it."""
    tenths = cell.curves.online_advantage.mean(1).reshape(10, -1).mean(1)
    return bool(0 < tenths.argmax() < 9 and tenths[-1] < 0.9 * tenths.max())


def ordered(cells: Cells) -> int:
    """R_q and the return prefer the same ratio, wherever the return has a clear preference."""
    small, large = RATIOS
    agree: list[bool] = []
    for data in DATA:
        preferred = clearly(cells[data, small].scores, cells[data, large].scores)
        credit = cells[data, small].credits.mean() - cells[data, large].credits.mean()
        if preferred != OPEN:
            agree.append(bool(np.sign(credit) == preferred))
    if not agree:
        return OPEN
    return HOLDS if all(agree) else REVERSED


def counts(verdicts: list[Numbers]) -> Numbers:
    """How many readings show each claim, and how many the opposite."""
    table = np.array([each["verdict"] for each in verdicts])
    return {
        claim: {
            "holds": int((table[:, index] == HOLDS).sum()),
            "reversed": int((table[:, index] == REVERSED).sum()),
            "open": int((table[:, index] == OPEN).sum()),
        }
        for index, claim in enumerate(CLAIMS)
    }
