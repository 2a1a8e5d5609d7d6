"""Networks of one variable as splines: against rational values, and far outside any box."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from repcost import DeepNet, TwoLayer, as_piecewise_linear, function_cost, linear_regions
from repcost.datasets import random_network


def received(net, x):
    """What the units of each layer receive at a rational, in fractions."""
    layers, passed = [], [x]
    for weight, bias in zip(net.weights, net.biases, strict=True):
        rows = zip(weight.tolist(), bias.tolist(), strict=True)
        layers.append(
            [
                sum(Fraction(w) * p for w, p in zip(row, passed, strict=True)) + Fraction(b)
                for row, b in rows
            ]
        )
        passed = [t if t >= 0 else Fraction(net.negative_slope) * t for t in layers[-1]]
    return layers


def zeros(at, values):
    """Of a function through these points, affine between them and beyond them."""
    for i, ((x, u), (y, v)) in enumerate(pairwise(zip(at, values, strict=True))):
        if u != v:
            zero = x - u * (y - x) / (v - u)
            if (i == 0 or x <= zero) and (i == len(at) - 2 or zero <= y):
                yield zero


def kinks(net):
    """Where some unit changes sides, by secants: between kinks of lower layers it is affine."""
    found = set()
    for layer in range(net.depth - 1):
        at = around(found)
        values = [received(net, x)[layer] for x in at]
        for unit in range(net.widths[layer + 1]):
            found |= set(zeros(at, [value[unit] for value in values]))
    return found


def around(points):
    """The points in order, with one more on either side."""
    points = sorted(points) or [Fraction(0)]
    return [points[0] - 1, *points, points[-1] + 1]


def by_secants(net):
    """Knots and slopes as fractions, where neighbours have different slopes."""
    at = around(kinks(net))
    values = [received(net, x)[-1][0] for x in at]
    rises = [(v - u) / (y - x) for (x, u), (y, v) in pairwise(zip(at, values, strict=True))]
    bends = [i for i, (before, after) in enumerate(pairwise(rises)) if before != after]
    return [at[i + 1] for i in bends], [rises[0], *(rises[i + 1] for i in bends)]


@pytest.mark.parametrize("kind", ["normal", "whole"])
@pytest.mark.parametrize("slope", [0.0, 0.25, -0.5])
@pytest.mark.parametrize("widths", [(1, 1), (1, 7, 1), (1, 4, 3, 1), (1, 3, 3, 3, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_equals_what_fractions_say(kind, slope, widths, seed):
    net = random_network(*widths, rng=np.random.default_rng(seed), kind=kind, negative_slope=slope)
    f, (knots, slopes) = as_piecewise_linear(net), by_secants(net)
    assert f.knots.tolist() == [float(knot) for knot in knots]
    assert f.slopes.tolist() == [float(rise) for rise in slopes]
    assert f([0.0])[0] == float(received(net, Fraction(0))[-1][0])
    x = np.random.default_rng(seed).normal(size=100, scale=5)
    assert f(x) == pytest.approx(net(x[:, None])[:, 0], rel=1e-11, abs=1e-11)


def test_a_knot_far_away_counts():
    """(x - 1)_+ - 2^-40 (x - 2^40)_+: the outer slope begins beyond any box that one would draw."""
    far = TwoLayer([[1.0], [2.0**-40]], [1.0, -1.0], [-1.0, -1.0])
    f = as_piecewise_linear(far)
    assert f.knots.tolist() == [1.0, 2.0**40]
    assert f.slopes.tolist() == [0.0, 1.0, 1 - 2.0**-40]
    assert len(linear_regions(far, ([-1e4], [1e4]))) == 2
    assert function_cost(f).value == function_cost(far).value


def test_bends_that_cancel_are_no_knots():
    line = TwoLayer([[1.0], [-1.0], [1.0]], [3.0, -3.0, 0.0], [0.0, 0.0, 7.0], 2.0)
    f = as_piecewise_linear(line)
    assert (f.knots.tolist(), f.slopes.tolist(), f([1.0]).tolist()) == ([], [3.0], [5.0])


def test_knots_that_round_to_one_float_are_one():
    """1/2 + 1/(2 w) for w = 2^52 + 1 and w = 2^52 + 3 differ by 2^-104."""
    w = [2.0**52 + 1, 2.0**52 + 3]
    net = TwoLayer([[w[0]], [w[1]]], [1.0, 1.0], [-(2.0**51 + 1), -(2.0**51 + 2)])
    assert len(by_secants(DeepNet.from_two_layer(net))[0]) == 2
    f = as_piecewise_linear(net)
    assert f.knots.tolist() == [0.5 + 2.0**-53]
    assert f.slopes.tolist() == [0.0, w[0] + w[1]]


@pytest.mark.parametrize(
    ("net", "says"),
    [
        (DeepNet([[[1.0, 2.0]]], [[0.0]]), "takes 2 variables and has 1 outputs"),
        (DeepNet([[[1.0], [2.0]]], [[0.0, 0.0]]), "takes 1 variables and has 2 outputs"),
        (TwoLayer([[1e-300]], [1.0], [1e300]), "beyond the range of floats"),
        ("net", "DeepNet or a TwoLayer"),
    ],
)
def test_refuses(net, says, unchecked):
    with pytest.raises(ValueError, match=says):
        as_piecewise_linear(net)
