"""Cells of space, cut by floats where these are sure, against fractions and linear programmes."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from numpy.random import default_rng

from repcost import linear_regions
from repcost.datasets import random_network
from repcost.integers import nearest_floats
from repcost.regions.boxes import FACES, box_corners, box_sides
from repcost.regions.filling import fill
from repcost.regions.maps import AffineMap, whole_layers
from repcost.regions.plane_subdivision import Subdivision
from repcost.regions.polyhedra import Polyhedron
from repcost.regions.polytopes import Polytope
from repcost.regions.subdivision import Cell, cut_by_layers, plane_cells
from tests.fraction_bodies import by_fractions
from tests.hostile_plane import CUBE, concurrent, drawn, without_biases
from tests.hostile_space import hostile


def in_space(net, box=CUBE):
    return plane_cells(net, *np.array(box, dtype=float))


def patterns(cells):
    """Of each cell who is active, layer by layer."""
    tree, layers = cells.found.tree, cells.found.net.depth - 1
    above = tree.ancestors(layers, np.arange(len(cells))) if layers else []
    tables = [tree.pattern(layer, here).tolist() for layer, here in enumerate(above)]
    return [tuple(tuple(table[i]) for table in tables) for i in range(len(cells))]


def corners(shape):
    found = [tuple(Fraction(x, W) for x in X) for *X, W in shape.corners]
    assert len(set(found)) == len(found)
    return set(found)


def body(cell):
    assert isinstance(cell.shape, Polyhedron)
    return cell.shape


def volume(box):
    return prod(Fraction(b) - Fraction(a) for a, b in zip(*box, strict=True))


def assert_same(ours, cell, map):
    """The exact map, all corners, and planes with the cell where they are positive."""
    one = Fraction(1, 1 << ours.map.exponent)
    assert (ours.map.rows * one == map).all()
    assert corners(ours.shape) == cell.corners
    for side in ours.shape.sides:
        values = ours.shape.values(side)
        assert min(values) == 0 and values.count(0) > 2
    assert len(ours.shape.sides) == len(cell.halfspaces)


@pytest.mark.parametrize("name", [*hostile(0)])
@pytest.mark.filterwarnings("error")
def test_hostile_networks_have_the_cells_of_fractions(name):
    for seed in (0, 2):
        if name not in hostile(seed):
            continue
        net, box = hostile(seed)[name]
        theirs, ours = by_fractions(net, *np.array(box, dtype=float)), in_space(net, box)
        assert patterns(ours) == [pattern for pattern, _, _ in theirs]
        for one, (_, cell, map) in zip(ours, theirs, strict=True):
            assert_same(one, cell, map)
        assert sum(Fraction(*body(each).sixfold_volume) for each in ours) == 6 * volume(box)


@pytest.mark.parametrize("name", [*hostile(0)])
@pytest.mark.filterwarnings("error")
def test_what_is_rounded_is_rounded_once(name, monkeypatch):
    """Few cells are rounded in whole numbers: not here."""
    monkeypatch.setattr(Subdivision, "is_small", False)
    ours = in_space(*hostile(1).get(name, hostile(0)[name]))
    for cell in ours:
        whole = Polyhedron(cell.shape.corners, body(cell).tetrahedra)
        assert cell.shape.volume == whole.volume
        assert cell.shape.vertices.tolist() == whole.vertices.tolist()
        assert cell.rank == cell.map.rank
        if ours.are_floats:
            floats = np.column_stack([cell.jacobian, cell.offset])
            assert floats.tolist() == nearest_floats(cell.map.rows, cell.map.exponent).tolist()


@pytest.mark.parametrize("widths", [(3, 6, 5, 2), (3, 9, 1), (3, 4, 4, 4, 3)])
@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_linear_programmes_find_the_same_cells(widths, slope):
    """As with more variables: a tree of half-spaces, cut where there is room on both sides."""
    net = drawn(*widths, seed=4, slope=slope)
    layers, ours = whole_layers(net), in_space(net)
    start = Cell(Polytope.box(*np.array(CUBE)), AffineMap.identity(3).through(layers[0]))
    theirs = cut_by_layers(net, layers, [start])
    assert len(ours) == len(theirs) > 20
    for one, other in zip(ours, theirs, strict=True):
        assert (one.map.rows == other.map.rows).all()
        assert one.shape.volume == pytest.approx(other.shape.volume, rel=1e-6)


@pytest.mark.parametrize("slope", [0.0, 0.25])
def test_random_networks_are_never_in_doubt(slope):
    cells = in_space(drawn(3, 12, 12, 3, slope=slope))
    _ = cells.maps, cells.shapes.rounded.volumes, cells.shapes.rounded.vertices
    assert len(cells) > 100
    assert not slope or set(cells.ranks.tolist()) == {3}
    assert cells.found.plane.whole.asked == 0
    assert in_space(concurrent(6, 0, d=3)).found.plane.whole.asked > 0


def test_what_is_zero_by_structure_is_no_doubt():
    """Without biases all planes meet in zero, where no float is sure of its sign."""
    assert in_space(without_biases(3, 8, 8, 2)).found.plane.whole.asked == 0


def test_a_cell_far_thinner_than_any_ball():
    """Linear programmes miss it."""
    net, box = hostile(0)["thin"]
    volumes = [region.volume for region in linear_regions(net, box)]
    assert sorted(volumes) == [2.0**-998, 4.0, 4.0]


def test_without_bounds_floats_alone_go_wrong(monkeypatch):
    """Signs taken as they are make other cells, or none."""
    nets = [concurrent(6, seed, d=3) for seed in range(4)]
    exact = [len(in_space(net)) for net in nets]
    for module in ("minors", "plane", "row_bounds"):
        monkeypatch.setattr(f"repcost.regions.{module}.UNIT", 0.0)
    assert [count_of_cells(net) for net in nets] != exact


def count_of_cells(net):
    try:
        return len(in_space(net))
    except (ArithmeticError, AssertionError, IndexError, ValueError):  # no body, or not filled
        return 0


def test_cells_that_do_not_fill_the_box_are_noticed():
    found = in_space(drawn(3, 6, 4, 2)).found
    assert fill(found)
    found.bodies.corners.points[:2] = found.bodies.corners.points[1::-1]
    assert not fill(found)


def test_faces_of_the_box_go_around_against_the_clock():
    sides, at = np.array(box_sides(np.zeros(3), np.ones(3))), box_corners(3) % 2
    for side, face in zip(sides, FACES, strict=True):
        assert ((np.column_stack([at[list(face)], np.ones(4)]) @ side) == 0).all()
        for one, two, three in zip(face, face[1:], face[2:], strict=False):
            assert (np.cross(at[two] - at[one], at[three] - at[two]) == -side[:3]).all()


def test_regions_of_space_are_exact():
    net = random_network(3, 6, 6, 2, rng=default_rng(0))
    regions = linear_regions(net, CUBE)
    assert {region.how for region in regions} == {"exact"}
    for region in regions:
        assert net(region.vertices) == pytest.approx(
            region.vertices @ region.jacobian.T + region.offset, abs=1e-12
        )
        assert net.jacobians([region.centre])[0] == pytest.approx(region.jacobian, abs=1e-12)
