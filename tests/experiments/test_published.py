"""An archive of a grid is enough to resume it; the page of a grid follows from its table."""

import json
import tarfile
from dataclasses import asdict
from pathlib import Path

import pytest
from benchmarks import provenance, results
from tests.experiments.conftest import entered, tiny_grid
from tests.report.conftest import write_synthetic

from road.experiments.store import Store
from road.report import load_run, summarise

COMMANDS = "road grid run x\nroad grid run x --resume"
ASKED = [{"key": "cell", "seed": 3}, {"key": "late", "seed": 4}]
SESSION = {"event": "ended", "time": "2026-01-01T01:00:00+00:00", "seconds": 1800.0}


SCORES = {"area": 0.1 + 0.2, "summary": {"final": 50.0}}


def finished_store(path: Path) -> Path:
    """A cell and its pretraining, by hand."""
    for folder in ("done", "jobs", "runs/cell"):
        (path / folder).mkdir(parents=True)
    (path / "grid.json").write_text(json.dumps({"command": COMMANDS, "cells": ASKED}))
    for key, kind in (("cell", "cell"), ("agent", "pretraining")):
        took = {"seconds": 1800, "cpu_seconds": 900}
        (path / "done" / f"{key}.json").write_text(
            json.dumps({"key": key, "kind": kind, "digest": "b1", **SCORES, **took})
        )
        (path / "jobs" / f"{key}.json").write_text("{}")
    run = path / "runs" / "cell"
    (run / "config.json").write_text(json.dumps({"data": f"file:{path.absolute()}/data/x.hdf5"}))
    (run / "metrics.jsonl").write_text("long\n")
    (run / "sessions.jsonl").write_text(f"{json.dumps(SESSION)}\n{json.dumps(SESSION)}\n")
    return path


def test_cells_come_back_without_what_is_made_again(tmp_path: Path):
    store = finished_store(tmp_path / "grid")
    results.pack(store, tmp_path / "runs.tar.xz")
    results.unpack(tmp_path / "runs.tar.xz", tmp_path / "again")
    found = {str(each.relative_to(tmp_path / "again")) for each in tmp_path.glob("again/**/*.*")}
    assert found == {
        *("grid.json", "jobs/cell.json", "done/cell.json"),
        *("runs/cell/config.json", "runs/cell/sessions.jsonl"),
    }
    config = json.loads((tmp_path / "again/runs/cell/config.json").read_text())
    assert config == {"data": "file:data/x.hdf5"}
    with pytest.raises(SystemExit, match="again exists already"):
        results.unpack(tmp_path / "runs.tar.xz", tmp_path / "again")


def test_the_same_store_gives_the_same_archive(tmp_path: Path):
    for name in ("one", "other"):
        results.pack(finished_store(tmp_path / name), tmp_path / f"{name}.tar.xz")
    assert (tmp_path / "one.tar.xz").read_bytes() == (tmp_path / "other.tar.xz").read_bytes()
    with tarfile.open(tmp_path / "one.tar.xz") as archive:
        assert {each.mtime for each in archive} == {0}


def test_hours_that_overlap_are_counted_once(tmp_path: Path):
    """Two sessions of the same half hour. Pretraining may have been made elsewhere: not counted."""
    store = finished_store(tmp_path / "grid")
    said = provenance.describe(store, provenance.finished_cells(store), [])
    assert (said["cells"], said["cells_asked_for"]) == (1, 2)
    assert (said["wall_hours"], said["worker_hours"], said["cpu_hours"]) == (0.5, 0.5, 0.25)


def test_what_is_reported_on_is_complete(tmp_path: Path):
    store = finished_store(tmp_path / "grid")
    assert provenance.describe(store, provenance.finished_cells(store), [])["seeds"] == [3]
    assert provenance.complete_seeds(ASKED, {"cell", "late"}) == [3, 4]
    assert provenance.complete_seeds(ASKED, set()) == [3, 4]


def test_the_words_say_what_it_took(tmp_path: Path):
    store = finished_store(tmp_path / "grid")
    words = provenance.provenance_table(
        provenance.describe(store, provenance.finished_cells(store), [])
    )
    assert "| commands | `road grid run x`<br>`road grid run x --resume` |" in words
    assert "| reported on | seeds 3 |" in words
    assert "| cells | 1 finished of 2 asked for |" in words
    assert "| wall-clock time | 0.5 hours during which at least one cell ran |" in words
    assert "| process time | 0.5 hours, 0.25 of them of CPU" in words


