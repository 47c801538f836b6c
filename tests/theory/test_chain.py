"""The example MDP: its mechanics by hand, and the claims that its demo shows."""

import numpy as np
import pytest

from road.theory.chain import (
    DEMO,
    PHASE,
    Chain,
    Curves,
    Reading,
    Run,
    all_readings,
    chain_mdp,
    greedy,
    greedy_return,
    learn,
    row_advantage,
    sample_mixed_rows,
    update,
    visits,
)
from road.theory.mdp import expected_return
from road.theory.samples import generator
from road.theory.studies.chain import (
    HOLDS,
    OPEN,
    REVERSED,
    Cells,
    compare,
    credit_agrees,
    rises_then_falls,
    rises_throughout,
    run_readings,
    verdict,
)


def three_places(reward: list[float]) -> Chain:
    """S, one place, and the place before T; pairs lead to 1, 2, 2, 3, 3, 3."""
    return Chain(np.array([1, 2, 2, 3, 3, 3]), np.array([reward], float))


def test_there_are_120_different_readings_and_the_demo_is_one():
    readings = all_readings()
    assert len(set(readings)) == len(readings) == 120
    assert DEMO in readings


def test_visits_by_hand():
    """Three places. Always 1: each once with the first action. Always 2: places 0 and 2."""
    reading = Reading(length=3)
    np.testing.assert_allclose(visits(reading, "low"), [[1, 0], [1, 0], [1, 0]])
    np.testing.assert_allclose(visits(reading, "high"), [[0.5, 0.5], [0.5, 0], [0.5, 0.5]])


def test_noisy_visits_by_hand():
    """Two places, a fifth of the steps of 2: the second place is met in four fifths."""
    noisy = visits(Reading(length=2, suboptimal="noisy"), "low")
    np.testing.assert_allclose(noisy, [[0.8, 0.2], [0.64, 0.16]])


def test_the_chain_as_a_process_pays_on_reaching_the_end():
    """Five steps of 2 along ten places: the fifth pays, 0.9^4. Ten steps of 1: 0.9^9."""
    mdp = chain_mdp(DEMO)
    fast, slow = (np.tile(np.eye(2)[action], (11, 1)) for action in (1, 0))
    assert expected_return(mdp, fast) == pytest.approx(0.9**4)
    assert expected_return(mdp, slow) == pytest.approx(0.9**9)
    costly = chain_mdp(Reading(length=2, reward="step"))
    assert expected_return(costly, np.tile([1.0, 0.0], (3, 1))) == pytest.approx(-1.9)


def test_an_update_by_hand():
    """Pair 0 (place 0, one step) twice: each moves 1e-3 of 0 + 0.9 · max(2, 5) - 1 = 3.5."""
    table = np.array([[[1.0, 0.0], [2.0, 5.0], [0.0, 0.0]]])
    update(three_places([0.0] * 6), table, np.array([[0, 0]]))
    assert table[0, 0, 0] == pytest.approx(1.0 + 2 * 1e-3 * 3.5)
    table = np.array([[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]])
    update(three_places([0, 0, 0, 1, 1, 1]), table, np.array([[4]]))
    assert table[0, 2, 0] == pytest.approx(1e-3)


def test_rows_come_from_the_dataset_or_from_what_the_buffer_holds_so_far():
    """Offline rows are 0, online rows 1, and what is not yet written 9: three are written."""
    rows = np.concatenate([np.zeros((2, PHASE)), np.ones((2, 3)), np.full((2, 997), 9)], 1)
    drawn = sample_mixed_rows(
        rows.astype(np.int64), 3, np.array([0.2, 1.0]), 4000, generator(0, "rows")
    )
    assert set(drawn[0].tolist()) == {0, 1}
    assert (drawn[0] == 0).mean() == pytest.approx(0.2, abs=4 * np.sqrt(0.2 * 0.8 / 4000))
    assert set(drawn[1].tolist()) == {0}


