"""Workers on GPUs: which they see, what they may take, and one line where there is none."""

from pathlib import Path

import pytest
from tests.experiments.test_backends import workers

from road.cli import main
from road.errors import UsageError
from road.experiments.backends.local import LocalBackend
from road.experiments.gpus import check_names, gpu_variables
from road.experiments.jobs import Job
from road.experiments.store import Store


def test_five_workers_share_two_gpus_and_their_memory() -> None:
    """Slots 0, 2 and 4 are on the first, 1 and 3 on the second: 0.9 / 3 and 0.9 / 2."""
    found = [gpu_variables(["0", "3"], slot, 5) for slot in range(5)]
    assert [each["CUDA_VISIBLE_DEVICES"] for each in found] == ["0", "3", "0", "3", "0"]
    fractions = [each["XLA_PYTHON_CLIENT_MEM_FRACTION"] for each in found]
    assert fractions == ["0.300", "0.450", "0.300", "0.450", "0.300"]


def test_every_process_is_started_with_the_gpu_of_its_slot(tmp_path: Path) -> None:
    """Two jobs at a time: the environment of both processes, as the system knows it."""
    store = Store(tmp_path / "grid")
    store.make_folders()
    backend = LocalBackend(store.path, 2, ["4", "7"])
    for key in ("one", "two"):
        backend.start(Job(key, "cell", key, (), {}))
    try:
        started = [Path(f"/proc/{pid}/environ").read_bytes() for pid in workers(store.path)]
    finally:
        backend.stop()
    seen = [line for each in started for line in each.split(b"\0") if line.startswith(b"CUDA_")]
    assert sorted(seen) == [b"CUDA_VISIBLE_DEVICES=4", b"CUDA_VISIBLE_DEVICES=7"]


def test_without_gpus_nothing_is_set() -> None:
    assert gpu_variables([], 0, 4) == {}


@pytest.mark.parametrize("gpus", [["0,1"], [""], ["0", "0"]])
def test_gpus_are_named_one_by_one(gpus: list[str]) -> None:
    with pytest.raises(UsageError, match="gpu"):
        check_names(gpus)


def test_a_machine_without_a_gpu_says_so_in_one_line_and_begins_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    words = ["grid", "run", "discriminate", "--gpus", "0", "--out", str(tmp_path / "grid")]
    assert main(words) == UsageError.exit_code
    reported = capsys.readouterr().err
    assert "JAX finds 0 of 1 GPUs (--gpus 0)" in reported
    assert not (tmp_path / "grid").exists()
