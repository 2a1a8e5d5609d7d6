"""Through how few numbers a network's function can be passed: the bottleneck rank."""

from collections.abc import Iterable, Iterator

from repcost.bounds import Bracket
from repcost.deep_networks import DeepNet, as_deep
from repcost.domains import Corner, Domain, box
from repcost.integers import reduced
from repcost.networks import TwoLayer
from repcost.ranks.curves import along_a_curve
from repcost.ranks.jacobian import largest_rank, rank_ends
from repcost.ranks.triods import widest_triod
from repcost.regions.maps import AffineMap
from repcost.regions.subdivision import plane_cells


def bottleneck_rank(net: DeepNet | TwoLayer, domain: Domain) -> Bracket:
    """Rank_BN: the least k such that f = h o g on the box `domain`, where g has k outputs.

    Definition 2 of Jacot (2023), with g and h continuous and piecewise linear. From below: the rank
    of the Jacobian, and two where `widest_triod` has a positive margin. From above: widths and
    ranks of weights, and in one and two variables what the values of a layer do over the domain:
    the dimension that they span, and whether they run along a curve. Each end is a proof for the
    rationals that the floats are, of any size; between different ends the rank is not known.

    >>> square = ([-1, -1], [1, 1])
    >>> print(bottleneck_rank(DeepNet([[[1, 2], [3, 4]]], [[0, 0]]), square))
    2 (exact, gap 0)
    >>> print(bottleneck_rank(DeepNet([[[1, 1]], [[1], [2]]], [[0], [0, 0]]), square))
    1 (exact, gap 0)
    """
    net = as_deep(net)
    low, high = box(domain, net.widths[0])
    lower, upper = rank_ends(net, low, high)
    if lower < upper:
        # Its upper end may be the value of the Jacobian rank alone, which bounds nothing here.
        lower = int(largest_rank(net, low, high, lower, upper).lower)
    if lower < upper and len(low) < 3:
        upper = _seen_from_above(net, low, high, upper)
    if lower == 1 < upper:
        triod = widest_triod(net, (low, high))
        lower = 2 if triod and triod.margin.lower > 0 else 1
    reason = "no triod and no curve decides between these" if lower < upper else ""
    if lower < upper and len(low) > 2:
        reason = "more than two variables: only widths and ranks of weights bound it from above"
    return Bracket(float(lower), float(upper), "exact", reason=reason)


def _seen_from_above(net: DeepNet, low: Corner, high: Corner, most: int) -> int:
    """An upper end, at most `most`, from the values of each layer over one or two variables."""
    for layers in range(1, net.depth + 1):
        # What a layer receives decides all that comes after it, so each may show the bound.
        below = net.with_layers(net.weights[:layers], net.biases[:layers])
        found = plane_cells(below, low, high)
        most = span((cell.map for cell in found), most)
        if most == 2 and found.ranks.max() < 2 and along_a_curve(found):
            most = 1
    return most


def span(maps: Iterable[AffineMap], enough: int) -> int:
    """The dimension that the images of all maps span together, or `enough` if that is less.

    All maps have one exponent.
    """
    independent: list[list[int]] = []
    for row in _directions(maps):
        if len(independent) == enough:
            break
        # Elimination in whole numbers: what is dependent up to rounding is independent.
        if len(reduced([*independent, row])[1]) > len(independent):
            independent.append(row)
    return len(independent)


def _directions(maps: Iterable[AffineMap]) -> Iterator[list[int]]:
    """Columns of the matrices, and what leads from the image of the first map to the others."""
    first = None
    for map in maps:
        first = map if first is None else first
        yield from map.rows[:, :-1].T.tolist()
        yield (map.rows[:, -1] - first.rows[:, -1]).tolist()
