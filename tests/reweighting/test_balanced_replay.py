"""Balanced replay as the sampler sees it: who enters with what, who is drawn, what is learnt."""

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from road.errors import NumericError
from road.mixing import BalancedMixer, Context, Mixture, Priorities
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler, Stack, rows_apart
from road.replay.transitions import row_width, unpack
from road.reweighting.balanced_replay import BalancedReplay, balanced
from road.types import Spec

SMALL = Priorities(hidden=(16, 16), density_batch=32, initial_rows=10)
MIXTURE = Mixture(1.0, priorities=SMALL)
LOGGED = 40


def make(
    spec: Spec, settings: Priorities = SMALL, capacity: int = 50
) -> tuple[MixedSampler, BalancedReplay]:
    """Offline rows around -1, numbered 0 to 39 by their reward; an empty ring."""
    rng = np.random.default_rng(0)
    offline = rng.normal(-1.0, 0.5, (LOGGED, row_width(spec))).astype(np.float32)
    offline[:, -3] = np.arange(LOGGED)
    online = OnlineBuffer(spec, capacity)
    replay = BalancedReplay(settings, offline, online, seed=0)
    return MixedSampler(offline, online, 1, replay), replay


def add(sampler: MixedSampler, count: int) -> None:
    """Online rows around +1, numbered on from 1000 by their reward."""
    spec, rng = sampler.online.spec, np.random.default_rng(1)
    for _ in range(count):
        number = 1000.0 + sampler.online.written
        state, after = rng.normal(1.0, 0.5, (2, spec.observation_dim)).astype(np.float32)
        action = rng.normal(1.0, 0.5, spec.action_dim).astype(np.float32)
        sampler.online.append(state, action, number, after, terminated=False)


def trained(sampler: MixedSampler, steps: int, updates: int = 1, size: int = 16) -> list[Stack]:
    stacks = list[Stack]()
    for step in range(steps):
        stack = sampler.sample(MIXTURE, updates, size, np.random.default_rng([7, step]))
        sampler.reweight(stack, step)
        stacks.append(stack)
    return stacks


def numbers(stack: Stack, spec: Spec) -> NDArray[np.float32]:
    return unpack(stack.rows, spec).reward


def test_the_first_online_rows_get_their_share_of_the_draws(spec: Spec):
    """p0 = 40 · 0.75 / (0.25 · 10) = 12, so that ten online rows weigh three times all offline."""
    sampler, replay = make(spec, Priorities(hidden=(8,), initial_mass=0.75, initial_rows=10))
    assert replay.highest == 12.0
    assert sampler.offline_mass() == 1.0
    add(sampler, 10)
    assert sampler.offline_mass() == 0.25
    assert Priorities(initial_mass=0.75, initial_rows=10).offline_mass(10) == 0.25
    stack = sampler.sample(MIXTURE, 100, 64, np.random.default_rng(0))
    assert stack.offline_rows == 1600, "strata leave nothing of it to chance"


def test_a_stack_knows_where_its_rows_are_kept(spec: Spec):
    sampler, _ = make(spec)
    add(sampler, 30)
    stack = sampler.sample(MIXTURE, 5, 64, np.random.default_rng(0))
    assert stack.places is not None and stack.places.shape == (5, 64)
    offline = stack.places < LOGGED
    assert stack.offline_rows == offline.sum() > 0
    number = numbers(stack, spec)
    np.testing.assert_array_equal(number[offline], stack.places[offline])
    np.testing.assert_array_equal(number[~offline], 1000 + stack.places[~offline] - LOGGED)


def test_a_row_that_overwrites_another_takes_its_place_with_the_highest_priority(spec: Spec):
    sampler, replay = make(spec, capacity=8)
    add(sampler, 8)
    trained(sampler, 20)
    assert (replay.tree.priorities[LOGGED:] < replay.highest).all(), "all of them were drawn"
    add(sampler, 3)
    assert sampler.offline_mass() < 1.0  # asking lets them in
    priorities = replay.tree.priorities[LOGGED:]
    np.testing.assert_array_equal(priorities[:3], replay.highest)
    assert (priorities[3:] < replay.highest).all()
    add(sampler, 30)
    sampler.sample(MIXTURE, 1, 4, np.random.default_rng(0))
    np.testing.assert_array_equal(replay.tree.priorities[LOGGED:], replay.highest)


