"""Descents on representations against certified optima, and what goes wrong without projection."""

import numpy as np
import pytest

from repcost import Objective, shallow_optimum
from repcost.representations import Representations, descend, descend_smoothed, representations
from tests.layer_problems import scaled_net


def six_points(seed):
    """Six points with one input and one target each."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, 1)), rng.normal(size=(6, 1))


@pytest.mark.parametrize("seed", [0, 1])
def test_descent_with_and_without_projection(seed):
    """Appendix B.1: without projection a narrow loss falls below the infimum over all networks."""
    X, Y = six_points(seed)
    strength, objective = 0.01, Objective.jacot_2022(0.01)
    infimum = shallow_optimum(X, Y, strength).loss.lower
    start = representations(scaled_net(1, 2, 1, seed=seed), X)
    good = descend(start, Y, strength, steps=150)
    bad = descend(start, Y, strength, steps=150, projected=False)
    assert all((np.diff(found.losses) < 0).all() for found in (good, bad))
    assert infimum <= good.losses[-1] < 0.97 * good.losses[0]
    assert good.representations.misfit < 1e-9
    assert objective.value(good.network, X, Y) == pytest.approx(good.losses[-1], rel=1e-6)
    assert bad.losses[-1] < 0.5 * infimum
    assert bad.representations.misfit > 0.1
    assert objective.value(bad.network, X, Y) > infimum


def test_the_bound_of_appendix_b_is_false_as_printed():
    """|Z S^+| >= |Z v v^T S^+| for a unit v: not for Z = (1, -1), S^+ = (1, 1)^T, v = e_1."""
    Z, S, v = np.array([[1.0, -1.0]]), np.array([[1.0], [1.0]]), np.array([1.0, 0.0])
    assert np.linalg.norm(Z @ S) == 0
    assert np.linalg.norm((Z @ v) * (v @ S)) == 1


def test_smoothed_descent_comes_near_the_certified_optimum():
    (X, Y), strength = six_points(1), 0.01
    optimum = shallow_optimum(X, Y, strength).loss
    # It ends at a minimum near by, of which one or another is the least, as floats are rounded.
    starts = [representations(scaled_net(1, 4, 1, seed=seed), X) for seed in (1, 2, 4, 7)]
    ladder = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
    ended = [descend_smoothed(start, Y, strength, tikhonov=ladder) for start in starts]
    found = min(ended, key=lambda each: each.losses[-1])
    loss = Objective.jacot_2022(strength).value(found.network, X, Y)
    assert optimum.lower <= loss < 1.005 * optimum.upper
    assert found.losses[-1] == pytest.approx(loss, rel=5e-3)
    # Control: a large t is no approximation, and its value no loss of a network.
    assert found.losses[0] < 0.5 * optimum.lower


def test_descent_finds_the_linear_optimum():
    """N = 1 and no biases: |c - y|^2 + 2 strength |c| is least at y - strength."""
    start = Representations([[1.0]], [[[1.0]], [[1.0]]], bias=0.0)
    for found in (descend(start, [[2.0]], 0.1), descend_smoothed(start, [[2.0]], 0.1)):
        assert found.network([[1.0]]) == pytest.approx(1.9, abs=1e-5)
        assert found.losses[-1] == pytest.approx(0.01 + 0.2 * 1.9, rel=1e-5)


ONE = Representations([[1.0]], [[[1.0]], [[1.0]]])
LEAKY = Representations([[1.0]], [[[1.0]]], 1.0, 0.5)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: descend(ONE, [[1.0, 2.0]], 0.1), "Y has shape"),
        (lambda: descend(ONE, [[1.0]], 0.0), "strength must be positive"),
        (lambda: descend(LEAKY, [[1.0]], 0.1), "leaky"),
        (lambda: descend_smoothed(ONE, [[1.0]], 0.1, tikhonov=[0.0]), "must hold positive"),
    ],
)
def test_refuses(call, says, unchecked):
    with pytest.raises(ValueError, match=says):
        call()
