"""Late credits, other readings and what came after the switch, in pages and in plain lines."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from road.mixing import Controller, RoadMixer
from road.records.credits import credit_pairs, credit_words, reading_names
from road.records.dip import Dip
from road.report import after_the_switch, load_run, summarise, write_report
from road.report.run.comparison import dip_cells
from road.report.run.whatif import run_settings

WriteRun = Callable[..., Path]
ARMS = (0.1, 0.3, 0.5)


def late_run(folder: Path) -> Path:
    """The return of a period is ten times the ratio before; the first and 21st tell none."""
    mixer = RoadMixer(arms=ARMS, credit="next-return", scale="standardised")
    controller, rows = Controller(mixer), []
    for period in range(40):
        before = controller.history[-1].offline_ratio if controller.history else math.nan
        seen = math.nan if period == 20 else 10 * before + 0.01 * math.sin(5 * period)
        ended = controller.end_period(
            offline_advantage=0.0, online_advantage=0.0, mean_return=seen, error_drop=0.5
        )
        mark = {"step": 250 * (period + 1), "steps": 250, "realised_ratio": ended.offline_ratio}
        rows.append({**ended.as_row(), **mark})
    settings = {"name": "road", "arms": list(ARMS), "credit": "next-return"}
    config = json.loads((folder / "config.json").read_text())
    config["mixer"] = {**settings, "scale": "standardised"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "mixer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_late_credit_is_shown_with_the_ratio_it_is_about(write_run: WriteRun):
    run = load_run(late_run(write_run()))
    ratio, credit = credit_pairs(run.periods)
    assert len(ratio) == 38
    assert credit == pytest.approx(10 * ratio, abs=0.011)
    judged = summarise(run).informedness
    assert judged is not None and judged.detrended_p is not None
    assert judged.detrended_p < 1e-6
    assert (
        sum(judged.counts) == 40
    )  # two periods were credited with nothing, and chosen all the same


def test_folders_without_credited_ratios_are_about_their_own_period(write_run: WriteRun):
    folder = write_run()
    path = folder / "mixer.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    old = [
        {k: v for k, v in row.items() if k not in ("credited_ratio", "readings")} for row in rows
    ]
    with_late = summarise(load_run(folder))
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    assert summarise(load_run(folder)) == with_late
    assert credit_pairs(load_run(folder).periods)[0].tolist() == [
        row["offline_ratio"] for row in rows
    ]


def test_a_reversed_credit_is_not_called_by_the_name_of_the_other(write_run: WriteRun):
    folder = write_run()
    config = json.loads((folder / "config.json").read_text())
    config["mixer"]["credit"] = "reversed"
    (folder / "config.json").write_text(json.dumps(config))
    run = load_run(folder)
    assert summarise(run).mixer == "ROAD (reversed)"
    assert credit_words(run).symbol == "\u2212R_q"


def test_the_words_say_which_credit_was_used(write_run: WriteRun, tmp_path: Path):
    folder = late_run(write_run())
    run = load_run(folder)
    assert summarise(run).mixer == "ROAD (next-return, standardised)"
    assert reading_names(run) == ["readings.error_drop", "readings.mean_return"]
    page = write_report([folder], tmp_path / "report.html").read_text()
    for words in (
        "goes to the ratio of the period before",
        "next return",
        "mean return",
        "lowered the TD error",
    ):
        assert words in page, words
    paper = write_report([write_run("paper")], tmp_path / "paper.html").read_text()
    assert "goes to the ratio of the period before" not in paper


def test_credits_of_the_loops_own_are_not_called_r_q(write_run: WriteRun, tmp_path: Path):
    folder = write_run()
    path = folder / "mixer.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    own = [{**row, "offline_advantage": None, "online_advantage": None} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in own))
    page = write_report([folder], tmp_path / "report.html").read_text()
    assert "a number of the loop&#x27;s own" in page


def test_a_number_of_the_loops_own_is_not_called_r_q_though_advantages_were_given(tmp_path: Path):
    """Both credits are of the same advantages: 0.5 - 0.5 · 0.2 = 0.4 is R_q, a score is not."""
    mixer = RoadMixer(overestimation_penalty=0.5)
    for name, credit, symbol in (("own", 3.0, "credit"), ("made", None, "R_q")):
        controller = Controller(mixer)
        for _ in range(3):
            controller.end_period(offline_advantage=0.5, online_advantage=0.2, credit=credit)
        assert credit_words(load_run(controller.save(tmp_path / name))).symbol == symbol


def test_an_infinite_penalty_is_still_r_q(tmp_path: Path):
    """JSON has no number for it: a run's settings say ``inf``. The credit is -0.2."""
    controller = Controller(RoadMixer(overestimation_penalty=math.inf))
    for _ in range(3):
        controller.end_period(offline_advantage=0.5, online_advantage=0.2)
    run = load_run(controller.save(tmp_path / "run"))
    assert run.periods["credit"].tolist() == [-0.2] * 3
    assert credit_words(run).symbol == "R_q"
    assert run_settings(run, [0.1, 0.2]).overestimation_penalty == math.inf


