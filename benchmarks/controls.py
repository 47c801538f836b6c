"""Controls that could explain the effect of ``validated`` away, on the cells of a finished grid.

    python -m benchmarks.controls GRID_FOLDER OUT [--strategy Validated] [--seeds 0 1 2]

For every finished cell of the strategy, these runs begin at the same switch on the same data:

    twice       a fixed ratio of 0.5 with two updates per step: the compute of the probes
    seen        probes judged on transitions of the replay buffer, which they have trained on
    replayed    the ratios that another seed of the task chose, without its evidence
    permuted    the weights of the probes in reverse order

A run that is finished is not run again. The table is printed and written to OUT/controls.csv.
"""

import argparse
import csv
import dataclasses
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from road.experiments.jobs import Job
from road.experiments.store import Store
from road.experiments.work import area_under, plan_of
from road.mixing import Context, Decision, FixedMixer, Mixture, Period, ProbeTraining
from road.mixing.validated import Judgement, ValidatedMixer
from road.records.journal import read_rows
from road.training.branch import branch_run
from road.training.config import Plan
from road.training.launch import resume_plan, start_run
from road.training.process import prepare_jax


@dataclass(frozen=True)
class Replayed:
    """Ratios in the caller's order, each for one interval; the last one stays."""

    path: tuple[float, ...]
    interval: int

    def init(self, seed: int) -> int:
        del seed
        return 0

    def propose(self, state: int, context: Context) -> Decision:
        del context
        ratio = self.path[min(state, len(self.path) - 1)]
        return Decision(Mixture(ratio), steps=self.interval)

    def observe(self, state: int, period: Period) -> int:
        del period
        return state + 1


@dataclass(frozen=True)
class Changed:
    """``validated`` with its weights reversed among the probes, or with another judgement."""

    mixer: ValidatedMixer
    reverse: bool = False
    fresh: bool = True

    @property
    def probe_mixers(self) -> Any:
        return self.mixer.probe_mixers

    @property
    def probe_training(self) -> ProbeTraining:
        return dataclasses.replace(self.mixer.probe_training, fresh=self.fresh)

    def init(self, seed: int) -> Judgement:
        return self.mixer.init(seed)

    def propose(self, state: Judgement, context: Context) -> Decision:
        decision = self.mixer.propose(state, context)
        if not self.reverse:
            return decision
        ratio = float(self.mixer.weights(state)[::-1] @ np.array(self.mixer.ratios))
        return dataclasses.replace(decision, mixture=Mixture(min(ratio, 1.0)))

    def observe(self, state: Judgement, period: Period) -> Judgement:
        return self.mixer.observe(state, period)


def twice(plan: Plan, path: tuple[float, ...]) -> Plan:
    del path
    config = dataclasses.replace(plan.config, updates_per_step=2 * plan.config.updates_per_step)
    return dataclasses.replace(plan, mixer_name="fixed", mixer=FixedMixer(0.5), config=config)


def replayed(plan: Plan, path: tuple[float, ...]) -> Plan:
    return with_mixer(plan, Replayed(path, validated_of(plan).interval))


def validated_of(plan: Plan) -> ValidatedMixer:
    if not isinstance(plan.mixer, ValidatedMixer):
        raise SystemExit(f"--strategy must be of validated, got {plan.mixer_name}")
    return plan.mixer


def with_mixer(plan: Plan, mixer: Any) -> Plan:
    return dataclasses.replace(plan, mixer_name=type(mixer).__name__, mixer=mixer)


CONTROLS: Mapping[str, Callable[[Plan, tuple[float, ...]], Plan]] = {
    "twice": twice,
    "seen": lambda plan, _: with_mixer(plan, Changed(validated_of(plan), fresh=False)),
    "replayed": replayed,
    "permuted": lambda plan, _: with_mixer(plan, Changed(validated_of(plan), reverse=True)),
}


def finished(store: Store, strategy: str, seeds: list[int]) -> Iterator[tuple[str, int, Job]]:
    for cell in store.description()["cells"]:
        done = (store.path / "done" / f"{cell['key']}.json").is_file()
        if done and cell["strategy"] == strategy and cell["seed"] in seeds:
            yield cell["case"], cell["seed"], store.job(cell["key"])


def run_control(store: Store, job: Job, plan: Plan, folder: Path) -> dict[str, float]:
    """From the switch of the cell's own pretraining, to the scores that a grid records."""
    if not (folder / "summary.json").exists():
        if (folder / "config.json").exists():
            resume_plan(plan, folder, ignore)
        elif "pretrained" in job.what:
            branch_run(plan, folder, store.path / "pretrained" / job.what["pretrained"], "control")
            resume_plan(plan, folder, ignore)
        else:
            start_run(plan, folder, "control", ignore)
        (folder / "summary.json").write_text(json.dumps(scores_of(folder)))
    return json.loads((folder / "summary.json").read_text())


def scores_of(folder: Path) -> dict[str, float]:
    rows = read_rows(folder / "evaluations.jsonl")
    return {"final": rows[-1]["score"], "area": area_under(rows) or 0.0}


def ignore(event: Any) -> None:
    del event


def ratios_of(folder: Path) -> tuple[float, ...]:
    rows = read_rows(folder / "mixer.jsonl")
    return tuple(row["offline_ratio"] for row in rows if not row.get("learner"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("grid", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--strategy", default="Validated")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--controls", nargs="+", choices=CONTROLS, default=list(CONTROLS))
    flags = parser.parse_args()
    prepare_jax(1)
    store = Store(flags.grid)
    jobs = {(case, seed): job for case, seed, job in finished(store, flags.strategy, flags.seeds)}
    rows = list[dict[str, Any]]()
    for (case, seed), job in jobs.items():
        others = [s for c, s in jobs if c == case and s != seed]
        path = ratios_of(store.place(jobs[case, min(others, key=lambda s: (s < seed, s))]))
        own = {"control": "validated", **scores_of(store.place(job))}
        rows.append({"case": case, "seed": seed, **own})
        for name in flags.controls:
            plan = CONTROLS[name](plan_of(store, job), path)
            folder = flags.out / f"{job.key}-{name}"
            scores = run_control(store, job, plan, folder)
            rows.append({"case": case, "seed": seed, "control": name, **scores})
            print(rows[-1], flush=True)
    write(rows, flags.out / "controls.csv")


def write(rows: list[dict[str, Any]], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    found = defaultdict[str, dict[tuple[str, int], dict[str, Any]]](dict)
    for row in rows:
        found[row["control"]][row["case"], row["seed"]] = row
    own = found.pop("validated")
    for name, cells in found.items():
        for score in ("final", "area"):
            gains = [own[place][score] - row[score] for place, row in cells.items()]
            print(f"validated minus {name}, {score}: {mean(gains):.1f} over {len(gains)} runs")


if __name__ == "__main__":
    main()
