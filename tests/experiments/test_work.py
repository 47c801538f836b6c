"""A cell that is taken up again goes on from where it was, also from the very beginning."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.conftest import ROAD, RUN, entered, tiny_grid
from tests.training.test_exact_resume import contents, differing

from road.experiments.work import pretrain_agent, run_cell, time_before
from road.training import branch
from road.training.checkpoint import checkpoint_path


def quiet(event: Any) -> None:
    del event


def test_a_kill_while_a_cell_is_branched_costs_nothing_but_the_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its checkpoint was there and its plan was not: it must not pretrain by itself."""
    store, work = entered(tmp_path, tiny_grid(strategies=(ROAD,)))
    pretraining, cell = work.jobs
    pretrain_agent(store, pretraining, quiet)
    folder = store.place(cell)
    run_cell(store, cell, quiet)
    undisturbed = contents(folder)
    shutil.rmtree(folder)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(branch, "describe_run", killed)
        with pytest.raises(KeyboardInterrupt):
            run_cell(store, cell, quiet)
    run_cell(store, cell, quiet)
    assert differing(contents(folder), undisturbed) == []
    began = json.loads((folder / "sessions.jsonl").read_text().splitlines()[0])
    assert began["position"] == RUN["offline_steps"]


def test_the_time_of_earlier_sessions_counts_if_the_run_goes_on(tmp_path: Path):
    rows = [
        {"event": "began"},
        {"event": "ended", "seconds": 2.0, "cpu_seconds": 1.5},
        {"event": "began"},  # and was killed
        {"event": "began"},
        {"event": "ended", "seconds": 3.0, "cpu_seconds": 2.0},
    ]
    nothing = {"seconds": 0.0, "cpu_seconds": 0.0}
    assert time_before(tmp_path) == nothing
    (tmp_path / "sessions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert time_before(tmp_path) == nothing  # no checkpoint: it begins again
    checkpoint_path(tmp_path / "checkpoints", 100).mkdir(parents=True)
    assert time_before(tmp_path) == {"seconds": 5.0, "cpu_seconds": 3.5}
    with (tmp_path / "sessions.jsonl").open("a") as file:
        file.write('{"event": "end')  # the disk was full
    assert time_before(tmp_path) == {"seconds": 5.0, "cpu_seconds": 3.5}
