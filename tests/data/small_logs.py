"""Small logs of the kinds that the embedded tasks have, each made once."""

from functools import cache, partial

from road.data import Dataset
from road.tasks.catalogue import MEDIUM, UMAZE
from road.tasks.sources import pendulum, pointmaze

ROWS = 6_000
FLIPPED = "pendulum-flipped"
"""Its actions are negated on purpose, and so not those of its environment."""
MAKERS = {
    "pointmaze-umaze-random": partial(pointmaze.walk, UMAZE),
    "pointmaze-umaze-play": partial(pointmaze.play, UMAZE),
    "pointmaze-medium-play": partial(pointmaze.play, MEDIUM),
    "pendulum-mixed": pendulum.mixed,
    FLIPPED: pendulum.flipped,
}


@cache
def small_log(name: str) -> Dataset:
    return MAKERS[name](ROWS, 0)
