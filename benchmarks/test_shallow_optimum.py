"""Certified shallow optima: ours against the conic programme over all activation patterns.

That programme has no certificate. Each group of the table is one problem; the numbers in brackets
are the ratios within it.
"""

import numpy as np
import pytest
from tests.shallow_problems import cone_programme, inputs_with_bias, trained

from repcost import certify_shallow, shallow_cost, shallow_optimum
from repcost.datasets import mnist_subset
from repcost.shallow.arrangements import sign_vectors, whole_rows

SIZES = [(8, 1), (12, 1), (8, 2)]


def random_data(N, d, m=1):
    """The same points at every size, so that recorded times stay comparable."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, d)), rng.normal(size=(N, m))


def by_cone(X, y, strength):
    """The time of the list, of the set-up, and of the solver at its own tolerance."""
    Xt = inputs_with_bias(X, 1.0)
    signs = sign_vectors(whole_rows(Xt), 50_000)
    assert signs is not None
    # Faces of smaller dimension are within the cones of those without a zero.
    patterns = signs[(signs != 0).all(axis=1)] > 0
    return cone_programme(Xt, y, strength, 1.0, patterns).solve(solver="CLARABEL")


@pytest.mark.parametrize("N, d", SIZES)
def test_ours(benchmark, N, d):
    benchmark.group = f"shallow_optimum, {N} points in {d} variables"
    assert benchmark(shallow_optimum, *random_data(N, d), 0.01).loss.relative_gap < 1e-6


@pytest.mark.parametrize("N, d", SIZES)
def test_theirs(benchmark, N, d):
    benchmark.group = f"shallow_optimum, {N} points in {d} variables"
    X, Y = random_data(N, d)
    found = benchmark.pedantic(by_cone, (X, Y[:, 0], 0.01), rounds=2)
    assert found == pytest.approx(shallow_optimum(X, Y, 0.01).loss.value, rel=1e-5)


@pytest.mark.parametrize("N, d, m", [(100, 1, 1), (12, 2, 3), (40, 2, 2), (15, 3, 2)])
@pytest.mark.benchmark(group="shallow_optimum, larger")
def test_ours_larger(benchmark, N, d, m):
    found = benchmark.pedantic(shallow_optimum, (*random_data(N, d, m), 0.001), rounds=1)
    assert found.loss.relative_gap < 1e-6


# The largest problems that are certified to 1e-4 within a minute, by variables and strength.
LARGEST = [
    (110, 2, 1, 1e-1),
    (60, 3, 1, 1e-1),
    (40, 5, 1, 1e-1),
    (30, 20, 1, 1e-1),
    (300, 2, 1, 1e-2),
    (100, 3, 1, 1e-2),
    (60, 5, 1, 1e-2),
    (60, 10, 1, 1e-2),
    (60, 20, 1, 1e-2),
    (40, 784, 1, 1e-2),
    (110, 2, 1, 1e-3),
    (40, 5, 1, 1e-3),
    (30, 20, 1, 1e-3),
    (110, 2, 3, 1e-2),
    (50, 3, 3, 1e-2),
    (40, 5, 3, 1e-2),
    (40, 10, 3, 1e-2),
    (30, 20, 3, 1e-2),
    (20, 784, 3, 1e-2),
]


@pytest.mark.slow
@pytest.mark.parametrize("N, d, m, strength", LARGEST)
@pytest.mark.benchmark(group="shallow_optimum, the largest in a minute")
def test_largest(benchmark, N, d, m, strength):
    data = random_data(N, d, m)
    options = {"rtol": 1e-4, "nodes": 4_000_000}
    found = benchmark.pedantic(shallow_optimum, (*data, strength), options, rounds=1)
    assert found.loss.relative_gap <= 1e-4


@pytest.mark.parametrize("N, d, m", [(12, 1, 1), (12, 1, 2), (12, 2, 1)])
@pytest.mark.benchmark(group="shallow_cost")
def test_cost(benchmark, N, d, m):
    found = benchmark.pedantic(shallow_cost, random_data(N, d, m), rounds=1)
    assert found.relative_gap < 1e-6


def trained_on_digits(points):
    """Ten classes of digits in coordinates of their span, where the problem is the same."""
    digits = mnist_subset()
    left, sizes, _ = np.linalg.svd(digits.train_images[:points], full_matrices=False)
    X, Y = left * sizes, np.eye(10)[digits.train_labels[:points]]
    return trained(X, Y, 0.01, 1.0, 60, 0, steps=10_000), X, Y, 0.01


@pytest.mark.parametrize("points, most", [(60, 1.1), (200, 2.1)])
@pytest.mark.benchmark(group="certify_shallow, ten classes of digits")
def test_certificate(benchmark, points, most):
    arguments = trained_on_digits(points)
    found = benchmark.pedantic(certify_shallow, arguments, {"steps": 1000}, rounds=1)
    benchmark.extra_info["upper / lower"] = found.upper / found.lower
    assert found.upper < most * found.lower
