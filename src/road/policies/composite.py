"""PEX's policy: two policies propose, and the critic chooses between them.

    a_1 = mode of the offline policy,  a_2 = mode or sample of the new one

The best action is the proposal of the greater min Q; a sample takes a_i with probability
softmax(sharpness · min Q(s, a_i)).
"""

from dataclasses import dataclass

import numpy as np

from road.policies.weights import Vector, Weights


@dataclass(frozen=True)
class Composite:
    """A network that acts, made of several."""

    offline: Weights
    online: Weights
    critics: tuple[Weights, ...]
    sharpness: float

    @property
    def inputs(self) -> int:
        return self.online.inputs

    @property
    def outputs(self) -> int:
        return self.online.outputs

    def act(self, observation: Vector) -> Vector:
        proposals = np.stack([self.offline.act(observation), self.online.act(observation)])
        return take(proposals, self.values(observation, proposals))

    def sample(self, observation: Vector, remaining: float, rng: np.random.Generator) -> Vector:
        drawn = np.clip(self.online.sample(observation, remaining, rng), -1.0, 1.0)
        proposals = np.stack([self.offline.act(observation), drawn])
        q = self.values(observation, proposals)
        # Noise is added to Q, so that infinite sharpness is the argmax.
        return take(proposals, q + rng.gumbel(size=q.shape) / self.sharpness)

    def values(self, observation: Vector, proposals: Vector) -> Vector:
        """Min Q of each proposal, proposals along the first axis."""
        return np.stack([self.value(observation, action) for action in proposals])

    def value(self, observation: Vector, action: Vector) -> Vector:
        inputs = np.concatenate([observation, action], axis=-1)
        return np.asarray(np.min([critic.act(inputs)[..., 0] for critic in self.critics], axis=0))


def take(proposals: Vector, preferences: Vector) -> Vector:
    """For each state the proposal that is preferred."""
    chosen = np.asarray(preferences.argmax(axis=0))
    return np.take_along_axis(proposals, chosen[None, ..., None], axis=0)[0]
