"""ROAD in Stable-Baselines3: a replay buffer of two sources, and a callback that ends the periods.

    model = SAC(..., replay_buffer_class=RoadReplayBuffer,
                replay_buffer_kwargs={"offline": rows, "controller": Controller(RoadMixer())})
    model.learn(10_000, callback=RoadCallback(period=200))

With ``Controller(ValidatedMixer())`` the callback trains its probes too, and takes no period.
``model.save`` and ``model.save_replay_buffer`` keep the controller too.
"""

from typing import Any, Literal

from stable_baselines3 import SAC, TD3
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback

from road.errors import UsageError
from road.integrations.checks import check_period, is_over
from road.integrations.probe_critics import check_probes
from road.integrations.sb3_buffer import RoadReplayBuffer
from road.integrations.sb3_probes import Probes
from road.integrations.torch import measure

__all__ = ["NoteScore", "RoadCallback", "RoadReplayBuffer"]


DEFAULT_PERIOD = 1000
"""Environment steps."""


class RoadCallback(BaseCallback):
    """Ends a period every so many steps or with an episode, by ``rows`` of each source.

    Where the controller's mixer has probes, it trains and scores these instead.
    """

    def __init__(self, period: int | Literal["episode"] | None = None, *, rows: int = 1024) -> None:
        """Without ``period`` it is the default one, or what a mixer with probes asks for."""
        super().__init__()
        check_period(DEFAULT_PERIOD if period is None else period)
        self.period, self.rows, self.probes = period, rows, Probes()

    def _init_callback(self) -> None:
        # A buffer that was loaded has a controller of its own; model.save is to write that one.
        model, buffer = road_model(self.model)
        model.replay_buffer_kwargs["controller"] = buffer.controller
        buffer.attended = True
        if buffer.controller.probe_ratios:
            check_probes(buffer.controller, self.period)
            self.probes.begin(buffer)

    def _on_step(self) -> bool:
        model, buffer = road_model(self.model)
        if buffer.period_began is None or buffer.controller.probe_ratios:
            return True
        steps, ended = buffer.steps - buffer.period_began, bool(self.locals["dones"].any())
        if is_over(self.period or DEFAULT_PERIOD, steps, ended=ended):
            buffer.period_began = buffer.steps
            self.end_period(model, buffer)
        return True

    def _on_rollout_end(self) -> None:
        model, buffer = road_model(self.model)
        if buffer.controller.probe_ratios and self.probes.after_rollout(model, buffer):
            self.logger.record("mixing/offline_ratio", buffer.controller.offline_ratio)

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
