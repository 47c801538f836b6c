"""The card of a dataset: counts, ranges, distributions and findings, as plain data."""

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.data.diagnostics import EDGE, Findings, clipped_share, examine
from road.data.memory import blocks
from road.data.order import order_findings

BINS = 40


def make_card(
    dataset: Dataset,
    source: str,
    score_range: tuple[float, float] | None = None,
    findings: Findings | None = None,
    environment: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Counts, ranges, distributions and findings.

    Args:
        dataset: The dataset.
        source: What it is called.
        score_range: The returns that score 0 and 100, if there are such.
        findings: Those of ``examine``, if they are at hand.
        environment: What was found by comparing it with its environment.
    """
    lengths = np.diff(np.flatnonzero(dataset.episode_ends), prepend=-1)
    returns, score = dataset.episode_returns, None
    if score_range is not None:
        low, high = score_range
        score = describe_values(100.0 * (returns - low) / (high - low))
    found = examine(dataset) if findings is None else findings
    return {
        "source": source,
        "rows": len(dataset),
        "episodes": len(lengths),
        "observations": dataset.observation.shape[1],
        "actions": dataset.action.shape[1],
        "terminated": int(dataset.terminated.sum()),
        "truncated": int((dataset.truncated & ~dataset.terminated).sum()),
        "return": describe_values(returns),
        "length": describe_values(lengths),
        "reward": describe_values(dataset.reward),
        "reward_nonzero": float((dataset.reward != 0).mean()),
        "action_columns": column_ranges(dataset.action),
        "observation_columns": column_ranges(dataset.observation),
        "clipped_actions": clipped_share(dataset.action),
        "edge_columns": edge_shares(dataset.action),
        "order": order_findings(dataset)[1],
        "environment": dict(environment),
        "score": score,
        "findings": [asdict(item) for item in found.items],
    }


def describe_values(values: NDArray[Any]) -> dict[str, Any]:
    """Five numbers and a histogram."""
    plain = np.asarray(values, np.float64)
    low, middle, high = (float(number) for number in np.percentile(plain, [0, 50, 100]))
    # Bins need a width that float64 can still represent.
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


def column_ranges(array: NDArray[np.float32]) -> list[dict[str, float]]:
    """Range and spread of each column, without a copy of the whole."""
    mean = sum(array[block].sum(0, np.float64) for block in blocks(len(array))) / len(array)
    square = sum(((array[block] - mean) ** 2).sum(0) for block in blocks(len(array))) / len(array)
    rows = np.stack([array.min(0), mean, array.max(0), np.sqrt(square)])
    return [
        {"min": float(low), "mean": float(middle), "max": float(high), "std": float(std)}
        for low, middle, high, std in rows.T
    ]


def edge_shares(action: NDArray[np.float32]) -> list[float]:
    """Share of the rows in which each number of the action is at an edge of the box."""
    there = sum((np.abs(action[block]) >= EDGE).sum(axis=0) for block in blocks(len(action)))
    return (np.asarray(there, np.float64) / len(action)).tolist()
