"""A page on which ratios other settings of ``validated`` would have chosen in a finished run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from road.errors import UsageError
from road.files import write_text
from road.mixing import ValidatedMixer
from road.mixing.whatif_errors import RecordedErrors, recorded_errors, replay_errors
from road.records.journal import Floats
from road.records.naming import part_of, run_name, shorten
from road.records.reader import RunRecord
from road.records.summary import TENTHS
from road.report.draw.axes import Scale, Timeline, y_axis
from road.report.draw.document import document, figure, header, notice, numbers_to_take, panel
from road.report.draw.downsample import downsample
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import hover_strips, line, plot, stretch
from road.report.draw.tables import table

EXACT = (
    "The probes were judged on every transition whatever ratio was chosen, so on the recorded "
    "errors these choices are exact. The errors are those of this run: at other ratios the main "
    "learner would have collected other transitions, the probes would have trained on them, and "
    "its scores are not known."
)
HEIGHT = 130.0
MOST_POINTS = 200


@dataclass(frozen=True)
class RatioPath:
    """The ratios that some settings choose, interval by interval."""

    name: str
    ratios: tuple[float, ...]
    tenths: tuple[float, ...]
    """Mean ratio in each tenth of the intervals, or in each interval where they are fewer."""
    distance: float
    """Mean absolute difference from the ratio that was really chosen."""


@dataclass(frozen=True)
class WhatIfErrors:
    """The path of a run, and those of other settings on the same errors."""

    run: str
    steps: tuple[float, ...]
    """When each interval ended."""
    paths: tuple[RatioPath, ...]
    """The first is what really ran."""


def read_errors(run: RunRecord) -> RecordedErrors:
    try:
        if run.probes is None:
            raise ValueError("no errors of probes were recorded")
        return recorded_errors(run.probes.ratios, run.probes.errors)
    except ValueError as nothing:
        raise UsageError(f"{run.folder} cannot be replayed: {nothing}") from None


def probe_settings(run: RunRecord) -> ValidatedMixer:
    """The settings that the run had."""
    settings = part_of(run.config, "mixer")
    known = {field.name for field in fields(ValidatedMixer)}
    own: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in settings.items()
        if name in known
    }
    try:
        return ValidatedMixer(**own)
    except (TypeError, ValueError) as wrong:
        raise UsageError(f"the settings of {run.folder} cannot be replayed: {wrong}") from wrong


def what_if_errors(run: RunRecord, mixers: Sequence[ValidatedMixer]) -> WhatIfErrors:
    """Replay a run under several settings."""
    found, ran, steps = read_errors(run), run.periods["offline_ratio"], run.periods["step"]
    if not (np.isfinite(ran).all() and np.isfinite(steps).all()):
        raise UsageError(f"{run.folder} cannot be replayed: its mixer.jsonl is damaged")
    try:
        chosen = [np.array(replay_errors(found, mixer)) for mixer in mixers]
    except ValueError as wrong:
        raise UsageError(f"{run.folder} cannot be replayed so: {wrong}") from None
    names = ["as it ran", *(describe(mixer, found.ratios) for mixer in mixers)]
    pairs = zip(names, [ran, *chosen], strict=True)
    paths = tuple(path_of(name, ratios, ran) for name, ratios in pairs)
    return WhatIfErrors(run_name(run), tuple(steps.tolist()), paths)


def path_of(name: str, ratios: Floats, ran: Floats) -> RatioPath:
    parts = np.array_split(ratios, min(TENTHS, len(ratios)))
    tenths = tuple(float(part.mean()) for part in parts)
    return RatioPath(name, tuple(ratios.tolist()), tenths, float(np.abs(ratios - ran).mean()))


def describe(mixer: ValidatedMixer, ratios: Sequence[float]) -> str:
    """The settings that a replay depends on, in a line; the probes if they are not all there."""
    some = "" if mixer.ratios == ratios else f", {' '.join(f'{each:g}' for each in mixer.ratios)}"
    return (
        f"Bellman {mixer.bellman_weight:g}, return {mixer.return_weight:g}, "
        f"preference {mixer.offline_preference:g}, discount {mixer.discount:g}{some}"
    )


def lines(answer: WhatIfErrors) -> list[str]:
    """The table for a terminal."""
    width = max(len(path.name) for path in answer.paths)
    head = "mean ratio by tenths of the run"
    columns = 5 * len(answer.paths[0].tenths) - 1
    shown = [f"{'':{width}}  {head:{columns}}  from the run's"]
    for path in answer.paths:
        tenths = " ".join(f"{tenth:.2f}" for tenth in path.tenths)
        shown.append(f"{path.name:{width}}  {tenths:{len(head)}}  {path.distance:.2f}")
    return shown


def write_page(answer: WhatIfErrors, out: Path) -> Path:
    """One self-contained page; it appears whole or not at all."""
    write_text(out, document(f"{shorten(answer.run, 80)} · what if", page(answer)))
    return out


def page(answer: WhatIfErrors) -> Iterable[Markup]:
    title = f"Which ratios other settings would have chosen in {shorten(answer.run, 120)}"
    yield header("ROAD what-if", title, notice(EXACT))
    count = len(answer.paths[0].tenths)
    head = ["Settings", *(f"{index + 1}" for index in range(count)), "from the run's"]
    rows = [
        [path.name, *(f"{tenth:.2f}" for tenth in path.tenths), f"{path.distance:.2f}"]
        for path in answer.paths
    ]
    words = "Mean ratio in each tenth of the run, and the mean distance from the ratio that ran."
    yield figure("How much offline data", words, table(head, rows), kind="whatif-tenths")
    seen = "The ratio of every interval, and behind it, in grey, the one that really ran."
    panels = [panel([tag("b", path.name)], path_plot(path, answer)) for path in answer.paths]
    yield figure("Which ratio, when", seen, *panels, kind="whatif")
    taken = {path.name: path.ratios for path in answer.paths}
    yield numbers_to_take({"step": answer.steps, **taken}, "whatif.json")


def path_plot(path: RatioPath, answer: WhatIfErrors) -> Markup:
    timeline, scale = Timeline(0.0, max(answer.steps)), Scale(0.0, 1.0, HEIGHT)
    steps = np.array(answer.steps)
    ran, own = (
        downsample(steps, np.array(each.ratios), MOST_POINTS) for each in (answer.paths[0], path)
    )
    looks = [(ran, "trace reading"), (own, "trace offline")]
    drawn = [line(timeline.place("online", one.x), scale(one.mean), look) for one, look in looks]
    x = timeline.place("online", own.x)
    return plot(
        HEIGHT,
        *y_axis(scale, 4),
        *timeline.axis(HEIGHT),
        stretch(HEIGHT, *drawn),
        *hover_strips(x, HEIGHT, own.hovers("Offline ratio by step")),
        label=f"Offline ratio over time with {path.name}, in the end {path.ratios[-1]:.2f}",
    )
