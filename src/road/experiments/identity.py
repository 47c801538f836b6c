"""What a result depends on, as canonical JSON, and the hash that stands for it.

Threads, folders and labels are not in it; every setting is, also those that were left as usual, so
that a default that changes gives another hash.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from road.data.stored import read_contents
from road.errors import DataError
from road.experiments.making import checksum
from road.training.config import Plan
from road.training.switch import offline_part

DIGITS = 12
"""Of the hash: among a million cells two would share one in 1 of 560 grids."""
WITHOUT_CONSEQUENCE = ("checkpoint_every",)


def hash_of(thing: Any) -> str:
    return hashlib.sha256(canonical(thing).encode()).hexdigest()[:DIGITS]


def canonical(thing: Any) -> str:
    """The same text for the same content, whatever the order of its keys."""
    return json.dumps(thing, sort_keys=True, separators=(",", ":"), allow_nan=False)


def cell_identity(plan: Plan) -> dict[str, Any]:
    """What the result of a run depends on."""
    told = {n: v for n, v in plan.to_json().items() if n not in WITHOUT_CONSEQUENCE}
    return {"kind": "cell", **with_content(told)}


def pretraining_identity(plan: Plan) -> dict[str, Any]:
    """What the state at the switch depends on."""
    return {"kind": "pretraining", **with_content(offline_part(plan))}


def with_content(told: dict[str, Any]) -> dict[str, Any]:
    """A file of data, or a stored dataset, is known by what is in it."""
    scheme, _, name = str(told.get("own", {}).get("data", "")).partition(":")
    if scheme not in ("file", "stored"):
        return told
    path = Path(name)
    if not path.exists():
        raise DataError(f"{path} is not there, and a case of the grid learns from it")
    found = read_contents(path)["sha256"] if scheme == "stored" else checksum(path)
    return {**told, "own": {**told["own"], "data": f"sha256:{found}"}}
