"""A run that needs flags on how to read its log names the commands that do what was asked for."""

import shlex
from pathlib import Path

import pytest

from road.cli import main
from road.data import load

Screen = pytest.CaptureFixture[str]

LOG = "x,v,u,paid,trial\n" + "".join(
    f"{0.1 * row},{row % 3},{row % 2 - 0.5},{row},{row // 5}\n" for row in range(20)
)
COLUMNS = ["observation=x,v", "action=u", "reward=paid", "episode=trial"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text(LOG)


def test_the_conversion_that_is_named_works_as_it_is_written(capsys: Screen) -> None:
    words = ["train", "--env", "Pendulum-v1", "--data", "file:log.csv", "--columns", *COLUMNS]
    assert main([*words, "--seed", "3"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    convert, train = said.partition("once: ")[2].strip().split(" && ")
    assert train == "road train --env Pendulum-v1 --seed 3 --data file:log-road.hdf5"
    assert main(shlex.split(convert)[1:]) == 0
    read = load("file:log-road.hdf5")
    assert read.observation.shape == (16, 2), "the last row of each trial has no successor"
    assert read.action.max() == 0.25, "the pendulum's torque goes from -2 to 2"


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--drop-nonfinite", "pendulum-mixed"], "--drop-nonfinite && road train pendulum-mixed"),
        (["--action-box", "-2", "2"], "--action-box -2 2 && road train"),
        (["--terminals=timeouts", "--seed=1"], "--terminals=timeouts && road train --seed=1"),
        (["--keys", "a", "b/c"], "--keys a b/c && road train"),
    ],
)
def test_every_such_flag_is_moved_to_the_conversion(
    flags: list[str], named: str, capsys: Screen
) -> None:
    assert main(["train", *flags, "--data", "file:log.csv"]) == 2
    assert named in capsys.readouterr().err


def test_a_flag_without_data_is_refused(capsys: Screen) -> None:
    assert main(["train", "--columns", "observation=x"]) == 2
    assert "--columns says how to read --data SOURCE, which is missing" in capsys.readouterr().err


def test_a_table_that_cannot_be_guessed_names_its_command(capsys: Screen) -> None:
    assert main(["train", "--env", "Pendulum-v1", "--data", "file:log.csv"]) == 3
    said = capsys.readouterr().err
    assert "no column for observation among x, v, u, paid, trial" in said
    assert (
        "road data convert file:log.csv file:log-road.hdf5 --env Pendulum-v1 "
        "--columns observation=A,B action=C reward=D, then --data file:log-road.hdf5"
    ) in said
    assert said.count("error:") == 1
