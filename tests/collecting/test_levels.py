"""Which policies of a learner make the ladder, by hand."""

import pytest

from road.collecting.milestones import Milestone, find_expert, find_medium
from road.collecting.request import level_seed, parse_levels, parts_of
from road.errors import UsageError

WAY = [Milestone(100, -8.0), Milestone(200, -4.0), Milestone(300, -6.0), Milestone(400, 2.0)]
"""With random at -10: the expert gains 12, so that medium begins at -10 + 4 = -6."""


def test_medium_is_the_first_that_makes_a_third_of_the_gain() -> None:
    assert find_expert(WAY, -10.0, 400) == WAY[3]
    assert find_medium(WAY, -10.0, WAY[3].mean_return) == WAY[1]


def test_exactly_a_third_is_enough() -> None:
    assert find_medium([WAY[0], WAY[2], WAY[1]], -10.0, 2.0) == WAY[2]


def test_the_expert_is_the_last_policy_and_not_the_best() -> None:
    assert find_expert(WAY[:3], -10.0, 300) == WAY[2]


def test_nothing_learnt_is_said_with_its_numbers() -> None:
    with pytest.raises(UsageError, match=r"after 100 steps SAC returns -8 where random .* -8"):
        find_expert(WAY[:1], -8.0, 100)
    with pytest.raises(UsageError, match=r"best return is -4 where 3\.333 is asked"):
        find_medium(WAY[:3], -10.0, 30.0)


def test_halves_are_made_of_parts_that_are_made_once() -> None:
    assert parts_of(("medium-expert", "expert", "random")) == ("medium", "expert", "random")


def test_levels_are_read_and_unknown_ones_named() -> None:
    assert parse_levels("expert, random,expert") == ("expert", "random")
    with pytest.raises(UsageError, match="unknown level 'expret'; known: random"):
        parse_levels("expret")
    with pytest.raises(UsageError, match="names none"):
        parse_levels(" ,")


def test_every_level_has_seeds_of_its_own() -> None:
    seeds = {level_seed(seed, level) for seed in (0, 1) for level in ("random", "medium", "play")}
    assert len(seeds) == 6
