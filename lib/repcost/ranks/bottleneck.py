"""Through how few numbers a network's function can be passed: the bottleneck rank."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Corner, Domain, box
from repcost.integers import reduced
from repcost.networks import TwoLayer
from repcost.ranks.curves import along_a_curve
from repcost.ranks.jacobian import jacobian_rank
from repcost.ranks.margins import clearances, triod_margin
from repcost.regions import linear_regions
from repcost.regions.maps import AffineMap
from repcost.regions.subdivision import cells

Points = Float[np.ndarray, "_ d"]

# How many corners of linear regions the search for a triod takes: all pairs of tips, with each
# centre.
_TIPS, _CENTRES = 24, 64


@dataclass(frozen=True, eq=False)
class Triod:
    """Three tips (3, d) and a centre (d,) in the domain, and what `triod_margin` says of them."""

    tips: Float[np.ndarray, "3 d"]
    centre: Float[np.ndarray, " d"]
    margin: Bracket


def bottleneck_rank(net: DeepNet | TwoLayer, domain: Domain) -> Bracket:
    """Rank_BN: the least k such that the function is h o g on the box `domain` and g has k outputs.

    Definition 2 of Jacot (2023), with g and h continuous and piecewise linear. From below: the rank
    of the Jacobian, and two where `widest_triod` has a positive margin. From above: widths and
    ranks of weights, and in one and two
    variables what the values of a layer do over the domain: the dimension that they span, and
    whether they run along a curve. Each end is a proof for the rationals that the floats are;
    between different ends the rank is not known.

    >>> square = ([-1, -1], [1, 1])
    >>> print(bottleneck_rank(DeepNet([[[1, 2], [3, 4]]], [[0, 0]]), square))
    2 (exact, gap 0)
    >>> print(bottleneck_rank(DeepNet([[[1, 1]], [[1], [2]]], [[0], [0, 0]]), square))
    1 (exact, gap 0)
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    jacobian = jacobian_rank(net, (low, high))
    lower, upper = int(jacobian.lower), int(jacobian.upper)
    if len(low) < 3:
        upper = min(net.widths)
        if lower < upper:
            upper = _seen_from_above(net, low, high, upper)
    if lower == 1 < upper:
        triod = widest_triod(net, (low, high))
        lower = 2 if triod and triod.margin.lower > 0 else 1
    return Bracket(float(lower), float(upper), "exact")


def widest_triod(net: DeepNet | TwoLayer, domain: Domain) -> Triod | None:
    """The triod of the largest margin among those with corners of linear regions as tips and
    centre.

    Always the same are tried: 64 centres that lie far apart, with 24 tips whose values lie far
    apart and the corners around the centre. In four and more variables the centres of regions stand
    in for corners, which grow fast in number. None if there are fewer than three different values.
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    found = linear_regions(net, (low, high))
    regions = [region.vertices if len(low) < 4 else region.centre[None] for region in found]
    regions = [np.clip(points, low, high) for points in regions]
    corners = np.unique(np.concatenate(regions), axis=0)
    tips = corners[_far_apart(net(corners), _TIPS)]
    if len(tips) < 3:
        return None
    triods = []
    for centre in corners[_far_apart(corners, _CENTRES)]:
        around = [points for points in regions if (points == centre).all(axis=1).any()]
        triods.append(
            (*_widest(net, np.unique(np.concatenate([tips, *around]), axis=0), centre), centre)
        )
    _, tips, centre = max(triods, key=lambda each: each[0])
    return Triod(tips, centre, triod_margin(net, tips, centre))


def _widest(net: DeepNet, tips: Points, centre: Corner) -> tuple[float, Points]:
    """The largest margin with this centre, and its tips."""
    lower, _ = clearances(net, tips, centre)
    lower = np.minimum(lower, lower.T)
    np.fill_diagonal(lower, -np.inf)
    margins = np.minimum(np.minimum(lower[:, :, None], lower[:, None, :]), lower[None])
    three = np.unravel_index(margins.argmax(), margins.shape)
    return float(margins[three]), tips[list(three)]


def _far_apart(points: Points, most: int) -> list[int]:
    """The first point, then again and again the one farthest from those chosen, as long as it is
    none of them.
    """
    chosen, distance = [0], np.linalg.norm(points - points[0], axis=1)
    while len(chosen) < most and distance.max() > 0:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
    return chosen


def _seen_from_above(net: DeepNet, low: Corner, high: Corner, most: int) -> int:
    """An upper end for one and two variables, from the values of each layer over the domain; at
    most `most`.
    """
    for layers in range(1, net.depth + 1):
        below = DeepNet(net.weights[:layers], net.biases[:layers], net.negative_slope)
        found = cells(below, low, high)
        most = _span([cell.map for cell in found], most)
        if most == 2 and all(cell.map.rank < 2 for cell in found) and along_a_curve(found):
            most = 1
    return most


def _span(maps: list[AffineMap], enough: int) -> int:
    """The dimension that the images of all maps span together, or `enough` if that is less. All
    have one exponent.
    """
    independent: list[list[int]] = []
    for row in _directions(maps):
        if len(independent) == enough:
            break
        if len(reduced([*independent, row])[1]) > len(independent):
            independent.append(row)
    return len(independent)


def _directions(maps: list[AffineMap]) -> Iterator[list[int]]:
    for map in maps:
        yield from map.rows[:, :-1].T.tolist()
        yield (map.rows[:, -1] - maps[0].rows[:, -1]).tolist()
