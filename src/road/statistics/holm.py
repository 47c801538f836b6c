"""Several tests at once (Holm 1979): p-values that are adjusted for how many they are.

For m tests, with p sorted from the least to the greatest,

    adjusted p[i] = the greatest over k <= i of  min(1, (m - k + 1) p[k])

Whoever calls those below 0.05 real is wrong about even one of them in at most 5 % of such families
of tests, however they hang together. The least p is multiplied by m, the greatest by 1.
"""

import numpy as np

from road.statistics.checks import Floats


def holm_adjusted(p: Floats) -> Floats:
    """Each p adjusted for all of them, in the order in which they were given."""
    order = np.argsort(p)
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
