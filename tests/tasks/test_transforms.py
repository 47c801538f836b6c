import numpy as np

from road.tasks import Affine


def test_scale_comes_before_shift() -> None:
    assert Affine(scale=10.0, shift=-5.0)(0.5) == 0.0


def test_an_array_is_transformed_in_its_own_precision() -> None:
    reward = np.array([0.0, 1.0], np.float32)
    transformed = Affine(shift=-1.0)(reward)
    assert transformed.dtype == np.float32
    assert transformed.tolist() == [-1.0, 0.0]


def test_the_default_changes_nothing() -> None:
    assert Affine()(-3.25) == -3.25
