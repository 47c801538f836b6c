"""Stable-Baselines3's replay buffer with offline rows beside it.

Offline rows are a mapping of arrays, with actions in the environment's units; or a
``road.data.Dataset``, or another replay buffer, which keep actions in [-1, 1].
"""

import copy
from typing import Any

import torch as th
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize

from road.errors import DataError
from road.integrations.checks import check_boxes, rows_of, warn_without_callback
from road.mixing import Controller


class RoadReplayBuffer(ReplayBuffer):
    """The library's replay buffer, with offline rows beside it that ``sample`` mixes in."""

    def __init__(
        self, buffer_size: int, *spaces: Any, offline: Any, controller: Controller, **settings: Any
    ) -> None:
        self.offline = offline_buffer(offline, *spaces)
        super().__init__(buffer_size, *spaces, **settings)
        self.controller, self.steps = controller, controller.step
        self.period_began: int | None = None
        """The step of its first batch; None before that."""
        self.attended = False
        """Whether a callback ends its periods, or its absence was reported."""

    def add(self, *args: Any, **settings: Any) -> None:
        super().add(*args, **settings)
        self.steps += self.n_envs

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> ReplayBufferSamples:
        if self.size() == 0:  # the model is pretrained
            return self.draw(self.offline, batch_size, env)
        if self.period_began is None:
            self.period_began = self.steps
        if not self.attended:
            trained = self.steps - self.period_began
            self.attended = warn_without_callback(trained, len(self.controller.history))
        count = self.controller.offline_count(batch_size)
        parts = self.draw(self.offline, count, env), self.draw(self, batch_size - count, env)
        fields = zip(*(part[:5] for part in parts), strict=True)  # the sixth: n-step returns
        return ReplayBufferSamples(*map(th.cat, fields))

    def draw(self, source: ReplayBuffer, count: int, env: VecNormalize | None) -> Any:
        source.device = self.device  # a buffer that was loaded may have moved
        return ReplayBuffer.sample(source, count, env)

    def rows_at(self, places: Any, env: VecNormalize | None) -> tuple[Any, ...]:
        """The rows of these steps, of every environment, with the fields of a sample."""

        def flat(array: Any, places: Any = places) -> Any:
            return array[places].reshape(-1, *array.shape[2:])

        if self.optimize_memory_usage:
            after = flat(self.observations, (places + 1) % self.buffer_size)
        else:
            after = flat(self.next_observations)
        ends = flat(self.dones) * (1.0 - flat(self.timeouts))
        return (
            self._normalize_obs(flat(self.observations), env),
            flat(self.actions),
            self._normalize_obs(after, env),
            ends.reshape(-1, 1),
            self._normalize_reward(flat(self.rewards).reshape(-1, 1), env),
        )


def offline_buffer(offline: Any, observations: Any, actions: Any) -> ReplayBuffer:
    """Offline rows in a full replay buffer of the library."""
    check_boxes(observations, actions)
    if isinstance(offline, ReplayBuffer):
        if offline.observation_space.shape != observations.shape or offline.action_space != actions:
            theirs = f"{offline.observation_space} and {offline.action_space}"
            raise DataError(f"offline buffer: {theirs} do not fit {observations} and {actions}")
        if offline.size() == 0:
            raise DataError("offline buffer: it holds no rows; fill it first")
        return copy.copy(offline)
    rows = rows_of(offline, observations, actions)
    kept = ReplayBuffer(len(rows["reward"]), observations, actions, device="cpu")
    kept.observations[:, 0], kept.actions[:, 0] = rows["observation"], rows["action"]
    kept.rewards[:, 0], kept.next_observations[:, 0] = rows["reward"], rows["next_observation"]
    kept.dones[:, 0], kept.full = rows["terminated"], True
    return kept
