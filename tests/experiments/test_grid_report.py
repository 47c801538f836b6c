"""``road grid report`` and ``status``: parts of a grid, and what is damaged or meant otherwise."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.experiments.conftest import entered, tiny_grid
from tests.report.conftest import write_synthetic

from road.cli import main
from road.cli.grid.report import GridReport, gather, paper_results, same_again, usual_target
from road.experiments.export import flat, judgement
from road.experiments.registry import find_grid
from road.experiments.store import Store
from road.mixing import informedness
from road.report import load_run, summarise
from road.report.grid.placed import Axes

GRID_JSON = "grid.json"


@pytest.fixture
def grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A finished grid: one case, two strategies, two seeds."""
    monkeypatch.chdir(tmp_path)
    store, work = entered(tmp_path / "grid", tiny_grid(seeds=(0, 1)))
    for number, (cell, key) in enumerate(work.cells):
        mixer = "fixed" if cell.strategy.startswith("Fixed") else "road"
        run = write_synthetic(store.path / "runs" / key, mixer, number)
        summary = {**vars(summarise(load_run(run))), "dip": None, "informedness": None}
        kept = {name: value for name, value in summary.items() if name != "progress"}
        times = {"seconds": 2.0, "cpu_seconds": 1.0}
        store.commit(key, {"summary": kept, "area": 1.0, "digest": "x", **times})
    return store


