"""Publish a grid's results: one page, one figure and one table of cells.

    python -m benchmarks.results GRID_FOLDER docs/results/NAME.md [--without TASK ...]
    python -m benchmarks.results --rewrite docs/results/NAME.md ...
    python -m benchmarks.results --findings docs/results/NAME.md [--score area] [--without TASK ...]
    python -m benchmarks.results --pack GRID_FOLDER FILE
    python -m benchmarks.results --unpack FILE GRID_FOLDER
    python -m benchmarks.results --compare docs/results/NAME.md GRID_FOLDER

The first writes NAME.csv (every cell) and NAME.svg (the figure of ``road grid report``), and in
NAME.md the parts between generated markers: what the grid took, and its findings. The rest of the
page is written by hand and kept. ``--rewrite`` writes the generated parts again from NAME.csv
alone, for instance after a change of wording; ``--findings`` prints another view of them: by area,
or without some tasks.

``--pack`` makes an archive of every finished cell's result and journals, without metrics, episodes
and weights; ``--unpack`` makes a grid's folder of it again, with which ``road grid run --resume``
goes on: no finished cell is run again, and data and pretrained agents are made again when a
missing cell needs them. ``--compare`` is for cells that were run again in a folder of their own,
on another machine or by a later tree: it tells whether they have the same scores to the last digit,
and the same bits, as those of a page or of another grid's folder.
"""

import argparse
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cells import findings_of, own_notes, read_cells, write_cells
from benchmarks.provenance import describe, finished_cells, provenance_table
from road.experiments.store import Store

Row = dict[str, Any]
PARTS = ("provenance", "findings")
"""The generated parts of a page, in their order."""
BEGIN, END = "<!-- begin generated {} -->", "<!-- end generated {} -->"
ABOUT = re.compile(r"^<!-- about: (.*) -->$", re.MULTILINE)
"""The numbers of a page that are not in its table, as JSON in a comment."""
NEW_PAGE = "# {}\n\n## What it took\n\n{}\n## Tables\n\n![Figure of the report]({}.svg)\n\n{}"
KEPT = ("config.json", "meta.json", "evaluations.jsonl", "mixer.jsonl", "sessions.jsonl")
"""Of a run; its metrics and episodes are not packed."""


def publish(store: Path, page: Path, without: Sequence[str] = ()) -> None:
    """Every finished cell is counted; table, figure and findings are on the complete seeds."""
    earlier = read_about(page)["made_by"] if page.exists() else []
    about = describe(store, finished_cells(store), earlier)
    grid = Store(store).description()
    asked = [cell for cell in grid["cells"] if cell["seed"] in about["seeds"]]
    check_tasks(without, asked)
    results = write_cells(Store(store), asked, page.with_suffix(".csv"))
    about |= {"grid": grid["name"], "scale": grid["scale"], "subject": results.subject}
    about |= {"without": list(without), "notes": own_notes(results)}
    with tempfile.TemporaryDirectory() as folder:
        words = ["grid", "report", str(store), "--to", folder, "--seeds", *map(str, about["seeds"])]
        subprocess.run([sys.executable, "-m", "road.cli", *words], check=True)
        shutil.copyfile(Path(folder) / "figure.svg", page.with_suffix(".svg"))
        reported = (Path(folder) / "findings.md").read_text()
    if reported != findings_of(read_cells(page.with_suffix(".csv")), about):
        raise SystemExit(
            f"{page.with_suffix('.csv')} gives other findings than the runs of {store}"
        )
    write_page(page, about)


def check_tasks(without: Sequence[str], asked: list[Row]) -> None:
    known = list(dict.fromkeys(cell["case"] for cell in asked))
    for task in without:
        if task not in known:
            raise SystemExit(f"unknown task {task!r}: known: {', '.join(known)}")


def rewrite(page: Path) -> None:
    write_page(page, read_about(page))


def write_page(page: Path, about: Row) -> None:
    parts = generated_parts(page, about)
    if page.exists():
        text = page.read_text()
        for part, content in parts.items():
            text = text.replace(find_part(text, part), content)
    else:
        text = NEW_PAGE.format(page.stem, parts["provenance"], page.stem, parts["findings"])
    page.write_text(text)


def generated_parts(page: Path, about: Row) -> dict[str, str]:
    """Each with its markers, as the page must have it."""
    kept = f"<!-- about: {json.dumps(about, ensure_ascii=False)} -->\n\n"
    found = findings_of(read_cells(page.with_suffix(".csv")), about)
    contents = (kept + provenance_table(about), found)
    return {
        part: f"{BEGIN.format(part)}\n{content}\n{END.format(part)}\n"
        for part, content in zip(PARTS, contents, strict=True)
    }


