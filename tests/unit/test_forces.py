"""Attraction and repulsion: in 50 digits, by Euler's identity, and where they may not be used."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import DeepNet, forces
from repcost.representations import force_balance, representations
from tests.layer_problems import random_layer, sent


def in_50_digits(layer):
    """Every array of a layer as an mpmath matrix."""
    return [mpmath.matrix(A.tolist()) for A in layer]


def sent_in_50_digits(Z, bias):
    """[relu(Z), bias 1]."""
    relu = [[max(Z[i, k], mpmath.mpf(0)) for k in range(Z.cols)] for i in range(Z.rows)]
    return mpmath.matrix([[*row, mpmath.mpf(bias)] for row in relu])


def cost_in_50_digits(Z, S, tikhonov):
    """Tr Z^T (S S^T + t)^-1 Z."""
    inner = Z.T * (S * S.T + mpmath.mpf(tikhonov) * mpmath.eye(S.rows)) ** -1 * Z
    return sum(inner[i, i] for i in range(inner.rows))


def derivatives_in_50_digits(Z, S_previous, Z_next, bias, tikhonov):
    """Central differences with steps of 1e-20."""
    step = mpmath.mpf(10) ** -20
    Z, S_previous, Z_next = in_50_digits((Z, S_previous, Z_next))

    def costs(i, k, move):
        at = Z.copy()
        at[i, k] += move
        below = cost_in_50_digits(at, S_previous, tikhonov)
        return below, cost_in_50_digits(Z_next, sent_in_50_digits(at, bias), tikhonov)

    found = np.zeros((2, Z.rows, Z.cols))
    for i, k in np.ndindex(Z.rows, Z.cols):
        both = zip(costs(i, k, step), costs(i, k, -step), strict=True)
        found[:, i, k] = [float((up - down) / (2 * step)) for up, down in both]
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
    everywhere = -2 * pull @ (pull.T @ S[:, :-1])
    assert np.abs(everywhere - expected[1]).max() > 0.01 * np.abs(expected[1]).max()


def test_where_covariances_are_singular_only_motions_that_keep_the_rank_count():
    """Two equal units: they may move together, or scale, but not away from each other."""
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
    assert np.sum(repulsion * together) == pytest.approx(slope(together), rel=1e-7)
    # The cost jumps where one of the two goes the other way.
    divided = together * [1.0, -1.0, 1.0]
    assert abs(cost(Z + 1e-5 * divided) - cost(Z)) > 0.01


@pytest.mark.parametrize("bias", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("units", [3, 6])
def test_euler_unit_by_unit(bias, units):
    """<z, attraction> = 2 |w|^2, <z, repulsion> = -2 |a|^2: weights into and out of the unit."""
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
        both = forces(Z, S_previous, Z_next, bias)
        return [np.abs(force[:, 1] - factor * force[:, 0]).max() for force in both]

    assert max(errors(2.0)) < 1e-11
    attraction, repulsion = errors(-2.0)
    assert attraction < 1e-11
    assert repulsion > 1


def test_smoothing_vanishes_with_tikhonov():
    layer = random_layer(2, 1.0)
    exact = forces(*layer)

    def distance(t):
        both = zip(forces(*layer, tikhonov=t), exact, strict=True)
        return max(np.abs(smoothed - force).max() for smoothed, force in both)

    assert distance(1e-2) > 30 * distance(1e-4) > 900 * distance(1e-6)


def test_the_attraction_stays_in_the_span_of_the_layer_below():
    rng = np.random.default_rng(3)
    S = np.column_stack([rng.normal(size=(6, 2)), np.ones(6)])
    attraction, _ = forces(rng.normal(size=(6, 4)), S, rng.normal(size=(6, 2)), 1.0)
    assert np.abs(attraction - S @ np.linalg.pinv(S) @ attraction).max() < 1e-11


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.1]))
def test_symmetries(seed, bias, tikhonov):
    """Permuted points and units, and rotated neighbours: the forces follow, or do not notice."""
    Z, S, Z_next, _ = random_layer(seed, bias, N=5, before=6, units=6)
    rng = np.random.default_rng(seed)
    points, units = rng.permutation(5), rng.permutation(6)
    turned = [np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (7, 3)]
    expected = [force[points][:, units] for force in forces(Z, S, Z_next, bias, tikhonov=tikhonov)]
    Z, S, Z_next = (A[points] for A in (Z[:, units], S @ turned[0], Z_next @ turned[1]))
    for one, other in zip(forces(Z, S, Z_next, bias, tikhonov=tikhonov), expected, strict=True):
        assert one == pytest.approx(other, rel=1e-6, abs=1e-6 * np.abs(other).max())


LAYER = np.ones((1, 1)), np.ones((1, 2)), np.ones((1, 1))


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: forces([1.0], [[1.0, 1.0]], [[1.0]], 1.0), "Z must have 2 axes"),
        (lambda: forces([[1.0], [2.0]], [[1.0, 1.0]], [[1.0]], 1.0), "same number of rows"),
        (lambda: forces(*LAYER, np.inf), "bias must be zero or positive, and finite"),
        (lambda: forces(*LAYER, 1.0, tikhonov=-1.0), "tikhonov must be zero or positive"),
        (lambda: force_balance(*LAYER, 1.0, multiplier=[[1.0, 2.0]]), "multiplier has shape"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()


def test_forces_that_are_no_floats_are_refused(unchecked):
    with pytest.raises(ValueError, match=r"the square of Z_next .* is larger than floats go"):
        forces([[1.0]], [[1.0, 1.0]], [[1e300]], 1.0)
    # Two equal points: what is added to their covariance is less than its rounding.
    with pytest.raises(ValueError, match="tikhonov, 1e-30, is lost in the rounding"):
        forces([[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]], 0.0, tikhonov=1e-30)
