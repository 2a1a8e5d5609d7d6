"""Class cells and tripoints: against a grid, against known maps, and where ties are everywhere."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.random import default_rng

from repcost import DeepNet
from repcost.datasets import random_network
from repcost.regions import class_cells, tripoints
from tests.hostile_plane import hostile
from tests.whole_regions import whole_labels

SQUARE = ([-1.0, -1.0], [1.0, 1.0])


def on_a_grid(net, n=401):
    """Where 2 x 2 neighbours of a grid have three labels or more."""
    at = np.linspace(-1, 1, n)
    labels = net(np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)).argmax(1).reshape(n, n)
    four = np.sort(
        np.stack([labels[:-1, :-1], labels[1:, :-1], labels[:-1, 1:], labels[1:, 1:]]), axis=0
    )
    rows, columns = np.nonzero((np.diff(four, axis=0) > 0).sum(0) >= 2)
    return np.column_stack([at[columns], at[rows]]) + (at[1] - at[0]) / 2


@pytest.mark.parametrize("widths", [(2, 12, 4), (2, 6, 6, 3), (2, 5, 5, 5, 4)])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("slope", [0.0, 0.25])
def test_cells_fill_the_square_and_tripoints_are_where_a_grid_sees_them(widths, seed, slope):
    net = random_network(*widths, rng=default_rng(seed), negative_slope=slope)
    cells = class_cells(net, SQUARE)
    assert sum(cell.area for cell in cells) == pytest.approx(4)
    for cell in cells:
        assert net([cell.vertices.mean(0)]).argmax() == cell.label
    found = np.array([[float(x) for x in each.point] for each in tripoints(net, SQUARE)]).reshape(
        -1, 2
    )
    seen = on_a_grid(net)
    for point in seen:
        assert np.abs(found - point).max(1).min() < 0.05  # a wedge may be thinner than the grid
    for each, point in zip(tripoints(net, SQUARE), found, strict=True):
        top = np.sort(net([point])[0])
        assert top[-1] - top[-3] < 1e-12 and len(each.labels) >= 3


@pytest.mark.parametrize("name", [*hostile(0)])
def test_hostile_networks_have_the_parts_of_whole_numbers(name):
    net, domain = hostile(0)[name]
    low, high = np.array(domain, dtype=float)
    ours = [(cell.label, cell.shape.corners, cell.area) for cell in class_cells(net, domain)]
    theirs = [(label, *both(part)) for label, part in whole_labels(net, low, high)]
    assert [(label, fractions(corners), area) for label, corners, area in ours] == theirs


def both(shape):
    return fractions(shape.corners), shape.volume


def fractions(corners):
    return [(Fraction(X, W), Fraction(Y, W)) for X, Y, W in corners]


def test_a_class_may_cover_a_half_plane_at_a_tripoint():
    """The outputs are 0, x and x + min(x, y)."""
    net = DeepNet(
        [[[1, 0], [-1, 0], [1, -1]], [[0, 0, 0], [1, -1, 0], [2, -2, -1]]], [[0, 0, 0], [0, 0, 0]]
    )
    (found,) = tripoints(net, SQUARE)
    assert found.point == (Fraction(0), Fraction(0)) and found.labels == (0, 1, 2)
    areas = [
        sum(cell.area for cell in class_cells(net, SQUARE) if cell.label == label)
        for label in range(3)
    ]
    assert areas == [2.0, 1.0, 1.0]


def test_rank_one_has_none_and_ties_on_areas_belong_to_nobody():
    line = DeepNet([[[1, 2]], [[1], [-1], [0]]], [[3], [-2, 2, 0.5]])
    assert tripoints(line, SQUARE) == ()
    assert {cell.label for cell in class_cells(line, SQUARE)} == {0, 1, 2}
    tie = DeepNet([[[1, 0], [-1, 0]], [[1, 0], [1, 0], [0, 1]]], [[0, 0], [0, 0, 0]])
    assert [(cell.label, cell.area) for cell in class_cells(tie, SQUARE)] == [(2, 2.0)]


def test_four_classes_may_meet():
    net = DeepNet([[[1, 1], [1, -1], [-1, 1], [-1, -1]]], [[0, 0, 0, 0]])
    (found,) = tripoints(net, SQUARE)
    assert found.point == (Fraction(0), Fraction(0)) and found.labels == (0, 1, 2, 3)


def test_only_the_plane():
    with pytest.raises(ValueError, match="two"):
        class_cells(DeepNet([[[1.0]]], [[0.0]]), ([-1], [1]))
