"""Attraction and repulsion: in 50 digits, by Euler's identity, at certified optima, and where they
may not be used.
"""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import DeepNet, forces, prune, shallow_optimum
from repcost.representations import force_balance, representations


def random_layer(seed, bias, N=4, before=4, units=5, outputs=3):
    """(Z, S_previous, Z_next, bias) with covariances of full rank and pre-activations away from
    zero.
    """
    rng = np.random.default_rng(seed)
    S_previous = np.column_stack([rng.normal(size=(N, before)), np.full(N, bias)])
    Z = rng.normal(size=(N, units))
    Z += 0.1 * np.sign(Z)
    return Z, S_previous, rng.normal(size=(N, outputs)), bias


def sent(Z, bias):
    return np.column_stack([np.maximum(Z, 0), np.full(len(Z), bias)])


def cost_in_50_digits(Z, S, tikhonov):
    """Tr Z^T (S S^T + t)^-1 Z for mpmath matrices."""
    inner = Z.T * (S * S.T + tikhonov * mpmath.eye(S.rows)) ** -1 * Z
    return sum(inner[i, i] for i in range(inner.rows))


def derivatives_in_50_digits(Z, S_previous, Z_next, bias, tikhonov):
    """Central differences with steps of 1e-20."""
    step = mpmath.mpf(10) ** -20
    S_previous, Z_next, t = (
        mpmath.matrix(S_previous.tolist()),
        mpmath.matrix(Z_next.tolist()),
        mpmath.mpf(tikhonov),
    )

    def costs(Z):
        rows = [
            [max(Z[i, k], mpmath.mpf(0)) for k in range(Z.cols)] + [mpmath.mpf(bias)]
            for i in range(Z.rows)
        ]
        return cost_in_50_digits(Z, S_previous, t), cost_in_50_digits(
            Z_next, mpmath.matrix(rows), t
        )

    found = np.zeros((2, *Z.shape))
    for i, k in np.ndindex(*Z.shape):
        moved = []
        for sign in (1, -1):
            at = mpmath.matrix(Z.tolist())
            at[i, k] += sign * step
            moved.append(costs(at))
        found[:, i, k] = [float((up - down) / (2 * step)) for up, down in zip(*moved, strict=True)]
    return found


@pytest.mark.parametrize("bias", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("tikhonov", [0.0, 0.01, 1.0])
def test_they_are_the_derivatives(bias, tikhonov):
    layer = random_layer(int(10 * bias), bias)
    with mpmath.workdps(50):
        expected = derivatives_in_50_digits(*layer, tikhonov)
    found = forces(*layer, tikhonov=tikhonov)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * np.abs(theirs).max())
    # Control: without the factor relu' units push where they are silent.
    S = sent(layer[0], bias)
    pull = np.linalg.solve(S @ S.T + tikhonov * np.eye(4), layer[2])
    assert (
        np.abs(-2 * pull @ (pull.T @ S[:, :-1]) - expected[1]).max()
        > 0.01 * np.abs(expected[1]).max()
    )


def test_where_covariances_are_singular_only_motions_that_keep_the_rank_count():
    """Two equal units: they may move together, or scale, but not apart."""
    rng = np.random.default_rng(0)
    N, bias = 6, 1.0
    Z = rng.uniform(0.5, 1.5, (N, 3))
    Z[:, 1] = Z[:, 0]
    Z_next = sent(Z, bias) @ rng.normal(size=(4, 2))
    _, repulsion = forces(Z, np.eye(N), Z_next, bias)

    def cost(Z):
        return np.sum((np.linalg.pinv(sent(Z, bias), rtol=1e-10) @ Z_next) ** 2)

    def slope(motion, h=1e-5):
        return (cost(Z + h * motion) - cost(Z - h * motion)) / (2 * h)

    together = rng.normal(size=(N, 3))
    together[:, 1] = together[:, 0]
    apart = together * [1.0, -1.0, 1.0]
    assert np.sum(repulsion * together) == pytest.approx(slope(together), rel=1e-7)
    assert abs(cost(Z + 1e-5 * apart) - cost(Z)) > 0.01  # it jumps


