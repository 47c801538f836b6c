"""Environments by their Gymnasium id: imported only when one is made, without its warnings.

A missing or too new package gets one line. No module is imported that was not allowed by name: a
run's settings may come from another user.
"""

import contextlib
import importlib
import io
import sys
import warnings
from contextvars import ContextVar
from difflib import get_close_matches
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium

from road.errors import UsageError

AnyEnvironment: TypeAlias = gymnasium.Env[Any, Any]
RENDER_MODE: ContextVar[str | None] = ContextVar("RENDER_MODE", default=None)
"""Of the environments that are made; ``road.tasks.rendering`` sets it while it makes one."""

INSTALL = "run pip install 'road-o2o[robotics]'"


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


def make_quietly(environment_id: str, **options: Any) -> AnyEnvironment:
    """An environment as it is registered, without gymnasium's advice to take a newer one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            drawn = {} if RENDER_MODE.get() is None else {"render_mode": RENDER_MODE.get()}
            return gymnasium.make(environment_id, disable_env_checker=True, **drawn, **options)
    except (gymnasium.error.DependencyNotInstalled, ImportError) as absent:
        text = on_one_line(absent)
        if "mujoco" in text.lower() and find_spec("mujoco") is None:
            text = f"it needs MuJoCo, which is missing; {INSTALL}"
        raise UsageError(f"{environment_id} cannot be made: {text}") from absent


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


def make_registered(environment_id: str, allowed: tuple[str, ...]) -> AnyEnvironment:
    module, _, name = environment_id.rpartition(":")
    if module:
        import_allowed(module, allowed)
    try:
        return make_quietly(name)
    except gymnasium.error.UnregisteredEnv:
        near = get_close_matches(name, gymnasium.registry, n=2)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        where = (
            f"the module {module!r} does not register it"
            if module
            else "an environment of another package is named --env MODULE:ID --allow-import MODULE"
        )
        raise UsageError(f"unknown environment {name!r}: {hint}{where}") from None
    except gymnasium.error.Error as error:
        raise UsageError(f"environment {name!r} cannot be made: {on_one_line(error)}") from error


def import_allowed(module: str, allowed: tuple[str, ...]) -> None:
    """Run the code of a module that the user named as one to trust, and of no other."""
    if module not in allowed:
        raise UsageError(
            f"the environment would import the module {module!r}, which runs its code; "
            f"if you trust it, add --allow-import {module}"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        importlib.import_module(module)
    except (Exception, SystemExit) as error:  # it may do anything while it is imported
        text = f"{type(error).__name__}: {on_one_line(error)}"
        raise UsageError(
            f"cannot import {module!r} for the environment ({text}); it is looked for in the "
            "current folder and in PYTHONPATH"
        ) from error
