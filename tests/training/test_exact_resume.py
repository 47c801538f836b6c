"""The property: stopped or killed anywhere and continued, a run ends with the same bits."""

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.conftest import tiny_plan

from road.errors import Preempted
from road.mixing import (
    AppendMixer,
    BalancedMixer,
    DecreasingMixer,
    FixedMixer,
    HypergradientMixer,
    ProportionalMixer,
    RoadMixer,
    UniformMixer,
    ValidatedMixer,
)
from road.records.folder import RunFolder
from road.records.journal import Journal
from road.stopping import StopRequest
from road.training.checkpoint import checkpoints, load_checkpoint
from road.training.config import Plan
from road.training.events import Evaluated, Event, Note, PhaseStarted, Progressed
from road.training.launch import resume_run, start_run
from road.training.run import Run
from road.training.state import state_from


def contents(folder: Path) -> dict[str, Any]:
    """Everything that must be the same: weights, optimiser, buffer, mixer, counters, journals."""
    arrays, document = load_checkpoint(checkpoints(folder / "checkpoints")[-1])
    files = {name: (folder / f"{name}.jsonl").read_bytes() for name in Journal.NAMES}
    return {
        **{name: array.tobytes() for name, array in arrays.items()},
        "state": json.dumps(document, sort_keys=True),
        **files,
    }


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return sorted(name for name in one | other if one.get(name) != other.get(name))


@pytest.fixture(scope="module")
def undisturbed(tiny_run: Path) -> dict[str, Any]:
    return contents(tiny_run)


def stop_when(plan: Plan, path: Path, condition: Callable[[Event], bool], *, fresh: bool) -> None:
    """Run until an event that meets the condition, as SIGTERM would have it."""
    stop, folder = StopRequest(), RunFolder(path)

    def notify(event: Event) -> None:
        if condition(event):
            stop.note(signal.SIGTERM, None)

    run = Run(plan, folder, notify, stop)
    if fresh:
        folder.write("config.json", plan.to_json())
        run.begin()
    else:
        run.restore(state_from(*load_checkpoint(checkpoints(folder.checkpoints)[-1])))
    with pytest.raises(Preempted):
        run.execute()
    run.close()
    folder.release()


def test_stopped_at_every_kind_of_moment(undisturbed: dict[str, Any], tmp_path: Path):
    """Offline, at the switch, in the middle of an episode and of a period, at a period's end."""
    plan, path = tiny_plan(), tmp_path / "run"
    moments: list[Callable[[Event], bool]] = [
        lambda e: isinstance(e, Progressed) and e.phase == "offline" and e.done >= 50,
        lambda e: isinstance(e, Evaluated) and e.phase == "offline",
        lambda e: isinstance(e, PhaseStarted) and e.phase == "online",
        lambda e: isinstance(e, Evaluated) and e.phase == "online" and e.step == 0,
        lambda e: isinstance(e, Note),
        lambda e: isinstance(e, Progressed) and e.phase == "online" and e.done == 40,
        lambda e: isinstance(e, Progressed) and e.phase == "online" and e.done == 100,
        lambda e: isinstance(e, Progressed) and e.phase == "online" and e.done == 137,
        lambda e: isinstance(e, Progressed) and e.phase == "online" and e.done == 200,
    ]
    for number, condition in enumerate(moments):
        stop_when(plan, path, condition, fresh=number == 0)
    (path / "meta.json").write_text('{"machine": {}}')
    resume_run(path, lambda _: None)
    assert differing(contents(path), undisturbed) == []


@pytest.mark.parametrize(
    "mixer",
    [
        DecreasingMixer(),
        UniformMixer(),
        FixedMixer(0.3),
        AppendMixer(),
        ProportionalMixer(),
        BalancedMixer(hidden=(16, 16), density_batch=8, initial_rows=20),
        HypergradientMixer(interval=5, held_back=10),
        HypergradientMixer(interval=5, held_back=10, judge="monte-carlo"),
        RoadMixer(credit="change", scale="standardised"),
        RoadMixer(credit="fresh-error"),
        RoadMixer(credit="next-return", window=3),
        ValidatedMixer(interval=20),
        ValidatedMixer(ratios=(0.0, 1.0), interval=10, probe_every=4, probe_actor=True),
    ],
)
def test_every_mixer_goes_on_as_it_would_have(mixer: Any, tmp_path: Path):
    """Stopped while there is too little online data, and in the first and the second period."""
    plan = dataclasses.replace(tiny_plan(offline_steps=0, online_steps=100), mixer=mixer)
    start_run(plan, tmp_path / "quiet", "test", lambda _: None)
    for number, step in enumerate((8, 30, 70)):
        stop_when(
            plan,
            tmp_path / "stopped",
            lambda e, step=step: isinstance(e, Progressed) and e.done == step,
            fresh=number == 0,
        )
    (tmp_path / "stopped" / "config.json").write_text((tmp_path / "quiet/config.json").read_text())
    run = Run(plan, RunFolder(tmp_path / "stopped"), lambda _: None, StopRequest())
    run.restore(state_from(*load_checkpoint(checkpoints(tmp_path / "stopped/checkpoints")[-1])))
    run.execute()
    assert differing(contents(tmp_path / "stopped"), contents(tmp_path / "quiet")) == []