def reported(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    """The one line that a command ends with."""
    assert main(["grid", *words]) == code
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_part_of_a_grid_is_reported_on(grid: Store):
    part = ["--mixers", "road", "--seeds", "1"]
    assert main(["grid", "report", str(grid.path), *part, "--to", "part"]) == 0
    rows = (grid.path.parent / "part" / "cells.csv").read_text().splitlines()[1:]
    assert [row.split(",")[1:3] for row in rows] == [["ROAD", "1"]]
    findings = (grid.path.parent / "part" / "findings.md").read_text()
    assert findings.startswith("1 method on 1 task, 1 seed; one seed does not show the spread")
    page = (grid.path.parent / "part" / "report.html").read_text()
    assert "road grid report grid --mixers road --seeds 1<" in page  # and no place on this disk


def test_a_grid_goes_by_its_name_beside_a_folder_that_has_the_same(grid: Store):
    grid.path.rename(grid.path.parent / "discriminate")
    assert find_grid("discriminate", "mini").name == "discriminate"


def test_a_report_is_about_the_subject_that_the_grid_names(grid: Store):
    cells = grid.description()["cells"]
    assert gather(grid, cells, None, "").subject == "ROAD"
    store, _ = entered(grid.path, tiny_grid(seeds=(0, 1), subject="Fixed 0.5"))
    assert gather(store, cells, None, "").subject == "Fixed 0.5"
    assert gather(store, cells, "road", "").subject == "ROAD"


@pytest.mark.usefixtures("grid")
def test_names_that_are_not_in_the_grid(capsys: pytest.CaptureFixture[str]):
    assert "unknown strategy 'Raod': did you mean 'ROAD'" in reported(
        capsys, 2, "report", "grid", "--subject", "Raod"
    )
    assert "unknown case 'maze'" in reported(capsys, 2, "report", "grid", "--tasks", "maze")
    assert "unknown seed '7': known: 0, 1" in reported(capsys, 2, "report", "grid", "--seeds", "7")


@pytest.mark.usefixtures("grid")
def test_another_place_than_was_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert "grid holds the grid tiny, not table-iql" in reported(
        capsys, 2, "status", "table-iql", "--out", "grid"
    )
    assert "unknown grid 'table-iqll'" in reported(
        capsys, 2, "report", "table-iqll", "--out", "grid"
    )
    assert f"{tmp_path} is no folder of a grid" in reported(capsys, 2, "report", str(tmp_path))
    assert "grid is the folder of tiny: run the file that defines it with --out grid" in reported(
        capsys, 2, "run", "grid", "--resume"
    )
    (tmp_path / "taken").touch()
    assert "cannot write taken/cells.csv: File exists" in reported(
        capsys, 7, "report", "grid", "--to", "taken"
    )


@pytest.mark.parametrize("action", ["status", "report"])
@pytest.mark.parametrize("content", ["{", "{}"])
def test_a_damaged_result_is_reported_with_what_to_do(
    grid: Store, capsys: pytest.CaptureFixture[str], action: str, content: str
):
    next(iter((grid.path / "done").iterdir())).write_text(content)
    assert "delete it, and `road grid run --resume` does that job again" in reported(
        capsys, 8, action, "grid"
    )


def test_a_damaged_grid_is_reported(grid: Store, capsys: pytest.CaptureFixture[str]):
    (grid.path / GRID_JSON).write_text('{"format": 1, "name": "tiny"}')
    assert "grid.json is damaged: it has no 'scale'" in reported(capsys, 8, "status", "grid")


def test_two_places_of_one_run_are_two_cells(grid: Store, capsys: pytest.CaptureFixture[str]):
    about = json.loads((grid.path / GRID_JSON).read_text())
    about["cells"].append({**about["cells"][0], "strategy": "the same by another name"})
    (grid.path / GRID_JSON).write_text(json.dumps(about))
    assert main(["grid", "status", "grid"]) == 0
    said = capsys.readouterr().out
    assert "5 cells: 5 done, 0 failed, 0 open" in said
    assert "5 of 5 done; a cell took 2.0 s by the clock, 1.0 s of CPU" in said


def test_every_command_that_made_a_cell_is_kept(tmp_path: Path):
    store, work = entered(tmp_path / "grid", tiny_grid())
    first = store.description()["command"]
    for command in ("run tiny --seeds 1 --resume", "run tiny --seeds 1 --retry --resume"):
        store.enter(tiny_grid(), "own", command, work)
    assert store.description()["command"].splitlines() == [first, "run tiny --seeds 1 --resume"]


def test_the_paper_is_left_out_where_it_has_nothing_to_say():
    windows = ("c = 2, τ = t",)
    assert paper_results("ablation-window", Axes(("halfcheetah-medium",), windows, (0,))) is None
    assert paper_results("table-iql", Axes(("hopper-medium",), ("ROAD",), (0,))) is not None


def test_the_command_on_a_page_makes_that_page_again():
    asked = GridReport("table-iql", scale="paper", subject="Uniform", score="area", seeds=(1, 2))
    part = "--scale paper --seeds 1 2 --subject Uniform --score area"
    assert same_again(asked, "") == f"road grid report table-iql {part}"
    folder = GridReport("grids/mine")
    ran = "road grid run my_grid.py --seeds 0\nroad grid run my_grid.py --seeds 1 --resume"
    assert same_again(folder, ran) == "road grid report my_grid.py"
    ran = "road grid run --out=there --seeds 0 --scale mini table-iql"
    assert same_again(folder, ran) == "road grid report table-iql --out there"
    ran = "road grid run table-iql --scale paper --out there"
    assert same_again(folder, ran) == "road grid report table-iql --scale paper --out there"
    assert same_again(folder, "road grid run x.py --no-such-flag") == "road grid report mine"


def test_a_part_does_not_take_the_place_of_the_whole(grid: Store):
    assert main(["grid", "report", "grid"]) == 0
    whole = (grid.path / "cells.csv").read_bytes()
    assert main(["grid", "report", "grid", "--mixers", "Fixed 0.5", "--score", "area"]) == 0
    assert (grid.path / "cells.csv").read_bytes() == whole
    (part,) = (grid.path / "parts").glob("Fixed-0.5-area-*/cells.csv")
    assert len(part.read_text().splitlines()) == 3


def test_no_two_parts_share_a_folder():
    """However long their names are, and whatever letters make them up."""
    many = tuple(f"ROAD with setting {index}" for index in range(9))
    asked = [
        GridReport("g", mixers=many, seeds=(0, 1)),
        GridReport("g", mixers=many, seeds=(2, 3)),
        GridReport("g", mixers=("κ = ∞",)),
        GridReport("g", mixers=("κ",)),
        GridReport("g", tasks=("κ",)),
        GridReport("g", subject="κ"),
    ]
    targets = {usual_target(each) for each in asked}
    assert len(targets) == len(asked)
    assert all(re.fullmatch(r"parts/[\w.-]{1,70}", target) for target in targets)
    assert usual_target(GridReport("g")) == "."


def test_what_failed_is_reported_with_its_reason_and_what_is_complete(grid: Store):
    cell = grid.description()["cells"][0]
    (grid.path / "done" / f"{cell['key']}.json").unlink()
    grid.give_up(cell["key"], "the *robot* fell")
    assert main(["grid", "report", "grid"]) == 0
    findings = (grid.path / "findings.md").read_text()
    assert r"Failed: pendulum-flipped, Fixed 0.5, seed 0: the \*robot\* fell" in findings
    assert "--mixers ROAD, or --seeds 1." in findings
    assert "the *robot* fell" in (grid.path / "report.html").read_text()


def test_a_page_says_what_was_run(grid: Store):
    assert main(["grid", "report", "grid"]) == 0
    page = (grid.path / "report.html").read_text()
    figure = page[page.index('data-figure="settings"') :]
    assert "all runs" in figure
    assert "online_steps" in figure
    assert "mixer.name road" in figure


def test_runs_are_judged_by_their_area_if_that_is_asked_for(grid: Store):
    """Every cell of the fixture has the area 1."""
    assert main(["grid", "report", str(grid.path), "--score", "area", "--to", "area"]) == 0
    findings = (grid.path.parent / "area" / "findings.md").read_text()
    assert "By the mean score over the online phase" in findings
    row = next(line for line in findings.splitlines() if line.startswith("| pendulum-flipped"))
    assert row.count("1.00 ± 0.00") == 2


def test_a_report_is_about_the_papers_setting_where_road_has_several(grid: Store):
    """A folder that names no subject says which grid it is; what that is about is known."""
    path = grid.path / GRID_JSON
    reported = json.loads(path.read_text())
    del reported["subject"]
    reported |= {"name": "ablation-kappa", "scale": "mini"}
    for cell in reported["cells"]:
        cell["strategy"] = cell["strategy"].replace("ROAD", "κ = 1")
    path.write_text(json.dumps(reported))
    assert main(["grid", "report", str(grid.path), "--to", "about"]) == 0
    findings = (grid.path.parent / "about" / "findings.md").read_text()
    assert "| κ = 1 minus | difference | p | tasks ahead |" in findings


def test_other_versions_among_the_runs_are_reported(grid: Store):
    cell = grid.description()["cells"][0]
    meta = grid.path / "runs" / cell["key"] / "meta.json"
    reported = json.loads(meta.read_text())
    now = reported["versions"]["jax"]
    meta.write_text(json.dumps({**reported, "versions": {**reported["versions"], "jax": "0.0.1"}}))
    assert main(["grid", "report", str(grid.path), "--to", "mixed"]) == 0
    sentence = f"Runs were made with different versions: jax 0.0.1 and {now}."
    for name in ("findings.md", "report.html"):
        assert sentence in (grid.path.parent / "mixed" / name).read_text()


def test_a_judgement_in_the_table_has_what_the_findings_say_of_it():
    found = informedness([0.1, 0.5] * 20, [0.0, 1.0, 0.1, 0.9] * 10)
    row = dict(flat(judgement(json.loads(json.dumps(asdict(found))))))
    assert row["beyond_equal"] == found.beyond_equal == 0.0
    assert row["detrended_epsilon_squared"] == found.detrended_epsilon_squared
    assert judgement(None) == {}
