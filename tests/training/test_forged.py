"""Run folders whose files anyone may have written: refused in one line, whatever they hold."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.conftest import tiny_plan

from road.cli import main
from road.errors import DamagedError, UsageError
from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.training.checkpoint import checkpoints, digest, load_checkpoint
from road.training.config import plan_from_json
from road.training.launch import start_run
from road.training.run import Run
from road.training.state import state_from

STEPS = {"offline_steps": 20, "online_steps": 60, "checkpoint_every": 30}
MIDDLE = "step-0000000050"
WRONG = (None, True, -1, 2**70, 1e308, "x", "", [], ["x"], {}, {"x": 1}, [[]])


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in the middle of its online phase."""
    path = tmp_path_factory.mktemp("stopped") / "run"
    start_run(tiny_plan(**STEPS), path, "test", lambda _: None)
    for other in checkpoints(path / "checkpoints"):
        if other.name != MIDDLE:
            shutil.rmtree(other)
    return path


@pytest.fixture
def run(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "run"))


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in plain data, by the keys that lead to it."""
    if path:
        yield path
    if isinstance(data, dict):
        for name in data:
            yield from places(data[name], (*path, name))
    if isinstance(data, list) and data:
        yield from places(data[0], (*path, 0))


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(data))
    part = copy
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return copy


def test_every_wrong_value_of_a_plan_is_refused_or_means_something():
    plan = json.loads(json.dumps(tiny_plan().to_json()))
    for path in places(plan):
        for value in WRONG:
            try:
                revived = plan_from_json(changed(plan, path, value))
            except UsageError:
                continue
            again = json.loads(json.dumps(revived.to_json()))
            assert type(revived.config.batch_size) is int
            assert plan_from_json(again) == revived


def test_a_word_is_no_number_and_a_truth_value_is_none():
    plan = json.loads(json.dumps(tiny_plan().to_json()))
    for name, value in (("batch_size", True), ("seed", 1.5), ("period", "fortnight")):
        with pytest.raises(UsageError):
            plan_from_json({**plan, name: value})
    for name, value in (("hidden", "16"), ("hidden", [16, "x"]), ("discount", True)):
        with pytest.raises(UsageError, match=name):
            plan_from_json({**plan, "agent": {**plan["agent"], name: value}})


def seal(path: Path) -> None:
    """Checksums of what is there: the folder is as valid as any."""
    manifest = json.loads((path / "MANIFEST.json").read_text())
    manifest["files"] = {name: digest(path / name) for name in manifest["files"]}
    (path / "MANIFEST.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def made(stopped: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """What a forged state is restored into."""
    folder = RunFolder(tmp_path_factory.mktemp("made"))
    shutil.copytree(stopped, folder.path, dirs_exist_ok=True)
    with closing(Run(tiny_plan(**STEPS), folder, lambda _: None, StopRequest())) as run:
        yield run
    folder.release()


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.update({"online/rows": arrays["online/rows"][:, :-1]}),
        lambda arrays: arrays.update({"online/rows": arrays["online/rows"][:-1]}),
        lambda arrays: arrays.update({"learner-0/agent/0000": np.zeros(3, np.float32)}),
        lambda arrays: arrays.update(
            {"learner-0/agent/0000": arrays["learner-0/agent/0000"].astype(np.int32)}
        ),
        lambda arrays: arrays.pop("learner-0/agent/0000"),
        lambda arrays: arrays.pop("episode/actions"),
        lambda arrays: arrays.update({"episode/actions": np.zeros((9, 7), np.float32)}),
        lambda arrays: arrays.update({"episode/actions": np.zeros((9_999, 1), np.float32)}),
        lambda arrays: arrays.update({"episode/actions": np.full((1, 1), np.nan, np.float32)}),
        lambda arrays: arrays.clear(),
    ],
)
def test_arrays_of_other_shapes_are_refused_before_they_are_used(
    change: Callable[[dict[str, Any]], object], made: Run
):
    arrays, document = load_checkpoint(made.folder.checkpoints / MIDDLE)
    made.restore(state_from(arrays, document))
    change(arrays)
    with pytest.raises(DamagedError, match="checkpoint"):
        made.restore(state_from(arrays, document))


def test_no_value_of_a_forged_state_is_a_traceback(made: Run):
    """Each is refused, or is one that a run could have had."""
    arrays, document = load_checkpoint(made.folder.checkpoints / MIDDLE)
    refusals = 0
    for place in places({n: p for n, p in document.items() if n != "identity"}):
        for value in (None, -1, 2**70, "x", [], {"x": 1}):
            try:
                made.state = state_from(arrays, changed(document, place, value))
                made.check_fit()
            except DamagedError:
                refusals += 1
    assert refusals > 100


def test_a_forged_checkpoint_with_valid_checksums_is_one_line(
    run: Path, capsys: pytest.CaptureFixture[str]
):
    path = run / "checkpoints" / MIDDLE
    document = json.loads((path / "state.json").read_text())
    (path / "state.json").write_text(json.dumps({**document, "learners": [[]]}))
    seal(path)
    assert main(["resume", str(run)]) == 8
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1


@pytest.mark.parametrize("meta", [{"machine": []}, {"machine": {"jax_threads": "9" * 5000}}])
def test_a_mistyped_description_is_no_traceback(
    meta: dict[str, Any], run: Path, capsys: pytest.CaptureFixture[str]
):
    (run / "meta.json").write_text(json.dumps({**meta, "versions": 1}))
    (run / "config.json").write_text("{}")
    assert main(["resume", str(run)]) == 2
    assert "Traceback" not in capsys.readouterr().err
