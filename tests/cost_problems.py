"""Costs whose least weights are known: by them, what a cost counts is measured and not believed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

import repcost as rc
from repcost.constructions import cost_along
from repcost.conventions import Convention
from repcost.costs.per_layer import deepened
from repcost.deep_networks import as_deep
from repcost_book.kernel.widgets import DepthWidget, LineWidget
from repcost_book.kernel.widgets.live import Moved
from repcost_book.kernel.widgets.rays import TwoRays
from tests.problems import ONE_VARIABLE


@dataclass(frozen=True)
class Attained:
    """A Bracket, and the layers of the network that attains it, beside the loss that it has."""

    bracket: rc.Bracket
    weights: Sequence
    biases: Sequence
    loss: float = 0.0
    strength: float = 1.0

    @property
    def counts(self) -> Convention:
        assert self.bracket.counts is not None, "a cost that does not say what it counts"
        return self.bracket.counts

    def price(self, convention: Convention) -> float:
        """What the network costs by a convention, with its loss."""
        return self.loss + self.strength * convention.paid_by(self.weights, self.biases)


def by_layers(bracket, net, **fit) -> Attained:
    """Of a TwoLayer or a DeepNet."""
    net = as_deep(net)
    return Attained(bracket, net.weights, net.biases, **fit)


def by_linear_layers(bracket, net, depth) -> Attained:
    deep = rc.linear_layers_network(net, depth)
    return Attained(bracket, [*deep.matrices, deep.a], [deep.b, deep.c])


# Bends with biases, so that it matters whether these are paid.
(HAT,) = [known for known in ONE_VARIABLE if known.name == "hat"]
UNITS = rc.TwoLayer([[1.0, 2.0], [2.0, -1.0]], [3.0, -1.0], [1.0, -2.0], 5.0)
BENT = rc.DeepNet([[[2.0], [1.0]], [[1.0, 3.0]]], [[1.0, -2.0], [4.0]])
X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 0.0, 3.0])


def line(depth: int = 3) -> Attained:
    fit = rc.interpolate_line([-2, -1, 0, 1, 2], [0, 0, 1, 0, 0], depth)
    return by_linear_layers(fit.cost, rc.cheapest_network(fit.function), depth)


def paid_function(output) -> Attained:
    """A bend at 1 and a constant, which its one unit and the output bias attain."""
    f = rc.PiecewiseLinear([1.0], [0.0, 3.0], (0, 0.5))
    net = rc.rebalance(rc.TwoLayer([[1.0]], [3.0], [-1.0], 0.5))
    return by_layers(rc.function_cost(f, biases="paid", output=output), net)


def paid_line(output) -> Attained:
    """One unit and a constant; beside a free line, one bend."""
    x, y, net = {
        # A bend at 1 over the further point, on the other side of 0.
        "free": ([-1, 2], [1, 4], rc.TwoLayer([[1.0]], [1.2], [0.5], 1.0)),
        # As `shallow` below, in halves.
        "paid": ([1], [3], rc.TwoLayer([[1.0]], [(3 - 0.5**0.5) / 2], [1.0], 0.5**0.5)),
        "linear": ([1, 2, 3], [1, 1, 4], rc.TwoLayer([[1.0]], [3.0], [-2.0], 1.0)),
    }[output]
    cost = rc.interpolate_line(x, y, biases="paid", output=output).cost
    return by_layers(cost, rc.rebalance(net))


def along(depth: int) -> Attained:
    """Points that differ along the first axis alone, where the cheapest fit looks."""
    bracket = cost_along([[0, 5], [1, 5], [2, 5]], [0, 1, 0], [1, 0], depth)
    fit = rc.interpolate_line([0, 1, 2], [0, 1, 0], depth)
    return by_linear_layers(bracket, rc.cheapest_network(fit.function), depth)


def linear_layers(depth: int) -> Attained:
    return by_linear_layers(rc.linear_layers_cost(UNITS, depth), UNITS, depth)


def along_axes() -> Attained:
    """Rows for which the bound is the cost (Proposition 3.5 of Ongie & Willett 2022)."""
    net = rc.TwoLayer([[2.0, 0.0], [0.0, 3.0]], [3.0, -1.0], [1.0, -2.0], 5.0)
    return by_linear_layers(rc.linear_layers_bound(net, 3, basis=np.eye(2)), net, 3)


def line_widget() -> Attained:
    fit = LineWidget().fit
    return by_layers(LineWidget().cost, rc.cheapest_network(fit.function).balanced())


def moved_points() -> Attained:
    figure = Moved([[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], at=1.0)
    best = rc.interpolate_line([0, 1, 2], [1, 0, 1], biases="paid").function
    return by_layers(figure.cost, rc.rebalance(rc.cheapest_network(best)))


def two_rays(which: int) -> Attained:
    rays = TwoRays(0.52, 0.75)
    return by_linear_layers(rays.costs(3)[which], rays.networks[which], 3)


def plane() -> Attained:
    fit = rc.interpolate_plane([[0, 1], [1, 1], [0, 2]], [0, 3, 4], 3)
    return by_linear_layers(fit.cost, fit.function, 3)


def roots(numbers, depth: int) -> list:
    """Factors of one size."""
    numbers = np.array(numbers)
    root = np.abs(numbers) ** (1 / depth)
    return [np.sign(numbers) * root, *[root] * (depth - 1)]


def parallel() -> Attained:
    # Free biases may be anything, and stand for those of the paths.
    return Attained(rc.parallel_cost([8.0, -1.0], 3), roots([8.0, -1.0], 3), [np.ones(2)] * 3)


def deeper() -> Attained:
    domain = [-1.0], [1.0]
    return by_layers(rc.cost_per_layer(BENT, 4, domain), deepened(BENT, 4, domain))


# Six tests ask for it, and depth 8 takes a second.
@cache
def deeper_widget() -> Attained:
    widget, domain = DepthWidget(depth=8), ([-1.0], [1.0])
    nets = [deepened(net, 8, domain) for net in widget.knots.networks]
    return by_layers(widget.cost, min(nets, key=lambda net: net.squared_norm))


def rebalanced() -> Attained:
    return by_layers(rc.rebalanced_norm(BENT), rc.rebalance(BENT))


def shallow(bias: float) -> Attained:
    """One point: one unit along [x, bias], and the output bias takes what is cheaper there.

    Its share y - u pays ((y - u) / bias)^2, and the unit 2 u / |z|, so that y - u = bias^2 / |z|.
    """
    z, y = np.array([1.0, bias]), 3.0
    length = np.linalg.norm(z)
    share = bias**2 / length
    a = np.sqrt((y - share) / length)
    w = a * z / length
    cost = rc.shallow_cost([[1.0]], [y], bias=bias)
    return Attained(cost, [w[:1], a], [w[1:] * bias, share])


def shallow_without_biases() -> Attained:
    return Attained(rc.shallow_cost([[2.0]], [6.0], bias=0), [np.sqrt([3.0])] * 2, [])


def optimum(bias: float) -> Attained:
    found = rc.shallow_optimum(X, Y, 0.01, bias=bias)
    return _with_loss(found.loss, found.network, 0.01)


def certified(bias: float) -> Attained:
    net = rc.shallow_optimum(X, Y, 0.01, bias=bias).network
    return _with_loss(rc.certify_shallow(net, X, Y, 0.01, bias=bias), net, 0.01)


def _with_loss(bracket, net, strength) -> Attained:
    loss = float(np.mean((net(X).ravel() - Y) ** 2))
    return by_layers(bracket, net, loss=loss, strength=strength)


def fit() -> Attained:
    found = rc.regularised_fit(X, Y, 0.5)
    loss = 0.5 * float(np.sum((found.fitted - Y) ** 2))
    net = rc.cheapest_network(found.function).balanced()
    return by_layers(found.objective, net, loss=loss, strength=0.5)


def objective_fit(objective: rc.Objective) -> Attained:
    found = objective.regularised_fit(X, Y)
    net = rc.cheapest_network(found.function).balanced()
    loss = objective.data_loss(net, X, Y)
    return by_layers(found.objective, net, loss=loss, strength=objective.strength)


def objective_optimum(objective: rc.Objective) -> Attained:
    found = objective.shallow_optimum(X, Y)
    loss = objective.data_loss(found.network, X, Y)
    return by_layers(found.loss, found.network, loss=loss, strength=objective.strength)


A, DIAGONAL = np.diag([8.0, 1.0]), [8.0, -1.0]
# By the name of what returns the Bracket, or an object that holds it.
COSTS: dict[str, list[Callable[[], Attained]]] = {
    "function_cost": [
        lambda: by_layers(rc.function_cost(HAT.function), HAT.network.balanced()),
        lambda: by_layers(rc.function_cost(HAT.network), HAT.network.balanced()),
        lambda: by_layers(rc.function_cost(UNITS), UNITS.balanced()),
        *(partial(paid_function, output) for output in ("free", "paid", "linear")),
    ],
    "interpolate_line": [
        line,
        lambda: line(5),
        *(partial(paid_line, output) for output in ("free", "paid", "linear")),
    ],
    "interpolate_plane": [plane],
    "cost_along": [lambda: along(2), lambda: along(3)],
    "linear_layers_costs": [
        lambda: by_linear_layers(rc.linear_layers_costs([UNITS.W], [UNITS.a], 3)[0], UNITS, 3)
    ],
    "linear_layers_cost": [lambda: linear_layers(3), lambda: linear_layers(4)],
    "linear_layers_bound": [along_axes],
    "parallel_cost": [parallel],
    "linear_map_cost": [
        lambda: Attained(rc.linear_map_cost(A, 3), [np.cbrt(A)] * 3, []),
        lambda: Attained(rc.linear_map_cost(A, 1), [A], []),
    ],
    "diagonal_cost": [lambda: Attained(rc.diagonal_cost(DIAGONAL, 3), roots(DIAGONAL, 3), [])],
    "cost_per_layer": [deeper],
    "rebalanced_norm": [rebalanced],
    "shallow_cost": [lambda: shallow(1.0), lambda: shallow(0.5), shallow_without_biases],
    "shallow_optimum": [lambda: optimum(1.0), lambda: optimum(0.5), lambda: optimum(0.0)],
    "certify_shallow": [lambda: certified(1.0), lambda: certified(2.0), lambda: certified(0.0)],
    "regularised_fit": [fit],
    "Objective.regularised_fit": [
        lambda: objective_fit(rc.Objective.savarese_2019(0.5)),
        lambda: objective_fit(rc.Objective.savarese_2019_code(0.1)),
        lambda: objective_fit(rc.Objective.ongie_willett_2022(0.1)),
        lambda: objective_fit(
            rc.Objective(0.1, "squared", mean=True, per_layer=False, bias_price=0)
        ),
    ],
    "Objective.shallow_optimum": [
        lambda: objective_optimum(rc.Objective.jacot_2022(0.01)),
        lambda: objective_optimum(rc.Objective.jacot_2022(0.01, bias=0.5)),
        lambda: objective_optimum(rc.Objective.jacot_2022(0.01, bias=0.0)),
        lambda: objective_optimum(rc.Objective.jacot_2023(0.01)),
    ],
    "DepthWidget.cost": [deeper_widget],
    "Knots.cost": [deeper_widget],
    "LineWidget.cost": [line_widget],
    "LineWidget.fit": [line_widget],
    "Moved.cost": [moved_points],
    "TwoRays.costs": [lambda: two_rays(0), lambda: two_rays(2)],
}
