"""The table of the guide is the one that its record gives."""

import json

from benchmarks import sb3_pendulum
from tests.integrations.conftest import ROOT


def test_the_table_of_the_pendulum_is_that_of_its_record():
    cells = json.loads(sb3_pendulum.RECORD.read_text())["cells"]
    assert sb3_pendulum.table(cells) in (ROOT / "docs" / "guides" / "sb3.md").read_text()
    names = {f"{name} s{seed}" for name in sb3_pendulum.STRATEGIES for seed in range(5)}
    assert set(cells) == names


def test_steps_to_the_goal_and_final_return_by_hand():
    """One curve reaches -300 at step 500 and ends at (-200 - 100) / 2; the other never does."""
    quick = {"curve": [[250, -900.0], [500, -300.0], [750, -200.0], [1000, -100.0]]}
    never = {"curve": [[250, -900.0], [500, -301.0], [750, -400.0], [1000, -350.0]]}
    cells = {
        f"{name} s{seed}": each
        for name in sb3_pendulum.STRATEGIES
        for seed, each in enumerate((quick, never))
    }
    line = "| ROAD | 500, never | −262 ± 159 |"
    assert line in sb3_pendulum.table(cells)
