"""What is kept of a learner: the policy of every evaluation, its return, and its rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.agents.sac import SAC, SACState
from road.collecting.request import medium_return
from road.data.dataset import Dataset
from road.errors import UsageError
from road.files import replacing, storage_errors
from road.nn.squashed import SquashedActor
from road.policies.arrays import squashed_arrays
from road.records.journal import read_rows
from road.replay.transitions import unpack
from road.training.checkpoint import checkpoints, load_checkpoint
from road.training.compiled import compile_agent
from road.training.launch import pick_state
from road.training.state import state_from
from road.types import Spec


@dataclass(frozen=True)
class Milestone:
    """A policy during training: when it was evaluated, and what it returned."""

    step: int
    mean_return: float


@dataclass(frozen=True)
class LearnerRun:
    """The run folder of a learner, and what it learnt with."""

    folder: Path
    sac: SAC
    spec: Spec

    def policy_path(self, step: int) -> Path:
        return self.folder / "policies" / f"step-{step:010d}.npz"

    def keep_newest(self) -> None:
        """Write the policy of the newest checkpoint in the plain weight format, once."""
        newest = checkpoints(self.folder / "checkpoints")[-1:]
        if not newest:
            return
        path = self.policy_path(int(newest[0].name.rpartition("-")[2]))
        if path.exists():
            return
        agent = state_from(*load_checkpoint(newest[0])).main.agent
        state: SACState = compile_agent(self.sac, self.spec).tree(agent)
        with storage_errors(f"write {path}"), replacing(path) as file:
            np.savez(file, allow_pickle=False, **plain_weights(state.actor.model))

    def milestones(self) -> list[Milestone]:
        """Every evaluation whose policy was kept, the first one first."""
        rows = read_rows(self.folder / "evaluations.jsonl", growing=True)
        found = [Milestone(row["step"], row["return_mean"]) for row in rows if row["step"]]
        return [each for each in found if self.policy_path(each.step).exists()]

    def replay(self, rows: int) -> Dataset:
        """The first rows that it stored, as many as there are of them."""
        state = pick_state(self.folder, best=False)
        assert state.online_rows is not None  # it has been trained
        stored = unpack(state.online_rows[:rows], self.spec)
        terminated = stored.terminated != 0
        episodes = read_rows(self.folder / "episodes.jsonl", growing=True)
        ends = [row["step"] - 1 for row in episodes]
        truncated = np.zeros(len(terminated), np.bool_)
        truncated[[end for end in ends if end < len(truncated)]] = True
        truncated[-1] = True
        return Dataset(
            observation=np.ascontiguousarray(stored.observation),
            action=np.clip(stored.action, -1.0, 1.0),
            reward=np.ascontiguousarray(stored.reward),
            next_observation=np.ascontiguousarray(stored.next_observation),
            terminated=terminated,
            truncated=truncated & ~terminated,
        )


def plain_weights(actor: SquashedActor) -> dict[str, NDArray[Any]]:
    """A squashed Gaussian as the plain arrays that ``read_weights`` takes."""
    layers = [(np.asarray(each.weight), np.asarray(each.bias)) for each in actor.network.layers]
    return squashed_arrays(layers)


def find_expert(milestones: list[Milestone], random: float, train_steps: int) -> Milestone:
    """The last policy, if it is better than random actions.

    Raises:
        UsageError: it is not: nothing was learnt.
    """
    last = milestones[-1]
    if not last.mean_return > random:
        raise UsageError(
            f"no expert was found: after {last.step:,} steps SAC returns {last.mean_return:.4g} "
            f"where random actions return {random:.4g}; raise --train-steps (now {train_steps:,}) "
            "or give policies with --policy"
        )
    return last


def find_medium(milestones: list[Milestone], random: float, expert: float) -> Milestone:
    """The first policy that has made a third of the expert's gain over random actions."""
    goal = medium_return(random, expert)
    found = next((each for each in milestones if each.mean_return >= goal), None)
    if found is None:
        best = max(each.mean_return for each in milestones)
        raise UsageError(
            f"no medium policy was found: SAC's best return is {best:.4g} where {goal:.4g} is "
            "asked for; raise --train-steps or give policies with --policy"
        )
    return found
