"""ROAD in d3rlpy: a mixed buffer whose ratio moves, and a callback that ends the periods.

    buffer = RoadMixedBuffer(online, dataset, Controller(RoadMixer()))
    algo.fit_online(env, buffer, callback=RoadCallback(buffer, period=1000))

With ``Controller(ValidatedMixer())`` the callback trains its probes too, and takes no period.
"""

from collections.abc import Sequence
from typing import Any, Literal

import torch as th
from d3rlpy.algos import QLearningAlgoBase
from d3rlpy.dataset import Transition, TransitionMiniBatch

from road.errors import UsageError
from road.integrations.checks import check_period, is_over
from road.integrations.d3rlpy_buffer import RoadMixedBuffer
from road.integrations.d3rlpy_probes import Probes
from road.integrations.probe_critics import check_probes
from road.integrations.torch import measure

__all__ = ["RoadCallback", "RoadMixedBuffer"]

DEFAULT_PERIOD = 1000
"""Environment steps."""


class RoadCallback:
    """For ``fit_online``: ends a period every so many steps or with an episode.

    Where the controller's mixer has probes, it trains and scores these instead.
    """

    def __init__(
        self,
        buffer: RoadMixedBuffer,
        period: int | Literal["episode"] | None = None,
        *,
        rows: int = 256,
    ) -> None:
        """Without ``period`` it is the default one, or what a mixer with probes asks for."""
        check_period(DEFAULT_PERIOD if period is None else period)
        self.buffer, self.period, self.rows = buffer, period, rows
        buffer.attended = True
        self.probes: Probes | None = None
        if buffer.controller.probe_ratios:
            check_probes(buffer.controller, period)
            self.probes = Probes(buffer)

    def __call__(self, algo: Any, *_: int) -> None:
        buffer, began = self.buffer, self.buffer.period_began
        if began is None:
            return
        if self.probes is not None:
            self.probes.after_step(algo)
        elif is_over(self.period or DEFAULT_PERIOD, buffer.steps - began, ended=not buffer.running):
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
