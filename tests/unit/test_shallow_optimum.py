"""Certified optima of shallow networks against closed forms, a conic solver, trained networks and a
fine dictionary.
"""

from itertools import product
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize, minimize_scalar

from repcost import DeepNet, certify_shallow, shallow_cost, shallow_optimum
from repcost.shallow.arrangements import sign_vectors, whole_rows
from repcost.shallow import Oracle


def random_data(N, d, m, seed=0):
    rng = np.random.default_rng([N, d, m, seed])
    return rng.normal(size=(N, d)), rng.normal(size=(N, m))


def balanced_blocks(N):
    """B_N of Proposition 13: the covariance of N^2/4 neurons, each active at one point of either
    half.
    """
    half = np.eye(N // 2) * N / 2, np.ones((N // 2, N // 2))
    return np.block([[half[0], half[1]], [half[1], half[0]]])


def with_bias(X, bias):
    return np.column_stack([X, np.full(len(X), bias)]) if bias else np.asarray(X)


def loss_of(net, X, Y, strength, bias):
    """The definition, with the biases' own weights."""
    weights = [*net.weights, *(b / bias if bias else b for b in net.biases)]
    return np.sum((net(X) - Y) ** 2) / len(X) + strength * sum(np.sum(w**2) for w in weights)


def by_cone(X, y, strength, bias):
    """Pilanci & Ergen (2020): one cone per activation pattern and sign of a scalar output; strength
    0 interpolates.
    """
    Xt = with_bias(X, bias)
    w = np.random.default_rng(0).normal(size=(5_000, Xt.shape[1]))
    patterns = np.unique(w @ Xt.T > 0, axis=0)
    b = cp.Variable()
    output, paid, cones = bias * b, cp.square(b), []
    for pattern, sign in product(patterns, (1, -1)):
        u = cp.Variable(Xt.shape[1])
        cones.append(cp.multiply(2 * pattern - 1, Xt @ u) >= 0)
        output, paid = output + sign * cp.multiply(pattern, Xt @ u), paid + 2 * cp.norm(u)
    if strength:
        objective = cp.sum_squares(output - y) / len(X) + strength * paid
    else:
        objective = paid
        cones.append(output == y)
    tight = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}
    programme = cp.Problem(cp.Minimize(objective), cones)
    programme.solve(solver="CLARABEL", **tight)
    return np.asarray(programme.value).item()


def trained(X, Y, strength, bias, width, seed):
    """All weights by quasi-Newton from a random start."""
    rng = np.random.default_rng(seed)
    Xt, m = with_bias(X, bias), Y.shape[1]
    r, constant = Xt.shape[1], np.full((len(X), 1), bias)
    size = width * r

    def split(weights):
        return weights[:size].reshape(width, r), weights[size:].reshape(m, width + 1)

    def objective(weights):
        W, A = split(weights)
        received = Xt @ W.T
        S = np.column_stack([np.maximum(received, 0), constant])
        E = S @ A.T - Y
        back = ((received > 0) * (E @ A[:, :-1])).T @ Xt
        gradient = (
            np.concatenate([back.ravel(), (E.T @ S).ravel()]) * 2 / len(X) + 2 * strength * weights
        )
        return np.sum(E**2) / len(X) + strength * weights @ weights, gradient

    start = rng.normal(size=size + m * (width + 1))
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 200, "ftol": 1e-14}
    )
    W, A = split(found.x)
    first = (W[:, :-1], bias * W[:, -1]) if bias else (W, np.zeros(width))
    return DeepNet([first[0], A[:, :-1]], [first[1], bias * A[:, -1]])


def assert_certified(bracket, rtol=1e-6):
    assert bracket.how == "certified"
    assert bracket.relative_gap <= rtol


def steepest_by_search(V, Xt, seed=0):
    w = np.random.default_rng(seed).normal(size=(50_000, Xt.shape[1]))
    return (np.linalg.norm(np.maximum(w @ Xt.T, 0) @ V, axis=1) / np.linalg.norm(w, axis=1)).max()


# --- closed forms
# ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("N", "strength"), [(4, 0.05), (4, 0.2), (4, 0.45), (6, 0.2), (6, 0.45), (8, 0.45), (10, 0.45)]
)
def test_balanced_blocks_have_a_closed_form(N, strength):
    optimum = shallow_optimum(np.eye(N), balanced_blocks(N), strength, bias=0)
    assert_certified(optimum.loss)
    exact = strength * N**2 - N * (N - 1) * strength**2
    assert optimum.loss.lower <= exact * (1 + 1e-15)
    assert exact * (1 - 1e-15) <= optimum.loss.upper
    # Half the strength is the other reading of weight decay.
    assert strength / 2 * N**2 - N * (N - 1) * strength**2 / 4 not in optimum.loss


