"""From a mixture's settings to what draws its rows: registered classes and the caller's own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.docs.reading import DOCS, blocks

from road.errors import UsageError
from road.mixing import BalancedMixer, FixedMixer, Mixture, Priorities
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import Stack, Weighing
from road.replay.transitions import row_width
from road.reweighting.balanced_replay import BalancedReplay
from road.reweighting.registry import METHODS, RowWeighting, make_weighing
from road.training.buffers import weighing_of
from road.types import Spec

SPEC = Spec(observation_dim=3, action_dim=1)
OFFLINE = np.zeros((5, row_width(SPEC)), np.float32)


def make(settings: object) -> Weighing:
    return make_weighing(settings, OFFLINE, OnlineBuffer(SPEC, 4), 0)


@pytest.fixture(scope="module")
def guide() -> dict[str, Any]:
    """What the guide defines, without its run."""
    namespace: dict[str, Any] = {"__name__": "guide"}
    for block in blocks(DOCS / "guides" / "add-a-row-weighting.md"):
        if block.language == "python" and "road.finetune(" not in block.text:
            exec(block.text, namespace)
    return namespace


def test_the_list_of_methods_is_that_of_the_protocol():
    assert set(METHODS) == {name for name in vars(Weighing) if not name.startswith("_")}


@pytest.mark.parametrize("settings", [Priorities(hidden=(8,)), BalancedMixer(hidden=(8,))])
def test_balanced_replay_is_built_from_its_settings(settings: Priorities):
    assert isinstance(make(settings), BalancedReplay)


def test_settings_of_the_callers_build_their_own_weighting(guide: dict[str, Any]):
    settings = guide["FreshFirst"]()
    assert isinstance(settings, RowWeighting)
    assert isinstance(make(settings), guide["FreshWeights"])


def test_a_run_asks_the_mixer(guide: dict[str, Any]):
    online = OnlineBuffer(SPEC, 4)
    assert weighing_of(FixedMixer(), OFFLINE, online, 0) is None
    assert isinstance(weighing_of(BalancedMixer(), OFFLINE, online, 0), BalancedReplay)
    assert isinstance(weighing_of(guide["FreshFirst"](), OFFLINE, online, 0), Weighing)


def test_the_weighting_of_the_guide_goes_on_from_its_arrays(guide: dict[str, Any]):
    one, other = (make(guide["FreshFirst"]()) for _ in range(2))
    one.draw(1, 2, np.random.default_rng(0))
    one.reweight(Stack(OFFLINE[None, :2], 2, np.array([[0, 3]])), 0)
    other.restore(one.arrays())
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(other.arrays()[name], array)
    assert one.arrays()["weights"].tolist() == [0.5, 1.0, 1.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_settings_that_build_nothing_are_refused_in_one_line():
    assert Mixture(0.5, priorities="rank").priorities == "rank"
    with pytest.raises(UsageError, match=r"priorities are str.*make_weighing\(offline"):
        make("rank")


def test_a_weighting_without_a_method_is_refused_by_the_methods_name():
    @dataclass(frozen=True)
    class Half:
        def make_weighing(self, *_: Any) -> Any:
            return self

    with pytest.raises(UsageError, match="Half, which lacks offline_mass, draw, reweight"):
        make(Half())
