"""The summary of a run, its sentence, and the sentence on several runs."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from road.mixing import informedness
from road.report import load_run, summarise, write_report
from road.report.run.comparison import comparison_verdict
from road.report.run.groups import Compared, compare, group, left_out_words
from road.report.run.sections import curve_figure, run_sections

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
    assert summary.verdict.startswith(
        "Fine-tuning made no clear change to IQL on pointmaze-umaze-random: 66.7 before and 67.0 "
        "after, less than a point apart;"
    )


def test_a_change_within_the_noise_of_the_evaluations_is_no_clear_change(write_run: WriteRun):
    """Spread 0.5 of 26 episodes is an error of 10 points each; twice that of both is 28.3."""

    def verdict(folder: str, final: float) -> str:
        made = write_run(folder)
        rows: list[dict[str, object]] = [
            {"phase": "online", "step": step, "score": 100 * mean, "return_mean": mean}
            | {"return_std": 0.5, "episodes": 26}
            for step, mean in ((0, 0.4), (10_000, final))
        ]
        rewrite(made, "evaluations", rows)
        return summarise(load_run(made)).verdict

    assert verdict("near", 0.68).startswith(
        "Fine-tuning made no clear change to IQL on pointmaze-umaze-random: 40.0 before and 68.0 "
        "after, within the noise of the evaluations (± 28.3);"
    )
    assert verdict("far", 0.69).startswith("Fine-tuning took IQL from 40.0 to 69.0 on")


def test_a_run_without_an_offline_phase_is_not_called_pretrained(write_run: WriteRun):
    folder = write_run(config={"offline_steps": 0})
    run = load_run(with_scores(folder, [], [12.0, 40.0]))
    assert summarise(run).verdict.startswith(
        "IQL was not pretrained; online training took it from 12.0 to 40.0 on"
    )
    page = "".join(map(str, run_sections(run, summarise(run))))
    assert "not pretrained" in page
    assert "pretrained 12.0" not in page and ">Pretrained<" not in page
    assert "never below the start" in page


def test_a_return_without_a_scale_is_judged_by_its_size(write_run: WriteRun):
    """From no success to nineteen of twenty is less than a point, and not where it began."""
    own = {"own": {"env": "Goal-v0", "data": "file:log.hdf5"}}
    run = load_run(with_scores(write_run(config=own), [0.0], [0.0, 0.95]))
    assert summarise(run).verdict.startswith("Fine-tuning took IQL from 0 to 0.95 on")
    assert "the return of an episode, on no scale" in str(curve_figure(run, summarise(run)))
    same = load_run(with_scores(write_run("same", config=own), [-870.0], [-870.0, -873.0]))
    assert "\u2212870 before and \u2212873 after, less than 1 % apart" in summarise(same).verdict
    scaled = {"own": {**own["own"], "score_min": 0.0, "score_max": 1.0}}
    run = load_run(with_scores(write_run("scaled", config=scaled), [66.7], [66.7, 67.0]))
    assert "66.7 before and 67.0 after, less than a point apart" in summarise(run).verdict


def test_a_return_is_written_alike_in_the_headline_and_on_the_page(write_run: WriteRun):
    own = {"own": {"env": "Goal-v0", "data": "file:log.hdf5"}}
    run = load_run(with_scores(write_run(config=own), [-1218.9], [-1218.9, -147.7]))
    summary = summarise(run)
    page = "".join(map(str, run_sections(run, summary)))
    for text in ("\u22121,219", "\u2212148"):
        assert text in summary.verdict and f">{text}<" in page
    assert "\u22121218.9" not in page and "\u2212147.7" not in page


def test_the_axis_of_raw_returns_need_not_contain_zero(write_run: WriteRun):
    own = {"own": {"env": "Goal-v0", "data": "file:log.hdf5"}}
    folder = with_scores(write_run(config=own), [5000.0], [5000.0, 5100.0])
    run = load_run(folder)
    curve = str(curve_figure(run, summarise(run)))
    assert ">5.1k<" in curve and ">0</text>" not in curve.partition("environment steps")[0]
    scaled = load_run(with_scores(write_run("scaled"), [50.0], [50.0, 51.0]))
    assert 'class="zero"' in str(curve_figure(scaled, summarise(scaled)))


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
        "Not finished yet (4,000 of 10,000 online steps): fine-tuning has made no clear change to"
    )
    assert " now, within the noise of the evaluations" in summary.verdict


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
    return comparison_verdict(compared(folders))


def compared(folders: list[Path]) -> list[Compared]:
    runs = [load_run(folder) for folder in folders]
    return compare(runs, [summarise(run) for run in runs])


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
    assert "no other strategy is there" in verdict_on(write_run, {"road": [80.0, 90.0]})


def test_agents_are_significant_when_there_are_several(write_run: WriteRun):
    one = write_run("one", config={"agent": {"name": "iql"}})
    other = write_run("other", config={"agent": {"name": "sac"}})
    runs = [with_scores(one, [50.0], [50.0, 80.0]), with_scores(other, [50.0], [50.0, 60.0])]
    verdict = comparison_verdict(compared(runs))
    assert "ROAD (IQL) ended best, at 80.0 (one seed), before ROAD (SAC) at 60.0" in verdict


def test_runs_of_other_settings_are_other_groups_named_by_what_differs(write_run: WriteRun):
    """Averaged, they would pass for seeds of one strategy."""
    settings = {"a": (0, 256), "b": (1, 256), "c": (0, 64)}
    folders = [
        with_scores(
            write_run(name, seed=seed, config={"batch_size": size}), [50.0], [50.0, 70.0 + size]
        )
        for name, (seed, size) in settings.items()
    ]
    groups = group(compared(folders))
    assert [(one.label, len(one.finals)) for one in groups] == [
        ("ROAD, batch_size 256", 2),
        ("ROAD, batch_size 64", 1),
    ]


def test_settings_beyond_those_that_are_named_still_make_another_group(write_run: WriteRun):
    """All differ in the three that are named first, or are distinguished by a number."""
    many = dict.fromkeys(("aa", "bb", "cc", "dd"), 1)
    others = {**many, "dd": 2}
    folders = [
        with_scores(write_run(str(index), config=config), [50.0], [50.0, 70.0])
        for index, config in enumerate([many, others, dict.fromkeys(many, 3)])
    ]
    labels = [one.label for one in compared(folders)]
    assert labels[0] == "ROAD, aa 1, bb 1, cc 1, and 1 more"
    assert labels[1] == "ROAD, aa 1, bb 1, cc 1, and 1 more (2)"
    assert len(set(labels)) == 3


def test_a_repeated_seed_and_an_unfinished_run_are_named_and_not_averaged(
    write_run: WriteRun, tmp_path: Path
):
    finals = {"one": (0, 80.0), "two": (1, 90.0), "again": (1, 10.0), "half": (2, 20.0)}
    folders = [
        with_scores(write_run(name, seed=seed), [50.0], [50.0, final])
        for name, (seed, final) in finals.items()
    ]
    for journal in ("metrics", "episodes", "mixer", "evaluations"):
        path = folders[-1] / f"{journal}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rewrite(folders[-1], journal, [row for row in rows if row["step"] <= 4000])
    found = compared(folders)
    (only,) = group(found)
    assert only.finals == [80.0, 90.0]
    assert left_out_words(found) == (
        "Shown, but left out of means and comparisons: again: the same settings and seed as two; "
        "half: not finished (4,000 of 10,000 online steps)."
    )
    page = write_report(folders, tmp_path / "report.html").read_text()
    assert left_out_words(found) in page
    assert "ROAD ended at 85.0 ± 7.1 (2 seeds)" in page


def test_a_group_of_unfinished_runs_has_no_mean(write_run: WriteRun):
    folder = with_scores(write_run(config={"online_steps": 99_999}), [50.0], [50.0, 60.0])
    assert comparison_verdict(compared([folder])) == (
        "On pointmaze-umaze-random no run has finished and been evaluated online yet."
    )
