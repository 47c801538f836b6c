"""Balanced Replay (Lee et al. 2021, arXiv:2107.00591): rows by priority, from both sources at once.

One tree holds a priority for every offline row and every row of the replay buffer.

    before a draw   an online row that is new gets the highest priority so far
    draw            in proportion to priority, by strata, without a correction
    after it        the rows that were drawn get  p = clip(w^(1/T) / E_off[w^(1/T)]);  then
                    w takes a step on uniform rows of both sources (``density_ratio.py``)

Offline rows start at 1. The highest priority starts at p0 = M f / ((1 - f) N), so that the first N
online rows get a share f of all draws among M offline ones.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float
from numpy.typing import NDArray

from road.errors import NumericError
from road.mixing.priorities import Priorities
from road.nn.train_state import TrainState, gradient_step, make_train_state
from road.replay.appraisal import Appraisal, Appraise
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import Stack, rows_apart
from road.replay.sum_tree import SumTree
from road.replay.transitions import unpack
from road.reweighting.density_ratio import DensityRatio, density_loss, make_density_ratio
from road.rng import NumpyStream, Stream, jax_stream
from road.types import Metrics, Spec

Weights: TypeAlias = Callable[
    [NDArray[np.float64], NDArray[np.bool_], Appraisal], NDArray[np.float64]
]
"""From priorities, whether a row is offline, and the agent's view of it."""


