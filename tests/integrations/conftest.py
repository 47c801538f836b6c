"""What the tests of several libraries share; it needs none of them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def pendulum_rows(count: int, reward: float = -7.0) -> dict[str, np.ndarray]:
    """Rows that fit Pendulum-v1, known by their reward, which its own rows seldom have."""
    rng = np.random.default_rng(0)
    return {
        "observation": rng.uniform(-1, 1, (count, 3)).astype(np.float32),
        "action": np.linspace(-2.0, 2.0, count, dtype=np.float32)[:, None],
        "reward": np.full(count, reward, np.float32),
        "next_observation": rng.uniform(-1, 1, (count, 3)).astype(np.float32),
        "terminated": np.zeros(count, bool),
    }


@pytest.fixture
def rows() -> dict[str, np.ndarray]:
    return pendulum_rows(300)


def run_example(name: str, folder: Path) -> str:
    """What a script of ``examples`` prints, run in that folder by a process of its own."""
    script = ROOT / "examples" / name
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def check_single_file_example(name: str, run: str, folder: Path) -> None:
    """At most 80 lines, and a policy that ends far better than it starts."""
    from road.records.reader import load_run
    from road.records.summary import summarise

    assert len((ROOT / "examples" / name).read_text().splitlines()) <= 80
    reported = run_example(name, folder).split()
    first, last = float(reported[1]), float(reported[3])
    assert last > first + 500, reported
    loop = load_run(folder / "runs" / run)
    summary = summarise(loop)
    assert (summary.pretrained, summary.final) == (
        pytest.approx(first, abs=1),
        pytest.approx(last, abs=1),
    )
    assert summary.periods == 20
    assert loop.periods["step"][-1] == 2000, "the last period ends with the loop"


def run_guide(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks marked ``py`` of a guide, in order and in one namespace."""
    from tests.docs.reading import blocks

    monkeypatch.chdir(folder)
    guide, namespace = ROOT / "docs" / "guides" / name, dict[str, Any]()
    ran = [block for block in blocks(guide) if block.language == "py"]
    assert ran
    for block in ran:
        exec(compile("\n" * (block.line - 1) + block.text, str(guide), "exec"), namespace)
