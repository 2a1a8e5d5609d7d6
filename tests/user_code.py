"""What users write, and what a type checker must say of it: every public name, used as meant.

`test_types_for_users` gives this to mypy and to basedpyright. It is read by them, not run.
"""

from pathlib import Path
from typing import assert_type

import numpy as np
import torch
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
from repcost.conventions import Convention
from repcost.costs import LineInterpolant, RegularisedFit
from repcost.regions import Region
from repcost.report import Pruned, Report
from repcost.training import Ensemble

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(5, 2)), [[1.0], [2.0], [3.0], [4.0], [5.0]]
square = ([-1.0, -1.0], [1.0, 1.0])


def brackets() -> None:
    cost = Bracket(1.9, 2, "certified", attained="lower", reason="an example")
    assert_type(cost.lower, float)
    assert_type(cost.upper, float)
    assert_type(cost.value, float)
    assert_type(cost.gap + cost.relative_gap, float)
    assert_type(1.95 in cost, bool)
    assert_type(str(cost).upper(), str)
    assert_type(round(cost.value, 3), float)
    assert_type(cost.reason.title(), str)
    counts = cost.counts
    if counts is not None:
        assert_type(counts, Convention)
    if cost.how == "certified" and cost.attained == "upper":
        print(f"{cost.value:.3f}", max(cost.lower, 0.0))


def many_brackets() -> None:
    costs = Brackets([1.0, 2.0], np.array([1.5, 2.0]), "certified")
    assert_type(costs.lower, np.ndarray)
    assert_type(costs.value, np.ndarray)
    assert_type(costs[0], Bracket)
    assert_type(costs[np.argmin(costs.upper)].value, float)
    assert_type(costs[1:], Brackets)
    assert_type(costs[np.flatnonzero(costs.gap)], Brackets)
    assert_type(costs[[0, 1]].upper, np.ndarray)
    assert_type([one.value for one in costs], list[float])
    assert_type(len(costs), int)
    assert_type(costs.contain([1.2, 2.0]), np.ndarray)


def networks() -> None:
    net = TwoLayer([[1.0, 0.0], [0.0, 1.0]], (1.0, -1.0), np.zeros(2), c=1)
    assert_type(net(X), np.ndarray)
    assert_type(net.width, int)
    assert_type(net.balanced().path_norm, float)
    deep = DeepNet([X, np.ones((1, 5))], [np.zeros(5), [0.0]], negative_slope=0.1)
    assert_type(deep.widths, tuple[int, ...])
    assert_type(deep(X), np.ndarray)
    assert_type(deep.squared_norm, float)
    assert_type(DeepNet.from_two_layer(net), DeepNet)
    assert_type(repcost.rebalance(net), DeepNet)
    assert_type(repcost.rebalanced_norm(deep).value, float)
    assert_type(repcost.imbalance(deep), np.ndarray)
    assert_type(repcost.neuron_imbalance(deep), tuple[np.ndarray, ...])
    assert_type(repcost.leaky_network(deep, 0.5), DeepNet)
    assert_type(repcost.prune(deep, X), DeepNet)


def costs() -> None:
    f = PiecewiseLinear([0.0], [-1, 1])
    assert_type(f([1.0]), np.ndarray)
    assert_type(PiecewiseLinear.through([0, 1], [0, 2]), PiecewiseLinear)
    assert_type(repcost.function_cost(f), Bracket)
    assert_type(repcost.cheapest_network(f), TwoLayer)
    line = repcost.interpolate_line([0, 1, 2], [0, 1, 3], depth=3)
    assert_type(line, LineInterpolant)
    assert_type(line.cost.value, float)
    assert_type(repcost.interpolate_plane(X, [1.0, 2.0, 3.0, 4.0, 5.0]).cost, Bracket)
    fit = repcost.regularised_fit([0, 1, 2], [0, 1, 3], 0.1)
    assert_type(fit, RegularisedFit)
    assert_type(fit.objective.upper, float)
    assert_type(repcost.largest_useful_strength([0, 1, 2], [0, 1, 3]), float)
    net = TwoLayer(np.eye(2), [1.0, 2.0])
    assert_type(repcost.linear_layers_cost(net, 3), Bracket)
    assert_type(repcost.linear_layers_cost(DeepNet.from_two_layer(net), 3, rtol=1e-6), Bracket)
    assert_type(repcost.linear_layers_costs(np.ones((4, 2, 2)), np.ones((4, 2)), 3), Brackets)
    assert_type(repcost.linear_layers_costs([[[1.0]]], [[1.0]], 3, rtol=1e-6)[0].value, float)
    print(repcost.linear_layers_bound(net, 3, basis=np.eye(2)))
    layers = repcost.linear_layers_network(repcost.cheapest_network(f), 3)
    assert_type(layers.weight_cost, float)
    assert_type(repcost.linear_map_cost(np.eye(2), 3), Bracket)
    assert_type(repcost.diagonal_cost([8.0, 1.0], 3), Bracket)
    assert_type(repcost.parallel_cost([8.0, 1.0], 3), Bracket)
    assert_type(repcost.schatten_power(np.eye(2), 0.5), float)


