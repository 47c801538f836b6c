"""``road data collect``: from a name to files that can be trained on."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.collecting.toys import ALLOW, NAME, write_policy

from road.agents.sac import SAC
from road.cli import main
from road.cli.data.collect import parse
from road.data import Dataset, examine, load
from road.data.sources.minari import read_minari

Screen = pytest.CaptureFixture[str]
STEM = "tests.collecting.toys-Reach-v0"
GIVEN = [
    *("--policy", "expert=tests.collecting.toys:best"),
    *("--policy", "medium=tests.collecting.toys:nothing"),
    *("--policy", "medium-replay=tests.collecting.toys:nothing,tests.collecting.toys:best"),
]
SMALL = [
    *("--train-steps", "500", "--evaluate-every", "100", "--evaluation-episodes", "2"),
    *("--sac.hidden", "8", "--sac.critic-hidden", "8"),
    *("--sac.actor-learning-rate", "0.02", "--sac.critic-learning-rate", "0.02"),
]


def collect(*words: str, out: str = "made", name: str = NAME) -> int:
    return main(["data", "collect", name, *ALLOW, "--out", out, *words])


def level(name: str, out: str = "made") -> Dataset:
    return load(f"file:{out}/{STEM}-{name}.hdf5")


def digests(out: str) -> dict[str, str]:
    files = sorted(Path(out).glob("*.hdf5"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def metadata_of(name: str, out: str = "made", stem: str = STEM) -> dict:
    with h5py.File(f"{out}/{stem}-{name}.hdf5") as file:
        return json.loads(file.attrs["collection"])


def test_a_ladder_of_given_policies(capsys: Screen) -> None:
    """In [-2, 2] the best action 1.5 is 0.75 of the box, and nothing is 0."""
    assert collect("--steps", "400", *GIVEN) == 0
    assert capsys.readouterr().out.count("400 rows in") == 5
    expert, medium, both = level("expert"), level("medium"), level("medium-expert")
    np.testing.assert_array_equal(expert.action, 0.75)
    np.testing.assert_array_equal(expert.reward, 1.0)
    np.testing.assert_array_equal(medium.reward, -0.5)
    np.testing.assert_array_equal(both.observation[:200], medium.observation[:200])
    np.testing.assert_array_equal(both.observation[200:], expert.observation[:200])
    np.testing.assert_array_equal(level("medium-replay").action[:, 0], [0.0] * 200 + [0.75] * 200)
    assert np.abs(level("random").action).max() > 0.95
    for name in ("random", "medium-replay", "medium", "medium-expert", "expert"):
        dataset = level(name)
        findings = [found.text for found in examine(dataset).items]
        assert not [text for text in findings if not re.search("constant|every reward", text)]
        assert not dataset.terminated.any()
        assert dataset.truncated.sum() == 40


def test_a_file_says_where_it_came_from() -> None:
    assert collect("--steps", "300", "--levels", "random,expert", *GIVEN[:2], "--seed", "7") == 0
    expert = metadata_of("expert")
    assert expert["asked"]["environment"] == NAME
    assert (expert["asked"]["seed"], expert["asked"]["rows"]) == (7, 300)
    (origin,) = expert["asked"]["policies"]["expert"]
    who = r"tests\.collecting\.toys:best of toys\.py \(sha256 [0-9a-f]{16}\), noise 0\.0"
    assert re.fullmatch(who, origin)
    assert expert["came"]["return_mean"] == 10.0
    assert expert["came"]["episodes"] == 30


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    words = ["--steps", "300", "--levels", "random,medium-expert", *GIVEN[:4], "--noise"]
    for out, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        assert collect(*words, "medium=0.2", "--seed", seed, out=out) == 0
    assert digests("a") == digests("b")
    assert digests("a").values() != digests("c").values()


def test_a_level_does_not_depend_on_which_others_are_collected() -> None:
    assert collect("--steps", "300", "--levels", "medium-expert,expert", *GIVEN[:4], out="a") == 0
    assert collect("--steps", "300", "--levels", "medium-expert", *GIVEN[:4], out="b") == 0
    assert digests("b").items() <= digests("a").items()


def test_noise_stays_in_the_box_and_has_its_spread() -> None:
    words = ["--steps", "2000", "--levels", "medium", *GIVEN[2:4]]
    assert collect(*words, "--noise", "medium=0.2") == 0
    action = level("medium").action
    assert action.std() == pytest.approx(0.2, rel=0.1)
    assert np.abs(action).max() <= 1.0


def test_a_policy_in_a_file_acts_with_its_own_units(tmp_path: Path) -> None:
    """Tanh speaks of the box, [-1, 1]; none of the environment's units, [-2, 2]."""
    zero = np.zeros((1, 2), np.float32)
    one = np.array([1.0], np.float32)
    write_policy(tmp_path / "unit.npz", w0=zero, b0=np.arctanh(one / 2))
    write_policy(tmp_path / "own.npz", w0=zero, b0=one, out=np.array("none"))
    for name in ("unit", "own"):
        words = ["--levels", "expert", "--steps", "300", "--policy", f"expert={name}.npz"]
        assert collect(*words, out=name) == 0
        np.testing.assert_allclose(level("expert", name).action, 0.5, atol=1e-6)


