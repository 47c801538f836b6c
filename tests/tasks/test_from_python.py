"""``road.finetune``: the same run from Python."""

import json
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import jax
import numpy as np
import pytest
from tests.tasks import bodies
from tests.tasks.test_custom import some_rows

import road
from road.agents.cql import CQL
from road.agents.iql import IQL
from road.agents.pex import PEX
from road.agents.proto import PROTO
from road.api.finetune import (
    Finetuned,
    environment_of,
    given_plan,
    given_task,
    name_of_agent,
    name_of_mixer,
)
from road.errors import EnvironmentFailure, NumericError, StorageError, UsageError
from road.mixing import FixedMixer
from road.records.folder import RunFolder
from road.replay.transitions import unpack
from road.stopping import StopRequest
from road.tasks.custom import TaskOverrides, custom_task
from road.tasks.task import Affine
from road.training import launch
from road.training.compiled import compile_agent
from road.training.config import check_whole
from road.training.events import Evaluated
from road.training.launch import pick_state
from road.training.run import Run
from road.types import Spec

TINY: dict[str, Any] = {
    "offline_steps": 20,
    "online_steps": 30,
    "batch_size": 8,
    "period": 10,
    "measure_batch": 8,
    "evaluate_every": 30,
    "evaluation_episodes": 1,
    "horizon": 10,
}
SMALL = IQL(hidden=(8, 8))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Finetuned:
    out = tmp_path_factory.mktemp("runs") / "cart"
    return road.finetune(bodies.Cart, some_rows(), agent=SMALL, mixer="road", out=out, **TINY)


def test_it_gives_scores_and_a_run_folder_like_any_other(result: Finetuned) -> None:
    assert result.pretrained is not None and result.final is not None
    assert result.final.score == pytest.approx(result.final.return_mean)
    assert result.folder is not None
    reported = json.loads((result.folder / "config.json").read_text())
    assert (reported["task"], reported["own"], reported["given"]) == ("Cart", {"horizon": 10}, True)
    written = (result.folder / "evaluations.jsonl").read_text().splitlines()
    assert json.loads(written[-1])["score"] == result.final.score


def test_it_leaves_a_report_and_says_in_a_line_what_it_is(result: Finetuned) -> None:
    assert result.report is not None and result.report.name == "report.html"
    assert "Cart" in result.report.read_text()
    assert (result.report.parent / "summary.json").is_file()
    assert repr(result).startswith("Finetuned(pretrained=")
    assert repr(result).count("\n") == 0


def test_the_plot_shows_scores_and_the_ratio_of_every_period(result: Finetuned) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    axes = result.plot()
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(result.evaluations[-1].evaluation.score)
    other = next(each for each in axes.figure.axes if each is not axes)
    assert list(other.lines[0].get_ydata()) == [ratio for _, ratio in result.ratios]
    assert result.ratios
    pytest.importorskip("matplotlib.pyplot").close(axes.figure)


def test_an_id_and_a_dict_of_arrays_will_do(capfd: pytest.CaptureFixture[str]) -> None:
    """Arrays in the environment's units: the pendulum pushes with up to 2."""
    environment = gymnasium.make("Pendulum-v1")
    rows: dict[str, list[Any]] = {"observations": [], "actions": [], "rewards": []}
    rows |= {"terminals": [], "timeouts": []}
    observation, _ = environment.reset(seed=0)
    environment.action_space.seed(0)
    for step in range(40):
        action = environment.action_space.sample()
        rows["observations"].append(observation)
        observation, reward, _, _, _ = environment.step(action)
        for name, value in (("actions", action), ("rewards", reward), ("terminals", False)):
            rows[name].append(value)
        rows["timeouts"].append(step == 39)
    arrays = {name: np.array(column) for name, column in rows.items()}
    assert np.abs(arrays["actions"]).max() > 1.0
    settings = {**TINY, "agent": SMALL, "horizon": 20}
    result = road.finetune("Pendulum-v1", arrays, progress=False, **settings)
    assert result.folder is None and result.report is None
    assert capfd.readouterr().err == ""
    assert np.abs(result.policy(observation)).max() <= 2.0
    road.finetune("Pendulum-v1", arrays, **settings)
    reported = capfd.readouterr().err
    assert "online: from step 0 to 30" in reported
    expected = reported.index("expected: about 1 second for 50 updates")
    assert expected < reported.index("offline: from step 0 to 20")


def test_finetune_is_found_by_completion() -> None:
    assert "finetune" in dir(road)


def test_a_missing_extra_is_one_line() -> None:
    code = "import sys; sys.modules['jax'] = None; import road; road.finetune"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stderr.strip().splitlines()[-1] == (
        "ImportError: road.finetune needs jax: pip install 'road-o2o[train]'"
    )


def test_the_policy_acts_in_the_environments_own_units(result: Finetuned) -> None:
    """What the environment gives goes in, what it takes comes out: here up to 2 either way."""
    action = result.policy(np.array([1e6, 1e6]))
    assert action.shape == (1,)
    assert 1.9 < abs(float(action[0])) <= 2.0


