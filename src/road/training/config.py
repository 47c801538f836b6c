"""What defines a run, as data: written to ``config.json``, read back by ``road resume``."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from road.agents.recipes import AGENTS, ALIASES, PRESETS, RECIPES, Recipe
from road.errors import UsageError
from road.mixing import MIXERS, Mixer, make_mixer
from road.naming import find_name
from road.tasks.catalogue import DEFAULT_TASK, find_own_task, find_task
from road.tasks.own import Own
from road.tasks.task import Task

FORMAT = 1
"""Version of ``config.json``."""
MOST_SEED = 2**32 - 1
AS_LISTED = Own()
"""Nothing brought along: the task as the catalogue has it."""


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
    period: int | Literal["episode"] = 1000
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
        if self.seed > MOST_SEED:
            raise UsageError(f"seed must be {MOST_SEED} or less, got {self.seed}")
        if self.offline_steps + self.online_steps == 0:
            raise UsageError("offline_steps and online_steps are both 0: there is nothing to do")


def check_whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int):
        raise UsageError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise UsageError(f"{name} must be {least} or more, got {value}")


@dataclass(frozen=True)
class Plan:
    """A run's whole definition: task, agent, mixer and budgets."""

    task_name: str
    agent_name: str
    agent: Any
    mixer_name: str
    mixer: Mixer[Any]
    config: RunConfig
    own: Own = AS_LISTED
    """What the user brings along or sets otherwise in the task."""
    allowed: tuple[str, ...] = ()
    """Modules that may be imported for the environment: for this process, never written down."""
    given: Task | None = None
    """A task made of Python objects: it dies with the process."""

    @property
    def task(self) -> Task:
        return self.given or chosen_task(self.task_name, self.own, self.allowed)

    @property
    def recipe(self) -> Recipe:
        return RECIPES[self.agent_name](self.agent)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "task": self.task_name,
            **self.brought(),
            "agent": {"name": self.agent_name, **told(self.agent)},
            "mixer": {"name": self.mixer_name, **dataclasses.asdict(self.mixer)},  # pyright: ignore[reportArgumentType] -- every mixer is a dataclass
            **dataclasses.asdict(self.config),
        }

    def brought(self) -> dict[str, Any]:
        """What was set in ``own``, where anything was; and whether Python objects were given."""
        own = {
            name: value for name, value in dataclasses.asdict(self.own).items() if value is not None
        }
        given = {} if self.given is None else {"given": True}
        return {**({"own": own} if own else {}), **given}


def told(agent: Any) -> dict[str, Any]:
    """Its fields; an infinity as a word, since JSON has none."""
    return {
        name: str(value) if isinstance(value, float) and math.isinf(value) else value
        for name, value in dataclasses.asdict(agent).items()
    }


def chosen_task(name: str, own: Own, allowed: tuple[str, ...] = ()) -> Task:
    return find_task(name) if own == AS_LISTED else find_own_task(name, own, allowed)


def default_plan(
    task_name: str = DEFAULT_TASK,
    agent_name: str = "iql",
    mixer_name: str | None = None,
    own: Own = AS_LISTED,
    given: Task | None = None,
) -> Plan:
    """The plan that the agent's recipe and the task's table of settings give.

    The task has the last word on agent and run, the recipe on the mixer; None takes the mixer that
    belongs to the recipe.
    """
    task = given or chosen_task(task_name, own)
    settings, agent_name = task.settings, ALIASES.get(agent_name, agent_name)
    agent_class = find_name(agent_name, AGENTS, "agent")
    agent = agent_class(**{**settings.get(agent_name, {}), **PRESETS.get(agent_name, {})})
    recipe = RECIPES[agent_name](agent)
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
    try:
        return dataclasses.replace(revived_plan(data), allowed=allowed)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"config.json cannot be read: {type(error).__name__}: {error}") from error


def revived_plan(data: Mapping[str, Any]) -> Plan:
    agent, mixer = dict(data["agent"]), dict(data["mixer"])
    agent_name, mixer_name = agent.pop("name"), mixer.pop("name")
    apart = ("format", "task", "own", "agent", "mixer")
    run = {name: value for name, value in data.items() if name not in apart}
    return Plan(
        task_name=data["task"],
        agent_name=agent_name,
        agent=rebuild(find_name(agent_name, AGENTS, "agent"), agent),
        mixer_name=mixer_name,
        mixer=rebuild(find_name(mixer_name, MIXERS, "mixer"), mixer),
        config=rebuild(RunConfig, run),
        own=rebuild(Own, data.get("own", {})),
    )


def rebuild(kind: type[Any], fields: Mapping[str, Any]) -> Any:
    """A dataclass, or a dataclass of dataclasses, from JSON, where a tuple has become a list."""
    types = {field.name: field.type for field in dataclasses.fields(kind)}
    if strange := sorted(set(fields) - set(types)):
        raise UsageError(f"config.json has fields unknown to {kind.__name__}: {', '.join(strange)}")
    return kind(**{name: revived(types[name], value) for name, value in fields.items()})


def revived(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return rebuild(kind, value)
    if kind is float and isinstance(value, str):
        return float(value)
    return tuple(value) if isinstance(value, list) else value