@pytest.mark.parametrize("bias", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("units", [3, 6])
def test_euler_unit_by_unit(bias, units):
    """<z, attraction> = 2 |w|^2 and <z, repulsion> = -2 |a|^2, w and a the weights into and out of
    the unit.
    """
    rng = np.random.default_rng(units)
    net = DeepNet(
        [rng.normal(size=(units, 4)), rng.normal(size=(2, units))],
        [bias * rng.normal(size=units), bias * rng.normal(size=2)],
    )
    layers = representations(net, rng.normal(size=(5, 4)), bias)
    Z, Z_next = layers.preactivations
    attraction, repulsion = forces(Z, layers.activations[0], Z_next, bias)
    into, out = layers.weights
    assert (Z * attraction).sum(0) == pytest.approx(2 * (into**2).sum(1), rel=1e-9)
    assert (Z * repulsion).sum(0) == pytest.approx(-2 * (out[:, :-1] ** 2).sum(0), rel=1e-9)
    # Control: all of |S^+ Z_next|^2, bias weights with it, is right without biases only.
    whole = -2 * layers.layer_costs[1]
    assert (abs((Z * repulsion).sum() - whole) < 1e-8 * abs(whole)) == (bias == 0)


def test_aligned_units_feel_aligned_forces():
    """Item 4 of section 3.1, for a positive factor; printed for every factor."""
    Z, S_previous, Z_next, bias = random_layer(1, 1.0)

    def errors(factor):
        Z[:, 1] = factor * Z[:, 0]
        return [
            np.abs(force[:, 1] - factor * force[:, 0]).max()
            for force in forces(Z, S_previous, Z_next, bias)
        ]

    assert max(errors(2.0)) < 1e-11
    attraction, repulsion = errors(-2.0)
    assert attraction < 1e-11
    assert repulsion > 1


def test_smoothing_vanishes_with_tikhonov():
    layer = random_layer(2, 1.0)
    exact = forces(*layer)
    distance = [
        max(
            np.abs(one - other).max()
            for one, other in zip(forces(*layer, tikhonov=t), exact, strict=True)
        )
        for t in (1e-2, 1e-4, 1e-6)
    ]
    assert distance[0] > 30 * distance[1] > 900 * distance[2]


def test_the_attraction_stays_in_the_span_of_the_layer_below():
    rng = np.random.default_rng(3)
    S = np.column_stack([rng.normal(size=(6, 2)), np.ones(6)])
    attraction, _ = forces(rng.normal(size=(6, 4)), S, rng.normal(size=(6, 2)), 1.0)
    assert np.abs(attraction - S @ np.linalg.pinv(S) @ attraction).max() < 1e-11


@pytest.mark.parametrize("seed", range(5))
def test_balance_at_certified_optima(seed):
    """At the global minimum attraction and repulsion cancel, with the true multiplier and one slope
    per kink only.
    """
    rng = np.random.default_rng(seed)
    N, strength = 6, 0.01
    X, Y = rng.normal(size=(N, 1)), rng.normal(size=(N, 1))
    optimum = shallow_optimum(X, Y, strength, rtol=1e-9)
    layers = representations(prune(optimum.network, X), X)
    Z, Z_next = layers.preactivations
    layer = (Z, layers.activations[0], Z_next, 1.0)
    multiplier = (Y - Z_next) / (strength * N)
    right = force_balance(*layer, multiplier=multiplier, kink=1e-4)
    assert right.imbalance.max() < 1e-3
    assert ((right.slopes >= 0) & (right.slopes <= 1)).all()
    assert (right.slopes[np.abs(Z) > 1e-3] == (Z > 0)[np.abs(Z) > 1e-3]).all()
    at_kinks = (np.abs(Z) <= 1e-4 * np.abs(Z).max(0)).any(0)
    assert at_kinks.any()
    # Controls: the slope of a kink cannot be had from the sign of a rounding error, and the
    # pseudo-inverse is not V.
    attraction, repulsion = forces(*layer)
    assert (np.linalg.norm(attraction + repulsion, axis=0) / np.linalg.norm(attraction, axis=0))[
        at_kinks
    ].max() > 0.1
    assert np.linalg.matrix_rank(layers.activations[1], tol=1e-6) < N
    assert force_balance(*layer, multiplier=multiplier, kink=0.0).imbalance.max() > 0.1


def test_the_pseudo_inverse_is_not_the_multiplier_where_activations_are_of_low_rank():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(6, 1)), rng.normal(size=(6, 1))
    layers = representations(shallow_optimum(X, Y, 0.01, rtol=1e-9).network, X)
    Z, Z_next = layers.preactivations
    layer = (Z, layers.activations[0], Z_next, 1.0)
    assert force_balance(*layer, multiplier=(Y - Z_next) / 0.06, kink=1e-4).imbalance.max() < 1e-3
    assert force_balance(*layer, kink=1e-4).imbalance.max() > 0.1


def test_balanced_blocks_are_in_balance():
    """X = 1, Y = B_4 without biases: Z is the incidence matrix of a square, and every force is 2 Z."""
    Z = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    balance = force_balance(Z, np.eye(4, 5), Z @ Z.T, 0.0)
    assert balance.attraction == pytest.approx(2 * Z, abs=1e-12)
    assert balance.repulsion == pytest.approx(-2 * Z, abs=1e-12)
    assert balance.imbalance == pytest.approx(0, abs=1e-12)
    doubled = force_balance(Z, np.eye(4, 5), 2 * Z @ Z.T, 0.0)
    assert (doubled.imbalance > 1).all()


def test_a_dead_unit_is_in_balance():
    Z, S_previous, Z_next, bias = random_layer(4, 1.0)
    Z[:, 2] = 0.0
    balance = force_balance(Z, S_previous, Z_next, bias)
    assert balance.imbalance[2] == 0
    assert (balance.imbalance[[0, 1, 3, 4]] > 0).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.1]))
def test_symmetries(seed, bias, tikhonov):
    """Permuted points and units, and rotated neighbours: the forces follow, or do not notice."""
    Z, S, Z_next, _ = random_layer(seed, bias, N=5, before=6, units=6)
    rng = np.random.default_rng(seed)
    expected = forces(Z, S, Z_next, bias, tikhonov=tikhonov)
    points, units = rng.permutation(5), rng.permutation(6)
    turned = [np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (7, 3)]
    Z, S, Z_next = (A[points] for A in (Z[:, units], S @ turned[0], Z_next @ turned[1]))
    for one, other in zip(forces(Z, S, Z_next, bias, tikhonov=tikhonov), expected, strict=True):
        assert one == pytest.approx(
            other[points][:, units], rel=1e-6, abs=1e-6 * np.abs(other).max()
        )


LAYER = np.ones((1, 1)), np.ones((1, 2)), np.ones((1, 1))


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: forces([1.0], [[1.0, 1.0]], [[1.0]], 1.0), "Z must have 2 axes"),
        (lambda: forces([[1.0], [2.0]], [[1.0, 1.0]], [[1.0]], 1.0), "same number of rows"),
        (lambda: forces(*LAYER, np.inf), "bias holds NaN"),
        (lambda: forces(*LAYER, 1.0, tikhonov=-1.0), "tikhonov must be zero or positive"),
        (lambda: force_balance(*LAYER, 1.0, multiplier=[[1.0, 2.0]]), "multiplier has shape"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
