"""A3RL (Liu et al. 2025, arXiv:2502.07937): rows by density times exponential advantage.

    sigma = w(s, a) · exp(xi A(s, a))      an offline row       Eq. 4
    sigma = exp(xi A(s, a))                an online row
    draw in proportion to sigma^zeta

w is the ratio of the online to the offline density, learnt as in Balanced Replay and divided by its
mean over offline rows; A is the advantage of the row's action over one of the policy's.

Differs from the paper: no importance weights in the loss, as in Balanced Replay; the least of the
agent's critics in the place of a lower confidence bound of A, and no bound of w; A in units of its
spread over the batch, as in the authors' code, so that xi means the same on every task.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from road.mixing.sample_level import A3RLMixer
from road.replay.appraisal import Appraisal
from road.replay.buffer import OnlineBuffer
from road.reweighting.balanced_replay import BalancedReplay


def make_a3rl(
    settings: A3RLMixer, offline: NDArray[np.float32], online: OnlineBuffer, seed: int
) -> BalancedReplay:
    return BalancedReplay(settings, offline, online, seed, partial(a3rl_weights, settings))


def a3rl_weights(
    settings: A3RLMixer,
    density: NDArray[np.float64],
    is_offline: NDArray[np.bool_],
    appraisal: Appraisal,
) -> NDArray[np.float64]:
    """sigma^zeta, kept within the settings' bounds; from logarithms, which cannot overflow."""
    log_sigma = np.where(is_offline, np.log(density), 0.0)
    log_sigma = log_sigma + settings.advantage_weight * appraisal.advantage
    bounds = np.log(settings.least), np.log(settings.most)
    return np.exp(np.clip(settings.sharpness * log_sigma, *bounds))
