"""The probes of a mixer in Stable-Baselines3: their targets, rows and training for SAC and TD3.

SAC   r + gamma (1 - done) (min Q'_k(s', a') - alpha log pi(a'|s')),   a' ~ pi(s')
TD3   r + gamma (1 - done) min Q'_k(s', a'),   a' = pi'(s') + clipped noise

Q'_k is the probe's target critic; pi and pi' are the model's, and all probes share a'. ``done`` is
the replay buffer's, in which a time limit is no end.
"""

from collections.abc import Sequence

import numpy as np
import torch as th
from stable_baselines3 import SAC, TD3
from stable_baselines3.common.vec_env import VecNormalize

from road.integrations.probe_critics import CriticCopy, CriticUpdate, ProbeCritics, Rows
from road.integrations.sb3_buffer import RoadReplayBuffer


class Probes:
    """Scored and trained after every rollout, just before the model trains on it."""

    def __init__(self) -> None:
        self.critics: ProbeCritics | None = None
        """Made when the model is first trained online, from its critic at that time."""
        self.seen = self.scored = 0

    def begin(self, buffer: RoadReplayBuffer) -> None:
        """Before the first rollout; probes of an earlier ``learn`` with this buffer go on."""
        self.seen = buffer.steps
        if self.critics is not None and self.critics.controller is not buffer.controller:
            self.critics = None

    def after_rollout(self, model: SAC | TD3, buffer: RoadReplayBuffer) -> bool:
        """Gives whether the ratio was renewed."""
        steps, self.seen = buffer.steps - self.seen, buffer.steps
        if model.num_timesteps <= model.learning_starts:  # actions are random, nothing is trained
            self.scored = buffer.steps
            return False
        if self.critics is None:
            self.critics = ProbeCritics(buffer.controller, lambda: critic_copy(model))
            self.scored = buffer.steps
        updates = model.gradient_steps if model.gradient_steps >= 0 else steps
        renewed, due = False, self.critics.due(updates)
        if due and buffer.steps > self.scored:
            rows = newest_rows(model, buffer, (buffer.steps - self.scored) // buffer.n_envs)
            self.scored = buffer.steps
            renewed = self.critics.score(rows, step=buffer.steps)
        for _ in range(due):
            self.critics.train(
                *drawn_rows(model, buffer, self.critics.batch_size(model.batch_size))
            )
        return renewed


def critic_copy(model: SAC | TD3) -> CriticCopy:
    """A probe that starts as the model's critic and learns as the library trains that one."""
    gamma, sac = model.gamma, isinstance(model, SAC)

    def q(critic: th.nn.Module, rows: Rows) -> Sequence[th.Tensor]:
        return critic(rows[0], rows[1])

    def target(critic: th.nn.Module, rows: Rows) -> th.Tensor:
        _, _, after, done, reward, action, bonus = rows
        value = th.cat(critic(after, action), dim=1).min(dim=1, keepdim=True).values
        return reward + (1.0 - done) * gamma * (value + bonus)

    update = CriticUpdate(
        q=q,
        target=target,
        target_rate=model.tau,
        target_every=model.target_update_interval if isinstance(model, SAC) else model.policy_delay,
        loss_weight=0.5 if sac else 1.0,
    )
    critic = model.critic
    shared = [critic.features_extractor] if critic.share_features_extractor else []
    return CriticCopy(critic, model.critic_target, critic.optimizer, update, shared)


def drawn_rows(model: SAC | TD3, buffer: RoadReplayBuffer, count: int) -> tuple[Rows, Rows]:
    """As many offline rows as online ones, at random."""
    env = model.get_vec_normalize_env()
    offline, online = (buffer.draw(each, count, env)[:5] for each in (buffer.offline, buffer))
    return with_bootstrap(model, offline), with_bootstrap(model, online)


def newest_rows(model: SAC | TD3, buffer: RoadReplayBuffer, count: int) -> Rows:
    """The rows of the last so many steps, of all environments, as the library would sample them."""
    env: VecNormalize | None = model.get_vec_normalize_env()
    places = np.arange(buffer.pos - min(count, buffer.size()), buffer.pos) % buffer.buffer_size
    return with_bootstrap(model, tuple(map(buffer.to_torch, buffer.rows_at(places, env))))


def with_bootstrap(model: SAC | TD3, rows: Rows) -> Rows:
    """Rows with the action that follows and what is added to its value, by the model's policy."""
    with th.no_grad():
        after = rows[2]
        if isinstance(model, SAC):
            action, log_prob = model.actor.action_log_prob(after)
            learnt = model.log_ent_coef
            alpha = model.ent_coef_tensor if learnt is None else th.exp(learnt)
            return (*rows, action, -alpha * log_prob.reshape(-1, 1))
        noise = th.zeros_like(rows[1]).normal_(0, model.target_policy_noise)
        noise = noise.clamp(-model.target_noise_clip, model.target_noise_clip)
        action = (model.actor_target(after) + noise).clamp(-1, 1)
        return (*rows, action, th.zeros_like(rows[4]))
