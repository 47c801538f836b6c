"""What can go wrong for a user, with the exit code that the command line answers with.

A message is one line: what, where, which value, and what to do. Wrong arguments to a function are
plain ``ValueError``; these are for what only a run can meet.
"""

from typing import ClassVar


class RoadError(Exception):
    """Anything a user is told in one line instead of a traceback."""

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
