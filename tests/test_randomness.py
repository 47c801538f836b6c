import jax
import numpy as np

from road.rng import NumpyStream, Stream, jax_stream


def test_a_draw_depends_on_seed_stream_and_counter_alone():
    stream = NumpyStream(3, Stream.SAMPLING_ONLINE)
    first = stream.at(5).random(1000)
    stream.at(6).random(7)
    np.testing.assert_array_equal(stream.at(5).random(1000), first)
    np.testing.assert_array_equal(NumpyStream(3, Stream.SAMPLING_ONLINE).at(5).random(1000), first)


def test_different_counters_parts_streams_and_seeds_give_different_draws():
    draws = [
        NumpyStream(seed, stream).at(counter, part).random(4).tobytes()
        for seed in (0, 1)
        for stream in Stream
        for counter in (0, 1, 10**6)
        for part in (0, 1)
    ]
    assert len(set(draws)) == len(draws)


def test_half_used_words_of_one_draw_do_not_leak_into_the_next():
    stream = NumpyStream(0, Stream.RESETTING)
    clean = stream.at(1).integers(2**31, dtype=np.uint32)
    stream.at(0).integers(2**31, dtype=np.uint32)
    assert stream.at(1).integers(2**31, dtype=np.uint32) == clean


def test_jax_streams_differ():
    keys = {
        tuple(np.asarray(jax.random.key_data(jax_stream(seed, stream))))
        for seed in (0, 1)
        for stream in Stream
    }
    assert len(keys) == 2 * len(Stream)
