"""A cell that is taken up again goes on from where it was, also from the very beginning."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.conftest import ROAD, RUN, entered, tiny_grid
from tests.training.test_exact_resume import contents, differing

from road.experiments.work import pretrain_agent, run_cell
from road.training import switch


def quiet(event: Any) -> None:
    del event


def test_a_kill_while_a_cell_is_branched_costs_nothing_but_the_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its checkpoint was there and its plan was not: it must not pretrain by itself."""
    store, work = entered(tmp_path, tiny_grid(strategies=(ROAD,)))
    pretraining, cell = work.jobs
    pretrain_agent(store, pretraining, quiet)
    undisturbed = contents(run_cell(store, cell, quiet))
    shutil.rmtree(store.place(cell))

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(switch, "describe_run", killed)
        with pytest.raises(KeyboardInterrupt):
            run_cell(store, cell, quiet)
    folder = run_cell(store, cell, quiet)
    assert differing(contents(folder), undisturbed) == []
    began = json.loads((folder / "sessions.jsonl").read_text().splitlines()[0])
    assert began["position"] == RUN["offline_steps"]
