"""Networks, points and tours at the ends of the range of floats, against fractions."""

# Wrong arguments are the point here.
# pyright: reportArgumentType=false

import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from repcost import (
    Bracket,
    DeepNet,
    PiecewiseLinear,
    TwoLayer,
    antipodal_margin,
    as_piecewise_linear,
    bottleneck_rank,
    imbalance,
    jacobian_rank,
    jacobian_spectra,
    linear_regions,
    neuron_imbalance,
    rebalance,
    rebalanced_norm,
    shortest_open_tour,
    triod_margin,
    truncation_error,
)
from repcost.datasets import random_network
from repcost.deep_networks import leaky_network
from repcost.far_networks import in_the_middle
from repcost.joined import added, composed
from repcost.ranks import widest_triod
from repcost.scales import scaled_back
from repcost_book.trials.attacks.margins import MARGINS
from repcost_book.trials.attacks.networks import NETWORKS, exact_layers
from repcost_book.trials.attacks.ranks import RANKS
from repcost_book.trials.attacks.regions import REGIONS
from repcost_book.trials.fuzz import fuzz
from tests.rank_problems import DEEP_CROSS

SQUARE = ([-1.0, -1.0], [1.0, 1.0])
# A unit as float64 weight decay leaves it, beside one that is used.
DECAYED = DeepNet(
    [[[1.0, 1.0], [1e-170, 2e-170]], [[1.0, 1e-170], [0.5, 1e-170]]], [[0.1, 1e-170], [0, 0]]
)
HUGE = DeepNet([1e200 * np.eye(2), 1e200 * np.eye(2)], [[0, 0], [0, 0]])
TINY = DeepNet([1e-200 * np.eye(2), 1e-200 * np.eye(2)], [[0, 0], [0, 0]])


def without_units(*widths):
    """Zero weights, and 1, 2, ... as the last biases."""
    pairs = list(pairwise(widths))
    biases = [np.zeros(out) for out in widths[1:-1]]
    weights = [np.zeros((out, into)) for into, out in pairs]
    return DeepNet(weights, [*biases, 1 + np.arange(widths[-1])])


@pytest.mark.parametrize(
    "attack", [*MARGINS, *NETWORKS, *RANKS, *REGIONS], ids=lambda attack: attack.name
)
def test_hostile_floats_find_nothing(attack):
    assert fuzz(attack, 7, range(12)).findings == []


@pytest.mark.parametrize("net", [DECAYED, TINY], ids=["one decayed unit", "all decayed"])
@pytest.mark.filterwarnings("error")
def test_decayed_units_are_balanced(net):
    found, least = rebalance(net), rebalanced_norm(net)
    x = [Fraction(1), Fraction(3, 4)]
    for a, b in zip(exact_layers(found, x)[-1], exact_layers(net, x)[-1], strict=True):
        assert abs(a - b) <= abs(b) / 10**13 and b
    squares = [Fraction(w) ** 2 for part in found.weights for w in part.ravel().tolist()]
    biases = [Fraction(b) ** 2 for part in found.biases for b in part.tolist()]
    norm = sum([*squares, *biases])
    assert Fraction(least.lower) <= norm * (1 + Fraction(1, 10**13))
    assert norm <= Fraction(least.upper)


def test_a_network_of_zeros_costs_nothing():
    said = "0 (certified, gap 0; the squares, biases paid)"
    assert str(rebalanced_norm(without_units(2, 3, 0))) == said


