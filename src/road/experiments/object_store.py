"""A grid through an address: for machines that share no folder, but an object store or the like.

    jobs/KEY.json                       a piece of work, put there by the driver
    data|pretrained|runs/KEY.zip        what a job made: one object, so it is whole or not there
    done/KEY.json                       its result, created once: the store refuses a second one

Each machine works in a folder of its own and fetches what a job needs. A job that is killed goes on
from its checkpoints only where these are; on another machine it begins again, to the same bits.
"""

import io
import json
import os
import time
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from road.data.on_disk import data_folder
from road.errors import StorageError, UsageError
from road.experiments.grid import FROM_THE_GRID
from road.experiments.jobs import Job, hash_of, job_from_json
from road.experiments.store import Store, put_once
from road.files import lock, remove_folder, write_json
from road.plain_files import open_plain
from road.records.folder import CONFIG, read_run_file

REDO = "delete done/{}.json beside it, and `road grid run --resume` does that job again"
LEFT_BEHIND = ("LOCK", "checkpoints")
"""Of a finished cell; an agent at the switch is nothing without its checkpoints."""
PATIENCE = 300.0
"""Seconds for which nothing may get through before the grid stops."""


class Mirror:
    """What the machines of a grid see of each other."""

    def __init__(self, address: str) -> None:
        if "://" not in address:
            raise UsageError(f"an address looks like s3://bucket/grid, got {address!r}")
        core: Any = import_module("fsspec.core")
        try:
            self._files, self._root = core.url_to_fs(address)
        except (ValueError, ImportError) as error:
            raise UsageError(f"{address} cannot be reached: {error}") from error

    def announce(self, store: Store, job: Job) -> None:
        """Let every machine know of a job, and have what it needs, also what was made here."""
        needs = list(map(store.job, job.needs))
        for needed in needs:
            if store.is_done(needed.key) and not self.is_done(needed.key):
                self.publish(store, needed)
        for each in (*needs, job):
            self._tell(f"jobs/{each.key}.json", json.dumps(each.to_json()).encode())

    def is_done(self, key: str) -> bool:
        return bool(self._ask("exists", f"{self._root}/done/{key}.json"))

    def bring(self, store: Store, key: str) -> Job:
        """Fetch a job and whatever it needs into a machine's own folder."""
        store.make_folders()
        job = self._job(store, key)
        for needed in job.needs:
            self.gather(store, self._job(store, needed))
        return job

    def publish(self, store: Store, job: Job) -> bool:
        """Put a result where all can see it; whether this was the first one."""
        if not self.is_done(job.key):
            if not store.place(job).is_dir():
                raise StorageError(f"{store.place(job)} is gone: {REDO.format(job.key)}")
            # Another machine would put the same there: a job has the same bits everywhere.
            self._ask("pipe_file", self._path(object_of(job)), pack(store.place(job), job))
        return self._create(f"done/{job.key}.json", json.dumps(store.result(job.key)).encode())

    def gather(self, store: Store, job: Job) -> None:
        """Fetch a result into a machine's own folder, unless the job is done there."""
        with hold_job(store, job):
            if store.is_done(job.key):
                return
            result = json.loads(self._read(f"done/{job.key}.json"))
            self._unpack(store, job)
            store.commit(job.key, result)

    def _job(self, store: Store, key: str) -> Job:
        content = json.loads(self._read(f"jobs/{key}.json"))
        path = store.inside("jobs", f"{key}.json")
        if not path.exists():
            put_once(path, content)
        elif not store.is_done(key) and store.job(key) != job_from_json(content):
            write_json(path, content)
        return job_from_json(content)

    def _unpack(self, store: Store, job: Job) -> None:
        """Aside first, then in the place of whatever a killed job may have left there."""
        folder = store.place(job)
        aside = folder.with_name(f".fetching-{folder.name}")
        remove_folder(aside)  # a kill may have left one behind
        with zipfile.ZipFile(io.BytesIO(self._read(object_of(job)))) as archive:
            archive.extractall(aside)  # leaves out what points elsewhere
        tell_where_data_lies(store, job, aside)
        remove_folder(folder)
        aside.replace(folder)

    def _read(self, name: str) -> bytes:
        try:
            return bytes(self._ask("cat_file", f"{self._root}/{name}"))
        except FileNotFoundError:
            raise StorageError(f"{self._root} has no {name}: was the grid begun there?") from None

    def _create(self, name: str, content: bytes) -> bool:
        """Put an object in place unless there is one."""
        try:
            self._ask("pipe_file", self._path(name), content, mode="create")
        except FileExistsError:
            return False
        return True

    def _tell(self, name: str, content: bytes) -> None:
        """Put an object in place, or in that of one that says otherwise."""
        if not self._create(name, content) and self._read(name) != content:
            self._ask("pipe_file", self._path(name), content)

    def _path(self, name: str) -> str:
        """Where an object goes, in a folder that is there."""
        path = f"{self._root}/{name}"
        self._ask("makedirs", path.rpartition("/")[0], exist_ok=True)
        return path

    def _ask(self, what: str, *words: Any, **options: Any) -> Any:
        """One request. Errors of a store's own kind count as the network's: they may pass."""
        try:
            return getattr(self._files, what)(*words, **options)
        except OSError:
            raise
        except NotImplementedError as error:
            raise UsageError(f"{self._root} cannot hold a grid: it has no {what}") from error
        except (TypeError, ValueError) as error:  # no fault of the network: it will not pass
            raise UsageError(f"{self._root} cannot hold a grid: {what}: {error}") from error
        except Exception as error:
            raise ConnectionError(f"{type(error).__name__}: {error}") from error


