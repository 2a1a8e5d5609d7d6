"""How far floats are from what the units of a network receive, for all cells at once.

On a cell a unit receives w x + c, with rows (w, c) that go through the layers,

    r_1 = (W_1, b_1),    r_{l+1} = W_{l+1} D r_l + (0, b_{l+1}),

where D holds the slopes of the activation, between -1 and 1. So |r_l| <= B_l for

    B_1 = |(W_1, b_1)|,    B_{l+1} = |W_{l+1}| B_l + (0, |b_{l+1}|),

whatever the cell. In floats with unit roundoff U, a product with D is one rounding, a sum of n
products with a bias n + 1 more, in any order (Higham 2002, section 3.1). If floats of layer l are
off by at most E_l, those of the next are off by at most

    E_{l+1} = |W_{l+1}| E_l + gamma (|W_{l+1}| (B_l + E_l) + (0, |b_{l+1}|)),

with gamma = (n + 2) U / (1 - (n + 2) U) < (n + 4) U for n < 2^20. The first layer is given in
floats: E_1 = 0.

That is right up to underflow. Networks come here from the middle of the floats
(`repcost.far_networks`): no unit receives more than 2^40 on the box, and no weight is above 2^80. A
product loses at most 2^-1075 below the smallest float, and sums of 2^20 such losses, times weights
and coordinates, are far below TINY = 2^-963; so is what a network lost on its way to the middle.
TINY is added for each layer. Bounds are computed in floats too: sums of positive numbers, off by
less than 2^-31 of themselves, which GROWN makes good.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from repcost.deep_networks import DeepNet
from repcost.rounding import TINY, UNIT

# Bounds are enlarged by this for their own rounding.
GROWN = 1 + 2.0**-30

Columns = Float[np.ndarray, "units columns"]


@dataclass(frozen=True, eq=False)
class RowBounds:
    """For the rows (w, c) of the units of one layer, on whatever cell.

    size: no row is larger; error: no float is farther off; zero: entries that are 0 exactly.
    """

    size: Columns
    error: Columns
    zero: Bool[np.ndarray, "units columns"]


def row_bounds(net: DeepNet) -> list[RowBounds]:
    """Of each layer, outputs included, for a network in the middle of the floats."""
    first = np.column_stack([net.weights[0], net.biases[0]])
    found = [RowBounds(np.abs(first) * GROWN, np.full_like(first, TINY), first == 0)]
    for weight, bias in zip(net.weights[1:], net.biases[1:], strict=True):
        below, sizes = found[-1], np.abs(weight)
        size = sizes @ (below.size + below.error)
        size[:, -1] += np.abs(bias)
        rounding = (weight.shape[1] + 4) * UNIT * size
        error = (sizes @ below.error + rounding) * GROWN + TINY
        # Not by sizes, which may vanish.
        terms = (weight != 0).astype(float) @ ~below.zero
        terms[:, -1] += bias != 0
        found.append(RowBounds(size * GROWN + TINY, error, terms == 0))
    return found