@pytest.mark.parametrize("N", [2, 4])
def test_the_cost_of_balanced_blocks_is_twice_their_trace_norm(N):
    cost = shallow_cost(np.eye(N), balanced_blocks(N), bias=0)
    assert_certified(cost)
    assert N**2 in cost
    # Remark 23's network of N neurons, also with its two layers balanced.
    assert N == 2 or cost.upper < N**2 + N
    assert N**2 * np.sqrt(1 + 2 / N) > cost.upper


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3, 1), (4, 2)])
def test_one_hot_labels(sizes):
    Y, N = np.repeat(np.eye(len(sizes)), sizes, axis=0), sum(sizes)
    roots = np.sqrt(sizes)
    cost = shallow_cost(np.eye(N), Y, bias=0)
    assert_certified(cost)
    assert 2 * roots.sum() == pytest.approx(cost.value, rel=2e-6)
    for strength in (0.01, 0.1):
        optimum = shallow_optimum(np.eye(N), Y, strength, bias=0)
        assert_certified(optimum.loss)
        exact = (2 * strength * roots - N * strength**2).sum()
        assert optimum.loss.value == pytest.approx(exact, rel=2e-6)


@pytest.mark.parametrize("seed", range(2))
def test_cost_is_twice_the_trace_norm_where_the_root_is_completely_positive(seed):
    """Proposition 14: R(I, Y) = 2 |Y|_* for (Y Y^T)^(1/2) completely positive, here U^T U with U >=
    0.
    """
    rng = np.random.default_rng(seed)
    U = rng.uniform(size=(4, 3))
    Y = U.T @ U @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    cost = shallow_cost(np.eye(3), Y, bias=0)
    assert_certified(cost)
    assert 2 * np.linalg.norm(Y, "nuc") == pytest.approx(cost.value, rel=2e-6)


def test_the_root_must_be_completely_positive():
    Y = np.array([[1.0, -0.5], [-0.5, 1.0]])
    assert shallow_cost(np.eye(2), Y, bias=0).lower > 2 * np.linalg.norm(Y, "nuc") + 0.1


@pytest.mark.parametrize("Y", [(1.0, -1.0), (1.0, 1.0)])
def test_proposition_19(Y):
    """4 lambda - 2 lambda^2 with the sum of squares, below the local minimum; 4 lambda - 4 lambda^2
    with the mean.
    """
    X, strength = [[1.0], [-1.0]], 0.2
    mean = shallow_optimum(X, Y, strength, bias=0).loss
    total = shallow_optimum(X, Y, strength / 2, bias=0).loss
    assert_certified(mean, 1e-10)
    assert pytest.approx(mean.value, rel=1e-10) == 0.64
    assert pytest.approx(2 * total.value, rel=1e-10) == 0.72
    assert 1 + 2 * strength - strength**2 > 2 * total.upper


def test_one_point():
    """min over z of |z - y|^2 + strength 2 z / |x| for a neuron alone."""
    optimum = shallow_optimum([[3.0, 4.0]], [[2.0]], 0.5, bias=0)
    shrunk = 2 - 0.5 / 5
    assert optimum.loss.value == pytest.approx((2 - shrunk) ** 2 + 0.5 * 2 * shrunk / 5, rel=1e-9)
    assert optimum.network.widths == (2, 1, 1)


# --- other methods
# ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("N", "d", "bias"), [(5, 1, 1.0), (8, 1, 0.3), (5, 2, 1.0), (5, 2, 0.0), (4, 3, 2.0)]
)
@pytest.mark.parametrize("strength", [0.1, 0.003])
def test_scalar_optimum_by_a_cone_programme(N, d, bias, strength):
    X, Y = random_data(N, d, 1)
    ours, theirs = (
        shallow_optimum(X, Y, strength, bias=bias).loss,
        by_cone(X, Y[:, 0], strength, bias),
    )
    assert_certified(ours)
    assert ours.lower <= theirs * (1 + 1e-7)
    assert theirs * (1 - 1e-7) <= ours.upper