class BalancedReplay:
    """The priorities of all rows, and the network that they come from."""

    def __init__(
        self,
        settings: Priorities,
        offline: NDArray[np.float32],
        online: OnlineBuffer,
        seed: int,
        weights: Weights | None = None,
    ) -> None:
        self.offline, self.online = offline, online
        self.weights = weights
        """What priorities become by the agent's view of the rows; None leaves them as they are."""
        self.appraise: Appraise | None = None
        self.density = Density(settings, online.spec)
        self.draws = NumpyStream(seed, Stream.REWEIGHTING)
        self.leaves = self.density.init(seed)
        self.tree = SumTree(len(offline) + len(online.rows))
        self.tree.fill(np.concatenate([np.ones(len(offline)), np.zeros(len(online.rows))]))
        self.highest = settings.first_online(len(offline))
        """What the next online row starts with; it never falls."""
        self.entered = 0
        """Online rows entered into the tree so far, overwritten ones included."""

    def offline_mass(self) -> float:
        """The offline share of all priorities."""
        self.enter()
        offline = float(self.tree.priorities[: len(self.offline)].sum())
        return min(offline / self.tree.total, 1.0)

    def draw(self, updates: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Indices (update, batch): offline rows first, those of the replay buffer after them."""
        self.enter()
        return self.tree.draw(updates, size, rng)

    def enter(self) -> None:
        """Give the online rows that are new the highest priority; what they overwrite is gone."""
        written, places = self.online.written, len(self.online.rows)
        if self.entered < written:
            new = np.arange(max(self.entered, written - places), written) % places
            self.tree.set(len(self.offline) + new, np.full(len(new), self.highest))
            self.entered = written

    def reweight(self, stack: Stack, counter: int) -> dict[str, NDArray[np.float32]]:
        """For every mini-batch of the stack: priorities for its rows by w, then a step of w."""
        assert stack.places is not None  # ``draw`` returned them
        updates, size = stack.places.shape[0], self.density.settings.density_batch
        apart = rows_apart(self.offline, self.online, updates * size, self.draws.at(counter))
        offline, online = (rows.reshape(updates, size, -1) for rows in apart)
        self.leaves, found, metrics = self.density.step(self.leaves, offline, online, stack.rows)
        priorities = np.asarray(found, np.float64)
        if self.weights is not None:
            priorities = self.weighted(self.weights, priorities, stack, counter)
        if not np.isfinite(priorities).all():
            raise NumericError(
                f"a priority of balanced replay is not finite at online step {counter}; the last "
                "good checkpoint is kept. Lower the learning rate of the density network"
            )
        self.tree.set(stack.places.ravel(), priorities.ravel())
        self.highest = max(self.highest, float(priorities.max()))
        return {name: np.asarray(values) for name, values in metrics.items()}

    @property
    def consults(self) -> bool:
        """Whether its weights depend on the agent."""
        return self.weights is not None

    def consult(self, appraise: Appraise) -> None:
        """The agent as it is now, for strategies that ask it."""
        self.appraise = appraise

    def weighted(
        self, weights: Weights, priorities: NDArray[np.float64], stack: Stack, counter: int
    ) -> NDArray[np.float64]:
        """The priorities of a stack, mini-batch by mini-batch, by what the agent says of it."""
        assert stack.places is not None  # ``draw`` returned them
        assert self.appraise is not None  # the training loop is asked to consult
        appraised = [self.appraise(rows, counter) for rows in stack.rows]
        offline = stack.places < len(self.offline)
        return np.stack(
            [weights(*each) for each in zip(priorities, offline, appraised, strict=True)]
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that changes; the sums of the tree follow from its priorities."""
        network = {f"density/{i:04d}": np.asarray(leaf) for i, leaf in enumerate(self.leaves)}
        return {
            "priorities": np.array(self.tree.priorities),
            "highest": np.array(self.highest),
            "entered": np.array(self.entered),
            **network,
        }

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Put back what ``arrays`` gave."""
        self.tree.fill(arrays["priorities"])
        self.highest, self.entered = float(arrays["highest"]), int(arrays["entered"])
        names = sorted(name for name in arrays if name.startswith("density/"))
        self.leaves = [jnp.asarray(arrays[name]) for name in names]


class Density:
    """The density network's functions, compiled; its state is a flat list, as an agent's is."""

    def __init__(self, settings: Priorities, spec: Spec) -> None:
        self.settings, self.spec = settings, spec
        self.optimiser = optax.adam(settings.learning_rate)
        self._tree = jax.tree.structure(self.train_state(0))
        self.step = jax.jit(self._traced_step)

    def train_state(self, seed: int) -> TrainState[DensityRatio]:
        inputs = self.spec.observation_dim + self.spec.action_dim
        key = jax_stream(seed, Stream.REWEIGHTING)
        return make_train_state(
            make_density_ratio(key, inputs, self.settings.hidden), self.optimiser
        )

    def init(self, seed: int) -> list[Array]:
        return jax.tree.leaves(self.train_state(seed))

    def _traced_step(
        self,
        leaves: list[Array],
        offline: Float[Array, "update density width"],
        online: Float[Array, "update density width"],
        drawn: Float[Array, "update batch width"],
    ) -> tuple[list[Array], Float[Array, "update batch"], Metrics]:
        """A step of w for each mini-batch, and the priorities of its rows as w was before it."""

        def one(state: TrainState[DensityRatio], rows: tuple[Array, Array, Array]) -> Any:
            logged, gathered, trained = (unpack(each, self.spec) for each in rows)
            priorities = balanced(state.model(trained), state.model(logged), self.settings)
            after, metrics = gradient_step(
                "density", state, self.optimiser, density_loss, logged, gathered
            )
            return after, (priorities, metrics)

        state = jax.tree.unflatten(self._tree, leaves)
        state, (priorities, metrics) = jax.lax.scan(one, state, (offline, online, drawn))
        return jax.tree.leaves(state), priorities, metrics


def balanced(
    drawn: Float[Array, " batch"], offline: Float[Array, " density"], settings: Priorities
) -> Float[Array, " batch"]:
    """Priorities clip(w^(1/T) / E_off[w^(1/T)]), from log w: logarithms cannot overflow."""
    mean = jax.nn.logsumexp(offline / settings.temperature) - jnp.log(offline.shape[0])
    log_least, log_most = np.log(settings.least), np.log(settings.most)
    return jnp.exp(jnp.clip(drawn / settings.temperature - mean, log_least, log_most))
