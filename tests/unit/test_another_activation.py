"""An activation that only this test knows goes through the whole library.

Its slope above zero is a half, so wherever somebody took that slope for 1 a test below fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from repcost import (
    DeepNet,
    as_piecewise_linear,
    jacobian_rank,
    jacobian_spectra,
    linear_regions,
    measure,
    rebalance,
    truncation_error,
)
from repcost.activations import Activation
from repcost.datasets import random_network
from repcost.joined import added, composed
from repcost.representations import representations


@dataclass(frozen=True)
class TwoSlopes(Activation):
    """above * t for t >= 0, negative_slope * t below."""

    above: float = 0.5

    def __call__(self, t):
        return np.where(t >= 0, self.above * t, self.negative_slope * t)

    def slopes(self, t):
        return np.where(t > 0, self.above, self.negative_slope)

    @property
    def is_relu(self) -> bool:
        return False

    @property
    def bend(self) -> float:
        return self.above - self.negative_slope

    def whole_slopes(self, active: Sequence[bool]):
        slopes = [self.above if on else self.negative_slope for on in active]
        return np.array([int(64 * slope) for slope in slopes], dtype=object), 6

    def exactly(self, t: Fraction) -> Fraction:
        return Fraction(self.above if t >= 0 else self.negative_slope) * t


OWN = TwoSlopes(-0.25)
RNG = np.random.default_rng(1)


def network(*widths: int) -> DeepNet:
    return random_network(*widths, rng=np.random.default_rng(3), negative_slope=OWN)


def test_a_network_keeps_it():
    net = network(2, 4, 3, 2)
    for other in (net, rebalance(net), composed(net, net), added(net, net)):
        assert other.activation is OWN
    X = RNG.normal(size=(20, 2))
    assert rebalance(net)(X) == pytest.approx(net(X))
    assert composed(net, net)(X) == pytest.approx(net(net(X)))
    assert added(net, net)(X) == pytest.approx(2 * net(X))


def test_regions_have_its_slopes():
    net = network(2, 4, 3, 2)
    for region in linear_regions(net, ([-1, -1], [1, 1])):
        middle = region.vertices.mean(axis=0, keepdims=True)
        assert region.jacobian == pytest.approx(net.jacobians(middle)[0])


def test_on_the_line_it_is_piecewise_linear():
    net, x = network(1, 4, 3, 1), np.linspace(-30, 30, 301)
    assert as_piecewise_linear(net)(x) == pytest.approx(net(x[:, None])[:, 0])


def test_ranks_and_spectra_ask_for_it():
    net, X = network(3, 4, 3, 2), RNG.normal(size=(10, 3))
    spectra = np.linalg.svd(net.jacobians(X), compute_uv=False)
    assert jacobian_spectra(net, X) == pytest.approx(spectra)
    # Both slopes differ from zero, so no unit is ever silent.
    assert jacobian_rank(network(2, 3, 2), ([-1, -1], [1, 1])).value == 2


def test_what_truncation_loses_is_bounded():
    net = network(2, 4, 3, 2)
    bracket = truncation_error(net, ([-1, -1], [1, 1]), layer=1, rank=1)
    assert 0 < bracket.lower <= bracket.upper < np.inf


def test_representations_send_on_what_it_says():
    net, X = network(2, 4, 2), RNG.normal(size=(6, 2))
    found = representations(net, X)
    assert found.activation is OWN and found.projected().activation is OWN
    assert found.activations[1][:, :-1] == pytest.approx(OWN(net.preactivations(X)[0]))


def test_the_report_counts_with_it():
    net, X = network(2, 4, 2), RNG.normal(size=(6, 2))
    assert measure(net, X).jacobian_spectra == pytest.approx(jacobian_spectra(net, X)[:, :2])