@pytest.mark.parametrize(("N", "d", "bias"), [(5, 1, 1.0), (6, 1, 0.3), (4, 2, 0.0)])
def test_scalar_cost_by_a_cone_programme(N, d, bias):
    X, Y = random_data(N, d, 1)
    ours, theirs = shallow_cost(X, Y, bias=bias), by_cone(X, Y[:, 0], 0, bias)
    assert_certified(ours)
    assert ours.lower <= theirs * (1 + 1e-7)
    assert theirs * (1 - 1e-7) <= ours.upper


@pytest.mark.parametrize(("N", "d", "m"), [(4, 1, 2)])
def test_training_never_beats_the_lower_end_and_reaches_the_upper(N, d, m):
    X, Y = random_data(N, d, m)
    optimum = shallow_optimum(X, Y, 0.05)
    nets = [trained(X, Y, 0.05, 1.0, N * m, seed) for seed in range(3)]
    losses = [loss_of(net, X, Y, 0.05, 1.0) for net in nets]
    assert min(losses) >= optimum.loss.lower
    assert min(losses) == pytest.approx(optimum.loss.upper, rel=2e-3)
    brackets = [certify_shallow(net, X, Y, 0.05) for net in nets]
    assert all(b.lower <= optimum.loss.upper for b in brackets)
    assert [b.upper for b in brackets] == pytest.approx(losses, rel=1e-12)


def test_many_points_against_a_fine_dictionary():
    """One variable, one output: for each b a linear programme over atoms at the kinks and every
    1/1000 of a turn.
    """
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(-2, 2, 8))
    y = np.sin(2 * x)
    kinks = np.arctan2(-x, 1) + np.array([[0], [np.pi]])
    angles = np.concatenate([np.linspace(0, 2 * np.pi, 1000, endpoint=False), kinks.ravel()])
    S = np.maximum(np.outer(x, np.cos(angles)) + np.sin(angles), 0)

    def cost_given_bias(b):
        return (
            linprog(
                np.ones(2 * len(angles)), A_eq=np.hstack([S, -S]), b_eq=y - b, method="highs"
            ).fun
            * 2
            + b**2
        )

    best: Any = minimize_scalar(cost_given_bias, bounds=(-5, 5), method="bounded")
    ours = shallow_cost(x[:, None], y)
    assert_certified(ours)
    assert ours.lower <= best.fun
    assert best.fun == pytest.approx(ours.upper, rel=1e-4)


@pytest.mark.parametrize(("N", "m"), [(4, 1), (8, 3), (12, 2)])
def test_one_variable_is_certified_for_every_number_of_outputs(N, m):
    X, Y = random_data(N, 1, m)
    for strength in (1.0, 0.03, 1e-4):
        optimum = shallow_optimum(X, Y, strength, rtol=1e-7)
        assert_certified(optimum.loss, 1e-7)
        assert len(optimum.network.weights[0]) <= N * m
    cost = shallow_cost(X, Y)
    assert_certified(cost)
    weak = shallow_optimum(X, Y, 1e-6).loss
    assert weak.lower <= 1e-6 * cost.upper  # the interpolant is one of the networks


def test_the_regularised_loss_tends_to_the_cost():
    X, Y = random_data(5, 1, 1)
    strengths = np.array([1e-7, 1e-8])
    per_strength = [shallow_optimum(X, Y, s, rtol=1e-9).loss.value / s for s in strengths]
    extrapolated = per_strength[1] + (per_strength[1] - per_strength[0]) / 9
    assert extrapolated == pytest.approx(shallow_cost(X, Y).value, rel=2e-6)


# --- what is returned
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [0.0, 0.5, 1.0])
def test_the_network_has_the_loss_and_the_multiplier_proves_it(bias):
    X, Y = random_data(6, 2, 2)
    optimum, strength = shallow_optimum(X, Y, 0.02, bias=bias), 0.02
    assert loss_of(optimum.network, X, Y, strength, bias) == pytest.approx(
        optimum.loss.upper, rel=1e-12
    )
    fit = np.sum((optimum.network(X) - Y) ** 2) / len(X)
    assert fit + strength * optimum.squared_norm == pytest.approx(optimum.loss.upper, rel=1e-12)
    V, rho = optimum.multiplier, len(X) * strength
    dual = 2 * np.sum(V * Y) - rho * np.sum(V**2) - bias**2 * np.sum(V.sum(axis=0) ** 2)
    assert strength * dual == pytest.approx(optimum.loss.lower, rel=1e-12)
    assert 0.99 < steepest_by_search(V, with_bias(X, bias)) <= 1
    # At the optimum V is the residual over strength.
    assert (Y - optimum.network(X)) / rho == pytest.approx(V, abs=2e-3 * np.abs(V).max())


