"""What a run is called: its task, agent, mixer and seed, as a person would write them."""

import math

from road.records.journal import Row, number, part_of
from road.records.reader import RunRecord

AGENTS = {
    **{
        name: name.upper() for name in ("iql", "sac", "cql", "pex", "rlpd", "proto", "awac", "wsrl")
    },
    "cal-ql": "Cal-QL",
}
MIXERS = {"road": "ROAD"}
"""Names that are not merely capitalised."""
OPTIONS = {
    "credit": ("reversed", "change", "fresh-error", "next-return"),
    "scale": ("standardised",),
}
"""Settings of ROAD that are not the paper's."""
LONGEST_TEXT = 240
"""Names longer than this are cut: a page is read by people."""


def text_of(settings: Row, key: str, default: str) -> str:
    """A setting that should be a short text."""
    value = settings.get(key)
    return str(value) if isinstance(value, str | int | float) else default


def task_name(run: RunRecord) -> str:
    return text_of(run.config, "task", "an unnamed task")


def agent_name(run: RunRecord) -> str:
    name = text_of(part_of(run.config, "agent"), "name", "the agent")
    return AGENTS.get(name, name)


def mixer_name(run: RunRecord) -> str:
    """ROAD, Uniform, Fixed 0.5: two runs share a name if they share a strategy."""
    settings = part_of(run.config, "mixer")
    name = text_of(settings, "name", "the mixer")
    ratio = number(settings.get("offline_ratio"))
    constant = "" if math.isnan(ratio) or name != "fixed" else f" {ratio:g}"
    options = options_of(settings) if name == "road" else []
    listed = f" ({', '.join(options)})" if options else ""
    return kind_name(name) + constant + listed


def kind_name(mixer: str) -> str:
    """A kind of mixer, whatever its settings."""
    return MIXERS.get(mixer, mixer.capitalize())


def options_of(settings: Row) -> list[str]:
    """The settings that are not the paper's, as words: next-return, standardised."""
    return [str(settings[name]) for name, values in OPTIONS.items() if settings.get(name) in values]


def seed_name(run: RunRecord) -> str:
    return text_of(run.config, "seed", "?")


def run_name(run: RunRecord) -> str:
    return text_of(run.meta, "name", run.folder)


def shorten(text: str, limit: int = LONGEST_TEXT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
