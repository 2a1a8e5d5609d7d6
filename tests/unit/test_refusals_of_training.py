"""What training, data and constructions are not given: refused by name, with the remedy."""

# Wrong arguments are the point here.
# pyright: reportArgumentType=false

import numpy as np
import pytest

from repcost import Bracket, TwoLayer
from repcost.constructions import (
    balanced_factors,
    chained,
    joined_dots,
    leaky_whole_line,
    longer,
    through_one_number,
    turned_to,
    unused_constant,
    whole_line,
)
from repcost.datasets import random_network, s_shapes, taught, taught_rank_five, two_rays
from repcost.training import Architecture, Objective, Recipe, polish_network, sweep, train

pytestmark = pytest.mark.usefixtures("unchecked")
NET, RNG = TwoLayer([[1.0]], [1.0], [0.0]), np.random.default_rng(0)


def trained(recipe=None, data=([0.0, 1.0], [1.0, 0.0]), seeds=(0,), **options):
    recipe = Recipe(steps=2) if recipe is None else recipe
    objective = Objective.savarese_2019(0.1)
    return train(Architecture.two_layer(3), data, objective, recipe, seeds, **options)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Recipe(steps=10.5), "steps must be a whole number"),
        (lambda: Recipe(batch_size=1.5), "batch_size must be a whole number"),
        (lambda: Recipe(log_every=0.5), "log_every must be a whole number"),
        (lambda: Recipe(learning_rate="fast"), "learning_rate must be a positive number"),
        (lambda: Recipe(spread=1), "spread must be True or False"),
        (lambda: trained(recipe={}), r"recipe must be a Recipe, .* give Recipe\(steps"),
        (lambda: trained(target=Bracket(1.0, 2.0, "exact")), r"target .* \(bracket.lower, gap\)"),
        (
            lambda: trained(target=(1.0, "x")),
            "target must be .*: the gap must be a positive number",
        ),
        (lambda: trained(checkpoint="no such folder/run.npz"), "a folder that does not exist"),
        (
            lambda: trained(checkpoint="."),
            "checkpoint must be the path of a file, but .* is a folder",
        ),
        (lambda: trained(device="cud"), 'device must be "cpu" or one that torch has here'),
        (lambda: trained(seeds=["a"]), r"seeds\[0\] must be a whole number"),
        (lambda: trained(data=None), "data must be a list of two arrays, points and values"),
        (lambda: trained(data=([], [])), "X is empty"),
        (lambda: trained(data=([1e308, -1e308], [0.0, 1.0])), "X holds numbers beyond"),
        (lambda: trained(Recipe(dtype="float32"), ([1e300, 0], [0, 1])), "X holds numbers beyond"),
        (lambda: Architecture((1, 2.5, 1)), r"widths\[1\] must be a whole number"),
        (lambda: Architecture("wide"), "widths must be a list of whole numbers"),
        (lambda: Objective.savarese_2019("weak"), "strength must be a number"),
        (lambda: Objective.jacot_2022(0.1, bias=1e-200), "bias must be 0 or between"),
        (lambda: polish_network(NET, ([0.0], [1.0]), None, 3), "objective must be an Objective"),
        (
            lambda: polish_network(NET, ([0.0], [1.0]), Objective.savarese_2019(1), 1.5),
            "steps must",
        ),
        (lambda: sweep(print, 3), "parameters must be a list of mappings"),
        (lambda: taught(3, widths=(2, 0, 1)), r"widths\[1\] must be a whole number, at least 1"),
        (lambda: taught_rank_five(1), "n must be a whole number of points, at least 2"),
        (lambda: s_shapes(1.5), "each must be a whole number of points"),
        (lambda: two_rays(heights=(1,)), "heights must be two numbers"),
        (lambda: random_network(2, 3, 1, rng=None), "rng must be a numpy Generator"),
        (lambda: whole_line(1), "depth must be a whole number of layers of weights, at least 2"),
        (lambda: leaky_whole_line(0.5, 4), "depth must be odd"),
        (lambda: unused_constant(3), "depth must be even"),
        (lambda: chained(whole_line(2), whole_line(2), shift=[1, 2]), "shift has 2 entries"),
        (lambda: longer(whole_line(2), 5), "place must be a whole number of layers, from 0 to 2"),
        (lambda: joined_dots([], np.zeros((0, 1))), "t is empty"),
        (lambda: joined_dots([0.0, 1e-320], [[0.0], [1.0]]), "t and Y have steps or slopes"),
        (lambda: through_one_number([[0.0]], [[1.0]], [1.0, 2.0]), "direction has 2 entries"),
        (lambda: balanced_factors(np.eye(2), 0), "parts must be a whole number, at least 1"),
        (lambda: turned_to(NET, [1.0, 0.0]), "u has 2 entries, but net takes 1 variables"),
    ],
)
def test_refuses(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_no_steps_have_a_rate():
    assert Recipe(steps=0).rate(0) == 1e-2
    assert Recipe(steps=0, annealing=2.0).strength_factor(0) == 2.0
    assert Recipe(steps=2.0).steps == 2


@pytest.mark.parametrize("data", [([1.0], [1.0]), ([1.0, 1.0], [2.0, 2.0])])
def test_one_point_and_constant_data_train(data):
    assert np.isfinite(trained(Recipe(steps=3, polish=3), data).objectives).all()
