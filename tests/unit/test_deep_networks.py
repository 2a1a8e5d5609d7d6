import numpy as np
import pytest
from numpy.random import default_rng

from repcost import DeepNet, TwoLayer
from repcost.datasets import random_network


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.5])
def test_values_and_derivatives_equal_those_of_torch(slope):
    import torch

    net = random_network(3, 5, 4, 2, rng=default_rng(0), negative_slope=slope)
    X = np.random.default_rng(1).normal(size=(20, 3))

    def theirs(x):
        for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
            x = torch.tensor(weight.copy()) @ x + torch.tensor(bias.copy())
            x = torch.where(x >= 0, x, slope * x) if layer < 2 else x
        return x

    assert net(X) == pytest.approx(
        np.stack([theirs(torch.tensor(x)).numpy() for x in X]), abs=1e-12
    )
    jacobians = [torch.autograd.functional.jacobian(theirs, torch.tensor(x)).numpy() for x in X]
    assert net.jacobians(X) == pytest.approx(np.stack(jacobians), abs=1e-12)


def test_a_two_layer_network_is_a_deep_one():
    rng = np.random.default_rng(2)
    net = TwoLayer(rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=4), 0.5)
    X = rng.normal(size=(10, 3))
    assert DeepNet.from_two_layer(net)(X)[:, 0] == pytest.approx(net(X), abs=1e-12)


def test_what_it_says_of_itself():
    net = random_network(3, 5, 2, rng=default_rng(0))
    assert (net.depth, net.widths) == (2, (3, 5, 2))
    parts = np.concatenate([part.ravel() for part in (*net.weights, *net.biases)])
    assert net.squared_norm == pytest.approx(parts @ parts, rel=1e-14)
    assert [len(row) for row in net.preactivations(np.zeros((7, 3)))] == [7, 7]


def test_a_single_layer_is_affine():
    net = DeepNet([[[1.0, 2.0]]], [[3.0]])
    assert net([[1.0, 1.0]]).tolist() == [[6.0]]
    assert net.jacobians([[1.0, 1.0]]).tolist() == [[[1.0, 2.0]]]


@pytest.mark.parametrize(
    ("weights", "biases", "slope", "says"),
    [
        ([], [], 0, "at least one"),
        ([[[1.0]]], [[1.0], [2.0]], 0, "as many biases"),
        ([[[1.0]]], [[1.0, 2.0]], 0, r"weights\[0\] has 1 rows, biases\[0\] 2"),
        ([[[1.0]], [[1.0, 2.0]]], [[0.0], [0.0]], 0, r"weights\[1\] takes 2 inputs"),
        ([[[np.nan]]], [[0.0]], 0, r"weights\[0\] holds NaN"),
        ([[[1.0]]], [[0.0]], 1.0, "negative_slope"),
        ([[1.0]], [[0.0]], 0, r"weights\[0\] must have 2 axes"),
    ],
)
def test_bad_input_is_named(weights, biases, slope, says):
    with pytest.raises(ValueError, match=says):
        DeepNet(weights, biases, slope)


def test_points_of_the_wrong_width_are_refused():
    with pytest.raises(ValueError, match="takes 3"):
        random_network(3, 2, 1, rng=default_rng(0))(np.zeros((4, 2)))
