"""Starting a run, taking one up again, and judging a finished one."""

import contextlib
import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from road.errors import StorageError, UsageError
from road.plain_files import open_plain
from road.records.folder import (
    CONFIG,
    META,
    SESSIONS,
    RunFolder,
    check_unused,
    describe_machine,
    describe_versions,
    read_run_file,
)
from road.records.journal import part_of
from road.records.toml import SETTINGS, settings_text
from road.secrets import without_secrets
from road.stopping import StopRequest, listening
from road.training.checkpoint import load_latest, pick_checkpoint
from road.training.compiled import compile_agent
from road.training.config import Plan, plan_from_json
from road.training.estimate import check_memory
from road.training.evaluate import Evaluation, Evaluator, judged_policy
from road.training.events import Note, Notify
from road.training.identity import accepting_any_data, check_data, check_plan
from road.training.run import Run
from road.training.state import RunState, state_from
from road.training.validate import check_budget
from road.types import AnyAgent

UNSIGNED = (
    "the checkpoint is of an earlier version, which did not note plan and data: that they are the "
    "same as then is taken on trust"
)


def start_run(
    plan: Plan,
    path: Path,
    command: str,
    notify: Notify,
    *,
    until_switch: bool = False,
    overwrite: bool = False,
) -> None:
    """Train from the beginning into a folder that holds no run yet, or whose run may go."""
    if not overwrite:
        check_unused(path)
    if plan.log is None:
        check_budget(plan)
    check_memory(plan)
    with listening() as stop:
        folder = RunFolder(path)
        try:
            if not overwrite:
                check_unused(path)
            drive(plan, folder, None, notify, stop, command, until_switch=until_switch)
        finally:
            folder.leave_no_trace()  # while locked: another process may come next
            folder.release()


def describe_run(plan: Plan, folder: RunFolder, command: str) -> None:
    """What makes a folder a run; the plan comes last, so that it is there only if all is."""
    about = {"versions": describe_versions(), "machine": describe_machine()}
    folder.clear()
    said = without_secrets(command)
    folder.write(META, {"format": 1, "name": folder.path.name, "command": said, **about})
    config = plan.to_json()
    folder.write_text(SETTINGS, settings_text(config))
    folder.write(CONFIG, config)


def resume_run(
    path: Path,
    notify: Notify,
    allowed: tuple[str, ...] = (),
    *,
    until_switch: bool = False,
    accept_changed_data: bool = False,
) -> None:
    """Continue a run from its newest whole checkpoint; a finished one is left as it is.

    Modules that its environment imports must be allowed again: a run folder may be untrusted.
    """
    plan = plan_from_json(read_run_file(path, CONFIG), allowed)
    resume_plan(
        plan, path, notify, until_switch=until_switch, accept_changed_data=accept_changed_data
    )


def resume_plan(
    plan: Plan,
    path: Path,
    notify: Notify,
    *,
    until_switch: bool = False,
    accept_changed_data: bool = False,
) -> None:
    meta = read_run_file(path, META)
    with listening() as stop:
        folder = RunFolder(path)
        try:
            if differences := changed(meta):
                notify(Note(f"{differences} differ from when the run began; so may its last bits"))
            state = saved_state(plan, folder, notify)
            if state is not None and accept_changed_data:
                state.identity = accepting_any_data(state.identity)
            drive(plan, folder, state, notify, stop, until_switch=until_switch)
        finally:
            folder.release()


def saved_state(plan: Plan, folder: RunFolder, notify: Notify) -> RunState | None:
    """What the newest whole checkpoint holds, if it belongs to this plan; None if there is none."""
    saved = load_latest(folder.checkpoints, lambda text: notify(Note(text)))
    if saved is None:
        return None
    state = state_from(*saved)
    check_plan(state.identity, plan, folder.path)
    if state.identity is None:
        notify(Note(UNSIGNED))
    return state


def check_same(plan: Plan, folder: Path) -> None:
    """A run continues only as what it was."""
    stored, asked = read_run_file(folder, CONFIG), json.loads(json.dumps(plan.to_json()))
    if changed := sorted(n for n in {*stored, *asked} if stored.get(n) != asked.get(n)):
        raise UsageError(
            f"{folder} was begun with other settings ({', '.join(changed)}); pass the same, or "
            "another out"
        )


def changed(meta: dict[str, Any]) -> str:
    """What the bits of a result depend on and is no longer as it was."""
    now = {"machine": describe_machine(), "versions": describe_versions()}
    return " and ".join(
        f"{what} ({', '.join(names)})"
        for what, values in now.items()
        if (names := sorted(n for n, v in values.items() if part_of(meta, what).get(n) != v))
    )


def drive(
    plan: Plan,
    folder: RunFolder,
    state: RunState | None,
    notify: Notify,
    stop: StopRequest,
    command: str | None = None,
    *,
    until_switch: bool = False,
) -> None:
    """Build the run and execute it, with the clock kept out of everything that must be exact.

    A command means that the run is new: the folder is described once its parts could be built.
    """
    began, cpu_began = time.monotonic(), time.process_time()
    if state is not None and state.counters.phase == "done":
        notify(Note("the run is already finished"))
        return
    with stop.at_once():  # there is nothing to save yet
        made = Run(plan, folder, notify, stop)
    with contextlib.closing(made) as run:
        if command is not None:
            describe_run(plan, folder, command)
        if state is None:
            run.begin()
        else:
            check_data(state.identity, run.data, plan, folder.path)
            run.restore(state)
        note_session(folder, "began", run.state.position)
        try:
            run.execute(until_switch=until_switch)
        finally:
            took = {
                "seconds": round(time.monotonic() - began, 3),
                "cpu_seconds": round(time.process_time() - cpu_began, 3),
            }
            with contextlib.suppress(StorageError):  # what ended the session matters more
                note_session(folder, "ended", run.state.position, **took)


def note_session(folder: RunFolder, what: str, position: int, **more: Any) -> None:
    """When the run was worked on: the only file of a run that holds wall-clock time."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"event": what, "position": position, "time": now, **more}
    try:
        handle = open_plain(folder.path / SESSIONS, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        with os.fdopen(handle, "a") as file:
            file.write(json.dumps(row) + "\n")
    except OSError as error:
        raise StorageError(f"cannot append to {SESSIONS}: {error.strerror}") from error


def evaluate_run(
    path: Path,
    episodes: int,
    *,
    best: bool,
    seed: int,
    allowed: tuple[str, ...] = (),
    notify: Notify = lambda _: None,
) -> tuple[int, Evaluation]:
    """Judge a saved agent on fresh episodes; gives the position it was saved at, and the result."""
    plan = plan_from_json(read_run_file(path, CONFIG), allowed)
    state = pick_state(path, best=best)
    check_plan(state.identity, plan, path)
    evaluator = Evaluator(plan.task.judged, seed, episodes)
    compiled = compile_agent(agent_of(plan, state), evaluator.spec)
    result = evaluator(judged_policy(compiled, state.main.agent, seed, 0), 0)
    for fault in evaluator.close():
        notify(Note(fault))
    assert result is not None  # without should_stop it runs to the end
    return state.position, result


def agent_of(plan: Plan, state: RunState) -> AnyAgent:
    """Which of the recipe's two agents a state belongs to."""
    # A run without an online phase ends with the agent that it pretrained.
    carried = state.counters.phase != "offline" and plan.config.online_steps > 0
    offline = None if carried else plan.recipe.offline
    return plan.recipe.online if offline is None else offline


def pick_state(path: Path, *, best: bool) -> RunState:
    return state_from(*pick_checkpoint(path, best=best))
