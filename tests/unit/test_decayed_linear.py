"""Linear networks with weight decay, against what their Discussion says that they pay."""

import numpy as np
import pytest

from repcost import linear_map_cost
from repcost.experiments.decayed_linear import convolution, one_row, product, trained


def test_architectures_multiply():
    A, B = np.arange(4.0).reshape(2, 2), np.array([[1.0, 2.0], [0.0, -1.0]])
    assert np.array_equal(product(np.array([A, B])), A @ B)
    assert np.array_equal(one_row(np.array([A, B])), A[0] @ B)
    assert np.array_equal(product(A[None]), A)
    by_hand = [1 * 4 + 2 * 6 + 3 * 5, 1 * 5 + 2 * 4 + 3 * 6, 1 * 6 + 2 * 5 + 3 * 4]
    assert convolution(np.array([[1.0, 2, 3], [4, 5, 6]])) == pytest.approx(by_hand)


@pytest.mark.parametrize("depth", [2, 3])
def test_it_pays_for_what_it_ends_with(depth):
    rng, strength = np.random.default_rng(depth), 1e-3
    A = rng.normal(size=(2, 2))
    found = trained(product, (depth, 2, 2), np.eye(2), A, strength, rng=rng, starts=4)
    cost = linear_map_cost(found.function, depth).value / depth
    misfit = np.sum((found.function - A) ** 2)
    assert found.objective == pytest.approx(misfit + strength * cost, rel=1e-4)


def test_what_is_refused():
    with pytest.raises(ValueError, match="strength"):
        trained(one_row, (2, 1, 1), [[1.0]], np.ones(1), 0.0, rng=np.random.default_rng(0))