def test_neurons_are_balanced():
    net = shallow_optimum(*random_data(8, 1, 2), 0.01).network
    into = np.sum(net.weights[0] ** 2, axis=1) + net.biases[0] ** 2
    assert into == pytest.approx(np.sum(net.weights[1] ** 2, axis=0), rel=1e-12)


def test_strong_decay_leaves_the_output_bias_only():
    X, Y = random_data(7, 2, 2)
    optimum, strength = shallow_optimum(X, Y, 10.0), 10.0
    assert optimum.network.widths == (2, 0, 2)
    b = Y.mean(axis=0) / (1 + strength)
    assert optimum.loss.value == pytest.approx(
        np.sum((Y - b) ** 2) / 7 + strength * b @ b, rel=1e-12
    )
    assert shallow_optimum(X, Y, 100.0, bias=0).loss.value == pytest.approx(
        np.sum(Y**2) / 7, rel=1e-12
    )


def test_nothing_to_learn():
    assert shallow_optimum([[1.0], [2.0]], [0, 0], 0.1).loss.value == 0
    assert shallow_cost([[1.0], [2.0]], [0, 0]).value == 0
    assert shallow_optimum([[0.0]], [1.0], 0.1, bias=0).loss.value == pytest.approx(1.0)
    assert 4.0 in shallow_optimum([[1.0], [1.0]], [2.0, -2.0], 1e3).loss  # contradicting points


def test_too_many_patterns_give_a_wide_bracket_that_is_still_true():
    X, Y = random_data(12, 4, 1)
    exact, coarse = Oracle(X), Oracle(X, most_faces=10)
    assert exact.is_exact
    assert not coarse.is_exact
    V = Y - 0.3
    assert coarse.peaks(V).bound >= exact.peaks(V).bound
    assert coarse.peaks(V).heights[0] == pytest.approx(exact.peaks(V).heights[0], rel=0.05)
    X, Y = random_data(14, 8, 1)
    optimum = shallow_optimum(X, Y, 0.1)
    assert optimum.loss.how == "certified"
    assert optimum.loss.relative_gap > 0.1
    assert certify_shallow(trained(X, Y, 0.1, 1.0, 5, 0), X, Y, 0.1).upper >= optimum.loss.lower


# --- certificates of given networks
# ----------------------------------------------------------------------------------


def test_the_multiple_of_the_residual_must_be_clipped_on_both_sides():
    """A network with outputs 2 Y has <V, Y> < 0; its best multiple, unclipped, is not feasible and
    proves too much.
    """
    X, Y = np.arange(6.0)[:, None], np.array([[0.0], [3.0], [-2.0], [5.0], [4.0], [-6.0]])
    strength, rho = 0.05, 0.3
    doubled = shallow_optimum(X, 2 * Y, 1e-9).network
    truth, bracket = shallow_optimum(X, Y, strength).loss, certify_shallow(doubled, X, Y, strength)
    assert 0 < bracket.lower <= truth.upper
    V = (Y - doubled(X)) / rho
    gain, loss = np.sum(V * Y), rho * np.sum(V**2) + np.sum(V.sum(axis=0) ** 2)
    steepest = Oracle(with_bias(X, 1.0)).peaks(V).bound
    printed, right = (
        min(1 / steepest, gain / loss),
        np.clip(gain / loss, -1 / steepest, 1 / steepest),
    )
    bounds = [strength * (2 * t * gain - t**2 * loss) for t in (printed, right)]
    assert bounds[0] > 1.2 * truth.upper
    assert bounds[1] == pytest.approx(bracket.lower, rel=1e-9)


def test_wrong_factors_are_seen():
    X, Y = random_data(6, 1, 1)
    Y = Y + 3
    loss = shallow_optimum(X, Y, 0.01).loss
    without_the_output_bias = by_cone(np.column_stack([X, np.ones(6)]), Y[:, 0], 0.01, 0.0)
    assert without_the_output_bias > 1.01 * loss.upper
    assert by_cone(X, Y[:, 0], 0.005, 1.0) < 0.9 * loss.lower  # half the strength


