"""The columns of X V as they are: their lengths, and how far from orthogonal they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from repcost.costs.linear_layers.orthogonality import (
    departure,
    overlap,
    sheared_departure,
    straightened,
)
from repcost.costs.linear_layers.scaled_rows import Each, Floats
from repcost.rounding import TINY, gamma

# Beyond this the bounds of facts 3 to 7 are not used: their constants hold for small departures.
LARGEST_DEFECT = 0.05


@dataclass(frozen=True, eq=False)
class Frame:
    """Z = X V with |Z - exact| <= error, whose columns have squared lengths `sizes`.

    defect: the eta of fact 3, of the columns at unit length. turn: the nu of fact 4, of V.
    """

    Z: Float[np.ndarray, "*batch K r"]
    error: Float[np.ndarray, "*batch K r"]
    sizes: Float[np.ndarray, "*batch r"]
    defect: Each
    turn: Each

    @property
    def sound(self) -> Bool[np.ndarray, "*batch"] | bool | np.bool:
        return self.defect + self.turn < LARGEST_DEFECT

    @cached_property
    def positive_sizes(self) -> Float[np.ndarray, "*batch r"]:
        """`sizes`, with 1 in place of 0 (such a frame is not sound)."""
        return _positive(self.sizes)


def measured(X: Floats, error: Floats, V: Floats, graded: bool) -> Frame:
    """Measured, not assumed: every bound is computed from these floats.

    error: of X, entry by entry. graded: columns of very different length are made orthogonal
    to each other first.
    """
    r = X.shape[-1]
    Z = X @ V
    # 1.01, here and below, covers the rounding of the bounds themselves.
    error = 1.01 * ((gamma(r) * np.abs(X) + error) @ np.abs(V)) + TINY
    sheared = 0.0
    if graded:
        # Twice, because the first time works with columns that still hold each other.
        straight = straightened(Z, error, overlap, [*range(r - 1)] * 2)
        Z, error, sheared = straight.Z, straight.error, straight.sheared
    sizes = np.einsum("...kr,...kr->...r", Z, Z)
    turn = sheared_departure(departure(V), sheared)
    return Frame(Z, error, sizes, lengths_tell_singular_values(Z, error, sizes), turn)


def lengths_tell_singular_values(Z: Floats, error: Floats, sizes: Floats) -> Each:
    """Fact 3: the relative error eta of taking squared lengths for squared singular values."""
    K, r = Z.shape[-2:]
    lengths = np.sqrt(_positive(sizes))[..., None, :]
    B = Z / lengths
    spill = np.linalg.norm(error / lengths, axis=(-2, -1))
    seen = np.linalg.norm(np.swapaxes(B, -1, -2) @ B - np.eye(r), axis=(-2, -1))
    # Entries of B^T B are sums of K products of unit columns.
    rounded = seen + 1.1 * gamma(K + 6) * r
    defect = 1.01 * (rounded + 2.1 * spill + spill**2)
    return np.where((sizes > 0).all(-1), defect, np.inf)


def _positive(sizes: Floats) -> Floats:
    return np.where(sizes > 0, sizes, 1.0)
