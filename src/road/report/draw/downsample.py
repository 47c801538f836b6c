"""Long series reduced to few points to draw, with their extremes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics import Floats


@dataclass(frozen=True)
class Downsampled:
    """Neighbouring points taken together: where, their mean, their extremes."""

    x: Floats
    mean: Floats
    low: Floats
    high: Floats

    @property
    def is_whole(self) -> bool:
        """Whether no points were taken together."""
        return bool(np.array_equal(self.low, self.high))

    def hovers(self, where: str) -> list[str]:
        """The hover text of each point."""
        pairs = zip(self.x, self.mean, strict=True)
        return [f"{where} {step:,.0f}: {value:.4g}" for step, value in pairs]

    @property
    def extent(self) -> Floats:
        """The means and nearly all of the swing: a lone spike must not flatten the rest."""
        if not self.mean.size:
            return self.mean
        return np.append(self.mean, [np.percentile(self.low, 2), np.percentile(self.high, 98)])


def downsample(x: Floats, y: Floats, most: int) -> Downsampled:
    """At most that many points; unknown values are left out."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    starts = bin_starts(len(x), most)
    if not starts.size:
        return Downsampled(x, y, y, y)
    sizes = np.diff(np.append(starts, len(x)))
    return Downsampled(
        np.add.reduceat(x, starts) / sizes,
        np.add.reduceat(y, starts) / sizes,
        np.minimum.reduceat(y, starts),
        np.maximum.reduceat(y, starts),
    )


def bin_starts(length: int, most: int) -> NDArray[np.intp]:
    """Where each of at most ``most`` bins of nearly equal size begins."""
    return np.unique(np.linspace(0, length, min(length, most), endpoint=False).astype(np.intp))


def moving_average(y: Floats, width: int) -> Floats:
    """Centred moving average; at the ends, over what there is. Unknown values do not count."""
    known = np.isfinite(y)
    window = np.ones(width)
    total = np.convolve(np.where(known, y, 0.0), window, "same")
    count = np.convolve(known.astype(float), window, "same")
    return np.where(count > 0, total / np.maximum(count, 1.0), np.nan)


def spread_evenly(length: int, most: int) -> NDArray[np.intp]:
    """Indices of at most that many elements, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, min(length, most)).round().astype(np.intp))
