"""What a run is refused for before anything is compiled."""

from typing import Any

from road.errors import UsageError
from road.tasks.task import Task
from road.training.config import Plan
from road.training.rollout import Rollout
from road.types import Spec


def check_budget(plan: Plan) -> None:
    recipe, steps = plan.recipe, plan.config.offline_steps
    if recipe.offline is None and steps:
        raise UsageError(
            f"{plan.agent_name} is not pretrained: offline_steps must be 0, got {steps}"
        )
    if recipe.needs_pretraining and not steps:
        raise UsageError(
            f"{plan.agent_name} fine-tunes what it has pretrained: offline_steps must be 1 or "
            "more, got 0"
        )
    warmup, online = plan.config.warmup_steps, plan.config.online_steps
    if 0 < online <= warmup:
        raise UsageError(
            f"a warm-up of {warmup} steps leaves nothing to train in {online} online steps: lower "
            "warmup_steps, or set online_steps to 0"
        )


def check_spaces(spec: Spec, task: Task, rollout: Rollout) -> None:
    """Before anything is compiled: the data and the environment are of one kind."""
    spaces: tuple[Any, ...] = rollout.shapes
    if spaces != ((spec.observation_dim,), (spec.action_dim,)):
        data = "the dataset" if task.source is None else f"the data of {task.source}"
        raise UsageError(
            f"task {task.name}: {data} has {spec.observation_dim} observations and "
            f"{spec.action_dim} actions a row, the environment {spaces[0][0]} and {spaces[1][0]}"
        )
