"""Tables in the documents are those that the records give."""

import json
import math
import re
from pathlib import Path

import numpy as np
from benchmarks import adapting, coverage, grid, hypergradient, informed, learning
from benchmarks.sidebyside import run as sidebyside
from tests.docs.reading import DOCS, ROOT, prose

from road.report.grid.placed import TOO_HARSH, TOO_NARROW
from road.theory.recorded import recorded_runs


def test_the_table_of_learning_is_that_of_its_record():
    kept = json.loads(learning.RECORD.read_text())["agents"]
    assert learning.table(kept) in (DOCS / "agents" / "record.md").read_text()


def test_what_the_limitations_say_of_recorded_credits_is_what_they_say():
    spreads, times = [], []
    for run in recorded_runs():
        ratios, credits = np.array(run.ratios), np.array(run.credits)
        means = [credits[ratios == arm].mean() for arm in np.unique(ratios)]
        bonus = math.sqrt(2 * math.log(len(credits)) / (len(credits) / len(means)))
        assert (len(means), round(bonus, 1)) == (5, 0.9)
        spreads.append(np.ptp(means))
        times.append(bonus / spreads[-1])
    text = " ".join(prose(DOCS / "limitations.md").split())
    assert f"lay {min(spreads):.2f} to {max(spreads):.2f} apart" in text
    assert f"{min(times):.0f} to {max(times):.0f} times as much" in text


def test_the_readmes_figure_is_drawn_from_its_record(tmp_path: Path):
    drawn = adapting.draw(json.loads(adapting.RECORD.read_text()), tmp_path / "adapting.svg")
    assert drawn.read_bytes() == adapting.PICTURE.read_bytes()


def test_the_readme_says_where_the_ratios_of_its_figure_end():
    cells = json.loads(adapting.RECORD.read_text())["cells"]
    text = " ".join(prose(ROOT / "README.md").split())
    kept, dropped = (
        adapting.last(cells, task, "validated", "ratios")
        for task in ("pendulum-mixed", "pendulum-flipped")
    )
    assert f"ratio {kept:.2f} at the end, mean of three seeds" in text
    assert f"it drops them ({dropped:.2f})" in text
    assert len({cell["seed"] for cell in cells}) == 3


def test_intervals_in_the_readme_are_those_of_the_results():
    text = " ".join(prose(ROOT / "README.md").split())
    found = re.findall(r"(−?\d+\.\d) \((?:95 % interval )?(.*? to .*?)\)", text)
    pages = ("validated.md", "validated-again.md")
    texts = [(DOCS / "results" / name).read_text("utf-8") for name in pages]
    results = " ".join(" ".join(texts).split())
    assert len(found) == 5
    assert [each for each in found if f"{each[0]} ({each[1]})" not in results] == []


def test_the_table_of_the_hypergradient_is_that_of_its_record():
    kept = json.loads(hypergradient.RECORD.read_text())["cells"]
    assert hypergradient.table(kept) in (DOCS / "mixing" / "hypergradient.md").read_text()


def test_the_table_side_by_side_is_that_of_its_record():
    kept = json.loads(sidebyside.RECORD.read_text())["cells"]
    assert sidebyside.table(kept) in (DOCS / "agents" / "record.md").read_text()


def test_how_sure_intervals_are_is_what_was_measured():
    cells = json.loads(coverage.RECORD.read_text())["cells"]
    assert coverage.table(cells) in (DOCS / "statistics.md").read_text()
    held = {(cell["tasks"], cell["seeds"]): f"{cell['held']:.0%}" for cell in cells}
    expected = [held[tasks, seeds].replace("%", " %") for tasks in (1, 4) for seeds in (3, 5, 10)]
    worst = max(cell["worse"] for cell in cells)
    least = min(cell["worse"] for cell in cells)
    assert re.findall(r"\d+ %", TOO_NARROW)[1:] == expected
    assert f"claimed in {100 * least:.0f} to {100 * worst:.0f} %" in TOO_HARSH


def test_how_often_ignorant_credits_pass_is_what_was_measured():
    cells = json.loads(informed.RECORD.read_text())["cells"]
    assert informed.table(cells) in (DOCS / "mixing" / "informedness.md").read_text()


def test_how_often_ignorant_credits_are_taken_for_advice_is_what_was_measured():
    cells = json.loads(coverage.RECORD.read_text())["favoured"]
    assert coverage.favoured_table(cells) in (DOCS / "statistics.md").read_text()


def test_what_the_runner_costs_is_what_was_measured():
    record = json.loads(grid.RECORD.read_text())
    text = " ".join((DOCS / "experiments.md").read_text().split())
    lost = [100.0 * run["overhead"] for run in record["long"]]
    minutes = [run["wall_seconds"] / 60.0 for run in record["long"]]
    assert f"lost {min(lost):.1f} to {max(lost):.1f} %" in text
    assert f"{min(minutes):.0f} to {max(minutes):.0f} minutes" in text
    for name, unit in (("overhead", 100.0), ("speed_up", 1.0)):
        figure = {key: value * unit for key, value in record["figures"][name].items()}
        digits = 1 if name == "overhead" else 2
        least, most = (f"{figure[key]:.{digits}f}" for key in ("least", "most"))
        assert f"({least} to {most})" in text
