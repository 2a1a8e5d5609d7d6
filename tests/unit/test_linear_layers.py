"""Phi_L against what it is by definition, against other solvers, in 50 digits, and in closed form."""

from itertools import pairwise

import cvxpy as cp
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from repcost import (
    TwoLayer,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
    schatten_power,
)
from repcost.costs.linear_layers import optimal_shares, polar_bound
from repcost.integers import rank_exceeds

DEPTHS = [2, 3, 4, 5, 8, 20]


def random_problem(seed, K, d, spread=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(K, d)) * 10.0 ** rng.uniform(-spread, spread, (K, 1)), rng.normal(
        size=K
    )


def rotation(seed, d):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def by_definition(W, a, depth):
    """Equation (11) itself, minimised over log lambda: neither Lemma 3.4 nor the contraction is
    used.
    """
    q, M = 2 / (depth - 1), a[:, None] * W

    def objective(t):
        U, s, _ = np.linalg.svd(np.exp(-t)[:, None] * M, full_matrices=False)
        value = (np.exp(2 * t).sum() + (depth - 1) * (s**q).sum()) / depth
        return value, 2 / depth * (np.exp(2 * t) - U**2 @ s**q)

    start = np.log(np.linalg.norm(M, axis=1)) / depth
    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 30}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).fun


def in_50_digits(W, a, depth, digits=50):
    """The fixed point for exactly these floats; rows or columns must be independent."""
    with mpmath.workdps(digits):
        K, d = W.shape
        M = mpmath.matrix(
            [
                [mpmath.mpf(x) * mpmath.mpf(w) for w in row]
                for row, x in zip(W.tolist(), a, strict=True)
            ]
        )
        beta = mpmath.mpf(1) / (depth - 1)
        c = before = [mpmath.norm(M[k, :]) for k in range(K)]
        shares = c
        for _ in range(90):
            X = mpmath.matrix(K, d)
            for k in range(K):
                X[k, :] = M[k, :] / mpmath.sqrt(c[k])
            sizes, V = mpmath.eigsy(X.T * X if d <= K else X * X.T)
            rows, power = (X * V, beta - 1) if d <= K else (V, beta)
            shares = [
                sum(rows[k, j] ** 2 * sizes[j] ** power for j in range(len(sizes)))
                for k in range(K)
            ]
            image = [mpmath.sqrt(x * share) for x, share in zip(c, shares, strict=True)]
            c, before = image, c
            if max(abs(x / y - 1) for x, y in zip(c, before, strict=True)) < mpmath.mpf(10) ** -30:
                break
        return sum(shares) ** ((depth - 1) * mpmath.mpf(1) / depth) * sum(before) ** (
            mpmath.mpf(1) / depth
        )


def assert_certified(cost, rtol=1e-10):
    assert cost.how == "certified"
    assert np.all(cost.relative_gap <= rtol)


@pytest.mark.parametrize("depth", [3, 4, 5, 12])
@pytest.mark.parametrize("shape", [(4, 2), (3, 3), (2, 4), (5, 1), (1, 3)])
@pytest.mark.parametrize("spread", [0.0, 6.0])
def test_contains_the_cost_in_50_digits(depth, shape, spread):
    W, a = random_problem(depth, *shape, spread=spread)
    for rtol in (1e-3, 1e-10, 1e-12):
        cost = linear_layers_cost(W, a, depth, rtol=rtol)
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
    assert in_50_digits(W, a, depth, digits=160) in linear_layers_cost(W, a, depth)


@pytest.mark.parametrize("depth", [3, 5, 20])
@pytest.mark.parametrize("shape", [(2, 2), (3, 3)])
def test_rows_that_are_parallel_up_to_rounding(depth, shape):
    """Exactly these floats are of full rank, and Phi_L feels that: 2 percent at depth 20."""
    rng = np.random.default_rng(5)
    u, v = rng.normal(size=shape[0]), rng.normal(size=shape[1])
    W, a = np.outer(u, v), np.ones(shape[0])
    assert rank_exceeds(W, 1)
    cost = linear_layers_cost(W, a, depth)
    aligned = np.linalg.norm(W, axis=1).sum() ** (2 / depth)
    assert cost.attained == "lower"
    assert cost.value == pytest.approx(aligned, rel=1e-12)
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
    cost = linear_layers_cost(W, np.ones(9), depth)
    assert_certified(cost)
    assert cost.attained == "upper"
    assert linear_layers_cost(W @ full, np.ones(9), depth).value == pytest.approx(
        cost.value, rel=1e-10
    )