def test_a_run_of_python_objects_is_not_resumed_from_the_command_line(result: Finetuned) -> None:
    from road.training.launch import resume_run

    assert result.folder is not None
    with pytest.raises(UsageError, match=r"road\.finetune with them and resume=True"):
        resume_run(result.folder, lambda _: None)


def test_it_is_resumed_with_the_same_objects_and_only_as_what_it_was(result: Finetuned) -> None:
    again = partial(road.finetune, bodies.Cart, some_rows(), mixer="road", out=result.folder)
    finished = again(agent=SMALL, resume=True, **TINY)
    assert finished.evaluations == result.evaluations
    assert len(result.evaluations) == 2
    with pytest.raises(UsageError, match=r"other settings \(agent\)"):
        again(agent=IQL(hidden=(4, 4)), resume=True, **TINY)
    with pytest.raises(UsageError, match="already holds a run"):
        again(agent=SMALL, **TINY)
    with pytest.raises(UsageError, match="give one of them"):
        again(agent=SMALL, resume=True, overwrite=True, **TINY)


def test_data_may_be_a_source_and_is_read_in_the_environments_units(tmp_path: Path) -> None:
    """Stored actions reach 2, which only the environment's box explains."""
    rows = some_rows()
    path = tmp_path / "mine.npz"
    np.savez(path, **{**rows.arrays(), "action": 2.0 * rows.action})
    reported: list[object] = []
    result = road.finetune(
        bodies.DictCart,
        f"file:{path}",
        agent=SMALL,
        mixer=FixedMixer(0.5),
        notify=reported.append,
        **TINY,
    )
    assert result.folder is None
    assert [event for event in reported if isinstance(event, Evaluated)] == list(result.evaluations)
    assert len(result.evaluations) == 2


def test_the_policy_is_the_one_that_is_loaded_and_draws_on_request(tmp_path: Path) -> None:
    """PEX is judged with draws, and so blunt a choice takes its new policy half of the time."""
    agent = PEX(hidden=(8, 8), evaluation_noise=1.0, choice_sharpness=1e-3)
    out = tmp_path / "run"
    result = road.finetune(bodies.Cart, some_rows(), agent=agent, out=out, **TINY)
    seen = np.zeros((20, 2))
    np.testing.assert_array_equal(result.policy(seen), road.load_policy(out)(seen))
    assert len({float(result.policy(np.zeros(2))[0]) for _ in range(20)}) == 1
    assert len(np.unique(road.load_policy(out, sample=True)(seen))) > 3


@dataclass(frozen=True)
class OwnAgent(IQL):
    """An agent that the library does not know."""


def test_an_own_agents_policy_is_in_the_result_alone(tmp_path: Path) -> None:
    own, out = OwnAgent(hidden=(8, 8)), tmp_path / "run"
    result = road.finetune(bodies.Cart, some_rows(), agent=own, mixer="road", out=out, **TINY)
    seen = np.array([[0.1, -0.2], [3.0, 0.0]], np.float32)
    compiled = compile_agent(own, Spec(2, 1))
    leaves = pick_state(out, best=False).main.agent
    best = compiled.best_action(leaves, seen, jax.random.key(0), 0)
    np.testing.assert_allclose(result.policy(seen), 2.0 * best, atol=1e-5)
    np.testing.assert_allclose(result.policy(seen[0]), 2.0 * best[0], atol=1e-5)
    with pytest.raises(UsageError, match="an agent of your own"):
        road.load_policy(out)


@pytest.mark.parametrize("agent", [PEX(hidden=(8, 8)), PROTO(hidden=(8, 8))])
def test_a_run_without_an_online_phase_ends_with_the_agent_it_pretrained(agent: Any) -> None:
    """Nothing was carried over, so the online agent's networks are not there."""
    settings = {**TINY, "online_steps": 0}
    result = road.finetune(bodies.Cart, some_rows(), agent=agent, **settings)
    assert result.policy(np.zeros(2)).shape == (1,)
    assert [event.phase for event in result.evaluations] == ["offline"]


def test_a_tracker_needs_a_folder_to_write_into() -> None:
    with pytest.raises(UsageError, match="log writes into the run folder: give out too"):
        road.finetune(bodies.Cart, some_rows(), log="tensorboard")


def test_a_misspelt_setting_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="unknown setting 'online_step': did you mean"):
        road.finetune(bodies.Cart, some_rows(), online_step=3)


def test_it_runs_in_a_thread_too(result: Finetuned) -> None:
    """Only the main thread may listen for signals."""
    found: list[Finetuned] = []
    tune = partial(road.finetune, bodies.Cart, some_rows(), agent=SMALL, mixer="road", **TINY)
    thread = threading.Thread(target=lambda: found.append(tune()))
    thread.start()
    thread.join()
    assert found[0].evaluations == result.evaluations


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        (("NoSuch-v7", some_rows()), "environment 'NoSuch-v7' is not registered"),
        ((bodies.Cart(), some_rows()), "environment must be an id of Gymnasium or a function"),
        ((lambda: None, some_rows()), "own makes NoneType, no Gymnasium environment"),
        ((bodies.Cart, [1.0, 2.0]), "dataset must be a source .* got list"),
        ((bodies.Cart, Path("mine.npz")), "dataset must be a source .* got PosixPath"),
    ],
)
def test_what_is_no_environment_or_no_data_is_refused(given: Any, reported: str) -> None:
    def use(environment: Any, dataset: Any) -> None:
        made = environment_of(environment)
        given_task(*made, dataset, TaskOverrides(horizon=10)).environment()

    with pytest.raises(UsageError, match=reported):
        use(*given)


