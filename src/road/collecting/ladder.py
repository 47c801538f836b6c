"""The whole ladder: who acts on each level, what they did, and the files that hold it."""

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from road.collecting.files import description, is_there, prepare, write_level
from road.collecting.learner import Learning, Watch, train
from road.collecting.levels import HALVES, HUMAN, REPLAY, level_seed, medium_return, parts_of
from road.collecting.milestones import Milestone, Way, find_expert, find_medium
from road.collecting.place import Place
from road.collecting.policies import Actor, chance, find_actors, from_file
from road.collecting.rows import (
    Tell,
    demonstrated,
    episode_returns,
    head,
    joined,
    mean_return,
    replayed,
    roll_out,
    whole_returns,
)  # fmt: skip
from road.collecting.wanted import Wanted
from road.data.dataset import Dataset
from road.errors import UsageError
from road.types import Spec

Begin = Callable[[str, int], AbstractContextManager[Tell]]
"""A level begins: its name and its rows; gives something to tell of the rows so far."""


@dataclass(frozen=True)
class Level:
    """A level that is on disk."""

    name: str
    path: Path
    told: Mapping[str, Any]
    """What was ``asked`` for and what ``came`` of it."""
    fresh: bool
    """Whether it was made now."""


@dataclass(frozen=True)
class Learnt:
    """Milestones of the learner."""

    medium: Milestone
    expert: Milestone | None
    """None if somebody else is the expert."""


