"""The paper's environments: spaces, seeds, horizons, ends and pay, each body or maze once."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tasks import test_task_contract as contract
from tests.tasks.test_task_contract import random_actions, rollout

from road.errors import UsageError
from road.tasks import TASKS, Environment, Task
from road.tasks.catalogue import PAPER_TASKS
from road.tasks.environments import refuse_mujoco_from
from road.tasks.families.adroit import SKILLS, BinaryReward, FirstSuccess
from road.tasks.families.kitchen import SUBTASKS, FirstTimes

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("gymnasium_robotics") is None,
    reason="gymnasium-robotics is not installed",
)

ONE_OF_EACH = [
    *("antmaze-umaze", "antmaze-medium-play", "antmaze-large-diverse", "antmaze-umaze-minari"),
    *("halfcheetah-random", "walker2d-medium", "hopper-expert"),
    *("kitchen-partial", "kitchen-mixed"),
    *("pen-binary", "door-binary", "relocate-binary"),
]
SIZES = {
    "antmaze": (29, 8),
    "antmaze-umaze-minari": (31, 8),
    "halfcheetah": (17, 6),
    "walker2d": (17, 6),
    "hopper": (11, 3),
    "kitchen": (60, 9),
    "pen": (45, 24),
    "door": (39, 28),
    "relocate": (39, 30),
}


@pytest.fixture(scope="module", params=ONE_OF_EACH)
def task(request: pytest.FixtureRequest) -> Task:
    return TASKS[request.param]


@pytest.fixture(scope="module")
def environment(task: Task) -> Iterator[Environment]:
    environment = task.environment()
    yield environment
    environment.close()


def test_spaces_are_flat_float32_of_the_known_sizes(task: Task, environment: Environment) -> None:
    observations, actions = environment.observation_space, environment.action_space
    assert isinstance(actions, gymnasium.spaces.Box)
    assert observations.dtype == actions.dtype == np.float32
    sizes = SIZES.get(task.name, SIZES[task.name.partition("-")[0]])
    assert (*observations.shape, *actions.shape) == sizes
    assert (actions.low == -1.0).all() and (actions.high == 1.0).all()


def test_what_the_environment_returns_lies_in_its_space(environment: Environment) -> None:
    contract.test_what_the_environment_returns_lies_in_its_space(environment)


def test_a_reset_seed_and_actions_decide_everything_that_follows(
    task: Task, environment: Environment
) -> None:
    actions = random_actions(environment, 15, seed=5)
    rollout(environment, 12, actions[:7])
    fresh = task.environment()
    assert rollout(environment, 99, actions) == rollout(fresh, 99, actions)
    fresh.close()
    assert rollout(environment, 98, actions) != rollout(environment, 99, actions)


def test_the_horizon_is_the_environments_own(task: Task, environment: Environment) -> None:
    assert environment.spec is not None
    assert environment.spec.max_episode_steps == task.horizon
    assert environment.spec.id == task.environment_id


@pytest.mark.parametrize("name", ["umaze", "medium-play", "large-play"])
def test_minaris_maze_ends_at_the_goal_and_pays_once(name: str) -> None:
    """The ant is put 0.7 m from its goal, away from the walls, then nearly onto it."""
    environment = TASKS[f"antmaze-{name}-minari"].environment()
    observation, _ = environment.reset(seed=4)
    inner = environment.unwrapped
    start, goal = observation[:2].astype(float), observation[2:4].astype(float)
    assert np.linalg.norm(start - goal) > 4.0
    maze, still = environment.get_wrapper_attr("maze"), np.zeros(8, np.float32)
    inwards = maze.cell_rowcol_to_xy(maze.cell_xy_to_rowcol(goal)) - goal
    inwards /= np.linalg.norm(inwards)
    for distance, paid, over in ((0.7, 0.0, False), (0.1, 1.0, True)):
        place(inner, goal + distance * inwards)
        _, reward, terminated, *_ = environment.step(still)
        assert (reward, terminated) == (paid, over)
    environment.close()


@pytest.mark.parametrize(
    ("name", "cell"), [("umaze", (0, 8)), ("medium-play", (20, 20)), ("large-play", (32, 24))]
)
def test_d4rls_maze_ends_within_half_a_metre_of_its_goal(name: str, cell: tuple[int, int]) -> None:
    """The goal is up to 1.5 m beyond the corner that its cell has at x, y; the start is 0, 0."""
    environment = TASKS[f"antmaze-{name}"].environment()
    goals = []
    for seed in range(3):
        observation, _ = environment.reset(seed=seed)
        assert np.abs(observation[:2]).max() <= 0.1 + 1e-6
        goals.append(environment.get_wrapper_attr("goal"))
    beyond = np.array(goals) - cell
    assert ((beyond >= 0.0) & (beyond <= 1.5)).all()
    assert len(np.unique(beyond)) == beyond.size
    still, inner = np.zeros(8, np.float32), environment.unwrapped
    for distance, paid, over in ((0.55, 0.0, False), (0.45, 1.0, True)):
        place(inner, goals[-1] + environment.get_wrapper_attr("origin") - [0.0, distance])
        observation, reward, terminated, truncated, info = environment.step(still)
        assert abs(np.linalg.norm(observation[:2] - goals[-1]) - distance) < 0.04
        assert (reward, terminated, truncated, info["success"]) == (paid, over, False, over)
    environment.close()


def test_d4rls_ant_observes_positions_and_velocities_and_no_goal() -> None:
    environment = TASKS["antmaze-umaze"].environment()
    observation, _ = environment.reset(seed=0)
    data: Any = environment.get_wrapper_attr("data")
    np.testing.assert_allclose(observation[2:15], data.qpos[2:], rtol=1e-6)
    np.testing.assert_allclose(observation[15:], data.qvel, rtol=1e-6)
    environment.close()


def place(maze: Any, position: NDArray[np.float64]) -> None:
    ant = maze.ant_env
    joints = ant.data.qpos.copy()
    joints[:2] = position
    ant.set_state(joints, np.zeros_like(ant.data.qvel))


def test_start_and_goal_of_a_maze_stay_in_their_cells() -> None:
    """Cells are 4 m wide and the noise is at most 1 m: large, start (1, 1), goal (7, 9)."""
    environment = TASKS["antmaze-large-play-minari"].environment()
    for seed in range(5):
        observation, _ = environment.reset(seed=seed)
        assert np.abs(observation[:2] - [-18.0, 12.0]).max() <= 1.0 + 1e-6
        assert np.abs(observation[2:4] - [14.0, -12.0]).max() <= 1.0 + 1e-6
    environment.close()


@dataclass
class Pretender(gymnasium.Env[Any, Any]):
    """Reports subtasks as it is set to, one list of solved and one of ever solved per step."""

    script: list[tuple[list[str], list[str]]]
    goal: Any = None

    def __post_init__(self) -> None:
        self.goal = {"microwave": np.array([-0.75])}

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        self.at = 0
        return {"observation": np.arange(59.0)}, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        del action
        now, ever = self.script[self.at]
        self.at += 1
        info = {"step_task_completions": now, "episode_task_completions": ever}
        return {"observation": np.arange(59.0)}, 0.0, False, False, info


def test_kitchen_learns_from_counts_and_is_judged_by_first_times() -> None:
    """The kettle is moved away again in the third step: the count falls, the score does not."""
    from road.tasks.families.kitchen import CountedSubtasks

    k, m = "kettle", "microwave"
    four = [k, m, "light switch", "slide cabinet"]
    script = [([], []), ([k], [k]), ([m], [k, m]), (four, four)]
    for kind, paid in ((CountedSubtasks, [0, 1, 1, 4]), (FirstTimes, [0, 1, 1, 2])):
        environment = kind(Pretender(script))
        environment.reset()
        steps = [environment.step(None) for _ in script]
        assert [step[1] for step in steps] == paid
        assert [step[2] for step in steps] == [False, False, False, True]
    assert sum([0, 1, 1, 2]) == SUBTASKS


def test_kitchen_lays_positions_and_goal_side_by_side() -> None:
    from road.tasks.families.kitchen import CountedSubtasks

    observation, _ = CountedSubtasks(Pretender([])).reset()
    np.testing.assert_allclose(observation[:30], [*range(9), *range(18, 39)], atol=0.01)
    assert observation[30:].tolist() == [0.0] * 22 + [-0.75] + [0.0] * 7


def test_success_follows_from_the_observation_as_the_hand_reports_it() -> None:
    """Random actions rarely succeed, so the objects are put where they belong, or nearly."""
    skill = SKILLS["door"]
    environment = TASKS["door-binary"].environment()
    environment.reset(seed=0)
    inner: Any = environment.unwrapped
    for angle in (0.0, 1.2, 1.5):
        joints = inner.data.qpos.copy()
        joints[inner.door_hinge_addrs] = angle
        inner.set_state(joints, np.zeros_like(inner.data.qvel))
        observation, reward, terminated, *_ = environment.step(np.zeros(28, np.float32))
        success = bool(skill.success(observation[None])[0])
        assert (float(success), terminated) == (reward, False)
    assert success
    environment.close()


class Fumbler(gymnasium.Env[Any, Any]):
    """Succeeds in its second and third step and in no other."""

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        self.at = 0
        return np.zeros(1), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        del action
        self.at += 1
        return np.zeros(1), -7.0, True, False, {"success": self.at in (2, 3)}


def test_a_hand_learns_to_hold_on_and_is_judged_by_its_first_success() -> None:
    learnt, judged = BinaryReward(Fumbler()), FirstSuccess(Fumbler())
    for environment, ends in ((learnt, [False] * 4), (judged, [False, True])):
        environment.reset()
        steps = [environment.step(None) for _ in ends]
        assert [step[1] for step in steps] == [0.0, 1.0, 1.0, 0.0][: len(ends)]
        assert [step[2] for step in steps] == ends
    for task in (TASKS[f"{name}-binary"] for name in SKILLS):
        environment = task.judged.environment()
        assert any(isinstance(layer, FirstSuccess) for layer in layers_of(environment))
        assert task.score.normalise(1.0) == 100.0
        environment.close()


def layers_of(environment: Any) -> Iterator[Any]:
    while environment is not environment.unwrapped:
        yield environment
        environment = environment.env


def test_success_by_hand() -> None:
    pen = np.zeros((3, 45), np.float32)
    pen[:, 33:36] = pen[:, 36:39] = [0.0, 0.0, 1.0]
    pen[1, 39] = 0.08  # too far
    pen[2, 33:36] = [0.6, 0.0, 0.8]  # turned away: the product is 0.8
    assert SKILLS["pen"].success(pen).tolist() == [True, False, False]
    ball = np.zeros((2, 39), np.float32)
    ball[:, 36] = [0.09, 0.11]
    assert SKILLS["relocate"].success(ball).tolist() == [True, False]


def test_kitchen_says_which_mujoco_it_needs() -> None:
    with pytest.raises(UsageError, match=r"needs MuJoCo below 1\.0, found .*'mujoco<1\.0'"):
        refuse_mujoco_from((1, 0), "the kitchen")
    refuse_mujoco_from((99, 0), "the kitchen")


@pytest.mark.parametrize(
    ("package", "name", "reported"),
    [
        ("gymnasium_robotics", "kitchen-mixed", "this task needs gymnasium-robotics"),
        ("mujoco", "hopper-medium", "Hopper-v4 cannot be made: it needs MuJoCo"),
    ],
)
def test_a_missing_package_is_named_with_what_to_install(
    package: str, name: str, reported: str
) -> None:
    """In a process where the package cannot be imported."""
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from road.tasks import TASKS\n"
        "from road.errors import UsageError\n"
        f"try: TASKS[{name!r}].environment()\n"
        "except UsageError as error: print(error)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert reported in answer.stdout, answer.stderr
    assert answer.stdout.endswith("run pip install 'road-o2o[robotics]'\n")


def test_descriptions_are_plain_sentences() -> None:
    for task in PAPER_TASKS:
        assert task.description.endswith(".")
        assert len(task.description) < 100, task.name
