"""Reading run folders: finished, unfinished, damaged."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from road.errors import StorageError, UsageError
from road.report import load_run, summarise, write_report

WriteRun = Callable[..., Path]


def test_a_whole_run_is_read(write_run: WriteRun):
    run = load_run(write_run("mine"))
    assert run.folder == "mine"
    assert run.evaluations.in_phase("offline").length == 10
    assert run.evaluations.in_phase("online").length == 11
    assert run.periods["step"].tolist() == list(range(200, 10_001, 200))
    assert run.arms is not None
    assert run.arms.means.shape == (50, 5)
    assert np.isnan(run.arms.means[0]).all()
    assert run.arms.counts[-1].sum() == 49
    assert run.unreadable_lines == 0


@pytest.mark.parametrize("content", [None, "", "{", "[]", '"text"', "null", "[" * 100_000])
def test_a_folder_without_a_readable_config_is_no_run(tmp_path: Path, content: str | None):
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(UsageError, match="is not a run folder") as error:
        load_run(tmp_path)
    assert "\n" not in str(error.value)


def test_a_file_or_nothing_is_no_run(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "nowhere"):
        with pytest.raises(UsageError, match="is not a run folder"):
            load_run(place)


def test_a_later_format_is_refused(write_run: WriteRun):
    with pytest.raises(UsageError, match="format 2"):
        load_run(write_run(config={"format": 2}))


def test_a_directory_in_place_of_a_file_is_a_storage_error(write_run: WriteRun):
    folder = write_run()
    (folder / "metrics.jsonl").unlink()
    (folder / "metrics.jsonl").mkdir()
    with pytest.raises(StorageError, match="is a folder where a file belongs"):
        load_run(folder)


@pytest.mark.parametrize("torn", ['{"period": 50, "offl', '{"a', "{", '{"score": 1e'])
def test_a_torn_last_line_is_as_if_not_there(write_run: WriteRun, torn: str):
    folder = write_run()
    whole = summarise(load_run(folder))
    for journal in folder.glob("*.jsonl"):
        journal.write_text(journal.read_text() + torn)
    assert summarise(load_run(folder)) == whole
    assert load_run(folder).unreadable_lines == 0


def test_a_damaged_line_in_the_middle_is_counted_and_left_out(write_run: WriteRun):
    folder = write_run()
    path = folder / "evaluations.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b"\xff\xfe not json\n", *lines[5:]]))
    run = load_run(folder)
    assert run.evaluations.length == 21
    assert run.unreadable_lines == 1
    page = write_report([folder], folder / "report.html").read_text()
    assert "damaged and were left out: 1." in page


@pytest.mark.parametrize("journal", ["metrics", "episodes", "evaluations", "mixer"])
@pytest.mark.parametrize("content", [None, "", "\n\n", "{}\n", "null\n[]\n"])
def test_any_journal_may_be_missing_or_empty(
    write_run: WriteRun, journal: str, content: str | None
):
    folder = write_run()
    path = folder / f"{journal}.jsonl"
    path.unlink()
    if content is not None:
        path.write_text(content)
    assert write_report([folder], folder / "report.html").stat().st_size > 10_000


def test_a_run_that_has_only_just_begun_can_be_reported(write_run: WriteRun):
    folder = write_run()
    for file in (*folder.glob("*.jsonl"), folder / "meta.json"):
        file.unlink()
    summary = summarise(load_run(folder))
    assert not summary.finished
    assert summary.verdict.startswith("Not finished yet (0 of 10,000 offline steps): there is no")
    assert "<h1>Not finished yet" in write_report([folder], folder / "report.html").read_text()


STRANGE = ["null", "NaN", "Infinity", "-1e999", "1e308", f"1{'0' * 400}", '"text"', "[1]", "{}"]


@pytest.mark.parametrize("value", STRANGE)
def test_values_that_are_no_numbers_become_unknown(write_run: WriteRun, value: str):
    """Every second row of every journal has its numbers replaced."""
    folder = write_run()
    for journal in folder.glob("*.jsonl"):
        rows = [json.loads(line) for line in journal.read_text().splitlines()]
        for row in rows[::2]:
            kept = {"phase", "period"} & row.keys()
            row.update(dict.fromkeys(row.keys() - kept, "@"))
        text = "".join(json.dumps(row) + "\n" for row in rows).replace('"@"', value)
        journal.write_text(text)
    summary = summarise(load_run(folder))
    json.dumps(summary.verdict, allow_nan=False)
    page = write_report([folder], folder / "report.html").read_text()
    for word in ("nan", "inf"):
        assert f"{word}%" not in page
        assert f' {word}"' not in page


def test_a_report_does_not_need_the_way_to_the_folder(write_run: WriteRun, tmp_path: Path):
    page = write_report([write_run()], tmp_path / "report.html").read_text()
    assert str(tmp_path) not in page


def test_the_page_appears_whole_or_not_at_all(write_run: WriteRun, tmp_path: Path):
    folder = write_run()
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    with pytest.raises(StorageError, match="cannot write"):
        write_report([folder], blocked / "report.html")
    occupied = tmp_path / "occupied"
    (occupied / "report.html" / "inside").mkdir(parents=True)
    with pytest.raises(StorageError, match="cannot write"):
        write_report([folder], occupied / "report.html")
    assert [path.name for path in occupied.iterdir()] == ["report.html"]


def test_an_earlier_page_is_replaced(write_run: WriteRun, tmp_path: Path):
    out = tmp_path / "deep" / "report.html"
    write_report([write_run("first")], out)
    shutil.rmtree(tmp_path / "first")
    write_report([write_run("second")], out)
    assert "second" in out.read_text()
    assert [path.name for path in out.parent.iterdir()] == ["report.html"]


def test_no_folder_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match="at least one run folder"):
        write_report([], tmp_path / "report.html")
