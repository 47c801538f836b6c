"""A loop that is not ours saves a folder, and the report takes it for a run."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from road.errors import StorageError, UsageError
from road.integrations.checks import check_period, is_over
from road.mixing import Controller, DecreasingMixer, FixedMixer, RoadMixer
from road.records.reader import load_run
from road.records.summary import Summary, summarise
from road.report.run.page import write_report


def looped(periods: int, mixer: Any = None, **settings: Any) -> Controller:
    controller = Controller(mixer or RoadMixer(arms=(0.25, 0.5)), **settings)
    for number in range(periods):
        for _ in range(3):
            controller.offline_count(10)
        controller.end_period(
            offline_advantage=math.sin(number), online_advantage=0.1, step=100 * (number + 1)
        )
    return controller


def summary_of(folder: Path) -> Summary:
    page = write_report([folder], folder / "report.html").read_text()
    summary = summarise(load_run(folder))
    assert summary.verdict in page.replace("&#x27;", "'")
    return summary


def test_a_loop_with_scores_is_reported_whole(tmp_path: Path):
    controller = Controller(RoadMixer(arms=(0.25, 0.5)), seed=3)
    controller.log_evaluation(-900.0, step=0)
    controller.end_period(credit=1.0, step=100)
    controller.log_evaluation(-1000.0, step=100)
    controller.end_period(credit=2.0, step=200)
    controller.log_evaluation(-200.0, step=200)
    summary = summary_of(controller.save(tmp_path / "mine", task="Pendulum-v1", agent="My SAC"))
    assert (summary.name, summary.task, summary.agent) == ("mine", "Pendulum-v1", "My SAC")
    assert (summary.mixer, summary.seed, summary.periods, summary.finished) == (
        "ROAD",
        "3",
        2,
        True,
    )
    assert (summary.pretrained, summary.final, summary.best_step) == (-900.0, -200.0, 200)
    assert summary.dip is not None
    assert (summary.dip.depth, summary.dip.lowest_step, summary.dip.steps_to_recover) == (
        100.0,
        100,
        200,
    )
    assert summary.verdict.startswith("Fine-tuning took My SAC from −900 to −200 on Pendulum-v1")


def test_the_caption_does_not_promise_a_scale_that_the_loop_did_not_use(tmp_path: Path):
    folder = looped(2).save(tmp_path / "run")
    page = write_report([folder], folder / "report.html").read_text()
    assert "as your loop logged it" in page
    assert "0 is a random policy" not in page


def test_a_loop_without_scores_or_names_is_reported_too(tmp_path: Path):
    summary = summary_of(looped(3).save(tmp_path))
    assert (summary.pretrained, summary.final, summary.dip) == (None, None, None)
    assert summary.verdict.startswith("There is no evaluation of the agent on an unnamed task")


def test_a_loop_that_has_not_begun_is_reported_too(tmp_path: Path):
    assert summary_of(looped(0).save(tmp_path)).periods == 0


def test_the_realised_ratio_is_that_of_the_rows_asked_for(tmp_path: Path):
    """30 rows per period: at 0.25 these are 3, 2 and 3 offline rows, 8 of 30; at 0.5 half."""
    controller = Controller(RoadMixer(arms=(0.25, 0.5)))
    assert [controller.offline_count(10) for _ in range(3)] == [3, 2, 3]
    periods = load_run(looped(2).save(tmp_path)).periods
    assert periods["realised_ratio"].tolist() == pytest.approx([8 / 30, 0.5])
    assert (periods["step"].tolist(), periods["steps"].tolist()) == ([100, 200], [100, 100])


def test_counts_keep_the_ratio_over_a_period_whatever_the_batch_size():
    controller = Controller(FixedMixer(0.1))
    assert sum(controller.offline_count(1) for _ in range(1000)) == 100
    controller.end_period(credit=0.0)
    assert sum(controller.offline_count(7) for _ in range(1000)) == 700


def test_without_steps_the_periods_are_the_clock(tmp_path: Path):
    controller = Controller(FixedMixer(0.3))
    controller.log_evaluation(1.0)
    for _ in range(2):
        controller.end_period(credit=0.0)
        controller.log_evaluation(2.0)
    run = load_run(controller.save(tmp_path))
    assert run.periods["step"].tolist() == [1, 2]
    assert run.evaluations["step"].tolist() == [0, 1, 2]
    assert controller.step == 2


def test_a_saved_controller_goes_on_the_same_in_the_middle_of_a_period(tmp_path: Path):
    one = looped(5)
    one.offline_count(13)
    one.save(tmp_path)
    other = Controller(RoadMixer(arms=(0.25, 0.5)))
    other.load(tmp_path)
    assert other.state_dict() == one.state_dict()
    for controller in (one, other):
        controller.offline_count(4)
        controller.end_period(credit=1.0, step=700)
    assert other.state_dict() == one.state_dict()


def test_a_state_from_before_there_was_a_logbook_goes_on_and_is_reported(tmp_path: Path):
    saved = looped(2).state_dict()
    del saved["logbook"]
    controller = Controller(RoadMixer(arms=(0.25, 0.5)))
    controller.load_state_dict(saved)
    controller.end_period(credit=1.0)
    periods = load_run(controller.save(tmp_path)).periods
    assert periods["offline_ratio"].tolist() == [0.25, 0.5, controller.history[2].offline_ratio]
    assert np.isnan(periods["realised_ratio"][:2]).all()


def test_a_state_that_was_taken_does_not_change_afterwards():
    controller = looped(2)
    saved = controller.state_dict()
    text = json.dumps(saved)
    controller.end_period(credit=1.0, step=300)
    controller.log_evaluation(1.0, step=300)
    assert json.dumps(saved) == text


def test_saving_again_replaces_and_leaves_nothing_else(tmp_path: Path):
    controller = looped(1)
    controller.save(tmp_path)
    controller.end_period(credit=1.0, step=300)
    controller.save(tmp_path)
    assert load_run(tmp_path).periods.length == 2
    names = {"mixer.jsonl", "evaluations.jsonl", "meta.json", "config.json", "controller.json"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_folder_of_another_kind_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="no saved controller"):
        looped(0).load(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UsageError, match="run of road train"):
        looped(1).save(tmp_path)
    (tmp_path / "controller.json").write_text('{"format":')
    with pytest.raises(StorageError, match="damaged"):
        looped(0).load(tmp_path)
    (tmp_path / "controller.json").write_text(
        json.dumps({**looped(1).state_dict(), "history": [{"period": 0}]})
    )
    with pytest.raises(StorageError, match=r"damaged .* save the controller again"):
        looped(0).load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        looped(0).save(tmp_path / "file" / "run")


def test_a_controller_is_not_restored_into_another_mixer(tmp_path: Path):
    looped(1).save(tmp_path)
    with pytest.raises(ValueError, match=r"is of RoadMixer.* this holds FixedMixer"):
        Controller(FixedMixer(0.3)).load(tmp_path)


def test_mistakes_of_a_loop_are_named():
    controller = looped(2)
    with pytest.raises(ValueError, match="got 100 after 200"):
        controller.end_period(credit=0.0, step=100)
    with pytest.raises(ValueError, match="every time or never"):
        controller.log_evaluation(0.0)
    with pytest.raises(ValueError, match="score must be a finite number, got nan"):
        controller.log_evaluation(math.nan, step=300)
    with pytest.raises(ValueError, match="batch_size"):
        controller.offline_count(-1)
    with pytest.raises(ValueError, match=r"every arm must lie in \[0, 1\], got 1.5"):
        Controller(RoadMixer(arms=(0.5, 1.5)))
    with pytest.raises(ValueError, match=r"offline_ratio must lie in \[0, 1\], got -0.1"):
        Controller(FixedMixer(-0.1))
    assert len(controller.history) == 2
    assert controller.end_period(credit=0.0, step=300).period == 2


def test_every_mixer_has_its_name_in_the_report(tmp_path: Path):
    class Walking(FixedMixer):
        pass

    for mixer, name in ((DecreasingMixer(), "Decreasing"), (FixedMixer(0.3), "Fixed 0.3")):
        assert summary_of(looped(1, mixer, total_periods=2).save(tmp_path)).mixer == name
    assert summary_of(looped(1, Walking()).save(tmp_path)).mixer == "Walking"


@pytest.mark.parametrize("period", [0, -5, 1e3, "epsiode", None])
def test_a_period_is_a_number_of_steps_or_an_episode(period: Any):
    """A float or a misspelt word would else be taken for an episode."""
    with pytest.raises(ValueError, match=f"or 'episode', got {period!r}"):
        check_period(period)


def test_a_period_is_over_by_its_own_clock():
    check_period(20)
    check_period("episode")
    assert [is_over(20, steps, ended=True) for steps in (19, 20, 21)] == [False, True, True]
    assert [is_over("episode", 5, ended=ended) for ended in (False, True)] == [False, True]


def test_importing_the_package_imports_no_library():
    script = (
        "import sys, road.integrations, road.integrations.checks; "
        "sys.exit(bool({'torch', 'jax', 'gymnasium', 'd3rlpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from road.errors import RoadError
try:
    import road.integrations.probe_critics
except RoadError as error:
    print(error)
"""


def test_probe_critics_without_pytorch_are_refused_in_one_line():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.stdout == "probe critics need PyTorch; run pip install torch\n", done.stderr
