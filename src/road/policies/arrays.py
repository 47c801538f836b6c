"""Trained networks as the plain arrays of ``weights.py``.

A layer comes as (weight, bias), its weight with inputs first, as the agents have it.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.policies.weights import LEAST_SCALE

Arrays: TypeAlias = dict[str, NDArray[Any]]
Layers: TypeAlias = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]


def gaussian_arrays(layers: Layers, log_std: NDArray[np.float32]) -> Arrays:
    """A Gaussian around a tanh mean, with a spread that does not depend on the state."""
    return {**dense(layers), "act": np.array("relu"), "out": np.array("tanh"), "log_std": log_std}


def squashed_arrays(layers: Layers, affine: NDArray[np.float32] | None = None) -> Arrays:
    """A tanh Gaussian whose last layer gives mean and log-std side by side.

    The affine map of the log-std (factor, offset) becomes a part of that layer.
    """
    *hidden, (weight, bias) = layers
    factor, offset = (1.0, 0.0) if affine is None else affine
    (mean_weight, std_weight), (mean_bias, std_bias) = np.split(weight.T, 2), np.split(bias, 2)
    heads = {
        "w_mean": mean_weight,
        "b_mean": mean_bias,
        "w_logstd": np.asarray(factor * std_weight, np.float32),
        "b_logstd": np.asarray(factor * std_bias + offset, np.float32),
    }
    return {**dense(hidden), **heads, "act": np.array("relu"), "out": np.array("tanh")}


def critic_arrays(layers: Layers) -> Arrays:
    """A Q-function of observation and action, side by side."""
    return {**dense(layers), "act": np.array("relu"), "out": np.array("none")}


def dense(layers: Layers) -> Arrays:
    arrays: Arrays = {}
    for number, (weight, bias) in enumerate(layers):
        arrays[f"w_{number}"], arrays[f"b_{number}"] = weight.T, bias
    return arrays


def normalised(
    arrays: Arrays, mean: NDArray[np.float32], spread: NDArray[np.float32], others: int = 0
) -> Arrays:
    """The same network on observations that are not standardised yet, and on other inputs as is."""
    # The format adds LEAST_SCALE to the scale; here the spread is never zero.
    shift = np.append(mean, np.zeros(others))
    scale = np.append(spread, np.ones(others)) - LEAST_SCALE
    return {
        **arrays,
        "in_shift": shift.astype(np.float32),
        "in_scale": scale.astype(np.float32),
    }
