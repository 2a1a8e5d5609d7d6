"""The bound of the steepest neuron by prices of products, and certificates by it."""

from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

from repcost import certify_shallow, shallow_optimum
from repcost.shallow import Oracle, ShallowProblem
from repcost.shallow.coarse import CoarseBound
from repcost.shallow.products import height_by_products, multipliers, proof
from repcost.shallow.products.form import Prices, least_lambda
from repcost.shallow.products.steps import Place, descended
from tests.shallow_problems import inputs_with_bias, random_data, trained


def listed(X, V):
    """The steepest neuron, from the list of all faces."""
    return Oracle(X, most_faces=10**6).peaks(V).height


def whole_form(Z, V, prices, lam):
    """M in whole numbers, from the definition and not from its blocks."""
    N, d = Z.shape
    Z, V, A, B, D = (
        np.vectorize(Fraction, otypes=[object])(part)
        for part in (Z, V, prices.A, prices.B, prices.D)
    )
    P = np.block([[A, B], [B.T, D]])
    J = np.block([[np.eye(N, dtype=int), 0 * Z], [np.eye(N, dtype=int), -Z]]).astype(object)
    M = -(J.T @ P @ J)
    M[:N, :N] -= V @ V.T
    for i in range(d):
        M[N + i, N + i] += Fraction(lam)
    return M


def is_positive(M):
    """Whether all pivots are positive, in whole numbers."""
    M = M.copy()
    for i in range(len(M)):
        if M[i, i] <= 0:
            return False
        M[i + 1 :] -= np.outer(M[i + 1 :, i] / M[i, i], M[i])
    return True


@pytest.mark.parametrize("N, d, m", [(6, 6, 1), (8, 8, 3), (6, 9, 2), (9, 3, 2)])
def test_it_is_above_the_steepest_neuron_and_near_it(N, d, m):
    for seed in range(2):
        X, V = random_data(N, d, m, seed)
        truth, found = listed(X, V), height_by_products(X, V, 500)
        assert truth <= found
        assert found <= (1.06 if d >= N else 3) * truth
        assert found < CoarseBound(X).of(V)


def test_few_steps_and_poor_prices_cost_width_never_truth():
    X, V = random_data(7, 7, 2)
    truth = listed(X, V)
    by_steps = [height_by_products(X, V, steps) for steps in (0, 10, 40, 1000)]
    assert by_steps == sorted(by_steps, reverse=True)
    assert truth <= by_steps[-1] < 0.9 * by_steps[0]
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-3, 0.1):
        A, D = (size * np.abs(np.add(S, S.T)) for S in rng.normal(size=(2, 7, 7)))
        B = size * np.abs(rng.normal(size=(7, 7))) - 3 * np.linalg.norm(V) ** 2 * np.eye(7)
        assert proof.proved_lambda(X, V, Prices(A, B, D)) >= truth**2


def test_the_proof_holds_in_whole_numbers_and_a_little_less_does_not():
    for N, d, m in ((4, 3, 1), (3, 5, 2)):
        Z, V = random_data(N, d, m)
        prices = proof._allowed(multipliers.proposed(Z, V, 200))
        lam = proof.proved_lambda(Z, V, prices)
        assert is_positive(whole_form(Z, V, prices, lam))
        assert not is_positive(whole_form(Z, V, prices, lam * (1 - 1e-4)))


def test_negative_prices_would_prove_too_much():
    """What the relaxation forbids: with it the bound falls below what a neuron attains."""
    X, V = random_data(6, 6, 2)
    prices = proof._allowed(multipliers.proposed(X, V, 500))
    least, truth = least_lambda(X, V @ V.T, prices), listed(X, V)
    wrong = Prices(prices.A, prices.B, prices.D - 0.3 * np.eye(6))
    assert least_lambda(X, V @ V.T, wrong) < truth**2 <= least
    mended = proof._allowed(wrong)
    assert (mended.D >= 0).all() and np.array_equal(mended.D, mended.D.T)
    assert proof.proved_lambda(X, V, mended) >= truth**2


def test_points_of_any_size_repeated_points_and_none():
    X, V = random_data(6, 5, 2)
    truth = height_by_products(X, V, 300)
    powers = np.array([0, -3, 5, -40, 60, -200])
    moved = np.ldexp(X, powers[:, None]), np.ldexp(V, -powers[:, None])
    assert height_by_products(*moved, 300) == truth
    X, V = np.vstack([X, 0 * X[:1], X[:2]]), np.vstack([V, 1e200 * V[:1], 0 * V[:1], -V[1:2]])
    assert listed(X, V) <= height_by_products(X, V, 300) < np.inf
    assert height_by_products(X, 0 * V, 300) == 0
    # Points that are multiples of one another, whose prices might grow without end.
    assert 2 <= height_by_products(np.ones((4, 1)), np.ones((4, 1)) / 2, 300) < 2.1
    assert 1 <= height_by_products(np.ones((1, 1)), np.ones((1, 1)), 300) < 1.05
    tiny = height_by_products(5e-324 * np.ones((2, 1)), np.ones((2, 1)), 300)
    assert 0 < tiny < 1e-280


def test_a_certificate_by_steps():
    """Many outputs, points of one mean: spectral norms leave a factor, the products per cents."""
    X, Y = random_data(14, 20, 4)
    net = trained(X + 1, Y, 0.1, 1.0, 40, 0)
    plain = certify_shallow(net, X + 1, Y, 0.1)
    found = certify_shallow(net, X + 1, Y, 0.1, steps=600)
    assert found.upper == plain.upper
    assert found.upper / found.lower < 1.15 < plain.upper / plain.lower
    others = [trained(X + 1, Y, 0.1, 1.0, 20, 1)]
    assert all(found.lower <= certify_shallow(net, X + 1, Y, 0.1).upper for net in others)
    assert "steps=1000" in plain.reason and "prices of products" in found.reason


def test_listed_faces_need_no_steps():
    X, Y = random_data(5, 2, 2)
    net = shallow_optimum(X, Y, 0.1).network
    one, other = (certify_shallow(net, X, Y, 0.1, steps=steps) for steps in (0, 50))
    assert (one.lower, one.upper, one.reason) == (other.lower, other.upper, "")


def test_a_multiplier_that_is_nothing_proves_nothing():
    """The height of a network that fits is zero, and its lower end by products too."""
    Xt = inputs_with_bias(np.eye(14) + 1, 1.0)
    problem = ShallowProblem.scaled(Xt, np.eye(14), 0.1, 0.0)
    assert height_by_products(problem.Xt, 0 * problem.Y, 100) == 0
    assert problem.lower_bound(0 * problem.Y, 0.0)[0] == 0


class Parabola(Place):
    """(x - 2)^2 + (y + 1)^2, infinite for x > 3."""

    def __init__(self, x):
        self.x, self.centre = x, np.array([2.0, -1.0])
        self.value = float(np.sum((x - self.centre) ** 2)) if x[0] <= 3 else np.inf

    @cached_property
    def curvatures(self):
        return np.array([0.02, 2.0])

    @cached_property
    def gradient(self):
        assert self.value < np.inf
        return 2 * (self.x - self.centre)


def test_steps_keep_limits_and_stay_inside():
    found, steps = descended(Parabola, np.array([0.0, 3.0]), np.array([-np.inf, 0.0]), 200, 1e-12)
    assert found.x == pytest.approx([2.0, 0.0], abs=1e-6) and steps < 200
