"""Which ratios other settings of ``validated`` would choose, on the errors that a grid recorded.

    python -m benchmarks.replay FOLDER --bellman-weight 10 5 --return-weight 0 20 \
        --preference 0 0.25 0.5 1

Reads every finished cell whose mixer has probes; nothing is written. A setting that is not given is
as the cells had it, and several values of a flag make several rows. A cell of the table is the mean
over seeds of the mean ratio over the last half of the online phase, with the standard deviation
between seeds. Below it, the mean log error of every probe over the same intervals, relative to
their mean.

The choices are those that these settings make on these errors. With other choices the main learner
would have collected other transitions; a table says which settings deserve a run, not how they
score.
"""

import argparse
import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from road.experiments.store import Store
from road.mixing import ValidatedMixer
from road.mixing.probe_errors import JUDGES, relative_log_errors
from road.mixing.whatif_errors import RecordedErrors, replay_errors
from road.records.reader import RunRecord, load_run, measure_progress
from road.report.run.whatif_errors import probe_settings, read_errors

FLAGS = {
    "bellman_weight": "--bellman-weight",
    "return_weight": "--return-weight",
    "offline_preference": "--preference",
    "discount": "--discount",
}
SHORT = {"bellman_weight": "B", "return_weight": "R", "offline_preference": "p", "discount": "d"}
AS_IT_RAN = "as it ran"


@dataclass(frozen=True)
class Cell:
    """A finished run of a grid."""

    case: str
    strategy: str
    seed: int
    run: RunRecord
    errors: RecordedErrors

    @property
    def late(self) -> np.ndarray:
        """Which intervals began in the last half of the online phase."""
        began = self.run.periods["step"] - self.run.periods["steps"]
        return began >= measure_progress(self.run).online_steps_planned / 2

    def mean_ratio(self, ratios: Sequence[float]) -> float:
        return float(np.array(ratios)[self.late].mean())

    def mean_logs(self, judge: str) -> np.ndarray:
        """Of every probe, relative to the mean over the probes; NaN without any judgement."""
        logs = [
            relative_log_errors(judge, each, len(self.errors.ratios))
            for late, errors in zip(self.late, self.errors.intervals, strict=True)
            if late and (each := errors.get(judge)) is not None
        ]
        return np.mean(logs, axis=0) if logs else np.full(len(self.errors.ratios), np.nan)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    for flag in FLAGS.values():
        parser.add_argument(flag, type=float, nargs="+", default=[])
    parser.add_argument("--ratios", type=float, nargs="+", help="some of the probes only")
    parser.add_argument("--strategy", help="cells of this strategy only")
    asked = parser.parse_args()
    given = {name: getattr(asked, flag[2:].replace("-", "_")) for name, flag in FLAGS.items()}
    cells = [cell for cell in read_cells(asked.folder) if asked.strategy in (None, cell.strategy)]
    if not cells:
        raise SystemExit(f"{asked.folder} has no finished cell with errors of probes")
    for strategy in dict.fromkeys(cell.strategy for cell in cells):
        own = [cell for cell in cells if cell.strategy == strategy]
        print(f"{strategy}: mean ratio over the last half of the phase\n")
        print(table(ratio_rows(own, given, asked.ratios)))
        print(f"\n{strategy}: mean relative log error over the last half of the phase\n")
        print(table(error_rows(own)), end="\n\n")


def read_cells(folder: Path) -> list[Cell]:
    """The finished cells whose run recorded errors of probes."""
    store = Store(folder)
    done = [cell for cell in store.entered() if store.is_done(cell["key"])]
    runs = [(cell, load_run(folder / "runs" / cell["key"])) for cell in done]
    return [
        Cell(cell["case"], cell["strategy"], cell["seed"], run, read_errors(run))
        for cell, run in runs
        if run.probes is not None
    ]


def ratio_rows(
    cells: Sequence[Cell], given: dict[str, list[float]], ratios: Sequence[float] | None
) -> Iterable[list[str]]:
    cases = list(dict.fromkeys(cell.case for cell in cells))
    yield ["", *(f"{case} (n = {sum(each.case == case for each in cells)})" for case in cases)]
    ran = [cell.mean_ratio(cell.run.periods["offline_ratio"].tolist()) for cell in cells]
    yield [AS_IT_RAN, *by_case(cells, cases, ran)]
    for changes in combinations(given):
        chosen = [cell.mean_ratio(replayed(cell, changes, ratios)) for cell in cells]
        yield [describe(changes), *by_case(cells, cases, chosen)]


def combinations(given: dict[str, list[float]]) -> Iterable[dict[str, float]]:
    """Every combination of what was given; two weights of 0 follow nothing."""
    changed = {name: values for name, values in given.items() if values}
    for values in product(*changed.values()):
        changes = dict(zip(changed, values, strict=True))
        if changes.get("bellman_weight") != 0.0 or changes.get("return_weight") != 0.0:
            yield changes


def replayed(
    cell: Cell, changes: dict[str, float], ratios: Sequence[float] | None
) -> Sequence[float]:
    own = probe_settings(cell.run)
    settings: dict[str, Any] = {**changes, **({"ratios": tuple(ratios)} if ratios else {})}
    mixer: ValidatedMixer = dataclasses.replace(own, **settings)
    return replay_errors(cell.errors, mixer)


def describe(changes: dict[str, float]) -> str:
    return " ".join(f"{SHORT[name]}={value:g}" for name, value in changes.items()) or "replayed"


def by_case(cells: Sequence[Cell], cases: Sequence[str], values: Sequence[float]) -> list[str]:
    groups = [
        [value for cell, value in zip(cells, values, strict=True) if cell.case == case]
        for case in cases
    ]
    return [
        f"{np.mean(group):.2f}" + (f" ± {np.std(group, ddof=1):.2f}" if len(group) > 1 else "")
        for group in groups
    ]


def error_rows(cells: Sequence[Cell]) -> Iterable[list[str]]:
    ratios = cells[0].errors.ratios
    yield ["", *(f"{judge} {ratio:g}" for judge in JUDGES for ratio in ratios)]
    for case in dict.fromkeys(cell.case for cell in cells):
        own = [cell for cell in cells if cell.case == case]
        logs = [np.mean([cell.mean_logs(judge) for cell in own], axis=0) for judge in JUDGES]
        yield [case, *(f"{value:+.2f}" for value in np.concatenate(logs))]


def table(rows: Iterable[list[str]]) -> str:
    """Markdown, its columns aligned."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


if __name__ == "__main__":
    main()