def test_a_wide_bracket_proves_nothing_and_the_optimum_is_certified():
    X, Y = random_data(6, 2, 2)
    optimum = shallow_optimum(X, Y, 0.02, rtol=1e-9)
    assert certify_shallow(optimum.network, X, Y, 0.02).relative_gap < 1e-4
    unbalanced = DeepNet(
        [10 * optimum.network.weights[0], 0.1 * optimum.network.weights[1]],
        [10 * optimum.network.biases[0], optimum.network.biases[1]],
    )
    bracket = certify_shallow(unbalanced, X, Y, 0.02)
    assert bracket.upper > 2 * optimum.loss.upper
    assert optimum.loss.value in bracket


# --- the oracle
# ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("N", "r", "m"), [(6, 2, 1), (9, 2, 3), (7, 3, 2), (6, 4, 2), (5, 5, 1), (4, 7, 2)]
)
def test_the_steepest_neuron(N, r, m):
    Xt, V = random_data(N, r, m)
    peaks = Oracle(Xt).peaks(V)
    values = np.linalg.norm(np.maximum(peaks.atoms @ Xt.T, 0) @ V, axis=1)
    assert values == pytest.approx(peaks.heights, rel=1e-12)
    assert np.linalg.norm(peaks.atoms, axis=1) == pytest.approx(1)
    assert peaks.heights[0] <= peaks.bound <= peaks.heights[0] * (1 + 1e-11)
    assert 0.8 * peaks.bound < steepest_by_search(V, Xt) <= peaks.bound


@pytest.mark.parametrize("step", [1e-3, 1e-7, 1e-11, 1e-15])
def test_points_close_together(step):
    """The two hyperplanes of close points meet in a line that float64 hardly knows; the bound must
    know that.
    """
    rng = np.random.default_rng(1)
    Xt, V = rng.normal(size=(6, 3)), rng.normal(size=(6, 1))
    Xt[1] = Xt[0] + step * Xt[2]
    V[1] = -V[0] + 0.1
    bound = Oracle(Xt).peaks(V).bound
    assert steepest_by_search(V, Xt) <= bound
    assert step < 1e-12 or bound <= 1.1 * steepest_by_search(V, Xt)


def test_symmetric_points_where_singular_values_coincide():
    angles = np.arange(8) * np.pi / 4
    Xt, V = np.column_stack([np.cos(angles), np.sin(angles)]), np.eye(8)
    bound = Oracle(Xt).peaks(V).bound
    assert bound == pytest.approx(np.linalg.norm(np.maximum(Xt @ Xt[0], 0)), rel=1e-7)


@pytest.mark.parametrize(
    "A", [np.eye(4), np.ones((3, 2)), [[1, 0], [0, 0], [-2, 0]], [[0.1, 0.3], [0.3, 0.9], [1, 2]]]
)
def test_sign_vectors_of_small_arrangements(A):
    A = np.array(A, dtype=float)
    signs = sign_vectors(whole_rows(A), 1000)
    assert signs is not None
    listed = {tuple(row) for row in signs.tolist()}
    assert len(listed) == len(signs)
    w = np.random.default_rng(0).normal(size=(2000, A.shape[1]))
    assert {tuple(row) for row in np.sign(w @ A.T).astype(int).tolist()} <= listed
    assert {tuple(-x for x in row) for row in listed} == listed


@pytest.mark.parametrize(("N", "r", "cells"), [(7, 2, 14), (7, 3, 44), (6, 4, 52)])
def test_the_number_of_patterns_is_the_one_of_cover(N, r, cells):
    signs = sign_vectors(whole_rows(random_data(N, r, 1)[0]), 10_000)
    assert signs is not None
    assert np.count_nonzero((signs != 0).all(axis=1)) == cells
    assert sign_vectors(whole_rows(random_data(N, r, 1)[0]), 10) is None


# --- invariances
# -----------------------------------------------------------------------------------------------------

problems = st.tuples(
    st.integers(1, 6), st.integers(1, 2), st.integers(1, 2), st.integers(0, 10_000)
)
FEW = settings(max_examples=3, deadline=None)


def rotation(seed, d):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def assert_agree(one, other, factor=1.0):
    assert one.lower * factor <= other.upper * (1 + 1e-12)
    assert other.lower <= one.upper * factor * (1 + 1e-12)


