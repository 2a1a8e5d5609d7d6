"""Cells of the plane, cut by floats where these are sure, against whole numbers everywhere."""

from fractions import Fraction

import numpy as np
import pytest

from repcost import linear_regions
from repcost.integers import nearest_floats
from repcost.regions.filling import PRIMES, fill
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.subdivision import plane_cells
from tests.hostile_plane import SQUARE, concurrent, drawn, hostile, without_biases
from tests.whole_regions import fill as filled
from tests.whole_regions import rectangle, whole_cells


def subdivision(net, box=SQUARE):
    return Subdivision(net, *np.array(box, dtype=float))


def points(shape):
    return [(Fraction(X, W), Fraction(Y, W)) for X, Y, W in shape.corners]


def rounded(map):
    """None beyond the range of floats."""
    try:
        return nearest_floats(map.rows, map.exponent).tolist()
    except OverflowError:
        return None


def assert_same(ours, theirs, maps):
    """Everything, in the same order, to the last bit."""
    assert points(ours.shape) == points(theirs.shape)
    assert (ours.map.rows == theirs.map.rows).all() and ours.map.exponent == theirs.map.exponent
    assert ours.rank == theirs.map.rank
    assert ours.shape.volume == theirs.shape.volume
    assert ours.shape.vertices.tolist() == theirs.shape.vertices.tolist()
    if maps:
        floats = np.column_stack([ours.jacobian, ours.offset])
        assert floats.tolist() == rounded(theirs.map)
    # Sides go from corner to corner, with the cell where they are positive.
    for (a, b, c), corner in zip(ours.shape.sides, points(ours.shape), strict=True):
        assert a * corner[0] + b * corner[1] + c == 0
        assert all(a * x + b * y + c >= 0 for x, y in points(ours.shape))


@pytest.mark.parametrize("name", [*hostile(0)])
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("small", [None, False], ids=["as it is", "never small"])
def test_hostile_networks_have_the_cells_of_whole_numbers(name, small, monkeypatch):
    if small is not None:
        # Few cells are rounded in whole numbers: not here.
        monkeypatch.setattr(Subdivision, "is_small", small)
    for seed in range(3):
        if name not in hostile(seed):
            continue
        net, box = hostile(seed)[name]
        low, high = np.array(box, dtype=float)
        theirs, ours = whole_cells(net, low, high), plane_cells(net, low, high)
        maps = all(rounded(cell.map) is not None for cell in theirs)
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, maps)
        assert filled(rectangle(low, high), [cell.shape for cell in ours])


@pytest.mark.parametrize("slope", [0.0, 0.25])
def test_random_networks_are_never_in_doubt(slope):
    net = drawn(2, 20, 20, 2, slope=slope)
    found = plane_cells(net, *np.array(SQUARE))
    _ = found.maps, found.shapes.rounded.volumes, found.shapes.rounded.vertices
    assert len(found) > 100
    if not slope:
        assert found.ranks.max() == 2
    assert found.found.plane.whole.asked == 0
    assert subdivision(concurrent(5, 0)).plane.whole.asked > 0


def test_what_is_zero_by_structure_is_no_doubt():
    """Without biases all lines meet in zero, where no float is sure of its sign."""
    assert subdivision(without_biases(2, 8, 8, 2)).plane.whole.asked == 0


def test_cells_that_do_not_fill_the_box_are_noticed():
    found = subdivision(drawn(2, 6, 6, 2))
    assert fill(found)
    found.polygons.points[:2] = found.polygons.points[1::-1]
    assert not fill(found)


def test_the_primes_are_prime():
    assert all(prime % k for prime in PRIMES for k in range(2, 1024))
    assert max(PRIMES) < 2**20


def test_another_prime_is_asked_where_one_divides_a_point(monkeypatch):
    found = subdivision(drawn(2, 3, 2))
    # All lines of the box meet at W = 1, those of the network at W's that 3 divides now and then.
    monkeypatch.setattr("repcost.regions.filling.PRIMES", (3, 5, *PRIMES))
    assert fill(found)


def test_regions_are_computed_when_they_are_asked_for():
    regions = linear_regions(drawn(2, 6, 6, 3), SQUARE)
    assert regions[0].jacobian.shape == (3, 2) and regions[0].offset.shape == (3,)
    assert regions[0].jacobian.flags.c_contiguous
    assert "rank=" in repr(regions[0]) and "how='exact'" in repr(regions[0])


def test_without_bounds_floats_alone_go_wrong(monkeypatch):
    """The hostile networks would notice: signs taken as they are make other cells, or none."""
    for module in ("minors", "plane", "row_bounds"):
        monkeypatch.setattr(f"repcost.regions.{module}.UNIT", 0.0)
    exact = [len(whole_cells(concurrent(6, seed), *np.array(SQUARE))) for seed in range(6)]
    assert [count_of_cells(concurrent(6, seed)) for seed in range(6)] != exact


def count_of_cells(net):
    try:
        return len(subdivision(net))
    except IndexError:  # a polygon without corners
        return 0
