"""Networks that attain the cost of a function: what shows that an upper end is not only a number.

A kink with jump c may be made by a unit that faces right, one that faces left, or both: with
shares p + q = c it costs |p| + |q|, and only p adds to the slope at +infinity. So as long as
all shares have the sign of their jump, the cost is the total variation, and there is room to
fit the last slope.
"""

import math

import numpy as np
from jaxtyping import Float

from repcost.networks import TwoLayer
from repcost.piecewise import PiecewiseLinear, as_piecewise
from repcost.rounding import UNIT

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
    x0, y0 = as_piecewise(f).anchor
    # A line has no kink: its two units may bend anywhere, and do so at the anchor.
    with np.errstate(over="ignore"):  # refused below
        jumps = np.diff(f.slopes)
    knots, jumps = (f.knots, jumps) if len(f.knots) else (np.array([x0]), np.zeros(1))
    if not np.isfinite(jumps).all():
        raise ValueError(
            "f has slopes that differ by more than floats go; divide them by a power of two"
        )
    right = _facing_right(jumps, float(f.slopes[-1]))
    # Where the slopes at the ends outweigh the variation, some is still missing: two units that
    # bend against each other, at the one knot that faces both ways if there is one.
    split = np.flatnonzero((right != 0) & (right != jumps))
    where = split[0] if len(split) else np.argmax(np.abs(jumps))
    missing = math.fsum([f.slopes[-1], *(-right)])
    # Roundings of the jumps alone need no unit of their own.
    if len(split) or abs(missing) > 4 * UNIT * np.abs(jumps).sum():
        right[where] += missing
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
    most, sizes = np.maximum(jumps, 0.0), np.abs(jumps)
    excess = np.clip(most.sum() - last_slope, 0.0, sizes.sum())
    before = np.concatenate([[0.0], np.cumsum(sizes)[:-1]])
    turned = np.clip(excess - before, 0.0, sizes)
    # A part as small as the rounding of these sums is none.
    small = 4 * UNIT * sizes.sum()
    turned = np.where(turned <= small, 0.0, np.where(sizes - turned <= small, sizes, turned))
    return most - turned
