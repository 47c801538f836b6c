"""The colours, each with one meaning everywhere: a blue line is about offline data on every page.

Hues follow Okabe and Ito, whose palette stays apart under the common colour deficiencies; dark
values are the same hues, lifted. Arms are ordered, so they get a ramp of falling lightness.
"""

import re
from collections.abc import Sequence

LIGHT = {
    "page": "#f7f7f4",
    "surface": "#ffffff",
    "ink": "#1c2024",
    "soft": "#5b636d",
    "rule": "#e2e3de",
    "grid": "#ecece8",
    "score": "#00795a",
    "offline": "#0067a6",
    "online": "#c24d00",
    "credit": "#8f4a86",
    "dip": "#e69f00",
    "heat": "#0067a6",
    "good": "#00795a",
    "warn": "#9a6200",
}
DARK = {
    "page": "#111417",
    "surface": "#191d22",
    "ink": "#e9ebed",
    "soft": "#a0a8b2",
    "rule": "#2c323a",
    "grid": "#262b32",
    "score": "#3dc79d",
    "offline": "#5eb4ee",
    "online": "#f5935a",
    "credit": "#d99bd0",
    "dip": "#e6b450",
    "heat": "#5eb4ee",
    "good": "#3dc79d",
    "warn": "#e6b450",
}
LIGHT_RAMP = ("#b8860b", "#6f9a2e", "#1f9a75", "#0f7d92", "#2f5d9b", "#4a3a86", "#3d1a54")
DARK_RAMP = ("#f2d24b", "#a9d64f", "#54cf8f", "#3fbcc4", "#6aa3ea", "#a08df0", "#cf8be6")
LIGHT_SERIES = (
    "#00795a", "#aa3377", "#b07d00", "#3f3fa8", "#4aa3c7", "#7d1d3f", "#6b7280", "#7a8f00"
)  # fmt: skip
DARK_SERIES = (
    "#3dc79d", "#ee7fb8", "#e6b450", "#9b9bf5", "#8fd3ee", "#d9738f", "#aab2bd", "#c5d24a"
)  # fmt: skip
"""Mixers side by side; none of them in the colours of offline and online."""
HUES = len(LIGHT_SERIES)
STROKES = ("", "dashed", "dotted")
"""Looks of a line, in the order in which they are taken."""


def arm_colour(rank: int, arms: int) -> str:
    """The arm's place on the ramp; few arms are spread over all of it."""
    last = len(LIGHT_RAMP) - 1
    return f"var(--arm-{round(rank * last / max(arms - 1, 1))})"


def series_colour(index: int) -> str:
    return f"var(--series-{index % HUES})"


def variables(
    colours: dict[str, str], ramp: tuple[str, ...], series: tuple[str, ...]
) -> dict[str, str]:
    named = dict(colours)
    named |= {f"arm-{index}": colour for index, colour in enumerate(ramp)}
    named |= {f"series-{index}": colour for index, colour in enumerate(series)}
    return named


def colour_rules() -> str:
    """CSS that follows the reader's own choice of light or dark."""
    light = declarations(variables(LIGHT, LIGHT_RAMP, LIGHT_SERIES))
    dark = declarations(variables(DARK, DARK_RAMP, DARK_SERIES))
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def declarations(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


def in_light_colours(text: str) -> str:
    """Variables replaced by the light colours, for viewers that know no CSS variables."""
    colours = variables(LIGHT, LIGHT_RAMP, LIGHT_SERIES)
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours.get(found[1], found[0]), text)


def method_colours(
    methods: Sequence[str], fixed: Sequence[int], subject: str = ""
) -> dict[str, str]:
    """Constants in the blue of offline data, the more of it the stronger; others a hue each.

    The subject of a comparison has the first hue, wherever it is in the list.
    """
    ordered = strategies_of(methods, fixed, subject)
    colours = {name: series_colour(place) for place, name in enumerate(ordered)}
    for place, index in enumerate(fixed):
        share = 100 if len(fixed) == 1 else round(40 + 60 * place / (len(fixed) - 1))
        colours[methods[index]] = f"color-mix(in srgb, var(--offline) {share}%, var(--surface))"
    return {name: colours[name] for name in methods}


def method_strokes(
    methods: Sequence[str], fixed: Sequence[int], subject: str = ""
) -> dict[str, str]:
    """Once all hues are taken, lines of the same hue differ by dashes, then by dots."""
    ordered = strategies_of(methods, fixed, subject)
    rounds = {name: place // HUES for place, name in enumerate(ordered)}
    return {name: STROKES[min(rounds.get(name, 0), len(STROKES) - 1)] for name in methods}


def strategies_of(methods: Sequence[str], fixed: Sequence[int], subject: str) -> list[str]:
    """Whatever is no constant, the subject first."""
    strategies = [name for index, name in enumerate(methods) if index not in fixed]
    return sorted(strategies, key=lambda name: name != subject)
