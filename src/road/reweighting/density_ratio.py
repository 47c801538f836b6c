"""The ratio of two densities, learnt from rows of both (Lee et al. 2021, arXiv:2107.00591).

w(s, a) estimates d_on(s, a) / d_off(s, a) by the variational form of the Jensen-Shannon divergence:

    L_w  =  E_off[-log(2 / (1 + w))]  -  E_on[log(2 w / (1 + w))]

Differs from the authors' code: w = exp(h), where h is what the network gives, and not relu(h). With
w = 0 on every row a ReLU has no gradient left and stays there. With h = log w the loss is that of
logistic regression,

    L_w  =  E_off[log(1 + e^h)]  +  E_on[log(1 + e^-h)]  -  2 log 2,

whose gradient on a row that is judged wrongly never vanishes. The minimum is the same.
"""

import math
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from road.nn.networks import MLP, make_mlp
from road.types import Batch, Metrics

FIRST_GAIN = 0.01
"""Of the last layer: the ratio starts close to 1 everywhere."""


class DensityRatio(eqx.Module):
    """log w, as a function of (s, a)."""

    network: MLP

    def __call__(self, batch: Batch) -> Float[Array, " batch"]:
        inputs = jnp.concatenate([batch.observation, batch.action], axis=-1)
        return jax.vmap(self.network)(inputs)[:, 0]


def make_density_ratio(key: PRNGKeyArray, inputs: int, hidden: Sequence[int]) -> DensityRatio:
    return DensityRatio(make_mlp(key, (inputs, *hidden, 1), output_gain=FIRST_GAIN))


def density_loss(
    ratio: DensityRatio, offline: Batch, online: Batch
) -> tuple[Float[Array, ""], Metrics]:
    """L_w; 0 where the two sources are indistinguishable, -2 log 2 where they never overlap."""
    return divergence(ratio(offline), ratio(online)), {}


def divergence(
    offline: Float[Array, " offline"], online: Float[Array, " online"]
) -> Float[Array, ""]:
    """L_w from log w on rows of each source."""
    wrong = jax.nn.softplus(offline).mean() + jax.nn.softplus(-online).mean()
    return wrong - 2.0 * math.log(2.0)
