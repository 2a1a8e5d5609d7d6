"""Linear regions against fractions: what they cover, and the map in each."""

from fractions import Fraction
from math import prod

import numpy as np

from repcost import DeepNet, linear_regions
from repcost.regions.polygons import Convex, Polygon
from repcost.regions.polyhedra import Polyhedron
from repcost.regions.region import Region
from repcost_book.trials.attacks.networks import drawn_network, exact_layers
from repcost_book.trials.attacks.ranks import drawn_box, exact_jacobian, exact_rank
from repcost_book.trials.fuzz import RIGHT, WIDE, Attack, WrongError

Point = tuple[Fraction, ...]


def _in_the_plane(rng: np.random.Generator) -> dict:
    reach = float(rng.choice([0.02, 0.2, 1.0]))
    given = drawn_network(rng, reach, inputs=int(rng.choice([1, 2])))
    return {**given, **drawn_box(rng, given["weights"][0].shape[1], reach)}


def _in_space(rng: np.random.Generator) -> dict:
    reach = float(rng.choice([0.02, 0.2, 1.0]))
    return {**drawn_network(rng, reach, inputs=3), **drawn_box(rng, 3, reach)}


def _regions(weights: list, biases: list, slope: float, domain: np.ndarray) -> str:
    net = DeepNet(weights, biases, slope)
    try:
        found = linear_regions(net, tuple(domain))
    except ValueError as refusal:
        if "range of floats" in str(refusal):
            return WIDE
        raise
    # Of one input a region is a strip of height 1.
    box = prod(Fraction(b) - Fraction(a) for a, b in zip(*domain.tolist(), strict=True))
    # Corners are ratios of whole numbers: areas and volumes add up exactly, without a tolerance.
    if sum((_measure(each) for each in found), Fraction(0)) != box:
        raise WrongError("areas or volumes do not add up to that of the box")
    for each in found:
        _judge(net, each)
    return RIGHT


def _measure(region: Region) -> Fraction:
    shape, corners = region.shape, _corners(region)
    if isinstance(shape, Polyhedron):
        parts = ([corners[place] for place in each] for each in shape.tetrahedra)
        return sum((_volume(*part) for part in parts), Fraction(0))
    assert isinstance(shape, Polygon)
    # The shoelace formula, positive where the corners go round against the clock.
    crossed = zip(corners, [*corners[1:], corners[0]], strict=True)
    return sum(((a * d - b * c) for (a, b), (c, d) in crossed), Fraction(0)) / 2


def _volume(apex: Point, *others: Point) -> Fraction:
    """Of a tetrahedron, whichever way around it is."""
    (a, b, c), (d, e, f), (g, h, i) = (
        [x - y for x, y in zip(other, apex, strict=True)] for other in others
    )
    return abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6


def _corners(region: Region) -> list[Point]:
    assert isinstance(region.shape, Convex)
    return [tuple(Fraction(x, W) for x in X) for *X, W in region.shape.corners]


def _judge(net: DeepNet, region: Region) -> None:
    """The Jacobian at a rational point inside, its rank, and the offset."""
    corners = _corners(region)
    # The mean of the corners is inside, as the region is convex.
    x = [sum(column, Fraction(0)) / len(corners) for column in zip(*corners, strict=True)]
    x = x[: net.widths[0]]
    jacobian = exact_jacobian(net, x)
    if jacobian is None:  # a unit that receives zero there: everywhere, or by chance
        return
    if exact_rank(jacobian) != region.rank:
        raise WrongError(f"rank {region.rank}, not {exact_rank(jacobian)}")
    values = exact_layers(net, x)[-1]
    for row, value, given, offset in zip(
        jacobian, values, region.jacobian.tolist(), region.offset.tolist(), strict=True
    ):
        rest = value - sum((a * t for a, t in zip(row, x, strict=True)), Fraction(0))
        for true, rounded in [*zip(row, given, strict=True), (rest, offset)]:
            if not _rounds_to(true, rounded):
                raise WrongError(f"{rounded} in a map, not {float(true)}")


def _rounds_to(true: Fraction, rounded: float) -> bool:
    # About half a unit in the last place; below the normal numbers, half of a denormal.
    return abs(true - Fraction(rounded)) <= abs(true) / 2**53 + Fraction(1, 2**1075)


_CALL = "linear_regions(DeepNet(weights, biases, slope), tuple(domain))"
REGIONS = (
    Attack("linear_regions", _in_the_plane, _regions, _CALL),
    Attack("linear_regions in space", _in_space, _regions, _CALL),
)
