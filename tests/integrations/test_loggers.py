"""Against the real TensorBoard and W&B, whose files are read back: `make loggers`."""

import json
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorboard", reason="it has its own environment: make loggers")
pytest.importorskip("wandb", reason="it has its own environment: make loggers")

import wandb
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tests.docs.reading import DOCS, ROOT, blocks
from tests.report.conftest import write_synthetic
from wandb.proto.wandb_internal_pb2 import Record

from road.cli import main
from road.integrations import tensorboard as board_writer
from road.integrations import wandb as wandb_writer
from road.records.following import Follower

SWITCH = 10_000
"""Offline updates of the run that the tests export."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("WANDB_CACHE_DIR", "WANDB_CONFIG_DIR", "WANDB_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


def export(to: str, *runs: str) -> None:
    assert main(["export", to, *runs, "--out", "out"]) == 0
    # Waits for W&B to have written all, as the end of a process does.
    wandb.teardown()


def board(run: str) -> EventAccumulator:
    return EventAccumulator(f"out/{run}", size_guidance={"scalars": 0}).Reload()


def curve(events: EventAccumulator, name: str) -> list[tuple[int, float]]:
    return [(event.step, event.value) for event in events.Scalars(name)]


def offline_run(place: Path = Path("out")) -> Path:
    """The only run there."""
    (found,) = place.glob("wandb/offline-run-*/*.wandb")
    return found


def records(path: Path) -> Iterator[Record]:
    """W&B's log: LevelDB's, in blocks of 32 kB, after a head of 7 bytes; the package has no reader.

    A record is whole (type 1) or in parts (first 2, middle 3, last 4).
    """
    content, at, parts = path.read_bytes(), 7, b""
    while at + 7 <= len(content):
        if (left := 32_768 - at % 32_768) < 7:
            at += left
        _, length, kind = struct.unpack_from("<IHB", content, at)
        parts += content[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield Record.FromString(parts)
            parts = b""


def history(path: Path) -> list[dict[str, Any]]:
    """What was logged, row by row."""
    return [
        {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in row.item}
        for row in (record.history for record in records(path) if record.HasField("history"))
    ]


def logged(path: Path, name: str) -> list[tuple[int, float]]:
    return [(row["_step"], row[name]) for row in history(path) if name in row]


def scores(run: Path) -> list[tuple[int, float]]:
    """Worked out from the journal: online steps come after all offline ones."""
    rows = [json.loads(line) for line in (run / "evaluations.jsonl").read_text().splitlines()]
    found = {row["step"] + SWITCH * (row["phase"] == "online"): row["score"] for row in rows}
    return sorted(found.items())


def test_tensorboard_reads_back_every_journal():
    run = write_synthetic(Path("run"))
    export("tensorboard", "run")
    events = board("run")
    assert curve(events, "evaluation/score") == [
        (step, pytest.approx(score, rel=1e-6)) for step, score in scores(run)
    ]
    assert len(curve(events, "critic/loss")) == 200
    assert curve(events, "mixing/offline_ratio")[-1][0] == 2 * SWITCH
    assert {"episode/return", "arms/means/0.1", "arms/counts/0.5"} <= set(events.Tags()["scalars"])
    (text,) = events.Tensors("config")
    shown = json.loads(text.tensor_proto.string_val[0])
    assert shown == json.loads((run / "config.json").read_text())


def test_an_open_tensorboard_shows_a_growing_run_once():
    run = write_synthetic(Path("run"))
    journal = run / "evaluations.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:15]))
    export("tensorboard", "run")
    opened = board("run")
    assert len(curve(opened, "evaluation/score")) == 14, "the switch is in both phases"
    for length, shown in ((18, 17), (21, 20), (21, 20)):
        journal.write_text("".join(lines[:length]))
        export("tensorboard", "run")
        assert len(curve(opened.Reload(), "evaluation/score")) == shown
    assert len(curve(board("run"), "evaluation/score")) == 20
    sizes = [path.stat().st_size for path in sorted(Path("out/run").iterdir())]
    assert sizes[0] == 0 < sizes[1] and len(sizes) == 2


def test_event_files_of_others_are_left_alone():
    write_synthetic(Path("run"))
    other = Path("out/run/events.out.tfevents.1.host")
    other.parent.mkdir(parents=True)
    other.write_bytes(b"")
    export("tensorboard", "run")
    assert other.exists()


def test_wandb_reads_back_every_journal_and_the_settings():
    run = write_synthetic(Path("run"))
    export("wandb", "run")
    path = offline_run()
    assert logged(path, "evaluation/score") == scores(run)
    assert len(logged(path, "critic/loss")) == 200
    assert logged(path, "mixing/offline_ratio")[-1][0] == 2 * SWITCH
    names = {name for row in history(path) for name in row}
    assert {"episode/return", "arms/means/0.1", "arms/counts/0.5"} <= names
    (reported,) = [record.run for record in records(path) if record.HasField("run")]
    config = {item.key: json.loads(item.value_json) for item in reported.config.update}
    config.pop("_wandb")
    assert config == json.loads((run / "config.json").read_text())
    assert (reported.display_name, reported.project) == ("run", "road")


def test_exporting_to_wandb_again_replaces_the_run_under_the_same_id():
    run = write_synthetic(Path("run"))
    journal = run / "evaluations.jsonl"
    whole = journal.read_text()
    journal.write_text("".join(whole.splitlines(keepends=True)[:15]))
    export("wandb", "run")
    first = offline_run()
    assert len(logged(first, "evaluation/score")) == 14
    journal.write_text(whole)
    export("wandb", "run")
    assert offline_run().name == first.name
    assert len(logged(offline_run(), "evaluation/score")) == 20


def test_runs_of_other_settings_have_other_ids():
    write_synthetic(Path("a/run"))
    write_synthetic(Path("b/run"), config={"batch_size": 7})
    export("wandb", "a/run")
    export("wandb", "b/run")
    assert len({path.name for path in Path("out").glob("wandb/offline-run-*/*.wandb")}) == 2


def test_wandb_is_never_online_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.0)
        monkeypatch.setenv("WANDB_MODE", "online")
        monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
        monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        write_synthetic(Path("run"))
        export("wandb", "run")
        with pytest.raises(BlockingIOError):
            server.accept()
    assert offline_run().exists()


@pytest.mark.parametrize("to", ["tensorboard", "wandb"])
def test_a_place_that_cannot_be_written_to_is_reported_in_a_line(
    to: str, capfd: pytest.CaptureFixture[str]
):
    write_synthetic(Path("run"))
    Path("out").write_text("a file")
    assert main(["export", to, "run", "--out", "out"]) == 7
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("error: cannot write to out")


def grow(run: Path, to: Any) -> None:
    """A run whose journals grow while it is followed, each ending in half a line at first."""
    whole = {path: path.read_bytes() for path in sorted(run.glob("*.jsonl"))}
    for path in whole:
        path.write_bytes(b"")
    following = Follower(run)
    live = to.LiveRun(run, run.name, following.record.config)
    limits = [
        (phase, step) for phase in ("offline", "online") for step in range(2500, SWITCH, 2500)
    ]
    for phase, limit in limits:
        for path, content in whole.items():
            path.write_bytes(content[: written_by(content, phase, limit) + 7])
        log_new(following, live)
    for path, content in whole.items():
        path.write_bytes(content)
    log_new(following, live)
    live.close()


def log_new(following: Follower, live: Any) -> None:
    for step, numbers in following.new_rows().items():
        live.log(step, numbers)
    live.flush()


def written_by(content: bytes, phase: str, limit: int) -> int:
    """How many bytes of a journal are there at that step."""
    length = 0
    for line in content.splitlines(keepends=True):
        row = json.loads(line)
        of = row.get("phase", "online")
        if (of, phase) == ("online", "offline") or (of == phase and row["step"] > limit):
            break
        length += len(line)
    return length


def test_a_run_that_was_followed_is_what_an_export_of_it_would_be():
    run = write_synthetic(Path("run"))
    grow(run, board_writer)
    followed = EventAccumulator("run", size_guidance={"scalars": 0}).Reload()
    export("tensorboard", "run")
    exported = board("run")
    names = exported.Tags()["scalars"]
    assert names == followed.Tags()["scalars"] and len(names) > 20
    # The made-up run is judged at both sides of the switch, which is one step: the later counts.
    assert all(dict(curve(followed, name)) == dict(curve(exported, name)) for name in names)
    assert followed.Tensors("config")[0].tensor_proto == exported.Tensors("config")[0].tensor_proto


def test_following_again_takes_the_place_of_what_was_there():
    run = write_synthetic(Path("run"))
    grow(run, board_writer)
    grow(run, board_writer)
    events = EventAccumulator("run", size_guidance={"scalars": 0}).Reload()
    assert len(curve(events, "critic/loss")) == 200


def test_wandb_follows_a_run_offline_unless_it_is_asked_to_send(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WANDB_MODE", raising=False)
    run = write_synthetic(Path("run"))
    grow(run, wandb_writer)
    wandb.teardown()
    assert logged(offline_run(run), "evaluation/score") == scores(run)
    assert len(logged(offline_run(run), "critic/loss")) == 200
    grow(run, wandb_writer)
    wandb.teardown()
    assert len(logged(offline_run(run), "evaluation/score")) == 20


def test_the_guide_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    namespace: dict[str, Any] = {}
    typed = []
    for block in blocks(DOCS / "guides" / "loggers.md"):
        if block.language == "python":
            exec(block.text, namespace)
        elif block.language == "sh":
            typed += [line for line in block.text.splitlines() if line.startswith("road ")]
    for line in typed:
        # In processes of their own, at whose end everything must be written.
        subprocess.run([sys.executable, "-m", "road.cli", *line.split()[1:]], check=True)
    assert len(typed) == 2
    assert len(logged(offline_run(Path("boards")), "mixing/credit")) == 20
