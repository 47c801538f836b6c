"""A learner of our own, from chance to expert: SAC, whose way there is the ladder.

    expert          the policy at the end of its training
    medium          the first policy whose return reaches chance plus a third of the expert's gain
    medium-replay   every row that it had stored by then

It is trained as ``road train`` trains (a run folder, checkpoints, exact resumption), on its own
rows alone: the offline ratio is 0. The policy of every evaluation is kept beside the run.
"""

import dataclasses
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from road.agents.sac import SAC
from road.collecting.milestones import Milestone, Way
from road.collecting.place import Place, raw_task
from road.data.dataset import Dataset
from road.errors import Interrupted, Preempted, UsageError
from road.mixing import FixedMixer
from road.training.config import Plan, default_plan
from road.training.events import Evaluated, Event, Note, Notify, PhaseStarted
from road.training.folder import CONFIG
from road.training.from_python import check_same
from road.training.launch import resume_plan, start_run

PARTS_OF_TRAINING = 50
"""Evaluations of one training, unless a user says otherwise: how finely medium is found."""
FIRST_STEPS = 5_000
"""Of the untrained policy, before the first update; a twentieth of a short training."""


@dataclass(frozen=True)
class Budget:
    """How long the learner is trained, where no policy is given."""

    train_steps: int = 200_000
    """Environment steps of SAC; its last policy is the expert."""
    evaluate_every: int | None = None
    """Steps between two evaluations; by default a fiftieth of them all."""
    evaluation_episodes: int = 10
    """Episodes of one evaluation."""

    def __post_init__(self) -> None:
        for name in ("train_steps", "evaluation_episodes"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more, got {getattr(self, name)}")
        if not 1 <= self.every <= self.train_steps:
            raise UsageError(
                f"evaluate_every must lie in 1 to {self.train_steps} (train_steps), "
                f"got {self.evaluate_every}"
            )

    @property
    def every(self) -> int:
        usual = max(self.train_steps // PARTS_OF_TRAINING, 1)
        return usual if self.evaluate_every is None else self.evaluate_every


@dataclass(frozen=True)
class Learning:
    """How the learner is trained."""

    budget: Budget = field(default_factory=Budget)
    sac: SAC = field(default_factory=SAC)


def usual_sac(name: str) -> SAC:
    """As the task of that name has its settings, if it is one."""
    task = raw_task(name)
    return SAC() if task is None else SAC(**task.settings.get("sac", {}))


Watch: TypeAlias = Callable[[Path], AbstractContextManager[Notify]]
"""Opened when training begins in a folder; gives something to notify."""


class Enough(Exception):
    """The learner has come as far as it was trained for."""


class Watcher:
    """Keeps the policy of every evaluation, and stops a learner that has come far enough.

    A policy is taken from the checkpoint that follows its evaluation, so that what is kept is what
    a resumed run has too.
    """

    def __init__(self, way: Way, notify: Notify, goal: float | None) -> None:
        self._way, self._notify, self._goal = way, notify, goal
        self._waiting = self._reached = False

    def __call__(self, event: Event) -> None:
        if self._waiting or isinstance(event, PhaseStarted):
            self._way.keep_newest()
            self._waiting = False
            if self._reached:
                raise Enough
        if isinstance(event, Evaluated):
            judged = Milestone(event.step, event.evaluation.return_mean)
            self._waiting, self._reached = True, reaches(judged, self._goal)
        if not is_idle(event):
            self._notify(event)


def is_idle(event: Event) -> bool:
    """What is said of the row that stands in for data, and of the phase that has no steps."""
    match event:
        case Note(text):
            return text.startswith("data: ")
        case PhaseStarted(total=total):
            return total == 0
        case _:
            return False


def reaches(judged: Milestone, goal: float | None) -> bool:
    return goal is not None and judged.step > 0 and judged.mean_return >= goal


def train(
    place: Place, learning: Learning, way: Way, seed: int, watch: Watch, goal: float | None
) -> list[Milestone]:
    """Train, or take up where a killed training stood; gives every evaluation.

    With a goal, training ends at the first policy that returns as much.
    """
    plan = plan_of(place, learning, seed)
    if not done(way, plan, goal):
        try:
            with watch(way.folder) as notify:
                advance(plan, way, Watcher(way, notify, goal))
        except Enough:
            pass  # the goal is reached: what was asked for is in the folder
        except (Interrupted, Preempted) as stopped:
            told = str(stopped).partition("; continue with")[0]
            raise type(stopped)(f"{told}; give the same command again to continue") from None
        way.keep_newest()
    return way.milestones()


def advance(plan: Plan, way: Way, notify: Notify) -> None:
    if (way.folder / CONFIG).exists():
        resume_plan(plan, way.folder, notify)
    else:
        start_run(plan, way.folder, "road data collect", notify)


def done(way: Way, plan: Plan, goal: float | None) -> bool:
    """Whether there is nothing left to train; the folder of another learner is refused."""
    if not (way.folder / CONFIG).exists():
        return False
    check_same(plan, way.folder)
    seen = way.milestones()
    finished = bool(seen) and seen[-1].step == plan.config.online_steps
    return finished or any(reaches(each, goal) for each in seen)


def plan_of(place: Place, learning: Learning, seed: int) -> Plan:
    task = dataclasses.replace(place.task, dataset=lambda: one_row(place), source=None)
    plan = default_plan(task.name, "sac", "fixed", given=task)
    budget, batch_size = learning.budget, plan.config.batch_size
    if budget.train_steps <= batch_size:
        raise UsageError(
            f"train_steps must be more than a batch of {batch_size}, got {budget.train_steps}"
        )
    config = dataclasses.replace(
        plan.config,
        seed=seed,
        offline_steps=0,
        online_steps=budget.train_steps,
        # More than a batch: the row that stands in for a dataset is never drawn.
        warmup_steps=max(batch_size, min(FIRST_STEPS, budget.train_steps // 20)),
        # Nobody chooses a ratio here: one period that never ends.
        period=budget.train_steps + 1,
        buffer_capacity=budget.train_steps,
        evaluate_every=budget.every,
        checkpoint_every=budget.every,
        evaluation_episodes=budget.evaluation_episodes,
    )
    return dataclasses.replace(plan, agent=learning.sac, mixer=FixedMixer(0.0), config=config)


def one_row(place: Place) -> Dataset:
    """Stands in for the dataset that a run begins with: it tells how wide a row is."""
    observation = np.zeros((1, place.observations), np.float32)
    return Dataset(
        observation=observation,
        action=np.zeros((1, place.actions), np.float32),
        reward=np.zeros(1, np.float32),
        next_observation=observation,
        terminated=np.zeros(1, np.bool_),
        truncated=np.ones(1, np.bool_),
    )
