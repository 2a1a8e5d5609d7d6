"""Certificates that a network does not factor through the line: how far all that do stay away.

If f = h o g with g real-valued and both continuous, then

  triod: of three tips x_1, x_2, x_3 one has its g between the other two, so on every path between
      those two some point has the same g, hence the same f;
  antipodes (Borsuk & Ulam): on every loop some two opposite points have the same g, hence the
      same f.

With m the smallest distance between values that would have to agree, m > 0 rules such an f out; and
a function that does factor differs from f by at least m / 2 somewhere, as it would have to close m
from both its sides.
"""

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike, finite_array
from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.far_networks import in_the_middle, size_exponents
from repcost.networks import TwoLayer
from repcost.ranks.straight_paths import image
from repcost.rounding import gamma
from repcost.scales import exponents_of_rows, lengths, scaled_back

Distances = Float[np.ndarray, "tips legs"]
Ends = Float[np.ndarray, "paths pieces m"]
Sizes = Float[np.ndarray, "paths pieces"]


def triod_margin(f: DeepNet | TwoLayer, tips: ArrayLike, centre: ArrayLike) -> Bracket:
    """The least distance of f at one of three tips from the image of the path between the others.

    tips: (3, d).
    centre: (d,); the paths are straight from tip to centre and from there to the other tip.

    If the margin is positive, f has bottleneck rank two or more (Definition 2 of Jacot
    (2023)) on every domain that contains the paths, and no function of bottleneck rank one stays
    strictly within half the margin of f there; no smaller part of it would be true of every f.
    Certified for exactly these floats, of any size.

    >>> identity = DeepNet([[[1.0, 0.0], [0.0, 1.0]]], [[0.0, 0.0]])
    >>> round(triod_margin(identity, [[1, 0], [0, 1], [-1, 0]], [0, 0]).lower, 12)
    1.0
    """
    net = as_deep(f, "f")
    _check_variables(net)
    tips, centre = finite_array(tips, "tips", 2), finite_array(centre, "centre", 1)
    if tips.shape != (3, net.widths[0]) or not tips.size:
        raise ValueError(
            f"tips has shape {tips.shape}; "
            f"it needs three rows and {net.widths[0]} columns, as f takes, at least one"
        )
    if len(centre) != net.widths[0]:
        raise ValueError(f"centre has {len(centre)} entries, but f takes {net.widths[0]}")
    middle = in_the_middle(net, size_exponents(np.vstack([tips, centre])))
    lower, upper = clearances(middle.net, middle.points(tips), middle.points(centre))
    # A tip lies on its own leg, at distance zero.
    others = ~np.eye(3, dtype=bool)
    return _bracket(lower[others].min(), upper[others].min(), middle.top)


def antipodal_margin(f: DeepNet | TwoLayer, circle: ArrayLike) -> Bracket:
    """The least distance between the values of f at opposite points of a closed polygon.

    circle: (n, d), the corners in order, n even and at least 4; the opposite of corner i is corner
        i + n/2, and on the sides opposite points are those at equal shares.

    If the margin is positive,
    f has bottleneck rank two or more on every domain that contains the polygon, by the theorem of
    Borsuk and Ulam, and no function of bottleneck rank one stays strictly within half the margin of
    f there. Certified for exactly these floats, of any size.

    >>> identity = DeepNet([[[1.0, 0.0], [0.0, 1.0]]], [[0.0, 0.0]])
    >>> round(antipodal_margin(identity, [[1, 1], [-1, 1], [-1, -1], [1, -1]]).lower, 12)
    2.0
    """
    net = as_deep(f, "f")
    _check_variables(net)
    circle = finite_array(circle, "circle", 2)
    n, d = circle.shape
    if d != net.widths[0]:
        raise ValueError(f"circle has {d} columns, but f takes {net.widths[0]}; points are rows")
    if n < 4 or n % 2 or not d:
        raise ValueError(
            f"circle has {n} corners in {d} variables; it needs an even number of at least 4, "
            "opposite ones n/2 apart, and at least one variable"
        )
    middle = in_the_middle(net, size_exponents(circle))
    circle, ends = middle.points(circle), []
    # Half of the sides will do: the others are their opposites.
    for side in range(n // 2):
        both = [side, side + n // 2]
        seen = image(middle.net, circle[both], np.roll(circle, -1, axis=0)[both])
        # Both sides are divided at the same shares, so opposite points stand in one place.
        difference = seen.values[:1] - seen.values[1:]
        ends.append(_distances_from_zero(difference, seen.error.sum(0, keepdims=True)))
    lower, upper = np.min(ends, axis=0)
    return _bracket(lower.item(), upper.item(), middle.top)


def _check_variables(net: DeepNet) -> None:
    if not net.widths[0]:
        raise ValueError("f takes no variables, so nothing can be tied; give it one at least")


def clearances(
    net: DeepNet, tips: Float[np.ndarray, "tips d"], centre: Float[np.ndarray, " d"]
) -> tuple[Distances, Distances]:
    """How far the value at each tip is from the image of each leg, from below and from above.

    A leg is the segment from a tip to the centre. The network is `in_the_middle`.
    """
    legs = [image(net, tip[None], centre[None]) for tip in tips]
    values = np.stack([leg.values[0, 0] for leg in legs])
    # A value at a tip is as good as the first piece of its leg.
    errors = np.stack([leg.error[0, 0] for leg in legs])
    ends = [
        _distances_from_zero(leg.values - values[:, None], leg.error + errors[:, None])
        for leg in legs
    ]
    lower, upper = zip(*ends, strict=True)
    return np.stack(lower, axis=1), np.stack(upper, axis=1)


def _bracket(lower: float, upper: float, top: int) -> Bracket:
    return Bracket(*scaled_back(max(0.0, float(lower)), float(upper), top), "certified")


def _distances_from_zero(
    values: Float[np.ndarray, "paths points m"], error: Float[np.ndarray, "paths pieces"]
) -> tuple[Float[np.ndarray, " paths"], Float[np.ndarray, " paths"]]:
    """The distance between zero and each path, from below and from above.

    error: the pieces of the path are this close to the chords of the values.
    """
    start, end = values[..., :-1, :], values[..., 1:, :]
    # Each piece by a power of two near its own size, lest squares leave the range of floats.
    sizes = exponents_of_rows(np.maximum(np.abs(start), np.abs(end)))
    lower, upper, allowance = (
        np.ldexp(part, sizes)
        for part in _chord_distances(
            np.ldexp(start, -sizes[..., None]), np.ldexp(end, -sizes[..., None])
        )
    )
    return (lower - (allowance + error)).min(-1), (upper + (allowance + error)).min(-1)


def _chord_distances(start: Ends, end: Ends) -> tuple[Sizes, Sizes, Sizes]:
    """The distance between zero and each chord, from below and above, and their rounding."""
    step = end - start
    squared = (step**2).sum(-1)
    # The foot of zero on the line through a piece, if it lies on the piece.
    share = np.clip(-(start * step).sum(-1) / np.where(squared > 0, squared, 1.0), 0.0, 1.0)
    nearest = start + share[..., None] * step
    upper = lengths(nearest)
    # Whatever direction is taken, the chord is no nearer than the lower of its two ends is high.
    direction = nearest / np.where(upper > 0, upper, 1.0)[..., None]
    lower = np.minimum((start * direction).sum(-1), (end * direction).sum(-1))
    size = np.linalg.norm(start, axis=-1) + np.linalg.norm(end, axis=-1)
    return lower, upper, gamma(start.shape[-1] + 12) * size
