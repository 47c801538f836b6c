"""Policies as plain arrays in an NPZ file: dense layers and what is around them.

    x = observation, and the share of the episode that remains where ``time_feature`` is true
    x = clip((x - obs_mean) / sqrt(obs_var + obs_eps), ±obs_clip)     where there are these
    x = (x - in_shift) / (in_scale + 1e-8)                            or these
    x = act(w @ x + b)            for w0, b0, w1, b1, ... but the last
    y = out(w @ x + b)            the last: tanh, clip1 (cut to [-1, 1]) or none
    y = y · out_scale + out_shift                                     where there are these

``w_mean``, ``b_mean`` as the last layer, with ``w_logstd``, ``b_logstd`` beside it, make a squashed
Gaussian: tanh(mean + exp(log std) · noise). A ``log_std`` of its own is noise added to y.

An observation is a vector, or a batch of them, a row each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats.npz import read_arrays
from road.errors import DataError

Vector = NDArray[np.floating[Any]]
Layer = tuple[NDArray[np.float32], NDArray[np.float32]]

ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0.0),
    "tanh": np.tanh,
    "linear": lambda x: x,
}
OUTPUTS = {"tanh": np.tanh, "clip1": lambda y: np.clip(y, -1.0, 1.0), "none": lambda y: y}
LOG_STD_BOUNDS = (-20.0, 2.0)
LEAST_SCALE = 1e-8
PLAIN = {"act": "relu", "out": "tanh"}
"""What a file without these names means."""


@dataclass(frozen=True)
class Weights:
    """A network that acts."""

    layers: tuple[Layer, ...]
    spread: Layer | None
    """The second head of a squashed Gaussian."""
    activation: str
    output: str
    more: Mapping[str, NDArray[Any]]
    """All else that the file holds."""

    @property
    def inputs(self) -> int:
        """Numbers of an observation."""
        return self.layers[0][0].shape[1] - self.time_feature

    @property
    def outputs(self) -> int:
        return len(self.layers[-1][1])

    @property
    def time_feature(self) -> bool:
        return bool(self.more.get("time_feature", False))

    @property
    def is_unit(self) -> bool:
        """Whether its actions are in [-1, 1], instead of the units of the environment."""
        return self.output != "none"

    @property
    def has_noise(self) -> bool:
        return self.spread is not None or "log_std" in self.more

    def act(self, observation: Vector, remaining: float = 1.0) -> Vector:
        """The action in the middle of its distribution."""
        return self.scale_output(self.apply_last(self.hidden_layer(observation, remaining)))

    def sample(self, observation: Vector, remaining: float, rng: np.random.Generator) -> Vector:
        """An action with the noise that it was trained with."""
        hidden = self.hidden_layer(observation, remaining)
        mean = self.apply_last(hidden)
        noise = rng.standard_normal(mean.shape)
        if self.spread is not None:
            log_std = np.clip(affine(self.spread, hidden), *LOG_STD_BOUNDS)
            return self.scale_output(mean + np.exp(log_std) * noise)
        return self.scale_output(mean) + np.exp(self.more["log_std"]) * noise

    def hidden_layer(self, observation: Vector, remaining: float) -> Vector:
        """From an observation to the last hidden layer."""
        x = np.append(observation, remaining) if self.time_feature else observation
        x = self.normalise(x)
        activate = ACTIVATIONS[self.activation]
        for layer in self.layers[:-1]:
            x = activate(affine(layer, x))
        return x

    def normalise(self, x: Vector) -> Vector:
        more = self.more
        if "obs_mean" in more:
            scaled = (x - more["obs_mean"]) / np.sqrt(more["obs_var"] + more["obs_eps"])
            return np.clip(scaled, -more["obs_clip"], more["obs_clip"]).astype(np.float32)
        if "in_shift" in more:
            return (x - more["in_shift"]) / (more["in_scale"] + LEAST_SCALE)
        return x

    def apply_last(self, hidden: Vector) -> Vector:
        return affine(self.layers[-1], hidden)

    def scale_output(self, y: Vector) -> Vector:
        y = OUTPUTS[self.output](y)
        if "out_scale" in self.more:
            y = y * self.more["out_scale"] + self.more["out_shift"]
        return y


def affine(layer: Layer, x: Vector) -> Vector:
    weight, bias = layer
    return (weight @ x if x.ndim == 1 else x @ weight.T) + bias


def read_weights(path: Path) -> Weights:
    """The policy in a file; nothing of the file is run.

    Raises:
        DataError: it is not such a file.
    """
    return weights_from(path, read_arrays(path))


def weights_from(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Weights:
    """The policy that these arrays of a file make.

    Raises:
        DataError: they make none.
    """
    names = layer_names(arrays)
    if not names:
        held = ", ".join(sorted(arrays))[:120] or "nothing"
        raise DataError(f"{path}: no layers w0, b0, w1, b1, ... in it; it holds {held}")
    layers = tuple(layer(path, arrays, *pair) for pair in names)
    heads = {"w_logstd", "b_logstd"} <= set(arrays)
    spread = layer(path, arrays, "w_logstd", "b_logstd") if heads else None
    used = {name for pair in names for name in pair} | {"w_logstd", "b_logstd"}
    more = {name: array for name, array in arrays.items() if name not in used}
    activation, output = (str(more.pop(name, usual)) for name, usual in PLAIN.items())
    weights = Weights(layers, spread, activation, output, more)
    check(path, weights)
    return weights


def layer_names(arrays: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names of weight and bias of every layer, the first one first."""
    joint = "_" if "w_0" in arrays else ""
    found: list[tuple[str, str]] = []
    while f"w{joint}{len(found)}" in arrays:
        found.append((f"w{joint}{len(found)}", f"b{joint}{len(found)}"))
    return found + [("w_mean", "b_mean")] * ("w_mean" in arrays)


