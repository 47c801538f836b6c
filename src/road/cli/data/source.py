"""How a source is read and what an environment asks of it, for the actions of ``road data``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from road.data.dataset import Dataset
from road.data.formats.columns import Columns
from road.data.interpret import Reading
from road.data.load import Selection
from road.data.log import Box
from road.errors import UsageError


@dataclass(frozen=True)
class ReadingFlags:
    """How the source is to be understood where it does not say so itself."""

    action_box: tuple[float, float] | None = None
    """Lowest and highest action, if not [-1, 1] and the source does not say."""
    horizon: int | None = None
    """Steps after which an episode was cut, for logs that do not mark it."""
    terminals: Literal["ends", "timeouts"] = "ends"
    """Whether terminal flags mark true ends or, wrongly, time limits."""
    drop_nonfinite: bool = False
    """Leave out rows that hold NaN or inf, instead of refusing the log."""
    columns: tuple[str, ...] = ()
    """Columns of a table, as in: observation=x,y action='u_*' reward=r. Arrays that are not named
    are guessed; episode= names none."""
    keys: tuple[str, ...] = ()
    """Parts of dict observations, in the order in which to lay them side by side."""

    def reading(self, box: Box | None = None) -> Reading:
        """The box of an environment counts only where none is given."""
        chosen = box if self.action_box is None else self.action_box
        return Reading(chosen, self.horizon, self.terminals, self.drop_nonfinite)

    @property
    def selection(self) -> Selection:
        return Selection(parse_columns(self.columns) if self.columns else None, self.keys or None)


def parse_columns(words: tuple[str, ...]) -> Columns:
    """From ``observation=x,y`` to the columns of each array."""
    pairs = [word.partition("=") for word in words]
    wrong = [word for word, (_, equals, _) in zip(words, pairs, strict=True) if not equals]
    if wrong:
        raise UsageError(f"columns are written ARRAY=NAME,NAME; got {wrong[0]!r}")
    found: dict[str, list[str]] = {}
    for array, _, names in pairs:
        found.setdefault(array, []).extend(name for name in names.split(",") if name)
    return found


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
    limit: int | None = None
    """Steps after which an episode is cut there."""
    make: Callable[[], Any] | None = None
    """Makes it, with the observations and actions of the data."""


def fitting(name: str, allowed: tuple[str, ...] = ()) -> Fitting:
    """Of a task of the catalogue, or of an environment that Gymnasium knows."""
    from road.tasks.catalogue import as_logged

    listed = as_logged(name)
    if listed is not None:
        environment = listed.environment()
        summed = listed.judge is None
        score = (listed.score.minimum, listed.score.maximum) if summed else None
        return Fitting(
            lengths(environment),
            score_range=score,
            mend=listed.mend,
            environment=listed.environment_id,
            limit=listed.horizon or limit_of(environment),
            make=listed.environment,
        )
    from road.tasks.environments import make_registered
    from road.tasks.wrappers import action_box, as_vectors

    environment = make_registered(name, allowed)
    box = action_box(environment)
    return Fitting(
        lengths(as_vectors(environment, name)),
        box,
        environment=name,
        limit=limit_of(environment),
        make=lambda: as_vectors(make_registered(name, allowed), name),
    )


def limit_of(environment: Any) -> int | None:
    return None if environment.spec is None else environment.spec.max_episode_steps


def lengths(environment: Any) -> tuple[int, int]:
    """Of observations and actions; the environment is closed."""
    from road.tasks.closing import close_all

    spaces = environment.observation_space.shape[0], environment.action_space.shape[0]
    close_all([environment])
    return spaces
