"""Phi_L against what it is by definition, against other solvers, in 50 digits, in closed form."""

import cvxpy as cp
import numpy as np
import pytest

from repcost import TwoLayer, linear_layers_cost
from repcost.integers import rank_exceeds
from tests.phi_problems import (
    DEPTHS,
    assert_certified,
    by_definition,
    in_50_digits,
    random_problem,
    rotation,
)


@pytest.mark.parametrize("depth", [3, 4, 5, 12])
@pytest.mark.parametrize("shape", [(4, 2), (3, 3), (2, 4), (5, 1), (1, 3)])
@pytest.mark.parametrize("spread", [0.0, 6.0])
def test_contains_the_cost_in_50_digits(depth, shape, spread):
    W, a = random_problem(depth, *shape, spread=spread)
    for rtol in (1e-3, 1e-10, 1e-12):
        cost = linear_layers_cost(TwoLayer(W, a), depth, rtol=rtol)
        assert in_50_digits(W, a, depth) in cost
    assert_certified(cost, 3e-10)


@pytest.mark.parametrize("seed", range(25))
def test_nearly_parallel_rows_of_any_size(seed):
    """Where floats do not allow a narrow bracket it must still be true."""
    rng = np.random.default_rng(seed)
    K, d, depth = rng.integers(2, 5), rng.integers(2, 5), int(rng.choice([3, 4, 7, 20]))
    W = np.outer(rng.normal(size=K), rng.normal(size=d)) + 10.0 ** rng.uniform(-16, 0) * rng.normal(
        size=(K, d)
    )
    W *= 10.0 ** rng.uniform(-8, 8, (K, 1))
    a = rng.normal(size=K)
    assert in_50_digits(W, a, depth, digits=160) in linear_layers_cost(TwoLayer(W, a), depth)


@pytest.mark.parametrize("depth", [3, 5, 20])
@pytest.mark.parametrize("shape", [(2, 2), (3, 3)])
def test_rows_that_are_parallel_up_to_rounding(depth, shape):
    """Exactly these floats are of full rank, and Phi_L feels that: 2 percent at depth 20."""
    rng = np.random.default_rng(5)
    u, v = rng.normal(size=shape[0]), rng.normal(size=shape[1])
    W, a = np.outer(u, v), np.ones(shape[0])
    assert rank_exceeds(W, 1)
    cost = linear_layers_cost(TwoLayer(W, a), depth)
    aligned = np.linalg.norm(W, axis=1).sum() ** (2 / depth)
    assert (cost.attained, cost.reason != "") == ("upper", depth > 3 or cost.relative_gap > 1e-10)
    assert cost.lower == pytest.approx(aligned, rel=1e-12)
    if shape == (2, 2):
        true = in_50_digits(W, a, depth)
        assert true in cost
        assert depth < 20 or true > 1.001 * aligned
        assert depth < 20 or cost.gap > 0.001


@pytest.mark.parametrize("depth", [3, 5, 20])
def test_whole_numbers_of_low_rank_are_proven_so(depth):
    rng = np.random.default_rng(6)
    W = (rng.integers(-5, 6, (9, 2)) @ rng.integers(-5, 6, (2, 4))).astype(float)
    full = rotation(0, 4)  # the same rows in other axes: rank 2 up to rounding
    cost = linear_layers_cost(TwoLayer(W, np.ones(9)), depth)
    assert_certified(cost)
    turned = linear_layers_cost(TwoLayer(W @ full, np.ones(9)), depth)
    assert turned.lower == pytest.approx(cost.value, rel=1e-10)
    assert cost.lower <= turned.upper
    assert cost.reason == "" and (turned.relative_gap < 1e-10 or "up to rounding" in turned.reason)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("shape", [(6, 3), (3, 5), (12, 4)])
def test_definition(depth, shape):
    W, a = random_problem(10 * depth + shape[0], *shape)
    assert linear_layers_cost(TwoLayer(W, a), depth).value == pytest.approx(
        by_definition(W, a, depth), rel=1e-10
    )


@pytest.mark.parametrize("shape", [(5, 3), (4, 6)])
def test_nuclear_norm_at_depth_3(shape):
    """Lemma 3.8 by a conic solver: max sum |<q_k, m_k>|^(2/3) over |Q|_2 <= 1."""
    W, a = random_problem(7, *shape)
    Q = cp.Variable(shape)
    inner = cp.sum(cp.multiply(Q, a[:, None] * W), axis=1)
    problem = cp.Problem(cp.Maximize(cp.sum(cp.power(inner, 2 / 3))), [cp.sigma_max(Q) <= 1])
    problem.solve(solver="CLARABEL", tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)
    assert linear_layers_cost(TwoLayer(W, a), 3).value == pytest.approx(problem.value, rel=1e-8)


