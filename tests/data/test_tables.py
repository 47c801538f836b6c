"""Tables: which column is what, and rows that cannot be read."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from road.data import load
from road.errors import DataError, UsageError

OWN_NAMES = """time,x,y,torque,paid,trial,fell
0,0.0,1.0,-0.5,1,a,no
1,0.1,1.1,0.5,2,a,yes
0,5.0,6.0,0.0,3,b,no
1,5.1,6.1,1.0,4,b,no
2,5.2,6.2,1.0,5,b,no
"""
MAPPING = {
    "observation": ["x", "y"],
    "action": ["torque"],
    "reward": ["paid"],
    "episode": ["trial"],
    "terminated": ["fell"],
}


def table(folder: Path, text: str) -> str:
    (folder / "log.csv").write_text(text)
    return f"file:{folder / 'log.csv'}"


def test_columns_of_any_name_can_be_mapped(tmp_path: Path) -> None:
    read = load(table(tmp_path, OWN_NAMES), columns=MAPPING)
    np.testing.assert_allclose(read.observation, [[0, 1], [0.1, 1.1], [5, 6], [5.1, 6.1]])
    assert read.reward.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert read.terminated.tolist() == [False, True, False, False]
    assert read.truncated.tolist() == [False, False, False, True], "trial b lost its last row"


def test_numbered_columns_are_guessed_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    header = "obs.10,obs.2,action,rewards,next_state_2,next_state_10,done"
    read = load(table(tmp_path, f"{header}\n1,2,0.5,3,4,5,1\n"))
    assert read.observation.tolist() == [[2.0, 1.0]]
    assert read.next_observation.tolist() == [[4.0, 5.0]]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("x,y\n1,2\n", "no column for observation among x, y; say which, as in --columns"),
        ("obs,action,reward,done\n1,2\n", "reward: row 0 has 2 columns only"),
        (
            "obs,action,reward,done\n1,0.2,3,0\n1,zero,3,1\n",
            "'zero' to float64 at row 1, column 'action'",
        ),
        ("obs,obs,action,reward\n1,2,0.2,3\n", "two columns are called 'obs'"),
        ("obs,action,reward,trial\n1,,3,1\n2,0,3,1\n", "action holds nan at row 0"),
        ("obs,action,reward,done\n1,0.2,3,maybe\n", "terminated holds 'maybe' at row 0"),
        ("obs,action,reward,done\n", "no rows"),
        ("just some words\n", "no column for observation"),
    ],
)
def test_a_table_that_cannot_be_read_is_reported_in_one_line(
    tmp_path: Path, text: str, reported: str
) -> None:
    with pytest.raises(DataError) as refused:
        load(table(tmp_path, text))
    assert reported in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_columns_may_stand_between_other_signs(tmp_path: Path, delimiter: str) -> None:
    read = load(table(tmp_path, OWN_NAMES.replace(",", delimiter)), columns=MAPPING)
    assert read.reward.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_an_empty_cell_is_no_number_and_can_be_left_out(tmp_path: Path) -> None:
    """So pandas writes NaN."""
    text = OWN_NAMES.replace("5.1,6.1", "5.1,")
    assert load(table(tmp_path, text), columns=MAPPING, drop_nonfinite=True).reward.tolist() == [
        1,
        2,
    ]


def test_episodes_whose_rows_do_not_stand_together_are_suspected(tmp_path: Path) -> None:
    lines = OWN_NAMES.splitlines()
    again = "\n".join([*lines, *lines[1:3]])
    read = load(table(tmp_path, again), columns=MAPPING)
    suspicion = read.notes[0]
    assert (suspicion.level, suspicion.row) == ("warning", 5)
    assert "sort the table" in suspicion.text
    mixed = "\n".join([lines[0], lines[1], lines[3], lines[2].replace("yes", "no"), lines[4]])
    with pytest.raises(DataError, match="sort the rows by episode"):
        load(table(tmp_path, mixed), columns=MAPPING)


def test_a_mapping_to_what_is_not_there_is_reported(tmp_path: Path) -> None:
    source = table(tmp_path, OWN_NAMES)
    with pytest.raises(DataError, match="no column 'z'; it has time, x, y"):
        load(source, columns={**MAPPING, "observation": ["z"]})
    with pytest.raises(UsageError, match="'speed' is none of observation"):
        load(source, columns={**MAPPING, "speed": ["x"]})


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(pa.table({"obs": [1.0]}), tmp_path / "log.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UsageError, match=r"reading Parquet needs .* 'road-o2o\[tables\]'"):
        load(f"file:{tmp_path / 'log.parquet'}")


def test_a_table_of_lists_without_a_row_is_reported(tmp_path: Path) -> None:
    columns = {"obs": pa.array([], pa.list_(pa.float64())), "action": [], "reward": [], "done": []}
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    with pytest.raises(DataError, match=r"log\.parquet"):
        load(f"file:{tmp_path / 'log.parquet'}")


def test_two_columns_of_one_number_are_reported(tmp_path: Path) -> None:
    source = table(tmp_path, "obs_0,obs_1,obs1,action,reward,done\n1,2,3,0,0,1\n")
    with pytest.raises(UsageError, match="'obs1' and 'obs_1' are both number 1 of obs"):
        load(source)


def test_what_is_not_named_is_guessed(tmp_path: Path) -> None:
    """Only the reward has a name of its own."""
    text = "obs_0,obs_1,act_0,act_1,paid,done\n1,2,0.1,0.2,3,0\n4,5,0.3,0.4,6,1\n"
    read = load(table(tmp_path, text), columns={"reward": ["paid"]})
    assert read.observation[0].tolist() == [1.0, 2.0]
    np.testing.assert_allclose(read.action, [[0.1, 0.2], [0.3, 0.4]])
    assert read.reward.tolist() == [3.0, 6.0]
    assert read.terminated.tolist() == [False, True]


def test_a_column_that_is_named_for_one_array_is_not_guessed_for_another(tmp_path: Path) -> None:
    text = "obs_0,obs_1,action,reward,done\n1,2,0.1,3,0\n4,5,0.3,6,1\n"
    read = load(table(tmp_path, text), columns={"reward": ["obs_1"]})
    assert read.observation.tolist() == [[1.0], [4.0]]
    assert read.reward.tolist() == [2.0, 5.0]


def test_a_guess_is_turned_off_by_naming_no_column(tmp_path: Path) -> None:
    text = "obs,action,reward,done\n1,0.1,3,0\n4,0.3,6,0\n5,0.3,6,1\n"
    read = load(table(tmp_path, text), columns={"terminated": []})
    assert not read.terminated.any()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("x*", [2.0, 1.0]), ("x?", [2.0]), ("x[*", None)],
)
def test_a_pattern_names_all_columns_that_match_by_their_numbers(
    tmp_path: Path, pattern: str, expected: list[float] | None
) -> None:
    source = table(tmp_path, "x10,x2,action,reward,done\n1,2,0.1,3,0\n4,5,0.3,6,1\n")
    if expected is None:
        with pytest.raises(DataError, match=r"there is no column 'x\[\*'; it has x10, x2"):
            load(source, columns={"observation": [pattern]})
        return
    read = load(source, columns={"observation": [pattern]})
    assert read.observation[0].tolist() == expected


def test_a_cell_may_be_a_list(tmp_path: Path) -> None:
    """As pandas writes one, with and without commas."""
    text = 'obs,action,reward,done\n"[1.5, 2]",[0.1],3,0\n[3 4e0],[0.3],6,1\n'
    read = load(table(tmp_path, text))
    assert read.observation.tolist() == [[1.5, 2.0], [3.0, 4.0]]
    np.testing.assert_allclose(read.action, [[0.1], [0.3]])


@pytest.mark.parametrize(
    ("cell", "reported"),
    [
        ("[3]", "observation: 1 numbers at row 1, 2 at row 0"),
        ("[3 x]", "column 'obs' holds '[3 x]' at row 1, not numbers"),
    ],
)
def test_a_list_that_does_not_fit_is_named(tmp_path: Path, cell: str, reported: str) -> None:
    text = f'obs,action,reward,done\n"[1.5, 2]",0.1,3,0\n{cell},0.3,6,1\n'
    with pytest.raises(DataError) as refused:
        load(table(tmp_path, text))
    assert reported in str(refused.value)


@pytest.mark.parametrize(
    ("observations", "reported"),
    [
        ([[1.0, 2.0], [1.0]], "obs holds 1 numbers at row 1, 2 at row 0"),
        ([[1.0], None], "obs is empty at row 1"),
        (["a", "b"], "obs holds string, not numbers"),
    ],
)
def test_a_ragged_or_empty_cell_is_named(
    tmp_path: Path, observations: list[object], reported: str
) -> None:
    columns = {"obs": observations, "action": [0.0, 0.0], "reward": [0.0, 0.0], "done": [0, 1]}
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    with pytest.raises(DataError, match=reported):
        load(f"file:{tmp_path / 'log.parquet'}")


def test_lists_of_any_size_are_lists(tmp_path: Path) -> None:
    """Polars writes large ones."""
    wide = pa.array([[1.0, 2.0], [3.0, 4.0]], pa.large_list(pa.float64()))
    columns = {"obs": wide, "action": [0.0, 0.0], "reward": [0.0, 1.0], "done": [0, 1]}
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    assert load(f"file:{tmp_path / 'log.parquet'}").observation.tolist() == [[1, 2], [3, 4]]