def test_places_of_the_ring_that_were_never_written_are_never_drawn(spec: Spec):
    sampler, _ = make(spec)
    sampler.online.rows.fill(np.nan)
    add(sampler, 3)
    stack = sampler.sample(MIXTURE, 50, 64, np.random.default_rng(0))
    assert np.isfinite(stack.rows[..., :-1]).all()


def test_the_highest_priority_never_falls(spec: Spec):
    sampler, replay = make(spec, Priorities(hidden=(16, 16), initial_mass=0.1, learning_rate=0.01))
    add(sampler, 30)
    seen = [replay.highest]
    for _ in range(5):
        trained(sampler, 20)
        seen.append(replay.highest)
    assert seen == sorted(seen)
    assert seen[-1] > 1.0 > seen[0], "w has come to prefer online rows"


def test_offline_rows_that_look_like_online_ones_are_drawn_more(spec: Spec):
    """Ten of the forty offline rows are moved to where the online ones are."""
    settings = Priorities(hidden=(32, 32), density_batch=64, learning_rate=3e-3, initial_rows=10)
    sampler, replay = make(spec, settings)
    sampler.offline[:10, :-3] += 2.0
    add(sampler, 40)
    trained(sampler, 300)
    priorities = replay.tree.priorities
    assert priorities[:10].mean() > 1.5 * priorities[10:LOGGED].mean()
    assert sampler.offline_mass() == pytest.approx(
        priorities[:LOGGED].sum() / priorities.sum(), rel=1e-9
    )


def test_the_return_to_go_travels_with_the_row(spec: Spec):
    """Unknown while the episode runs; known of every drawn row once it has ended."""
    sampler, _ = make(spec)
    add(sampler, 5)
    unknown = sampler.sample(MIXTURE, 4, 32, np.random.default_rng(0))
    assert unknown.places is not None
    returns = unpack(unknown.rows, spec).return_to_go
    assert (returns[unknown.places >= LOGGED] == -np.inf).all()
    sampler.online.end_episode(discount=1.0)
    known = sampler.sample(MIXTURE, 4, 32, np.random.default_rng(0))
    assert known.places is not None
    expected = np.concatenate([sampler.offline[:, -1], np.cumsum(np.arange(1004, 999, -1))[::-1]])
    np.testing.assert_array_equal(unpack(known.rows, spec).return_to_go, expected[known.places])


def test_a_stack_trains_the_network_once_for_each_mini_batch(spec: Spec):
    sampler, replay = make(spec)
    add(sampler, 30)
    stack = sampler.sample(MIXTURE, 20, 8, np.random.default_rng(0))
    metrics = sampler.reweight(stack, 0)
    assert {name: len(each) for name, each in metrics.items()} == {
        "density/loss": 20,
        "density/gradient_norm": 20,
    }
    count = [leaf for leaf in replay.leaves if leaf.dtype == np.int32]
    assert [int(each) for each in count] == [20], "Adam's own count"


def test_what_was_saved_goes_on_the_same(spec: Spec):
    sampler, replay = make(spec, capacity=20)
    add(sampler, 30)
    trained(sampler, 10)
    add(sampler, 5)  # not entered yet
    other, again = make(spec, capacity=20)
    other.online.restore(sampler.online.filled(), sampler.online.written, sampler.online.running)
    again.restore({name: array.copy() for name, array in replay.arrays().items()})
    for one, two in zip(
        trained(sampler, 10, updates=3), trained(other, 10, updates=3), strict=True
    ):
        np.testing.assert_array_equal(one.rows, two.rows)
    kept = again.arrays()
    for name, array in replay.arrays().items():
        assert array.tobytes() == kept[name].tobytes(), name


def test_until_there_is_enough_online_data_rows_are_offline_and_uniform(spec: Spec):
    sampler, replay = make(spec)
    waiting = MixedSampler(sampler.offline, sampler.online, 4, replay)
    add(waiting, 3)
    before = replay.arrays()
    stack = waiting.sample(MIXTURE, 200, 40, np.random.default_rng(0))
    assert stack.offline_rows == 8000 and stack.places is None
    counts = np.bincount(numbers(stack, spec).astype(int).ravel(), minlength=LOGGED)
    np.testing.assert_allclose(counts, 200, atol=60)
    assert waiting.reweight(stack, 0) == {}
    for name, array in replay.arrays().items():
        np.testing.assert_array_equal(array, before[name])


