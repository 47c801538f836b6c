"""The summary of a run, its sentence, and the sentence on several runs."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from road.mixing import informedness
from road.report import load_run, summarise
from road.report.run.comparison import comparison_verdict
from road.report.run.sections import curve_figure

WriteRun = Callable[..., Path]


def rewrite(folder: Path, journal: str, rows: list[dict[str, object]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"{journal}.jsonl").write_text(text)


def with_scores(folder: Path, offline: list[float], online: list[float]) -> Path:
    rows: list[dict[str, object]] = [
        {"phase": "offline", "step": 10_000 - 1000 * (len(offline) - 1 - index), "score": score}
        for index, score in enumerate(offline)
    ]
    rows += [
        {"phase": "online", "step": 1000 * index, "score": score}
        for index, score in enumerate(online)
    ]
    rewrite(folder, "evaluations", rows)
    return folder


def test_scores_by_hand(write_run: WriteRun):
    summary = summarise(load_run(with_scores(write_run(), [10, 66.7], [60, 50, 91, 89])))
    assert (summary.pretrained, summary.final) == (66.7, 89)
    assert (summary.best, summary.best_step) == (91, 2000)
    assert summary.dip is not None
    assert summary.dip.depth == pytest.approx(16.7)
    assert summary.dip.steps_to_recover == 2000


def test_an_evaluation_before_the_end_of_pretraining_is_not_the_pretrained_score(
    write_run: WriteRun,
):
    folder = write_run()
    rows: list[dict[str, object]] = [
        {"phase": "offline", "step": 7500, "score": 22.5},
        {"phase": "online", "step": 0, "score": 55.0},
        {"phase": "online", "step": 10_000, "score": 60.0},
    ]
    rewrite(folder, "evaluations", rows)
    assert summarise(load_run(folder)).pretrained == 55.0
    rewrite(folder, "evaluations", rows[:1])
    assert summarise(load_run(folder)).pretrained == 22.5


def test_a_run_that_went_online_has_pretrained_to_the_end(write_run: WriteRun):
    """Its offline rows end at step 9000, because the next were due after the end."""
    folder = write_run()
    for journal in ("metrics", "evaluations"):
        rows = [json.loads(line) for line in (folder / f"{journal}.jsonl").read_text().splitlines()]
        kept = [row for row in rows if row["phase"] == "online" or row["step"] <= 9000]
        rewrite(folder, journal, kept)
    assert summarise(load_run(folder)).finished


def test_the_sentence_of_a_round_robin_run(write_run: WriteRun):
    summary = summarise(load_run(with_scores(write_run(), [66.7], [66.7, 89.0])))
    assert summary.verdict == (
        "Fine-tuning took IQL from 66.7 to 89.0 on pointmaze-umaze-random; ROAD's credits of "
        "the arms are statistically indistinguishable; the choice was close to round-robin."
    )


def test_a_fall_is_called_a_fall(write_run: WriteRun):
    summary = summarise(load_run(with_scores(write_run(), [66.7], [66.7, 50.0])))
    assert summary.verdict.startswith("Fine-tuning lowered IQL from 66.7 to 50.0 on")


def test_no_change_is_called_none(write_run: WriteRun):
    summary = summarise(load_run(with_scores(write_run(), [66.7], [60.0, 67.0])))
    assert summary.verdict.startswith("Fine-tuning left IQL at 67.0 on")


def test_a_return_without_a_scale_is_judged_by_its_size(write_run: WriteRun):
    """From no success to nineteen of twenty is less than a point, and not where it began."""
    own = {"own": {"env": "Goal-v0", "data": "file:log.hdf5"}}
    run = load_run(with_scores(write_run(config=own), [0.0], [0.0, 0.95]))
    assert summarise(run).verdict.startswith("Fine-tuning took IQL from 0 to 0.95 on")
    assert "the return of an episode, on no scale" in str(curve_figure(run, summarise(run)))
    same = load_run(with_scores(write_run("same", config=own), [-870.0], [-870.0, -873.0]))
    assert summarise(same).verdict.startswith("Fine-tuning left IQL at -873 on")
    scaled = {"own": {**own["own"], "score_min": 0.0, "score_max": 1.0}}
    run = load_run(with_scores(write_run("scaled", config=scaled), [66.7], [66.7, 67.0]))
    assert summarise(run).verdict.startswith("Fine-tuning left IQL at 67.0 on")


@pytest.mark.parametrize(
    ("mixer", "clause"),
    [
        ("fixed", "; the offline ratio stayed at 0.5."),
        ("uniform", "; the offline ratio was drawn at random, whatever the credits said."),
        ("decreasing", "; the offline ratio went from 0.5 to 0.11 on a schedule."),
    ],
)
def test_a_mixer_without_a_bandit_is_not_blamed_for_its_credits(
    write_run: WriteRun, mixer: str, clause: str
):
    assert summarise(load_run(write_run(mixer=mixer))).verdict.endswith(clause)


def test_an_unfinished_run_says_so(write_run: WriteRun):
    folder = write_run()
    for journal in ("metrics", "episodes", "mixer", "evaluations"):
        rows = [json.loads(line) for line in (folder / f"{journal}.jsonl").read_text().splitlines()]
        early = [row for row in rows if row.get("phase") == "offline" or row["step"] <= 4000]
        rewrite(folder, journal, early)
    summary = summarise(load_run(folder))
    assert not summary.finished
    assert summary.verdict.startswith(
        "Not finished yet (4,000 of 10,000 online steps): fine-tuning has taken IQL from"
    )


def test_without_an_offline_phase_the_first_online_score_is_the_start(write_run: WriteRun):
    summary = summarise(load_run(with_scores(write_run(), [], [12.0, 40.0])))
    assert summary.pretrained == 12.0


def test_the_realised_ratio_counts_periods_by_their_length(write_run: WriteRun):
    """(0.1 * 300 + 0.5 * 100) / 400 = 0.2; the row without a ratio does not count."""
    folder = write_run()
    rows: list[dict[str, object]] = [
        {"step": 300, "steps": 300, "offline_ratio": 0.1, "realised_ratio": 0.1, "credit": 1.0},
        {"step": 400, "steps": 100, "offline_ratio": 0.5, "realised_ratio": 0.5, "credit": 1.0},
        {"step": 500, "steps": 100, "offline_ratio": 0.5, "realised_ratio": None, "credit": None},
    ]
    rewrite(folder, "mixer", rows)
    assert summarise(load_run(folder)).mean_realised_ratio == pytest.approx(0.2)


def test_informedness_is_that_of_road_mixing(write_run: WriteRun):
    run = load_run(write_run(arm_effect=4.0))
    ratios, credits = run.periods["offline_ratio"].tolist(), run.periods["credit"].tolist()
    assert summarise(run).informedness == informedness(ratios, credits)


@pytest.mark.parametrize("mixer", ["road", "fixed", "uniform", "decreasing"])
def test_a_summary_is_json(write_run: WriteRun, mixer: str):
    summary = summarise(load_run(write_run(mixer=mixer)))
    assert json.loads(json.dumps(asdict(summary), allow_nan=False))["verdict"] == summary.verdict


def test_credits_without_noise_still_make_json(write_run: WriteRun):
    """Then F has no bound, and infinity is a number that JSON does not know."""
    folder = write_run()
    rows: list[dict[str, object]] = [
        {"step": index, "steps": 1, "offline_ratio": ratio, "credit": ratio}
        for index, ratio in enumerate([0.1, 0.5] * 10)
    ]
    rewrite(folder, "mixer", rows)
    summary = summarise(load_run(folder))
    assert summary.informedness is not None
    assert summary.informedness.eta_squared == pytest.approx(1.0)
    json.dumps(asdict(summary), allow_nan=False)


def test_a_long_schedule_is_not_tested_arm_by_arm(write_run: WriteRun):
    folder = write_run(mixer="decreasing")
    rows: list[dict[str, object]] = [
        {"step": index, "steps": 1, "offline_ratio": 0.5 - index / 1e5, "credit": 0.0}
        for index in range(20_000)
    ]
    rewrite(folder, "mixer", rows)
    assert summarise(load_run(folder)).informedness is None


def verdict_on(write_run: WriteRun, finals: dict[str, list[float]]) -> str:
    folders = [
        with_scores(write_run(f"{mixer}-{seed}", mixer, seed), [50.0], [50.0, final])
        for mixer, scores in finals.items()
        for seed, final in enumerate(scores)
    ]
    return comparison_verdict([summarise(load_run(folder)) for folder in folders])


def test_one_seed_each_may_be_chance(write_run: WriteRun):
    assert verdict_on(write_run, {"fixed": [80.0], "road": [89.0]}) == (
        "On pointmaze-umaze-random, ROAD ended best, at 89.0 (one seed), before Fixed 0.5 at 80.0 "
        "(one seed); with a single seed this may be chance."
    )


def test_a_lead_within_the_spread_is_called_so(write_run: WriteRun):
    """80 and 90 have mean 85, deviation 7.07; 81 and 87 mean 84, deviation 4.24."""
    assert verdict_on(write_run, {"road": [80.0, 90.0], "uniform": [81.0, 87.0]}).endswith(
        "ROAD ended best, at 85.0 ± 7.1 (2 seeds), before Uniform at 84.0 ± 4.2 (2 seeds); "
        "the lead is smaller than the spread between seeds."
    )


def test_a_lead_of_few_seeds_is_called_so(write_run: WriteRun):
    verdict = verdict_on(write_run, {"road": [90.0, 91.0, 92.0], "fixed": [70.0, 71.0, 72.0]})
    assert verdict.endswith("the lead exceeds the spread between seeds, but 3 seeds are few.")


def test_one_strategy_is_not_called_best(write_run: WriteRun):
    assert "no other strategy to compare" in verdict_on(write_run, {"road": [80.0, 90.0]})


def test_agents_are_significant_when_there_are_several(write_run: WriteRun):
    one = write_run("one", config={"agent": {"name": "iql"}})
    other = write_run("other", config={"agent": {"name": "sac"}})
    runs = [with_scores(one, [50.0], [50.0, 80.0]), with_scores(other, [50.0], [50.0, 60.0])]
    verdict = comparison_verdict([summarise(load_run(folder)) for folder in runs])
    assert "ROAD (IQL) ended best, at 80.0 (one seed), before ROAD (SAC) at 60.0" in verdict
