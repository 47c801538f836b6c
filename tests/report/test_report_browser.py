"""The page in a real browser: all of it visible, no complaint, no sideways scrolling."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from road.report import write_figure, write_report

WriteRun = Callable[..., Path]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
FIGURES = ["curve", "heatmap", "signals", "informed", "arms", "training", "settings", "origin"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH to open pages with")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield opened
        opened.close()


class Opened:
    """A page from disk, with everything it complained about or asked the network for."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def boxes(self, selector: str) -> list[dict[str, float]]:
        return [element.bounding_box() for element in self.page.query_selector_all(selector)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_figure_is_visible(
    browser: Any, write_run: WriteRun, tmp_path: Path, width: int, scheme: str
):
    path = write_report([write_run()], tmp_path / "report.html")
    opened = Opened(browser, path, width, scheme)
    kinds = [
        element.get_attribute("data-figure") for element in opened.page.query_selector_all("figure")
    ]
    assert kinds == FIGURES
    plots = opened.boxes("svg.plot")
    assert len(plots) == 1 + 2 + 3 + 1 + 3 + 7
    for box in [*plots, *opened.boxes("figure"), *opened.boxes(".tiles > div")]:
        assert box["width"] > 100
        assert box["height"] > 50
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.complaints == []
    assert opened.requests == [path.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_figure_of_a_run_with_probes_is_visible(
    browser: Any, write_probed: WriteRun, tmp_path: Path, width: int, scheme: str
):
    path = write_report([write_probed(slope=2.0)], tmp_path / "report.html")
    opened = Opened(browser, path, width, scheme)
    kinds = [
        element.get_attribute("data-figure") for element in opened.page.query_selector_all("figure")
    ]
    assert kinds == ["curve", "probes", "chosen", "training", "settings", "origin"]
    for box in [*opened.boxes("svg.plot"), *opened.boxes("figure")]:
        assert box["width"] > 100
        assert box["height"] > 50
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    for box in opened.boxes('[data-figure="probes"] svg.plot text'):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    titles, plots = (
        opened.boxes('[data-figure="probes"] .panel-title'),
        opened.boxes('[data-figure="probes"] svg.plot'),
    )
    below = [box["y"] + box["height"] + 36 for box in plots]
    assert all(under <= title["y"] for under, title in zip(below, titles[1:], strict=False))
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.complaints == []
    assert opened.requests == [path.as_uri()]


def test_dark_is_dark_and_light_is_light(browser: Any, write_run: WriteRun, tmp_path: Path):
    path = write_report([write_run()], tmp_path / "report.html")

    def lightness(scheme: str, selector: str, what: str) -> float:
        page = Opened(browser, path, scheme=scheme).page
        colour = page.eval_on_selector(selector, f"element => getComputedStyle(element).{what}")
        return sum(int(part) for part in colour[4:-1].split(",")) / 3

    assert lightness("light", "body", "backgroundColor") > 200
    assert lightness("dark", "body", "backgroundColor") < 50
    assert lightness("light", ".tick", "fill") < 128 < lightness("dark", ".tick", "fill")


def test_text_in_plots_stays_inside_the_page_and_readable(
    browser: Any, write_run: WriteRun, tmp_path: Path
):
    path = write_report([write_run()], tmp_path / "report.html")
    opened = Opened(browser, path, width=400)
    for box in opened.boxes("svg.plot text"):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400
        assert box["height"] >= 10


def test_values_are_shown_on_hover(browser: Any, write_run: WriteRun, tmp_path: Path):
    opened = Opened(browser, write_report([write_run()], tmp_path / "report.html"))
    strip = opened.page.query_selector('[data-figure="curve"] .strip:last-of-type')
    assert "online step 10k: score" in strip.text_content()
    strip.hover()
    assert strip.evaluate("element => getComputedStyle(element).fillOpacity") == "0.06"


def test_several_runs_are_compared(browser: Any, write_run: WriteRun, tmp_path: Path):
    folders = [write_run(mixer, mixer) for mixer in ("road", "fixed", "decreasing")]
    opened = Opened(browser, write_report(folders, tmp_path / "report.html"), width=400)
    assert opened.page.text_content("h1").startswith("On pointmaze-umaze-random, ")
    assert len(opened.boxes(".run[open]")) == 3
    assert all(box["height"] > 20 for box in opened.boxes("svg.plot"))
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
    assert opened.complaints == []


def test_many_runs_are_folded_and_open_when_asked(
    browser: Any, write_run: WriteRun, tmp_path: Path
):
    folders = [write_run(f"run-{seed}", seed=seed) for seed in range(4)]
    opened = Opened(browser, write_report(folders, tmp_path / "report.html"))
    assert opened.boxes(".run[open]") == []
    opened.page.click(".run:nth-of-type(2) > summary")
    assert opened.page.is_visible('.run:nth-of-type(2) [data-figure="arms"] svg')


def test_hostile_names_do_nothing(browser: Any, write_run: WriteRun, tmp_path: Path):
    attack = '</script></title><img src=x onerror=alert(1)>"><svg/onload=alert(2)>' + "x" * 10_000
    folder = write_run(
        meta={"name": attack, "command": attack, "versions": {attack: attack}},
        config={"task": attack, "seed": attack, attack: attack},
    )
    opened = Opened(browser, write_report([folder], tmp_path / "report.html"), width=400)
    assert opened.page.query_selector_all("img, script") == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
    assert opened.complaints == []


def test_the_numbers_can_be_saved(browser: Any, write_run: WriteRun, tmp_path: Path):
    opened = Opened(browser, write_report([write_run()], tmp_path / "report.html"))
    with opened.page.expect_download() as download:
        opened.page.click("a[download]")
    assert (
        '"verdict": "Fine-tuning made no clear change to IQL'
        in Path(download.value.path()).read_text()
    )


def test_the_standalone_picture_is_drawn(browser: Any, write_run: WriteRun, tmp_path: Path):
    write_figure(write_run(), tmp_path / "figure.svg")
    opened = Opened(browser, tmp_path / "figure.svg")
    plots = opened.boxes("svg.plot")
    assert [box["x"] >= 0 and box["x"] + box["width"] <= 960 for box in plots] == [True, True]
    assert plots[0]["y"] + plots[0]["height"] < plots[1]["y"]
    assert opened.complaints == []


def test_long_numbers_stay_inside_their_cards(browser: Any, write_run: WriteRun, tmp_path: Path):
    """Raw returns may have any size; the narrowest phone is the hardest."""
    folder = write_run(config={"own": {"env": "Goal-v0", "data": "file:log.hdf5"}})
    journal = folder / "evaluations.jsonl"
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    rows = [{**row, "score": -1e4 - 317.0 * row["score"]} for row in rows]
    journal.write_text("".join(json.dumps(row) + "\n" for row in rows))
    opened = Opened(browser, write_report([folder], tmp_path / "report.html"), width=340)
    shown = opened.page.evaluate(LEAVING)
    assert shown == []


LEAVING = """() => [...document.querySelectorAll('figure, .tiles, .tiles > div')].flatMap(card => {
  const edge = card.getBoundingClientRect();
  const words = [...card.querySelectorAll('svg.plot text, dd, dt')];
  return words.filter(word => !word.closest('.scroll')).filter(word => {
    const box = word.getBoundingClientRect();
    const beside = box.left < edge.left || box.right > edge.right;
    return box.width && (beside || box.bottom > edge.bottom);
  }).map(word => word.textContent);
})"""
"""Texts that leave the card in which they are."""
