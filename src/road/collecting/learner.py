"""SAC trained from scratch: its policies on the way from random to expert are the levels.

    expert          the policy at the end of its training
    medium          the first policy whose return reaches random plus a third of the expert's gain
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
from road.collecting.environment import EnvironmentInfo, raw_task
from road.collecting.milestones import LearnerRun, Milestone
from road.data.dataset import Dataset
from road.errors import Interrupted, Preempted, UsageError
from road.mixing import FixedMixer
from road.records.folder import CONFIG
from road.training.config import Plan, default_plan
from road.training.events import Evaluated, Event, Note, Notify, PhaseStarted
from road.training.launch import check_same, resume_plan, start_run

PARTS_OF_TRAINING = 50
"""Evaluations of one training by default: how finely medium is found."""
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
"""Opened when training begins in a folder; gives the function that takes its events."""


class GoalReached(Exception):
    """The learner returns as much as was asked for."""


class PolicyKeeper:
    """Keeps the policy of every evaluation, and stops a learner that reached its goal.

    A policy is taken from the checkpoint that follows its evaluation, so that what is kept is what
    a resumed run has too.
    """

    def __init__(self, learner_run: LearnerRun, notify: Notify, goal: float | None) -> None:
        self._learner_run, self._notify, self._goal = learner_run, notify, goal
        self._waiting = self._reached = False

    def __call__(self, event: Event) -> None:
        if self._waiting or isinstance(event, PhaseStarted):
            self._learner_run.keep_newest()
            self._waiting = False
            if self._reached:
                raise GoalReached
        if isinstance(event, Evaluated):
            judged = Milestone(event.step, event.evaluation.return_mean)
            self._waiting, self._reached = True, reaches(judged, self._goal)
        if not is_idle(event):
            self._notify(event)


def is_idle(event: Event) -> bool:
    """Whether an event is about the placeholder row or about the phase without steps."""
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
    info: EnvironmentInfo,
    learning: Learning,
    learner_run: LearnerRun,
    seed: int,
    watch: Watch,
    goal: float | None,
) -> list[Milestone]:
    """Train, or continue a killed training; gives every evaluation.

    With a goal, training ends at the first policy that returns as much.
    """
    plan = plan_of(info, learning, seed)
    if not is_done(learner_run, plan, goal):
        try:
            with watch(learner_run.folder) as notify:
                advance(plan, learner_run, PolicyKeeper(learner_run, notify, goal))
        except GoalReached:
            pass  # the goal is reached: what was asked for is in the folder
        except (Interrupted, Preempted) as stopped:
            text = str(stopped).partition("; continue with")[0]
            raise type(stopped)(f"{text}; give the same command again to continue") from None
        learner_run.keep_newest()
    return learner_run.milestones()


def advance(plan: Plan, learner_run: LearnerRun, notify: Notify) -> None:
    if (learner_run.folder / CONFIG).exists():
        resume_plan(plan, learner_run.folder, notify)
    else:
        start_run(plan, learner_run.folder, "road data collect", notify)


def is_done(learner_run: LearnerRun, plan: Plan, goal: float | None) -> bool:
    """Whether there is nothing left to train; the folder of another learner is refused."""
    if not (learner_run.folder / CONFIG).exists():
        return False
    check_same(plan, learner_run.folder)
    seen = learner_run.milestones()
    finished = bool(seen) and seen[-1].step == plan.config.online_steps
    return finished or any(reaches(each, goal) for each in seen)


def plan_of(info: EnvironmentInfo, learning: Learning, seed: int) -> Plan:
    task = dataclasses.replace(info.task, dataset=lambda: one_row(info), source=None)
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
        # More than a batch: the placeholder row is never drawn.
        warmup_steps=max(batch_size, min(FIRST_STEPS, budget.train_steps // 20)),
        # No ratio is chosen here: one period that never ends.
        period=budget.train_steps + 1,
        buffer_capacity=budget.train_steps,
        evaluate_every=budget.every,
        checkpoint_every=budget.every,
        evaluation_episodes=budget.evaluation_episodes,
    )
    return dataclasses.replace(plan, agent=learning.sac, mixer=FixedMixer(0.0), config=config)


def one_row(info: EnvironmentInfo) -> Dataset:
    """A placeholder for the dataset that a run begins with: it sets the width of a row."""
    observation = np.zeros((1, info.observations), np.float32)
    return Dataset(
        observation=observation,
        action=np.zeros((1, info.actions), np.float32),
        reward=np.zeros(1, np.float32),
        next_observation=observation,
        terminated=np.zeros(1, np.bool_),
        truncated=np.ones(1, np.bool_),
    )
