"""The page as text: hostile names, size, and what it must and must not hold."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from road.report import load_run, summarise, write_figure, write_report
from road.report.run.sections import tally

WriteRun = Callable[..., Path]

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "'\" onmouseover='alert(1)",
    "</title></style><iframe src=//example.org>",
    "\u202egnp.exe",
    "\ud800 lone surrogate",
    "\x00\x1b[31m control",
    "var(--nothing)",
    "&lt;b&gt; &amp;",
    "x" * 10_000,
]


class Structure(HTMLParser):
    """Elements with the names of their attributes, and the values of those that come from us."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = [(name, value if name in {"class", "style", "d"} else "") for name, value in attrs]
        self.elements.append((tag, said))

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(f"/{tag}")


def structure(page: str) -> list[Any]:
    reader = Structure()
    reader.feed(page)
    return reader.elements


def named(write_run: WriteRun, name: str, folder: str, mixer: str = "road") -> Path:
    """A run in which every text that a user could choose is the given one."""
    made = write_run(folder, mixer)
    for file in ("config.json", "meta.json"):
        content = json.loads((made / file).read_text())
        (made / file).write_text(json.dumps(renamed(content, name)))
    metrics = made / "metrics.jsonl"
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    rows = [{**row, f"~/{name}": 1.0, "note": name} for row in rows]
    metrics.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


def renamed(content: Any, name: str) -> Any:
    if isinstance(content, dict):
        return {key: renamed(value, name) for key, value in content.items()}
    return name if isinstance(content, str) else content


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_changes_no_element(write_run: WriteRun, tmp_path: Path, name: str):
    plain = write_report([named(write_run, "plain", "a")], tmp_path / "plain.html")
    hostile = write_report([named(write_run, name, "b")], tmp_path / "hostile.html")
    assert structure(hostile.read_text()) == structure(plain.read_text())
    assert hostile.stat().st_size < 2_000_000


@pytest.mark.parametrize("name", [*HOSTILE[:4], HOSTILE[-1]])
def test_nor_does_it_in_a_comparison(write_run: WriteRun, tmp_path: Path, name: str):
    def compare(name: str, suffix: str) -> str:
        folders = [named(write_run, name, f"{mixer}{suffix}", mixer) for mixer in ("road", "fixed")]
        return write_report(folders, tmp_path / f"{suffix}.html").read_text()

    assert structure(compare(name, "hostile")) == structure(compare("plain", "plain"))


def test_an_unknown_metric_name_that_is_markup_is_text(write_run: WriteRun, tmp_path: Path):
    page = write_report([named(write_run, HOSTILE[0], "b")], tmp_path / "report.html").read_text()
    assert "~/&lt;/script&gt;&lt;img" in page
    assert "<img" not in page
    assert "<script" not in page


def test_hidden_characters_are_shown_as_such(write_run: WriteRun, tmp_path: Path):
    page = write_report(
        [write_run(meta={"name": "\u202eabc"})], tmp_path / "report.html"
    ).read_text()
    assert "\ufffdabc" in page
    assert "\u202e" not in page


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_leaves_the_picture_well_formed(
    write_run: WriteRun, tmp_path: Path, name: str
):
    write_figure(named(write_run, name, "run"), tmp_path / "figure.svg")
    root = ElementTree.fromstring((tmp_path / "figure.svg").read_text())
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        *("svg", "style", "rect", "text", "line", "path", "circle", "title")
    }


def test_the_picture_needs_no_variables_and_is_drawn_on_white(write_run: WriteRun, tmp_path: Path):
    write_figure(write_run(), tmp_path / "figure.svg")
    picture = (tmp_path / "figure.svg").read_text()
    assert "var(--" not in picture
    assert '<rect width="960"' in picture
    assert 'fill="#ffffff"' in picture


def test_a_long_run_fits_in_two_megabytes(write_run: WriteRun, tmp_path: Path):
    """A million steps: 1e5 rows of metrics, 5000 periods, 1000 evaluations, 10 000 episodes."""
    folder = write_run(config={"offline_steps": 1_000_000, "online_steps": 1_000_000})
    copies = {"metrics": 500, "mixer": 100, "evaluations": 50, "episodes": 150}
    for journal, times in copies.items():
        lines = (folder / f"{journal}.jsonl").read_text()
        (folder / f"{journal}.jsonl").write_text(lines * times)
    assert (folder / "metrics.jsonl").read_text().count("\n") == 100_000
    assert write_report([folder], tmp_path / "report.html").stat().st_size < 400_000


