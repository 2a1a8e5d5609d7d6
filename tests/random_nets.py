"""Random deep networks, with floats or with small whole numbers in them."""

from itertools import pairwise

import numpy as np

from repcost import DeepNet


def random_net(*widths: int, seed: int = 0, negative_slope: float = 0.0) -> DeepNet:
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(out, into)) for into, out in pairwise(widths)]
    return DeepNet(weights, [rng.normal(size=out) for out in widths[1:]], negative_slope)


def whole_net(*widths: int, seed: int = 0, negative_slope: float = 0.0) -> DeepNet:
    """Entries -2, ..., 2: many lines meet in one point, coincide, or follow the border of the
    domain.
    """
    rng = np.random.default_rng(seed)
    weights = [rng.integers(-2, 3, size=(out, into)) for into, out in pairwise(widths)]
    return DeepNet(weights, [rng.integers(-2, 3, size=out) for out in widths[1:]], negative_slope)
