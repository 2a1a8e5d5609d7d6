"""Networks side by side with weight decay, against differences and minima of one variable."""

import numpy as np
import pytest

from repcost.constructions import side_by_side_cost
from repcost.experiments.decayed_paths import _layers, _misfit, _shapes, trained


def by_the_networks(found, X, y, depth, strength):
    values = sum(net(X) for net in found.networks)
    return np.sum((values - y) ** 2) + strength * side_by_side_cost(found.networks)


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_the_gradient_is_a_difference_quotient(depth):
    rng = np.random.default_rng(depth)
    X, y, shapes = rng.normal(size=(5, 2)), rng.normal(size=5), _shapes(3, 2, 4, depth)
    flat = rng.normal(size=sum(int(np.prod(shape)) for shape in shapes))
    _, gradient = _misfit(_layers(flat, shapes), X, y)
    for k in rng.choice(len(flat), 6, replace=False):
        step = 1e-6 * (np.arange(len(flat)) == k)
        ends = [_misfit(_layers(flat + side * step, shapes), X, y)[0] for side in (1, -1)]
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_one_point_is_a_problem_of_one_variable(depth):
    size = np.linspace(0, 2, 100_001)
    least = np.min((size - 2) ** 2 + 0.5 * size ** (2 / depth))
    X, y = np.array([[0.6, 0.8]]), np.array([2.0])
    found = trained(X, y, depth, 0.5, rng=np.random.default_rng(1))
    assert found.objective == pytest.approx(least, abs=1e-8)
    assert found.objective == pytest.approx(by_the_networks(found, X, y, depth, 0.5), abs=1e-12)
    if depth > 2:
        assert found.alive() == 1


def test_what_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="depth"):
        trained([[1.0]], [1.0], 1, 0.5, rng=rng)
    with pytest.raises(ValueError, match="strength"):
        trained([[1.0]], [1.0], 2, 0.0, rng=rng)