def test_many_runs_fit_in_two_megabytes_and_all_are_named(write_run: WriteRun, tmp_path: Path):
    folders = [write_run(f"run-{seed}", seed=seed) for seed in range(18)]
    page = write_report(folders, tmp_path / "report.html").read_text()
    assert len(page.encode()) < 2_000_000
    assert all(f">run-{seed}<" in page for seed in range(18))
    left_out = int(re.search(r"figures of (\d+) runs were left out", page)[1])  # pyright: ignore[reportOptionalSubscript] -- a missing match fails the test
    assert page.count('class="run"') == 18 - left_out


def test_many_arms_are_thinned_out(write_run: WriteRun, tmp_path: Path):
    folder = write_run()
    ratios = [index / 400 for index in range(400)]
    arms = {"ratios": ratios, "means": ratios, "bonuses": ratios, "counts": [1] * 400}
    row = {"steps": 1, "realised_ratio": 0.5, "credit": 0.1, "arms": arms}
    rows = [{**row, "step": i, "offline_ratio": ratios[i]} for i in range(400)]
    (folder / "mixer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = write_report([folder], tmp_path / "report.html").read_text()
    assert "12 of 400 arms are shown" in page
    assert len(page) < 400_000


def test_the_heatmap_by_hand(write_run: WriteRun):
    """200 periods in 100 columns of two: the first holds 0.1 twice, the second 0.1 and 0.5."""
    folder = write_run()
    chosen = [0.1, 0.1, 0.1, 0.5] * 50
    rows = [{"step": i, "offline_ratio": ratio, "credit": 0.0} for i, ratio in enumerate(chosen)]
    (folder / "mixer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    choices = tally(load_run(folder))
    assert choices.names == ["0.1", "0.2", "0.3", "0.4", "0.5"]
    assert choices.shares.shape == (5, 100)
    assert choices.shares[:, 0].tolist() == [1, 0, 0, 0, 0]
    assert choices.shares[:, 1].tolist() == [0.5, 0, 0, 0, 0.5]
    assert choices.total.tolist() == [0.75, 0, 0, 0, 0.25]
    assert choices.span(1) == "periods 2 to 3"


def test_the_page_is_sealed(write_run: WriteRun, tmp_path: Path):
    page = write_report([write_run()], tmp_path / "report.html").read_text()
    policy = "default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;; img-src data:"
    assert f'http-equiv="Content-Security-Policy" content="{policy}"' in page
    assert not re.search(r"https?://|@import|<script|<link|<iframe|\son\w+=", page)


def test_the_verdict_comes_first_and_the_command_last(write_run: WriteRun, tmp_path: Path):
    folder = write_run()
    page = write_report([folder], tmp_path / "report.html").read_text()
    verdict = summarise(load_run(folder)).verdict.replace("'", "&#x27;")
    command = "road train pointmaze-umaze-random --agent iql --mixer road --seed 0"
    order = [page.index(f"<h1>{verdict}</h1>"), page.index("<figure"), page.index(command)]
    assert order == sorted(order)
    assert page.rindex("<figure") < page.index(command)
    assert "road 0.1.0 · python 3.11.7 · jax 0.10.0" in page


@pytest.mark.parametrize("mixer", ["road", "fixed", "uniform", "decreasing"])
def test_every_figure_is_named_for_those_who_cannot_see_it(
    write_run: WriteRun, tmp_path: Path, mixer: str
):
    page = write_report([write_run(mixer=mixer)], tmp_path / "report.html").read_text()
    plots = re.findall(r'<svg class="plot"[^>]*>', page)
    assert len(plots) >= 12
    assert all(re.search(r'role="img" aria-label="[^"]{10,}"', plot) for plot in plots)


def test_the_same_run_makes_the_same_page(write_run: WriteRun, tmp_path: Path):
    folder = write_run()
    first = write_report([folder], tmp_path / "first.html").read_bytes()
    assert write_report([folder], tmp_path / "second.html").read_bytes() == first


def test_reporting_loads_no_heavy_package():
    program = (
        "import sys, road.report; "
        "heavy = {'jax', 'gymnasium', 'matplotlib', 'equinox'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
