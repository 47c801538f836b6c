"""``file:`` paths: the user's own logs, in the formats that people keep them in."""

from pathlib import Path

from road.data.arrays import log_of, log_of_episodes
from road.data.blocks import Room, in_memory
from road.data.columns import Columns
from road.data.flat import read_flat
from road.data.log import Log
from road.data.npz import read_npz
from road.data.sniff import kind_of
from road.data.tables import read_csv, read_parquet
from road.errors import DataError, UsageError


def read_file(name: str, columns: Columns | None = None, room: Room = in_memory) -> Log:
    """A D4RL-layout HDF5 file, an NPZ, a folder of NPZ episodes, a CSV or a Parquet table."""
    path = Path(name).expanduser()
    if path.is_dir():
        return read_folder(path)
    if not path.exists():
        raise DataError(f"{path}: there is no such file")
    kind = kind_of(path)
    if columns is not None and kind in ("hdf5", "npz"):
        raise UsageError(f"{path}: columns are of tables; the arrays of this file have names")
    if kind == "hdf5":
        return read_flat(path, room)
    if kind == "npz":
        return log_of(str(path), read_npz(path))
    return read_parquet(path, columns) if kind == "parquet" else read_csv(path, columns)


def read_folder(path: Path) -> Log:
    """Episodes in the order of their file names."""
    files = sorted(path.glob("*.npz"))
    if not files:
        raise DataError(f"{path}: the folder holds no .npz episodes")
    for file in files:
        if kind_of(file) != "npz":
            raise DataError(f"{file}: this is not an NPZ archive")
    return log_of_episodes(str(path), ((file.name, read_npz(file)) for file in files))
