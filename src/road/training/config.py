"""What defines a run, as data: written to ``config.json``, read back by ``road resume``."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from road.agents.recipes import AGENTS, ALIASES, PRESETS, Recipe, recipe_of
from road.errors import UsageError
from road.mixing import MIXERS, Mixer, ProbeTraining, make_mixer
from road.mixing.registry import without_retired
from road.names import find_name
from road.tasks.catalogue import DEFAULT_TASK, find_custom_task, find_task
from road.tasks.custom import TaskOverrides
from road.tasks.task import Task
from road.training.new_log import NewLog, task_on_log
from road.training.typed import rebuild

FORMAT = 1
"""Version of ``config.json``."""
MOST = 2**32 - 1
"""Of a seed, and of anything that is counted: counters of draws have 32 bits."""
AS_LISTED = TaskOverrides()
"""No overrides: the task as the catalogue has it."""


@dataclass(frozen=True)
class RunConfig:
    """Budgets and cadence of a run; the paper's numbers, which a task may replace by its own."""

    seed: int = 0
    """The one seed of the run."""
    offline_steps: int = 1_000_000
    """Updates on the dataset alone, before the environment is touched."""
    online_steps: int = 1_000_000
    """Environment steps of the online phase."""
    batch_size: int = 256
    """B: rows of one mini-batch."""
    updates_per_step: int = 1
    """Update-to-data ratio: mini-batches trained on per environment step."""
    warmup_steps: int = 0
    """Environment steps that are stored before the first online update."""
    period: int | Literal["episode"] = 500
    """How long the mixer keeps a ratio: a number of environment steps, or 'episode'."""
    measure_batch: int = 1024
    """Rows drawn from each source to measure Delta_off and Delta_on at the end of a period."""
    buffer_capacity: int = 1_000_000
    """Rows that the online buffer keeps."""
    evaluate_every: int = 10_000
    """Steps (offline: updates) between two evaluations."""
    evaluation_episodes: int = 20
    """Episodes of one evaluation."""
    log_every: int = 100
    """Steps (offline: updates) between two rows of metrics.jsonl."""
    checkpoint_every: int = 10_000
    """Steps (offline: updates) between two checkpoints; every evaluation also makes one."""

    def __post_init__(self) -> None:
        least = {"seed": 0, "offline_steps": 0, "online_steps": 0, "warmup_steps": 0}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name != "period" or value != "episode":
                check_whole(field.name, value, least.get(field.name, 1))
        if self.offline_steps + self.online_steps == 0:
            raise UsageError("offline_steps and online_steps are both 0: there is nothing to do")


def check_whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise UsageError(f"{name} must be {least} or more, got {value}")
    if value > MOST:
        raise UsageError(f"{name} must be {MOST} or less, got {value}")


@dataclass(frozen=True)
class Plan:
    """A run's whole definition: task, agent, mixer and budgets."""

    task_name: str
    agent_name: str
    agent: Any
    mixer_name: str
    mixer: Mixer[Any]
    config: RunConfig
    own: TaskOverrides = AS_LISTED
    """The user's own environment or data, and other settings of the task."""
    allowed: tuple[str, ...] = ()
    """Modules that may be imported for the environment: for this process, never written down."""
    given: Task | None = None
    """A task made of Python objects: it dies with the process."""
    log: NewLog | None = None
    """New rows as the online source, in the place of an environment."""

    @cached_property
    def task(self) -> Task:
        """Made once, so that a run reads its data once."""
        if self.log is not None:
            return task_on_log(self.task_name, self.own, self.log)
        return self.given or chosen_task(self.task_name, self.own, self.allowed)

    @property
    def recipe(self) -> Recipe:
        return recipe_of(self.agent_name, self.agent)

    def probes(self) -> dict[str, Any]:
        """The mixers of the learners beside the main one, if there are any."""
        named = [{"class": type(each).__name__, **settings_of(each)} for each in self.mixers[1:]]
        return {"probes": named} if named else {}

    def resume_command(self, folder: Path) -> str:
        """What continues a run of this plan; objects are in no folder."""
        if self.given is not None:
            return f"road.finetune(..., out={str(folder)!r}, resume=True) and the same objects"
        return f"`road resume {folder}`"

    @property
    def mixers(self) -> tuple[Mixer[Any], ...]:
        """One for each learner: the main one's, and those that it asks for beside it."""
        return (self.mixer, *getattr(self.mixer, "probe_mixers", ()))

    @property
    def probe_training(self) -> ProbeTraining:
        return getattr(self.mixer, "probe_training", ProbeTraining())

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "task": self.task_name,
            **self.custom_parts(),
            "agent": {"name": self.agent_name, **settings_of(self.agent)},
            "mixer": {"name": self.mixer_name, **settings_of(self.mixer)},
            **self.probes(),
            **dataclasses.asdict(self.config),
        }

    def custom_parts(self) -> dict[str, Any]:
        """The overrides of the task, if there are any; and whether Python objects were given."""
        own = {
            name: value for name, value in dataclasses.asdict(self.own).items() if value is not None
        }
        given = {} if self.given is None else {"given": True}
        log = {} if self.log is None else {"log": dataclasses.asdict(self.log)}
        return {**({"own": own} if own else {}), **given, **log}


