"""False alarms of the data doctor on sound logs, and what it finds in corrupted copies of them.

    python -m benchmarks.doctor [--env] [FILE=TASK ...]

The logs are those of the embedded tasks, and files with the task that each was logged for. Without
``--env`` only the checks of the log alone are counted; with it steps are sampled in the task's
environment, too. A log of an embedded task whose actions are negated on purpose is counted among
the negated ones, not among the sound ones. Every corruption is one line of the table.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from road.data import Dataset, examine, from_arrays, load
from road.data.compare import compare
from road.data.diagnostics import beyond_limit
from road.tasks.catalogue import EMBEDDED_TASKS, as_logged
from road.tasks.sampled import sample_steps
from road.tasks.task import Task

MISLEADS = "misleads on purpose"
"""What the description of a task says whose log is not sound."""
ORDER = ("rows shuffled?", "actions are stored a row", "is it the box of the actuators")


def shuffled(dataset: Dataset, *, within: bool) -> Dataset:
    """Rows in random order, of the whole log or of each episode; stored without successors."""
    episode = np.append(0, np.cumsum(dataset.episode_ends)[:-1])
    rows = np.random.default_rng(0).permutation(len(dataset))
    rows = rows[np.argsort(episode[rows], kind="stable")] if within else rows
    arrays = {name: dataset.arrays()[name][rows] for name in ("observation", "action", "reward")}
    ends = slice(None) if within else rows
    return from_arrays(
        arrays | {"terminals": dataset.terminated[ends], "timeouts": dataset.truncated[ends]}
    )


def moved(dataset: Dataset, rows: int) -> Dataset:
    return replace(dataset, action=np.roll(dataset.action, rows, axis=0))


def scaled(
    dataset: Dataset, action: float = 1.0, reward: float = 1.0, shift: float = 0.0
) -> Dataset:
    paid = (reward * dataset.reward + shift).astype(np.float32)
    return replace(dataset, action=np.float32(action) * dataset.action, reward=paid)


ALONE: dict[str, Callable[[Dataset], Dataset]] = {
    "sound": lambda dataset: dataset,
    "rows shuffled": partial(shuffled, within=False),
    "rows shuffled within episodes": partial(shuffled, within=True),
    "actions a row late": partial(moved, rows=1),
    "actions a row early": partial(moved, rows=-1),
    "actions at the box": lambda d: replace(d, action=np.where(d.action > 0, 1, -1).astype("f4")),
}
COMPARED: dict[str, Callable[[Dataset], Dataset]] = {
    "sound": lambda dataset: dataset,
    "actions negated": partial(scaled, action=-1.0),
    "actions halved": partial(scaled, action=0.5),
    "rewards times 10": partial(scaled, reward=10.0),
    "rewards times 0.1": partial(scaled, reward=0.1),
    "rewards times 2": partial(scaled, reward=2.0),
    "rewards plus 1": partial(scaled, shift=1.0),
}


def logs(files: list[str]) -> Iterator[tuple[str, Dataset, Task]]:
    for task in EMBEDDED_TASKS:
        yield task.name, task.dataset(), task
    for pair in files:
        path, _, name = pair.rpartition("=")
        task = as_logged(name)
        if task is None:
            raise SystemExit(f"{pair}: FILE=TASK is needed, with a task of `road list tasks`")
        yield path, task.mend(load(f"file:{path}")), task


def found_alone(dataset: Dataset) -> bool:
    return any(word in str(found) for found in examine(dataset).warnings for word in ORDER)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.doctor", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE=TASK")
    parser.add_argument("--env", action="store_true", help="compare with sampled steps")
    flags = parser.parse_args()
    counts: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for name, dataset, task in logs(flags.files):
        sound = MISLEADS not in task.description
        found = [change for change, make in ALONE.items() if found_alone(make(dataset))]
        counts.update(found)
        total.update(list(ALONE))
        if task.horizon is not None:
            counts["longer than the limit"] += any(beyond_limit(dataset, task.horizon, name))
            total["longer than the limit"] += 1
        if flags.env:
            steps = sample_steps(task.environment(), dataset)
            warned = {
                change: any(f.level == "warning" for f in compare(make(dataset), steps)[0])
                for change, make in COMPARED.items()
            }
            if not sound:  # as it is, its actions are negated
                warned = {"actions negated": warned["sound"], "sound": warned["actions negated"]}
            counts.update(f"sampled: {change}" for change in warned if warned[change])
            total.update(f"sampled: {change}" for change in warned)
            found += [f"sampled: {change}" for change in warned if warned[change]]
        print(f"{name}: {', '.join(found)}", flush=True)
    for change in total:
        print(f"{change:32} {counts[change]:3} of {total[change]}")


if __name__ == "__main__":
    main()
