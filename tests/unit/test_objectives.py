"""Which paper averages, halves, divides by the depth, and lets biases pay: by hand."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import repcost
from repcost import DeepNet, Objective, TwoLayer, linear_layers_network
from repcost.training import objectives

HINGE: Any = "hinge"
X, Y = np.array([[0.5, -1.0], [2.0, 1.0], [-1.0, 0.25]]), np.array([1.0, -2.0, 0.5])
SHALLOW = TwoLayer([[3.0, 0.0], [0.0, 1.0]], [2.0, -1.0], [5.0, 1.0], 7.0)
DEEP = DeepNet([[[1.0, 2.0]], [[3.0]], [[4.0]]], [[5.0], [6.0], [7.0]])
LINEAR = linear_layers_network(SHALLOW, 4)
FREE, PAYING = Objective.savarese_2019(1.0), Objective.jacot_2022(1.0)
CLASSES = Objective.jacot_2022(1.0, loss="cross-entropy")
BY_NAME = {
    "savarese": Objective.savarese_2019(0.1),
    "savarese, public code": Objective.savarese_2019_code(0.1),
    "ongie-willett": Objective.ongie_willett_2022(0.1),
    "jacot 2022": Objective.jacot_2022(0.1),
    "jacot 2023": Objective.jacot_2023(0.1),
    "jacot 2023, section 2": Objective.jacot_2023(0.1, per_layer=False),
}


def by_hand(name, net):
    """Loss and penalty as the papers write them."""
    if isinstance(net, TwoLayer):
        weights, biases, L = np.sum(net.W**2) + np.sum(net.a**2), np.sum(net.b**2) + net.c**2, 2
    else:
        weights = sum(np.sum(W**2) for W in net.weights)
        biases, L = sum(np.sum(b**2) for b in net.biases), len(net.weights)
    squares = np.sum((np.ravel(net(X)) - Y) ** 2)
    return {
        "savarese": (squares, 0.1 * weights / L),
        "savarese, public code": (squares / 3, 0.1 * weights / 2),
        "ongie-willett": (squares / 3, 0.1 / L * weights),
        "jacot 2022": (squares / 3, 0.1 * (weights + biases)),
        "jacot 2023": (squares / 3, 0.1 / L * (weights + biases)),
        "jacot 2023, section 2": (squares / 3, 0.1 * (weights + biases)),
    }[name]


@pytest.mark.parametrize("net", [SHALLOW, DEEP], ids=["two layers", "deep"])
@pytest.mark.parametrize("name", BY_NAME)
def test_by_name_equals_the_formula_of_the_paper(name, net):
    loss, penalty = by_hand(name, net)
    objective = BY_NAME[name]
    assert objective.data_loss(net, X, Y) == pytest.approx(loss, rel=1e-14)
    assert objective.penalty(net) == pytest.approx(penalty, rel=1e-14)
    assert objective.value(net, X, Y) == pytest.approx(loss + penalty, rel=1e-14)


def test_no_two_papers_agree():
    """Of two papers, the loss or the penalty differs on a network of depth three."""
    # Section 2 of Jacot (2023) is the objective of 2022 with biases that pay as weights do.
    named = [name for name in BY_NAME if name != "jacot 2023, section 2"]
    pairs = [(BY_NAME[n].data_loss(DEEP, X, Y), BY_NAME[n].penalty(DEEP)) for n in named]
    for k, one in enumerate(pairs):
        assert all(not np.allclose(one, other, rtol=1e-3) for other in pairs[:k])


def test_the_paper_of_2019_halves_and_lambda_is_not_lambda_over_two():
    """C is 1/2 (|a|^2 + |W|^2): a penalty of lambda |theta|^2, or of lambda/2 C, differs."""
    cost = Objective.savarese_2019(1.0).cost(SHALLOW)
    assert cost == SHALLOW.weight_cost == 7.5
    assert cost != 2 * SHALLOW.weight_cost != cost / 2


@pytest.mark.parametrize("net", [SHALLOW, DEEP], ids=["two layers", "deep"])
def test_the_code_of_2019_is_the_paper_at_another_strength(net):
    """For n points and L layers, n times the value at s is that at n L s / 2."""
    L = 2 if net is SHALLOW else 3
    code, paper = Objective.savarese_2019_code(0.2), Objective.savarese_2019(3 * L * 0.2 / 2)
    value = 3 * code.value(net, X, Y)
    assert value == pytest.approx(paper.value(net, X, Y), rel=1e-14)
    # Neither the strength of the paper, nor that for two layers at every depth.
    others = [0.2, 3 * 0.2] if net is DEEP else [0.2]
    wrong = [Objective.savarese_2019(each).value(net, X, Y) for each in others]
    assert all(abs(each - value) > 0.1 for each in wrong)


def test_linear_layers_pay_phi():
    linear = Objective.ongie_willett_2022(2.0).cost(LINEAR)
    assert linear == pytest.approx(LINEAR.weight_cost, rel=1e-14)
    assert Objective.jacot_2023(1.0).cost(DEEP) == pytest.approx(DEEP.squared_norm / 3, rel=1e-14)


def test_biases_are_weights_of_a_constant_input():
    """With beta = 1/2, a bias b is beta times a weight 2b, which pays four times as much."""
    half = Objective.jacot_2022(1.0, bias=0.5)
    assert half.cost(SHALLOW) == pytest.approx(15 + 4 * (25 + 1 + 49))
    assert Objective.jacot_2022(1.0, bias=0.0).cost(DeepNet([[[2.0]]], [[0.0]])) == 4.0
    assert Objective.jacot_2022(1.0, bias=0.0).cost(DeepNet([[[2.0]]], [[1.0]])) == math.inf


def test_cross_entropy_equals_that_of_torch():
    import torch

    net = DeepNet([np.eye(2), [[1.0, -1.0], [0.5, 2.0], [-1.0, 0.0]]], [np.zeros(2), np.ones(3)])
    labels = [2, 0, 1]
    theirs = torch.nn.functional.cross_entropy(torch.tensor(net(X)), torch.tensor(labels)).item()
    ours = Objective.jacot_2022(0.0, loss="cross-entropy").value(net, X, labels)
    assert ours == pytest.approx(theirs, rel=1e-14)


x = np.array([-2, -1.5, -1.1, -0.6, -0.2, 0.3, 0.7, 1.2, 1.6, 2])
y = np.array([0.5, 0.2, 0.12, 0.345, 0.685, 0.86, 0.74, 0.29, 0.13, 0.23])


@pytest.mark.parametrize(
    ("strength", "objective"),
    [(1e-3, 4.3243750000e-3), (1e-4, 4.3474375e-4), (1e-5, 4.34974375e-5)],
)
def test_the_optimum_of_ten_points(strength, objective):
    """Sum of squares + lambda C, in closed form on this set: lambda (4.35 - 25.625 lambda)."""
    found = Objective.savarese_2019(strength).regularised_fit(x, y).objective
    assert found.how == "certified" and found.lower <= objective * (1 + 1e-12)
    assert found.upper == pytest.approx(objective, rel=1e-11)
    # Plausible mistakes: lambda for lambda / 2, and the half of the squares forgotten on the way.
    wrong = [2 * repcost.regularised_fit(x, y, strength).objective.value, found.value / 2]
    assert all(abs(value - objective) > 0.3 * objective for value in wrong)


@settings(max_examples=20, deadline=None)
@given(st.floats(1e-4, 1.0))
def test_a_mean_is_a_sum_with_n_times_the_strength(strength):
    mean = Objective.ongie_willett_2022(strength).regularised_fit(x, y).objective
    total = Objective.savarese_2019(10 * strength).regularised_fit(x, y).objective
    assert 10 * mean.lower <= total.upper and total.lower <= 10 * mean.upper * (1 + 1e-15)
    assert 10 * mean.upper == pytest.approx(total.upper, rel=1e-9)


def test_the_fit_has_the_objective_that_its_network_has():
    """The exact solver's function, as a network, costs what the bracket says."""
    for objective in (Objective.savarese_2019(0.01), Objective.ongie_willett_2022(0.01)):
        fit = objective.regularised_fit(x, y)
        net = repcost.cheapest_network(fit.function).balanced()
        assert objective.value(net, x, y) == pytest.approx(fit.objective.upper, rel=1e-9)
        assert objective.value(net, x, y) >= fit.objective.lower * (1 - 1e-12)


