"""Figures for a paper: PNG and PDF, the same bytes for the same runs."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="it is in the extra train")

from road.cli import main
from road.records.reader import load_run
from road.records.summary import summarise
from road.report.figures import draw_scores, drawn, write_figures
from road.report.run.groups import compare, group

WriteRun = Callable[..., Path]


def test_each_figure_is_written_as_png_and_pdf(write_run: WriteRun, tmp_path: Path):
    words = ["report", str(write_run()), "--figures", str(tmp_path / "figures")]
    assert main(words) == 0
    found = {path.name: path.read_bytes()[:4] for path in (tmp_path / "figures").iterdir()}
    assert found == {
        "learning-curve.png": b"\x89PNG",
        "learning-curve.pdf": b"%PDF",
        "offline-ratio.png": b"\x89PNG",
        "offline-ratio.pdf": b"%PDF",
    }


def test_the_same_runs_make_the_same_bytes(write_run: WriteRun, tmp_path: Path):
    folder = write_run()
    first, second = (
        [path.read_bytes() for path in write_figures([folder], tmp_path / name)]
        for name in ("first", "second")
    )
    assert first == second


def test_the_curve_is_the_mean_over_seeds_and_leaves_the_unfinished_out(write_run: WriteRun):
    folders = [write_run(f"run-{seed}", seed=seed) for seed in range(3)]
    config = json.loads((folders[2] / "config.json").read_text())
    (folders[2] / "config.json").write_text(json.dumps({**config, "seed": 1}))
    runs = [load_run(folder) for folder in folders]
    (one,) = group(compare(runs, [summarise(run) for run in runs]))
    (axes,) = drawn([one], "task", "score", draw_scores).axes
    online = [run.evaluations.in_phase("online")["score"] for run in runs]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), np.mean(online[:2], axis=0))
    assert axes.get_legend_handles_labels()[1] == ["ROAD (2 seeds)"]


def test_tasks_have_figures_of_their_own_and_names_are_no_formulas(
    write_run: WriteRun, tmp_path: Path
):
    folders = [
        write_run("a", config={"task": "../$x_1$ <b>"}),
        write_run("b", config={"task": "hopper"}),
    ]
    names = sorted(path.name for path in write_figures(folders, tmp_path / "out"))
    assert names[0] == "hopper-2-learning-curve.pdf"
    assert len(names) == 8
    assert not any("/" in name or "$" in name for name in names)


def test_a_place_that_cannot_be_written_to_is_one_line(
    write_run: WriteRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "file").write_text("")
    assert main(["report", str(write_run()), "--figures", str(tmp_path / "file")]) == 7
    assert capsys.readouterr().err.startswith("error: cannot write to")
