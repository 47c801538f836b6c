"""A network with its optimiser's state, the gradient step and the Polyak update."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

import equinox as eqx
import jax
import optax
from jaxtyping import Array

from road.nn.packing import packing_of
from road.types import Metrics, Scalar

Model = TypeVar("Model")
Loss = Callable[..., tuple[Scalar, Metrics]]
"""``loss(model, *constants) -> loss, metrics``: the first argument is what it trains."""


class TrainState(eqx.Module, Generic[Model]):
    """A model and the state of its optimiser, whose arrays are joined as in `nn/packing.py`."""

    model: Model
    optimiser_state: optax.OptState


def make_train_state(model: Model, optimiser: optax.GradientTransformation) -> TrainState[Model]:
    leaves = jax.tree.leaves(model)
    return TrainState(model, optimiser.init(packing_of(leaves).pack(leaves)))


def gradient_step(
    name: str,
    state: TrainState[Model],
    optimiser: optax.GradientTransformation,
    loss: Loss,
    *constants: Any,
) -> tuple[TrainState[Model], Metrics]:
    """One step down ``loss(model, *constants)``; only the model receives a gradient.

    Loss and gradient norm are among the metrics of every step, so that a number that is not
    finite can be named.
    """
    (value, details), slopes = jax.value_and_grad(loss, has_aux=True)(state.model, *constants)
    leaves, tree = jax.tree.flatten(slopes)
    packing = packing_of(leaves)
    gradient = packing.pack(leaves)
    updates, optimiser_state = optimiser.update(gradient, state.optimiser_state)
    as_model = jax.tree.unflatten(tree, packing.unpack(cast("list[Array]", updates)))
    metrics = {"loss": value, "gradient_norm": optax.tree.norm(gradient), **details}
    return (
        TrainState(eqx.apply_updates(state.model, as_model), optimiser_state),
        {f"{name}/{quantity}": number for quantity, number in metrics.items()},
    )


def polyak_update(target: Model, model: Model, rate: float) -> Model:
    """Every weight of the target becomes (1 - rate) of itself plus rate of the model's."""
    return jax.tree.map(lambda old, new: (1.0 - rate) * old + rate * new, target, model)
