"""What bounds Phi_L, what attains it, and what costs more."""

from typing import Any

import numpy as np
import pytest

from repcost import (
    TwoLayer,
    linear_layers_bound,
    linear_layers_cost,
    linear_layers_network,
    schatten_power,
)
from repcost.costs.linear_layers import optimal_shares, polar_bound
from tests.phi_problems import in_50_digits, random_problem, rotation


@pytest.mark.parametrize("seed", range(10))
def test_bounds_of_theorem_3_9_and_lemma_3_8(seed):
    net = TwoLayer(*random_problem(seed, 5, 3))
    cost = linear_layers_cost(net, 3)
    assert linear_layers_bound(net, 3).lower > cost.upper
    for depth in (2, 4, 7):
        bound = linear_layers_bound(net, depth, basis=rotation(seed, 3))
        assert bound.lower > linear_layers_cost(net, depth).upper
    shares = optimal_shares(net, 3)
    U, _, Vt = np.linalg.svd((net.a / np.sqrt(shares))[:, None] * net.W, full_matrices=False)
    assert polar_bound(net, U @ Vt) == pytest.approx(cost.value, rel=1e-10)
    assert polar_bound(net, 9 * np.random.default_rng(seed).normal(size=(5, 3))) < cost.lower


def test_equality_in_theorem_3_9_needs_the_right_basis():
    """Printed: equality under Proposition 3.5. True for one singular basis only.

    These are all singular bases.
    """
    net, turned = TwoLayer(np.eye(2), [1, 1]), [np.pi / 8, np.pi / 4]
    bases = [[[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]] for t in turned]
    bounds = [linear_layers_bound(net, 3, basis=basis).value for basis in bases]
    assert bounds == pytest.approx([2.39029, 2.51984], abs=1e-5)
    assert 2.0 in linear_layers_bound(net, 3, basis=np.eye(2))
    assert 2.0 in linear_layers_cost(TwoLayer(np.eye(2), [1, -1]), 3)


def test_the_entrywise_norm_is_the_bound_not_the_cost():
    """The note after Theorem 3.9: |D_a W V|_{1,2/3}^(2/3) is (19), an upper bound of Phi_3 only."""
    W, a = random_problem(3, 6, 4)
    net = TwoLayer(W, a)
    B = (a[:, None] * W) @ np.linalg.svd(W)[2].T
    norm = (np.abs(B).sum(0) ** (2 / 3)).sum()
    assert norm == pytest.approx(linear_layers_bound(net, 3).value, rel=1e-12)
    assert norm in linear_layers_bound(net, 3)
    assert norm > 1.05 * linear_layers_cost(net, 3).upper


def test_the_bound_is_one_for_exactly_these_floats():
    """Rows that are parallel up to rounding only: the formula in floats is below the cost."""
    W, a = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]]), np.ones(2)
    true = in_50_digits(W, a, 50, digits=120)
    assert true > 1.26
    bound = linear_layers_bound(TwoLayer(W, a), 50)
    assert bound.lower < 1.05 < true <= bound.upper < 1.4
    assert "dependent up to rounding" in bound.reason
    # With a basis of the whole plane the formula itself is above the cost, and known well.
    whole = linear_layers_bound(TwoLayer(W, a), 50, basis=np.eye(2))
    assert true <= whole.lower and whole.reason == ""


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e100, 1e300])
def test_bounds_of_rows_of_any_size(scale):
    W, a = random_problem(4, 5, 3)
    V = rotation(4, 3)
    for depth in (3, 20):
        one = linear_layers_bound(TwoLayer(W, a), depth, basis=V)
        many = linear_layers_bound(TwoLayer(scale * W, a), depth, basis=V)
        assert many.value == pytest.approx(one.value * scale ** (2 / depth), rel=1e-10)
    assert polar_bound(TwoLayer(scale * W, a), W / scale) == pytest.approx(
        polar_bound(TwoLayer(W, a), W) * scale ** (2 / 3), rel=1e-10
    )
    rows = TwoLayer([[1.0, 0.0], [1.0, 1.0]], [1.0, 1e-300 * scale])
    assert linear_layers_cost(rows, 4).lower <= linear_layers_bound(rows, 4).upper


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
        else linear_layers_cost(TwoLayer(W, a), 2).value
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
    lower, rng = linear_layers_cost(TwoLayer(W, a), depth).lower, np.random.default_rng(0)
    for _ in range(100):
        shares = rng.dirichlet(np.ones(5))
        X = (a / np.sqrt(shares))[:, None] * W
        assert schatten_power(X, 2 / (depth - 1)) ** ((depth - 1) / depth) > lower
        factors = [rng.normal(size=(3, 3)) for _ in range(depth - 2)]
        last = X @ np.linalg.inv(np.linalg.multi_dot([np.eye(3), *factors[::-1]]))
        assert (1 + sum(np.sum(F**2) for F in factors) + np.sum(last**2)) / depth > lower


def bound_in(basis):
    return linear_layers_bound(AXES, 3, basis=basis)


ONE, AXES = TwoLayer([[1.0]], [1.0]), TwoLayer(np.eye(2), [1, 1])
# What the types forbid, and people do.
HALF: Any = 2.5
NO_NETWORK: Any = 3.0


@pytest.mark.parametrize(
    "call, says",
    [
        (
            lambda: linear_layers_cost(ONE, 1),
            "depth must be a whole number of layers of weights, at least 2",
        ),
        (lambda: linear_layers_cost(ONE, HALF), "depth must be"),
        (lambda: linear_layers_cost(ONE, 3, rtol=0.0), "rtol must be between"),
        (lambda: linear_layers_cost(TwoLayer([[1e300, 1e-300]], [1.0]), 3), "within one row of W"),
        (lambda: linear_layers_cost(TwoLayer([[1e300]], [1e300]), 2), "larger than floats"),
        (lambda: linear_layers_bound(AXES, 3, basis=np.ones((2, 2))), "not orthonormal"),
        (lambda: linear_layers_bound(AXES, 3, basis=[[1.0], [0.0]]), "does not span"),
        (lambda: linear_layers_bound(AXES, 3, basis=np.eye(3)), "basis has 3 rows"),
        (lambda: polar_bound(AXES, np.eye(3)), "Q has shape"),
        (lambda: linear_layers_network(NO_NETWORK, 3), "must be a TwoLayer"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
