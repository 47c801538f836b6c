import pytest

from road.tasks import ScoreReference


def test_a_score_by_hand() -> None:
    """A quarter of the way from -1200 to -200 is -950."""
    assert ScoreReference(-1200.0, -200.0).normalise(-950.0) == 25.0


def test_scores_beyond_the_references_are_not_cut() -> None:
    reference = ScoreReference(0.0, 2.0)
    assert reference.normalise(-1.0) == -50.0
    assert reference.normalise(3.0) == 150.0


def test_references_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"minimum 1\.0 must lie below maximum 1\.0"):
        ScoreReference(1.0, 1.0)
