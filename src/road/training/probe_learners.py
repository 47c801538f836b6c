"""Probe learners: critics trained beside the main learner, with the policy that it has learnt.

A probe differs from the main learner in the data that its critics see. What belongs to the policy
is borrowed from the main learner in every update, and its own result is dropped, so that XLA never
computes it. New transitions are scored for all probes in one call (``training/scoring.py``), as
many at a time as were made since the probes last trained.
"""

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import NDArray

from road.errors import NumericError, UsageError
from road.mixing import Mixture
from road.mixing.probe_errors import ProbeTraining
from road.nn.packing import packing_of
from road.replay.sampler import MixedSampler
from road.replay.transitions import unpack
from road.rng import NumpyStream
from road.training.compiled import REMEMBERED, CompiledAgent, Leaves, Metrics
from road.training.learner import Learner
from road.training.scoring import Scored
from road.types import Batch

POLICY = ("actor", "offline_actor", "slow_actor", "log_alpha", "updates")
"""Fields of an agent's state that belong to its policy."""


class CompiledProbes:
    """The compiled functions of all probes of a run; they share one agent and its shapes."""

    def __init__(self, compiled: CompiledAgent, *, own_actor: bool) -> None:
        self.compiled = compiled
        state = compiled.agent.init(jax.random.key(0), compiled.spec)
        if not dataclasses.is_dataclass(state) or not hasattr(state, "critic"):
            raise UsageError(
                f"agent {type(compiled.agent).__name__}: probe learners need a state that is an "
                "eqx.Module with its critic in the field critic; see docs/guides/add-an-agent.md"
            )
        borrowed = () if own_actor else POLICY
        names = (field.name for field in dataclasses.fields(state))
        self.owned = tuple(name for name in names if name not in borrowed)
        owned = self.part_of(state)
        self._tree, self._packing = jax.tree.structure(owned), packing_of(jax.tree.leaves(owned))
        self._metric_names: tuple[str, ...] = ()
        self._update = jax.jit(self._traced_update)
        self._scores = jax.jit(self._traced_scores)
        self._start = jax.jit(lambda main: self.packed(self.compiled.tree(main)))

    def start(self, main: Leaves) -> Leaves:
        """A probe that knows what the main learner knows."""
        return self._start(main)

    def update(
        self,
        probe: Leaves,
        main: Leaves,
        rows: NDArray[np.float32],
        key: PRNGKeyArray,
        counter: int,
    ) -> tuple[Leaves, Metrics]:
        """Train a probe on a stack of packed rows (update, batch, width)."""
        probe, table = self._update(probe, main, rows, key, np.uint32(counter))
        return probe, Metrics(self._metric_names, np.asarray(table))

    def scores(
        self,
        probes: list[Leaves],
        main: Leaves,
        rows: NDArray[np.float32],
        key: PRNGKeyArray,
        counter: int,
    ) -> NDArray[np.float64]:
        """Q, its variance over the ensemble and its target: (probe, 3, row) of packed rows."""
        scores = self._scores(probes, main, rows, key, np.uint32(counter))
        return np.asarray(scores, np.float64)

    def part_of(self, state: Any) -> dict[str, Any]:
        return {name: getattr(state, name) for name in self.owned}

    def packed(self, state: Any) -> Leaves:
        return self._packing.pack(jax.tree.leaves(self.part_of(state)))

    def whole(self, probe: Leaves, main: Leaves) -> Any:
        """The probe's state, with the main learner's policy."""
        owned = jax.tree.unflatten(self._tree, self._packing.unpack(probe))
        return dataclasses.replace(self.compiled.tree(main), **owned)

    def _traced_update(
        self, probe: Leaves, main: Leaves, rows: Array, key: PRNGKeyArray, counter: Array
    ) -> Any:
        state, metrics = self.compiled.agent.update(
            self.whole(probe, main),
            unpack(rows, self.compiled.spec),
            jax.random.fold_in(key, counter),
        )
        # A metric of the policy would make XLA compute its update.
        owned = {name: each for name, each in metrics.items() if name.split("/")[0] in self.owned}
        self._metric_names = tuple(owned or metrics)
        return self.packed(state), jnp.stack([metrics[n] for n in self._metric_names], axis=-1)

    def _traced_scores(
        self, probes: list[Leaves], main: Leaves, rows: Array, key: PRNGKeyArray, counter: Array
    ) -> Float[Array, "probe 3 row"]:
        batch, key = unpack(rows, self.compiled.spec), jax.random.fold_in(key, counter)
        return jnp.stack([self.score(self.whole(probe, main), batch, key) for probe in probes])

    def score(self, state: Any, batch: Batch, key: PRNGKeyArray) -> Float[Array, "3 row"]:
        q = state.critic.model(batch.observation, batch.action)
        target = self.compiled.agent.target(state, batch, key)
        return jnp.stack([q.mean(axis=0), q.var(axis=0), target])