@pytest.mark.parametrize("net", [HUGE, TINY], ids=["1e200", "1e-200"])
@pytest.mark.filterwarnings("error")
def test_ranks_do_not_depend_on_the_size_of_weights(net):
    assert (
        str(jacobian_rank(net, SQUARE)) == str(bottleneck_rank(net, SQUARE)) == "2 (exact, gap 0)"
    )
    assert jacobian_rank(net, SQUARE, points=[[0.5, 0.5]]).lower == 2
    triod = widest_triod(net, SQUARE)
    # Too large and too small for floats: the ends say so, and hold the truth.
    assert triod is not None and triod.margin.lower < triod.margin.upper


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e150, 1e300])
def test_margins_and_truncations_scale_with_the_outputs(size):
    net = DeepNet([size * np.eye(2)], [[0, 0]])
    tips, centre = [[1, 0], [0, 1], [-1, 0]], [0, 0]
    margin = triod_margin(net, tips, centre)
    assert Fraction(size) in margin and margin.relative_gap < 1e-12
    circle = antipodal_margin(net, [[1, 1], [-1, 1], [-1, -1], [1, -1]])
    assert 2 * Fraction(size) in circle and circle.relative_gap < 1e-12
    error = truncation_error(net, ([-1, -1], [1, 1]), layer=0, rank=1)
    assert Fraction(size) in error and error.relative_gap < 1e-12


def test_a_decayed_coordinate_does_not_vanish():
    """Values whose squares underflow, though other values do not."""
    net = DeepNet([[[1.0, 0.0], [0.0, 1.0]]], [[0.0, 0.0]])
    tips, centre = np.array([[1e-170, 0], [0, 1e-170], [-1e-170, 0]]), [0, 0]
    assert Fraction(1e-170) in triod_margin(net, tips, centre)
    assert Fraction(1e-170) in triod_margin(net, [[1, 0], [0, 1e-170], [-1, 0]], centre)


@pytest.mark.filterwarnings("error")
def test_spectra_are_right_or_refused():
    balanced = DeepNet([[[1e200]], [[1e-200]]], [[0.0], [0.0]])
    assert jacobian_spectra(balanced, [[1.0]]).tolist() == [[1.0]]
    overflows_between = DeepNet([[[1e200]], [[1e200]], [[1e-300]]], [[0.0], [0.0], [0.0]])
    assert jacobian_spectra(overflows_between, [[1.0]]) == pytest.approx(1e100, rel=1e-13)
    assert jacobian_spectra(TINY, [[1.0, 1.0]]).tolist() == [[0.0, 0.0]]
    with pytest.raises(ValueError, match="net has Jacobians larger than floats go"):
        jacobian_spectra(HUGE, [[1.0, 1.0]])
    with pytest.raises(ValueError, match='device must be "cpu" or one that torch has'):
        jacobian_spectra(TINY, [[1.0, 1.0]], device="cud")


@pytest.mark.parametrize("widths", [(2, 0, 2), (2, 3, 0, 2), (1, 0, 1), (3, 0, 2), (2, 2)])
@pytest.mark.filterwarnings("error")
def test_layers_without_units_are_constant_functions(widths):
    """What strong decay leaves."""
    net = without_units(*widths)
    box = -np.ones(widths[0]), np.ones(widths[0])
    assert jacobian_rank(net, box).upper == bottleneck_rank(net, box).upper == 0
    assert {region.rank for region in linear_regions(net, box)} == {0}
    assert not jacobian_spectra(net, [box[0]]).any()
    assert widest_triod(net, box) is None
    assert all(truncation_error(net, box, layer=i, rank=0).upper < 1e-12 for i in range(net.depth))
    assert rebalance(net)([box[0]]).tolist() == net([box[1]]).tolist()
    assert (1 + np.arange(widths[-1])) @ (1 + np.arange(widths[-1])) in rebalanced_norm(net)
    assert len(imbalance(net)) == len(neuron_imbalance(net)) == net.depth - 1
    assert added(net, net)([box[0]]).tolist() == (2 * net([box[0]])).tolist()
    assert leaky_network(net, 0.5)([box[0]]).tolist() == net([box[0]]).tolist()
    if widths[0] == widths[-1]:
        assert composed(net, net)([box[0]]).tolist() == net([box[0]]).tolist()
    if widths == (1, 0, 1):
        assert as_piecewise_linear(net)([5.0]).tolist() == [1.0]


