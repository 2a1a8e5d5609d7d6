"""Sweeps over the layers against Newton's method, and what is left to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repcost import DeepNet, neuron_imbalance
from repcost.datasets import random_network
from repcost.idle_units import only_units, used_units
from repcost.rescaling import cheapest_scales, rescaled
from repcost.sweeps import swept_scales


def network(*widths, seed=0):
    return random_network(*widths, rng=np.random.default_rng(seed))


def sparse_and_uneven(seed, decades):
    """Weights of any size within so many decades, some of them zero, without idle units."""
    rng = np.random.default_rng(seed)
    widths = rng.integers(1, 7, rng.integers(3, 9))

    def entries(*shape):
        sizes = rng.normal(size=shape) * 10.0 ** (-decades * rng.random(shape))
        return np.where(rng.random(shape) < 0.7, sizes, 0.0)

    shapes = zip(widths[1:], widths, strict=False)
    net = DeepNet([entries(*shape) for shape in shapes], [entries(width) for width in widths[1:]])
    return only_units(net, used_units(net))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 2, 12, 40]))
def test_they_end_where_newtons_method_does(seed, decades):
    net = sparse_and_uneven(seed, decades)
    swept = swept_scales(net)
    if swept is None:
        return
    ours, theirs = rescaled(net, swept), rescaled(net, cheapest_scales(net))
    assert ours.squared_norm == pytest.approx(theirs.squared_norm, rel=1e-14)
    for unbalanced in neuron_imbalance(ours):
        assert np.abs(unbalanced).max(initial=0.0) <= 1e-12 * ours.squared_norm


@pytest.mark.parametrize("widths", [(3, 5, 2), (2, 30, 30, 30, 1), (20, 200, 10)])
def test_shallow_networks_are_swept(widths):
    assert swept_scales(network(*widths)) is not None


def by_size(factor):
    net = network(2, 4, 4, 1)
    return net.with_layers([factor * net.weights[0], *net.weights[1:]], net.biases)


@pytest.mark.parametrize(
    "net",
    [network(2, *[8] * 30, 2), by_size(1e-70), by_size(1e80), by_size(1e-170)],
    ids=["deep", "small", "large", "squares underflow"],
)
def test_the_others_are_left_to_newtons_method(net):
    assert swept_scales(net) is None


def test_slow_sweeps_are_given_up():
    """Layers wide enough to begin with, but so many that errors hardly shrink."""
    deep = network(1, *[330] * 19, 1)
    assert swept_scales(deep) is None
    # Control: the first of these layers alone are swept.
    first = deep.with_layers([*deep.weights[:3], deep.weights[-1]], [*deep.biases[:3], [0.0]])
    assert swept_scales(first) is not None
