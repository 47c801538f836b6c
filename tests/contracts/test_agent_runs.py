"""The contract of whole runs, for every agent: the list is that of ``test_agents.py``."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from tests.conftest import make_batch
from tests.contracts.test_agents import AGENT_LIST, same
from tests.training.test_exact_resume import contents, differing

import road
from road.agents.recipes import RECIPES
from road.mixing import RoadMixer
from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.training.checkpoint import checkpoints, load_checkpoint, save_checkpoint
from road.training.compiled import remembered
from road.training.config import Plan, RunConfig
from road.training.events import Progressed
from road.training.launch import describe_run, resume_run
from road.training.learner import Learner
from road.training.run import Run
from road.training.state import RunState, state_from
from road.types import Spec

TINY = RunConfig(
    seed=2,
    offline_steps=300,
    online_steps=400,
    batch_size=16,
    updates_per_step=2,
    warmup_steps=20,
    period=20,
    measure_batch=16,
    evaluate_every=60,
    evaluation_episodes=1,
    log_every=10,
    checkpoint_every=50,
)


def plan_of(name: str) -> Plan:
    offline = 0 if RECIPES[name](AGENT_LIST[name]).offline is None else TINY.offline_steps
    return Plan(
        task_name="pendulum-flipped",
        agent_name=name,
        agent=AGENT_LIST[name],
        mixer_name="road",
        mixer=RoadMixer(arms=(0.0, 0.3, 0.7, 1.0), exploration=0.1),
        config=dataclasses.replace(TINY, offline_steps=offline),
    )


def ignore(_: Any) -> None:
    pass


@pytest.fixture(scope="module", params=AGENT_LIST)
def quiet(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A whole run of each agent, undisturbed; it compiled all its functions itself."""
    remembered.cache_clear()
    plan, path = plan_of(request.param), tmp_path_factory.mktemp("quiet") / request.param
    folder = RunFolder(path)
    describe_run(plan, folder, "test")
    run = Run(plan, folder, ignore, StopRequest())
    run.begin()
    run.execute()
    run.close()
    folder.release()
    return run


def test_a_new_ratio_compiles_nothing_again(quiet: Run):
    """All four arms are tried, and the buffer goes from empty to full enough."""
    run = quiet
    rows = [json.loads(line) for line in (run.folder.path / "mixer.jsonl").read_text().splitlines()]
    assert {row["offline_ratio"] for row in rows} == {0.0, 0.3, 0.7, 1.0}
    # An agent that trains in both phases is compiled once for the offline stacks as well.
    both_phases = bool(run.config.offline_steps) and run.online_agent is run.offline_agent
    assert run.online_agent.compilations == {
        "update": 1 + both_phases,
        "act": 1,
        "advantage": 1,
        "best_action": 1,
    }


def test_the_loaded_policy_acts_as_the_agent_does(quiet: Run):
    """In NumPy, from the pendulum's own observations to its own actions of up to 2."""
    policy = road.load_policy(quiet.folder.path)
    rng = np.random.default_rng(0)
    seen = rng.normal(size=(1000, 3)).astype(np.float32) * [0.7, 0.7, 3.0]
    inside = quiet.rollout._environment.func(seen.astype(np.float32))
    judged: Any = quiet.online_agent.agent
    if hasattr(judged, "evaluation_noise"):
        judged = dataclasses.replace(judged, evaluation_noise=0.0)
    state = quiet.online_agent.tree(quiet.state.main.agent)
    best = np.asarray(judged.best_action(state, jax.numpy.asarray(inside), jax.random.key(0)))
    np.testing.assert_allclose(policy(seen), 2.0 * best, atol=1e-5)
    np.testing.assert_allclose(policy(seen[0]), 2.0 * best[0], atol=1e-5)
    assert np.ptp(best) > 0.01


@pytest.mark.parametrize("name", AGENT_LIST)
def test_saved_and_loaded_it_is_the_same(name: str, spec: Spec, key: jax.Array, tmp_path: Path):
    agent, batch = AGENT_LIST[name], make_batch(spec, updates=2, size=8)
    state, _ = agent.update(agent.init(key, spec), batch, key)
    run = RunState((Learner(jax.tree.leaves(state)),))
    save_checkpoint(tmp_path, 1, run.arrays(), run.document(), None)
    again = state_from(*load_checkpoint(checkpoints(tmp_path)[-1]))
    loaded = jax.tree.unflatten(jax.tree.structure(state), again.main.agent)
    assert same(loaded, state)
    assert same(agent.update(loaded, batch, key), agent.update(state, batch, key))


def killed_run(folder: Path, positions: tuple[int, ...]) -> list[int]:
    """Resume and kill -9 soon after each position was saved; gives where the kills left it."""
    left = list[int]()
    for position in positions:
        process = subprocess.Popen(
            [sys.executable, "-m", "road.cli", "resume", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and saved(folder) < position:
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "the run was over before it was killed"
        left.append(saved(folder))
    return left


class Crash(Exception):
    """Ends a run at once: nothing more is saved."""


def crashed_run(folder: Path, positions: tuple[int, ...]) -> list[int]:
    """As ``killed_run``, by an error in this process, which is much cheaper."""
    left = list[int]()
    for position in positions:

        def crash(event: Any, position: int = position) -> None:
            """With three rows in the journal of metrics that the checkpoint does not know."""
            late = isinstance(event, Progressed) and (
                event.phase == "offline" or event.done % 50 == 30
            )
            if late and saved(folder) >= position:
                raise Crash

        with pytest.raises(Crash):
            resume_run(folder, crash)
        left.append(saved(folder))
    return left


def saved(folder: Path) -> int:
    found = checkpoints(folder / "checkpoints")
    return int(found[-1].name.split("-")[1]) if found else -1


KILLED = ("iql", "pex")
"""Runs that are really killed: with one agent for both phases, and with two. The others crash."""


@pytest.mark.integration
def test_killed_in_both_phases_it_ends_with_the_same_bits(quiet: Run, tmp_path: Path):
    killed = tmp_path / "killed"
    killed.mkdir()
    for file in ("config.json", "meta.json"):
        (killed / file).write_bytes((quiet.folder.path / file).read_bytes())
    offline = quiet.config.offline_steps
    interrupt = killed_run if quiet.folder.path.name in KILLED else crashed_run
    left = interrupt(killed, (*((offline // 2,) if offline else ()), offline + 60))
    assert left[-1] > offline, left
    assert not offline or left[0] <= offline, left
    resume_run(killed, ignore)
    assert differing(contents(killed), contents(quiet.folder.path)) == []
    arrays, _ = load_checkpoint(checkpoints(killed / "checkpoints")[-1])
    assert all(np.isfinite(array).all() for array in arrays.values())
