"""d3rlpy's mixed buffer with a ratio that moves.

A row of the episode that is still running has no return yet. d3rlpy would take the rewards so far
for it, which for negative rewards is too much; here its return is -inf, and Cal-QL, which asks for
returns, is left with CQL's penalty on that row until the episode is over.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from d3rlpy.dataset import MixedReplayBuffer, ReplayBufferBase, Transition, TransitionMiniBatch

from road.errors import DataError
from road.integrations.checks import warn_without_callback
from road.mixing import Controller

Place = tuple[object, int]
"""A row: its episode and its index there."""
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
        self.attended = False
        """Whether a callback ends its periods, or its absence was reported."""
        self.batches = 0
        """How many were drawn since then."""
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
            self.batches += 1
            if not self.attended:
                trained = self.steps - self.period_began
                self.attended = warn_without_callback(trained, len(self.controller.history))
        rows = [*self.draw_offline(count), *self.draw_online(batch_size - count)]
        return TransitionMiniBatch.from_transitions(rows)

    def draw_offline(self, count: int) -> Sequence[Transition]:
        return [self.secondary_replay_buffer.sample_transition() for _ in range(count)]

    def draw_online(self, count: int) -> Sequence[Transition]:
        online = self.primary_replay_buffer
        places = self._rng.integers(online.transition_count, size=count) if count else ()
        return [self.transition_at(int(place)) for place in places]

    def newest(self) -> Place | None:
        """Names the newest online row."""
        count = self.primary_replay_buffer.transition_count
        return self.buffer[count - 1] if count else None

    def rows_after(self, known: Place | None) -> list[Transition]:
        """The online rows that are newer than that one, oldest first; all, if it is gone."""
        rows = list[Transition]()
        for place in reversed(range(self.primary_replay_buffer.transition_count)):
            episode, index = self.buffer[place]
            if known is not None and episode is known[0] and index == known[1]:
                break
            rows.append(self.transition_at(place))
        return rows[::-1]

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