MACHINE = {"cores": 64, "cpu": "a cluster's", "system": "Linux"}
ELSEWHERE = {
    "until": "2026-01-01T01:00:00+00:00",
    "machine": MACHINE,
    "commit": "0123456789abcdef",
    "dirty": False,
    "cells": 2,
}


def test_a_cell_keeps_its_maker_until_it_is_run_again():
    before, after = "2026-01-01T00:30:00+00:00", "2026-01-02T00:00:00+00:00"
    assert provenance.makers([before, before], [ELSEWHERE]) == [ELSEWHERE]
    again = provenance.makers([before, after], [ELSEWHERE])
    assert [maker["cells"] for maker in again] == [1, 1]
    assert again[0] == {**ELSEWHERE, "cells": 1}
    assert again[1]["until"] == after
    assert provenance.makers([before, after], again) == again


def test_a_maker_of_whom_nothing_is_left_is_not_named():
    (here,) = provenance.makers(["2026-01-02T00:00:00+00:00"], [ELSEWHERE])
    assert here["machine"] != MACHINE


def test_the_makers_are_in_the_words(tmp_path: Path):
    store = finished_store(tmp_path / "grid")
    said = provenance.describe(store, provenance.finished_cells(store), [ELSEWHERE])
    assert "1 cells: 64 cores, a cluster's, Linux; published by tree `0123456789ab`" in (
        provenance.provenance_table(said)
    )


@pytest.mark.parametrize("published", ["unpacked", "page.md"])
def test_cells_that_were_run_again_are_compared_by_scores_and_bits(
    published: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """With the table beside a page, or with another grid's folder."""
    store = finished_store(tmp_path / "grid")
    results.pack(store, tmp_path / "runs.tar.xz")
    results.unpack(tmp_path / "runs.tar.xz", tmp_path / "unpacked")
    (tmp_path / "page.csv").write_text(
        "key,digest,final,area\ncell,b1,50.0,0.30000000000000004\nmissing,,,\n"
    )
    results.compare(tmp_path / published, store)
    assert "1 of 1 cells have the same bits" in capsys.readouterr().out
    path = store / "done" / "cell.json"
    path.write_text(path.read_text().replace("b1", "b2"))
    results.compare(tmp_path / published, store)
    said = capsys.readouterr().out
    assert "1 of 1 cells have the same scores" in said
    assert "0 of 1 cells have the same bits" in said
    path.write_text(path.read_text().replace("0.30000000000000004", "0.3"))
    with pytest.raises(SystemExit, match="other scores: cell"):
        results.compare(tmp_path / published, store)
    path.unlink()
    with pytest.raises(SystemExit, match="has no cell of those"):
        results.compare(tmp_path / published, store)


def synthetic_grid(path: Path) -> Store:
    """Two strategies with credits that differ, two seeds."""
    store, work = entered(path, tiny_grid(seeds=(0, 1)))
    for seed, (cell, key) in enumerate(work.cells):
        mixer = "fixed" if cell.strategy.startswith("Fixed") else "road"
        run = write_synthetic(store.path / "runs" / key, mixer, seed, arm_effect=0.5)
        (run / "sessions.jsonl").write_text(f"{json.dumps(SESSION)}\n")
        summary = asdict(summarise(load_run(run)))
        times = {"seconds": 2.0, "cpu_seconds": 1.0}
        kept = {"key": key, "summary": summary, "area": seed / 3, "digest": f"b{seed}"}
        store.commit(key, {**kept, **times})
    return store


@pytest.mark.integration
def test_a_published_page_keeps_what_was_written_by_hand(tmp_path: Path):
    """The command itself refuses a table that gives other findings than the runs."""
    store, page = synthetic_grid(tmp_path / "grid"), tmp_path / "tiny.md"
    results.publish(store.path, page)
    first = page.read_text()
    assert "| pendulum-flipped | " in first
    assert {path.name for path in tmp_path.glob("tiny.*")} == {"tiny.md", "tiny.csv", "tiny.svg"}
    page.write_text(first.replace("# tiny\n", "# tiny\n\nBy hand.\n").replace("## Scores", "## x"))
    results.rewrite(page)
    assert page.read_text() == first.replace("# tiny\n", "# tiny\n\nBy hand.\n")


def test_a_page_without_its_generated_parts_is_refused(tmp_path: Path):
    page = tmp_path / "tiny.md"
    page.write_text("# tiny\n")
    with pytest.raises(SystemExit, match="publish its grid again"):
        results.rewrite(page)
    with pytest.raises(SystemExit, match="has no lines '<!-- begin generated findings -->'"):
        results.find_part(page.read_text(), "findings")