def test_priorities_are_those_of_the_network_before_its_step(spec: Spec):
    """A step of 0.5 would move them far; it is taken on other rows at every step of the loop."""
    settings = Priorities(hidden=(8,), density_batch=16, learning_rate=0.5)
    after = list[list[NDArray[np.float32]]]()
    for counter in (3, 3, 4):
        sampler, replay = make(spec, settings)
        add(sampler, 30)
        model = replay.density.train_state(0).model
        stack = sampler.sample(MIXTURE, 1, 8, np.random.default_rng(0))
        offline, _ = rows_apart(replay.offline, replay.online, 16, replay.draws.at(counter))
        sampler.reweight(stack, counter)
        drawn, logged = (
            model(unpack(jnp.asarray(each), spec)) for each in (stack.rows[0], offline)
        )
        assert stack.places is not None
        found = replay.tree.priorities[stack.places[0]]
        np.testing.assert_allclose(found, balanced(drawn, logged, settings), rtol=1e-5)
        after.append([np.asarray(leaf) for leaf in replay.leaves])
    first, same, other = after
    assert all(map(np.array_equal, first, same))
    assert not all(map(np.array_equal, first, other))


def test_a_ratio_asks_no_weights_and_changes_none(spec: Spec):
    sampler, replay = make(spec)
    add(sampler, 10)
    stack = sampler.sample(Mixture(0.5), 2, 8, np.random.default_rng(0))
    assert stack.places is None and stack.offline_rows == 8
    assert sampler.reweight(stack, 0) == {}
    assert replay.entered == 0


def test_priorities_without_anybody_who_weighs_are_refused(spec: Spec):
    sampler, _ = make(spec)
    add(sampler, 5)
    bare = MixedSampler(sampler.offline, sampler.online, 1)
    assert bare.offline_mass() is None
    with pytest.raises(ValueError, match="needs a sampler with a row weighting"):
        bare.sample(MIXTURE, 1, 4, np.random.default_rng(0))


def test_a_network_that_diverges_stops_the_run_by_name(spec: Spec):
    sampler, _ = make(spec, Priorities(hidden=(16, 16), learning_rate=1e30))
    add(sampler, 10)
    with pytest.raises(NumericError, match="priority of balanced replay is not finite at online"):
        trained(sampler, 10)


def test_the_mixer_expects_what_the_mass_says_or_what_it_was_at_first():
    """f = 0.5 and N = 1000: as many draws are offline as online when 1,000 rows are in."""
    mixer = BalancedMixer()
    state = mixer.init(0)
    assert mixer.propose(state, Context(0.1, 5_000, 1_000)).offline_ratio == 0.5
    assert mixer.propose(state, Context(0.1, 5_000, 3_000)).offline_ratio == 0.25
    assert mixer.propose(state, Context(0.1, 5_000, 1_000, offline_mass=0.8)).offline_ratio == 0.8
    assert mixer.propose(state, Context()).offline_ratio == 1.0
    assert mixer.propose(state, Context()).mixture.priorities == mixer


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"temperature": 0.0}, "temperature must be more than 0, got 0.0"),
        ({"least": 0.0}, "least must be more than 0, got 0.0"),
        ({"least": 2.0, "most": 1.0}, "most must be 2.0 \\(least\\) or more, got 1.0"),
        ({"initial_mass": 1.0}, "initial_mass \\(f\\) must lie between 0 and 1, got 1.0"),
        ({"initial_rows": 0}, "initial_rows must be 1 or more, got 0"),
        ({"density_batch": 0}, "density_batch must be 1 or more, got 0"),
        ({"hidden": ()}, "hidden must be widths of 1 or more"),
        ({"learning_rate": float("nan")}, "learning_rate must be more than 0, got nan"),
    ],
)
def test_settings_that_cannot_be_are_refused(setting: dict[str, float], said: str):
    with pytest.raises(ValueError, match=said):
        BalancedMixer(**setting)


def test_priorities_do_not_go_with_a_pool_or_with_rows_held_back():
    for other in ({"pooled": True}, {"held_back": 5}):
        with pytest.raises(ValueError, match="neither pooled nor holds transitions back"):
            Mixture(0.5, priorities=SMALL, **other)
