"""The mazes: shortest ways, reachable goals, and a quiet, helpful border."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from road.errors import UsageError
from road.tasks import Dataset
from road.tasks.catalogue import EMBEDDED_TASKS
from road.tasks.sources.pointmaze import free_cells, make_environment, ways_to

U = [
    [1, 1, 1, 1, 1],
    [1, 0, 0, 0, 1],
    [1, 1, 1, 0, 1],
    [1, 0, 0, 0, 1],
    [1, 1, 1, 1, 1],
]
MAZES = ["pointmaze-umaze-random", "pointmaze-umaze-play", "pointmaze-medium-play"]
needs_robotics = pytest.mark.usefixtures("robotics")


@pytest.fixture
def robotics() -> None:
    pytest.importorskip("gymnasium_robotics")


@pytest.fixture(params=MAZES)
def maze_data(request: pytest.FixtureRequest) -> Dataset:
    pytest.importorskip("gymnasium_robotics")
    return next(task for task in EMBEDDED_TASKS if task.name == request.param).dataset()


def test_the_way_through_the_u_by_hand() -> None:
    onward = ways_to((3, 1), U)
    way = [(1, 1)]
    while way[-1] != (3, 1):
        way.append(onward[way[-1]])
    assert way == [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (3, 2), (3, 1)]


def test_a_way_is_a_shortest_one() -> None:
    """Two ways lead round the block, of 2 and of 6 steps."""
    ring = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    onward = ways_to((0, 2), ring)
    assert onward[0, 0] == (0, 1)
    assert onward[2, 2] == (1, 2)
    assert onward[0, 2] == (0, 2)


def test_cells_behind_a_wall_have_no_way() -> None:
    assert set(ways_to((0, 0), [[0, 1, 0]])) == {(0, 0)}


def test_free_cells_are_all_that_are_no_walls() -> None:
    assert free_cells([[1, 0], ["g", 1]]) == [(0, 1), (1, 0)]


def test_success_is_the_only_reward_and_the_only_true_end(maze_data: Dataset) -> None:
    assert set(np.unique(maze_data.reward)) == {0.0, 1.0}
    np.testing.assert_array_equal(maze_data.terminated, maze_data.reward == 1.0)


def test_success_is_within_45_centimetres_of_the_goal(maze_data: Dataset) -> None:
    after = maze_data.next_observation
    distance = np.linalg.norm(after[:, :2] - after[:, 4:], axis=1)
    # 1e-6: the environment compares in double precision.
    assert (distance[maze_data.terminated] <= 0.45 + 1e-6).all()
    assert (distance[~maze_data.terminated] > 0.45 - 1e-6).all()


def test_no_episode_begins_at_its_goal(maze_data: Dataset) -> None:
    begins = np.concatenate([[True], maze_data.episode_ends[:-1]])
    start = maze_data.observation[begins]
    assert np.linalg.norm(start[:, :2] - start[:, 4:], axis=1).min() > 0.45


def test_some_episodes_succeed_and_some_do_not(maze_data: Dataset) -> None:
    success_rate = maze_data.terminated.sum() / maze_data.episode_ends.sum()
    assert 0.2 < success_rate < 0.9


def test_the_data_covers_every_cell_of_the_maze(maze_data: Dataset) -> None:
    wide = maze_data.observation[:, 0].max() > 2.0
    cells = 26 if wide else 7
    visited = {
        tuple(cell) for cell in np.floor(maze_data.observation[:, :2] + (0.0 if wide else 0.5))
    }
    assert len(visited) == cells


@needs_robotics
def test_another_seed_makes_another_goal_within_one_environment() -> None:
    environment = make_environment("PointMaze_UMaze-v3")
    goals = {tuple(environment.reset(seed=seed)[0][4:].tolist()) for seed in range(10)}
    environment.close()
    assert len(goals) == 10


@needs_robotics
def test_making_an_environment_says_and_leaves_nothing(tmp_path: Path) -> None:
    """In a fresh process with warnings as errors: the import's notice is seen only once."""
    script = (
        "from road.tasks import find_task\n"
        "environment = find_task('pointmaze-umaze-random').environment()\n"
        "environment.reset(seed=0)\n"
        "environment.step(environment.action_space.sample())\n"
        "environment.close()\n"
    )
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_without_gymnasium_robotics_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium_robotics", None)
    with pytest.raises(UsageError, match=r"pip install 'road-o2o\[robotics\]'") as refused:
        make_environment("PointMaze_UMaze-v3")
    assert "\n" not in str(refused.value)
