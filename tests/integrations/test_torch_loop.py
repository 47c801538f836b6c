from pathlib import Path

import pytest
from tests.integrations.conftest import check_single_file_example

torch = pytest.importorskip("torch", reason="PyTorch has its own environment: make integrations")


def test_the_loop_in_plain_pytorch_ends_better_than_it_starts(tmp_path: Path):
    pytest.importorskip("gymnasium")
    check_single_file_example("torch_loop.py", "torch_loop", tmp_path)


def test_advantages_by_hand():
    """The critic is s + 3a by one member and s + a by the other; the policy answers a = 1.

    Offline a was 0: min(s + 3, s + 1) - s = 1. Online a was -1: (s + 1) - (s - 3) = 4.
    """
    from road.integrations.torch import measure

    state = torch.tensor([[5.0], [7.0]])
    seen = measure(
        torch.ones_like,
        lambda s, a: [s + 3 * a, (s + a)[:, 0]],
        (state, torch.zeros(2, 1)),
        (state[:1], torch.full((1, 1), -1.0)),
    )
    assert (seen.offline, seen.online) == (1.0, 4.0)


def test_one_critic_is_enough_and_no_gradient_is_kept():
    from road.integrations.torch import measure

    critic = torch.nn.Linear(2, 1)
    rows = torch.randn(4, 1), torch.randn(4, 1)
    seen = measure(lambda s: s, lambda s, a: critic(torch.cat([s, a], dim=1)), rows, rows)
    assert seen.offline == seen.online
    assert critic.weight.grad is None
