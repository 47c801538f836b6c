"""A hand of 24 joints that turns a pen, opens a door or carries a ball; only success counts.

A step pays 1 if it ends in success. No episode that is learnt from ends before its time, so that
holding on to a success pays; what is judged is whether there was one. The authors' own binary logs
are not part of D4RL: the cloned ones are, which were made the same way (human demonstrations and a
policy that imitates them), and success is a function of the observation, so their rewards are
made again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.errors import DataError
from road.tasks.datasets import read_dataset
from road.tasks.defaults import settings_of
from road.tasks.environments import import_robotics, make_quietly
from road.tasks.fixes import never_ending
from road.tasks.task import CENTRED, SHARE_OF_SUCCESSES, Affine, Environment, Task
from road.tasks.wrappers import as_vectors

Rows = NDArray[np.float32]
Success = Callable[[Rows], NDArray[np.bool_]]
"""Whether each observation (row, number) is one of success."""


def pen_is_turned(observation: Rows) -> NDArray[np.bool_]:
    """Within 7.5 cm of the target and within about 18 degrees of its direction."""
    direction, wanted, offset = (observation[:, at : at + 3] for at in (33, 36, 39))
    near = np.linalg.norm(offset, axis=1) < 0.075
    return near & ((direction * wanted).sum(axis=1) > 0.95)


def door_is_open(observation: Rows) -> NDArray[np.bool_]:
    """The hinge is turned by 1.35 radians or more."""
    return observation[:, 28] >= 1.35


def ball_is_there(observation: Rows) -> NDArray[np.bool_]:
    """Within 10 cm of the target."""
    return np.linalg.norm(observation[:, 36:39], axis=1) < 0.1


@dataclass(frozen=True)
class Skill:
    """What differs between the three."""

    environment_id: str
    horizon: int
    width: int
    """Numbers in an observation."""
    success: Success
    what: str


SKILLS = {
    "pen": Skill("AdroitHandPen-v1", 100, 45, pen_is_turned, "Turn a pen"),
    "door": Skill("AdroitHandDoor-v1", 200, 39, door_is_open, "Unlatch and open a door"),
    "relocate": Skill("AdroitHandRelocate-v1", 200, 39, ball_is_there, "Carry a ball home"),
}


class BinaryReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Pays 1 in a step of success and 0 in any other."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, _, _, truncated, info = self.env.step(action)
        return observation, float(info["success"]), self.over(info), truncated, info

    def over(self, info: dict[str, Any]) -> bool:
        del info
        return False


class FirstSuccess(BinaryReward):
    """Ends with the first success, so that an episode returns 1 if there was one: the score."""

    def over(self, info: dict[str, Any]) -> bool:
        return bool(info["success"])


def make_environment(skill: Skill, kind: type[BinaryReward] = BinaryReward) -> Environment:
    import_robotics()
    environment = make_quietly(skill.environment_id, max_episode_steps=skill.horizon)
    return as_vectors(kind(environment), skill.environment_id)


def mend(skill: Skill, dataset: Dataset) -> Dataset:
    """Rewards as the environment above pays them; the logs have a dense reward."""
    if dataset.observation.shape[1] != skill.width:
        raise DataError(
            f"dataset: {dataset.observation.shape[1]} observations a row where "
            f"{skill.environment_id} has {skill.width}; success cannot be computed from them"
        )
    paid = skill.success(dataset.next_observation).astype(np.float32)
    return never_ending(replace(dataset, reward=paid))


def hand_task(name: str) -> Task:
    skill = SKILLS[name]
    source = f"d4rl:{name}-cloned-v1"
    mended = partial(mend, skill)
    return Task(
        name=f"{name}-binary",
        family="adroit",
        description=f"{skill.what} with a hand, after demonstrations and their imitation.",
        environment=partial(make_environment, skill),
        dataset=partial(read_dataset, source, mended),
        horizon=skill.horizon,
        # Judged until the first success.
        score=SHARE_OF_SUCCESSES,
        # IQL, RLPD and PROTO: every step costs 1 but those of success.
        reward=Affine(shift=-1.0),
        rewards=CENTRED,
        settings=settings_of("adroit"),
        failure_reward=0.0,
        judge=partial(make_environment, skill, FirstSuccess),
        environment_id=skill.environment_id,
        source=source,
        mend=mended,
    )


TASKS = tuple(hand_task(name) for name in SKILLS)