def settings_of(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass, or the attributes of another object, as JSON has them."""
    if dataclasses.is_dataclass(thing):
        names = [field.name for field in dataclasses.fields(thing)]
    else:
        names = [name for name in getattr(thing, "__dict__", {}) if not name.startswith("_")]
    return {name: plain(getattr(thing, name)) for name in names}


def plain(value: Any) -> Any:
    """A value as JSON can hold it: an infinity as a word, an object by its name and fields."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case None | bool() | int() | float() | str():
            return value
        case tuple():
            return tuple(plain(each) for each in value)
        case list():
            return [plain(each) for each in value]
        case dict():
            return {str(name): plain(each) for name, each in value.items()}
        case _:
            return described(value)


def described(value: Any) -> Any:
    """An object by its fields or its name; a default repr holds an address, which changes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return settings_of(value)
    shown = type(value).__qualname__ if type(value).__repr__ is object.__repr__ else repr(value)
    return getattr(value, "__qualname__", shown)


def chosen_task(name: str, own: TaskOverrides, allowed: tuple[str, ...] = ()) -> Task:
    return find_task(name) if own == AS_LISTED else find_custom_task(name, own, allowed)


def default_plan(
    task_name: str = DEFAULT_TASK,
    agent_name: str = "iql",
    mixer_name: str | None = None,
    own: TaskOverrides = AS_LISTED,
    given: Task | None = None,
) -> Plan:
    """The plan that the agent's recipe and the task's table of settings give.

    The task has the last word on agent and run, the recipe on the mixer; None takes the mixer that
    belongs to the recipe.
    """
    task = given or chosen_task(task_name, own)
    agent_name = ALIASES.get(agent_name, agent_name)
    agent_class = find_name(agent_name, AGENTS, "agent")
    settings = {**task.settings.get(agent_name, {}), **PRESETS.get(agent_name, {})}
    return plan_of(task, agent_name, agent_class(**settings), mixer_name, own, given)


def plan_of(
    task: Task,
    agent_name: str,
    agent: Any,
    mixer_name: str | None,
    own: TaskOverrides = AS_LISTED,
    given: Task | None = None,
) -> Plan:
    """The plan for an agent whose settings are known."""
    settings, recipe = task.settings, recipe_of(agent_name, agent)
    mixer_name = recipe.mixer if mixer_name is None else mixer_name
    find_name(mixer_name, MIXERS, "mixer")
    mixer_settings = {**settings.get(mixer_name, {}), **recipe.mixer_settings.get(mixer_name, {})}
    run = {**settings.get("run", {}), **settings.get(f"{agent_name} run", {})}
    return Plan(
        task_name=task.name,
        agent_name=agent_name,
        agent=agent,
        mixer_name=mixer_name,
        mixer=make_mixer(mixer_name, **mixer_settings),
        config=default_config(recipe, run),
        own=own,
        given=given,
    )


def default_config(recipe: Recipe, run: Mapping[str, Any]) -> RunConfig:
    config = RunConfig(**{"updates_per_step": recipe.updates_per_step, **run})
    offline = 0 if recipe.offline is None else config.offline_steps
    return fit_warmup(recipe, dataclasses.replace(config, offline_steps=offline))


def fit_warmup(recipe: Recipe, config: RunConfig) -> RunConfig:
    """The recipe's warm-up: made for a million steps, it would eat a short run.

    So it is a twentieth of the online phase at most.
    """
    warmup = min(recipe.warmup_steps, config.online_steps // 20)
    return dataclasses.replace(config, warmup_steps=warmup)


def changed_config(plan: Plan, changes: Mapping[str, Any]) -> RunConfig:
    """The plan's budgets with other values; a warm-up that is not among them is fitted to them."""
    config = dataclasses.replace(plan.config, **changes)
    return config if "warmup_steps" in changes else fit_warmup(plan.recipe, config)


def plan_from_json(data: Mapping[str, Any], allowed: tuple[str, ...] = ()) -> Plan:
    """The plan that ``Plan.to_json`` wrote; a UsageError for what this version cannot read."""
    if data.get("format") != FORMAT:
        raise UsageError(
            f"config.json has format {data.get('format')!r}, this version of road reads {FORMAT}"
        )
    if "given" in data:
        raise UsageError(
            f"task {data.get('task')!r} was given as Python objects, which no run folder can hold; "
            "call road.finetune with them and resume=True"
        )
    return dataclasses.replace(rebuild_plan(data), allowed=allowed)


def rebuild_plan(data: Mapping[str, Any]) -> Plan:
    """The same without the checks of format and origin."""
    try:
        return revived_plan(data)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(f"config.json cannot be read: {type(error).__name__}: {error}") from error


def revived_plan(data: Mapping[str, Any]) -> Plan:
    if not isinstance(data["task"], str):
        raise UsageError(f"config.json: task cannot be {data['task']!r}")
    agent, mixer = dict(data["agent"]), dict(data["mixer"])
    agent_name, mixer_name = agent.pop("name"), mixer.pop("name")
    apart = ("format", "task", "own", "log", "agent", "mixer", "probes")
    run = {name: value for name, value in data.items() if name not in apart}
    return Plan(
        task_name=data["task"],
        agent_name=agent_name,
        agent=rebuild(find_name(agent_name, AGENTS, "agent"), agent),
        mixer_name=mixer_name,
        mixer=rebuild(find_name(mixer_name, MIXERS, "mixer"), without_retired(mixer_name, mixer)),
        config=rebuild(RunConfig, run),
        own=rebuild(TaskOverrides, data.get("own", {})),
        log=rebuild(NewLog, data["log"]) if "log" in data else None,
    )
