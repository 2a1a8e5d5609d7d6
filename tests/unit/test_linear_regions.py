from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy.optimize import linprog

from repcost import DeepNet, TwoLayer, linear_regions
from repcost.datasets import random_network
from repcost.integers import rank_of_floats, reduced
from repcost.regions.maps import map_at, whole_layers
from repcost.regions.subdivision import cells
from tests.deep_problems import CROSS, CUBE, SQUARE
from tests.fraction_regions import area, by_fractions
from tests.rank_problems import IDENTITY


def exact(cell):
    one = 1 << cell.map.exponent
    top, bottom = cell.shape.doubled_area
    return tuple(Fraction(x, one) for x in cell.map.rows.ravel()), Fraction(top, 2 * bottom)


@pytest.mark.parametrize("slope", [0.0, 0.25, -0.5])
@pytest.mark.parametrize("kind", ["normal", "whole"])
@pytest.mark.parametrize("seed", range(4))
def test_equals_a_subdivision_in_fractions(kind, slope, seed):
    rng = default_rng(seed)
    net = random_network(2, 4, 3, 2, rng=rng, kind=kind, negative_slope=slope)
    ours = [exact(cell) for cell in cells(net, np.array(SQUARE[0]), np.array(SQUARE[1]))]
    theirs = [
        (tuple(Fraction(x) for x in map.ravel()), area) for map, area in by_fractions(net, SQUARE)
    ]
    assert Counter(ours) == Counter(theirs)
    assert sum(area for _, area in ours) == 4


def test_clipping_where_nothing_bends_counts_areas_twice():
    """A unit that receives zero on a whole cell has no line there: both its sides are the cell."""
    relu_of_zero = DeepNet([[[1, 0]], [[1]], [[1]]], [[-2], [0], [0]])
    assert sum(area for _, area in by_fractions(relu_of_zero, SQUARE, clip_where_zero=True)) == 8
    assert [region.volume for region in linear_regions(relu_of_zero, SQUARE)] == [4.0]


@pytest.mark.parametrize(
    "widths", [(1, 9, 9, 2), (2, 8, 8, 3), (2, 4, 4, 4, 4, 1), (3, 4, 3, 3), (4, 5, 2)]
)
@pytest.mark.parametrize("slope", [0.0, 0.3, -0.6])
def test_maps_and_volumes(widths, slope):
    net = random_network(*widths, rng=default_rng(3), negative_slope=slope)
    low, high = np.linspace(-1.5, -0.5, widths[0]), np.linspace(0.25, 2, widths[0])
    regions = linear_regions(net, (low, high))
    assert sum(region.volume for region in regions) == pytest.approx(np.prod(high - low), rel=1e-9)
    for region in regions:
        assert net(region.vertices) == pytest.approx(
            region.vertices @ region.jacobian.T + region.offset, abs=1e-12
        )
        assert net.jacobians([region.centre])[0] == pytest.approx(region.jacobian, abs=1e-12)
        assert region.rank == np.linalg.matrix_rank(region.jacobian)
        assert region.how == ("exact" if widths[0] < 4 else "experiment")
    X = np.random.default_rng(0).uniform(low, high, (2000, widths[0]))
    known = np.stack([region.jacobian.ravel() for region in regions])
    met = np.unique(net.jacobians(X).reshape(len(X), -1).round(9), axis=0)
    assert max(np.abs(known - jacobian).max(1).min() for jacobian in met) < 1e-8


def test_vertices_go_around_against_the_clock():
    for region in linear_regions(random_network(2, 9, 5, 1, rng=default_rng(0)), SQUARE):
        corners = [tuple(corner) for corner in region.vertices]
        assert area(corners) == pytest.approx(region.volume, rel=1e-9)


def test_lines_in_general_position_make_as_many_cells_as_euler_says():
    net = random_network(2, 12, 1, rng=default_rng(5))
    W, b = net.weights[0], net.biases[0]
    meetings = 0
    for i in range(12):
        for j in range(i):
            meetings += bool((np.abs(np.linalg.solve(W[[i, j]], -b[[i, j]])) < 1).all())
    crossing = sum(abs(bias) < np.abs(row).sum() for row, bias in zip(W, b, strict=True))
    assert len(linear_regions(net, SQUARE)) == 1 + crossing + meetings


def test_cells_are_the_patterns_that_a_linear_programme_finds_room_for():
    net = random_network(3, 4, 1, rng=default_rng(2))
    W, b = net.weights[0], net.biases[0]
    count = 0
    for pattern in range(16):
        signs = np.array([1 if pattern >> k & 1 else -1 for k in range(4)])
        A = -signs[:, None] * np.column_stack([W, -np.linalg.norm(W, axis=1) * signs])
        inside = np.column_stack([np.vstack([np.eye(3), -np.eye(3)]), np.ones(6)])
        found = linprog(
            [0, 0, 0, -1],
            np.vstack([A, inside]),
            np.append(signs * b, np.ones(6)),
            bounds=(None, None),
        )
        count += found.x[3] > 1e-6
    assert len(linear_regions(net, CUBE)) == count


