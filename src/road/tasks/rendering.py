"""Pictures of an environment, also on a machine without a screen or a graphics card.

MuJoCo draws through the library that ``MUJOCO_GL`` names, read when it is first imported. Where
that is not set and there is no screen, the first of EGL and OSMesa that works here is taken; each
is tried in a process of its own, since one that fails may take its process with it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.errors import UsageError
from road.tasks.environments import RENDER_MODE
from road.tasks.task import Environment

BACKENDS = ("egl", "osmesa")
TRY = "import mujoco; mujoco.GLContext(16, 16).make_current()"
SECONDS = 60
FALLBACK_FRAMES_PER_SECOND = 30


@contextmanager
def open_drawable(make: Callable[[], Environment]) -> Generator[Environment]:
    """The environment that is made, able to draw itself."""
    choose_backend()
    token = RENDER_MODE.set("rgb_array")
    try:
        environment = make()
    finally:
        RENDER_MODE.reset(token)
    try:
        yield environment
    finally:
        environment.close()


def choose_backend() -> None:
    """Set ``MUJOCO_GL`` where it has to be set and is not."""
    has_screen = bool(os.environ.get("DISPLAY")) or sys.platform != "linux"
    if "MUJOCO_GL" in os.environ or has_screen or find_spec("mujoco") is None:
        return
    works = next((each for each in BACKENDS if can_draw(each)), None)
    if works is not None:
        # Also PyOpenGL's: it is imported for the one and may have been set for another.
        os.environ["MUJOCO_GL"] = os.environ["PYOPENGL_PLATFORM"] = works


def can_draw(backend: str) -> bool:
    settings = {**os.environ, "MUJOCO_GL": backend, "PYOPENGL_PLATFORM": backend}
    words = [sys.executable, "-c", TRY]
    try:
        tried = subprocess.run(words, env=settings, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return tried.returncode == 0


def draw(environment: Environment) -> NDArray[np.uint8]:
    """What the environment looks like now: rows, columns, three colours.

    Raises:
        UsageError: it cannot be drawn here.
    """
    try:
        frame: Any = environment.render()
    except Exception as error:  # whatever a graphics library raises
        text = " ".join(str(error).split())[:200]
        raise UsageError(
            f"the environment cannot be drawn here ({type(error).__name__}: {text}); without a "
            "screen MuJoCo needs the system's libEGL (Debian: libegl1) or libOSMesa (libosmesa6)"
        ) from error
    picture = np.asarray(frame)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise UsageError("the environment draws no pictures: it has no render mode 'rgb_array'")
    return picture


def frames_per_second(environment: Environment) -> float:
    """As the environment says of itself."""
    return float(environment.metadata.get("render_fps") or FALLBACK_FRAMES_PER_SECOND)
