"""The cheapest networks through points of the plane: two layers exactly, more by a search."""

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from repcost.arrays import ArrayLike
from repcost.bounds import Bracket
from repcost.conventions import WEIGHTS_OVER_DEPTH
from repcost.costs.plane.arcs import Arcs
from repcost.costs.plane.directions import Values, spread_direction
from repcost.costs.plane.inputs import checked_points, first_of_equal
from repcost.costs.plane.parallel_units import best_parallel
from repcost.costs.plane.prices import Prices, feasible_prices, proven_cost
from repcost.costs.plane.problem import PlaneProblem
from repcost.costs.plane.repairs import PricedNetwork, best_repaired, repaired
from repcost.costs.plane.samples import NormalisedSamples
from repcost.costs.plane.search import MetricSearch
from repcost.costs.plane.two_layers import cheapest_units
from repcost.networks import TwoLayer
from repcost.rounding import UNIT
from repcost.scalars import flag, relative_tolerance, whole_depth, whole_number
from repcost.scales import cost_scaled_back

# Relative gaps of R_L^(L/2) that are asked for unless the caller says one of R_L: of two layers,
# and of more.
_EXACT, _SEARCHED = 1e-9, 4e-3
# Where the solver's small units end and its noise begins depends on the data: each is tried.
_NOISE = (1e-5, 1e-7, 1e-9)
# The reason where only the last step is too much.
_OUTWARD = "rounding outward takes the last of rtol"


@dataclass(frozen=True, eq=False)
class PlaneInterpolant:
    """What `interpolate_plane` returns.

    cost: Bracket of R_L, the infimum over networks of any width.
    function: a two-layer network with the values y at the points up to rounding; with its first
        matrix factored as `linear_layers_network` does it costs the upper end, up to rounding.
    certificate: (n,), a price alpha of each point for depth 2. sum alpha = 0 exactly, and |sum_i
        alpha_i [v.x_i + b]_+| <= |v| for all v and b, so two layers through the points cost
        alpha . y at least, and more layers too, as R_L^(L/2) >= R_2. Of points given twice the
        first has the price.
    cells: how many sets of metrics the search has bounded; 0 if there was no need to search.
    """

    cost: Bracket
    function: TwoLayer
    certificate: Float[np.ndarray, " n"]
    cells: int = 0

    @classmethod
    def constant(cls, y: Values) -> "PlaneInterpolant":
        """All values are equal: no units, no cost, no price."""
        function = TwoLayer(np.zeros((0, 2)), [], [], y[0])
        free = Bracket(0.0, 0.0, "certified", counts=WEIGHTS_OVER_DEPTH)
        return cls(free, function, np.zeros(len(y)))


def interpolate_plane(
    X: ArrayLike,
    y: ArrayLike,
    depth: int = 2,
    *,
    rtol: float | None = None,
    progress: bool = False,
    max_cells: int = 10_000,
) -> PlaneInterpolant:
    """The least cost R_L of a network through points of the plane, two-sided.

    Ongie & Willett (2022), eqs. (5)-(7) and (12), here for every depth L >= 2: all layers but the
    last two are linear, the cost is (|a|^2 + sum |W_i|_F^2) / L, biases are free. X: (n, 2), points
    are rows; y: (n,).

    Depth 2 is a cone programme, whose certificate is checked against every unit there is; points
    much closer to each other than to the rest widen the bracket. From depth 3 on a search over
    metrics stops at a relative gap of `rtol` (4e-3 / L unless given), after `max_cells` cells, or
    at Ctrl-C, and returns the bracket it has: wider then, and as certain, with a `reason`.
    `progress` shows a bar (tqdm). Certified for exactly these floats: entries of X and y below
    1e100, that span more than 1e-100. `repcost.costs.plane` derives it.

    >>> fit = interpolate_plane([[0, 0], [1, 0], [0, 1]], [0, 3, 4])
    >>> f"{fit.cost.value:.6f}", fit.cost.relative_gap < 1e-9
    ('5.000000', True)
    >>> f"{interpolate_plane([[0, 0], [1, 0], [0, 1]], [0, 3, 4], 3).cost.value:.6f}"
    '2.924018'
    """
    X, y = checked_points(X, y)
    depth = whole_depth(depth)
    max_cells, progress = whole_number(max_cells, "max_cells", 0), flag(progress, "progress")
    rtol = _asked_for(rtol, depth)
    if not np.ptp(y):
        return PlaneInterpolant.constant(y)
    distinct = first_of_equal(X, y)
    samples = NormalisedSamples.of(X[distinct], y[distinct])
    # The search is for R_L^(L/2), so its gap is another.
    gap = -math.expm1(depth / 2 * math.log1p(-rtol))
    problem = PlaneProblem(samples, Arcs.around(samples.points), depth, gap)
    best, alpha = _two_layers(problem)
    # A lower end for all depths, which the search can only raise.
    floor, cells = proven_cost(problem.arcs, alpha, samples.values), 0
    if depth > 2:
        search = MetricSearch(problem, _start(problem, best), floor, alpha)
        search.run(max_cells, progress)
        best, floor, cells = search.best, search.floor, search.boxes
    # Of equal points the first speaks for all.
    certificate = np.zeros(len(y))
    certificate[distinct] = _restored_prices(problem, alpha)
    cost = _bracket(problem, floor, best.cost, rtol)
    return PlaneInterpolant(cost, samples.restored(best.network), certificate, cells)


