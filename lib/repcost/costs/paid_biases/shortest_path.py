"""The cheapest function beside a free line: a shortest path through the stretches of each run.

A run is a maximal row of points that turn the same way. The best choice of stretches in it is found
from its end: at each point the best stretch that begins there, and what follows it. The outermost
line is free to turn about the outermost point: where the angle between the first two points is
more than a right one, x_1 x_2 < -1, a stretch may begin with a bend at -1/x_1, where the way to the
lines through point 1 is perpendicular, and go on by reflection: a path of least length turns at
the lines of a point like light, so atan(t) + atan(t') = 2 atan(x) for the bends on its two sides.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.paid_biases.lines import Lines
from repcost.costs.paid_biases.points import Points, Values
from repcost.costs.paid_biases.stretches import best_of_length

__all__ = ["shortest_path"]

# No longer stretch than about nine points was ever part of a shortest path.
_LONGEST = 16


@dataclass(frozen=True, eq=False)
class _Choice:
    """The best way from each point to the end: its cost, and how many points its stretch has."""

    costs: Float[np.ndarray, " ends"]
    lengths: Int[np.ndarray, " n"]


def shortest_path(points: Points, careful: bool = False) -> Lines:
    """The slopes at the points of the cheapest function, as good as floats find it."""
    if _is_wide(points.mirrored) and not _is_wide(points):
        path = shortest_path(points.mirrored, careful)
        return Lines(points, -path.slopes[::-1])
    table = _table(points, careful)
    wide = _from_outside(points) if _is_wide(points) else {}
    for place, (cost, slopes) in wide.items():
        if cost < table.get(place, (np.inf, slopes))[0]:
            table[place] = cost, slopes
    return Lines(points, _followed(points, table, _chosen(points, table)))


# By first point and number of points: the cost, and the slopes at these points. A stretch from
# outside has one more slope, at the point before.
_Table = dict[tuple[int, int], tuple[float, Float[np.ndarray, " _"]]]


def _is_wide(points: Points) -> bool:
    return bool(len(points.x) > 2 and points.x[0] * points.x[1] < -1 and points.signs[1] != 0)


def _table(points: Points, careful: bool) -> _Table:
    last, table = _ends_of_runs(points), {}
    turning = np.flatnonzero(points.signs)
    for k in range(1, _LONGEST + 1):
        first = turning[turning + k - 1 <= last[turning]]
        if not len(first):
            break
        found = best_of_length(points, first, k, careful)
        for n, cost, slopes in zip(first.tolist(), found.costs.tolist(), found.slopes, strict=True):
            if np.isfinite(cost):
                table[n, k] = cost, slopes
    return table


def _ends_of_runs(points: Points) -> Int[np.ndarray, " n"]:
    """Of each point the last one of its run."""
    changes = np.append(points.signs[1:] != points.signs[:-1], True)
    ends = np.flatnonzero(changes)
    return ends[np.searchsorted(ends, np.arange(len(points.x)))]


def _from_outside(points: Points) -> _Table:
    """Stretches of the first points that turn, entered from a line that is free."""
    angles, found = np.arctan(points.x), {}
    last = int(_ends_of_runs(points)[1])
    angle, places = np.arctan(points.x[0]) + np.pi / 2, []
    for k in range(1, min(_LONGEST, last) + 1):
        angle = 2 * angles[k - 1] - angle if k > 1 else angle
        places.append(-1 / points.x[0] if k == 1 else np.tan(angle))
        slopes = _backwards(points, places)
        before, after = points.slopes[:k] - slopes[:-1], slopes[1:] - points.slopes[:k]
        if (points.signs[1] * before >= 0).all() and (points.signs[1] * after >= 0).all():
            cost = np.abs(before + after) @ np.hypot(1.0, places)
            found[1, k] = float(cost), slopes
    return found


def _backwards(points: Points, places: list[float]) -> Values:
    """The slopes at the points with these bends between them, from that of the chord at the end."""
    k = len(places)
    slopes = np.empty(k + 1)
    slopes[k] = points.slopes[k]
    for j in range(k - 1, -1, -1):
        # The chord is the mean of the two slopes, by how far each of them goes.
        after = (points.x[j + 1] - places[j]) * (slopes[j + 1] - points.slopes[j])
        slopes[j] = points.slopes[j] - after / (places[j] - points.x[j])
    return slopes


def _chosen(points: Points, table: _Table) -> _Choice:
    n, last = len(points.x), _ends_of_runs(points)
    costs, lengths = np.zeros(n + 1), np.zeros(n, dtype=int)
    for i in range(n - 1, -1, -1):
        costs[i] = costs[i + 1]
        if points.signs[i]:
            most = min(_LONGEST, int(last[i]) - i + 1)
            ways = [
                (table[i, k][0] + costs[i + k], k) for k in range(1, most + 1) if (i, k) in table
            ]
            costs[i], lengths[i] = min(ways)
    return _Choice(costs, lengths)


def _followed(points: Points, table: _Table, choice: _Choice) -> Values:
    # Elsewhere the slope is that of the chord after the point.
    slopes = np.append(points.slopes, points.slopes[-1])
    i = 0
    while i < len(points.x):
        k = int(choice.lengths[i])
        if k:
            found = table[i, k][1]
            slopes[i + k - len(found) : i + k] = found
        i += max(k, 1)
    return slopes