def check_scores(table: NDArray[np.float64], now: int) -> None:
    """Refuse to judge by numbers that are not finite."""
    if np.isfinite(table).all():
        return
    probe, part, _ = np.argwhere(~np.isfinite(table))[0].tolist()
    what = ("Q", "the spread of Q", "the target")[part]
    raise NumericError(
        f"{what} of probe learner {probe + 1} is not finite on a new "
        f"transition at online step {now + 1}; the last good checkpoint is kept. "
        "Lower the learning rate or the reward scale"
    )


@lru_cache(REMEMBERED)
def compile_probes(compiled: CompiledAgent, *, own_actor: bool) -> CompiledProbes:
    """The functions of an agent's probes; those used before are compiled already."""
    return CompiledProbes(compiled, own_actor=own_actor)


@dataclass(frozen=True)
class ProbeScorer:
    """Scores all probes on new transitions: stored already, but no probe has trained on them."""

    probes: CompiledProbes
    sampler: MixedSampler
    key: PRNGKeyArray
    warmup_steps: int
    training: ProbeTraining
    """Every update of the probes is preceded by scoring."""
    draws: NumpyStream
    """Picks the transitions of a control that judges on earlier ones."""

    def score(
        self, learners: tuple[Learner, ...], mixture: Mixture, now: int, *, ended: bool
    ) -> None:
        """Count a new transition, and score what has accumulated when the probes are to train.

        Transitions count once the ratio is in force.
        """
        main, *probes = learners
        assert main.scores is not None
        if now < self.warmup_steps or self.sampler.waiting(mixture):
            return
        scores = main.scores
        scores.unscored.append(ended)
        if (now + 1) % self.training.every:
            return
        rows = self.block(len(scores.unscored)) if self.training.fresh else self.earlier(now)
        agents = [probe.agent for probe in probes]
        table = self.probes.scores(agents, main.agent, rows, self.key, now)
        check_scores(table, now)
        rewards = unpack(rows, self.probes.compiled.spec).reward
        discount = self.probes.compiled.agent.discount
        for index, ended_there in enumerate(scores.unscored):
            q, spread, target = table[:, :, index].T
            scored = Scored(q, spread, target, float(rewards[index]))
            if self.training.fresh:
                scores.add(scored, discount, ended=ended_there)
            else:  # drawn one by one, they have no observed return
                scores.tally.add(scored.errors(target), "bellman")
        scores.unscored = []

    def block(self, count: int) -> NDArray[np.float32]:
        """The newest rows, oldest first, padded to a constant shape that is compiled once."""
        rows = self.sampler.online.newest(count)
        return np.concatenate([rows, np.repeat(rows[-1:], self.training.every - len(rows), axis=0)])

    def earlier(self, now: int) -> NDArray[np.float32]:
        """As many transitions, drawn from the whole replay buffer."""
        return self.sampler.probe(self.training.every, self.draws.at(now))[1]
