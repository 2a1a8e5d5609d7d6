"""Classes on a grid, against the exact cells and against counting by hand."""

import numpy as np
import pytest

from repcost import DeepNet
from repcost.constructions import islands_network
from repcost.datasets import random_network
from repcost.regions import (
    class_cells,
    corners_on_grid,
    labels_on_grid,
    most_bordering,
    tripoints,
)


@pytest.mark.parametrize("seed", range(4))
def test_labels_have_the_shares_of_the_exact_cells(seed):
    net = random_network(2, 6, 3, rng=np.random.default_rng(seed))
    seen = labels_on_grid(net, 2.0, 201).labels
    areas = np.zeros(3)
    for cell in class_cells(net, ([-2, -2], [2, 2])):
        areas[cell.label] += cell.area
    assert np.bincount(seen.ravel(), minlength=3) / seen.size == pytest.approx(areas / 16, abs=0.02)


def test_rows_are_the_second_variable_and_the_lead_is_to_the_third():
    net = random_network(2, 6, 4, rng=np.random.default_rng(1))
    found, at = labels_on_grid(net, 1.0, 21), np.linspace(-1, 1, 21)
    points = np.array([[x, y] for y in at for x in at])
    values = net(points)
    assert (found.labels.ravel() == values.argmax(axis=1)).all()
    third = np.partition(values, -3, axis=1)[:, -3]
    assert found.lead == pytest.approx(np.min(values.max(axis=1) - third))


def test_a_grid_sees_the_only_tripoint():
    plane = DeepNet([[[1, 0], [0, 1], [-1, -1]]], [[0.1, 0, 1]])
    assert len(tripoints(plane, ([-2, -2], [2, 2]))) == 1
    assert corners_on_grid(labels_on_grid(plane, 2.0, 400).labels) == 1


@pytest.mark.parametrize(
    ("rows", "corners", "bordering"),
    [
        (["000", "000"], 0, 0),
        (["001", "001"], 0, 1),
        (["012", "012"], 0, 2),
        (["01", "23"], 1, 3),
        (["00000", "01020", "00000", "03000", "00000"], 0, 3),
        (["0101", "2222"], 3, 2),
    ],
)
def test_small_grids_by_hand(rows, corners, bordering):
    grid = np.array([[int(each) for each in row] for row in rows])
    assert corners_on_grid(grid) == corners
    assert most_bordering(grid) == bordering


def test_a_sea_borders_all_its_islands():
    net = islands_network([[-1, 0], [1, 0.5], [0.25, -1.25]])
    assert most_bordering(labels_on_grid(net, 2.0, 201).labels) == 3
    assert tripoints(net, ([-2, -2], [2, 2])) == ()
