"""Numbers as they are written down: means with intervals, rounded so that bytes repeat."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

Numbers: TypeAlias = dict[str, Any]
"""The result of a study: plain data, JSON as it stands."""
Tell: TypeAlias = Callable[[float], None]
"""Told which share of a study is done."""

DIGITS = 6
"""Significant digits that are kept: far beyond any interval, short of what a machine may change."""


def interval(samples: np.ndarray, axis: int = -1) -> dict[str, Any]:
    """The mean over an axis with its 95 % interval, by the normal law; NaN counts as not there."""
    count = np.isfinite(samples).sum(axis)
    mean = np.nansum(samples, axis) / np.maximum(count, 1)
    square = np.nansum((samples - np.expand_dims(mean, axis)) ** 2, axis)
    half = 1.96 * np.sqrt(square / np.maximum(count - 1, 1) / np.maximum(count, 1))
    mean = np.where(count > 0, mean, np.nan)
    return {"mean": mean, "low": mean - half, "high": mean + half, "count": count}


def known_mean(samples: np.ndarray) -> np.ndarray:
    """The mean over the first axis of what is a number; NaN where nothing is."""
    count = np.isfinite(samples).sum(0)
    return np.where(count > 0, np.nansum(samples, 0) / np.maximum(count, 1), np.nan)


def plain(value: Any) -> Any:
    """The same as lists and rounded numbers; what is not a number becomes None."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
    return value
