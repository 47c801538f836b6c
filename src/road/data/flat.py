"""D4RL's layout: an HDF5 file of flat arrays, rows in time order."""

from pathlib import Path

from road.data.blocks import Room, in_memory
from road.data.dataset import FLAGS
from road.data.hdf5 import opened, read_array
from road.data.log import Log, find_names, make_log


def read_flat(path: Path, room: Room = in_memory) -> Log:
    """The arrays of the file that have a known name; whatever else it holds is not touched."""
    with opened(path) as file:
        present = find_names(str(path), map(str, file))
        arrays = {
            field: read_array(path, file, name, field, in_memory if field in FLAGS else room)
            for field, name in present.items()
        }
    return make_log(str(path), arrays)
