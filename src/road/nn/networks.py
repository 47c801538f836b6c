"""Networks and the Gaussian policy, written for one sample and mapped over batches.

Layers are orthogonal with gain sqrt(2) and zero bias, output layers included unless an agent says
otherwise, as in the authors' IQL code; ROAD's table of hyper-parameters says "orthogonal init".
"""

import math
from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from road.nn.layer_norm import LayerNorm
from road.types import Actions, Observations, Scalars

LOG_STD_BOUNDS = (-5.0, 2.0)
BLOCK = 2
"""Actions per observation that critics judge at once: more would leave a processor's cache."""


class Linear(eqx.Module):
    """An affine map of one vector."""

    weight: Float[Array, "in out"]
    bias: Float[Array, " out"]

    def __call__(self, x: Float[Array, " in"]) -> Float[Array, " out"]:
        return x @ self.weight + self.bias


class MLP(eqx.Module):
    """Affine layers with ReLU between them, each normalised before it if asked for."""

    layers: tuple[Linear, ...]
    norms: tuple[LayerNorm, ...] = ()
    """One per hidden layer, or none."""

    def __call__(self, x: Float[Array, " in"]) -> Float[Array, " out"]:
        for index, layer in enumerate(self.layers[:-1]):
            x = layer(x)
            if self.norms:
                x = self.norms[index](x)
            x = jax.nn.relu(x)
        return self.layers[-1](x)


def make_mlp(
    key: PRNGKeyArray,
    sizes: Sequence[int],
    *,
    layer_norm: bool = False,
    output_gain: float = 2.0**0.5,
) -> MLP:
    keys = jax.random.split(key, len(sizes) - 1)
    gains = [2.0**0.5] * (len(sizes) - 2) + [output_gain]
    layers = tuple(
        Linear(orthogonal(k, before, after, gain), jnp.zeros(after))
        for k, gain, before, after in zip(keys, gains, sizes[:-1], sizes[1:], strict=True)
    )
    normed = sizes[1:-1] if layer_norm else ()
    return MLP(layers, tuple(LayerNorm(jnp.ones(size), jnp.zeros(size)) for size in normed))


def orthogonal(key: PRNGKeyArray, inputs: int, outputs: int, gain: float) -> Float[Array, "in out"]:
    """A random matrix with orthogonal rows or columns, whichever are fewer, of length ``gain``.

    Made on the host: several QR decompositions in one compiled function can block each other
    for ever on a CPU with few threads.
    """
    rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    tall = rng.normal(size=(max(inputs, outputs), min(inputs, outputs)))
    q, r = np.linalg.qr(tall)
    q = q * np.sign(np.diag(r))  # makes the choice uniform over all orthogonal matrices
    return jnp.asarray(gain * (q if inputs >= outputs else q.T), jnp.float32)


class Critic(eqx.Module):
    """An ensemble of Q-functions, held as one network with a leading member axis."""

    members: MLP

    @property
    def size(self) -> int:
        return self.members.layers[0].bias.shape[0]

    def __call__(self, observation: Observations, action: Actions) -> Float[Array, "member batch"]:
        inputs = jnp.concatenate([observation, action], axis=-1)
        return jax.vmap(lambda member: jax.vmap(member)(inputs)[:, 0])(self.members)

    def judge_each(
        self, observation: Observations, action: Float[Array, "proposal batch act"]
    ) -> Float[Array, "proposal member batch"]:
        """Several actions for each observation, a block of them at a time."""
        proposals, rows, width = action.shape
        block = math.gcd(proposals, BLOCK)
        repeated = jnp.tile(observation, (block, 1))
        blocks = action.reshape(proposals // block, block * rows, width)
        q = jax.lax.map(lambda each: self(repeated, each), blocks)
        apart = q.reshape(proposals // block, self.size, block, rows).swapaxes(1, 2)
        return apart.reshape(proposals, self.size, rows)

    def pessimistic(self, observation: Observations, action: Actions) -> Scalars:
        """The least of the members' estimates."""
        return self(observation, action).min(axis=0)


def make_critic(
    key: PRNGKeyArray,
    inputs: int,
    hidden: Sequence[int],
    *,
    members: int = 2,
    layer_norm: bool = False,
    output_gain: float = 2.0**0.5,
) -> Critic:
    sizes = (inputs, *hidden, 1)
    networks = [
        make_mlp(k, sizes, layer_norm=layer_norm, output_gain=output_gain)
        for k in jax.random.split(key, members)
    ]
    return Critic(jax.tree.map(lambda *each: jnp.stack(each), *networks))


class Value(eqx.Module):
    """A state-value function."""

    network: MLP

    def __call__(self, observation: Observations) -> Scalars:
        return jax.vmap(self.network)(observation)[:, 0]


def make_value(
    key: PRNGKeyArray, observation_dim: int, hidden: Sequence[int], *, layer_norm: bool = False
) -> Value:
    return Value(make_mlp(key, (observation_dim, *hidden, 1), layer_norm=layer_norm))


class Gaussian(eqx.Module):
    """Independent normal actions for a batch of states."""

    mean: Actions
    std: Actions

    def sample(self, key: PRNGKeyArray) -> Actions:
        return self.mean + self.std * jax.random.normal(key, self.mean.shape)

    def log_prob(self, action: Actions) -> Scalars:
        z = (action - self.mean) / self.std
        return (-0.5 * z**2 - jnp.log(self.std) - 0.5 * jnp.log(2.0 * jnp.pi)).sum(axis=-1)

    def clipped_sample(self, key: PRNGKeyArray) -> Actions:
        """An action that the environment takes: samples may leave the box [-1, 1]."""
        return jnp.clip(self.sample(key), -1.0, 1.0)

    @property
    def mode(self) -> Actions:
        """The mean, clipped to the box as samples are."""
        return jnp.clip(self.mean, -1.0, 1.0)


class GaussianActor(eqx.Module):
    """A Gaussian around a tanh mean whose spread does not depend on the state. It is not squashed.

    Log-probabilities are of the unclipped Gaussian.
    """

    network: MLP
    log_std: Float[Array, " act"]

    def __call__(self, observation: Observations) -> Gaussian:
        mean = jnp.tanh(jax.vmap(self.network)(observation))
        std = jnp.exp(jnp.clip(self.log_std, *LOG_STD_BOUNDS))
        return Gaussian(mean, jnp.broadcast_to(std, mean.shape))


def make_gaussian_actor(
    key: PRNGKeyArray, observation_dim: int, action_dim: int, hidden: Sequence[int]
) -> GaussianActor:
    network = make_mlp(key, (observation_dim, *hidden, action_dim))
    return GaussianActor(network, jnp.zeros(action_dim))
