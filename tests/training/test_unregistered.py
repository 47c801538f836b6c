"""Agents and mixers of unregistered classes in ``road.finetune``."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.tasks import bodies
from tests.tasks.test_custom import some_rows
from tests.tasks.test_from_python import SMALL, TINY
from tests.training.test_learners import Accompanied

import road
from road.errors import UsageError
from road.mixing import (
    AppendMixer,
    BalancedMixer,
    Context,
    Decision,
    Mixture,
    Period,
    UniformMixer,
)
from road.training.events import Progressed


@dataclass(frozen=True)
class Alternating:
    """Two ratios in turn, and a setting that JSON cannot hold."""

    ratios: tuple[float, float] = (0.25, 0.75)
    rule: Any = max

    def init(self, seed: int) -> int:
        return seed % 2

    def propose(self, state: int, context: Context) -> Decision:
        del context
        return Decision(Mixture(self.ratios[state]))

    def observe(self, state: int, period: Period) -> int:
        del period
        return 1 - state


class Wrapped:
    """An agent that is no dataclass and has another one inside."""

    def __init__(self) -> None:
        self.discount = SMALL.discount

    def __getattr__(self, name: str) -> Any:
        return getattr(SMALL, name)


def finetune(**settings: Any) -> Any:
    return road.finetune(bodies.Cart, some_rows(), **{**TINY, **settings})


class Stop(Exception):
    pass


def stop_at(done: int) -> Any:
    def notify(event: object) -> None:
        if isinstance(event, Progressed) and event.phase == "online" and event.done == done:
            raise Stop

    return notify


def test_unregistered_objects_train_and_resume_to_the_same_result(tmp_path: Path):
    settings = {"agent": Wrapped(), "mixer": Alternating(), "checkpoint_every": 7}
    quiet = finetune(out=tmp_path / "quiet", **settings)
    with pytest.raises(Stop):
        finetune(out=tmp_path / "run", notify=stop_at(17), **settings)
    resumed = finetune(out=tmp_path / "run", resume=True, **settings)
    assert resumed.evaluations == quiet.evaluations
    names = ("mixer.jsonl", "metrics.jsonl")
    for name in names:
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "quiet" / name).read_bytes()
    assert '"offline_ratio": 0.75' in (tmp_path / "run" / "mixer.jsonl").read_text()


def test_another_object_does_not_continue_the_run(tmp_path: Path):
    finetune(agent=SMALL, mixer=Alternating(), out=tmp_path / "run")
    with pytest.raises(UsageError, match=r"other settings \(mixer\)"):
        finetune(
            agent=SMALL, mixer=Alternating(ratios=(0.1, 0.2)), out=tmp_path / "run", resume=True
        )


class Half:
    """A mixer without observe."""

    def init(self, seed: int) -> None:
        del seed

    def propose(self, state: None, context: Context) -> Mixture:
        del state, context
        return Mixture(0.5)


class Undecided(Half):
    """It proposes a mixture instead of a decision."""

    def observe(self, state: None, period: Period) -> None:
        del state, period


class Opaque(Undecided):
    """Its state is no plain data."""

    def init(self, seed: int) -> Any:
        return {seed}


@dataclass(frozen=True)
class Weightless(Alternating):
    """Its mixtures have priorities that nothing can draw by."""

    def propose(self, state: int, context: Context) -> Decision:
        del state, context
        return Decision(Mixture(0.5, priorities=self))


@dataclass(frozen=True)
class Misguided(Alternating):
    """It asks for a learner that weighs rows beside the main one."""

    probe_mixers: tuple[Any, ...] = (BalancedMixer(),)


class Blind:
    """An agent that cannot act."""

    discount = 0.9

    def init(self, key: Any, spec: Any) -> None: ...

    def update(self, state: Any, batch: Any, key: Any) -> Any: ...


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mixer": Half()}, r"mixer Half lacks observe; see docs/guides/add-a-mixer\.md"),
        ({"mixer": Undecided()}, r"mixer Undecided: propose must return a road\.mixing\.Decision"),
        ({"mixer": Opaque()}, r"mixer Opaque: its state must be plain data"),
        ({"mixer": Weightless()}, r"mixer Weightless: .* no method make_weighing"),
        ({"mixer": Misguided()}, r"its probe mixer BalancedMixer weighs rows, which only"),
        ({"mixer": Alternating}, r"mixer must be an object, got the class Alternating; call it"),
        (
            {"agent": Blind()},
            r"agent Blind lacks target, act, best_action, q_value; see docs/guides/add-an-agent",
        ),
    ],
)
def test_what_is_missing_is_named_in_one_line_before_anything_is_written(
    settings: dict[str, Any], message: str, tmp_path: Path
):
    with pytest.raises(UsageError, match=message) as refused:
        finetune(**{"agent": SMALL, **settings}, out=tmp_path / "run")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()


@dataclass(frozen=True)
class Drifting(Alternating):
    """Its state is plain at first, and no longer after a period."""

    def observe(self, state: Any, period: Period) -> Any:
        return (state, period.offline_ratio)


def test_a_state_that_a_checkpoint_would_change_is_refused_at_the_first_period():
    with pytest.raises(UsageError, match=r"mixer Drifting: its state must be plain data"):
        finetune(agent=SMALL, mixer=Drifting())


def test_probe_mixers_are_recorded_by_class_and_draw_by_seeds_of_their_own(tmp_path: Path):
    ratios = (0.1, 0.3, 0.5, 0.7, 0.9)
    mixer = Accompanied(probe_mixers=(UniformMixer(ratios), UniformMixer(ratios), AppendMixer()))
    finetune(agent=SMALL, mixer=mixer, out=tmp_path / "run", online_steps=200)
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert [probe["class"] for probe in config["probes"]] == [
        *("UniformMixer", "UniformMixer", "AppendMixer"),
    ]
    rows = [
        json.loads(line) for line in (tmp_path / "run" / "mixer.jsonl").read_text().splitlines()
    ]
    one, other = (
        [row["offline_ratio"] for row in rows if row.get("learner") == index] for index in (1, 2)
    )
    assert len(one) > 10
    assert one != other
