"""``road.finetune``: the run of the command line, from Python, with the caller's own objects."""

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import gymnasium
from numpy.typing import ArrayLike

from road.agents.recipes import AGENTS, PRESETS
from road.api.display import watching, write_results
from road.api.own_agent import own_policy
from road.api.tracking import Tracker, tracking
from road.data import Reading, from_arrays
from road.data.dataset import Dataset
from road.errors import UsageError
from road.mixing import MIXERS, Mixer
from road.names import find_name
from road.policies.load import load_policy
from road.policies.policy import Policy
from road.records.folder import CONFIG
from road.records.interface import read_interface
from road.records.journal import read_rows
from road.tasks.custom import TaskOverrides, custom_data, custom_task, read_action_box
from road.tasks.task import Task
from road.training.config import Plan, RunConfig, changed_config, default_plan, plan_of
from road.training.evaluate import Evaluation
from road.training.events import Evaluated, Event, Notify
from road.training.launch import check_same, resume_plan, start_run
from road.training.process import keep_compiled
from road.training.validate import check_agent, check_mixer

MakeEnvironment = Callable[[], gymnasium.Env[Any, Any]]
REPORT = "report.html"


@dataclass(frozen=True, repr=False)
class Finetuned:
    """How a run went."""

    folder: Path | None
    """The run folder, if one was asked for: ``road report`` draws it, ``road eval`` judges it."""
    evaluations: tuple[Evaluated, ...]
    """Every evaluation of the run, in order, also those before it was resumed."""
    policy: Policy
    """What was learnt, as ``road.load_policy`` gives it: from observations to the best actions."""
    ratios: tuple[tuple[int, float], ...] = ()
    """The offline ratio of every period, with the online step at which it ended."""

    @property
    def pretrained(self) -> Evaluation | None:
        """What the agent could do when the online phase began; None if that was not seen."""
        before = [e for e in self.evaluations if e.phase == "online" and e.step == 0]
        return before[0].evaluation if before else None

    @property
    def final(self) -> Evaluation | None:
        return self.evaluations[-1].evaluation if self.evaluations else None

    @property
    def report(self) -> Path | None:
        """The page of the run; None without a run folder."""
        return None if self.folder is None else self.folder / REPORT

    def __repr__(self) -> str:
        scores = {"pretrained": self.pretrained, "final": self.final}
        known = (f"{name}={each.score:.1f}" for name, each in scores.items() if each is not None)
        return f"Finetuned({', '.join((*known, f'folder={str(self.folder)!r}'))})"

    def plot(self, axes: Any = None) -> Any:
        """Draw score and offline ratio over the online steps; returns matplotlib's axes."""
        from matplotlib import pyplot

        scores = pyplot.subplots()[1] if axes is None else axes
        online = [(e.step, e.evaluation.score) for e in self.evaluations if e.phase == "online"]
        scores.plot(*zip(*online, strict=True), color="C0", marker="o", markersize=3)
        scores.set_xlabel("online steps")
        scores.set_ylabel("score", color="C0")
        if self.ratios:
            ends, ratios = zip(*self.ratios, strict=True)
            shares = scores.twinx()
            shares.step(ends, ratios, where="pre", color="C1")
            shares.set_ylim(-0.02, 1.02)
            shares.set_ylabel("offline ratio m", color="C1")
        return scores


def finetune(  # noqa: PLR0913 -- the one entry point from Python
    environment: MakeEnvironment | str,
    dataset: Dataset | Mapping[str, ArrayLike] | str,
    *,
    agent: Any = "iql",
    mixer: Any = None,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    log: Tracker | None = None,
    progress: bool = True,
    notify: Notify | None = None,
    **settings: Any,
) -> Finetuned:
    """Pretrain an agent on data, then fine-tune it online while a mixer chooses the ratio.

    Args:
        environment: an id that Gymnasium knows, or a function that makes a fresh environment;
            called once for training and for each evaluation lane. Observations that can be
            flattened, bounded real actions, and episodes that are a pure function of the seed
            given to ``reset`` and of the actions.
        dataset: what was logged in it: a source such as ``"file:logs.hdf5"``, a dataset, or arrays
            by D4RL's names (``observations``, ``actions``, ``rewards``, ``terminals``, ...).
        agent: a name of ``road list agents``, or an agent, of a registered class or your own.
        mixer: a name of ``road list mixers``, or a mixer, of a registered class or your own; None
            takes the one that belongs to the agent.
        out: run folder, with ``report.html`` in it at the end; None keeps nothing.
        resume: continue the run in ``out`` if it holds one.
        overwrite: delete the run in ``out`` instead, once the new one is ready to begin.
        log: show the run in TensorBoard or W&B while it goes on, in ``out``.
        progress: show on standard error how far the run is.
        notify: called with every event of ``road.training.events``.
        settings: fields of ``RunConfig`` (``offline_steps=...``) and of ``TaskOverrides``
            (``score_min=...``).
    """
    check_options(out, log, resume=resume, overwrite=overwrite)
    plan = plan_for(environment, dataset, agent, mixer, settings)
    keep_compiled()
    with contextlib.ExitStack() as cleaning:
        folder = Path(out or cleaning.enter_context(tempfile.TemporaryDirectory()) + "/run")
        shown = cleaning.enter_context(watching(None if out is None else folder, show=progress))
        events = cleaning.enter_context(tracking(folder, log, both(shown, notify or ignore)))
        run_in(plan, folder, events, resume=resume, overwrite=overwrite)
        return result_of(plan, folder, kept=out is not None)


