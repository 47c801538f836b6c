"""``road play``: roll out a run's policy, print the returns, and film it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from road.api.film import Frame, check_video, strip_frame, video, write_strip
from road.cli.flags import parse_flags
from road.errors import UsageError
from road.policies.saved import read_saved
from road.records.folder import FRAMES
from road.report import write_report
from road.tasks.rendering import draw, frames_per_second, open_drawable
from road.terminal import say


@dataclass(frozen=True)
class Play:
    """Roll out the best actions of a run's policy, in the episodes that `road eval` judges."""

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    episodes: int = 1
    """How many episodes."""
    video: Path | None = None
    """Film them into this file, .mp4 or .gif."""
    strip: bool = False
    """Put frames of the first episode, side by side, into the run's report.html."""
    best: bool = False
    """Take the checkpoint of the best evaluation instead of the newest one."""
    seed: int = 1_000_000
    """Seed of the episodes; the default is that of `road eval`."""
    env: str | None = None
    """Play in this environment, by its id; for a run that was given its own in Python."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that the environment imports; to be allowed again, as its code runs."""

    @property
    def films(self) -> bool:
        return self.strip or self.video is not None


def play_command(words: list[str]) -> int:
    flags = parse_flags(Play, words, "play")
    check_flags(flags)
    from road.training.play import environment_of_run, play

    saved = read_saved(flags.folder, best=flags.best, normalise=False)
    make = environment_of_run(flags.folder, flags.env, flags.allow_import)
    frames: list[Frame] = []
    returns: list[float] = []
    with ExitStack() as opened:
        environment: Any = opened.enter_context(
            open_drawable(make) if flags.films else closing(make())
        )
        watchers = list(cameras(flags, environment, frames, opened))

        def look(episode: int) -> None:
            if watchers:
                frame = draw(environment)
                for watch in watchers:
                    watch(episode, frame)

        for played in play(environment, saved.network().act, flags.seed, flags.episodes, look):
            returns.append(played.raw_return)
            line = f"episode {played.episode + 1}: return {played.raw_return:.6g}"
            say(f"{line}, {played.length} steps\n")
    say(f"{saved.name}: mean return {np.mean(returns):.6g}\n")
    show_files(flags, frames)
    return 0


def check_flags(flags: Play) -> None:
    if flags.episodes < 1 or flags.seed < 0:
        raise UsageError(f"needs episodes >= 1 and seed >= 0, got {flags.episodes}, {flags.seed}")
    if flags.video is not None:
        check_video(flags.video)


def cameras(
    flags: Play, environment: Any, frames: list[Frame], opened: ExitStack
) -> Iterator[Callable[[int, Frame], None]]:
    """What takes the frames: of all episodes for a video, of the first one for a strip."""
    if flags.video is not None:
        add = opened.enter_context(video(flags.video, frames_per_second(environment)))
        yield lambda _, frame: add(frame)
    if flags.strip:
        yield lambda episode, frame: None if episode else frames.append(strip_frame(frame))


def show_files(flags: Play, frames: list[Frame]) -> None:
    if flags.video is not None:
        say(f"video: {flags.video}\n")
    if flags.strip:
        write_strip(flags.folder / FRAMES, frames)
        report = write_report([flags.folder], flags.folder / "report.html")
        say(f"report: {report}\n")