class Reach:
    """What fails for a while is tried again later; what fails for long is reported in one line."""

    def __init__(self, store: Store, address: str, patience: float = PATIENCE) -> None:
        self._store, self._address, self._patience = store, address, patience
        self._mirror = Mirror(address)
        self._lost_since: float | None = None

    def announce(self, job: Job) -> bool:
        """Whether a job could be announced to the machines."""
        return self._got_through(self._mirror.announce, job)

    def gather(self, job: Job) -> bool:
        """Whether a result could be fetched."""
        return self._got_through(self._mirror.gather, job)

    def _got_through(self, act: Callable[[Store, Job], None], job: Job) -> bool:
        try:
            act(self._store, job)
        except OSError as error:
            now = time.monotonic()
            self._lost_since = now if self._lost_since is None else self._lost_since
            if now - self._lost_since >= self._patience:
                raise StorageError(
                    f"the grid stops: nothing got through {self._address} for "
                    f"{self._patience:.0f} s: {error}; go on with --resume"
                ) from error
            return False
        self._lost_since = None
        return True


@contextmanager
def hold_job(store: Store, job: Job) -> Generator[None]:
    """Jobs of one machine may need the same at once: one fetches it, the others wait for it."""
    handle = open_plain(store.inside("jobs", f"{job.key}.json"), os.O_RDWR)
    with os.fdopen(handle, "rb+") as file:
        lock(file, wait=True)  # ends with the file
        yield


def object_of(job: Job) -> str:
    return f"{job.folder}/{job.key}.zip"


def pack(folder: Path, job: Job) -> bytes:
    left_behind = LEFT_BEHIND if job.kind == "cell" else LEFT_BEHIND[:1]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(folder).parts
            if path.is_file() and parts[0] not in left_behind:
                archive.write(path, "/".join(parts))
    return content.getvalue()


def tell_where_data_lies(store: Store, job: Job, folder: Path) -> None:
    """A run's config names the file of data that the grid made: each machine has its own."""
    data = str(job.what.get("plan", {}).get("own", {}).get("data", ""))
    if not data.startswith(FROM_THE_GRID):
        return
    config = read_run_file(folder, CONFIG)
    name = Path(config["own"]["data"]).name
    here = store.path.absolute() / "data" / data.removeprefix(FROM_THE_GRID) / name
    config["own"]["data"] = f"file:{here}"
    write_json(folder / CONFIG, config)


def scratch(address: str) -> Store:
    """A machine's own folder for what travels through that address."""
    return Store(data_folder() / "grids" / hash_of(address))