def find_part(text: str, part: str) -> str:
    begin, end = BEGIN.format(part), f"{END.format(part)}\n"
    if begin not in text or end not in text:
        raise SystemExit(f"the page has no lines {begin!r} and {end.strip()!r}")
    return text[text.index(begin) : text.index(end) + len(end)]


def read_about(page: Path) -> Row:
    found = ABOUT.search(page.read_text())
    if found is None:
        raise SystemExit(f"{page} has no line '<!-- about: ... -->': publish its grid again")
    return json.loads(found[1])


def pack(store: Path, out: Path) -> None:
    with tarfile.open(out, "w:xz") as archive:
        for path in packed_files(store, [cell["key"] for cell in finished_cells(store)]):
            add(archive, path.relative_to(store), path.read_text(), str(store.absolute()))


def packed_files(store: Path, cells: list[str]) -> Iterator[Path]:
    yield store / "grid.json"
    for key in cells:
        yield from (store / folder / f"{key}.json" for folder in ("jobs", "done"))
        yield from filter(Path.exists, (store / "runs" / key / name for name in KEPT))


def add(archive: tarfile.TarFile, name: Path, text: str, folder: str) -> None:
    """The same files give the same archive, wherever the folder lies."""
    content = text.replace(f"{folder}/", "").encode()
    entry = tarfile.TarInfo(str(name))
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def unpack(file: Path, store: Path) -> None:
    if store.exists():
        raise SystemExit(f"{store} exists already")
    store.mkdir(parents=True)
    with tarfile.open(file) as archive:
        archive.extractall(store, filter="data")


def compare(published: Path, store: Path) -> None:
    """Exit with 1 if a cell has other scores than the published one; bits are counted beside them.

    A digest covers weights, buffer and journals, but also the layout of checkpoints: cells of trees
    with different layouts can only be compared by their scores, which are exact numbers.
    """
    theirs = known_cells(published)
    again = {cell["key"]: cell for cell in known_cells(store).values() if cell["key"] in theirs}
    if not again:
        raise SystemExit(f"{store} has no cell of those in {published}")
    same = [key for key, cell in again.items() if cell["digest"] == theirs[key]["digest"]]
    other = sorted(key for key, cell in again.items() if scores(cell) != scores(theirs[key]))
    print(f"{len(again) - len(other)} of {len(again)} cells have the same scores")
    print(
        f"{len(same)} of {len(again)} cells have the same bits, in checkpoints of the same layout"
    )
    if other:
        raise SystemExit(f"other scores: {', '.join(other)}")


def known_cells(published: Path) -> dict[str, Row]:
    """Every cell by its key: of a grid's folder, or of the table beside a page."""
    folder = published.is_dir()
    cells = finished_cells(published) if folder else read_cells(published.with_suffix(".csv"))
    return {cell["key"]: cell for cell in cells if cell["digest"]}


def scores(cell: Row) -> tuple[float, float]:
    """Final score and area, of a cell's result or of its row in a table."""
    final = cell["summary"]["final"] if "summary" in cell else cell["final"]
    return float(final), float(cell["area"])


def parse_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("paths", nargs="*", type=Path, metavar="GRID_FOLDER PAGE")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--rewrite", nargs="+", type=Path, metavar="PAGE")
    how.add_argument("--findings", type=Path, metavar="PAGE")
    how.add_argument("--pack", nargs=2, type=Path, metavar=("GRID_FOLDER", "FILE"))
    how.add_argument("--unpack", nargs=2, type=Path, metavar=("FILE", "GRID_FOLDER"))
    how.add_argument("--compare", nargs=2, type=Path, metavar=("PAGE", "GRID_FOLDER"))
    parser.add_argument("--score", choices=("final", "area"), default="final")
    parser.add_argument("--without", nargs="+", default=[], metavar="TASK")
    return parser.parse_args()


def main() -> None:
    flags = parse_flags()
    if flags.rewrite:
        for page in flags.rewrite:
            rewrite(page)
    elif flags.findings:
        cells = read_cells(flags.findings.with_suffix(".csv"))
        print(findings_of(cells, read_about(flags.findings), flags.score, flags.without))
    elif paths := flags.pack or flags.unpack or flags.compare:
        first, second = paths
        act = pack if flags.pack else unpack if flags.unpack else compare
        act(first, second)
    elif len(flags.paths) == 2:
        store, page = flags.paths
        publish(store, page, flags.without)
    else:
        raise SystemExit("give GRID_FOLDER and PAGE; --help shows every form")


if __name__ == "__main__":
    main()
