"""The second derivative that weights show, against differences of the network and known curves."""

import numpy as np
import pytest

from repcost import PiecewiseLinear, TwoLayer, cheapest_network
from repcost.constructions import (
    curvature_by_boxes,
    curvature_by_bumps,
    plus_affine,
    point_charges,
    rescaled,
)


def test_charges_are_the_changes_of_slope():
    rng = np.random.default_rng(0)
    net = TwoLayer(rng.normal(size=(6, 1)), rng.normal(size=6), rng.normal(size=6))
    places, sizes = point_charges(net)
    step = 1e-6
    slopes = [(net([t + step])[0] - net([t])[0]) / step for t in places]
    before = [(net([t])[0] - net([t - step])[0]) / step for t in places]
    assert np.subtract(slopes, before) == pytest.approx(sizes, abs=1e-7)


def test_neither_sizes_of_units_nor_lines_are_seen():
    net = TwoLayer([[1.0], [-2.0], [0.0]], [1.0, 3.0, 5.0], [0.5, 1.0, 1.0])
    x = np.linspace(-2, 2, 9)
    seen = curvature_by_bumps(net, x, 0.3)
    other = rescaled(plus_affine(net, [1.0], 0.25), [2.0, 0.5, 1.0, 3.0, 3.0])
    assert curvature_by_bumps(other, x, 0.3) == pytest.approx(seen, abs=1e-12)


def test_a_parabola_has_one_curvature():
    x = np.linspace(-3, 3, 601)
    net = cheapest_network(PiecewiseLinear.through(x, x**2 / 2))
    at = np.array([-0.5, 0.0, 1.003])
    assert curvature_by_bumps(net, at, 0.1) == pytest.approx(1, abs=1e-6)
    assert curvature_by_boxes(net, at, 0.5) == pytest.approx(1, abs=0.03)
    with pytest.raises(ValueError, match="width"):
        curvature_by_bumps(net, at, 0.0)
    with pytest.raises(ValueError, match="2 variables"):
        point_charges(TwoLayer([[1.0, 0.0]], [1.0], [0.0]))
