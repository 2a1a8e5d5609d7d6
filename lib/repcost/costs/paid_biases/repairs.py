"""A function that nearly passes through the points, and what it costs at most to mend it.

What is missing is known exactly, in fractions. The spline through it is a constant, a slope from
the first point on, and a bend at each point between; a network that adds it pays for each of these.
"""

from fractions import Fraction

import numpy as np
from jaxtyping import Float

from repcost.costs.paid_biases.arguments import Output
from repcost.costs.paid_biases.cone_programme import Units
from repcost.costs.paid_biases.points import Points
from repcost.piecewise import PiecewiseLinear

__all__ = ["fitted", "merged", "price_of_repair", "summed"]

# Units that pay less than this, of the mean, are what a solver leaves of zero.
_NOTHING = 1e-6
# Directions in which sizes hardly change the values are left alone.
_FLAT = 1e-11


def summed(points: Points, units: Units) -> PiecewiseLinear:
    """The function of all these units, as they are."""
    ramps = _ramps(points, units)
    constant = float(np.mean(points.y - ramps @ units.sizes))
    return _function(units, constant, float(points.x[0]))


def fitted(points: Points, units: Units) -> PiecewiseLinear:
    """That of the units that count, their sizes changed as little as the points ask for."""
    prices = np.abs(units.sizes) * np.hypot(1.0, units.at)
    used = prices > _NOTHING * prices.sum() / len(points.x)
    units = Units(units.at[used], units.sizes[used], units.facing[used])
    # Relative to the sizes; and a constant.
    columns = np.column_stack([_ramps(points, units) * units.sizes, np.ones(len(points.x))])
    weights = np.append(np.ones(len(units.at)), 0.0)
    weights[-1] = np.mean(points.y - columns @ weights)
    for _ in range(2):
        weights = weights + np.linalg.lstsq(columns, points.y - columns @ weights, rcond=_FLAT)[0]
    sized = Units(units.at, units.sizes * weights[:-1], units.facing)
    return _function(sized, float(weights[-1]), float(points.x[0]))


def merged(points: Points, f: PiecewiseLinear) -> PiecewiseLinear:
    """One bend for all between two points that turn the same way: outside of the gap, f stays f."""
    bends = np.diff(f.slopes)
    knots, bends = f.knots[bends != 0], bends[bends != 0]
    # A bend at a point belongs to neither gap beside it.
    gap = 2 * np.searchsorted(points.x, knots) + np.isin(knots, points.x)
    _, group = np.unique(np.stack([gap, np.sign(bends)]), axis=1, return_inverse=True)
    sizes, sums = (np.bincount(group.ravel(), part) for part in (bends, bends * knots))
    at, place = np.unique(sums / sizes, return_inverse=True)
    turns = np.bincount(place.ravel(), sizes, len(at))
    slopes = f.slopes[0] + np.concatenate([[0.0], np.cumsum(turns)])
    return PiecewiseLinear(at, slopes, (points.x[0], f(points.x[:1])[0]))


def _ramps(points: Points, units: Units) -> Float[np.ndarray, "n units"]:
    return np.maximum(units.facing * (points.x[:, None] - units.at), 0.0)


def _function(units: Units, constant: float, x: float) -> PiecewiseLinear:
    places, position = np.unique(units.at, return_inverse=True)
    bends = np.bincount(position.ravel(), units.sizes, len(places))
    first = -float(units.sizes[units.facing < 0].sum())
    at_x = float(units.sizes @ np.maximum(units.facing * (x - units.at), 0.0))
    slopes = first + np.concatenate([[0.0], np.cumsum(bends)])
    return PiecewiseLinear(places, slopes, (x, at_x + constant))


def price_of_repair(f: PiecewiseLinear, points: Points, output: Output) -> float:
    """More than a network pays that adds what f misses at the points."""
    missing = _missing(f, points)
    slopes = np.diff(missing) / points.widths
    # A difference of two roundings may be off by as much as they are.
    doubt = 2.0**-50 * (np.abs(missing[:-1]) + np.abs(missing[1:])) / points.widths
    sizes = np.abs(slopes) + doubt
    bends = np.abs(np.diff(slopes)) + doubt[:-1] + doubt[1:]
    added = float(bends @ points.rho[1:-1]) + sizes[0] * points.rho[0]
    constant = abs(missing[0]) if output == "paid" else 0.0
    return (1 + 1e-10) * (added + constant)


def _missing(f: PiecewiseLinear, points: Points) -> Float[np.ndarray, " n"]:
    """y - f(x), each rounded once."""
    x, y = ([Fraction(v) for v in part.tolist()] for part in (points.x, points.y))
    anchor, height = map(Fraction, f.anchor)
    rises = _rises(f, sorted({*x, anchor}))
    return np.array(
        [float(v - height - rises[u] + rises[anchor]) for u, v in zip(x, y, strict=True)]
    )


def _rises(f: PiecewiseLinear, places: list[Fraction]) -> dict[Fraction, Fraction]:
    """How much higher than at the first of these places f is at each of them."""
    knots, slopes = ([Fraction(v) for v in part.tolist()] for part in (f.knots, f.slopes))
    place, height = places[0], Fraction(0)
    n, found = sum(knot <= place for knot in knots), {}
    for x in places:
        while n < len(knots) and knots[n] < x:
            height, place, n = height + slopes[n] * (knots[n] - place), knots[n], n + 1
        height, place = height + slopes[n] * (x - place), x
        found[x] = height
    return found
