"""Logs in the layouts of other libraries, byte by byte as they document them."""

import json
import struct
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from tests.data.samples import LENGTHS, Arrays, episodes_of

from road.data.formats.crc32c import crc32c, masked


def write_robomimic(path: Path, arrays: Arrays) -> Path:
    """Its observations are a dict; every group is one demonstration."""
    bounds = np.cumsum(LENGTHS)[:-1]
    parts = {name: np.split(array, bounds) for name, array in arrays.items()}
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": {}})
        for index in range(len(LENGTHS)):
            demonstration = data.create_group(f"demo_{index}")
            demonstration.create_dataset("actions", data=parts["actions"][index])
            demonstration.create_dataset("rewards", data=parts["rewards"][index])
            demonstration.create_dataset("dones", data=parts["terminals"][index].astype(np.int32))
            for group, name in (("obs", "observations"), ("next_obs", "next_observations")):
                walk = parts[name][index]
                demonstration.create_dataset(f"{group}/a_position", data=walk[:, :2])
                demonstration.create_dataset(f"{group}/b_speed", data=walk[:, 2:])
            demonstration.attrs["num_samples"] = LENGTHS[index]
    return path


def write_lerobot(folder: Path, arrays: Arrays) -> Path:
    """Frames of layout v3: the last one of an episode that was cut has no successor."""
    (folder / "meta").mkdir(parents=True)
    (folder / "data" / "chunk-000").mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps({"codebase_version": "v3.0", "fps": 10}))
    episode = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
    width = arrays["observations"].shape[1]
    states = pa.FixedSizeListArray.from_arrays(arrays["observations"].reshape(-1), width)
    actions = pa.FixedSizeListArray.from_arrays(arrays["actions"].reshape(-1), 2)
    columns: dict[str, Any] = {
        "observation.state": states,
        "action": actions,
        "next.reward": arrays["rewards"],
        "next.done": arrays["terminals"],
        "timestamp": np.arange(len(episode)) / 10,
        "episode_index": episode,
        "task_index": np.zeros_like(episode),
    }
    parquet.write_table(pa.table(columns), folder / "data" / "chunk-000" / "file-000.parquet")
    return folder


def write_rlds(folder: Path, arrays: Arrays) -> Path:
    """An episode per record; the last step holds no more than the last observation."""
    version = folder / "1.0.0"
    version.mkdir(parents=True)
    (version / "features.json").write_text(json.dumps(DESCRIPTION))
    with (version / "walk-train.tfrecord-00000-of-00001").open("wb") as file:
        for episode in episodes_of(arrays):
            file.write(record(example(episode)))
    return folder


def tensor(kind: str, *shape: int) -> dict[str, Any]:
    lengths = {"dimensions": [str(length) for length in shape]} if shape else {}
    return {"tensor": {"dtype": kind, "encoding": "none", "shape": lengths}}


def grouped(**features: Any) -> dict[str, Any]:
    return {"featuresDict": {"features": features}}


DESCRIPTION = grouped(
    steps={
        "sequence": {
            "length": "-1",
            "feature": grouped(
                observation=grouped(state=tensor("float32", 3)),
                action=tensor("float32", 2),
                reward=tensor("float32"),
                is_terminal=tensor("bool"),
                language_instruction={"text": {}},
            ),
        }
    }
)


def example(episode: Arrays) -> bytes:
    """``tf.train.Example``: names, each with a list of numbers."""
    terminal = np.append(np.zeros(len(episode["rewards"])), episode["terminals"].any())
    features = {
        "steps/observation/state": floats(episode["observations"]),
        "steps/action": floats(np.concatenate([episode["actions"], np.full((1, 2), np.nan)])),
        "steps/reward": floats(np.append(episode["rewards"], np.nan)),
        "steps/is_terminal": field(3, field(1, bytes(terminal.astype(np.uint8).tolist()))),
        "steps/language_instruction": field(1, field(1, b"go")),
    }
    entries = (field(1, field(1, n.encode()) + field(2, value)) for n, value in features.items())
    return field(1, b"".join(entries))


def floats(values: np.ndarray) -> bytes:
    return field(2, field(1, values.astype("<f4").tobytes()))


def field(number: int, content: bytes) -> bytes:
    """A field of bytes, with its length."""
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def varint(value: int) -> bytes:
    more = b""
    while value >= 0x80:
        more += bytes([value & 0x7F | 0x80])
        value >>= 7
    return more + bytes([value])


def record(content: bytes) -> bytes:
    head = struct.pack("<Q", len(content))
    return b"".join(part + struct.pack("<I", masked(crc32c(part))) for part in (head, content))
