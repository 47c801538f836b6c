"""D4RL's layout: an HDF5 file of flat arrays, rows in time order."""

from pathlib import Path

from road.data.blocks import Room, in_memory
from road.data.dataset import FLAGS
from road.data.hdf5 import opened, read_array, read_attribute
from road.data.log import Log, find_names, make_log

BOX = "action_box"
"""Attribute of the actions: their lowest and highest value. D4RL's own files have none."""


def read_flat(path: Path, room: Room = in_memory) -> Log:
    """The arrays of the file that have a known name; whatever else it holds is not touched."""
    with opened(path) as file:
        present = find_names(str(path), map(str, file))
        arrays = {
            field: read_array(path, file, name, field, in_memory if field in FLAGS else room)
            for field, name in present.items()
        }
        box = read_attribute(file[present["action"]], BOX, (2,))
    log = make_log(str(path), arrays)
    log.action_box = None if box is None else (float(box[0]), float(box[1]))
    return log
