"""Policies whose actions are squashed into the box by tanh."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from road.nn.networks import MLP, Gaussian, make_mlp
from road.types import Actions, Observations, Scalars

LOG_STD_BOUNDS = (-20.0, 2.0)
EDGE = 1.0 - 1e-6
"""Nearest that a recorded action may come to the edge of the box before tanh is inverted."""


class TanhGaussian(eqx.Module):
    """tanh of independent normals, for a batch of states."""

    base: Gaussian

    def sample(self, key: PRNGKeyArray) -> tuple[Actions, Scalars]:
        """Actions, and the logarithms of their densities."""
        u = self.base.sample(key)
        return jnp.tanh(u), self.base.log_prob(u) - log_slope(u)

    def log_prob(self, action: Actions) -> Scalars:
        u = jnp.arctanh(jnp.clip(action, -EDGE, EDGE))
        return self.base.log_prob(u) - log_slope(u)

    @property
    def mode(self) -> Actions:
        """Tanh of the mean: what is meant by this policy's best action."""
        return jnp.tanh(self.base.mean)


def log_slope(u: Actions) -> Scalars:
    """Log |d tanh(u) / du|, summed over the action, in the form that stays finite for large |u|."""
    return (2.0 * (jnp.log(2.0) - u - jax.nn.softplus(-2.0 * u))).sum(axis=-1)


class SquashedActor(eqx.Module):
    """A squashed Gaussian whose mean and spread both depend on the state."""

    network: MLP
    log_std_affine: Float[Array, " 2"] | None
    """Learnable factor and offset of the log-std; None takes it as the network gives it."""

    def __call__(self, observation: Observations) -> TanhGaussian:
        mean, log_std = jnp.split(jax.vmap(self.network)(observation), 2, axis=-1)
        if self.log_std_affine is not None:
            log_std = self.log_std_affine[0] * log_std + self.log_std_affine[1]
        return TanhGaussian(Gaussian(mean, jnp.exp(jnp.clip(log_std, *LOG_STD_BOUNDS))))


def make_squashed_actor(
    key: PRNGKeyArray,
    observation_dim: int,
    action_dim: int,
    hidden: Sequence[int],
    *,
    affine: tuple[float, float] | None = None,
) -> SquashedActor:
    """Its last layer starts small, so that the first actions are spread over the box."""
    sizes = (observation_dim, *hidden, 2 * action_dim)
    network = make_mlp(key, sizes, output_gain=0.01)
    return SquashedActor(network, None if affine is None else jnp.array(affine))
