"""Where and on what a record was made, and whether the machine was quiet meanwhile."""

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def describe_commit() -> dict[str, Any]:
    """The commit, and whether the tree differed from it, records and results aside."""
    changed = git("status", "--porcelain", "--", ".", ":!benchmarks/records", ":!docs/results")
    return {"commit": git("rev-parse", "HEAD"), "dirty": bool(changed)}


def git(*words: str) -> str:
    done = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def describe_machine() -> dict[str, Any]:
    return {
        "cores": cores(),
        "cpu": cpu_model(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = dict(line.split(":", 1) for line in lines if ":" in line)
    named = {name.strip(): value.strip() for name, value in named.items()}
    family = f"family {named.get('cpu family', '?')} model {named.get('model', '?')}"
    return f"{named.get('model name', platform.machine())} ({family})"


@dataclass(frozen=True)
class Ticks:
    """Processor time so far, in the kernel's ticks."""

    busy: int
    idle: int
    own: int
    """Of one process and its children that have ended."""


def read_ticks(pid: int) -> Ticks | None:
    """None where the kernel does not tell."""
    try:
        everyone = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
        process = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    user, nice, system, idle, waiting, *interrupts = map(int, everyone)
    own = sum(map(int, process[11:15]))
    return Ticks(user + nice + system + sum(interrupts), idle + waiting, own)


def foreign_load(before: Ticks | None, after: Ticks | None) -> float | None:
    """Share of the machine that went to other processes between two readings."""
    if before is None or after is None:
        return None
    busy, idle = after.busy - before.busy, after.idle - before.idle
    foreign = busy - (after.own - before.own)
    return max(foreign, 0) / max(busy + idle, 1)
