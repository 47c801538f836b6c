"""File formats, a module for each; its packages are imported when a file of it is read."""

from importlib import import_module
from typing import Any

from road.errors import UsageError


def need(module: str, extra: str, reason: str) -> Any:
    """The module, or one line that names the extra it comes with."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{reason} needs the package {error.name!r}: pip install 'road-o2o[{extra}]'"
        ) from error
