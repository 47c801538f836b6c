"""Files that others have published or written, where they are at hand."""

import os
from pathlib import Path

import numpy as np
import pytest

from road.data import examine, load
from road.data.sources.d4rl import download_path, find_published
from road.files import hash_file

SHARED = Path(os.environ.get("ROAD_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILES = sorted((SHARED / "datasets").glob("*.hdf5"))
KITCHEN = find_published("kitchen-complete-v0")

pytestmark = pytest.mark.skipif(not FILES, reason=f"no datasets at {SHARED}")


@pytest.fixture
def kitchen() -> Path:
    path = SHARED / "datasets" / KITCHEN.name
    if not path.exists():
        pytest.skip(f"no {KITCHEN.name} at {SHARED}")
    return path


def test_the_genuine_kitchen_file_is_read_as_it_is(kitchen: Path) -> None:
    """D4RL's own: 3,680 rows of 19 demonstrations, each ending with all four subtasks solved."""
    assert hash_file(kitchen) == KITCHEN.sha256
    dataset = load(f"file:{kitchen}")
    assert dataset.observation.shape == (3680, 60)
    assert dataset.action.shape == (3680, 9)
    assert dataset.terminated.sum() == 19
    assert not (dataset.truncated & ~dataset.terminated).any()
    assert set(np.unique(dataset.reward)) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert (dataset.reward[dataset.terminated] == 4.0).all()
    inside = ~dataset.episode_ends[:-1]
    np.testing.assert_array_equal(
        dataset.next_observation[:-1][inside], dataset.observation[1:][inside]
    )
    assert examine(dataset).warnings == []


def test_put_at_its_place_it_is_found_by_its_name(kitchen: Path) -> None:
    place = download_path(KITCHEN)
    place.parent.mkdir(parents=True)
    place.symlink_to(kitchen)
    assert len(load("d4rl:kitchen-complete-v0")) == 3680


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_real_log_raises_a_false_alarm(path: Path) -> None:
    assert examine(load(f"file:{path}")).warnings == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_jumps_are_found_only_between_episodes(path: Path) -> None:
    """With the marks and the stored successors taken away, no step inside an episode is cut."""
    import h5py

    from road.data import from_arrays

    with h5py.File(path) as file:
        arrays = {name: file[name][:] for name in ("observations", "actions", "rewards")}
        ends = (file["terminals"][:] != 0) | (file["timeouts"][:] != 0)
    arrays["rewards"] = np.arange(len(ends))
    kept = from_arrays({**arrays, "terminals": np.zeros(len(ends))}).reward.astype(int)
    dropped = np.setdiff1d(np.arange(len(ends)), kept)
    assert ends[dropped[dropped < len(ends) - 1]].all()
