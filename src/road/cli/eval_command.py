"""``road eval``: judge a run's saved agent on fresh episodes."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro

from road.cli.flags import parse_flags
from road.cli.jax_setup import prepare_jax
from road.data.folder import data_folder
from road.errors import UsageError


@dataclass(frozen=True)
class Eval:
    """Judge a run's agent by episodes of its best actions, in the environment's own reward."""

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    episodes: int = 100
    """How many episodes."""
    seed: int = 1_000_000
    """Seed of the episodes; the default is far from any training seed."""
    best: bool = False
    """Judge the best checkpoint instead of the newest."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that the run's own environment imports; to be allowed anew, as its code runs."""


def run(words: list[str]) -> int:
    flags = parse_flags(Eval, words, "eval")
    if flags.episodes < 1 or flags.seed < 0:
        raise UsageError(f"needs episodes >= 1 and seed >= 0, got {flags.episodes}, {flags.seed}")
    prepare_jax(data_folder() / "compiled", None)
    from road.training.launch import evaluate_run

    position, result = evaluate_run(
        flags.folder,
        flags.episodes,
        best=flags.best,
        seed=flags.seed,
        allowed=flags.allow_import,
    )
    sys.stdout.write(json.dumps({"position": position, **asdict(result)}) + "\n")
    return 0
