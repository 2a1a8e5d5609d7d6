"""Splines with few bends that fit points with squared loss: the best one with given bends.

In units where x spans 1 and the strength is 1. Where it is known which way each bend goes, and so
what it costs, the best values at the knots are the solution of one system with the matrix M of
three diagonals that `fit_points` has. What is solved for is how far they are from the best values
at each x alone: residuals then keep their digits where the strength is small.

Whether these bends are the right ones, the residuals tell: their sums eta (`fit_problem`) may not
leave their bounds. `Fit.finished` takes bends of the wrong sign out, and puts in those that eta
asks for, until nothing is left to do.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from repcost.costs.fit_points import Few, Mask, Points
from repcost.costs.fit_problem import Knots, Pieces

# eta may be above its bound by so much: the dual is divided by it.
_ABOVE = 1e-12
# How often bends of the wrong sign are taken out, and others are put in: first in large steps,
# which may go in circles.
_MOST_REMOVALS, _LARGE_CHANGES, _MOST_CHANGES = 30, 8, 16


@dataclass(frozen=True, eq=False)
class Spline:
    """By how much it is above the centres at its knots."""

    points: Points
    knots: Mask
    above: Few

    @property
    def values(self) -> Few:
        return self.points.centres[self.knots] + self.above

    @property
    def bends(self) -> Few:
        """At the knots inside."""
        return np.diff(np.diff(self.values) / np.diff(self.points.x[self.knots]))

    @property
    def at_all(self) -> Knots:
        return np.interp(self.points.x, self.points.x[self.knots], self.values)

    @property
    def misses(self) -> Knots:
        """What is missing to the centres at each x."""
        points = self.points
        return points.rest(self.knots) - np.interp(points.x, points.x[self.knots], self.above)

    @classmethod
    def best(cls, points: Points, h: float, signs: Knots) -> "Spline":
        """The least squares plus the price of bends of these signs, where signs are not 0."""
        knots = signs != 0
        knots[[0, -1]] = True
        lengths = np.diff(points.x[knots])
        fixed, moved = _eta(h, signs[knots])
        pulls = points.pulls(knots) - _price(fixed, lengths)
        right = np.stack([pulls, -_price(moved, lengths)], axis=1)
        above, by_h = solveh_banded(points.squares(knots), right, lower=True, check_finite=False).T
        if moved.any():
            # The price of h itself is zero.
            condition = _price(moved, lengths)
            values = points.centres[knots] + above
            above = above - by_h * float(condition @ values) / float(condition @ by_h)
        return cls(points, knots, above)


@dataclass(frozen=True, eq=False)
class Fit:
    """A spline whose bends have the right signs.

    signs: of its bends, at all points. rho: the dual slopes, from its residuals. wanted: signs of
    bends that eta asks for beside them.
    """

    spline: Spline
    signs: Knots
    rho: Pieces
    wanted: Knots

    @classmethod
    def of(cls, spline: Spline, signs: Knots) -> "Fit":
        points = spline.points
        rho = np.cumsum(points.counts * spline.misses)[:-1]
        eta = -np.cumsum(np.append(rho * np.diff(points.x), 0.0)[::-1])[::-1]
        # The side on which eta is further beyond a bound.
        side = np.where(np.abs(eta) >= np.abs(eta - eta[0]), eta, eta - eta[0])
        wanted = np.where(_peaks(np.abs(side) - 1) & (signs == 0), np.sign(side), 0.0)
        wanted[[0, -1]] = 0.0
        return cls(spline, signs, rho, wanted)

    @classmethod
    def finished(cls, points: Points, h: float, signs: Knots) -> "Fit":
        """The fit with these bends, or with a few more or less, as their signs and eta ask for."""
        fit = cls.of(*_with_right_signs(points, h, signs))
        for change in range(_MOST_CHANGES):
            if not fit.wanted.any():
                break
            signs = fit.signs + fit.wanted
            if change < _LARGE_CHANGES:
                fit = cls.of(*_with_right_signs(points, h, signs))
            else:
                fit = cls.of(*_moved(fit.spline.at_all, points, h, signs))
        return fit


def _peaks(above: Knots) -> Mask:
    """Where eta is furthest above its bounds: a point of each stretch where it is."""
    padded = np.concatenate([[-np.inf], above, [-np.inf]])
    return (above > _ABOVE) & (above >= padded[:-2]) & (above >= padded[2:])


def _with_right_signs(points: Points, h: float, signs: Knots) -> tuple[Spline, Knots]:
    """The best spline, and the signs that are left, where wrong ones are taken out at once."""

    def wrong(spline: Spline, size: Few) -> Mask:
        return _deepest(size)

    return _without(wrong, points, h, signs)


def _moved(start: Knots, points: Points, h: float, signs: Knots) -> tuple[Spline, Knots]:
    """The same from values whose bends are right: it goes no further than to the first wrong one.

    So the objective falls with every step (Lawson and Hanson 1974), and no bends come twice.
    """

    def wrong(spline: Spline, size: Few) -> Mask:
        nonlocal start
        slopes = np.diff(start[spline.knots]) / np.diff(points.x[spline.knots])
        before = np.maximum(np.diff(slopes) * signs[spline.knots][1:-1], 0.0)
        shares = np.where(size < 0, before / np.where(size < 0, before - size, 1.0), 1.0)
        share = float(shares.min())
        start = start + share * (spline.at_all - start)
        return shares <= share

    return _without(wrong, points, h, signs)


def _without(
    wrong: Callable[[Spline, Few], Mask], points: Points, h: float, signs: Knots
) -> tuple[Spline, Knots]:
    """The best spline after bends went that `wrong` names, as long as some have the wrong sign.

    wrong: of the bends inside, given their sizes, which are negative where the sign is wrong.
    """
    signs, spline = signs.copy(), Spline.best(points, h, signs)
    for _ in range(_MOST_REMOVALS):
        inside = np.flatnonzero(spline.knots)[1:-1]
        size = spline.bends * signs[inside]
        if not (size < 0).any():
            break
        signs[inside[wrong(spline, size)]] = 0.0
        spline = Spline.best(points, h, signs)
    return spline, signs


def _eta(h: float, signs: Few) -> tuple[Few, Few]:
    """eta at the knots: what does not depend on h, and what h is multiplied by.

    Where h is 0 or +-1 it is known; elsewhere it is still to be found.
    """
    fixed, moved = signs.copy(), (signs * np.sign(h) < 0).astype(float)
    fixed[[0, -1]], moved[-1] = 0.0, 0.0
    moved[0] = 1.0
    if 0 < abs(h) < 1:
        return fixed, moved
    return fixed + h * moved, 0.0 * moved


def _deepest(size: Few) -> Mask:
    """Where it is negative, and not more so beside it: one bend too many bends its neighbours."""
    padded = np.concatenate([[0.0], size, [0.0]])
    return (size < 0) & (size <= padded[:-2]) & (size <= padded[2:])


def _price(eta: Few, lengths: Few) -> Few:
    """The derivative in z of h (first slope) + sum of eta (bend), as a sum over slopes."""
    of_slopes = -np.diff(eta) / lengths
    return -np.diff(of_slopes, prepend=0.0, append=0.0)
