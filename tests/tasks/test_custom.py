"""A user's own environment and data: what works, and what is refused in one line."""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.tasks import bodies

from road.cli import main
from road.cli.train import parse_plan
from road.data import Dataset, write_d4rl
from road.errors import UsageError
from road.tasks.catalogue import TASKS, find_custom_task
from road.tasks.custom import RAW_RETURN, TaskOverrides, custom_task
from road.tasks.task import Affine, ScoreReference
from road.tasks.wrappers import as_vectors
from road.training.config import default_plan, plan_from_json

Said = pytest.CaptureFixture[str]


def some_rows(observations: int = 2, actions: int = 1, rows: int = 40) -> Dataset:
    rng = np.random.default_rng(0)
    seen = rng.normal(size=(rows + 1, observations)).astype(np.float32)
    ends = np.arange(rows) % 10 == 9
    return Dataset(
        observation=seen[:-1],
        action=rng.uniform(-1, 1, (rows, actions)).astype(np.float32),
        reward=rng.normal(size=rows).astype(np.float32),
        next_observation=seen[1:],
        terminated=np.zeros(rows, bool),
        truncated=ends,
    )


def error_of(words: list[str], capsys: Said) -> tuple[int, str]:
    code = main(words)
    said = capsys.readouterr().err.strip().splitlines()
    assert said[-1].startswith("error: ")
    assert not any("Traceback" in line for line in said)
    return code, said[-1]


def test_actions_reach_the_environment_in_its_own_units() -> None:
    cart = bodies.Cart()
    environment = as_vectors(cart, "cart")
    observation, _ = environment.reset(seed=0)
    assert observation.dtype == np.float32
    for unit, own in ((-1.0, -2.0), (0.5, 1.0), (1.0, 2.0)):
        environment.step(np.array([unit], np.float32))
        assert cart.pushed == own


def test_named_observations_are_laid_side_by_side_in_alphabetical_order() -> None:
    cart = bodies.DictCart()
    environment = as_vectors(cart, "cart")
    environment.reset(seed=0)
    observation, *_ = environment.step(np.array([1.0], np.float32))
    np.testing.assert_allclose(observation, [cart.place, cart.speed], rtol=1e-6)


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        (bodies.DiscreteCart, r"action space Discrete\(3\); only vectors of real numbers"),
        (bodies.UnboundedCart, "actions without bounds"),
        (bodies.ImageCart, r"observations of shape \(8, 8, 3\); only vectors"),
        (bodies.TalkingCart, "which has no fixed length"),
    ],
)
def test_spaces_that_cannot_be_learnt_are_refused(body: Callable[[], Any], reported: str) -> None:
    with pytest.raises(UsageError, match=reported) as refused:
        as_vectors(body(), "cart")
    assert "\n" not in str(refused.value)


def test_an_environment_without_a_time_limit_asks_for_one() -> None:
    task = custom_task("cart", bodies.Cart, some_rows, TaskOverrides())
    with pytest.raises(UsageError, match=r"no time limit.*--horizon STEPS"):
        task.environment()
    limited = custom_task("cart", bodies.Cart, some_rows, TaskOverrides(horizon=2)).environment()
    limited.reset(seed=0)
    ends = [limited.step(np.zeros(1, np.float32))[3] for _ in range(2)]
    assert ends == [False, True]


def test_the_score_is_the_raw_return_unless_references_are_given() -> None:
    assert RAW_RETURN.normalise(-3.7) == pytest.approx(-3.7)
    referenced = custom_task(
        "cart", bodies.Cart, some_rows, TaskOverrides(score_min=-10.0, score_max=-6.0)
    )
    assert referenced.score.normalise(-7.0) == 75.0


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({"score_min": 1.0}, "give both or neither"),
        ({"horizon": 0}, "horizon must be 1 or more, got 0"),
        ({"env": "Reacher-v5"}, "needs data to begin with"),
        ({"reward_scale": np.nan}, "reward_scale must be a finite number, got nan"),
        ({"score_min": -np.inf, "score_max": 1.0}, "score_min must be a finite number"),
        ({"reward_scale": 0.0}, "every reward would be the same"),
    ],
)
def test_what_does_not_belong_together_is_refused(settings: dict[str, Any], reported: str) -> None:
    with pytest.raises(UsageError, match=reported):
        TaskOverrides(**settings)


def test_references_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(UsageError, match="score_min must lie below score_max"):
        find_custom_task("hopper-medium", TaskOverrides(score_min=2.0, score_max=1.0))


