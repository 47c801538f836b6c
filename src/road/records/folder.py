"""A run folder: who holds it, what it is called, and the JSON that describes the run."""

import contextlib
import os
import platform
import shutil
import socket
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from road.errors import DamagedError, LockedError, StorageError, UsageError
from road.files import lock, storage_errors, write_json, write_text
from road.plain_files import open_plain, read_json, refuse_links
from road.records.journal import JOURNALS
from road.records.toml import SETTINGS
from road.version import __version__

CONFIG = "config.json"
META = "meta.json"
SESSIONS = "sessions.jsonl"
FRAMES = "frames.png"
"""Frames of an episode, side by side, for the report."""
INTERFACE = "interface.json"
"""What a policy needs beside a checkpoint."""
OF_A_RUN = (
    *(INTERFACE, FRAMES),
    *(META, SETTINGS, SESSIONS, *(f"{name}.jsonl" for name in JOURNALS)),
    *("summary.json", "report.html", "whatif.html", "controller.json"),
    "events.out.tfevents.*.road",
)
"""What a run leaves behind beside its settings and checkpoints."""
PACKAGES = (
    *("numpy", "jax", "jaxlib", "equinox", "optax"),
    *("gymnasium", "gymnasium-robotics", "mujoco"),
)


class RunFolder:
    """An exclusively held run folder; the lock dies with the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = self._acquire()

    def _acquire(self) -> int:
        with storage_errors(f"write to {self.path}"):
            self._made = [each for each in (self.path, *self.path.parents) if not each.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
            refuse_links(self.checkpoints, self.path)
            handle = open_lock(self.path / "LOCK")
        if handle is None:
            return self._acquire()
        try:
            lock(handle)
        except OSError as error:
            owner = os.read(handle, 200).decode(errors="replace").strip()
            os.close(handle)
            holder = owner or "another process"
            raise LockedError(f"run folder {self.path} is in use by {holder}") from error
        if os.fstat(handle).st_nlink == 0:  # the process that held it has removed it
            os.close(handle)
            return self._acquire()
        try:
            os.ftruncate(handle, 0)
            os.write(handle, f"pid {os.getpid()} on {socket.gethostname()}\n".encode())
        except OSError as error:
            os.close(handle)
            raise StorageError(f"cannot write to {self.path}: {error.strerror}") from error
        return handle

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    def release(self) -> None:
        os.close(self._lock)

    def leave_no_trace(self) -> None:
        """Where no run came to be, leave things as they were found."""
        if (self.path / CONFIG).exists():
            return
        for name in (
            META,
            SETTINGS,
            "LOCK",
        ):  # without its lock the next process may take the folder
            (self.path / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # something is in it: it stays
            for made in self._made:
                made.rmdir()

    def clear(self) -> None:
        """Delete the run that is here, if there is one; what is not a run's stays."""
        if not (self.path / CONFIG).exists():
            return
        with storage_errors(f"delete the run in {self.path}"):
            (self.path / CONFIG).unlink()  # first: from now on it is no run
            if self.checkpoints.is_dir():
                shutil.rmtree(self.checkpoints)
            for pattern in OF_A_RUN:
                for path in self.path.glob(pattern):
                    path.unlink()

    def write(self, name: str, data: Any) -> None:
        write_json(self.path / name, data)

    def write_text(self, name: str, text: str) -> None:
        write_text(self.path / name, text)


def open_lock(path: Path) -> int | None:
    """The lock's file; None if the process that held the folder has just removed it."""
    try:
        return open_plain(path, os.O_RDWR | os.O_CREAT)
    except FileNotFoundError:
        if path.parent.exists():
            raise
        return None


def check_unused(path: Path) -> None:
    """Checked before a lock is left in another run, and again when no one else can begin one."""
    if (path / CONFIG).exists():
        raise UsageError(
            f"{path} already holds a run; use `road resume {path}`, another folder, or overwrite"
        )


def read_run_file(folder: Path, name: str) -> dict[str, Any]:
    """A JSON file of a run, or the one line that says why this is no run."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a run folder: there is no such folder")
    try:
        data = read_json(folder / name)
    except FileNotFoundError:
        raise UsageError(f"{folder} is not a run folder: it has no {name}") from None
    except OSError as error:
        raise StorageError(f"{folder / name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DamagedError(f"{folder / name} is damaged: {error}") from error
    if not isinstance(data, dict):
        raise DamagedError(f"{folder / name} is damaged: it holds no table of names and values")
    return data


def describe_machine() -> dict[str, Any]:
    """What the bits of a result depend on, and nothing that identifies a person."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": usable_cores(),
        "jax_threads": os.environ.get("PJRT_NPROC"),
        "xla_flags": os.environ.get("XLA_FLAGS"),
    }


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def describe_versions() -> dict[str, str]:
    found = {"road": __version__, "python": sys.version.split()[0]}
    for package in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