@pytest.mark.parametrize("per_layer", [True, False])
@pytest.mark.parametrize("mean", [True, False])
def test_what_shallow_optimum_is_asked(monkeypatch, mean, per_layer):
    """It minimises |Z - Y|^2 / N + strength |W|^2 with biases as weights of the input beta."""
    asked = SimpleNamespace()

    def fake(X, Y, strength, *, bias):
        asked.strength, asked.bias = strength, bias
        return real(X, Y, strength, bias=bias)

    real = objectives.shallow_optimum
    monkeypatch.setattr(objectives, "shallow_optimum", fake)
    objective = Objective(0.3, "squared", mean=mean, per_layer=per_layer, bias_price=4.0)
    found = objective.shallow_optimum(X, Y)
    net_price, share = 0.3 * (0.5 if per_layer else 1.0), 1 if mean else 3
    # A bias b is beta times a weight b / beta: the price 4 is beta = 1/2.
    assert asked.bias == 0.5
    assert share * asked.strength == pytest.approx(net_price, rel=1e-15)
    # Its own network, measured under this name.
    own = objective.value(found.network, X, Y)
    assert found.loss.lower <= own <= found.loss.upper * (1 + 1e-12)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Objective.savarese_2019(-1.0), "strength must be zero or positive"),
        (lambda: Objective.jacot_2022(math.nan), "strength"),
        (lambda: Objective.jacot_2022(1.0, bias=-1.0), "bias"),
        (lambda: Objective(1.0, "squared", True, True, -1.0), "bias_price"),
        (lambda: Objective(1.0, "squared", True, True, 0.0, halved=True), "give per_layer=False"),
        (lambda: Objective.jacot_2022(1.0, loss=HINGE), "loss must be"),
        (lambda: PAYING.regularised_fit(x, y), "free biases; see shallow_optimum"),
        (lambda: FREE.shallow_optimum(x, y), "biases that pay; see regularised_fit"),
        (lambda: FREE.value(DEEP, X, Y[:2]), "same number of rows"),
        (lambda: FREE.value(DEEP, X, np.ones((3, 2))), "Y has 2 columns"),
        (lambda: FREE.value(DEEP, np.zeros((0, 2)), []), "X is empty"),
        (lambda: CLASSES.value(DEEP, X, [0, 1, 2]), "labels 0 to 0"),
        (lambda: CLASSES.value(DEEP, X, [0.5, 0, 0]), "labels 0 to 0"),
    ],
)
def test_bad_input_is_named(unchecked, call, says):
    with pytest.raises(ValueError, match=says):
        call()
