"""What leaves the least loss and cost of shallow networks as they are, or scales them as known."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import shallow_cost, shallow_optimum
from tests.shallow_problems import assert_agree, assert_certified, random_data

# Points, inputs, outputs, and the seed of `random_data`.
sizes = st.tuples(st.integers(1, 6), st.integers(1, 2), st.integers(1, 2), st.integers(0, 10_000))
FEW = settings(max_examples=3, deadline=None)


def rotation(seed, d):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


@FEW
@given(sizes, st.sampled_from([0.0, 1.0, 0.3]))
def test_rotations_and_permutations_change_nothing(size, bias):
    N, d, m, seed = size
    X, Y = random_data(N, d, m, seed)
    loss = shallow_optimum(X, Y, 0.03, bias=bias).loss
    assert_certified(loss)
    order = np.random.default_rng(seed).permutation(N)
    for other in ((X @ rotation(seed, d), Y), (X, Y @ rotation(seed + 1, m)), (X[order], Y[order])):
        assert_agree(loss, shallow_optimum(*other, 0.03, bias=bias).loss)


@FEW
@given(sizes, st.floats(0.01, 1.0), st.floats(1.0, 3.0))
def test_more_decay_costs_more_and_never_more_than_doing_nothing(size, strength, factor):
    X, Y = random_data(*size)
    weak, strong = (shallow_optimum(X, Y, s).loss for s in (strength, strength * factor))
    assert weak.lower <= strong.upper
    # Concave in the strength, and at least 0 at 0.
    assert strong.lower <= factor * weak.upper
    assert strong.upper <= np.sum(Y**2) / len(X) * (1 + 1e-9)
    assert weak.lower <= strength * shallow_cost(X, Y).upper


@FEW
@given(sizes, st.sampled_from([2.0**-9, 3.0, 1000.0]))
def test_without_biases_the_cost_is_homogeneous(size, factor):
    # At most as many points as inputs: then every target can be interpolated.
    N, m, seed = min(size[0], 3), size[2], size[3]
    X, Y = random_data(N, 3, m, seed)
    cost = shallow_cost(X, Y, bias=0)
    assert_certified(cost)
    assert_agree(cost, shallow_cost(X, factor * Y, bias=0), factor)
    assert_agree(cost, shallow_cost(factor * X, Y, bias=0), 1 / factor)
    loss = shallow_optimum(X, Y, 0.1, bias=0).loss
    scaled = shallow_optimum(factor * X, factor * Y, 0.1 * factor**2, bias=0).loss
    assert_agree(loss, scaled, factor**2)


@FEW
@given(sizes)
def test_a_repeated_point_changes_no_cost(size):
    X, Y = random_data(*size)
    twice = np.vstack([X, X[:1]]), np.vstack([Y, Y[:1]])
    assert_agree(shallow_cost(X, Y), shallow_cost(*twice))
