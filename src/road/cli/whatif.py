"""``road whatif``: which ratios other settings would have chosen in a finished run."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import tyro

from road.cli.flags import parse_flags
from road.errors import UsageError
from road.mixing import RoadMixer, ValidatedMixer
from road.records.reader import RunRecord, load_run
from road.report.run import whatif, whatif_errors
from road.terminal import say

MOST_ROWS = 40
Settings = TypeVar("Settings", RoadMixer, ValidatedMixer)
ROAD_FLAGS = {
    "penalty": "overestimation_penalty",
    **{name: name for name in ("exploration", "window", "scale", "arms")},
}
"""The field of ``RoadMixer`` that each flag changes."""
PROBE_FLAGS = {
    "preference": "offline_preference",
    **{name: name for name in ("bellman_weight", "return_weight", "discount", "ratios")},
}
"""The field of ``ValidatedMixer`` that each flag changes."""


@dataclass(frozen=True)
class WhatIfFlags:
    """Replay what a finished run recorded under other settings: choices only.

    A run with probes is replayed on their errors, any other on its Δ_off and Δ_on. Several values
    of a flag make several rows; what is not given is as the run had it.
    """

    run: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    exploration: tuple[float, ...] = ()
    """c: UCB exploration coefficient."""
    window: tuple[int | None, ...] = ()
    """tau: periods that count; None keeps them all."""
    penalty: tuple[float, ...] = ()
    """kappa: the weight of Δ_on in R_q."""
    scale: tuple[Literal["raw", "standardised"], ...] = ()
    """Unit of the credit."""
    arms: tuple[float, ...] = ()
    """The ratios to choose from, among those that the run has run; by default all of them."""
    bellman_weight: tuple[float, ...] = ()
    """How sharply weights follow the log Bellman error of the probes."""
    return_weight: tuple[float, ...] = ()
    """How sharply weights follow their log distance from the observed return."""
    preference: tuple[float, ...] = ()
    """Log error by which a ratio of 1 may exceed a ratio of 0 and weigh the same."""
    discount: tuple[float, ...] = ()
    """Weight of an interval relative to the one after it."""
    ratios: tuple[float, ...] = ()
    """The probes to follow, among those that the run had; by default all of them."""
    out: Path | None = None
    """Where to write the page; by default whatif.html in the run folder."""


def whatif_command(words: list[str]) -> int:
    flags = parse_flags(WhatIfFlags, words, "whatif")
    record = load_run(flags.run)
    out = flags.out or flags.run / "whatif.html"
    answer = replay_credits if record.probes is None else replay_probes
    say("".join(f"{line}\n" for line in answer(flags, record, out)))
    return 0


def replay_credits(flags: WhatIfFlags, record: RunRecord, out: Path) -> list[str]:
    refuse(flags, PROBE_FLAGS, "has no probes")
    found = whatif.read_recorded(record)
    own = whatif.run_settings(record, found.arms)
    asked = asked_for(own, given(flags, ROAD_FLAGS), whole="arms")
    # What changes no choice makes no row of its own.
    mixers = list({whatif.describe_settings(mixer): mixer for mixer in asked}.values())
    answer = whatif.what_if(record, found, mixers)
    page = whatif.write_what_if(answer, out)
    return [*whatif.lines(answer), answer.notice, f"picture: {page}"]


def replay_probes(flags: WhatIfFlags, record: RunRecord, out: Path) -> list[str]:
    refuse(flags, ROAD_FLAGS, "follows probes")
    own = whatif_errors.probe_settings(record)
    mixers = asked_for(own, given(flags, PROBE_FLAGS), whole="ratios")
    answer = whatif_errors.what_if_errors(record, mixers)
    page = whatif_errors.write_page(answer, out)
    return [*whatif_errors.lines(answer), whatif_errors.EXACT, f"picture: {page}"]


def refuse(flags: WhatIfFlags, others: Mapping[str, str], why: str) -> None:
    """A flag of the other kind of mixer would change nothing."""
    if meant := [name for name in others if getattr(flags, name)]:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in meant)
        raise UsageError(f"{flags.run} {why}: {named} would change nothing in it")


def given(flags: WhatIfFlags, names: Mapping[str, str]) -> dict[str, tuple[Any, ...]]:
    """The values to try, by field of the mixer."""
    return {field: values for name, field in names.items() if (values := getattr(flags, name))}


def asked_for(own: Settings, changed: dict[str, tuple[Any, ...]], whole: str) -> Sequence[Settings]:
    """The run's own settings, changed by every combination of what was given.

    The values of ``whole`` are one setting together.
    """
    try:
        if whole in changed:
            own = dataclasses.replace(own, **{whole: changed.pop(whole)})
        return list(combinations(own, changed))
    except ValueError as wrong:
        raise UsageError(str(wrong)) from wrong


def combinations(own: Settings, changed: Mapping[str, tuple[Any, ...]]) -> Iterable[Settings]:
    rows = list(product(*changed.values()))
    if len(rows) > MOST_ROWS:
        raise UsageError(f"{len(rows)} combinations are too many to read, at most {MOST_ROWS}")
    for values in rows:
        yield dataclasses.replace(own, **dict(zip(changed, values, strict=True)))
