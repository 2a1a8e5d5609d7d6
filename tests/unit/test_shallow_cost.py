"""The least cost of shallow networks that interpolate: closed forms, cones, a fine dictionary."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar

from repcost import interpolate_line, shallow_cost, shallow_optimum
from tests.shallow_problems import assert_certified, balanced_blocks, by_cone, random_data


@pytest.mark.parametrize("N", [2, 4])
def test_the_cost_of_balanced_blocks_is_twice_their_trace_norm(N):
    cost = shallow_cost(np.eye(N), balanced_blocks(N), bias=0)
    assert_certified(cost)
    assert N**2 in cost
    # Remark 23's network of N neurons, also with its two layers balanced.
    assert N == 2 or cost.upper < N**2 + N
    assert N**2 * np.sqrt(1 + 2 / N) > cost.upper


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3, 1), (4, 2)])
def test_the_cost_of_one_hot_labels(sizes):
    Y = np.repeat(np.eye(len(sizes)), sizes, axis=0)
    cost = shallow_cost(np.eye(len(Y)), Y, bias=0)
    assert_certified(cost)
    assert 2 * np.sqrt(sizes).sum() == pytest.approx(cost.value, rel=2e-6)


@pytest.mark.parametrize("seed", range(2))
def test_cost_is_twice_the_trace_norm_where_the_root_is_completely_positive(seed):
    """Proposition 14: R(I, Y) = 2 |Y|_* for (Y Y^T)^(1/2) = U^T U with U >= 0."""
    rng = np.random.default_rng(seed)
    U = rng.uniform(size=(4, 3))
    Y = U.T @ U @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    cost = shallow_cost(np.eye(3), Y, bias=0)
    assert_certified(cost)
    assert 2 * np.linalg.norm(Y, "nuc") == pytest.approx(cost.value, rel=2e-6)


def test_the_root_must_be_completely_positive():
    Y = np.array([[1.0, -0.5], [-0.5, 1.0]])
    assert shallow_cost(np.eye(2), Y, bias=0).lower > 2 * np.linalg.norm(Y, "nuc") + 0.1


@pytest.mark.parametrize(("N", "d", "bias"), [(5, 1, 1.0), (6, 1, 0.3), (4, 2, 0.0)])
def test_scalar_cost_by_a_cone_programme(N, d, bias):
    X, Y = random_data(N, d, 1)
    ours, theirs = shallow_cost(X, Y, bias=bias), by_cone(X, Y[:, 0], 0, bias)
    assert_certified(ours)
    assert ours.lower <= theirs * (1 + 1e-7)
    assert theirs * (1 - 1e-7) <= ours.upper


def test_many_points_against_a_fine_dictionary():
    """One variable, one output: atoms at the kinks and every 1/1000 of a turn, for each bias b.

    Over these atoms and their signs the cost is a linear programme, and b is found by search.
    """
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(-2, 2, 8))
    y = np.sin(2 * x)
    kinks = np.arctan2(-x, 1) + np.array([[0], [np.pi]])
    angles = np.concatenate([np.linspace(0, 2 * np.pi, 1000, endpoint=False), kinks.ravel()])
    S = np.maximum(np.outer(x, np.cos(angles)) + np.sin(angles), 0)
    signed, ones = np.hstack([S, -S]), np.ones(2 * len(angles))

    def cost_given_bias(b):
        return linprog(ones, A_eq=signed, b_eq=y - b, method="highs").fun * 2 + b**2

    best: Any = minimize_scalar(cost_given_bias, bounds=(-5, 5), method="bounded")
    ours = shallow_cost(x[:, None], y)
    assert_certified(ours)
    assert ours.lower <= best.fun
    assert best.fun == pytest.approx(ours.upper, rel=1e-4)


def test_the_regularised_loss_tends_to_the_cost():
    X, Y = random_data(5, 1, 1)
    strengths = np.array([1e-7, 1e-8])
    per_strength = [shallow_optimum(X, Y, s, rtol=1e-9).loss.value / s for s in strengths]
    extrapolated = per_strength[1] + (per_strength[1] - per_strength[0]) / 9
    assert extrapolated == pytest.approx(shallow_cost(X, Y).value, rel=2e-6)


def test_nothing_to_interpolate_is_free():
    assert shallow_cost([[1.0], [2.0]], [0, 0]).value == 0


def test_targets_that_no_network_takes():
    with pytest.raises(ValueError, match="a point twice"):
        shallow_cost([[1.0], [1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="without biases"):
        shallow_cost([[1.0], [2.0]], [1.0, 3.0], bias=0)


def test_targets_that_only_rounding_tells_from_others_are_no_proof():
    homogeneous = shallow_cost([[1.0], [2.0]], [1.0, 2.0], bias=0)
    assert homogeneous.how == "experiment"
    assert homogeneous.value == pytest.approx(2.0)


# Points of one variable with one bend that is far smaller than another, each once a wide Bracket.
SMALL_BENDS = [
    (
        [-1.897765291109176, -1.7787858510435068, -1.747823589318683, 0.54, 2.52],
        [0.0, 1.6708e-06, -0.000198892, -0.01464026, -0.0267411213],
    ),
    (
        [2.227475430905206, 2.2651255001254054, 4.920937458841712],
        [0.0, 0.005906320593301833, 0.42257604675115734],
    ),
    (
        [-7.0118698, -5.2233387, -5.05323395, -4.580244817494325],
        [0.0, -0.002017679, -0.000176205, 0.004939159383],
    ),
]


@pytest.mark.parametrize("x, y", SMALL_BENDS)
def test_small_bends_beside_large_ones_are_not_lost(x, y):
    x = np.array(x)
    cost = shallow_cost(x[:, None], y)
    assert cost.relative_gap <= 1e-6 and not cost.reason
    # Twice half the squares, from the line.
    on_line = interpolate_line(x, y, biases="paid", output="paid").cost
    assert cost.lower <= 2 * on_line.upper and 2 * on_line.lower <= cost.upper
