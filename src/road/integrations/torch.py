"""Delta_off and Delta_on of a PyTorch agent: what ``Controller.end_period`` asks for."""

from collections.abc import Callable, Sequence

import torch as th

from road.mixing import Advantages, surrogate

Policy = Callable[[th.Tensor], th.Tensor]
"""Observations in, actions out; sampled, if the policy is random."""
Critic = Callable[[th.Tensor, th.Tensor], th.Tensor | Sequence[th.Tensor]]
"""Observations and actions in, Q-values out: one tensor, or one for each member."""
Source = tuple[th.Tensor, th.Tensor]
"""Observations and recorded actions of one source."""


def measure(policy: Policy, critic: Critic, offline: Source, online: Source) -> Advantages:
    """By how much the critic prefers the policy's actions, in the states of either source.

    The least of the members counts. No gradient is kept; put modules with dropout or batch
    normalisation into evaluation mode before.
    """

    def q_of(observation: th.Tensor, action: th.Tensor) -> th.Tensor:
        q = critic(observation, action)
        members = [q] if isinstance(q, th.Tensor) else list(q)
        return th.stack([each.reshape(len(observation)) for each in members]).amin(dim=0).cpu()

    with th.no_grad():
        (here, done), (there, did) = offline, online
        return surrogate(
            q_of(here, policy(here)).numpy(), q_of(here, done).numpy(),
            q_of(there, policy(there)).numpy(), q_of(there, did).numpy(),
        ).advantages  # fmt: skip
