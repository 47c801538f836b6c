"""Controllers of the tasks, demonstrations, and policies that were trained elsewhere."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from road.cli import main
from road.collecting.environment import find_environment
from road.collecting.policies import named_actor
from road.collecting.rows import mean_return
from road.data import examine, load
from road.errors import UsageError
from road.tasks.catalogue import find_custom_task
from road.tasks.custom import TaskOverrides

SHARED = Path(
    os.environ.get("ROAD_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data")
)
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(),
    reason="real policies are looked for at ../shared/data or $ROAD_SHARED_DATA",
)
needs_robotics = pytest.mark.skipif(
    importlib.util.find_spec("gymnasium_robotics") is None,
    reason="gymnasium-robotics is not installed",
)
DEMONSTRATIONS = "datasets/kitchen_demos_multitask_skip40.npz"
WALKER = "policies/ant-d4rl-goalreach.npz"


def test_the_controller_of_the_pendulum_is_its_expert() -> None:
    words = "--levels random,expert --steps 600 --out p"
    assert main(["data", "collect", "pendulum-mixed", *words.split()]) == 0
    random, expert = (load(f"file:p/pendulum-mixed-{name}.hdf5") for name in ("random", "expert"))
    assert expert.reward.mean() > random.reward.mean() + 2.0
    task = find_custom_task(
        "pendulum-mixed", TaskOverrides(data="file:p/pendulum-mixed-expert.hdf5")
    )
    assert len(task.dataset()) == 600


@needs_robotics
def test_a_ball_is_pushed_to_its_goal_every_time() -> None:
    place = find_environment("pointmaze-medium-play")
    actor = named_actor("expert", "controller", place, 0.0, ())
    assert mean_return(place, actor, 5, seed=0) == 1.0


@needs_robotics
def test_an_ant_needs_a_walking_policy() -> None:
    place = find_environment("antmaze-umaze")
    with pytest.raises(UsageError, match=r"--policy expert=PATH\.npz with 29 inputs"):
        named_actor("expert", "controller", place, 0.0, ())


@needs_shared
@needs_robotics
@pytest.mark.parametrize("name", ["antmaze-umaze", "antmaze-umaze-minari"])
def test_an_ant_walks_to_its_goal(name: str) -> None:
    place = find_environment(name)
    actor = named_actor("expert", str(SHARED / WALKER), place, 0.0, ())
    assert mean_return(place, actor, 3, seed=0) >= 0.6  # now and then it falls on its back


@needs_shared
@needs_robotics
def test_demonstrations_make_a_file_that_the_kitchen_takes() -> None:
    """The first two are of kettle, burner, hinge and slide: two of the four of mixed."""
    words = f"--levels human --steps 500 --out k --policy human={SHARED / DEMONSTRATIONS}"
    assert main(["data", "collect", "kitchen-mixed", *words.split()]) == 0
    source = "file:k/kitchen-mixed-human.hdf5"
    logged = load(source)
    assert logged.observation.shape == (500, 60)
    assert 2.0 <= logged.reward.max() <= 4.0
    assert np.flatnonzero(logged.episode_ends).tolist() == [257, 499]
    assert not examine(logged).errors
    assert len(find_custom_task("kitchen-mixed", TaskOverrides(data=source)).dataset()) == 500


@needs_shared
@needs_robotics
def test_experts_of_the_hand_succeed_in_the_task() -> None:
    policy = SHARED / "policies" / "adroit-door-dapg-expert.npz"
    words = f"--levels expert --steps 600 --out d --policy expert={policy} --noise expert=own"
    assert main(["data", "collect", "door-binary", *words.split()]) == 0
    task = find_custom_task("door-binary", TaskOverrides(data="file:d/door-binary-expert.hdf5"))
    assert task.dataset().reward.mean() > 0.3


@needs_shared
@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="MuJoCo is not installed")
@pytest.mark.parametrize(
    ("name", "least"), [("walker2d-sb3zoo-ppo", 2000.0), ("walker2d-cs285-expert", 4000.0)]
)
def test_trained_policies_return_what_their_manifest_says(name: str, least: float) -> None:
    """The first observes the time that remains; both are normalised. Measured: 3636 and 5148."""
    place = find_environment("Walker2d-v5")
    actor = named_actor("expert", str(SHARED / "policies" / f"{name}.npz"), place, 0.0, ())
    assert mean_return(place, actor, 1, seed=0) > least


def test_demonstrations_that_are_none_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "d.npz", ctrl=np.zeros((4, 9)), length=np.array([2, 3]))
    words = f"data collect kitchen-mixed --levels human --policy human={tmp_path / 'd.npz'}"
    if importlib.util.find_spec("gymnasium_robotics") is None:
        pytest.skip("gymnasium-robotics is not installed")
    assert main(words.split()) == 3
    assert "length adds up to 5" in capsys.readouterr().err


@pytest.mark.slow
def test_sac_climbs_the_ladder_of_the_pendulum() -> None:
    words = "--steps 2000 --out s --train-steps 6000 --evaluate-every 500 --evaluation-episodes 5"
    small = "--sac.hidden 64 64 --sac.critic-hidden 64 64 --sac.discount 0.98"
    quick = "--sac.actor-learning-rate 1e-3 --sac.critic-learning-rate 1e-3"
    assert main(["data", "collect", "Pendulum-v1", *f"{words} {small} {quick}".split()]) == 0
    names = ("random", "medium-replay", "medium", "medium-expert", "expert")
    mean = {name: load(f"file:s/Pendulum-v1-{name}.hdf5").reward.mean() for name in names}
    assert mean["random"] < mean["medium"] < mean["expert"]
    assert 200 * mean["expert"] > -300