def test_what_is_there_is_kept_and_what_was_made_otherwise_refused(capsys: Screen) -> None:
    words = ["--steps", "300", "--levels", "random"]
    assert collect(*words) == 0
    before = (Path("made") / f"{STEM}-random.hdf5").stat().st_mtime_ns
    assert collect(*words) == 0
    assert "was there already" in capsys.readouterr().out
    assert (Path("made") / f"{STEM}-random.hdf5").stat().st_mtime_ns == before
    for otherwise in (["--seed", "1"], ["--horizon", "5"]):
        assert collect(*words, *otherwise) == 2
        assert "exists already and was made otherwise" in capsys.readouterr().err


def test_a_learner_makes_the_ladder_and_a_killed_one_goes_on_to_the_same_bytes(
    capsys: Screen,
) -> None:
    assert collect("--steps", "300", *SMALL, out="whole") == 0
    assert capsys.readouterr().out.count("rows in") == 5
    came = {name: metadata_of(name, "whole")["came"] for name in ("random", "medium", "expert")}
    assert came["expert"]["return_mean"] > came["random"]["return_mean"]
    learner = came["medium"]["learner"]
    assert learner["expert"]["step"] == 500
    replay = level("medium-replay", "whole")
    assert len(replay) == learner["medium"]["step"] in (100, 200, 300, 400, 500)
    assert replay.truncated.sum() == len(replay) // 10
    kill_when(Path("cut/sac/policies/step-0000000200.npz"), "--steps", "300", *SMALL, out="cut")
    assert not Path(f"cut/{STEM}-expert.hdf5").exists()
    assert collect("--steps", "300", *SMALL, out="cut") == 0
    assert digests("cut") == digests("whole")


def kill_when(there: Path, *words: str, out: str) -> None:
    """Collect in a process of its own, which dies as soon as a file is there."""
    command = [sys.executable, "-m", "road.cli", "data", "collect", NAME, *ALLOW, "--out", out]
    root = {"PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([*command, *words], env={**os.environ, **root})
    deadline = time.monotonic() + 120.0
    while not there.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "it was over before it could be killed"


def test_beside_a_given_expert_the_learner_stops_when_it_is_medium() -> None:
    """Random returns about -5.6, the expert 10: medium is about -0.4, an action near 0.5."""
    words = ["--levels", "medium-replay", "--steps", "300"]
    assert collect(*words, *SMALL) == 0
    assert metadata_of("medium-replay")["came"]["learner"]["expert"] is not None
    both = ["--levels", "medium-replay,expert", "--steps", "300", *GIVEN[:2]]
    assert collect(*both, *SMALL, out="beside") == 0
    medium = metadata_of("medium-replay", "beside")["came"]["learner"]["medium"]
    assert metadata_of("medium-replay", "beside")["came"]["learner"]["expert"] is None
    journal = Path("beside/sac/evaluations.jsonl").read_text().splitlines()
    assert json.loads(journal[-1])["step"] == medium["step"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--levels", "mediun"], "unknown level 'mediun'; known: random, medium-replay"),
        (["--levels", "expert", "--policy", "expert"], "a policy is written LEVEL=PATH.npz"),
        (["--levels", "random", *GIVEN[:2]], "'expert' has a policy or noise, but nothing of it"),
        (["--levels", "expert", "--policy", "expert=absent.npz"], "there is no such file"),
        (["--levels", "expert", "--policy", "expert=wide.npz"], "takes 3 observations and gives 1"),
        (["--levels", "expert", "--policy", "expert=ok.npz", "--noise", "expert=own"], "no noise"),
        (["--levels", "expert", "--policy", "expert=os:getcwd"], "add --allow-import os"),
        (["--levels", "expert", "--policy", "expert=tests.collecting.toys:x"], "has no function"),
        (
            ["--levels", "expert", "--policy", "expert=tests.collecting.toys:three_numbers"],
            "takes 1 finite numbers",
        ),
        (["--levels", "expert", "--policy", "expert=controller"], "has no controller"),
        (["--levels", "play"], "has no controller; give a policy for play"),
        (["--levels", "random", "--noise", "random=0.5"], "nothing acts on the level random"),
        (
            ["--levels", "expert", "--steps", "3", "--policy", "expert=ok.npz,ok.npz"],
            "3 steps are too few for the 2 policies of expert",
        ),
        (["--levels", "human", "--policy", "human=ok.npz"], "demonstrations cannot be replayed"),
        (["--levels", "random", "--steps", "1"], "steps must be 2 or more, got 1"),
        (["--levels", "medium", "--noise", "medium=loud"], "noise is written LEVEL=NUMBER"),
        (["--levels", "medium", "--train-steps", "100"], "train_steps must be more than a batch"),
    ],
)
def test_bad_input_is_one_line_and_leaves_no_file(
    words: list[str], said: str, tmp_path: Path, capsys: Screen
) -> None:
    write_policy(tmp_path / "ok.npz")
    write_policy(tmp_path / "wide.npz", w0=np.zeros((1, 3), np.float32))
    assert collect(*words) in (2, 3)
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(Path("made").rglob("*.hdf5"))