def check_options(out: object, log: object, *, resume: bool, overwrite: bool) -> None:
    """Refuse options that contradict each other."""
    if resume and overwrite:
        raise UsageError("resume goes on with a run and overwrite deletes it: give one of them")
    if log is not None and out is None:
        raise UsageError("log writes into the run folder: give out too")


def result_of(plan: Plan, folder: Path, *, kept: bool) -> Finetuned:
    """What a finished run gives, and its report if its folder is kept."""
    if kept:
        write_results(folder)
    evaluations, ratios = evaluations_of(folder), ratios_of(folder)
    policy = learnt_policy(plan, folder)
    return Finetuned(folder if kept else None, evaluations, policy, ratios)


def plan_for(
    environment: Any, dataset: Any, agent: Any, mixer: Any, settings: dict[str, Any]
) -> Plan:
    """The run that was asked for."""
    own = TaskOverrides(**{name: settings.pop(name) for name in own_names() if name in settings})
    make, name = environment_of(environment)
    plan = given_plan(given_task(make, name, dataset, own), agent, mixer, own)
    return replace(plan, config=changed_config(plan, checked(settings)))


def both(first: Notify, second: Notify) -> Notify:
    def notify(event: Event) -> None:
        first(event)
        second(event)

    return notify


def learnt_policy(plan: Plan, folder: Path) -> Policy:
    """The newest policy of the run, as ``road.load_policy`` gives it."""
    is_own = read_interface(folder)["networks"]["online"] is None
    return own_policy(plan, folder) if is_own else load_policy(folder)


def run_in(plan: Plan, folder: Path, notify: Notify, *, resume: bool, overwrite: bool) -> None:
    if resume and (folder / CONFIG).exists():
        check_same(plan, folder)
        resume_plan(plan, folder, notify)
    else:
        start_run(plan, folder, "road.finetune", notify, overwrite=overwrite)


def evaluations_of(folder: Path) -> tuple[Evaluated, ...]:
    rows = read_rows(folder / "evaluations.jsonl")
    return tuple(Evaluated(row.pop("phase"), row.pop("step"), Evaluation(**row)) for row in rows)


def ratios_of(folder: Path) -> tuple[tuple[int, float], ...]:
    """Of the main learner's periods."""
    rows = read_rows(folder / "mixer.jsonl")
    return tuple((row["step"], row["offline_ratio"]) for row in rows if not row.get("learner"))


def ignore(event: Event) -> None:
    del event


def environment_of(environment: Any) -> tuple[MakeEnvironment, str]:
    """What makes the environment, and its name."""
    if isinstance(environment, str):
        check_id(environment)
        return partial(gymnasium.make, environment), environment
    if not callable(environment):
        raise UsageError(
            "environment must be an id of Gymnasium or a function that makes one, such as "
            f"lambda: gymnasium.make('Reacher-v5'), got {environment!r}"
        )
    called = getattr(environment, "__name__", "")
    return cast("MakeEnvironment", environment), called if called.isidentifier() else "own"


def check_id(environment: str) -> None:
    try:
        gymnasium.spec(environment)
    except gymnasium.error.Error as error:
        raise UsageError(
            f"environment {environment!r} is not registered: import the module that registers it, "
            f"or pass a function that makes it ({error})"
        ) from error


def given_task(make: MakeEnvironment, name: str, dataset: Any, own: TaskOverrides) -> Task:
    if isinstance(dataset, str):
        return custom_task(name, make, custom_data(dataset, make, name, own), own)
    if isinstance(dataset, Mapping):
        arrays = cast("Mapping[str, Any]", dataset)
        unit = own.action_units == "unit"
        box = None if unit else read_action_box(make, name)
        dataset = from_arrays(arrays, Reading(action_box=box))
    if not isinstance(dataset, Dataset):
        raise UsageError(
            "dataset must be a source such as 'file:logs.hdf5', a dict of arrays, or a Dataset "
            f"(see road.data.from_arrays), got {type(dataset).__name__}"
        )
    return custom_task(name, make, lambda: dataset, own)


def given_plan(task: Task, agent: Any, mixer: Any, own: TaskOverrides) -> Plan:
    """The plan for a name or an object each, of a registered class or not."""
    mixer_name = mixer if isinstance(mixer, str) else None
    if isinstance(agent, str):
        plan = default_plan(task.name, agent, mixer_name, own, given=task)
    else:
        check_agent(agent)
        plan = plan_of(task, name_of_agent(agent), agent, mixer_name, own, task)
    if isinstance(mixer, str) or mixer is None:
        return plan
    check_mixer(mixer, plan.config.seed)
    return replace(plan, mixer_name=name_of_mixer(mixer), mixer=mixer)


def name_of_agent(agent: Any) -> str:
    """The registered name, by its preset where two share a class; else the name of its class."""
    for name, kind in reversed(AGENTS.items()):
        preset = PRESETS.get(name, {})
        if type(agent) is kind and all(getattr(agent, f) == v for f, v in preset.items()):
            return name
    return type(agent).__name__


def name_of_mixer(mixer: Mixer[Any]) -> str:
    """The registered name, else the name of its class."""
    kinds = (name for name, kind in MIXERS.items() if type(mixer) is kind)
    return next(kinds, type(mixer).__name__)


def own_names() -> list[str]:
    """Fields of ``TaskOverrides`` but the environment and the data, which are given as objects."""
    return [
        field.name
        for field in dataclasses.fields(TaskOverrides)
        if field.name not in ("env", "data")
    ]


def checked(settings: dict[str, Any]) -> dict[str, Any]:
    known = dict.fromkeys([field.name for field in dataclasses.fields(RunConfig)] + own_names())
    for name in settings:
        find_name(name, known, "setting")
    return settings
