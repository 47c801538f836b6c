"""What is compiled once serves every run of the process."""

import jax
import numpy as np

from road.agents.iql import IQL
from road.replay.transitions import row_width
from road.training.compiled import compile_agent
from road.types import Spec


def test_an_equal_agent_has_its_engine_already_and_another_has_its_own(spec: Spec):
    engine = compile_agent(IQL(hidden=(8,)), spec)
    assert compile_agent(IQL(hidden=(8,)), spec) is engine
    assert compile_agent(IQL(hidden=(9,)), spec) is not engine
    assert compile_agent(IQL(hidden=(8,)), Spec(5, 3)) is not engine


def test_an_engine_that_served_before_gives_a_new_run_the_bits_of_a_first_one(spec: Spec):
    engine, key = compile_agent(IQL(hidden=(8,)), spec), jax.random.key(3)
    rows = np.random.default_rng(0).normal(size=(2, 4, row_width(spec))).astype(np.float32)
    results = [engine.update(engine.init(key), rows, key, 7) for _ in range(2)]
    (first, before), (second, after) = results
    assert all((a == b).all() for a, b in zip(first, second, strict=True))
    assert (before.table == after.table).all()
    assert engine.compilations["update"] == 1


class Listed(IQL):
    """As an agent with a list among its settings."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def test_an_agent_that_cannot_be_hashed_has_an_engine_too(spec: Spec):
    agent = Listed(hidden=(8,))
    assert compile_agent(agent, spec).agent is agent
