"""The shortest open tour: how long every curve through given points is at least."""

import math

import numpy as np

from repcost.arrays import ArrayLike, distinct_rows, finite_array
from repcost.bounds import Bracket
from repcost.ranks.prices import ascent
from repcost.ranks.spanning_trees import Points, least_spanning_tree, tour_floor, walk
from repcost.ranks.subset_paths import shortest_path
from repcost.ranks.tour_search import Order, shortened
from repcost.rounding import UNIT, rounded_outward
from repcost.scalars import flag
from repcost.scales import at_size_one

# Dynamic programming over sets: 14 points take two milliseconds, and each further one doubles that.
_MOST_EXACT = 14
# More than what underflow takes from a length, where the largest coordinate is near 1.
_TINY = 2.0**-500


def shortest_open_tour(points: ArrayLike, *, progress: bool = False) -> Bracket:
    """The least length of a path that visits all rows of `points`, (N, k), in any order.

    It does not return to its start. The travelling salesman of Theorem 2 and Proposition 10 of
    Jacot (2023): a function of bottleneck rank one with these values, at inputs of a convex domain,
    has somewhere a derivative of size tour / (diameter of the inputs). Up to 14 different points,
    and on a line, it is known up to rounding. Beyond that the upper end is a tour, found by
    `open_tour`, half a per cent above the shortest as a rule; the lower end is a least spanning
    tree with prices on the points, a proof whatever the prices, one per cent below at most as a
    rule.
    progress: show a bar (tqdm); 800 points take a second.

    >>> corners = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> tour = shortest_open_tour(corners)
    >>> round(tour.value, 12), tour.relative_gap < 1e-13
    (3.0, True)
    """
    return _toured(points, progress)[1]


def open_tour(points: ArrayLike) -> Order:
    """The order in which `shortest_open_tour`'s tour visits the rows of `points`, (N, k).

    >>> open_tour([[0.0, 0.0], [3.0, 0.0], [1.0, 1.0]]).tolist()
    [0, 2, 1]
    """
    return _toured(points)[0]


def _toured(points: ArrayLike, progress: bool = False) -> tuple[Order, Bracket]:
    points, progress = finite_array(points, "points", 2), flag(progress, "progress")
    if not points.size:
        raise ValueError(
            f"points has shape {points.shape}; it needs at least one row and one column"
        )
    places, _, group = distinct_rows(points)
    # Columns that do not vary are no dimensions.
    places = places[:, (places != places[0]).any(axis=0)]
    on_a_line = places.shape[1] < 2
    order, lower, upper = _along_a_line(places) if on_a_line else _in_space(places, progress)
    if not math.isfinite(upper):
        raise ValueError("the tour is longer than floats go; divide points by a power of two first")
    # Equal points are visited one after the other, at the turn of their place.
    visits = np.argsort(np.argsort(order)[group], kind="stable")
    visits = visits if visits[0] <= visits[-1] else visits[::-1]
    return visits, Bracket(lower, upper, "certified")


def _along_a_line(places: Points) -> tuple[Order, float, float]:
    """At most one column, sorted."""
    order = np.arange(len(places))
    if len(places) == 1:
        return order, 0.0, 0.0
    try:
        return order, *rounded_outward(np.array([places[-1, 0], -places[0, 0]]))
    except OverflowError:
        return order, 0.0, math.inf


def _in_space(places: Points, progress: bool) -> tuple[Order, float, float]:
    """At least two places and two columns."""
    X, exponent = at_size_one(places)
    n, k = X.shape
    # A length rounds k differences, k squares, their sum and its root; n more for adding up.
    relative, lost = UNIT * (n + k + 6), n * k * _TINY
    if n <= _MOST_EXACT:
        order, lower = shortest_path(np.linalg.norm(X[:, None] - X, axis=2))
        lower = lower * (1 - 2 * relative)
    else:
        order, lower = _by_trees(X, relative, progress)
    steps = np.linalg.norm(np.diff(X[order], axis=0), axis=1)
    upper = math.fsum(steps) * (1 + 2 * relative) + lost
    with np.errstate(over="ignore"):
        low, high = np.ldexp([max(lower - lost, 0.0), upper], exponent).tolist()
    # The scaling back may fall among the subnormal numbers, where it rounds once.
    return order, max(math.nextafter(low, 0.0), 0.0), math.nextafter(high, math.inf)


def _by_trees(X: Points, relative: float, progress: bool) -> tuple[Order, float]:
    """A tour near the tree whose prices prove most, and that proof or the plain tree's."""
    centred = X - X.mean(axis=0)
    spread = float(np.abs(centred).max())
    prices = ascent(centred / spread, progress)
    lower = 0.0
    for each in (np.zeros(len(X)), prices):
        # The lengths are those of X itself: centring rounds, and only proposes.
        tree, costs = least_spanning_tree(X, spread * each)
        lower = max(lower, tour_floor(costs, spread * each, relative))
    return shortened(centred / spread, prices, tree, walk(tree)), lower
