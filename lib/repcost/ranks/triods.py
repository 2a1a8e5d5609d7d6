"""The search for a triod: three tips and a centre that prove that one number is not enough.

Any triod proves what its margin says, so the search need not be complete; a large margin says more.
Corners of linear regions are tried, because there the function turns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Corner, Domain, box
from repcost.far_networks import in_the_middle, size_exponents
from repcost.networks import TwoLayer
from repcost.ranks.margins import clearances, triod_margin
from repcost.regions import linear_regions
from repcost.scales import lengths

Points = Float[np.ndarray, "_ d"]

# How many corners of linear regions the search takes: all pairs of tips, with each centre.
_TIPS, _CENTRES = 24, 64


@dataclass(frozen=True, eq=False)
class Triod:
    """Three tips (3, d) and a centre (d,) in the domain, and what `triod_margin` says of them."""

    tips: Float[np.ndarray, "3 d"]
    centre: Float[np.ndarray, " d"]
    margin: Bracket


def widest_triod(net: DeepNet | TwoLayer, domain: Domain) -> Triod | None:
    """The triod of the largest margin among those with corners of linear regions as its points.

    Always the same are tried: 64 centres that lie far apart, with 24 tips whose values lie far
    apart and the corners around the centre. In four and more variables the centres of regions stand
    in for corners, which grow fast in number. None if there are fewer than three different values.
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    middle = in_the_middle(net, size_exponents(np.stack([low, high])))
    found = _widest_of_all(middle.net, middle.points(low), middle.points(high))
    if found is None:
        return None
    # Back to where the points came from; rounding may not leave the domain.
    tips, centre = (np.clip(np.ldexp(part, middle.exponents[0]), low, high) for part in found)
    return Triod(tips, centre, triod_margin(net, tips, centre))


def _widest_of_all(net: DeepNet, low: Corner, high: Corner) -> tuple[Points, Corner] | None:
    """Tips and centre of the largest margin; None if there are fewer than three values."""
    regions = [np.clip(points, low, high) for points in _corners(net, low, high)]
    corners = np.unique(np.concatenate(regions), axis=0)
    tips = corners[_far_apart(net(corners), _TIPS)]
    if len(tips) < 3:
        return None
    triods = []
    for centre in corners[_far_apart(corners, _CENTRES)]:
        # Tips nearby matter too: the function may turn around this centre only.
        near = np.concatenate([tips, *_around(centre, regions)])
        triods.append((*_widest(net, np.unique(near, axis=0), centre), centre))
    _, tips, centre = max(triods, key=lambda triod: triod[0])
    return tips, centre


def _corners(net: DeepNet, low: Corner, high: Corner) -> Iterator[Points]:
    """Of each linear region; its centre where there are too many."""
    for region in linear_regions(net, (low, high)):
        yield region.vertices if len(low) < 4 else region.centre[None]


def _around(centre: Corner, regions: Sequence[Points]) -> list[Points]:
    """The corners of the regions that have this one."""
    return [points for points in regions if (points == centre).all(axis=1).any()]


def _widest(net: DeepNet, tips: Points, centre: Corner) -> tuple[float, Points]:
    """The largest margin with this centre, and its tips."""
    lower, _ = clearances(net, tips, centre)
    lower = np.minimum(lower, lower.T)
    # A tip is no other tip.
    np.fill_diagonal(lower, -np.inf)
    # Of every three tips the least of their three distances: a cube of some thirty a side.
    margins = np.minimum(np.minimum(lower[:, :, None], lower[:, None, :]), lower[None])
    three = np.unravel_index(margins.argmax(), margins.shape)
    return float(margins[three]), tips[list(three)]


def _far_apart(points: Points, most: int) -> list[int]:
    """The first point, then again and again the one that is farthest from all chosen ones."""
    chosen, distance = [0], lengths(points - points[0])
    while len(chosen) < most and distance.max() > 0:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, lengths(points - points[chosen[-1]]))
    return chosen
