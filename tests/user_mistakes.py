"""What users get wrong: a type checker must find an error in each line marked so, and no other.

`test_types_for_users` gives this to mypy and to basedpyright. Nobody runs it.
"""
# ruff: noqa

import numpy as np
from torch import nn

import repcost
from repcost import (
    Architecture,
    Bracket,
    Brackets,
    DeepNet,
    Objective,
    PiecewiseLinear,
    Recipe,
    TwoLayer,
)

X, W = np.ones((3, 2)), np.eye(2)
box = ([-1.0, -1.0], [1.0, 1.0])


def brackets(cost: Bracket, many: Brackets) -> None:
    from repcost import linear_layer_cost  # wrong: no such name

    print(linear_layer_cost)
    Bracket([1.0], [2.0], "exact")  # wrong: many ends
    Bracket(1.0, 2.0, "surely")  # wrong: no such word
    Bracket(1.0, 2.0)  # wrong: how sure?
    Bracket(1.0, 2.0, "exact", attained="both")  # wrong: no such end
    Bracket(1.0, 2.0, "exact", counts="the squares")  # wrong: no Convention
    cost.upper = 3.0  # wrong: frozen
    cost.values  # wrong: no such attribute
    cost[0]  # wrong: one number
    len(cost)  # wrong: one number
    cost + 1  # wrong: which end?
    cost.value.max()  # wrong: a float
    cost < 2.0  # wrong: which end?
    for one in many:
        one.value.shape  # wrong: a float
    many["first"]  # wrong: no mapping
    many.lower = X  # wrong: frozen
    total: int = cost.value  # wrong: a float
    lower: str = many[0].lower  # wrong: a float
    print(total, lower)


def functions(net: TwoLayer, deep: DeepNet, f: PiecewiseLinear) -> None:
    repcost.linear_layers_cost(net, 3)[0]  # wrong: one Bracket
    repcost.linear_layers_cost(net)  # wrong: no depth
    repcost.linear_layers_cost(net, "3")  # wrong: text
    repcost.linear_layers_cost(net, 3, 1e-6)  # wrong: by name only
    repcost.linear_layers_cost(W, [1.0, 1.0], 3)  # wrong: of a network
    repcost.linear_layers_cost(W, [1.0, 1.0], depth=3)  # wrong: of a network
    repcost.linear_layers_cost(W=W, a=[1.0, 1.0], depth=3)  # wrong: of a network
    repcost.linear_layers_bound(W, [1.0, 1.0], 3)  # wrong: of a network
    repcost.linear_layers_bound(W, 3)  # wrong: no network
    repcost.linear_layers_network(np.eye(2), 3)  # wrong: no network
    repcost.function_cost(X)  # wrong: no function
    repcost.function_cost(np.eye(2))  # wrong: no function
    repcost.cheapest_network(net)  # wrong: a network already
    repcost.cost_per_layer(f, 3, box)  # wrong: no network
    repcost.cost_per_layer(net, 3, X)  # wrong: no box
    repcost.leaky_network(net, 0.5)  # wrong: of a DeepNet only
    repcost.truncation_error(deep, box, 0, 1)  # wrong: by name only
    repcost.interpolate_line([0, 1], [0, 1]).value  # wrong: its cost has one
    repcost.widest_triod(deep, box).margin  # wrong: there may be none
    repcost.measure(nn.ReLU(), X, jacobian_points="many")  # wrong: no number
    repcost.measure(nn.ReLU, X)  # wrong: a class
    repcost.measure(net, X, 0.1)  # wrong: by name only
    repcost.measure(net)  # wrong: where?
    repcost.regularised_fit([0, 1], [0, 1], "strong")  # wrong: text


def training() -> None:
    recipe = Recipe(step=10)  # wrong: steps
    Objective.savarese(0.1)  # wrong: no such paper
    both = X, X
    repcost.train(Architecture.two_layer(2), X, Objective.savarese_2019(1), recipe, [0])  # wrong
    repcost.train(Architecture.two_layer(2), both, 0.1, recipe, [0])  # wrong: no Objective
    repcost.train(Architecture.two_layer(2), both, Objective.savarese_2019(1), recipe, 0)  # wrong
    repcost.train("wide", both, Objective.savarese_2019(1), recipe, [0])  # wrong: text
    DeepNet([W], negative_slope=0.1)  # wrong: no biases
    TwoLayer(W, b=[1.0, 1.0])  # wrong: no outer weights
