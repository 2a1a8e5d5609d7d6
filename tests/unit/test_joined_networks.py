import numpy as np
import pytest
from numpy.random import default_rng

from repcost import DeepNet
from repcost.datasets import cross_network, random_network
from repcost.joined import added, composed
from tests.deep_problems import DEEP


@pytest.mark.parametrize("problem", DEEP, ids=str)
def test_the_examples_are_the_functions(problem):
    low, high = problem.domain
    X = np.random.default_rng(0).uniform(low, high, (500, len(low)))
    assert problem.network(X) == pytest.approx(problem.function(X), abs=1e-14)
    jacobian, bottleneck = problem.ranks
    assert jacobian <= bottleneck <= min(problem.network.widths)


def test_the_cases_as_printed_are_another_function():
    X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    printed = np.abs(X).max(1, keepdims=True) * np.sign(X)
    assert np.abs(cross_network()(X) - printed).max() > 0.5


@pytest.mark.parametrize("slope", [0.0, 0.5, -0.25])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_joined_networks_are_the_joined_functions(slope, depth):
    widths = (2, *[4] * (depth - 1), 2)
    one = random_network(*widths, rng=default_rng(0), negative_slope=slope)
    other = random_network(*widths, rng=default_rng(1), negative_slope=slope)
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert composed(one, other)(X) == pytest.approx(one(other(X)), abs=1e-12)
    assert composed(one, other).depth == 2 * depth - 1
    assert added(one, other)(X) == pytest.approx(one(X) + other(X), abs=1e-12)
    assert np.abs(composed(other, one)(X) - one(other(X))).max() > 0.1


def affine(variables, outputs, negative_slope=0.0):
    return DeepNet([np.ones((outputs, variables))], [np.zeros(outputs)], negative_slope)


@pytest.mark.parametrize(
    ("join", "one", "other", "says"),
    [
        (composed, affine(3, 2), affine(1, 2), "outer takes 3 variables, but inner has 2 outputs"),
        (added, affine(2, 2), cross_network(), r"different \(depth.*\(1, 2, 2\) and \(3, 2, 2\)"),
        (added, affine(2, 2), affine(2, 2, 0.5), "activations: ReLU and leaky ReLU of slope 0.5"),
    ],
)
def test_networks_that_do_not_fit_are_named(join, one, other, says):
    with pytest.raises(ValueError, match=says):
        join(one, other)
