"""``road whatif``: which ratios other settings would have chosen in a finished run."""

import dataclasses
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import tyro

from road.cli.flags import parse_flags
from road.errors import UsageError
from road.mixing import RoadMixer
from road.report import load_run
from road.report.whatif import (
    described,
    lines,
    read_recorded,
    run_settings,
    what_if,
    write_what_if,
)

MOST_ROWS = 40


@dataclass(frozen=True)
class WhatIfFlags:
    """Replay the Δ_off and Δ_on of a finished run under other settings: choices only.

    Several values of a flag make several rows; what is not given is as the run had it.
    """

    run: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    exploration: tuple[float, ...] = ()
    """c: how much a ratio is favoured for having been tried little."""
    window: tuple[int | None, ...] = ()
    """tau: periods that count; None keeps them all."""
    penalty: tuple[float, ...] = ()
    """kappa: the weight of Δ_on in R_q."""
    scale: tuple[Literal["raw", "standardised"], ...] = ()
    """Unit of the credit."""
    trend: tuple[Literal["kept", "removed"], ...] = ()
    """Whether a drift that all ratios share stays in their means."""
    counts: tuple[Literal["windowed", "discounted"], ...] = ()
    """How old periods are forgotten."""
    discount: tuple[float, ...] = ()
    """gamma: what is left of a period's weight one later, where counts are discounted."""
    choice: tuple[Literal["ucb", "thompson"], ...] = ()
    """By upper confidence bounds, or by Thompson sampling."""
    arms: tuple[float, ...] = ()
    """The ratios to choose from, among those that the run has run; by default all of them."""
    out: Path | None = None
    """Where to write the page; by default whatif.html in the run folder."""


def run(words: list[str]) -> int:
    flags = parse_flags(WhatIfFlags, words, "whatif")
    record = load_run(flags.run)
    found = read_recorded(record)
    own = run_settings(record, found.arms)
    try:
        # What one choice does not hear makes no row of its own: c with Thompson sampling.
        mixers = list({described(mixer): mixer for mixer in asked_for(flags, own)}.values())
    except ValueError as wrong:
        raise UsageError(str(wrong)) from wrong
    answer = what_if(record, found, mixers)
    page = write_what_if(answer, flags.out or flags.run / "whatif.html")
    told = [*lines(answer), answer.notice, f"picture: {page}"]
    sys.stdout.write("".join(f"{line}\n" for line in told))
    return 0


def asked_for(flags: WhatIfFlags, own: RoadMixer) -> Iterable[RoadMixer]:
    """The run's own settings, changed by every combination of what was given."""
    if flags.arms:
        own = dataclasses.replace(own, arms=flags.arms)
    given = {
        "overestimation_penalty": flags.penalty,
        **{
            name: getattr(flags, name)
            for name in ("exploration", "window", "scale", "trend", "counts", "discount", "choice")
        },
    }
    changed = {name: values for name, values in given.items() if values}
    rows = list(product(*changed.values()))
    if len(rows) > MOST_ROWS:
        raise UsageError(f"{len(rows)} combinations are too many to read, at most {MOST_ROWS}")
    for values in rows:
        yield dataclasses.replace(own, **dict(zip(changed, values, strict=True)))
