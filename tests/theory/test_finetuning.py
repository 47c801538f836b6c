"""Algorithm 1 and its choosers."""

import numpy as np
import pytest

from road.mixing import FixedMixer, RoadMixer, UniformMixer
from road.theory.credits import surrogate_credit
from road.theory.finetuning import (
    ARMS,
    ByMixer,
    ByRule,
    Chooser,
    Iteration,
    Round,
    choose_best_credit,
    choose_best_ratio,
    choose_pairs,
    choose_shares,
    finetune,
)
from road.theory.mdp import StateAction, expected_return, optimal_return
from road.theory.problems import Problem, chain_problem, random_problems

PROBLEM, QUALITY = random_problems(6, seed=0)


def rounds(chooser: Chooser, iterations: int = 4, problem: Problem = PROBLEM) -> list[Iteration]:
    return list(finetune(problem, chooser, iterations))


def test_the_sources_are_the_offline_data_and_one_batch_per_iteration():
    last = rounds(ByMixer(FixedMixer(0.5)))[-1].now
    assert last.sources.shape == (6, 5, 10, 3)
    np.testing.assert_allclose(last.offline, PROBLEM.offline)
    np.testing.assert_allclose(last.online, last.sources[:, 1:].mean(1))
    np.testing.assert_allclose(last.sources.sum((-1, -2)), 1.0)


def test_all_offline_data_changes_nothing_once_pretraining_has_settled():
    values = PROBLEM.pretrain(200)
    after = PROBLEM.inner(values).fit(PROBLEM.offline).values
    settled = np.abs(after - values).max((-1, -2)) < 1e-6
    assert settled.mean() > 0.5


def test_the_exact_ratio_has_no_regret_and_others_have():
    exact = rounds(ByRule(choose_best_ratio))
    assert all(np.allclose(each.reached, each.possible) for each in exact)
    fixed = rounds(ByMixer(FixedMixer(0.9)))
    assert all((each.possible - each.reached > -1e-3).all() for each in fixed)
    assert sum((each.possible - each.reached).sum() for each in fixed) > 0.1


def test_a_mixer_of_the_library_chooses_for_every_problem():
    """ROAD tries its arms in order, so its first three rounds are known."""
    for arm, each in zip(ARMS, rounds(ByMixer(RoadMixer(ARMS)), 3), strict=False):
        np.testing.assert_allclose(each.reached, returns(each.now, each.now.mix(arm)))


def test_problems_draw_their_ratios_apart():
    chooser = ByMixer(UniformMixer(ARMS))
    now = rounds(chooser, 1)[0].now
    assert len({each.offline_ratio for each in chooser.decisions(chooser.init(6), now)}) > 1


def returns(now: Round, distribution: StateAction) -> np.ndarray:
    outcome = now.outcome(distribution)
    return expected_return(outcome.mdp, outcome.policy)


def test_a_bandit_that_sees_the_true_return_is_credited_with_it():
    chooser = ByMixer(RoadMixer(ARMS), credited_with_return=True)
    first = rounds(chooser, 1)[0]
    state = chooser.init(6)
    now = first.now
    after = chooser.observe(state, now, now.outcome(chooser.propose(state, now)))
    means = [each.arms.means[0] for each in chooser.decisions(after, now)]
    np.testing.assert_allclose(means, first.reached)


def test_knowing_more_never_hurts_within_a_round():
    now = rounds(ByMixer(UniformMixer(ARMS)), 3)[-1].now

    best, pairs = (returns(now, rule(now)) for rule in (choose_best_ratio, choose_pairs))
    assert (best >= returns(now, choose_best_credit(now)) - 1e-12).all()
    assert pairs.mean() > best.mean()
    assert returns(now, choose_shares(now, 40)).mean() > best.mean() - 0.01


def test_the_arm_of_best_credit_is_the_one_that_r_q_prefers():
    now = rounds(ByMixer(FixedMixer(0.5)), 2)[-1].now
    credits = np.stack([surrogate_credit(now.outcome(now.mix(arm)), 1.0) for arm in ARMS])
    chosen = choose_best_credit(now)
    np.testing.assert_allclose(chosen, now.mix(np.array(ARMS)[credits.argmax(0)]))
    assert len(set(credits.argmax(0).tolist())) > 1


def test_random_problems_take_the_qualities_in_turn():
    assert QUALITY == ["poor", "mixed", "good"] * 2
    assert (optimal_return(PROBLEM.mdp) > rounds(ByRule(choose_best_ratio), 1)[0].reached).all()


def test_one_of_a_stack_is_that_problem():
    alone = rounds(ByMixer(FixedMixer(0.3)), 2, PROBLEM.select(4))
    together = rounds(ByMixer(FixedMixer(0.3)), 2)
    np.testing.assert_allclose(alone[-1].reached[0], together[-1].reached[4])


def test_on_the_chain_low_quality_data_alone_is_useless():
    """Always a step of 1 needs ten steps: 0.9^9. The best policy needs five: 0.9^4."""
    problem = chain_problem()
    np.testing.assert_allclose(optimal_return(problem.mdp), 0.9**4)
    stuck = rounds(ByMixer(FixedMixer(1.0)), 3, problem)[-1].reached
    assert stuck[0] == pytest.approx(0.9**9, abs=1e-3)
    assert rounds(ByMixer(FixedMixer(0.1)), 6, problem)[-1].reached[0] > 0.58
