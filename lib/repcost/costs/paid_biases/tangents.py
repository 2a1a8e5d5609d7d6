"""The proof that belongs to a shortest path: g touches rho, or -rho, at each bend.

Between two points with a bend at t in between g is the tangent there, (1 + t x) / rho(t) times the
sign of the bend: as a multiple of rho, the cosine of the angle to atan t. At a point with a bend on
both sides the two tangents agree, that being the reflection of the path.

At points that do not turn, g is free as long as it stays between -rho and rho. Let L and R be the
tangents at the nearest bends on both sides, both cosines, less than pi apart.

- If these bend alike, g is min(L, R), or 0 where one of these is negative; from the last point
  where R is, it rises no more steeply than a sinusoid may that comes from 0 there, and likewise
  before the first one where L is. But beside the bend itself R, or L, keeps its negative value.
- If not: halfway between the bounds L and -R, a line.
- Outside of all bends L is the steepest sinusoid from 0 at the outermost point.
"""

import numpy as np
from jaxtyping import Float, Int

from repcost.costs.paid_biases.lines import Lines
from repcost.costs.paid_biases.points import Values

__all__ = ["touching"]

Indices = Int[np.ndarray, " _"]
# At some points in a row.
Some = Float[np.ndarray, " _"]


def touching(lines: Lines) -> Values:
    """g at the points; zero at both ends."""
    points, x, at = lines.points, lines.points.x, lines.places
    heights, sign = np.hypot(1.0, at), np.sign(lines.before + lines.after)
    at_start = np.where(lines.before != 0, sign * (1 + at * x[:-1]) / heights, np.nan)
    at_end = np.where(lines.after != 0, sign * (1 + at * x[1:]) / heights, np.nan)
    both = np.stack([np.append(at_start, np.nan), np.append(np.nan, at_end)])
    known = ~np.isnan(both)
    g = np.where(known, both, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    g[[0, -1]] = 0.0
    straight = np.flatnonzero(points.signs[1:-1] == 0) + 1
    bends = np.flatnonzero(sign)
    if len(bends) and len(straight):
        place = np.searchsorted(bends, straight)
        for group in np.split(straight, np.flatnonzero(np.diff(place)) + 1):
            g[group] = _over_straight(lines, sign, bends, group)
    return g


def _over_straight(lines: Lines, sign: Some, bends: Indices, group: Indices) -> Some:
    """g at points in a row that do not turn, with no bend between them."""
    points, x = lines.points, lines.points.x[group]
    place = int(np.searchsorted(bends, group[0]))
    left, right = bends[max(place - 1, 0)], bends[min(place, len(bends) - 1)]
    if place == 0:
        left_line, sides = (x - points.x[0]) / points.rho[0], (sign[right], sign[right])
        right_line = _tangent(lines, int(right), x)
    elif place == len(bends):
        left_line, sides = _tangent(lines, int(left), x), (sign[left], sign[left])
        right_line = (points.x[-1] - x) / points.rho[-1]
    else:
        left_line, right_line = (_tangent(lines, int(n), x) for n in (left, right))
        sides = sign[left], sign[right]
    if sides[0] != sides[1]:
        return (sides[0] * left_line + sides[1] * right_line) / 2
    return sides[0] * _least(x, left_line, right_line)


def _least(x: Some, left: Some, right: Some) -> Some:
    g = np.minimum(np.maximum(left, 0.0), np.maximum(right, 0.0))
    below_right, below_left = np.flatnonzero(right < 0), np.flatnonzero(left < 0)
    if len(below_right):
        p = below_right[-1]
        g[p + 1 :] = np.minimum(g[p + 1 :], (x[p + 1 :] - x[p]) / np.hypot(1.0, x[p]))
        g[p] = right[p] if p + 1 == len(x) else 0.0
    if len(below_left):
        q = below_left[0]
        g[:q] = np.minimum(g[:q], (x[q] - x[:q]) / np.hypot(1.0, x[q]))
        g[q] = left[q] if q == 0 else 0.0
    return g


def _tangent(lines: Lines, gap: int, x: Some) -> Some:
    at = lines.places[gap]
    return (1 + at * x) / np.hypot(1.0, at)