def test_greedy_policy_return_and_advantage_by_hand():
    """Ties share. From S: two steps to place 2 (0.9 · 1), or a coin at place 1."""
    table = np.array([[[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]])
    policy = greedy(table)
    np.testing.assert_allclose(policy, [[[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]])
    returns = greedy_return(three_places([0, 0, 0, 1, 1, 1]), policy)
    # place 2: 1; place 1 goes to 2: 0.9; S: half 0.9 · 0.9, half 0.9 · 1
    np.testing.assert_allclose(returns, [0.5 * 0.81 + 0.5 * 0.9])
    # rows: place 2 with one step (2 - 0), place 1 with one step (1 - 1)
    np.testing.assert_allclose(row_advantage(table, policy, np.array([[4, 2]])), [1.0])


def test_runs_side_by_side_must_have_one_shape():
    with pytest.raises(ValueError, match="same length"):
        learn([Run(Reading(length=5), "low", 0.1), Run(DEMO, "low", 0.1)], generator(0, "mixed"))


def test_the_demo_shows_what_it_is_chosen_for():
    """Low data favours 0.1 and R_q agrees; Delta_off rises; high data is solved offline: a tie."""
    (cells,) = run_readings([DEMO], 60, 0, "demo test")
    low, high, rises, *_, ordered, everything = verdict(DEMO, cells)["verdict"]
    assert (low, high, rises, ordered, everything) == (HOLDS, OPEN, HOLDS, HOLDS, OPEN)
    np.testing.assert_allclose(cells["high", 0.1].returns, 0.9**4)


def test_a_claim_needs_two_standard_errors():
    """Means 1 and 0 with variance 1: four seeds give an error of 0.71, twenty-five of 0.28."""
    pattern = np.array([-1.0, 1.0, -1.0, 1.0]) * np.sqrt(3 / 4)
    assert compare(pattern + 1.0, pattern) == OPEN
    many = np.tile(pattern, 7)
    assert compare(many + 1.0, many) == HOLDS
    assert compare(many, many + 1.0) == REVERSED


def cell(returns: float, offline: float, online: list[float]) -> Curves:
    """Three seeds around a return, a constant Delta_off, and Delta_on given for ten points."""
    near = np.array([-0.01, 0.0, 0.01])
    shape = np.ones((10, 3))
    return Curves(shape * (returns + near), offline * shape, np.array(online)[:, None] * shape)


def test_a_hump_has_its_peak_inside_and_comes_down():
    assert rises_then_falls(cell(0, 0, [1, 2, 3, 4, 5, 4, 3, 2, 1, 1]))
    assert not rises_then_falls(cell(0, 0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
    assert not rises_then_falls(cell(0, 0, [9, 9.5, 10, 9.8, 9.7, 9.6, 9.5, 9.4, 9.3, 9.2]))


def test_r_q_is_ordered_like_the_return_only_where_that_is_clear():
    """R_q is Delta_off less Delta_on: 0.3 against 0.1, and the return may prefer either."""
    flat = [0.1] * 10
    first, second = cell(0.6, 0.4, flat), cell(0.5, 0.2, flat)
    same = {("high", 0.1): first, ("high", 0.5): first}
    assert credit_agrees({("low", 0.1): first, ("low", 0.5): second, **same}) == HOLDS
    against = cell(0.7, 0.2, flat)
    assert credit_agrees({("low", 0.1): first, ("low", 0.5): against, **same}) == REVERSED
    assert credit_agrees({("low", 0.1): first, ("low", 0.5): first, **same}) == OPEN


def test_each_claim_is_read_off_its_own_data():
    """Low data: 0.1 is better. High data: 0.5 is better. Exchanged, both are reversed."""
    flat = [0.1] * 10
    better, worse = cell(0.6, 0.4, flat), cell(0.5, 0.2, flat)
    as_printed: Cells = {
        ("low", 0.1): better, ("low", 0.5): worse, ("high", 0.1): worse, ("high", 0.5): better,
    }  # fmt: skip
    exchanged: Cells = {
        ("low", 0.1): worse, ("low", 0.5): better, ("high", 0.1): better, ("high", 0.5): worse,
    }  # fmt: skip
    assert verdict(DEMO, as_printed)["verdict"][:2] == [HOLDS, HOLDS]
    assert verdict(DEMO, exchanged)["verdict"][:2] == [REVERSED, REVERSED]


def test_readings_that_run_side_by_side_do_not_mix():
    """A reward at the goal is never negative, a cost per step always is."""
    goal, costly = run_readings([Reading(length=5), Reading(5, "step")], 2, 0, "side by side")
    assert len(goal) == len(costly) == 4
    assert all((each.scores > 0.0).all() for each in goal.values())
    assert all((each.scores < 0.0).all() for each in costly.values())


def test_rising_throughout_allows_no_dip():
    line = np.arange(20.0)
    assert rises_throughout(line)
    assert not rises_throughout(np.where(line > 15, 8.0, line))
