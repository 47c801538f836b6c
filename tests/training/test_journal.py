from pathlib import Path

import pytest

from road.errors import DamagedError, StorageError
from road.records.journal import Journal


def test_rows_after_the_remembered_length_are_cut(tmp_path: Path):
    journal = Journal(tmp_path, {})
    journal.append("metrics", {"step": 1})
    remembered = journal.lengths
    journal.append("metrics", {"step": 2})
    journal.close()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 3, "torn')
    again = Journal(tmp_path, remembered)
    again.append("metrics", {"step": 4})
    assert (tmp_path / "metrics.jsonl").read_text() == '{"step": 1}\n{"step": 4}\n'


def test_a_file_shorter_than_remembered_is_damage(tmp_path: Path):
    Journal(tmp_path, {}).append("metrics", {"step": 1})
    with pytest.raises(DamagedError, match=r"12 of 99 bytes are there; delete .* start that run"):
        Journal(tmp_path, {"metrics": 99})


def test_a_number_that_json_does_not_have_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="JSON"):
        Journal(tmp_path, {}).append("metrics", {"loss": float("nan")})


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(StorageError, match="cannot write"):
        Journal(tmp_path / "missing", {})
