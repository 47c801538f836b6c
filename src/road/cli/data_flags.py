"""Flags on how a source is to be read, shared by the actions of ``road data``."""

from dataclasses import dataclass
from typing import Literal

from road.data.columns import Columns
from road.data.loading import Selection
from road.data.log import Box
from road.data.reading import Reading
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
    """Columns of a table, as in: observation=x,y action=u reward=r episode=id."""
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
    wrong = [word for word, (_, _, names) in zip(words, pairs, strict=True) if not names]
    if wrong:
        raise UsageError(f"columns are written ARRAY=NAME,NAME; got {wrong[0]!r}")
    found: dict[str, list[str]] = {}
    for array, _, names in pairs:
        found.setdefault(array, []).extend(names.split(","))
    return found
