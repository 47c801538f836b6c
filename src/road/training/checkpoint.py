"""Checkpoints: a folder of arrays and JSON that is either whole or not there.

A checkpoint is written aside, every file is fsynced, and one rename makes it real. Its manifest
holds the size and SHA-256 of every file; a damaged one is refused and the one before it is used.
"""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats.npz import read_checkpoint
from road.errors import DamagedError, DataError, StorageError, UsageError
from road.files import REPLACED, TEMPORARY, remove_folder, replace_folder, sync, sync_folder
from road.plain_files import open_to_read, read_json, refuse_links

FORMAT = 2
"""1 held one learner without a name for it, and optimisers as one vector each."""
KEPT = 2
"""How many of the newest checkpoints stay, beside the best one."""

MANIFEST = "MANIFEST.json"
FILES = ("arrays.npz", "state.json")
IDENTITY = "identity.json"
"""What the checkpoint belongs to; those of earlier versions do not have it."""
PREFIX = "step-"


class Damaged(Exception):
    """A checkpoint that does not match its manifest."""


def save_checkpoint(
    root: Path,
    position: int,
    arrays: dict[str, NDArray[Any]],
    document: dict[str, Any],
    best_position: int | None,
    identity: dict[str, Any] | None = None,
) -> Path:
    """Write the checkpoint of that position, then drop those that are no longer needed."""
    final = checkpoint_path(root, position)
    aside = root / f"{TEMPORARY}{final.name}"
    try:
        refuse_links(root, root.parent)
        root.mkdir(parents=True, exist_ok=True)
        check_space(root, sum(array.nbytes for array in arrays.values()))
        remove_folder(aside)
        aside.mkdir()
        with (aside / "arrays.npz").open("wb") as file:
            np.savez(file, **arrays)  # pyright: ignore[reportArgumentType] -- NumPy's stub lacks it
            sync(file)
        write_json(aside / "state.json", document)
        if identity is not None:
            write_json(aside / IDENTITY, identity)
        files = {path.name: digest(path) for path in sorted(aside.iterdir())}
        write_json(aside / MANIFEST, {"format": FORMAT, "files": files})
        sync_folder(aside)
        replace_folder(aside, final)
        sync_folder(root)
    except OSError as error:
        remove_folder(aside)
        raise StorageError(
            f"cannot write checkpoint {final}: {error.strerror or error}; earlier ones are kept"
        ) from error
    prune(root, final, best_position)
    return final


def load_latest(
    root: Path, warn: Callable[[str], None]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
    """The newest checkpoint that is whole; None if there is none at all."""
    refuse_links(root, root.parent)
    found = sorted([*checkpoints(root), *orphans(root)], key=lambda path: final_of(path).name)
    for path in reversed(found):
        try:
            return load_checkpoint(path)
        except Damaged as damage:
            warn(f"checkpoint {path.name} is damaged ({damage}); falling back to the one before it")
    if found:
        raise DamagedError(
            f"every checkpoint in {root} is damaged; delete {root.parent} and start that run again"
        )
    return None


def pick_checkpoint(folder: Path, *, best: bool) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and document of a run's newest checkpoint that is whole, or of its best one.

    Raises:
        UsageError: the run has none.
        StorageError: none can be used.
    """
    root = folder / "checkpoints"
    newest = load_latest(root, lambda _: None)
    if newest is None:
        raise UsageError(f"{folder} holds no checkpoint yet, or none was kept")
    position = newest[1]["counters"]["best_position"]
    if not best or position is None:
        return newest
    chosen = checkpoint_path(root, position)
    try:
        return load_checkpoint(chosen)
    except Damaged as damage:
        raise StorageError(f"the best checkpoint {chosen} is damaged: {damage}") from None


def load_checkpoint(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and document of one checkpoint, verified against its manifest first.

    What the checkpoint belongs to is ``identity`` in the document, if it says so.
    """
    try:
        files = check_manifest(path)
        document = read_json(path / "state.json")
        if IDENTITY in files:
            document["identity"] = read_json(path / IDENTITY)
        return read_checkpoint(path / "arrays.npz"), document
    except (DamagedError, DataError) as error:
        raise Damaged(str(error)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{type(error).__name__}: {error}") from error


def check_manifest(path: Path) -> set[str]:
    """Names of the files, once they are as they were written: a checkpoint's, and no others."""
    refuse_links(path, path.parent)
    manifest = read_json(path / MANIFEST)
    if manifest["format"] != FORMAT:
        raise StorageError(
            f"checkpoint {path} has format {manifest['format']!r}, this version reads {FORMAT}; "
            "finish the run with the version that began it, or start it again"
        )
    # Names come from outside: a path that leaves the folder, or a device, is never opened.
    names = set(manifest["files"])
    if names - {IDENTITY} != set(FILES):
        raise Damaged(f"its {MANIFEST} does not list {' and '.join(FILES)}")
    for name in names:
        if digest(path / name) != manifest["files"][name]:
            raise Damaged(f"{name} differs from its checksum")
    return names


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
            remove_folder(path)
    for leftover in root.glob(f"{TEMPORARY}*"):
        remove_folder(leftover)


def digest(path: Path) -> dict[str, Any]:
    with open_to_read(path) as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.tell(), "sha256": found}


def write_json(path: Path, data: Any) -> None:
    with path.open("w") as file:
        json.dump(data, file, allow_nan=False)
        sync(file)


def check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed * 1.05 + 65_536:
        raise OSError(f"no space: it needs {needed / 1e6:.1f} MB, {free / 1e6:.1f} MB are free")
