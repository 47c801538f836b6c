"""Critics that PyTorch trains at constant ratios beside the main one, for ``ValidatedMixer``.

    start    every probe k is a copy of the main critic, its target critic and its optimiser
    score    e_k = mean over the ensemble of (Q_k(s, a) - target_k)^2, on every new transition
             before a probe trains on it; the controller receives them
    train    Q_k on a batch of which the constant share r_k is offline

    probes = ProbeCritics(controller, lambda: CriticCopy(critic, target_critic, optimiser, update))
    if updates := probes.due():  # after every update of the main learner
        probes.score(new_rows)
        for _ in range(updates):
            probes.train(offline_rows, online_rows)

The policy that targets bootstrap with is the main one; the functions of a ``CriticUpdate`` call it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from road.errors import UsageError
from road.mixing import Controller, ProbeTraining

try:
    import torch as th
except ModuleNotFoundError as error:
    raise UsageError("probe critics need PyTorch; run pip install torch") from error

from road.integrations.critic_copy import CriticCopy, CriticUpdate, Rows

__all__ = ["CriticCopy", "CriticUpdate", "Probe", "ProbeCritics", "Rows"]


@runtime_checkable
class Probe(Protocol):
    """One critic with its target critic and its optimiser."""

    def errors(self, rows: Rows) -> th.Tensor:
        """Its squared Bellman error on each of the rows."""
        ...

    def train(self, rows: Rows) -> None: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, saved: Mapping[str, Any]) -> None: ...


class ProbeCritics:
    """One probe for each of the controller's ratios."""

    def __init__(self, controller: Controller, make: Callable[[], Probe]) -> None:
        """Make the probes; they are to be alike, and like the main critic as it is now."""
        self.training = check_training(controller)
        self.controller, self.owed, self.updates = controller, 0, 0
        self.probes = tuple(make() for _ in controller.probe_ratios)

    def due(self, updates: int = 1) -> int:
        """How often to train the probes now, after that many updates of the main learner."""
        count, self.owed = divmod(self.owed + updates, self.training.every)
        return count

    def batch_size(self, main: int) -> int:
        """Of a probe, for the main learner's batch size."""
        return round(self.training.batch * main) or 1

    def score(self, rows: Rows, *, step: int | None = None) -> bool:
        """Report every probe's errors on new rows; gives whether that renewed the ratio."""
        errors = th.stack([probe.errors(rows) for probe in self.probes], dim=1)
        return self.controller.observe_errors(errors.cpu().numpy(), step=step)

    def train(self, offline: Rows, online: Rows) -> None:
        """Update every probe on its share of as many offline rows as online ones."""
        size = len(online[0])
        if any(len(part) != size for part in (*offline, *online)):
            raise ValueError("probes need as many offline rows as online ones")
        for ratio, probe in zip(self.controller.probe_ratios, self.probes, strict=True):
            # Rounded so that the ratio holds over all updates together.
            count = int(ratio * size * (self.updates + 1)) - int(ratio * size * self.updates)
            parts = zip(offline, online, strict=True)
            probe.train(tuple(th.cat([one[:count], other[count:]]) for one, other in parts))
        self.updates += 1

    def state_dict(self) -> dict[str, Any]:
        probes = [probe.state_dict() for probe in self.probes]
        return {"owed": self.owed, "updates": self.updates, "probes": probes}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        if (count := len(saved["probes"])) != len(self.probes):
            raise ValueError(f"state_dict has {count} probes, expected {len(self.probes)}")
        for probe, state in zip(self.probes, saved["probes"], strict=True):
            probe.load_state_dict(state)
        self.owed, self.updates = saved["owed"], saved["updates"]


def check_training(controller: Controller) -> ProbeTraining:
    """How the controller's mixer wants its probes trained."""
    mixer = controller.mixer
    if not controller.probe_ratios:
        raise ValueError(f"{mixer} has no probes; use Controller(ValidatedMixer())")
    if getattr(mixer, "return_weight", 0.0) > 0.0:
        raise ValueError("probe critics report Bellman errors alone; set return_weight=0")
    training: ProbeTraining = getattr(mixer, "probe_training", ProbeTraining(actor=False))
    if training.actor:
        raise ValueError("probe critics have no actors of their own; set probe_actor=False")
    return training


def check_probes(controller: Controller, period: int | str | None) -> None:
    """Refuse a callback's period beside a mixer whose probes say when one ends."""
    check_training(controller)
    if period is not None:
        mixer = type(controller.mixer).__name__
        raise ValueError(f"{mixer} has an interval of its own; leave out period={period!r}")
