"""What the credits of runs say of the ratios that are constants too."""

from collections.abc import Sequence

import numpy as np

from road.mixing.informedness import MOST_ARMS, arm_effects
from road.report.grid_placed import Axes, Judged
from road.report.heard import heard
from road.report.journal import Floats, number
from road.report.naming import part_of


def constants_of(finished: Sequence[Judged], axes: Axes, fixed: Sequence[int]) -> tuple[float, ...]:
    found = {
        run.method: number(part_of(run.record.config, "mixer").get("offline_ratio"))
        for run, _ in finished
    }
    return tuple(found[axes.methods[index]] for index in fixed)


def credits_of(pairs: Sequence[Judged], axes: Axes, constants: Sequence[float]) -> Floats:
    """``[method, seed, constant]``: what periods with that ratio add to the credits of a run."""
    credits = np.full((len(axes.methods), len(axes.seeds), len(constants)), np.nan)
    for run, _ in pairs:
        ratio, credit = heard(run.record.periods)
        if len(np.unique(ratio)) > MOST_ARMS:
            continue
        ratios, effects = arm_effects(ratio, credit)
        at = axes.methods.index(run.method), axes.seeds.index(run.seed)
        for place, constant in enumerate(constants):
            if (there := np.isclose(ratios, constant)).any():
                credits[*at, place] = effects[there][0]
    return credits
