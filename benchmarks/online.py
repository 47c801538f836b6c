"""Worker: the whole online loop on a small task, by mixer, and the measuring at a period's end.

The learning rate is too small to change an action, so every mixer meets the same episodes and the
loops differ by what the mixers cost and by nothing else. Every window is the same number of whole
periods, so the loops are also at the same place of the same episodes in every round.
"""

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.window import Candidate, Window, repeating, serve
from road.mixing import Advantages, Decision, Evidence, FixedMixer, Mixture, RoadMixer
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler
from road.rng import Stream, jax_stream
from road.training.process import prepare_jax

TASK = "pointmaze-umaze-random"
PERIOD = 200
FROZEN = 1e-20
CAPACITY = 100_000
FOREVER = 10**9
NOTHING = Evidence(Advantages(offline=0.0, online=0.0))


def prepare() -> dict[str, Candidate]:
    prepare_jax()  # as the command line does
    parts = Parts()
    loops = {
        "online-road": parts.loop(RoadMixer(), measuring=True),
        "online-fixed": parts.loop(FixedMixer(), measuring=True),
        "online-unmeasured": parts.loop(FixedMixer(), measuring=False),
    }
    pace = warm_up(loops)
    candidates = {name: whole_periods(loop, pace) for name, loop in loops.items()}
    return {**candidates, "measure": parts.measuring_alone()}


class Parts:
    """What the loops share: data, compiled functions, the first weights."""

    def __init__(self) -> None:
        from road.training.buffers import offline_rows
        from road.training.compiled import CompiledAgent
        from road.training.config import default_plan
        from road.types import Spec

        plan = default_plan(TASK)
        agent = dataclasses.replace(plan.agent, learning_rate=FROZEN)
        self.task, dataset = plan.task, plan.task.dataset()
        self.config = dataclasses.replace(
            plan.config, online_steps=FOREVER, buffer_capacity=CAPACITY, period=PERIOD
        )
        self.spec = Spec(dataset.observation.shape[1], dataset.action.shape[1])
        self.engine = CompiledAgent(agent, self.spec)
        self.rows = offline_rows(dataset, self.task, agent.discount)
        self.leaves = self.engine.init(jax_stream(0, Stream.INITIALISING))

    def sampler(self, mixer: Any) -> MixedSampler:
        from road.training.buffers import weighing_of

        ring = OnlineBuffer(self.spec, self.config.buffer_capacity)
        weighing = weighing_of(mixer, self.rows, ring, 0)
        return MixedSampler(self.rows, ring, self.config.batch_size, weighing)

    def loop(self, mixer: Any, *, measuring: bool) -> Iterator[Any]:
        """An endless online phase of one learner."""
        from road.training.evidence import EvidenceCollector
        from road.training.learner import Learner, Measure, Trainer, alone
        from road.training.loop import OnlineLoop
        from road.training.rollout import Rollout
        from road.training.state import RunState

        sampler, rollout = self.sampler(mixer), Rollout(self.task, 0)
        measure: Measure = EvidenceCollector(self.engine, sampler, self.config)
        if not measuring:
            measure = measure_nothing
        trainer = Trainer(0, alone(self.engine), sampler, mixer, measure, self.config)
        loop = OnlineLoop(self.engine, rollout, sampler.online, (trainer,), self.config)
        state = RunState((Learner(self.leaves, mixer.init(0)),))
        state.counters.phase = "online"
        return loop.run(state)

    def measuring_alone(self) -> Candidate:
        """Calls of what ends a period, on a ring as full as the loops' will be on average."""
        from road.training.evidence import EvidenceCollector
        from road.training.learner import Learner

        sampler = self.sampler(FixedMixer())
        sampler.online.restore(self.rows, len(self.rows), 0)
        measure = EvidenceCollector(self.engine, sampler, self.config)
        learner, decision = Learner(self.leaves), Decision(Mixture(0.5))

        def once() -> int:
            measure(learner, decision, PERIOD)
            learner.period.index += 1
            return 1

        return repeating(once)


def measure_nothing(learner: Any, decision: Decision, online_steps: int) -> Evidence:
    del learner, decision, online_steps
    return NOTHING


def warm_up(loops: dict[str, Iterator[Any]]) -> float:
    """Compile and fill the buffers alike; gives periods per second."""
    pace = 0.0
    for loop in loops.values():
        advance(loop, 2)
        began = time.perf_counter()
        advance(loop, 3)
        pace = 3 / (time.perf_counter() - began)
    return pace


def whole_periods(loop: Iterator[Any], pace: float) -> Candidate:
    def run(seconds: float) -> Window:
        periods = max(round(seconds * pace), 1)
        began = time.perf_counter()
        return Window(advance(loop, periods), time.perf_counter() - began)

    return run


def advance(loop: Iterator[Any], periods: int) -> int:
    """To the end of that many periods; gives the steps made."""
    steps = 0
    while periods:
        periods -= next(loop).learners[0].period is not None
        steps += 1
    return steps


if __name__ == "__main__":
    serve(prepare, ("numpy", "jax", "gymnasium", "gymnasium-robotics", "mujoco"))
