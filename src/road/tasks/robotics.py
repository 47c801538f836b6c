"""Simulated bodies by their Gymnasium id: imported only when one is made, quietly, and explained
where a package is missing or too new.
"""

import contextlib
import io
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import gymnasium

from road.errors import UsageError

INSTALL = "run pip install 'road-rl[robotics]'"


def import_robotics() -> None:
    """Registers the mazes, the kitchen and the hand with gymnasium."""
    try:
        # The import writes a notice about unrelated hand environments to stderr.
        with contextlib.redirect_stderr(io.StringIO()):
            import gymnasium_robotics
    except ImportError as absent:
        raise UsageError(
            f"this task needs gymnasium-robotics, which is not installed; {INSTALL}"
        ) from absent
    gymnasium.register_envs(gymnasium_robotics)


def make_quietly(environment_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """An environment as it is registered, without gymnasium's advice to take a newer one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return gymnasium.make(environment_id, disable_env_checker=True, **options)
    except (gymnasium.error.DependencyNotInstalled, ImportError) as absent:
        told = on_one_line(absent)
        if "mujoco" in told.lower() and find_spec("mujoco") is None:
            told = f"it needs MuJoCo, which is missing; {INSTALL}"
        raise UsageError(f"{environment_id} cannot be made: {told}") from absent


def on_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def refuse_mujoco_from(first_broken: tuple[int, int], task: str) -> None:
    """Some tasks stop working at a version of MuJoCo, with an empty assertion far from here."""
    found = version("mujoco")
    major, minor = (int(part) for part in found.split(".")[:2])
    if (major, minor) >= first_broken:
        limit = ".".join(map(str, first_broken))
        raise UsageError(
            f"{task} needs MuJoCo below {limit}, found {found}; run pip install 'mujoco<{limit}'"
        )
