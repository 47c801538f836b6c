"""Pretraining that is shared is pretraining all the same: to the last bit."""

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing

from road.agents.pex import PEX
from road.errors import UsageError
from road.mixing import BalancedMixer, FixedMixer, RoadMixer
from road.training.branch import branch_run, offline_part, pretraining_plan
from road.training.checkpoint import checkpoints
from road.training.config import Plan
from road.training.launch import resume_run, start_run


def quiet(event: Any) -> None:
    del event


def pretrained(plan: Plan, path: Path) -> Path:
    start_run(pretraining_plan(plan), path, "test", quiet, until_switch=True)
    return path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pretraining with the tiny plan, which no test may change."""
    return pretrained(tiny_plan(), tmp_path_factory.mktemp("pretraining") / "shared")


def with_mixer(name: str, mixer: Any, **changes: Any) -> Plan:
    return dataclasses.replace(tiny_plan(**changes), mixer_name=name, mixer=mixer)


BALANCED = BalancedMixer(hidden=(16, 16), density_batch=8, initial_rows=20)
PLANS = {
    "road": tiny_plan(),
    "balanced": with_mixer("balanced", BALANCED),
    "best before the switch": with_mixer("fixed", FixedMixer(0.0), evaluate_every=60),
    "pex": dataclasses.replace(
        tiny_plan(), agent_name="pex", agent=PEX(hidden=(16, 16), discount=0.98)
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_run_from_shared_pretraining_ends_with_the_bits_of_one_that_pretrained_itself(
    name: str, shared: Path, tiny_run: Path, tmp_path: Path
):
    plan, alone = PLANS[name], tiny_run
    if plan != tiny_plan():
        alone = tmp_path / "alone"
        start_run(plan, alone, "test", quiet)
    own = offline_part(plan) != offline_part(tiny_plan())
    before = pretrained(plan, tmp_path / "shared") if own else shared
    branch_run(plan, tmp_path / "branch", before, "test")
    resume_run(tmp_path / "branch", quiet)
    assert differing(contents(tmp_path / "branch"), contents(alone)) == []
    kept = [path.name for path in checkpoints(tmp_path / "branch" / "checkpoints")]
    assert kept == [path.name for path in checkpoints(alone / "checkpoints")]


def test_one_pretraining_serves_several_mixers_and_is_not_changed(shared: Path, tmp_path: Path):
    before = contents(shared)
    for number, mixer in enumerate((RoadMixer(), FixedMixer(0.1))):
        plan = with_mixer("road" if number == 0 else "fixed", mixer, online_steps=60)
        branch_run(plan, tmp_path / str(number), shared, "test")
        resume_run(tmp_path / str(number), quiet)
    assert differing(contents(shared), before) == []
    assert differing(contents(tmp_path / "0"), contents(tmp_path / "1")) != []


def test_pretraining_that_is_taken_up_again_ends_at_the_switch(shared: Path, tmp_path: Path):
    again = shutil.copytree(shared, tmp_path / "again")
    resume_run(again, quiet, until_switch=True)
    assert differing(contents(again), contents(shared)) == []


def test_what_the_offline_phase_depends_on():
    """Not on the mixer, nor on the online budget; on the seed, the agent and its own budget."""
    same = (tiny_plan(online_steps=999, period=7), with_mixer("balanced", BALANCED))
    other = (tiny_plan(seed=4), tiny_plan(offline_steps=121), tiny_plan(evaluate_every=50))
    assert all(offline_part(plan) == offline_part(tiny_plan()) for plan in same)
    assert all(offline_part(plan) != offline_part(tiny_plan()) for plan in other)


def test_a_branch_refuses_what_it_did_not_ask_for(tmp_path: Path):
    shared = pretrained(tiny_plan(offline_steps=50), tmp_path / "shared")
    with pytest.raises(UsageError, match=r"the pretraining settings in .* differ: offline_steps"):
        branch_run(tiny_plan(), tmp_path / "branch", shared, "test")
    assert not (tmp_path / "branch").exists()
    resume_run(shared, quiet)
    with pytest.raises(UsageError, match="gone online"):
        branch_run(tiny_plan(offline_steps=50), tmp_path / "branch", shared, "test")
