"""Whether a mean over tasks hangs on one of them.

With T tasks and the value x[t] of each:

    mean without u = 1/(T - 1) sum over t != u of x[t]

The least and the greatest of these T means. Where zero lies between them, one task decides which
side the mean is on: whatever its interval over seeds says, it is a statement about that task.
"""

import numpy as np

from road.statistics.checks import Floats


def means_without_one(by_task: Floats) -> tuple[float, float]:
    """The least and the greatest mean of ``by_task`` when one task is left out."""
    if by_task.ndim != 1 or len(by_task) < 2:
        raise ValueError(f"two tasks or more are needed to leave one out, got {by_task.shape}")
    means = (by_task.sum() - by_task) / (len(by_task) - 1)
    return float(np.min(means)), float(np.max(means))
