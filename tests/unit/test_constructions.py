"""Explicit networks against the functions that they are said to be, and against what they cost."""

import numpy as np
import pytest

from repcost import (
    DeepNet,
    Objective,
    as_piecewise_linear,
    bottleneck_rank,
    function_cost,
    rebalance,
    rebalanced_norm,
)
from repcost.constructions import (
    chained,
    cheapest_projection,
    chords,
    class_labels,
    fold_network,
    folded_zigzag,
    islands_network,
    joined_dots,
    labels_least_loss,
    labels_network,
    leaky_whole_line,
    longer,
    maximum_network,
    one_more_teacher,
    padded,
    remade_bend,
    rescaled_units,
    shifted_teacher,
    through_one_number,
    tied_networks,
    unused_constant,
    used_constant,
    whole_line,
)
from repcost.constructions.one_number import _balanced_norm
from repcost.datasets import random_network, taught_rank_five

RNG = np.random.default_rng(0)
DOTS = RNG.normal(size=6), RNG.normal(size=(6, 2))


@pytest.mark.parametrize("identities", [0, 1, 4])
def test_a_chain_is_the_composition_where_the_shift_is_enough(identities):
    inner = random_network(3, 5, 2, rng=np.random.default_rng(0))
    outer = random_network(2, 4, 2, rng=np.random.default_rng(1))
    X = RNG.normal(size=(40, 3))
    shift = np.maximum(-inner(X).min(axis=0), 0)
    chain = chained(outer, inner, shift, identities)
    assert chain.depth == 4 + identities
    assert chain(X) == pytest.approx(outer(inner(X)), abs=1e-12)
    assert np.abs(chained(outer, inner, identities=identities)(X) - outer(inner(X))).max() > 0.1


def test_a_chain_of_networks_that_do_not_fit_is_refused():
    two = DeepNet([np.ones((2, 2))], [np.zeros(2)])
    one = DeepNet([np.ones((1, 2))], [np.zeros(1)])
    with pytest.raises(ValueError, match="inner has 1"):
        chained(two, one)
    with pytest.raises(ValueError, match="identities must be a whole number, at least 0"):
        chained(one, two, identities=-1)


@pytest.mark.parametrize("place", [1, 2])
def test_a_layer_more_costs_its_width_and_changes_nothing(place):
    net = random_network(2, 5, 3, 2, rng=np.random.default_rng(0))
    X = RNG.normal(size=(40, 2))
    more = longer(net, place)
    assert (more(X) == net(X)).all()
    assert more.squared_norm - net.squared_norm == pytest.approx(net.widths[place])


def test_a_layer_in_front_loses_what_is_negative():
    net = random_network(2, 5, 2, rng=np.random.default_rng(0))
    X = RNG.normal(size=(40, 2))
    assert longer(net, 0)(X) == pytest.approx(net(np.maximum(X, 0)))


def test_units_that_nothing_listens_to():
    net = random_network(2, 4, 3, 2, negative_slope=0.3, rng=np.random.default_rng(0))
    X = RNG.normal(size=(20, 2))
    wide, paid = padded(net, 3), padded(net, 3, bias=2.0)
    assert wide.widths == (2, 7, 6, 2)
    assert wide.squared_norm == pytest.approx(net.squared_norm)
    assert paid.squared_norm == pytest.approx(net.squared_norm + 4 * 6)
    assert wide(X) == pytest.approx(net(X)) and paid(X) == pytest.approx(net(X))


@pytest.mark.parametrize("slope", [0.0, -0.4])
def test_rescaling_keeps_the_function_and_the_cheapest_norm(slope):
    net = random_network(2, 5, 3, 2, negative_slope=slope, rng=np.random.default_rng(0))
    X = RNG.normal(size=(30, 2))
    other = rescaled_units(net, [np.exp(RNG.normal(size=width)) for width in net.widths])
    assert other(X) == pytest.approx(net(X))
    assert other.squared_norm != pytest.approx(net.squared_norm)
    assert rebalance(other).squared_norm == pytest.approx(rebalanced_norm(net).value)


