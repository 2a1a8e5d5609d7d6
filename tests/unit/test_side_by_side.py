"""Networks side by side and matrices of a given product, against the certified costs."""

import numpy as np
import pytest

from repcost import diagonal_cost, linear_map_cost, parallel_cost, schatten_power
from repcost.constructions import (
    SubNetwork,
    balanced_factors,
    balanced_vectors,
    changed_between,
    descended_factors,
    side_by_side_cost,
    with_one_fewer,
)


def random_sub_network(rng: np.random.Generator, depth: int) -> SubNetwork:
    sizes = [2] + [3] * (depth - 2) + [1]
    matrices = [rng.normal(size=size) for size in zip(sizes[1:], sizes[:-1], strict=True)]
    return SubNetwork(tuple(matrices), float(rng.normal()))


def by_hand(net: SubNetwork, x: np.ndarray) -> float:
    for W in net.matrices:
        x = np.array([max(float(row @ x), 0.0) for row in W])
    return net.last * x[0]


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_balancing_keeps_the_function_and_costs_the_penalty_on_alpha(depth):
    rng = np.random.default_rng(depth)
    nets = [random_sub_network(rng, depth) for _ in range(4)]
    X = rng.normal(size=(10, 2))
    for net in nets:
        assert net(X) == pytest.approx([by_hand(net, x) for x in X], abs=1e-12)
        assert net.balanced()(X) == pytest.approx(net(X), abs=1e-12)
        assert net.balanced().squares == pytest.approx([abs(net.alpha) ** (2 / depth)] * depth)
    cost = parallel_cost([net.alpha for net in nets], depth)
    assert side_by_side_cost([net.balanced() for net in nets]) == pytest.approx(cost.value)
    assert side_by_side_cost(nets) > cost.upper


def test_other_sizes_keep_the_function_and_cost_more():
    rng = np.random.default_rng(1)
    net, X = random_sub_network(rng, 4).balanced(), rng.normal(size=(10, 2))
    other = net.resized([2.0, 0.25, 4.0, 0.5])
    assert other(X) == pytest.approx(net(X), abs=1e-12) and other.alpha == pytest.approx(net.alpha)
    assert side_by_side_cost([other]) > side_by_side_cost([net]) * 1.1
    for scales in ([2.0, 0.5], [2.0, 1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="scales"):
            net.resized(scales)


def test_a_step_leaves_the_sum_and_one_entry_less():
    rng = np.random.default_rng(0)
    for _ in range(100):
        V, alpha = np.abs(rng.normal(size=(3, 6))), rng.normal(size=6)
        ends = list(with_one_fewer(alpha, V))
        assert 1 <= len(ends) <= 2
        for end in ends:
            assert V @ end == pytest.approx(V @ alpha, abs=1e-8 * np.abs(end).max())
            assert np.count_nonzero(end) == 5
        for p in (0.3, 1.0):
            penalties = [np.sum(np.abs(end) ** p) for end in ends]
            assert min(penalties) <= np.sum(np.abs(alpha) ** p) * (1 + 1e-9)


def test_a_step_between_copies_moves_nothing_else():
    V = np.array([[1.0, 0.0, 2.0, 2.0], [0.0, 1.0, 3.0, 3.0]])[:, [0, 2, 3]]
    ends = [end.round(12).tolist() for end in with_one_fewer(np.array([5.0, 1.0, 2.0]), V)]
    assert sorted(ends) == [[5.0, 0.0, 3.0], [5.0, 3.0, 0.0]]


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 4)])
def test_balanced_factors_have_the_product_at_the_least_cost(parts, shape):
    W = np.random.default_rng(parts).normal(size=shape)
    matrices = balanced_factors(W, parts)
    product = matrices[0]
    for M in matrices[1:]:
        product = M @ product
    assert len(matrices) == parts and product == pytest.approx(W, abs=1e-12)
    squares = sum(np.sum(M**2) for M in matrices)
    assert squares == pytest.approx(parts * schatten_power(W, 2 / parts))
    cost = linear_map_cost(W, parts)
    assert cost.lower * (1 - 1e-12) <= squares <= cost.upper * (1 + 1e-12)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_balanced_vectors_have_the_product_at_the_least_cost(parts):
    w = np.array([-8.0, 0.0, 0.25, 3.0])
    vectors = balanced_vectors(w, parts)
    assert len(vectors) == parts and np.prod(vectors, axis=0) == pytest.approx(w)
    assert np.sum(np.square(vectors)) == pytest.approx(diagonal_cost(w, parts).value)
    # Unbalanced by a factor and its inverse they cost more.
    if parts > 1:
        assert (1.1 * vectors[0]) @ (1.1 * vectors[0]) + vectors[1] @ vectors[1] / 1.21 > (
            2 * vectors[0] @ vectors[0]
        )


@pytest.mark.parametrize("shape", [(3, 3), (2, 4)])
def test_a_descent_over_factors_ends_at_the_balanced_cost(shape):
    rng = np.random.default_rng(3)
    W = rng.normal(size=shape)
    first, middle, last = descended_factors(W, 3, rng)
    assert last @ middle @ first == pytest.approx(W, abs=1e-9)
    squares = sum(np.sum(M**2) for M in (first, middle, last))
    assert linear_map_cost(W, 3).lower <= squares * (1 + 1e-12)
    assert squares == pytest.approx(linear_map_cost(W, 3).value, rel=1e-6)


def test_a_change_between_keeps_the_product_and_costs_more():
    rng = np.random.default_rng(7)
    W = rng.normal(size=(5, 3))
    balanced = balanced_factors(W, 4)
    changes = np.eye(3) + 0.3 * rng.normal(size=(3, 3, 3))
    others = changed_between(balanced, list(changes))
    assert others[3] @ others[2] @ others[1] @ others[0] == pytest.approx(W, abs=1e-10)
    assert sum(np.sum(M**2) for M in others) > linear_map_cost(W, 4).upper
    assert changed_between(balanced, [])[0] is balanced[0]
