"""Networks that attain the cost of a function: what shows that an upper end is not only a number.

A kink with jump c may be made by a unit that faces right, one that faces left, or both: with
shares p + q = c it costs |p| + |q|, and only p adds to the slope at +infinity. So as long as
all shares have the sign of their jump, the cost is the total variation, and there is room to
fit the last slope.
"""

import numpy as np
from jaxtyping import Float

from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear

__all__ = ["cheapest_network"]


def cheapest_network(f: PiecewiseLinear) -> TwoLayer:
    """A network that equals f, has unit directions, and whose path norm is R-bar(f).

    The minimiser alpha of (20) in Savarese et al. (2019): one unit per knot, and two at no
    more than one of them (a line gets two of its own). `.balanced()` gives the one of least
    weight cost.

    >>> net = cheapest_network(PiecewiseLinear([0.0], [-1.0, 1.0]))
    >>> net.path_norm, net.W.ravel().tolist()
    (2.0, [1.0, -1.0])
    """
    x0, y0 = f.anchor
    # A line has no kink: its two units may bend anywhere, and do so at the anchor.
    knots, jumps = (f.knots, np.diff(f.slopes)) if len(f.knots) else (np.array([x0]), np.zeros(1))
    right = _facing_right(jumps, float(f.slopes[-1]))
    # Where the slopes at the ends outweigh the variation, some is still missing: two units
    # that bend against each other.
    right[np.argmax(np.abs(jumps))] += f.slopes[-1] - right.sum()
    w = np.repeat([1.0, -1.0], len(knots))
    a, t = np.concatenate([right, jumps - right]), np.tile(knots, 2)
    used = a != 0
    w, a, t = w[used], a[used], t[used]
    at_anchor = float(a @ np.maximum(w * (x0 - t), 0.0))
    return TwoLayer(w[:, None], a, -w * t, y0 - at_anchor)


def _facing_right(jumps: Float[np.ndarray, " k"], last_slope: float) -> Float[np.ndarray, " k"]:
    """The part of each jump that right-facing units take, to come near the last slope together.

    Everything that bends up faces right at first; then, from the left, units are turned until
    the slope fits.
    """
    most = np.maximum(jumps, 0.0)
    excess = np.clip(most.sum() - last_slope, 0.0, np.abs(jumps).sum())
    before = np.concatenate([[0.0], np.cumsum(np.abs(jumps))[:-1]])
    turned = np.clip(excess - before, 0.0, np.abs(jumps))
    return most - turned
