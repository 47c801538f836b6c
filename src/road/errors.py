"""What can go wrong for a user, with the exit code that the command line answers with.

A message is one line: what, where, which value, and what to do. Wrong arguments to a function are
plain ``ValueError``; these are for what only a run can meet.
"""

import errno
from collections.abc import Mapping
from typing import ClassVar


class RoadError(Exception):
    """Anything that is reported in one line instead of a traceback."""

    exit_code: ClassVar[int] = 1


class UsageError(RoadError):
    """A name, a flag or a folder that is not what the command needs."""

    exit_code = 2


class DataError(RoadError):
    """A dataset that cannot be trained on."""

    exit_code = 3


class LockedError(RoadError):
    """A run folder that another process holds."""

    exit_code = 4


class NumericError(RoadError):
    """A loss or a gradient that is not a number."""

    exit_code = 5


class EnvironmentFailure(RoadError):
    """An environment that raised or returned nonsense."""

    exit_code = 6


class StorageError(RoadError):
    """A disk that is full or read-only: what befalls one run befalls every other on it."""

    exit_code = 7


class DamagedError(StorageError):
    """Files of one run that are not what was written; other runs are not concerned."""

    exit_code = 8


class Preempted(RoadError):
    """Asked to stop by SIGTERM; everything is saved, run ``road resume``."""

    exit_code = 75


class Interrupted(RoadError):
    """Asked to stop by SIGINT; everything is saved, run ``road resume``."""

    exit_code = 130


EXTRAS = {"fsspec": "ray", "minari": "minari", "pyarrow": "tables", "ray": "ray"}
"""Which extra has a package that training can do without."""


def explain(error: BaseException, extras: Mapping[str, str] = EXTRAS) -> tuple[int, str]:
    """Exit code and message of what went wrong; an error of our own code is raised."""
    match error:
        case RoadError():
            code, message = error.exit_code, str(error)
        case ModuleNotFoundError() if not (error.name or "").startswith("road"):
            code, message = 2, missing((error.name or "").partition(".")[0], extras)
        case KeyboardInterrupt():
            code, message = 130, "interrupted"
        case OSError():
            code, message = os_error(error)
        case MemoryError():
            code, message = 2, f"there is not enough memory ({error}); ask for less at a time"
        case _:
            raise error
    return code, " ".join(message.split())


def os_error(error: OSError) -> tuple[int, str]:
    """Of a path that no command was prepared for: one that no system takes, or a failing disk."""
    code = 2 if error.errno in (errno.ENAMETOOLONG, errno.EINVAL) else StorageError.exit_code
    where = "" if error.filename is None else f"{error.filename}: "
    return code, f"{where}{error.strerror or error}"


def missing(package: str, extras: Mapping[str, str]) -> str:
    """What to do about a package that was not found."""
    if package == "fcntl":
        return "training and downloads need file locks (fcntl), which this system does not have"
    extra = extras.get(package, "train,robotics")
    return f"the package {package!r} is missing; install it with `pip install 'road-o2o[{extra}]'`"
