"""A run's numbers as a TensorBoard event file; needs ``tensorboard``, not TensorFlow.

    write_run({1000: {"evaluation/score": 42.0}}, Path("boards"), "my-run", config)

The file is new each time and takes the place of the one before, so that nothing is there twice.
"""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.types_pb2 import DT_STRING
from tensorboard.summary.writer.record_writer import RecordWriter

from road.files import storage_errors

OURS = "events.out.tfevents.*.road"
"""TensorBoard knows event files by the third word; we know ours by the last."""


def write_run(
    rows: Mapping[int, Mapping[str, float]], out: Path, name: str, config: Mapping[str, Any]
) -> Path:
    """Write numbers by step and name to ``out/name``; gives that folder.

    Raises:
        StorageError: the folder cannot be written to.
    """
    folder = out / name
    aside = folder / ".events.road"
    with storage_errors(f"write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        earlier = list(folder.glob(OURS))
        with aside.open("wb") as file:
            write_events(rows, config, file)
        aside.replace(new_file(folder))
        clear(earlier)
    return folder


def new_file(folder: Path) -> Path:
    """A new name each time: an open TensorBoard reads on in a file, never from its beginning."""
    return folder / OURS.replace("*", f"{time.time_ns():020}")


class LiveRun:
    """An event file in a run's own folder that grows with the run."""

    def __init__(self, folder: Path, name: str, config: Mapping[str, Any]) -> None:
        del name  # TensorBoard takes the folder's
        self.folder = folder
        with storage_errors(f"write to {folder}"):
            earlier = list(folder.glob(OURS))
            self.file = new_file(folder).open("xb")
            self.records = write_events({}, config, self.file)
            self.flush()
            clear(earlier)

    def log(self, step: int, numbers: Mapping[str, float]) -> None:
        with storage_errors(f"write to {self.folder}"):
            add_event(self.records, time.time(), step=step, summary=summary_of(numbers))

    def flush(self) -> None:
        with storage_errors(f"write to {self.folder}"):
            self.file.flush()

    def close(self) -> None:
        self.file.close()


def clear(earlier: Iterable[Path]) -> None:
    """Empty the last event file, remove those before it, which are empty already.

    An open TensorBoard goes on to the next file when it is through with one that is there; one that
    is gone it waits for.
    """
    for old in earlier:
        if old.stat().st_size:
            old.write_bytes(b"")
        else:
            old.unlink()


def write_events(
    rows: Mapping[int, Mapping[str, float]], config: Mapping[str, Any], file: BinaryIO
) -> RecordWriter:
    """The head of a file and the rows; gives what writes more of them."""
    # Journals have no clock times: all rows get that of the export.
    now, records = time.time(), RecordWriter(file)
    add_event(records, now, file_version="brain.Event:2")
    # Makes a TensorBoard that is open forget an earlier file of this run.
    add_event(records, now, session_log=SessionLog(status=SessionLog.START))
    add_event(records, now, summary=Summary(value=[settings_text(config)]))
    for step, numbers in rows.items():
        add_event(records, now, step=step, summary=summary_of(numbers))
    return records


def add_event(records: RecordWriter, now: float, **content: Any) -> None:
    records.write(Event(wall_time=now, **content).SerializeToString())


def summary_of(numbers: Mapping[str, float]) -> Summary:
    return Summary(value=[Summary.Value(tag=tag, simple_value=x) for tag, x in numbers.items()])


def settings_text(config: Mapping[str, Any]) -> Summary.Value:
    """The settings as TensorBoard's text page shows them: Markdown, indented to stay as it is."""
    lines = json.dumps(config, indent=2).splitlines()
    text = "\n".join(f"    {line}" for line in lines)
    return Summary.Value(
        tag="config",
        metadata=SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text")),
        tensor=TensorProto(dtype=DT_STRING, string_val=[text.encode()]),
    )
