import numpy as np
import pytest
from random_nets import random_net

from repcost import DeepNet
from repcost.datasets.examples import cross_network, example_networks
from repcost.joined import added, composed

FORMULAS = {
    "identity": lambda X: X,
    "absolute value": np.abs,
    "tent": lambda X: np.minimum(2 * X, 2 - 2 * X),
    "tent of tent": lambda X: 1 - np.abs(1 - (4 * X % 2)),
    "bent mean": lambda X: np.stack(
        [X.mean(1), np.abs(X.mean(1)), np.maximum(X.mean(1) - 0.5, 0)],
        axis=1,
    ),
    "diagonal": lambda X: X * [2, 0.5],
    "bent plane": lambda X: np.stack(
        [np.abs(X[:, 0] + X[:, 2]) / 2, (X[:, 1] + X[:, 2]) / 2, np.maximum(X @ [0.5, 0.5, 1], 0)],
        axis=1,
    ),
    "cross": lambda X: np.abs(X).min(1, keepdims=True) * np.sign(X),
}


@pytest.mark.parametrize(("name", "example"), example_networks().items())
def test_the_examples_are_the_functions(name, example):
    low, high = example.domain
    X = np.random.default_rng(0).uniform(low, high, (500, len(low)))
    assert example.network(X) == pytest.approx(FORMULAS[name](X), abs=1e-14)
    assert example.jacobian_rank <= example.bottleneck_rank <= min(example.network.widths)


def test_the_cases_as_printed_are_another_function():
    X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    printed = np.abs(X).max(1, keepdims=True) * np.sign(X)
    assert np.abs(cross_network()(X) - printed).max() > 0.5


@pytest.mark.parametrize("slope", [0.0, 0.5, -0.25])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_joined_networks_are_the_joined_functions(slope, depth):
    one, other = [
        random_net(2, *[4] * (depth - 1), 2, seed=seed, negative_slope=slope) for seed in (0, 1)
    ]
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert composed(one, other)(X) == pytest.approx(one(other(X)), abs=1e-12)
    assert composed(one, other).depth == 2 * depth - 1
    assert added(one, other)(X) == pytest.approx(one(X) + other(X), abs=1e-12)
    assert np.abs(composed(other, one)(X) - one(other(X))).max() > 0.1


@pytest.mark.parametrize(
    ("join", "one", "other", "says"),
    [
        (composed, random_net(3, 2), random_net(1, 2), "outer takes 3 variables"),
        (added, random_net(2, 2), random_net(2, 3, 2), "different \\(depth"),
        (added, random_net(2, 2), DeepNet([np.eye(2)], [[0, 0]], 0.5), "different activations"),
    ],
)
def test_networks_that_do_not_fit_are_named(join, one, other, says):
    with pytest.raises(ValueError, match=says):
        join(one, other)
