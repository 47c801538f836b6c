"""A Ray cluster: its nodes take jobs as they have CPUs free; results go through a shared folder.

Ray is asked for nothing but to start a function somewhere. Whether a job is done is in the store,
so a lost worker, node or driver costs the steps since the last checkpoint, and no result.

Tokens are on, the dashboard and the usage statistics are off: whoever reaches a Ray cluster without
a token may run code on it.
"""

import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from road.errors import UsageError
from road.experiments.backends.process import run_to_its_end
from road.experiments.jobs import Job
from road.experiments.running import Outcome
from road.experiments.store import Store

SETTINGS = {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


class RayBackend:
    """Jobs as tasks of Ray, one CPU each."""

    def __init__(self, store: Path, address: str | None = None) -> None:
        self._store = Store(store)
        self._ray = connected(address)
        # Who retries is the runner: only it knows a job's own error from a lost worker.
        self._begin = self._ray.remote(num_cpus=1, max_retries=0)(run_to_its_end)
        self._running: dict[Any, Job] = {}

    @property
    def slots(self) -> int:
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def start(self, job: Job) -> None:
        self._running[self._begin.remote(str(self._store.path), job.key)] = job

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        if not self._running:
            time.sleep(seconds)
            return []
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [(self._running.pop(each), self._outcome(each)) for each in ended]

    def _outcome(self, ended: Any) -> Outcome:
        trouble = self._ray.exceptions
        try:
            return self._ray.get(ended)
        except trouble.RayTaskError as error:
            raise UsageError(
                f"a Ray node cannot run jobs: {str(error).splitlines()[-1]}"
            ) from error
        except trouble.RayError:  # the worker or its node is lost
            return "again"

    def stop(self) -> None:
        for each in self._running:
            self._ray.cancel(each, force=False)
        if self._running:
            self._ray.wait(list(self._running), num_returns=len(self._running), timeout=60.0)
        self._running.clear()
        self._ray.shutdown()


def connected(address: str | None) -> Any:
    """Ray, on a cluster that runs already or on one that is started here."""
    os.environ.update(SETTINGS)
    if address is not None and not has_token():
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
    except Exception as error:  # Ray has many ways to say that nobody is there
        why = str(error).strip().splitlines()
        raise UsageError(f"no Ray cluster at {address}: {why[0] if why else error!r}") from error
    return ray


def has_token() -> bool:
    return any(os.environ.get(name) for name in TOKENS) or token_file().is_file()


def token_file() -> Path:
    """Where Ray looks for a token if nothing else is said."""
    return Path.home() / ".ray" / "auth_token"
