"""Distributions over actions."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


class Gaussian(eqx.Module):
    """Independent normal actions for a batch of states."""

    mean: Float[Array, "batch act"]
    std: Float[Array, "batch act"]

    def sample(self, key: PRNGKeyArray) -> Float[Array, "batch act"]:
        return self.mean + self.std * jax.random.normal(key, self.mean.shape)

    def log_prob(self, action: Float[Array, "batch act"]) -> Float[Array, " batch"]:
        z = (action - self.mean) / self.std
        return (-0.5 * z**2 - jnp.log(self.std) - 0.5 * jnp.log(2.0 * jnp.pi)).sum(axis=-1)
