"""Every test of this package has folders of its own: nothing of the user's is read or written."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROAD_DATA_DIR", "MINARI_DATASETS_PATH", "D4RL_DATASET_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