def test_joined_dots_interpolate():
    t, Y = DOTS
    order, at = np.argsort(t), np.linspace(t.min(), t.max(), 301)
    theirs = np.stack([np.interp(at, t[order], column[order]) for column in Y.T], axis=1)
    assert joined_dots(t, Y)(at[:, None]) == pytest.approx(theirs, abs=1e-12)
    assert (joined_dots(t, Y)([[t.min() - 1], [t.min() - 9]]) == Y[t.argmin()]).all()
    places, values, slopes = chords(t, Y)
    assert values[0] + np.cumsum(slopes * np.diff(places)[:, None], axis=0) == pytest.approx(
        values[1:]
    )


@pytest.mark.parametrize("slope", [0.0, 0.5, -0.3])
@pytest.mark.parametrize("depth", [2, 3, 4, 30])
def test_fits_through_one_number(depth, slope):
    X, Y, unit = RNG.normal(size=(7, 3)), RNG.normal(size=(7, 2)), np.array([0.6, 0.0, 0.8])
    net = through_one_number(X, Y, unit, depth, slope)
    assert (net.depth, net.negative_slope) == (depth, slope)
    assert net(X) == pytest.approx(Y, abs=1e-9)
    assert np.linalg.matrix_rank(net.jacobians(X), tol=1e-8).max() == 1
    if depth > 2:
        assert np.abs(DeepNet(net.weights, [[0], *net.biases[1:]], slope)(X) - Y).max() > 0.1


def test_a_fit_through_one_number_has_bottleneck_rank_one():
    X = RNG.uniform(-1, 1, (5, 2))
    rank = bottleneck_rank(through_one_number(X, X, [0.6, 0.8], 4), ([-1, -1], [1, 1]))
    assert (rank.lower, rank.upper) == (1, 1)
    with pytest.raises(
        ValueError, match="depth must be a whole number of layers of weights, at least 2"
    ):
        through_one_number(X, X, [0.6, 0.8], 1)


@pytest.mark.parametrize("depth", [3, 4, 24, 200])
def test_the_norm_by_formula_is_that_of_the_balanced_network(depth):
    X = RNG.uniform(size=(8, 2))
    for angle in (0.3, 2.0, 4.1):
        unit = np.array([np.cos(angle), np.sin(angle)])
        built = rebalance(through_one_number(X, X, unit, depth)).squared_norm
        # The scale comes from a grid, so the formula is a little above the minimum.
        assert built * (1 - 1e-12) <= _balanced_norm(X @ unit, X, depth) <= built * 1.01


def test_the_cheapest_projection_is_as_good_as_building_them_all():
    X = RNG.uniform(size=(6, 2))
    angles = 2 * np.pi * np.arange(300) / 300
    units = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    prices = [rebalance(through_one_number(X, X, unit, 12)).squared_norm for unit in units]
    best = through_one_number(X, X, cheapest_projection(X, X, 12), 12)
    assert rebalance(best).squared_norm <= 1.001 * min(prices)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9])
def test_maxima_in_whole_numbers(count):
    A, c = RNG.integers(-9, 10, (count, 3)), RNG.integers(-9, 10, count)
    X = RNG.integers(-20, 21, (100, 3))
    net = maximum_network(A, c)
    assert (net(X)[:, 0] == np.max(X @ A.T + c, axis=1)).all()
    assert net.depth == 1 + np.ceil(np.log2(count))


def test_the_fold_is_a_bijection():
    X = RNG.integers(-20, 21, (100, 2))
    folded = fold_network()(X)
    assert (folded == np.column_stack([X[:, 0], X[:, 1] + np.abs(X[:, 0])])).all()
    assert (folded[:, 1] - np.abs(folded[:, 0]) == X[:, 1]).all()


def test_islands_are_diamonds_in_a_sea():
    centres, X = RNG.normal(size=(3, 2)), RNG.normal(size=(200, 2))
    theirs = 1 - 3 * np.abs(X[:, None] - centres).sum(axis=2)
    net = islands_network(centres)
    assert net(X)[:, 1:] == pytest.approx(theirs, abs=1e-12)
    assert not net(X)[:, 0].any()


