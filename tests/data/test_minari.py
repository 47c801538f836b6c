"""Minari's folders, written by the real package and read without it."""

import json
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from tests.data.samples import assert_same, dataset_of, sample

from road.data import Dataset, download, load, write_minari
from road.data.sources.minari import dataset_folder
from road.errors import DataError, UsageError

minari = pytest.importorskip("minari", reason="minari is not installed")
spaces = pytest.importorskip("gymnasium.spaces", reason="gymnasium is not installed")

BOX = spaces.Box(-1.0, 1.0, (1,))


def write(name: str, episodes: int, observations: Any, space: Any, actions: Any = BOX) -> None:
    """Episodes of four steps; observations are a function of the episode's number."""
    from minari.data_collector import EpisodeBuffer

    act = np.zeros((4, 1), np.float32) if actions is BOX else np.zeros(4, np.int64)
    buffers: list[Any] = [
        EpisodeBuffer(
            id=index,
            observations=observations(index),
            actions=act,
            rewards=np.full(4, float(index)),
            terminations=np.zeros(4, bool),
            truncations=np.arange(4) == 3,
        )
        for index in range(episodes)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it would like to know the author
        minari.create_dataset_from_buffers(
            name, buffers, observation_space=space, action_space=actions, data_format="hdf5"
        )


def nested(index: int) -> dict[str, Any]:
    """Each part is filled with a number of its own."""
    del index
    return {
        "observation": np.full((5, 2), 3.0, np.float32),
        "achieved_goal": np.full((5, 1), 1.0, np.float32),
        "inner": {"z": np.full((5, 1), 2.0, np.float32)},
    }


def zeros(index: int) -> Any:
    del index
    return np.zeros((5, 1))


WIDE = spaces.Box(-9, 9, (1,))
NESTED = spaces.Dict(
    observation=spaces.Box(-9, 9, (2,)),
    achieved_goal=spaces.Box(-9, 9, (1,)),
    inner=spaces.Dict(z=spaces.Box(-9, 9, (1,))),
)


def test_dict_observations_are_laid_side_by_side_in_alphabetical_order() -> None:
    write("tests/dict-v0", 2, nested, NESTED)
    assert load("minari:tests/dict-v0").observation[0].tolist() == [1.0, 2.0, 3.0, 3.0]


def test_chosen_parts_come_in_the_order_of_the_choice() -> None:
    write("tests/dict-v0", 2, nested, NESTED)
    read = load("minari:tests/dict-v0", keys=("observation", "inner/z"))
    assert read.observation[0].tolist() == [3.0, 3.0, 2.0]


def test_a_part_that_is_not_there_is_named() -> None:
    write("tests/dict-v0", 1, nested, NESTED)
    with pytest.raises(DataError, match="no array 'desired_goal'; it holds achieved_goal, inner"):
        load("minari:tests/dict-v0", keys=("desired_goal",))


def test_ten_episodes_come_in_the_order_of_their_numbers() -> None:
    write("tests/many-v0", 12, lambda i: np.full((5, 1), float(i)), spaces.Box(-99, 99, (1,)))
    read = load("minari:tests/many-v0")
    assert read.reward.tolist() == np.repeat(np.arange(12.0), 4).tolist()


def test_the_box_of_the_stored_space_is_mapped_onto_the_unit_box() -> None:
    write("tests/wide-v0", 1, zeros, WIDE)
    metadata = dataset_folder("tests/wide-v0") / "data" / "metadata.json"
    content = json.loads(metadata.read_text())
    space = json.loads(content["action_space"])
    content["action_space"] = json.dumps({**space, "low": [-4.0], "high": [0.0]})
    metadata.write_text(json.dumps(content))
    assert load("minari:tests/wide-v0").action.tolist() == [[1.0]] * 4, "0 is the upper edge"
    told_otherwise = load("minari:tests/wide-v0", action_box=(-1.0, 1.0))
    assert (told_otherwise.action == 1.0).all(), "the source knows best"


def test_discrete_actions_are_refused_by_their_space() -> None:
    write("tests/arms-v0", 1, zeros, WIDE, spaces.Discrete(3))
    with pytest.raises(DataError, match="the actions are Discrete"):
        load("minari:tests/arms-v0")


def test_a_stored_environment_is_never_made() -> None:
    """Its description names code; some readers would run it."""
    write("tests/evil-v0", 1, zeros, WIDE)
    metadata = dataset_folder("tests/evil-v0") / "data" / "metadata.json"
    content = json.loads(metadata.read_text())
    spec = {"id": "evil-v0", "entry_point": "antigravity:Evil", "kwargs": {}}
    metadata.write_text(json.dumps({**content, "env_spec": json.dumps(spec)}))
    load("minari:tests/evil-v0")
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("name", ["../../etc/x-v0", "/etc/x-v0", "a/../b-v0", "x", "a//b-v0", ""])
def test_an_id_never_leads_out_of_the_root(name: str) -> None:
    with pytest.raises(UsageError):
        load(f"minari:{name}")


def test_a_missing_dataset_is_refused_with_how_to_get_it() -> None:
    with pytest.raises(DataError, match="road data download minari:D4RL/door/human-v2"):
        load("minari:D4RL/door/human-v2")


def test_what_is_here_is_not_downloaded_again() -> None:
    write_minari(dataset_of(sample()), "tests/here-v0")
    assert download("minari:tests/here-v0") == dataset_folder("tests/here-v0")


def test_keys_of_flat_observations_are_refused() -> None:
    write_minari(dataset_of(sample()), "tests/flat-v0")
    with pytest.raises(UsageError, match="have no keys"):
        load("minari:tests/flat-v0", keys=["x"])


def test_half_a_download_does_not_send_in_a_circle() -> None:
    write_minari(dataset_of(sample()), "tests/half-v0")
    folder = dataset_folder("tests/half-v0") / "data"
    (folder / "main_data.hdf5").unlink()
    with pytest.raises(DataError, match=r"no main_data\.hdf5: half a download"):
        load("minari:tests/half-v0")


def test_a_space_without_edges_leaves_the_box_to_the_user() -> None:
    write("tests/open-v0", 1, zeros, WIDE)
    metadata = dataset_folder("tests/open-v0") / "data" / "metadata.json"
    content = json.loads(metadata.read_text())
    space = {**json.loads(content["action_space"]), "low": [-np.inf], "high": [np.inf]}
    metadata.write_text(json.dumps({**content, "action_space": json.dumps(space)}))
    assert (load("minari:tests/open-v0", action_box=(-2.0, 2.0)).action == 0.0).all()


@pytest.mark.parametrize(
    "text",
    [
        *["{", "[]", '{"action_space": "{"}', '{"action_space": 3}', '{"action_space": "[]"}'],
        json.dumps({"action_space": json.dumps({"type": "Box", "low": "abc", "high": 1})}),
    ],
)
def test_damaged_metadata_is_named(text: str) -> None:
    write_minari(dataset_of(sample()), "tests/x-v0")
    (dataset_folder("tests/x-v0") / "data" / "metadata.json").write_text(text)
    with pytest.raises(DataError, match=r"metadata\.json: damaged metadata"):
        load("minari:tests/x-v0")


class TestWriting:
    def test_what_was_written_is_read_back_by_us_and_by_minari(self) -> None:
        dataset: Dataset = dataset_of(sample())
        write_minari(dataset, "tests/out-v0")
        assert_same(load("minari:tests/out-v0"), dataset)
        theirs = list(minari.load_dataset("tests/out-v0").iterate_episodes())
        assert [len(episode.rewards) for episode in theirs] == [5, 4, 6]
        np.testing.assert_array_equal(theirs[1].observations[:-1], dataset.observation[5:9])
        assert theirs[1].observations[-1].tolist() == dataset.next_observation[8].tolist()

    def test_the_environment_and_its_scores_are_noted(self) -> None:
        zeros = np.zeros((15, 1), np.float32)
        dataset = dataset_of(sample(actions=zeros))
        write_minari(dataset, "tests/p-v0", environment="Pendulum-v1", score_range=(-9.0, -1.0))
        metadata = dataset_folder("tests/p-v0") / "data" / "metadata.json"
        content = json.loads(metadata.read_text())
        assert (content["ref_min_score"], content["ref_max_score"]) == (-9.0, -1.0)
        assert json.loads(content["env_spec"])["id"] == "Pendulum-v1"

    def test_nothing_is_overwritten(self) -> None:
        write_minari(dataset_of(sample()), "tests/out-v0")
        with pytest.raises(UsageError, match="exists already"):
            write_minari(dataset_of(sample()), "tests/out-v0")

    def test_what_fails_leaves_nothing(self) -> None:
        with pytest.raises(Exception, match="nowhere"):
            write_minari(dataset_of(sample()), "tests/out-v0", environment="nowhere-v0")
        assert not dataset_folder("tests/out-v0").exists()