def test_a_setting_that_is_no_whole_number_is_refused() -> None:
    """A user without run-time types gets this far; tests have them, so it is asked directly."""
    for value in ("1", 2.5, "episode"):
        with pytest.raises(UsageError, match=f"seed must be a whole number, got {value!r}"):
            check_whole("seed", value, 0)


@pytest.mark.parametrize("body", [bodies.UnpaidCart, bodies.LostCart])
def test_nonsense_in_an_evaluation_is_reported_in_one_line(body: Any) -> None:
    """Judged before its first online step, so the evaluation meets it first."""
    with pytest.raises(EnvironmentFailure, match=r"step 0 of an evaluation"):
        road.finetune(body, some_rows(), agent=SMALL, **TINY)


def test_what_was_pretrained_is_kept_if_the_environment_fails_then(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure):
        road.finetune(bodies.UnpaidCart, some_rows(), agent=SMALL, out=tmp_path / "run", **TINY)
    assert (
        pick_state(tmp_path / "run", best=False).counters.offline_updates == (TINY["offline_steps"])
    )


def test_the_environment_that_the_policy_was_made_from_is_closed() -> None:
    made: list[bodies.Cart] = []

    def make() -> bodies.Cart:
        made.append(bodies.Cart())
        return made[-1]

    road.finetune(make, some_rows(), agent=SMALL, **TINY)
    assert all(cart.closed for cart in made)


def test_what_ended_a_run_is_reported_even_if_its_end_cannot_be_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk takes no note of the end; the environments are closed all the same."""
    made: list[bodies.Cart] = []

    def make() -> bodies.Cart:
        made.append(bodies.Cart())
        return made[-1]

    def failing(*_: Any, **__: Any) -> None:
        raise NumericError("critic/loss is not finite")

    def full(_: Any, what: str, *__: Any, **___: Any) -> None:
        if what == "ended":
            raise StorageError("no space")

    monkeypatch.setattr(Run, "execute", failing)
    monkeypatch.setattr(launch, "note_session", full)
    with pytest.raises(NumericError):
        road.finetune(make, some_rows(), agent=SMALL, **TINY)
    assert made and all(cart.closed for cart in made)


def test_an_environment_that_breaks_is_reported_in_one_line() -> None:
    with pytest.raises(EnvironmentFailure, match="OSError in step of episode 0: the cable is out"):
        road.finetune(bodies.BrokenCart, some_rows(), agent=SMALL, **TINY)


def test_agents_and_mixers_are_known_by_their_class_and_preset() -> None:
    assert name_of_agent(IQL()) == "iql"
    assert name_of_agent(CQL()) == "cql"
    assert name_of_agent(CQL(calibrated=True)) == "cal-ql"
    assert name_of_mixer(FixedMixer(0.5)) == "fixed"
    assert name_of_agent(gymnasium.Env()) == "Env", "an unregistered class has its own name"


def test_importing_road_loads_neither_jax_nor_gymnasium() -> None:
    code = "import road, sys; print(sorted({'jax', 'gymnasium', 'h5py'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.strip() == "[]"


class Praised(bodies.Cart):
    """A cart that pays 3 whatever it does."""

    def step(self, action: Any) -> Any:
        observation, _, *rest = super().step(action)
        return observation, 3.0, *rest


def test_a_run_learns_from_the_agents_reward_and_is_judged_by_the_tasks_judge(
    tmp_path: Path,
) -> None:
    """The agent has a reward of its own, 10 r - 5; the judge pays 3 in each of ten steps."""
    rows = some_rows()
    task = custom_task("cart", bodies.Cart, lambda: rows, TaskOverrides(horizon=10))
    judge = custom_task("cart", Praised, lambda: rows, TaskOverrides(horizon=10)).environment
    task = replace(task, judge=judge, rewards={"iql": Affine(10.0, -5.0)})
    plan = given_plan(task, SMALL, "road", TaskOverrides(horizon=10))
    plan = replace(plan, config=replace(plan.config, evaluation_episodes=1))
    folder = RunFolder(tmp_path / "run")
    run = Run(plan, folder, lambda _: None, StopRequest())
    learnt = unpack(run.sampler.offline, run.online_agent.spec).reward
    np.testing.assert_allclose(learnt, 10.0 * rows.reward - 5.0, rtol=1e-5)
    step, _ = run.rollout.step(np.zeros(1, np.float32))
    assert step.reward == pytest.approx(10.0 * -abs(step.next_observation[0]) - 5.0, rel=1e-5)
    judged = run.evaluator(lambda observations, _: np.zeros((len(observations), 1), np.float32), 0)
    assert judged is not None and judged.return_mean == 30.0
    run.close()
    folder.release()
