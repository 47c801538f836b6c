"""A page on which ratios other settings would have chosen in a finished run."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from road.errors import UsageError
from road.files import write_text
from road.mixing import RoadMixer
from road.mixing.registry import without_retired
from road.mixing.whatif import Recorded, recorded, replay
from road.records.credits import CREDITS, credit_words, kappa_of
from road.records.journal import number, numbers
from road.records.naming import part_of, run_name, shorten
from road.records.reader import RunRecord
from road.report.draw.document import document, figure, header, notice, numbers_to_take, panel
from road.report.draw.heatmap import choices_map, tally_of
from road.report.draw.markup import Markup, tag
from road.report.draw.tables import table

ONLY_CHOICES = (
    "These are choices only, credited with R_q. The agent would have been another one at other "
    "ratios, and its scores at them are not known. A ratio that was not run in a period is "
    "credited with what the run recorded for it around that time, on a straight line between its "
    "nearest two periods."
)
OTHER_CREDIT = (
    "The run itself was credited with something else ({credit}), so with its own settings, too, a "
    "replay may choose otherwise than it did."
)


@dataclass(frozen=True)
class Choice:
    """One line of the answer: some settings, and the ratios that they choose."""

    name: str
    ratios: tuple[float, ...]
    shares: tuple[float, ...]
    """Of the arms, lowest first."""
    agreement: float
    """In which share of the periods the choice is the one that was really made."""


@dataclass(frozen=True)
class WhatIf:
    """What a run chose, and what other settings would have chosen."""

    run: str
    arms: tuple[float, ...]
    choices: tuple[Choice, ...]
    """The first is what really ran."""
    credit: str
    """What the run was credited with; a replay uses R_q."""

    @property
    def notice(self) -> str:
        """What the answer is, and what it is not."""
        if self.credit == CREDITS["surrogate"].symbol:
            return ONLY_CHOICES
        return f"{ONLY_CHOICES} {OTHER_CREDIT.format(credit=self.credit)}"


def run_settings(run: RunRecord, arms: Sequence[float]) -> RoadMixer:
    """The run's own settings where it was ROAD's, else the paper's, over the ratios that it ran."""
    settings = part_of(run.config, "mixer")
    own: dict[str, object] = {}
    if settings.get("name") == "road":
        own["overestimation_penalty"] = kappa_of(settings.get("overestimation_penalty"))
        exploration = number(settings.get("exploration"))
        if not math.isnan(exploration):
            own["exploration"] = exploration
        if "scale" in settings:
            own["scale"] = settings["scale"]
        if "window" in settings:
            window = number(settings["window"])
            own["window"] = None if math.isnan(window) else int(window)
    ordered = [arm for arm in numbers(settings.get("arms")) if arm in arms] or arms
    try:
        without_retired(str(settings.get("name")), dict(settings))
        return RoadMixer(arms=tuple(ordered), **own)  # pyright: ignore[reportArgumentType] -- checked by the class
    except ValueError as wrong:
        raise UsageError(f"the settings of {run.folder} cannot be replayed: {wrong}") from wrong


def read_recorded(run: RunRecord) -> Recorded:
    columns = (
        run.periods[name] for name in ("offline_ratio", "offline_advantage", "online_advantage")
    )
    try:
        return recorded(*columns)
    except ValueError as nothing:
        raise UsageError(f"{run.folder} cannot be replayed: {nothing}") from None


def what_if(run: RunRecord, found: Recorded, mixers: Sequence[RoadMixer]) -> WhatIf:
    """Replay a run under several settings."""
    seed = number(run.config.get("seed"))
    try:
        chosen = [replay(found, mixer, 0 if math.isnan(seed) else int(seed)) for mixer in mixers]
    except ValueError as wrong:
        raise UsageError(f"{run.folder} cannot be replayed so: {wrong}") from None
    names = ["as it ran", *(describe_settings(mixer) for mixer in mixers)]
    rows = [found.ratios.tolist(), *chosen]
    pairs = zip(names, rows, strict=True)
    choices = tuple(judge_choice(name, row, found) for name, row in pairs)
    return WhatIf(run_name(run), found.arms, choices, credit_words(run).symbol)


def judge_choice(name: str, ratios: Sequence[float], found: Recorded) -> Choice:
    chosen = np.array(ratios)
    shares = tuple(float((chosen == arm).mean()) for arm in found.arms)
    return Choice(name, tuple(ratios), shares, float((chosen == found.ratios).mean()))


def describe_settings(mixer: RoadMixer) -> str:
    """The settings that a replay depends on, in a line."""
    parts = [f"κ = {mixer.overestimation_penalty:g}", f"τ = {mixer.window or 'all'}"]
    parts += [f"c = {mixer.exploration:g}"]
    parts += [mixer.scale] if mixer.scale != "raw" else []
    return ", ".join(parts)


def lines(answer: WhatIf) -> list[str]:
    """The table for a terminal."""
    width = max(len(choice.name) for choice in answer.choices)
    head = [f"m = {arm:g}" for arm in answer.arms]
    columns = [max(len(name), 4) for name in head]
    first = " ".join(name.rjust(wide) for name, wide in zip(head, columns, strict=True))
    shown = [f"{'':{width}}  {first}  as the run"]
    for choice in answer.choices:
        cells = zip(choice.shares, columns, strict=True)
        shares = " ".join(f"{share:.0%}".rjust(wide) for share, wide in cells)
        shown.append(f"{choice.name:{width}}  {shares}  {choice.agreement:>10.0%}")
    return shown


def write_what_if(answer: WhatIf, out: Path) -> Path:
    """One self-contained page; it appears whole or not at all."""
    write_text(out, document(f"{shorten(answer.run, 80)} · what if", page(answer)))
    return out


def page(answer: WhatIf) -> Iterable[Markup]:
    title = f"Which ratios other settings would have chosen in {shorten(answer.run, 120)}"
    yield header("ROAD what-if", title, notice(answer.notice))
    head = ["Settings", *(f"m = {arm:g}" for arm in answer.arms), "as the run"]
    rows = [
        [choice.name, *(f"{share:.0%}" for share in choice.shares), f"{choice.agreement:.0%}"]
        for choice in answer.choices
    ]
    words = "Share of the periods for each ratio, and how often the choice is the run's own."
    yield figure("How often each ratio", words, table(head, rows), kind="whatif-shares")
    seen = "A row per ratio, time to the right; the stronger the colour, the more of those periods."
    panels = [
        panel([tag("b", choice.name)], choices_map(tally_of(np.array(choice.ratios), answer.arms)))
        for choice in answer.choices
    ]
    yield figure("Which ratio, when", seen, *panels, kind="whatif")
    yield numbers_to_take({choice.name: choice.ratios for choice in answer.choices}, "whatif.json")
