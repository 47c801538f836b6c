"""What an environment or a task asks of data, for the actions of ``road data``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from road.data.dataset import Dataset
from road.data.log import Box


@dataclass(frozen=True)
class Fitting:
    """What an environment asks of data."""

    spaces: tuple[int, int] | None = None
    """Lengths of observations and actions."""
    box: Box | None = None
    score_range: tuple[float, float] | None = None
    """Returns that score 0 and 100; None too where the score is no sum of the rewards."""
    mend: Callable[[Dataset], Dataset] | None = None
    """What training does to the data of a task."""
    environment: str | None = None
    """The id by which Gymnasium knows it."""


def fitting(name: str, allowed: tuple[str, ...] = ()) -> Fitting:
    """Of a task of the catalogue, or of an environment that Gymnasium knows."""
    from road.tasks.catalogue import TASKS, usual_spelling

    listed = TASKS.get(usual_spelling(name))
    if listed is not None:
        environment = listed.environment()
        summed = listed.judge is None
        score = (listed.score.minimum, listed.score.maximum) if summed else None
        return Fitting(
            lengths(environment),
            score_range=score,
            mend=listed.mend,
            environment=listed.environment_id,
        )
    from road.tasks.own import make_registered
    from road.tasks.vectors import action_box, as_vectors

    environment = make_registered(name, allowed)
    box = action_box(environment)
    return Fitting(lengths(as_vectors(environment, name)), box, environment=name)


def lengths(environment: Any) -> tuple[int, int]:
    """Of observations and actions; the environment is closed."""
    spaces = environment.observation_space.shape[0], environment.action_space.shape[0]
    environment.close()
    return spaces
