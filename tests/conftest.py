"""Settings that every test runs under, and the fixtures that several packages share."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

from road.nn.networks import MLP, Critic, Linear
from road.training.compiled import remembered
from road.types import Batch, Spec, Transition

# (B,) - (B, 1) = (B, B) is this field's classic bug: make it an error.
jax.config.update("jax_numpy_rank_promotion", "raise")

# Most of the time of small tests is compilation; keep it between sessions.
COMPILED = Path(__file__).parent.parent / ".pytest_cache" / "compiled"
jax.config.update("jax_compilation_cache_dir", str(COMPILED))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


FASTER_COMPILING = {
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "XLA_FLAGS": "--xla_cpu_use_fusion_emitters=false",
}
"""Compiles a small network in a fifth of the time, to code that is slower where it is large."""


def pytest_configure(config: pytest.Config) -> None:
    """Before JAX compiles anything, here and in the processes that tests start.

    The slow tests train for minutes, with the code that users run.
    """
    if config.option.markexpr != "slow":
        for name, value in FASTER_COMPILING.items():
            os.environ.setdefault(name, value)
        jax.config.update("jax_disable_most_optimizations", True)


LONGEST = ("training", "experiments", "reweighting", "contracts", "agents", "collecting", "docs")
"""Folders whose files take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first: where each process takes whole files, one of them would end alone."""
    items.sort(key=lambda item: item.path.parent.name not in LONGEST)


def pytest_collection_finish() -> None:
    """Modules and tests stay: without them, a garbage collection takes a few milliseconds."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Datasets are made once per session; processes that are started share our compiled code."""
    folder = tmp_path_factory.mktemp("data")
    COMPILED.mkdir(parents=True, exist_ok=True)
    (folder / "compiled").symlink_to(COMPILED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROAD_DATA_DIR", str(folder))
        yield folder


@pytest.fixture(scope="module", autouse=True)
def forgotten_code() -> Iterator[None]:
    """What one file compiled serves no other; kept, its objects slow every garbage collection."""
    yield
    remembered.cache_clear()
    jax.clear_caches()
    gc.collect()


@pytest.fixture
def spec() -> Spec:
    return Spec(observation_dim=5, action_dim=2)


@pytest.fixture
def key() -> jax.Array:
    return jax.random.key(7)


@pytest.fixture
def batch(spec: Spec) -> Batch:
    """A stack of two mini-batches of eight rows, two of them terminal."""
    return make_batch(spec, updates=2, size=8)


def make_batch(spec: Spec, updates: int, size: int, seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    shape = (updates, size)

    def numbers(*more: int) -> jax.Array:
        return jax.numpy.asarray(rng.normal(size=(*shape, *more)), jax.numpy.float32)

    terminated = np.zeros(shape, np.float32)
    terminated[:, :2] = 1.0
    return Transition(
        observation=numbers(spec.observation_dim),
        action=jax.numpy.tanh(numbers(spec.action_dim)),
        reward=numbers(),
        next_observation=numbers(spec.observation_dim),
        terminated=jax.numpy.asarray(terminated),
        return_to_go=numbers(),
    )


def numbered_critic(members: int) -> Critic:
    """Its members say their own numbers, whatever they are asked."""
    each = [
        MLP((Linear(jax.numpy.zeros((2, 1)), jax.numpy.full(1, float(number))),))
        for number in range(members)
    ]
    return Critic(jax.tree.map(lambda *weights: jax.numpy.stack(weights), *each))


def members_of(critic: Critic) -> list[float]:
    return critic(jax.numpy.ones((1, 1)), jax.numpy.ones((1, 1)))[:, 0].tolist()
