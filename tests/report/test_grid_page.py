"""The page of a comparison: whole, explicit about what is missing, and visible in a browser."""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.test_report_browser import CHROMIUM, QUIET, Opened

from road.records.journal import Floats
from road.report.draw.curves import BEHIND, MethodCurves, Pretraining
from road.report.draw.matrix import STRONGEST
from road.report.grid.answers import answers_of
from road.report.grid.cells import Results
from road.report.grid.estimates import highlighted_methods, profiles_figure
from road.report.grid.page import write_grid_page
from road.report.grid.placed import Informed
from road.report.grid.results import GridResults
from road.statistics import ScoreTable, curve_band

METHODS = ("Fixed 0", "Fixed 0.1", "Fixed 0.3", "Uniform", "ROAD")
TASKS = ("antmaze-large-diverse", "pendulum")
FIGURES = [
    "scores", "regret", "tasks", "paired", "selection", "aggregates", "profiles", "improvement",
    "informed", "quality", "panels", "ratios", "dips", "command",
]  # fmt: skip
QUICK = 200


def results(gain: float = 0.0, seeds: int = 4) -> GridResults:
    """ROAD is better than every constant by ``gain``."""
    rng = np.random.default_rng(0)
    scores = rng.normal(50.0, 2.0, (len(TASKS), len(METHODS), seeds))
    scores[:, 4] += gain
    steps = np.linspace(0, 1000, 11)
    curves = []
    for place, name in enumerate(METHODS):
        each = scores[0, place][:, None] + rng.normal(0, 3, (seeds, 11))
        band = curve_band(each, rng, 100)
        curves.append(MethodCurves(name, steps, each, band.low, band.high))
    paper = Results(TASKS[:1], METHODS[:3], np.ones((1, 3)), np.full((1, 3), np.nan), (0, 1, 2))
    return GridResults(
        title="a grid",
        table=ScoreTable(TASKS, METHODS, tuple(range(seeds)), scores),
        fixed=(0, 1, 2),
        kinds={"fixed": (0, 1, 2), "uniform": (3,), "road": (4,)},
        command="road grid run table-iql --scale mini",
        paper=paper,
        curves={TASKS[0]: tuple(curves)},
        pretraining={TASKS[0]: Pretraining(steps, rng.normal(40, 2, (seeds, 11)))},
        ratios={TASKS[0]: rng.choice([0.0, 0.1, 0.3], (len(METHODS), seeds, 30))},
        steps={TASKS[0]: 1000.0},
        dips={TASKS[0]: np.abs(rng.normal(5, 2, (len(METHODS), seeds)))},
        informed=(
            Informed(
                "ROAD", runs=8, significant=3, epsilon_squared=0.41, equal=7, beyond_equal=0.02
            ),
        ),
        constants=(0.0, 0.1, 0.3),
        credits={task: favouring(seeds, constant=2) for task in TASKS},
    )


def favouring(seeds: int, constant: int) -> Floats:
    """Credits of ROAD that are greatest for one constant; the others have none."""
    credits = np.full((len(METHODS), seeds, 3), np.nan)
    credits[4] = np.eye(3)[constant]
    return credits


def headline(page: Path) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page.read_text())
    assert found is not None
    return found[1]


def page_of(given: GridResults, out: Path) -> Path:
    return write_grid_page(given, answers_of(given, QUICK), out)


@pytest.mark.parametrize(
    ("gain", "claim"),
    [
        (20.0, "ROAD is better than the best fixed ratio, however that one is chosen"),
        (-20.0, "ROAD is worse than the best fixed ratio, however that one is chosen"),
        (
            0.0,
            "ROAD is statistically indistinguishable from the best fixed ratio with these 4 seeds",
        ),
    ],
)
def test_the_headline_claims_what_both_regrets_bear(tmp_path: Path, gain: float, claim: str):
    page = page_of(results(gain), tmp_path / "report.html")
    assert headline(page).startswith(claim)


def test_the_same_results_are_the_same_bytes(tmp_path: Path):
    one, other = (page_of(results(), tmp_path / name).read_bytes() for name in "ab")
    assert one == other