@pytest.mark.parametrize("depth", DEPTHS)
def test_proposition_3_5_and_its_corollaries(depth):
    """Rows from an orthonormal set: exact axes, then turned (where rounding makes the rank)."""
    groups = np.array([0, 0, 1, 1, 1, 2, 2])
    a = np.array([1.0, -2.0, 0.5, 3.0, 1.0, -1.0, 0.25])
    W = np.eye(6)[groups] * [[1.0], [-1.0], [1.0], [1.0], [-1.0], [1.0], [1.0]]
    expected = sum(np.abs(a[groups == j]).sum() ** (2 / depth) for j in range(3))
    cost = linear_layers_cost(TwoLayer(W, a), depth)
    assert_certified(cost, 1e-11)
    assert cost.value == pytest.approx(expected, rel=1e-11)
    assert linear_layers_cost(TwoLayer(W @ rotation(1, 6), a), depth).value == pytest.approx(
        expected, rel=1e-11
    )
    orthonormal = rotation(2, 6)[:4]
    assert linear_layers_cost(TwoLayer(orthonormal, a[:4]), depth).value == pytest.approx(
        (np.abs(a[:4]) ** (2 / depth)).sum(), rel=1e-11
    )
    unit = np.array([[0.6, 0.8]]) * [[1.0], [1.0], [-1.0]]
    assert linear_layers_cost(TwoLayer(unit, a[:3]), depth).value == pytest.approx(
        3.5 ** (2 / depth), rel=1e-11
    )
    # Controls: the exponent of the next depth, and L times the cost, are far from it.
    assert (
        abs(expected - sum(np.abs(a[groups == j]).sum() ** (2 / (depth + 1)) for j in range(3)))
        > 1e-2
    )
    assert depth * expected not in cost


@pytest.mark.parametrize("depth", DEPTHS)
def test_one_variable_is_a_power_of_two_layers(depth):
    """Theorem 3.1: R_L = R_2^(2/L) for d = 1."""
    W, a = random_problem(depth, 8, 1, 2.0)
    cost = linear_layers_cost(TwoLayer(W, a), depth)
    assert_certified(cost)
    assert np.abs(a * W[:, 0]).sum() ** (2 / depth) == pytest.approx(cost.value, rel=1e-12)


def two_rays(psi, masses):
    """Two units at angle psi, and the path norm of the aligned network of section 5.

    That network has the masses A_j / sin(psi / 2).
    """
    W = np.array([[1.0, 0.0], [np.cos(psi * np.pi), np.sin(psi * np.pi)]])
    return W, np.array(masses), sum(masses) / np.sin(psi * np.pi / 2)


@pytest.mark.parametrize(
    "psi, masses, depth, separate, aligned",
    [
        (0.55, (1.125, 0.375), 3, 1.5988197, 1.5728857),
        (0.52, (1.125, 0.375), 3, 1.6012460, 1.6177880),
        (2 / 3, (0.75, 0.75), 3, 1.6132439, 1.4422496),
        (2 / 3, (0.75, 0.75), 4, 1.69189, 1.31607),
    ],
)
def test_the_networks_of_section_5(psi, masses, depth, separate, aligned):
    W, a, path_norm = two_rays(psi, masses)
    assert linear_layers_cost(TwoLayer(W, a), depth).value == pytest.approx(separate, abs=5e-6)
    assert path_norm ** (2 / depth) == pytest.approx(aligned, abs=5e-6)


def test_two_units_by_hand():
    """Proposition 5.2: Phi_3^3 is a minimum over c^2 + s^2 = 1.

    Of A1^2/c^2 + A2^2/s^2 + 2 A1 A2 sin(theta) / (c s).
    """
    W, a, _ = two_rays(0.6, (2.0, 0.7))
    angle = np.linspace(1e-3, np.pi / 2 - 1e-3, 400_001)
    c, s = np.cos(angle), np.sin(angle)
    values = (2 / c) ** 2 + (0.7 / s) ** 2 + 2 * 2 * 0.7 * np.sin(0.4 * np.pi) / (c * s)
    assert linear_layers_cost(TwoLayer(W, a), 3).value ** 3 == pytest.approx(values.min(), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_proposition_5_1_and_4_1(seed):
    """Units of rank above one cost more than aligned ones; a projection of the rows costs less."""
    W, a = random_problem(seed, 4, 3)
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    assert linear_layers_cost(TwoLayer(W, a), 3).lower > np.abs(a).sum() ** (2 / 3)
    P = rotation(seed, 3)[:, :2]
    for depth in (2, 3, 6):
        turned = linear_layers_cost(TwoLayer(W @ P, a), depth)
        assert turned.upper < linear_layers_cost(TwoLayer(W, a), depth).lower
