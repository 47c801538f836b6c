"""The guide to data names what there is, and the page of a card can be looked at."""

import shutil
from dataclasses import fields
from pathlib import Path

import pytest
from tests.data.samples import sample, write_hdf5

from road.cli import main
from road.cli.data import ACTIONS
from road.cli.data.source import ReadingFlags
from road.data.load import SOURCES, STORED

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "data.md"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def test_the_guide_names_every_source_action_and_flag() -> None:
    text = GUIDE.read_text("utf-8")
    assert [name for name in (*SOURCES, STORED) if f"`{name}:" not in text] == []
    assert [name for name in ACTIONS if f"road data {name}" not in text] == []
    assert [each.name for each in fields(ReadingFlags) if f"`{each.name}`" not in text] == []


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH to open pages with")
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_of_a_card_is_visible_and_does_not_scroll_sideways(
    tmp_path: Path, width: int
) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    source, path = write_hdf5(tmp_path / "log.hdf5", sample()), tmp_path / "page.html"
    assert main(["data", "check", f"file:{source}", "--out", str(path)]) == 0
    complaints: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(path.as_uri())
        boxes = [each.bounding_box() for each in page.query_selector_all("svg.plot")]
        assert len(boxes) == 6
        assert all(box["width"] > 100 and box["height"] > 100 for box in boxes)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
    assert complaints == []
