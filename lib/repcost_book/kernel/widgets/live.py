"""Small live figures: one slider each, where moving it explains more than a paragraph.

What a formula gives, the script computes; what takes a solver is computed here, by the library, and
given to the script. Either way the numbers are the library's (tests/browser/test_live_figures.py).
The state of each is the one number `at`; a page and a notebook show the same.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from repcost import (
    Bracket,
    DeepNet,
    TwoLayer,
    cost_per_layer,
    function_cost,
    interpolate_line,
    largest_useful_strength,
    regularised_fit,
    schatten_power,
)
from repcost.arrays import ArrayLike
from repcost.constructions import ray_directions, rescaled
from repcost.costs.linear_layers import linear_layers_costs
from repcost_book.kernel.widgets.allowed import checked_points, whole_number
from repcost_book.kernel.widgets.base import Checked, Drawing, script, style


def _between(low: float, high: float) -> Any:
    def checked(at: float) -> float:
        # Written so that NaN is refused, too.
        if not low <= at <= high:
            raise ValueError(f"at must be between {low:g} and {high:g}, but is {at:g}")
        return float(at)

    return checked


def _whole(low: int, high: int) -> Any:
    return lambda at: whole_number("at", at, low, high)


class LiveFigure(Drawing):
    """One number `at` that a slider changes, and what follows from it."""

    names = ("at",)


class Rescaling(LiveFigure):
    """One unit a [w x]_+, made `at` times as large on the way in, and as much smaller out."""

    kind = "rescaling"
    _esm, _css = script("rescaling"), style("rescaling")
    at = Checked(_between(0.2, 5), 1.0).tag(sync=True)

    def __init__(self, a: float = 2.0, w: float = 0.5, at: float = 1.0, **others: Any):
        super().__init__(at=at, given={"a": float(a), "w": float(w)}, **others)

    @property
    def network(self) -> TwoLayer:
        """The unit at this scale."""
        return rescaled(TwoLayer([[self.given["w"]]], [self.given["a"]], [0.0]), [self.at])

    def _in_words(self) -> str:
        net = self.network
        return (
            f"Needs JavaScript: a slider for the scale of a unit. At scale {self.at:g} it costs "
            f"{net.weight_cost:.4g}; the least of all scales is {net.path_norm:.4g}."
        )


class Powers(LiveFigure):
    """The singular values of a linear map, and what they cost each layer at the depth `at`."""

    kind = "powers"
    _esm, _css = script("powers"), style("powers")
    at = Checked(_whole(2, 64), 2).tag(sync=True)

    def __init__(self, values: Sequence[float] = (4.0, 1.0, 0.2), at: int = 2, **others: Any):
        super().__init__(at=at, given={"values": [float(value) for value in values]}, **others)

    @property
    def cost(self) -> float:
        """The sum of the powers, by the library."""
        return schatten_power(np.diag(self.given["values"]), 2 / self.at)

    def _in_words(self) -> str:
        values = ", ".join(f"{value:g}" for value in self.given["values"])
        return (
            "Needs JavaScript: a slider for the depth of a linear network. The singular values "
            f"{values} cost {self.cost:.4g} for each of {self.at} layers."
        )


class Aligned(LiveFigure):
    """Two rays of points: what units along the rays, and along one line, cost with `at` layers."""

    kind = "aligned"
    _esm, _css = script("aligned"), style("aligned")
    at = Checked(_whole(2, 8), 2).tag(sync=True)

    def __init__(self, weights: tuple[float, float] = (1.125, 0.375), at: int = 2, **others: Any):
        angles = np.concatenate([np.linspace(0.5, 0.56, 25), np.linspace(0.565, 0.99, 30)])
        W = np.array([ray_directions(np.pi * angle) for angle in angles])
        each = np.tile(weights, (len(angles), 1))
        rays = [np.full(len(angles), sum(weights))]
        rays += [linear_layers_costs(W, each, depth).value for depth in range(3, 9)]
        given = {
            "angles": angles.tolist(),
            "weights": list(weights),
            "rays": [costs.tolist() for costs in rays],
        }
        super().__init__(at=at, given=given, **others)

    def _in_words(self) -> str:
        first = self.given["rays"][self.at - 2][0]
        return (
            "Needs JavaScript: a slider for the number of layers, and the costs of two networks "
            f"against the angle of two rays. With {self.at} layers units along rays at a right "
            f"angle cost {first:.4g}."
        )


class Moved(LiveFigure):
    """Points moved by `at`, and the cheapest function through them where hidden biases pay."""

    kind = "moved"
    _esm, _css = script("moved"), style("moved")
    at = Checked(_between(-4, 4), 0.0).tag(sync=True)

    def __init__(self, points: ArrayLike, at: float = 0.0, **others: Any):
        found = checked_points(points, 1, 16)
        free = interpolate_line(*np.array(found).T).cost.value
        super().__init__(at=at, given={"points": found, "free": free}, **others)

    @property
    def cost(self) -> Bracket:
        """What the points cost here, by the library."""
        x, y = np.array(self.given["points"]).T
        return interpolate_line(x + self.at, y, biases="paid").cost

    def _in_words(self) -> str:
        return (
            "Needs JavaScript: a slider that moves points along the line. Moved by "
            f"{self.at:g} they cost {self.cost.value:.4g} where hidden biases pay, and "
            f"{self.given['free']:.4g} where these are free."
        )


class Strengths(LiveFigure):
    """The best fit of points for each of many strengths; `at` counts them, from the strongest."""

    kind = "strengths"
    _esm, _css = script("strengths"), style("strengths")
    at = Checked(_whole(0, 40), 0).tag(sync=True)

    def __init__(self, points: ArrayLike, at: int = 0, **others: Any):
        found = checked_points(points, 2, 16)
        x, y = np.array(found).T
        strongest = largest_useful_strength(x, y)
        strengths = strongest * np.geomspace(1, 1e-3, 41)
        fits = [_fitted(x, y, strength) for strength in strengths]
        given = {"points": found, "strongest": float(strongest), "fits": fits}
        super().__init__(at=at, given=given, **others)

    def _in_words(self) -> str:
        fit = self.given["fits"][self.at]
        return (
            "Needs JavaScript: a slider for the strength of weight decay, and the best fit of "
            f"points for it. At {fit['strength']:.4g} it has {len(fit['knots'])} knots and costs "
            f"{fit['cost']:.4g}."
        )


def _fitted(x: np.ndarray, y: np.ndarray, strength: float) -> dict[str, Any]:
    """The best fit for one strength, as far as it is drawn; its knots are where it bends."""
    f = regularised_fit(x, y, strength).function
    bends = np.abs(np.diff(f.slopes)) > 1e-6 * (1 + np.abs(f.slopes).max())
    knots = f.knots[bends]
    room = 0.15 * (x[-1] - x[0])
    places = np.concatenate([[x[0] - room], f.knots, [x[-1] + room]])
    return {
        "strength": float(strength),
        "cost": function_cost(f).value,
        "error": float(np.sqrt(np.mean((f(x) - y) ** 2))),
        "knots": np.column_stack([knots, f(knots)]).tolist(),
        "values": np.column_stack([places, f(places)]).tolist(),
    }


class PerLayer(LiveFigure):
    """What a layer of depth `at` costs for a function, from two sides, against 1 / depth."""

    kind = "perlayer"
    _esm, _css = script("perlayer"), style("perlayer")
    at = Checked(_whole(4, 256), 4).tag(sync=True)

    def __init__(
        self,
        network: TwoLayer | DeepNet,
        domain: tuple[ArrayLike, ArrayLike],
        rank: int,
        at: int = 4,
        **others: Any,
    ):
        depths = [4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256]
        costs = [cost_per_layer(network, depth, domain) for depth in depths]
        given = {
            "depths": depths,
            "lower": [cost.lower for cost in costs],
            "upper": [cost.upper for cost in costs],
            "rank": rank,
        }
        super().__init__(at=at, given=given, **others)

    def _in_words(self) -> str:
        n = self.given["depths"].index(self.at)
        low, high = self.given["lower"][n], self.given["upper"][n]
        return (
            "Needs JavaScript: a slider for the depth, and what a layer costs from two sides. At "
            f"depth {self.at} it is {low:.4f} to {high:.4f}; the rank is {self.given['rank']}."
        )