def test_every_figure_is_there(tmp_path: Path):
    text = page_of(results(), tmp_path / "report.html").read_text()
    assert re.findall(r'<figure class="figure" data-figure="(\w+)"', text) == FIGURES
    assert "road grid run table-iql --scale mini" in text


def test_missing_runs_are_named_and_nothing_is_claimed(tmp_path: Path):
    whole = results(20.0)
    scores = whole.table.scores.copy()
    scores[1, 3, 2] = np.nan
    holed = replace(whole, table=replace(whole.table, scores=scores))
    page = page_of(holed, tmp_path / "report.html")
    assert "no claim is made yet about the best fixed ratio" in headline(page)
    text = page.read_text()
    assert "Runs that are missing: 1: pendulum, Uniform, seed 2." in text
    assert "Complete, to be reported on by themselves: --tasks " in text
    assert re.findall(r'<figure class="figure" data-figure="(\w+)"', text) == [
        "scores", "informed", "panels", "ratios", "dips", "command",
    ]  # fmt: skip


def test_a_grid_without_constants_has_no_regret(tmp_path: Path):
    page = page_of(replace(results(), fixed=()), tmp_path / "report.html")
    assert "there is no fixed ratio to compare with" in headline(page)
    assert '<figure class="figure" data-figure="regret"' not in page.read_text()
    assert 'data-figure="paired"' in page.read_text()


def test_a_grid_without_its_subject_says_so(tmp_path: Path):
    page = page_of(replace(results(), subject="Mine"), tmp_path / "report.html")
    assert headline(page) == "5 methods on 2 tasks, 4 seeds; Mine is not among them."


def test_one_seed_has_no_interval_and_no_star(tmp_path: Path):
    """Drawn from one score, every interval is that score: it would look like certainty."""
    given = results(seeds=1)
    page = page_of(given, tmp_path / "report.html")
    assert headline(page).startswith("5 methods on 2 tasks, 1 seed; one seed does not show")
    assert re.findall(r'<figure class="figure" data-figure="(\w+)"', page.read_text()) == [
        "scores", "informed", "panels", "ratios", "dips", "command",
    ]  # fmt: skip


def test_many_tasks_are_folded_and_those_that_do_not_fit_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    one = results()
    tasks = tuple(f"task {number}" for number in range(5))
    scores = np.repeat(one.table.scores[:1], 5, axis=0)
    many = replace(
        one,
        table=replace(one.table, tasks=tasks, scores=scores),
        curves=dict.fromkeys(tasks, one.curves[TASKS[0]]),
    )
    text = page_of(many, tmp_path / "report.html").read_text()
    assert text.count('<details class="run">') == 5
    monkeypatch.setattr("road.report.grid.page.LARGEST_PAGE", 50_000)
    text = page_of(many, tmp_path / "report.html").read_text()
    shown = text.count('<details class="run">')
    assert 0 < shown < 5
    assert f"The figures of {5 - shown} tasks were left out" in text


