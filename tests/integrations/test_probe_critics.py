"""Probe critics in plain PyTorch: `make sb3` makes an environment that has it and runs this."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.conftest import run_guide

pytest.importorskip("torch", reason="PyTorch has its own environment: make integrations")

import torch

from road.integrations.probe_critics import CriticCopy, CriticUpdate, ProbeCritics
from road.mixing import Controller, RoadMixer, ValidatedMixer

Rows = tuple[Any, ...]


class Pair(torch.nn.Module):
    """Q(s, a) = w a for two members, w = 1 and w = 3 to begin with; the state is ignored."""

    def __init__(self) -> None:
        super().__init__()
        self.slopes = torch.nn.Parameter(torch.tensor([1.0, 3.0]))

    def forward(self, action: Any) -> list[Any]:
        return [slope * action for slope in self.slopes]


def q(critic: Any, rows: Rows) -> list[Any]:
    return critic(rows[0])


def target(critic: Any, rows: Rows) -> Any:
    """r + the lesser Q'(a'): one dimension less than Q has."""
    _, reward, following = rows
    return reward + torch.minimum(*critic(following))[:, 0]


def rows_of(*rows: tuple[float, float, float]) -> Rows:
    """Action, reward, next action."""
    action, reward, following = torch.tensor(rows).T
    return action[:, None], reward, following[:, None]


def parts() -> tuple[Any, Any, Any]:
    critic, slow = Pair(), Pair()
    return critic, slow, torch.optim.SGD(critic.parameters(), lr=0.1)


def copied(**settings: Any) -> CriticCopy:
    return CriticCopy(*parts(), CriticUpdate(q, target, **settings))


def test_errors_by_hand():
    """Row 1: Q is 2 and 6, the target 1 + 1 = 2: (0 + 16) / 2. Row 2: Q 1 and 3, target 0 + 3."""
    assert copied().errors(rows_of((2.0, 1.0, 1.0), (1.0, 0.0, 3.0))).tolist() == [8.0, 2.0]


def test_an_update_by_hand():
    """Q is 1 and 3, the target 2: gradients of -2 and 2, so slopes of 1.2 and 2.8.

    The target critic's follow by a quarter: 1.05 and 2.95.
    """
    probe = copied(target_rate=0.25)
    probe.train(rows_of((1.0, 1.0, 1.0)))
    assert probe.critic.slopes.tolist() == pytest.approx([1.2, 2.8])
    assert probe.target.slopes.tolist() == pytest.approx([1.05, 2.95])


def test_the_target_critic_may_follow_less_often_and_the_loss_weigh_less():
    probe = copied(target_rate=1.0, target_every=2, loss_weight=0.5)
    probe.train(rows_of((1.0, 1.0, 1.0)))
    assert probe.critic.slopes.tolist() == pytest.approx([1.1, 2.9])
    assert probe.target.slopes.tolist() == [1.0, 3.0]
    probe.train(rows_of((1.0, 1.0, 1.0)))
    assert probe.target.slopes.tolist() == probe.critic.slopes.tolist() != [1.0, 3.0]


def test_the_main_critic_is_copied_and_left_alone():
    critic, slow, optimiser = parts()
    probe = CriticCopy(critic, slow, optimiser, CriticUpdate(q, target))
    probe.train(rows_of((1.0, 1.0, 1.0)))
    assert critic.slopes.tolist() == slow.slopes.tolist() == [1.0, 3.0]
    assert critic.slopes.grad is None
    assert probe.critic.slopes.tolist() != [1.0, 3.0]


def test_the_learning_rate_is_the_main_ones():
    critic, slow, optimiser = parts()
    probe = CriticCopy(critic, slow, optimiser, CriticUpdate(q, target))
    optimiser.param_groups[0]["lr"] = 0.0
    probe.train(rows_of((1.0, 1.0, 1.0)))
    assert probe.critic.slopes.tolist() == [1.0, 3.0]


def test_a_shared_part_is_not_copied():
    extractor = torch.nn.Linear(1, 1)
    critic = torch.nn.Sequential(extractor, torch.nn.Linear(1, 1))
    optimiser = torch.optim.SGD(critic[1].parameters(), lr=0.1)
    probe = CriticCopy(critic, critic, optimiser, CriticUpdate(q, target), [extractor])
    assert probe.critic[0] is extractor
    assert probe.critic[1] is not critic[1]


class Noted:
    """A probe that notes the share of offline rows, which are ones, in what it is trained on."""

    def __init__(self) -> None:
        self.shares: list[float] = []

    def errors(self, rows: Rows) -> Any:
        return rows[0] + len(self.shares)

    def train(self, rows: Rows) -> None:
        self.shares.append(rows[0].mean().item())

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, saved: Any) -> None: ...


def test_every_probe_is_trained_at_its_ratio_over_all_updates_together():
    """5 rows at a ratio of 0.3 are 1 or 2 offline ones; over 10 updates 15 of 50."""
    mixer = ValidatedMixer(ratios=(0.0, 0.3, 1.0))
    critics = ProbeCritics(Controller(mixer), Noted)
    for _ in range(10):
        critics.train((torch.ones(5),), (torch.zeros(5),))
    shares = [probe.shares for probe in critics.probes]
    assert [sum(each) / 10 for each in shares] == pytest.approx([0.0, 0.3, 1.0])
    assert {round(share, 1) for share in shares[1]} == {0.2, 0.4}


def test_probes_are_trained_as_often_and_on_as_much_as_the_mixer_says():
    mixer = ValidatedMixer(probe_every=4, probe_batch=0.5)
    critics = ProbeCritics(Controller(mixer), Noted)
    assert [critics.due() for _ in range(8)] == [0, 0, 0, 1, 0, 0, 0, 1]
    assert (critics.due(3), critics.due(6), critics.due(0)) == (0, 2, 0)
    assert (critics.batch_size(64), critics.batch_size(1)) == (32, 1)


def test_scores_reach_the_controller_and_renew_its_ratio():
    mixer = ValidatedMixer(ratios=(0.0, 1.0), interval=3)
    controller = Controller(mixer)
    critics = ProbeCritics(controller, Noted)
    assert not critics.score((torch.tensor([1.0, 2.0]),))
    assert critics.score((torch.tensor([3.0]),), step=7)
    assert controller.history[0].probe_errors == {"bellman": (2.0, 2.0), "return": None}
    assert controller.step == 7


def bandit(sign: float) -> float:
    """The ratio after 60 new rows of reward a, and logs of reward a times that sign."""
    torch.manual_seed(0)
    controller = Controller(ValidatedMixer(ratios=(0.0, 0.5, 0.9), interval=20))

    def rows(count: int, slope: float) -> Rows:
        action = torch.rand(count, 1) * 2 - 1
        return action, slope * action[:, 0] + 0.1 * torch.randn(count), torch.zeros(count, 1)

    critics = ProbeCritics(controller, copied)
    fresh: list[Rows] = []
    for step in range(60):
        fresh.append(rows(1, 1.0))
        critics.score(fresh[-1], step=step)
        online = tuple(torch.cat(part) for part in zip(*fresh, strict=True))
        drawn = torch.randint(step + 1, (16,))
        critics.train(rows(16, sign), tuple(part[drawn] for part in online))
    return controller.offline_ratio


def test_logs_that_contradict_new_rows_are_dropped_and_others_are_used():
    assert bandit(-1.0) < 0.05
    assert bandit(1.0) > 0.6


def test_saved_probes_go_on_the_same():
    mixer = ValidatedMixer(ratios=(0.0, 1.0), probe_every=3)

    def made() -> ProbeCritics:
        return ProbeCritics(Controller(mixer), lambda: copied(target_every=2))

    one, other = made(), made()
    offline, online = rows_of((1.0, 1.0, 1.0)), rows_of((2.0, 1.0, 0.0))
    one.due()
    one.train(offline, online)
    other.load_state_dict(one.state_dict())
    for critics in (one, other):
        critics.train(offline, online)
    reported = [
        json.dumps([critics.due(2), *(p.target.slopes.tolist() for p in critics.probes)])
        for critics in (one, other)
    ]
    assert reported[0] == reported[1]
    assert json.loads(reported[0])[0] == 1


def test_what_probes_cannot_do_is_refused_in_one_line():
    with pytest.raises(ValueError, match=r"RoadMixer.* has no probes; use .*ValidatedMixer"):
        ProbeCritics(Controller(RoadMixer()), copied)
    with pytest.raises(ValueError, match="set return_weight=0"):
        ProbeCritics(Controller(ValidatedMixer(return_weight=1.0)), copied)
    with pytest.raises(ValueError, match="set probe_actor=False"):
        ProbeCritics(Controller(ValidatedMixer(probe_actor=True)), copied)
    critics = ProbeCritics(Controller(ValidatedMixer()), copied)
    with pytest.raises(ValueError, match="as many offline rows as online ones"):
        critics.train(rows_of((1.0, 1.0, 1.0)), rows_of((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)))
    with pytest.raises(ValueError, match="state_dict has 2 probes, expected 5"):
        critics.load_state_dict({"probes": [{}, {}]})
    with pytest.raises(ValueError, match="got nan of probe 0"):
        critics.score(rows_of((float("nan"), 1.0, 1.0)))


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run_guide("probe-critics.md", tmp_path, monkeypatch)
