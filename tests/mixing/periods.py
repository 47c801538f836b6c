"""One period of a mixer, played by hand."""

from typing import Any

from road.mixing import Decision, Evidence, Mixer
from road.mixing.period import finish_period


def observe(
    mixer: Mixer[Any],
    state: Any,
    decision: Decision,
    evidence: Evidence,
    ratio_before: float | None = None,
) -> Any:
    """The mixer's state after a period that ended with that evidence."""
    return mixer.observe(state, finish_period(0, decision, evidence, ratio_before))
