"""One pretraining for many runs: a run that begins at the switch, with what another has learnt.

It ends with the same bits as a run that has pretrained itself. The offline phase does not depend on
the mixer, so only the mixer's state is initialised; the journals are copied to the byte.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

from road.errors import DamagedError, StorageError, UsageError
from road.files import hash_bytes, write_bytes
from road.mixing import FixedMixer
from road.plain_files import read_plain
from road.records.folder import CONFIG, RunFolder, check_unused, read_run_file
from road.records.journal import Journal
from road.training.checkpoint import (
    Damaged,
    checkpoint_path,
    load_checkpoint,
    load_latest,
    save_checkpoint,
)
from road.training.config import Plan, plan_from_json
from road.training.identity import check_plan, identity_of
from road.training.launch import describe_run
from road.training.state import RunState, state_from
from road.training.validate import check_budget

ONLINE_ONLY = (
    *("online_steps", "updates_per_step", "warmup_steps", "period", "measure_batch"),
    *("buffer_capacity", "checkpoint_every"),
)
"""Settings of a run that its offline phase does not depend on."""


def offline_part(plan: Plan) -> dict[str, Any]:
    """What the offline phase is a function of, as plain data."""
    plain = json.loads(json.dumps(plan.to_json()))
    for mixed in ("mixer", "probes"):
        plain.pop(mixed, None)
    return {
        **{name: value for name, value in plain.items() if name not in ONLINE_ONLY},
        # The last offline agent is judged as step 0 of the online phase, if there is one.
        "goes_online": plan.config.online_steps > 0,
    }


def pretrains(plan: Plan) -> bool:
    """Whether the plan has an offline phase that others could share."""
    config = plan.config
    return bool(plan.recipe.offline is not None and config.offline_steps and config.online_steps)


def pretraining_plan(plan: Plan) -> Plan:
    """The plan to be run until the switch; any mixer would do."""
    return dataclasses.replace(plan, mixer_name="fixed", mixer=FixedMixer())


def branch_run(plan: Plan, path: Path, pretrained: Path, command: str) -> None:
    """Make a run folder that is at the switch; ``resume_run`` takes it from there.

    Raises:
        UsageError: the folder holds a run already, or what was pretrained is something else.
    """
    check_unused(path)
    check_budget(plan)
    state = pretrained_state(plan, pretrained)
    state.main.mixer, state.weighing = plan.mixer.init(plan.config.seed), {}
    folder = RunFolder(path)
    try:
        check_unused(path)
        copy_journals(pretrained, path, state)
        best = state.counters.best_position
        if best is not None and best != state.position:
            copy_checkpoint(plan, pretrained, folder, best)
        save_state(plan, folder, state)
        describe_run(plan, folder, command)
    finally:
        folder.release()


def pretrained_state(plan: Plan, pretrained: Path) -> RunState:
    """The state at the switch of a run that has pretrained what the plan asks for."""
    other = plan_from_json(read_run_file(pretrained, CONFIG), plan.allowed)
    ours, theirs = without_data_path(offline_part(plan)), without_data_path(offline_part(other))
    if different := sorted(n for n in {*ours, *theirs} if ours.get(n) != theirs.get(n)):
        raise UsageError(f"the pretraining settings in {pretrained} differ: {', '.join(different)}")
    saved = load_latest(pretrained / "checkpoints", lambda _: None)
    state = None if saved is None else state_from(*saved)
    check_plan(None if state is None else state.identity, other, pretrained)
    counters = None if state is None else state.counters
    if state is None or counters is None or counters.offline_updates < plan.config.offline_steps:
        raise UsageError(f"{pretrained} has not finished its pretraining")
    if counters.phase != "offline":
        raise UsageError(f"{pretrained} has gone online: it is past the switch")
    return state


def without_data_path(plain: dict[str, Any]) -> dict[str, Any]:
    """Without the place of its data, which may have moved: who shares knows it by its content."""
    return {**plain, "own": {n: v for n, v in plain.get("own", {}).items() if n != "data"}}


def copy_journals(source: Path, target: Path, state: RunState) -> None:
    """To the byte, and no row further than the checkpoint remembers."""
    digests = {} if state.identity is None else state.identity.journals
    for name in Journal.NAMES:
        try:
            rows = read_plain(source / f"{name}.jsonl")[: state.journals[name]]
        except OSError as error:
            raise StorageError(f"cannot copy {name}.jsonl of {source}: {error.strerror}") from error
        if hash_bytes(rows) != digests.get(name, hash_bytes(rows)):
            raise DamagedError(f"{source / name}.jsonl is damaged: pretrain that agent again")
        write_bytes(target / f"{name}.jsonl", rows)


def save_state(plan: Plan, folder: RunFolder, state: RunState) -> None:
    """A checkpoint of this plan, which goes on with the data and journals of the other."""
    known = state.identity
    data, journals = (None, {}) if known is None else (known.data, known.journals)
    save_checkpoint(
        folder.checkpoints,
        state.position,
        state.arrays(),
        state.document(),
        state.counters.best_position,
        identity_of(plan, data, journals).to_json(),
    )


def copy_checkpoint(plan: Plan, pretrained: Path, folder: RunFolder, position: int) -> None:
    """The best checkpoint so far, which a run keeps beside its newest ones."""
    source = checkpoint_path(pretrained / "checkpoints", position)
    try:
        save_state(plan, folder, state_from(*load_checkpoint(source)))
    except Damaged as damage:
        raise DamagedError(f"checkpoint {source} is damaged: {damage}") from damage