def depth(net: DeepNet | TwoLayer) -> None:
    assert_type(repcost.cost_per_layer(net, 3, square), Bracket)
    assert_type(repcost.linear_regions(net, square), tuple[Region, ...])
    assert_type(repcost.as_piecewise_linear(net), PiecewiseLinear)
    assert_type(repcost.jacobian_rank(net, square, points=X).lower, float)
    assert_type(repcost.jacobian_spectra(net, X), np.ndarray)
    assert_type(repcost.bottleneck_rank(net, square), Bracket)
    assert_type(repcost.antipodal_margin(net, X), Bracket)
    assert_type(repcost.triod_margin(net, X[:3], [0.0, 0.0]), Bracket)
    triod = repcost.widest_triod(net, square)
    if triod is not None:
        assert_type(triod.margin.value, float)
    assert_type(repcost.truncation_error(net, square, layer=0, rank=1), Bracket)
    assert_type(repcost.shortest_open_tour(X), Bracket)
    assert_type(repcost.open_tour(X), np.ndarray)


def shallow(net: DeepNet) -> None:
    assert_type(repcost.shallow_cost(X, Y, bias=0.0), Bracket)
    optimum = repcost.shallow_optimum(X, Y, 0.1, rtol=1e-3)
    assert_type(optimum.loss.value, float)
    assert_type(optimum.network, DeepNet)
    assert_type(repcost.certify_shallow(net, X, Y, 0.1), Bracket)
    assert_type(repcost.covariance_rank(np.eye(2), np.eye(2), 0.0), Bracket)
    assert_type(repcost.cp_rank([[2.0, 1.0], [1.0, 2.0]], starts=3).value, float)
    attraction, repulsion = repcost.forces([[1.0]], [[1.0, 1.0]], [[1.0]], 1.0)
    assert_type(attraction, np.ndarray)
    assert_type(repulsion, np.ndarray)


def training(folder: Path) -> None:
    wide = [Architecture.two_layer(width) for width in (5, 10)]
    recipe = Recipe(steps=10)
    found = repcost.train(
        wide, (X, Y), Objective.savarese_2019(0.1), recipe, range(3), checkpoint=folder / "a.npz"
    )
    assert_type(found, Ensemble)
    assert_type(recipe.rate(5), float)
    assert_type(Objective.jacot_2022(0.1).penalty(repcost.cheapest_network(found_line())), float)


def found_line() -> PiecewiseLinear:
    return repcost.as_piecewise_linear(TwoLayer([[1.0]], [1.0], [0.0]))


def reports() -> None:
    report = repcost.measure(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)), X)
    assert_type(report, Report)
    assert_type(report.squared_norm, float)
    assert_type(report.bottleneck, tuple[int, int])
    assert_type(report.spectra[0], np.ndarray)
    assert_type(repcost.measure(DeepNet([X], [np.zeros(5)]), torch.zeros(3, 2)).slack, float)
    assert_type(
        repcost.measure(TwoLayer(X, X[:, 0], X[:, 1]), X, tolerance=0.1).ranks, tuple[int, ...]
    )
    assert_type(str(repcost.compare({"one": report, "other": report})), str)
    small = repcost.prune(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)), X, fresh=X)
    assert_type(small, Pruned)
    assert_type(small.errors, tuple[float, ...])
    watch = repcost.Watch(nn.Linear(2, 3), X, every=10)
    assert_type(watch(), Report | None)


assert_type(repcost.__version__, str)
