"""The weight w_g of the paper's outer gradient as a row weighting (ROAD, Eq. outer-level gradient).

    w_g(s, a) = d_pi(s) pi'(a | s) / d_sample(s, a),    pi' = pi · (1 + beta A)

The ideal mixture is the policy's own distribution, tilted towards actions of high advantage. Online
rows are nearly of that distribution; offline rows are led to it by the ratio w of the online to
the offline density, learnt as in Balanced Replay:

    weight = w(s, a) · max(1 + beta A(s, a), 0)      an offline row
    weight = max(1 + beta A(s, a), 0)                an online row

The paper leaves this for future work; what is open in it is ours: d_pi is taken to be the
distribution of the whole replay buffer, a negative pi' counts as 0 (the paper's pi' is then no
distribution), and A is in units of its spread over the batch.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from road.mixing.sample_level import OuterGradientMixer
from road.replay.appraisal import Appraisal
from road.replay.buffer import OnlineBuffer
from road.reweighting.balanced_replay import BalancedReplay


def make_outer_gradient(
    settings: OuterGradientMixer, offline: NDArray[np.float32], online: OnlineBuffer, seed: int
) -> BalancedReplay:
    return BalancedReplay(settings, offline, online, seed, partial(outer_weights, settings))


def outer_weights(
    settings: OuterGradientMixer,
    density: NDArray[np.float64],
    is_offline: NDArray[np.bool_],
    appraisal: Appraisal,
) -> NDArray[np.float64]:
    """w_g, kept within the settings' bounds: no row that was drawn is lost for good."""
    tilt = np.maximum(1.0 + settings.tilt * appraisal.advantage, 0.0)
    return np.clip(np.where(is_offline, density, 1.0) * tilt, settings.least, settings.most)
