"""Functions of one number laid into space, g(<u, x>): at their least cost, and through points."""

import numpy as np

from repcost.arrays import ArrayLike, finite_array, points_on_line, same_length
from repcost.bounds import Bracket
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.costs.attained import cheapest_network
from repcost.costs.line import interpolate_line
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear, as_piecewise

# Outer weights, and slopes on the left, below this are what rounding leaves of zero.
_NOTHING = 1e-9
# Places of points of size one are the same, up to rounding, if no further apart than this.
_SAME_PLACE = 1e-12


def ridge(g: PiecewiseLinear, u: ArrayLike) -> TwoLayer:
    """x -> g(<u, x>) at the least path norm, with rows of length one and no idle units; |u| = 1.

    The minimiser of (20) in Savarese et al. (2019), laid along u (d,). Where g is flat on the
    left its units all face right, one for each bend.

    >>> net = ridge(PiecewiseLinear([0.0, 1.0], [0.0, 2.0, 0.0]), [0.0, 1.0])
    >>> net.width, net([[9.0, 0.5], [9.0, 3.0]]).tolist()
    (2, [1.0, 2.0])
    """
    g, u = as_piecewise(g, "g"), finite_array(u, "u", 1)
    if len(g.knots) and abs(g.slopes[0]) < _NOTHING:
        # g stays at its value up to the first knot, so the output bias is that value.
        bends, value = np.diff(g.slopes), float(g(g.knots[:1])[0])
        used = np.abs(bends) > _NOTHING
        return TwoLayer(np.tile(u, (int(used.sum()), 1)), bends[used], -g.knots[used], value)
    net = cheapest_network(g)
    used = np.abs(net.a) > _NOTHING
    return TwoLayer(net.W[used] * u, net.a[used], net.b[used], net.c)


def cost_along(X: ArrayLike, y: ArrayLike, u: ArrayLike, depth: int = 2) -> Bracket:
    """R_L of the cheapest fit x -> g(<u, x>) of points x with values y, for `depth` L; |u| = 1.

    Section 5.3 of Ongie & Willett (2022): the units of such a fit look along u. X: (n, d), y: (n,).
    Places <u, x> that are no more than 1e-12 apart count as one; where two points at one place have
    different values no function fits, and the cost is infinite. 1/L, biases free; certified for
    the places as floats give them.

    >>> X, y = [[0, 0], [1, 0], [0, 1]], [0, 1, 0]
    >>> cost_along(X, y, [1, 0]).value, cost_along(X, y, [0, 1]).value
    (1.0, inf)
    """
    X, u, y = finite_array(X, "X", 2), finite_array(u, "u", 1), points_on_line(y, "y")
    same_length(X=X, y=y)
    places = X @ u
    order = np.argsort(places, kind="stable")
    places, y = places[order], y[order]
    apart = np.append(True, np.diff(places) > _SAME_PLACE)
    if np.any(~apart[1:] & (np.diff(y) != 0)):
        return Bracket(np.inf, np.inf, "certified", counts=WEIGHTS_OVER_DEPTH)
    return interpolate_line(places[apart], y[apart], depth).cost
