"""``road grid`` as a user types it, and the error where a user types something else."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.experiments.conftest import FILE, RUN, Grids, digests, entered, tiny_grid

from road.cli import main
from road.errors import UsageError
from road.experiments.registry import find_grid
from road.experiments.store import Store


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tiny.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def run_part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a user ran a part of the grid: two cells of four."""
    folder = tmp_path_factory.mktemp("part")
    (folder / "tiny.py").write_text(FILE)
    words = ("grid", "run", "tiny.py", "--mixers", "ROAD", "--jobs", "2")
    command = [sys.executable, "-m", "road.cli", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 cells are done" in done.stdout
    return folder


@pytest.fixture
def part(run_part: Path, here: Path) -> Store:
    """The grid in the test's own folder, to go on with."""
    shutil.copytree(run_part / "grids", here / "grids")
    return Store(here / "grids" / "tiny")


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a command is refused with."""
    assert main(["grid", *words]) == 2
    reported = capsys.readouterr().err.splitlines()
    assert len(reported) == 1, reported
    return reported[0]


@pytest.mark.integration
def test_a_grid_of_ones_own_from_its_file_to_its_report(here: Path, part: Store, road: Grids):
    """Go on with the rest of a grid, which pretrains nothing again, and read what came of it."""
    before = digests(part.path)
    _, said, _ = road("grid", "run", "tiny.py", "--resume", "--jobs", "2")
    assert "4 of 4 cells are done" in said
    after = digests(part.path)
    assert len(after) == len(before) + 2  # two cells and no pretraining
    assert {key: after[key] for key in before} == before
    assert "4 cells: 4 done, 0 failed, 0 open" in road("grid", "status", "tiny.py")[1]
    code, report, errors = road("grid", "report", "grids/tiny")
    assert code == 0, errors
    assert "| pendulum-flipped |" in report
    with (here / "grids/tiny/cells.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["strategy"], row["seed"]) for row in rows] == [
        *[("ROAD", "0"), ("ROAD", "1"), ("Fixed 0.5", "0"), ("Fixed 0.5", "1")],
    ]
    with (here / "grids/tiny/evaluations.csv").open() as file:
        scores = [
            float(row["score"]) for row in csv.DictReader(file) if row["key"] == rows[0]["key"]
        ]
    assert scores[-1] == float(rows[0]["final"])
    # By hand: two straight lines of equal length between the three online evaluations.
    switch, half, end = scores[-3:]
    assert float(rows[0]["area"]) == pytest.approx((switch + 2 * half + end) / 4)


def test_parquet_says_the_same_as_csv(here: Path):
    pytest.importorskip("pyarrow", reason="the extra 'tables' is not installed")
    from pyarrow import parquet

    from road.experiments.export import write_tidy

    store, work = entered(here / "grid", tiny_grid())
    summary = {
        **dict.fromkeys(("final", "best", "dip", "informedness", "mean_realised_ratio")),
        **dict.fromkeys(("agent", "mixer"), "ROAD"),
        **dict.fromkeys(("pretrained", "periods"), 1.5),
    }
    result = {"summary": summary, "area": 1.0, "seconds": 1, "cpu_seconds": 1, "digest": "=x"}
    key = work.cells[0][1]
    store.commit(key, result)
    (store.path / "runs" / key).mkdir()
    row = {"phase": "online", "step": 0, "score": 1.5}
    (store.path / "runs" / key / "evaluations.jsonl").write_text(json.dumps(row) + "\n")
    write_tidy(store, store.description()["cells"], here)
    table = parquet.read_table(here / "cells.parquet").to_pylist()
    assert table[0]["pretrained"] == 1.5
    assert table[0]["final"] is None
    assert parquet.read_table(here / "evaluations.parquet").to_pylist()[0]["score"] == 1.5
    assert "'=x" in (here / "cells.csv").read_text()  # no formula for a spreadsheet


@pytest.mark.usefixtures("here")
def test_an_unknown_grid(capsys: pytest.CaptureFixture[str]):
    reported = refused(capsys, "run", "table-iqll")
    assert "unknown grid 'table-iqll': did you mean 'table-iql'" in reported
    assert "table-iqll" in refused(capsys, "status", "table-iqll")
    assert "no such file" in refused(capsys, "run", "nowhere.py")
    assert "begin with `road grid run table-iql`" in refused(capsys, "report", "table-iql")


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        ("x = 1", "has no GRID"),
        ("GRID = 3", "has a GRID that is a int"),
        ("1 / 0", "cannot be run: ZeroDivisionError"),
        ("raise SystemExit(3)", "cannot be run: SystemExit"),
    ],
)
def test_a_file_that_is_no_grid(
    here: Path, capsys: pytest.CaptureFixture[str], content: str, reported: str
):
    (here / "mine.py").write_text(content)
    assert reported in refused(capsys, "run", "mine.py")
    assert not (here / "grids").exists()


def test_a_folder_of_something_else(here: Path, capsys: pytest.CaptureFixture[str]):
    entered(here / "other", tiny_grid(name="other"))
    assert "holds the grid other at scale own, not tiny" in refused(
        capsys, "run", "tiny.py", "--out", "other", "--resume"
    )
    entered(here / "tiny", tiny_grid())
    assert "add --resume to go on" in refused(capsys, "run", "tiny.py", "--out", "tiny")
    (here / "full").mkdir()
    (here / "full" / "thesis.tex").touch()
    reported = refused(capsys, "run", "tiny.py", "--out", "full")
    assert "holds something else than a grid" in reported


def test_going_on_with_a_grid_that_is_not_there_begins_none(
    here: Path, capsys: pytest.CaptureFixture[str]
):
    """A mistyped folder would be a second grid, which runs everything once more."""
    for flag in ("--resume", "--retry"):
        reported = refused(capsys, "run", "tiny.py", "--out", "tinny", flag)
        assert "tinny holds no grid to go on with" in reported
    assert not (here / "tinny").exists()


@pytest.mark.usefixtures("here")
def test_a_scale_that_a_grid_does_not_have(capsys: pytest.CaptureFixture[str]):
    """It would run the small budgets and call them the paper's."""
    with pytest.raises(UsageError, match="discriminate is small on purpose and has no other size"):
        find_grid("discriminate", "paper")
    reported = refused(capsys, "run", "tiny.py", "--scale", "paper")
    assert "tiny.py has its own budgets: leave out --scale paper" in reported


@pytest.mark.usefixtures("here")
def test_a_file_where_a_folder_should_be(capsys: pytest.CaptureFixture[str]):
    assert "tiny.py is a file; give another --out" in refused(
        capsys, "run", "tiny.py", "--out", "tiny.py"
    )


def test_data_that_is_a_path_and_no_source(here: Path, capsys: pytest.CaptureFixture[str]):
    own = 'own={"data": Path("x.hdf5")}'
    file = FILE.replace('Case("pendulum-flipped")', f'Case("pendulum-flipped", {own})')
    (here / "tiny.py").write_text(f"from pathlib import Path\n{file}")
    assert "data is a source such as 'file:log.hdf5'" in refused(capsys, "run", "tiny.py")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_a_cluster_without_ray_leaves_no_folder(here: Path, capsys: pytest.CaptureFixture[str]):
    reported = refused(capsys, "run", "tiny.py", "--backend", "ray")
    assert "pip install 'road-o2o[ray]'" in reported
    assert not (here / "grids").exists()


def test_two_runners_at_once(here: Path, capsys: pytest.CaptureFixture[str]):
    store, _ = entered(here / "grid", tiny_grid())
    with store.held():
        assert main(["grid", "run", "tiny.py", "--out", "grid", "--resume"]) == 4
    assert "one runner at a time" in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_flags_that_belong_elsewhere(capsys: pytest.CaptureFixture[str]):
    assert "jobs must be 1 or more, got 0" in refused(capsys, "run", "tiny.py", "--jobs", "0")
    ray = ("--backend", "ray", "--keep-checkpoints")
    assert "--keep-checkpoints belongs to --backend local, not ray" in refused(
        capsys, "run", "tiny.py", *ray
    )
    assert "--ray-address belongs" in refused(capsys, "run", "tiny.py", "--ray-address", "auto")
    assert "there is no such folder" in refused(capsys, "run", "tiny.py", "--policies", "nowhere")
    assert "unknown case 'pendulum'" in refused(capsys, "run", "tiny.py", "--tasks", "pendulum")
    assert "unknown action 'rum'" in refused(capsys, "rum")


@pytest.mark.usefixtures("here")
def test_cases_without_data_are_left_out_and_that_is_said(capsys: pytest.CaptureFixture[str]):
    assert main(["grid", "run", "discriminate", "--tasks", "door-expert"]) == 2
    reported = capsys.readouterr().err.splitlines()
    assert "door-expert is left out: its data is collected with door-expert.npz" in reported[0]
    assert "nothing of discriminate can be run: put the files named above into" in reported[1]


def test_the_list_says_what_there_is(capsys: pytest.CaptureFixture[str]):
    assert main(["grid", "list"]) == 0
    reported = capsys.readouterr().out
    assert "table-iql " in reported
    assert "132 of 660 cells." in reported
    assert main(["grid", "list", "table-iql"]) == 0
    reported = capsys.readouterr().out
    assert (
        "antmaze-umaze (only if named): 100,000 rows of expert, collected with ant-legs.npz"
        in reported
    )
    assert re.search(
        r"hopper-expert \(only if named\): .* or a SAC trained for 100,000 steps", reported
    )


def test_the_list_keeps_labels_apart(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / "tiny.py").write_text(FILE.replace('"ROAD", "road"', '"ROAD, short", "road"'))
    assert main(["grid", "list", "tiny.py"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("strategies:") + 1 :][:2] == ["  Fixed 0.5", "  ROAD, short"]


def test_a_file_may_import_what_lies_beside_it(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / "beside_tiny.py").write_text("NAME = 'from-beside'\n")
    text = FILE.replace('"tiny",', "beside_tiny.NAME,")
    (here / "tiny.py").write_text(f"import beside_tiny\n{text}")
    before = list(sys.path)
    assert main(["grid", "list", "tiny.py"]) == 0
    assert capsys.readouterr().out.startswith("from-beside:")
    assert sys.path == before


@pytest.mark.integration
def test_a_file_goes_on_with_a_grid_of_its_name_at_whatever_scale(part: Store, road: Grids):
    """As with published cells of a grid of the library, to which a strategy is added."""
    about = part.path / "grid.json"
    about.write_text(about.read_text().replace('"scale": "own"', '"scale": "mini"'))
    _, said, errors = road("grid", "run", "tiny.py", "--seeds", "0", "--resume")
    assert "2 of 2 cells are done" in said, errors
    assert '"scale": "mini"' in about.read_text()


@pytest.mark.integration
def test_a_grid_that_was_moved_goes_on_with_its_pretraining(here: Path, road: Grids):
    """Its data is the grid's own, and lies in the folder that moved."""
    data = 'data=Collected("pendulum-flipped", "random", 500, train_steps=None)'
    file = FILE.replace('Case("pendulum-flipped")', f'Case("pendulum-flipped", {data})')
    (here / "tiny.py").write_text(f"from road.experiments.making import Collected\n{file}")
    words = ("grid", "run", "tiny.py", "--seeds", "0")
    code, _, errors = road(*words, "--mixers", "ROAD")
    assert code == 0, errors
    (here / "grids" / "tiny").rename(here / "elsewhere")
    _, said, _ = road(*words, "--out", "elsewhere", "--resume")
    assert "2 of 2 cells are done" in said


@pytest.mark.integration
def test_a_changed_setting_is_said_and_not_averaged_with_the_old_one(
    here: Path, part: Store, road: Grids
):
    (here / "tiny.py").write_text(FILE.replace("'online_steps': 80", "'online_steps': 60"))
    words = ("grid", "run", "tiny.py", "--mixers", "ROAD", "--seeds", "0", "--resume")
    _, _, errors = road(*words)
    assert "note: 2 cells of earlier commands are not what tiny asks for now" in errors
    assert [cell["seed"] for cell in part.description()["cells"]] == [0]


@pytest.mark.integration
def test_a_cell_that_is_to_be_done_again_begins_at_the_switch(part: Store, road: Grids):
    cell = part.description()["cells"][0]
    before = part.result(cell["key"])["digest"]
    (part.path / "done" / f"{cell['key']}.json").unlink()
    words = ("grid", "run", "tiny.py", "--mixers", "ROAD", "--seeds", "0", "--resume")
    assert road(*words)[0] == 0
    assert part.result(cell["key"])["digest"] == before
    sessions = (part.path / "runs" / cell["key"] / "sessions.jsonl").read_text().splitlines()
    began, ended = (json.loads(line) for line in sessions)  # those of the first time are gone
    assert (began["event"], ended["event"]) == ("began", "ended")
    assert began["position"] == RUN["offline_steps"]


@pytest.mark.integration
def test_no_space_stops_the_grid_with_one_line(here: Path):
    """Files may have 8 kB: enough to begin with, not for a checkpoint."""
    command = [sys.executable, "-m", "road.cli", "grid", "run", "tiny.py", "--seeds", "0"]
    limited = f"ulimit -f 8; exec {' '.join(command)}"
    done = subprocess.run(
        ["bash", "-c", limited], capture_output=True, text=True, timeout=300, cwd=here
    )
    assert done.returncode == 7, done.stderr
    assert "error: the grid stops: cannot write" in done.stderr.splitlines()[-1]
    assert digests(here / "grids" / "tiny") == {}


@pytest.mark.integration
def test_ctrl_c_leaves_everything_to_go_on_with(here: Path, road: Grids):
    long = {**RUN, "offline_steps": 0, "online_steps": 2_000}
    (here / "tiny.py").write_text(FILE.replace(repr(RUN), repr(long)))
    part = ["grid", "run", "tiny.py", "--mixers", "ROAD", "--seeds", "0"]
    words = [sys.executable, "-m", "road.cli", *part]
    process = subprocess.Popen(words, cwd=here, stderr=subprocess.PIPE, text=True)
    runs = here / "grids" / "tiny" / "runs"
    deadline = time.monotonic() + 240
    while not list(runs.glob("*/sessions.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "go on with `road grid run tiny.py --resume`" in said.splitlines()[-1]
    assert Store(here / "grids" / "tiny").description()["name"] == "tiny"
    _, output, errors = road(*part, "--resume")
    assert "1 of 1 cells are done" in output, errors
    (result,) = (here / "grids" / "tiny" / "done").glob("*.json")
    (journal,) = runs.glob("*/sessions.jsonl")
    sessions = [json.loads(line) for line in journal.read_text().splitlines()]
    for name in ("seconds", "cpu_seconds"):  # of both sessions, and of what the last one began with
        together = sum(row[name] for row in sessions if row["event"] == "ended")
        assert json.loads(result.read_text())[name] >= together