def test_the_exact_rank():
    W = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.1, 0.2, 0.3], [1.0, 0.0, 1e-30]])
    assert not rank_exceeds(W[:2], 1)
    assert rank_exceeds(W[:3], 1)  # 0.3 is not three times 0.1
    assert not rank_exceeds(W[[0, 1, 3]], 2)
    assert rank_exceeds(W, 2)
    assert rank_exceeds(np.ones((3000, 30)), 10)  # unknown counts as true


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("shape", [(6, 3), (3, 5), (12, 4)])
def test_definition(depth, shape):
    W, a = random_problem(10 * depth + shape[0], *shape)
    assert linear_layers_cost(W, a, depth).value == pytest.approx(
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
    assert linear_layers_cost(W, a, 3).value == pytest.approx(problem.value, rel=1e-8)


@pytest.mark.parametrize("depth", DEPTHS)
def test_proposition_3_5_and_its_corollaries(depth):
    """Rows from an orthonormal set: exact axes, then turned (where rounding makes the rank)."""
    groups = np.array([0, 0, 1, 1, 1, 2, 2])
    a = np.array([1.0, -2.0, 0.5, 3.0, 1.0, -1.0, 0.25])
    W = np.eye(6)[groups] * [[1.0], [-1.0], [1.0], [1.0], [-1.0], [1.0], [1.0]]
    expected = sum(np.abs(a[groups == j]).sum() ** (2 / depth) for j in range(3))
    cost = linear_layers_cost(W, a, depth)
    assert_certified(cost, 1e-11)
    assert cost.value == pytest.approx(expected, rel=1e-11)
    assert linear_layers_cost(W @ rotation(1, 6), a, depth).value == pytest.approx(
        expected, rel=1e-11
    )
    orthonormal = rotation(2, 6)[:4]
    assert linear_layers_cost(orthonormal, a[:4], depth).value == pytest.approx(
        (np.abs(a[:4]) ** (2 / depth)).sum(), rel=1e-11
    )
    unit = np.array([[0.6, 0.8]]) * [[1.0], [1.0], [-1.0]]
    assert linear_layers_cost(unit, a[:3], depth).value == pytest.approx(
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
    cost = linear_layers_cost(W, a, depth)
    assert_certified(cost)
    assert np.abs(a * W[:, 0]).sum() ** (2 / depth) == pytest.approx(cost.value, rel=1e-12)


def two_rays(psi, masses):
    """Two units at angle psi and the aligned network g of section 5, which has masses A_j / sin(psi
    / 2).
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
    assert linear_layers_cost(W, a, depth).value == pytest.approx(separate, abs=5e-6)
    assert path_norm ** (2 / depth) == pytest.approx(aligned, abs=5e-6)


def test_two_units_by_hand():
    """Proposition 5.2: Phi_3^3 = min over c^2 + s^2 = 1 of A1^2/c^2 + A2^2/s^2 + 2 A1 A2 sin(theta)
    / (c s).
    """
    W, a, _ = two_rays(0.6, (2.0, 0.7))
    angle = np.linspace(1e-3, np.pi / 2 - 1e-3, 400_001)
    c, s = np.cos(angle), np.sin(angle)
    values = (2 / c) ** 2 + (0.7 / s) ** 2 + 2 * 2 * 0.7 * np.sin(0.4 * np.pi) / (c * s)
    assert linear_layers_cost(W, a, 3).value ** 3 == pytest.approx(values.min(), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_proposition_5_1_and_4_1(seed):
    """Units of rank above one cost more than aligned ones; a projection of the rows costs less."""
    W, a = random_problem(seed, 4, 3)
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    assert linear_layers_cost(W, a, 3).lower > np.abs(a).sum() ** (2 / 3)
    P = rotation(seed, 3)[:, :2]
    for depth in (2, 3, 6):
        assert linear_layers_cost(W @ P, a, depth).upper < linear_layers_cost(W, a, depth).lower


@pytest.mark.parametrize("seed", range(10))
def test_bounds_of_theorem_3_9_and_lemma_3_8(seed):
    W, a = random_problem(seed, 5, 3)
    cost = linear_layers_cost(W, a, 3)
    assert linear_layers_bound(W, a) > cost.upper
    for depth in (2, 4, 7):
        assert (
            linear_layers_bound(W, a, depth, basis=rotation(seed, 3))
            > linear_layers_cost(W, a, depth).upper
        )
    shares = optimal_shares(W, a, 3)
    U, _, Vt = np.linalg.svd((a / np.sqrt(shares))[:, None] * W, full_matrices=False)
    assert polar_bound(W, a, U @ Vt) == pytest.approx(cost.value, rel=1e-10)
    assert polar_bound(W, a, 9 * np.random.default_rng(seed).normal(size=(5, 3))) < cost.lower


def test_equality_in_theorem_3_9_needs_the_right_basis():
    """Printed: equality under Proposition 3.5. True for one singular basis only, and these are all
    singular bases.
    """
    turned = [np.pi / 8, np.pi / 4]
    bounds = [
        linear_layers_bound(
            np.eye(2), [1, 1], basis=[[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]
        )
        for t in turned
    ]
    assert bounds == pytest.approx([2.39029, 2.51984], abs=1e-5)
    assert linear_layers_bound(np.eye(2), [1, 1], basis=np.eye(2)) == 2.0
    assert 2.0 in linear_layers_cost(np.eye(2), [1, -1], 3)


def test_the_entrywise_norm_is_the_bound_not_the_cost():
    """The note after Theorem 3.9: |D_a W V|_{1,2/3}^(2/3) is (19), an upper bound of Phi_3 only."""
    W, a = random_problem(3, 6, 4)
    B = (a[:, None] * W) @ np.linalg.svd(W)[2].T
    norm = (np.abs(B).sum(0) ** (2 / 3)).sum()
    assert norm == pytest.approx(linear_layers_bound(W, a), rel=1e-12)
    assert norm > 1.05 * linear_layers_cost(W, a, 3).upper


def test_dead_units_and_duplicates():
    assert linear_layers_cost(np.eye(2), [1.0, 0.0], 3).value == pytest.approx(1.0)
    for depth in DEPTHS:
        zero = linear_layers_cost([[0.0, 0.0], [1.0, 2.0]], [1.0, 0.0], depth)
        assert (zero.lower, zero.upper) == (0.0, 0.0)
        empty = linear_layers_cost(np.zeros((0, 3)), [], depth)
        assert (empty.lower, empty.upper) == (0.0, 0.0)
        W, a = random_problem(0, 5, 4)
        one = linear_layers_cost(W, a, depth)
        doubled = linear_layers_cost(
            np.vstack([W, W, 0 * W]), np.concatenate([0.3 * a, 0.7 * a, a]), depth
        )
        assert_certified(doubled)
        assert doubled.value == pytest.approx(one.value, rel=1e-10)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", [(6, 6), (12, 4), (4, 9), (5, 4)])
def test_twelve_decades_between_rows(depth, shape):
    W, a = random_problem(1, *shape)
    scales = np.logspace(-6, 6, shape[0])
    cost = linear_layers_cost(W, a * scales, depth)
    assert_certified(cost)
    turned = linear_layers_cost((scales[:, None] * W) @ rotation(0, shape[1]), a, depth)
    assert cost.value == pytest.approx(turned.value, rel=1e-3 if shape[0] > shape[1] else 1e-9)


def test_a_large_row_and_tiny_ones():
    """One large row more than there are tiny directions: the rounding of the large rows must not
    fill them.
    """
    W = np.array([[1.0, 1.0], [2.0, 2.0], [0.3, 0.3], [1.0, -1.0]])
    a = np.array([1e6, 1e6, 1e6, 1e-6])
    expected = (3.3e6 * np.sqrt(2)) ** 0.4 + (1e-6 * np.sqrt(2)) ** 0.4
    cost = linear_layers_cost(W, a, 5)
    assert_certified(cost)
    assert expected == pytest.approx(cost.value, rel=1e-10)


def test_rows_beyond_all_measure():
    for depth in (2, 3, 20):
        cost = linear_layers_cost(np.eye(4)[:3], [1.0, 1e-80, 1e-200], depth)
        assert 1 + 1e-160 ** (1 / depth) in cost
        # At depth 20 forty decades between singular values are too many for the certificate, and it
        # says so.
        assert depth == 20 or cost.relative_gap < 1e-10


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_global_scales(scale):
    W, a = random_problem(2, 7, 3)
    for depth in DEPTHS:
        one, other = linear_layers_cost(W, a, depth), linear_layers_cost(scale * W, a / 7, depth)
        assert_certified(other)
        assert other.value == pytest.approx(one.value * (scale / 7) ** (2 / depth), rel=1e-10)


def test_a_batch_is_its_problems():
    rng = np.random.default_rng(8)
    W, a = rng.normal(size=(40, 5, 3)), rng.normal(size=(40, 5))
    a[3] = 0.0
    a[4, 2:] = 0.0
    a[5] *= np.logspace(-6, 6, 5)
    a[6] *= 1e100
    W[7, 1] = 2 * W[7, 0]
    for depth in (2, 3, 6):
        many = linear_layers_cost(W, a, depth)
        assert many.lower.shape == (40,)
        assert_certified(many)
        each = [linear_layers_cost(W[i], a[i], depth) for i in range(40)]
        assert np.allclose(many.value, [one.value for one in each], rtol=1e-10, atol=0)
    assert linear_layers_cost(np.zeros((0, 5, 3)), np.zeros((0, 5)), 3).value.shape == (0,)


@pytest.mark.parametrize("depth", [2, 3, 4, 6])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (6, 1)])
def test_explicit_network(depth, shape):
    W, a = random_problem(depth, *shape)
    rng = np.random.default_rng(0)
    W, a = np.vstack([W, 0 * W[:1], W[:1]]), np.append(a, [2.0, 0.0])
    net = TwoLayer(W, a, rng.normal(size=len(a)), 0.5)
    deep = linear_layers_network(net, depth)
    assert deep.depth == depth
    cost = (
        in_50_digits(W[: shape[0]], a[: shape[0]], depth)
        if depth > 2
        else linear_layers_cost(W, a, 2).value
    )
    assert deep.weight_cost == pytest.approx(float(cost), rel=1e-12)
    X = rng.normal(size=(50, shape[1]))
    assert deep(X) == pytest.approx(net(X), rel=1e-12, abs=1e-12)
    sizes = [np.sum(W**2) for W in deep.matrices]
    assert sizes == pytest.approx([deep.a @ deep.a] * (depth - 1))


def test_explicit_network_of_a_constant():
    deep = linear_layers_network(TwoLayer(np.zeros((2, 3)), [1.0, 2.0], [1.0, -1.0]), 4)
    assert deep.weight_cost == 0.0
    assert deep(np.ones((2, 3))).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_other_factorisations_cost_more(depth):
    """Lemma 3.2 and Lemma 3.4: random factors, and the Schatten form of every lambda, lie above."""
    W, a = random_problem(depth, 5, 3)
    lower, rng = linear_layers_cost(W, a, depth).lower, np.random.default_rng(0)
    for _ in range(100):
        shares = rng.dirichlet(np.ones(5))
        X = (a / np.sqrt(shares))[:, None] * W
        assert schatten_power(X, 2 / (depth - 1)) ** ((depth - 1) / depth) > lower
        factors = [rng.normal(size=(3, 3)) for _ in range(depth - 2)]
        last = X @ np.linalg.inv(np.linalg.multi_dot([np.eye(3), *factors[::-1]]))
        assert (1 + sum(np.sum(F**2) for F in factors) + np.sum(last**2)) / depth > lower


entries = st.floats(-10, 10, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-3 else x)


@st.composite
def problems(draw):
    K, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    W = draw(st.lists(entries, min_size=K * d, max_size=K * d))
    a = draw(st.lists(entries, min_size=K, max_size=K))
    return np.array(W).reshape(K, d), np.array(a), draw(st.sampled_from([2, 3, 4, 7]))


def close(one, other):
    """Both enclose one number: each end may be off by the gap that the bracket itself states."""
    return max(one.lower, other.lower) <= min(one.upper, other.upper) * (1 + 1e-12)


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 1000))
def test_invariances(problem, seed):
    W, a, depth = problem
    rng = np.random.default_rng(seed)
    cost = linear_layers_cost(W, a, depth)
    assert 0 <= cost.lower <= cost.upper
    order, scale = rng.permutation(len(a)), 2.0 ** rng.integers(-9, 9, len(a))
    assert close(cost, linear_layers_cost(W[order], a[order], depth))
    assert close(cost, linear_layers_cost(scale[:, None] * W, -a / scale, depth))
    assert close(cost, linear_layers_cost(np.vstack([W, W]), np.append(a / 4, 3 * a / 4), depth))
    assert close(cost, linear_layers_cost(np.hstack([W, 0 * W])[:, ::-1], a, depth))
    bigger = linear_layers_cost(W, 2.0**depth * a, depth)
    assert (bigger.lower, bigger.upper) == pytest.approx(
        (4 * cost.lower, 4 * cost.upper), rel=1e-14
    )
    more = linear_layers_cost(np.vstack([W, rng.normal(size=W.shape[1])]), np.append(a, 1.0), depth)
    assert more.upper >= cost.lower
    assert (
        cost.lower <= linear_layers_bound(W, a, depth) * (1 + 1e-9) + 1e-200
        or cost.attained == "lower"
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_depths_bound_each_other(seed):
    """Phi_2 <= Phi_3^(3/2) <= ... <= r^((L-2)/2) Phi_2, and the rotation of the rows changes
    nothing.
    """
    W, a = random_problem(seed, 5, 3)
    scaled = {depth: linear_layers_cost(W, a, depth).value ** (depth / 2) for depth in (2, 3, 4, 6)}
    assert all(one <= other * (1 + 1e-9) for one, other in pairwise(scaled.values()))
    assert all(
        value <= 3 ** ((depth - 2) / 2) * scaled[2] * (1 + 1e-9) for depth, value in scaled.items()
    )
    turned = linear_layers_cost(W @ rotation(seed, 3), a, 6)
    assert turned.value**3 == pytest.approx(scaled[6], rel=1e-9)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: linear_layers_cost([1.0], [1.0], 3), "W must have 2 axes"),
        (lambda: linear_layers_cost([[1.0]], [1.0, 2.0], 3), "one entry per row of W"),
        (lambda: linear_layers_cost([[np.nan]], [1.0], 3), "W holds NaN"),
        (lambda: linear_layers_cost([[1.0]], [np.inf], 3), "a holds NaN"),
        (
            lambda: linear_layers_cost([[1.0]], [1.0], 1),
            "depth must be a whole number of layers, at least 2",
        ),
        (lambda: linear_layers_cost([[1.0]], [1.0], 2.5), "depth must be"),  # pyright: ignore[reportArgumentType]
        (lambda: linear_layers_cost([[1.0]], [1.0], 3, rtol=0.0), "rtol must be between"),
        (lambda: linear_layers_cost([[1e300, 1e-300]], [1.0], 3), "within one row of W"),
        (lambda: linear_layers_cost([[1e300]], [1e300], 2), "larger than floats"),
        (lambda: linear_layers_bound(np.eye(2), [1, 1], basis=np.ones((2, 2))), "not orthonormal"),
        (lambda: linear_layers_bound(np.eye(2), [1, 1], basis=[[1.0], [0.0]]), "does not span"),
        (lambda: linear_layers_bound(np.eye(2), [1, 1], basis=np.eye(3)), "basis has 3 rows"),
        (lambda: polar_bound(np.eye(2), [1, 1], np.eye(3)), "Q has shape"),
        (lambda: linear_layers_network(3.0, 3), "must be a TwoLayer"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
