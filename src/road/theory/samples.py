"""Seeded random generators, and samples as they are recorded: means with intervals, rounded."""

import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

Numbers: TypeAlias = dict[str, Any]
"""The result of a study; ``plain_data`` makes it serialisable as JSON."""
Report: TypeAlias = Callable[[float], None]
"""Receives the finished share of a study."""

DIGITS = 6
"""Significant digits that are kept: far beyond any interval, fewer than machines may differ in."""


def generator(seed: int, purpose: str, *counters: int) -> np.random.Generator:
    """The generator of one purpose; another purpose or counter draws independently of it."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode()), *counters])


def interval(samples: np.ndarray, axis: int = -1) -> dict[str, Any]:
    """The mean over an axis with its 95 % interval (normal approximation); NaN is left out."""
    count = np.isfinite(samples).sum(axis)
    mean = np.nansum(samples, axis) / np.maximum(count, 1)
    square = np.nansum((samples - np.expand_dims(mean, axis)) ** 2, axis)
    half = 1.96 * np.sqrt(square / np.maximum(count - 1, 1) / np.maximum(count, 1))
    mean = np.where(count > 0, mean, np.nan)
    return {"mean": mean, "low": mean - half, "high": mean + half, "count": count}


def finite_mean(samples: np.ndarray) -> np.ndarray:
    """The mean of the finite samples over the first axis; NaN where there are none."""
    count = np.isfinite(samples).sum(0)
    return np.where(count > 0, np.nansum(samples, 0) / np.maximum(count, 1), np.nan)


def plain_data(value: Any) -> Any:
    """The same as lists and rounded numbers; NaN and infinity become None."""
    if isinstance(value, Mapping):
        return {str(name): plain_data(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain_data(value.tolist())
    if isinstance(value, list | tuple):
        return [plain_data(each) for each in value]
    if isinstance(value, np.generic):
        return plain_data(value.item())
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
    return value
