"""``road.load_policy``: the policy of a run folder, or of a file that ``road export`` wrote."""

from pathlib import Path

import numpy as np

from road.errors import UsageError
from road.policies.file import read_policy_file
from road.policies.policy import Policy
from road.policies.saved import read_saved


def load_policy(
    run: str | Path, *, best: bool = False, sample: bool = False, seed: int | None = None
) -> Policy:
    """The policy that a run has learnt, as a function from observations to actions.

    NumPy is enough to use it, and neither the environment nor the data need be there.

    Args:
        run: a run folder of ``road train``, of ``road.finetune(out=...)`` or of a grid that kept
            its checkpoints, finished or not; or a file that ``road export numpy`` wrote.
        best: take the checkpoint of the best evaluation instead of the newest one.
        sample: draw from the policy, as it explores in training, instead of its best action.
        seed: of the draws; None takes another one each time.

    Raises:
        UsageError: there is no run, it kept no checkpoint, or its agent is not one of the library.
        StorageError: files of the run cannot be read or are damaged.
    """
    path = Path(run).expanduser()
    if path.is_file():
        if best:
            raise UsageError(f"{path} holds one policy; best=True needs the run folder")
        saved = read_policy_file(path)
    else:
        saved = read_saved(path, best=best)
    rng = np.random.default_rng(seed) if sample else None
    return Policy(saved.network(), saved.spaces, saved.name, rng)