def layer(path: Path, arrays: Mapping[str, NDArray[Any]], weight: str, bias: str) -> Layer:
    for name, rank in ((weight, 2), (bias, 1)):
        if name not in arrays:
            raise DataError(
                f"{path}: there is no array {name}; every layer has a weight and a bias"
            )
        array = arrays[name]
        if array.dtype.kind != "f" or array.ndim != rank or not np.isfinite(array).all():
            raise DataError(
                f"{path}: {name} is {array.dtype} of shape {array.shape}; a layer needs finite "
                f"floats with {rank} axes"
            )
    return arrays[weight].astype(np.float32), arrays[bias].astype(np.float32)


def check(path: Path, weights: Weights) -> None:
    """Whether one layer fits onto the other, and all else onto the first and the last."""
    words = (("act", weights.activation, ACTIVATIONS), ("out", weights.output, OUTPUTS))
    for name, word, known in words:
        if word not in known:
            raise DataError(f"{path}: {name} is {word!r}; known: {', '.join(known)}")
    width = weights.layers[0][0].shape[1]
    for number, (weight, bias) in enumerate(weights.layers):
        if weight.shape != (len(bias), width):
            raise DataError(
                f"{path}: layer {number} has weights of shape {weight.shape}, where its bias and "
                f"the layer before ask for {(len(bias), width)}"
            )
        width = len(bias)
    hidden = weights.layers[-1][0].shape[1]
    if weights.spread is not None and weights.spread[0].shape != (weights.outputs, hidden):
        raise DataError(
            f"{path}: w_logstd has shape {weights.spread[0].shape}, where w_mean beside it asks "
            f"for {(weights.outputs, hidden)}"
        )
    check_sides(path, weights)


SIDES = {
    "inputs": ("obs_mean", "obs_var", "in_shift", "in_scale"),
    "outputs": ("out_shift", "out_scale", "log_std"),
}
TOGETHER = (
    ("obs_mean", "obs_var", "obs_eps", "obs_clip"),
    ("in_shift", "in_scale"),
    ("out_shift", "out_scale"),
)
"""Arrays of which all are there or none."""
SINGLE = ("obs_eps", "obs_clip", "time_feature")
NUMBERS = (*SIDES["inputs"], *SIDES["outputs"], *SINGLE)


def check_sides(path: Path, weights: Weights) -> None:
    widths = {"inputs": weights.layers[0][0].shape[1], "outputs": weights.outputs}
    for group in TOGETHER:
        there = [name for name in group if name in weights.more]
        if there and len(there) < len(group):
            missing = next(name for name in group if name not in there)
            raise DataError(f"{path}: {there[0]} needs {missing} beside it")
    check_numbers(path, weights.more)
    for side, names in SIDES.items():
        for name in names:
            found = np.shape(weights.more.get(name, np.zeros(widths[side])))
            if found != (widths[side],):
                raise DataError(
                    f"{path}: {name} has shape {found} where there are {widths[side]} {side}"
                )


def check_numbers(path: Path, more: Mapping[str, NDArray[Any]]) -> None:
    for name, array in more.items():
        if name in NUMBERS and not (array.dtype.kind in "fiub" and np.isfinite(array).all()):
            raise DataError(f"{path}: {name} is {array.dtype}, not finite numbers throughout")
        if name in SINGLE and array.size != 1:
            raise DataError(f"{path}: {name} has shape {array.shape} where one value is meant")
    if "obs_var" in more and (more["obs_var"] + more["obs_eps"] <= 0.0).any():
        raise DataError(f"{path}: obs_var + obs_eps is not above zero everywhere")
