"""ROAD in d3rlpy: a mixed buffer whose ratio moves, and a callback that ends the periods.

    buffer = RoadMixedBuffer(online, dataset, Controller(RoadMixer()))
    algo.fit_online(env, buffer, callback=RoadCallback(buffer, period=1000))

A row of the episode that is still running has no return yet. d3rlpy would take the rewards so far
for it, which for negative rewards is too much; here its return is -inf, and Cal-QL, which asks for
returns, is left with CQL's penalty on that row until the episode is over.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch as th
from d3rlpy.algos import QLearningAlgoBase
from d3rlpy.dataset import MixedReplayBuffer, ReplayBufferBase, Transition, TransitionMiniBatch

from road.errors import DataError, UsageError
from road.integrations.checks import check_period, is_over
from road.integrations.torch import measure
from road.mixing import Controller

UNKNOWN = np.full((1, 1), -np.inf, np.float32)


class RoadMixedBuffer(MixedReplayBuffer):
    """Online rows and an offline dataset, mixed as the controller says."""

    def __init__(
        self, online: ReplayBufferBase, offline: ReplayBufferBase, controller: Controller
    ) -> None:
        check_fit(online, offline)
        super().__init__(online, offline, controller.offline_ratio)
        self.controller, self.steps = controller, controller.step
        self.period_began: int | None = None
        """The step of its first batch; None before that."""
        self.running = False
        """Whether the newest episode goes on."""
        self.ended: object = None  # the newest until the next episode's second step
        self._rng = np.random.default_rng([controller.seed, controller.step])

    def append(self, observation: Any, action: Any, reward: Any) -> None:
        super().append(observation, action, reward)
        self.steps, self.running = self.steps + 1, True

    def clip_episode(self, *args: Any, **named: Any) -> None:
        super().clip_episode(*args, **named)
        self.running, episodes = False, self.primary_replay_buffer.episodes
        self.ended = episodes[-1] if episodes else None

    def sample_transition_batch(self, batch_size: int) -> TransitionMiniBatch:
        count = batch_size
        if self.primary_replay_buffer.transition_count > 0:
            count = self.controller.offline_count(batch_size)
            self.period_began = self.steps if self.period_began is None else self.period_began
        rows = [*self.draw_offline(count), *self.draw_online(batch_size - count)]
        return TransitionMiniBatch.from_transitions(rows)

    def draw_offline(self, count: int) -> Sequence[Transition]:
        return [self.secondary_replay_buffer.sample_transition() for _ in range(count)]

    def draw_online(self, count: int) -> Sequence[Transition]:
        online = self.primary_replay_buffer
        places = self._rng.integers(online.transition_count, size=count) if count else ()
        return [self.transition_at(int(place)) for place in places]

    def transition_at(self, place: int) -> Transition:
        episode, index = self.buffer[place]
        transition = self.transition_picker(episode, index)
        newest = episode is self.primary_replay_buffer.episodes[-1]
        if self.running and newest and episode is not self.ended:
            return replace(transition, rewards_to_go=UNKNOWN)
        return transition


def check_fit(online: ReplayBufferBase, offline: ReplayBufferBase) -> None:
    if offline.transition_count == 0:
        raise DataError("offline dataset: it holds no transitions; without offline data no ratio")
    ours, theirs = online.dataset_info, offline.dataset_info
    for name in ("observation_signature", "action_signature"):
        shapes = [getattr(info, name).shape for info in (theirs, ours)]
        if list(map(list, shapes[0])) != list(map(list, shapes[1])):
            kind = name.split("_")[0]
            raise DataError(f"offline dataset: {kind} has shape {shapes[0]}, online {shapes[1]}")


class RoadCallback:
    """For ``fit_online``: ends a period every so many steps or with an episode."""

    def __init__(
        self, buffer: RoadMixedBuffer, period: int | Literal["episode"] = 1000, *, rows: int = 256
    ) -> None:
        check_period(period)
        self.buffer, self.period, self.rows = buffer, period, rows

    def __call__(self, algo: Any, *_: int) -> None:
        buffer, began = self.buffer, self.buffer.period_began
        if began is None:
            return
        if is_over(self.period, buffer.steps - began, ended=not buffer.running):
            self.end_period(algo)
            buffer.period_began = buffer.steps

    def end_period(self, algo: QLearningAlgoBase[Any, Any]) -> None:
        buffer, impl = self.buffer, algo.impl
        if impl is None:
            raise UsageError(f"{type(algo).__name__} has no networks; let fit_online build them")

        def pair(rows: Sequence[Transition]) -> tuple[th.Tensor, th.Tensor]:
            batch = TransitionMiniBatch.from_transitions(rows)
            x, action = (
                th.as_tensor(a).to(impl.device) for a in (batch.observations, batch.actions)
            )
            sight, hand = algo.observation_scaler, algo.action_scaler
            return sight.transform(x) if sight else x, hand.transform(action) if hand else action

        measured = measure(
            impl.sample_action,
            lambda x, action: [q(x, action).q_value for q in impl.q_function],
            pair(buffer.draw_offline(self.rows)),
            pair(buffer.draw_online(self.rows)),
        )
        buffer.controller.end_period(
            offline_advantage=measured.offline,
            online_advantage=measured.online,
            online_rows=buffer.primary_replay_buffer.transition_count,
            step=buffer.steps,
        )
