"""Costs of maps without kinks: linear maps, diagonal networks, and parallel paths.

Let A be a product of L matrices W_i, with singular values s_k(A). By Horn's inequalities sum_k
s_k(A)^(2/L) is at most the sum over k of the product over i of s_k(W_i)^(2/L); that product is
a geometric mean, which is at most the arithmetic one; so it is at most sum_i |W_i|_F^2 / L.
The roots of the singular value decomposition of A attain this. Diagonal networks and parallel
paths are the same with numbers in place of matrices.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.conventions import ALL_OF_WEIGHTS, WEIGHTS_OVER_DEPTH, Convention
from repcost.costs.linear_layers.power_sums import BEYOND_FLOATS, singular_powers
from repcost.rounding import UNIT
from repcost.scalars import positive_number, whole_depth
from repcost.scales import exponent_if_far

__all__ = ["diagonal_cost", "linear_map_cost", "parallel_cost", "schatten_power"]

_TOO_LARGE = "the sum is larger than floats go; divide {} by a power of two first"


def linear_map_cost(A: ArrayLike, depth: int) -> Bracket:
    """The least sum of squared weights of `depth` matrices with product A: L sum_k s_k^(2/L).

    Not divided by L: all weights, each once; A is (m, n), s_k are its singular values, depth
    >= 1. Certified for these floats: singular values come with relative bounds, so that the gap
    is rounding, or the Bracket has a `reason`. If A has dependent rows up to rounding only, the
    lower end is the cost with that rounding removed, and the upper end adds what it may cost.
    Entries of any size are taken, but within one row they may differ by 2^1000 at most.

    >>> round(linear_map_cost([[8.0, 0.0], [0.0, 1.0]], 3).value, 10)
    15.0
    """
    A, depth = finite_array(A, "A", 2), whole_depth(depth, least=1)
    if depth == 1:
        return _sum_of_powers(A.ravel(), "A", 2.0, 1.0, ALL_OF_WEIGHTS)
    ends = singular_powers(A, depth)
    lower, upper = float(ends.lower), float(ends.upper)
    if upper > 0:
        with np.errstate(over="ignore"):
            lower, upper = float(lower * np.float64(depth)), float(upper * np.float64(depth))
        if lower == np.inf:
            raise ValueError(_TOO_LARGE.format("A"))
        lower, upper = float(np.nextafter(lower, 0.0)), float(np.nextafter(upper, np.inf))
    reason = ends.reason if upper < np.inf else BEYOND_FLOATS
    return Bracket(lower, upper, "certified", counts=ALL_OF_WEIGHTS, reason=reason)


def diagonal_cost(w: ArrayLike, depth: int) -> Bracket:
    """The least squares of `depth` vectors with entrywise product w (n,): L sum_i |w_i|^(2/L).

    All weights, not divided by L. Certified: every power and the sum widened by their rounding,
    for floats of any size; refused where the cost is larger than floats go.

    >>> round(diagonal_cost([8.0, -1.0], 3).value, 12)
    15.0
    """
    depth = whole_depth(depth, least=1)
    return _sum_of_powers(finite_array(w, "w", 1), "w", 2 / depth, depth, ALL_OF_WEIGHTS)


def parallel_cost(alpha: ArrayLike, depth: int) -> Bracket:
    """The cost of parallel paths of unit directions: sum_i |alpha_i|^(2/L), alpha (K,).

    Divided by L = `depth`, as Phi_L is: Corollary 3.7 of Ongie & Willett (2022), eq. (17).
    Certified like `diagonal_cost`.

    >>> round(parallel_cost([8.0, -1.0], 3).value, 12)
    5.0
    """
    alpha, depth = finite_array(alpha, "alpha", 1), whole_depth(depth, least=1)
    return _sum_of_powers(alpha, "alpha", 2 / depth, 1.0, WEIGHTS_OVER_DEPTH)


def schatten_power(A: ArrayLike, p: float) -> float:
    """sum_k s_k^p over the singular values of A (m, n) that stand above rounding.

    The Schatten quasi-norm to its p: |W|_q^q in Lemma 3.2 of Ongie & Willett (2022), eq. (10),
    with q = 2/(L-1). A plain float, without a certificate.

    >>> schatten_power([[4.0, 0.0], [0.0, 9.0]], 0.5)
    5.0
    """
    A = finite_array(A, "A", 2)
    p = positive_number(p, "p", "numpy.linalg.matrix_rank counts singular values")
    s, exponent = _singular_values(A)
    # 2^(exponent p) in two parts, of which one may leave the range of floats.
    whole, rest = divmod(exponent * p, 1.0)
    with np.errstate(over="ignore", under="ignore"):
        total = float(np.ldexp((s**p).sum() * 2.0**rest, int(np.clip(whole, -5000, 5000))))
    if total == np.inf:
        raise ValueError(_TOO_LARGE.format("A"))
    return total


def _singular_values(A: Float[np.ndarray, "m n"]) -> tuple[Float[np.ndarray, " s"], int]:
    """Those above rounding, divided by a power of two; and its exponent.

    A power of what is only rounding need not be small.
    """
    if not A.any():
        return np.zeros(0), 0
    # Near the ends of the range of floats LAPACK's products leave it.
    exponent = exponent_if_far(A)
    s = np.linalg.svd(np.ldexp(A, -exponent), compute_uv=False)
    return s[s > 4 * np.finfo(float).eps * max(A.shape) * s.max()], exponent


def _sum_of_powers(
    x: Float[np.ndarray, " n"], name: str, power: float, factor: float, counts: Convention
) -> Bracket:
    """factor * sum |x_i|^power; zeros add nothing and have no logarithm."""
    size = np.abs(x[x != 0])
    # 4 units a power, one a term and the factor, |log x| for the rounded exponent: at most 745.
    log = float(np.abs(np.log(size)).max(initial=0.0))
    allowance = UNIT * (len(size) + 12 + 2 * log)
    # A square below the smallest normal float is rounded to a multiple of the smallest float.
    lost = len(size) * factor * 2.0**-1073 if power > 1 else 0.0
    with np.errstate(over="ignore", under="ignore"):
        value = factor * np.sum(size**power)
        lower, upper = value * (1 - allowance) - lost, value * (1 + allowance) + lost
    if lower == np.inf:
        raise ValueError(_TOO_LARGE.format(name))
    reason = "" if upper < np.inf else BEYOND_FLOATS
    return Bracket(max(0.0, float(lower)), float(upper), "certified", counts=counts, reason=reason)
