"""Dataclasses from JSON that anyone may have written: every value is of its field's type.

JSON has no tuples and no infinities, so a list may be meant for a tuple, and a word for a number.
"""

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

from road.errors import UsageError


class Unfit(Exception):
    """A value that is not of the type that it should have."""


def rebuild(kind: type[Any], fields: Any, where: str = "config.json") -> Any:
    """A dataclass, or a dataclass of dataclasses.

    Raises:
        UsageError: a field is unknown, or its value is of another type.
    """
    if not isinstance(fields, Mapping):
        raise UsageError(f"{where}: {shown(fields)} is no table of {kind.__name__}'s settings")
    known = {field.name: field.type for field in dataclasses.fields(kind)}
    if strange := sorted(str(name) for name in set(fields) - set(known)):
        raise UsageError(f"{where} has fields unknown to {kind.__name__}: {', '.join(strange)}")
    revived: dict[str, Any] = {}
    for name, value in fields.items():
        try:
            revived[name] = revive(known[name], value)
        except Unfit:
            raise UsageError(f"{where}: {name} cannot be {shown(value)}") from None
    return kind(**revived)


def revive(kind: Any, value: Any) -> Any:
    """The value as that type has it.

    Raises:
        Unfit: it is of another type.
    """
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return rebuild(kind, value)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return first_fit(inner, value)
    if origin is Literal:
        return value if any(type(value) is type(each) and value == each for each in inner) else no()
    if origin is tuple:
        return items(inner, value)
    return plain(kind, value)


def first_fit(kinds: tuple[Any, ...], value: Any) -> Any:
    for kind in kinds:
        try:
            return revive(kind, value)
        except Unfit:
            continue
    return no()


def items(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        return no()
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(revive(kinds[0], each) for each in value)
    return tuple(revive(kind, each) for kind, each in zip(kinds, value, strict=True))


def plain(kind: Any, value: Any) -> Any:
    """A number, a word or a truth value; what is of a type of ours is left to its own checks."""
    if kind is float:
        return real(value)
    if kind in (int, str, bool, types.NoneType):
        return value if type(value) is kind else no()
    return tuple(value) if isinstance(value, list) else value


def real(value: Any) -> float:
    if value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return no()
    return value if isinstance(value, float) or abs(value) <= 2**53 else no()


def no() -> Any:
    raise Unfit


def shown(value: Any) -> str:
    return f"{value!r}"[:60]
