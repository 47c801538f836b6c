"""What a foreign loop pays for its controller, per period and per step."""

from collections.abc import Callable, Mapping
from itertools import cycle

from benchmarks.window import Candidate, repeating, serve
from road.mixing import Controller, RoadMixer

LONG = 10_000
"""Periods that have ended before; the window of 1000 is long full by then."""
AT_ONCE = 100
"""Calls between two looks at the clock."""
CREDITS = [0.01 * (number * 37 % 101) for number in range(101)]
"""Different ones, in no order."""


def prepare() -> Mapping[str, Candidate]:
    return {
        "controller-period": repeating(ending_periods(0)),
        "controller-period-long": repeating(ending_periods(LONG)),
        "controller-step": repeating(counting_rows()),
    }


def ending_periods(before: int) -> Callable[[], int]:
    controller, credit = Controller(RoadMixer()), cycle(CREDITS)
    for _ in range(before):
        controller.end_period(offline_advantage=next(credit), online_advantage=0.5)

    def work() -> int:
        for _ in range(AT_ONCE):
            controller.end_period(offline_advantage=next(credit), online_advantage=0.5)
        del controller.history[before:]  # or it would be longer on a faster machine
        return AT_ONCE

    return work


def counting_rows() -> Callable[[], int]:
    controller = Controller(RoadMixer())

    def work() -> int:
        for _ in range(AT_ONCE):
            controller.offline_count(256)
        return AT_ONCE

    return work


if __name__ == "__main__":
    serve(prepare, ("numpy",))