@pytest.mark.parametrize("slope", [0.0, 0.5])
def test_the_middle_is_the_same_function(slope):
    rng = np.random.default_rng(3)
    scales = [10.0 ** rng.uniform(-200, 200, (4, 1)) for _ in range(2)]
    first, second = (scale * rng.normal(size=(4, 5)) for scale in scales)
    weights = [first[:, :2], second[:, :4] / scales[0].T, rng.normal(size=(3, 4)) / scales[1].T]
    net = DeepNet(weights, [first[:, 4], second[:, 4], rng.normal(size=3)], slope)
    middle = in_the_middle(net, np.array([700, 1]))
    assert middle.lost and max(np.abs(part).max() for part in middle.net.weights) <= 1
    x = [Fraction(3) * 2**690, Fraction(-1)]
    inside = [Fraction(3, 2**10), Fraction(-1, 2)]
    for a, b in zip(exact_layers(net, x)[-1], exact_layers(middle.net, inside)[-1], strict=True):
        assert abs(a - b * Fraction(2) ** middle.top) <= abs(a) / 10**200


def test_both_ends_widen_where_scaling_back_rounds():
    assert scaled_back(0.75, 0.75, -1075) == (0.0, 5e-324)
    assert scaled_back(0.75, 0.75, 2000) == (sys.float_info.max, np.inf)
    assert scaled_back(0.75, 1.0, 3) == (6.0, 8.0)


@pytest.mark.filterwarnings("error")
def test_a_two_layer_network_keeps_its_function_where_squares_do_not():
    for w, a in ((1e-170, 1e170), (1e-170, 1e-170), (1e200, 1e-200)):
        net = TwoLayer([[w]], [a], [0.0])
        found = net.balanced()
        assert found.width == 1
        assert found.W[0, 0] == pytest.approx(abs(found.a[0]), rel=1e-15)
        product = Fraction(w) * Fraction(a)
        made = Fraction(found.W[0, 0]) * Fraction(found.a[0])
        assert abs(made - product) <= product / 10**14
    assert TwoLayer([[1e-170]], [1e170], [0.0]).path_norm == 1.0


@pytest.mark.filterwarnings("error")
def test_a_spline_is_right_where_sums_overflow(unchecked):
    wide = PiecewiseLinear([-1e308, 1e308], [1.0, 2.0, 1.0], (-1e308, -1e308))
    assert wide([-1e308, 0.0]).tolist() == [-1e308, 1e308]
    assert PiecewiseLinear([], [1e300], (1e300, 0.0))([1e300]).tolist() == [0.0]
    with pytest.raises(ValueError, match=r"x or y: .* too far apart, or y rises too fast"):
        PiecewiseLinear.through([0.0, 1.0], [-1e308, 1e308])
    with pytest.raises(ValueError, match="anchor must be a point"):
        PiecewiseLinear([0.0], [1.0, 2.0], (1.0,))


