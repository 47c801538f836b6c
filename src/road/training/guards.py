"""What a user's environment may do wrong, each in one line: it raises, or it returns nonsense."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.errors import EnvironmentFailure, RoadError


def guarded(what: str, episode: int, call: Any, *args: Any, **kwargs: Any) -> Any:
    """Call into the user's environment; an exception becomes one line."""
    try:
        return call(*args, **kwargs)
    except RoadError:
        raise
    except (
        Exception,
        SystemExit,
    ) as error:  # an environment that exits must not take the run along
        raise EnvironmentFailure(
            f"the environment raised {type(error).__name__} in {what} of episode {episode}: {error}"
        ) from error


def parts(result: Any, count: int, what: str, where: str) -> Any:
    """What ``reset`` or ``step`` returned, if it is that many things."""
    if not isinstance(result, tuple) or len(result) != count:
        found = f"{len(result)} values" if isinstance(result, tuple) else type(result).__name__
        raise EnvironmentFailure(
            f"the environment's {what} returned {found}, not {count} values, in {where}"
        )
    return result


def checked_reward(reward: Any, where: str) -> float:
    try:
        paid = float(reward)
    except (TypeError, ValueError, OverflowError):
        paid = math.nan
    if not math.isfinite(paid):
        raise EnvironmentFailure(
            f"environment returned a non-finite reward ({shown(reward)}) in {where}"
        )
    return paid


def checked_flag(name: str, value: Any, where: str) -> bool:
    """``terminated`` or ``truncated``: one truth value, not an array, a word or nothing."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if np.ndim(value) == 0 and np.asarray(value).dtype.kind in "biuf" and value in (0, 1):
        return bool(value)
    raise EnvironmentFailure(
        f"the environment's {name} must be True or False, got {shown(value)} in {where}"
    )


def checked_observation(observation: Any, shape: Any, where: str) -> NDArray[np.float32]:
    try:
        vector = np.asarray(observation, np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise EnvironmentFailure(
            f"the environment gave an observation that is not numbers, {shown(observation)}, "
            f"in {where}"
        ) from error
    if vector.shape != shape:
        raise EnvironmentFailure(
            f"the environment gave an observation of shape {vector.shape}, not {shape}, in {where}"
        )
    if not np.isfinite(vector).all():
        raise EnvironmentFailure(f"the environment gave a non-finite observation in {where}")
    return vector


def shown(value: Any) -> str:
    return f"{value!r}"[:80]
