"""Datasets that are read and not made."""

from collections.abc import Callable

from road.data.dataset import Dataset
from road.tasks.vectors import Box


def logged(
    source: str, mend: Callable[[Dataset], Dataset], action_box: Callable[[], Box] | None = None
) -> Dataset:
    """The dataset of a source, mended; its actions are in that box if it does not say itself."""
    from road.data import load  # file formats are heavy, and only runs need them

    return mend(load(source, action_box=None if action_box is None else action_box()))