def test_the_numbers_can_be_taken_away(tmp_path: Path):
    whole = results()
    text = page_of(whole, tmp_path / "report.html").read_text()
    packed = re.search(r"base64,([\w+/=]+)", text)
    assert packed is not None
    numbers = json.loads(base64.b64decode(packed[1]))
    np.testing.assert_allclose(numbers["scores"], whole.table.scores)
    assert len(numbers["regret_held_out"]["mean"]) == len(METHODS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH to open pages with")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield opened
        opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_picture_is_visible(browser: Any, tmp_path: Path, width: int, scheme: str):
    page = page_of(results(), tmp_path / "report.html")
    opened = Opened(browser, page, width, scheme)
    assert len(opened.boxes("figure")) == len(FIGURES)
    plots = opened.boxes("svg.plot")
    assert len(plots) == 1 + 1 + 1 + 1 + len(METHODS) + 2 + 1
    for box in plots:
        assert box["width"] > 100 and box["height"] > 40
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.complaints == []
    assert opened.requests == [page.as_uri()]


def test_no_curve_is_filled(browser: Any, tmp_path: Path):
    """A path that the style sheet does not reach is drawn as a black shape."""
    page = page_of(results(), tmp_path / "report.html")
    fills = Opened(browser, page).page.evaluate(
        """() => [...document.querySelectorAll('path.curve, path.seed')].map(
            path => getComputedStyle(path).fill)"""
    )
    assert len(fills) > 20
    assert set(fills) == {"none"}


def long_names() -> GridResults:
    """Names like those of ``discriminate``, above and beside a matrix."""
    methods = ("Fixed 0", "ROAD", "ROAD standardised short", "Hypergradient pulled")
    scores = np.random.default_rng(0).normal(size=(1, 4, 3))
    table = ScoreTable(("pointmaze-umaze-random (no pretraining)",), methods, (0, 1, 2), scores)
    return GridResults("long names", table, (0,))


@pytest.mark.parametrize("given", [results(), long_names()], ids=["usual", "long"])
def test_names_are_not_cut_off(browser: Any, tmp_path: Path, given: GridResults):
    page = page_of(given, tmp_path / "report.html")
    opened = Opened(browser, page, width=400)
    outside = opened.page.evaluate(
        """() => [...document.querySelectorAll('.scroll')].flatMap(scroll => {
            const frame = scroll.getBoundingClientRect();
            return [...scroll.querySelectorAll('svg text')].filter(text => {
                const box = text.getBoundingClientRect();
                return box.left < frame.left - 0.5 || box.top < frame.top - 0.5
                    || box.bottom > frame.bottom + 0.5
                    || box.right > frame.left + scroll.scrollWidth + 0.5;
            }).map(text => text.textContent);
        })"""
    )
    assert outside == []


def test_the_names_of_a_wide_table_stay_in_sight(browser: Any, tmp_path: Path):
    page = page_of(long_names(), tmp_path / "report.html")
    for width, stays in ((720, True), (400, False)):  # on a phone they would cover the numbers
        wide = Opened(browser, page, width=width).page.locator(".scroll:has(tbody th)").first
        name = wide.locator("tbody th").first
        before = name.bounding_box()
        assert wide.evaluate("box => { box.scrollLeft = 50; return box.scrollLeft; }") == 50
        assert (name.bounding_box() == before) is stays


def test_numbers_in_a_matrix_can_be_read_in_light_and_dark(browser: Any, tmp_path: Path):
    """Ink against the strongest cell of the score matrix: a contrast of at least 4.5."""
    page = page_of(results(), tmp_path / "report.html")
    for scheme in ("light", "dark"):
        colours = Opened(browser, page, scheme=scheme).page.evaluate(
            """() => {
                const root = getComputedStyle(document.documentElement);
                return ['ink', 'surface', 'score', 'dip'].map(
                    name => root.getPropertyValue('--' + name).trim());
            }"""
        )
        ink, surface, *grounds = (
            np.array([int(each[at : at + 2], 16) for at in (1, 3, 5)]) / 255 for each in colours
        )
        for ground in grounds:
            assert contrast(ink, STRONGEST * ground + (1 - STRONGEST) * surface) > 4.5


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """By the rule of the W3C's guidelines on accessible content."""
    lights = []
    for colour in (one, other):
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        lights.append(float(linear @ [0.2126, 0.7152, 0.0722]))
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_of_many_profiles_those_that_stand_out_are_coloured_and_drawn_last():
    """Twelve methods: the first two are constants, the second of them the better one."""
    methods = ("Fixed 0", "Fixed 0.5", "ROAD", *(f"Other {index}" for index in range(9)))
    scores = np.arange(12.0)[None, :, None] + np.zeros((1, 12, 2))
    table = ScoreTable(("maze",), methods, (0, 1), scores)
    given = GridResults(title="many", table=table, fixed=(0, 1), kinds={"fixed": (0, 1)})
    assert highlighted_methods(given) == {"Other 8", "Fixed 0.5", "ROAD"}
    drawn = str(profiles_figure(given))
    curves = re.findall(r'class="curve[^"]*" style="stroke:([^"]*)"', drawn)
    assert [colour == BEHIND for colour in curves] == [True] * 9 + [False] * 3
    assert "the others" in drawn and "Other 3</span>" not in drawn
    assert "the best mean of a constant" in drawn
    assert "of a constant" not in str(profiles_figure(replace(given, fixed=(), kinds={})))
    few = replace(given, table=replace(table, methods=methods[:3], scores=scores[:, :3]))
    assert "the others" not in str(profiles_figure(few))
