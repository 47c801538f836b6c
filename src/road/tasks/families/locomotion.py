"""Three bodies that learn to run, each after five logs of different quality.

The environments are Gymnasium's v4, which pay and fall as those of the D4RL files do: v5 takes the
reward for being upright from the step that falls, and gives the walker's right foot other friction.
"""

from functools import partial

from road.tasks.datasets import read_dataset
from road.tasks.defaults import merge_settings, settings_of
from road.tasks.environments import make_quietly
from road.tasks.fixes import unchanged
from road.tasks.task import Affine, Environment, ReturnRange, ScoreReference, Task
from road.tasks.wrappers import as_vectors

HORIZON = 1000

BODIES = {
    "halfcheetah": ("HalfCheetah-v4", "half cheetah", ScoreReference(-280.178953, 12135.0)),
    "walker2d": ("Walker2d-v4", "walker", ScoreReference(1.629008, 4592.3)),
    "hopper": ("Hopper-v4", "hopper", ScoreReference(-20.272305, 3234.3)),
}
"""By body: environment, a word for it, and D4RL's mean returns of a random and an expert policy."""

QUALITIES = {
    "random": "random actions",
    "medium-replay": "all that an agent did until mediocre",
    "medium": "a mediocre policy",
    "medium-expert": "a mediocre and an expert policy, half each",
    "expert": "an expert policy",
}

EXCEPTIONS = {"halfcheetah": {"proto": {"layer_norm": False}}}
"""What one body has otherwise than its family: PROTO's authors leave the norm out there."""


def make_environment(environment_id: str) -> Environment:
    return as_vectors(make_quietly(environment_id), environment_id)


def body_task(body: str, quality: str) -> Task:
    environment_id, word, score = BODIES[body]
    source = f"d4rl:{body}-{quality}-v2"
    return Task(
        name=f"{body}-{quality}",
        family="locomotion",
        description=f"Run with a {word}, after the log of {QUALITIES[quality]}.",
        environment=partial(make_environment, environment_id),
        dataset=partial(read_dataset, source, unchanged),
        horizon=HORIZON,
        score=score,
        reward=Affine(),
        rewards={"proto": ReturnRange(1000.0)},
        settings=merge_settings(settings_of("locomotion"), EXCEPTIONS.get(body, {})),
        environment_id=environment_id,
        source=source,
    )


TASKS = tuple(body_task(body, quality) for body in BODIES for quality in QUALITIES)
