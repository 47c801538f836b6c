"""``road data``: what a person sees."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.data.samples import assert_same, dataset_of, sample, with_value, write_csv, write_hdf5
from tests.data.small_logs import small_log

from road.cli import main
from road.data import load, write_d4rl

Screen = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def source(tmp_path: Path) -> str:
    return f"file:{write_hdf5(tmp_path / 'log.hdf5', sample())}"


def test_the_card_tells_what_is_in_the_data(source: str, capsys: Screen) -> None:
    assert main(["data", "check", source]) == 0
    shown = capsys.readouterr().out
    for part in ("15 in 3 episodes", "3 observations, 2 actions", "1 terminated, 2 cut"):
        assert part in shown
    assert "warning: only 15 rows, fewer than a batch of 256" in shown


def test_the_card_as_json(source: str, capsys: Screen) -> None:
    assert main(["data", "check", source, "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert (card["rows"], card["episodes"]) == (15, 3)


def test_every_fault_of_a_bad_log_is_listed_before_it_is_refused(
    tmp_path: Path, capsys: Screen
) -> None:
    arrays = with_value("observations", (2, 0), np.nan)
    arrays["rewards"][[4, 6]] = np.inf
    arrays["actions"][9, 1] = 3.0
    path = write_hdf5(tmp_path / "log.hdf5", arrays)
    assert main(["data", "check", f"file:{path}"]) == 3
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "error: observation holds NaN or inf in 1 row (first: row 2)",
        "error: reward holds NaN or inf in 2 rows (first: row 4)",
        "error: action is 3 in column 1, outside of [-1, 1], in 1 row (first: row 9)",
    ]
    assert said.err == (
        f"error: {path}: 3 faults, nothing can be learnt from it; mend the log, "
        "or see --drop-nonfinite and --action-box\n"
    )


def test_the_faults_of_a_bad_log_as_json(tmp_path: Path, capsys: Screen) -> None:
    path = write_hdf5(tmp_path / "log.hdf5", with_value("observations", (2, 0), np.nan))
    assert main(["data", "check", f"file:{path}", "--json"]) == 3
    said = capsys.readouterr()
    fault = {"level": "error", "text": "observation holds NaN or inf in 1 row", "row": 2}
    assert json.loads(said.out) == {"source": f"file:{path}", "findings": [fault]}
    assert "a fault, nothing can be learnt from it" in said.err


def test_faults_can_be_left_out_or_read_otherwise(tmp_path: Path, capsys: Screen) -> None:
    arrays = with_value("rewards", 4, np.nan)
    arrays["actions"] *= 3.0
    path = write_hdf5(tmp_path / "log.hdf5", arrays)
    flags = ["--drop-nonfinite", "--action-box", "-3", "3"]
    assert main(["data", "check", f"file:{path}", *flags]) == 0
    shown = capsys.readouterr().out
    assert "14 in 3 episodes" in shown
    assert "left out 1 row with NaN or inf (first: row 4)" in shown


def test_a_row_is_left_out_of_a_box_that_zero_is_not_in(tmp_path: Path) -> None:
    arrays = with_value("actions", (7, 0), np.nan)
    arrays["actions"] = arrays["actions"] / 2 + 1.5
    path = write_hdf5(tmp_path / "log.hdf5", arrays)
    flags = ["--drop-nonfinite", "--action-box", "1", "2"]
    assert main(["data", "check", f"file:{path}", *flags]) == 0


def test_a_page_beside_json_leaves_the_json_alone(
    source: str, tmp_path: Path, capsys: Screen
) -> None:
    page = tmp_path / "page.html"
    assert main(["data", "check", source, "--json", "--out", str(page)]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["rows"] == 15
    assert said.err == f"page: {page}\n"


def test_what_was_stored_is_not_read_otherwise(source: str, tmp_path: Path, capsys: Screen) -> None:
    stored = f"stored:{tmp_path / 'kept'}"
    assert main(["data", "convert", source, stored]) == 0
    capsys.readouterr()
    for flags in (["--terminals", "timeouts"], ["--horizon", "3"], ["--keys", "x"]):
        for words in (["check", stored], ["convert", stored, f"file:{tmp_path / 'x.hdf5'}"]):
            assert main(["data", *words, *flags]) == 2
            assert "interpreted when it was made" in capsys.readouterr().err
    assert not (tmp_path / "x.hdf5").exists()


def test_a_task_is_noted_in_minari_by_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    rows = sample(
        observations=np.zeros((15, 3), np.float32),
        next_observations=np.zeros((15, 3), np.float32),
        actions=np.zeros((15, 1), np.float32),
    )
    path = write_hdf5(tmp_path / "log.hdf5", rows)
    words = ["data", "convert", f"file:{path}", "minari:tests/noted-v0", "--env", "pendulum-mixed"]
    assert main(words) == 0
    reported = json.loads((tmp_path / "tests/noted-v0/data/metadata.json").read_text())
    assert json.loads(reported["env_spec"])["id"] == "Pendulum-v1"


def test_a_table_with_own_names(tmp_path: Path, capsys: Screen) -> None:
    path = write_csv(tmp_path / "log.csv", {"x": np.arange(4.0), "u": np.zeros(4), "r": np.ones(4)})
    flags = ["--columns", "observation=x", "action=u", "reward=r"]
    assert main(["data", "check", f"file:{path}", *flags]) == 0
    assert "3 in 1 episodes" in capsys.readouterr().out
    assert main(["data", "check", f"file:{path}", "--columns", "observation"]) == 2
    assert "ARRAY=NAME,NAME" in capsys.readouterr().err


def test_an_environment_tells_the_box_and_a_task_the_score(tmp_path: Path, capsys: Screen) -> None:
    arrays = sample(actions=np.full((15, 1), 2.0, np.float32))
    path = write_hdf5(tmp_path / "log.hdf5", arrays)
    assert main(["data", "check", f"file:{path}", "--env", "Pendulum-v1"]) == 0
    assert "1 to 1, 100.0% at the edge" in capsys.readouterr().out
    arrays["actions"] /= 2.0
    write_hdf5(path, arrays)
    assert main(["data", "check", f"file:{path}", "--env", "pendulum-mixed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"]["max"] > 100.0


def test_a_task_mends_the_data_before_it_is_judged(tmp_path: Path, capsys: Screen) -> None:
    """Door demonstrations with a dense reward: here every step of the second half opens it."""
    pytest.importorskip("gymnasium_robotics", reason="the hands need the extra robotics")
    rng = np.random.default_rng(0)
    observation = rng.normal(size=(201, 39)).astype(np.float32)
    observation[:, 28] = np.where(np.arange(201) > 100, 1.4, 0.0)
    log = {
        "observations": observation[:-1],
        "next_observations": observation[1:],
        "actions": rng.uniform(-1, 1, (200, 28)).astype(np.float32),
        "rewards": np.full(200, 10.0, np.float32),
        "terminals": np.zeros(200),
        "timeouts": np.arange(200) == 199,
    }
    path = write_hdf5(tmp_path / "log.hdf5", log)
    assert main(["data", "check", f"file:{path}", "--env", "door-binary", "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["return"]["max"] == 100.0, "the file says 2,000"


def test_a_score_that_is_no_sum_of_rewards_is_not_made_up(tmp_path: Path, capsys: Screen) -> None:
    pytest.importorskip("gymnasium_robotics", reason="the kitchen needs the extra robotics")
    observation = np.random.default_rng(0).normal(size=(15, 60)).astype(np.float32)
    counted = np.arange(15, dtype=np.float32) // 4
    arrays = sample(
        observations=observation, next_observations=np.roll(observation, -1, 0), rewards=counted,
        actions=np.zeros((15, 9), np.float32), terminals=np.zeros(15),
    )  # fmt: skip
    path = write_hdf5(tmp_path / "log.hdf5", arrays)
    assert main(["data", "check", f"file:{path}", "--env", "kitchen-complete", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] is None


def test_a_stored_folder_is_checked_to_the_last_byte(
    source: str, tmp_path: Path, capsys: Screen
) -> None:
    """A reward with another last bit is as finite as before."""
    assert main(["data", "convert", source, f"stored:{tmp_path}/out"]) == 0
    assert main(["data", "check", f"stored:{tmp_path}/out"]) == 0
    file = tmp_path / "out" / "reward.f32"
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)
    assert main(["data", "check", f"stored:{tmp_path}/out"]) == 3
    assert "not those that were written" in capsys.readouterr().err
    file.write_bytes(content + bytes(4))
    assert main(["data", "check", f"stored:{tmp_path}/out"]) == 3
    assert "reward.f32: 64 bytes where 60 belong" in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes",
    [{"notes": [{"nothing": 1}]}, {"shapes": {"reward": [-15]}}, {"shapes": 3}, {"format": None}],
)
def test_a_description_that_makes_no_sense_is_one_line(
    source: str, tmp_path: Path, capsys: Screen, changes: dict[str, object]
) -> None:
    assert main(["data", "convert", source, f"stored:{tmp_path}/out"]) == 0
    contents = tmp_path / "out" / "dataset.json"
    contents.write_text(json.dumps({**json.loads(contents.read_text()), **changes}))
    assert main(["data", "check", f"stored:{tmp_path}/out"]) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"error: {contents}: ")
    assert said.count("\n") == 1


def test_data_of_another_robot_is_refused(source: str, capsys: Screen) -> None:
    assert main(["data", "check", source, "--env", "Pendulum-v1"]) == 3
    assert "where Pendulum-v1 has 3 and 1" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["file:{}/out.hdf5", "stored:{}/out", "minari:tests/out-v0"])
def test_a_converted_dataset_is_the_same(
    source: str, tmp_path: Path, capsys: Screen, target: str
) -> None:
    target = target.format(tmp_path)
    assert main(["data", "convert", source, target]) == 0
    assert Path(capsys.readouterr().out.strip()).exists()
    assert_same(load(target), dataset_of(sample()))
    assert main(["data", "convert", source, target]) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_conversion_takes_the_box_of_the_environment(tmp_path: Path) -> None:
    path = write_hdf5(tmp_path / "log.hdf5", sample(actions=np.full((15, 1), 1.0, np.float32)))
    target = f"file:{tmp_path}/out.hdf5"
    assert main(["data", "convert", f"file:{path}", target, "--env", "Pendulum-v1"]) == 0
    assert (load(target).action == 0.5).all(), "its torque goes from -2 to 2"


def test_a_conversion_that_fails_writes_nothing(tmp_path: Path, capsys: Screen) -> None:
    path = write_hdf5(tmp_path / "log.hdf5", with_value("rewards", 3, np.nan))
    for target in (f"file:{tmp_path}/out.hdf5", f"stored:{tmp_path}/out", "minari:tests/out-v0"):
        assert main(["data", "convert", f"file:{path}", target]) == 3
    assert "reward holds nan at row 3" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["chekc", "file:x"], "did you mean 'check'"),
        (["check", "x.hdf5"], "'x.hdf5' is not a source"),
        (["check", "web:x"], "it begins with one of file:, d4rl:, minari:, stored:"),
        (["check", "d4rl:hoper-medium-v2"], "hopper-medium-v2"),
        (["convert", "{}", "x.csv"], "is not file:PATH.hdf5"),
        (["download", "file:x"], "is not downloaded"),
        (["check", "{}", "--env", "evil:Env-v0"], "evil"),
        (["check", "{}", "--horizon", "0"], "horizon must be 1 or more"),
        (["check", "{}", "--columns", "observation=x"], "columns are of tables"),
        (["check", "{}", "--keys", "x"], "keys belong to dict observations"),
    ],
)
def test_wrong_words_are_reported_in_one_line(
    words: list[str], reported: str, source: str, capsys: Screen
) -> None:
    assert main(["data", *(word.format(source) for word in words)]) == 2
    said = capsys.readouterr().err
    assert reported in said
    assert said.count("\n") == 1


def test_a_path_that_exists_is_a_hint(tmp_path: Path, capsys: Screen) -> None:
    path = write_hdf5(tmp_path / "log.hdf5", sample())
    assert main(["data", "check", str(path)]) == 2
    assert f"did you mean file:{path}?" in capsys.readouterr().err


def test_help_names_every_action(capsys: Screen) -> None:
    assert main(["data"]) == 0
    shown = capsys.readouterr().out
    assert all(action in shown for action in ("check", "convert", "download"))


def test_the_page_shows_what_was_found_and_loads_nothing(source: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["data", "check", source, "--out", str(page)]) == 0
    text = page.read_text()
    assert "15 rows in 3 episodes: 1 warning." in text
    assert "only 15 rows, fewer than a batch of 256" in text
    for figure in ("findings", "spread", "columns", "edge"):
        assert f'data-figure="{figure}"' in text
    assert "<script" not in text
    assert "default-src 'none'" in text.replace("&#x27;", "'")


def test_the_page_compares_the_data_with_its_environment(tmp_path: Path, capsys: Screen) -> None:
    """A log whose torques are negated, and whose rewards are three times the pendulum's."""
    sound = small_log("pendulum-mixed")
    wrong = replace(sound, action=-sound.action, reward=3 * sound.reward)
    source = write_d4rl(wrong, tmp_path / "log.hdf5")
    page = tmp_path / "page.html"
    words = ["data", "check", f"file:{source}", "--env", "Pendulum-v1", "--out", str(page)]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "the log's rewards are not the environment's" in said
    assert "steps of the environment are not what the log leads to expect" in said
    text = page.read_text()
    for figure in ("order", "edge", "environment"):
        assert f'data-figure="{figure}"' in text
    for panel in ("serial correlation", "length of an episode", "reward of a step"):
        assert panel in text


def test_a_hostile_name_stays_a_name(tmp_path: Path) -> None:
    path = write_hdf5(tmp_path / "<img src=x onerror=alert(1)>.hdf5", sample())
    page = tmp_path / "page.html"
    assert main(["data", "check", f"file:{path}", "--out", str(page)]) == 0
    assert "<img" not in page.read_text()