def test_discrete_actions_and_unknown_environments_are_refused(capsys: Screen) -> None:
    assert collect(name="tests.collecting.toys:Buttons-v0") == 2
    assert "only vectors of real numbers" in capsys.readouterr().err
    assert main(["data", "collect", "Pendulun-v1"]) == 2
    assert "did you mean 'Pendulum-v1'" in capsys.readouterr().err
    assert main(["data", "collect", NAME]) == 2
    assert "--allow-import tests.collecting.toys" in capsys.readouterr().err


def test_an_environment_that_breaks_is_reported_with_its_episode_and_leaves_no_file(
    capsys: Screen,
) -> None:
    assert collect("--levels", "random", name="tests.collecting.toys:Breaks-v0") == 6
    error = capsys.readouterr().err
    assert "raised RuntimeError in a step of episode" in error
    assert "the motor is hot" in error
    assert list(Path("made").iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_reported_before_anything_is_made(
    tmp_path: Path, capsys: Screen
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert collect("--levels", "random", out="file/below") == 7
    assert "cannot write to file/below" in capsys.readouterr().err


def test_minari_datasets_know_their_scores() -> None:
    words = ["--steps", "300", "--levels", "random,expert", *GIVEN[:2]]
    assert collect(*words, "--minari") == 0
    name = "road/tests-collecting-toys-reach-v0/expert-v0"
    metadata = json.loads((Path("minari") / name / "data" / "metadata.json").read_text())
    assert metadata["ref_max_score"] == 10.0
    assert metadata["ref_min_score"] == metadata_of("random")["came"]["return_mean"]
    np.testing.assert_array_equal(read_minari(name).action, level("expert").action)
    assert collect(*words, "--minari") == 0


def test_play_is_not_learnt_where_there_is_no_controller_for_it(capsys: Screen) -> None:
    assert main(["data", "collect", "Pendulum-v1", "--levels", "play", "--steps", "9"]) == 2
    assert "Pendulum-v1 has no controller; give a policy for play" in capsys.readouterr().err


def test_half_an_episode_has_a_return_and_no_score() -> None:
    words = ["data", "collect", "pendulum-mixed", "--levels", "random", "--out", "made"]
    assert main([*words, "--steps", "100"]) == 0
    came = metadata_of("random", stem="pendulum-mixed")["came"]
    assert came["score"] is None
    assert came["return_mean"] < 0.0


def test_settings_of_the_learner_are_those_of_the_task_wherever_it_is_named() -> None:
    one = parse(["pendulum-mixed", "--seed", "3"])
    assert one == parse(["--seed", "3", "pendulum-mixed"])
    assert one.sac != SAC()


def test_logs_of_shifted_worlds_stand_side_by_side(capsys: Screen) -> None:
    words = ["--levels", "play", "--steps", "250", "--out", "both"]
    for shift in ([], ["--shift", "gain=1"], ["--shift", "gain=-1"]):
        assert main(["data", "collect", "pendulum-mixed", *words, *shift]) == 0
    plain, same, opposite = (
        load(f"file:both/pendulum-mixed{name}-play.hdf5") for name in ("", "-gain-1", "-gain--1")
    )
    np.testing.assert_array_equal(plain.action, same.action)
    np.testing.assert_array_equal(plain.action, -opposite.action)
    assert metadata_of("play", "both", "pendulum-mixed-gain--1")["asked"]["shift"] == "gain=-1"
    assert "250 rows" in capsys.readouterr().out


def test_a_shifted_log_is_no_minari_dataset_of_its_environment(capsys: Screen) -> None:
    words = ["--levels", "play", "--shift", "gain=0", "--minari"]
    assert main(["data", "collect", "pendulum-mixed", *words]) == 2
    assert "--minari cannot go with --shift" in capsys.readouterr().err
