from pathlib import Path

import pytest
from tests.integrations.conftest import check_single_file_example

pytest.importorskip("jax", reason="JAX is not installed here")


def test_the_loop_in_plain_jax_ends_better_than_it_starts(tmp_path: Path):
    check_single_file_example("jax_loop.py", "jax_loop", tmp_path)
