"""A run's numbers as a W&B run in offline mode: files alone, until you say ``wandb sync``.

    write_run({1000: {"evaluation/score": 42.0}}, Path("boards"), "my-run", config)

The run's id is made of its name and its settings. A second export takes the place of the first,
here and, once synchronised, on the server.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import wandb

from road.errors import StorageError
from road.files import hash_bytes, storage_errors

PROJECT = "road"
"""Where a run goes on the server; ``wandb sync --project`` says otherwise."""
GROWING = "online_steps"
"""The one setting that changes while a run goes on: a foreign loop reports its steps so far."""


def write_run(
    rows: Mapping[int, Mapping[str, float]], out: Path, name: str, config: Mapping[str, Any]
) -> Path:
    """Write numbers by step and name, in the order of steps; gives the folder to synchronise.

    W&B writes beside us: all is there when the process has ended, or after ``wandb.teardown()``.

    Raises:
        StorageError: the folder cannot be written to.
    """
    identity = run_id(name, config)
    try:
        with storage_errors(f"write to {out}"):
            out.mkdir(parents=True, exist_ok=True)
            for old in (out / "wandb").glob(f"offline-run-*-{identity}"):
                shutil.rmtree(old)
            run = begin(out, name, identity, config)
            for step, numbers in rows.items():
                run.log(dict(numbers), step=step)
            run.finish()
    except wandb.Error as failure:
        raise StorageError(f"cannot write to {out}: {failure}") from failure
    return checked_folder(Path(run.settings.sync_dir), out)


class LiveRun:
    """A W&B run in a run's own folder that grows with it.

    It is in offline mode, unless ``WANDB_MODE=online`` asks for its rows to be sent.
    """

    def __init__(self, folder: Path, name: str, config: Mapping[str, Any]) -> None:
        self.folder, identity = folder, run_id(name, config)
        mode = "online" if os.environ.get("WANDB_MODE") == "online" else "offline"
        try:
            with storage_errors(f"write to {folder}"):
                for old in (folder / "wandb").glob(f"*run-*-{identity}"):
                    shutil.rmtree(old)
            self.run = begin(folder, name, identity, config, mode)
        except wandb.Error as failure:
            raise StorageError(f"W&B cannot begin a run in {folder}: {failure}") from failure

    def log(self, step: int, numbers: Mapping[str, float]) -> None:
        self.run.log(dict(numbers), step=step)

    def flush(self) -> None:
        """W&B writes beside us."""

    def close(self) -> None:
        self.run.finish()


def run_id(name: str, config: Mapping[str, Any]) -> str:
    settings = {key: value for key, value in config.items() if key != GROWING}
    text = json.dumps([name, settings], sort_keys=True)
    return hash_bytes(text.encode())[:16]


def begin(
    out: Path,
    name: str,
    identity: str,
    config: Mapping[str, Any],
    mode: Literal["offline", "online"] = "offline",
) -> wandb.Run:
    # Its own error reports would go over the network even in offline mode.
    os.environ["WANDB_ERROR_REPORTING"] = "false"
    return wandb.init(
        mode=mode,
        project=PROJECT,
        dir=str(out.resolve()),
        id=identity,
        name=name,
        config=dict(config),
        reinit="create_new",  # leaves a run of the caller alone
        # Where a run is exported says nothing about it: no machine, no code, no output of ours.
        settings=wandb.Settings(
            silent=True, console="off", disable_git=True, disable_code=True, save_code=False,
            x_disable_meta=True, x_disable_stats=True, x_disable_machine_info=True,
            x_save_requirements=False,
        ),
    )  # fmt: skip


def checked_folder(folder: Path, out: Path) -> Path:
    """The run's folder; where W&B may not write it silently uses a temporary folder instead."""
    if out.resolve() not in folder.resolve().parents:
        raise StorageError(f"cannot write to {out}: W&B wrote to {folder} instead")
    return out / folder.resolve().relative_to(out.resolve())
