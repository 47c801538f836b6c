"""A Ray cluster: its nodes take jobs as they have CPUs free.

Results go through a folder that all nodes share, or through an address
(``experiments/object_store.py``).

Ray is asked for nothing but to start a function somewhere. Whether a job is done is in the store,
so a lost worker, node or driver costs the steps since the last checkpoint, and no result.

Tokens are on, the dashboard and the usage statistics are off: a Ray
cluster without a token runs the code of any user who reaches it.
"""

import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from road.errors import StorageError, UsageError
from road.experiments.backends.local import GRACE, message_of, outcome_of, run_to_its_end
from road.experiments.jobs import Job
from road.experiments.object_store import Mirror, Reach, scratch
from road.experiments.scheduler import Outcome
from road.experiments.store import Store

SETTINGS = {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


class RayBackend:
    """Jobs as tasks of Ray, one CPU each."""

    def __init__(self, store: Path, address: str | None = None, through: str | None = None) -> None:
        self._store, self._through = Store(store), through
        self._reach = None if through is None else Reach(self._store, through)
        self._ray = connect(address)
        # Who retries is the runner: only it knows a job's own error from a lost worker.
        self._begin = self._ray.remote(num_cpus=1, max_retries=0)(work_on_a_node)
        self._running: dict[Any, Job] = {}
        self._unannounced: list[Job] = []
        """Jobs that could not be announced: to be started again."""

    @property
    def slots(self) -> int:
        """The CPUs that the cluster has now; none once it was left."""
        if not self._ray.is_initialized():
            return 0
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def start(self, job: Job) -> None:
        if self._reach is not None and not self._reach.announce(job):
            self._unannounced.append(job)
        else:
            self._running[self._begin.remote(str(self._store.path), job.key, self._through)] = job

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        if self._unannounced:
            unannounced, self._unannounced = self._unannounced, []
            return [(job, "again") for job in unannounced]
        if not self._running:
            time.sleep(seconds)
            return []
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [(job, self._outcome(job, each)) for each in ended for job in [self._running[each]]]

    def _outcome(self, job: Job, ended: Any) -> Outcome:
        del self._running[ended]
        outcome, message = self._result(ended)
        if outcome == "error":
            self._store.note_failure(job.key, message)
        if self._reach is None:
            return outcome
        if message:
            keep_words(self._store, job.key, message)
        return "again" if outcome == "done" and not self._reach.gather(job) else outcome

    def _result(self, ended: Any) -> tuple[Outcome, str]:
        trouble = self._ray.exceptions
        try:
            return self._ray.get(ended)
        except trouble.RayTaskError as error:
            raise UsageError(
                f"a Ray node cannot run jobs: {str(error).splitlines()[-1]}"
            ) from error
        except trouble.RayError:  # the worker or its node is lost
            return "again", ""

    def stop(self) -> None:
        for each in self._running:
            self._ray.cancel(each, force=False)
        if self._running:
            self._ray.wait(list(self._running), num_returns=len(self._running), timeout=2 * GRACE)
        self._running.clear()
        self._ray.shutdown()


def work_on_a_node(store: str, key: str, through: str | None) -> tuple[Outcome, str]:
    """What a node does with a job: run it, and tell how it ended.

    A network or a disk that fails for a while is no fault of the job: it is tried again.
    """
    try:
        return carry_out(store, key, through)
    except StorageError as error:
        return outcome_of(error.exit_code), str(error)
    except OSError:
        return "again", ""


def carry_out(store: str, key: str, through: str | None) -> tuple[Outcome, str]:
    place, mirror = Store(Path(store)), None if through is None else Mirror(through)
    if through is not None and mirror is not None:
        if mirror.is_done(key):
            return "done", ""
        place = scratch(through)
        mirror.bring(place, key)
    code = run_to_its_end(place.path, key)
    outcome = outcome_of(code)
    if outcome == "done" and mirror is not None:
        mirror.publish(place, place.job(key))
    return outcome, message_of(place, key, code) if outcome in ("error", "halt") else ""


def keep_words(store: Store, key: str, message: str) -> None:
    """A worker's log stays on its node: its last words are kept where the driver looks for them."""
    with store.open_log(key) as log:
        log.write(f"error: {message}\n".encode())


def connect(address: str | None) -> Any:
    """Ray, on a cluster that runs already or on one that is started here."""
    os.environ.update(SETTINGS)
    token = Path.home() / ".ray" / "auth_token"  # where Ray looks if nothing else is said
    if address is not None and not (any(map(os.environ.get, TOKENS)) or token.is_file()):
        raise UsageError(
            f"the Ray cluster at {address} is joined with a token: set RAY_AUTH_TOKEN_PATH to the "
            "file that `ray get-auth-token --generate` made"
        )
    ray: Any = import_module("ray")
    wanted = {"log_to_driver": False, "logging_level": "warning"}
    if address is None:
        ray.init(address="local", include_dashboard=False, **wanted)
        return ray
    try:
        ray.init(address=address, **wanted)
    except Exception as error:  # Ray has many ways to say that no cluster is there
        why = str(error).strip().splitlines()
        raise UsageError(f"no Ray cluster at {address}: {why[0] if why else error!r}") from error
    return ray
