import numpy as np
import pytest

from road.mixing import Mixture
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler, offline_count
from road.replay.transitions import row_width
from road.types import Spec

OFFLINE, ONLINE = 1.0, 2.0


def make_sampler(spec: Spec, online_rows: int, enough: int = 1) -> MixedSampler:
    """Every number of a row tells the source it came from."""
    online = OnlineBuffer(spec, 50)
    online.rows.fill(ONLINE)
    online.rows[online_rows:] = np.nan
    online.written = online_rows
    offline = np.full((40, row_width(spec)), OFFLINE, np.float32)
    return MixedSampler(offline, online, enough_online=enough)


def offline_share(rows: np.ndarray) -> np.ndarray:
    return (rows[..., 0] == OFFLINE).mean(axis=-1)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.29, 0.5, 0.9, 1.0])
def test_the_shape_never_depends_on_the_ratio_and_its_mean_is_exact(spec: Spec, ratio: float):
    stack = make_sampler(spec, 30).sample(Mixture(ratio), 400, 16, np.random.default_rng(0))
    assert stack.rows.shape == (400, 16, row_width(spec))
    assert np.isfinite(stack.rows).all(), "a row that was never written was drawn"
    shares = offline_share(stack.rows)
    assert set(np.round(shares * 16).astype(int)) <= {int(ratio * 16), int(ratio * 16) + 1}
    assert shares.mean() == pytest.approx(ratio, abs=0.005)
    assert stack.offline_rows == round(shares.sum() * 16)


def test_every_mini_batch_of_a_stack_has_the_ratio(spec: Spec):
    stack = make_sampler(spec, 30).sample(Mixture(0.5), 20, 16, np.random.default_rng(0))
    np.testing.assert_array_equal(offline_share(stack.rows), 0.5)


def test_rows_are_drawn_evenly(spec: Spec):
    sampler = make_sampler(spec, 30)
    sampler.offline[:, 1] = np.arange(40)
    stack = sampler.sample(Mixture(1.0), 100, 400, np.random.default_rng(0))
    counts = np.bincount(stack.rows[..., 1].astype(int).ravel(), minlength=40)
    assert len(counts) == 40
    np.testing.assert_allclose(counts, 1000, atol=150)


@pytest.mark.parametrize("online_rows", [0, 3])
def test_too_little_online_data_means_offline_rows(spec: Spec, online_rows: int):
    sampler = make_sampler(spec, online_rows, enough=4)
    assert sampler.waiting(Mixture(0.5))
    stack = sampler.sample(Mixture(0.1), 2, 8, np.random.default_rng(0))
    np.testing.assert_array_equal(offline_share(stack.rows), 1.0)
    assert not make_sampler(spec, 4, enough=4).waiting(Mixture(0.5))
    assert make_sampler(spec, 0, enough=0).waiting(Mixture(0.5)), "there is nothing to draw"


def test_one_pool_draws_every_row_evenly_and_ignores_the_ratio(spec: Spec):
    """40 offline and 10 online rows: each of them is one in fifty, batch sizes vary by chance."""
    sampler = make_sampler(spec, 10)
    sampler.offline[:, 1] = np.arange(40)
    sampler.online.rows[:10, 1] = 40 + np.arange(10)
    pool = Mixture(0.1, pooled=True)
    stack = sampler.sample(pool, 100, 500, np.random.default_rng(0))
    counts = np.bincount(stack.rows[..., 1].astype(int).ravel(), minlength=50)
    np.testing.assert_allclose(counts, 1000, atol=150)
    shares = offline_share(stack.rows)
    assert shares.std() == pytest.approx(np.sqrt(0.8 * 0.2 / 500), rel=0.25)
    assert stack.offline_rows == round(shares.sum() * 500)


def test_one_pool_waits_for_online_data_as_well(spec: Spec):
    sampler = make_sampler(spec, 3, enough=4)
    stack = sampler.sample(Mixture(0.1, pooled=True), 2, 8, np.random.default_rng(0))
    np.testing.assert_array_equal(offline_share(stack.rows), 1.0)


def test_rows_held_back_are_not_drawn_though_the_ring_has_gone_round(spec: Spec):
    """Rows 30 to 79 are left of 80, past the seam; the newest twenty, 60 to 79, are held back."""
    sampler = make_sampler(spec, 50)
    sampler.online.rows[:, 1] = [50 + i if i < 30 else i for i in range(50)]
    sampler.online.written = 80
    stack = sampler.sample(Mixture(0.5, held_back=20), 100, 64, np.random.default_rng(0))
    drawn = stack.rows[..., 1][stack.rows[..., 0] == ONLINE]
    assert set(drawn.astype(int)) == set(range(30, 60))
    _, probe = sampler.probe(2000, np.random.default_rng(0), held_back=20)
    assert set(probe[:, 1].astype(int)) == set(range(30, 60))


def test_a_probe_is_of_one_source_each(spec: Spec):
    offline, online = make_sampler(spec, 30).probe(12, np.random.default_rng(0))
    assert (offline == OFFLINE).all()
    assert (online == ONLINE).all()
    assert len(offline) == len(online) == 12


def test_a_stack_is_not_overwritten_by_the_next(spec: Spec):
    """JAX may still be reading it."""
    sampler = make_sampler(spec, 30)
    first = sampler.sample(Mixture(1.0), 1, 8, np.random.default_rng(0)).rows
    sampler.sample(Mixture(0.0), 1, 8, np.random.default_rng(0))
    assert (first == OFFLINE).all()


def test_a_batch_never_has_more_offline_rows_than_rows():
    """The largest number below 1 that is drawn: added to 256, it is rounded up to 257."""
    assert offline_count(1.0, 256, 1.0 - 2.0**-53) == 256
    assert offline_count(0.5, 3, 1.0 - 2.0**-53) == 2
