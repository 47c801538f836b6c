"""``road export numpy`` and ``road export onnx``: the policy of a run as one file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from road.cli.flags import parse_flags
from road.data.formats import need
from road.errors import UsageError
from road.policies.file import write_policy_file
from road.policies.saved import Saved, read_saved
from road.terminal import say


@dataclass(frozen=True)
class PolicyFile:
    """Write the policy of a run, finished or not, with its normaliser and its box of actions."""

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    out: Annotated[Path, tyro.conf.Positional]
    """The file to write."""
    best: bool = False
    """Take the checkpoint of the best evaluation instead of the newest one."""


def numpy_command(words: list[str]) -> int:
    flags, saved = parse(words, "numpy", ".npz")
    write_policy_file(saved, flags.out)
    say(f"{flags.out}: {saved.name}; road.load_policy({str(flags.out)!r}) reads it\n")
    return 0


def onnx_command(words: list[str]) -> int:
    flags, saved = parse(words, "onnx", ".onnx")
    onnx = need("road.policies.onnx", "onnx", "road export onnx")
    difference = onnx.write_onnx(saved, flags.out)
    say(
        f"{flags.out}: {saved.name}; onnxruntime and road.load_policy differ by at most "
        f"{difference:.1g} of the box on {onnx.CHECKED:,} observations\n"
    )
    return 0


def parse(words: list[str], kind: str, suffix: str) -> tuple[PolicyFile, Saved]:
    flags = parse_flags(PolicyFile, words, f"export {kind}")
    if flags.out.suffix != suffix:
        raise UsageError(f"the file of road export {kind} ends in {suffix}, got {flags.out}")
    return flags, read_saved(flags.folder, best=flags.best)
