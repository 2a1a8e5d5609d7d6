"""How far columns are from orthonormal, and how to make them more so at a known loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.costs.linear_layers.scaled_rows import Each, Floats
from repcost.rounding import UNIT, gamma

Columns = Float[np.ndarray, "K r"]
# What multiples of column i are to be added to the columns after it.
ShearOf = Callable[[Columns, int], Float[np.ndarray, " rest"]]


def departure(Q: Floats) -> Each:
    """Fact 4: the nu that bounds |Q^T Q - 1|."""
    d, r = Q.shape[-2:]
    # The Frobenius norm bounds the spectral one, and so does r times the largest entry.
    seen = np.linalg.norm(np.swapaxes(Q, -1, -2) @ Q - np.eye(r), axis=(-2, -1))
    return 1.01 * seen + 1.1 * gamma(d + 1) * r


def sheared_departure(nu: Each, sheared: Each) -> Each:
    """The bound for Q T, from that for Q and one of |T^T T - 1|."""
    return nu + (1 + nu) * sheared


@dataclass(frozen=True, eq=False)
class Straightened:
    """Z T up to `error` (entry by entry), and a bound of |T^T T - 1|."""

    Z: Columns
    error: Columns
    sheared: float


def straightened(
    Z: Columns, error: Columns, shear_of: ShearOf, columns: Sequence[int]
) -> Straightened:
    """Each of `columns` in turn, times a shear, is added to all columns after it.

    This takes out of short columns what is left in them of longer ones: an entry of V that
    should be 1e-12 is known to 1e-16 only, and a large row shows that in a short column. T is
    as near to 1 as these errors of V are small; V T is never formed, where it would be rounded
    again.
    """
    r = Z.shape[1]
    Z, error, T = Z.copy(), error.copy(), np.eye(r)
    for i in columns:
        shear = shear_of(Z, i)
        moved = Z[:, i : i + 1] * shear
        rounded = 4 * UNIT * (np.abs(Z[:, i + 1 :]) + np.abs(moved))
        error[:, i + 1 :] += error[:, i : i + 1] * np.abs(shear) + rounded
        Z[:, i + 1 :] += moved
        T[:, i + 1 :] += T[:, i : i + 1] * shear
    # T is upper triangular. Its mirror image, taken away, leaves it orthogonal up to squares.
    back = np.triu(T, 1).T
    error += error @ np.abs(back) + 1.1 * gamma(r + 2) * (np.abs(Z) + np.abs(Z) @ np.abs(back))
    return Straightened(Z - Z @ back, 1.01 * error, _sheared(T - T @ back, len(columns)))


def _sheared(T: Float[np.ndarray, "r r"], steps: int) -> float:
    """A bound of |T^T T - 1| for a T that so many steps have rounded."""
    # Each step makes a product and a sum of every entry; the last one, and T^T T, r of each.
    r, size = len(T), np.linalg.norm(T)
    seen = np.linalg.norm(T.T @ T - np.eye(r))
    return float(1.01 * (seen + gamma(4 * steps + 4 * r + 8) * (1 + size) ** 2))


def overlap(Z: Columns, i: int) -> Float[np.ndarray, " rest"]:
    """The shear that takes column i out of the columns after it, as Gram and Schmidt do."""
    size = Z[:, i] @ Z[:, i]
    return -(Z[:, i] @ Z[:, i + 1 :]) / size if size > 0 else np.zeros(Z.shape[1] - i - 1)
