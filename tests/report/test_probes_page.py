"""The page of a run with probes: what it shows in place of credits, and what its sentence says."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from road.mixing import Controller, ValidatedMixer
from road.report import load_run, summarise, write_report
from road.report.run.probes import discounted_means

WriteRun = Callable[..., Path]


def page_of(folder: Path) -> str:
    return write_report([folder], folder / "report.html").read_text()


def kinds(page: str) -> list[str]:
    return re.findall(r'<figure[^>]*data-figure="(\w+)"', page)


def test_probes_take_the_place_of_credits_and_arms(write_probed: WriteRun):
    page = page_of(write_probed(slope=2.0))
    assert kinds(page)[1:3] == ["probes", "chosen"]
    assert not {"informed", "arms", "heatmap"} & set(kinds(page))
    words = re.sub(r"<[^>]*>", " ", page.partition("<main")[2])
    for misleading in ("bonus", "pulls", " arm", "redit"):
        assert misleading not in words, misleading


def test_advantages_are_drawn_where_they_were_measured(write_probed: WriteRun):
    folder = write_probed()
    assert "signals" not in kinds(page_of(folder))
    lines = [json.loads(line) for line in (folder / "mixer.jsonl").read_text().splitlines()]
    rows = [{**row, "offline_advantage": 0.1, "online_advantage": 0.2} for row in lines]
    (folder / "mixer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "this one follows its probes instead" in page_of(folder)


def test_other_mixers_keep_their_figures(write_run: WriteRun):
    assert {"informed", "arms", "heatmap"} <= set(kinds(page_of(write_run())))


@pytest.mark.parametrize(
    ("slope", "settings", "says"),
    [
        (2.0, {}, "support m = 0: the logs are misleading here (errors at m = 0.9 are 6"),
        (-2.0, {}, "support m = 0.9: offline data helps until the end (errors at m = 0.9 are 0.1"),
        (0.0, {}, "show no clear preference (errors at m = "),
        (0.4, {"offline_preference": 0.6}, "show no clear preference (errors at m = 0.9 are 1.4"),
        (0.4, {"offline_preference": 0.0}, "support m = 0: the logs are misleading here"),
    ],
)
def test_the_sentence_is_the_verdict_s_the_figure_s_and_the_summary_s(
    write_probed: WriteRun, slope: float, settings: dict[str, float], says: str
):
    folder = write_probed(slope=slope, **settings)
    summary, page = summarise(load_run(folder)), page_of(folder)
    assert summary.support is not None
    assert f"fresh transitions {says}" in summary.support.sentence
    assert f"; {summary.support.sentence.partition(' (')[0]}." in summary.verdict
    assert page.count(f"resh transitions {says.partition(' (')[0]}") >= 2
    assert f"resh transitions {says}" in page
    assert json.loads(json.dumps(asdict(summary)))["support"]["sentence"]
    assert summary.informedness is None


def test_errors_weights_and_choices_are_drawn(write_probed: WriteRun):
    page = page_of(write_probed(slope=2.0, return_weight=4.0))
    labels = re.findall(r'aria-label="([^"]+)"', page)
    assert any(label.startswith("Bellman error of every probe") for label in labels)
    assert any(label.startswith("error of the return of every probe") for label in labels)
    assert any(label.startswith("Weight of every ratio") for label in labels)
    assert any(label.startswith("Offline ratio chosen for every interval") for label in labels)
    assert "followed with weight 4" in page
    assert "not followed, its weight is 0" in page_of(write_probed("other"))


def test_discounted_means_are_those_that_the_mixer_follows():
    """(0.5 · 1 + 3) / 1.5; the interval in between was not judged."""
    errors = np.array([[1.0, -1.0], [math.nan, math.nan], [3.0, -3.0]])
    assert discounted_means(errors, 0.5).tolist() == [
        [1.0, -1.0],
        [1.0, -1.0],
        pytest.approx([3.5 / 1.5, -3.5 / 1.5]),
    ]


def test_a_controller_s_folder_has_the_same_figures(tmp_path: Path):
    controller, rng = Controller(ValidatedMixer(interval=4)), np.random.default_rng(0)
    for _ in range(40):
        errors = np.exp(2.0 * np.array(controller.probe_ratios)) * rng.lognormal(0, 0.1, (4, 5))
        controller.observe_errors(errors)
    folder = controller.save(tmp_path / "loop")
    assert {"probes", "chosen"} <= set(kinds(page_of(folder)))
    assert "the logs are misleading here" in summarise(load_run(folder)).verdict


def test_a_run_of_few_intervals_says_so(write_probed: WriteRun):
    folder = write_probed()
    lines = (folder / "mixer.jsonl").read_text().splitlines(keepends=True)
    (folder / "mixer.jsonl").write_text("".join(lines[:3]))
    assert "3 intervals with errors of the probes are too few to say" in page_of(folder)


@pytest.mark.parametrize(
    "damage",
    [
        {"bellman": [1.0, 2.0], "return": None},
        {"bellman": [1, 1, 1, 1, -1], "return": "none"},
        {"bellman": [1, 1, 1, 1, 1e300]},
        "none",
        None,
    ],
)
def test_damaged_errors_are_left_out(write_probed: WriteRun, damage: object):
    folder = write_probed(slope=2.0)
    lines = [json.loads(line) for line in (folder / "mixer.jsonl").read_text().splitlines()]
    lines[20]["probe_errors"] = damage
    (folder / "mixer.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    record = load_run(folder)
    assert record.probes is not None
    assert np.isfinite(record.probes.errors["bellman"]).all(axis=1).sum() == 49
    assert "the logs are misleading here" in page_of(folder)


def test_errors_are_recorded_for_other_programs_too(write_probed: WriteRun):
    probes = load_run(write_probed(slope=1.0)).probes
    assert probes is not None
    assert probes.errors["bellman"].shape == (50, 5)
    assert np.isfinite(probes.errors["return"]).all(axis=1).sum() == 16