def test_a_run_without_any_credit_says_so(write_run: WriteRun, tmp_path: Path):
    folder = write_run(mixer="decreasing", config={"mixer": {"name": "hypergradient"}})
    path = folder / "mixer.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    silent = [{**row, "credit": None, "credited_ratio": None} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in silent))
    summary = summarise(load_run(folder))
    assert summary.informedness is None
    assert summary.verdict.endswith("; the offline ratio went from 0.5 to 0.11.")
    page = write_report([folder], tmp_path / "report.html").read_text()
    assert "No period was credited with anything" in page


@pytest.mark.parametrize("mixer", ["road", "fixed", "uniform", "decreasing"])
def test_every_strategy_tells_its_dip_and_its_realised_ratio(
    write_run: WriteRun, tmp_path: Path, mixer: str
):
    folder = write_run(mixer=mixer)
    summary = summarise(load_run(folder))
    dip, share = after_the_switch(summary)
    assert summary.dip is not None and summary.mean_realised_ratio is not None
    assert f"{summary.dip.depth:.1f} deep" in dip and "score × steps" in dip
    assert f"{summary.mean_realised_ratio:.2f} of the rows" in share
    assert len(summary.realised_ratios) == 10 and None not in summary.realised_ratios
    page = write_report([folder], tmp_path / "report.html").read_text()
    assert "Realised offline ratio by period" in page and "score × steps" in page
    both = write_report([folder, write_run("other")], tmp_path / "both.html").read_text()
    assert "Realised offline ratio over time" in both and "dip area" in both


def test_the_realised_ratio_by_tenths_by_hand(write_run: WriteRun):
    """10,000 steps: the first two periods lie in the first tenth, (0.2 · 300 + 0.6 · 500) / 800.

    The second ends at step 1,100; its middle, 850, decides.
    """
    folder = write_run()
    rows: list[dict[str, Any]] = [
        {"step": 300, "steps": 300, "offline_ratio": 0.2, "realised_ratio": 0.2},
        {"step": 1100, "steps": 500, "offline_ratio": 0.6, "realised_ratio": 0.6},
        {"step": 9800, "steps": 600, "offline_ratio": 0.4, "realised_ratio": 0.4},
    ]
    (folder / "mixer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ratios = summarise(load_run(folder)).realised_ratios
    assert ratios == (pytest.approx(0.45), *[None] * 8, 0.4)
    _, share = after_the_switch(summarise(load_run(folder)))
    assert share.endswith("by tenths of the phase 0.45 – – – – – – – – 0.40")


def test_a_dip_in_cells_and_in_words(write_run: WriteRun):
    assert dip_cells(Dip(20.0, 27_500.0, 1000, 3000)) == ("−20.0", "27.5k", "3k")
    assert dip_cells(Dip(30.0, 45_000.0, 1000, None)) == ("−30.0", "45k", "never")
    assert dip_cells(Dip(0.0, 0.0, None, 0)) == ("0.0", "0", "–")
    assert dip_cells(None) == ("–", "–", "–")
    folder = write_run()
    (folder / "evaluations.jsonl").unlink()
    assert after_the_switch(summarise(load_run(folder)))[0].startswith("dip: not known")
