"""All levels: which policies act on each, what they returned, and the files of the rows."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from road.collecting.environment import EnvironmentInfo
from road.collecting.files import Level, description, file_name, is_there, prepare, write_level
from road.collecting.learner import Learning, Watch, train
from road.collecting.milestones import LearnerRun, Milestone, find_expert, find_medium
from road.collecting.policies import Actor, find_actors, from_file, random_actor
from road.collecting.request import (
    HALVES,
    HUMAN,
    REPLAY,
    Request,
    level_seed,
    medium_return,
    parts_of,
)  # fmt: skip
from road.collecting.rows import (
    ReportRows,
    concatenate,
    count_demonstrations,
    head,
    mean_return,
    replay_demonstrations,
    roll_out,
    whole_returns,
)  # fmt: skip
from road.data.dataset import Dataset
from road.errors import UsageError
from road.types import Spec

Begin = Callable[[str, int], AbstractContextManager[ReportRows]]
"""A level begins: its name and its rows; gives a function that reports the rows so far."""


@dataclass(frozen=True)
class LearnerPolicies:
    """The learner's medium and expert policies."""

    medium: Milestone
    expert: Milestone | None
    """None if the expert was given."""


class Collector:
    """Makes levels one by one; what two of them share is made once."""

    def __init__(
        self, info: EnvironmentInfo, request: Request, learning: Learning, out: Path, watch: Watch,
        begin: Begin,
    ) -> None:  # fmt: skip
        self.info, self.request, self.learning, self.out = info, request, learning, out
        self._watch, self._begin = watch, begin
        # Read and checked before anything is made.
        self._actors = {part: find_actors(part, info, request) for part in parts_of(request.levels)}
        self._rolled: dict[str, Dataset] = {}

    def run(self) -> Iterator[Level]:
        """Every level in turn, whole on disk; those that are there already are kept."""
        prepare(self.out)
        paths = {level: self.path_of(level) for level in self.request.levels}
        there = {level: is_there(path, self.asked(level)) for level, path in paths.items()}
        for level, path in paths.items():
            if not there[level]:
                dataset = self.dataset(level)
                write_level(dataset, path, self.asked(level), self.outcome(level, dataset))
            found = description(path)
            assert found is not None  # written just now, or compared before
            yield Level(level, path, found, fresh=not there[level])

    def path_of(self, level: str) -> Path:
        return self.out / f"{file_name(self.info.label)}-{level}.hdf5"

    def asked(self, level: str) -> dict[str, Any]:
        """All that the bytes of a level depend on, but for the versions of the packages."""
        parts = HALVES.get(level, (level,))
        # Where an expert is given, the learner is trained until it is medium beside that one.
        if any(self._actors[part] is None for part in parts) and self._actors.get("expert"):
            parts = (*parts, "expert")
        shift = self.info.shift
        return {
            "environment": self.info.environment_id,
            "task": self.info.name,
            **({} if shift is None else {"shift": str(shift)}),
            "level": level,
            "rows": None if level == HUMAN and self.request.rows is None else self.request.count,
            "seed": self.request.seed,
            "horizon": self.info.horizon,
            "policies": {part: self.origin(part) for part in parts},
        }

    def origin(self, part: str) -> list[str]:
        actors = self._actors[part]
        if actors is None:
            settings = json.dumps(dataclasses.asdict(self.learning), sort_keys=True)
            return [f"SAC of this library, {settings}, noise {self.request.noise.get(part)}"]
        return [actor.origin for actor in actors]

    def outcome(self, level: str, dataset: Dataset) -> dict[str, Any]:
        """What is known of the rows without loading them."""
        whole = whole_returns(dataset, self.info.horizon)
        # A part of one episode is all that there may be; it has a return, but no score.
        returns = whole if len(whole) else dataset.episode_returns
        mean, scale = float(returns.mean()), self.info.score
        score = None if scale is None or not len(whole) else scale.normalise(mean)
        learnt = dataclasses.asdict(self.learnt) if self.needs_learner(level) else None
        return {
            "rows": len(dataset),
            "episodes": int(dataset.episode_ends.sum()),
            "return_mean": mean,
            "return_std": float(returns.std()),
            "score": score,
            "learner": learnt,
        }

    def needs_learner(self, level: str) -> bool:
        return any(self._actors[part] is None for part in HALVES.get(level, (level,)))

    def dataset(self, level: str) -> Dataset:
        if level == REPLAY and self.needs_learner(level):
            return self.learner_run.replay(self.learnt.medium.step)
        if level == HUMAN:
            path = Path(self.request.policies[HUMAN][0]).expanduser()
            with self._begin(level, count_demonstrations(path, self.request.rows)) as report:
                return replay_demonstrations(self.info, path, self.request, report)
        if self.needs_learner(level):
            _ = self.learnt  # before the level is reported to begin
        rows, halves = self.request.count, HALVES.get(level)
        with self._begin(level, rows) as report:
            if halves is None:
                return self.part(level, rows, report)
            first = self.part(halves[0], rows - rows // 2, report)
            second = self.part(halves[1], rows // 2, offset_report(report, len(first)))
            return concatenate(first, second)

    def part(self, part: str, rows: int, report: ReportRows) -> Dataset:
        """That many rows of one part; what is a level too is made once, as long as the level."""
        made = self._rolled.get(part)
        if made is None:
            count = self.request.count if part in self.request.levels else rows
            made = self.roll_out_part(part, count, report)
        if any(part in HALVES.get(level, ()) for level in self.request.levels):
            self._rolled[part] = made
        return made if len(made) == rows else head(made, rows)

    def roll_out_part(self, part: str, rows: int, report: ReportRows) -> Dataset:
        """Several policies share the rows evenly, in their order."""
        actors, seed = self.actors_of(part), level_seed(self.request.seed, part)
        seeds = np.random.SeedSequence(seed).generate_state(len(actors)).tolist()
        bounds = np.linspace(0, rows, len(actors) + 1).astype(int).tolist()
        pieces = [
            roll_out(self.info, actor, stop - start, seed, offset_report(report, start))
            for actor, seed, (start, stop) in zip(actors, seeds, pairwise(bounds), strict=True)
        ]
        return concatenate(*pieces)

    def actors_of(self, part: str) -> list[Actor]:
        actors = self._actors[part]
        if actors is not None:
            return actors
        milestone = self.learnt.expert if part == "expert" else self.learnt.medium
        assert milestone is not None  # the expert was not given
        noise = self.request.noise.get(part, "own")
        return [from_file(part, self.learner_run.policy_path(milestone.step), self.info, noise)]

    @property
    def learner_run(self) -> LearnerRun:
        spec = Spec(self.info.observations, self.info.actions)
        return LearnerRun(self.out / learner_folder(self.info), self.learning.sac, spec)

    @cached_property
    def learnt(self) -> LearnerPolicies:
        """The learner's milestones; trains it, or does what is left of its training."""
        seed, episodes = self.request.seed, self.learning.budget.evaluation_episodes
        actor = random_actor(self.info)
        random = mean_return(self.info, actor, episodes, level_seed(seed, "random"))
        given = self._actors.get("expert")
        goal, best = None, None
        if given:
            best = mean_return(self.info, given[0], episodes, level_seed(seed, "expert"))
            check_gain(best, random)
            goal = medium_return(random, best)
        seen = train(self.info, self.learning, self.learner_run, seed, self._watch, goal)
        if best is not None:
            return LearnerPolicies(find_medium(seen, random, best), None)
        expert = find_expert(seen, random, self.learning.budget.train_steps)
        return LearnerPolicies(find_medium(seen, random, expert.mean_return), expert)


def learner_folder(info: EnvironmentInfo) -> str:
    """Worlds that differ by a shift may share a folder, but no learner."""
    return "sac" if info.shift is None else file_name(f"sac {info.shift}")


def check_gain(expert: float, random: float) -> None:
    if not expert > random:
        raise UsageError(
            f"the expert that was given returns {expert:.4g} where random actions return "
            f"{random:.4g}: there is no gain to take a third of; give a better policy"
        )


def offset_report(report: ReportRows, done: int) -> ReportRows:
    """Reports rows beyond those that are done."""
    return lambda rows: report(done + rows)
