"""One number against two: at which depths a bent line through all points beats the identity.

The data are points X of the unit square with y = x. The identity fits them, through two numbers,
for two a layer. A function of one number fits them too: it costs a constant more than one a layer.
So few points and many layers favour the wrong rank, many points and few layers the true one.
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import pdist

from repcost.arrays import ArrayLike, finite_array
from repcost.balance import rebalance
from repcost.constructions.one_number import cheapest_projection, through_one_number
from repcost.deep_networks import DeepNet
from repcost.ranks.tours import shortest_open_tour

# 4, 5, 8, 11, ..., 2048: each is a root of two times the last.
DEPTHS = (4 * 2 ** (np.arange(19) / 2)).astype(int).tolist()


def unavoidable_slope(X: ArrayLike, Y: ArrayLike) -> float:
    """Every function of one number that takes X (N, d) to Y (N, m) is that steep somewhere.

    Proposition 10 of Jacot (2023): its values run along a path through all of Y, while the inputs
    are no farther apart than their diameter. Rounded down; the tour is bounded from below.

    >>> round(unavoidable_slope([[0.0], [1.0]], [[0.0], [3.0]]), 9)
    3.0
    """
    X, Y = finite_array(X, "X", 2), finite_array(Y, "Y", 2)
    return shortest_open_tour(Y).lower / float(pdist(X).max()) * (1 - 1e-12)


def identity_cheaper_until(slope: float) -> int:
    """The largest depth L at which a function that steep costs more than 2 L, or zero.

    By Proposition 3 of Jacot (2023) it costs L slope^(2/L) at least, and slope^(2/L) > 2 exactly
    for L < 2 log2(slope).

    >>> identity_cheaper_until(8.0), identity_cheaper_until(8.1), identity_cheaper_until(1.0)
    (5, 6, 0)
    """
    return max(int(np.ceil(2 * np.log2(slope))) - 1, 0)


@dataclass(frozen=True, eq=False)
class Crossing:
    """The first depth at which one number is cheaper, the network, and the best at half of it."""

    depth: int
    network: DeepNet
    at_half: DeepNet


def one_number_cheaper_from(X: Float[np.ndarray, "n 2"]) -> Crossing:
    """From which of `DEPTHS` on a built network through one number costs less than the identity.

    Equation (1) of Jacot (2023). What the best network found costs beyond 2 L falls with the depth,
    so bisection finds the first.

    >>> crossing = one_number_cheaper_from(np.array([[0.0, 0.0], [1.0, 0.2], [0.4, 0.9]]))
    >>> crossing.network.squared_norm < 2 * crossing.depth
    True
    """

    def is_cheaper(depth: int) -> bool:
        return _cheapest_fit(X, depth).squared_norm < 2 * depth

    first = bisect_left(DEPTHS, True, key=is_cheaper)
    if first == len(DEPTHS):
        raise ValueError(
            f"one number costs more than two up to depth {DEPTHS[-1]}; take fewer points"
        )
    depth = DEPTHS[first]
    return Crossing(depth, _cheapest_fit(X, depth), _cheapest_fit(X, depth // 2))


def _cheapest_fit(X: Float[np.ndarray, "n 2"], depth: int) -> DeepNet:
    # Half of the first depth is two, where nothing is carried: take the direction of depth three.
    unit = cheapest_projection(X, X, max(depth, 3))
    return rebalance(through_one_number(X, X, unit, depth))
