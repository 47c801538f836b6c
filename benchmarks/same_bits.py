"""Do two grids hold the same bits? Cells that were run by two trees, weights and buffers included.

    road grid run discriminate --tasks pendulum-flipped --seeds 0 --keep-checkpoints --out FOLDER
    python -m benchmarks.same_bits FOLDER OTHER_FOLDER

Run the first command with each tree. Compared are, for every cell that both folders have finished,
all arrays of the last checkpoint and the journals, byte by byte; not ``state.json``, whose layout
may change with the format of checkpoints.
"""

import argparse
import json
from pathlib import Path

import numpy as np

JOURNALS = ("metrics", "episodes", "evaluations", "mixer")
ONE_LEARNER = ("agent/", "begun/", "before/")
"""Names of arrays in checkpoints of format 1, which knew one learner only."""


def arrays_of(run: Path) -> dict[str, bytes]:
    """The arrays of the last checkpoint, by their names in the present format."""
    newest = max((run / "checkpoints").glob("step-*"))
    with np.load(newest / "arrays.npz", allow_pickle=False) as arrays:
        return {
            f"learner-0/{name}" if name.startswith(ONE_LEARNER) else name: arrays[name].tobytes()
            for name in arrays.files
        }


def differences(one: Path, other: Path) -> list[str]:
    """Names of arrays and journals that differ between two runs."""
    mine, yours = arrays_of(one), arrays_of(other)
    names = sorted({*mine, *yours})
    arrays = [name for name in names if mine.get(name) != yours.get(name)]
    files = [f"{name}.jsonl" for name in JOURNALS]
    return arrays + [
        name for name in files if (one / name).read_bytes() != (other / name).read_bytes()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    folders = parser.parse_args()
    keys = [
        path.stem
        for path in sorted((folders.one / "done").glob("*.json"))
        if all(
            (grid / "runs" / path.stem / "checkpoints").is_dir() for grid in vars(folders).values()
        )
    ]
    if not keys:
        raise SystemExit(f"{folders.one} and {folders.other} share no cell with checkpoints")
    found = {
        key: differences(folders.one / "runs" / key, folders.other / "runs" / key) for key in keys
    }
    for key, names in found.items():
        label = json.loads((folders.one / "jobs" / f"{key}.json").read_text())["label"]
        print(f"{key} {label}: {', '.join(names) if names else 'same'}")
    print(f"{sum(not names for names in found.values())} of {len(keys)} cells have the same bits")
    raise SystemExit(any(found.values()))


if __name__ == "__main__":
    main()
