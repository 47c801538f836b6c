"""Frames of a policy at work: a GIF, an MP4, or some of them side by side for the report."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats import need
from road.errors import StorageError, UsageError
from road.files import storage_errors, temporary, write_bytes

Frame = NDArray[np.uint8]
KINDS = (".mp4", ".gif")
GIF_FRAMES_PER_SECOND = 25.0
"""Viewers slow down what is faster."""
GIF_WIDTH = 320
MOST_GIF_FRAMES = 1500
STRIP_FRAMES, STRIP_WIDTH = 8, 160
STRIP_COLOURS = 64


def check_video(path: Path) -> None:
    """Refused before anything is played."""
    if path.suffix not in KINDS:
        raise UsageError(f"a video ends in {' or '.join(KINDS)}, got {path}")
    if path.suffix == ".mp4":
        need("imageio_ffmpeg", "video", "--video *.mp4")
    need("PIL.Image", "video", "--video")


@contextmanager
def video(path: Path, rate: float) -> Generator[Callable[[Frame], None]]:
    """Takes the frames of a film; the file is there at the end, whole."""
    with storage_errors(f"write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gif":
            with gif(path, rate) as add:
                yield add
            return
        with temporary(path) as aside:
            with mp4(aside, rate) as add:
                yield add
            aside.replace(path)


@contextmanager
def mp4(path: Path, rate: float) -> Generator[Callable[[Frame], None]]:
    ffmpeg: Any = need("imageio_ffmpeg", "video", "--video *.mp4")
    writers: list[Any] = []

    def add(frame: Frame) -> None:
        if not writers:
            height, width = frame.shape[:2]
            settings = {"fps": rate, "codec": "libx264", "output_params": ["-f", "mp4"]}
            writers.append(ffmpeg.write_frames(str(path), (width, height), **settings))
            writers[0].send(None)
        writers[0].send(np.ascontiguousarray(frame))

    try:
        yield add
    finally:
        for writer in writers:
            writer.close()
    if not path.exists():
        raise StorageError(f"cannot write {path}: ffmpeg wrote nothing")


@contextmanager
def gif(path: Path, rate: float) -> Generator[Callable[[Frame], None]]:
    every = max(round(rate / GIF_FRAMES_PER_SECOND), 1)
    frames: list[Any] = []
    seen = 0

    def add(frame: Frame) -> None:
        nonlocal seen
        if seen % every == 0 and len(frames) < MOST_GIF_FRAMES:
            frames.append(shrink(frame, GIF_WIDTH))
        seen += 1

    yield add
    first, *others = frames
    content = BytesIO()
    duration = round(1000.0 * every / rate)
    first.save(content, "GIF", save_all=True, append_images=others, duration=duration, loop=0)
    write_bytes(path, content.getvalue())


def shrink(frame: Frame, width: int) -> Any:
    image: Any = need("PIL.Image", "video", "frames").fromarray(frame)
    if image.width <= width:
        return image
    return image.resize((width, round(image.height * width / image.width)))


def strip_frame(frame: Frame) -> Frame:
    """Small enough that a long episode fits into memory."""
    return np.asarray(shrink(frame, STRIP_WIDTH))


def write_strip(path: Path, frames: Sequence[Frame]) -> None:
    """Frames at equal distances in time, side by side, as a small PNG."""
    chosen = np.linspace(0, len(frames) - 1, min(STRIP_FRAMES, len(frames))).round().astype(int)
    strip = np.concatenate([frames[index] for index in chosen], axis=1)
    picture: Any = need("PIL.Image", "video", "--strip").fromarray(strip)
    content = BytesIO()
    picture.quantize(STRIP_COLOURS).save(content, "PNG", optimize=True)
    write_bytes(path, content.getvalue())
