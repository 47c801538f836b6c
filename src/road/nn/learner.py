"""A network with its optimiser, and the two ways in which networks move."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from road.types import Metrics

Model = TypeVar("Model")
Loss = Callable[..., tuple[Float[Array, ""], Metrics]]
"""``loss(model, *constants) -> loss, metrics``: the first argument is what it trains."""


class Learner(eqx.Module, Generic[Model]):
    """A model and what its optimiser remembers of it, as vectors of all its weights."""

    model: Model
    optimiser_state: optax.OptState


def make_learner(model: Model, optimiser: optax.GradientTransformation) -> Learner[Model]:
    return Learner(model, optimiser.init(ravel_pytree(model)[0]))


def descend(
    name: str,
    learner: Learner[Model],
    optimiser: optax.GradientTransformation,
    loss: Loss,
    *constants: Any,
) -> tuple[Learner[Model], Metrics]:
    """One step down ``loss(model, *constants)``; only the model receives a gradient.

    Loss and gradient norm are among the metrics of every step, so that a number that is not
    finite can be named.
    """
    (value, details), slopes = jax.value_and_grad(loss, has_aux=True)(learner.model, *constants)
    # One vector: an optimiser that goes from weight to weight is slow for small networks.
    gradient, as_model = ravel_pytree(slopes)
    updates, optimiser_state = optimiser.update(gradient, learner.optimiser_state)
    metrics = {"loss": value, "gradient_norm": jnp.linalg.norm(gradient), **details}
    return (
        Learner(
            eqx.apply_updates(learner.model, as_model(cast("Array", updates))), optimiser_state
        ),
        {f"{name}/{quantity}": number for quantity, number in metrics.items()},
    )


def follow(target: Model, model: Model, rate: float) -> Model:
    """Move every weight of the target that share of the way to the model."""
    return jax.tree.map(lambda old, new: (1.0 - rate) * old + rate * new, target, model)