@pytest.mark.parametrize("net", [whole_line(2), whole_line(7), leaky_whole_line(0.8, 9)])
def test_identities_of_the_whole_line(net):
    x = np.linspace(-1000, 1000, 101)[:, None]
    assert net(x) == pytest.approx(x, abs=1e-9)


def test_what_identities_of_the_line_cost():
    assert whole_line(9).squared_norm == 18
    assert leaky_whole_line(0.8, 9).squared_norm == pytest.approx(9 * 0.8 ** (1 / 9) / 0.8)


@pytest.mark.parametrize("make", [remade_bend, unused_constant, used_constant])
def test_identities_of_the_unit_interval(make):
    x = np.linspace(0, 1, 11)[:, None]
    for depth in (4, 16, 256):
        assert make(depth)(x) == pytest.approx(x, abs=1e-12)
        assert set(make(depth).widths) == {1, 2}
    assert remade_bend(256).squared_norm == pytest.approx(257)
    assert unused_constant(256).squared_norm < 256 + 10
    assert used_constant(256).squared_norm < 256 + 6


@pytest.mark.parametrize("folds", [1, 2, 5])
def test_folds_make_a_zigzag(folds):
    net, pieces = folded_zigzag(folds), 2**folds
    at = np.linspace(-1, 1, pieces + 1)
    ends = np.where(np.arange(pieces + 1) % 2, 0, 2 / pieces)
    # The middle of every fold is low, and what is folded last is low there, too.
    assert net(at[:, None]).ravel() == pytest.approx(ends) and net.depth == folds + 1
    between = (at[:-1] + at[1:]) / 2
    assert net(between[:, None]).ravel() == pytest.approx(np.full(pieces, 1 / pieces))


def test_teachers_that_carry_their_numbers():
    X, Y, teacher = taught_rank_five(60, dimension=7, rank=3, width=8)
    shifted = shifted_teacher(teacher, X, 3, 9)
    more = one_more_teacher(teacher, X, 3, 9, np.random.default_rng(0))
    assert shifted.widths == (7, *[3] * 7, 8, 7)
    assert more.widths == (7, 60, *[4] * 6, 8, 7)
    for net in (shifted, more):
        assert net(X) == pytest.approx(Y, abs=1e-10)
        assert net.squared_norm == pytest.approx(rebalanced_norm(net).value)
    unshifted = shifted_teacher(teacher, X, 3, 9, shift=np.zeros(3))
    assert np.abs(unshifted(X) - Y).max() > 0.1


def test_each_width_of_labels():
    """The network has the least loss of its width; the last step is that of all widths."""
    sizes, strength = [4, 3, 1], 0.05
    labels, task = class_labels(sizes), Objective.jacot_2022(strength, bias=0.0)
    inputs = np.eye(len(labels))
    steps = [labels_least_loss(sizes, strength, k) for k in (1, 2, 3, 4)]
    found = [task.value(labels_network(sizes, strength, k), inputs, labels) for k in (1, 2, 3, 4)]
    assert found == pytest.approx(steps, rel=1e-12)
    assert steps[0] > steps[1] > steps[2] == steps[3]
    assert task.shallow_optimum(inputs, labels).loss.value == pytest.approx(steps[2], rel=1e-6)
    with pytest.raises(ValueError, match="sizes must fall"):
        labels_least_loss([1, 2], strength, 1)
    with pytest.raises(ValueError, match="strength must be at most"):
        labels_network(sizes, 0.2, 1)


def test_three_networks_tie_and_their_functions_cost_two_three_and_four():
    nets = list(tied_networks().values())
    assert all(net([[-1.0], [0.0], [1.0]]).ravel().tolist() == [1, 0, 1] for net in nets)
    assert [np.prod([np.sum(W**2) for W in net.weights]) for net in nets] == [4, 4, 4]
    assert [function_cost(as_piecewise_linear(net)).value for net in nets] == [2, 3, 4]
