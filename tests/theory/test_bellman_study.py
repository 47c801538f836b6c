"""Probes on exact problems: they are what ``validated`` trains, and judges say what they should."""

import dataclasses

import numpy as np
import pytest

from road.theory.bellman import all_transitions
from road.theory.mdp import action_values, occupancy, soft_greedy
from road.theory.problems import chain_problem, random_problems
from road.theory.studies.bellman import chain_numbers, check_bound, lean, slippery
from road.theory.studies.credit_quality import RATIOS, WHEN, Trial
from road.theory.studies.probe_judges import (
    EXACT,
    FEW,
    NEW,
    ONE,
    Probes,
    error,
    judge,
    run_probes,
    target_variance,
)

COMMON = "−error, common target"


@pytest.fixture(scope="module")
def runs() -> list[Probes]:
    return run_probes(random_problems(6, 0)[0])


def test_the_probe_at_the_main_learners_ratio_is_the_main_learner(runs: list[Probes]):
    assert [each.when for each in runs] == list(WHEN)
    for each in runs:
        np.testing.assert_allclose(each.values[RATIOS.index(0.5)], each.main.critic)
        assert np.abs(each.values[0] - each.values[-1]).max() > 1e-3


def test_the_exact_values_of_the_new_policy_have_the_return_judges_favour(runs: list[Probes]):
    """One probe is given the values of the main learner's policy: its error is 0."""
    last = runs[-1]
    known = action_values(last.problem.mdp, last.main.policy)
    values = [known, *last.values[1:]]
    trial = judge(Probes(last.problem, last.when, last.main, last.inners, values), EXACT, 0)
    errors = -trial.credits["−error of the return"]
    np.testing.assert_allclose(errors[0], 0.0, atol=1e-20)
    assert (errors[1:] > 1e-6).all()


def test_sampled_errors_are_larger_where_transitions_are_noisy_and_equal_where_not(
    runs: list[Probes],
):
    exact, one, few = (-judge(runs[-1], kind, 0).credits[NEW] for kind in (EXACT, ONE, FEW))
    assert (one > exact + 1e-4).all()
    assert np.abs(few - one).max() > 1e-4
    certain = run_probes(random_problems(3, 0, branching=1)[0])[-1]
    exact, one = (-judge(certain, kind, 0).credits[NEW] for kind in (EXACT, ONE))
    np.testing.assert_allclose(one, exact, atol=1e-10)


def test_from_a_common_target_noise_is_the_same_for_all_probes(runs: list[Probes]):
    """Endless transitions with one next state each: the error grows by one number per problem."""
    exact, one = (-judge(runs[-1], kind, 0).credits[COMMON] for kind in (EXACT, ONE))
    added = one - exact
    np.testing.assert_allclose(added, np.broadcast_to(added[0], added.shape))
    assert (added > 1e-4).all()


def test_over_its_variance_an_error_has_no_unit():
    """Rewards and values times three: nine times the error, and the same share of the variance."""
    problem, _ = random_problems(3, 0)
    mdp, q = problem.mdp, problem.pretrain()
    thrice = dataclasses.replace(mdp, reward=3.0 * mdp.reward)
    visits = occupancy(mdp, soft_greedy(q, 10.0))
    for rows in (visits, all_transitions(mdp, visits)):
        one, other = (
            (error(world, values, rows), target_variance(world, values, rows))
            for world, values in ((mdp, q), (thrice, 3.0 * q))
        )
        np.testing.assert_allclose(other[0], 9.0 * one[0])
        np.testing.assert_allclose(other[0] / other[1], one[0] / one[1])
        assert (one[1] > 1e-3).all()


def test_lean_by_hand():
    """On the first problem J is greatest at the last ratio, on the second at the first."""
    arms = np.arange(len(RATIOS), dtype=float)
    returns = np.stack([arms, -arms], -1)
    credits = {"low": np.stack([-arms, -arms], -1), "right": returns}
    found = lean([Trial(credits, returns, returns)])
    assert found["low"]["mean"] == pytest.approx((0.1 - 0.9) / 2)
    assert found["right"]["mean"] == 0.0


def test_actions_of_the_slippery_chain_change_places():
    plain = chain_problem()
    assert np.array_equal(slippery(plain, 0.0).mdp.transition, plain.mdp.transition)
    swapped = slippery(plain, 1.0).mdp
    np.testing.assert_allclose(swapped.transition, plain.mdp.transition[..., ::-1, :])
    np.testing.assert_allclose(swapped.reward, plain.mdp.reward[..., ::-1])
    half = slippery(plain, 0.2).mdp.transition
    np.testing.assert_allclose(half[0, 0, 0, :4], [0.0, 0.8, 0.2, 0.0])


def test_the_bound_is_checked_on_every_probe_of_every_problem(runs: list[Probes]):
    found = check_bound(runs[-1])
    assert found["holds"] == 1.0
    assert found["median_bound"] > found["median_loss"] > 0.0
    assert len(found["points"]["lost"]) == 6


def test_on_the_chain_errors_prefer_less_good_data_than_the_return_does():
    """The lean, in the paper's own example with high-quality data."""
    good = chain_numbers(run_probes(chain_problem())[-1], 0)["high"]
    assert np.argmax(good["returns"]) == len(RATIOS) - 1
    assert np.argmin(good["errors"]) < len(RATIOS) // 2