def _asked_for(rtol: float | None, depth: int) -> float:
    if rtol is None:
        return _EXACT if depth == 2 else _SEARCHED / depth
    return relative_tolerance(rtol, "4e-3 / L, or 1e-9 for two layers,")


def _two_layers(problem: PlaneProblem) -> tuple[PricedNetwork, Prices]:
    """The best of the cone programme and of linear programmes, on both sides."""
    arcs, samples = problem.arcs, problem.samples
    rtol = problem.rtol if problem.depth == 2 else _EXACT
    found = cheapest_units(arcs, samples.values, rtol / 4)
    alpha = max(
        (units.alpha for units in found),
        key=lambda alpha: proven_cost(arcs, alpha, samples.values),
    )
    return best_repaired(samples, found[-2:], 2), alpha


def _start(problem: PlaneProblem, two_layers: PricedNetwork) -> PricedNetwork:
    """Parallel units are often the best of all; the cheapest two layers are another start."""
    samples, depth = problem.samples, problem.depth
    spread = spread_direction(samples.points)
    best = repaired(samples, two_layers.network, depth, patch=spread)
    if parallel := best_parallel(samples):
        network, along = parallel
        aligned = repaired(samples, network, depth, patch=along, along=along)
        best = aligned if aligned.cost < best.cost else best
    return best


def _restored_prices(problem: PlaneProblem, alpha: Prices) -> Prices:
    """For the points as given: a unit of length 1 there is longer, or shorter, by their scale."""
    return np.ldexp(feasible_prices(problem.arcs, alpha), -problem.samples.point_exponent)


def _bracket(problem: PlaneProblem, floor: float, cost: float, rtol: float) -> Bracket:
    """R_L is homogeneous of degree 2/L in y, and of degree -2/L in X."""
    samples, depth = problem.samples, problem.depth
    # The power magnifies by the logarithm; y was rounded once when it was moved.
    rounding = 16 * UNIT * (4 + abs(np.log(floor or 1.0)))
    lower = floor ** (2 / depth) * (1 - rounding)
    exponent = samples.value_exponent - samples.point_exponent
    low, high = cost_scaled_back(lower, cost, exponent, depth)
    found = Bracket(float(low), float(high), "certified", counts=WEIGHTS_OVER_DEPTH)
    if found.relative_gap <= rtol:
        return found
    searched = floor < cost ** (depth / 2) * (1 - problem.rtol)
    return replace(found, reason=_why(depth, cost) if searched else _OUTWARD)


def _why(depth: int, cost: float) -> str:
    """What leaves a gap."""
    if cost == np.inf:
        return "no network was found that fits points so close"
    return "the search was stopped" if depth > 2 else "float64 gives out before"
