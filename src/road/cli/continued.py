"""``road continue``: another round of fine-tuning, from a batch of logs without an environment."""

import dataclasses
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from road.api.display import finish, watching
from road.cli.flags import parse_flags
from road.training.process import prepare_jax


@dataclass(frozen=True)
class Continue:
    """Fine-tune a run's agent on a new log, with no environment.

    The new rows arrive in the order of the log as the online source; the data of the run are the
    offline source, and its mixer chooses the ratio. Nothing is rolled out, so no return is
    measured: the agent is judged by statistics of the logged rows alone.
    """

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder whose agent goes on, pretrained or fine-tuned."""
    data: str
    """The new log: a file, or a source such as file:PATH or minari:ID."""
    out: Path | None = None
    """Run folder of this round; by default the run's own with -round2, -round3, ... behind it."""
    old_data: str | None = None
    """Source of the data that the run was trained on, if they moved or were given in Python."""
    updates_per_step: int | None = None
    """Mini-batches trained on per new row; by default as in the run."""
    period: int | None = None
    """Rows for which the mixer keeps a ratio; by default as in the run, at most a tenth of them."""
    seed: int | None = None
    """Seed of this round; by default that of the run."""
    best: bool = False
    """Go on from the checkpoint of the best evaluation instead of the newest one."""
    action_units: Literal["environment", "unit"] = "environment"
    """Units of the actions in the new log where it does not say so itself."""


def continue_command(words: list[str]) -> int:
    flags = parse_flags(Continue, words, "continue")
    prepare_jax()
    from road.training.continued import continued_plan, round_config
    from road.training.launch import start_run
    from road.training.replay_log import new_rows

    unit = flags.action_units == "unit"
    data, old = source_of(flags.data), None if flags.old_data is None else source_of(flags.old_data)
    plan = continued_plan(flags.folder, data, best=flags.best, unit=unit, old_data=old)
    assert plan.log is not None
    rows = len(new_rows(plan.log, plan.task))
    names = ("updates_per_step", "period", "seed")
    given = {name: value for name in names if (value := getattr(flags, name)) is not None}
    plan = dataclasses.replace(plan, config=round_config(plan.config, rows, given))
    out = flags.out or next_folder(flags.folder)
    with watching(out) as notify:
        start_run(plan, out, shlex.join(["road", "continue", *words]), notify)
    finish(out)
    return 0


def source_of(named: str) -> str:
    """A source; the path of a file will do. Absolute, so that the run can be resumed anywhere."""
    from road.experiments.grid import absolute_source

    path = Path(named).expanduser()
    source = f"file:{path}" if path.exists() else named
    return absolute_source(source).get("data", source)


def next_folder(folder: Path) -> Path:
    number = 2
    while (out := folder.with_name(f"{folder.resolve().name}-round{number}")).exists():
        number += 1
    return out
