"""The cheapest networks through points of the plane: two layers exactly, more by a search with
bounds.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from repcost.arrays import ArrayLike, finite_array, same_length, whole_depth
from repcost.bounds import Bracket
from repcost.costs.plane.arcs import Arcs, Points, Values
from repcost.costs.plane.networks import Fit, PlaneData, best_aligned, best_fit
from repcost.costs.plane.programme import by_vertices, cheapest_units, spread_direction
from repcost.costs.plane.search import Search
from repcost.networks import TwoLayer
from repcost.rounding import UNIT, rescaled_outward

# Relative gaps of R_L^(L/2) asked for unless the caller does: of two layers, and of more.
_EXACT, _SEARCHED = 1e-9, 2e-3
# Where the solver's small units end and its noise begins depends on the data: each of these is
# tried.
_NOISE = (1e-5, 1e-7, 1e-9)


@dataclass(frozen=True, eq=False)
class PlaneInterpolant:
    """What `interpolate_plane` returns.

    cost: Bracket of R_L, the infimum over networks of any width.
    function: a two-layer network with the values y at the points up to rounding; with its first
        matrix factored as `linear_layers_network` does it costs the upper end, up to rounding.
    certificate: (n,), a price alpha of each point for depth 2. sum alpha = 0 exactly, and |sum_i
        alpha_i [v.x_i + b]_+| <= |v| for all v and b, so two layers through the points cost alpha .
        y at least, and more layers too, as R_L^(L/2) >= R_2. Of points given twice the first has
        the price.
    cells: how many sets of metrics the search has bounded; 0 if there was no need to search.
    """

    cost: Bracket
    function: TwoLayer
    certificate: Float[np.ndarray, " n"]
    cells: int = 0


def interpolate_plane(
    X: ArrayLike,
    y: ArrayLike,
    depth: int = 2,
    *,
    rtol: float | None = None,
    progress: bool = False,
    max_cells: int = 10_000,
) -> PlaneInterpolant:
    """The least cost R_L of a network through points of the plane, all layers but the last two
    linear; two-sided.

    Ongie & Willett (2022), eqs. (5)-(7) and (12), here for every depth L >= 2: (|a|^2 + sum
    |W_i|_F^2) / L, biases free. X: (n, 2), points are rows; y: (n,).

    Depth 2 is a cone programme, whose certificate is checked against every unit there is; points
    much closer to each other than to the rest widen the bracket. From depth 3 on a search over
    metrics stops at a relative gap of `rtol` in R_L^(L/2) (2e-3 unless given), after `max_cells`
    cells, or at Ctrl-C, and returns the bracket it has: wider then, and as certain. `progress`
    shows a bar (tqdm). Certified for exactly these floats.

    >>> fit = interpolate_plane([[0, 0], [1, 0], [0, 1]], [0, 3, 4])
    >>> f"{fit.cost.value:.6f}", fit.cost.relative_gap < 1e-9
    ('5.000000', True)
    >>> f"{interpolate_plane([[0, 0], [1, 0], [0, 1]], [0, 3, 4], 3).cost.value:.6f}"
    '2.924018'
    """
    X, y = _checked_points(X, y)
    depth = whole_depth(depth)
    if rtol is None:
        rtol = _EXACT if depth == 2 else _SEARCHED
    _check_options(rtol, max_cells)
    if not np.ptp(y):
        constant = TwoLayer(np.zeros((0, 2)), [], [], y[0])
        return PlaneInterpolant(Bracket(0.0, 0.0, "certified"), constant, np.zeros(len(y)))
    distinct = _first_of_equal(X, y)
    data = PlaneData.normalised(X[distinct], y[distinct])
    arcs = Arcs.around(data.points)
    fit, alpha = _two_layers(data, arcs, rtol if depth == 2 else _EXACT)
    floor, cells = arcs.proven(alpha, data.y), 0
    if depth > 2:
        search = Search(data, arcs, depth, rtol, _start(data, fit, depth), floor)
        search.run(max_cells, progress)
        fit, floor, cells = search.fit, search.floor, search.cells
    certificate = np.zeros(len(y))
    certificate[distinct] = np.ldexp(arcs.feasible(alpha), -data.scale)
    return PlaneInterpolant(
        _bracket(data, floor, fit.cost, depth), data.restored(fit.network), certificate, cells
    )


def _two_layers(data: PlaneData, arcs: Arcs, rtol: float) -> tuple[Fit, Values]:
    """The best of the cone programme and of linear programmes, on both sides."""
    units = cheapest_units(arcs, data.y, 1e-11)
    vertices = by_vertices(arcs, data.y, units, rtol / 10)
    alpha = max(
        (units.alpha for units in [units, *vertices]), key=lambda alpha: arcs.proven(alpha, data.y)
    )
    return best_fit(
        data, [*(units.larger_than(share) for share in _NOISE), *vertices[-1:]], 2
    ), alpha


def _start(data: PlaneData, two_layers: Fit, depth: int) -> Fit:
    """Aligned networks are often the best of all; the cheapest of two layers is another place to
    start.
    """
    fit = Fit.repaired(data, two_layers.network, spread_direction(data.points), depth)
    aligned = best_aligned(data, depth)
    return aligned if aligned and aligned.cost < fit.cost else fit


def _bracket(data: PlaneData, floor: float, cost: float, depth: int) -> Bracket:
    """R_L is homogeneous of degree 2/L in y, and of degree -2/L in X; y is rounded once when it is
    moved.
    """
    lower = floor ** (2 / depth) * (1 - 16 * UNIT * (4 + abs(np.log(floor or 1.0))))
    low, high = rescaled_outward(
        np.array(lower), np.array(cost), np.array(data.height - data.scale), depth
    )
    return Bracket(float(low), float(high), "certified")


def _checked_points(X: ArrayLike, y: ArrayLike) -> tuple[Points, Values]:
    X, y = finite_array(X, "X", 2), finite_array(y, "y", 1)
    if X.shape[1] != 2:
        raise ValueError(
            f"X has {X.shape[1]} columns; points of the plane are rows of 2 (interpolate_line takes one)"
        )
    same_length(X=X, y=y)
    if not len(X):
        raise ValueError("X is empty; give at least one point")
    for name, value in (("X", X), ("y", y)):
        span = float(np.max(value.max(axis=0) / 2 - value.min(axis=0) / 2))
        if np.abs(value).max() > 1e100 or 0 < span < 1e-100:
            raise ValueError(
                f"{name} must stay below 1e100 and span more than 1e-100; multiply it by a power of two"
            )
    return X, y


def _check_options(rtol: float, max_cells: int) -> None:
    if not 0 < rtol < 1:
        raise ValueError(f"rtol must be between 0 and 1, not {rtol}; leave it out for the default")
    if max_cells < 0:
        raise ValueError(
            f"max_cells must not be negative, but it is {max_cells}; 0 skips the search"
        )


def _first_of_equal(X: Points, y: Values) -> Int[np.ndarray, " m"]:
    """The rows that are left when equal points are merged."""
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    clash = np.flatnonzero(y[first][group] != y)
    if len(clash):
        n = clash[0]
        raise ValueError(
            f"X holds {X[n].tolist()} twice, with y = {y[first][group][n]} and {y[n]}, and no function takes both "
            "values; remove one of the points"
        )
    return np.sort(first)
