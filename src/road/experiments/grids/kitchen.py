"""One row of the paper's main table on D4RL's genuine file, at a quarter of its cost.

D4RL's kitchen-complete, IQL with the paper's networks and settings, 250,000 steps in each phase
instead of a million. So it can be set beside the paper's row; its strategies are some of the
paper's and ``validated``.
"""

from road.experiments.grid import Case, Grid
from road.experiments.grids.mini import FEW_SEEDS
from road.experiments.grids.paper import ROAD, UNIFORM, VALIDATED, fixed

STEPS = 250_000
WINDOW = 250
"""Half of a run's 500 periods, as the paper's 1,000 are of its 2,000."""


def kitchen_complete(scale: str = "mini") -> Grid:
    """Of one size only; the file is D4RL's own, and has to be on this machine."""
    del scale
    return Grid(
        name="kitchen-complete",
        about="The paper's row on D4RL's genuine kitchen file, with a quarter of its steps.",
        cases=(
            Case(
                "kitchen-complete",
                run={"offline_steps": STEPS, "online_steps": STEPS},
                mixers={"road": {"window": WINDOW}},
            ),
        ),
        strategies=(*fixed(0.0, 0.1, 0.3, 0.5), UNIFORM, ROAD, VALIDATED),
        seeds=FEW_SEEDS,
    )
