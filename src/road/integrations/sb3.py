"""ROAD in Stable-Baselines3: a replay buffer of two sources, and a callback that ends the periods.

    model = SAC(..., replay_buffer_class=RoadReplayBuffer,
                replay_buffer_kwargs={"offline": rows, "controller": Controller(RoadMixer())})
    model.learn(10_000, callback=RoadCallback(period=200))

Offline rows are a mapping of arrays, with actions in the environment's units; or a
``road.data.Dataset``, or another replay buffer, which keep actions in [-1, 1]. ``model.save`` and
``model.save_replay_buffer`` keep the controller too.
"""

import copy
from typing import Any, Literal

import torch as th
from stable_baselines3 import SAC, TD3
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize

from road.errors import DataError, UsageError
from road.integrations.checks import check_boxes, check_period, is_over, rows_of
from road.integrations.torch import measure
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

    def add(self, *args: Any, **settings: Any) -> None:
        super().add(*args, **settings)
        self.steps += self.n_envs

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> ReplayBufferSamples:
        if self.size() == 0:  # the model is pretrained
            return self.draw(self.offline, batch_size, env)
        if self.period_began is None:
            self.period_began = self.steps
        count = self.controller.offline_count(batch_size)
        parts = self.draw(self.offline, count, env), self.draw(self, batch_size - count, env)
        fields = zip(*(part[:5] for part in parts), strict=True)  # the sixth: n-step returns
        return ReplayBufferSamples(*map(th.cat, fields))

    def draw(self, source: ReplayBuffer, count: int, env: VecNormalize | None) -> Any:
        source.device = self.device  # a buffer that was loaded may have moved
        return ReplayBuffer.sample(source, count, env)


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


class RoadCallback(BaseCallback):
    """Ends a period every so many steps or with an episode, by ``rows`` of each source."""

    def __init__(self, period: int | Literal["episode"] = 1000, *, rows: int = 1024) -> None:
        super().__init__()
        check_period(period)
        self.period, self.rows = period, rows

    def _init_callback(self) -> None:
        # A buffer that was loaded has a controller of its own; model.save is to write that one.
        model, buffer = road_model(self.model)
        model.replay_buffer_kwargs["controller"] = buffer.controller

    def _on_step(self) -> bool:
        model, buffer = road_model(self.model)
        if buffer.period_began is None:
            return True
        steps, ended = buffer.steps - buffer.period_began, bool(self.locals["dones"].any())
        if is_over(self.period, steps, ended=ended):
            buffer.period_began = buffer.steps
            self.end_period(model, buffer)
        return True

    def end_period(self, model: SAC | TD3, buffer: RoadReplayBuffer) -> None:
        env = model.get_vec_normalize_env()
        offline, online = (buffer.draw(each, self.rows, env) for each in (buffer.offline, buffer))
        measured = measure(model.actor, model.critic, offline[:2], online[:2])
        period = buffer.controller.end_period(
            offline_advantage=measured.offline,
            online_advantage=measured.online,
            online_rows=buffer.size() * buffer.n_envs,
            step=buffer.steps,
        )
        for name in ("offline_ratio", "offline_advantage", "online_advantage", "credit"):
            self.logger.record(f"mixing/{name}", getattr(period, name))


class NoteScore(BaseCallback):
    """Given to ``EvalCallback`` as ``callback_after_eval``: notes the scores for the report."""

    def _on_step(self) -> bool:
        _, buffer = road_model(self.model)
        if isinstance(self.parent, EvalCallback):
            buffer.controller.log_evaluation(self.parent.last_mean_reward, step=buffer.steps)
        return True


def road_model(model: Any) -> tuple[SAC | TD3, RoadReplayBuffer]:
    buffer = getattr(model, "replay_buffer", None)
    if isinstance(model, SAC | TD3) and isinstance(buffer, RoadReplayBuffer):
        return model, buffer
    got = f"{type(model).__name__} with {type(buffer).__name__}"
    raise UsageError(f"ROAD needs SAC or TD3 with a RoadReplayBuffer, got {got}")
