"""A network that surely interpolates, and what it costs at most: where nothing better is proven.

Along a direction u in which no two points coincide the data are points on a line, and the linear
spline through them is a network: a bend at each point but the last, and a constant. Its cost is had
in fractions, whatever the points are, so it bounds the least one from above. It may be far above.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import count, pairwise
from math import inf, isqrt

from repcost.shallow.arguments import Inputs, Targets

Point = tuple[Fraction, list[Fraction]]


def cost_along_a_line(X: Inputs, Y: Targets, bias: float) -> float:
    """At least the least cost, for distinct rows of X and a positive bias; infinite beyond floats.

    >>> import numpy as np
    >>> cost_along_a_line(np.array([[0.0], [1.0]]), np.array([[0.0], [2.0]]), 1.0)
    4.000000000000001
    """
    rows = [[Fraction(x) for x in point] for point in X.tolist()]
    values = [[Fraction(y) for y in point] for point in Y.tolist()]
    direction = next(u for u in _directions(X.shape[1]) if _tells_apart(rows, u))
    heights = [_product(row, direction) for row in rows]
    points = sorted(zip(heights, values, strict=True))
    beta, turn = Fraction(bias), _product(direction, direction)
    # The output bias is the first value, paid for as b^2; each bend is paid for as 2 |a| |w|.
    first = sum((y * y for y in points[0][1]), Fraction(0)) / beta**2
    total, before = first, [Fraction(0)] * Y.shape[1]
    for (t, y), (after, z) in pairwise(points):
        slopes = [(b - a) / (after - t) for a, b in zip(y, z, strict=True)]
        bend = sum(((b - a) ** 2 for a, b in zip(before, slopes, strict=True)), Fraction(0))
        total += 2 * _root(bend * (turn + (t / beta) ** 2))
        before = slopes
    return _float_above(total)


def _directions(inputs: int) -> Iterator[list[int]]:
    """Whole directions, those along an axis first; some of them tells any points apart."""
    for axis in range(inputs):
        yield [int(i == axis) for i in range(inputs)]
    for base in count(2):
        yield [base**i for i in range(inputs)]


def _tells_apart(rows: list[list[Fraction]], direction: list[int]) -> bool:
    return len({_product(row, direction) for row in rows}) == len(rows)


def _product(row: Iterable[Fraction | int], direction: Iterable[int]) -> Fraction:
    return sum((Fraction(a * b) for a, b in zip(row, direction, strict=True)), Fraction(0))


def _root(square: Fraction) -> Fraction:
    """At least the root, to about thirty digits."""
    if not square:
        return Fraction(0)
    shift = max(0, 200 - square.numerator.bit_length() + square.denominator.bit_length())
    shift += shift % 2
    whole = (square.numerator << shift) // square.denominator
    return Fraction(isqrt(whole) + 1, 1 << (shift // 2))


def _float_above(number: Fraction) -> float:
    try:
        # One rounding in the division, and one here.
        return float(number) * (1 + 2.0**-52)
    except OverflowError:
        return inf
