"""Costs of maps without kinks: linear maps, diagonal networks, and parallel paths of one weight per
layer.
"""

from numbers import Integral

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.costs.linear_layers.contraction import frame, power_sum, rounding
from repcost.costs.linear_layers.row_space import (
    Coordinates,
    graded_coordinates,
    outward,
    plain_coordinates,
    scaled_rows,
)
from repcost.rounding import UNIT


def linear_map_cost(A: ArrayLike, depth: int) -> Bracket:
    """The least sum of squared weights of `depth` matrices with product A: L sum_k s_k^(2/L).

    Not divided by L: all weights, each once; A is (m, n), s_k are its singular values, depth >= 1.
    Certified for these
    floats: singular values come with relative bounds. If A has dependent rows up to rounding only,
    the lower end is the cost with that rounding removed, and the upper end adds what it may cost.

    >>> round(linear_map_cost([[8.0, 0.0], [0.0, 1.0]], 3).value, 10)
    15.0
    """
    A, depth = finite_array(A, "A", 2), whole_depth(depth, least=1)
    if depth == 1:
        return _sum_of_powers(A.ravel(), 2.0, 1.0)
    lower, upper, proven = _schatten_ends(A, depth)
    if upper > 0:
        lower, upper = (
            float(np.nextafter(lower * depth, 0.0)),
            float(np.nextafter(upper * depth, np.inf)),
        )
    return Bracket(lower, upper, "certified", "upper" if proven else "lower")


def diagonal_cost(w: ArrayLike, depth: int) -> Bracket:
    """The least sum of squared weights of `depth` vectors whose entrywise product is w (n,): L
    sum_i |w_i|^(2/L).

    Not divided by L. Certified: every power and the sum widened by their rounding.

    >>> round(diagonal_cost([8.0, -1.0], 3).value, 12)
    15.0
    """
    depth = whole_depth(depth, least=1)
    return _sum_of_powers(finite_array(w, "w", 1), 2 / depth, depth)


def parallel_cost(alpha: ArrayLike, depth: int) -> Bracket:
    """The cost of parallel paths with `depth` layers of unit directions: sum_i |alpha_i|^(2/L),
    alpha (K,).

    Divided by L, as Phi_L is: Corollary 3.7 of Ongie & Willett (2022), eq. (17). Certified like
    `diagonal_cost`.

    >>> round(parallel_cost([8.0, -1.0], 3).value, 12)
    5.0
    """
    return _sum_of_powers(finite_array(alpha, "alpha", 1), 2 / whole_depth(depth, least=1), 1.0)


def schatten_power(A: ArrayLike, p: float) -> float:
    """sum_k s_k^p over the singular values of A (m, n) that stand above rounding: the Schatten
    quasi-norm to its p.

    |W|_q^q in Lemma 3.2 of Ongie & Willett (2022), eq. (10), with q = 2/(L-1). A plain float, without a certificate.

    >>> schatten_power([[4.0, 0.0], [0.0, 9.0]], 0.5)
    5.0
    """
    A, p = finite_array(A, "A", 2), float(finite_array(p, "p", 0))
    if p <= 0:
        raise ValueError(
            f"p must be positive, not {p}; numpy.linalg.matrix_rank counts singular values"
        )
    s = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(0)
    return float((s[s > 4 * np.finfo(float).eps * max(A.shape) * s.max(initial=0.0)] ** p).sum())


def whole_depth(depth: int, least: int = 2) -> int:
    """`depth` as an int; ValueError below `least`."""
    if isinstance(depth, bool) or not isinstance(depth, Integral) or depth < least:
        raise ValueError(f"depth must be a whole number of layers, at least {least}, not {depth!r}")
    return int(depth)


def _sum_of_powers(x: Float[np.ndarray, " n"], power: float, factor: float) -> Bracket:
    size = np.abs(x[x != 0])
    # 4 units a power, one a term and the factor, |log x| for the rounded exponent: at most 745.
    log = float(np.abs(np.log(size)).max(initial=0.0))
    with np.errstate(over="ignore", under="ignore"):
        value = factor * float((size**power).sum())
    allowance = UNIT * (len(size) + 12 + 2 * log)
    if np.isinf(value):
        raise ValueError("the sum is larger than floats go; divide by a power of two first")
    # A square below the smallest normal float loses digits, and one below the smallest float is
    # lost.
    lost = len(size) * factor * 2.0**-1073 if power > 1 else 0.0
    return Bracket(value * (1 - allowance), value * (1 + allowance) + lost, "certified")


def _schatten_ends(A: Float[np.ndarray, "m n"], depth: int) -> tuple[float, float, bool]:
    """Bounds of sum s_k^(2/L), and whether the number of singular values is proven."""
    A = A if A.shape[0] >= A.shape[1] else A.T
    A = A[:, A.any(0)]
    rows = scaled_rows(A, np.ones(len(A)))
    if ((np.abs(rows.directions) < 2.0**-1000) & (A != 0)).any():
        raise ValueError(
            "entries within one row of A differ by more than 2^1000; replace the small ones by zero"
        )
    rows = rows.part(rows.alive)
    if not A.size:
        return 0.0, 0.0, True
    if (rows.exponents - rows.top).min() < -300:
        raise ValueError("rows of A differ by more than 2^300; replace the small ones by zero")
    found = []
    if len(rows.factors) >= A.shape[1]:
        found.append(_ends_in(plain_coordinates(rows), 1 / depth, graded=False))
    if not found or found[0][1] > found[0][0] * (1 + 1e-11):
        found.append(_ends_in(graded_coordinates(rows), 1 / depth, graded=True))
    lower, upper = max(ends[0] for ends in found), min(ends[1] for ends in found)
    lower, upper = outward(lower, upper, rows.top, depth)
    return float(lower), float(upper), found[-1][2]


def _ends_in(space: Coordinates, power: float, graded: bool) -> tuple[float, float, bool]:
    ones = np.ones(len(space.Y))
    V = np.linalg.svd(space.Y, full_matrices=False)[2].T
    seen = frame(space.Y, space.error, V, graded)
    if not seen.sound:
        return 0.0, np.inf, space.divides
    value, below, above = power_sum(space, seen, ones, power)
    allowance = rounding(seen, 0)
    return (
        float(value * (below - allowance)),
        float(value * (above + 1.1 * allowance * above)),
        space.divides,
    )
