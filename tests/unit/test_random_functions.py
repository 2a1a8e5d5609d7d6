"""Random networks, splines and interpolants have the kinds and sizes asked for, and repeat."""

import numpy as np
import pytest

from repcost.datasets import (
    random_groups,
    random_interpolant,
    random_spline,
    random_two_layer,
)


def test_sizes_of_units_differ_by_decades():
    net = random_two_layer(2000, 3, rng=np.random.default_rng(0), decades=3)
    sizes = np.log10(np.linalg.norm(net.W, axis=1)), np.log10(np.abs(net.a))
    assert all(2 < np.quantile(size, 0.99) < 4 and -4 < size.mean() < 1 for size in sizes)
    assert np.abs(np.log10(np.abs(net.b))).max() < 6


def test_without_an_output_bias_nothing_else_changes():
    nets = [
        random_two_layer(4, 3, rng=np.random.default_rng(1), output_bias=bias)
        for bias in (True, False)
    ]
    assert all(np.array_equal(getattr(nets[0], p), getattr(nets[1], p)) for p in "Wab")
    assert nets[0].c != 0 == nets[1].c


def test_directions_of_length_one():
    net = random_two_layer(9, 4, rng=np.random.default_rng(2), unit_directions=True)
    assert np.linalg.norm(net.W, axis=1) == pytest.approx(1)


def test_splines_go_through_their_anchor():
    rng = np.random.default_rng(3)
    for _ in range(50):
        f = random_spline(rng, range(2, 6), anchor=(30.0, -7.0))
        assert f([30.0]).tolist() == [-7.0] and 2 <= len(f.knots) < 6
        assert set(f.knots) <= set(range(60)) and np.abs(f.slopes).max() <= 9


@pytest.mark.parametrize("turned", [True, False])
def test_groups_lie_along_their_directions(turned):
    groups = random_groups([3, 2, 1], 4, rng=np.random.default_rng(4), turned=turned)
    V, net = groups.basis, groups.net
    assert pytest.approx(np.eye(3), abs=1e-14) == V.T @ V
    assert groups.member.tolist() == [0, 0, 0, 1, 1, 2]
    assert np.abs(net.W @ V) == pytest.approx(np.eye(3)[groups.member], abs=1e-14)
    assert not net.b.any() and net.a.all() and (set(net.W.ravel()) <= {0, 1, -1}) != turned


def test_groups_need_as_many_variables():
    with pytest.raises(ValueError, match="2 variables have no 3 orthonormal directions"):
        random_groups([1, 1, 1], 2, rng=np.random.default_rng(0))


def test_interpolants_go_through_their_points_and_are_seldom_alike():
    rng, y = np.random.default_rng(4), np.array([1.0, 0.0, 3.0, 3.0])
    drawn = [random_interpolant(rng, y) for _ in range(60)]
    assert all(f(np.arange(4)).tolist() == y.tolist() for f in drawn)
    assert all(np.array_equal(f.knots, np.arange(-1, 4.5, 0.5)) for f in drawn)
    assert all((f.slopes * 2 % 1 == 0).all() for f in drawn)
    on_spline = sum(f([0.5])[0] == 0.5 for f in drawn)
    assert 30 < on_spline < 60 and len({tuple(f.slopes) for f in drawn}) > 40
