"""A function of one number laid into space: g(<u, x>), at its least path norm."""

import numpy as np

from repcost.arrays import ArrayLike, finite_array
from repcost.costs.attained import cheapest_network
from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear

# Outer weights, and slopes on the left, below this are what rounding leaves of zero.
_NOTHING = 1e-9


def ridge(g: PiecewiseLinear, u: ArrayLike) -> TwoLayer:
    """x -> g(<u, x>) at the least path norm, with rows of length one and no idle units; |u| = 1.

    The minimiser of (20) in Savarese et al. (2019), laid along u (d,). Where g is flat on the
    left its units all face right, one for each bend.

    >>> net = ridge(PiecewiseLinear([0.0, 1.0], [0.0, 2.0, 0.0]), [0.0, 1.0])
    >>> net.width, net([[9.0, 0.5], [9.0, 3.0]]).tolist()
    (2, [1.0, 2.0])
    """
    u = finite_array(u, "u", 1)
    if len(g.knots) and abs(g.slopes[0]) < _NOTHING:
        # g stays at its value up to the first knot, so the output bias is that value.
        bends, value = np.diff(g.slopes), float(g(g.knots[:1])[0])
        used = np.abs(bends) > _NOTHING
        return TwoLayer(np.tile(u, (int(used.sum()), 1)), bends[used], -g.knots[used], value)
    net = cheapest_network(g)
    used = np.abs(net.a) > _NOTHING
    return TwoLayer(net.W[used] * u, net.a[used], net.b[used], net.c)