class Collector:
    """Makes levels one by one; what two of them share is made once."""

    def __init__(
        self, place: Place, wanted: Wanted, learning: Learning, out: Path, watch: Watch,
        begin: Begin,
    ) -> None:  # fmt: skip
        self.place, self.wanted, self.learning, self.out = place, wanted, learning, out
        self._watch, self._begin = watch, begin
        # Read and checked before anything is made.
        self._actors = {part: find_actors(part, place, wanted) for part in parts_of(wanted.levels)}
        self._rolled: dict[str, Dataset] = {}

    def run(self) -> Iterator[Level]:
        """Every level in turn, whole on disk; those that are there already are kept."""
        prepare(self.out)
        paths = {level: self.path_of(level) for level in self.wanted.levels}
        there = {level: is_there(path, self.asked(level)) for level, path in paths.items()}
        for level, path in paths.items():
            if not there[level]:
                dataset = self.dataset(level)
                write_level(dataset, path, self.asked(level), self.came(level, dataset))
            told = description(path)
            assert told is not None  # written just now, or compared before
            yield Level(level, path, told, fresh=not there[level])

    def path_of(self, level: str) -> Path:
        return self.out / f"{file_name(self.place.name)}-{level}.hdf5"

    def asked(self, level: str) -> dict[str, Any]:
        """All that the bytes of a level depend on, but for the versions of the packages."""
        parts = HALVES.get(level, (level,))
        # Where an expert is given, the learner is trained until it is medium beside that one.
        if any(self._actors[part] is None for part in parts) and self._actors.get("expert"):
            parts = (*parts, "expert")
        return {
            "environment": self.place.environment_id,
            "task": self.place.name,
            "level": level,
            "rows": None if level == HUMAN and self.wanted.rows is None else self.wanted.count,
            "seed": self.wanted.seed,
            "horizon": self.place.horizon,
            "policies": {part: self.origin(part) for part in parts},
        }

    def origin(self, part: str) -> list[str]:
        actors = self._actors[part]
        if actors is None:
            settings = json.dumps(dataclasses.asdict(self.learning), sort_keys=True)
            return [f"SAC of this library, {settings}, noise {self.wanted.noise.get(part)}"]
        return [actor.origin for actor in actors]

    def came(self, level: str, dataset: Dataset) -> dict[str, Any]:
        """What a reader wants to know before the rows are loaded."""
        whole = whole_returns(dataset, self.place.horizon)
        # A part of one episode is all that there may be; it has a return, but no score.
        returns = whole if len(whole) else episode_returns(dataset)
        mean, scale = float(returns.mean()), self.place.score
        score = None if scale is None or not len(whole) else scale.normalise(mean)
        learnt = dataclasses.asdict(self.learnt) if self.is_learnt(level) else None
        return {
            "rows": len(dataset),
            "episodes": int(dataset.episode_ends.sum()),
            "return_mean": mean,
            "return_std": float(returns.std()),
            "score": score,
            "learner": learnt,
        }

    def is_learnt(self, level: str) -> bool:
        return any(self._actors[part] is None for part in HALVES.get(level, (level,)))

    def dataset(self, level: str) -> Dataset:
        if level == REPLAY and self.is_learnt(level):
            return self.way.replay(self.learnt.medium.step)
        if level == HUMAN:
            path = Path(self.wanted.policies[HUMAN][0]).expanduser()
            with self._begin(level, demonstrated(path, self.wanted.rows)) as tell:
                return replayed(self.place, path, self.wanted, tell)
        if self.is_learnt(level):
            _ = self.learnt  # before the level says that it begins
        rows, halves = self.wanted.count, HALVES.get(level)
        with self._begin(level, rows) as tell:
            if halves is None:
                return self.part(level, rows, tell)
            first = self.part(halves[0], rows - rows // 2, tell)
            return joined(first, self.part(halves[1], rows // 2, counted(tell, len(first))))

    def part(self, part: str, rows: int, tell: Tell) -> Dataset:
        """That many rows of one part; what is a level too is made once, as long as the level."""
        made = self._rolled.get(part)
        if made is None:
            wanted = self.wanted.count if part in self.wanted.levels else rows
            made = self.rolled_out(part, wanted, tell)
        if any(part in HALVES.get(level, ()) for level in self.wanted.levels):
            self._rolled[part] = made
        return made if len(made) == rows else head(made, rows)

    def rolled_out(self, part: str, rows: int, tell: Tell) -> Dataset:
        """Several policies share the rows evenly, in their order."""
        actors, seed = self.acting(part), level_seed(self.wanted.seed, part)
        seeds = np.random.SeedSequence(seed).generate_state(len(actors)).tolist()
        bounds = np.linspace(0, rows, len(actors) + 1).astype(int).tolist()
        pieces = [
            roll_out(self.place, actor, stop - start, seed, counted(tell, start))
            for actor, seed, (start, stop) in zip(actors, seeds, pairwise(bounds), strict=True)
        ]
        return joined(*pieces)

    def acting(self, part: str) -> list[Actor]:
        actors = self._actors[part]
        if actors is not None:
            return actors
        milestone = self.learnt.expert if part == "expert" else self.learnt.medium
        assert milestone is not None  # nobody else is the expert
        noise = self.wanted.noise.get(part, "own")
        return [from_file(part, self.way.policy_path(milestone.step), self.place, noise)]

    @property
    def way(self) -> Way:
        spec = Spec(self.place.observations, self.place.actions)
        return Way(self.out / "sac", self.learning.sac, spec)

    @cached_property
    def learnt(self) -> Learnt:
        """What the learner came to; trains it, or what is left of its training."""
        seed, episodes = self.wanted.seed, self.learning.budget.evaluation_episodes
        random = mean_return(self.place, chance(self.place), episodes, level_seed(seed, "random"))
        given = self._actors.get("expert")
        goal, best = None, None
        if given:
            best = mean_return(self.place, given[0], episodes, level_seed(seed, "expert"))
            check_gain(best, random)
            goal = medium_return(random, best)
        seen = train(self.place, self.learning, self.way, seed, self._watch, goal)
        if best is not None:
            return Learnt(find_medium(seen, random, best), None)
        expert = find_expert(seen, random, self.learning.budget.train_steps)
        return Learnt(find_medium(seen, random, expert.mean_return), expert)


def check_gain(expert: float, random: float) -> None:
    if not expert > random:
        raise UsageError(
            f"the expert that was given returns {expert:.4g} where random actions return "
            f"{random:.4g}: there is no gain to take a third of; give a better policy"
        )


def counted(tell: Tell, done: int) -> Tell:
    """Told of rows beyond those that are done."""
    return lambda rows: tell(done + rows)


def file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)
