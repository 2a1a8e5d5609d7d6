"""What holds for every activation: give a new one its line in the list."""

from fractions import Fraction

import numpy as np
import pytest

from repcost import DeepNet, linear_regions
from repcost.activations import Activation
from repcost.datasets import random_network

ACTIVATIONS = {
    "ReLU": Activation(),
    "leaky": Activation(0.3),
    "leaky, down": Activation(-0.5),
}
# Away from zero, where there is no derivative; whole quarters, so that products are exact.
POINTS = np.array([-7.25, -2.0, -0.25, 0.25, 1.0, 6.5])
every = pytest.mark.parametrize("s", ACTIVATIONS.values(), ids=ACTIVATIONS)


def network(s: Activation, *widths: int) -> DeepNet:
    return random_network(*widths, rng=np.random.default_rng(4), negative_slope=s)


@every
def test_it_is_positively_homogeneous_and_moves_nothing_apart(s):
    assert s(4 * POINTS) == pytest.approx(4 * s(POINTS), rel=1e-15)
    apart = np.abs(POINTS[:, None] - POINTS)
    assert np.all(np.abs(s(POINTS)[:, None] - s(POINTS)) <= apart * (1 + 1e-15))
    assert s(np.zeros(1)) == 0


@every
def test_its_slopes_are_difference_quotients(s):
    step = 2.0**-20
    quotients = (s(POINTS + step) - s(POINTS - step)) / (2 * step)
    assert s.slopes(POINTS) == pytest.approx(quotients, rel=1e-9)
    # At the kink that of the side where the unit is not active.
    assert s.slopes(np.zeros(1)) == s.slopes(np.array([-1.0]))


@every
def test_its_exact_slope_is_the_float(s):
    below, above = map(Fraction, s.slopes(np.array([-1.0, 1.0])))
    assert Fraction(*s.exact_slope) == below
    exact = [(below if t < 0 else above) * Fraction(t) for t in POINTS]
    assert s(POINTS).tolist() == [float(value) for value in exact]


@every
def test_a_network_has_the_derivative_that_its_activation_says(s):
    net = network(s, 3, 5, 4, 2)
    X, step = np.random.default_rng(0).normal(size=(7, 3)), 2.0**-17
    moved = [(net(X + step * e) - net(X - step * e)) / (2 * step) for e in np.eye(3)]
    assert net.jacobians(X) == pytest.approx(np.stack(moved, axis=2), abs=1e-7)


@every
def test_a_network_is_linear_in_its_regions(s):
    net = network(s, 2, 4, 3, 1)
    for region in linear_regions(net, ([-2, -2], [2, 2])):
        at = region.centre[None]
        assert net.jacobians(at)[0] == pytest.approx(region.jacobian, abs=1e-12)
        assert net(at)[0] == pytest.approx(region.jacobian @ region.centre + region.offset)


@every
def test_torch_does_the_same(s):
    torch = pytest.importorskip("torch")
    passages = pytest.importorskip("repcost.training.passages")
    there, received = passages.TensorActivation.of(s), torch.tensor(POINTS)
    back = there.back(torch.ones(6).double(), received, grad_input=torch.zeros(6).double())
    assert back.tolist() == s.slopes(POINTS).tolist()
    assert there.apply(received).tolist() == s(POINTS).tolist()
