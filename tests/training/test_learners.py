"""Several learners on one replay buffer: the main one is not disturbed, the others are whole."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing, stop_when

from road.mixing import Context, Decision, FixedMixer, Mixture, Period, RoadMixer
from road.records.reader import load_run
from road.rng import NumpyStream, Stream, jax_stream
from road.training.config import Plan
from road.training.events import Progressed
from road.training.launch import pick_state, resume_plan, start_run

PROBES = (FixedMixer(0.9), RoadMixer(exploration=0.1))


@dataclass(frozen=True)
class Accompanied:
    """Half and half, with two more learners beside the main one."""

    probe_mixers: tuple[Any, ...] = PROBES

    def init(self, seed: int) -> None:
        del seed

    def propose(self, state: None, context: Context) -> Decision:
        del state, context
        return Decision(Mixture(0.5))

    def observe(self, state: None, period: Period) -> None:
        del state, period


def plan_of(mixer: Any, **changes: Any) -> Plan:
    return dataclasses.replace(tiny_plan(**changes), mixer_name="own", mixer=mixer)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone") / "run"
    start_run(plan_of(FixedMixer(0.5)), folder, "test", lambda _: None)
    return folder


@pytest.fixture(scope="module")
def accompanied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accompanied") / "run"
    start_run(plan_of(Accompanied()), folder, "test", lambda _: None)
    return folder


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_other_learners_change_no_bit_of_the_main_one(alone: Path, accompanied: Path):
    """Its weights, the buffer, its rows in every journal."""
    one, several = (pick_state(folder, best=False) for folder in (alone, accompanied))
    assert len(several.learners) == 3
    for mine, same in zip(one.main.agent, several.main.agent, strict=True):
        np.testing.assert_array_equal(mine, same)
    np.testing.assert_array_equal(one.online_rows, several.online_rows)
    assert one.main.period == several.main.period
    for name in ("metrics", "episodes", "evaluations", "mixer"):
        main = [row for row in rows_of(accompanied, name) if "learner" not in row]
        assert main == rows_of(alone, name)


def test_every_learner_has_its_own_ratio_weights_and_periods(accompanied: Path):
    state = pick_state(accompanied, best=False)
    weights = [np.concatenate([np.ravel(leaf) for leaf in each.agent]) for each in state.learners]
    assert not np.allclose(weights[0], weights[1])
    assert not np.allclose(weights[1], weights[2])
    periods = rows_of(accompanied, "mixer")
    fixed = [row for row in periods if row.get("learner") == 1]
    bandit = [row for row in periods if row.get("learner") == 2]
    assert {row["offline_ratio"] for row in fixed} == {0.9}
    assert np.mean([row["realised_ratio"] for row in fixed]) == pytest.approx(0.9, abs=0.02)
    assert [row["offline_ratio"] for row in bandit][:5] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert state.learners[2].mixer["finished"] == len(bandit)


def test_a_learner_with_the_main_ones_ratio_still_draws_its_own_batches(tmp_path: Path):
    mixer = Accompanied(probe_mixers=(FixedMixer(0.5),))
    start_run(plan_of(mixer, online_steps=60), tmp_path / "run", "test", lambda _: None)
    main, probe = pick_state(tmp_path / "run", best=False).learners
    assert not all(
        np.array_equal(mine, other) for mine, other in zip(main.agent, probe.agent, strict=True)
    )


def test_no_two_learners_share_a_stream():
    draws = {
        (stream, learner): NumpyStream(0, stream, learner).at(0).random()
        for stream in Stream
        for learner in range(3)
    }
    assert len(set(draws.values())) == len(draws)
    keys = {str(jax_stream(0, stream, learner)) for stream in Stream for learner in range(3)}
    assert len(keys) == len(draws)


def test_several_learners_stopped_and_continued_end_with_the_same_bits(
    accompanied: Path, tmp_path: Path
):
    plan = plan_of(Accompanied())
    for number, done in enumerate((8, 70, 130)):
        stop_when(
            plan,
            tmp_path / "run",
            lambda e, done=done: (
                isinstance(e, Progressed) and e.phase == "online" and e.done == done
            ),
            fresh=number == 0,
        )
    (tmp_path / "run" / "meta.json").write_text('{"machine": {}}')
    resume_plan(plan, tmp_path / "run", lambda _: None)
    assert differing(contents(tmp_path / "run"), contents(accompanied)) == []


def test_a_report_is_about_the_main_learner(alone: Path, accompanied: Path):
    one, several = load_run(alone), load_run(accompanied)
    np.testing.assert_array_equal(one.periods["offline_ratio"], several.periods["offline_ratio"])
    np.testing.assert_array_equal(one.metrics["step"], several.metrics["step"])
