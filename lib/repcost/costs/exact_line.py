"""Interpolation on the line in fractions: the cost and its proof without any rounding.

Theorem 3.3 of Savarese et al. (2019) for numbers that Python can turn into fractions: whole
numbers, fractions, floats as they stand. Slow and short, made for comparing:
`interpolate_line` brackets the same numbers in floats.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

# Whatever a fraction can be made of: whole numbers, fractions, floats, and numpy's.
Numbers = Iterable[Any]


def exact_slopes(x: Numbers, y: Numbers) -> list[Fraction]:
    """l_1, ..., l_(n-1), the slopes between neighbours; x must increase strictly.

    >>> exact_slopes([0, 1, 3], [0, 2, 1])
    [Fraction(2, 1), Fraction(-1, 2)]
    """
    rises, runs = _steps(_fractions(y)), _steps(_fractions(x))
    if len(rises) != len(runs) or not rises or min(runs) <= 0:
        raise ValueError("x must increase strictly and have as many numbers as y, at least two")
    return [rise / run for rise, run in zip(rises, runs, strict=True)]


def exact_interpolation_cost(x: Numbers, y: Numbers) -> Fraction:
    """R_2 = max(T, (T + S)/2): half the squared weights of the cheapest network, biases free.

    Theorem 3.3 of Savarese et al. (2019), T = sum |l_n - l_(n-1)| and S = |l_1 + l_(n-1)|;
    the minimum of (27) over the slopes at the ends. `interpolate_line` gives the bracket.

    >>> exact_interpolation_cost([0, 1, 2], [0, 1, 3])
    Fraction(2, 1)
    """
    turn, ends = _turn_and_ends(exact_slopes(x, y))
    return max(turn, (turn + abs(ends)) / 2)


def exact_certificate(x: Numbers, y: Numbers) -> list[Fraction]:
    """beta with beta . y = R_2 that proves that no network through the points costs less.

    sum beta = 0 and |sum beta_n [x_n - t]_+|, |sum beta_n [t - x_n]_+| <= 1 for every t, so a
    network that fits has sum |a_k w_k| >= beta . y. `LineInterpolant.certificate` is this,
    rounded.

    >>> [str(number) for number in exact_certificate([0, 1, 2], [0, 1, 3])]
    ['0', '-1', '1']
    """
    places = _fractions(x)
    slopes = exact_slopes(places, y)
    turn, ends = _turn_and_ends(slopes)
    # In case B, S > T, the end pieces bend too: at one end with this sign, or at both.
    outer = _sign(ends) if abs(ends) > turn else Fraction(0)
    signs = [outer, *map(_sign, _steps(slopes)), -outer]
    # What each slope counts in the cost; by the points it is a difference of such shares.
    shares = [-step / (2 if outer else 1) for step in _steps(signs)]
    pulls = [share / run for share, run in zip(shares, _steps(places), strict=True)]
    return [-step for step in _steps([Fraction(0), *pulls, Fraction(0)])]


def _fractions(numbers: Numbers) -> list[Fraction]:
    # numpy's whole numbers would stay what they are inside a fraction, and overflow.
    plain = (number.item() if isinstance(number, np.generic) else number for number in numbers)
    return [*map(Fraction, plain)]


def _steps(numbers: list[Fraction]) -> list[Fraction]:
    return [after - before for before, after in pairwise(numbers)]


def _turn_and_ends(slopes: list[Fraction]) -> tuple[Fraction, Fraction]:
    """T, and l_1 + l_(n-1) with its sign."""
    return sum(map(abs, _steps(slopes)), Fraction(0)), slopes[0] + slopes[-1]


def _sign(number: Fraction) -> Fraction:
    return Fraction((number > 0) - (number < 0))
