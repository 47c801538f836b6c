"""The grids of the paper ask what the paper asked."""

import dataclasses
import json
from typing import Any

import pytest
from tests.mixing.periods import observe

from road.agents.awac import AWAC
from road.agents.iql import IQL
from road.experiments.grid import Case, Grid
from road.experiments.grids.discriminate import discriminate
from road.experiments.grids.paper import Scale, penalties
from road.experiments.jobs import work_of
from road.experiments.paper_tables import paper_tables, printed_table
from road.experiments.registry import GRIDS, ONE_SCALE, usual_subject
from road.mixing import Advantages, Context, Evidence, RoadMixer, make_mixer
from road.training.config import Plan

NAMES = (
    *("table-iql", "table-pex", "ablation-kappa", "ablation-window", "table-proto"),
    *("figure-calql", "figure-cql", "figure-rlpd", "figure-rlpd-quality", "figure-heatmap"),
    "sample-level",
)


def test_every_table_and_figure_has_its_grid():
    assert {*NAMES, *ONE_SCALE} == set(GRIDS)


@pytest.mark.parametrize("scale", ["mini", "paper"])
@pytest.mark.parametrize("name", GRIDS)
def test_every_cell_of_every_grid_is_a_run_of_its_own(name: str, scale: Scale):
    grid = GRIDS[name](scale)
    work = work_of(dataclasses.replace(grid, seeds=(0,)).cells())
    assert grid.name == name
    assert grid.about
    assert len({key for _, key in work.cells}) == len(work.cells)
    assert grid.part().cases


@pytest.mark.parametrize("scale", ["mini", "paper"])
@pytest.mark.parametrize("name", GRIDS)
def test_no_two_columns_of_a_grid_are_one_strategy(name: str, scale: Scale):
    """A window that is longer than the run forgets nothing and is no window."""
    grid = dataclasses.replace(GRIDS[name](scale), seeds=(0,))
    seen: dict[tuple[str, str], str] = {}
    for cell in grid.cells():
        does = json.dumps(what_it_does(cell.plan), sort_keys=True)
        assert seen.setdefault((cell.case, does), cell.strategy) == cell.strategy
    assert len(seen) == len(grid.cases) * len(grid.strategies)


def what_it_does(plan: Plan) -> dict[str, Any]:
    """A mixer's settings as far as they change what it does in a run of that length."""
    settings: dict[str, Any] = plan.to_json()
    mixer, period = settings["mixer"], plan.config.period
    if mixer["name"] == "road":
        assert isinstance(period, int)
        if mixer["window"] is not None and mixer["window"] >= plan.config.online_steps // period:
            mixer["window"] = None
    return {"mixer": mixer, "period": period}


def test_the_genuine_kitchen_row_is_the_papers_at_a_quarter_of_its_steps():
    grid, paper = GRIDS["kitchen-complete"]("mini"), GRIDS["table-iql"]("paper")
    theirs = paper.part(["kitchen-complete"], [s.label for s in grid.strategies[:-1]], [0]).cells()
    for ours, other in zip(grid.part(seeds=[0]).cells(), theirs, strict=False):
        assert ours.plan.agent == other.plan.agent
        assert ours.plan.agent.hidden == (256, 256)
        shorter = {"offline_steps": 250_000, "online_steps": 250_000}
        assert ours.plan.config == dataclasses.replace(other.plan.config, **shorter)
        assert ours.data is None
    table = printed_table("kitchen-complete")
    assert table is not None
    assert {"Fixed 0.3", "Uniform", "ROAD"} <= set(table.methods)


