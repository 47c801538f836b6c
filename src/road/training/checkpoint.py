"""Checkpoints: a folder of arrays and JSON that is either whole or not there.

A checkpoint is written aside, every file is fsynced, and one rename makes it real. Its manifest
holds the size and SHA-256 of every file; a damaged one is refused and the one before it is used.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.errors import DamagedError, StorageError

FORMAT = 1
KEPT = 2
"""How many of the newest checkpoints stay, beside the best one."""

MANIFEST = "MANIFEST.json"
PREFIX = "step-"
ASIDE = ".writing-"
REPLACED = f"{ASIDE}replaced-"


class Damaged(Exception):
    """A checkpoint that does not match its manifest."""


def save_checkpoint(
    root: Path,
    position: int,
    arrays: dict[str, NDArray[Any]],
    document: dict[str, Any],
    best_position: int | None,
) -> Path:
    """Write the checkpoint of that position, then drop those that are no longer needed."""
    final = checkpoint_path(root, position)
    aside = root / f"{ASIDE}{final.name}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        check_space(root, sum(array.nbytes for array in arrays.values()))
        discard(aside)
        aside.mkdir()
        with (aside / "arrays.npz").open("wb") as file:
            np.savez(file, **arrays)  # pyright: ignore[reportArgumentType] -- NumPy's stub lacks it
            flush(file)
        write_json(aside / "state.json", document)
        write_json(aside / MANIFEST, {"format": FORMAT, "files": digests(aside)})
        sync_folder(aside)
        replace_folder(aside, final)
        sync_folder(root)
    except OSError as error:
        discard(aside)
        raise StorageError(
            f"cannot write checkpoint {final}: {error.strerror or error}; earlier ones are kept"
        ) from error
    prune(root, final, best_position)
    return final


def load_latest(
    root: Path, warn: Callable[[str], None]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
    """The newest checkpoint that is whole; None if there is none at all."""
    found = sorted([*checkpoints(root), *orphans(root)], key=lambda path: final_of(path).name)
    for path in reversed(found):
        try:
            return load_checkpoint(path)
        except Damaged as damage:
            warn(f"checkpoint {path.name} is damaged ({damage}); falling back to the one before it")
    if found:
        raise DamagedError(
            f"every checkpoint in {root} is damaged; delete {root.parent} and begin that run anew"
        )
    return None


def load_checkpoint(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and document of one checkpoint, verified against its manifest first."""
    try:
        manifest = json.loads((path / MANIFEST).read_text())
        if manifest["format"] != FORMAT:
            raise StorageError(
                f"checkpoint {path} has format {manifest['format']}, this version reads {FORMAT}"
            )
        for name, expected in manifest["files"].items():
            if digest(path / name) != expected:
                raise Damaged(f"{name} differs from its checksum")
        document = json.loads((path / "state.json").read_text())
        with np.load(path / "arrays.npz", allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}, document
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{type(error).__name__}: {error}") from error


def checkpoint_path(root: Path, position: int) -> Path:
    return root / f"{PREFIX}{position:010d}"


def checkpoints(root: Path) -> list[Path]:
    """Oldest first, by position."""
    return sorted(root.glob(f"{PREFIX}*"))


def orphans(root: Path) -> list[Path]:
    """Checkpoints that were set aside for others which a kill kept from taking their place."""
    return [path for path in root.glob(f"{REPLACED}{PREFIX}*") if not final_of(path).exists()]


def final_of(path: Path) -> Path:
    return path.with_name(path.name.removeprefix(REPLACED))


def prune(root: Path, newest: Path, best_position: int | None) -> None:
    """Keep the last ones and the best; those beyond the newest were fallen back from."""
    kept = [path for path in checkpoints(root) if path.name <= newest.name][-KEPT:]
    if best_position is not None:
        kept.append(checkpoint_path(root, best_position))
    for path in checkpoints(root):
        if path not in kept:
            discard(path)
    for leftover in root.glob(f"{ASIDE}*"):
        discard(leftover)


def replace_folder(aside: Path, final: Path) -> None:
    """Put a folder in the place of another; after a kill in between that one is still found."""
    replaced = final.with_name(f"{REPLACED}{final.name}")
    if final.exists():  # else what a kill has left set aside is the only one: it stays till the end
        discard(replaced)
        final.rename(replaced)
    aside.rename(final)


def discard(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)


def digests(folder: Path) -> dict[str, dict[str, Any]]:
    return {path.name: digest(path) for path in sorted(folder.iterdir())}


def digest(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": checksum}


def write_json(path: Path, data: Any) -> None:
    with path.open("w") as file:
        json.dump(data, file, allow_nan=False)
        flush(file)


def flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed * 1.05 + 65_536:
        raise OSError(f"no space: it needs {needed / 1e6:.1f} MB, {free / 1e6:.1f} MB are free")
