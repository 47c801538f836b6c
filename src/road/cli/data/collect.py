"""``road data collect``: logs of graded quality for any continuous environment."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from road.agents.sac import SAC
from road.api.display import watching
from road.cli.flags import parse_flags
from road.collecting.environment import find_environment
from road.collecting.files import Level, check_minari, file_name, write_minari_levels
from road.collecting.ladder import Collector
from road.collecting.learner import Budget, Learning, usual_sac
from road.collecting.request import LADDER, Request, parse_levels, parse_noise, parse_policies
from road.collecting.rows import ReportRows
from road.errors import UsageError
from road.tasks.shifts import parse_shift
from road.terminal import say
from road.training.process import prepare_jax


@dataclass(frozen=True)
class Collect:
    """Make D4RL's ladder of logs for an environment: random, medium-replay, medium, ... expert.

    The policy is given by --policy, is a controller that the task has, or is learnt by SAC.
    """

    env: Annotated[str, tyro.conf.Positional]
    """A task of `road list tasks`, a Gymnasium id, or MODULE:ID (see --allow-import)."""
    levels: str = ",".join(LADDER)
    """What to make, separated by commas; also 'play' (mazes) and 'human' (kitchens)."""
    steps: int | None = None
    """Rows of each level, by default 100,000; medium-replay of a learner has as many as it made."""
    out: Path | None = None
    """Folder of the files; by default collected/ENV."""
    seed: int = 0
    """The same seed gives the same bytes."""
    policy: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Who acts on a level: LEVEL=PATH.npz, LEVEL=MODULE:FUNCTION or LEVEL=controller. Several,
    separated by commas, share the rows."""
    noise: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """LEVEL=NUMBER: standard deviation added to actions in [-1, 1]; LEVEL=own: the policy's own."""
    horizon: int | None = None
    """Steps after which an episode is cut, for environments that have no limit."""
    shift: str | None = None
    """Make the logs in another world: gain=NUMBER (of actions), rotation=DEGREES, gravity=FACTOR or
    gear=FACTOR (MuJoCo). Policies make up for it where they can."""
    minari: bool = False
    """Also write Minari datasets, with their reference scores (the extra 'minari')."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that may be imported for the environment or a policy: its code runs."""
    budget: tyro.conf.OmitArgPrefixes[Budget] = field(default_factory=Budget)
    sac: SAC = field(default_factory=SAC)


def collect_command(words: list[str]) -> int:
    prepare_jax()
    flags = parse(words)
    levels = parse_levels(flags.levels)
    wanted = Request(
        levels,
        flags.steps,
        flags.seed,
        parse_policies(flags.policy),
        parse_noise(flags.noise),
        flags.allow_import,
    )
    if flags.minari and flags.shift is not None:
        raise UsageError("a Minari dataset names its environment: --minari cannot go with --shift")
    shift = None if flags.shift is None else parse_shift(flags.shift)
    place = find_environment(flags.env, flags.allow_import, flags.horizon, shift)
    out = flags.out or Path("collected") / file_name(place.label)
    if flags.minari:
        check_minari(place, levels, out)
    made: list[Level] = []
    learning = Learning(flags.budget, flags.sac)
    for level in Collector(place, wanted, learning, out, watching, bar).run():
        made.append(level)
        say(f"{summary(level)}\n")
    if flags.minari:
        for folder in write_minari_levels(made, place):
            say(f"{folder}\n")
    return 0


def parse(words: list[str]) -> Collect:
    """The flags; SAC's are by default those of the task, wherever among the words it stands."""

    def around(named: str) -> Collect:
        return parse_flags(Collect, words, "data collect", Collect(named, sac=usual_sac(named)))

    first = words[0] if words and not words[0].startswith("-") else None
    flags = parse_flags(Collect, words, "data collect") if first is None else around(first)
    return flags if flags.env == first else around(flags.env)


@contextmanager
def bar(level: str, rows: int) -> Generator[ReportRows]:
    """A line that grows with the rows; nothing without a terminal."""
    columns = (
        TextColumn("{task.description:14}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
    )
    console = Console(stderr=True, highlight=False)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        row = progress.add_task(level, total=rows)
        yield lambda done: progress.update(row, completed=done)


def summary(level: Level) -> str:
    """The file, and in a few words what is in it."""
    came = level.description["came"]
    score = "" if came["score"] is None else f", score {came['score']:.1f}"
    kept = "" if level.fresh else " (was there already)"
    return (
        f"{level.path}: {came['rows']:,} rows in {came['episodes']:,} episodes, "
        f"mean return {came['return_mean']:.4g}{score}{kept}"
    )
