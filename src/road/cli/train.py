"""``road train``, from a dataset to a report; ``road resume`` goes on, ``road eval`` judges."""

import dataclasses
import json
import re
import shlex
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro

from road.api.display import finish, watching
from road.api.tracking import Tracker, tracking
from road.cli.flags import parse_flags
from road.cli.remedies import refuse_reading_flags, with_command
from road.cli.settings_file import value_of, with_settings_file
from road.errors import DataError, UsageError
from road.records.folder import META, read_run_file
from road.records.journal import part_of
from road.tasks.catalogue import DEFAULT_TASK, TASKS, usual_spelling
from road.tasks.custom import TaskOverrides
from road.terminal import note
from road.training.process import prepare_jax

MOST_THREADS = 1024
"""More than any machine of today can use; XLA ends the process when it can start no more."""


@dataclass(frozen=True)
class Where:
    """Where the run goes and how it is computed."""

    out: Path | None = None
    """Run folder; by default runs/TASK__AGENT__MIXER__sSEED."""
    overwrite: bool = False
    """Delete the run in the run folder, once the new one is ready to begin."""
    config: Path | None = None
    """A TOML file of settings, such as a run's run.toml; flags given beside it take precedence."""
    log: Tracker | None = None
    """Show the run in TensorBoard or W&B while it goes on; in the run folder, as `road export`."""
    threads: int | None = None
    """Threads that JAX uses; results of different numbers of threads differ in their last bits."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that may be imported for --env MODULE:ID: its code runs. Once for each module."""

    def __post_init__(self) -> None:
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            many = f"between 1 and {MOST_THREADS}" if self.threads > 1 else "1 or more"
            raise UsageError(f"threads must be {many}, got {self.threads}")


def train_command(words: list[str]) -> int:
    prepare_jax(threads_of(value_of(words, "--threads")))
    from road.training.launch import start_run

    source = value_of(words, "--data")
    refuse_reading_flags(words, source)
    plan, where = parse_plan(words)
    note_spelling(words, plan)
    out = where.out or fresh_folder(plan, overwrite=where.overwrite)
    command = shlex.join(["road", "train", *words])
    try:
        with watching(out) as shown, tracking(out, where.log, shown) as notify:
            start_run(plan, out, command, notify, overwrite=where.overwrite)
    except DataError as error:
        raise with_command(error, source, words) from error
    finish(out)
    return 0


def threads_of(said: object) -> int | None:
    """A number of threads, from words or a file of anyone; None for what is none."""
    text = str(said)
    found = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    return found if 1 <= found <= MOST_THREADS else None


def parse_plan(words: list[str]) -> tuple[Any, Where]:
    """The plan: the task's own defaults, changed by the settings file and the flags."""
    given = with_settings_file(words)
    try:
        return plan_from(given.words, given.task or DEFAULT_TASK)
    except UsageError as wrong:
        if given.file is None:
            raise
        raise UsageError(f"{wrong}; some of the settings are those of {given.file}") from wrong


def plan_from(words: list[str], task: str) -> tuple[Any, Where]:
    """The plan that words describe which may not name a task."""
    from road.experiments.grid import absolute_source
    from road.training.config import RunConfig, default_plan, fit_warmup

    own = TaskOverrides(env=value_of(words, "--env"), data=value_of(words, "--data"))
    names = value_of(words, "--agent") or "iql", value_of(words, "--mixer"), own
    base = default_plan(likely_task(words, own, task), *names)
    flags: Any = parse_flags(flags_class(base, RunConfig, task), words, "train")
    if usual_spelling(flags.task) != base.task_name:
        if own.env is not None:
            raise UsageError(
                f"name a task or --env, not both: got {flags.task!r} and --env {own.env}"
            )
        base = default_plan(flags.task, *names)
        flags = parse_flags(flags_class(base, RunConfig, task), words, "train")
    # A warm-up that was not asked for follows the online steps that were.
    asked = is_given(words, "--warmup-steps")
    plan = dataclasses.replace(
        base,
        agent=getattr(flags, group(base.agent_name)),
        mixer=getattr(flags, group(base.mixer_name)),
        config=flags.run if asked else fit_warmup(base.recipe, flags.run),
        own=dataclasses.replace(flags.own, **absolute_source(flags.own.data)),
        allowed=flags.where.allow_import,
    )
    return plan, flags.where


