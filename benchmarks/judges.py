"""What other judges would say of the probes of ``validated``, on raw scores of development runs.

    python -m benchmarks.judges OUT [--cases pendulum-flipped ...] [--seeds 0] \
        [--data pen-expert=FILE.hdf5] [--shifted "pendulum, action gain 1" ...]

Every run is that of the grid ``validated`` (or ``shifted``). Beside what the mixer is given, the Q,
spread and target of every probe are kept for every new transition, and for 64 offline rows every
100 steps, in OUT/CASE-SEED.npz; a run that is there is not run again. Printed per judge: log error
by probe relative to the mean over probes, and the ratio that ``validated`` would choose with
preferences of 0.5, 0.25 and 0; both are means over the last half of the phase.

    bellman         as the mixer is judged
    common          squared distance from the mean of all probes' targets
    over variance   bellman, as a share of the variance of the probe's own targets
    members         product of the errors of two members of the ensemble, which have one target
    return          squared distance from the observed return
    offline         bellman on offline rows
    with offline    3/4 log bellman + 1/4 log offline
"""

import argparse
import dataclasses
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from road.experiments.grids.discriminate import EMBEDDED, validated
from road.experiments.grids.shifted import shifted
from road.experiments.jobs import Job
from road.experiments.store import Store
from road.experiments.work import make_data
from road.mixing import Context, Evidence, Mixture, ValidatedMixer
from road.mixing.period import finish_period
from road.mixing.probe_errors import relative_logs
from road.records.folder import RunFolder
from road.replay.transitions import unpack
from road.stopping import StopRequest
from road.training.config import Plan
from road.training.learner import Learner
from road.training.probe_learners import ProbeScorer
from road.training.process import prepare_jax
from road.training.run import Run

Floats = np.ndarray[Any, Any]
EVERY, ROWS = 100, 64
"""Online steps between two scores of offline rows, and how many rows."""
TINY = 1e-12


@dataclass(frozen=True)
class Recorder:
    """A scorer that also keeps what every probe says."""

    scorer: ProbeScorer
    new: list[Floats] = field(default_factory=list[Floats])
    """(probe, 3, row): Q, its variance over the ensemble, its target."""
    ended: list[bool] = field(default_factory=list[bool])
    rewards: list[float] = field(default_factory=list[float])
    offline: list[Floats] = field(default_factory=list[Floats])
    at: list[int] = field(default_factory=list[int])
    """How many new transitions came before each block of offline rows."""

    def score(
        self, learners: tuple[Learner, ...], mixture: Mixture, now: int, *, ended: bool
    ) -> None:
        scorer, (main, *probes) = self.scorer, learners
        assert main.scores is not None
        waiting = [*main.scores.unscored, ended]
        scorer.score(learners, mixture, now, ended=ended)
        if now < scorer.warmup_steps or scorer.sampler.waiting(mixture):
            return
        agents = [probe.agent for probe in probes]
        if not main.scores.unscored:
            rows = scorer.block(len(waiting))
            table = scorer.probes.scores(agents, main.agent, rows, scorer.key, now)
            self.new.append(table[:, :, : len(waiting)])
            paid = unpack(rows, scorer.probes.compiled.spec).reward[: len(waiting)]
            self.rewards.extend(float(each) for each in paid)
            self.ended.extend(waiting)
        if (now + 1) % EVERY == 0:
            rows = scorer.sampler.probe(ROWS, scorer.draws.at(now))[0]
            self.offline.append(scorer.probes.scores(agents, main.agent, rows, scorer.key, now))
            self.at.append(len(self.ended))


def record(plan: Plan, path: Path) -> None:
    with tempfile.TemporaryDirectory() as root:
        run = Run(plan, RunFolder(Path(root) / "run"), lambda _: None, StopRequest())
        run.begin()
        if plan.config.offline_steps:
            run.pretrain()
        run.go_online()
        loop = run.online_loop()
        assert loop.scorer is not None
        recorder = Recorder(loop.scorer)
        for _ in dataclasses.replace(loop, scorer=recorder).run(run.state):  # pyright: ignore[reportArgumentType] -- it scores as a scorer does
            pass
        run.close()
    q, spread, target = np.concatenate(recorder.new, axis=2).transpose(1, 2, 0)
    blocks = {"off": np.array(recorder.offline), "offat": np.array(recorder.at)}
    kept: dict[str, Any] = {
        "q": q,
        "v": spread,
        "y": target,
        "r": recorder.rewards,
        "e": recorder.ended,
    }
    discount = run.online_agent.agent.discount
    ratios = np.array(validated_of(plan).ratios)
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, ratios=ratios, g=np.array(discount), **kept, **blocks)


