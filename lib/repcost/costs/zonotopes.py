"""How far a point is from a zonotope: the sums of s_k m_k with |s_k| <= 1, for generators m_k."""

import numpy as np
from jaxtyping import Float
from scipy import sparse
from scipy.optimize import lsq_linear

from repcost.bounds import Bracket
from repcost.cones import balls, nonnegative, propose
from repcost.rounding import gamma

Point = Float[np.ndarray, " d"]
Generators = Float[np.ndarray, "K d"]
Shares = Float[np.ndarray, " K"]


def distance_to_zonotope(point: Point, generators: Generators) -> Bracket:
    """min over |s_k| <= 1 of |point - sum_k s_k m_k|, the Euclidean distance.

    The generators m_k are rows. Any such s gives an upper end, and any vector v with |v| <= 1
    a lower end, as |point - sum s_k m_k| is at least <v, point> - sum s_k <v, m_k> >= <v,
    point> - sum |<v, m_k>|; where v points from the nearest s_k m_k to the point, all this is
    equal. Least squares and Clarabel only propose s and v. Certified: both ends are moved
    outward by (K + d + 9) 2^-53 (|point| + sum |m_k|), which holds for entries well within the
    range of floats.

    >>> distance = distance_to_zonotope(np.array([4.0, 5.0]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> round(distance.value, 12), distance.gap < 1e-13
    (5.0, True)
    """
    lengths = np.linalg.norm(generators, axis=1)
    size = float(np.linalg.norm(point) + lengths.sum())
    # All others together make less than one rounding.
    generators = generators[lengths > 1e-30 * size]
    allowance = gamma(sum(generators.shape) + 9) * size
    # Deep inside, the shortest s of all is feasible, and no solver is needed.
    lower, upper = _ends(point, generators, np.linalg.lstsq(generators.T, point)[0])
    if upper - lower > allowance:
        shares, way = _solve(point / size, generators / size)
        for proposal in ((shares, way), (_sharpened(point, generators, way), None)):
            low, high = _ends(point, generators, *proposal)
            # Every proposal is a proof of its own, so the best ends of all count.
            lower, upper = max(lower, low), min(upper, high)
    return Bracket(max(0.0, lower - allowance), upper + allowance, "certified")


def _ends(
    point: Point, generators: Generators, shares: Shares, way: Point | None = None
) -> tuple[float, float]:
    """What the shares and the way prove, before rounding; without a way, what the shares leave."""
    # Clipped and normalised here, so that any proposal is feasible.
    rest = point - np.clip(shares, -1.0, 1.0) @ generators
    upper = float(np.linalg.norm(rest))
    v = rest if way is None else way
    length = float(np.linalg.norm(v))
    lower = float(v @ point - np.abs(generators @ v).sum()) / length if length else 0.0
    return max(0.0, lower), upper


def _solve(point: Point, generators: Generators) -> tuple[Shares, Point]:
    """min t with |point - sum s_k m_k| <= t and |s_k| <= 1, over (s, t).

    The way from the nearest point of the zonotope is, up to its length, the price of the first.
    """
    K, d = generators.shape
    ball = np.zeros((d + 1, K + 1))
    ball[0, K], ball[1:, :K] = -1.0, generators.T
    box = sparse.eye_array(K, K + 1)
    rows = sparse.vstack([ball, box, -box], format="csc")
    right = np.concatenate([[0.0], point, np.ones(2 * K)])
    only_t = np.eye(1, K + 1, K)[0]
    cones = [*balls(d + 1), *nonnegative(2 * K)]
    found = propose(None, only_t, rows, right, cones, tolerance=1e-13)
    return found.x[:K], -found.prices[1 : d + 1]


def _sharpened(point: Point, generators: Generators, way: Point) -> Shares:
    """The shares that the way asks for: all or nothing, but for generators orthogonal to it.

    Those, up to little, are few, and an active set finds their shares to the last digit.
    """
    prices = generators @ way
    slopes = np.abs(prices) / np.linalg.norm(generators, axis=1)
    unsure = slopes <= max(1e-4 * np.linalg.norm(way), slopes.min())
    shares = np.where(unsure, 0.0, np.sign(prices))
    rest = point - shares @ generators
    few = generators[unsure].T
    shares[unsure] = lsq_linear(few, rest, (-1, 1), "bvls", tol=1e-15, max_iter=100).x
    return shares
