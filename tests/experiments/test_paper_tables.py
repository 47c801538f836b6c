"""The paper's tables: typed without a slip, and at odds with themselves only where we say so."""

import numpy as np
import pytest

from road.experiments.paper_tables import PaperTable, paper_tables
from road.tasks.catalogue import TASKS

PAPER_TABLES = paper_tables()
IQL, PEX = PAPER_TABLES["table-iql"], PAPER_TABLES["table-pex"]
KAPPA, WINDOW = PAPER_TABLES["ablation-kappa"], PAPER_TABLES["ablation-window"]


@pytest.mark.parametrize("table", PAPER_TABLES.values(), ids=PAPER_TABLES)
def test_every_row_has_a_number_for_every_method(table: PaperTable):
    assert table.means.shape == table.deviations.shape == (len(table.tasks), len(table.methods))
    assert len(set(table.methods)) == len(table.methods)
    assert np.all((table.means >= 0) & (table.means <= 110))


@pytest.mark.parametrize("table", [IQL, PEX], ids=["iql", "pex"])
def test_printed_averages_are_those_of_the_rows_except_for_errata(table: PaperTable):
    """A slip of a quarter of a point in any cell would show: 24 times the rounding of 0.01."""
    assert table.printed_averages is not None
    assert len(table.tasks) == 24
    wrong = {
        f"Average, {method}": (printed, round(float(average), 2))
        for method, printed, average in zip(
            table.methods, table.printed_averages, table.averages, strict=True
        )
        if abs(printed - average) > 0.00501
    }
    assert wrong == {slip.where: (slip.printed, slip.corrected) for slip in table.errata}


def test_the_erratum_is_marked():
    assert [slip.where for slip in IQL.errata] == ["Average, Fixed 0.2"]
    assert PEX.errata == ()


@pytest.mark.parametrize(("table", "best"), [(IQL, 21), (PEX, 18)], ids=["iql", "pex"])
def test_on_how_many_tasks_road_is_best(table: PaperTable, best: int):
    leaders = [table.methods[index] for index in table.means.argmax(axis=1)]
    assert leaders.count("ROAD") == best
    assert f"best on {best} of 24" in " ".join(table.notes)
    exceptions = {
        task: leader for task, leader in zip(table.tasks, leaders, strict=True) if leader != "ROAD"
    }
    for task, leader in exceptions.items():
        assert task in " ".join(table.notes) and leader in " ".join(table.notes)


@pytest.mark.parametrize(
    ("table", "best_fixed", "road"), [(IQL, 66.4, 71.95), (PEX, 65.7, 71.12)], ids=["iql", "pex"]
)
def test_the_mean_of_the_best_fixed_ratio_of_each_task(
    table: PaperTable, best_fixed: float, road: float
):
    assert table.means[:, table.fixed].max(axis=1).mean() == pytest.approx(best_fixed, abs=0.05)
    assert table.averages[-1] == pytest.approx(road, abs=0.0051)


def test_the_two_large_tables_share_tasks_methods_and_one_cell():
    assert IQL.tasks == PEX.tasks
    assert IQL.methods == PEX.methods
    same = np.argwhere(IQL.means == PEX.means)
    assert [(IQL.tasks[task], IQL.methods[method]) for task, method in same] == [
        ("halfcheetah-expert", "ROAD")
    ]


def test_tasks_are_called_as_in_the_catalogue():
    for table in (IQL, PEX, KAPPA, PAPER_TABLES["table-proto"]):
        assert set(table.tasks) <= set(TASKS)


def test_the_middle_of_the_kappa_ablation_is_road_of_the_main_table():
    for task in KAPPA.tasks:
        main, ablation = IQL.rows[task], KAPPA.rows[task]
        assert ablation.means[3] == main.means[-1]
        assert ablation.deviations is not None and main.deviations is not None
        assert ablation.deviations[3] == main.deviations[-1]
    assert KAPPA.methods[3] == "κ = 1"


def test_kappa_of_one_beats_both_extremes_and_is_best_on_two_tasks():
    means = KAPPA.means
    assert np.all(means[:, 3] > means[:, [0, 6]].max(axis=1))
    assert means.argmax(axis=1).tolist() == [2, 1, 3, 3]


def test_the_window_ablation_is_a_mean_over_five_logs():
    """(49.37 + 55.82 + 74.57 + 95.06 + 96.86) / 5 = 74.336."""
    logs = [row.means[-1] for task, row in IQL.rows.items() if task.startswith("halfcheetah-")]
    assert len(logs) == 5
    at = WINDOW.methods.index("c = 2, τ = 1000")
    assert WINDOW.rows["halfcheetah"].means[at] == round(np.mean(logs), 2) == 74.34


def test_the_best_window_for_each_exploration():
    by_exploration = WINDOW.means.reshape(4, 3)
    assert by_exploration.argmax(axis=1).tolist() == [0, 1, 1, 2]
    assert WINDOW.methods[:3] == ("c = 0.5, τ = 500", "c = 0.5, τ = 1000", "c = 0.5, τ = t")
    assert np.abs(by_exploration[:, 1] - by_exploration[:, 2]).max() == pytest.approx(1.75)


def test_proto_is_best_with_road():
    table = PAPER_TABLES["table-proto"]
    assert table.means.argmax(axis=1).tolist() == [6, 6, 6]
    np.testing.assert_allclose(table.means.max(axis=1), [103.45, 96.71, 94.88])


def test_deviations_are_given_where_the_paper_gives_them():
    assert np.isfinite(IQL.deviations).all() and np.isfinite(KAPPA.deviations).all()
    assert np.isnan(PEX.deviations).all() and np.isnan(WINDOW.deviations).all()
    assert IQL.deviations[IQL.tasks.index("kitchen-partial"), 6] == 0.0