def test_a_horizon_cannot_be_longer_than_the_environments_own_limit() -> None:
    with pytest.raises(UsageError, match="hopper-medium ends an episode after 1000 steps"):
        find_custom_task("hopper-medium", TaskOverrides(horizon=1001))
    task = find_custom_task("", TaskOverrides(env="Pendulum-v1", data="file:x", horizon=201))
    with pytest.raises(UsageError, match="Pendulum-v1 ends an episode after 200 steps"):
        task.environment()


def test_a_listed_task_takes_no_units() -> None:
    with pytest.raises(UsageError, match="--action-units belongs to --env"):
        find_custom_task("hopper-medium", TaskOverrides(data="file:x", action_units="environment"))


def test_a_listed_task_keeps_its_rules_with_other_data(tmp_path: Path) -> None:
    """Kitchen data from a file is still cut where all four subtasks are solved."""
    rows = some_rows(observations=60, actions=9, rows=10)
    count = np.array([0, 1, 2, 3, 4, 4, 4, 4, 4, 4], np.float32)
    path = write_d4rl(Dataset(**{**rows.arrays(), "reward": count}), tmp_path / "mine.hdf5")
    task = find_custom_task("kitchen-complete", TaskOverrides(data=f"file:{path}"))
    dataset = task.dataset()
    assert dataset.reward.tolist() == [0, 1, 2, 3, 4]
    assert dataset.terminated.tolist() == [False] * 4 + [True]
    assert task.score == TASKS["kitchen-complete"].score


def test_what_the_user_sets_goes_before_what_the_task_sets() -> None:
    own = TaskOverrides(horizon=7, reward_scale=3.0, score_min=0.0, score_max=9.0)
    task = find_custom_task("antmaze-umaze", own)
    assert (task.horizon, task.score) == (7, ScoreReference(0.0, 9.0))
    assert task.learnt_by("cql", some_rows()).reward == Affine(scale=3.0)
    assert TASKS["antmaze-umaze"].learnt_by("cql", some_rows()).reward == Affine(10.0, -5.0)


def test_embedded_tasks_standardise_by_the_users_data(tmp_path: Path) -> None:
    path = write_d4rl(some_rows(observations=3), tmp_path / "mine.hdf5")
    task = find_custom_task("pendulum-mixed", TaskOverrides(data=f"file:{path}"))
    np.testing.assert_allclose(task.dataset().observation.mean(axis=0), 0.0, atol=1e-6)


def test_actions_of_a_file_are_in_the_environments_units_unless_it_is_said(tmp_path: Path) -> None:
    """The pendulum takes 2 newton metres: 0.5 in the file is a quarter of that, or a half."""
    rows = some_rows(observations=3)
    halves = Dataset(**{**rows.arrays(), "action": np.full_like(rows.action, 0.5)})
    file = write_d4rl(halves, tmp_path / "halves.hdf5")
    np.savez(tmp_path / "mine.npz", **halves.arrays())
    own = TaskOverrides(env="Pendulum-v1", data=f"file:{tmp_path / 'mine.npz'}")
    unit, written = replace(own, action_units="unit"), replace(own, data=f"file:{file}")
    read = [find_custom_task("", each).dataset().action for each in (own, unit, written)]
    assert [float(action.mean()) for action in read] == [0.25, 0.5, 0.5]


def test_a_plan_remembers_what_was_supplied_and_forgets_what_was_allowed() -> None:
    words = ["--env", "mine:Cart-v0", "--data", "file:/x.hdf5", "--allow-import", "mine"]
    plan, _ = parse_plan([*words, "--score-min", "0", "--score-max", "5"])
    assert plan.allowed == ("mine",)
    reported = json.loads(json.dumps(plan.to_json()))
    assert reported["own"]["env"] == "mine:Cart-v0"
    revived = plan_from_json(reported)
    assert (revived.own, revived.allowed) == (plan.own, ())
    assert "own" not in default_plan("hopper-medium").to_json()


def test_an_environment_of_the_user_has_modest_budgets_and_no_maze_settings() -> None:
    words = ["--env", "Pendulum-v1", "--data", "file:/x.hdf5"]
    plan, _ = parse_plan(words)
    assert (plan.config.offline_steps, plan.config.online_steps) == (20_000, 20_000)
    assert (plan.agent.expectile, plan.agent.inverse_temperature) == (0.7, 3.0)
    assert default_plan("antmaze-umaze").agent.expectile == 0.9
    cql, _ = parse_plan([*words, "--agent", "cql"])
    assert cql.agent.target_gap is None