def validated_of(plan: Plan) -> ValidatedMixer:
    assert isinstance(plan.mixer, ValidatedMixer)
    return plan.mixer


def returns(saved: Any) -> Floats:
    """Observed returns to the end of the episode, which ends in each probe's own target."""
    found, following = np.empty_like(saved["y"]), None
    for index in reversed(range(len(found))):
        if following is None or saved["e"][index]:
            following = saved["y"][index]
        else:
            following = saved["r"][index] + float(saved["g"]) * following
        found[index] = following
    return found


def judge(saved: Any, interval: int) -> dict[str, Floats]:
    """Mean errors of every interval, a column per probe."""
    observed, found = returns(saved), dict[str, list[Floats]]()
    for start in range(0, len(saved["q"]) - interval + 1, interval):
        part = slice(start, start + interval)
        q, v, y = (saved[name][part] for name in ("q", "v", "y"))
        inside = (saved["offat"] > start) & (saved["offat"] <= start + interval)
        old_q, old_v, old_y = saved["off"][inside].transpose(2, 0, 3, 1)
        bellman = (v + (q - y) ** 2).mean(0)
        offline = (old_v + (old_q - old_y) ** 2).mean((0, 1))
        judged = {
            "bellman": bellman,
            "common": (v + (q - y.mean(1, keepdims=True)) ** 2).mean(0),
            "over variance": bellman / (y.var(0) + TINY),
            "members": np.maximum(((q - y) ** 2 - v).mean(0), TINY),
            "return": (v + (q - observed[part]) ** 2).mean(0),
            "offline": offline,
            "with offline": bellman**0.75 * offline**0.25,
        }
        for name, errors in judged.items():
            found.setdefault(name, []).append(errors)
    return {name: np.array(errors) for name, errors in found.items()}


def chosen(errors: Floats, mixer: ValidatedMixer) -> float:
    """The mean ratio over the last half of the phase."""
    state, ratios = mixer.init(0), list[float]()
    for index, each in enumerate(errors):
        decision = mixer.propose(state, Context())
        evidence = Evidence(probe_errors={"bellman": tuple(each.tolist()), "return": None})
        state = mixer.observe(state, finish_period(index, decision, evidence, None))
        ratios.append(mixer.propose(state, Context()).offline_ratio)
    return float(np.mean(ratios[len(ratios) // 2 :]))


def describe(saved: Any) -> None:
    mixer = ValidatedMixer(ratios=tuple(saved["ratios"].tolist()))
    for name, errors in judge(saved, mixer.interval).items():
        late = relative_logs(errors)[len(errors) // 2 :].mean(0)
        settings = [dataclasses.replace(mixer, offline_preference=p) for p in (0.5, 0.25, 0.0)]
        picked = [chosen(errors, each) for each in settings]
        logs = " ".join(f"{each:+.2f}" for each in late)
        print(f"  {name:14s} {logs}   m = {' '.join(f'{each:.2f}' for each in picked)}")


def plans(flags: argparse.Namespace, root: Path) -> Any:
    """Case, seed and plan; logs of ``shifted`` are made first."""
    logs = dict(each.split("=", 1) for each in flags.data)
    for grid, cases, name in (
        (validated(), flags.cases, "Validated"),
        (shifted(), flags.shifted, "validated"),
    ):
        for cell in grid.part(cases=cases, strategies=[name], seeds=flags.seeds).cells():
            if not cases or (flags.out / f"{cell.case}-{cell.seed}.npz").exists():
                continue
            file = logs.get(cell.case)
            if file is None and cell.data is not None:
                job = Job(
                    f"log-{len(list(root.iterdir()))}",
                    "data",
                    "",
                    (),
                    {"words": cell.data.words(None)},
                )
                store = Store(root)
                make_data(store, job, lambda _: None)
                (file,) = store.place(job).glob("*.hdf5")
            own = (
                cell.plan.own
                if file is None
                else dataclasses.replace(cell.plan.own, data=f"file:{file}")
            )
            yield cell.case, cell.seed, dataclasses.replace(cell.plan, own=own)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("out", type=Path)
    parser.add_argument("--cases", nargs="*", default=list(EMBEDDED))
    parser.add_argument("--shifted", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--data", nargs="*", default=[], help="CASE=FILE of a log that is there")
    flags = parser.parse_args()
    prepare_jax(1)
    flags.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as root:
        for case, seed, plan in plans(flags, Path(root)):
            record(plan, flags.out / f"{case}-{seed}.npz")
    for path in sorted(flags.out.glob("*.npz")):
        print(path.stem)
        describe(np.load(path))


if __name__ == "__main__":
    main()