@pytest.mark.parametrize("scale", ["mini", "paper"])
def test_the_windows_are_a_quarter_and_half_of_a_run(scale: Scale):
    for cell in GRIDS["ablation-window"](scale).part(seeds=[0]).cells():
        mixer, config = cell.plan.mixer, cell.plan.config
        if isinstance(mixer, RoadMixer) and mixer.window is not None:
            assert isinstance(config.period, int)
            periods = config.online_steps // config.period
            assert mixer.window in (periods // 4, periods // 2)


@pytest.mark.parametrize("name", NAMES)
def test_road_forgets_at_the_small_scale_where_it_does_at_the_papers(name: str):
    paper = {cell.case: cell.plan for cell in GRIDS[name]("paper").part(seeds=[0]).cells()}
    for cell in GRIDS[name]("mini").cells():
        mixer = cell.plan.mixer
        if name != "ablation-window" and isinstance(mixer, RoadMixer):
            keeps = cell.case.startswith(("pointmaze", "antmaze")) or "rlpd" in name
            assert mixer.window == (None if keeps else 50)
            if cell.case in paper and isinstance(papers := paper[cell.case].mixer, RoadMixer):
                assert papers.window == (None if keeps else 1_000)


@pytest.mark.parametrize("name", NAMES)
def test_the_small_scale_has_the_papers_strategies_and_validated(name: str):
    mini, paper = GRIDS[name]("mini"), GRIDS[name]("paper")
    assert mini.strategies[-1].label == "Validated"
    assert len(mini.strategies) == len(paper.strategies) + 1


@pytest.mark.parametrize("name", NAMES)
def test_the_paper_scale_is_a_million_steps_and_four_seeds(name: str):
    grid = GRIDS[name]("paper")
    assert grid.seeds == (0, 1, 2, 3)
    for cell in Grid(**{**vars(grid), "seeds": (0,)}).cells():
        config = cell.plan.config
        assert config.online_steps == 1_000_000
        offline = 0 if cell.plan.recipe.offline is None else 1_000_000
        # The hands are pretrained for 20,000 steps: a remark in the paper's source.
        assert config.offline_steps in ({offline, 20_000} if "binary" in cell.case else {offline})


@pytest.mark.parametrize("name", ["table-iql", "table-pex", "ablation-kappa", "table-proto"])
def test_rows_and_columns_are_named_as_the_paper_has_them(name: str):
    grid, table = GRIDS[name]("paper"), paper_tables()[name]
    assert tuple(strategy.label for strategy in grid.strategies) == table.methods
    assert {case.label for case in grid.cases} == set(table.tasks)


@pytest.mark.parametrize(("scale", "window"), [("paper", 1_000), ("mini", 50)])
@pytest.mark.parametrize("name", NAMES)
def test_a_grid_is_about_road_with_the_papers_settings(name: str, scale: Scale, window: int):
    """At the small scale a window is a twentieth of the paper's, as runs have fewer periods."""
    grid = GRIDS[name](scale)
    (about,) = (each for each in grid.strategies if each.label == grid.subject)
    papers = RoadMixer(window=window) if name == "ablation-window" else RoadMixer()
    assert make_mixer(about.mixer, **about.settings) == papers
    assert usual_subject(name, scale) == grid.subject


def test_an_unknown_grid_is_about_road():
    assert usual_subject("mine", "mini") == usual_subject("ablation-kappa", "own") == "ROAD"


def test_the_columns_of_the_window_ablation_are_the_papers():
    grid = GRIDS["ablation-window"]("paper")
    labels = tuple(strategy.label for strategy in grid.strategies)
    assert labels == paper_tables()["ablation-window"].methods
    assert len(grid.cases) == 5


def test_mini_locomotion_is_long_enough_to_tell_something():
    grid = GRIDS["table-iql"]("mini").part()
    assert len(grid.cases) == 4
    assert len(grid.seeds) == 3
    for case in grid.cases:
        if not case.label.startswith("pointmaze"):
            config = dataclasses.replace(grid, cases=(case,)).cells()[0].plan.config
            assert (config.online_steps, config.evaluation_episodes) == (100_000, 20)
            assert config.online_steps // int(config.period) == 100


@pytest.mark.parametrize("name", ["ablation-kappa", "ablation-window"])
def test_an_ablation_is_also_made_where_the_ratio_matters(name: str):
    mini, paper = GRIDS[name]("mini"), GRIDS[name]("paper")
    assert "pointmaze-medium-play" in {case.label for case in mini.part().cases}
    assert not any(case.label.startswith("pointmaze") for case in paper.cases)


def test_protos_trust_region_opens_over_a_mini_run_as_over_the_papers():
    for scale in ("mini", "paper"):
        for cell in GRIDS["table-proto"](scale).cells():
            assert cell.plan.agent.decay_steps == cell.plan.config.online_steps


def test_mini_data_says_where_it_comes_from():
    for case in GRIDS["table-iql"]("mini").cases:
        if case.label.startswith("pointmaze"):
            assert case.data is None  # the task makes it
            continue
        assert case.data is not None
        learnable = case.label.split("-")[0] in ("hopper", "walker2d", "halfcheetah")
        assert (case.data.train_steps is not None) == learnable


def test_infinite_kappa_chooses_by_the_online_advantage_alone():
    """Of two arms with Δ_on 0.3 and 0.1 it prefers the second, though Δ_off says otherwise."""
    endless = penalties()[-1]
    assert endless.label == "κ = ∞"
    mixer = make_mixer("road", arms=(0.0, 1.0), **{**endless.settings, "exploration": 0.0})
    state = mixer.init(0)
    for offline, online in ((9.0, 0.3), (0.0, 0.1)):
        decision = mixer.propose(state, Context(0.0, 1, 1))
        state = observe(mixer, state, decision, Evidence(Advantages(offline, online)))
    assert mixer.propose(state, Context(0.0, 1, 1)).offline_ratio == 1.0


def test_infinite_kappa_leaves_minus_delta_on_and_nothing_of_delta_off():
    """With Δ_off 9 and Δ_on 0.3 the credit is -0.3; its bonus is any other's: sqrt(2 ln 2 / 1)."""
    mixer = make_mixer("road", arms=(0.0, 1.0), **penalties()[-1].settings)
    state = mixer.init(0)
    for _ in range(2):
        decision = mixer.propose(state, Context(0.0, 1, 1))
        state = observe(mixer, state, decision, Evidence(Advantages(9.0, 0.3)))
    arms = mixer.propose(state, Context(0.0, 1, 1)).arms
    assert arms is not None
    assert arms.means == (-0.3, -0.3)
    assert arms.bonuses[0] == pytest.approx(1.1774, rel=1e-4)


def test_discriminate_has_tasks_that_help_and_tasks_that_mislead():
    grid = discriminate()
    assert len(grid.cases) == 7
    assert len(grid.strategies) >= 10
    periods = {cell.plan.config.period for cell in grid.part(seeds=[0]).cells()}
    assert periods == {500, 100}
    for cell in grid.part(seeds=[0]).cells():
        assert cell.plan.agent.hidden == (64, 64)
        assert cell.plan.config.batch_size == 128


def test_a_case_may_have_an_agent_of_its_own():
    cases = (Case("pendulum-mixed"), Case("own", task="pendulum-mixed", agent_name="awac"))
    strategies = GRIDS["figure-heatmap"]("mini").strategies[:1]
    cells = Grid("g", cases, strategies, seeds=(0,)).cells()
    assert [cell.plan.agent_name for cell in cells] == ["iql", "awac"]
    assert [type(cell.plan.agent) for cell in cells] == [IQL, AWAC]


def test_other_agents_have_the_settings_that_were_chosen_with_iql():
    chosen = GRIDS["validated"]("mini").part(strategies=["Validated"]).cells()[0].plan.mixer
    for cell in GRIDS["validated-agents"]("mini").part(seeds=[0]).cells():
        assert cell.plan.agent_name in cell.case
        assert cell.plan.agent_name in ("sac", "awac")
        assert cell.plan.agent.hidden == (64, 64)
        assert cell.strategy != "Validated" or cell.plan.mixer == chosen


def test_a_case_is_found_by_its_label():
    assert Grid("g", (Case("pendulum-mixed"),), GRIDS["figure-heatmap"]("mini").strategies).cells()
