"""Finding a task, and keeping the names of environments inside this package."""

import ast
from pathlib import Path

import pytest

import road
from road.errors import UsageError
from road.tasks import DEFAULT_TASK, TASKS, find_task
from road.tasks.catalogue import PAPER_TASKS

SOURCE = Path(road.__file__).parent
PLACES_THAT_MAY = ("tasks/", "experiments/", "data/sources/d4rl.py")
"""The last one knows the names of published files."""
OF_THE_PAPER = {"antmaze", "halfcheetah", "hopper", "walker2d", "kitchen", "adroit"}


def code_without_prose(text: str) -> str:
    """The code in lower case, without comments, docstrings and help texts."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(value=None)
    return ast.unparse(tree).lower()


def test_the_tasks_that_make_their_own_data_come_first_and_hold_the_default() -> None:
    assert list(TASKS)[:5] == [
        "pointmaze-umaze-random",
        "pointmaze-umaze-play",
        "pointmaze-medium-play",
        "pendulum-mixed",
        "pendulum-flipped",
    ]
    assert find_task(DEFAULT_TASK) is TASKS["pointmaze-umaze-random"]


def test_the_papers_tasks_have_the_papers_names() -> None:
    mazes = ["umaze", "umaze-diverse", "medium-play", "medium-diverse", "large-play"]
    qualities = ["random", "medium-replay", "medium", "medium-expert", "expert"]
    named = {f"antmaze-{maze}" for maze in [*mazes, "large-diverse"]}
    named |= {f"{b}-{q}" for b in ("halfcheetah", "walker2d", "hopper") for q in qualities}
    named |= {f"kitchen-{kind}" for kind in ("complete", "partial", "mixed")}
    named |= {f"{skill}-binary" for skill in ("pen", "door", "relocate")}
    again = {f"{name}-minari" for name in named if name.startswith("antmaze")}
    assert set(TASKS) == named | again | set(list(TASKS)[:5])
    assert len(named) == 24 + 3


def test_ant_mazes_say_whose_they_are() -> None:
    for task in PAPER_TASKS:
        if task.family == "antmaze":
            assert task.source == f"d4rl:{task.name}-v2"
            assert task.description.startswith("D4RL's ant")
            minaris = TASKS[f"{task.name}-minari"]
            assert minaris.source is not None
            assert minaris.source.startswith("minari:D4RL/antmaze/")
            assert minaris.description.startswith("Minari's")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("hopper-medium-v2", "hopper-medium"),
        ("halfcheetah_medium_replay", "halfcheetah-medium-replay"),
        ("Walker2d-Medium-Expert-v0", "walker2d-medium-expert"),
        ("antmaze-large-diverse-v1", "antmaze-large-diverse"),
        ("pen-binary-v0", "pen-binary"),
    ],
)
def test_a_name_as_another_library_spells_it_is_understood(typed: str, name: str) -> None:
    assert find_task(typed) is TASKS[name]


def test_a_task_is_listed_under_its_own_name() -> None:
    assert all(task.name == name for name, task in TASKS.items())


def test_a_misspelt_name_gets_the_nearest_ones_in_one_line() -> None:
    with pytest.raises(UsageError) as refused:
        find_task("pendulum-fliped")
    message = str(refused.value)
    assert "'pendulum-fliped': did you mean 'pendulum-flipped'" in message
    assert message.endswith("(see `road list tasks`)")
    assert "\n" not in message


def test_a_name_like_no_other_is_refused_without_a_guess() -> None:
    with pytest.raises(UsageError, match="unknown task 'xyz': known: pointmaze-umaze-random"):
        find_task("xyz")


def test_the_catalogue_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        TASKS["mine"] = TASKS[DEFAULT_TASK]  # pyright: ignore[reportIndexIssue] # the point


def test_names_of_environments_stay_in_this_package() -> None:
    words = OF_THE_PAPER | {"pointmaze", "pendulum"}
    found = [
        f"{path.relative_to(SOURCE)}: {word}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.relative_to(SOURCE).as_posix().startswith(PLACES_THAT_MAY)
        for word in sorted(words)
        if word in code_without_prose(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_search_for_names_reads_code_and_not_prose() -> None:
    text = '"""AntMaze."""\nHORIZON = 3  # pendulum\nif name == "Hopper-v5": pass\n'
    code = code_without_prose(text)
    assert "hopper" in code
    assert "antmaze" not in code
    assert "pendulum" not in code