def test_a_relative_path_is_written_down_whole(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for scheme in ("file", "stored"):
        plan, _ = parse_plan(["hopper-medium", "--data", f"{scheme}:mine"])
        assert plan.own.data == f"{scheme}:{tmp_path / 'mine'}"


def test_bad_words_get_one_line_and_leave_nothing(
    tmp_path: Path, monkeypatch: Any, capsys: Said
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)")
    path = write_d4rl(some_rows(), tmp_path / "mine.hdf5")
    data = ["--data", f"file:{path}", "--out", "run"]
    cases = [
        (["hopper-medium", "--env", "Reacher-v5", *data], 2, "name a task or --env, not both"),
        (["--env", "Reacher-v5"], 2, "give --data SOURCE"),
        (["--env", "Reachr-v5", *data], 2, "unknown environment 'Reachr-v5': did you mean"),
        (["--env", "secret:Cart-v0", *data], 2, "add --allow-import secret"),
        (["--env", "no id", *data], 2, "environment 'no id' cannot be made: Malformed"),
        (["--env", "Reacher-v2", *data], 2, "Reacher-v2 cannot be made: "),
        (["--env", "gone:X-v0", "--allow-import", "gone", *data], 2, "cannot import 'gone'"),
        (["--env", "leaves:X-v0", "--allow-import", "leaves", *data], 2, "(SystemExit: 3)"),
        (["--env", "json:X-v0", "--allow-import", "json", *data], 2, "'json' does not register"),
        (["--env", "CartPole-v1", *data], 2, "action space Discrete(2)"),
        (["--env", "Pendulum-v1", *data], 2, "has 2 observations and 1 actions a row"),
        (["--env", "Pendulum-v1", "--data", "file:no.hdf5"], 3, "no.hdf5"),
        (["--env", "Pendulum-v1", "--data", "nowhere:x", "--out", "run"], 2, "nowhere"),
        (["hopper-medium", "--out", "run"], 3, "d4rl:hopper-medium-v2 is not on this machine"),
    ]
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("D4RL_DATASET_DIR", str(tmp_path / "none"))
    for words, code, reported in cases:
        answer = error_of(["train", *words], capsys)
        assert (answer[0], reported in answer[1]) == (code, True), answer
    assert not (tmp_path / "run").exists()


TINY = [
    *("--offline-steps", "20", "--online-steps", "30", "--batch-size", "8", "--period", "10"),
    *("--measure-batch", "8", "--evaluation-episodes", "1", "--evaluate-every", "30"),
    *("--iql.hidden", "8", "8"),
]

MODULE = """
import gymnasium
from tests.tasks.bodies import Cart
gymnasium.register("Cart-v0", Cart, max_episode_steps=15)
"""


@pytest.mark.integration
def test_a_module_is_imported_when_allowed_and_allowed_again_to_resume_and_judge(
    tmp_path: Path, monkeypatch: Any, capsys: Said
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_carts.py").write_text(MODULE)
    path = write_d4rl(some_rows(), tmp_path / "mine.hdf5")
    words = ["train", "--env", "my_carts:Cart-v0", "--data", f"file:{path}", *TINY, "--out", "run"]
    assert main([*words, "--allow-import", "my_carts"]) == 0
    assert json.loads((tmp_path / "run" / "config.json").read_text())["task"] == "my_carts:Cart-v0"
    capsys.readouterr()

    del sys.modules["my_carts"]
    gymnasium.registry.pop("Cart-v0")
    code, line = error_of(["eval", "run", "--episodes", "1"], capsys)
    assert (code, "--allow-import my_carts" in line) == (2, True)
    assert main(["eval", "run", "--episodes", "1", "--allow-import", "my_carts"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] < 0.0
    assert main(["resume", "run"]) == 0  # finished: nothing has to be imported

    newest = sorted((tmp_path / "run" / "checkpoints").iterdir())[-1]
    before = (newest / "arrays.npz").read_bytes()
    shutil.rmtree(newest)
    code, line = error_of(["resume", "run"], capsys)
    assert (code, "--allow-import my_carts" in line) == (2, True)
    assert main(["resume", "run", "--allow-import", "my_carts"]) == 0
    assert (newest / "arrays.npz").read_bytes() == before
    gymnasium.registry.pop("Cart-v0")
