"""``road export``: the policy of a run as a file, or its curves for a tracker."""

from road.cli.dispatch import Action, list_actions, run_action
from road.errors import UsageError

ACTIONS = {
    "numpy": Action("policies", "the policy, as an NPZ file for road.load_policy"),
    "onnx": Action("policies", "the policy, as one ONNX graph"),
    "tensorboard": Action("trackers", "what runs have recorded, as event files"),
    "wandb": Action("trackers", "what runs have recorded, as W&B runs in offline mode"),
}
WIDE = list_actions({name.ljust(11): action for name, action in ACTIONS.items()})

USAGE = f"""usage: road export FORMAT RUN [OPTIONS]

formats:
{WIDE}

`road export FORMAT --help` tells more.
"""


def export_command(words: list[str]) -> int:
    if words and words[0] not in ACTIONS and "--to" in words:
        raise UsageError(
            "name the format first: road export tensorboard RUN [RUN ...] --out FOLDER"
        )
    return run_action(words, ACTIONS, USAGE, "format", "road.cli.export")