def flags_class(base: Any, run_config: type[Any], default_task: str) -> type[Any]:
    """The flags of this task, agent and mixer, with their defaults: what --help shows."""
    spread = tyro.conf.OmitArgPrefixes
    task = Annotated[str, tyro.conf.Positional, tyro.conf.arg(help=TASK_HELP, metavar="[TASK]")]
    fields: list[Any] = [
        ("task", task, field(default=base.own.env or default_task)),
        ("agent", Annotated[str, tyro.conf.arg(help=AGENT_HELP)], field(default=base.agent_name)),
        ("mixer", Annotated[str, tyro.conf.arg(help=MIXER_HELP)], field(default=base.mixer_name)),
        ("own", spread[TaskOverrides], field(default=base.own)),
        ("run", spread[run_config], field(default=base.config)),
        ("where", spread[Where], field(default=Where())),
        (group(base.agent_name), type(base.agent), field(default=base.agent)),
        (group(base.mixer_name), type(base.mixer), field(default=base.mixer)),
    ]
    kind = dataclasses.make_dataclass("Train", fields, frozen=True)
    kind.__doc__ = (
        "Pretrain an agent on a task's dataset, then fine-tune it online while a mixer chooses "
        "the offline ratio m of every batch. Defaults are those of the task, agent and mixer."
    )
    return kind


TASK_HELP = "What to learn (see `road list tasks`)."
AGENT_HELP = "Which algorithm learns (see `road list agents`); its settings are --AGENT.*."
MIXER_HELP = "Who chooses the offline ratio m (see `road list mixers`); its settings are --MIXER.*."


def group(name: str) -> str:
    return name.replace("-", "_")


def likely_task(words: list[str], own: TaskOverrides, default: str) -> str:
    """A guess, whose defaults the help shows; which word is the task, only the flags can tell."""
    first = words[0] if words and not words[0].startswith("-") else default
    return own.env or next((word for word in words if usual_spelling(word) in TASKS), first)


def is_given(words: list[str], flag: str) -> bool:
    """Whether the flag is among the words, in any of the ways in which it may be written."""
    return any(word.partition("=")[0].replace("_", "-") == flag for word in words)


def note_spelling(words: list[str], plan: Any) -> None:
    """Tell a user who wrote a name as another library has it how it is called here."""
    named = (word for word in words if usual_spelling(word) == plan.task_name)
    typed = next(named, plan.task_name)
    if typed != plan.task_name:
        note(f"task {typed!r} is called {plan.task_name!r} here")


def fresh_folder(plan: Any, *, overwrite: bool = False) -> Path:
    """Named after the plan, with a number if there is such a folder that is to stay."""
    task = re.sub(r"[^\w.-]+", "-", plan.task_name)
    name = f"{task}__{plan.agent_name}__{plan.mixer_name}__s{plan.config.seed}"
    path, number = Path("runs") / name, 1
    while path.exists() and not overwrite:
        number += 1
        path = Path("runs") / f"{name}-{number}"
    return path


@dataclass(frozen=True)
class Resume:
    """Continue a run from its newest whole checkpoint."""

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that the run's own environment imports; to be allowed again, as its code runs."""
    log: Tracker | None = None
    """Show the run in TensorBoard or W&B while it goes on, from its beginning."""
    accept_changed_data: bool = False
    """Go on although the data are not those that the run has learnt from so far."""


def resume_command(words: list[str]) -> int:
    flags = parse_flags(Resume, words, "resume")
    folder = flags.folder
    prepare_jax(threads_of(part_of(read_run_file(folder, META), "machine").get("jax_threads")))
    from road.training.launch import resume_run

    with watching(folder) as shown, tracking(folder, flags.log, shown) as notify:
        accepted = flags.accept_changed_data
        resume_run(folder, notify, flags.allow_import, accept_changed_data=accepted)
    finish(folder)
    return 0


@dataclass(frozen=True)
class Eval:
    """Judge a run's agent by episodes of its best actions, in the environment's own reward."""

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    episodes: int = 100
    """How many episodes."""
    seed: int = 1_000_000
    """Seed of the episodes; the default is far from any training seed."""
    best: bool = False
    """Judge the best checkpoint instead of the newest."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that the run's own environment imports; to be allowed again, as its code runs."""


def eval_command(words: list[str]) -> int:
    flags = parse_flags(Eval, words, "eval")
    prepare_jax()
    from road.training.config import check_whole
    from road.training.launch import evaluate_run

    check_whole("episodes", flags.episodes, 1)
    check_whole("seed", flags.seed, 0)
    position, result = evaluate_run(
        flags.folder,
        flags.episodes,
        best=flags.best,
        seed=flags.seed,
        allowed=flags.allow_import,
    )
    sys.stdout.write(json.dumps({"position": position, **asdict(result)}) + "\n")
    return 0