def test_evaluating_more_often_changes_nothing(undisturbed: dict[str, Any], tmp_path: Path):
    start_run(tiny_plan(evaluate_every=30), tmp_path / "run", "test", lambda _: None)
    differs = differing(contents(tmp_path / "run"), undisturbed)
    assert set(differs) == {"evaluations", "state"}  # state holds the number of evaluations


def offline_steps_of(name: str, folder: Path) -> list[int]:
    rows = map(json.loads, (folder / f"{name}.jsonl").read_text().splitlines())
    return [row["step"] for row in rows if row["phase"] == "offline"]


def test_what_is_due_inside_a_stack_of_updates_is_done_at_its_end(tmp_path: Path):
    """Offline updates come in stacks of 50; the end of the phase is judged as online step 0."""
    plan = tiny_plan(evaluate_every=60, log_every=60, online_steps=1)
    start_run(plan, tmp_path / "run", "test", lambda _: None)
    assert offline_steps_of("evaluations", tmp_path / "run") == [100]
    assert offline_steps_of("metrics", tmp_path / "run") == [100, 120]


def test_a_checkpoint_that_is_due_inside_a_stack_is_made_at_its_end(tmp_path: Path):
    plan = tiny_plan(offline_steps=250, evaluate_every=1000, checkpoint_every=60)
    start_run(plan, tmp_path / "run", "test", lambda _: None, until_switch=True)
    kept = [path.name[-3:] for path in checkpoints(tmp_path / "run" / "checkpoints")]
    assert kept == ["200", "250"]


def test_another_seed_gives_another_run(undisturbed: dict[str, Any], tmp_path: Path):
    start_run(tiny_plan(seed=4), tmp_path / "run", "test", lambda _: None)
    assert "learner-0/agent/0000" in differing(contents(tmp_path / "run"), undisturbed)


COMMAND = (
    *("train", "pendulum-flipped", "--seed", "5", "--offline-steps", "3000", "--online-steps"),
    *("1500", "--period", "50", "--evaluate-every", "750", "--evaluation-episodes", "3"),
    *("--checkpoint-every", "150", "--log-every", "25", "--iql.hidden", "16", "16"),
)


def kill_after(words: list[str], path: Path, position: int, delay: float) -> bool:
    """Start, and kill -9 some time after that position was saved; whether it was still running."""
    process = subprocess.Popen(
        [sys.executable, "-m", "road.cli", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        saved = checkpoints(path / "checkpoints")
        if position == 0 or (saved and int(saved[-1].name.split("-")[1]) >= position):
            time.sleep(delay)
            break
        time.sleep(0.005)
    alive = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return alive


@pytest.mark.integration
def test_killed_at_random_moments_in_both_phases(road: Any, tmp_path: Path):
    """kill -9 during start-up, both phases and the switch; the exact moment is left to chance."""
    quiet, killed = tmp_path / "quiet", tmp_path / "killed"
    assert road(*COMMAND, "--out", quiet).returncode == 0
    chance = random.Random()
    words = [*COMMAND, "--out", str(killed)]
    kills = 0
    for position in (0, 1, 2100, 3000, 3700):
        delay = chance.uniform(0.5, 3.0) if position == 0 else chance.uniform(0.0, 0.25)
        kills += kill_after(words, killed, position, delay)
        if not (killed / "config.json").exists():
            continue  # killed before there was a run: the same command begins again
        words = ["resume", str(killed)]
    assert kills >= 4
    done = road("resume", killed)
    assert done.returncode == 0, done.stderr
    assert differing(contents(killed), contents(quiet)) == []
    leftovers = [p.name for p in (killed / "checkpoints").iterdir() if p.name.startswith(".")]
    assert leftovers == []


@pytest.mark.integration
def test_sigterm_saves_and_exits_with_75(tmp_path: Path):
    path = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "road.cli", *COMMAND, "--out", str(path)],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (path / "sessions.jsonl").exists():
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 75
    assert "road resume" in said.splitlines()[-1]
    arrays, _ = load_checkpoint(checkpoints(path / "checkpoints")[-1])
    assert all(np.isfinite(array).all() for array in arrays.values())
