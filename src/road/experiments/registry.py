"""A grid by its name, by the Python file that defines it, or by the folder that holds it."""

import importlib.util
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from road.errors import UsageError
from road.experiments.grid import Grid
from road.experiments.grids.discriminate import (
    discriminate,
    validated,
    validated_agents,
    validated_settings,
)
from road.experiments.grids.kitchen import kitchen_complete
from road.experiments.grids.paper import QUESTIONS, Scale, paper_grid
from road.experiments.grids.shifted import shifted
from road.experiments.store import GRID, Store
from road.names import find_name

GRIDS: Mapping[str, Callable[[Scale], Grid]] = {
    **{name: partial(paper_grid, name) for name in QUESTIONS},
    "kitchen-complete": kitchen_complete,
    "discriminate": discriminate,
    "shifted": shifted,
    "validated": validated,
    "validated-agents": validated_agents,
    "validated-settings": validated_settings,
}
"""By the name that the command line knows it by."""

DEFAULT_SCALE = "mini"
ONE_SCALE = (
    "kitchen-complete",
    "discriminate",
    "shifted",
    "validated",
    "validated-agents",
    "validated-settings",
)
OWN = "own"
"""The scale of a grid that a user has written."""


def find_grid(word: str, scale: Scale) -> Grid:
    """One of the paper's, or a user's own: a file that is named is run."""
    if not word.endswith(".py"):
        return named_grid(word, scale)
    if scale != DEFAULT_SCALE:
        raise UsageError(f"{word} has its own budgets: leave out --scale {scale}")
    path = Path(word)
    if not path.is_file():
        raise UsageError(f"{word}: there is no such file")
    grid = getattr(load_module(path), "GRID", None)
    if not isinstance(grid, Grid):
        what = "has no GRID" if grid is None else f"has a GRID that is a {type(grid).__name__}"
        raise UsageError(f"{word} {what}; a grid's file ends with GRID = Grid(...)")
    return grid


def named_grid(name: str, scale: Scale) -> Grid:
    """One of the paper's, or the yardstick; no folder, which does not say how it was made."""
    if name not in GRIDS and (Path(name) / GRID).is_file():
        there = Store(Path(name)).description()["name"]
        what = there if there in GRIDS else "the file that defines it"
        raise UsageError(f"{name} is the folder of {there}: run {what} with --out {name}")
    if name not in GRIDS and Path(name).is_dir():
        raise UsageError(f"{name} is a folder without a {GRID}: name a grid, or its Python file")
    make = find_name(name, GRIDS, "grid")
    if scale != DEFAULT_SCALE and name in ONE_SCALE:
        raise UsageError(f"{name} is small on purpose and has no other size: leave out --scale")
    return make(scale)


def usual_subject(name: str, scale: str) -> str:
    """The strategy that a report on a grid is about, by what its folder says of itself."""
    for known in get_args(Scale):
        if name in GRIDS and scale == known:
            return GRIDS[name](known).subject
    return Grid.subject


def load_module(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(f"grid_{path.stem}", path)
    assert spec is not None  # its name ends with .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    beside = str(path.absolute().parent)
    sys.path.insert(0, beside)  # as Python does for a file that it runs
    try:
        spec.loader.exec_module(module)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # it may do anything while it is run
        raise UsageError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(beside)
    return module


def usual_folder(word: str, scale: str) -> Path:
    """Where a grid goes unless something else is said."""
    name = Path(word).stem if word.endswith(".py") else f"{word}-{scale}"
    return Path("grids") / name


def find_folder(word: str, scale: str, out: Path | None) -> Path:
    """The folder of a grid that was begun: it may itself be named instead of the grid."""
    if (Path(word) / GRID).is_file():
        return Path(word)
    if word not in GRIDS and Path(word).is_dir():
        raise UsageError(f"{word} is no folder of a grid: it has no {GRID}")
    own = word.endswith(".py")
    if not own:
        find_name(word, GRIDS, "grid")
    folder = out or usual_folder(word, scale)
    if not (folder / GRID).is_file():
        raise UsageError(f"{folder} holds no grid yet; begin with `road grid run {word}`")
    if not own and (there := Store(folder).description()["name"]) != word:
        raise UsageError(f"{folder} holds the grid {there}, not {word}")
    return folder
