"""What a dataset is like, as plain data: ``json.dumps`` takes a card as it is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.blocks import blocks
from road.data.dataset import Dataset
from road.data.examining import clipped_share, examine
from road.data.findings import Findings

BINS = 40


def make_card(
    dataset: Dataset,
    source: str,
    score_range: tuple[float, float] | None = None,
    findings: Findings | None = None,
) -> dict[str, Any]:
    """Counts, ranges, distributions and findings.

    Args:
        dataset: The dataset.
        source: What it is called.
        score_range: The returns that score 0 and 100, if there are such.
        findings: Those of ``examine``, if they are at hand.
    """
    stops = np.flatnonzero(dataset.episode_ends) + 1
    starts = np.concatenate([[0], stops[:-1]])
    returns = np.add.reduceat(dataset.reward.astype(np.float64), starts)
    found = examine(dataset) if findings is None else findings
    return {
        "source": source,
        "rows": len(dataset),
        "episodes": len(stops),
        "observations": dataset.observation.shape[1],
        "actions": dataset.action.shape[1],
        "terminated": int(dataset.terminated.sum()),
        "truncated": int((dataset.truncated & ~dataset.terminated).sum()),
        "return": describe(returns),
        "length": describe(stops - starts),
        "reward": describe(dataset.reward),
        "reward_nonzero": float((dataset.reward != 0).mean()),
        "action_columns": columns(dataset.action),
        "observation_columns": columns(dataset.observation),
        "clipped_actions": clipped_share(dataset.action),
        "score": None if score_range is None else describe(scores(returns, *score_range)),
        "findings": [
            {"level": item.level, "text": item.text, "row": item.row} for item in found.items
        ],
    }


def scores(returns: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    return 100.0 * (returns - low) / (high - low)


def describe(values: NDArray[Any]) -> dict[str, Any]:
    """Five numbers and a histogram."""
    plain = np.asarray(values, np.float64)
    low, middle, high = (float(number) for number in np.percentile(plain, [0, 50, 100]))
    # Bins need a width that float64 can still tell apart.
    spread = high - low > 1e-9 * max(abs(low), abs(high), 1e-9)
    beside = max(abs(low) / 10, 0.5)
    edges = (low, high) if spread else (low - beside, high + beside)
    counts, borders = np.histogram(np.clip(plain, *edges), BINS, edges)
    return {
        "min": low,
        "median": middle,
        "mean": float(plain.mean()),
        "max": high,
        "std": float(plain.std()),
        "histogram": {
            "counts": counts.tolist(),
            "low": float(borders[0]),
            "high": float(borders[-1]),
        },
    }


def columns(array: NDArray[np.float32]) -> list[dict[str, float]]:
    """Range and spread of each column, without a copy of the whole."""
    mean = sum(array[block].sum(0, np.float64) for block in blocks(len(array))) / len(array)
    square = sum(((array[block] - mean) ** 2).sum(0) for block in blocks(len(array))) / len(array)
    rows = np.stack([array.min(0), mean, array.max(0), np.sqrt(square)])
    return [
        {"min": float(low), "mean": float(middle), "max": float(high), "std": float(std)}
        for low, middle, high, std in rows.T
    ]
