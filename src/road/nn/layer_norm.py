"""Layer normalisation, written so that it is fast on a CPU.

Means are taken as products with a constant vector, forwards and backwards: a sum along rows is a
slow loop on a CPU, a matrix product is not. Hence the gradient is written by hand.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class LayerNorm(eqx.Module):
    """Standardises one vector, then scales and shifts it."""

    scale: Float[Array, " dim"]
    shift: Float[Array, " dim"]

    def __call__(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        return self.scale * standardise(x) + self.shift


@jax.custom_vjp
def standardise(x: Float[Array, " dim"]) -> Float[Array, " dim"]:
    """Mean 0 and variance 1, but for a small number under the root."""
    return standardise_forward(x)[0]


def standardise_forward(x: Array) -> tuple[Array, tuple[Array, Array]]:
    mean, square = mean_of(x), mean_of(x * x)
    # Rounding may leave the variance below zero.
    factor = jax.lax.rsqrt(jnp.maximum(square - mean * mean, 0.0) + 1e-6)
    result = (x - mean) * factor
    return result, (result, factor)


def standardise_backward(kept: tuple[Array, Array], gradient: Array) -> tuple[Array]:
    result, factor = kept
    along = mean_of(gradient * result)
    return (factor * (gradient - mean_of(gradient) - result * along),)


standardise.defvjp(standardise_forward, standardise_backward)


def mean_of(x: Array) -> Array:
    return x @ jnp.full(x.shape, 1.0 / x.shape[0], x.dtype)
