"""Costs of maps without kinks, in 50 digits and against their own factorisations."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repcost import (
    TwoLayer,
    diagonal_cost,
    linear_layers_cost,
    linear_map_cost,
    parallel_cost,
    schatten_power,
)

DEPTHS = [1, 2, 3, 5, 20]


def in_50_digits(A, depth):
    with mpmath.workdps(50):
        values = mpmath.svd_r(mpmath.matrix(A.tolist()), compute_uv=False)
        return depth * sum(mpmath.power(s, mpmath.mpf(2) / depth) for s in values)


def powers(x, depth):
    with mpmath.workdps(50):
        return sum(
            mpmath.power(abs(mpmath.mpf(float(value))), mpmath.mpf(2) / depth) for value in x
        )


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 6), (1, 3)])
@pytest.mark.parametrize("spread", [0.0, 6.0])
def test_linear_maps_in_50_digits(depth, shape, spread):
    rng = np.random.default_rng(depth)
    A = rng.normal(size=shape) * 10.0 ** rng.uniform(-spread, spread, (shape[0], 1))
    for B in (A, A.T):
        cost = linear_map_cost(B, depth)
        assert in_50_digits(B, depth) in cost
        assert cost.how == "certified"
        assert cost.relative_gap < 2e-11


@pytest.mark.parametrize("depth", [2, 3, 8])
def test_rank_one_up_to_rounding(depth):
    rng = np.random.default_rng(0)
    A = np.outer(rng.normal(size=3), rng.normal(size=4))
    cost = linear_map_cost(A, depth)
    assert (cost.attained, "dependent" in cost.reason) == ("upper", cost.relative_gap > 1e-11)
    assert in_50_digits(A, depth) in cost
    assert cost.lower == pytest.approx(depth * np.linalg.norm(A) ** (2 / depth), rel=1e-11)
    # Control: powers of all float singular values see the rounding, and at depth 8 it is no longer
    # small.
    naive = depth * (np.linalg.svd(A, compute_uv=False) ** (2 / depth)).sum()
    assert depth < 8 or cost.upper > naive > cost.lower * (1 + 1e-5)


def test_rank_one_in_whole_numbers():
    cost = linear_map_cost(np.outer([1.0, 2.0, 2.0], [3.0, 4.0, 0.0]), 4)
    assert cost.reason == ""
    assert cost.value == pytest.approx(4 * 15**0.5, rel=1e-12)
    assert (
        linear_map_cost(np.zeros((2, 3)), 4).upper,
        linear_map_cost(np.zeros((0, 3)), 4).upper,
    ) == (0.0, 0.0)


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_balanced_factors_attain_it(depth):
    A = np.random.default_rng(1).normal(size=(4, 3))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    root = np.diag(s ** (1 / depth))
    factors = [root @ Vt, *[root] * (depth - 2), U @ root]
    assert np.linalg.multi_dot([np.eye(4), *factors[::-1]]) == pytest.approx(A)
    cost = linear_map_cost(A, depth)
    assert sum(np.sum(F**2) for F in factors) == pytest.approx(cost.value, rel=1e-11)
    rng = np.random.default_rng(2)
    for _ in range(50):
        G = rng.normal(size=(3, 3))
        others = [np.linalg.inv(G) @ factors[0], factors[1] @ G, *factors[2:]]
        assert sum(np.sum(F**2) for F in others) > cost.lower


@given(st.lists(st.floats(-1e100, 1e100), max_size=12), st.sampled_from(DEPTHS))
def test_vectors_in_50_digits(x, depth):
    assert powers(x, depth) in parallel_cost(x, depth)
    assert depth * powers(x, depth) in diagonal_cost(x, depth)
    assert diagonal_cost(x, depth).relative_gap < 1e-12 or max(map(abs, x)) < 1e-150


@pytest.mark.parametrize("depth", [2, 3, 6])
def test_one_normalisation_each(depth):
    """A diagonal network pays L times what parallel paths do; both are other costs in disguise."""
    x = np.array([3.0, -0.2, 1e-5])
    assert diagonal_cost(x, depth).value == pytest.approx(
        linear_map_cost(np.diag(x), depth).value, rel=1e-11
    )
    assert parallel_cost(x, depth).value == pytest.approx(
        linear_layers_cost(TwoLayer(np.eye(3), x), depth).value, rel=1e-10
    )
    assert parallel_cost(x, depth).value * depth == pytest.approx(diagonal_cost(x, depth).value)
    assert parallel_cost(x, depth).value not in diagonal_cost(x, depth)


def test_depth_one_is_the_sum_of_squares():
    assert 30.0 in linear_map_cost([[1.0, 2.0], [3.0, 4.0]], 1)
    assert 14.0 in diagonal_cost([1.0, 2.0, 3.0], 1)


def test_schatten_power():
    A = np.diag([4.0, 9.0, 0.0])
    assert [schatten_power(A, p) for p in (0.5, 1, 2)] == pytest.approx([5.0, 13.0, 97.0])
    rng = np.random.default_rng(3)
    B = rng.normal(size=(5, 4))
    assert schatten_power(B, 2) == pytest.approx(np.sum(B**2))
    assert schatten_power(np.outer(B[0], B[1]), 0.1) == pytest.approx(
        np.linalg.norm(np.outer(B[0], B[1])) ** 0.1, rel=1e-13
    )
    assert schatten_power(np.zeros((0, 2)), 1.0) == 0.0


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: linear_map_cost([1.0], 3), "A must have 2 axes"),
        (lambda: linear_map_cost([[np.inf]], 3), "A holds NaN or infinity"),
        (
            lambda: linear_map_cost([[1.0]], 0),
            "depth must be a whole number of layers of weights, at least 1",
        ),
        (lambda: linear_map_cost([[1e200]], 1), "larger than floats go; divide A"),
        (lambda: linear_map_cost([[1e300, 1e-300], [1.0, 1.0]], 3), "within one row of A"),
        (lambda: diagonal_cost([[1.0]], 3), "w must have 1 axis"),
        (lambda: diagonal_cost([1e200], 1), "larger than floats"),
        (lambda: parallel_cost([np.nan], 3), "alpha holds NaN"),
        (lambda: parallel_cost([1.0], True), "depth must be"),
        (lambda: schatten_power([[1.0]], 0.0), "p must be positive"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