def test_cross():
    """The paper's example of two ranks, corrected: eight cells, four maps, all of rank one."""
    regions = linear_regions(CROSS, SQUARE)
    assert len(regions) == 8
    assert {region.rank for region in regions} == {1}
    assert len({region.jacobian.tobytes() for region in regions}) == 4
    assert all(region.volume == 0.5 for region in regions)


def test_a_region_far_thinner_than_any_sample():
    net = DeepNet([[[1.0, 0.0], [1.0, 0.0]], [[1.0, -1.0]]], [[0.0, -(2.0**-40)], [0.0]])
    volumes = {
        region.jacobian[0, 0]: region.volume
        for region in linear_regions(net, SQUARE)
        if region.rank
    }
    assert volumes == {1.0: 2.0**-39}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, -0.25]), st.integers(1, 3))
def test_degenerate_networks(seed, slope, variables):
    """Whole weights: parallel lines, lines through corners and along sides.

    The areas are checked by the library.
    """
    rng = default_rng(seed)
    net = random_network(variables, 4, 3, 2, rng=rng, kind="whole", negative_slope=slope)
    regions = linear_regions(net, ([-1] * variables, [2] * variables))
    assert sum(region.volume for region in regions) == pytest.approx(3**variables, rel=1e-12)
    for region in regions:
        assert net([region.centre])[0] == pytest.approx(
            region.jacobian @ region.centre + region.offset, abs=1e-11
        )
        assert region.volume > 0


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_rescaling_units_moves_no_region(seed):
    net, rng = random_network(2, 5, 4, 2, rng=default_rng(seed)), default_rng(seed)
    one, two = 2.0 ** rng.integers(-5, 6, 5), 2.0 ** rng.integers(-5, 6, 4)
    W, b = net.weights, net.biases
    scaled = DeepNet(
        [one[:, None] * W[0], two[:, None] * W[1] / one, W[2] / two], [one * b[0], two * b[1], b[2]]
    )
    for here, there in zip(
        linear_regions(net, SQUARE), linear_regions(scaled, SQUARE), strict=True
    ):
        assert (here.volume, here.jacobian.tolist()) == (there.volume, there.jacobian.tolist())


def test_a_point_on_a_kink_proves_nothing():
    net = TwoLayer([[1.0, 1.0]], [1.0], [0.0])
    deep = DeepNet.from_two_layer(net)
    assert map_at(deep, whole_layers(deep), np.zeros(2)) is None
    doubled = DeepNet([2 * deep.weights[0], *deep.weights[1:]], deep.biases)
    assert map_at(doubled, whole_layers(doubled), np.zeros(2)) is None
    beside = map_at(deep, whole_layers(deep), np.array([1e-300, 0.0]))
    assert beside is not None and beside.jacobian.tolist() == [[1.0, 1.0]]
    assert [region.volume for region in linear_regions(net, SQUARE)] == [2.0, 2.0]


def test_ranks_are_exact():
    assert rank_of_floats(np.array([[1.0, 2.0], [2.0, 4.0 + 2.0**-50]])) == 2
    assert rank_of_floats(np.zeros((3, 2))) == rank_of_floats(np.zeros((0, 2))) == 0
    rng = np.random.default_rng(0)
    for rank in range(5):
        A = rng.integers(-3, 4, (6, rank)) @ rng.integers(-3, 4, (rank, 5))
        assert rank_of_floats(A.astype(float)) == (np.linalg.matrix_rank(A) if A.size else 0)
        rows, pivots = reduced(A.tolist())
        R = np.array(
            [[Fraction(x, row[p]) for x in row] for row, p in zip(rows, pivots, strict=True)],
            dtype=object,
        )
        assert (A[:, pivots].astype(object) @ R.reshape(len(rows), 5) == A).all()


def test_progress_shows_a_bar(capsys):
    linear_regions(random_network(2, 3, 1, rng=default_rng(0)), SQUARE, progress=True)
    assert "cells of a layer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("net", "domain", "says"),
    [
        (3.0, SQUARE, "net must be a DeepNet"),
        (IDENTITY, [-1, 0, 1], "must be a box"),
        (IDENTITY, 7, "must be a box"),
        (IDENTITY, ([0], [1]), "takes 2 variables"),
        (IDENTITY, ([0, 0], [1, 0]), "low < high"),
        (IDENTITY, ([0, 0], [1, np.inf]), "domain high holds NaN or infinity"),
        (IDENTITY, ([[0, 0]], [1, 1]), "domain low must have 1 axis"),
    ],
)
def test_bad_input_is_named(net, domain, says, unchecked):
    with pytest.raises(ValueError, match=says):
        linear_regions(net, domain)
