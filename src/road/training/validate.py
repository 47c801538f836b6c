"""What a run is refused for before anything is compiled."""

import json
from typing import Any

from road.errors import UsageError
from road.mixing import Context, Decision
from road.reweighting.registry import weighs_rows
from road.tasks.task import Task
from road.training.config import Plan
from road.training.replay_log import LogReplay
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


def check_spaces(spec: Spec, task: Task, rollout: Rollout | LogReplay) -> None:
    """Before anything is compiled: the data and the environment are of one kind."""
    spaces: tuple[Any, ...] = rollout.shapes
    if spaces != ((spec.observation_dim,), (spec.action_dim,)):
        other = "the environment" if isinstance(rollout, Rollout) else "the new log"
        data = "the dataset" if task.source is None else f"the data of {task.source}"
        raise UsageError(
            f"task {task.name}: {data} has {spec.observation_dim} observations and "
            f"{spec.action_dim} actions a row, {other} {spaces[0][0]} and {spaces[1][0]}"
        )


AGENT = ("discount", "init", "update", "target", "act", "best_action", "q_value")
"""What ``road.types.Agent`` asks for."""
MIXER = ("init", "propose", "observe")
"""What ``road.mixing.Mixer`` asks for."""


def check_agent(agent: Any) -> None:
    check_protocol("agent", agent, AGENT, "docs/guides/add-an-agent.md")


def check_mixer(mixer: Any, seed: int) -> None:
    """A custom mixer: its methods, a state that a checkpoint can hold, and what it proposes."""
    check_protocol("mixer", mixer, MIXER, "docs/guides/add-a-mixer.md")
    name, state = type(mixer).__name__, mixer.init(seed)
    check_plain(name, state)
    decision = mixer.propose(state, Context(0.0, 1, 0))
    if not isinstance(decision, Decision):
        raise UsageError(
            f"mixer {name}: propose must return a road.mixing.Decision, got {decision!r}"
        )
    if decision.mixture.priorities is not None and not weighs_rows(mixer):
        raise UsageError(
            f"mixer {name}: its mixtures have priorities, but it has no method make_weighing; see "
            "docs/guides/add-a-row-weighting.md"
        )
    if decision.mixture.held_back != getattr(mixer, "held_back", 0):
        raise UsageError(
            f"mixer {name}: its mixtures hold back {decision.mixture.held_back} transitions, so it "
            f"must have an attribute held_back of that value"
        )
    for probe in getattr(mixer, "probe_mixers", ()):
        check_mixer(probe, seed)
        if weighs_rows(probe):
            raise UsageError(
                f"mixer {name}: its probe mixer {type(probe).__name__} weighs rows, which only "
                "the main learner's mixer can"
            )


def check_plain(name: str, state: Any) -> None:
    """A state that went through a checkpoint must be the same as before."""
    try:
        same = json.loads(json.dumps(state, allow_nan=False)) == state
    except (TypeError, ValueError):
        same = False
    if not same:
        raise UsageError(
            f"mixer {name}: its state must be plain data that JSON gives back unchanged (no "
            f"tuples, arrays, NaN or keys that are not strings), got {state!r}"
        )


def check_protocol(kind: str, thing: Any, members: tuple[str, ...], guide: str) -> None:
    name = f"class {thing.__name__}" if isinstance(thing, type) else type(thing).__name__
    if isinstance(thing, type):
        raise UsageError(f"{kind} must be an object, got the {name}; call it: {thing.__name__}()")
    if missing := [member for member in members if getattr(thing, member, None) is None]:
        raise UsageError(f"{kind} {name} lacks {', '.join(missing)}; see {guide}")
