"""Ray clusters on this machine, for tests."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from road.experiments.backends.ray import SETTINGS

SOURCE = Path(__file__).parents[2] / "src"


@contextmanager
def ray_settings(folder: Path) -> Generator[None]:
    """A token that all nodes and drivers share, kept in that folder."""
    path = folder / "token"
    path.write_text("0123456789abcdef" * 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_TOKEN_PATH", str(path))
        patch.setenv("PYTHONPATH", str(SOURCE))  # nodes and drivers run in other folders
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        yield


@contextmanager
def ray_nodes(*cpus: int) -> Generator[Any]:
    """Nodes with that many CPUs each, under settings that are in force."""
    import ray
    from ray.cluster_utils import Cluster

    head = {"num_cpus": cpus[0], "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        for count in cpus[1:]:
            made.add_node(num_cpus=count)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
