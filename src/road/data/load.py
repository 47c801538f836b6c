"""A dataset by the name of its source: ``file:PATH``, ``d4rl:NAME``, ``minari:ID``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Literal

from road.data.dataset import Dataset
from road.data.formats.columns import Columns
from road.data.formats.file import read_file
from road.data.interpret import AS_LOGGED, Reading, interpret
from road.data.log import Box, Log
from road.data.memory import Allocate, in_memory
from road.data.on_disk import open_verified
from road.data.sources.d4rl import read_d4rl
from road.data.sources.minari import read_minari
from road.errors import UsageError


@dataclass(frozen=True)
class Selection:
    """Which parts of a source to read, for those that leave it open."""

    columns: Columns | None = None
    """Of a table: the columns of each array."""
    keys: Sequence[str] | None = None
    """Of dict observations: the parts, in the order in which they are laid side by side."""


SOURCES: Mapping[str, Callable[[str, Selection, Allocate], Log]] = MappingProxyType(
    {
        "file": lambda name, chosen, allocate: read_file(
            name, chosen.columns, chosen.keys, allocate
        ),
        "d4rl": lambda name, _, allocate: read_d4rl(name, allocate),
        "minari": lambda name, chosen, _: read_minari(name, chosen.keys),
    }
)
"""Each reads a log; ``interpret`` makes the dataset of it, alike for all of them."""
STORED = "stored"


def load(
    source: str,
    *,
    action_box: Box | None = None,
    columns: Columns | None = None,
    keys: Sequence[str] | None = None,
    horizon: int | None = None,
    terminals: Literal["ends", "timeouts"] = "ends",
    drop_nonfinite: bool = False,
) -> Dataset:
    """The dataset of a source: ``file:PATH``, ``d4rl:NAME``, ``minari:ID`` or ``stored:FOLDER``.

    Args:
        source: Where from; nothing is downloaded, see ``download``.
        action_box: Lowest and highest action, if the source does not say and it is not [-1, 1].
        columns: Of a table: the columns of each array.
        keys: Of dict observations: the parts to lay side by side, in this order.
        horizon: Steps after which an episode was cut, for logs that do not mark it.
        terminals: Whether terminal flags mark true ends or, wrongly, time limits.
        drop_nonfinite: Leave out rows that hold NaN or inf, instead of refusing the log.

    Raises:
        DataError: it cannot be learnt from; the message names file, array and row.
        UsageError: the source or one of the settings is not of this kind.
    """
    reading = Reading(action_box, horizon, terminals, drop_nonfinite)
    if action_box is not None and split_source(source)[0] == STORED:
        raise UsageError("stored: data has its actions in [-1, 1] already; give no action_box")
    return load_with(source, reading, Selection(columns, keys))


def load_with(
    source: str, reading: Reading, selection: Selection, allocate: Allocate = in_memory
) -> Dataset:
    """The same, with its settings in two values and its arrays where the caller allocates them."""
    scheme, name = split_source(source)
    if scheme == STORED:
        refuse_reading(reading, selection)
        return open_verified(Path(name).expanduser())
    return interpret(read_log(source, selection, allocate), reading, allocate)


def refuse_reading(reading: Reading, selection: Selection) -> None:
    """Stored data was interpreted before; only the box of an environment may still be given."""
    if replace(reading, action_box=None) != AS_LOGGED or selection != Selection():
        raise UsageError(
            "stored: data was interpreted when it was made; say how to read it there, from its own "
            "source"
        )


def read_log(source: str, selection: Selection, allocate: Allocate = in_memory) -> Log:
    """The rows of a source as they were found."""
    scheme, name = split_source(source)
    for part, these in (("columns", ("file",)), ("keys", ("file", "minari"))):
        if getattr(selection, part) is not None and scheme not in these:
            listed = " and ".join(f"{kind}:" for kind in these)
            raise UsageError(f"{part} belong to {listed} sources only, got {source!r}")
    return SOURCES[scheme](name, selection, allocate)


def split_source(source: str) -> tuple[str, str]:
    """Scheme and name.

    Raises:
        UsageError: it is no text, or begins with none of the schemes.
    """
    given: Any = source  # a caller's own code may give anything
    if not isinstance(given, str):
        hint = f"; did you mean 'file:{given}'?" if isinstance(given, PurePath) else ""
        arrays = "; arrays go to from_arrays" if isinstance(given, Mapping) else ""
        raise UsageError(
            f"a source is text such as 'file:PATH', got {type(given).__name__}{hint}{arrays}"
        )
    scheme, colon, name = source.partition(":")
    known = (*SOURCES, STORED)
    if not colon or scheme not in known or not name:
        kinds = ", ".join(f"{kind}:" for kind in known)
        hint = f"; did you mean file:{source}?" if Path(source).expanduser().exists() else ""
        raise UsageError(f"{source!r} is not a source; it begins with one of {kinds}{hint}")
    return scheme, name
