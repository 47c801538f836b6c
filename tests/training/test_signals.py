"""Asked to stop at any moment, a command ends with 75, and leaves what goes on or nothing."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from road.cli import main
from road.errors import Interrupted, Preempted
from road.stopping import Stopped, StopRequest, listening


def ended(stop: StopRequest, what: Callable[[], object]) -> None:
    with stop.at_once():
        what()
        pytest.fail("went on")


def ask(number: int = signal.SIGTERM) -> None:
    """As another process would: Python's own handler runs before the next line."""
    signal.raise_signal(number)


def test_a_request_is_noted_where_there_is_something_to_save():
    with listening() as stop:
        ask()
        assert stop()


@pytest.mark.parametrize(
    ("number", "kind"), [(signal.SIGTERM, Preempted), (signal.SIGINT, Interrupted)]
)
def test_a_request_ends_what_leaves_nothing_to_save(number: int, kind: type[Exception]):
    with listening() as stop, pytest.raises(kind):
        ended(stop, lambda: ask(number))


def test_a_request_that_a_library_made_another_error_of_is_still_a_request():
    def library() -> None:
        try:
            ask()
        except Stopped as stopped:
            raise ImportError("cannot import a half of myself") from stopped

    with listening() as stop, pytest.raises(Preempted):
        ended(stop, library)


def test_a_request_that_came_before_is_not_forgotten():
    with listening():
        ask()
        with listening() as stop, pytest.raises(Preempted):
            ended(stop, lambda: None)


def test_a_request_that_a_callback_cannot_raise_comes_again():
    class Callback:
        def __del__(self) -> None:
            ask()

    def wait() -> None:
        callback = Callback()
        del callback
        time.sleep(5)

    with listening() as stop, pytest.raises(Preempted):
        ended(stop, wait)


def test_an_error_of_ones_own_stays_one():
    with pytest.raises(ValueError, match="mine"), StopRequest().at_once():
        raise ValueError("mine")


def test_what_was_listened_to_before_is_again():
    before = signal.getsignal(signal.SIGTERM)
    assert main(["--version"]) == 0
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.integration
@pytest.mark.parametrize("moment", ["import road.cli", "import numpy", "import jax", "run folder"])
def test_sigterm_while_starting_ends_with_75_and_leaves_nothing(moment: str, tmp_path: Path):
    """The command says what it does; it is stopped as soon as it comes to that."""
    out = tmp_path / "runs" / "run"
    words = ["train", "pendulum-flipped", "--offline-steps", "100000", "--out", str(out)]
    log = tmp_path / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "road.cli", *words], stderr=file
        )
        named = moment.removeprefix("import ").replace("road.cli", "road.stopping")
        while f" {named}\n" not in (said := log.read_text()) and "run folder" not in said:
            time.sleep(0.01)
            assert process.poll() is None
        if named == "road.stopping":
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 75
    reported = [line for line in log.read_text().splitlines() if "import time:" not in line]
    assert reported[-1].startswith("error: asked to stop")
    assert not any("Traceback" in line for line in reported)
    if not out.exists():  # a fast machine may have begun to train by then
        assert [path.name for path in tmp_path.iterdir()] == ["log"]