@FEW
@given(problems, st.sampled_from([0.0, 1.0, 0.3]))
def test_rotations_and_permutations_change_nothing(problem, bias):
    N, d, m, seed = problem
    X, Y = random_data(N, d, m, seed)
    loss = shallow_optimum(X, Y, 0.03, bias=bias).loss
    assert_certified(loss)
    order = np.random.default_rng(seed).permutation(N)
    for other in ((X @ rotation(seed, d), Y), (X, Y @ rotation(seed + 1, m)), (X[order], Y[order])):
        assert_agree(loss, shallow_optimum(*other, 0.03, bias=bias).loss)


@FEW
@given(problems, st.floats(0.01, 1.0), st.floats(1.0, 3.0))
def test_more_decay_costs_more_and_never_more_than_doing_nothing(problem, strength, factor):
    X, Y = random_data(*problem)
    weak, strong = (shallow_optimum(X, Y, s).loss for s in (strength, strength * factor))
    assert weak.lower <= strong.upper
    assert strong.lower <= factor * weak.upper  # concave in the strength, and at least 0 at 0
    assert strong.upper <= np.sum(Y**2) / len(X) * (1 + 1e-9)
    assert weak.lower <= strength * shallow_cost(X, Y).upper


@FEW
@given(problems, st.sampled_from([2.0**-9, 3.0, 1000.0]))
def test_without_biases_the_cost_is_homogeneous(problem, factor):
    N, m, seed = min(problem[0], 3), problem[2], problem[3]
    X, Y = random_data(N, 3, m, seed)
    cost = shallow_cost(X, Y, bias=0)
    assert_certified(cost)
    assert_agree(cost, shallow_cost(X, factor * Y, bias=0), factor)
    assert_agree(cost, shallow_cost(factor * X, Y, bias=0), 1 / factor)
    loss = shallow_optimum(X, Y, 0.1, bias=0).loss
    assert_agree(
        loss, shallow_optimum(factor * X, factor * Y, 0.1 * factor**2, bias=0).loss, factor**2
    )


@FEW
@given(problems)
def test_a_repeated_point_changes_no_cost(problem):
    X, Y = random_data(*problem)
    twice = np.vstack([X, X[:1]]), np.vstack([Y, Y[:1]])
    assert_agree(shallow_cost(X, Y), shallow_cost(*twice))


# --- bad input
# -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[1.0]], [1.0], 0.0), "strength must be positive.*shallow_cost"),
        (([[1.0]], [1.0, 2.0], 0.1), "same number of rows"),
        (([1.0], [1.0], 0.1), "X must have 2 axes"),
        (([[np.nan]], [1.0], 0.1), "X holds NaN"),
        ((np.zeros((0, 1)), np.zeros(0), 0.1), "at least one point"),
        (([[1e70]], [1.0], 0.1), "X must stay between"),
    ],
)
def test_bad_input_is_named(arguments, says):
    with pytest.raises(ValueError, match=says):
        shallow_optimum(*arguments)


def test_bad_options_are_named():
    with pytest.raises(ValueError, match="bias must not be negative"):
        shallow_cost([[1.0]], [1.0], bias=-1.0)
    with pytest.raises(ValueError, match="rtol must be between 0 and 1"):
        shallow_optimum([[1.0]], [1.0], 0.1, rtol=0.0)


def test_targets_that_no_network_takes():
    with pytest.raises(ValueError, match="a point twice"):
        shallow_cost([[1.0], [1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="without biases"):
        shallow_cost([[1.0], [2.0]], [1.0, 3.0], bias=0)
    homogeneous = shallow_cost([[1.0], [2.0]], [1.0, 2.0], bias=0)
    assert homogeneous.how == "experiment"
    assert homogeneous.value == pytest.approx(2.0)


def test_a_network_that_does_not_fit_is_refused():
    net = DeepNet([np.ones((2, 1)), np.ones((1, 2))], [[0.0, 1.0], [0.0]])
    with pytest.raises(ValueError, match="bias is 0"):
        certify_shallow(net, [[1.0]], [1.0], 0.1, bias=0)
    with pytest.raises(ValueError, match="inputs and outputs"):
        certify_shallow(net, [[1.0, 2.0]], [1.0], 0.1)
    with pytest.raises(ValueError, match="depth 2"):
        certify_shallow(DeepNet([[[1.0]]], [[0.0]]), [[1.0]], [1.0], 0.1)


def test_progress_shows_a_bar(capfd):
    shallow_optimum(*random_data(6, 1, 1), 0.01, progress=True)
    assert "rounds" in capfd.readouterr().err