LARGE = DeepNet([[[1.7e308]]], [[0.0]])
ONE, BENT = DeepNet([[[1e200]]], [[0.0]]), DeepNet([[[1e308]], [[1e308]]], [[0.0], [0.0]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: linear_regions(HUGE, SQUARE), "net has Jacobians or offsets beyond"),
        (lambda: composed(ONE, ONE), "outer and inner together"),
        (lambda: added(LARGE, LARGE), "one and other together"),
        (lambda: leaky_network(BENT, 0.9), "net has weights too large"),
        (lambda: imbalance(HUGE), "net has weights beyond"),
        (lambda: jacobian_rank(without_units(0, 2), ([], [])), "domain is for functions of one"),
        (lambda: triod_margin(without_units(0, 2), np.zeros((3, 0)), []), "f takes no variables"),
        (lambda: antipodal_margin(without_units(0, 2), np.zeros((4, 0))), "f takes no variables"),
        (lambda: shortest_open_tour([[1e308, 0], [-1e308, 1]]), "longer than floats go"),
    ],
)
def test_what_leaves_the_floats_is_refused_by_name(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_open_brackets_say_why():
    cube, beyond = (-np.ones(3), np.ones(3)), (-np.ones(4), np.ones(4))
    of_four = composed(DEEP_CROSS, DeepNet([np.eye(3, 4)], [np.zeros(3)]))
    assert "cells may be missing" in jacobian_rank(of_four, beyond).reason
    assert jacobian_rank(DEEP_CROSS, cube).upper == 1
    assert "these points" in jacobian_rank(DEEP_CROSS, cube, points=[[0, 0, 0]]).reason
    off = DeepNet([np.eye(3), np.eye(3)], [[-5, -5, -5], [0, 0, 0]])
    assert not truncation_error(off, cube, layer=0, rank=0).reason
    wide = random_network(3, 60, 60, 2, rng=np.random.default_rng(0))
    assert "too many cells" in truncation_error(wide, cube, layer=1, rank=1).reason
    assert "norms" in truncation_error(of_four, beyond, layer=0, rank=0).reason
    open_ended = random_network(*(20,) * 4, rng=np.random.default_rng(0), kind="scaled")
    assert "ranks of weights" in bottleneck_rank(open_ended, ([-1] * 20, [1] * 20)).reason
    assert not jacobian_rank(HUGE, SQUARE).reason


@pytest.mark.parametrize("low", [[-1e308] * 3, [0.0] * 3, [-1e-300] * 3])
@pytest.mark.filterwarnings("error")
def test_boxes_of_any_size_in_space(low):
    net = DeepNet([np.eye(3), np.ones((1, 3))], [[0, 0, 0], [0]])
    high = [1e308] * 3 if low[0] < -1 else [1e-300] * 3
    regions = linear_regions(net, (low, high))
    assert len(regions) == (1 if low[0] == 0 else 8)
    assert all(np.isfinite(region.centre).all() and region.volume >= 0 for region in regions)


def test_empty_shapes_never_abort_python():
    """In a process of its own, as solvers that are given nothing may end it."""
    code = """
import numpy as np, repcost
from repcost import *
from repcost.ranks import open_tour
from repcost.training import Architecture, Objective, Recipe, polish_network, train
zeros = [np.zeros((0, 1)), np.zeros((1, 0)), np.zeros((0, 0)), np.zeros((1, 1)), np.ones((4, 1))]
nets = [DeepNet([np.zeros((0, 1)), np.zeros((1, 0))], [[], [1.0]]), DeepNet([[[0.0]]], [[0.0]]),
        DeepNet([np.zeros((1, 0))], [[1.0]]), DeepNet([np.zeros((0, 1))], [[]])]
objective, recipe = Objective.savarese_2019(0.1), Recipe(steps=2, polish=2)
calls = [lambda net, X: jacobian_rank(net, (X[0] * 0 - 1, X[0] * 0 + 1)),
    lambda net, X: bottleneck_rank(net, (X[0] * 0 - 1, X[0] * 0 + 1)),
    lambda net, X: linear_regions(net, (X[0] * 0 - 1, X[0] * 0 + 1)),
    lambda net, X: jacobian_rank(net, ([-1.0], [1.0]), points=X),
    lambda net, X: truncation_error(net, ([-1.0], [1.0]), layer=0, rank=0),
    lambda net, X: (jacobian_spectra(net, X), net(X), net.jacobians(X)),
    lambda net, X: (rebalance(net), rebalanced_norm(net), neuron_imbalance(net)),
    lambda net, X: (triod_margin(net, X[:3], X[3]) if len(X) > 3 else triod_margin(net, X, X)),
    lambda net, X: antipodal_margin(net, X), lambda net, X: as_piecewise_linear(net),
    lambda net, X: (shortest_open_tour(X), open_tour(X)),
    lambda net, X: polish_network(net, (X, np.ones(len(X))), objective, 2),
    lambda net, X: train(Architecture.two_layer(2), (X, X), objective, recipe, [0])]
for call in calls:
    for net in nets:
        for X in zeros:
            try:
                call(net, X)
            except (ValueError, IndexError) as error:
                assert isinstance(error, ValueError) or not len(X), error
print("alive")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "alive", done.stderr[-2000:]


def test_a_bracket_is_no_target():
    from repcost.training.inputs import checked_target

    with pytest.raises(ValueError, match=r"target must be .* give \(bracket.lower, gap\)"):
        checked_target(Bracket(1.0, 2.0, "exact"), (1, 1, 1))
